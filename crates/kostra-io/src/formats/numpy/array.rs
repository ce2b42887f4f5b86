//! One array in the format `.npy`.

use std::ops::RangeInclusive;

use kostra_core::{MAX_VERTICES, Vertex};

use crate::columns::TextNumber;
use crate::number::show;

/// The first bytes.
pub(crate) const MAGIC: &[u8] = b"\x93NUMPY";

/// The least integer that a 32-bit float may have instead of another one.
const LEAST_ROUNDED: u64 = 1 << 24;

/// The same for 16-bit floats.
const LEAST_HALF: u64 = 1 << 11;

/// The relative precision of 16-bit floats.
const HALF_EPSILON: f64 = 1.0 / 1024.0;

/// The type of the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Boolean,
    Signed,
    Unsigned,
    Float,
}

/// An array of numbers.
#[derive(Debug)]
pub(crate) struct Array<'a> {
    pub(crate) shape: Vec<usize>,
    /// The first number of the shape.
    pub(crate) rows: usize,
    /// The product of the other numbers; 1 for an array of one dimension.
    pub(crate) columns: usize,
    kind: Kind,
    /// The number of bytes of a value, and from one value to the next.
    size: usize,
    stride: usize,
    big_endian: bool,
    /// Whether columns, not rows, are stored one after the other.
    by_columns: bool,
    values: &'a [u8],
    /// The offset of the values in the file.
    start: usize,
}

/// The byte of a fault, and a sentence.
pub(crate) type At<T> = Result<T, (usize, String)>;

/// The dictionary at the start of a file, and the values after it.
pub(super) fn header(bytes: &[u8]) -> At<(&str, &[u8])> {
    let cut = || (bytes.len(), "the file ends inside its header; it is cut short".to_owned());
    if !bytes.starts_with(MAGIC) {
        return Err((0, "this is no array of NumPy; save it with numpy.save".into()));
    }
    let version = bytes.get(MAGIC.len()).copied().ok_or_else(cut)?;
    let (length, start) = if version == 1 {
        let length = bytes.get(8..10).and_then(|word| word.try_into().ok()).ok_or_else(cut)?;
        (usize::from(u16::from_le_bytes(length)), 10)
    } else {
        let length = bytes.get(8..12).and_then(|word| word.try_into().ok()).ok_or_else(cut)?;
        (u32::from_le_bytes(length) as usize, 12)
    };
    let rest = bytes.get(start..).unwrap_or_default();
    let (header, values) = rest.split_at_checked(length).ok_or_else(cut)?;
    let header = str::from_utf8(header)
        .map_err(|_| (start, "the header is not text; save the array again".to_owned()))?;
    Ok((header, values))
}

/// The value of a key in the dictionary, up to the next key.
pub(super) fn value<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let quoted = [format!("'{key}':"), format!("\"{key}\":")];
    let (_, rest) = quoted.iter().find_map(|key| header.split_once(&**key))?;
    Some(rest.trim_ascii_start())
}

impl<'a> Array<'a> {
    /// Parses a file with an array of one or two dimensions.
    pub(crate) fn parse(bytes: &'a [u8]) -> At<Self> {
        Self::parse_of(bytes, 1..=2)
    }

    /// Parses a file with an array of as many dimensions.
    pub(crate) fn parse_of(bytes: &'a [u8], dimensions: RangeInclusive<usize>) -> At<Self> {
        let (header, values) = header(bytes)?;
        let start = bytes.len() - values.len();
        let fault = |sentence: String| (MAGIC.len(), sentence);
        let lacks = |key: &str| fault(format!("the header has no '{key}'; save the array again"));
        let dtype = value(header, "descr").ok_or_else(|| lacks("descr"))?;
        let (kind, size, big_endian) = kind_of(dtype).ok_or_else(|| {
            if dtype.starts_with('[') {
                return fault(
                    "the values have named fields; convert them with \
                     numpy.lib.recfunctions.structured_to_unstructured"
                        .to_owned(),
                );
            }
            let dtype = dtype.split(',').next().unwrap_or_default();
            fault(format!(
                "the values have the type {}; convert them to integers or floats of up to 64 bits",
                show(dtype.trim_matches(['\'', '"']).as_bytes())
            ))
        })?;
        let order = value(header, "fortran_order").ok_or_else(|| lacks("fortran_order"))?;
        let shape = value(header, "shape").and_then(|shape| shape.strip_prefix('('));
        let shape = shape.and_then(|shape| shape.split_once(')')).ok_or_else(|| lacks("shape"))?;
        let lengths: Option<Vec<usize>> = shape
            .0
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .map(|word| word.parse().ok())
            .collect();
        let lengths = lengths.filter(|lengths| dimensions.contains(&lengths.len()));
        let Some((&rows, others)) = lengths.as_deref().and_then(<[usize]>::split_first) else {
            let (least, most) = dimensions.into_inner();
            let words = ["no", "one", "two", "three"];
            let [least, most] = [least, most].map(|count| words[count.min(3)]);
            let shape = show(shape.0.as_bytes());
            return Err(fault(format!(
                "the shape of the array is ({shape}); {least} or {most} dimensions are expected"
            )));
        };
        let columns = others.iter().try_fold(1_usize, |product, &by| product.checked_mul(by));
        let columns = columns.unwrap_or(usize::MAX);
        let bytes = rows.checked_mul(columns).and_then(|count| count.checked_mul(size));
        if bytes != Some(values.len()) {
            return Err((
                start,
                format!(
                    "the array has {rows} x {columns} values of {size} bytes, but {} bytes follow; \
                     the file is damaged",
                    values.len()
                ),
            ));
        }
        let by_columns = order.starts_with("True");
        let shape = lengths.unwrap_or_default();
        let stride = size;
        Ok(Self { shape, rows, columns, kind, size, stride, big_endian, by_columns, values, start })
    }

    /// The named fields of a structured array of one dimension, in order; none for other arrays.
    pub(super) fn fields(bytes: &'a [u8]) -> At<Vec<(&'a str, Self)>> {
        let (header, values) = header(bytes)?;
        let start = bytes.len() - values.len();
        let Some(list) = value(header, "descr").and_then(|descr| descr.strip_prefix('[')) else {
            return Ok(Vec::new());
        };
        let list = list.split(']').next().unwrap_or_default();
        let mut fields = Vec::new();
        let mut stride = 0;
        for field in list.split('(').skip(1) {
            let mut words = field.split(['\'', '"']);
            let name = words.nth(1).unwrap_or_default();
            let kind = field.split_once(',').and_then(|(_, kind)| kind_of(kind.trim_start()));
            let Some((kind, size, big_endian)) = kind else { return Ok(Vec::new()) };
            let rest = values.get(stride..).unwrap_or_default();
            let array = Self {
                shape: Vec::new(),
                rows: 0,
                columns: 1,
                kind,
                size,
                stride: 0,
                big_endian,
                by_columns: false,
                values: rest,
                start: start + stride,
            };
            stride += size;
            fields.push((name, array));
        }
        let rows = values.len().checked_div(stride).unwrap_or_default();
        let shape = value(header, "shape").and_then(|shape| shape.strip_prefix('('));
        let stated = shape.and_then(|shape| shape.split([',', ')']).next()?.trim().parse().ok());
        if stated != Some(rows) || rows * stride != values.len() {
            let sentence = "the array has another size than its shape says; save it again";
            return Err((start, sentence.into()));
        }
        for (_, array) in &mut fields {
            (array.rows, array.stride, array.shape) = (rows, stride, vec![rows]);
        }
        Ok(fields)
    }

    /// Whether every value is an `f32`: it is a float of 32 bits or an integer of up to 16 bits.
    #[cfg(feature = "image")]
    pub(crate) fn is_single(&self) -> bool {
        self.size <= if self.kind == Kind::Float { 4 } else { 2 }
    }

    /// Whether the values are integers of 8 bits without a sign.
    #[cfg(feature = "image")]
    pub(crate) fn is_bytes(&self) -> bool {
        self.kind == Kind::Unsigned && self.size == 1
    }

    /// Whether the first dimension changes fastest.
    #[cfg(feature = "image")]
    pub(crate) fn is_by_columns(&self) -> bool {
        self.by_columns
    }

    /// The relative precision of the values; 0 for integers.
    pub(crate) fn epsilon(&self) -> f64 {
        match (self.kind, self.size) {
            (Kind::Float, 2) => HALF_EPSILON,
            (Kind::Float, 4) => f32::EPSILON.into(),
            (Kind::Float, _) => f64::EPSILON,
            _ => 0.0,
        }
    }

    /// The number of values.
    pub(super) fn len(&self) -> usize {
        self.rows.saturating_mul(self.columns)
    }

    fn index(&self, row: usize, column: usize) -> usize {
        if self.by_columns { column * self.rows + row } else { row * self.columns + column }
    }

    /// The array with rows and columns exchanged.
    pub(super) fn transposed(self) -> Self {
        let (rows, columns, by_columns) = (self.columns, self.rows, !self.by_columns);
        Self { shape: vec![rows, columns], rows, columns, by_columns, ..self }
    }

    /// The offset of a value in the file.
    pub(super) fn offset(&self, row: usize, column: usize) -> usize {
        self.start + self.index(row, column) * self.stride
    }

    /// A value.
    pub(crate) fn number(&self, row: usize, column: usize) -> TextNumber {
        let at = self.index(row, column) * self.stride;
        let mut word = [0; 8];
        let value = self.values.get(at..at + self.size).unwrap_or_default();
        for (to, &byte) in word.iter_mut().zip(value) {
            *to = byte;
        }
        if self.big_endian {
            word.get_mut(..self.size).unwrap_or_default().reverse();
        }
        let bits = u64::from_le_bytes(word);
        match self.kind {
            Kind::Float if self.size == 2 => TextNumber::Float(half(bits as u16)),
            Kind::Float if self.size == 4 => {
                TextNumber::Float(f64::from(f32::from_bits(bits as u32)))
            }
            Kind::Float => TextNumber::Float(f64::from_bits(bits)),
            Kind::Signed => {
                let unused = u64::BITS - 8 * self.size as u32;
                TextNumber::Integer((bits << unused) as i64 >> unused)
            }
            Kind::Boolean | Kind::Unsigned => {
                i64::try_from(bits).map_or(TextNumber::Huge(bits), TextNumber::Integer)
            }
        }
    }

    /// A value that is a vertex.
    pub(super) fn vertex(&self, row: usize, column: usize) -> At<Vertex> {
        let number = self.number(row, column);
        let whole = match number {
            TextNumber::Integer(value) => u64::try_from(value).ok(),
            TextNumber::Huge(value) => Some(value),
            TextNumber::Float(value) if value.fract() == 0.0 && value >= 0.0 => Some(value as u64),
            TextNumber::Float(_) => None,
        };
        let fault = |sentence: String| (self.offset(row, column), sentence);
        let vertex = whole.filter(|&vertex| vertex < MAX_VERTICES as u64).ok_or_else(|| {
            let highest = MAX_VERTICES - 1;
            fault(format!(
                "the vertex in row {row} is {number}; vertices are whole numbers from 0 to {highest}"
            ))
        })?;
        let (bits, least) =
            (8 * self.size, if self.size == 2 { LEAST_HALF } else { LEAST_ROUNDED });
        if self.kind == Kind::Float && self.size < 8 && vertex >= least {
            return Err(fault(format!(
                "the vertex in row {row} is {vertex}, and {bits}-bit floats round such numbers; \
                 save the array with 64-bit floats"
            )));
        }
        Ok(vertex as Vertex)
    }
}

/// A float of 16 bits: a sign, 5 bits of the exponent, and 10 of the fraction.
pub(crate) fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let magnitude = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    };
    if bits >> 15 == 0 { magnitude } else { -magnitude }
}

/// The type, the size and the byte order of `'<f8'`.
fn kind_of(dtype: &str) -> Option<(Kind, usize, bool)> {
    let quote = dtype.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
    let (name, _) = dtype.get(1..)?.split_once(quote)?;
    let (order, rest) = name.split_at_checked(1)?;
    let (kind, size) = rest.split_at_checked(1)?;
    let size: usize = size.parse().ok()?;
    let big_endian = match order {
        "<" | "|" => false,
        ">" => true,
        _ => return None,
    };
    let kind = match (kind, size) {
        ("b", 1) => Kind::Boolean,
        ("i", 1 | 2 | 4 | 8) => Kind::Signed,
        ("u", 1 | 2 | 4 | 8) => Kind::Unsigned,
        ("f", 2 | 4 | 8) => Kind::Float,
        _ => return None,
    };
    Some((kind, size, big_endian))
}
