//! The sink as callers see it, with typed weights.

use std::marker::PhantomData;
use std::sync::Arc;

use kostra_core::{
    EdgeList, Encoding, ForestEdges, ForestState, Order, SolveError, Weight, bits_of,
};

use super::limits::Limits;
use super::sink::{Sink, Statistics};
use crate::Device;

/// Takes the edges of a graph in blocks, and finds the canonical forest on a CUDA device within a
/// budget of its memory. See the [module](super) for the algorithm.
pub struct ForestSink<W: Weight> {
    sink: Sink<W::Key>,
    weights: PhantomData<W>,
}

impl<W: Weight> ForestSink<W> {
    /// A sink for a graph with `vertices` vertices. Copies on up to `threads` threads.
    ///
    /// # Errors
    /// When the device fails, or has too little memory, as for all functions.
    pub fn new(
        device: &Arc<Device>,
        vertices: u32,
        order: Order,
        (limits, threads): (Limits, usize),
    ) -> Result<Self, SolveError> {
        let encoding = Encoding::new::<W>(order);
        let sink = Sink::new(device, vertices, encoding, (limits, threads))?;
        Ok(Self { sink, weights: PhantomData })
    }

    /// Continues from the forest of the first edges, in a sink that has taken no edges. Returns
    /// whether the state is that of a forest with the sink's vertices. If it is not, the sink must
    /// not be used.
    ///
    /// # Errors
    /// When the device fails.
    pub fn restore(&mut self, state: ForestState<'_, W>) -> Result<bool, SolveError> {
        if state.vertices != self.sink.vertices || !state.is_plausible() {
            return Ok(false);
        }
        let ForestState { taken, ids, u, v, weights, .. } = state;
        self.sink.restore((u, v), bits_of(weights), (ids, taken))
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
    /// If edges are added again, or the block has more vertices than the sink.
    pub fn add(&mut self, first: u64, edges: &EdgeList<W>) -> Result<(), SolveError> {
        self.sink.add(first, edges.edges(self.sink.encoding.order()))
    }

    /// The forest of all edges so far.
    ///
    /// # Errors
    /// When the device fails.
    pub fn forest(&mut self) -> Result<ForestEdges<W>, SolveError> {
        let sink = &mut self.sink;
        sink.device.bind()?;
        sink.reduce_buffer()?;
        let columns = &sink.columns;
        Ok(ForestEdges {
            ids: sink.fetch(&columns.ids)?,
            u: sink.fetch(&columns.u)?,
            v: sink.fetch(&columns.v)?,
            weights: bytemuck::cast_vec(sink.fetch(&columns.weights)?),
        })
    }
}
