//! The threads of one kernel. They are started for the kernel and end with it, which takes some
//! tens of microseconds.

use std::sync::Mutex;
use std::thread;

use kostra_parallel::lock;

/// The number of vertices of one task, and of entries below which a task is not worth a thread.
pub(super) const ITEMS_PER_TASK: usize = 1 << 12;

/// Does `work` once for each task, on up to `threads` threads, the caller's among them. A free
/// thread takes the next task. If the system grants fewer threads, fewer are used.
pub(super) fn distribute<T: Send>(
    threads: usize,
    tasks: impl ExactSizeIterator<Item = T> + Send,
    work: impl Fn(T) + Sync,
) {
    let threads = threads.min(tasks.len());
    let tasks = Mutex::new(tasks);
    let serve = || {
        // The lock is released before the work.
        let next = || lock(&tasks).next();
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

/// Calls `work` once for each of `0..count`.
pub(super) fn for_each(threads: usize, count: usize, work: impl Fn(usize) + Sync) {
    distribute(threads, (0..count).step_by(ITEMS_PER_TASK), |first| {
        (first..count.min(first + ITEMS_PER_TASK)).for_each(&work);
    });
}

/// The results of `value` for `0..count`, in order.
pub(super) fn values<T: Copy + Default + Send>(
    threads: usize,
    count: usize,
    value: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let mut values = vec![T::default(); count];
    distribute(threads, values.chunks_mut(ITEMS_PER_TASK).enumerate(), |(task, values)| {
        for (index, slot) in values.iter_mut().enumerate() {
            *slot = value(task * ITEMS_PER_TASK + index);
        }
    });
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_computed_at_its_position() {
        for threads in [1, 2, 5] {
            for count in [0, 1, ITEMS_PER_TASK, 3 * ITEMS_PER_TASK + 7] {
                let found = values(threads, count, |index| index + 1);
                assert!(found.into_iter().eq(1..=count), "{threads} threads, {count} values");
            }
        }
    }
}
