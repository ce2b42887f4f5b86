//! Sorting the edges of a batch by radix sort.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use kostra_core::{EdgeId, Edges, Key};
use kostra_parallel::{Schedule, Team};

use super::prefix::PrefixScale;

/// An edge to sort: its key prefix above its id; the two components that it joins.
pub(super) type Item = [AtomicU64; 2];

/// The most bits that one pass sorts by. 2048 write streams are fast even with pages of 4 KiB; 4096
/// are not.
const DIGIT_BITS: u32 = 11;
/// Items that a thread takes at a time when it looks for ties: 256 KiB.
const TIE_BLOCK: usize = 1 << 14;

/// A radix sort of items by the order of their edges.
pub(super) struct Sort<'a, K: Key> {
    pub(super) team: &'a Team<'a>,
    pub(super) edges: Edges<'a, K>,
    pub(super) scale: PrefixScale,
    /// The range of the items' key prefixes.
    pub(super) prefixes: RangeInclusive<u32>,
    /// Whether the items are in ascending order of their ids.
    pub(super) ids_ascend: bool,
}

impl<K: Key> Sort<'_, K> {
    /// Sorts the items. Returns `items` or `spare`, which have equal lengths: the one that contains
    /// the result.
    ///
    /// By least significant digits. The items are partitioned into one part per thread. A pass
    /// counts the digits of each part, computes where the items of each part and digit go, and
    /// copies the items. O(items) per pass, over the threads. Blocking.
    pub(super) fn sort<'b>(&self, items: &'b [Item], spare: &'b [Item]) -> &'b [Item] {
        let lowest = *self.prefixes.start();
        let highest = self.prefixes.end().saturating_sub(lowest);
        let bits = highest.checked_ilog2().map_or(0, |log| log + 1);
        let passes = bits.div_ceil(DIGIT_BITS);
        let width = bits.div_ceil(passes.max(1));
        let (threads, digits) = (self.team.threads(), 1 << width);
        let places: Vec<AtomicU32> = (0..threads * digits).map(|_| AtomicU32::new(0)).collect();
        let places_of = |part: usize| &places[part * digits..][..digits];

        let (mut from, mut to) = (items, spare);
        for pass in 0..passes {
            let digit = Digit { lowest, shift: pass * width, mask: digits - 1 };
            self.team
                .in_parts(from.len(), |part, range| digit.count(&from[range], places_of(part)));
            let mut start = 0;
            for digit in 0..digits {
                for part in 0..threads {
                    start += places_of(part)[digit].swap(start, Relaxed);
                }
            }
            self.team.in_parts(from.len(), |part, range| {
                digit.scatter(&from[range], to, places_of(part));
            });
            std::mem::swap(&mut from, &mut to);
        }
        if !self.scale.is_exact || !self.ids_ascend {
            self.sort_ties(from);
        }
        from
    }

    /// Sorts each run of items with equal key prefixes.
    fn sort_ties(&self, items: &[Item]) {
        let (edges, scale) = (self.edges, self.scale);
        // A run belongs to the block that contains its first item.
        let is_first =
            |index: usize| index == 0 || prefix(&items[index]) != prefix(&items[index - 1]);
        self.team.distribute(items.len(), Schedule::Dynamic(TIE_BLOCK), |_, range| {
            let Some(start) = range.clone().find(|&index| is_first(index)) else { return };
            let end =
                (range.end..items.len()).find(|&index| is_first(index)).unwrap_or(items.len());
            for ties in items[start..end].chunk_by(|a, b| prefix(a) == prefix(b)) {
                if ties.len() == 1 {
                    continue;
                }
                let mut sorted: Vec<_> = ties
                    .iter()
                    .map(|[prefix_id, ends]| (prefix_id.load(Relaxed), ends.load(Relaxed)))
                    .collect();
                if scale.is_exact {
                    sorted.sort_unstable(); // equal prefixes mean equal keys
                } else {
                    sorted.sort_by_cached_key(|&(prefix_id, _)| edges.rank(prefix_id as EdgeId));
                }
                for (item, (prefix_id, ends)) in ties.iter().zip(sorted) {
                    item[0].store(prefix_id, Relaxed);
                    item[1].store(ends, Relaxed);
                }
            }
        });
    }
}

fn prefix(item: &Item) -> u32 {
    (item[0].load(Relaxed) >> 32) as u32
}

/// The bits of a key prefix that one pass sorts by. Passed by value, so that loops keep it in
/// registers.
#[derive(Clone, Copy)]
struct Digit {
    lowest: u32,
    shift: u32,
    mask: usize,
}

impl Digit {
    fn digit(self, item: &Item) -> usize {
        (prefix(item) - self.lowest) as usize >> self.shift & self.mask
    }

    /// Counts the items of each digit.
    fn count(self, items: &[Item], counts: &[AtomicU32]) {
        counts.iter().for_each(|count| count.store(0, Relaxed));
        for item in items {
            increment(&counts[self.digit(item)]);
        }
    }

    /// Copies each item to the next place for its digit.
    fn scatter(self, items: &[Item], to: &[Item], places: &[AtomicU32]) {
        for item in items {
            let place = &to[increment(&places[self.digit(item)])];
            place[0].store(item[0].load(Relaxed), Relaxed);
            place[1].store(item[1].load(Relaxed), Relaxed);
        }
    }
}

/// Increments a counter to which no other thread writes. Returns its previous value.
fn increment(counter: &AtomicU32) -> usize {
    let count = counter.load(Relaxed);
    counter.store(count + 1, Relaxed);
    count as usize
}

#[cfg(test)]
mod tests {
    use kostra_core::{EdgeList, Order};
    use kostra_parallel::{atomic_u64, with_team};

    use super::*;
    use crate::testing::CongruentialGenerator;
    use crate::threads::fast::prefix::{KeySpan, pack};

    #[test]
    fn items_are_in_the_order_of_their_edges_on_any_number_of_threads() {
        let mut random = CongruentialGenerator(3);
        for (len, bound) in
            [(0, 1), (1, 5), (100, 7), (500, 1), (5000, 3), (9000, 1 << 13), (9000, u32::MAX)]
        {
            let u = vec![0; len];
            // 64-bit keys. Their prefixes separate only the upper bits.
            let w: Vec<u64> = (0..len)
                .map(|_| u64::from(random.below(bound)) << 8 | 0xFF & random.below(9) as u64)
                .collect();
            let span = KeySpan::default();
            span.add(w.iter().copied());
            let scale = span.scale();
            let prefixes = || w.iter().map(|&key| scale.prefix(key));
            let list = EdgeList::new(1, u.clone(), u, w.clone()).unwrap();
            let edges = list.edges(Order::Minimum);
            let items: Vec<u64> = prefixes()
                .zip(0..)
                .flat_map(|(prefix, id)| [pack(prefix, id), u64::from(!id)])
                .collect();
            let mut expected: Vec<EdgeId> = edges.ids().collect();
            expected.sort_by_key(|&id| edges.rank(id));
            for threads in [1, 2, 3] {
                let (mut items, mut spare) = (items.clone(), vec![0; 2 * len]);
                let memory =
                    (atomic_u64(&mut items).as_chunks().0, atomic_u64(&mut spare).as_chunks().0);
                let range = prefixes().min().unwrap_or(u32::MAX)..=prefixes().max().unwrap_or(0);
                with_team(threads, |team| {
                    let prefixes = range.clone();
                    let sort = Sort { team, edges, scale, prefixes, ids_ascend: true };
                    let sorted = sort.sort(memory.0, memory.1);
                    let ids = sorted.iter().map(|item| item[0].load(Relaxed) as EdgeId);
                    assert!(ids.eq(expected.iter().copied()), "{len} below {bound} on {threads}");
                    assert!(
                        sorted
                            .iter()
                            .all(|item| !item[0].load(Relaxed) as u32
                                == item[1].load(Relaxed) as u32)
                    );
                });
            }
        }
    }
}
