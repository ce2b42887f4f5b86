//! OpenStreetMap extracts, `.osm.pbf`: the road network as a graph, with lengths in meters.
//!
//! A road is a way with a `highway` tag. Exceptions are tags of roads that do not exist (such as
//! `proposed`, `construction` and `abandoned`) or of places (such as `platform`, `rest_area` and
//! `services`), and areas (`area=yes`). Two successive nodes of a road are an edge, and its weight
//! is the great-circle distance. Vertices are the nodes of roads in order of first appearance, and
//! their coordinates are kept. Direction, access and layers are ignored. An edge to a node outside
//! the extract is left out; a note states the number of such edges.
//!
//! On request, roads are chosen by their value of `highway` and by a box, vertices are named by the
//! ids of their nodes, and the id and the tags of its way are kept with each edge.
//!
//! The decoder is part of Kostra because files may be hostile. Every sum is checked, memory is only
//! allocated in proportion to the bytes of the file, and no block grows beyond the 32 MiB of the
//! format. Neither a block nor the file may have more nodes than [`most_items`] of its compressed
//! bytes.
//!
//! Blocks are decoded in parallel, in two passes: first the ways, which determine the nodes, then
//! the nodes. An input that cannot be read twice is kept in memory in compressed form. Besides the
//! graph this takes 16 bytes per node of each road and 20 per vertex.

mod blobs;
mod block;
mod build;
mod protobuf;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Mutex;

use kostra_core::{GraphError, MAX_VERTICES, memory};
use kostra_parallel::{Schedule, into_item, lock, with_team};

use crate::compression::Stream;
use crate::fault::Fault;
use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo, Parsed};
use crate::message::{Remedy, message};
use crate::number::show;
use crate::source::from_io;
use crate::weights;
use crate::{BoundingBox, ColumnChoice, KeptColumns, ReadErrorKind, ReadOptions};
use blobs::{Blob, Blobs, Kind};
use block::{Bad, NodeId, Roads, Wanted};
use build::{Places, build};

/// The number of blobs per thread that are read before they are decoded: few enough to bound
/// memory, and enough to occupy every thread when they differ in size.
const BLOBS_PER_THREAD: usize = 4;
/// The most nodes, strings or tags per compressed byte of a block. Real extracts have less than one
/// per byte; zlib can expand a byte a thousandfold.
const ITEMS_A_BYTE: usize = 8;
/// The nodes, strings or tags that are allowed for any number of bytes.
const FREE_ITEMS: usize = 1 << 20;

/// The most items that `bytes` compressed bytes may expand to.
fn most_items(bytes: usize) -> usize {
    bytes.saturating_mul(ITEMS_A_BYTE).saturating_add(FREE_ITEMS)
}

impl Format {
    /// OpenStreetMap extracts: roads with great-circle lengths.
    pub const OSM_PBF: Self = Self::new(&FormatInfo {
        id: "osm.pbf",
        title: "OpenStreetMap",
        extensions: &["osm.pbf"],
        summary: "OpenStreetMap: the roads of an extract, with great-circle lengths",
        recognize,
        read,
        ..FormatInfo::READ_ONLY
    });
}

/// Recognizes the first field of the first header after its length: the type of the block.
fn recognize(head: &Head<'_>) -> Evidence {
    Evidence::Signature.when(head.bytes().get(4..15) == Some(b"\x0a\x09OSMHeader"))
}

/// Reads the roads of an extract. The lengths are the weights.
fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    weights::refuse_others(true, options)?;
    let threads = options.thread_count();
    let file = stream.file.take();
    let wanted = wanted(options)?;
    let (roads, node_blobs) = read_roads(stream, file, threads, &wanted)?;
    let mut ids = memory::copied(&roads.nodes)?;
    ids.sort_unstable();
    ids.dedup();
    if ids.len() > MAX_VERTICES {
        return Err(ReadErrorKind::from(GraphError::TooManyVertices {
            vertices: ids.len() as u64,
        })
        .into());
    }
    let places = read_places(node_blobs, (&ids, options.roads.bbox), threads)?;
    build(&roads, &Places { ids: &ids, places: &places }, options)
}

/// The roads that the options choose, and what is kept of each: the id of its way, and tags.
fn wanted(options: &ReadOptions) -> Result<Wanted<'_>, ReadErrorKind> {
    let columns = &options.columns;
    let mut keep = Vec::new();
    for choice in columns.id.iter().chain(&columns.keep) {
        if choice.is_all() {
            let sentence =
                "roads have many tags; name those to keep, such as name, maxspeed or way";
            return Err(ReadErrorKind::Columns { sentence: sentence.into(), columns: Vec::new() });
        }
        match choice {
            ColumnChoice::Name(name) | ColumnChoice::NameOrPosition(name) => {
                if !keep.contains(&&**name) {
                    keep.push(&**name);
                }
            }
            ColumnChoice::Position(_) => {
                let sentence = "the roads have tags and no columns; pass the names of tags, or way";
                let columns = Vec::new();
                return Err(ReadErrorKind::Columns { sentence: sentence.into(), columns });
            }
        }
    }
    if let Some(ColumnChoice::Name(id) | ColumnChoice::NameOrPosition(id)) = &columns.id
        && id != block::WAY
    {
        let sentence =
            message!["the id of a road is that of its way; pass ", Remedy::text("id", block::WAY),];
        return Err(ReadErrorKind::question(sentence));
    }
    Ok(Wanted { highway: &options.roads.highway, keep })
}

/// The blocks that contain nodes: their positions in the file, or their content if the input cannot
/// be read again.
enum NodeBlobs {
    File(File, Vec<(u64, u64)>),
    Kept(Vec<Blob>),
}

/// Checks that the first blob is a header, and that this reader supports what it requires.
fn check_header(first: Option<Blob>) -> Result<(), Fault> {
    let Some(blob) = first else { return Err(ReadErrorKind::Empty.into()) };
    if blob.kind != Kind::Header {
        let sentence = "the first block is no OSMHeader: this is no OpenStreetMap file";
        return Err(blob.fault(sentence));
    }
    let content = blob.content()?;
    let unknown = block::unknown_feature(&content).map_err(|broken| bad(&blob, broken.into()))?;
    unknown.map_or(Ok(()), |feature| {
        let feature = show(feature);
        Err(blob.fault(format!(
            "the file requires '{feature}' of its reader, which Kostra does not have"
        )))
    })
}

fn read_roads(
    stream: Stream<'_>,
    file: Option<File>,
    threads: usize,
    wanted: &Wanted<'_>,
) -> Result<(Roads, NodeBlobs), Fault> {
    let mut blobs = Blobs::new(stream);
    check_header(blobs.next()?)?;
    let names = wanted.keep.iter().map(|&name| name.to_owned()).collect();
    let mut all = Roads { kept: KeptColumns::new(names), ..Roads::default() };
    let mut node_blobs = match file {
        Some(file) => NodeBlobs::File(file, Vec::new()),
        None => NodeBlobs::Kept(Vec::new()),
    };
    let decode = |blob: &Blob| {
        block::roads(&blob.content()?, most_items(blob.bytes.len()), wanted)
            .map_err(|cause| bad(blob, cause))
    };
    let mut bytes = 0;
    let next = || loop {
        match blobs.next()? {
            Some(blob) if blob.kind != Kind::Data => {}
            blob => return Ok(blob),
        }
    };
    for_each_blob(next, threads, decode, |blob, mut roads| {
        bytes += blob.bytes.len();
        let first = all.nodes.len();
        if first + roads.nodes.len() > most_items(bytes) {
            return Err(bad(&blob, Bad::TooMuch));
        }
        memory::reserve(&mut all.nodes, roads.nodes.len())?;
        memory::reserve(&mut all.ends, roads.ends.len())?;
        all.ends.extend(roads.ends.iter().map(|end| first + end));
        all.nodes.append(&mut roads.nodes);
        all.kept.append(&mut roads.kept)?;
        all.values.append(&mut roads.values);
        if roads.has_nodes {
            match &mut node_blobs {
                NodeBlobs::File(_, places) => places.push((blob.offset, blob.bytes.len() as u64)),
                NodeBlobs::Kept(blobs) => blobs.push(blob),
            }
        }
        Ok(())
    })?;
    Ok((all, node_blobs))
}

/// The coordinates of some nodes, given in ascending order; NaN for nodes that are not in the file
/// or not in the box.
fn read_places(
    node_blobs: NodeBlobs,
    (ids, bbox): (&[NodeId], Option<BoundingBox>),
    threads: usize,
) -> Result<Vec<[f64; 2]>, Fault> {
    let decode = |blob: &Blob| {
        let mut found = Vec::new();
        let give = |id, place| {
            if bbox.is_some_and(|bbox| !bbox.contains(place)) {
                return;
            }
            if let Ok(index) = ids.binary_search(&id) {
                found.push((index, place));
            }
        };
        block::nodes(&blob.content()?, most_items(blob.bytes.len()), give)
            .map_err(|cause| bad(blob, cause))?;
        Ok(found)
    };
    let mut places = memory::filled(ids.len(), [f64::NAN; 2])?;
    let join = |_, found: Vec<(usize, [f64; 2])>| {
        for (index, place) in found {
            places[index] = place;
        }
        Ok(())
    };
    match node_blobs {
        NodeBlobs::Kept(blobs) => {
            let mut blobs = blobs.into_iter();
            for_each_blob(|| Ok(blobs.next()), threads, decode, join)?;
        }
        NodeBlobs::File(mut file, spans) => {
            let mut spans = spans.into_iter();
            let next = || {
                let Some((offset, length)) = spans.next() else { return Ok(None) };
                file.seek(SeekFrom::Start(offset)).map_err(ReadErrorKind::Io)?;
                let mut bytes = Vec::new();
                (&file).take(length).read_to_end(&mut bytes).map_err(from_io)?;
                Ok(Some(Blob { kind: Kind::Data, offset, bytes }))
            };
            for_each_blob(next, threads, decode, join)?;
        }
    }
    Ok(places)
}

/// Decodes blobs on up to `threads` threads, and joins the results in the order of the blobs.
fn for_each_blob<T: Send>(
    mut next: impl FnMut() -> Result<Option<Blob>, Fault>,
    threads: usize,
    decode: impl Fn(&Blob) -> Result<T, Fault> + Sync,
    mut join: impl FnMut(Blob, T) -> Result<(), Fault>,
) -> Result<(), Fault> {
    with_team(threads, |team| {
        loop {
            let (batch, fault) = next_batch(&mut next, team.threads() * BLOBS_PER_THREAD);
            if batch.is_empty() {
                return fault.map_or(Ok(()), Err);
            }
            let results: Vec<_> = batch.iter().map(|_| Mutex::new(None)).collect();
            team.for_each(batch.len(), Schedule::Dynamic(1), |at| {
                let result = decode(&batch[at]);
                *lock(&results[at]) = Some(result);
            });
            for (blob, result) in batch.into_iter().zip(results) {
                if let Some(result) = into_item(result) {
                    join(blob, result?)?;
                }
            }
            if let Some(fault) = fault {
                return Err(fault);
            }
        }
    })
}

/// The next `most` blobs, or fewer at the end or before a fault in reading, which comes after the
/// faults of these blobs.
fn next_batch(
    next: &mut impl FnMut() -> Result<Option<Blob>, Fault>,
    most: usize,
) -> (Vec<Blob>, Option<Fault>) {
    let mut batch = Vec::new();
    while batch.len() < most {
        match next() {
            Ok(Some(blob)) => batch.push(blob),
            Ok(None) => break,
            Err(fault) => return (batch, Some(fault)),
        }
    }
    (batch, None)
}

fn bad(blob: &Blob, cause: Bad) -> Fault {
    match cause {
        Bad::Broken => blob.fault("this block is damaged"),
        Bad::TooMuch => blob.fault(format!(
            "this block of {} bytes expands to more nodes or tags than any real extract has; if it is one, rewrite it \
             without compression: osmium cat -f pbf,pbf_compression=none -o OUT.osm.pbf IN.osm.pbf",
            blob.bytes.len()
        )),
    }
}

#[cfg(test)]
mod tests;
