//! The inner layer of an OpenStreetMap file: roads and nodes of a block.

use std::collections::BTreeSet;

use super::protobuf::{Broken, Fields, Numbers, Value, signed};
use crate::KeptColumns;

/// Why a block is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bad {
    /// Its bytes are not a valid block.
    Broken,
    /// It has more items than its compressed bytes allow.
    TooMuch,
}

impl From<Broken> for Bad {
    fn from(Broken: Broken) -> Self {
        Self::Broken
    }
}

/// A node's id in OpenStreetMap.
pub(super) type NodeId = i64;

/// Values of `highway` that are not roads to travel: roads that do not exist, and places.
const NO_ROADS: [&[u8]; 19] = [
    b"abandoned",
    b"construction",
    b"demolished",
    b"destroyed",
    b"dismantled",
    b"disused",
    b"historic",
    b"no",
    b"planned",
    b"proposed",
    b"razed",
    b"removed", // not there
    b"bus_stop",
    b"emergency_bay",
    b"platform",
    b"rest_area",
    b"services",
    b"toilets",
    b"trailhead", // places
];

/// The features that a file may require of its reader.
const FEATURES: [&[u8]; 2] = [b"OsmSchema-V0.6", b"DenseNodes"];

/// The first feature that a header requires and this reader does not support.
pub(super) fn unknown_feature(header: &[u8]) -> Result<Option<&[u8]>, Broken> {
    for field in Fields(header) {
        if let (4, feature) = field? {
            let feature = feature.bytes()?;
            if !FEATURES.contains(&feature) {
                return Ok(Some(feature));
            }
        }
    }
    Ok(None)
}

/// The roads of a block: the concatenated nodes of all roads.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Roads {
    pub(super) nodes: Vec<NodeId>,
    /// The end of the nodes of each road.
    pub(super) ends: Vec<usize>,
    /// Whether the block contains nodes.
    pub(super) has_nodes: bool,
    /// What is kept of each road.
    pub(super) kept: KeptColumns,
    /// The places of the wanted values of `highway` that roads have.
    pub(super) values: BTreeSet<usize>,
}

/// The name under which the id of a way is kept.
pub(super) const WAY: &str = "way";

/// Which roads are read, and what is kept of them.
#[derive(Debug, Default)]
pub(super) struct Wanted<'a> {
    /// The values of `highway`; all roads if there are none.
    pub(super) highway: &'a [String],
    /// Keys of tags, or [`WAY`].
    pub(super) keep: Vec<&'a str>,
}

impl Wanted<'_> {
    /// Whether ways with this value of `highway` are read: its place among the wanted values, or 0
    /// if all roads are wanted.
    fn place(&self, highway: &[u8]) -> Option<usize> {
        if self.highway.is_empty() {
            return (!NO_ROADS.contains(&highway)).then_some(0);
        }
        self.highway.iter().position(|wanted| wanted.as_bytes() == highway)
    }
}

/// The roads of a block with up to `most` strings and nodes.
pub(super) fn roads(block: &[u8], most: usize, wanted: &Wanted<'_>) -> Result<Roads, Bad> {
    let mut strings = Vec::new();
    for field in Fields(block) {
        if let (1, table) = field? {
            for string in Fields(table.bytes()?) {
                if let (1, string) = string? {
                    push(&mut strings, string.bytes()?, most)?;
                }
            }
        }
    }
    let mut roads = Roads::default();
    let table = Table { strings, most, wanted };
    for field in groups(block) {
        match field? {
            (1 | 2, _) => roads.has_nodes = true,
            (3, way) => table.add_road(way.bytes()?, &mut roads)?,
            _ => {}
        }
    }
    Ok(roads)
}

/// The fields of all groups of a block.
fn groups(block: &[u8]) -> impl Iterator<Item = Result<(u64, Value<'_>), Broken>> {
    Fields(block)
        .filter_map(|field| match field {
            Ok((2, group)) => Some(group.bytes().map(Fields)),
            Ok(_) => None,
            Err(broken) => Some(Err(broken)),
        })
        .flat_map(|group| {
            let (fields, broken) = group.map_or((Fields(&[]), true), |fields| (fields, false));
            fields.chain(broken.then_some(Err(Broken)))
        })
}

/// The strings of a block, and what is wanted of it.
struct Table<'a> {
    strings: Vec<&'a [u8]>,
    most: usize,
    wanted: &'a Wanted<'a>,
}

impl Table<'_> {
    fn string(&self, index: u64) -> Result<&[u8], Broken> {
        let string = usize::try_from(index).ok().and_then(|index| self.strings.get(index));
        string.copied().ok_or(Broken)
    }

    /// Adds a way if it is a wanted road.
    fn add_road(&self, way: &[u8], roads: &mut Roads) -> Result<(), Bad> {
        let most = self.most;
        let (mut id, mut keys, mut values) = (0, Vec::new(), Vec::new());
        for field in Fields(way) {
            match field? {
                (1, number) => id = number.number()? as i64,
                (2, number) => append(&mut keys, number.numbers(), most)?,
                (3, number) => append(&mut values, number.numbers(), most)?,
                _ => {}
            }
        }
        if keys.len() != values.len() {
            return Err(Bad::Broken);
        }
        let mut road = None;
        for (&key, &value) in keys.iter().zip(&values) {
            match (self.string(key)?, self.string(value)?) {
                (b"highway", value) => road = self.wanted.place(value),
                (b"area", b"yes") => return Ok(()),
                _ => {}
            }
        }
        let Some(value) = road else { return Ok(()) };
        roads.values.insert(value);
        let mut node: NodeId = 0;
        for field in Fields(way) {
            if let (8, references) = field? {
                for delta in references.numbers() {
                    node = node.checked_add(signed(delta?)).ok_or(Broken)?;
                    push(&mut roads.nodes, node, most)?;
                }
            }
        }
        push(&mut roads.ends, roads.nodes.len(), most)?;
        self.keep(id, &keys, &values, roads)
    }

    /// Keeps the id and the tags of a road.
    fn keep(&self, id: i64, keys: &[u64], values: &[u64], roads: &mut Roads) -> Result<(), Bad> {
        for &wanted in &self.wanted.keep {
            if wanted == WAY {
                roads.kept.push(&id.to_string());
                continue;
            }
            let mut value = &b""[..];
            for (&key, &text) in keys.iter().zip(values) {
                if self.string(key)? == wanted.as_bytes() {
                    value = self.string(text)?;
                }
            }
            /// A value has at most 255 characters of four bytes.
            const LONGEST: usize = 1020;
            let value = str::from_utf8(value).ok().filter(|value| value.len() <= LONGEST);
            roads.kept.push(value.ok_or(Broken)?);
        }
        Ok(())
    }
}

fn append(to: &mut Vec<u64>, numbers: Numbers<'_>, most: usize) -> Result<(), Bad> {
    for number in numbers {
        push(to, number?, most)?;
    }
    Ok(())
}

fn push<T>(to: &mut Vec<T>, value: T, most: usize) -> Result<(), Bad> {
    if to.len() == most {
        return Err(Bad::TooMuch);
    }
    to.push(value);
    Ok(())
}

/// Calls `give` with the coordinates `[longitude, latitude]` in degrees of each node of a block. A
/// dense group may have up to `most` nodes.
pub(super) fn nodes(
    block: &[u8],
    most: usize,
    mut give: impl FnMut(NodeId, [f64; 2]),
) -> Result<(), Bad> {
    let mut scale = Scale { granularity: 100, latitude: 0, longitude: 0 };
    for field in Fields(block) {
        match field? {
            (17, number) => scale.granularity = number.number()? as i64,
            (19, number) => scale.latitude = number.number()? as i64,
            (20, number) => scale.longitude = number.number()? as i64,
            _ => {}
        }
    }
    for field in groups(block) {
        match field? {
            (1, node) => {
                let (mut id, mut latitude, mut longitude) = (None, None, None);
                for field in Fields(node.bytes()?) {
                    match field? {
                        (1, number) => id = Some(number.signed()?),
                        (8, number) => latitude = Some(number.signed()?),
                        (9, number) => longitude = Some(number.signed()?),
                        _ => {}
                    }
                }
                let (Some(id), Some(latitude), Some(longitude)) = (id, latitude, longitude) else {
                    return Err(Bad::Broken);
                };
                give(id, scale.place(latitude, longitude)?);
            }
            (2, dense) => dense_nodes(dense.bytes()?, &scale, most, &mut give)?,
            _ => {}
        }
    }
    Ok(())
}

/// A dense group of nodes: differences of ids, latitudes and longitudes.
fn dense_nodes(
    bytes: &[u8],
    scale: &Scale,
    most: usize,
    give: &mut impl FnMut(NodeId, [f64; 2]),
) -> Result<(), Bad> {
    let (mut ids, mut latitudes, mut longitudes) = (Vec::new(), Vec::new(), Vec::new());
    for field in Fields(bytes) {
        match field? {
            (1, numbers) => append(&mut ids, numbers.numbers(), most)?,
            (8, numbers) => append(&mut latitudes, numbers.numbers(), most)?,
            (9, numbers) => append(&mut longitudes, numbers.numbers(), most)?,
            _ => {}
        }
    }
    if ids.len() != latitudes.len() || ids.len() != longitudes.len() {
        return Err(Bad::Broken);
    }
    let (mut id, mut latitude, mut longitude) = (0_i64, 0_i64, 0_i64);
    let add = |sum: &mut i64, delta| {
        *sum = sum.checked_add(signed(delta)).ok_or(Broken)?;
        Ok::<_, Broken>(*sum)
    };
    for ((id_delta, latitude_delta), longitude_delta) in
        ids.into_iter().zip(latitudes).zip(longitudes)
    {
        let place = (add(&mut latitude, latitude_delta)?, add(&mut longitude, longitude_delta)?);
        give(add(&mut id, id_delta)?, scale.place(place.0, place.1)?);
    }
    Ok(())
}

/// The units of the coordinates of a block, in billionths of a degree.
struct Scale {
    granularity: i64,
    latitude: i64,
    longitude: i64,
}

impl Scale {
    fn place(&self, latitude: i64, longitude: i64) -> Result<[f64; 2], Broken> {
        let degrees = |offset: i64, number: i64, most: i64| {
            const BILLION: i64 = 1_000_000_000;
            let billionths =
                number.checked_mul(self.granularity).and_then(|number| number.checked_add(offset));
            let billionths = billionths
                .filter(|billionths| billionths.unsigned_abs() <= (most * BILLION) as u64);
            billionths.map(|billionths| billionths as f64 / BILLION as f64).ok_or(Broken)
        };
        Ok([degrees(self.longitude, longitude, 180)?, degrees(self.latitude, latitude, 90)?])
    }
}
