//! The state of a sink: the forest so far, and a buffer of edges that may change it.

use std::sync::Mutex;

use kostra_core::{Edges, Encoding, Key, MAX_EDGES, OutOfMemory, Workspace};
use kostra_parallel::with_team;

use super::edges::EdgeArrays;
use super::filter::{PART, Part, WAVE};
use super::levels::Levels;
use super::limits::Limits;

/// Counts of what happened to the edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The edges that a comparison with a pivot dropped, and self-loops.
    pub dropped: u64,
    /// The edges that were buffered.
    pub buffered: u64,
    /// How often the buffer was reduced.
    pub reductions: u64,
}

/// The state and the work of a [`ForestSink`](super::ForestSink), on the bits of weights.
#[derive(Debug)]
pub(super) struct Sink<K: Key> {
    pub(super) encoding: Encoding<K>,
    pub(super) threads: usize,
    pub(super) limits: Limits,
    pub(super) vertices: u32,
    /// The forest of all edges up to the last reduction, and then later edges that may be in the
    /// forest; ascending by id. Only the first `used` are edges.
    pub(super) edges: EdgeArrays<K>,
    /// The number of edges of the forest.
    pub(super) forest: usize,
    pub(super) used: usize,
    pub(super) levels: Levels<K>,
    /// The memory of the filter.
    pub(super) parts: Vec<Mutex<Part>>,
    /// The memory of reductions.
    pub(super) workspace: Workspace,
    /// The number of input edges so far.
    pub(super) taken: u64,
    pub(super) statistics: Statistics,
}

impl<K: Key> Sink<K> {
    /// A sink without vertices and without memory.
    pub(super) fn empty(encoding: Encoding<K>, limits: Limits, threads: usize) -> Self {
        Self {
            encoding,
            threads,
            limits,
            vertices: 0,
            edges: EdgeArrays::default(),
            forest: 0,
            used: 0,
            levels: Levels::default(),
            parts: Vec::new(),
            workspace: Workspace::new(),
            taken: 0,
            statistics: Statistics::default(),
        }
    }

    /// Allocates the arrays for the vertices, and keeps the forest.
    pub(super) fn allocate(&mut self) -> Result<(), OutOfMemory> {
        let forest = (self.vertices as usize).saturating_sub(1);
        self.limits.buffer = self.limits.buffer.min(MAX_EDGES - forest);
        let edges = forest + self.limits.buffer;
        self.edges = std::mem::take(&mut self.edges).resized(edges)?;
        self.parts = (0..WAVE / PART).map(|_| Mutex::new(Part::default())).collect();
        self.levels = Levels::new(self.vertices)?;
        if self.forest > 0 { self.find_levels() } else { Ok(()) }
    }

    /// A sink with the forest of this one, with other limits and weights. The order of the weights,
    /// and of those of dropped edges, must stay.
    pub(super) fn convert<L: Key>(
        mut self,
        (encoding, limits): (Encoding<L>, Limits),
        weights: impl FnOnce(Vec<K>) -> Result<Vec<L>, OutOfMemory>,
    ) -> Result<Sink<L>, OutOfMemory> {
        self.finish()?;
        let Self { threads, vertices, edges, forest, used, taken, statistics, .. } = self;
        let EdgeArrays { u, v, weights: bits, ids } = edges;
        let edges = EdgeArrays { u, v, weights: weights(bits)?, ids };
        let empty = Sink::empty(encoding, limits, threads);
        let mut sink = Sink { vertices, edges, forest, used, taken, statistics, ..empty };
        sink.allocate()?;
        Ok(sink)
    }

    /// Adds vertices, so that there are `vertices`.
    pub(super) fn grow(&mut self, vertices: u32, limits: Limits) -> Result<(), OutOfMemory> {
        self.finish()?;
        self.vertices = self.vertices.max(vertices);
        self.limits = limits;
        self.allocate()
    }

    /// Adds the edges that follow the edges so far. Edge `i` of the block has the id `first + i`.
    pub(super) fn add(&mut self, first: u64, edges: Edges<'_, K>) -> Result<(), OutOfMemory> {
        assert!(first >= self.taken, "edges arrive in the order of their ids");
        assert!(edges.vertices() <= self.vertices, "the sink grows before a block is added");
        assert!(edges.encoding() == self.encoding, "all blocks have the weights of the sink");
        let threads = self.threads.min(1 + edges.len() / PART);
        let mut start = 0;
        loop {
            start = with_team(threads, |team| self.filter_block((edges, first), start, team));
            self.taken = first + start as u64;
            if start == edges.len() {
                return Ok(());
            }
            self.reduce()?;
            self.find_levels()?;
        }
    }

    /// Reduces the buffer if it contains edges.
    pub(super) fn reduce_buffer(&mut self) -> Result<(), OutOfMemory> {
        if self.used > self.forest { self.reduce() } else { Ok(()) }
    }

    /// Reduces the buffer for the last time, and frees all memory but that of the forest.
    pub(super) fn finish(&mut self) -> Result<(), OutOfMemory> {
        self.reduce_buffer()?;
        self.edges.shrink(self.forest);
        self.levels = Levels::default();
        self.parts = Vec::new();
        self.workspace = Workspace::new();
        Ok(())
    }
}

impl Statistics {
    pub(super) fn add(&mut self, more: Self) {
        self.dropped += more.dropped;
        self.buffered += more.buffered;
        self.reductions += more.reductions;
    }
}
