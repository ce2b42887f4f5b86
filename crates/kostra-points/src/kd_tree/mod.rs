//! The tree by rounds of Borůvka's algorithm over a k-d tree.

mod build;
mod nearest;
mod rounds;
mod search;
mod space;
mod walk;

use kostra_core::Run;
use kostra_parallel::{Team, with_observed_team};

use crate::canonical::{Absolutes, Accumulate, Largest, Norm, Squares};
use crate::neighbors::check_min_samples;
use crate::pair::{self, Pair};
use crate::{Distance, MAX_TREE_DIMENSIONS, PointTree, Points, PointsError, Prepared};
use space::Space;

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
    let Distance { metric, min_samples } = distance.into();
    let prepared = Prepared::new(points, metric)?;
    check_min_samples(min_samples, points)?;
    let dimensions = prepared.dimensions();
    if dimensions > MAX_TREE_DIMENSIONS {
        return Err(PointsError::TooManyDimensions { dimensions });
    }
    let pairs = if points.len() < 2 {
        Vec::new()
    } else {
        with_observed_team(run, run.threads(), |team, run| {
            let solve = Solve { prepared: &prepared, min_samples, team, run };
            match prepared.norm() {
                Norm::Squares => solve.with_squares(dimensions),
                Norm::Absolutes => solve.with_norm::<Absolutes>(dimensions),
                Norm::Largest => solve.with_norm::<Largest>(dimensions),
            }
        })?
    };
    run.phase("sort edges", |_| Ok(pair::tree(&prepared, pairs)?))
}

/// A solve whose norm and dimensions are to become types.
struct Solve<'a, 'r, 'o> {
    prepared: &'a Prepared<'a>,
    min_samples: usize,
    team: &'a Team<'a>,
    run: &'r mut Run<'o>,
}

impl Solve<'_, '_, '_> {
    fn with_squares(self, dimensions: usize) -> Result<Vec<Pair>, PointsError> {
        match dimensions {
            ..=2 => self.solve::<Squares, 2>(),
            3 => self.solve::<Squares, 3>(),
            4 => self.solve::<Squares, 4>(),
            5 => self.solve::<Squares, 5>(),
            6 => self.solve::<Squares, 6>(),
            7..=8 => self.solve::<Squares, 8>(),
            9..=10 => self.solve::<Squares, 10>(),
            11..=12 => self.solve::<Squares, 12>(),
            _ => self.solve::<Squares, 16>(),
        }
    }

    /// Fewer sizes, because each makes the program larger.
    fn with_norm<A: Accumulate>(self, dimensions: usize) -> Result<Vec<Pair>, PointsError> {
        match dimensions {
            ..=2 => self.solve::<A, 2>(),
            3 => self.solve::<A, 3>(),
            4..=6 => self.solve::<A, 6>(),
            7..=10 => self.solve::<A, 10>(),
            _ => self.solve::<A, 16>(),
        }
    }

    fn solve<A: Accumulate, const D: usize>(self) -> Result<Vec<Pair>, PointsError> {
        let space = Space::<A, D>::new(self.prepared, self.min_samples, self.team, self.run)?;
        rounds::tree(&space, self.team, self.run)
    }
}
