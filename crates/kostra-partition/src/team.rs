//! Loops over arrays on a team of threads, without shared mutable state.

use std::sync::{Mutex, PoisonError};

use kostra_parallel::{Schedule, Team};

/// The number of items of a block. It does not depend on the number of threads, so neither does any
/// result that is collected block by block.
pub(crate) const BLOCK: usize = 1 << 12;

/// Calls `step` with the first index and the items of each chunk of `length` items of an array.
pub(crate) fn for_each_chunk<T: Send>(
    team: &Team<'_>,
    items: &mut [T],
    length: usize,
    step: impl Fn(usize, &mut [T]) + Sync,
) {
    let chunks: Vec<_> = items.chunks_mut(length).map(Mutex::new).collect();
    team.for_each(chunks.len(), Schedule::Dynamic(1), |index| {
        step(index * length, &mut chunks[index].lock().unwrap_or_else(PoisonError::into_inner));
    });
}

/// Calls `step` for each block of `0..len`, with scratch memory of the thread and the block's
/// range. Returns the results in the order of the blocks.
pub(crate) fn map_blocks<S: Send, R: Send>(
    team: &Team<'_>,
    (len, block): (usize, usize),
    scratch: impl Fn() -> S + Sync,
    step: impl Fn(&mut S, std::ops::Range<usize>) -> R + Sync,
) -> Vec<R> {
    let range = |index: usize| index * block..len.min((index + 1) * block);
    let blocks = len.div_ceil(block);
    if blocks <= 1 || team.threads() == 1 {
        let mut own = scratch();
        return (0..blocks).map(|index| step(&mut own, range(index))).collect();
    }
    let scratches: Vec<Mutex<Option<S>>> = (0..team.threads()).map(|_| Mutex::new(None)).collect();
    let results: Vec<Mutex<Option<R>>> = (0..blocks).map(|_| Mutex::new(None)).collect();
    team.distribute(blocks, Schedule::Dynamic(1), |thread, taken| {
        let mut own = scratches[thread].lock().unwrap_or_else(PoisonError::into_inner);
        let own = own.get_or_insert_with(&scratch);
        for index in taken {
            let result = step(own, range(index));
            *results[index].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    });
    results
        .into_iter()
        .filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner))
        .collect()
}
