//! Steps that need more than one slice: verifying the forest, for which rank 0 gathers the graph,
//! and writing the forest to a file.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use kostra::forest_file::ForestFormat;
use kostra_core::{AnyGraph, EdgeList, MAX_EDGES, MAX_VERTICES, Order, Weight, shown};
use kostra_io::{Output, Replacement, ReplacementPart, WriteError};
use kostra_mpi::{AnySlice, Communicator, DistributedForest, Refusal, Slice, with_slice};

use super::agree::agree_on;
use crate::forest_file::{self, Destination};
use crate::progress::Stage;
use crate::verdict::{self, Verdict};

/// Whether a forest is correct.
#[derive(Default)]
pub(super) struct Judgment {
    /// The verdict, on rank 0 only; none without verification.
    pub(super) verified: Option<Verdict>,
    /// Whether the forest was refuted, on every rank.
    pub(super) is_wrong: bool,
}

/// Gathers the graph and the forest on rank 0, which verifies the forest. Collective; rank 0 needs
/// the memory for the whole graph.
///
/// # Errors
/// When the graph is too large for one rank.
pub(super) fn verify(
    slice: &AnySlice,
    order: Order,
    forest: &DistributedForest,
    edges: u64,
    world: &Communicator,
) -> Result<Judgment, Refusal> {
    let root = world.rank() == 0;
    let _stage = root.then(|| Stage::start("verifying"));
    let vertices = slice.vertices();
    if vertices > MAX_VERTICES as u64 || edges > MAX_EDGES as u64 {
        let reason = format!(
            "rank 0 verifies the whole graph, and cannot hold {vertices} vertices and {edges} \
             edges; omit `--verify`"
        );
        return Err(Refusal { rank: None, reason, here: root });
    }
    let graph = with_slice!(slice, slice => gather(slice, 0..slice.len() as u32, world));
    let ids = forest.gather(world);
    let verdict = agree_on(world, graph.transpose())?.zip(ids).map(|(graph, ids)| {
        let ids: Vec<_> = ids.into_iter().map(|id| id as u32).collect(); // at most MAX_EDGES
        verdict::verify(&graph, order, &ids)
    });
    let verified = agree_on(world, verdict.transpose())?;
    let is_wrong = world.broadcast_one(0, u8::from(matches!(verified, Some(Err(_))))) != 0;
    Ok(Judgment { verified, is_wrong })
}

/// Gathers edges of each rank's slice, given by local positions, as one graph on rank 0.
/// Collective.
fn gather<W: Weight>(
    slice: &Slice<W>,
    edges: impl Iterator<Item = u32> + Clone,
    world: &Communicator,
) -> Option<Result<AnyGraph, kostra_core::GraphError>>
where
    AnyGraph: From<EdgeList<W>>,
{
    let ends = |pick: fn((u64, u64)) -> u64| {
        let ends: Vec<u32> = edges.clone().map(|edge| pick(slice.ends(edge)) as u32).collect();
        world.gather(0, &ends)
    };
    let (u, v) = (ends(|(u, _)| u), ends(|(_, v)| v));
    let weights: Vec<W> =
        edges.clone().map(|edge| slice.edges().weights()[edge as usize]).collect();
    let weights = world.gather(0, &weights);
    let (u, v, weights) = (u?.into_items(), v?.into_items(), weights?.into_items());
    Some(AnyGraph::from_edges(slice.vertices() as usize, u, v, weights))
}

/// Writes the forest. All ranks write ids to a plain file at the same time; rank 0 alone writes
/// anything else. A file appears whole or not at all. Collective.
///
/// # Errors
/// When the output fails, or the format cannot hold the graph.
pub(super) fn write(
    destination: &Destination,
    slice: &AnySlice,
    forest: &DistributedForest,
    world: &Communicator,
) -> Result<(), Refusal> {
    let Destination { output, format } = destination;
    let root = world.rank() == 0;
    let _stage = root.then(|| Stage::start(&format!("writing {output}")));
    if let (Output::Path(path), ForestFormat::Ids) = (output, format)
        && world.broadcast_one(0, u8::from(output.is_plain_file())) != 0
    {
        return write_ids(path, forest, world);
    }
    if *format != ForestFormat::Ids && slice.vertices() > MAX_VERTICES as u64 {
        let reason = format!(
            "{output}: the format cannot hold {} vertices; pass `--output-format ids`",
            slice.vertices()
        );
        return Err(Refusal { rank: None, reason, here: root });
    }
    if *format == ForestFormat::Geojson {
        let reason = format!("{output}: ranks do not keep coordinates; write .csv or .graphml");
        return Err(Refusal { rank: None, reason, here: root });
    }
    let ids = forest.gather(world);
    let first = slice.first();
    let local = forest.ids().iter().map(|id| (id - first) as u32);
    let graph = match format {
        ForestFormat::Ids => None,
        _ => agree_on(world, with_slice!(slice, slice => gather(slice, local, world)).transpose())?,
    };
    let ids = ids.unwrap_or_default();
    let written = match &graph {
        _ if !root => Ok(()),
        Some(graph) => forest_file::write_all(destination, graph.into(), &ids),
        None => forest_file::allow_early_end(output, kostra::forest_file::write_ids(output, &ids)),
    };
    agree_on(world, written)
}

/// Writes all ids, ascending, one per line, to a file that every rank can open. Each rank writes
/// its own lines, all ranks at the same time. Collective.
fn write_ids(path: &Path, forest: &DistributedForest, world: &Communicator) -> Result<(), Refusal> {
    let fault = |cause| WriteError::Io { output: shown(path), cause };
    let created =
        if world.rank() == 0 { Replacement::create_named(path).map(Some) } else { Ok(None) };
    let mut replacement = agree_on(world, created.map_err(fault))?;
    let name = replacement.as_ref().and_then(Replacement::name).map(Path::as_os_str);
    let name = world.broadcast_vec(0, name.map_or(Vec::new(), |name| name.as_bytes().to_vec()));
    let part = if replacement.is_some() {
        Ok(None)
    } else {
        ReplacementPart::open(&name_of(name)).map(Some)
    };
    let mut part = agree_on(world, part.map_err(fault))?;

    let length: u64 =
        forest.ids().iter().map(|id| u64::from(id.checked_ilog10().unwrap_or(0)) + 2).sum();
    let start = world.all_gather(&[length]).items()[..world.rank()].iter().sum();
    let own =
        replacement.as_mut().map(Replacement::file).or(part.as_mut().map(ReplacementPart::file));
    let written = own.map_or(Ok(()), |file| write_lines(file, start, forest.ids()));
    agree_on(world, written.map_err(fault))?;
    agree_on(world, replacement.map_or(Ok(()), Replacement::commit).map_err(fault))
}

fn name_of(bytes: Vec<u8>) -> PathBuf {
    OsString::from_vec(bytes).into()
}

fn write_lines(file: &mut File, start: u64, ids: &[u64]) -> io::Result<()> {
    file.seek(SeekFrom::Start(start))?;
    let mut lines = BufWriter::with_capacity(1 << 20, &mut *file);
    for id in ids {
        writeln!(lines, "{id}")?;
    }
    lines.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}
