//! The types of a row of raw binary, and its values.

use std::fmt::{self, Display};
use std::str::FromStr;

use kostra_core::{MAX_VERTICES, Vertex};

use crate::columns::{Columns, TextNumber};
use crate::fault::Fault;

/// The type of a value.
#[derive(Clone, Copy, Debug)]
struct RawType {
    name: &'static str,
    size: usize,
    /// The value in as many bytes.
    value: fn(&[u8]) -> TextNumber,
}

/// The number of type `$number` in bytes.
macro_rules! types {
    ($($number:ident as $variant:ident($wide:ty)),* $(,)?) => {
        [$(RawType {
            name: stringify!($number),
            size: size_of::<$number>(),
            value: |bytes| {
                let bytes = bytes.try_into().unwrap_or_default();
                TextNumber::$variant(<$wide>::from($number::from_le_bytes(bytes)))
            },
        }),*]
    };
}

const TYPES: [RawType; 10] = types![
    u32 as Integer(i64),
    f32 as Float(f64),
    f64 as Float(f64),
    i32 as Integer(i64),
    i64 as Integer(i64),
    u64 as Huge(u64),
    u8 as Integer(i64),
    u16 as Integer(i64),
    i8 as Integer(i64),
    i16 as Integer(i64),
];

/// The types of the values of a row: two vertices, and perhaps a weight. Parsed from
/// `u32,u32,f32`.
#[derive(Clone, Copy, Debug)]
pub struct RawRow {
    ends: [RawType; 2],
    pub(crate) weight: Option<RawWeight>,
}

/// The type of the weight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawWeight(RawType);

impl RawRow {
    /// The number of bytes of a row.
    pub(crate) fn size(self) -> usize {
        let [u, v] = self.ends;
        u.size + v.size + self.weight.map_or(0, |RawWeight(weight)| weight.size)
    }
}

impl FromStr for RawRow {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = || TYPES.map(|of| of.name).join(", ");
        let types: Vec<RawType> = text
            .split(',')
            .map(|name| {
                let find = TYPES.iter().find(|of| of.name == name.trim());
                find.copied().ok_or_else(|| {
                    format!("there is no type '{}'; there are: {}", name.trim(), known())
                })
            })
            .collect::<Result<_, String>>()?;
        let (u, v, weight) = match types[..] {
            [u, v] => (u, v, None),
            [u, v, weight] => (u, v, Some(RawWeight(weight))),
            _ => {
                return Err("pass the types of two vertices and perhaps a weight, such as \
                            raw:u32,u32,f32"
                    .into());
            }
        };
        if let Some(end) = [u, v].iter().find(|end| end.name.starts_with('f')) {
            return Err(format!("{} is no type of a vertex; pass an integer type", end.name));
        }
        Ok(Self { ends: [u, v], weight })
    }
}

impl Display for RawRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [u, v] = self.ends;
        write!(f, "{},{}", u.name, v.name)?;
        self.weight.map_or(Ok(()), |RawWeight(weight)| write!(f, ",{}", weight.name))
    }
}

/// The values of a row.
fn values(bytes: &[u8], row: RawRow) -> ([TextNumber; 2], Option<TextNumber>) {
    let [u, v] = row.ends;
    let (first, rest) = bytes.split_at_checked(u.size).unwrap_or_default();
    let (second, rest) = rest.split_at_checked(v.size).unwrap_or_default();
    ([(u.value)(first), (v.value)(second)], row.weight.map(|RawWeight(of)| (of.value)(rest)))
}

/// Adds the edges of some rows. `start` is the byte of the first one.
pub(crate) fn decode(
    bytes: &[u8],
    row: RawRow,
    start: u64,
    edges: &mut Columns,
) -> Result<(), Fault> {
    let size = row.size();
    for (index, bytes) in bytes.chunks_exact(size).enumerate() {
        let (ends, weight) = values(bytes, row);
        let [u, v] = ends.map(vertex);
        let (Some(u), Some(v)) = (u, v) else {
            let wrong = ends.into_iter().find(|&end| vertex(end).is_none());
            let sentence = format!(
                "the vertex is {}, but vertices are whole numbers from 0 to {}; are the types \
                 {row} right?",
                wrong.map_or_else(String::new, |number| number.to_string()),
                MAX_VERTICES - 1
            );
            return Err(Fault::at_byte(start + (index * size) as u64, sentence));
        };
        edges.push_ends(u, v);
        match weight {
            // Most integers are small, and have the narrowest type that holds all of them.
            Some(TextNumber::Huge(weight)) => match i64::try_from(weight) {
                Ok(weight) => edges.push_integer(weight),
                Err(_) => edges.push_weight(TextNumber::Huge(weight)),
            },
            Some(weight) => edges.push_weight(weight),
            None => {}
        }
    }
    Ok(())
}

/// The first of some rows, as text.
pub(crate) fn shown(bytes: &[u8], row: RawRow) -> Option<String> {
    let (ends, weight) = values(bytes.get(..row.size())?, row);
    let weight = weight.map(|weight| format!(" {weight}")).unwrap_or_default();
    Some(format!("{}-{}{weight}", ends[0], ends[1]))
}

fn vertex(number: TextNumber) -> Option<Vertex> {
    let number = match number {
        TextNumber::Integer(number) => u64::try_from(number).ok()?,
        TextNumber::Huge(number) => number,
        TextNumber::Float(_) => return None,
    };
    Vertex::try_from(number).ok().filter(|&vertex| (vertex as usize) < MAX_VERTICES)
}
