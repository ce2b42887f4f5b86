//! OpenStreetMap extracts, `.osm.pbf`: the road network as a graph, with lengths in metres.
//!
//! A road is a way with a `highway` tag, unless the tag's value says that it is not there (`proposed`,
//! `construction`, `abandoned` and their like) or is a place (`platform`, `rest_area`, `services` and their like), or
//! the way is an area (`area=yes`). Each two nodes that follow each other on a road are an edge, as long as the great
//! circle between them. Vertices are the nodes of roads, numbered in the order of first appearance, ways in the order
//! of the file; their places are kept. Direction, access and layers are left out. A road may leave the extract: an
//! edge to a node that is not in the file is left out, and how many were is said.
//!
//! The file is decoded here rather than by a library because it may be hostile: every sum is checked, nothing is
//! allocated that the file has not paid for with bytes, and no block grows beyond the format's 32 MiB.
//!
//! Blocks are decoded side by side, in two passes: ways first, for they say which nodes matter, then the nodes. What
//! cannot be read twice is kept in memory, compressed as it is. Besides the graph it takes 8 bytes for each node of
//! each road and 24 for each vertex.

mod blobs;
mod block;
mod protobuf;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::thread;

use kostra_core::{AnyGraph, Coordinates, GraphError, MAX_EDGES, MAX_VERTICES, Vertex};

use crate::compression::Stream;
use crate::fault::Fault;
use crate::read::{Parsed, threads};
use crate::source::from_io;
use crate::weights::distance;
use crate::{ReadErrorKind, ReadOptions};
use blobs::{Blob, Blobs, Kind};
use block::{NodeId, Roads};
use protobuf::Broken;

/// How many blocks a thread gets at a time.
const BATCH: usize = 4;
/// Not the number of any vertex.
const NONE: Vertex = Vertex::MAX;

/// Reads the roads of an extract. The lengths are the weights.
pub(crate) fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let threads = threads(options);
    let file = stream.file.take();
    let (roads, node_blobs) = read_roads(stream, file, threads)?;
    let mut ids = roads.nodes.clone();
    ids.sort_unstable();
    ids.dedup();
    if ids.len() > MAX_VERTICES {
        return Err(ReadErrorKind::from(GraphError::TooManyVertices { vertices: ids.len() as u64 }).into());
    }
    let places = read_places(node_blobs, &ids, threads)?;
    build(&roads, &ids, &places)
}

/// The blocks that have nodes: where they lie, or they themselves if the file cannot be read again.
enum NodeBlobs {
    File(File, Vec<(u64, u64)>),
    Kept(Vec<Blob>),
}

fn read_roads(stream: Stream<'_>, file: Option<File>, threads: usize) -> Result<(Roads, NodeBlobs), Fault> {
    let mut blobs = Blobs::new(stream);
    match blobs.next()? {
        Some(blob) if blob.kind == Kind::Header => {
            let content = blob.content()?;
            let unknown = block::unknown_feature(&content).map_err(|Broken| damaged(&blob))?;
            if let Some(feature) = unknown {
                let feature = crate::number::show(feature);
                return Err(blob.fault(format!(
                    "the file requires '{feature}' of its reader, which Kostra does not have"
                )));
            }
        }
        Some(blob) => {
            return Err(blob.fault("the first block is no OSMHeader: this is no OpenStreetMap file"));
        }
        None => return Err(ReadErrorKind::Empty.into()),
    }
    let mut all = Roads::default();
    let mut node_blobs = match file {
        Some(file) => NodeBlobs::File(file, Vec::new()),
        None => NodeBlobs::Kept(Vec::new()),
    };
    let decode = |blob: &Blob| block::roads(&blob.content()?).map_err(|Broken| damaged(blob));
    let next = || loop {
        match blobs.next()? {
            Some(blob) if blob.kind != Kind::Data => {}
            blob => return Ok(blob),
        }
    };
    for_each_blob(next, threads, decode, |blob, mut roads| {
        let first = all.nodes.len();
        all.ends.extend(roads.ends.iter().map(|end| first + end));
        all.nodes.append(&mut roads.nodes);
        if roads.has_nodes {
            match &mut node_blobs {
                NodeBlobs::File(_, places) => places.push((blob.offset, blob.bytes.len() as u64)),
                NodeBlobs::Kept(blobs) => blobs.push(blob),
            }
        }
    })?;
    Ok((all, node_blobs))
}

/// The places of some nodes, which are ascending; NaN where the file has no such node.
fn read_places(node_blobs: NodeBlobs, ids: &[NodeId], threads: usize) -> Result<Vec<[f64; 2]>, Fault> {
    let decode = |blob: &Blob| {
        let mut found = Vec::new();
        let give = |id, place| {
            if let Ok(index) = ids.binary_search(&id) {
                found.push((index, place));
            }
        };
        block::nodes(&blob.content()?, give).map_err(|Broken| damaged(blob))?;
        Ok(found)
    };
    let mut places = vec![[f64::NAN; 2]; ids.len()];
    let join = |_, found: Vec<(usize, [f64; 2])>| {
        for (index, place) in found {
            places[index] = place;
        }
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

fn build(roads: &Roads, ids: &[NodeId], places: &[[f64; 2]]) -> Result<Parsed, Fault> {
    let mut numbers = vec![NONE; ids.len()];
    let mut points = Vec::new();
    let (mut u, mut v) = (Vec::new(), Vec::new());
    let mut left_out = 0_u64;
    let mut start = 0;
    for &end in &roads.ends {
        let mut previous = None;
        for (at, node) in roads.nodes[start..end].iter().enumerate() {
            let index = ids.binary_search(node).unwrap_or_default(); // `ids` are just these
            let vertex = (!places[index][0].is_nan()).then(|| {
                if numbers[index] == NONE {
                    numbers[index] = points.len() as Vertex;
                    points.push(places[index]);
                }
                numbers[index]
            });
            match (previous, vertex) {
                (Some(previous), Some(vertex)) => {
                    u.push(previous);
                    v.push(vertex);
                }
                _ if at > 0 => left_out += 1,
                _ => {}
            }
            previous = vertex;
        }
        start = end;
    }
    if u.len() > MAX_EDGES {
        return Err(ReadErrorKind::from(GraphError::TooManyEdges { edges: u.len() as u64 }).into());
    }
    let n = points.len();
    let coordinates = Coordinates::Geographic(points);
    let weights: Vec<f64> = u.iter().zip(&v).map(|(&u, &v)| distance(&coordinates, u, v)).collect();
    let mut notes = Vec::new();
    if roads.ends.is_empty() {
        notes.push("the extract has no roads".into());
    }
    match left_out {
        0 => {}
        1 => notes.push("1 edge is left out, for the extract lacks one of its ends".into()),
        _ => notes.push(format!("{left_out} edges are left out, for the extract lacks one of their ends")),
    }
    let graph = AnyGraph::from_edges(n, u, v, weights).map_err(ReadErrorKind::from)?;
    Ok(Parsed { graph, coordinates: Some(coordinates), names: None, notes, warnings: Vec::new() })
}

/// Decodes blobs on some threads and joins what comes out in the order of the blobs.
fn for_each_blob<T: Send>(
    mut next: impl FnMut() -> Result<Option<Blob>, Fault>,
    threads: usize,
    decode: impl Fn(&Blob) -> Result<T, Fault> + Sync,
    mut join: impl FnMut(Blob, T),
) -> Result<(), Fault> {
    loop {
        let mut batch = Vec::new();
        // A fault in reading comes after those of the blobs before it.
        let mut fault = None;
        while batch.len() < threads * BATCH && fault.is_none() {
            match next() {
                Ok(Some(blob)) => batch.push((blob, None)),
                Ok(None) => break,
                Err(found) => fault = Some(found),
            }
        }
        if batch.is_empty() {
            return fault.map_or(Ok(()), Err);
        }
        let share = batch.len().div_ceil(threads);
        let work = |blobs: &mut [(Blob, Option<Result<T, Fault>>)]| {
            for (blob, result) in blobs {
                *result = Some(decode(blob));
            }
        };
        thread::scope(|scope| {
            let mut shares = batch.chunks_mut(share);
            let own = shares.next();
            for blobs in shares {
                scope.spawn(|| work(blobs));
            }
            own.map(work);
        });
        for (blob, result) in batch {
            if let Some(result) = result {
                join(blob, result?);
            }
        }
        if let Some(fault) = fault {
            return Err(fault);
        }
    }
}

fn damaged(blob: &Blob) -> Fault {
    blob.fault("this block is damaged")
}

#[cfg(test)]
mod tests;
