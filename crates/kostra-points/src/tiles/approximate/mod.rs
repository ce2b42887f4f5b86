//! A spanning tree that may be longer than the minimum, with a bound of the difference.
//!
//! * **Idea**: the forest of a graph of near neighbors ([`graph`]), whose components are joined by
//!   short links ([`join`]). All distances of the tree are exact. Core distances are those to the
//!   near neighbors, so they are exact or too large.
//! * **The bound** ([`bound`]): the tree's length is an upper bound of the minimum. For sampled
//!   sets of points, all distances to other points are computed. They give a lower bound that holds
//!   with a stated probability, whatever the graph has missed.
//! * **Time** O(n * d) a leaf's size, a tree and a round, and O(n * d) for each sampled point.
//!   Memory: `4 * n * d` bytes beside the prepared points, and 56 bytes for each neighbor of a
//!   point.
//! * **Deterministic** for a seed: no step depends on the order in which threads take work.

mod bound;
mod graph;
mod join;

use kostra_core::random::RandomStream;
use kostra_core::{OutOfMemory, Run, memory};
use kostra_parallel::{Team, for_each_item, into_item, lock, with_observed_team};

use super::filter::{BLOCK, Filter, MAX_DIMENSIONS};
use super::merges::Merges;
use super::{in_steps, links};
use crate::pair::{self, Pair};
use crate::{
    Distance, MAX_TREE_DIMENSIONS, PointTree, Points, PointsError, Prepared, spanning_tree,
};

pub use bound::ErrorBound;

/// Fewer points are compared exactly at once.
const LEAST_POINTS: u32 = 1 << 12;
/// The near neighbors of a point, unless core distances need more.
const NEIGHBORS: usize = 16;

/// The most samples that define a core distance: a leaf has as many points.
const MOST_SAMPLES: usize = BLOCK / 2;

/// A spanning tree of points that may be longer than the minimum, as [`approximate_tree`] finds it.
#[derive(Clone, Debug, PartialEq)]
pub struct ApproximateTree {
    /// The tree. Its distances are those of its pairs; mutual reachability distances may be larger,
    /// where a core distance is.
    pub tree: PointTree,
    /// How much longer it may be.
    pub error: ErrorBound,
}

/// How long to search.
#[derive(Clone, Copy)]
struct Effort {
    /// The number of random projection trees.
    trees: usize,
    /// The most rounds of the descent.
    rounds: usize,
    /// The number of samples for the bound.
    samples: usize,
}

const USUAL: Effort = Effort { trees: 8, rounds: 6, samples: 2048 };

/// What all steps of a search read.
struct Search<'a> {
    prepared: &'a Prepared<'a>,
    /// The rows in the order of points.
    filter: Filter,
    random: RandomStream,
    /// The number of near neighbors of each point.
    neighbors: usize,
    effort: Effort,
}

/// A spanning tree of points from near neighbors, and a bound of its error. It depends on the seed,
/// but not on the number of threads.
///
/// For up to [`MAX_TREE_DIMENSIONS`] dimensions, less than 4096 points, a `min_samples` of more
/// than 128, points with weights, or divided distances, the tree is [`spanning_tree`], and the
/// error is 0.
///
/// # Errors
/// As [`spanning_tree`].
pub fn approximate_tree(
    points: &Points<'_>,
    distance: impl Into<Distance>,
    seed: u64,
    run: &mut Run<'_>,
) -> Result<ApproximateTree, PointsError> {
    let distance = distance.into();
    let n = points.len();
    let is_exact = points.dimensions() <= MAX_TREE_DIMENSIONS
        || points.dimensions() > MAX_DIMENSIONS
        || n < LEAST_POINTS
        || distance.min_samples > MOST_SAMPLES
        || !points.weights().is_empty()
        || distance.alpha != 1.0;
    if is_exact {
        let tree = spanning_tree(points, distance, run)?;
        let error = ErrorBound::of_exact(&tree);
        return Ok(ApproximateTree { tree, error });
    }
    let prepared = Prepared::new(points, distance.metric)?;
    points.check_min_samples(distance.min_samples)?;
    with_observed_team(run, run.request.threads(), |team, run| {
        let random = RandomStream::new(seed);
        let search = Search::new(&prepared, distance.min_samples, random, USUAL, team)?;
        search.tree(distance.min_samples, team, run)
    })
}

impl<'a> Search<'a> {
    fn new(
        prepared: &'a Prepared<'a>,
        min_samples: usize,
        random: RandomStream,
        effort: Effort,
        team: &Team<'_>,
    ) -> Result<Self, OutOfMemory> {
        let order: Vec<u32> = memory::collected(0..prepared.len())?;
        let filter = Filter::new(prepared, &order, team)?;
        let neighbors = NEIGHBORS.max(min_samples - 1);
        Ok(Self { prepared, filter, random, neighbors, effort })
    }

    fn tree(
        &self,
        min_samples: usize,
        team: &Team<'_>,
        run: &mut Run<'_>,
    ) -> Result<ApproximateTree, PointsError> {
        let near = run.phase("near neighbors", |run| graph::near_points(self, team, run))?;
        let lists = self.exact_lists(&near, team)?;
        drop(near);
        let k = self.neighbors;
        let mut core = Vec::new();
        if min_samples > 1 {
            core = memory::collected(lists.chunks(k).map(|list| list[min_samples - 2].0))?;
        }
        let forest = run.phase("join neighbors", |_| {
            let mut pairs = memory::with_capacity(lists.len())?;
            for (point, list) in (0..).zip(lists.chunks(k)) {
                pairs.extend(list.iter().map(|&(compared, other)| {
                    let pair = Pair::new(compared, point, other);
                    Pair { compared: links::reach(&core, &pair), ..pair }
                }));
            }
            pair::sort(&mut pairs, team)?;
            Merges::of(self.prepared.len(), pairs)
        })?;
        let tree = run.phase("join components", |run| {
            join::joined(
                &join::Joining { search: self, core: &core, lists: &lists },
                forest,
                team,
                run,
            )
        })?;
        let error = run.phase("bound the error", |run| {
            let sampling =
                bound::Sampling { search: self, core: &core, lists: &lists, min_samples };
            sampling.bound(&tree, team, run)
        })?;
        let tree = pair::tree(self.prepared, tree.into_pairs(), team)?;
        Ok(ApproximateTree { tree, error })
    }

    /// The near points of each point with their exact compared distances, in the order of both.
    fn exact_lists(&self, near: &[u32], team: &Team<'_>) -> Result<Vec<(f64, u32)>, OutOfMemory> {
        /// Points that a thread takes at a time.
        const POINTS: usize = 1 << 8;
        let mut lists = memory::filled(near.len(), (f64::INFINITY, u32::MAX))?;
        let per_call = POINTS * self.neighbors;
        let chunks = lists.chunks_mut(per_call).zip(near.chunks(per_call)).zip(0..);
        for_each_item(team, chunks, |((lists, near), chunk)| {
            let rows = lists.chunks_mut(self.neighbors).zip(near.chunks(self.neighbors));
            for ((list, near), point) in rows.zip((chunk * POINTS) as u32..) {
                for (entry, &other) in list.iter_mut().zip(near) {
                    *entry = (self.prepared.compared(point, other), other);
                }
                list.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            }
        });
        Ok(lists)
    }

    /// All points at most as far as a limit from each of some points, in the order of (compared
    /// distance, point), without the point itself. O(rows * n * d) time.
    fn within(
        &self,
        rows: &[u32],
        limits: &[f64],
        team: &Team<'_>,
        run: &mut Run<'_>,
    ) -> Result<Vec<Vec<(f64, u32)>>, PointsError> {
        let selected = self.filter.selected(rows);
        let none = [f32::NEG_INFINITY; BLOCK];
        let scaled = limits.chunks(BLOCK).map(|limits| {
            let mut scaled = none;
            scaled.iter_mut().zip(limits).for_each(|(to, limit)| *to = self.filter.limit(*limit));
            scaled
        });
        let scaled: Vec<_> = scaled.collect();
        let empty = || std::sync::Mutex::new(Vec::new());
        let found: Vec<_> = rows.iter().map(|_| empty()).collect();
        let blocks = scaled.len();
        in_steps(team, run, blocks * self.filter.blocks(), |scratch, at| {
            let (block, column) = (at % blocks, at / blocks);
            let super::Scratch { tile, hits } = scratch;
            tile.compute((&selected, block), (&self.filter, column));
            hits.clear();
            tile.within(0..BLOCK, &scaled[block], &none, hits);
            for hit in hits.iter() {
                let row = block * BLOCK + usize::from(hit.row);
                let other = (column * BLOCK) as u32 + u32::from(hit.column);
                if other != rows[row] {
                    let compared = self.prepared.compared(rows[row], other);
                    if compared <= limits[row] {
                        lock(&found[row]).push((compared, other));
                    }
                }
            }
        })?;
        let mut found: Vec<_> = found.into_iter().map(into_item).collect();
        for_each_item(team, found.iter_mut(), |list| {
            list.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        });
        Ok(found)
    }
}

#[cfg(test)]
mod tests;
