//! A set of edges that several threads fill: the forest while it is found.
//!
//! * Progress: wait-free on processors with an atomic OR, lock-free elsewhere. An insertion is one
//!   atomic OR.
//! * Memory order: relaxed. Each bit changes from 0 to 1 once, so exactly one insertion of an edge
//!   returns `true`. The set publishes no other data, and it is read after the team has ended.
//! * Memory: one bit per edge.

use std::sync::atomic::Ordering::Relaxed;

use kostra_core::{EdgeId, EdgeSet, OutOfMemory, prefetch, with_capacity_in_large_pages};

use crate::sync::AtomicU64;

/// A set of edge ids.
pub struct SharedEdgeSet {
    words: Vec<AtomicU64>,
}

impl SharedEdgeSet {
    /// An empty set for ids below `edges`.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn new(edges: usize) -> Result<Self, OutOfMemory> {
        let count = edges.div_ceil(64);
        let mut words = with_capacity_in_large_pages(count)?;
        words.resize_with(count, || AtomicU64::new(0));
        Ok(Self { words })
    }

    /// Adds an edge; whether it was new.
    #[inline]
    pub fn insert(&self, id: EdgeId) -> bool {
        let bit = 1 << (id % 64);
        self.words[id as usize / 64].fetch_or(bit, Relaxed) & bit == 0
    }

    /// Adds an edge while no other thread writes to the set, which needs no atomic OR.
    #[inline]
    pub fn insert_alone(&self, id: EdgeId) {
        let word = &self.words[id as usize / 64];
        word.store(word.load(Relaxed) | 1 << (id % 64), Relaxed);
    }

    /// Whether the set has an edge.
    #[inline]
    pub fn contains(&self, id: EdgeId) -> bool {
        self.words[id as usize / 64].load(Relaxed) & 1 << (id % 64) != 0
    }

    /// Prefetches the word that an insertion of `id` writes.
    #[inline]
    pub fn prefetch(&self, id: EdgeId) {
        prefetch(&self.words, id as usize / 64);
    }

    /// The same set as a set of one owner.
    pub fn into_edge_set(self) -> EdgeSet {
        EdgeSet::from_words(self.words.into_iter().map(AtomicU64::into_inner).collect())
    }
}

#[cfg(all(test, loom))]
mod under_loom {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn exactly_one_insertion_of_an_edge_returns_true() {
        loom::model(|| {
            let set = Arc::new(SharedEdgeSet::new(3).unwrap());
            let insert =
                |set: &SharedEdgeSet, ids: [EdgeId; 2]| ids.map(|id| usize::from(set.insert(id)));
            let other = {
                let set = Arc::clone(&set);
                loom::thread::spawn(move || insert(&set, [1, 0]))
            };
            let told = [insert(&set, [1, 2]), other.join().unwrap()];
            assert_eq!(told.iter().flatten().sum::<usize>(), 3);
            assert_eq!(Arc::into_inner(set).unwrap().into_edge_set().into_ids(), [0, 1, 2]);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team::{Schedule, with_team};

    #[test]
    fn every_inserted_edge_is_in_the_set() {
        let m = if cfg!(miri) { 200 } else { 10_000 };
        for threads in [1, 2, 3, 8] {
            let set = SharedEdgeSet::new(m).unwrap();
            with_team(threads, |team| {
                team.for_each(3 * m, Schedule::Dynamic(10), |item| {
                    set.insert((item % m / 2 * 2) as EdgeId);
                });
            });
            assert_eq!(
                set.into_edge_set().into_ids(),
                (0..m as EdgeId).step_by(2).collect::<Vec<_>>()
            );
        }
    }
}
