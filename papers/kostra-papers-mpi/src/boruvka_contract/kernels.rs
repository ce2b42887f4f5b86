//! The kernels of a round, in the order in which they run. Each works on a rank's own vertices.

use std::ops::Range;

use kostra_core::{EdgeId, Key, Vertex};
use kostra_mpi::{Communicator, Reduction};

use super::contracted_graph::{ContractedGraph, NONE};
use super::threads::{ITEMS_PER_TASK, distribute, values};

/// The vertices of a rank in a round.
pub(super) struct OwnVertices<'a, K> {
    pub(super) graph: &'a ContractedGraph<K>,
    pub(super) own: Range<usize>,
    pub(super) threads: usize,
}

/// The rows of a rank's new vertices.
pub(super) struct NewRows<K> {
    pub(super) edge_dst: Vec<Vertex>,
    pub(super) edge_wt: Vec<K>,
    pub(super) edge_id: Vec<EdgeId>,
}

/// The destination of the rows of some new vertices.
struct Segment<'a, K> {
    vertices: Range<usize>,
    edge_dst: &'a mut [Vertex],
    edge_wt: &'a mut [K],
    edge_id: &'a mut [EdgeId],
}

impl<K: Key> OwnVertices<'_, K> {
    /// Algorithm 7: the position of each vertex's lightest edge.
    pub(super) fn find_minimum_edges(&self) -> Vec<u32> {
        let graph = self.graph;
        values(self.threads, self.own.len(), |index| {
            let lightest = graph
                .row(self.own.start + index)
                .min_by_key(|&edge| (graph.edge_wt[edge], graph.edge_id[edge]));
            lightest.map_or(NONE, |edge| edge as u32)
        })
    }

    /// Algorithm 8: the lightest edge of each vertex, without mirrored edges. These edges are in
    /// the forest.
    pub(super) fn remove_mirrored_edges(&self, vertex_minedge: &[u32]) -> Vec<u32> {
        let graph = self.graph;
        values(self.threads, self.own.len(), |index| {
            let vertex = self.own.start + index;
            let edge = vertex_minedge[vertex];
            if edge == NONE {
                return NONE;
            }
            let succ = graph.edge_dst[edge as usize] as usize;
            let succ_edge = vertex_minedge[succ] as usize; // exists, because `succ` has this edge
            let mirrored = graph.edge_id[succ_edge] == graph.edge_id[edge as usize];
            if mirrored && vertex < succ { NONE } else { edge }
        })
    }

    /// Algorithm 9.
    pub(super) fn initialize_colors(&self, chosen: &[u32]) -> Vec<Vertex> {
        values(self.threads, self.own.len(), |index| match chosen[index] {
            NONE => (self.own.start + index) as Vertex,
            edge => self.graph.edge_dst[edge as usize],
        })
    }

    /// Algorithm 10, until no color changes on any rank. Returns the colors of all vertices, and
    /// the number of sweeps, the last of which changes nothing. Collective.
    pub(super) fn propagate_colors(
        &self,
        mut own_color: Vec<Vertex>,
        world: &Communicator,
    ) -> (Vec<Vertex>, u32) {
        let mut sweeps = 0;
        loop {
            let color = world.all_gather(&own_color).into_items();
            own_color = values(self.threads, self.own.len(), |index| {
                color[color[self.own.start + index] as usize]
            });
            let changed = u64::from(own_color != color[self.own.clone()]);
            sweeps += 1;
            if world.reduce_one(Reduction::Sum, changed) == 0 {
                return (color, sweeps);
            }
        }
    }

    /// Algorithm 11. A vertex without edges gets no flag: it is finished, and no other vertex has
    /// its color.
    pub(super) fn flag_roots(&self, color: &[Vertex]) -> Vec<u32> {
        values(self.threads, self.own.len(), |index| {
            let vertex = self.own.start + index;
            u32::from(color[vertex] as usize == vertex && !self.graph.row(vertex).is_empty())
        })
    }

    /// Algorithm 12: the degrees of all new vertices. Collective.
    pub(super) fn count_new_edges(
        &self,
        supervertex: impl Fn(usize) -> u32 + Sync,
        new_vertices: usize,
        world: &Communicator,
    ) -> Vec<u32> {
        let new_edges = values(self.threads, self.own.len(), |index| {
            let vertex = self.own.start + index;
            self.graph.edges_that_stay(vertex, &supervertex).count() as u32
        });
        let mut outdegree = vec![0; new_vertices];
        let with_edges = self.own.clone().zip(new_edges).filter(|&(_, new_edges)| new_edges > 0);
        for (vertex, new_edges) in with_edges {
            outdegree[supervertex(vertex) as usize] += new_edges;
        }
        world.reduce(Reduction::Sum, &mut outdegree);
        outdegree
    }
}

/// Algorithm 13: the rows of the new vertices `own`.
pub(super) fn insert_new_edges<K: Key>(
    graph: &ContractedGraph<K>,
    supervertex: impl Fn(usize) -> u32 + Sync,
    first_edge: &[u32],
    own: Range<usize>,
    threads: usize,
) -> NewRows<K> {
    let entries = (first_edge[own.end] - first_edge[own.start]) as usize;
    let mut rows = NewRows {
        edge_dst: vec![0; entries],
        edge_wt: vec![K::MIN; entries],
        edge_id: vec![0; entries],
    };
    let (members, first_member) = members(graph, &supervertex, own.clone());
    let segments = rows.segments(first_edge, own.clone());
    distribute(threads, segments.into_iter(), |segment| {
        let Segment { vertices, edge_dst, edge_wt, edge_id } = segment;
        let members = &members[first_member[vertices.start - own.start] as usize
            ..first_member[vertices.end - own.start] as usize];
        let edges =
            members.iter().flat_map(|&vertex| graph.edges_that_stay(vertex as usize, &supervertex));
        for (slot, edge) in edges.enumerate() {
            edge_dst[slot] = supervertex(graph.edge_dst[edge] as usize);
            edge_wt[slot] = graph.edge_wt[edge];
            edge_id[slot] = graph.edge_id[edge];
        }
    });
    rows
}

/// The vertices that become part of the new vertices `own`, in the order of the new vertices, and
/// the position at which the vertices of each new vertex begin.
fn members<K: Key>(
    graph: &ContractedGraph<K>,
    supervertex: impl Fn(usize) -> u32,
    own: Range<usize>,
) -> (Vec<Vertex>, Vec<u32>) {
    let pairs = || {
        let with_edges = (0..graph.vertices()).filter(|&vertex| !graph.row(vertex).is_empty());
        let numbered = with_edges.map(|vertex| (vertex, supervertex(vertex) as usize));
        numbered.filter(|(_, new)| own.contains(new)).map(|(vertex, new)| (vertex, new - own.start))
    };
    let mut first = vec![0; own.len() + 1];
    for (_, new) in pairs() {
        first[new + 1] += 1;
    }
    for new in 0..own.len() {
        first[new + 1] += first[new];
    }
    let mut members = vec![0; first[own.len()] as usize];
    let mut next = first.clone();
    for (vertex, new) in pairs() {
        members[next[new] as usize] = vertex as Vertex;
        next[new] += 1;
    }
    (members, first)
}

impl<K> NewRows<K> {
    /// Splits the rows at the starts of rows, into segments that are worth a task.
    fn segments(&mut self, first_edge: &[u32], own: Range<usize>) -> Vec<Segment<'_, K>> {
        let (mut edge_dst, mut edge_wt, mut edge_id) =
            (&mut self.edge_dst[..], &mut self.edge_wt[..], &mut self.edge_id[..]);
        let mut segments = Vec::new();
        let mut start = own.start;
        for end in own.start + 1..=own.end {
            let entries = (first_edge[end] - first_edge[start]) as usize;
            if entries >= ITEMS_PER_TASK || end == own.end {
                segments.push(Segment {
                    vertices: start..end,
                    edge_dst: edge_dst.split_off_mut(..entries).unwrap_or_default(),
                    edge_wt: edge_wt.split_off_mut(..entries).unwrap_or_default(),
                    edge_id: edge_id.split_off_mut(..entries).unwrap_or_default(),
                });
                start = end;
            }
        }
        segments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ring with chords. Each three consecutive vertices become one.
    #[test]
    fn the_rows_of_all_ranks_are_those_of_the_new_graph() {
        let (n, new) = (9000_usize, 3000);
        let chord = |vertex: usize| [(vertex + 1) % n, (vertex + n - 1) % n, n - 1 - vertex];
        let mut graph: ContractedGraph<u32> = ContractedGraph {
            first_edge: vec![0],
            edge_dst: vec![],
            edge_wt: vec![],
            edge_id: vec![],
        };
        for vertex in 0..n {
            for to in chord(vertex).into_iter().filter(|&to| to != vertex) {
                graph.edge_dst.push(to as u32);
                graph.edge_wt.push((vertex.min(to) * 7) as u32);
                graph.edge_id.push((vertex.min(to) * n + vertex.max(to)) as u32);
            }
            graph.first_edge.push(graph.edge_dst.len() as u32);
        }
        let supervertex = |vertex: usize| (vertex / 3) as u32;
        let mut first_edge = vec![0];
        let mut expected = vec![];
        for vertex in 0..n {
            for edge in graph.edges_that_stay(vertex, supervertex) {
                assert_ne!(graph.edge_dst[edge] as usize / 3, vertex / 3);
                expected.push((graph.edge_dst[edge] / 3, graph.edge_wt[edge], graph.edge_id[edge]));
            }
            if vertex % 3 == 2 {
                first_edge.push(expected.len() as u32);
            }
        }
        assert!(expected.len() > 2 * ITEMS_PER_TASK);
        for (ranks, threads) in [(1, 1), (1, 3), (4, 2), (7, 1)] {
            let blocks = kostra_mpi::VertexDistribution::new(new, ranks);
            let mut found = vec![];
            for rank in 0..ranks {
                let own = blocks.first(rank) as usize..blocks.first(rank + 1) as usize;
                let rows = insert_new_edges(&graph, supervertex, &first_edge, own, threads);
                let edges = rows.edge_dst.iter().zip(&rows.edge_wt).zip(&rows.edge_id);
                found.extend(edges.map(|((&to, &weight), &id)| (to, weight, id)));
            }
            assert!(found == expected, "{ranks} ranks, {threads} threads");
        }
    }
}
