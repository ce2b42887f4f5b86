//! Core distances of points that come and go.
//!
//! * **Idea**: the core distance of a point is that of its `min_samples`-th nearest point. It
//!   shrinks only if a new point is nearer, and grows only if a point within it goes. The boxes of
//!   a search tree know their largest core distance, so a point that comes or goes finds the points
//!   for which this may be so. These search their nearest points again.
//! * **Time** one search for each point that comes or goes, and one for each point that is found.

use kostra_core::{OutOfMemory, Run, memory};
use kostra_parallel::Team;

use super::base::Base;
use super::reach::{from_each, spans_below};
use crate::kd_tree::{Bounds, Searchable, Visitor, searchable};
use crate::neighbors::Nearest;
use crate::{PointsError, Prepared};

/// Core distances after an update.
#[derive(Default)]
pub(super) struct Cores {
    /// The scaled core distance of each point; empty for a metric itself.
    pub(super) of: Vec<f64>,
    /// The points that were there before, and whose core distance has changed, ascending.
    pub(super) changed: Vec<u32>,
}

/// If an update may change the core distances of a larger part of the points, it takes as long as
/// a new tree.
const LARGE_CHANGE: usize = 4;

/// The core distances before an update.
#[derive(Clone, Copy)]
pub(super) struct Before<'a> {
    /// As in [`Cores`].
    pub(super) of: &'a [f64],
    pub(super) min_samples: usize,
}

/// Some points, and their search tree. Its ids are positions in `points`.
struct Index<'a> {
    tree: &'a dyn Searchable,
    points: &'a [u32],
}

/// The core distances of all points. The points from `before.of.len()` on are new. None if many
/// core distances of the others may change.
pub(super) fn with_new(
    base: &Base,
    prepared: &Prepared<'_>,
    before: Before<'_>,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<Option<Cores>, PointsError> {
    let Some(by_core) = &base.by_core else { return Ok(Some(Cores::default())) };
    let (start, first, n) = (base.places.len() as u32, before.of.len() as u32, prepared.len());
    // Only the core distances of points that were there before can shrink.
    let mut of = memory::filled(n as usize, 0.0)?;
    of[..first as usize].copy_from_slice(before.of);
    let behind = memory::collected(start..n)?;
    let spans = spans_below(&of[start as usize..])?;
    let tree = searchable(&prepared.selected(start..n)?, &spans, team)?;
    let by_core = Index { tree: by_core, points: &base.points };
    let indexes = [by_core, Index { tree: &tree, points: &behind }];
    let new = memory::collected(first..n)?;
    let search = |rows: &[u32]| Ok(within(prepared, rows, &indexes, &of));
    let mut points = from_each(prepared, &new, search, team, run)?;
    points.sort_unstable();
    points.dedup();
    if points.len() > n as usize / LARGE_CHANGE {
        return Ok(None);
    }
    points.extend(new);
    // Without a scale, the core distance of a point that was there is a bound of the new one.
    let bounds = if prepared.is_scaled() { &[] } else { before.of };
    let search = Search { prepared, indexes: &indexes, min_samples: before.min_samples, bounds };
    let found = from_each(prepared, &points, |points| search.cores_of(points), team, run)?;
    let mut changed = replaced(&mut of, &found);
    changed.retain(|&point| point < first);
    Ok(Some(Cores { of, changed }))
}

/// The core distances of the points that stay, when others went. `before` has those that the points
/// that stay had. None if many may change.
pub(super) fn without(
    prepared: &Prepared<'_>,
    gone: &Prepared<'_>,
    before: Before<'_>,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<Option<Cores>, PointsError> {
    // A point at the core distance itself is within it.
    let limits = memory::collected(before.of.iter().map(|core| core.next_up()))?;
    let points = memory::collected(0..prepared.len())?;
    let tree = run.phase("build index", |_| searchable(prepared, &spans_below(&limits)?, team))?;
    let indexes = [Index { tree: &tree, points: &points }];
    let rows = memory::collected(0..gone.len())?;
    let search = |rows: &[u32]| Ok(within(gone, rows, &indexes, &limits));
    let mut points = from_each(gone, &rows, search, team, run)?;
    points.sort_unstable();
    points.dedup();
    if points.len() > prepared.len() as usize / LARGE_CHANGE {
        return Ok(None);
    }
    let search =
        Search { prepared, indexes: &indexes, min_samples: before.min_samples, bounds: &[] };
    let found = from_each(prepared, &points, |points| search.cores_of(points), team, run)?;
    let mut of = memory::copied(before.of)?;
    let changed = replaced(&mut of, &found);
    Ok(Some(Cores { of, changed }))
}

/// The points that are nearer to one of `rows` than their limit. Some of them several times.
fn within(rows: &Prepared<'_>, of: &[u32], indexes: &[Index<'_>], limits: &[f64]) -> Vec<u32> {
    let mut found = Vec::new();
    for &row in of {
        for Index { tree, points } in indexes {
            let mut within = Within { prepared: rows, points, limits, found: &mut found };
            tree.search(rows.row(row), &mut within);
        }
    }
    found
}

/// Looks for the points whose limit is above their scaled distance.
struct Within<'a> {
    prepared: &'a Prepared<'a>,
    /// The point of each id.
    points: &'a [u32],
    /// The limit of each point.
    limits: &'a [f64],
    found: &'a mut Vec<u32>,
}

impl Visitor for Within<'_> {
    fn wants(&self, points: Bounds) -> bool {
        self.prepared.scaled_core(points.compared) < points.span.ceiling
    }

    fn visit(&mut self, ids: &[u32], compared: &[f64]) {
        for (&id, &compared) in ids.iter().zip(compared) {
            let point = self.points[id as usize];
            if self.prepared.scaled_core(compared) < self.limits[point as usize] {
                self.found.push(point);
            }
        }
    }

    fn visit_equal(&mut self, ids: &[u32], compared: f64) {
        ids.iter().for_each(|&id| self.visit(&[id], &[compared]));
    }
}

/// A search for core distances.
struct Search<'a> {
    prepared: &'a Prepared<'a>,
    /// All points.
    indexes: &'a [Index<'a>],
    min_samples: usize,
    /// Bounds of the core distances of the first points, not scaled.
    bounds: &'a [f64],
}

impl Search<'_> {
    /// Points with their scaled core distances.
    fn cores_of(&self, points: &[u32]) -> Result<Vec<(u32, f64)>, OutOfMemory> {
        let mut nearest = Nearest::new(self.min_samples)?;
        let mut found = memory::with_capacity(points.len())?;
        for &point in points {
            nearest.clear();
            if let Some(&bound) = self.bounds.get(point as usize) {
                nearest.compared.fill(bound);
            }
            // Ids of two trees may be equal, but only distances count. The point itself is one of
            // the points.
            let row = self.prepared.row(point);
            self.indexes.iter().for_each(|index| index.tree.search(row, &mut nearest));
            nearest.finish();
            found.push((point, self.prepared.scaled_core(nearest.compared[self.min_samples - 1])));
        }
        Ok(found)
    }
}

/// Replaces values, and returns the points with other values than before, ascending.
fn replaced(of: &mut [f64], found: &[(u32, f64)]) -> Vec<u32> {
    let mut changed = Vec::new();
    for &(point, core) in found {
        if std::mem::replace(&mut of[point as usize], core) != core {
            changed.push(point);
        }
    }
    changed.sort_unstable();
    changed
}
