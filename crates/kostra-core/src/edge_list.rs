//! The edge list in input order: the primary form of every graph.

use thiserror::Error;

use crate::{Column, EdgeId, Encoding, Key, Order, Vertex, Weight, bits_of, counted};

/// The most vertices a graph may have: ids are 32-bit, and one value is kept to mean "none".
pub const MAX_VERTICES: usize = u32::MAX as usize;
/// The most edges a graph may have: ids are 32-bit, and one value is kept to mean "none".
pub const MAX_EDGES: usize = u32::MAX as usize;

/// The reason why arrays are not a graph.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum GraphError {
    /// The three arrays of an edge list differ in length.
    #[error(
        "the edge arrays differ in length: {}, {}, {}",
        counted(*u, "first end", "first ends"),
        counted(*v, "second end", "second ends"),
        counted(*weights, "weight", "weights")
    )]
    LengthMismatch {
        /// The number of first ends.
        u: usize,
        /// The number of second ends.
        v: usize,
        /// The number of weights.
        weights: usize,
    },
    /// An edge names a vertex that the graph does not have.
    #[error(
        "edge {edge} ends at vertex {vertex}, but the graph has {}, numbered from 0",
        counted(*vertices, "vertex", "vertices")
    )]
    EndpointOutOfRange {
        /// The first such edge.
        edge: EdgeId,
        /// The vertex that it names.
        vertex: Vertex,
        /// The number of vertices.
        vertices: u32,
    },
    /// A weight is not a number, so the edges cannot be ordered.
    #[error("edge {edge} has weight NaN (not a number); fix it, or skip edges with weight NaN")]
    NanWeight {
        /// The first such edge.
        edge: EdgeId,
    },
    /// More vertices than 32-bit ids can name.
    #[error("{vertices} vertices are more than the {MAX_VERTICES} that 32-bit ids can name")]
    TooManyVertices {
        /// The requested number of vertices.
        vertices: u64,
    },
    /// More edges than 32-bit ids can name.
    #[error("{edges} edges are more than the {MAX_EDGES} that 32-bit ids can name")]
    TooManyEdges {
        /// The requested number of edges.
        edges: u64,
    },
}

/// An undirected weighted multigraph as three arrays in input order: edge `i` joins `u[i]` and
/// `v[i]`.
///
/// Self-loops and parallel edges are allowed. The constructors ensure that every end is below the
/// number of vertices and that no weight is NaN.
#[derive(Clone, Debug)]
pub struct EdgeList<W: Weight> {
    vertices: u32,
    u: Column<Vertex>,
    v: Column<Vertex>,
    weights: Column<W>,
}

impl<W: Weight> EdgeList<W> {
    /// A graph on `vertices` vertices with an edge for each position of the three arrays.
    ///
    /// Takes one pass over the arrays and copies nothing.
    ///
    /// # Errors
    /// When the arrays differ in length, are too long, name a vertex out of range, or hold a NaN.
    pub fn new(
        vertices: usize,
        u: impl Into<Column<Vertex>>,
        v: impl Into<Column<Vertex>>,
        weights: impl Into<Column<W>>,
    ) -> Result<Self, GraphError> {
        let (u, v, weights) = (u.into(), v.into(), weights.into());
        check_edges(vertices, &u, &v, &weights)?;
        Ok(Self { vertices: vertices as u32, u, v, weights })
    }

    /// Like [`EdgeList::new`], but skips edges with weight NaN. A skipped edge becomes a self-loop
    /// of weight zero at its first end. So it is in no forest, and all other edges keep their ids.
    /// Also returns the ids of the skipped edges.
    ///
    /// # Errors
    /// As [`EdgeList::new`], except for NaN.
    pub fn new_skipping_nan(
        vertices: usize,
        u: impl Into<Column<Vertex>>,
        mut v: Vec<Vertex>,
        mut weights: Vec<W>,
    ) -> Result<(Self, Vec<EdgeId>), GraphError> {
        let u = u.into();
        check_lengths(&u, &v, &weights)?;
        let mut skipped = Vec::new();
        for (edge, weight) in weights.iter_mut().enumerate() {
            if weight.is_nan() {
                *weight = W::default();
                v[edge] = u[edge];
                skipped.push(edge as EdgeId);
            }
        }
        check_ends(vertices, &u, &v, &weights)?;
        let (v, weights) = (v.into(), weights.into());
        Ok((Self { vertices: vertices as u32, u, v, weights }, skipped))
    }

    /// A graph from arrays that were checked before, such as parts of other edge lists. Checks only
    /// the lengths.
    ///
    /// # Panics
    /// When the arrays differ in length. With an end out of range or a weight NaN, solvers may
    /// panic or return a wrong answer.
    pub fn of_checked(
        vertices: u32,
        u: impl Into<Column<Vertex>>,
        v: impl Into<Column<Vertex>>,
        weights: impl Into<Column<W>>,
    ) -> Self {
        let (u, v, weights) = (u.into(), v.into(), weights.into());
        assert!(check_lengths(&u, &v, &weights).is_ok(), "the arrays are of one length");
        Self { vertices, u, v, weights }
    }

    /// The edges `ids` between all vertices of the list. Edge `i` of the result is edge `ids[i]`.
    ///
    /// # Panics
    /// When an id is out of range.
    pub fn subgraph(&self, ids: &[EdgeId]) -> Self {
        let [u, v] = [&self.u, &self.v].map(|ends| items_at(ends, ids));
        Self::of_checked(self.vertices, u, v, items_at(&self.weights, ids))
    }

    /// A copy of the edges with the ids `range`, as a list of their own: ids count from 0 there.
    ///
    /// # Panics
    /// When the range is not within the ids.
    pub fn range(&self, range: std::ops::Range<usize>) -> Self {
        let [u, v] = [&self.u, &self.v].map(|ends| ends[range.clone()].to_vec());
        Self::of_checked(self.vertices, u, v, self.weights[range].to_vec())
    }

    /// The number of vertices.
    pub fn vertices(&self) -> u32 {
        self.vertices
    }

    /// The number of edges, self-loops and parallel edges included.
    pub fn len(&self) -> usize {
        self.u.len()
    }

    /// Whether there are no edges.
    pub fn is_empty(&self) -> bool {
        self.u.is_empty()
    }

    /// The first ends, indexed by edge id.
    pub fn u(&self) -> &[Vertex] {
        &self.u
    }

    /// The second ends, indexed by edge id.
    pub fn v(&self) -> &[Vertex] {
        &self.v
    }

    /// The weights, indexed by edge id.
    pub fn weights(&self) -> &[W] {
        &self.weights
    }

    /// The edges as a solver sees them: with a strict total order.
    pub fn edges(&self, order: Order) -> Edges<'_, W::Key> {
        Edges {
            vertices: self.vertices,
            u: &self.u,
            v: &self.v,
            weights: bits_of(&self.weights),
            encoding: Encoding::new::<W>(order),
        }
    }
}

/// Checks edges as [`EdgeList::new`] does.
///
/// # Errors
/// As [`EdgeList::new`].
pub fn check_edges<W: Weight>(
    vertices: usize,
    u: &[Vertex],
    v: &[Vertex],
    weights: &[W],
) -> Result<(), GraphError> {
    // No early exit, so that the loop is vectorized. The search for the edge is rarely needed.
    if weights.iter().fold(false, |any, weight| any | weight.is_nan()) {
        let edge = weights.iter().position(|weight| weight.is_nan()).unwrap_or_default();
        return Err(GraphError::NanWeight { edge: edge as EdgeId });
    }
    check_ends(vertices, u, v, weights)
}

fn check_ends<W>(
    vertices: usize,
    u: &[Vertex],
    v: &[Vertex],
    weights: &[W],
) -> Result<(), GraphError> {
    check_lengths(u, v, weights)?;
    if vertices > MAX_VERTICES {
        return Err(GraphError::TooManyVertices { vertices: vertices as u64 });
    }
    let vertices = vertices as u32;
    let outside = |&vertex: &Vertex| vertex >= vertices;
    let any = |ends: &[Vertex]| ends.iter().fold(false, |any, vertex| any | outside(vertex));
    if any(u) || any(v) {
        let edge = u.iter().zip(v).position(|(u, v)| outside(u) || outside(v)).unwrap_or_default();
        let vertex = if outside(&u[edge]) { u[edge] } else { v[edge] };
        return Err(GraphError::EndpointOutOfRange { edge: edge as EdgeId, vertex, vertices });
    }
    Ok(())
}

fn check_lengths<W>(u: &[Vertex], v: &[Vertex], weights: &[W]) -> Result<(), GraphError> {
    if u.len() != v.len() || u.len() != weights.len() {
        return Err(GraphError::LengthMismatch { u: u.len(), v: v.len(), weights: weights.len() });
    }
    if u.len() > MAX_EDGES {
        return Err(GraphError::TooManyEdges { edges: u.len() as u64 });
    }
    Ok(())
}

/// The items at these positions, in the order of `positions`.
///
/// # Panics
/// When a position is out of range.
pub fn items_at<T: Copy>(items: &[T], positions: &[u32]) -> Vec<T> {
    positions.iter().map(|&position| items[position as usize]).collect()
}

/// A borrowed edge list with an order on the edges, for a solver. Its weights are bits, of the type
/// `K` of keys.
#[derive(Clone, Copy, Debug)]
pub struct Edges<'a, K: Key> {
    vertices: u32,
    u: &'a [Vertex],
    v: &'a [Vertex],
    weights: &'a [K],
    encoding: Encoding<K>,
}

impl<'a, K: Key> Edges<'a, K> {
    /// Edges from arrays that were checked before, such as parts of other edge lists. Checks only
    /// the lengths.
    ///
    /// # Panics
    /// When the arrays differ in length. With an end out of range or a weight NaN, solvers may
    /// panic or return a wrong answer.
    pub fn of_checked(
        vertices: u32,
        (u, v): (&'a [Vertex], &'a [Vertex]),
        weights: &'a [K],
        encoding: Encoding<K>,
    ) -> Self {
        assert!(check_lengths(u, v, weights).is_ok(), "the arrays are of one length");
        Self { vertices, u, v, weights, encoding }
    }

    /// The same edges, if keys are of the type `T`. Generic code calls functions that are not
    /// generic by it.
    pub fn with_keys<T: Key>(self) -> Option<Edges<'a, T>> {
        (K::BITS == T::BITS).then(|| Edges {
            vertices: self.vertices,
            u: self.u,
            v: self.v,
            weights: bytemuck::cast_slice(self.weights),
            encoding: Encoding::of_type(self.encoding.weight_type(), self.order()),
        })
    }

    /// The number of vertices.
    pub fn vertices(&self) -> u32 {
        self.vertices
    }

    /// The number of edges, self-loops and parallel edges included.
    pub fn len(&self) -> usize {
        self.u.len()
    }

    /// Whether there are no edges.
    pub fn is_empty(&self) -> bool {
        self.u.is_empty()
    }

    /// The edges with the ids `range`, as a list of their own: ids count from 0 there.
    ///
    /// # Panics
    /// When the range is not within the ids.
    pub fn range(&self, range: std::ops::Range<usize>) -> Self {
        let (u, v) = (&self.u[range.clone()], &self.v[range.clone()]);
        Self { u, v, weights: &self.weights[range], ..*self }
    }

    /// The first ends, indexed by edge id.
    pub fn u(&self) -> &'a [Vertex] {
        self.u
    }

    /// The second ends, indexed by edge id.
    pub fn v(&self) -> &'a [Vertex] {
        self.v
    }

    /// The bits of the weights, indexed by edge id. To compare edges use their [`key`](Self::key)
    /// or [`rank`](Self::rank).
    pub fn weights(&self) -> &'a [K] {
        self.weights
    }

    /// How the bits of the weights become keys.
    pub fn encoding(&self) -> Encoding<K> {
        self.encoding
    }

    /// Whether low or high weights are better.
    pub fn order(&self) -> Order {
        self.encoding.order()
    }

    /// Both ends of an edge.
    #[inline]
    pub fn ends(&self, id: EdgeId) -> (Vertex, Vertex) {
        (self.u[id as usize], self.v[id as usize])
    }

    /// The key of a weight with these bits; lower is better.
    #[inline]
    pub fn key_of(&self, weight: K) -> K {
        self.encoding.key(weight)
    }

    /// The weight of an edge, as text.
    pub fn weight_text(&self, id: EdgeId) -> String {
        self.encoding.text(self.weights[id as usize])
    }

    /// The key of an edge in this order; lower is better.
    #[inline]
    pub fn key(&self, id: EdgeId) -> K {
        self.key_of(self.weights[id as usize])
    }

    /// The place of an edge in the strict total order: its key, then its id.
    #[inline]
    pub fn rank(&self, id: EdgeId) -> K::Rank {
        self.key(id).rank(id)
    }

    /// All edge ids, ascending.
    pub fn ids(&self) -> std::ops::Range<EdgeId> {
        0..self.u.len() as EdgeId
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_arrays_are_refused_with_the_culprit() {
        let new = |n, u: &[u32], v: &[u32], w: &[f64]| {
            EdgeList::new(n, u.to_vec(), v.to_vec(), w.to_vec()).err()
        };
        assert_eq!(
            new(2, &[0], &[1, 0], &[1.0]),
            Some(GraphError::LengthMismatch { u: 1, v: 2, weights: 1 })
        );
        assert_eq!(
            new(2, &[0, 1], &[1, 2], &[1.0, 2.0]),
            Some(GraphError::EndpointOutOfRange { edge: 1, vertex: 2, vertices: 2 })
        );
        assert_eq!(
            new(0, &[0], &[0], &[1.0]),
            Some(GraphError::EndpointOutOfRange { edge: 0, vertex: 0, vertices: 0 })
        );
        assert_eq!(
            new(2, &[0, 0], &[1, 1], &[1.0, f64::NAN]),
            Some(GraphError::NanWeight { edge: 1 })
        );
        assert_eq!(
            new(MAX_VERTICES + 1, &[], &[], &[]),
            Some(GraphError::TooManyVertices { vertices: 1 << 32 })
        );
    }

    #[test]
    fn a_range_of_edges_has_their_ends_weights_and_order() {
        let graph = EdgeList::new(4, vec![0, 1, 2], vec![1, 2, 3], vec![5, 6, 7]).unwrap();
        let edges = graph.edges(Order::Maximum).range(1..3);
        assert_eq!((edges.vertices(), edges.u(), edges.v()), (4, &[1, 2][..], &[2, 3][..]));
        assert_eq!((edges.weights(), edges.order()), (&[6_u32, 7][..], Order::Maximum));
        assert!(graph.edges(Order::Minimum).range(3..3).is_empty());
    }

    #[test]
    fn a_skipped_edge_leaves_the_other_ids_alone() {
        let (graph, skipped) =
            EdgeList::new_skipping_nan(3, vec![0, 1, 2], vec![1, 2, 0], vec![1.0, f32::NAN, 3.0])
                .unwrap();
        assert_eq!(skipped, [1]);
        assert_eq!((graph.u()[1], graph.v()[1], graph.weights()[1]), (1, 1, 0.0));
        assert_eq!((graph.u()[2], graph.v()[2], graph.weights()[2]), (2, 0, 3.0));
    }

    #[test]
    fn the_maximum_order_reverses_weights_but_not_ids() {
        let graph = EdgeList::new(2, vec![0, 0, 0], vec![1, 1, 1], vec![i32::MIN, 5, 5]).unwrap();
        let edges = graph.edges(Order::Maximum);
        assert!(edges.rank(1) < edges.rank(2));
        assert!(edges.rank(2) < edges.rank(0));
    }
}
