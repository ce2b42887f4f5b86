//! Edges that lead out of the giant component: of those to one vertex, the lightest is enough.
//!
//! The giant component hangs together by lighter edges. So two edges from it to one vertex lie on a cycle of which the
//! heavier of the two is the heaviest, and is not in the forest. When most vertices are in the giant component, most edges
//! between components are of this kind.
//!
//! * Progress: lock-free. An exchange fails only when another thread's has brought a lighter edge.
//! * Memory order: relaxed. An offer says all of itself, and the offers are read when all are made.
//! * Eight bytes a vertex.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use kostra_core::{EdgeId, Edges, Key, Vertex, Weight, prefetch};

use super::VERTICES;
use super::scale::{NONE, Scale, is_before, pack};
use super::select::{Selection, TOLD};
use crate::threads::team::{Schedule, Team};

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
        team.deal(lightest.len(), Schedule::Dynamic(VERTICES), |_, range| {
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
            while is_before(edges, |id| id, offer, held) {
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

    /// The lightest edges to some vertices, each with the vertex and what it has offered: its stand-in, and below it its id.
    pub(super) fn among(&self, vertices: Range<usize>) -> impl Iterator<Item = (Vertex, u64)> {
        let offers = vertices.clone().zip(&self.lightest[vertices]);
        let offers = offers.map(|(vertex, slot)| (vertex as Vertex, slot.load(Relaxed)));
        offers.filter(|(_, offer)| *offer != NONE)
    }

    /// Adds the lightest edges to a selection.
    pub(super) fn add_to(&self, selection: &Selection<'_>, team: &Team<'_>) {
        team.deal(self.lightest.len(), Schedule::Dynamic(VERTICES), |_, range| {
            self.among(range).for_each(|(_, offer)| selection.add(offer as EdgeId));
        });
    }
}
