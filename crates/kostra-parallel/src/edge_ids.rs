//! The ids of a set of edges, listed on several threads. The threads also share the cost of the
//! page faults on the list's new memory.
#![allow(unsafe_code, reason = "the list is not cleared before the threads fill it")]

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use kostra_core::{EdgeId, EdgeSet, OutOfMemory, with_capacity_in_large_pages};

use crate::items::for_each_item;
use crate::team::{Schedule, with_team};

/// The fewest members per thread: below this, starting a thread costs more than it saves.
const GRAIN: usize = 1 << 19;
/// Parts per thread, so that threads that start earlier can take more of them.
const PARTS: usize = 8;

/// The ids of `set` in ascending order, listed by up to `threads` threads. O(bound / 64 + members)
/// work.
///
/// # Errors
/// When the system refuses the memory.
pub fn edge_ids(set: EdgeSet, threads: usize) -> Result<Vec<EdgeId>, OutOfMemory> {
    let threads = threads.min(set.len() / GRAIN);
    if threads < 2 {
        return set.try_into_ids();
    }
    let share = set.words().len().div_ceil(PARTS * threads);
    let mut ids = with_capacity_in_large_pages(set.len())?;
    with_team(threads, |team| {
        let chunks: Vec<_> = set.words().chunks(share).collect();
        let counts: Vec<_> = chunks.iter().map(|_| AtomicUsize::new(0)).collect();
        team.for_each(chunks.len(), Schedule::Dynamic(1), |index| {
            let members = chunks[index].iter().map(|word| word.count_ones() as usize).sum();
            counts[index].store(members, Relaxed);
        });
        let mut rest = ids.spare_capacity_mut();
        let parts = counts.into_iter().map(|members| {
            let (part, others) = std::mem::take(&mut rest).split_at_mut(members.into_inner());
            rest = others;
            part
        });
        for_each_item(team, parts.zip(&chunks).enumerate(), |(index, (ids, words))| {
            fill(share * index, words, ids);
        });
    });
    // SAFETY: the capacity is at least `set.len()`, and `fill` has written every part completely.
    unsafe { ids.set_len(set.len()) };
    Ok(ids)
}

/// Writes the members of `words` to `ids`, which has exactly one element per member. `first` is the
/// index of the first word in the set.
fn fill(first: usize, words: &[u64], ids: &mut [MaybeUninit<EdgeId>]) {
    let mut places = ids.iter_mut();
    for (index, mut word) in (first..).zip(words.iter().copied()) {
        while word != 0 {
            let Some(place) = places.next() else { return };
            place.write(index as EdgeId * 64 + word.trailing_zeros());
            word &= word - 1;
        }
    }
    assert!(places.next().is_none(), "a part has as many members as were counted before");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_does_not_depend_on_the_number_of_threads() {
        for (bound, step) in
            [(0, 1), (1000, 7), (3 * GRAIN, 1), (4 * GRAIN + 77, 1), (30 * GRAIN, 7)]
        {
            let mut set = EdgeSet::new(bound);
            (0..bound as EdgeId).step_by(step).for_each(|id| {
                set.insert(id);
            });
            let expected = set.clone().into_ids();
            for threads in [1, 2, 3, 8] {
                assert!(
                    edge_ids(set.clone(), threads).unwrap() == expected,
                    "{bound} by {step} on {threads}"
                );
            }
        }
    }
}
