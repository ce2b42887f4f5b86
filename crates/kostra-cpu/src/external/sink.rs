//! The state of a sink: the forest so far, and a buffer of edges that may change it.

use std::sync::Mutex;

use kostra_core::{Edges, Encoding, Key, OutOfMemory, memory};
use kostra_parallel::with_team;

use super::edges::EdgeArrays;
use super::filter::{PART, Part, WAVE};
use super::levels::Levels;
use super::limits::Limits;
use super::link_tree::LinkTree;

/// Counts of what happened to the edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The edges that one comparison with a pivot dropped, and self-loops.
    pub dropped_by_pivot: u64,
    /// The edges that were dropped because of the heaviest edge between their ends.
    pub dropped_by_path: u64,
    /// The edges that were buffered.
    pub buffered: u64,
    /// How often the buffer was reduced.
    pub reductions: u64,
}

/// The state and the work of a [`ForestSink`](super::ForestSink), on the bits of weights.
#[derive(Debug)]
pub(super) struct Sink<K: Key> {
    pub(super) encoding: Encoding<K>,
    threads: usize,
    pub(super) limits: Limits,
    pub(super) vertices: u32,
    /// The forest of all edges up to the last reduction, ascending by key and id.
    pub(super) forest: EdgeArrays<K>,
    /// Later edges that may be in the forest, ascending by id. Only the first `buffered` are edges.
    pub(super) buffer: EdgeArrays<K>,
    pub(super) buffered: usize,
    pub(super) tree: LinkTree<K>,
    pub(super) levels: Levels<K>,
    /// Whether the filter climbs the tree for every edge that no pivot drops.
    pub(super) climbs: bool,
    /// The memory of the filter.
    pub(super) parts: Vec<Mutex<Part>>,
    /// Memory in which the buffer is sorted: two arrays of its length.
    pub(super) ranks: Vec<K::Rank>,
    pub(super) spare: Vec<K::Rank>,
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
            forest: EdgeArrays::default(),
            buffer: EdgeArrays::default(),
            buffered: 0,
            tree: LinkTree::new(),
            levels: Levels::default(),
            climbs: false,
            parts: Vec::new(),
            ranks: Vec::new(),
            spare: Vec::new(),
            taken: 0,
            statistics: Statistics::default(),
        }
    }

    /// Allocates the arrays for the vertices.
    pub(super) fn allocate(&mut self) -> Result<(), OutOfMemory> {
        self.forest.reserve((self.vertices as usize).saturating_sub(1))?;
        self.buffer = EdgeArrays::zeros(self.limits.buffer)?;
        self.ranks = memory::zeros(self.limits.buffer)?;
        self.spare = memory::zeros(self.limits.buffer)?;
        self.parts = (0..WAVE / PART).map(|_| Mutex::new(Part::default())).collect();
        self.tree.reset(self.vertices)?;
        self.levels = Levels::new(self.vertices)?;
        Ok(())
    }

    /// A sink with the forest of this one, with other limits and weights. The order of the weights,
    /// and of those of dropped edges, must stay.
    pub(super) fn convert<L: Key>(
        mut self,
        (encoding, limits): (Encoding<L>, Limits),
        weights: impl FnOnce(Vec<K>) -> Result<Vec<L>, OutOfMemory>,
    ) -> Result<Sink<L>, OutOfMemory> {
        self.reduce_buffer()?;
        let Self { threads, vertices, forest, taken, statistics, .. } = self;
        let EdgeArrays { u, v, weights: bits, ids } = forest;
        let forest = EdgeArrays { u, v, weights: weights(bits)?, ids };
        let empty = Sink::empty(encoding, limits, threads);
        let mut sink = Sink { vertices, forest, taken, statistics, ..empty };
        sink.rebuild()?;
        Ok(sink)
    }

    /// Adds vertices, so that there are `vertices`.
    pub(super) fn grow(&mut self, vertices: u32, limits: Limits) -> Result<(), OutOfMemory> {
        self.reduce_buffer()?;
        self.free();
        self.vertices = self.vertices.max(vertices);
        self.limits = limits;
        self.rebuild()
    }

    /// Frees all memory but that of the forest.
    fn free(&mut self) {
        let Self { encoding, limits, threads, .. } = *self;
        let mut forest = std::mem::take(&mut self.forest);
        forest.shrink();
        let (vertices, taken, statistics) = (self.vertices, self.taken, self.statistics);
        let empty = Self::empty(encoding, limits, threads);
        *self = Self { vertices, forest, taken, statistics, ..empty };
    }

    /// Allocates the arrays, and builds the tree of the forest.
    fn rebuild(&mut self) -> Result<(), OutOfMemory> {
        self.allocate()?;
        self.reduce_on_team()
    }

    /// Adds the edges that follow the edges so far. Edge `i` of the block has the id `first + i`.
    pub(super) fn add(&mut self, first: u64, edges: Edges<'_, K>) -> Result<(), OutOfMemory> {
        assert!(first >= self.taken, "edges arrive in the order of their ids");
        assert!(edges.vertices() <= self.vertices, "the sink grows before a block is added");
        self.taken = first + edges.len() as u64;
        let threads = self.threads.min(1 + edges.len() / PART);
        with_team(threads, |team| self.filter_block((edges, first), team))
    }

    pub(super) fn reduce_buffer(&mut self) -> Result<(), OutOfMemory> {
        if self.buffered == 0 { Ok(()) } else { self.reduce_on_team() }
    }

    pub(super) fn reduce_on_team(&mut self) -> Result<(), OutOfMemory> {
        let threads = self.threads.min(1 + self.vertices as usize / PART);
        with_team(threads, |team| self.reduce(team))
    }

    /// Reduces the buffer for the last time, and frees all memory but that of the forest.
    pub(super) fn finish(&mut self) -> Result<(), OutOfMemory> {
        if self.buffered > 0 {
            let threads = self.threads.min(1 + self.buffered / PART);
            with_team(threads, |team| self.unite_all(team))?;
        }
        self.free();
        Ok(())
    }
}

impl Statistics {
    pub(super) fn add(&mut self, more: Self) {
        self.dropped_by_pivot += more.dropped_by_pivot;
        self.dropped_by_path += more.dropped_by_path;
        self.buffered += more.buffered;
        self.reductions += more.reductions;
    }
}
