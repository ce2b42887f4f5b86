//! Arrays that the threads of a rank fill together. The result does not depend on the number of
//! threads.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use bytemuck::Pod;
use kostra_parallel::{atomic_u64, for_each_mut, with_team};

/// A thread gets at least this many items, because starting it takes the time of some thousands.
const MIN_ITEMS: usize = 1 << 15;

/// The number of threads for an array of `len` items.
fn useful_threads(threads: usize, len: usize) -> usize {
    threads.min(len / MIN_ITEMS).max(1)
}

/// An array with `item(index)` at each index.
pub(super) fn filled<T: Pod + Send>(
    threads: usize,
    len: usize,
    item: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let mut items = vec![T::zeroed(); len];
    for_each(threads, &mut items, |index, slot| *slot = item(index));
    items
}

/// Calls `step` with the index of each item and the item.
pub(super) fn for_each<T: Send>(
    threads: usize,
    items: &mut [T],
    step: impl Fn(usize, &mut T) + Sync,
) {
    let len = items.len().div_ceil(useful_threads(threads, items.len())).max(1);
    let mut parts: Vec<_> = items.chunks_mut(len).enumerate().collect();
    for_each_mut(&mut parts, |(part, items)| {
        let first = *part * len;
        items.iter_mut().enumerate().for_each(|(index, item)| step(first + index, item));
    });
}

/// The items at these positions, in the order of `positions`.
pub(super) fn items_at<T: Pod + Send + Sync>(
    threads: usize,
    items: &[T],
    positions: &[u32],
) -> Vec<T> {
    filled(threads, positions.len(), |index| items[positions[index] as usize])
}

/// The positions below `len` for which `holds` returns true, ascending.
pub(super) fn positions_if(
    threads: usize,
    len: usize,
    holds: impl Fn(u32) -> bool + Sync,
) -> Vec<u32> {
    let threads = useful_threads(threads, len);
    let bound = |part: usize| (len as u64 * part as u64 / threads as u64) as u32;
    let mut parts: Vec<(Range<u32>, Vec<u32>)> =
        (0..threads).map(|part| (bound(part)..bound(part + 1), Vec::new())).collect();
    for_each_mut(&mut parts, |(range, positions)| {
        // Each position is written, and counted if `holds`: no branch.
        positions.resize(range.len() + 1, 0);
        let mut count = 0;
        for position in range {
            positions[count] = position;
            count += usize::from(holds(position));
        }
        positions.truncate(count);
    });
    if parts.len() == 1 {
        return parts.swap_remove(0).1;
    }
    parts.into_iter().map(|(_, positions)| positions).collect::<Vec<_>>().concat()
}

/// The minimum of the values that `values` gives for each slot. It returns the two slots and the
/// value of an item; slots that get no value keep `none`.
pub(super) fn minima(
    threads: usize,
    len: usize,
    slots: usize,
    value: impl Fn(u32) -> ([u32; 2], u64) + Sync,
) -> Vec<u64> {
    let mut minima = vec![u64::MAX; slots];
    let threads = useful_threads(threads, len);
    let shared = atomic_u64(&mut minima);
    with_team(threads, |team| {
        team.in_parts(len, |_, range| {
            for index in range {
                let (slots, value) = value(index as u32);
                for slot in slots {
                    let slot = &shared[slot as usize];
                    if threads == 1 {
                        slot.store(slot.load(Relaxed).min(value), Relaxed);
                    } else if value < slot.load(Relaxed) {
                        slot.fetch_min(value, Relaxed);
                    }
                }
            }
        });
    });
    minima
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEN: usize = 3 * MIN_ITEMS + 5;

    #[test]
    fn arrays_do_not_depend_on_the_number_of_threads() {
        let hash = |index: usize| (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        for threads in [1, 2, 7] {
            for len in [0, 1, LEN] {
                let items = filled(threads, len, hash);
                assert!(items.iter().copied().eq((0..len).map(hash)));
                let odd = positions_if(threads, len, |position| hash(position as usize) & 1 == 1);
                let expected = (0..len as u32).filter(|&position| hash(position as usize) & 1 == 1);
                assert!(odd.iter().copied().eq(expected));
                assert_eq!(items_at(threads, &items, &odd).len(), odd.len());
            }
            let ends = |index: u32| [index % 10, 10 + index % 3];
            let least = minima(threads, LEN, 14, |index| (ends(index), hash(index as usize)));
            for (slot, &found) in least.iter().enumerate() {
                let at_slot = (0..LEN).filter(|&index| ends(index as u32).contains(&(slot as u32)));
                assert_eq!(found, at_slot.map(hash).min().unwrap_or(u64::MAX), "slot {slot}");
            }
        }
    }
}
