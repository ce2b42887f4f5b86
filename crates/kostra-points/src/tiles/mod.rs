//! All pairs of points of many dimensions, in tiles: most pairs are only compared in 32 bits.
//!
//! * **Idea**: a matrix product gives the distances between two blocks of points fast, but rounded.
//!   With a proven bound of the error ([`filter`]) it says which pairs can matter, and only these
//!   are compared exactly. A first pass finds the nearest points of each point ([`lists`]), which
//!   are core distances and a good spanning tree. A second pass finds the pairs that are nearer
//!   than the largest distance on their path in this tree ([`links`]), a few per point.
//! * **Why correct**: each pair that a pass leaves out is farther than a lower bound of its exact
//!   distance, and with this bound not among the nearest points, or the last pair of a cycle. So
//!   the tree is the canonical one, edge by edge.
//! * **Time** O(n^2 * d): each pass does n^2 * d / 2 multiplications and additions in 32 bits, less
//!   where balls around blocks are far from each other. Memory: `4 * n * d` bytes beside the
//!   prepared points, and 48 bytes for each listed neighbor of a point. A list has 8 or more.
//! * **Sources**: bounds of rounding by Higham, *Accuracy and Stability of Numerical Algorithms*
//!   (2002); the largest distance on a path as a filter by Karger, Klein & Tarjan (1995).

pub(crate) mod approximate;
mod filter;
mod links;
mod lists;
mod merges;
mod order;
mod scan;

use std::sync::Mutex;

use kostra_core::{OutOfMemory, Run, memory};
use kostra_parallel::{Schedule, Team, lock};

use self::filter::{BLOCK, MAX_DIMENSIONS};
use self::lists::{Lists, Ordered};
use self::merges::Merges;
use self::scan::{Hit, Tile};
use crate::kd_tree::NeighborList;
use crate::pair::{self, Pair};
use crate::samples::neighbors_inside;
use crate::{PointTree, PointsError, Prepared};

/// Fewer points are compared as fast without tiles.
const LEAST_POINTS: u32 = 4 * BLOCK as u32;
/// The most neighbors that the lists of the first pass hold.
const MOST_NEIGHBORS: usize = 512;
/// The neighbors of a point that make a good spanning tree.
const TREE_NEIGHBORS: usize = 8;

/// What a thread needs for a tile.
struct Scratch {
    tile: Tile,
    hits: Vec<Hit>,
}

/// The points in blocks, if tiles compare them fast: there are many, the wanted neighbors are few,
/// and the error of 32 bits is small beside the distances between near points.
/// O(n * d * log n) time.
pub(crate) fn suiting<'a>(
    prepared: &'a Prepared<'a>,
    neighbors: usize,
    team: &Team<'_>,
) -> Result<Option<Ordered<'a>>, OutOfMemory> {
    /// Points that are looked at, each with as many others.
    const SAMPLE: u32 = 128;
    /// How much larger than the error the distance of near points must be.
    const MARGIN: f64 = 8.0;
    if prepared.len() < LEAST_POINTS
        || prepared.dimensions() > MAX_DIMENSIONS
        || neighbors > MOST_NEIGHBORS
    {
        return Ok(None);
    }
    let ordered = Ordered::new(prepared, order::near_together(prepared, team)?, team)?;
    let Ordered { order, filter, .. } = &ordered;
    let step = prepared.len() / SAMPLE;
    let is_apart = |place: &u32| {
        let start = *place as usize / BLOCK * BLOCK;
        let block = &order[start..order.len().min(start + BLOCK)];
        let point = order[*place as usize];
        let others = block.iter().filter(|other| **other != point);
        let nearest = others.map(|other| prepared.compared(point, *other));
        let nearest = nearest.fold(f64::INFINITY, f64::min);
        nearest > MARGIN * filter.error_of(*place as usize)
    };
    let apart = (0..SAMPLE).map(|at| at * step).filter(is_apart).count();
    Ok((apart as u32 >= SAMPLE * 3 / 4).then_some(ordered))
}

/// The canonical minimum spanning tree.
pub(crate) fn tree(
    ordered: Ordered<'_>,
    min_samples: usize,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<PointTree, PointsError> {
    let (prepared, n) = (ordered.prepared, ordered.prepared.len());
    let lists = run.phase("nearest neighbors", |run| {
        let inside = (min_samples - 1).min(n as usize - 1);
        lists::nearest(&ordered, TREE_NEIGHBORS.max(inside), team, run)
    })?;
    let Lists { per_point, nearest, links } = lists;
    let mut core = Vec::new();
    if min_samples > 1 {
        let lists = (0..n).zip(nearest.chunks(per_point));
        core = memory::collected(lists.map(|(point, list)| {
            let others = list.iter().map(|&(_, other)| other);
            let inside = neighbors_inside(point, others, min_samples - 1, prepared.weights());
            prepared.scaled_core(inside.checked_sub(1).map_or(0.0, |last| list[last].0))
        }))?;
    }
    let tree = run.phase("join neighbors", |_| {
        let mut pairs = links;
        memory::reserve_exact(&mut pairs, nearest.len())?;
        for (point, list) in (0..n).zip(nearest.chunks(per_point)) {
            pairs.extend(list.iter().map(|&(compared, other)| Pair::new(compared, point, other)));
        }
        for pair in &mut pairs {
            pair.compared = links::reach(&core, pair);
        }
        pair::sort(&mut pairs, team)?;
        let tree = Merges::of(n, pairs)?;
        joined(prepared, &core, &ordered.order, tree, team)
    })?;
    drop((nearest, ordered));
    let pairs =
        run.phase("compare all pairs", |run| links::improved(prepared, &core, tree, team, run))?;
    Ok(pair::tree(prepared, pairs, team)?)
}

/// A spanning tree that contains a forest: consecutive points of different trees are joined.
fn joined(
    prepared: &Prepared<'_>,
    core: &[f64],
    order: &[u32],
    forest: Merges,
    team: &Team<'_>,
) -> Result<Merges, OutOfMemory> {
    let apart = order.windows(2).filter(|points| forest.root(points[0]) != forest.root(points[1]));
    let mut pairs: Vec<_> = apart
        .map(|points| Pair::new(prepared.compared(points[0], points[1]), points[0], points[1]))
        .map(|pair| Pair { compared: links::reach(core, &pair), ..pair })
        .collect();
    if pairs.is_empty() {
        return Ok(forest);
    }
    pairs.extend_from_slice(forest.pairs());
    pair::sort(&mut pairs, team)?;
    Merges::of(prepared.len(), pairs)
}

/// Calls `found` with each point and its `neighbors` nearest points.
pub(crate) fn for_each_row(
    ordered: &Ordered<'_>,
    neighbors: usize,
    team: &Team<'_>,
    run: &mut Run<'_>,
    found: impl Fn(u32, NeighborList<'_>),
) -> Result<(), PointsError> {
    let lists = lists::nearest(ordered, neighbors, team, run)?;
    for (point, list) in (0..ordered.prepared.len()).zip(lists.nearest.chunks(neighbors)) {
        let (compared, points): (Vec<_>, Vec<_>) =
            list.iter().map(|(compared, other)| (*compared, (*other, 0))).unzip();
        found(point, (&compared, &points));
    }
    Ok(())
}

/// Calls `step` for each of some tiles, on all threads, and reports progress.
fn in_steps(
    team: &Team<'_>,
    run: &mut Run<'_>,
    tiles: usize,
    step: impl Fn(&mut Scratch, usize) + Sync,
) -> Result<(), PointsError> {
    /// Tiles of a thread between two reports.
    const TILES: usize = 256;
    let scratch: Vec<_> = (0..team.threads())
        .map(|_| Mutex::new(Scratch { tile: Tile::new(), hits: Vec::new() }))
        .collect();
    let per_step = TILES * team.threads();
    for start in (0..tiles).step_by(per_step) {
        run.report.progress(start, tiles).map_err(|_| PointsError::Cancelled)?;
        let len = per_step.min(tiles - start);
        team.distribute(len, Schedule::Dynamic(1), |thread, range| {
            let mut scratch = lock(&scratch[thread]);
            range.for_each(|at| step(&mut scratch, start + at));
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
