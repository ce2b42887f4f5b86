//! Edges to the giant component: of those from one vertex, only the lightest can be in the forest.
//!
//! Edges up to the pivot connect the giant component. So two remaining edges from one vertex to the
//! giant component are on a cycle, and the heavier one is the heaviest edge of the cycle. If most
//! vertices are in the giant component, most edges between components are of this kind.
//!
//! * Progress: lock-free. A compare-exchange fails only if another thread wrote a lighter edge.
//! * Memory order: relaxed. A slot contains all of its edge, and slots are read after all writes.
//! * Memory: eight bytes per vertex.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use kostra_core::{EdgeId, Edges, Key, Vertex, prefetch};
use kostra_parallel::{Schedule, Team};

use super::labels::VERTEX_BLOCK;
use super::prefix::{NO_CANDIDATE, PrefixScale, pack};
use super::selection::{MAX_IDS, Selection};

/// The lightest edge from each outside vertex to the giant component.
pub(super) struct GiantEdges<'a, K: Key> {
    edges: Edges<'a, K>,
    /// The giant component.
    pub(super) giant: Vertex,
    pub(super) scale: PrefixScale,
    is_alone: bool,
    /// For each vertex: the key prefix above the edge id.
    lightest: &'a [AtomicU64],
    /// The number of vertices that have an edge.
    len: AtomicUsize,
}

impl<'a, K: Key> GiantEdges<'a, K> {
    /// No edges, in `lightest`, which has one slot per vertex. O(vertices), over the threads.
    pub(super) fn new(
        team: &Team<'_>,
        edges: Edges<'a, K>,
        giant: Vertex,
        lightest: &'a [AtomicU64],
    ) -> Self {
        team.distribute(lightest.len(), Schedule::Dynamic(VERTEX_BLOCK), |_, range| {
            lightest[range].iter().for_each(|slot| slot.store(NO_CANDIDATE, Relaxed));
        });
        let (scale, is_alone) = (PrefixScale::of_sample(edges), team.threads() == 1);
        Self { edges, giant, scale, is_alone, lightest, len: AtomicUsize::new(0) }
    }

    pub(super) fn len(&self) -> usize {
        self.len.load(Relaxed)
    }

    /// Keeps the lighter of each edge and the slot of its outside end. Takes up to [`MAX_IDS`]
    /// edges.
    #[inline]
    pub(super) fn write_min(&self, ids: &[EdgeId], in_giant: impl Fn(Vertex) -> bool) {
        let (edges, scale, lightest) = (self.edges, self.scale, self.lightest); // in registers
        let mut ends = [0; MAX_IDS];
        for (&id, end) in ids.iter().zip(&mut ends) {
            prefetch(edges.weights(), id as usize);
            let (u, v) = edges.ends(id);
            *end = if in_giant(u) { v } else { u };
            prefetch(lightest, *end as usize);
        }
        let mut found = 0;
        for (&id, &end) in ids.iter().zip(&ends) {
            let candidate = pack(scale.prefix(edges.key(id)), id);
            let slot = &lightest[end as usize];
            let mut held = slot.load(Relaxed);
            if self.is_alone && K::BITS == 32 {
                slot.store(held.min(candidate), Relaxed); // without a branch
                found += usize::from(held == NO_CANDIDATE);
                continue;
            }
            while scale.is_before(edges, candidate, held) {
                match slot.compare_exchange_weak(held, candidate, Relaxed, Relaxed) {
                    Ok(_) => {
                        found += usize::from(held == NO_CANDIDATE);
                        break;
                    }
                    Err(other) => held = other,
                }
            }
        }
        self.len.fetch_add(found, Relaxed);
    }

    /// The vertices of a range that have an edge, each with the word in its slot.
    pub(super) fn of_vertices(
        &self,
        vertices: Range<usize>,
    ) -> impl Iterator<Item = (Vertex, u64)> {
        let slots = vertices.clone().zip(&self.lightest[vertices]);
        let slots = slots.map(|(vertex, slot)| (vertex as Vertex, slot.load(Relaxed)));
        slots.filter(|(_, candidate)| *candidate != NO_CANDIDATE)
    }

    /// Adds the edges to a selection.
    pub(super) fn add_to(&self, selection: &Selection<'_>, team: &Team<'_>) {
        team.distribute(self.lightest.len(), Schedule::Dynamic(VERTEX_BLOCK), |_, range| {
            self.of_vertices(range).for_each(|(_, candidate)| selection.add(candidate as EdgeId));
        });
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::{EdgeList, Order, Weight};
    use kostra_parallel::{atomic_u64, with_team};

    use super::*;
    use crate::testing::CongruentialGenerator;

    /// Edges from vertex 0, the giant component, to the given vertices. Every other edge is stored
    /// from its outside end.
    fn star<W: Weight>(edges_out: &[(Vertex, W)]) -> EdgeList<W> {
        let ends = |from: usize| -> Vec<Vertex> {
            edges_out
                .iter()
                .enumerate()
                .map(|(id, &(end, _))| if id % 2 == from { 0 } else { end })
                .collect()
        };
        let n = 1 + edges_out.iter().map(|edge| edge.0).max().unwrap();
        let weights: Vec<W> = edges_out.iter().map(|edge| edge.1).collect();
        EdgeList::new(n as usize, ends(0), ends(1), weights).unwrap()
    }

    /// Checks that each vertex keeps the expected edge when edges are written one by one, in
    /// several orders.
    fn check<W: Weight>(edges_out: &[(Vertex, W)], expected: &[(Vertex, EdgeId)]) {
        let list = star(edges_out);
        let edges = list.edges(Order::Minimum);
        let mut ids: Vec<EdgeId> = edges.ids().collect();
        let mut lightest = vec![0; edges.vertices() as usize];
        for turn in 0..2 * ids.len() {
            if turn == ids.len() {
                ids.reverse();
            }
            ids.rotate_left(1);
            for threads in [1, 2] {
                with_team(threads, |team| {
                    let found = GiantEdges::new(team, edges, 0, atomic_u64(&mut lightest));
                    ids.iter().for_each(|&id| found.write_min(&[id], |vertex| vertex == 0));
                    let kept: Vec<_> = found
                        .of_vertices(0..edges.vertices() as usize)
                        .map(|(vertex, edge)| (vertex, edge as EdgeId))
                        .collect();
                    assert_eq!(kept, expected, "{ids:?} on {threads} threads");
                    assert_eq!(found.len(), expected.len(), "{ids:?} on {threads} threads");
                });
            }
        }
    }

    #[test]
    fn of_equal_weights_the_lowest_edge_id_is_kept_in_any_order() {
        check(&[(2, 7_u32), (1, 7), (1, 7), (1, 7), (2, 7)], &[(1, 1), (2, 0)]);
        check(&[(2, 7_u64), (1, 7), (1, 7), (1, 7), (2, 7)], &[(1, 1), (2, 0)]);
        check(&[(2, 7_u64), (1, 7), (1, 7), (1, 7), (3, u64::MAX)], &[(1, 1), (2, 0), (3, 4)]);
    }

    #[test]
    fn different_weights_with_equal_prefixes_are_distinguished() {
        let edges_out = [(1, 300_u64), (1, 200), (1, 201), (2, 500), (2, 300), (3, 1 << 41)];
        let list = star(&edges_out);
        let scale = PrefixScale::of_sample(list.edges(Order::Minimum));
        assert_eq!(scale.prefix(200_u64), scale.prefix(500_u64), "otherwise this tests nothing");
        check(&edges_out, &[(1, 1), (2, 4), (3, 5)]);
    }

    #[test]
    fn the_heaviest_possible_edge_is_kept_if_there_is_no_other() {
        check(&[(1, 0), (2, u32::MAX)], &[(1, 0), (2, 1)]);
        check(&[(1, 0), (2, u64::MAX)], &[(1, 0), (2, 1)]);
        check(&[(1, 0.0), (2, f64::INFINITY)], &[(1, 0), (2, 1)]);
    }

    /// All threads write to all vertices at once, each with edges of its own.
    fn check_at_once<W: Weight>(weight: impl Fn(u32) -> W) {
        let (vertices, each) = if cfg!(miri) { (4, 4) } else { (2000, 6) };
        let mut random = CongruentialGenerator(9);
        let edges_out: Vec<_> =
            (0..vertices * each).map(|id| (1 + id / each, weight(random.below(5)))).collect();
        let list = star(&edges_out);
        let edges = list.edges(Order::Minimum);
        let lightest_of = |ids: Range<EdgeId>| ids.min_by_key(|&id| edges.rank(id)).unwrap();
        let expected: Vec<(Vertex, EdgeId)> = (0..vertices)
            .map(|vertex| (1 + vertex, lightest_of(vertex * each..(vertex + 1) * each)))
            .collect();
        let mut lightest = vec![0; 1 + vertices as usize];
        for threads in [1, 2, 3] {
            with_team(threads, |team| {
                for _ in 0..if cfg!(miri) { 3 } else { 30 } {
                    let found = GiantEdges::new(team, edges, 0, atomic_u64(&mut lightest));
                    team.on_all(|thread| {
                        let own: Vec<EdgeId> = edges
                            .ids()
                            .filter(|&id| id as usize % team.threads() == thread)
                            .collect();
                        own.chunks(MAX_IDS)
                            .for_each(|ids| found.write_min(ids, |vertex| vertex == 0));
                    });
                    let kept = found.of_vertices(0..1 + vertices as usize);
                    let kept: Vec<_> =
                        kept.map(|(vertex, edge)| (vertex, edge as EdgeId)).collect();
                    assert!(kept == expected, "on {threads} threads");
                    assert_eq!(found.len(), expected.len(), "on {threads} threads");
                }
            });
        }
    }

    #[test]
    fn concurrent_writes_leave_each_vertex_its_lightest_edge() {
        check_at_once(|weight| weight);
        // Pairs of weights have equal prefixes.
        check_at_once(|weight| u64::from(weight / 2) << 60 | u64::from(weight % 2));
    }
}
