//! Measures the speed of this machine's memory, which is the physical limit for a solver, and its
//! multiplications per second. The second figure shows the gain of more threads if several
//! processors share a core, as is possible in a virtual machine.
//!
//! Reading and copying stream over arrays much larger than the caches. A gather reads 32-bit values
//! at random, independent positions, as a filter reads the components of an edge's ends. The
//! processor overlaps these accesses; dependent accesses take several times as long.

use std::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use kostra_parallel::memory_info;
use serde::{Deserialize, Serialize};

/// The speed of memory with a number of threads: the best of several repetitions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct MemorySpeed {
    /// The number of threads.
    pub(crate) threads: usize,
    /// Bytes read per second, in GB.
    pub(crate) read_gb_per_second: f64,
    /// Bytes read plus bytes written per second, in GB.
    pub(crate) copy_gb_per_second: f64,
    /// The size of the streamed arrays, in MiB.
    pub(crate) stream_mib: usize,
    /// The times of random accesses, by table size.
    pub(crate) gather: Vec<RandomAccess>,
    /// Multiplications in registers per nanosecond, summed over the threads and timed until the
    /// last thread finishes. None in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) multiplications_per_nanosecond: Option<f64>,
}

/// Random accesses to a table of 32-bit values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RandomAccess {
    /// The table's size in MiB.
    pub(crate) table_mib: usize,
    /// Nanoseconds per access, over all threads together.
    pub(crate) nanoseconds: f64,
}

/// The sizes of the tables, from sizes that fit into a cache to a size that fits into none.
const TABLES_MIB: [usize; 5] = [4, 16, 64, 256, 1024];
/// The largest of the tables.
pub(crate) const LARGEST_TABLE_MIB: usize = 1024;
/// A measurement is repeated this often, and the fastest repetition counts.
const REPETITIONS: usize = 5;
/// The accesses per thread and repetition. Those of debug builds are few, because their times mean
/// nothing.
const ACCESSES: usize = if cfg!(debug_assertions) { 1 << 18 } else { 1 << 23 };
const VALUES_PER_MIB: usize = 1 << 18;
/// The multiplications per thread and repetition, and the number of independent chains that they
/// form.
const MULTIPLICATIONS: usize = 16 * ACCESSES;
const CHAINS: usize = 8;

/// Measures memory with `threads` threads and tables of up to `largest_mib` MiB, in a few seconds.
///
/// Uses as much memory as the largest table. Skips tables larger than a quarter of the free memory.
pub(crate) fn measure(threads: usize, largest_mib: usize) -> MemorySpeed {
    let threads = threads.max(1);
    let free_mib = (memory_info("MemAvailable").unwrap_or(0) >> 20) as usize;
    let fits = |&mib: &usize| mib <= largest_mib && mib <= free_mib / 4;
    let largest_mib = TABLES_MIB.into_iter().rev().find(fits).unwrap_or(TABLES_MIB[0]);
    let mut values = vec![0_u32; largest_mib * VALUES_PER_MIB];
    let share = values.len().div_ceil(threads);
    // Each thread touches its own part first, so that the system places it in memory close to that
    // thread.
    thread::scope(|scope| {
        for part in values.chunks_mut(share) {
            scope.spawn(|| part.fill(1));
        }
    });
    let bytes = size_of_val(values.as_slice()) as f64;

    let parts = values.chunks_mut(share).collect();
    let read = fastest(parts, |part: &mut &mut [u32]| {
        black_box(part.iter().fold(0_u32, |sum, &value| sum.wrapping_add(value)));
    });
    let parts = values.chunks_mut(share).map(|part| part.split_at_mut(part.len() / 2)).collect();
    let copy = fastest(parts, |(from, to): &mut (&mut [u32], &mut [u32])| {
        to[..from.len()].copy_from_slice(from);
        black_box(to);
    });
    let gather = TABLES_MIB.into_iter().filter(|&mib| mib <= largest_mib).map(|table_mib| {
        let table = &values[..table_mib * VALUES_PER_MIB];
        let seeds = (0..threads as u64).map(|thread| thread << 40).collect();
        let seconds = fastest(seeds, |seed: &mut u64| {
            black_box(gather_sum(table, *seed));
        });
        RandomAccess { table_mib, nanoseconds: seconds * 1e9 / (ACCESSES * threads) as f64 }
    });
    let gather = gather.collect();
    let chains = (0..threads as u64).map(|thread| [thread; CHAINS]).collect();
    let multiplications = fastest(chains, |chains: &mut [u64; CHAINS]| {
        let mut sums = *chains; // in registers
        for _ in 0..MULTIPLICATIONS / CHAINS {
            sums = sums.map(|sum| sum.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1));
        }
        *chains = black_box(sums);
    });

    MemorySpeed {
        threads,
        read_gb_per_second: bytes / read / 1e9,
        copy_gb_per_second: bytes / copy / 1e9,
        stream_mib: largest_mib,
        gather,
        multiplications_per_nanosecond: Some(
            (MULTIPLICATIONS * threads) as f64 / multiplications / 1e9,
        ),
    }
}

/// The sum of values at random positions of `table`. Its length must be a power of two.
fn gather_sum(table: &[u32], seed: u64) -> u32 {
    let mask = table.len() - 1;
    let mut sum = 0_u32;
    for step in 0..ACCESSES as u64 {
        // The position is a hash of the step. With a generator that has a state, each access would
        // wait for the previous position.
        let mut place = (seed + step).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        place = (place ^ (place >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        sum = sum.wrapping_add(table[(place >> 32) as usize & mask]);
    }
    sum
}

/// Runs `step` on all `parts` at once, one thread per part, several times. Returns the seconds of
/// the fastest repetition, from the first thread's start to the last thread's end.
fn fastest<P: Send>(mut parts: Vec<P>, step: impl Fn(&mut P) + Sync) -> f64 {
    let barrier = Barrier::new(parts.len());
    let repetition = |part: &mut P| {
        barrier.wait();
        let start = Instant::now();
        step(part);
        (start, Instant::now())
    };
    let times: Vec<Vec<(Instant, Instant)>> = thread::scope(|scope| {
        let repetitions = |part: &mut P| (0..REPETITIONS).map(|_| repetition(part)).collect();
        let threads: Vec<_> =
            parts.iter_mut().map(|part| scope.spawn(move || repetitions(part))).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    let seconds = (0..REPETITIONS).filter_map(|repetition| {
        let start =
            times.iter().filter_map(|times| times.get(repetition)).map(|times| times.0).min()?;
        let end =
            times.iter().filter_map(|times| times.get(repetition)).map(|times| times.1).max()?;
        Some((end - start).as_secs_f64())
    });
    seconds.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_speeds_are_positive() {
        let speed = measure(2, 16);
        assert!(speed.read_gb_per_second > 0.0 && speed.read_gb_per_second.is_finite());
        assert!(speed.copy_gb_per_second > 0.0 && speed.copy_gb_per_second.is_finite());
        assert!(
            speed
                .multiplications_per_nanosecond
                .is_some_and(|speed| speed > 0.0 && speed.is_finite())
        );
        let tables: Vec<_> = speed.gather.iter().map(|gather| gather.table_mib).collect();
        assert_eq!(tables, [4, 16]);
        assert!(speed.gather.iter().all(|gather| gather.nanoseconds > 0.0));
    }
}
