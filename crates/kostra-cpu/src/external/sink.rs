//! The sink: filters edges, buffers the rest, and reduces.

use std::sync::Mutex;

use kostra_core::{EdgeList, Order, OutOfMemory, Weight, key_of, memory};
use kostra_parallel::with_team;

use super::edges::EdgeArrays;
use super::filter::{PART, Part, WAVE};
use super::forest::{ExternalForest, ForestState};
use super::levels::Levels;
use super::limits::Limits;
use super::link_tree::LinkTree;
use super::reduce::Rank;

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

/// Takes the edges of a graph in blocks, and finds the canonical forest within a memory budget. See
/// the [module](super) for the algorithm.
#[derive(Debug)]
pub struct ForestSink<W: Weight> {
    pub(super) order: Order,
    threads: usize,
    pub(super) limits: Limits,
    pub(super) vertices: u32,
    /// The forest of all edges up to the last reduction, ascending by key and id.
    pub(super) forest: EdgeArrays<W>,
    /// Later edges that may be in the forest, ascending by id. Only the first `buffered` are edges.
    pub(super) buffer: EdgeArrays<W>,
    pub(super) buffered: usize,
    pub(super) tree: LinkTree<W::Key>,
    pub(super) levels: Levels<W::Key>,
    /// Whether the filter climbs the tree for every edge that no pivot drops.
    pub(super) climbs: bool,
    /// The memory of the filter.
    pub(super) parts: Vec<Mutex<Part>>,
    /// Memory in which the buffer is sorted: two arrays of its length.
    pub(super) ranks: Vec<Rank<W>>,
    pub(super) spare: Vec<Rank<W>>,
    /// The number of input edges so far.
    taken: u64,
    pub(super) statistics: Statistics,
}

impl<W: Weight> ForestSink<W> {
    /// A sink for a graph with `vertices` vertices. Filters on up to `threads` threads.
    ///
    /// # Errors
    /// When the system refuses the memory, as for all functions.
    pub fn new(
        vertices: u32,
        order: Order,
        limits: Limits,
        threads: usize,
    ) -> Result<Self, OutOfMemory> {
        let mut sink = Self::empty(order, limits, threads);
        sink.vertices = vertices;
        sink.allocate()?;
        Ok(sink)
    }

    /// A sink without vertices and without memory.
    fn empty(order: Order, limits: Limits, threads: usize) -> Self {
        Self {
            order,
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

    /// Continues from a state that [`state`](Self::state) returned. None if the arrays are not the
    /// state of any sink.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn restore(
        state: ForestState<'_, W>,
        order: Order,
        limits: Limits,
        threads: usize,
    ) -> Result<Option<Self>, OutOfMemory> {
        let mut sink = Self::new(state.vertices, order, limits, threads)?;
        let edges = state.ids.len();
        let is_edge = |at: usize| {
            let ends = (state.u[at] < state.vertices) & (state.v[at] < state.vertices);
            ends && state.ids[at] < state.taken && !state.weights[at].is_nan()
        };
        let place = |at: usize| (key_of(state.weights[at], order), state.ids[at]);
        let lengths = [state.u.len(), state.v.len(), state.weights.len()];
        if lengths != [edges; 3]
            || !(0..edges).all(is_edge)
            || !(1..edges).all(|at| place(at - 1) < place(at))
            || edges > (state.vertices as usize).saturating_sub(1)
        {
            return Ok(None);
        }
        sink.taken = state.taken;
        sink.forest.u.extend_from_slice(state.u);
        sink.forest.v.extend_from_slice(state.v);
        sink.forest.weights.extend_from_slice(state.weights);
        sink.forest.ids.extend_from_slice(state.ids);
        sink.reduce_on_team()?;
        Ok((sink.forest.len() == edges).then_some(sink))
    }

    fn allocate(&mut self) -> Result<(), OutOfMemory> {
        self.forest.reserve((self.vertices as usize).saturating_sub(1))?;
        self.buffer = EdgeArrays::zeros(self.limits.buffer)?;
        self.ranks = memory::zeros(self.limits.buffer)?;
        self.spare = memory::zeros(self.limits.buffer)?;
        self.parts = (0..WAVE / PART).map(|_| Mutex::new(Part::default())).collect();
        self.tree.reset(self.vertices)?;
        self.levels = Levels::new(self.vertices)?;
        Ok(())
    }

    /// The number of vertices.
    pub fn vertices(&self) -> u32 {
        self.vertices
    }

    /// The number of input edges so far.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Counts of what happened to the edges.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Adds vertices, so that there are `vertices`. The limits must suffice for them. Edges are
    /// reduced first.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn grow(&mut self, vertices: u32, limits: Limits) -> Result<(), OutOfMemory> {
        self.reduce_buffer()?;
        self.free();
        self.vertices = self.vertices.max(vertices);
        self.limits = limits;
        self.rebuild()
    }

    /// Converts all weights. The order of the weights, and of those of dropped edges, must stay.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn convert<V: Weight>(
        mut self,
        limits: Limits,
        weight: impl Fn(W) -> V,
    ) -> Result<ForestSink<V>, OutOfMemory> {
        self.reduce_buffer()?;
        let Self { order, threads, vertices, forest, taken, statistics, .. } = self;
        let EdgeArrays { u, v, weights, ids } = forest;
        let weights = memory::collected(weights.into_iter().map(weight))?;
        let forest = EdgeArrays { u, v, weights, ids };
        let empty = ForestSink::empty(order, limits, threads);
        let mut sink = ForestSink { vertices, forest, taken, statistics, ..empty };
        sink.rebuild()?;
        Ok(sink)
    }

    /// Frees all memory but that of the forest.
    fn free(&mut self) {
        let Self { order, limits, threads, .. } = *self;
        let mut forest = std::mem::take(&mut self.forest);
        forest.shrink();
        let (vertices, taken, statistics) = (self.vertices, self.taken, self.statistics);
        *self = Self { vertices, forest, taken, statistics, ..Self::empty(order, limits, threads) };
    }

    /// Allocates the arrays, and builds the tree of the forest.
    fn rebuild(&mut self) -> Result<(), OutOfMemory> {
        self.allocate()?;
        self.reduce_on_team()
    }

    /// Adds the edges that follow the edges so far. Edge `i` of the block has the id `first + i`.
    ///
    /// # Errors
    /// When the system refuses the memory.
    ///
    /// # Panics
    /// If edges are added again, or the block has more vertices than the sink.
    pub fn add(&mut self, first: u64, edges: &EdgeList<W>) -> Result<(), OutOfMemory> {
        assert!(first >= self.taken, "edges arrive in the order of their ids");
        assert!(edges.vertices() <= self.vertices, "the sink grows before a block is added");
        self.taken = first + edges.len() as u64;
        let threads = self.threads.min(1 + edges.len() / PART);
        let edges = edges.edges(self.order);
        with_team(threads, |team| self.filter_block((edges, first), team))
    }

    fn reduce_buffer(&mut self) -> Result<(), OutOfMemory> {
        if self.buffered == 0 { Ok(()) } else { self.reduce_on_team() }
    }

    fn reduce_on_team(&mut self) -> Result<(), OutOfMemory> {
        let threads = self.threads.min(1 + self.vertices as usize / PART);
        with_team(threads, |team| self.reduce(team))
    }

    /// The state after all edges so far, from which [`restore`](Self::restore) continues.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn state(&mut self) -> Result<ForestState<'_, W>, OutOfMemory> {
        self.reduce_buffer()?;
        let EdgeArrays { u, v, weights, ids } = &self.forest;
        Ok(ForestState { taken: self.taken, vertices: self.vertices, ids, u, v, weights })
    }

    /// The canonical forest of all edges, and the counts of what happened to them.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn finish(mut self) -> Result<(ExternalForest<W>, Statistics), OutOfMemory> {
        if self.buffered > 0 {
            let threads = self.threads.min(1 + self.buffered / PART);
            with_team(threads, |team| self.unite_all(team))?;
        }
        self.free();
        let Self { vertices, forest, statistics, .. } = self;
        Ok((ExternalForest::sorted(vertices, forest)?, statistics))
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
