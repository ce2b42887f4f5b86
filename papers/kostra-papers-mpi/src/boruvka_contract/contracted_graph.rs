//! The contracted graph of a round.

use std::ops::Range;

use kostra_core::{EdgeId, Key, Vertex};

/// The null edge.
pub(super) const NONE: u32 = u32::MAX;

/// The contracted graph, in rows. Every rank holds all of it.
pub(super) struct ContractedGraph<K> {
    /// The start of each row, and the end of the last one.
    pub(super) first_edge: Vec<u32>,
    pub(super) edge_dst: Vec<Vertex>,
    pub(super) edge_wt: Vec<K>,
    pub(super) edge_id: Vec<EdgeId>,
}

impl<K: Key> ContractedGraph<K> {
    pub(super) fn vertices(&self) -> usize {
        self.first_edge.len() - 1
    }

    #[inline]
    pub(super) fn row(&self, vertex: usize) -> Range<usize> {
        self.first_edge[vertex] as usize..self.first_edge[vertex + 1] as usize
    }

    /// The edges of a vertex that do not become self-loops when each vertex becomes part of its
    /// `supervertex`.
    pub(super) fn edges_that_stay(
        &self,
        vertex: usize,
        supervertex: impl Fn(usize) -> u32,
    ) -> impl Iterator<Item = usize> {
        let row = self.row(vertex);
        // A vertex without edges may have no supervertex.
        let own = if row.is_empty() { NONE } else { supervertex(vertex) };
        row.filter(move |&edge| supervertex(self.edge_dst[edge] as usize) != own)
    }
}
