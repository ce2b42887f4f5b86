//! Trees of the correlations between time series, one tree per window of times.
//!
//! * **Idea**: the sums of products of all pairs of series change by two products per pair when a
//!   window moves by one time. Each window then takes one run of Prim's algorithm on all pairs.
//! * **Precision**: windows are divided into blocks, and the sums start anew in each block, and
//!   when a series varies much less than it did in the block. Series are centered at their mean
//!   in the first window of the sums. So a correlation has an error below 1e-10, and the result
//!   does not depend on the threads.
//! * **Time** for n series: O(n^2) per window and time that enters or leaves it. Memory: `8 * n^2`
//!   bytes per thread and 16 bytes per edge of the result.
//! * **Source**: the distance `sqrt(2 * (1 - r))` is by Mantegna, *Hierarchical structure in
//!   financial markets* (1999).

mod sums;
#[cfg(test)]
mod tests;

use std::sync::Mutex;

use kostra_core::{Run, memory};
use kostra_parallel::{for_each_item, into_item, lock, with_observed_team};

use crate::{Points, PointsError};
use sums::Sums;

/// The most windows of a block, after which sums start anew.
const MOST_PER_BLOCK: usize = 64;
/// The number of blocks that windows are divided into, unless blocks become too large or too small.
const BLOCKS: usize = 64;
/// How distances are computed from a correlation r.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorrelationDistance {
    /// `sqrt(2 * (1 - r))`: opposite series are far from each other.
    Signed,
    /// `sqrt(2 * (1 - |r|))`: opposite series are near to each other.
    Absolute,
}

/// Which windows have a tree.
#[derive(Clone, Copy, Debug)]
pub struct Windows {
    /// The number of times in a window.
    pub length: usize,
    /// The number of times between the starts of two windows.
    pub step: usize,
    /// How distances are computed.
    pub distance: CorrelationDistance,
}

/// One tree per window. Trees are in order of time, and the edges of a tree in ascending order of
/// (distance, lower series, higher series).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WindowTrees {
    /// The number of series.
    pub series: u32,
    /// The number of windows.
    pub windows: usize,
    /// The two series of each edge, the lower one first: `series - 1` edges per window.
    pub ends: Vec<[u32; 2]>,
    /// The distance of each edge.
    pub distances: Vec<f64>,
}

impl WindowTrees {
    /// The edges of each window's tree.
    pub fn trees(&self) -> impl Iterator<Item = &[[u32; 2]]> {
        // A tree of one series has no edges, and chunks must not be empty.
        (0..self.windows).map(|window| {
            let edges = self.series as usize - 1;
            &self.ends[window * edges..(window + 1) * edges]
        })
    }

    /// The number of edges at each series, window by window.
    pub fn degrees(&self) -> Vec<u32> {
        let series = self.series as usize;
        let mut degrees = vec![0; self.windows * series];
        for (window, tree) in self.trees().enumerate() {
            for &end in tree.as_flattened() {
                degrees[window * series + end as usize] += 1;
            }
        }
        degrees
    }

    /// For each window, the number of edges that are in the tree of the window before, too; 0 for
    /// the first window.
    pub fn survivors(&self) -> Vec<u32> {
        let sorted = |tree: &[[u32; 2]]| {
            let mut tree = tree.to_vec();
            tree.sort_unstable();
            tree
        };
        let mut before: Vec<[u32; 2]> = Vec::new();
        self.trees()
            .map(|tree| {
                let tree = sorted(tree);
                let count = tree.iter().filter(|&edge| before.binary_search(edge).is_ok()).count();
                before = tree;
                count as u32
            })
            .collect()
    }
}

/// The minimum spanning tree of the correlations of series in each window. `table` has one row per
/// time and one column per series. Pairs of series are ordered by distance, then by the lower and
/// the higher series.
///
/// ```
/// use kostra_points::{CorrelationDistance, Points, Run, Windows, rolling_trees};
///
/// let table = [1.0, 2.0, 5.0, 2.0, 4.1, 3.0, 3.0, 5.9, 4.0, 4.0, 8.0, 1.0];
/// let windows = Windows { length: 3, step: 1, distance: CorrelationDistance::Signed };
/// let trees = rolling_trees(&Points::new(&table, 3)?, windows, &mut Run::new())?;
/// assert_eq!((trees.windows, &trees.ends[..2]), (2, &[[0, 1], [0, 2]][..]));
/// # Ok::<(), kostra_points::PointsError>(())
/// ```
///
/// # Errors
/// When a window is shorter than 2 times or longer than the table, `step` is 0, a series is
/// constant in a window, or the system refuses memory.
pub fn rolling_trees(
    table: &Points<'_>,
    windows: Windows,
    run: &mut Run<'_>,
) -> Result<WindowTrees, PointsError> {
    let (times, series) = (table.len() as usize, table.dimensions());
    let Windows { length, step, .. } = windows;
    if length < 2 || length > times || step == 0 {
        return Err(PointsError::Windows { length, step, times });
    }
    let mut values = memory::zeros(times * series)?;
    table.values().copy_to(0, &mut values);
    let count = (times - length) / step + 1;
    let edges = series - 1;
    let mut trees = WindowTrees {
        series: series as u32,
        windows: count,
        ends: memory::filled(count * edges, [0; 2])?,
        distances: memory::zeros(count * edges)?,
    };
    let per_block = (count / BLOCKS).clamp(1, MOST_PER_BLOCK);
    let mut rest = (trees.ends.as_mut_slice(), trees.distances.as_mut_slice());
    let mut blocks = Vec::new();
    for first in (0..count).step_by(per_block) {
        let size = per_block.min(count - first) * edges;
        let (ends, other_ends) = std::mem::take(&mut rest.0).split_at_mut(size);
        let (distances, other_distances) = std::mem::take(&mut rest.1).split_at_mut(size);
        rest = (other_ends, other_distances);
        blocks.push((first..count.min(first + per_block), ends, distances));
    }
    let failure = Mutex::new(None);
    let threads = run.request.threads();
    let per_report = threads.max(1) * 2;
    with_observed_team(run, threads, |team, run| {
        let mut done = 0;
        while !blocks.is_empty() {
            run.report.progress(done, count).map_err(|_| PointsError::Cancelled)?;
            let part: Vec<_> = blocks.drain(..per_report.min(blocks.len())).collect();
            done += part.iter().map(|(windows, ..)| windows.len()).sum::<usize>();
            for_each_item(team, part.into_iter(), |(range, ends, distances)| {
                let block = Sums::new(&values, series, windows)
                    .and_then(|mut sums| sums.trees(range, ends, distances));
                if let Err(error) = block {
                    // The earliest window, so that the error does not depend on the threads.
                    let mut failure = lock(&failure);
                    if failure.as_ref().is_none_or(|other| window_of(&error) < window_of(other)) {
                        *failure = Some(error);
                    }
                }
            });
            if lock(&failure).is_some() {
                break;
            }
        }
        Ok::<_, PointsError>(())
    })?;
    into_item(failure).map_or(Ok(trees), Err)
}

fn window_of(error: &PointsError) -> usize {
    match error {
        PointsError::ConstantSeries { start, .. } => *start,
        _ => 0,
    }
}
