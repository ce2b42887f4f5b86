//! The forest of the first edges of a graph, while further edges arrive in blocks.

use crate::{AnyGraph, EdgeList, Encoding, Key, Vertex, Weight, WeightType};

/// The edges of a forest: edge `i` is input edge `ids[i]` and joins `u[i]` and `v[i]`. Ids ascend.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ForestEdges<K> {
    /// The edges in the input.
    pub ids: Vec<u64>,
    /// The first ends.
    pub u: Vec<Vertex>,
    /// The second ends.
    pub v: Vec<Vertex>,
    /// The bits of the weights.
    pub weights: Vec<K>,
}

impl<K> ForestEdges<K> {
    /// These edges as the forest of the first `taken` edges of a graph with `vertices` vertices.
    pub fn state(&self, taken: u64, vertices: u32) -> ForestState<'_, K> {
        let Self { ids, u, v, weights } = self;
        ForestState { taken, vertices, ids, u, v, weights }
    }
}

impl<K: Key> ForestEdges<K> {
    /// The ids, and the edges as a graph with `vertices` vertices and weights of this type. Checks
    /// only the lengths, and copies nothing.
    ///
    /// # Panics
    /// If the weights do not have the size of `K`, or the arrays differ in length.
    pub fn into_graph(self, vertices: u32, weight_type: WeightType) -> (Vec<u64>, AnyGraph) {
        fn typed<W: Weight>(
            (u, v): (Vec<Vertex>, Vec<Vertex>),
            weights: Vec<impl Key>,
            vertices: u32,
        ) -> EdgeList<W> {
            EdgeList::of_checked(vertices, u, v, bytemuck::cast_vec::<_, W>(weights))
        }
        let Self { ids, u, v, weights } = self;
        let ends = (u, v);
        let graph = match weight_type {
            WeightType::I32 => typed::<i32>(ends, weights, vertices).into(),
            WeightType::U32 => typed::<u32>(ends, weights, vertices).into(),
            WeightType::I64 => typed::<i64>(ends, weights, vertices).into(),
            WeightType::U64 => typed::<u64>(ends, weights, vertices).into(),
            WeightType::F32 => typed::<f32>(ends, weights, vertices).into(),
            WeightType::F64 => typed::<f64>(ends, weights, vertices).into(),
        };
        (ids, graph)
    }
}

/// The state of a solve between two blocks: the forest of all edges so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForestState<'a, K> {
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
    /// The bits of the weights.
    pub weights: &'a [K],
}

impl<K: Key> ForestState<'_, K> {
    /// Whether the arrays are edges in the order of their ids, and no more than a forest can have.
    /// They may still have a cycle.
    pub fn is_plausible(&self, encoding: Encoding<K>) -> bool {
        let Self { taken, vertices, ids, u, v, weights } = *self;
        let edges = ids.len();
        let is_edge = |at: usize| {
            u[at] < vertices && v[at] < vertices && ids[at] < taken && !encoding.is_nan(weights[at])
        };
        [u.len(), v.len(), weights.len()] == [edges; 3]
            && edges <= (vertices as usize).saturating_sub(1)
            && (0..edges).all(is_edge)
            && ids.is_sorted_by(|id, next| id < next)
    }
}
