//! The sink as callers see it.

use std::sync::Arc;

use kostra_core::{Edges, Encoding, ForestEdges, ForestState, Key, SolveError};

use super::limits::Limits;
use super::sink::{Sink, Statistics};
use crate::Device;

/// Takes the edges of a graph in blocks, and finds the canonical forest on a CUDA device within a
/// budget of its memory. See the [module](super) for the algorithm. Weights are bits, of the type
/// `K` of keys.
pub struct ForestSink<K: Key> {
    sink: Sink<K>,
}

impl<K: Key> ForestSink<K> {
    /// A sink for a graph with `vertices` vertices and weights with this encoding. Copies on up to
    /// `threads` threads.
    ///
    /// # Errors
    /// When the device fails, or has too little memory, as for all functions.
    pub fn new(
        device: &Arc<Device>,
        vertices: u32,
        encoding: Encoding<K>,
        (limits, threads): (Limits, usize),
    ) -> Result<Self, SolveError> {
        Ok(Self { sink: Sink::new(device, vertices, encoding, (limits, threads))? })
    }

    /// Continues from the forest of the first edges, in a sink that has taken no edges. Returns
    /// whether the state is that of a forest with the sink's vertices. If it is not, the sink must
    /// not be used.
    ///
    /// # Errors
    /// When the device fails.
    pub fn restore(&mut self, state: ForestState<'_, K>) -> Result<bool, SolveError> {
        if state.vertices != self.sink.vertices || !state.is_plausible(self.sink.encoding) {
            return Ok(false);
        }
        let ForestState { taken, ids, u, v, weights, .. } = state;
        self.sink.restore((u, v), weights, (ids, taken))
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

    /// Counts of what happened to the edges up to the last reduction.
    pub fn statistics(&self) -> Statistics {
        self.sink.statistics
    }

    /// Adds the edges that follow the edges so far. Edge `i` of the block has the id `first + i`.
    ///
    /// # Errors
    /// When the device fails. The sink must not be used any more.
    ///
    /// # Panics
    /// If edges are added again, or the block has more vertices than the sink or another encoding.
    pub fn add(&mut self, first: u64, edges: Edges<'_, K>) -> Result<(), SolveError> {
        self.sink.add(first, edges)
    }

    /// The forest of all edges so far.
    ///
    /// # Errors
    /// When the device fails.
    pub fn forest(&mut self) -> Result<ForestEdges<K>, SolveError> {
        let sink = &mut self.sink;
        sink.device.bind()?;
        sink.reduce_buffer()?;
        let columns = &sink.columns;
        Ok(ForestEdges {
            ids: sink.fetch(&columns.ids)?,
            u: sink.fetch(&columns.u)?,
            v: sink.fetch(&columns.v)?,
            weights: sink.fetch(&columns.weights)?,
        })
    }
}
