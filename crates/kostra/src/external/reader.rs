//! The thread that reads the input, and the queue of blocks.

use std::fmt::{self, Display};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};

use kostra_core::{AnyGraph, BitSet, Order, OutOfMemory};
#[cfg(feature = "gen")]
use kostra_gen::Recipe;
use kostra_io::{
    AskMemory, Compression, EdgeBlock, EdgesSeen, FileVersion, Format, Ids, Input, ReadOptions,
    StreamFacts, TakeBlocks, stream_edges,
};

use super::ExternalError;
use super::sink::part_of;

/// Where the edges come from.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// A file in a [streamed](Format::is_streamed) format.
    File(&'a Input, &'a ReadOptions),
    /// A generated graph, as `rmat:scale=20`. The generator must not need the whole graph in
    /// memory, and takes up to 256 MiB beyond the limit.
    #[cfg(feature = "gen")]
    Generated(&'a str),
}

impl Display for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(input, _) => input.fmt(f),
            #[cfg(feature = "gen")]
            Self::Generated(spec) => write!(f, "gen:{spec}"),
        }
    }
}

/// How the input was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    pub(super) order: Order,
    pub(super) threads: usize,
    pub(super) block_edges: usize,
    /// The version of the file before the first pass.
    pub(super) version: Option<FileVersion>,
}

/// The version of the file of a source, if it is one.
pub(super) fn version(source: Source<'_>) -> Option<FileVersion> {
    match source {
        Source::File(Input::Path(path), _) => FileVersion::at(path).ok(),
        _ => None,
    }
}

/// Receives the number of bytes that were read, or of steps of a generator, and of all of them if
/// it is known.
pub(super) type Progress<'a> = &'a (dyn Fn(u64, Option<u64>) + Sync);

/// What the reader sends.
pub(super) enum Message {
    /// What the input states before its edges.
    Begin(StreamFacts),
    /// The bytes that reading wants to hold besides blocks, and who receives the least limit that
    /// suffices if the present one does not.
    Hold(u64, SyncSender<Option<u64>>),
    /// The next edges, and the checksum of all edges up to the last of them. The checksum is zero
    /// if there are no checkpoints.
    Block(EdgeBlock, u64),
}

/// The blocks that wait in the queue. One more is being read, and one more is being solved.
pub(super) const QUEUED: usize = 1;

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
        self.sender.send(message).map_err(|_| stopped())
    }
}

/// The receiver has failed, and its error is reported.
fn stopped() -> io::Error {
    io::Error::other("the solve has stopped")
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

    fn memory(&self) -> Option<AskMemory> {
        let sender = self.sender.clone();
        Some(Arc::new(move |bytes| {
            let (answer, answered) = sync_channel(1);
            sender.send(Message::Hold(bytes, answer)).map_err(|_| stopped())?;
            answered.recv().map_err(|_| stopped())
        }))
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
    pub(super) similarity: Option<String>,
    pub(super) notes: Vec<kostra_io::Message>,
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

/// Reads or generates all edges into the queue, in blocks of about this number of edges.
///
/// # Errors
/// When the input is at fault.
pub(super) fn read(
    source: Source<'_>,
    block_edges: usize,
    #[cfg_attr(not(feature = "gen"), expect(unused_variables, reason = "for generators"))]
    threads: usize,
    progress: Progress<'_>,
    mut queue: Queue,
) -> Result<Summary, ExternalError> {
    match source {
        Source::File(input, options) => {
            let progress = |at: kostra_io::Progress| progress(at.bytes, at.of);
            let read = stream_edges(input, options, block_edges, &progress, &mut queue)?;
            Ok(Summary {
                vertices: read.vertices,
                ids: read.ids,
                loops: read.loops,
                edges: read.edges,
                format: Some(read.format),
                compression: read.compression,
                similarity: read.similarity,
                notes: read.notes,
            })
        }
        #[cfg(feature = "gen")]
        Source::Generated(spec) => generate(spec, threads, progress, &mut queue),
    }
}

#[cfg(feature = "gen")]
fn generate(
    spec: &str,
    threads: usize,
    progress: Progress<'_>,
    queue: &mut Queue,
) -> Result<Summary, ExternalError> {
    let fault = |cause| ExternalError::Generate { input: format!("gen:{spec}"), cause };
    let recipe = Recipe::new(spec).map_err(|cause| fault(Some(cause.into())))?;
    if !recipe.is_streamed() {
        return Err(fault(None));
    }
    let stopped = |cause: io::Error| fault(Some(cause.into()));
    let (vertices, weight_type) = recipe.header();
    let weight_type = Some(weight_type);
    let facts = StreamFacts { vertices: Some(vertices), weight_type, ..StreamFacts::default() };
    queue.begin(facts).map_err(stopped)?;
    let progress = |done, total| progress(done, Some(total));
    let options = kostra_gen::Options { threads, progress: &progress };
    let mut edges = 0;
    let mut send = |blocks: &[AnyGraph]| {
        blocks.iter().try_for_each(|block| {
            let first = edges;
            edges += block.edges() as u64;
            queue.take(EdgeBlock { first, edges: block.clone() })
        })
    };
    recipe.stream(&options, &mut send).map_err(|cause| fault(Some(cause)))?;
    Ok(Summary {
        vertices,
        ids: Ids::All,
        loops: BitSet::new(0),
        edges,
        format: None,
        compression: Compression::None,
        similarity: None,
        notes: vec!["generating takes up to 256 MiB of its own".into()],
    })
}
