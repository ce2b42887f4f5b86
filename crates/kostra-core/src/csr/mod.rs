//! Compressed sparse rows: the neighbors of each vertex, with the ids and weights of the edges.

mod build;

use crate::{EdgeId, Edges, Encoding, Key, Order, Run, SolveError, Vertex};

/// An undirected graph as compressed sparse rows: each edge is in the rows of both ends.
///
/// The rows contain no self-loops, but parallel edges. A row lists its edges in ascending id.
/// Memory: `8 (n + 1) + 2m (8 + size of a weight)` bytes.
#[derive(Clone, Debug)]
pub struct Csr<K: Key> {
    offsets: Vec<usize>,
    neighbors: Vec<Vertex>,
    ids: Vec<EdgeId>,
    weights: Vec<K>,
}

impl<K: Key> Csr<K> {
    /// Builds the rows by counting, in O(n + m).
    ///
    /// Some entries are staged, at `12 + size of a weight` bytes each: an eighth of all entries or
    /// 2^20, whichever is more. The stage is larger if a few consecutive vertices have more
    /// entries.
    ///
    /// # Errors
    /// When the run is cancelled, or the system refuses the memory. The error names `solver`, which
    /// needs the rows.
    pub fn build(
        edges: Edges<'_, K>,
        solver: &'static str,
        run: &mut Run<'_>,
    ) -> Result<Self, SolveError> {
        build::build(edges, solver, run)
    }

    /// The start of each vertex's row, and the number of entries at the end: `n + 1` values.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The other end of each entry.
    pub fn neighbors(&self) -> &[Vertex] {
        &self.neighbors
    }

    /// The edge id of each entry.
    pub fn ids(&self) -> &[EdgeId] {
        &self.ids
    }

    /// The bits of the weight of each entry.
    pub fn weights(&self) -> &[K] {
        &self.weights
    }
}

/// One entry of a row: an edge as seen from one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc<K> {
    /// The other end.
    pub to: Vertex,
    /// The key of the edge's weight; lower is better.
    pub key: K,
    /// The edge.
    pub id: EdgeId,
}

/// Borrowed rows with an order on the edges, for a solver.
#[derive(Clone, Copy, Debug)]
pub struct CsrView<'a, K: Key> {
    pub(crate) csr: &'a Csr<K>,
    pub(crate) edges: Edges<'a, K>,
}

impl<'a, K: Key> CsrView<'a, K> {
    /// The number of vertices.
    pub fn vertices(&self) -> u32 {
        self.edges.vertices()
    }

    /// The number of edges of the graph, self-loops included.
    pub fn edges(&self) -> usize {
        self.edges.len()
    }

    /// The order on the edges: minimum or maximum spanning forest.
    pub fn order(&self) -> Order {
        self.edges.order()
    }

    /// How the bits of the weights become keys.
    pub fn encoding(&self) -> Encoding<K> {
        self.edges.encoding()
    }

    /// The rows.
    pub fn rows(&self) -> &'a Csr<K> {
        self.csr
    }

    /// The edges of a vertex except self-loops, in ascending id.
    #[inline]
    pub fn arcs(&self, vertex: Vertex) -> impl ExactSizeIterator<Item = Arc<K>> + use<'a, K> {
        let row = self.csr.offsets[vertex as usize]..self.csr.offsets[vertex as usize + 1];
        let (neighbors, ids) = (&self.csr.neighbors[row.clone()], &self.csr.ids[row.clone()]);
        let (weights, edges) = (&self.csr.weights[row], self.edges);
        neighbors.iter().zip(ids).zip(weights).map(move |((&to, &id), &weight)| Arc {
            to,
            key: edges.key_of(weight),
            id,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EdgeList;

    fn build(graph: &EdgeList<u32>) -> Csr<u32> {
        Csr::build(graph.edges(Order::Minimum), "test", &mut Run::new()).unwrap()
    }

    #[test]
    fn rows_hold_each_edge_from_both_ends_and_no_self_loop() {
        let graph =
            EdgeList::new(4, vec![0, 2, 1, 0], vec![1, 0, 1, 1], vec![10, 20, 30, 40]).unwrap();
        let csr = build(&graph);
        assert_eq!(csr.offsets(), [0, 3, 5, 6, 6]);
        assert_eq!(csr.neighbors(), [1, 2, 1, 0, 0, 0]);
        assert_eq!(csr.ids(), [0, 1, 3, 0, 3, 1]);
        assert_eq!(csr.weights(), [10, 20, 40, 10, 40, 20]);
    }

    #[test]
    fn a_graph_without_vertices_has_no_rows() {
        let graph = EdgeList::new(0, vec![], vec![], vec![]).unwrap();
        assert_eq!(build(&graph).offsets(), [0]);
    }
}
