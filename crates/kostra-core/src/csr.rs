//! Compressed sparse rows: the neighbours of each vertex side by side, with the ids of the edges to them.

use crate::{EdgeId, EdgeList, Edges, Vertex, Weight};

/// An undirected graph as compressed sparse rows: each edge stands in the rows of both its ends.
///
/// Self-loops are left out, parallel edges are kept, and a row lists its edges in ascending id. Takes
/// `8 (n + 1) + 2m (8 + size of a weight)` bytes.
#[derive(Clone, Debug)]
pub struct Csr<W: Weight> {
    offsets: Vec<usize>,
    neighbours: Vec<Vertex>,
    ids: Vec<EdgeId>,
    weights: Vec<W>,
}

impl<W: Weight> Csr<W> {
    /// Builds the rows by counting, in O(n + m).
    pub fn build(graph: &EdgeList<W>) -> Self {
        let ends = || graph.u().iter().copied().zip(graph.v().iter().copied());
        let mut offsets = vec![0_usize; graph.vertices() as usize + 1];
        for (u, v) in ends().filter(|(u, v)| u != v) {
            offsets[u as usize] += 1;
            offsets[v as usize] += 1;
        }
        let mut entries = 0;
        for offset in &mut offsets {
            entries += std::mem::replace(offset, entries);
        }
        let mut neighbours = vec![0; entries];
        let mut ids = vec![0; entries];
        let mut weights = vec![W::default(); entries];
        // Each row's offset is its cursor while it fills; at the end it has moved to the next row's start.
        let mut insert = |from: Vertex, to: Vertex, id: usize| {
            let at = offsets[from as usize];
            offsets[from as usize] += 1;
            neighbours[at] = to;
            ids[at] = id as EdgeId;
            weights[at] = graph.weights()[id];
        };
        for (id, (u, v)) in ends().enumerate().filter(|(_, (u, v))| u != v) {
            insert(u, v, id);
            insert(v, u, id);
        }
        offsets.rotate_right(1);
        offsets[0] = 0;
        Self { offsets, neighbours, ids, weights }
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

    #[test]
    fn rows_hold_each_edge_from_both_ends_and_no_self_loop() {
        let graph = EdgeList::new(4, vec![0, 2, 1, 0], vec![1, 0, 1, 1], vec![10, 20, 30, 40]).unwrap();
        let csr = Csr::build(&graph);
        assert_eq!(csr.offsets(), [0, 3, 5, 6, 6]);
        assert_eq!(csr.neighbours(), [1, 2, 1, 0, 0, 0]);
        assert_eq!(csr.ids(), [0, 1, 3, 0, 3, 1]);
        assert_eq!(csr.weights(), [10, 20, 40, 10, 40, 20]);
    }

    #[test]
    fn a_graph_without_vertices_has_no_rows() {
        let graph = EdgeList::<i32>::new(0, vec![], vec![], vec![]).unwrap();
        assert_eq!(Csr::build(&graph).offsets(), [0]);
    }
}
