//! The sink as callers see it, with typed weights.

use std::marker::PhantomData;

use kostra_core::{EdgeList, Encoding, ForestState, Order, OutOfMemory, Weight, bits_of, memory};

use super::edges::EdgeArrays;
use super::forest::ExternalForest;
use super::limits::Limits;
use super::sink::{Sink, Statistics};

/// Takes the edges of a graph in blocks, and finds the canonical forest within a memory budget. See
/// the [module](super) for the algorithm.
#[derive(Debug)]
pub struct ForestSink<W: Weight> {
    sink: Sink<W::Key>,
    weights: PhantomData<W>,
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
        let mut sink = Sink::empty(Encoding::new::<W>(order), limits, threads);
        sink.vertices = vertices;
        sink.allocate()?;
        Ok(Self { sink, weights: PhantomData })
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
        let mut restored = Self::new(state.vertices, order, limits, threads)?;
        let sink = &mut restored.sink;
        if !state.is_plausible() {
            return Ok(None);
        }
        let edges = state.ids.len();
        sink.taken = state.taken;
        sink.edges.u[..edges].copy_from_slice(state.u);
        sink.edges.v[..edges].copy_from_slice(state.v);
        sink.edges.weights[..edges].copy_from_slice(bits_of(state.weights));
        sink.edges.ids[..edges].copy_from_slice(state.ids);
        sink.used = edges;
        sink.reduce()?;
        sink.find_levels()?;
        Ok((sink.forest == edges).then_some(restored))
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

    /// Converts all weights. The order of the weights, and of those of dropped edges, must stay.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn convert<V: Weight>(
        self,
        limits: Limits,
        weight: impl Fn(W) -> V,
    ) -> Result<ForestSink<V>, OutOfMemory> {
        let encoding = Encoding::new::<V>(self.sink.encoding.order());
        let sink = self.sink.convert((encoding, limits), |bits| {
            let weights: Vec<W> = bytemuck::cast_vec(bits);
            let converted: Vec<V> = memory::collected(weights.into_iter().map(weight))?;
            Ok(bytemuck::cast_vec(converted))
        })?;
        Ok(ForestSink { sink, weights: PhantomData })
    }

    /// Adds the edges that follow the edges so far. Edge `i` of the block has the id `first + i`.
    ///
    /// # Errors
    /// When the system refuses the memory.
    ///
    /// # Panics
    /// If edges are added again, or the block has more vertices than the sink.
    pub fn add(&mut self, first: u64, edges: &EdgeList<W>) -> Result<(), OutOfMemory> {
        self.sink.add(first, edges.edges(self.sink.encoding.order()))
    }

    /// The state after all edges so far, from which [`restore`](Self::restore) continues.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn state(&mut self) -> Result<ForestState<'_, W>, OutOfMemory> {
        self.sink.reduce_buffer()?;
        let Sink { edges, forest, taken, vertices, .. } = &self.sink;
        Ok(ForestState {
            taken: *taken,
            vertices: *vertices,
            ids: &edges.ids[..*forest],
            u: &edges.u[..*forest],
            v: &edges.v[..*forest],
            weights: bytemuck::cast_slice(&edges.weights[..*forest]),
        })
    }

    /// The canonical forest of all edges, and the counts of what happened to them.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn finish(mut self) -> Result<(ExternalForest<W>, Statistics), OutOfMemory> {
        self.sink.finish()?;
        let Sink { vertices, edges, statistics, .. } = self.sink;
        let EdgeArrays { u, v, weights, ids } = edges;
        let weights = bytemuck::cast_vec(weights);
        Ok((ExternalForest { vertices, ids, u, v, weights }, statistics))
    }
}
