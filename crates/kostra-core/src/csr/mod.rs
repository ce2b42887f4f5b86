//! Compressed sparse rows: the neighbours of each vertex side by side, with the ids of the edges to
//! them.

mod build;

use crate::{EdgeId, EdgeList, Edges, Order, Run, SolveError, Vertex, Weight};

/// An undirected graph as compressed sparse rows: each edge stands in the rows of both its ends.
///
/// Self-loops are left out, parallel edges are kept, and a row lists its edges in ascending id.
/// Takes `8 (n + 1) + 2m (8 + size of a weight)` bytes.
#[derive(Clone, Debug)]
pub struct Csr<W: Weight> {
    offsets: Vec<usize>,
    neighbours: Vec<Vertex>,
    ids: Vec<EdgeId>,
    weights: Vec<W>,
}

impl<W: Weight> Csr<W> {
    /// Builds the rows by counting, in O(n + m). While it lasts some entries are held twice, at
    /// `12 + size of a weight` bytes: an eighth of all, at least 2^20 where there are so many, and
    /// more where a few neighbouring vertices have more.
    ///
    /// # Errors
    /// When the run is cancelled, or the system does not grant the memory: the error names `solver`
    /// as the one who wants the rows.
    pub fn build(
        graph: &EdgeList<W>,
        solver: &'static str,
        run: &mut Run<'_>,
    ) -> Result<Self, SolveError> {
        build::build(graph, solver, run)
    }

    /// Where each vertex's row starts, and the number of entries at the end: `n + 1` values.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The other end of each entry.
    pub fn neighbours(&self) -> &[Vertex] {
        &self.neighbours
    }

    /// The edge id of each entry.
    pub fn ids(&self) -> &[EdgeId] {
        &self.ids
    }

    /// The weight of each entry.
    pub fn weights(&self) -> &[W] {
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

/// Borrowed rows with an order on them: what a solver works on. Copied freely.
#[derive(Clone, Copy, Debug)]
pub struct CsrView<'a, W: Weight> {
    pub(crate) csr: &'a Csr<W>,
    pub(crate) edges: Edges<'a, W>,
}

impl<'a, W: Weight> CsrView<'a, W> {
    /// How many vertices there are.
    pub fn vertices(&self) -> u32 {
        self.edges.vertices()
    }

    /// How many edges the graph has; self-loops, which no row holds, included.
    pub fn edges(&self) -> usize {
        self.edges.len()
    }

    /// Whether the minimum or the maximum spanning forest is wanted.
    pub fn order(&self) -> Order {
        self.edges.order()
    }

    /// The rows.
    pub fn rows(&self) -> &'a Csr<W> {
        self.csr
    }

    /// The edges at a vertex, self-loops left out, in ascending id.
    #[inline]
    pub fn arcs(&self, vertex: Vertex) -> impl ExactSizeIterator<Item = Arc<W::Key>> + use<'a, W> {
        let row = self.csr.offsets[vertex as usize]..self.csr.offsets[vertex as usize + 1];
        let (neighbours, ids) = (&self.csr.neighbours[row.clone()], &self.csr.ids[row.clone()]);
        let (weights, edges) = (&self.csr.weights[row], self.edges);
        neighbours.iter().zip(ids).zip(weights).map(move |((&to, &id), &weight)| Arc {
            to,
            key: edges.key_of(weight),
            id,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(graph: &EdgeList<i32>) -> Csr<i32> {
        Csr::build(graph, "test", &mut Run::new()).unwrap()
    }

    #[test]
    fn rows_hold_each_edge_from_both_ends_and_no_self_loop() {
        let graph =
            EdgeList::new(4, vec![0, 2, 1, 0], vec![1, 0, 1, 1], vec![10, 20, 30, 40]).unwrap();
        let csr = build(&graph);
        assert_eq!(csr.offsets(), [0, 3, 5, 6, 6]);
        assert_eq!(csr.neighbours(), [1, 2, 1, 0, 0, 0]);
        assert_eq!(csr.ids(), [0, 1, 3, 0, 3, 1]);
        assert_eq!(csr.weights(), [10, 20, 40, 10, 40, 20]);
    }

    #[test]
    fn a_graph_without_vertices_has_no_rows() {
        let graph = EdgeList::new(0, vec![], vec![], vec![]).unwrap();
        assert_eq!(build(&graph).offsets(), [0]);
    }
}
