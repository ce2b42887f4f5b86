//! A list of edges that several threads fill: the output of a parallel filter.
//!
//! * Source: Shou & He 2024, section 3.3, optimization 1a.
//! * A thread that keeps an edge takes a ticket, the next number of an atomic counter, and writes
//!   the edge to that position. The order of the list depends on timing, so solvers compare edges
//!   by rank, not by position.
//! * Progress: wait-free, one atomic addition per edge on a counter that all threads share.
//! * Memory order: relaxed. Tickets are unique in any order, and the list is read in a later step
//!   of the team.
//! * Memory: 12 bytes per edge.

use std::sync::atomic::Ordering::Relaxed;

use kostra_core::{EdgeId, Vertex};

use kostra_parallel::sync::{AtomicU32, AtomicU64, AtomicUsize, as_atomic_u32, as_atomic_u64};

/// Edges with two end points, which may be relabeled, and the edge's id in the graph.
pub struct Worklist<'a> {
    ends: &'a [AtomicU64],
    ids: &'a [AtomicU32],
    tickets: AtomicUsize,
}

impl<'a> Worklist<'a> {
    /// The number of words that a list of `edges` edges takes.
    pub const fn words(edges: usize) -> usize {
        edges + edges.div_ceil(2)
    }

    /// A list with capacity for `edges` edges in [`words(edges)`](Self::words) words of any
    /// content. It has `len` edges; each must be [set](Self::set) before it is read.
    pub fn in_words(words: &'a mut [u64], edges: usize, len: usize) -> Self {
        let (ends, ids) = words.split_at_mut(edges);
        let ids = as_atomic_u32(bytemuck::cast_slice_mut(ids));
        Self { ends: as_atomic_u64(ends), ids, tickets: AtomicUsize::new(len) }
    }

    /// The number of edges in the list.
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

    /// Adds an edge while no other thread writes to the list, which needs no atomic addition.
    pub fn push_alone(&self, ends: (Vertex, Vertex), id: EdgeId) {
        let ticket = self.tickets.load(Relaxed);
        self.tickets.store(ticket + 1, Relaxed);
        self.set(ticket, ends, id);
    }

    /// Writes the edge at a position.
    pub fn set(&self, position: usize, ends: (Vertex, Vertex), id: EdgeId) {
        self.set_ends(position, ends);
        self.ids[position].store(id, Relaxed);
    }

    /// Changes the ends of the edge at a position.
    pub fn set_ends(&self, position: usize, (u, v): (Vertex, Vertex)) {
        self.ends[position].store(u64::from(u) << 32 | u64::from(v), Relaxed);
    }

    /// The ends of the edge at a position.
    pub fn ends(&self, position: usize) -> (Vertex, Vertex) {
        let ends = self.ends[position].load(Relaxed);
        ((ends >> 32) as Vertex, ends as Vertex)
    }

    /// The id of the edge at a position.
    pub fn id(&self, position: usize) -> EdgeId {
        self.ids[position].load(Relaxed)
    }
}

#[cfg(all(test, loom))]
mod under_loom {
    use super::*;

    #[test]
    fn no_two_threads_write_to_the_same_position() {
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
            (0..4).for_each(|position| all.set(position, (position as u32, 9), position as u32));
            let threads = [0..2, 2..4].map(|positions| {
                loom::thread::spawn(move || {
                    positions
                        .filter(|position| *position != 1)
                        .for_each(|position| kept.push(all.ends(position), all.id(position)));
                })
            });
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            let mut edges: Vec<_> = (0..kept.count())
                .map(|position| (kept.ends(position), kept.id(position)))
                .collect();
            edges.sort_unstable();
            assert_eq!(edges, [((0, 9), 0), ((2, 9), 2), ((3, 9), 3)]);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kostra_parallel::{Schedule, with_team};

    #[test]
    fn every_kept_edge_is_in_the_list_once() {
        let m = if cfg!(miri) { 40 } else { 5000 };
        for threads in [1, 2, 3, 8] {
            let (mut from, mut to) = (vec![7; Worklist::words(m)], vec![7; Worklist::words(m)]);
            let (all, kept) =
                (Worklist::in_words(&mut from, m, m), Worklist::in_words(&mut to, m, 0));
            with_team(threads, |team| {
                team.distribute(m, Schedule::Dynamic(10), |_, range| {
                    range.for_each(|position| {
                        all.set(position, (position as u32, 5), 2 * position as u32);
                    });
                });
                team.distribute(m, Schedule::Dynamic(10), |_, range| {
                    for position in range.filter(|position| position % 3 == 0) {
                        kept.push(all.ends(position), all.id(position));
                    }
                });
            });
            let mut ids: Vec<_> = (0..kept.count())
                .map(|position| (kept.ends(position).0, kept.id(position)))
                .collect();
            ids.sort_unstable();
            let expected: Vec<_> = (0..m as u32).step_by(3).map(|u| (u, 2 * u)).collect();
            assert_eq!(ids, expected);
            kept.clear();
            assert_eq!(kept.count(), 0);
        }
    }
}
