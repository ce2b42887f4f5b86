//! The tree by rounds of Borůvka's algorithm over a k-d tree.

mod build;
mod candidates;
mod lists;
mod merge;
mod nearest;
mod passes;
mod query;
mod rounds;
mod search;
mod shape;
mod walk;

use kostra_core::Run;
use kostra_parallel::{Team, with_observed_team};

use crate::pair::{self, Pair};
use crate::places::Places;
use crate::samples::Found;
use crate::{Distance, MAX_TREE_DIMENSIONS, PointTree, Points, PointsError, Prepared};
use lists::{Lists, Samples, for_each_leaf};
use nearest::LeafNeighbors;
use passes::Passes;
pub(crate) use query::{
    Bounds, Searchable, SpannedTree, ValueSpan, Visitor, searchable, spatial_order,
};
pub(crate) use rounds::Pieces;

/// The canonical minimum spanning tree of points of up to [`MAX_TREE_DIMENSIONS`] dimensions, by a
/// k-d tree.
///
/// O(n log n) time for points that are spread evenly in few dimensions, up to O(n^2) in many, on
/// the threads of `run`.
///
/// # Errors
/// As [`brute_force`](crate::brute_force()), and when there are more dimensions.
pub fn kd_tree(
    points: &Points<'_>,
    distance: impl Into<Distance>,
    run: &mut Run<'_>,
) -> Result<PointTree, PointsError> {
    tree_of(points, distance.into(), run)
}

/// [`kd_tree`] without a generic argument, so that only this crate compiles it.
fn tree_of(
    points: &Points<'_>,
    distance: Distance,
    run: &mut Run<'_>,
) -> Result<PointTree, PointsError> {
    let min_samples = distance.min_samples;
    let prepared = Prepared::by(points, distance, run.request.threads())?;
    points.check_min_samples(min_samples)?;
    let dimensions = prepared.dimensions();
    if dimensions > MAX_TREE_DIMENSIONS {
        return Err(PointsError::TooManyDimensions { dimensions });
    }
    let threads = if points.len() < 2 { 1 } else { run.request.threads() };
    with_observed_team(run, threads, |team, run| {
        let pairs = pairs_of(&prepared, min_samples, team, run)?;
        run.phase("sort edges", |_| Ok(pair::tree(&prepared, pairs, team)?))
    })
}

/// The pairs of the tree, in any order.
pub(crate) fn pairs_of(
    prepared: &Prepared<'_>,
    min_samples: usize,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<Vec<Pair>, PointsError> {
    if prepared.len() < 2 {
        return Ok(Vec::new());
    }
    let mut passes = run.phase("build tree", |_| passes::build(prepared, team))?;
    if !passes.repeats() {
        return pairs_of_tree(&mut *passes, Samples { prepared, min_samples }, team, run);
    }
    drop(passes);
    let (places, kept, mut passes) = run.phase("find places", |_| {
        let places = Places::new(prepared, 2)?;
        let kept = places.prepared(prepared)?;
        let passes = passes::build(&kept, team)?;
        Ok::<_, PointsError>((places, kept, passes))
    })?;
    let samples = Samples { prepared: &kept, min_samples };
    let pairs = pairs_of_tree(&mut *passes, samples, team, run)?;
    Ok(places.expanded(pairs)?)
}

/// [`pairs_of`] for the points of `passes`.
fn pairs_of_tree(
    passes: &mut dyn Passes,
    samples: Samples<'_>,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<Vec<Pair>, PointsError> {
    let mut lists = run.phase("nearest neighbors", |run| Lists::new(passes, samples, team, run))?;
    rounds::tree(passes, &mut lists, team, run)
}

/// The pairs of the tree that join the components of a forest of other pairs of the tree. None if
/// many points have the same coordinates.
pub(crate) fn links_of(
    prepared: &Prepared<'_>,
    pieces: Pieces<'_>,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<Option<Vec<Pair>>, PointsError> {
    let mut passes = run.phase("build tree", |_| passes::build(prepared, team))?;
    if passes.repeats() {
        return Ok(None);
    }
    let lists = Lists::without_neighbors(passes.shape(), pieces.cores)?;
    if !pieces.cores.is_empty() {
        passes.set_core(&lists.core);
    }
    rounds::links(&*passes, &lists, pieces, team, run).map(Some)
}

/// Calls `found` with each point and its `k` nearest neighbors, on any thread: compared distances
/// and indices in ascending order. There are more than `k` points, and `k` is at least 1.
pub(crate) fn for_each_point(
    prepared: &Prepared<'_>,
    k: usize,
    found: &Found<'_>,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<(), PointsError> {
    let passes = passes::build(prepared, team)?;
    if !passes.repeats() {
        return for_each_lane(&*passes, k, found, team, run);
    }
    drop(passes);
    let search = |kept: &Prepared<'_>, k: usize, found: &Found<'_>| {
        for_each_lane(&*passes::build(kept, team)?, k, found, team, run)
    };
    Places::new(prepared, 1)?.for_each_point(prepared, k, search, found)
}

/// [`for_each_point`] for the points of `passes`.
fn for_each_lane(
    passes: &dyn Passes,
    k: usize,
    found: &Found<'_>,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<(), PointsError> {
    let shape = passes.shape();
    let store = |leaf: usize, neighbors: &LeafNeighbors| {
        for lane in 0..shape.lanes(leaf) {
            found(shape.ids[leaf][lane], neighbors.of(lane));
        }
    };
    for_each_leaf(passes, k, &store, team, run)
}
