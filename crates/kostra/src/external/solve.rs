//! A solve within limited memory.
//!
//! One thread reads, decompresses and parses blocks of edges and puts them into a queue. The
//! caller's thread takes them and passes them to a sink, which keeps the forest so far. From time
//! to time the forest is written to a checkpoint, from which a later solve continues.

use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Instant;

use kostra_core::{
    AnyGraph, Order, SinkStatistics, SolverInfo, Total, default_threads, granted_threads,
};
use kostra_io::{Compression, Format, Ids, Input, Message, NOTE_ON_IDS, ReadOptions};

use super::intake::Intake;
use super::memory::{ExternalTimes, Memory, MemoryLimit};
use super::reader::{self, Progress, QUEUED, Queue, Reading, Source, version};
use super::sink::Settings;
use super::{CheckpointFile, Checkpoints, ExternalError};

/// How to find the forest of a graph whose edges do not fit into memory: the limit of the memory,
/// the order, the number of threads, and checkpoints. See the [module](super) for an example.
pub struct ExternalSolve<'a> {
    memory: MemoryLimit,
    order: Order,
    threads: Option<usize>,
    checkpoints: Option<Checkpoints>,
    progress: Progress<'a>,
}

/// A forest and its graph, as far as it is known without its edges.
#[derive(Debug)]
pub struct ExternalForest {
    /// The ids of the forest's edges, ascending: their positions in the input.
    pub ids: Vec<u64>,
    /// The edges of the forest: edge `i` is edge `ids[i]` of the input. The vertices are all
    /// numbers up to the highest, also if some of them are no vertices of the input.
    pub forest: AnyGraph,
    /// The sum of the weights.
    pub total: Total,
    /// The number of vertices of the input.
    pub vertices: u32,
    /// Which of the numbers from 0 to the highest are vertices of the input.
    pub numbering: Ids,
    /// The number of edges of the input.
    pub edges: u64,
    /// The format of the input; none for a generated graph.
    pub format: Option<Format>,
    /// The compression of the input.
    pub compression: Compression,
    /// The name of the weights, if it says that greater ones are nearer.
    pub similarity: Option<String>,
    /// What the user should know, one sentence each.
    pub notes: Vec<Message>,
    /// Counts of what happened to the edges after those of a checkpoint.
    pub statistics: SinkStatistics,
    /// The number of edges that the checkpoint covered, if the solve continued from one.
    pub resumed_after: Option<u64>,
    /// The time of each step.
    pub times: ExternalTimes,
    /// The solver.
    pub solver: &'static SolverInfo,
    /// The name of the device, if the solver ran on one.
    pub device: Option<String>,
    /// The checkpoint, for the caller to [remove](CheckpointFile::remove) when the forest is safe.
    pub checkpoint: Option<CheckpointFile>,
    pub(super) reading: Reading,
}

impl<'a> ExternalSolve<'a> {
    /// A minimum spanning forest within this memory, on all threads of the machine, without
    /// checkpoints.
    ///
    /// A vertex takes at least 67 bytes of the limit, or 72 if weights have 64 bits. A larger limit
    /// saves time.
    pub fn within(memory: MemoryLimit) -> Self {
        let (order, progress) = (Order::default(), &|_, _| ());
        Self { memory, order, threads: None, checkpoints: None, progress }
    }

    /// Chooses between a minimum and a maximum spanning forest.
    pub fn order(self, order: Order) -> Self {
        Self { order, ..self }
    }

    /// Sets the number of threads of the solver, at least 1. [`ReadOptions::threads`] sets that of
    /// the reader.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads: Some(threads.max(1)), ..self }
    }

    /// Saves the forest so far, and perhaps continues from such a forest.
    pub fn checkpoints(self, checkpoints: Checkpoints) -> Self {
        Self { checkpoints: Some(checkpoints), ..self }
    }

    /// Sets what receives the progress, often and from any thread: the bytes that were read, or the
    /// steps of a generator, and all of them if their number is known.
    pub fn progress(self, progress: &'a (dyn Fn(u64, Option<u64>) + Sync)) -> Self {
        Self { progress, ..self }
    }

    /// Solves the graph of a file, whose format and compression are recognized by content.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_file(self, path: impl AsRef<Path>) -> Result<ExternalForest, ExternalError> {
        let threads = self.threads.unwrap_or_default();
        let options = ReadOptions { threads, ..ReadOptions::default() };
        self.run(Source::File(&Input::Path(path.as_ref().to_path_buf()), &options))
    }

    /// Reads the edges once, in blocks, and finds the canonical forest: the same as in memory.
    ///
    /// # Errors
    /// When the input is at fault, or cannot be read in blocks. When the limit is too small; the
    /// error states the least that suffices. When another solve writes the checkpoint, or it is not
    /// of this input. When the system refuses memory, or the device fails.
    pub fn run(self, source: Source<'_>) -> Result<ExternalForest, ExternalError> {
        let present = granted_threads();
        let (order, threads) = (self.order, self.threads.unwrap_or_else(default_threads));
        let open = |options| CheckpointFile::open(options, source, order);
        let checkpoint = self.checkpoints.map(open).transpose()?;
        let (memory, opening) = Memory::open(self.memory, threads)?;
        let (block_edges, (solver, device)) = (memory.block_edges(), memory.solver());
        let reading =
            Reading { order, threads: threads.min(present), block_edges, version: version(source) };
        let started = Instant::now();
        let mut intake = Intake::start(checkpoint, Settings { order, threads, memory })?;
        let (sender, receiver) = sync_channel(QUEUED);
        let (seen, covered) = intake.covered();
        let summary = thread::scope(|scope| {
            let queue = Queue::new(sender, seen, covered);
            let threads = reading.threads;
            let progress = self.progress;
            let read = move || reader::read(source, block_edges, threads, progress, queue);
            let reader = scope.spawn(read);
            // An error drops the receiver, which stops the reader.
            let taken = intake.take_all(receiver);
            let read = reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            taken.and(read)
        })?;
        let (solving, resumed_after) = (intake.busy, intake.resumed_after);
        let finishing = Instant::now();
        let (found, checkpoint) = intake.finish(&summary)?;
        let vertices = summary.vertices_of(&found.forest)?;
        let solve = solving + finishing.elapsed();
        let load = started.elapsed().saturating_sub(solve);
        let mut notes: Vec<_> =
            checkpoint.iter().flat_map(CheckpointFile::notes).map(Message::from).collect();
        if summary.ids == Ids::Occurring && vertices < summary.vertices {
            notes.push(NOTE_ON_IDS.into());
        }
        notes.extend(summary.notes);
        Ok(ExternalForest {
            ids: found.ids,
            forest: found.forest,
            total: found.total,
            vertices,
            numbering: summary.ids,
            edges: summary.edges,
            format: summary.format,
            compression: summary.compression,
            similarity: summary.similarity,
            notes,
            statistics: found.statistics,
            resumed_after,
            times: ExternalTimes { load, solve, ..opening },
            solver,
            device,
            checkpoint,
            reading,
        })
    }
}
