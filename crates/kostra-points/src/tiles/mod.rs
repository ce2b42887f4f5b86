//! All pairs of points of many dimensions, in tiles: most are compared by matrix products only.
//!
//! * **Idea**: a matrix product gives the distances between two blocks of points fast, but rounded.
//!   With a proven bound of the error ([`filter`]) it says which pairs can matter, and only these
//!   are compared exactly. Near neighbors ([`near`]) first make a tree that is not much longer than
//!   the minimum. Then one pass over all pairs of blocks ([`links`]) finds those that are nearer
//!   than the largest distance on their path in this tree, some ten per point, and at the same time
//!   the nearest points of each point for its core distance ([`lists`]).
//! * **Why correct**: each pair that the pass leaves out is farther than a lower bound of its exact
//!   distance, and with this bound not among the nearest points, or the last pair of a cycle. So
//!   the tree is the canonical one, edge by edge.
//! * **Time** O(n^2 * d): the pass does n^2 * d / 2 multiplications and additions, less where balls
//!   around blocks are far from each other, and one pass more for large `min_samples`. They are in
//!   32 bits, or in 64 where a sample shows many pairs that are as near as the errors of 32 bits.
//!   Memory: `4 * n * d` bytes, or twice as many, beside the prepared points, 48 bytes for each
//!   listed neighbor of a point (a list has 8 or more), and 800 bytes for each point.
//! * **Sources**: bounds of rounding by Higham, *Accuracy and Stability of Numerical Algorithms*
//!   (2002); the largest distance on a path as a filter by Karger, Klein & Tarjan (1995).

pub(crate) mod approximate;
mod filter;
mod links;
mod lists;
mod merges;
mod near;
mod order;
mod rows;
mod scan;

use std::sync::Mutex;

use kostra_core::Run;
use kostra_parallel::{Schedule, Team, lock};

use self::filter::{Form, MAX_DIMENSIONS};
use self::links::Start;
use self::lists::{Lists, Ordered};
use self::merges::Merges;
use self::near::{Effort, Near, Search};
use self::rows::BLOCK;
use self::scan::{Hit, Tile};
use crate::pair::{self, Pair};
use crate::samples::NeighborList;
use crate::{PointsError, Prepared};

/// Fewer points are compared as fast without tiles.
const LEAST_POINTS: u32 = 4 * BLOCK as u32;
/// The most neighbors that lists hold.
const MOST_NEIGHBORS: usize = 512;
/// The most near points that are looked for before all pairs are compared.
const MOST_NEAR: usize = 32;
/// How long to look for a tree that is not much longer than the minimum.
const EFFORT: Effort = Effort { neighbors: 8, trees: 6, rounds: 0, part: 64, seed: 0 };

/// What a thread needs for a tile.
struct Scratch {
    tile: Tile,
    hits: Vec<Hit>,
}

/// Points that are compared in tiles.
pub(crate) struct Tiled<'a> {
    prepared: &'a Prepared<'a>,
    form: Form,
}

/// The points, if comparing them in tiles is fast: there are many, the wanted neighbors are few,
/// and few pairs are as near as the error of a product. O(n * d) time.
pub(crate) fn suiting<'a>(
    prepared: &'a Prepared<'a>,
    neighbors: usize,
    team: &Team<'_>,
) -> Option<Tiled<'a>> {
    let fits = prepared.len() >= LEAST_POINTS
        && prepared.dimensions() <= MAX_DIMENSIONS
        && neighbors <= MOST_NEIGHBORS;
    let form = fits.then(|| Form::suiting(prepared, team)).flatten()?;
    Some(Tiled { prepared, form })
}

/// The pairs of the canonical minimum spanning tree.
pub(crate) fn pairs_of(
    tiled: &Tiled<'_>,
    min_samples: usize,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<Vec<Pair>, PointsError> {
    let prepared = tiled.prepared;
    let wanted = (min_samples - 1).min(prepared.len() as usize - 1);
    let is_one_pass = wanted <= MOST_NEAR;
    let lists = match is_one_pass {
        true => None,
        false => Some(nearest(tiled, wanted, team, run)?),
    };
    let search = Search::new(tiled, wanted.min(MOST_NEAR), EFFORT, team)?;
    let near = match lists {
        None => search.near(min_samples, team, run)?,
        Some(lists) => Near::of(prepared, lists, min_samples)?,
    };
    let tree = search.tree(&near, team, run)?;
    drop(search);
    let ordered = Ordered::new(tiled, tree.order()?, team)?;
    let (mut pairs, kept) = run.phase("compare all pairs", |run| {
        let kept = match is_one_pass && wanted > 0 {
            true => ordered.lists(wanted, &near.lists)?,
            false => Vec::new(),
        };
        Ok::<_, PointsError>((
            links::compare_all(&ordered, Start { tree, core: &near.core }, &kept, team, run)?,
            kept,
        ))
    })?;
    let mut core = near.core;
    if !kept.is_empty() {
        let lists =
            run.phase("core distances", |run| lists::nearest(&ordered, kept, wanted, team, run))?;
        core = lists.core(prepared, min_samples)?;
    }
    drop(ordered);
    run.phase("join", |_| {
        pairs.iter_mut().for_each(|pair| pair.compared = links::reach(&core, pair));
        pair::sort(&mut pairs, team)?;
        Ok(Merges::of(prepared.len(), pairs)?.into_pairs())
    })
}

/// The `wanted` nearest points of each point.
fn nearest(
    tiled: &Tiled<'_>,
    wanted: usize,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<Lists, PointsError> {
    let search = Search::new(tiled, wanted.min(MOST_NEAR), EFFORT, team)?;
    let near = search.near(1, team, run)?;
    let order = search.forest(&near, team)?.order()?;
    drop(search);
    let ordered = Ordered::new(tiled, order, team)?;
    run.phase("compare all pairs", |run| {
        let kept = ordered.lists(wanted, &near.lists)?;
        links::compare_for_lists(&ordered, &kept, team, run)?;
        lists::nearest(&ordered, kept, wanted, team, run)
    })
}

/// Calls `found` with each point and its `neighbors` nearest points.
pub(crate) fn for_each_row(
    tiled: &Tiled<'_>,
    neighbors: usize,
    team: &Team<'_>,
    run: &mut Run<'_>,
    found: impl Fn(u32, NeighborList<'_>),
) -> Result<(), PointsError> {
    let lists = nearest(tiled, neighbors, team, run)?;
    for point in 0..tiled.prepared.len() {
        let (compared, points): (Vec<_>, Vec<_>) =
            lists.of(point).iter().map(|(compared, other)| (*compared, (*other, 0))).unzip();
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
