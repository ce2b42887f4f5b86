//! Nearest neighbors by comparing all pairs: O(n^2 * d) time.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;

use kostra_core::{OutOfMemory, Run, memory};
use kostra_parallel::{Schedule, Team, atomic_u64, lock};

use super::Nearest;
use crate::blocks::{LANES, PointBlocks, compared};
use crate::canonical::{Absolutes, Accumulate, Largest, Norm, Squares};
use crate::samples::{NeighborList, core_of};
use crate::wide::{Work, wide};
use crate::{PointsError, Prepared};

/// The compared core distance of each point, scaled; empty for `min_samples` 1.
pub(crate) fn brute_force_core(
    prepared: &Prepared<'_>,
    min_samples: usize,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<Vec<f64>, PointsError> {
    if min_samples <= 1 {
        return Ok(Vec::new());
    }
    let mut core = memory::zeros(prepared.len() as usize)?;
    let slots = atomic_u64(&mut core);
    run.phase("core distances", |run| {
        let neighbors = (min_samples - 1).min(prepared.len().saturating_sub(1) as usize);
        for_each_row(prepared, neighbors, team, run, |point, found| {
            let core = core_of(point, found, min_samples, prepared.weights());
            slots[point as usize].store(core.to_bits(), Relaxed);
        })
    })?;
    Ok(core.into_iter().map(|bits| prepared.scaled_core(f64::from_bits(bits))).collect())
}

/// Calls `found` with each point and its `neighbors` nearest points, on any thread.
pub(super) fn for_each_row(
    prepared: &Prepared<'_>,
    neighbors: usize,
    team: &Team<'_>,
    run: &mut Run<'_>,
    found: impl Fn(u32, NeighborList<'_>) + Sync,
) -> Result<(), PointsError> {
    /// Points whose rows are read from the cache while blocks of others pass by.
    const ROWS: usize = 16;
    /// Rows between two reports of progress.
    const REPORTED: usize = 1 << 10;
    let n = prepared.len() as usize;
    if neighbors == 0 || n == 0 {
        return Ok(());
    }
    let mut blocks = PointBlocks::zeros(n, prepared.dimensions())?;
    (0..prepared.len()).for_each(|point| blocks.set(point as usize, prepared.row(point)));
    let scratch = (0..team.threads())
        .map(|_| Ok(Mutex::new(memory::filled(ROWS, Nearest::new(neighbors)?)?)))
        .collect::<Result<Vec<_>, OutOfMemory>>()?;
    for start in (0..n).step_by(REPORTED) {
        run.report.progress(start, n).map_err(|_| PointsError::Cancelled)?;
        let len = REPORTED.min(n - start);
        team.distribute(len, Schedule::Dynamic(ROWS), |thread, range| {
            let mut nearest = lock(&scratch[thread]);
            for first in range.clone().step_by(ROWS) {
                let rows = (start + first) as u32..(start + range.end.min(first + ROWS)) as u32;
                match prepared.norm() {
                    Norm::Squares => compare::<Squares>(prepared, &blocks, &rows, &mut nearest),
                    Norm::Absolutes => compare::<Absolutes>(prepared, &blocks, &rows, &mut nearest),
                    Norm::Largest => compare::<Largest>(prepared, &blocks, &rows, &mut nearest),
                }
                for (point, nearest) in rows.zip(nearest.iter()) {
                    found(point, (&nearest.compared, &nearest.points));
                }
            }
        });
    }
    Ok(())
}

/// Finds the nearest points of some rows.
fn compare<A: Accumulate>(
    prepared: &Prepared<'_>,
    blocks: &PointBlocks,
    rows: &Range<u32>,
    nearest: &mut [Nearest],
) {
    nearest.iter_mut().for_each(Nearest::clear);
    let compare = Compare::<A> {
        prepared,
        blocks,
        rows: rows.clone(),
        nearest: &mut *nearest,
        norm: PhantomData,
    };
    wide(compare);
    nearest.iter_mut().for_each(Nearest::finish);
}

struct Compare<'a, A> {
    prepared: &'a Prepared<'a>,
    blocks: &'a PointBlocks,
    rows: Range<u32>,
    nearest: &'a mut [Nearest],
    norm: PhantomData<A>,
}

impl<A: Accumulate> Work for Compare<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let n = self.prepared.len();
        for first in (0..n).step_by(LANES) {
            let block = self.blocks.block(first as usize / LANES);
            let others = first..n.min(first + LANES as u32);
            for (point, nearest) in self.rows.clone().zip(self.nearest.iter_mut()) {
                let distances = compared::<A>(self.prepared.row(point), block);
                for (other, distance) in others.clone().zip(distances) {
                    if other != point {
                        nearest.offer(distance, other);
                    }
                }
            }
        }
    }
}
