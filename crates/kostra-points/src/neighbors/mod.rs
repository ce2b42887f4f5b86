//! The nearest neighbors of each point, and core distances.

mod brute_force;
mod nearest;
mod tree;

use std::sync::atomic::Ordering::Relaxed;

use kostra_core::{Run, memory};
use kostra_parallel::{Team, atomic_u32, atomic_u64, with_observed_team};

pub(crate) use brute_force::brute_force_core;
pub(crate) use nearest::{MANY, Nearest, NearestSelection};
pub use tree::neighbors_tree;

use crate::kd_tree;
use crate::places::{self, Places};
use crate::samples::{Found, NeighborList, core_of};
use crate::tiles;
use crate::{Distance, MAX_TREE_DIMENSIONS, Metric, Points, PointsError, Prepared};

/// The nearest neighbors of each point, without the point itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Neighbors {
    /// The number of neighbors of each point, `k`.
    pub per_point: usize,
    /// `n * k` indices of points, row by row. Each row is in ascending order of (compared distance,
    /// index).
    pub indices: Vec<u32>,
    /// The distance to each neighbor.
    pub distances: Vec<f64>,
}

/// The `neighbors` nearest other points of each point. Of points at one distance, those with the
/// lowest indices.
///
/// By a k-d tree for up to [`MAX_TREE_DIMENSIONS`] dimensions, by comparing all pairs for more
/// (most only in 32 bits, with a bound of the error).
/// Memory: `12 * n * neighbors` bytes for the answer, and two copies of the points.
///
/// scikit-learn's `kneighbors(X)` also counts the point itself; `kneighbors()` does not, as here.
///
/// # Errors
/// When the metric does not accept the points, there are not more points than `neighbors`, the
/// observer cancels the run, or the system refuses memory.
pub fn nearest_neighbors(
    points: &Points<'_>,
    metric: Metric,
    neighbors: usize,
    run: &mut Run<'_>,
) -> Result<Neighbors, PointsError> {
    let prepared = Prepared::by(points, metric.into(), run.request.threads())?;
    let n = points.len() as usize;
    if n > 0 && neighbors >= n {
        return Err(PointsError::TooFewNeighbors { neighbors, points: n });
    }
    let mut indices = memory::zeros(n * neighbors)?;
    let mut distances = memory::zeros(n * neighbors)?;
    let (index_slots, distance_slots) = (atomic_u32(&mut indices), atomic_u64(&mut distances));
    with_observed_team(run, run.request.threads(), |team, run| {
        for_each_point(&prepared, neighbors, team, run, |point, (compared, points)| {
            let start = point as usize * neighbors;
            for (at, (distance, (index, _))) in (start..).zip(compared.iter().zip(points)) {
                index_slots[at].store(*index, Relaxed);
                distance_slots[at].store(distance.to_bits(), Relaxed);
            }
        })
    })?;
    let distances =
        distances.into_iter().map(|bits| prepared.reported(f64::from_bits(bits))).collect();
    Ok(Neighbors { per_point: neighbors, indices, distances })
}

/// The core distance of each point: the distance to the `min_samples`-th nearest point, where the
/// point itself is the first. So 0 for `min_samples` 1. Numbers by which distances are divided
/// change no more than its rounding.
///
/// # Errors
/// As [`brute_force`](crate::brute_force()).
pub fn core_distances(
    points: &Points<'_>,
    distance: impl Into<Distance>,
    run: &mut Run<'_>,
) -> Result<Vec<f64>, PointsError> {
    let distance = distance.into();
    let min_samples = distance.min_samples;
    let prepared = Prepared::by(points, distance, run.request.threads())?;
    points.check_min_samples(min_samples)?;
    let cores = compared_cores(&prepared, min_samples, run)?;
    Ok(cores.into_iter().map(|core| prepared.reported_core(core)).collect())
}

/// The compared core distance of each point, not scaled.
pub(crate) fn compared_cores(
    prepared: &Prepared<'_>,
    min_samples: usize,
    run: &mut Run<'_>,
) -> Result<Vec<f64>, PointsError> {
    let mut core = memory::zeros(prepared.len() as usize)?;
    let slots = atomic_u64(&mut core);
    with_observed_team(run, run.request.threads(), |team, run| {
        // Each counts at least once.
        let neighbors = (min_samples - 1).min(prepared.len().saturating_sub(1) as usize);
        for_each_point(prepared, neighbors, team, run, |point, found| {
            let core = core_of(point, found, min_samples, prepared.weights());
            slots[point as usize].store(core.to_bits(), Relaxed);
        })
    })?;
    Ok(core.into_iter().map(f64::from_bits).collect())
}

/// Calls `found` with each point and its `neighbors` nearest neighbors, on any thread.
fn for_each_point(
    prepared: &Prepared<'_>,
    neighbors: usize,
    team: &Team<'_>,
    run: &mut Run<'_>,
    found: impl Fn(u32, NeighborList<'_>) + Sync,
) -> Result<(), PointsError> {
    run.phase("nearest neighbors", |run| {
        if neighbors == 0 || prepared.is_empty() {
            Ok(())
        } else if prepared.dimensions() <= MAX_TREE_DIMENSIONS {
            kd_tree::for_each_point(prepared, neighbors, &found, team, run)
        } else if places::repeats(prepared, team)? {
            let search = |kept: &Prepared<'_>, k: usize, found: &Found<'_>| {
                for_each_row(kept, k, found, team, run)
            };
            Places::new(prepared, 1)?.for_each_point(prepared, neighbors, search, &found)
        } else {
            for_each_row(prepared, neighbors, &found, team, run)
        }
    })
}

/// [`for_each_point`], by comparing all pairs.
fn for_each_row(
    prepared: &Prepared<'_>,
    neighbors: usize,
    found: &Found<'_>,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<(), PointsError> {
    match tiles::suiting(prepared, neighbors, team) {
        Some(tiled) => tiles::for_each_row(&tiled, neighbors, team, run, found),
        None => brute_force::for_each_row(prepared, neighbors, team, run, found),
    }
}
