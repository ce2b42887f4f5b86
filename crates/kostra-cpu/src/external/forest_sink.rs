//! The sink as callers see it.

use kostra_core::{Edges, Encoding, ForestEdges, ForestState, Key, OutOfMemory};

use super::edges::EdgeArrays;
use super::limits::Limits;
use super::sink::{Sink, Statistics};

/// Takes the edges of a graph in blocks, and finds the canonical forest within a memory budget. See
/// the [module](super) for the algorithm. Weights are bits, of the type `K` of keys.
#[derive(Debug)]
pub struct ForestSink<K: Key> {
    sink: Sink<K>,
}

impl<K: Key> ForestSink<K> {
    /// A sink for a graph with `vertices` vertices and weights with this encoding. Filters on up to
    /// `threads` threads.
    ///
    /// # Errors
    /// When the system refuses the memory, as for all functions.
    pub fn new(
        vertices: u32,
        encoding: Encoding<K>,
        limits: Limits,
        threads: usize,
    ) -> Result<Self, OutOfMemory> {
        let mut sink = Sink::empty(encoding, limits, threads);
        sink.vertices = vertices;
        sink.allocate()?;
        Ok(Self { sink })
    }

    /// Continues from a state that [`state`](Self::state) returned. None if the arrays are not the
    /// state of any sink.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn restore(
        state: ForestState<'_, K>,
        encoding: Encoding<K>,
        limits: Limits,
        threads: usize,
    ) -> Result<Option<Self>, OutOfMemory> {
        let mut restored = Self::new(state.vertices, encoding, limits, threads)?;
        let sink = &mut restored.sink;
        if !state.is_plausible(encoding) {
            return Ok(None);
        }
        let edges = state.ids.len();
        sink.taken = state.taken;
        sink.edges.u[..edges].copy_from_slice(state.u);
        sink.edges.v[..edges].copy_from_slice(state.v);
        sink.edges.weights[..edges].copy_from_slice(state.weights);
        sink.edges.ids[..edges].copy_from_slice(state.ids);
        sink.used = edges;
        sink.reduce()?;
        sink.find_levels()?;
        Ok((sink.forest == edges).then_some(restored))
    }

    /// How the bits of the weights become keys.
    pub fn encoding(&self) -> Encoding<K> {
        self.sink.encoding
    }

    /// The number of vertices.
    pub fn vertices(&self) -> u32 {
        self.sink.vertices
    }

    /// The number of input edges so far.
    pub fn taken(&self) -> u64 {
        self.sink.taken
    }

    /// Counts of what happened to the edges.
    pub fn statistics(&self) -> Statistics {
        self.sink.statistics
    }

    /// Adds vertices, so that there are `vertices`. The limits must suffice for them. Edges are
    /// reduced first.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn grow(&mut self, vertices: u32, limits: Limits) -> Result<(), OutOfMemory> {
        self.sink.grow(vertices, limits)
    }

    /// Converts all weights to another type. Their order, and that of the weights of dropped edges,
    /// must stay. `weights` converts the bits of all weights of the forest.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn convert<L: Key>(
        self,
        encoding: Encoding<L>,
        limits: Limits,
        weights: impl FnOnce(Vec<K>) -> Result<Vec<L>, OutOfMemory>,
    ) -> Result<ForestSink<L>, OutOfMemory> {
        Ok(ForestSink { sink: self.sink.convert((encoding, limits), weights)? })
    }

    /// Adds the edges that follow the edges so far. Edge `i` of the block has the id `first + i`.
    ///
    /// # Errors
    /// When the system refuses the memory.
    ///
    /// # Panics
    /// If edges are added again, or the block has more vertices than the sink or another encoding.
    pub fn add(&mut self, first: u64, edges: Edges<'_, K>) -> Result<(), OutOfMemory> {
        self.sink.add(first, edges)
    }

    /// The state after all edges so far, from which [`restore`](Self::restore) continues.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn state(&mut self) -> Result<ForestState<'_, K>, OutOfMemory> {
        self.sink.reduce_buffer()?;
        let Sink { edges, forest, taken, vertices, .. } = &self.sink;
        Ok(ForestState {
            taken: *taken,
            vertices: *vertices,
            ids: &edges.ids[..*forest],
            u: &edges.u[..*forest],
            v: &edges.v[..*forest],
            weights: &edges.weights[..*forest],
        })
    }

    /// The canonical forest of all edges, and the counts of what happened to them.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn finish(mut self) -> Result<(ForestEdges<K>, Statistics), OutOfMemory> {
        self.sink.finish()?;
        let Sink { edges, statistics, .. } = self.sink;
        let EdgeArrays { u, v, weights, ids } = edges;
        Ok((ForestEdges { ids, u, v, weights }, statistics))
    }
}
