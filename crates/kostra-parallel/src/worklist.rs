//! A list of edges that many threads fill at once: the output of a parallel filter.
//!
//! * Source: Shou & He 2024, section 3.3, optimization 1a.
//! * A thread that keeps an edge takes the next number of an atomic counter, and writes the edge to
//!   that place. No other thread gets that number. The order of the list depends on timing, so
//!   solvers compare edges by rank, not by place.
//! * Progress: wait-free, one atomic addition an edge on a counter that all threads share.
//! * Memory order: relaxed. Tickets are unique in any order, and the list is read in a later step
//!   of the team.
//! * 12 bytes an edge.

use std::sync::atomic::Ordering::Relaxed;

use kostra_core::{EdgeId, Vertex};

use crate::sync::{AtomicU32, AtomicU64, AtomicUsize, lend_u32, lend_u64};

/// Edges between components, each with the id that it has in the graph.
pub struct Worklist<'a> {
    ends: &'a [AtomicU64],
    ids: &'a [AtomicU32],
    tickets: AtomicUsize,
}

impl<'a> Worklist<'a> {
    /// How many words a list of `edges` edges takes.
    pub const fn words(edges: usize) -> usize {
        edges + edges.div_ceil(2)
    }

    /// A list of up to `edges` edges in [`words(edges)`](Self::words) words, whatever they hold.
    /// Its first `len` places are taken; each must be [set](Self::set) before it is read.
    pub fn in_words(words: &'a mut [u64], edges: usize, len: usize) -> Self {
        let (ends, ids) = words.split_at_mut(edges);
        let ids = lend_u32(bytemuck::cast_slice_mut(ids));
        Self { ends: lend_u64(ends), ids, tickets: AtomicUsize::new(len) }
    }

    /// How many edges are in the list.
    pub fn count(&self) -> usize {
        self.tickets.load(Relaxed)
    }

    /// Empties the list.
    pub fn clear(&self) {
        self.tickets.store(0, Relaxed);
    }

    /// Adds an edge.
    pub fn push(&self, ends: (Vertex, Vertex), id: EdgeId) {
        let ticket = self.tickets.fetch_add(1, Relaxed);
        self.set(ticket, ends, id);
    }

    /// Writes an edge to a place.
    pub fn set(&self, place: usize, ends: (Vertex, Vertex), id: EdgeId) {
        self.set_ends(place, ends);
        self.ids[place].store(id, Relaxed);
    }

    /// Changes the ends of the edge in a place.
    pub fn set_ends(&self, place: usize, (u, v): (Vertex, Vertex)) {
        self.ends[place].store(u64::from(u) << 32 | u64::from(v), Relaxed);
    }

    /// The ends of the edge in a place.
    pub fn ends(&self, place: usize) -> (Vertex, Vertex) {
        let ends = self.ends[place].load(Relaxed);
        ((ends >> 32) as Vertex, ends as Vertex)
    }

    /// The id of the edge in a place.
    pub fn id(&self, place: usize) -> EdgeId {
        self.ids[place].load(Relaxed)
    }
}

#[cfg(all(test, loom))]
mod under_loom {
    use super::*;

    #[test]
    fn no_two_threads_write_to_one_place() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let list = |len| -> &Worklist<'_> {
                Box::leak(Box::new(Worklist::in_words(
                    Vec::leak(vec![0; Worklist::words(4)]),
                    4,
                    len,
                )))
            };
            let (all, kept) = (list(4), list(0));
            (0..4).for_each(|place| all.set(place, (place as u32, 9), place as u32));
            let threads = [0..2, 2..4].map(|places| {
                loom::thread::spawn(move || {
                    places
                        .filter(|place| *place != 1)
                        .for_each(|place| kept.push(all.ends(place), all.id(place)));
                })
            });
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            let mut edges: Vec<_> =
                (0..kept.count()).map(|place| (kept.ends(place), kept.id(place))).collect();
            edges.sort_unstable();
            assert_eq!(edges, [((0, 9), 0), ((2, 9), 2), ((3, 9), 3)]);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team::{Schedule, with_team};

    #[test]
    fn every_edge_that_is_kept_stands_in_the_list_once() {
        let m = if cfg!(miri) { 40 } else { 5000 };
        for threads in [1, 2, 3, 8] {
            let (mut from, mut to) = (vec![7; Worklist::words(m)], vec![7; Worklist::words(m)]);
            let (all, kept) =
                (Worklist::in_words(&mut from, m, m), Worklist::in_words(&mut to, m, 0));
            with_team(threads, |team| {
                team.distribute(m, Schedule::Dynamic(10), |_, range| {
                    range.for_each(|place| all.set(place, (place as u32, 5), 2 * place as u32));
                });
                team.distribute(m, Schedule::Dynamic(10), |_, range| {
                    for place in range.filter(|place| place % 3 == 0) {
                        kept.push(all.ends(place), all.id(place));
                    }
                });
            });
            let mut ids: Vec<_> =
                (0..kept.count()).map(|place| (kept.ends(place).0, kept.id(place))).collect();
            ids.sort_unstable();
            let expected: Vec<_> = (0..m as u32).step_by(3).map(|u| (u, 2 * u)).collect();
            assert_eq!(ids, expected);
            kept.clear();
            assert_eq!(kept.count(), 0);
        }
    }
}
