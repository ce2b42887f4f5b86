//! The kernels of a round, in the order in which they run. Each works on a rank's own vertices.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use kostra_core::{EdgeId, Key, Vertex};
use kostra_mpi::{Communicator, Parts, Reduction, VertexDistribution};
use kostra_parallel::{atomic_u32, atomic_u64};

use super::contracted_graph::{ContractedGraph, NONE};
use super::threads::{ITEMS_PER_TASK, distribute, for_each, values};

/// The vertices of a rank in a round.
pub(super) struct OwnVertices<'a, K> {
    pub(super) graph: &'a ContractedGraph<K>,
    pub(super) own: Range<usize>,
    pub(super) threads: usize,
}

/// The new vertices of a rank.
pub(super) struct NewVertices<'a> {
    pub(super) own: Range<usize>,
    /// The starts of the rows of all new vertices, and the end of the last row.
    pub(super) first_edge: &'a [u32],
    /// The vertices with edges that become part of `own`, in any order.
    pub(super) members: &'a [Member],
}

/// The rows of a rank's new vertices.
pub(super) struct NewRows<K> {
    pub(super) edge_dst: Vec<Vertex>,
    pub(super) edge_wt: Vec<K>,
    pub(super) edge_id: Vec<EdgeId>,
}

/// A vertex with edges below its new vertex, in one number, so that a sort brings the members of a
/// new vertex together.
pub(super) type Member = u64;

/// The destination of the rows of some new vertices.
struct Segment<'a, K> {
    vertices: Range<usize>,
    members: &'a mut [Vertex],
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
        let mut outdegree = vec![0; new_vertices];
        let degree = atomic_u32(&mut outdegree);
        for_each(self.threads, self.own.len(), |index| {
            let vertex = self.own.start + index;
            let new_edges = self.graph.edges_that_stay(vertex, &supervertex).count() as u32;
            if new_edges > 0 {
                degree[supervertex(vertex) as usize].fetch_add(new_edges, Relaxed);
            }
        });
        world.reduce(Reduction::Sum, &mut outdegree);
        outdegree
    }

    /// This rank's vertices with edges, each for the rank that owns its new vertex. Every rank
    /// looks at its own vertices only, and its threads share them.
    pub(super) fn members_by_rank(
        &self,
        supervertex: impl Fn(usize) -> u32 + Sync,
        new_vertices: VertexDistribution,
    ) -> Parts<Member> {
        let ranks = new_vertices.ranks();
        let new_vertex = values(self.threads, self.own.len(), |index| {
            let vertex = self.own.start + index;
            if self.graph.row(vertex).is_empty() { NONE } else { supervertex(vertex) }
        });
        let owner = |new: u32| new_vertices.owner(new.into());
        let tasks = || new_vertex.chunks(ITEMS_PER_TASK);
        let mut next = vec![0; tasks().len() * ranks];
        distribute(self.threads, next.chunks_mut(ranks).zip(tasks()), |(counts, task)| {
            task.iter().filter(|&&new| new != NONE).for_each(|&new| counts[owner(new)] += 1);
        });
        // Counts become the places at which tasks begin: by rank, and for a rank by task.
        let mut end = 0;
        let lengths = (0..ranks).map(|rank| {
            let begin = end;
            for place in next.iter_mut().skip(rank).step_by(ranks) {
                end += std::mem::replace(place, end);
            }
            end - begin
        });
        let lengths: Vec<_> = lengths.collect();
        let mut members = vec![0; end];
        let slots = atomic_u64(&mut members);
        let tasks = next.chunks_mut(ranks).zip(tasks()).enumerate();
        distribute(self.threads, tasks, |(number, (next, task))| {
            let first = self.own.start + number * ITEMS_PER_TASK;
            for (vertex, &new) in (first..).zip(task).filter(|&(_, &new)| new != NONE) {
                let place = &mut next[owner(new)];
                slots[*place].store(u64::from(new) << 32 | vertex as u64, Relaxed);
                *place += 1;
            }
        });
        Parts::new(members, lengths)
    }
}

/// Algorithm 13: the rows of new vertices.
pub(super) fn insert_new_edges<K: Key>(
    graph: &ContractedGraph<K>,
    supervertex: impl Fn(usize) -> u32 + Sync,
    new: &NewVertices<'_>,
    threads: usize,
) -> NewRows<K> {
    let start = new.own.start;
    let entries = (new.first_edge[new.own.end] - new.first_edge[start]) as usize;
    let mut rows = NewRows {
        edge_dst: vec![0; entries],
        edge_wt: vec![K::MIN; entries],
        edge_id: vec![0; entries],
    };
    let (mut members, first_member) = new.grouped_members(threads);
    let segments = rows.segments(new, &mut members, &first_member);
    distribute(threads, segments.into_iter(), |segment| {
        let Segment { vertices, members, edge_dst, edge_wt, edge_id } = segment;
        let first = &first_member[vertices.start - start..=vertices.end - start];
        for ends in first.windows(2) {
            // The order in which threads have placed members must not show.
            members[(ends[0] - first[0]) as usize..(ends[1] - first[0]) as usize].sort_unstable();
        }
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

impl NewVertices<'_> {
    /// The members by new vertex, in any order within one, and the position at which the members of
    /// each new vertex begin.
    fn grouped_members(&self, threads: usize) -> (Vec<Vertex>, Vec<u32>) {
        let Self { own, members, .. } = self;
        let new_vertex = |member: Member| (member >> 32) as usize - own.start;
        let mut first = vec![0; own.len() + 1];
        let count = atomic_u32(&mut first);
        for_each(threads, members.len(), |index| {
            count[new_vertex(members[index]) + 1].fetch_add(1, Relaxed);
        });
        for new in 0..own.len() {
            first[new + 1] += first[new];
        }
        let (mut grouped, mut next) = (vec![0; members.len()], first.clone());
        let (vertices, next) = (atomic_u32(&mut grouped), atomic_u32(&mut next));
        for_each(threads, members.len(), |index| {
            let slot = next[new_vertex(members[index])].fetch_add(1, Relaxed);
            vertices[slot as usize].store(members[index] as Vertex, Relaxed);
        });
        (grouped, first)
    }
}

impl<K> NewRows<K> {
    /// Splits the rows at the starts of rows, into segments that are worth a task.
    fn segments<'a>(
        &'a mut self,
        new: &NewVertices<'_>,
        mut members: &'a mut [Vertex],
        first_member: &[u32],
    ) -> Vec<Segment<'a, K>> {
        let NewVertices { own, first_edge, .. } = new;
        let (mut edge_dst, mut edge_wt, mut edge_id) =
            (&mut self.edge_dst[..], &mut self.edge_wt[..], &mut self.edge_id[..]);
        let mut segments = Vec::new();
        let mut start = own.start;
        for end in own.start + 1..=own.end {
            let entries = (first_edge[end] - first_edge[start]) as usize;
            if entries >= ITEMS_PER_TASK || end == own.end {
                let vertices = first_member[end - own.start] - first_member[start - own.start];
                segments.push(Segment {
                    vertices: start..end,
                    members: members.split_off_mut(..vertices as usize).unwrap_or_default(),
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
            let blocks = VertexDistribution::new(new, ranks);
            let range = |blocks: VertexDistribution, rank| {
                blocks.first(rank) as usize..blocks.first(rank + 1) as usize
            };
            let old = VertexDistribution::new(n as u64, ranks);
            let sent: Vec<_> = (0..ranks)
                .map(|rank| {
                    let vertices = OwnVertices { graph: &graph, own: range(old, rank), threads };
                    vertices.members_by_rank(supervertex, blocks)
                })
                .collect();
            let mut found = vec![];
            for rank in 0..ranks {
                let members: Vec<_> =
                    sent.iter().flat_map(|parts| parts.part(rank)).copied().collect();
                let own = range(blocks, rank);
                let new = NewVertices { own, first_edge: &first_edge, members: &members };
                let rows = insert_new_edges(&graph, supervertex, &new, threads);
                let edges = rows.edge_dst.iter().zip(&rows.edge_wt).zip(&rows.edge_id);
                found.extend(edges.map(|((&to, &weight), &id)| (to, weight, id)));
            }
            assert!(found == expected, "{ranks} ranks, {threads} threads");
        }
    }
}
