//! The header of a `.kst` file: encoding, decoding and checks.

use kostra_core::{MAX_EDGES, MAX_VERTICES, WeightType, counted};
use xxhash_rust::xxh3::Xxh3;

use super::chunks::Plain;
use crate::fault::Fault;

/// The first bytes of every file. The first byte does not occur in ASCII text, and the line ends
/// and the control character detect a transfer in text mode.
const MAGIC: [u8; 12] = *b"\x8bKOSTRA\r\n\x1a\n\0";
/// The version that is written, and the highest that is read.
const VERSION: u32 = 1;
/// The offset of the table of sections, and the length of one of its entries.
const TABLE: usize = 64;
const ENTRY: usize = 32;
/// The most sections that a file has, and the most bytes that a header takes.
const MOST_SECTIONS: usize = 5;
pub(super) const LONGEST: usize = TABLE + ENTRY * MOST_SECTIONS;
const CHECKSUM: usize = 56;
/// The most edges of a file. Their arrays have fewer than 2^63 bytes.
const MAX_EDGES_IN_FILE: u64 = 1 << 48;
/// The alignment of sections: a cache line, and enough for every type of number.
const ALIGNMENT: u64 = 64;

/// Which kind of coordinates there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Places {
    None,
    Planar,
    Geographic,
}

const PLACES: [Places; 3] = [Places::None, Places::Planar, Places::Geographic];

/// The content of a section; the discriminant is its code in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    FirstEnds = 1,
    SecondEnds = 2,
    Weights = 3,
    Coordinates = 4,
    Names = 5,
}

impl Kind {
    /// Whether the section has one value for each edge.
    pub(super) fn is_of_edges(self) -> bool {
        matches!(self, Self::FirstEnds | Self::SecondEnds | Self::Weights)
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::FirstEnds => "first ends",
            Self::SecondEnds => "second ends",
            Self::Weights => "weights",
            Self::Coordinates => "coordinates",
            Self::Names => "names",
        }
    }
}

/// One section of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) kind: Kind,
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) checksum: u64,
}

/// The contents of a header, except the positions of sections, which follow from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) vertices: u32,
    pub(super) edges: u64,
    pub(super) weight_type: WeightType,
    pub(super) places: Places,
    /// The number of bytes of the section of names, if there is one.
    pub(super) names: Option<u64>,
}

impl Header {
    /// The sections of the file without their checksums, and the length of the file.
    pub(super) fn layout(&self) -> (Vec<Section>, u64) {
        let (n, m) = (u64::from(self.vertices), self.edges);
        let weight = match self.weight_type {
            WeightType::I32 | WeightType::U32 | WeightType::F32 => 4,
            WeightType::I64 | WeightType::U64 | WeightType::F64 => 8,
        };
        let mut lengths =
            vec![(Kind::FirstEnds, 4 * m), (Kind::SecondEnds, 4 * m), (Kind::Weights, weight * m)];
        if self.places != Places::None {
            lengths.push((Kind::Coordinates, 16 * n));
        }
        if let Some(names) = self.names {
            lengths.push((Kind::Names, names));
        }
        let mut end = (TABLE + ENTRY * lengths.len()) as u64;
        let mut sections = Vec::with_capacity(lengths.len());
        for (kind, length) in lengths {
            let offset = end.next_multiple_of(ALIGNMENT);
            sections.push(Section { kind, offset, length, checksum: 0 });
            end = offset.saturating_add(length); // only the length of names is anybody's to choose
            if end > u64::MAX / 2 {
                break;
            }
        }
        (sections, end)
    }

    /// The bytes of a header with these sections.
    pub(super) fn encode(&self, sections: &[Section], length: u64) -> Vec<u8> {
        let index = |found: Option<usize>| found.unwrap_or_default() as u32;
        let mut bytes = MAGIC.to_vec();
        VERSION.put(&mut bytes);
        u64::from(self.vertices).put(&mut bytes);
        self.edges.put(&mut bytes);
        self.weight_type.code().put(&mut bytes);
        index(PLACES.iter().position(|&known| known == self.places)).put(&mut bytes);
        (sections.len() as u32).put(&mut bytes);
        0_u32.put(&mut bytes);
        length.put(&mut bytes);
        0_u64.put(&mut bytes);
        for section in sections {
            (section.kind as u32).put(&mut bytes);
            0_u32.put(&mut bytes);
            section.offset.put(&mut bytes);
            section.length.put(&mut bytes);
            section.checksum.put(&mut bytes);
        }
        let checksum = checksum(&bytes);
        bytes[CHECKSUM..TABLE].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads a header from the first [`LONGEST`] bytes of a file, or all if it is shorter. Returns
    /// the sections, and the length that the file must have.
    pub(super) fn decode(head: &[u8]) -> Result<(Self, Vec<Section>, u64), Fault> {
        check_magic(head)?;
        let short = || {
            let length = head.len();
            Fault::at_byte(
                length as u64,
                format!(
                    "the file ends in its header, after {}",
                    counted(length as u64, "byte", "bytes")
                ),
            )
        };
        let version = u32::get(head.get(12..16).ok_or_else(short)?);
        if version > VERSION {
            let sentence = format!(
                "this is version {version} of the format, made by a newer Kostra; this one reads {VERSION}"
            );
            return Err(Fault::at_byte(12, sentence));
        }
        let fixed = head.get(..TABLE).ok_or_else(short)?;
        let count = u32::get(&fixed[40..]);
        // A damaged count must not send the checksum over the whole file.
        let end = TABLE + ENTRY * MOST_SECTIONS.min(count as usize);
        let bytes = head.get(..end).ok_or_else(short)?;
        if checksum(bytes) != u64::get(&bytes[CHECKSUM..]) {
            return Err(Fault::at_byte(0, "the header is damaged: its checksum is wrong"));
        }
        let header = Self::parse(bytes, count)?;
        let (mut sections, length) = header.layout();
        for (section, entry) in sections.iter_mut().zip(bytes[TABLE..].chunks_exact(ENTRY)) {
            section.checksum = u64::get(&entry[24..]);
        }
        // Compares every field with the computed header at once.
        let expected = header.encode(&sections, length);
        let differs = |&at: &usize| expected[at] != bytes[at] && !(CHECKSUM..TABLE).contains(&at);
        if let Some(at) = (0..expected.len().min(bytes.len())).find(differs) {
            return Err(Fault::at_byte(at as u64, "the header contradicts itself from here on"));
        }
        Ok((header, sections, length))
    }

    fn parse(bytes: &[u8], count: u32) -> Result<Self, Fault> {
        let (n, m) = (u64::get(&bytes[16..]), u64::get(&bytes[24..]));
        let refused = |offset: u64, number: u64, most: u64, what: &str| {
            let sentence = format!("{number} {what} are more than the {most} that Kostra can hold");
            Fault::at_byte(offset, sentence)
        };
        let vertices = u32::try_from(n).ok().filter(|&fits| fits as usize <= MAX_VERTICES);
        let vertices = vertices.ok_or_else(|| refused(16, n, MAX_VERTICES as u64, "vertices"))?;
        if m > MAX_EDGES_IN_FILE {
            return Err(refused(24, m, MAX_EDGES_IN_FILE, "edges"));
        }
        let weight_type = u32::get(&bytes[32..]);
        let places = u32::get(&bytes[36..]);
        let unknown =
            |offset, what, code| Fault::at_byte(offset, format!("there is no {what} {code}"));
        let places = *PLACES
            .get(places as usize)
            .ok_or_else(|| unknown(36, "kind of coordinates", places))?;
        // Names are the section beyond those that must be there.
        let others = if places == Places::None { 3 } else { 4 };
        let names = match count.checked_sub(others) {
            Some(0) => None,
            Some(1) => Some(u64::get(&bytes[TABLE + ENTRY * others as usize + 16..])),
            _ => {
                return Err(Fault::at_byte(
                    40,
                    format!(
                        "{count} sections cannot be: there are {others}, or one more for names"
                    ),
                ));
            }
        };
        Ok(Self {
            vertices,
            edges: m,
            weight_type: WeightType::from_code(weight_type)
                .ok_or_else(|| unknown(32, "weight type", weight_type))?,
            places,
            names,
        })
    }
}

impl Section {
    /// The fault of a section whose checksum is wrong.
    pub(super) fn damaged(&self) -> Fault {
        let sentence = format!(
            "the {} are damaged: the checksum of their section is wrong",
            self.kind.title()
        );
        Fault::at_byte(self.offset, sentence)
    }
}

/// Refuses a file with more edges than a graph in memory may have.
pub(super) fn check_edges_in_memory(header: &Header) -> Result<(), Fault> {
    let edges = header.edges;
    if edges <= MAX_EDGES as u64 {
        return Ok(());
    }
    let sentence = format!(
        "{edges} edges are more than the {MAX_EDGES} that a graph in memory can have; the command \
         `kostra solve --memory` reads such a file in blocks"
    );
    Err(Fault::at_byte(24, sentence))
}

fn check_magic(file: &[u8]) -> Result<(), Fault> {
    let common = file.iter().zip(MAGIC).take_while(|(a, b)| **a == *b).count();
    if common == MAGIC.len() {
        return Ok(());
    }
    let sentence = if common == file.len() {
        "the file ends in its first bytes"
    } else if common >= 7 {
        "the file was damaged, probably by a transfer in text mode; transfer it again in binary mode"
    } else {
        "this is not a .kst file"
    };
    Err(Fault::at_byte(common as u64, sentence))
}

/// Checks that the file has the length that its header announces.
pub(super) fn check_length(actual: u64, announced: u64) -> Result<(), Fault> {
    if actual == announced {
        return Ok(());
    }
    let actual_bytes = counted(actual, "byte", "bytes");
    let sentence =
        format!("the file has {actual_bytes}, but its header announces {announced}; copy it again");
    Err(Fault::at_byte(actual.min(announced), sentence))
}

/// Checks that all bytes between sections are zero.
pub(super) fn check_padding(file: &[u8], sections: &[Section]) -> Result<(), Fault> {
    let mut end = TABLE + ENTRY * sections.len();
    for section in sections {
        let start = section.offset as usize;
        let padding = file.get(end..start).unwrap_or_default();
        if let Some(at) = padding.iter().position(|&byte| byte != 0) {
            return Err(Fault::at_byte(
                (end + at) as u64,
                "the bytes between two sections are not zero",
            ));
        }
        end = start + section.length as usize;
    }
    Ok(())
}

/// The checksum of a header without the field of the checksum.
fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(&bytes[..CHECKSUM]);
    hasher.update(&bytes[TABLE..]);
    hasher.digest()
}
