//! Spanning trees of points that come and go.

mod base;
mod cores;
mod extension;
mod range_maximum;
mod reach;
mod removal;

use std::borrow::Cow;
use std::ops::Range;

use kostra_core::{Run, memory};
use kostra_parallel::{with_observed_team, with_team};

use crate::canonical::Extent;
use crate::neighbors::compared_cores;
use crate::pair::{self, Pair};
use crate::{
    Distance, MAX_POINTS, MAX_TREE_DIMENSIONS, PointTree, Points, PointsError, Prepared,
    spanning_tree,
};
use base::Base;
use cores::{Before, Cores, with_new, without};
use extension::Extension;
use reach::Reach;
use removal::{GONE, pairs_without};

/// A batch with more points than this part of the present points takes as long as a new tree of
/// all.
const LARGE_BATCH: usize = 8;
/// So does the removal of a larger part.
const LARGE_REMOVAL: usize = 4;

/// Points that come and go, and their canonical spanning tree.
///
/// After each update, the tree is the one that [`spanning_tree`] returns for the present points in
/// the order of their ids, bit by bit. So all that is computed from the tree is equal too: single
/// linkage, the labels of HDBSCAN.
///
/// Adding a batch of a few points to many takes a fraction of the time of a new tree: the new tree
/// is within the old tree and the edges at new points. Each new point searches its edges with the
/// help of the old tree. Removing a few points keeps the edges between the others, and searches the
/// edges that join the pieces. The next points then need preparations for all points, which take
/// about half the time of a new tree.
///
/// With mutual reachability distances (`min_samples` from 2), an update also changes the core
/// distances of near points, so about `min_samples` times as many points search.
///
/// Some updates compute the whole tree again, and [`was_recomputed`](Self::was_recomputed) says so:
///
/// * adding more than an eighth of the present points, or removing more than a quarter;
/// * changing the core distances of more than a quarter;
/// * removals from many points with the same coordinates, and with mutual reachability distances
///   also additions;
/// * all updates with more than [`MAX_TREE_DIMENSIONS`] dimensions.
///
/// Memory: about 100 bytes per point, and 16 to 32 per coordinate.
///
/// ```
/// use kostra_points::{DynamicPoints, Metric, Points, Run};
///
/// let run = &mut Run::new();
/// let first = Points::new(&[0.0, 1.0, 5.0], 1)?;
/// let mut points = DynamicPoints::new(&first, Metric::Euclidean, run)?;
/// assert_eq!(points.add(&Points::new(&[4.0], 1)?, run)?, 3..4);
/// assert_eq!(points.tree()?.ends, [[0, 1], [2, 3], [1, 3]]);
/// points.remove(&[1], run)?;
/// assert_eq!(points.ids(), [0, 2, 3]);
/// assert_eq!(points.tree()?.ends, [[1, 2], [0, 2]]); // positions in `ids`
/// # Ok::<(), kostra_points::PointsError>(())
/// ```
pub struct DynamicPoints {
    distance: Distance,
    dimensions: usize,
    /// The coordinates of the present points, row by row, in ascending order of ids.
    rows: Vec<f64>,
    ids: Vec<u32>,
    next_id: u32,
    tree: Kept,
    /// The scaled core distance of each point. Empty for a metric itself, and for a whole tree.
    cores: Vec<f64>,
    was_recomputed: bool,
}

/// The tree of the present points.
enum Kept {
    /// A tree that updates do not use.
    Whole(PointTree),
    /// The edges in the canonical order. The next points make a base of them.
    Joined(Vec<Pair>),
    Extended(Box<ExtendedTree>),
}

/// The tree of the first points, and what the other ones change.
struct ExtendedTree {
    base: Base,
    extension: Extension,
    /// Of all points.
    extent: Extent,
}

impl DynamicPoints {
    /// The first points, perhaps none. They have the ids from 0.
    ///
    /// # Errors
    /// As [`spanning_tree`], and for points with weights.
    pub fn new(
        points: &Points<'_>,
        distance: impl Into<Distance>,
        run: &mut Run<'_>,
    ) -> Result<Self, PointsError> {
        let (distance, dimensions) = (distance.into(), points.dimensions());
        let rows = rows_of(points)?;
        let (tree, cores) = fitted(&Points::of_checked(&rows, dimensions), distance, run)?;
        let ids = memory::collected(0..points.len())?;
        let next_id = points.len();
        Ok(Self { distance, dimensions, rows, ids, next_id, tree, cores, was_recomputed: true })
    }

    /// The number of present points.
    pub fn len(&self) -> u32 {
        self.ids.len() as u32
    }

    /// Whether no point is present.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The number of coordinates of a point.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The ids of the present points, ascending. Ids are never used again.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// The coordinates of the present points, row by row, in the order of [`ids`](Self::ids).
    pub fn rows(&self) -> &[f64] {
        &self.rows
    }

    /// Whether the last update computed the whole tree again.
    pub fn was_recomputed(&self) -> bool {
        self.was_recomputed
    }

    /// The spanning tree. Its points are positions in [`ids`](Self::ids). O(n).
    ///
    /// # Errors
    /// When the system refuses memory.
    pub fn tree(&self) -> Result<PointTree, PointsError> {
        match &self.tree {
            Kept::Whole(tree) => Ok(tree.clone()),
            Kept::Joined(pairs) => self.tree_of(pairs),
            Kept::Extended(tree) => self.tree_of(&tree.extension.pairs(&tree.base)?),
        }
    }

    fn tree_of(&self, pairs: &[Pair]) -> Result<PointTree, PointsError> {
        let reported = |compared| self.distance.reported(compared);
        Ok(with_team(1, |team| pair::sorted_tree(self.len(), pairs, reported, team))?)
    }

    /// Adds points, and returns their ids. Nothing changes if it fails or is cancelled.
    ///
    /// # Errors
    /// As [`spanning_tree`] for all points, and when the numbers of coordinates differ.
    pub fn add(
        &mut self,
        points: &Points<'_>,
        run: &mut Run<'_>,
    ) -> Result<Range<u32>, PointsError> {
        if points.dimensions() != self.dimensions {
            let (new, fitted) = (points.dimensions(), self.dimensions);
            return Err(PointsError::OtherDimensions { new, fitted });
        }
        let ids = self.next_id as usize..self.next_id as usize + points.len() as usize;
        if ids.end > MAX_POINTS {
            return Err(PointsError::TooManyPoints { points: ids.end });
        }
        let before = self.rows.len();
        let new = rows_of(points)?;
        memory::reserve(&mut self.rows, new.len())?;
        self.rows.extend(new);
        let added = self.extend(points.len() as usize, run);
        if added.is_err() {
            self.rows.truncate(before);
        }
        added?;
        self.next_id = ids.end as u32;
        let ids = ids.start as u32..ids.end as u32;
        self.ids.extend(ids.clone());
        Ok(ids)
    }

    /// Updates the tree after `new` points were appended to `rows`.
    fn extend(&mut self, new: usize, run: &mut Run<'_>) -> Result<(), PointsError> {
        let (first, n) = (self.ids.len(), self.ids.len() + new);
        if new == 0 {
            self.was_recomputed = false;
            return Ok(());
        }
        if new > n / LARGE_BATCH {
            return self.fit(run);
        }
        if let Kept::Joined(pairs) = &self.tree {
            let present =
                Points::of_checked(&self.rows[..first * self.dimensions], self.dimensions);
            let prepared = Prepared::by_any_range(&present, self.distance)?;
            let reach = Reach { prepared: &prepared, cores: &self.cores, before: &self.cores };
            self.tree = extended(reach, memory::copied(pairs)?, run)?;
        }
        let Kept::Extended(tree) = &mut self.tree else { return self.fit(run) };
        let points = Points::of_checked(&self.rows, self.dimensions);
        let prepared = Prepared::by_any_range(&points, self.distance)?;
        let (dimensions, mut extent) = (prepared.dimensions(), tree.extent.clone());
        extent.contain(&prepared.rows()[first * dimensions..], dimensions);
        prepared.check_extent(&extent)?;
        let (base, extension) = (&tree.base, &tree.extension);
        let before = Before { of: &self.cores, min_samples: self.distance.min_samples };
        let updated = with_observed_team(run, run.request.threads(), |team, run| {
            let cores =
                run.phase("core distances", |run| with_new(base, &prepared, before, team, run))?;
            let Some(Cores { of: cores, changed: mut searching }) = cores else { return Ok(None) };
            searching.extend(first as u32..n as u32);
            let reach = Reach { prepared: &prepared, cores: &cores, before: before.of };
            let Some(extension) = extension.with(base, reach, &searching, team, run)? else {
                return Ok(None);
            };
            // Each update takes time for all points behind the base, and a new base for all points.
            let behind = n - base.places.len();
            if behind * behind <= n * new {
                return Ok(Some((None, extension, cores)));
            }
            let pairs = extension.pairs(base)?;
            let base = run.phase("build base", |_| Base::new(reach, pairs, team))?;
            Ok::<_, PointsError>(Some((Some(base), Extension::default(), cores)))
        })?;
        let Some((new_base, extension, cores)) = updated else { return self.fit(run) };
        check_not_cancelled(n, run)?;
        tree.extension = extension;
        tree.extent = extent;
        if let Some(new_base) = new_base {
            tree.base = new_base;
        }
        self.cores = cores;
        self.was_recomputed = false;
        Ok(())
    }

    /// Removes points.
    ///
    /// # Errors
    /// When a point is not present or is named twice, and as [`spanning_tree`] for the other
    /// points. Nothing changes then, nor when it is cancelled.
    pub fn remove(&mut self, ids: &[u32], run: &mut Run<'_>) -> Result<(), PointsError> {
        let mut gone = memory::filled(self.ids.len(), false)?;
        for &id in ids {
            let position =
                self.ids.binary_search(&id).map_err(|_| PointsError::NotPresent { id })?;
            if std::mem::replace(&mut gone[position], true) {
                return Err(PointsError::RepeatedId { id });
            }
        }
        if ids.is_empty() {
            self.was_recomputed = false;
            return Ok(());
        }
        let stay = self.ids.len() - ids.len();
        let mut gone_rows = memory::with_capacity(ids.len() * self.dimensions)?;
        let mut rows = memory::with_capacity(stay * self.dimensions)?;
        let mut others = memory::with_capacity(stay)?;
        // The new number of each point.
        let mut new = memory::filled(self.ids.len(), GONE)?;
        for (position, row) in self.rows.chunks_exact(self.dimensions).enumerate() {
            if !gone[position] {
                new[position] = others.len() as u32;
                rows.extend_from_slice(row);
                others.push(self.ids[position]);
            } else {
                gone_rows.extend_from_slice(row);
            }
        }
        let points = Points::of_checked(&rows, self.dimensions);
        let gone = Points::of_checked(&gone_rows, self.dimensions);
        let joined = self.joined([&points, &gone], &new, run)?;
        self.was_recomputed = joined.is_none();
        (self.tree, self.cores) = match joined {
            Some(joined) => joined,
            None => fitted(&points, self.distance, run)?,
        };
        (self.rows, self.ids) = (rows, others);
        Ok(())
    }

    /// The tree of the points that stay, and their core distances, if they need not be computed
    /// again.
    fn joined(
        &self,
        [points, gone]: [&Points<'_>; 2],
        new: &[u32],
        run: &mut Run<'_>,
    ) -> Result<Option<(Kept, Vec<f64>)>, PointsError> {
        let stay = points.len() as usize;
        let min_samples = self.distance.min_samples;
        if new.len() - stay > new.len() / LARGE_REMOVAL || stay < min_samples {
            return Ok(None);
        }
        let pairs = match &self.tree {
            Kept::Whole(_) => return Ok(None),
            Kept::Joined(pairs) => Cow::Borrowed(pairs),
            Kept::Extended(tree) => Cow::Owned(tree.extension.pairs(&tree.base)?),
        };
        let prepared = Prepared::by_any_range(points, self.distance)?;
        let gone = Prepared::by_any_range(gone, self.distance)?;
        let mut cores = memory::with_capacity(self.cores.len())?;
        let stays = self.cores.iter().zip(new).filter(|(_, new)| **new != GONE);
        cores.extend(stays.map(|(core, _)| *core));
        with_observed_team(run, run.request.threads(), |team, run| {
            if min_samples > 1 {
                let before = Before { of: &cores, min_samples };
                let after = run
                    .phase("core distances", |run| without(&prepared, &gone, before, team, run))?;
                let Some(after) = after else { return Ok(None) };
                cores = after.of;
            }
            let reach = Reach { prepared: &prepared, cores: &cores, before: &cores };
            let pairs = pairs_without(&pairs, new, reach, team, run)?;
            check_not_cancelled(stay, run)?;
            Ok(pairs.map(|pairs| (Kept::Joined(pairs), cores)))
        })
    }

    fn fit(&mut self, run: &mut Run<'_>) -> Result<(), PointsError> {
        let points = Points::of_checked(&self.rows, self.dimensions);
        (self.tree, self.cores) = fitted(&points, self.distance, run)?;
        self.was_recomputed = true;
        Ok(())
    }
}

/// The coordinates of points, row by row.
fn rows_of(points: &Points<'_>) -> Result<Vec<f64>, PointsError> {
    if !points.weights().is_empty() {
        return Err(PointsError::DynamicWeights);
    }
    let mut rows = memory::zeros(points.len() as usize * points.dimensions())?;
    points.values().copy_to(0, &mut rows);
    Ok(rows)
}

/// The tree of points in the form that later updates need, and their core distances.
fn fitted(
    points: &Points<'_>,
    distance: Distance,
    run: &mut Run<'_>,
) -> Result<(Kept, Vec<f64>), PointsError> {
    let tree = spanning_tree(points, distance, run)?;
    let prepared = Prepared::by_any_range(points, distance)?;
    if prepared.dimensions() > MAX_TREE_DIMENSIONS || points.is_empty() {
        return Ok((Kept::Whole(tree), Vec::new()));
    }
    let mut cores = Vec::new();
    if distance.min_samples > 1 {
        cores = compared_cores(&prepared, distance.min_samples, run)?;
        cores.iter_mut().for_each(|core| *core = prepared.scaled_core(*core));
    }
    let reach = Reach { prepared: &prepared, cores: &cores, before: &cores };
    let pairs = memory::collected(tree.ends.iter().map(|&[u, v]| reach.pair(u, v)))?;
    drop(tree);
    Ok((extended(reach, pairs, run)?, cores))
}

/// The tree of points that others will join. `pairs` are in the canonical order.
fn extended(reach: Reach<'_>, pairs: Vec<Pair>, run: &mut Run<'_>) -> Result<Kept, PointsError> {
    with_observed_team(run, run.request.threads(), |team, run| {
        let base = run.phase("build base", |_| Base::new(reach, pairs, team))?;
        check_not_cancelled(base.places.len(), run)?;
        let mut extent = Extent::default();
        extent.contain(reach.prepared.rows(), reach.prepared.dimensions());
        let extension = Extension::default();
        Ok(Kept::Extended(Box::new(ExtendedTree { base, extension, extent })))
    })
}

/// Refuses a run that was cancelled, at the last moment before its result counts.
fn check_not_cancelled(points: usize, run: &mut Run<'_>) -> Result<(), PointsError> {
    run.report.progress(points, points).map_err(|_| PointsError::Cancelled)
}
