//! Disjoint sets of vertices that several threads merge and search without waiting for each other.
//!
//! Every element has one 64-bit *record*: its rank in the upper half, its parent in the lower half.
//! So one compare-exchange checks and changes both. A root is its own parent. Roots are linked by
//! rank, equal ranks by number. The rank of an element never changes after it stops being a root.
//!
//! * Source: Shou & He 2024, section 3.2, Listing 4, after Anderson & Woll 1991.
//! * Correctness: `(rank, element)` strictly ascends along every path. A link is a compare-exchange
//!   that succeeds only if the element is still a root of the expected rank. The rank of the other
//!   root may be out of date, but ranks only grow. So there is never a cycle, and no link is lost.
//! * Two deviations from Listing 4, which is wrong there.
//!   - Line 37 gives a linked root the rank of its new parent. Then an element that another thread
//!     has just linked under `u` can show the rank of `u`. It looks like a root with a rank above
//!     that of `u`, and `u` is linked under it: a cycle. Here, as in Anderson & Woll, a linked root
//!     keeps its own rank.
//!   - Line 35 swaps the ranks but not the elements. Then the compare-exchange never succeeds for
//!     different ranks, and for equal ranks two threads can link two roots under each other. Here
//!     all four variables are swapped.
//! * Progress: wait-free. A search ascends in the finite order of `(rank, element)` and does not
//!   repeat a failed compare-exchange. A merge restarts only when another thread has linked one of
//!   its two roots or raised a rank. There are at most n - 1 links and n - 1 raised ranks.
//! * Memory order: relaxed. Each claim above is about a single record, and also holds for a value
//!   that is out of date. The records publish no other data, and a later step of the team sees the
//!   merges of an earlier one.
//! * Cost: a path has O(log n) elements. It is longer only while a thread is between a link and the
//!   raise of the rank that belongs to it. 8 bytes per element.

use std::sync::atomic::Ordering::Relaxed;

use kostra_core::Vertex;

use kostra_parallel::sync::{AtomicU64, as_atomic_u64};

/// Disjoint sets over `0..n`.
pub struct SharedUnionFind<'a> {
    records: &'a [AtomicU64],
    path_compression: bool,
}

impl<'a> SharedUnionFind<'a> {
    /// Disjoint sets in one word per element, of any content. The caller must call
    /// [`make_set`](Self::make_set) for each element before it uses it.
    ///
    /// With `path_compression`, searches shorten the paths that they follow, with one atomic write
    /// per step.
    pub fn in_words(words: &'a mut [u64], path_compression: bool) -> Self {
        Self { records: as_atomic_u64(words), path_compression }
    }

    /// Makes an element a set of its own.
    pub fn make_set(&self, element: Vertex) {
        self.records[element as usize].store(record(0, element), Relaxed);
    }

    /// The representative of the element's set. During merges the result may have just been
    /// linked.
    pub fn find(&self, mut element: Vertex) -> Vertex {
        let mut found = self.load(element);
        loop {
            let parent = parent(found);
            if parent == element {
                return element;
            }
            let above = self.load(parent);
            if !self.path_compression {
                (element, found) = (parent, above);
                continue;
            }
            let grandparent = self::parent(above);
            if grandparent != parent {
                let shortened = record(rank(found), grandparent);
                // If it fails, another thread has shortened the path.
                let _ = self.records[element as usize]
                    .compare_exchange(found, shortened, Relaxed, Relaxed);
            }
            element = grandparent;
            found = self.load(element);
        }
    }

    /// Merges the sets of two elements; whether this call merged them.
    pub fn join(&self, u: Vertex, v: Vertex) -> bool {
        let (mut u, mut v) = (u, v);
        loop {
            (u, v) = (self.find(u), self.find(v));
            if u == v {
                return false;
            }
            let (mut rank_u, mut rank_v) = (rank(self.load(u)), rank(self.load(v)));
            if (rank_u, u) > (rank_v, v) {
                (u, v, rank_u, rank_v) = (v, u, rank_v, rank_u);
            }
            if self.update_root(u, rank_u, v, rank_u) {
                if rank_u == rank_v {
                    // If it fails, another thread has raised or linked the root, and the path
                    // still ascends.
                    self.update_root(v, rank_v, v, rank_v + 1);
                }
                return true;
            }
        }
    }

    /// Changes the record of an element if it is still a root of rank `old_rank`.
    fn update_root(&self, element: Vertex, old_rank: u32, parent: Vertex, new_rank: u32) -> bool {
        let (root, updated) = (record(old_rank, element), record(new_rank, parent));
        self.records[element as usize].compare_exchange(root, updated, Relaxed, Relaxed).is_ok()
    }

    fn load(&self, element: Vertex) -> u64 {
        self.records[element as usize].load(Relaxed)
    }
}

fn record(rank: u32, parent: Vertex) -> u64 {
    u64::from(rank) << 32 | u64::from(parent)
}

fn rank(record: u64) -> u32 {
    (record >> 32) as u32
}

fn parent(record: u64) -> Vertex {
    record as Vertex
}

#[cfg(all(test, loom))]
mod under_loom {
    use super::*;

    /// Has threads merge a pair each, after some merges, and asserts that the sets are right in
    /// every interleaving.
    fn check(
        n: u32,
        before: &'static [(u32, u32)],
        pairs: &'static [(u32, u32)],
        path_compression: bool,
    ) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(move || {
            let words = Vec::leak(vec![0; n as usize]);
            let sets: &SharedUnionFind<'_> =
                Box::leak(Box::new(SharedUnionFind::in_words(words, path_compression)));
            (0..n).for_each(|element| sets.make_set(element));
            let mut expected = kostra_core::UnionFind::new(n);
            for &(u, v) in before {
                assert_eq!(sets.join(u, v), expected.union(u, v));
            }
            let threads: Vec<_> = pairs[1..]
                .iter()
                .map(|&(u, v)| loom::thread::spawn(move || sets.join(u, v)))
                .collect();
            let mut claimed = usize::from(sets.join(pairs[0].0, pairs[0].1));
            claimed += threads
                .into_iter()
                .map(|thread| usize::from(thread.join().unwrap()))
                .sum::<usize>();
            assert_eq!(claimed, pairs.iter().filter(|(u, v)| expected.union(*u, *v)).count());
            for (u, v) in (0..n).flat_map(|u| (0..u).map(move |v| (u, v))) {
                assert_eq!(sets.find(u) == sets.find(v), expected.same(u, v));
            }
        });
    }

    #[test]
    fn two_threads_that_merge_one_pair_do_it_once() {
        for path_compression in [false, true] {
            check(2, &[], &[(0, 1), (1, 0)], path_compression);
            check(3, &[(0, 1)], &[(1, 2), (2, 0)], path_compression);
        }
    }

    #[test]
    fn two_threads_that_merge_one_root_lose_no_merge() {
        for path_compression in [false, true] {
            check(3, &[], &[(0, 1), (1, 2)], path_compression);
            check(4, &[(0, 1), (2, 3)], &[(0, 2), (3, 1)], path_compression);
            check(5, &[(0, 1), (2, 3), (1, 3)], &[(0, 4), (4, 2)], path_compression);
        }
    }

    #[test]
    fn a_path_is_shortened_while_its_root_is_linked() {
        const TWO_TREES_OF_FOUR: &[(u32, u32)] = &[(0, 1), (2, 3), (1, 3), (4, 5), (6, 7), (5, 7)];
        check(8, TWO_TREES_OF_FOUR, &[(3, 7), (0, 4)], true);
    }

    #[test]
    fn three_threads_around_a_triangle_merge_twice() {
        check(3, &[], &[(0, 1), (1, 2), (2, 0)], true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kostra_parallel::{Schedule, with_team};

    /// Merges pairs with some threads, and returns the representatives and how often a merge was
    /// claimed.
    fn joined(
        n: u32,
        pairs: &[(u32, u32)],
        threads: usize,
        path_compression: bool,
    ) -> (Vec<u32>, usize) {
        let mut words = vec![u64::MAX; n as usize];
        let sets = SharedUnionFind::in_words(&mut words, path_compression);
        let claimed = AtomicU64::new(0);
        with_team(threads, |team| {
            team.distribute(n as usize, Schedule::Dynamic(10), |_, range| {
                range.for_each(|element| sets.make_set(element as u32));
            });
            team.distribute(pairs.len(), Schedule::Dynamic(3), |_, range| {
                for &(u, v) in &pairs[range] {
                    claimed.fetch_add(sets.join(u, v).into(), Relaxed);
                }
            });
        });
        ((0..n).map(|element| sets.find(element)).collect(), claimed.load(Relaxed) as usize)
    }

    #[test]
    fn merges_are_neither_lost_nor_claimed_twice() {
        let n = if cfg!(miri) { 50 } else { 2000 };
        let mut state = 1_u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % n
        };
        let pairs: Vec<_> = (0..n).map(|_| (random(), random())).collect();
        let mut expected = kostra_core::UnionFind::new(n);
        let merges = pairs.iter().filter(|(u, v)| expected.union(*u, *v)).count();
        for threads in [1, 2, 3, 8] {
            for path_compression in [false, true] {
                let (representatives, claimed) = joined(n, &pairs, threads, path_compression);
                assert_eq!(claimed, merges);
                for element in 0..n {
                    let lowest = expected.find(element);
                    assert_eq!(representatives[element as usize], representatives[lowest as usize]);
                }
            }
        }
    }

    #[test]
    fn paths_stay_short_without_compression() {
        let n = 1 << 10;
        let mut words = vec![0; n as usize];
        let sets = SharedUnionFind::in_words(&mut words, false);
        (0..n).for_each(|element| sets.make_set(element));
        for stride in (0..10).map(|bit| 1 << bit) {
            for low in (0..n).step_by(2 * stride as usize) {
                assert!(sets.join(low, low + stride));
            }
        }
        let depth = |element: u32| {
            std::iter::successors(Some(element), |&e| {
                let parent = parent(sets.load(e));
                (parent != e).then_some(parent)
            })
            .count()
        };
        assert!((0..n).map(depth).max() <= Some(11));
    }
}
