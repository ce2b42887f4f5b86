//! The tree by rounds of Borůvka's algorithm over a k-d tree.

mod build;
mod merge;
mod nearest;
mod rounds;
mod search;
mod space;
mod walk;

use kostra_core::{Run, memory};
use kostra_parallel::{Team, with_observed_team};

use crate::canonical::{Absolutes, Accumulate, Largest, Norm, Squares};
use crate::neighbors::check_min_samples;
use crate::pair::{self, Pair};
use crate::wide::has_versions;
use crate::{Distance, MAX_TREE_DIMENSIONS, PointTree, Points, PointsError, Prepared};
use build::Tree;
pub(crate) use space::Found;
use space::{Output, Space, for_each_leaf};

/// The canonical minimum spanning tree of points of up to [`MAX_TREE_DIMENSIONS`] dimensions, by a
/// k-d tree.
///
/// O(n log n) time for points that are spread evenly in few dimensions, up to O(n^2) in many, on
/// [`run.threads()`](Run::threads) threads.
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
    Distance { metric, min_samples }: Distance,
    run: &mut Run<'_>,
) -> Result<PointTree, PointsError> {
    let prepared = Prepared::new(points, metric)?;
    check_min_samples(min_samples, points)?;
    let dimensions = prepared.dimensions();
    if dimensions > MAX_TREE_DIMENSIONS {
        return Err(PointsError::TooManyDimensions { dimensions });
    }
    let threads = if points.len() < 2 { 1 } else { run.threads() };
    with_observed_team(run, threads, |team, run| {
        let pairs = if points.len() < 2 {
            Vec::new()
        } else {
            Solve { prepared: &prepared, min_samples, team, run }.dispatch(&prepared)?
        };
        run.phase("sort edges", |_| Ok(pair::tree(&prepared, pairs, team)?))
    })
}

/// Calls `found` with each point and its `k` nearest neighbors, on any thread: compared distances
/// and indices in ascending order. There are more than `k` points, and `k` is at least 1.
pub(crate) fn for_each_point(
    prepared: &Prepared<'_>,
    k: usize,
    found: &(dyn Fn(u32, Found<'_>) + Sync),
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<(), PointsError> {
    Search { prepared, k, found, team, run }.dispatch(prepared)
}

/// The number of dimensions for which there is a version for every processor. The other is
/// [`MAX_TREE_DIMENSIONS`].
const FEW: usize = 3;

/// Whether work in `dimensions` dimensions has a version for every processor.
const fn is_everywhere(dimensions: usize) -> bool {
    dimensions == FEW || dimensions == MAX_TREE_DIMENSIONS
}

/// Work that is compiled for each norm and for some numbers of dimensions.
trait Task: Sized {
    type Output;

    fn run<A: Accumulate, const D: usize>(self) -> Self::Output;

    /// Runs with the norm of the points, and with at least their dimensions.
    fn dispatch(self, prepared: &Prepared<'_>) -> Self::Output {
        let dimensions = match prepared.dimensions() {
            dimensions if has_versions() => dimensions,
            ..=FEW => FEW,
            _ => MAX_TREE_DIMENSIONS,
        };
        match prepared.norm() {
            Norm::Squares => self.with_squares(dimensions),
            Norm::Absolutes => self.with_norm::<Absolutes>(dimensions),
            Norm::Largest => self.with_norm::<Largest>(dimensions),
        }
    }

    fn with_squares(self, dimensions: usize) -> Self::Output {
        match dimensions {
            ..=2 => self.run::<Squares, 2>(),
            3 => self.run::<Squares, 3>(),
            4 => self.run::<Squares, 4>(),
            5 => self.run::<Squares, 5>(),
            6..=8 => self.run::<Squares, 8>(),
            9..=10 => self.run::<Squares, 10>(),
            _ => self.run::<Squares, 16>(),
        }
    }

    /// Fewer numbers of dimensions, because each makes the program larger.
    fn with_norm<A: Accumulate>(self, dimensions: usize) -> Self::Output {
        match dimensions {
            ..=2 => self.run::<A, 2>(),
            3 => self.run::<A, 3>(),
            4..=6 => self.run::<A, 6>(),
            _ => self.run::<A, 16>(),
        }
    }
}

/// Finds the spanning tree.
struct Solve<'a, 'r, 'o> {
    prepared: &'a Prepared<'a>,
    min_samples: usize,
    team: &'a Team<'a>,
    run: &'r mut Run<'o>,
}

impl Task for Solve<'_, '_, '_> {
    type Output = Result<Vec<Pair>, PointsError>;

    fn run<A: Accumulate, const D: usize>(self) -> Self::Output {
        let space = Space::<A, D>::new(self.prepared, self.min_samples, self.team, self.run)?;
        rounds::tree(&space, self.team, self.run)
    }
}

/// Finds the nearest neighbors.
struct Search<'a, 'r, 'o> {
    prepared: &'a Prepared<'a>,
    k: usize,
    found: &'a (dyn Fn(u32, Found<'_>) + Sync),
    team: &'a Team<'a>,
    run: &'r mut Run<'o>,
}

impl Task for Search<'_, '_, '_> {
    type Output = Result<(), PointsError>;

    fn run<A: Accumulate, const D: usize>(self) -> Self::Output {
        let tree = Tree::<D>::new(self.prepared, self.team)?;
        let leaves = &mut memory::filled(tree.leaves.len(), ())?;
        let store = |leaf: usize, lane: usize, found: Found<'_>, (): &mut ()| {
            (self.found)(tree.ids[leaf][lane], found);
        };
        let output = Output { leaves, store };
        for_each_leaf::<A, _, _, D>(&tree, self.k, output, self.team, self.run)
    }
}
