//! How each rank gets its slice. A rank generates its slice or reads it from the file. If the input
//! cannot be read in parts, rank 0 reads the whole graph and distributes it.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use kostra_core::{AnyGraph, EdgeList, Weight, WeightType, shown, with_graph};
use kostra_io::{self as io, Compression, Format, PartReader, ReadOptions};
use kostra_mpi::{AnySlice, Communicator, EdgeDistribution, Reduction, Refusal, Slice};

use super::agree::{agree, agree_on};
use super::isolated::count_isolated;
use super::same_file;
use crate::input::{GraphSource, InputRequest};
use crate::progress::Stage;
use crate::{output, remedy};

/// This rank's slice, and information on the input. Only rank 0 knows the notes and the
/// compression.
pub(super) struct Input {
    pub(super) slice: AnySlice,
    pub(super) format: Option<Format>,
    pub(super) compression: Compression,
    pub(super) notes: Vec<String>,
    /// As [`io::Part::similarity`].
    pub(super) similarity: Option<String>,
    /// The time of the slowest rank.
    pub(super) load: Duration,
}

/// Generates or reads the graph. Collective.
///
/// # Errors
/// When the input is at fault, or differs between ranks.
pub(super) fn load(
    request: &InputRequest,
    threads: usize,
    world: &Communicator,
) -> Result<Input, Refusal> {
    let start = Instant::now();
    let options = ReadOptions { threads, ..request.options.clone() };
    let mut input = match &request.source {
        GraphSource::Generator(spec) => generate(spec, request, world)?,
        GraphSource::File(io::Input::Path(path)) => match read(path, &options, world)? {
            Some(input) => input,
            None => scatter(request, world)?,
        },
        GraphSource::File(io::Input::Stdin) => scatter(request, world)?,
    };
    let elapsed = world.reduce_one(Reduction::Max, start.elapsed().as_nanos() as u64);
    input.load = Duration::from_nanos(elapsed);
    Ok(input)
}

fn stage(message: &str, world: &Communicator) -> Option<Stage> {
    (world.rank() == 0).then(|| Stage::start(message))
}

fn generate(spec: &str, request: &InputRequest, world: &Communicator) -> Result<Input, Refusal> {
    agree(world, request.refuse_options_of_files())?;
    let _stage = stage(&format!("generating {}", request.source), world);
    let gather = |number| world.all_gather(&[number]).into_items();
    let part = kostra_gen::generate_part(spec, world.rank(), world.size(), &gather);
    let part = agree(world, part.with_context(|| request.source.to_string()))?;
    let slice = agree_on(world, AnySlice::from_graph(part.first, part.graph))?;
    let (format, compression) = (None, Compression::None);
    let (notes, similarity) = (Vec::new(), None);
    Ok(Input { slice, format, compression, notes, similarity, load: Duration::ZERO })
}

/// Reads this rank's part of a file that all ranks can open; none if the file cannot be read in
/// parts.
fn read(
    path: &Path,
    options: &ReadOptions,
    world: &Communicator,
) -> Result<Option<Input>, Refusal> {
    let _stage = stage(&format!("reading {}", shown(path)), world);
    let reader = PartReader::open(path, options, world.rank(), world.size());
    let reader = agree_on(world, reader)?;
    let kind = match &reader {
        Some(reader) => format!("{} bytes, {}", reader.version().length(), reader.format().title()),
        None => "not to be read in parts".to_owned(),
    };
    world.agree_on(&shown(path), &kind)?;
    let Some(mut reader) = reader else { return Ok(None) };
    let survey = agree_on(world, reader.survey())?;
    same_file::check(path, &reader, world)?;
    let surveys = world.all_gather(&survey);
    let surveys: Vec<_> = surveys.iter().collect();
    let part = agree_on(world, reader.finish(&surveys))?;
    let mut notes = gather_notes(remedy::spelled(&part.notes), world);
    if let Some(lowest) = part.lowest_id {
        let isolated = count_isolated(&part.graph, world);
        let ids = lowest..part.graph.vertices().into();
        let warning = io::isolated_vertices(isolated, ids).filter(|_| world.rank() == 0);
        notes.extend(warning.map(|warning| output::warned(warning.spelled(remedy::spell))));
    }
    let slice = agree_on(world, AnySlice::from_graph(part.first, part.graph))?;
    let (format, compression) = (Some(part.format), Compression::None);
    let (similarity, load) = (part.similarity, Duration::ZERO);
    Ok(Some(Input { slice, format, compression, notes, similarity, load }))
}

/// The notes of all parts on rank 0, each note once.
fn gather_notes(notes: Vec<String>, world: &Communicator) -> Vec<String> {
    let Some(all) = world.gather(0, notes.join("\n").as_bytes()) else { return Vec::new() };
    let mut notes: Vec<String> = Vec::new();
    for note in all.iter().flat_map(|bytes| bytes.split(|&byte| byte == b'\n')) {
        let note = String::from_utf8_lossy(note).into_owned();
        if !note.is_empty() && !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

// Weight types as numbers, for messages.
const I32: u64 = WeightType::I32 as u64;
const U32: u64 = WeightType::U32 as u64;
const I64: u64 = WeightType::I64 as u64;
const U64: u64 = WeightType::U64 as u64;
const F32: u64 = WeightType::F32 as u64;

/// Rank 0 reads the whole graph and sends each rank its edges.
fn scatter(request: &InputRequest, world: &Communicator) -> Result<Input, Refusal> {
    let root = world.rank() == 0;
    let graph = agree(world, if root { request.load().map(Some) } else { Ok(None) })?;
    let size = graph.as_ref().map_or([0; 3], |graph| {
        [
            graph.parsed.graph.vertices().into(),
            graph.parsed.graph.edges() as u64,
            graph.parsed.graph.weight_type() as u64,
        ]
    });
    let [vertices, edges, weight_type] = world.broadcast_one(0, size);
    let distribution = EdgeDistribution::even(edges, world.size());
    let (mut format, mut compression, mut notes) = (None, Compression::None, Vec::new());
    let mut similarity = None;
    let slice = if let Some(graph) = graph {
        for rank in 1..world.size() {
            let range = distribution.range(rank);
            let range = range.start as usize..range.end as usize;
            with_graph!(&graph.parsed.graph, graph => {
                let edges = graph.edge_list();
                world.send(rank, &edges.u()[range.clone()]);
                world.send(rank, &edges.v()[range.clone()]);
                world.send(rank, &edges.weights()[range]);
            });
        }
        (format, compression, notes) = (graph.format, graph.compression, graph.notes);
        similarity = graph.parsed.similarity;
        if world.size() > 1 {
            notes.push(
                "rank 0 read the whole input and distributed it, because the input cannot be read \
                 in parts"
                    .into(),
            );
        }
        AnySlice::from_range(&graph.parsed.graph, distribution.range(0))
    } else {
        let (vertices, first) = (vertices as usize, distribution.range(world.rank()).start);
        match weight_type {
            I32 => receive::<i32>(vertices, first, world),
            U32 => receive::<u32>(vertices, first, world),
            I64 => receive::<i64>(vertices, first, world),
            U64 => receive::<u64>(vertices, first, world),
            F32 => receive::<f32>(vertices, first, world),
            _ => receive::<f64>(vertices, first, world),
        }
    };
    let slice = agree_on(world, slice)?;
    Ok(Input { slice, format, compression, notes, similarity, load: Duration::ZERO })
}

fn receive<W: Weight>(
    vertices: usize,
    first: u64,
    world: &Communicator,
) -> Result<AnySlice, kostra_mpi::SliceError>
where
    AnySlice: From<Slice<W>>,
    AnyGraph: From<EdgeList<W>>,
{
    let (u, v) = (world.receive::<u32>(0), world.receive::<u32>(0));
    let weights = world.receive::<W>(0);
    match EdgeList::new(vertices, u, v, weights) {
        Ok(edges) => Slice::from_graph(first, edges).map(AnySlice::from),
        Err(error) => world.fail(error), // unreachable: rank 0 has checked the edges
    }
}
