//! Spanning trees of points, and the clusters that they contain.
//!
//! [`PointTree`] is what the parts of this crate have in common: the functions for points return
//! it, and the functions for clusters take it.
//!
//! ```
//! use kostra_points::{Metric, Points, Run, spanning_tree};
//!
//! let points = Points::new(&[0.0, 0.0, 3.0, 4.0, 0.0, 1.0], 2)?;
//! let tree = spanning_tree(&points, Metric::Euclidean, &mut Run::new())?;
//! assert_eq!(tree.ends, [[0, 2], [1, 2]]);
//! assert_eq!(tree.distances, [1.0, 18_f64.sqrt()]);
//! # Ok::<(), kostra_points::PointsError>(())
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `points` | [`Points`]: the checked input |
//! | `metric` | [`Metric`], [`Distance`]: what is measured |
//! | `geographic` | [`AxisOrder`], [`degrees_among`]: which columns are the latitude and the longitude |
//! | `canonical` | [`Prepared`]: the exact definition of distances and their order |
//! | `brute_force` | [`brute_force()`]: the tree by comparing all pairs |
//! | `tiles` | the tree and neighbors by comparing all pairs, most of them by matrix products |
//! | `tiles::approximate` | [`approximate_tree`]: a tree from near neighbors, with a bound of its error |
//! | `dynamic` | [`DynamicPoints`]: the tree of points that come and go |
//! | `places` | sets with many equal points: each place is searched once |
//! | `neighbors` | [`nearest_neighbors`], [`core_distances`], [`neighbors_tree`] |
//! | `connected` | [`connected_tree`]: the tree of chosen pairs |
//! | `rolling` | [`rolling_trees`]: trees of correlations in windows of time |
//! | [`cluster`] | from a spanning tree to clusters; segments of graphs |
//! | [`grid`] | grids of pixels or voxels as graphs |
//! | [`low_level`] | what the crates of Kostra share, such as graphs and observers |

mod blocks;
mod brute_force;
mod canonical;
pub mod cluster;
mod connected;
mod dynamic;
mod equal_points;
mod error;
mod geographic;
pub mod grid;
mod index;
mod kd_tree;
mod metric;
mod neighbors;
mod pair;
mod places;
mod point_tree;
mod points;
mod rolling;
mod samples;
mod tiles;
mod wide;

use kostra_parallel::{Team, with_observed_team};

use pair::Pair;
use places::Places;

pub use brute_force::brute_force;
pub use canonical::{Norm, Prepared};
pub use connected::connected_tree;
pub use dynamic::DynamicPoints;
pub use error::{PointsError, WeightsError};
pub use geographic::{AxisOrder, degrees_among};
pub use kd_tree::kd_tree;
pub use kostra_core as low_level;
pub use kostra_core::{EARTH_RADIUS, Run};
pub use metric::{Distance, Metric};
pub use neighbors::{Neighbors, core_distances, nearest_neighbors, neighbors_tree};
pub use point_tree::PointTree;
pub use points::{Coordinate, MAX_POINTS, Points, Values, check_weights};
pub use rolling::{CorrelationDistance, WindowTrees, Windows, rolling_trees};
pub use tiles::approximate::{ApproximateTree, ErrorBound, approximate_tree};

/// The most dimensions of a search tree.
pub const MAX_TREE_DIMENSIONS: usize = 16;

/// The canonical minimum spanning tree of points: by [`kd_tree()`] for up to
/// [`MAX_TREE_DIMENSIONS`] dimensions, by comparing all pairs for more: most only in 32 bits with a
/// bound of the error (module `tiles`), or all exactly as [`brute_force()`] does.
///
/// # Errors
/// As [`brute_force()`].
pub fn spanning_tree(
    points: &Points<'_>,
    distance: impl Into<Distance>,
    run: &mut Run<'_>,
) -> Result<PointTree, PointsError> {
    let distance = distance.into();
    if points.dimensions() <= MAX_TREE_DIMENSIONS {
        return kd_tree(points, distance, run);
    }
    let prepared = Prepared::by(points, distance, run.request.threads())?;
    points.check_min_samples(distance.min_samples)?;
    let samples = distance.min_samples;
    with_observed_team(run, run.request.threads(), |team, run| {
        let pairs = if places::repeats(&prepared, team)? {
            let places = Places::new(&prepared, 2)?;
            places.expanded(pairs_of_all(&places.prepared(&prepared)?, samples, team, run)?)?
        } else {
            pairs_of_all(&prepared, samples, team, run)?
        };
        Ok(pair::tree(&prepared, pairs, team)?)
    })
}

/// The pairs of the tree in any order, by comparing all pairs.
fn pairs_of_all(
    prepared: &Prepared<'_>,
    min_samples: usize,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<Vec<Pair>, PointsError> {
    let neighbors = (min_samples - 1).min(prepared.len().saturating_sub(1) as usize);
    match tiles::suiting(prepared, neighbors, team) {
        Some(tiled) => tiles::pairs_of(&tiled, min_samples, team, run),
        None => brute_force::pairs_of(prepared, min_samples, team, run),
    }
}
