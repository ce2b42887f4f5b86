//! The rows of a graph with costs: what the steps of the search read.

use kostra_core::{AnyGraph, EdgeId, Vertex};

/// An edge as seen from one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// The other end.
    pub(super) to: Vertex,
    /// The edge.
    pub(super) edge: EdgeId,
    /// The cost of the edge.
    pub(super) cost: u64,
}

/// Each edge in the rows of both ends, in ascending id, without self-loops.
#[derive(Clone, Debug)]
pub(super) struct CostRows {
    offsets: Vec<usize>,
    links: Vec<Link>,
}

impl CostRows {
    /// The rows of the edges that `keep` accepts. O(n + m).
    pub(super) fn new(graph: &AnyGraph, costs: &[u64], keep: impl Fn(EdgeId) -> bool) -> Self {
        let (u, v) = (graph.u(), graph.v());
        let kept = || {
            let ids = 0..u.len() as EdgeId;
            ids.filter(|&edge| u[edge as usize] != v[edge as usize] && keep(edge))
        };
        let mut offsets = vec![0; graph.vertices() as usize + 2];
        for edge in kept() {
            offsets[u[edge as usize] as usize + 2] += 1;
            offsets[v[edge as usize] as usize + 2] += 1;
        }
        for vertex in 2..offsets.len() {
            offsets[vertex] += offsets[vertex - 1];
        }
        // The entry behind a vertex is the place of its next link, and at the end its last place.
        let mut links = vec![Link { to: 0, edge: 0, cost: 0 }; offsets[offsets.len() - 1]];
        for edge in kept() {
            let (from, to, cost) = (u[edge as usize], v[edge as usize], costs[edge as usize]);
            for (from, to) in [(from, to), (to, from)] {
                let place = &mut offsets[from as usize + 1];
                links[*place] = Link { to, edge, cost };
                *place += 1;
            }
        }
        offsets.pop();
        Self { offsets, links }
    }

    /// The same edges with costs that `change` computes.
    pub(super) fn with_costs(&self, change: impl Fn(Link) -> u64) -> Self {
        let links = self.links.iter().map(|&link| Link { cost: change(link), ..link });
        Self { offsets: self.offsets.clone(), links: links.collect() }
    }

    /// The number of vertices.
    pub(super) fn vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of entries of all rows.
    pub(super) fn entries(&self) -> usize {
        self.links.len()
    }

    /// The places of a vertex's links.
    pub(super) fn places(&self, vertex: Vertex) -> std::ops::Range<usize> {
        self.offsets[vertex as usize]..self.offsets[vertex as usize + 1]
    }

    /// The link at a place.
    pub(super) fn at(&self, place: usize) -> Link {
        self.links[place]
    }

    /// The links of a vertex.
    pub(super) fn of(&self, vertex: Vertex) -> &[Link] {
        &self.links[self.places(vertex)]
    }
}
