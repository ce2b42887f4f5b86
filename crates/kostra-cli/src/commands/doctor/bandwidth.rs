//! The measurement of the memory's bandwidth.

use std::hint::black_box;
use std::sync::{Mutex, RwLock, mpsc};
use std::time::{Duration, Instant};

use kostra_parallel::lock;
use serde::Serialize;

use crate::progress::Stage;

/// The bandwidth of the memory with a number of threads, in bytes per second.
#[derive(Serialize)]
pub(super) struct Bandwidth {
    pub(super) threads: usize,
    pub(super) read: f64,
    /// The sum of the bytes read and the bytes written.
    pub(super) copy: f64,
}

/// The size of each of the two arrays. They are larger than the caches of most machines.
const ARRAY_BYTES: usize = 256 << 20;
/// The number of passes per measurement. The fastest pass counts, because other processes only slow
/// a pass down.
const PASSES: usize = 3;

/// The measurement needs this amount of available memory: twice the size of the arrays, so that
/// other processes keep enough.
const NEEDED_BYTES: u64 = 4 * ARRAY_BYTES as u64;

/// Measures with one thread and with `threads` threads. None if the `available` bytes are known to
/// be too few.
pub(super) fn measure(threads: usize, available: Option<u64>) -> Option<Vec<Bandwidth>> {
    if available.is_some_and(|bytes| bytes < NEEDED_BYTES) {
        return None;
    }
    let _stage = Stage::start("measuring the memory");
    let mut from = vec![1_u64; ARRAY_BYTES / 8];
    let mut to = vec![0_u64; ARRAY_BYTES / 8];
    let mut counts = vec![1, threads];
    counts.dedup();
    let mut rows: Vec<_> =
        counts.into_iter().map(|threads| measure_once(threads, &mut from, &mut to)).collect();
    rows.dedup_by_key(|row| row.threads); // the system may grant only one thread
    Some(rows)
}

fn measure_once(threads: usize, from: &mut [u64], to: &mut [u64]) -> Bandwidth {
    let part = from.len().div_ceil(threads);
    let rate = |bytes: usize, time: Duration| bytes as f64 / time.as_secs_f64();
    let read = (0..PASSES)
        .map(|_| {
            timed(from.chunks(part).map(|part| {
                move || {
                    black_box(part.iter().fold(0_u64, |sum, &word| sum.wrapping_add(word)));
                }
            }))
        })
        .min();
    let copy = (0..PASSES)
        .map(|_| {
            timed(to.chunks_mut(part).zip(from.chunks(part)).map(|(to, from)| {
                move || {
                    to.copy_from_slice(from);
                    black_box(&to);
                }
            }))
        })
        .min();
    let ((read, readers), (copy, writers)) = (read.unwrap_or_default(), copy.unwrap_or_default());
    Bandwidth {
        threads: readers.min(writers),
        read: rate(ARRAY_BYTES, read),
        copy: rate(2 * ARRAY_BYTES, copy),
    }
}

/// Runs jobs at the same time, one thread per job. Returns the time without the start of the
/// threads, and the number of threads. If the system refuses threads, the caller runs their jobs.
fn timed(jobs: impl Iterator<Item = impl FnOnce() + Send>) -> (Duration, usize) {
    let jobs: Vec<_> = jobs.map(|job| Mutex::new(Some(job))).collect();
    let run = |index: usize| {
        let job = lock(&jobs[index]).take();
        job.into_iter().for_each(|job| job());
    };
    let (ready, started) = mpsc::channel();
    let gate = RwLock::new(());
    std::thread::scope(|scope| {
        let (run, ready, gate) = (&run, &ready, &gate);
        let closed = gate.write();
        let start = |index| {
            let work = move || {
                let _ = ready.send(());
                drop(gate.read());
                run(index);
            };
            std::thread::Builder::new().spawn_scoped(scope, work).ok()
        };
        let threads: Vec<_> = (1..jobs.len()).map_while(start).collect();
        let _ = started.iter().take(threads.len()).count();
        let (start, count) = (Instant::now(), threads.len() + 1);
        drop(closed);
        (0..1).chain(count..jobs.len()).for_each(run);
        for thread in threads {
            // The jobs do not panic.
            let _ = thread.join();
        }
        (start.elapsed(), count)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_timed() {
        let mut done = [false; 3];
        let (time, threads) = timed(done.iter_mut().map(|done| move || *done = true));
        assert!(time > Duration::ZERO);
        assert!((1..=3).contains(&threads));
        assert_eq!(done, [true; 3]);
    }
}
