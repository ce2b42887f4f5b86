//! The kernels of a round, in the order in which they run, each on a rank's own vertices.

use std::ops::Range;

use kostra_core::{EdgeId, Key, Vertex};

use super::threads::{BLOCK, deal, values};
use super::{Graph, NONE, Rounds};
use crate::Reduction;

/// The rows of a rank's new vertices.
pub(super) struct Inserted<K> {
    pub(super) edge_dst: Vec<Vertex>,
    pub(super) edge_wt: Vec<K>,
    pub(super) edge_id: Vec<EdgeId>,
}

/// Where some of the new vertices' rows are to be written.
struct Segment<'a, K> {
    vertices: Range<usize>,
    edge_dst: &'a mut [Vertex],
    edge_wt: &'a mut [K],
    edge_id: &'a mut [EdgeId],
}

impl Rounds<'_> {
    /// Algorithm 7: the place of each vertex's lightest edge.
    pub(super) fn find_minimum_edges<K: Key>(
        &self,
        graph: &Graph<K>,
        own: Range<usize>,
    ) -> Vec<u32> {
        values(self.threads, own.len(), |index| {
            let lightest = graph
                .row(own.start + index)
                .min_by_key(|&edge| (graph.edge_wt[edge], graph.edge_id[edge]));
            lightest.map_or(NONE, |edge| edge as u32)
        })
    }

    /// Algorithm 8: what is left to each vertex is marked as the forest's.
    pub(super) fn remove_mirrored_edges<K: Key>(
        &mut self,
        graph: &Graph<K>,
        vertex_minedge: &[u32],
        own: Range<usize>,
    ) -> Vec<u32> {
        let chosen = values(self.threads, own.len(), |index| {
            let vertex = own.start + index;
            let edge = vertex_minedge[vertex];
            if edge == NONE {
                return NONE;
            }
            let succ = graph.edge_dst[edge as usize] as usize;
            let succ_edge = vertex_minedge[succ] as usize; // which it has, for it ends at this edge
            let mirrored = graph.edge_id[succ_edge] == graph.edge_id[edge as usize];
            if mirrored && vertex < succ { NONE } else { edge }
        });
        let ids = chosen
            .iter()
            .filter(|&&edge| edge != NONE)
            .map(|&edge| u64::from(graph.edge_id[edge as usize]));
        self.forest.extend(ids);
        chosen
    }

    /// Algorithm 9.
    pub(super) fn initialize_colors<K: Key>(
        &self,
        graph: &Graph<K>,
        chosen: &[u32],
        own: Range<usize>,
    ) -> Vec<Vertex> {
        values(self.threads, own.len(), |index| match chosen[index] {
            NONE => (own.start + index) as Vertex,
            edge => graph.edge_dst[edge as usize],
        })
    }

    /// Algorithm 10, until nothing changes on any rank. Returns the colours of all vertices, and
    /// how many sweeps that took, the last, idle one included. Collective.
    pub(super) fn propagate_colors(
        &self,
        mut own_color: Vec<Vertex>,
        own: Range<usize>,
    ) -> (Vec<Vertex>, u32) {
        let mut sweeps = 0;
        loop {
            let color = self.world.all_gather(&own_color).into_items();
            own_color =
                values(self.threads, own.len(), |index| color[color[own.start + index] as usize]);
            let changed = u64::from(own_color != color[own.clone()]);
            sweeps += 1;
            if self.world.reduce_one(Reduction::Sum, changed) == 0 {
                return (color, sweeps);
            }
        }
    }

    /// Algorithm 11. A vertex without edges is done, and no other has its colour.
    pub(super) fn flag_roots<K: Key>(
        &self,
        graph: &Graph<K>,
        color: &[Vertex],
        own: Range<usize>,
    ) -> Vec<u32> {
        values(self.threads, own.len(), |index| {
            let vertex = own.start + index;
            u32::from(color[vertex] as usize == vertex && !graph.row(vertex).is_empty())
        })
    }

    /// Algorithm 12: the degrees of all new vertices. Collective.
    pub(super) fn count_new_edges<K: Key>(
        &self,
        graph: &Graph<K>,
        supervertex: impl Fn(usize) -> u32 + Sync,
        new_vertices: usize,
        own: Range<usize>,
    ) -> Vec<u32> {
        let new_edges = values(self.threads, own.len(), |index| {
            let vertex = own.start + index;
            edges_that_stay(graph, vertex, &supervertex).count() as u32
        });
        let mut outdegree = vec![0; new_vertices];
        for (vertex, new_edges) in own.zip(new_edges).filter(|&(_, new_edges)| new_edges > 0) {
            outdegree[supervertex(vertex) as usize] += new_edges;
        }
        self.world.reduce(Reduction::Sum, &mut outdegree);
        outdegree
    }
}

/// Algorithm 13: the rows of this rank's new vertices.
pub(super) fn insert_new_edges<K: Key>(
    graph: &Graph<K>,
    supervertex: impl Fn(usize) -> u32 + Sync,
    first_edge: &[u32],
    own: Range<usize>,
    threads: usize,
) -> Inserted<K> {
    let entries = (first_edge[own.end] - first_edge[own.start]) as usize;
    let mut inserted = Inserted {
        edge_dst: vec![0; entries],
        edge_wt: vec![K::MIN; entries],
        edge_id: vec![0; entries],
    };
    let (members, first_member) = members(graph, &supervertex, own.clone());
    let segments = inserted.segments(first_edge, own.clone());
    deal(threads, segments.into_iter(), |segment| {
        let Segment { vertices, edge_dst, edge_wt, edge_id } = segment;
        let members = &members[first_member[vertices.start - own.start] as usize
            ..first_member[vertices.end - own.start] as usize];
        let edges = members
            .iter()
            .flat_map(|&vertex| edges_that_stay(graph, vertex as usize, &supervertex));
        for (slot, edge) in edges.enumerate() {
            edge_dst[slot] = supervertex(graph.edge_dst[edge] as usize);
            edge_wt[slot] = graph.edge_wt[edge];
            edge_id[slot] = graph.edge_id[edge];
        }
    });
    inserted
}

/// The edges of a vertex that do not come to lie inside of its new one.
fn edges_that_stay<K: Key>(
    graph: &Graph<K>,
    vertex: usize,
    supervertex: impl Fn(usize) -> u32,
) -> impl Iterator<Item = usize> {
    let row = graph.row(vertex);
    // Who has no edges may have no new vertex either.
    let own = if row.is_empty() { NONE } else { supervertex(vertex) };
    row.filter(move |&edge| supervertex(graph.edge_dst[edge] as usize) != own)
}

/// The vertices that become a rank's new ones, in the order of these, and where those of each
/// begin.
fn members<K: Key>(
    graph: &Graph<K>,
    supervertex: impl Fn(usize) -> u32,
    own: Range<usize>,
) -> (Vec<Vertex>, Vec<u32>) {
    let ours = || {
        let with_edges = (0..graph.vertices()).filter(|&vertex| !graph.row(vertex).is_empty());
        let numbered = with_edges.map(|vertex| (vertex, supervertex(vertex) as usize));
        numbered.filter(|(_, new)| own.contains(new)).map(|(vertex, new)| (vertex, new - own.start))
    };
    let mut first = vec![0; own.len() + 1];
    for (_, new) in ours() {
        first[new + 1] += 1;
    }
    for new in 0..own.len() {
        first[new + 1] += first[new];
    }
    let mut members = vec![0; first[own.len()] as usize];
    let mut next = first.clone();
    for (vertex, new) in ours() {
        members[next[new] as usize] = vertex as Vertex;
        next[new] += 1;
    }
    (members, first)
}

impl<K> Inserted<K> {
    /// Cut at the starts of rows, into pieces that are worth being dealt out.
    fn segments(&mut self, first_edge: &[u32], own: Range<usize>) -> Vec<Segment<'_, K>> {
        let (mut edge_dst, mut edge_wt, mut edge_id) =
            (&mut self.edge_dst[..], &mut self.edge_wt[..], &mut self.edge_id[..]);
        let mut segments = Vec::new();
        let mut start = own.start;
        for end in own.start + 1..=own.end {
            let entries = (first_edge[end] - first_edge[start]) as usize;
            if entries >= BLOCK || end == own.end {
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

    /// A ring with chords, of which three consecutive vertices each become one.
    #[test]
    fn the_rows_of_all_ranks_are_those_of_the_new_graph() {
        let (n, new) = (9000_usize, 3000);
        let chord = |vertex: usize| [(vertex + 1) % n, (vertex + n - 1) % n, n - 1 - vertex];
        let mut graph: Graph<u32> =
            Graph { first_edge: vec![0], edge_dst: vec![], edge_wt: vec![], edge_id: vec![] };
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
            for edge in edges_that_stay(&graph, vertex, supervertex) {
                assert_ne!(graph.edge_dst[edge] as usize / 3, vertex / 3);
                expected.push((graph.edge_dst[edge] / 3, graph.edge_wt[edge], graph.edge_id[edge]));
            }
            if vertex % 3 == 2 {
                first_edge.push(expected.len() as u32);
            }
        }
        assert!(expected.len() > 2 * BLOCK);
        for (ranks, threads) in [(1, 1), (1, 3), (4, 2), (7, 1)] {
            let blocks = crate::rows::Blocks::new(new, ranks);
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
