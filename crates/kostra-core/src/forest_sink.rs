//! The interface of solvers for graphs whose edges do not fit into memory.

use crate::{Edges, Encoding, ForestEdges, ForestState, Key, SolveError};

/// Takes the edges of a graph in blocks, and keeps the forest of the edges so far. Weights are
/// bits, of the type `K` of keys.
///
/// A sink has a fixed number of vertices and a fixed type of weights. For more vertices or wider
/// weights, another sink [restores](Self::restore) what this one [finishes](Self::finish) with.
///
/// After an error, a sink must not be used any more.
pub trait ForestSink<K: Key> {
    /// How the bits of the weights become keys.
    fn encoding(&self) -> Encoding<K>;

    /// The number of vertices.
    fn vertices(&self) -> u32;

    /// Adds edges that follow the edges so far. Edge `i` of the block has the id `first + i`.
    ///
    /// # Errors
    /// When the system refuses the memory, or the device fails; as for all functions.
    ///
    /// # Panics
    /// If edges are added again, or the block has more vertices than the sink or another encoding.
    fn add(&mut self, first: u64, edges: Edges<'_, K>) -> Result<(), SolveError>;

    /// Passes the forest of all edges so far to `see`, for a checkpoint.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    fn see_forest(&mut self, see: &mut dyn FnMut(ForestState<'_, K>)) -> Result<(), SolveError>;

    /// Continues from a forest, in a sink that has taken no edges. Returns whether the edges are a
    /// forest of this sink's vertices, and ascend by id. If not, the sink must not be used any
    /// more. The order of the weights may not have changed since the forest was found.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    fn restore(&mut self, from: ForestSoFar<K>) -> Result<bool, SolveError>;

    /// The canonical forest of all edges.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    fn finish(self: Box<Self>) -> Result<ForestSoFar<K>, SolveError>;
}

/// The canonical forest of the first edges of a graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForestSoFar<K> {
    /// Its edges.
    pub forest: ForestEdges<K>,
    /// The number of input edges so far.
    pub taken: u64,
    /// Counts of what happened to them.
    pub statistics: SinkStatistics,
}

/// Counts of what happened to the edges that a [`ForestSink`] took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SinkStatistics {
    /// The edges that a comparison with a pivot dropped, and self-loops.
    pub dropped: u64,
    /// The edges that were buffered.
    pub buffered: u64,
    /// How often the buffer was reduced.
    pub reductions: u64,
}
