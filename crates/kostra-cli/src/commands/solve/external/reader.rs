//! The thread that reads the input, and the queue of blocks.

use std::io;
use std::sync::mpsc::SyncSender;

use anyhow::Context;
use kostra::generate::{Options, Recipe};
use kostra::io::{
    Compression, EdgeBlock, EdgesSeen, Format, Ids, Input, StreamFacts, TakeBlocks, stream_edges,
};
use kostra_core::{AnyGraph, BitSet, OutOfMemory};

use super::super::plan::Plan;
use super::sink::part_of;
use crate::input::{Source, doubt_about_order};
use crate::progress::Stage;

/// What the reader sends.
pub(super) enum Message {
    /// What the input states before its edges.
    Begin(StreamFacts),
    /// The next edges, and the checksum of all edges up to the last of them. The checksum is zero
    /// if there are no checkpoints.
    Block(EdgeBlock, u64),
}

/// The sending end of the queue.
pub(super) struct Queue {
    sender: SyncSender<Message>,
    /// The edges so far, if there are checkpoints.
    seen: Option<EdgesSeen>,
    /// The number of edges that a checkpoint covers. No block contains edges before and after it.
    covered: u64,
}

impl Queue {
    pub(super) fn new(sender: SyncSender<Message>, seen: Option<EdgesSeen>, covered: u64) -> Self {
        Self { sender, seen, covered }
    }

    fn send(&mut self, message: Message) -> io::Result<()> {
        // The receiver has failed, and its error is reported.
        self.sender.send(message).map_err(|_| io::Error::other("the solve has stopped"))
    }
}

impl TakeBlocks for Queue {
    fn begin(&mut self, facts: StreamFacts) -> io::Result<()> {
        self.send(Message::Begin(facts))
    }

    fn take(&mut self, block: EdgeBlock) -> io::Result<()> {
        let EdgeBlock { first, edges } = &block;
        let (first, count) = (*first, edges.edges());
        if (first + 1..first + count as u64).contains(&self.covered) {
            let before = (self.covered - first) as usize;
            let (start, end) = (part_of(edges, 0..before), part_of(edges, before..count));
            self.take(EdgeBlock { first, edges: start })?;
            return self.take(EdgeBlock { first: self.covered, edges: end });
        }
        let checksum = self.seen.as_mut().map(|seen| {
            seen.add(edges);
            seen.checksum()
        });
        self.send(Message::Block(block, checksum.unwrap_or_default()))
    }
}

/// What is known after the last edge.
pub(super) struct Summary {
    /// The number of ids, from 0.
    pub(super) vertices: u32,
    pub(super) ids: Ids,
    /// The vertices with edges to themselves, unless the input states its vertices first.
    pub(super) loops: BitSet,
    pub(super) edges: u64,
    /// None for a generated graph.
    pub(super) format: Option<Format>,
    pub(super) compression: Compression,
    pub(super) notes: Vec<String>,
}

impl Summary {
    /// The number of vertices. `forest` is the forest of all edges.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub(super) fn vertices_of(&self, forest: &AnyGraph) -> Result<u32, OutOfMemory> {
        match self.ids {
            Ids::All => Ok(self.vertices),
            Ids::From1 => Ok(self.vertices - 1),
            Ids::Occurring => {
                let mut occurring = BitSet::try_new(self.vertices as usize)?;
                // A vertex that ends no edge of the forest only has edges to itself.
                let ends = forest.u().iter().chain(forest.v()).copied();
                for vertex in ends.chain(self.loops.clone().into_ids()) {
                    occurring.insert(vertex);
                }
                Ok(occurring.len() as u32)
            }
        }
    }
}

/// Reads or generates all edges into the queue.
///
/// # Errors
/// When the input is at fault.
pub(super) fn read(
    plan: &Plan,
    block_edges: usize,
    mut queue: Queue,
    stage: &Stage,
) -> anyhow::Result<Summary> {
    match &plan.input.source {
        Source::File(input) => read_file(plan, input, (block_edges, &mut queue), stage),
        Source::Generator(spec) => generate(plan, spec, &mut queue, stage),
    }
}

fn read_file(
    plan: &Plan,
    input: &Input,
    (block_edges, queue): (usize, &mut Queue),
    stage: &Stage,
) -> anyhow::Result<Summary> {
    let progress = |progress: kostra::io::Progress| stage.bytes(progress.bytes, progress.of);
    let mut summary = stream_edges(input, &plan.input.options, block_edges, &progress, queue)?;
    summary.notes.extend(doubt_about_order(summary.similarity.as_deref(), plan.order));
    Ok(Summary {
        vertices: summary.vertices,
        ids: summary.ids,
        loops: summary.loops,
        edges: summary.edges,
        format: Some(summary.format),
        compression: summary.compression,
        notes: summary.notes,
    })
}

fn generate(plan: &Plan, spec: &str, queue: &mut Queue, stage: &Stage) -> anyhow::Result<Summary> {
    plan.input.refuse_options_of_files()?;
    let context = || plan.input.source.to_string();
    let recipe = Recipe::new(spec).with_context(context)?;
    if !recipe.is_streamed() {
        anyhow::bail!(
            "{}: this generator holds its whole graph in memory; write the graph to a file first",
            context()
        );
    }
    let (vertices, weight_type) = recipe.header();
    let weight_type = Some(weight_type);
    queue.begin(StreamFacts { vertices: Some(vertices), weight_type, ..StreamFacts::default() })?;
    let progress = |done, total| stage.steps(done, total);
    let options = Options { threads: plan.input.options.threads, progress: &progress };
    let mut edges = 0;
    let mut send = |blocks: &[AnyGraph]| {
        blocks.iter().try_for_each(|block| {
            let first = edges;
            edges += block.edges() as u64;
            queue.take(EdgeBlock { first, edges: block.clone() })
        })
    };
    recipe.stream(&options, &mut send).with_context(context)?;
    Ok(Summary {
        vertices,
        ids: Ids::All,
        loops: BitSet::new(0),
        edges,
        format: None,
        compression: Compression::None,
        notes: vec!["generating takes up to 256 MiB of its own".to_owned()],
    })
}
