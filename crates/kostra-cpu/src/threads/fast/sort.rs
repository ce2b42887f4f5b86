//! Sorting the edges of a band.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use kostra_core::{EdgeId, Edges, Weight};

use super::scale::Scale;
use kostra_parallel::{Schedule, Team};

/// An edge to sort: the stand-in of its key, and its id below it; the components that it joins.
pub(super) type Item = [AtomicU64; 2];

/// The most bits that one pass sorts by: as many write streams do well even where memory comes in
/// small pages.
const DIGIT: u32 = 11;
/// How many items a thread takes at a time when it looks for ties.
const BLOCK: usize = 1 << 14;

/// Sorts items by the order of their edges, given the range that their stand-ins are in, and
/// whether their ids ascend. Returns the memory that then holds them: `items` or `spare`, which
/// have one length.
///
/// By least significant digits. There is a stretch for each thread, done by whoever comes. In each
/// pass its digits are counted, and then it is known where each of its items goes. O(items) a pass,
/// over the threads. Blocking.
pub(super) fn sort<'a, W: Weight>(
    team: &Team<'_>,
    edges: Edges<'_, W>,
    (items, spare): (&'a [Item], &'a [Item]),
    (scale, stand_ins): (Scale, RangeInclusive<u32>),
    ids_ascend: bool,
) -> &'a [Item] {
    let lowest = *stand_ins.start();
    let bits = stand_ins.end().saturating_sub(lowest).checked_ilog2().map_or(0, |log| log + 1);
    let passes = bits.div_ceil(DIGIT);
    let width = bits.div_ceil(passes.max(1));
    let (threads, digits) = (team.threads(), 1 << width);
    let places: Vec<AtomicU32> = (0..threads * digits).map(|_| AtomicU32::new(0)).collect();
    let places_of = |part: usize| &places[part * digits..][..digits];

    let (mut from, mut to) = (items, spare);
    for pass in 0..passes {
        let digit = Digit { lowest, shift: pass * width, mask: digits - 1 };
        team.in_parts(from.len(), |part, stretch| digit.count(&from[stretch], places_of(part)));
        let mut start = 0;
        for digit in 0..digits {
            for part in 0..threads {
                start += places_of(part)[digit].swap(start, Relaxed);
            }
        }
        team.in_parts(from.len(), |part, stretch| {
            digit.deal_out(&from[stretch], to, places_of(part));
        });
        std::mem::swap(&mut from, &mut to);
    }
    if !scale.is_exact || !ids_ascend {
        sort_ties(team, edges, scale, from);
    }
    from
}

fn stand_in(item: &Item) -> u32 {
    (item[0].load(Relaxed) >> 32) as u32
}

/// What one pass sorts by.
#[derive(Clone, Copy)]
struct Digit {
    lowest: u32,
    shift: u32,
    mask: usize,
}

// By value, so that the loops keep it in registers.
impl Digit {
    fn of(self, item: &Item) -> usize {
        (stand_in(item) - self.lowest) as usize >> self.shift & self.mask
    }

    /// Counts how many items have each digit.
    fn count(self, items: &[Item], counts: &[AtomicU32]) {
        counts.iter().for_each(|count| count.store(0, Relaxed));
        for item in items {
            next(&counts[self.of(item)]);
        }
    }

    /// Copies each item to the next place for its digit.
    fn deal_out(self, items: &[Item], to: &[Item], places: &[AtomicU32]) {
        for item in items {
            let place = &to[next(&places[self.of(item)])];
            place[0].store(item[0].load(Relaxed), Relaxed);
            place[1].store(item[1].load(Relaxed), Relaxed);
        }
    }
}

/// Counts on, and returns the count before. For a counter of one thread's own.
fn next(counter: &AtomicU32) -> usize {
    let count = counter.load(Relaxed);
    counter.store(count + 1, Relaxed);
    count as usize
}

/// Sorts items with equal stand-ins.
fn sort_ties<W: Weight>(team: &Team<'_>, edges: Edges<'_, W>, scale: Scale, items: &[Item]) {
    // Ties belong to whoever has the first of them.
    let is_first =
        |index: usize| index == 0 || stand_in(&items[index]) != stand_in(&items[index - 1]);
    team.distribute(items.len(), Schedule::Dynamic(BLOCK), |_, range| {
        let Some(start) = range.clone().find(|&index| is_first(index)) else { return };
        let end = (range.end..items.len()).find(|&index| is_first(index)).unwrap_or(items.len());
        for ties in items[start..end].chunk_by(|a, b| stand_in(a) == stand_in(b)) {
            if ties.len() == 1 {
                continue;
            }
            let mut sorted: Vec<_> =
                ties.iter().map(|[rank, ends]| (rank.load(Relaxed), ends.load(Relaxed))).collect();
            if scale.is_exact {
                sorted.sort_unstable(); // stand-ins tell all keys apart
            } else {
                sorted.sort_by_cached_key(|&(rank, _)| edges.rank(rank as EdgeId));
            }
            for (item, (rank, ends)) in ties.iter().zip(sorted) {
                item[0].store(rank, Relaxed);
                item[1].store(ends, Relaxed);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use kostra_core::{EdgeList, Order};

    use super::*;
    use crate::sequential::tests::Random;
    use crate::threads::fast::scale::{Span, pack};
    use kostra_parallel::atomic_u64;
    use kostra_parallel::with_team;

    #[test]
    fn items_are_in_the_order_of_their_edges_on_any_number_of_threads() {
        let mut random = Random(3);
        for (len, bound) in
            [(0, 1), (1, 5), (100, 7), (500, 1), (5000, 3), (9000, 1 << 13), (9000, u32::MAX)]
        {
            let u = vec![0; len];
            // Keys of 64 bits, of which stand-ins tell only the upper ones apart.
            let w: Vec<u64> = (0..len)
                .map(|_| u64::from(random.below(bound)) << 8 | 0xFF & random.below(9) as u64)
                .collect();
            let span = Span::default();
            span.add(w.iter().copied());
            let scale = span.scale();
            let stand_ins = || w.iter().map(|&key| scale.of(key));
            let list = EdgeList::new(1, u.clone(), u, w.clone()).unwrap();
            let edges = list.edges(Order::Minimum);
            let items: Vec<u64> = stand_ins()
                .zip(0..)
                .flat_map(|(stand_in, id)| [pack(stand_in, id), u64::from(!id)])
                .collect();
            let mut expected: Vec<EdgeId> = edges.ids().collect();
            expected.sort_by_key(|&id| edges.rank(id));
            for threads in [1, 2, 3] {
                let (mut items, mut spare) = (items.clone(), vec![0; 2 * len]);
                let memory =
                    (atomic_u64(&mut items).as_chunks().0, atomic_u64(&mut spare).as_chunks().0);
                let range = stand_ins().min().unwrap_or(u32::MAX)..=stand_ins().max().unwrap_or(0);
                with_team(threads, |team| {
                    let sorted = sort(team, edges, memory, (scale, range.clone()), true);
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
