//! Loops over arrays on a team of threads, without shared mutable state.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use kostra_parallel::{Schedule, Team};

/// The number of items of a block. It does not depend on the number of threads, so neither does any
/// result that is collected block by block.
pub(crate) const BLOCK: usize = 1 << 12;

/// Calls `step` with the index of each item and the item.
pub(crate) fn for_each_item<T: Send>(
    team: &Team<'_>,
    items: impl Iterator<Item = T>,
    step: impl Fn(usize, &mut T) + Sync,
) {
    let items: Vec<_> = items.map(Mutex::new).collect();
    team.for_each(items.len(), Schedule::Dynamic(1), |index| {
        step(index, &mut items[index].lock().unwrap_or_else(PoisonError::into_inner));
    });
}

/// Calls `step` with the first index and the items of each chunk of `length` items of an array.
pub(crate) fn for_each_chunk<T: Send>(
    team: &Team<'_>,
    items: &mut [T],
    length: usize,
    step: impl Fn(usize, &mut [T]) + Sync,
) {
    for_each_item(team, items.chunks_mut(length), |index, chunk| step(index * length, chunk));
}

/// Scratch memory for each thread of a team, which several loops use one after the other.
pub(crate) struct Scratches<S>(Vec<Mutex<Option<S>>>);

impl<S: Send> Scratches<S> {
    pub(crate) fn new(team: &Team<'_>) -> Self {
        Self((0..team.threads()).map(|_| Mutex::new(None)).collect())
    }

    /// Calls `step` for each block of `0..len`, with the thread's scratch memory, which `scratch`
    /// makes, and the block's range. Returns the results in the order of the blocks.
    pub(crate) fn map_blocks<R: Send>(
        &self,
        team: &Team<'_>,
        (len, block): (usize, usize),
        scratch: impl Fn() -> S + Sync,
        step: impl Fn(&mut S, Range<usize>) -> R + Sync,
    ) -> Vec<R> {
        let range = |index: usize| index * block..len.min((index + 1) * block);
        let blocks = len.div_ceil(block);
        let own = |thread: usize| self.0[thread].lock().unwrap_or_else(PoisonError::into_inner);
        if blocks <= 1 || team.threads() == 1 {
            let mut own = own(0);
            let own = own.get_or_insert_with(&scratch);
            return (0..blocks).map(|index| step(own, range(index))).collect();
        }
        let results: Vec<Mutex<Option<R>>> = (0..blocks).map(|_| Mutex::new(None)).collect();
        team.distribute(blocks, Schedule::Dynamic(1), |thread, taken| {
            let mut own = own(thread);
            let own = own.get_or_insert_with(&scratch);
            for index in taken {
                let result = Some(step(own, range(index)));
                *results[index].lock().unwrap_or_else(PoisonError::into_inner) = result;
            }
        });
        results
            .into_iter()
            .filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner))
            .collect()
    }
}

/// [`Scratches::map_blocks`] with scratch memory for this loop alone.
pub(crate) fn map_blocks<S: Send, R: Send>(
    team: &Team<'_>,
    shape: (usize, usize),
    scratch: impl Fn() -> S + Sync,
    step: impl Fn(&mut S, Range<usize>) -> R + Sync,
) -> Vec<R> {
    Scratches::new(team).map_blocks(team, shape, scratch, step)
}
