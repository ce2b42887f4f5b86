//! Threads of one kernel. They are started for it and end with it, which takes some tens of
//! microseconds.

use std::sync::{Mutex, PoisonError};
use std::thread;

/// Items that are dealt out together; no more than this many are not worth a thread.
pub(super) const BLOCK: usize = 1 << 12;

/// Does each task once, on up to so many threads, the caller's among them; whoever is free takes
/// the next. Where the system grants fewer threads, there are fewer.
pub(super) fn deal<T: Send>(
    threads: usize,
    tasks: impl ExactSizeIterator<Item = T> + Send,
    work: impl Fn(T) + Sync,
) {
    let threads = threads.min(tasks.len());
    let tasks = Mutex::new(tasks);
    let serve = || {
        // The lock is let go of before the work.
        let next = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some(task) = next() {
            work(task);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            if thread::Builder::new().spawn_scoped(scope, serve).is_err() {
                break;
            }
        }
        serve();
    });
}

/// The values of `0..count`, in order.
pub(super) fn values<T: Copy + Default + Send>(
    threads: usize,
    count: usize,
    value: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let mut values = vec![T::default(); count];
    deal(threads, values.chunks_mut(BLOCK).enumerate(), |(block, values)| {
        for (index, slot) in values.iter_mut().enumerate() {
            *slot = value(block * BLOCK + index);
        }
    });
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_computed_at_its_place() {
        for threads in [1, 2, 5] {
            for count in [0, 1, BLOCK, 3 * BLOCK + 7] {
                let found = values(threads, count, |index| index + 1);
                assert!(found.into_iter().eq(1..=count), "{threads} threads, {count} values");
            }
        }
    }
}
