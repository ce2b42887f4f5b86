//! Loops over arrays on a team of threads, without shared mutable state.

use std::ops::Range;
use std::sync::Mutex;

use kostra_core::Vertex;
use kostra_parallel::{Schedule, Team, for_each_item, into_item, lock};

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
    for_each_item(team, items.chunks_mut(length).enumerate(), |(index, chunk)| {
        step(index * length, chunk);
    });
}

/// Calls `step` once for each item, and returns the results in the order of the items.
pub(crate) fn map_items<T: Send, R: Send>(
    team: &Team<'_>,
    items: impl Iterator<Item = T>,
    step: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    let items: Vec<T> = items.collect();
    let mut results: Vec<Option<R>> = items.iter().map(|_| None).collect();
    for_each_item(team, items.into_iter().zip(&mut results), |(item, result)| {
        *result = Some(step(item));
    });
    results.into_iter().flatten().collect()
}

/// Consecutive vertices for each of several workers. Their number does not depend on the number of
/// threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares {
    vertices: usize,
    /// The number of vertices of each worker but the last.
    each: usize,
}

impl Shares {
    /// The least number of vertices of a worker, unless it is the only one.
    const LEAST: usize = 1 << 8;

    /// Divides vertices among up to `workers` workers.
    pub(crate) fn new(vertices: usize, workers: usize) -> Self {
        Self { vertices, each: vertices.div_ceil(workers.max(1)).max(Self::LEAST) }
    }

    /// The number of workers that have vertices.
    pub(crate) fn count(self) -> usize {
        self.vertices.div_ceil(self.each)
    }

    /// The vertices of a worker.
    pub(crate) fn range(self, worker: usize) -> Range<usize> {
        worker * self.each..self.vertices.min((worker + 1) * self.each)
    }

    /// The worker that owns a vertex.
    #[inline]
    pub(crate) fn owner(self, vertex: Vertex) -> usize {
        vertex as usize / self.each
    }

    /// The values of each worker's vertices.
    pub(crate) fn chunks<T>(self, values: &mut [T]) -> impl Iterator<Item = &mut [T]> {
        values.chunks_mut(self.each)
    }

    /// An empty buffer for each worker.
    pub(crate) fn buffers<T>(self) -> Vec<Vec<T>> {
        (0..self.count()).map(|_| Vec::new()).collect()
    }
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
        let own = |thread: usize| lock(&self.0[thread]);
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
                let result = step(own, range(index));
                *lock(&results[index]) = Some(result);
            }
        });
        results.into_iter().filter_map(into_item).collect()
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
