//! The sink: the forest so far, and a buffer of edges that may change it.

use std::sync::Mutex;

use kostra_core::{
    Edges, Encoding, ForestEdges, ForestSink, ForestSoFar, ForestState, Key, MAX_EDGES,
    OutOfMemory, SinkStatistics, SolveError, Workspace,
};
use kostra_parallel::with_team;

use super::edges::EdgeArrays;
use super::filter::{PART, Part, WAVE};
use super::levels::Levels;
use super::limits::Limits;

/// Finds the canonical forest within a memory budget, on threads. See the [module](super) for the
/// algorithm.
#[derive(Debug)]
pub struct Sink<K: Key> {
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
    pub(super) statistics: SinkStatistics,
}

impl<K: Key> Sink<K> {
    /// A sink for a graph with `vertices` vertices and weights with this encoding. Filters on up to
    /// `threads` threads.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn new(
        vertices: u32,
        encoding: Encoding<K>,
        limits: Limits,
        threads: usize,
    ) -> Result<Self, OutOfMemory> {
        let forest = (vertices as usize).saturating_sub(1);
        let buffer = limits.buffer.min(MAX_EDGES - forest);
        Ok(Self {
            encoding,
            threads,
            limits: Limits { buffer },
            vertices,
            edges: EdgeArrays::zeros(forest + buffer)?,
            forest: 0,
            used: 0,
            levels: Levels::new(vertices)?,
            parts: (0..WAVE / PART).map(|_| Mutex::new(Part::default())).collect(),
            workspace: Workspace::new(),
            taken: 0,
            statistics: SinkStatistics::default(),
        })
    }

    /// Reduces the buffer if it contains edges.
    fn reduce_buffer(&mut self) -> Result<(), OutOfMemory> {
        if self.used > self.forest { self.reduce() } else { Ok(()) }
    }
}

impl<K: Key> ForestSink<K> for Sink<K> {
    fn encoding(&self) -> Encoding<K> {
        self.encoding
    }

    fn vertices(&self) -> u32 {
        self.vertices
    }

    fn add(&mut self, first: u64, edges: Edges<'_, K>) -> Result<(), SolveError> {
        assert!(first >= self.taken, "edges arrive in the order of their ids");
        assert!(edges.vertices() <= self.vertices, "the sink has all vertices of a block");
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

    fn see_forest(&mut self, see: &mut dyn FnMut(ForestState<'_, K>)) -> Result<(), SolveError> {
        self.reduce_buffer()?;
        let Self { edges, forest, taken, vertices, .. } = self;
        see(ForestState {
            taken: *taken,
            vertices: *vertices,
            ids: &edges.ids[..*forest],
            u: &edges.u[..*forest],
            v: &edges.v[..*forest],
            weights: &edges.weights[..*forest],
        });
        Ok(())
    }

    fn restore(&mut self, from: ForestSoFar<K>) -> Result<bool, SolveError> {
        let ForestSoFar { forest, taken, statistics } = from;
        if !forest.state(taken, self.vertices).is_plausible(self.encoding) {
            return Ok(false);
        }
        (self.taken, self.statistics) = (taken, statistics);
        (self.forest, self.used) = (forest.ids.len(), forest.ids.len());
        self.edges.fill(forest);
        Ok(self.forest == 0 || self.find_levels()?)
    }

    fn finish(mut self: Box<Self>) -> Result<ForestSoFar<K>, SolveError> {
        self.reduce_buffer()?;
        let Self { mut edges, forest, taken, statistics, .. } = *self;
        edges.shrink(forest);
        let EdgeArrays { u, v, weights, ids } = edges;
        Ok(ForestSoFar { forest: ForestEdges { ids, u, v, weights }, taken, statistics })
    }
}
