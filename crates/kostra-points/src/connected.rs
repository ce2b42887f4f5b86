//! The tree of chosen pairs of points.
//!
//! * **Idea**: Kruskal's algorithm (1956) on the pairs, in the canonical order. Core distances are
//!   those of all points, so a pair has the distance that it has in the tree of all pairs.
//! * **Use**: points that may only be joined where they touch, such as the regions of a map, the
//!   pixels of an image, or the vertices of a mesh.
//! * **Time** that of the core distances, and O(m d + m log m) for m pairs. 40 bytes per pair.

use kostra_core::{Run, UnionFind, memory};
use kostra_parallel::with_observed_team;

use crate::canonical::larger;
use crate::neighbors::compared_cores;
use crate::pair::{self, Pair};
use crate::{Distance, PointTree, Points, PointsError, Prepared};

/// The canonical minimum spanning forest of some pairs of points: the tree of
/// [`spanning_tree`](crate::spanning_tree) if the pairs are all pairs. It does not depend on the
/// order of the pairs. A pair may be there several times, in either order; a pair of a point and
/// itself has no effect.
///
/// ```
/// use kostra_points::{Metric, Points, Run, connected_tree};
///
/// let points = Points::new(&[0.0, 1.0, 3.0, 3.5], 1)?;
/// let pairs = [[1, 0], [2, 0], [3, 0]];
/// let tree = connected_tree(&points, Metric::Euclidean, &pairs, &mut Run::new())?;
/// assert_eq!(tree.ends, [[0, 1], [0, 2], [0, 3]]);
/// assert_eq!(tree.distances, [1.0, 3.0, 3.5]);
/// # Ok::<(), kostra_points::PointsError>(())
/// ```
///
/// # Errors
/// As [`brute_force`](crate::brute_force()), and when a pair has a point that does not exist.
pub fn connected_tree(
    points: &Points<'_>,
    distance: impl Into<Distance>,
    pairs: &[[u32; 2]],
    run: &mut Run<'_>,
) -> Result<PointTree, PointsError> {
    let distance = distance.into();
    let prepared = Prepared::by(points, distance, run.request.threads())?;
    points.check_min_samples(distance.min_samples)?;
    if let Some(&point) = pairs.iter().flatten().find(|&&point| point >= points.len()) {
        return Err(PointsError::NoPoint { point, points: points.len() });
    }
    let cores = compared_cores(&prepared, distance.min_samples, run)?;
    let core = |point: u32| prepared.scaled_core(cores[point as usize]);
    let mut found = memory::with_capacity(pairs.len())?;
    found.extend(
        pairs.iter().filter(|[u, v]| u != v).map(|&[u, v]| {
            Pair::new(larger(prepared.compared(u, v), larger(core(u), core(v))), u, v)
        }),
    );
    with_observed_team(run, run.request.threads(), |team, run| {
        run.phase("sort pairs", |_| pair::sort(&mut found, team))?;
        let mut components = UnionFind::try_new(points.len())?;
        run.phase("join pairs", |_| found.retain(|pair| components.union(pair.low, pair.high)));
        Ok(pair::tree(&prepared, found, team)?)
    })
}
