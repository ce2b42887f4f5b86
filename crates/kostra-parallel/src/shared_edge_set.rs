//! A set of edges that many threads fill at once: the forest, as they find it.
//!
//! * Progress: wait-free on processors that have an atomic OR, lock-free elsewhere. An insertion is
//!   one of these.
//! * Memory order: relaxed. Each bit goes from 0 to 1 once, so one insertion alone is told that an
//!   edge is new, and nothing else is published through the set, which is read when the team is
//!   done.
//! * One bit an edge.

use std::sync::atomic::Ordering::Relaxed;

use kostra_core::{EdgeId, EdgeSet, OutOfMemory, prefetch, with_room};

use crate::sync::AtomicU64;

/// A set of the edges of a graph.
pub struct SharedEdgeSet {
    words: Vec<AtomicU64>,
}

impl SharedEdgeSet {
    /// An empty set of ids below `edges`, if the system grants the memory.
    pub fn new(edges: usize) -> Result<Self, OutOfMemory> {
        let count = edges.div_ceil(64);
        let mut words = with_room(count)?;
        words.resize_with(count, || AtomicU64::new(0));
        Ok(Self { words })
    }

    /// Adds an edge, and says whether it was new.
    #[inline]
    pub fn insert(&self, id: EdgeId) -> bool {
        let bit = 1 << (id % 64);
        self.words[id as usize / 64].fetch_or(bit, Relaxed) & bit == 0
    }

    /// Adds an edge while no other thread does, which needs no exchange.
    #[inline]
    pub fn insert_alone(&self, id: EdgeId) {
        let word = &self.words[id as usize / 64];
        word.store(word.load(Relaxed) | 1 << (id % 64), Relaxed);
    }

    /// Starts bringing what an insertion will write to into the cache.
    #[inline]
    pub fn prefetch(&self, id: EdgeId) {
        prefetch(&self.words, id as usize / 64);
    }

    /// The same set, for one owner.
    pub fn into_edge_set(self) -> EdgeSet {
        EdgeSet::from_words(self.words.into_iter().map(AtomicU64::into_inner).collect())
    }
}

#[cfg(all(test, loom))]
mod under_loom {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn one_insertion_alone_is_told_that_an_edge_is_new() {
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
    fn every_edge_that_is_inserted_is_in_the_set() {
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
