//! The forest of the first edges of a graph, while further edges arrive in blocks.

use crate::{Vertex, Weight};

/// The edges of a forest: edge `i` is input edge `ids[i]` and joins `u[i]` and `v[i]`. Ids ascend.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForestEdges<W> {
    /// The edges in the input.
    pub ids: Vec<u64>,
    /// The first ends.
    pub u: Vec<Vertex>,
    /// The second ends.
    pub v: Vec<Vertex>,
    /// The weights.
    pub weights: Vec<W>,
}

impl<W> ForestEdges<W> {
    /// These edges as the forest of the first `taken` edges of a graph with `vertices` vertices.
    pub fn state(&self, taken: u64, vertices: u32) -> ForestState<'_, W> {
        let Self { ids, u, v, weights } = self;
        ForestState { taken, vertices, ids, u, v, weights }
    }
}

/// The state of a solve between two blocks: the forest of all edges so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForestState<'a, W> {
    /// The number of input edges so far.
    pub taken: u64,
    /// The number of vertices.
    pub vertices: u32,
    /// The ids of the forest's edges, ascending.
    pub ids: &'a [u64],
    /// The first ends.
    pub u: &'a [Vertex],
    /// The second ends.
    pub v: &'a [Vertex],
    /// The weights.
    pub weights: &'a [W],
}

impl<W: Weight> ForestState<'_, W> {
    /// Whether the arrays are edges in the order of their ids, and no more than a forest can have.
    /// They may still have a cycle.
    pub fn is_plausible(&self) -> bool {
        let Self { taken, vertices, ids, u, v, weights } = *self;
        let edges = ids.len();
        let is_edge = |at: usize| {
            u[at] < vertices && v[at] < vertices && ids[at] < taken && !weights[at].is_nan()
        };
        [u.len(), v.len(), weights.len()] == [edges; 3]
            && edges <= (vertices as usize).saturating_sub(1)
            && (0..edges).all(is_edge)
            && ids.is_sorted_by(|id, next| id < next)
    }
}
