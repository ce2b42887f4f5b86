//! Listing the members of a set on several threads. Half of the time that it takes one thread is the first touch of the
//! list's memory, which threads share as well as the rest.

use std::sync::{Mutex, PoisonError};

use kostra_core::{EdgeId, EdgeSet};

use super::team::{Schedule, with_team};

/// Members that are worth a thread: one lists a quarter of a million in the time that two take to begin.
const GRAIN: usize = 1 << 19;

/// The members of a set, ascending, by up to so many threads. O(bound / 64 + members) work.
pub fn list(set: EdgeSet, threads: usize) -> Vec<EdgeId> {
    let threads = threads.min(set.len() / GRAIN);
    if threads < 2 {
        return set.into_ids();
    }
    let share = set.words().len().div_ceil(threads);
    let mut ids = vec![0; set.len()];
    let mut rest = &mut ids[..];
    let parts: Vec<_> = (0..)
        .step_by(share)
        .zip(set.words().chunks(share))
        .map(|(first, words)| {
            let members = words.iter().map(|word| word.count_ones() as usize).sum();
            let (part, others) = std::mem::take(&mut rest).split_at_mut(members);
            rest = others;
            Mutex::new((first, words, part))
        })
        .collect();
    with_team(threads, |team| {
        team.for_each(parts.len(), Schedule::Dynamic(1), |index| {
            let (first, words, ids) = &mut *parts[index].lock().unwrap_or_else(PoisonError::into_inner);
            fill(*first, words, ids);
        });
    });
    drop(parts);
    ids
}

/// Writes the members of some words, of which the first is the set's word `first`; there is room for just as many.
fn fill(first: usize, words: &[u64], ids: &mut [EdgeId]) {
    let mut places = ids.iter_mut();
    for (index, mut word) in (first..).zip(words.iter().copied()) {
        while word != 0 {
            let Some(place) = places.next() else { return };
            *place = index as EdgeId * 64 + word.trailing_zeros();
            word &= word - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_list_what_one_lists() {
        for (bound, step) in [(0, 1), (1000, 7), (3 * GRAIN, 1), (4 * GRAIN + 77, 1), (30 * GRAIN, 7)] {
            let mut set = EdgeSet::new(bound);
            (0..bound as EdgeId).step_by(step).for_each(|id| {
                set.insert(id);
            });
            let expected = set.clone().into_ids();
            for threads in [1, 2, 3, 8] {
                assert!(list(set.clone(), threads) == expected, "{bound} by {step} on {threads}");
            }
        }
    }
}
