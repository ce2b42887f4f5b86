//! A spanning tree that may be longer than the minimum, with a bound of the difference.
//!
//! * **Idea**: the tree of near neighbors (module `near`).
//! * **The bound** ([`bound`]): the tree's length is an upper bound of the minimum. For sampled
//!   sets of points, all distances to other points are computed. They give a lower bound that holds
//!   with a stated probability, whatever the graph has missed.
//! * **Time** O(n * d) a leaf's size, a tree and a round, and O(n * d) for each sampled point.
//!   Memory: `4 * n * d` bytes, or twice as many, beside the prepared points, and 56 bytes for each
//!   neighbor of a point.
//! * **Deterministic** for a seed: no step depends on the order in which threads take work.

mod bound;

use kostra_core::Run;
use kostra_parallel::{Team, with_observed_team};

use super::Tiled;
use super::filter::{Form, MAX_DIMENSIONS};
use super::near::{self, Search};
use super::rows::BLOCK;
use crate::{
    Distance, MAX_TREE_DIMENSIONS, PointTree, Points, PointsError, Prepared, pair, spanning_tree,
};

pub use bound::ErrorBound;

/// Fewer points are compared exactly at once.
const LEAST_POINTS: u32 = 1 << 12;
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
    near: near::Effort,
    /// The number of samples for the bound.
    samples: usize,
}

impl Effort {
    fn usual(seed: u64) -> Self {
        let near = near::Effort { neighbors: 16, trees: 8, rounds: 6, part: 16, seed };
        Self { near, samples: 2048 }
    }
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
    let prepared = Prepared::by(points, distance, run.request.threads())?;
    points.check_min_samples(distance.min_samples)?;
    with_observed_team(run, run.request.threads(), |team, run| {
        from_near(&prepared, distance.min_samples, Effort::usual(seed), team, run)
    })
}

fn from_near(
    prepared: &Prepared<'_>,
    min_samples: usize,
    Effort { near, samples }: Effort,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<ApproximateTree, PointsError> {
    let form = Form::suiting(prepared, team).unwrap_or_else(|| Form::new(prepared, true, team));
    let search = Search::new(&Tiled { prepared, form }, min_samples - 1, near, team)?;
    let near = search.near(min_samples, team, run)?;
    let tree = search.tree(&near, team, run)?;
    let error = run.phase("bound the error", |run| {
        let sampling = bound::Sampling { search: &search, near: &near, samples, min_samples };
        sampling.bound(&tree, team, run)
    })?;
    Ok(ApproximateTree { tree: pair::tree(prepared, tree.into_pairs(), team)?, error })
}

#[cfg(test)]
mod tests;
