//! The distance by which pairs are ordered, and searches from many points.

use std::sync::Mutex;

use kostra_core::{OutOfMemory, Run, memory};
use kostra_parallel::{Team, for_each_item, into_item, lock};

use crate::canonical::larger;
use crate::kd_tree::{self, ValueSpan};
use crate::pair::Pair;
use crate::{PointsError, Prepared};

/// Points, and the distance by which their pairs are ordered.
#[derive(Clone, Copy)]
pub(super) struct Reach<'a> {
    pub(super) prepared: &'a Prepared<'a>,
    /// The scaled core distance of each point; empty for a metric itself.
    pub(super) cores: &'a [f64],
    /// The same before the update, of the points that were there.
    pub(super) before: &'a [f64],
}

impl Reach<'_> {
    /// The scaled core distance of a point; 0 for a metric itself.
    #[inline]
    pub(super) fn core(&self, point: u32) -> f64 {
        self.cores.get(point as usize).copied().unwrap_or(0.0)
    }

    /// Edges of a point that are not shorter did not become shorter by its core distance. Infinity
    /// for new points.
    pub(super) fn limit(&self, point: u32) -> f64 {
        self.before.get(point as usize).copied().unwrap_or(f64::INFINITY)
    }

    /// A pair with its mutual reachability distance, or with its distance.
    pub(super) fn pair(&self, u: u32, v: u32) -> Pair {
        let cores = larger(self.core(u), self.core(v));
        Pair::new(larger(self.prepared.compared(u, v), cores), u, v)
    }
}

/// The spans of points with the values below these limits.
pub(super) fn spans_below(limits: &[f64]) -> Result<Vec<ValueSpan>, OutOfMemory> {
    memory::collected(limits.iter().map(|&limit| ValueSpan { floor: 0.0, ceiling: limit }))
}

/// What `search` finds for all of `points`, in any order. It takes some near points at a time, on
/// any thread.
pub(super) fn from_each<T: Send>(
    prepared: &Prepared<'_>,
    points: &[u32],
    search: impl Fn(&[u32]) -> Result<Vec<T>, OutOfMemory> + Sync,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<Vec<T>, PointsError> {
    /// The points that a thread takes at a time.
    const CHUNK: usize = 64;
    /// The points between two moments at which the run may be cancelled: a fraction of a second.
    const UNINTERRUPTED: usize = 1 << 12;
    // Searches from near points read the same boxes.
    let mut order = kd_tree::spatial_order(&prepared.selected(points.iter().copied())?, team)?;
    order.iter_mut().for_each(|at| *at = points[*at as usize]);
    let all = Mutex::new(Ok(Vec::new()));
    for (part, points) in order.chunks(UNINTERRUPTED).enumerate() {
        let progress = run.report.progress(part * UNINTERRUPTED, order.len());
        progress.map_err(|_| PointsError::Cancelled)?;
        for_each_item(team, points.chunks(CHUNK), |points| {
            let found = search(points);
            let mut all = lock(&all);
            match (&mut *all, found) {
                (Ok(all), Ok(found)) => all.extend(found),
                (Ok(_), Err(error)) => *all = Err(error),
                (Err(_), _) => {}
            }
        });
    }
    Ok(into_item(all)?)
}
