//! Edges that lead out of the giant component: of those to one vertex, the lightest is enough.
//!
//! The giant component hangs together by lighter edges. So two edges from it to one vertex lie on a
//! cycle of which the heavier of the two is the heaviest, and is not in the forest. When most
//! vertices are in the giant component, most edges between components are of this kind.
//!
//! * Progress: lock-free. An exchange fails only when another thread's has brought a lighter edge.
//! * Memory order: relaxed. An offer says all of itself, and the offers are read when all are made.
//! * Eight bytes a vertex.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use kostra_core::{EdgeId, Edges, Key, Vertex, Weight, prefetch};

use super::VERTICES;
use super::scale::{NONE, Scale, pack};
use super::select::{Selection, TOLD};
use kostra_parallel::{Schedule, Team};

/// The lightest edge from the giant component to each vertex outside.
pub(super) struct Spokes<'a, W: Weight> {
    edges: Edges<'a, W>,
    /// The giant component.
    pub(super) giant: Vertex,
    /// The scale of stand-ins.
    pub(super) scale: Scale,
    alone: bool,
    lightest: &'a [AtomicU64],
    /// How many vertices have one.
    len: AtomicUsize,
}

impl<'a, W: Weight> Spokes<'a, W> {
    /// None yet, with room for one to each vertex. O(vertices), over the threads.
    pub(super) fn new(
        team: &Team<'_>,
        edges: Edges<'a, W>,
        giant: Vertex,
        lightest: &'a [AtomicU64],
    ) -> Self {
        team.distribute(lightest.len(), Schedule::Dynamic(VERTICES), |_, range| {
            lightest[range].iter().for_each(|slot| slot.store(NONE, Relaxed));
        });
        let (scale, alone) = (Scale::of_sample(edges), team.threads() == 1);
        Self { edges, giant, scale, alone, lightest, len: AtomicUsize::new(0) }
    }

    pub(super) fn len(&self) -> usize {
        self.len.load(Relaxed)
    }

    /// Offers edges, each to its end outside.
    #[inline]
    pub(super) fn offer(&self, ids: &[EdgeId], in_giant: impl Fn(Vertex) -> bool) {
        let (edges, scale, lightest) = (self.edges, self.scale, self.lightest); // in registers
        let mut ends = [0; TOLD];
        for (&id, end) in ids.iter().zip(&mut ends) {
            prefetch(edges.weights(), id as usize);
            let (u, v) = edges.ends(id);
            *end = if in_giant(u) { v } else { u };
            prefetch(lightest, *end as usize);
        }
        let mut found = 0;
        for (&id, &end) in ids.iter().zip(&ends) {
            let offer = pack(scale.of(edges.key(id)), id);
            let slot = &lightest[end as usize];
            let mut held = slot.load(Relaxed);
            if self.alone && W::Key::BITS == 32 {
                slot.store(held.min(offer), Relaxed); // without a branch
                found += usize::from(held == NONE);
                continue;
            }
            while scale.is_before(edges, offer, held) {
                match slot.compare_exchange_weak(held, offer, Relaxed, Relaxed) {
                    Ok(_) => {
                        found += usize::from(held == NONE);
                        break;
                    }
                    Err(other) => held = other,
                }
            }
        }
        self.len.fetch_add(found, Relaxed);
    }

    /// The lightest edges to some vertices, each with the vertex and what it has offered: its
    /// stand-in, and below it its id.
    pub(super) fn among(&self, vertices: Range<usize>) -> impl Iterator<Item = (Vertex, u64)> {
        let offers = vertices.clone().zip(&self.lightest[vertices]);
        let offers = offers.map(|(vertex, slot)| (vertex as Vertex, slot.load(Relaxed)));
        offers.filter(|(_, offer)| *offer != NONE)
    }

    /// Adds the lightest edges to a selection.
    pub(super) fn add_to(&self, selection: &Selection<'_>, team: &Team<'_>) {
        team.distribute(self.lightest.len(), Schedule::Dynamic(VERTICES), |_, range| {
            self.among(range).for_each(|(_, offer)| selection.add(offer as EdgeId));
        });
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::{EdgeList, Order};

    use super::*;
    use crate::sequential::tests::Random;
    use crate::threads::fast::select::Candidates;
    use kostra_parallel::with_team;
    use kostra_parallel::{atomic_u32, atomic_u64};

    /// Edges from vertex 0, which is the giant component, to others, written from either end.
    fn star<W: Weight>(spokes: &[(Vertex, W)]) -> EdgeList<W> {
        let ends = |from: usize| -> Vec<Vertex> {
            spokes
                .iter()
                .enumerate()
                .map(|(id, &(end, _))| if id % 2 == from { 0 } else { end })
                .collect()
        };
        let n = 1 + spokes.iter().map(|spoke| spoke.0).max().unwrap();
        let weights: Vec<W> = spokes.iter().map(|spoke| spoke.1).collect();
        EdgeList::new(n as usize, ends(0), ends(1), weights).unwrap()
    }

    /// Sees that of these edges, offered one by one in any of several orders, each vertex keeps the
    /// one that is expected.
    fn check<W: Weight>(spokes: &[(Vertex, W)], expected: &[(Vertex, EdgeId)]) {
        let list = star(spokes);
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
                    let spokes = Spokes::new(team, edges, 0, atomic_u64(&mut lightest));
                    ids.iter().for_each(|&id| spokes.offer(&[id], |vertex| vertex == 0));
                    let kept: Vec<_> = spokes
                        .among(0..edges.vertices() as usize)
                        .map(|(vertex, offer)| (vertex, offer as EdgeId))
                        .collect();
                    assert_eq!(kept, expected, "{ids:?} on {threads} threads");
                    assert_eq!(spokes.len(), expected.len(), "{ids:?} on {threads} threads");
                });
            }
        }
    }

    #[test]
    fn of_equal_weights_the_lowest_edge_id_is_kept_whenever_it_comes() {
        check(&[(2, 7_u32), (1, 7), (1, 7), (1, 7), (2, 7)], &[(1, 1), (2, 0)]);
        check(&[(2, 7_u64), (1, 7), (1, 7), (1, 7), (2, 7)], &[(1, 1), (2, 0)]);
        check(&[(2, 7_u64), (1, 7), (1, 7), (1, 7), (3, u64::MAX)], &[(1, 1), (2, 0), (3, 4)]);
    }

    #[test]
    fn weights_with_one_stand_in_are_told_apart() {
        let spokes = [(1, 300_u64), (1, 200), (1, 201), (2, 500), (2, 300), (3, 1 << 41)];
        let list = star(&spokes);
        let scale = Scale::of_sample(list.edges(Order::Minimum));
        assert_eq!(scale.of(200_u64), scale.of(500_u64), "else there is nothing to learn here");
        check(&spokes, &[(1, 1), (2, 4), (3, 5)]);
    }

    #[test]
    fn the_heaviest_edge_that_can_be_is_kept_where_there_is_no_other() {
        check(&[(1, 0), (2, u32::MAX)], &[(1, 0), (2, 1)]);
        check(&[(1, 0), (2, u64::MAX)], &[(1, 0), (2, 1)]);
        check(&[(1, 0.0), (2, f64::INFINITY)], &[(1, 0), (2, 1)]);
    }

    /// All threads go through the vertices together, each with edges of its own.
    fn check_at_once<W: Weight>(weight: impl Fn(u32) -> W) {
        let (vertices, each) = if cfg!(miri) { (4, 4) } else { (2000, 6) };
        let mut random = Random(9);
        let spokes: Vec<_> =
            (0..vertices * each).map(|id| (1 + id / each, weight(random.below(5)))).collect();
        let list = star(&spokes);
        let edges = list.edges(Order::Minimum);
        let lightest_of = |ids: Range<EdgeId>| ids.min_by_key(|&id| edges.rank(id)).unwrap();
        let expected: Vec<(Vertex, EdgeId)> = (0..vertices)
            .map(|vertex| (1 + vertex, lightest_of(vertex * each..(vertex + 1) * each)))
            .collect();
        let mut lightest = vec![0; 1 + vertices as usize];
        for threads in [1, 2, 3] {
            with_team(threads, |team| {
                for _ in 0..if cfg!(miri) { 3 } else { 30 } {
                    let spokes = Spokes::new(team, edges, 0, atomic_u64(&mut lightest));
                    team.on_all(|thread| {
                        let own: Vec<EdgeId> = edges
                            .ids()
                            .filter(|&id| id as usize % team.threads() == thread)
                            .collect();
                        own.chunks(TOLD).for_each(|ids| spokes.offer(ids, |vertex| vertex == 0));
                    });
                    let kept = spokes.among(0..1 + vertices as usize);
                    let kept: Vec<_> =
                        kept.map(|(vertex, offer)| (vertex, offer as EdgeId)).collect();
                    assert!(kept == expected, "on {threads} threads");
                    assert_eq!(spokes.len(), expected.len(), "on {threads} threads");
                }
            });
        }
    }

    #[test]
    fn threads_that_offer_at_once_leave_each_vertex_its_lightest_edge() {
        check_at_once(|weight| weight);
        // In pairs with one stand-in.
        check_at_once(|weight| u64::from(weight / 2) << 60 | u64::from(weight % 2));
    }

    #[test]
    fn a_filter_with_spokes_added_selects_the_lightest_edge_to_each_vertex_and_what_lies_outside() {
        let (n, m) = if cfg!(miri) { (40, 200_u32) } else { (40_000, 100_000) };
        let mut random = Random(10);
        // The giant component holds the first four vertices, to one of which every other edge
        // leads; others are pairs.
        let u: Vec<Vertex> =
            (0..m).map(|id| random.below(if id % 2 == 0 { 4 } else { n })).collect();
        let v: Vec<Vertex> = (0..m).map(|_| random.below(n)).collect();
        let w: Vec<u64> =
            (0..m).map(|_| u64::from(random.below(3)) << 60 | u64::from(random.below(3))).collect();
        let list = EdgeList::new(n as usize, u, v, w).unwrap();
        let edges = list.edges(Order::Minimum);
        let component = |vertex: Vertex| if vertex < 4 { 0 } else { vertex & !1 };

        let mut expected = Vec::new();
        let mut spokes_to = vec![None; n as usize];
        for id in edges.ids() {
            let (u, v) = edges.ends(id);
            match (u < 4, v < 4) {
                (false, false) if component(u) != component(v) => expected.push(id),
                (true, false) | (false, true) => {
                    let lightest = &mut spokes_to[u.max(v) as usize];
                    *lightest = Some(edges.rank(id).min(lightest.unwrap_or(u128::MAX)));
                }
                _ => (),
            }
        }
        let outside = expected.len();
        expected.extend(spokes_to.into_iter().flatten().map(<u64 as Key>::rank_id));
        let spokes_kept = expected.len() - outside;
        expected.sort_unstable();

        let mut components: Vec<Vertex> = (0..n).map(component).collect();
        let components = atomic_u32(&mut components);
        let mut giant = vec![0; n.div_ceil(64) as usize];
        giant[0] = 0b1111;
        let giant = atomic_u64(&mut giant);
        for threads in [1, 2, 3] {
            let words = m.div_ceil(64) as usize;
            let (mut heavy, mut room, mut lightest) =
                (vec![0; words], vec![0; words], vec![0; n as usize]);
            let (heavy, room) =
                (Selection::new(atomic_u64(&mut heavy)), Selection::new(atomic_u64(&mut room)));
            with_team(threads, |team| {
                let spokes = Spokes::new(team, edges, 0, atomic_u64(&mut lightest));
                let candidates = Candidates::All(m as usize);
                heavy.take_apart(
                    team,
                    edges,
                    candidates,
                    (components, giant),
                    Some((&spokes, &room)),
                );
                assert_eq!(
                    (heavy.len(), spokes.len()),
                    (outside, spokes_kept),
                    "on {threads} threads"
                );
                spokes.add_to(&heavy, team);
                assert_eq!(heavy.len(), expected.len(), "on {threads} threads");
                assert!(heavy.ids(0..words).eq(expected.iter().copied()), "on {threads} threads");
            });
        }
    }
}
