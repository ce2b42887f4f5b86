//! Spanning trees of distances that are given as an array.

use kostra_core::{OutOfMemory, memory};

use crate::PointTree;
use crate::samples::core_of_row;

use super::ClusterError;

/// The distances between all pairs of points, in one of the layouts that SciPy uses.
#[derive(Clone, Copy, Debug)]
pub enum Distances<'a> {
    /// A symmetric matrix, row by row. Only the upper triangle is read.
    Square(&'a [f64]),
    /// The upper triangle of the matrix without its diagonal, row by row.
    Condensed(&'a [f64]),
}

impl Distances<'_> {
    /// The number of points; none if the array has no such layout.
    pub fn points(self) -> Option<u32> {
        let (values, is_square) = match self {
            Self::Square(values) => (values.len() as u64, true),
            Self::Condensed(values) => (values.len() as u64, false),
        };
        // A condensed array of no value belongs to one point.
        let points = if is_square { values.isqrt() } else { (8 * values + 1).isqrt().div_ceil(2) };
        let expected =
            if is_square { points * points } else { points * points.saturating_sub(1) / 2 };
        (expected == values).then_some(points as u32)
    }

    /// The core distance of each point: the distance to the `min_samples`-th nearest point, itself
    /// included. O(n^2) time. Each point counts as `weights` points; an empty slice is one each.
    ///
    /// # Errors
    /// When the array has no such layout, `min_samples` is not from 1 to the number of points, the
    /// weights have no meaning, or the system does not grant the memory.
    pub fn cores(self, min_samples: usize, weights: &[u32]) -> Result<Vec<f64>, ClusterError> {
        let (Self::Square(values) | Self::Condensed(values)) = self;
        let n = self.points().ok_or(ClusterError::Layout { values: values.len() })?;
        crate::check_weights(weights, n as usize)?;
        let (mut cores, mut row) =
            (memory::with_capacity(n as usize)?, memory::with_capacity(n as usize)?);
        for point in 0..n {
            row.clear();
            row.extend((0..n).map(|other| match point {
                _ if other == point => 0.0,
                _ => self.at(n, point.min(other), point.max(other)),
            }));
            let core = core_of_row(&mut row, min_samples, weights)?;
            cores.push(core.ok_or(ClusterError::Cores { points: n, cores: min_samples })?);
        }
        Ok(cores)
    }

    /// The number of points, if all distances are numbers from 0.
    pub(super) fn checked(self) -> Result<u32, ClusterError> {
        let (Self::Square(values) | Self::Condensed(values)) = self;
        let n = self.points().ok_or(ClusterError::Layout { values: values.len() })?;
        match self.first(|distance| distance.is_nan() || distance < 0.0) {
            None => Ok(n),
            Some((row, column, distance)) if distance < 0.0 => {
                Err(ClusterError::NegativeDistance { row, column, distance })
            }
            Some((row, column, _)) => Err(ClusterError::NanDistance { row, column }),
        }
    }

    /// The values that are compared: row and column of the matrix, and the distance.
    fn first(self, wrong: impl Fn(f64) -> bool) -> Option<(u32, u32, f64)> {
        let n = self.points()?;
        (0..n).find_map(|u| {
            (u + 1..n).map(|v| (u, v, self.at(n, u, v))).find(|&(_, _, distance)| wrong(distance))
        })
    }

    /// The distance of two points, the lower one first.
    #[inline]
    pub(super) fn at(self, n: u32, low: u32, high: u32) -> f64 {
        let (n, low, high) = (n as usize, low as usize, high as usize);
        match self {
            Self::Square(values) => values[low * n + high],
            Self::Condensed(values) => values[(low * (2 * n - low - 1)) / 2 + high - low - 1],
        }
    }
}

/// The canonical minimum spanning tree of points whose distances are given. With `cores`, a core
/// distance per point, it is the tree of mutual reachability distances: the largest of the distance
/// and the two core distances. An infinite distance is an ordinary distance.
///
/// Prim's algorithm: O(n^2) time, and 36 bytes per point beside the distances.
///
/// ```
/// use kostra_points::cluster::{Distances, pairwise_tree};
///
/// let tree = pairwise_tree(Distances::Condensed(&[3.0, 1.0, 2.0]), None)?;
/// assert_eq!((tree.ends, tree.distances), (vec![[0, 2], [1, 2]], vec![1.0, 2.0]));
/// # Ok::<(), kostra_points::cluster::ClusterError>(())
/// ```
///
/// # Errors
/// When the array has no such layout, a distance is NaN, there is not one core distance per point,
/// or the system does not grant the memory.
pub fn pairwise_tree(
    distances: Distances<'_>,
    cores: Option<&[f64]>,
) -> Result<PointTree, ClusterError> {
    let (Distances::Square(values) | Distances::Condensed(values)) = distances;
    let n = distances.points().ok_or(ClusterError::Layout { values: values.len() })?;
    if let Some((row, column, _)) = distances.first(f64::is_nan) {
        return Err(ClusterError::NanDistance { row, column });
    }
    if let Some(cores) = cores.filter(|cores| cores.len() != n as usize) {
        return Err(ClusterError::Cores { points: n, cores: cores.len() });
    }
    let mut prim = Prim::new(n)?;
    while !prim.outside.is_empty() {
        let newest = prim.newest;
        prim.step(cores, |point, _| distances.at(n, newest.min(point), newest.max(point)));
    }
    Ok(prim.tree()?)
}

/// The canonical minimum spanning tree of `n` points whose distances are computed row by row, with
/// core distances as in [`pairwise_tree`].
///
/// `distances(point, row)` writes the distance from `point` to each point into `row`. It is called
/// once for each point of the tree but the last one, in the order in which Prim's algorithm reaches
/// them. Distances to points that it has been called for are not read. So every pair is read once,
/// and the distance of two points must not depend on their order.
///
/// O(n^2) time, and 44 bytes per point.
///
/// ```
/// use kostra_points::cluster::{ClusterError, rows_tree};
///
/// let points = [3_f64, 0.0, 1.0];
/// let tree = rows_tree::<ClusterError>(3, None, |point, row| {
///     for (to, other) in row.iter_mut().zip(&points) {
///         *to = (points[point as usize] - other).abs();
///     }
///     Ok(())
/// })?;
/// assert_eq!((tree.ends, tree.distances), (vec![[1, 2], [0, 2]], vec![1.0, 2.0]));
/// # Ok::<(), ClusterError>(())
/// ```
///
/// # Errors
/// When `distances` fails, a distance is NaN or negative, there is not one core distance per point,
/// or the system does not grant the memory.
pub fn rows_tree<E: From<ClusterError>>(
    n: u32,
    cores: Option<&[f64]>,
    mut distances: impl FnMut(u32, &mut [f64]) -> Result<(), E>,
) -> Result<PointTree, E> {
    if let Some(cores) = cores.filter(|cores| cores.len() != n as usize) {
        return Err(ClusterError::Cores { points: n, cores: cores.len() }.into());
    }
    let mut row = memory::zeros(n as usize).map_err(ClusterError::from)?;
    let mut prim = Prim::new(n).map_err(ClusterError::from)?;
    while !prim.outside.is_empty() {
        distances(prim.newest, &mut row)?;
        prim.check(&row)?;
        prim.step(cores, |point, _| row[point as usize]);
    }
    Ok(prim.tree().map_err(ClusterError::from)?)
}

/// Prim's algorithm, which starts at point 0.
pub(super) struct Prim {
    len: u32,
    /// For each point outside of the tree, its first edge to the tree.
    pub(super) outside: Vec<Candidate>,
    edges: Vec<Candidate>,
    /// The point of the tree whose distances are not compared yet.
    pub(super) newest: u32,
}

impl Prim {
    pub(super) fn new(len: u32) -> Result<Self, OutOfMemory> {
        let mut outside = memory::with_capacity(len.saturating_sub(1) as usize)?;
        outside.extend((1..len).map(|point| Candidate { point, ..Candidate::NONE }));
        let edges = memory::with_capacity(outside.len())?;
        Ok(Self { len, outside, edges, newest: 0 })
    }

    /// Refuses distances of the newest point that are none.
    fn check(&self, row: &[f64]) -> Result<(), ClusterError> {
        for &Candidate { point, .. } in &self.outside {
            let (low, high) = (self.newest.min(point), self.newest.max(point));
            let distance = row[point as usize];
            if distance.is_nan() {
                return Err(ClusterError::NanDistance { row: low, column: high });
            }
            if distance < 0.0 {
                return Err(ClusterError::NegativeDistance { row: low, column: high, distance });
            }
        }
        Ok(())
    }

    /// Compares the distances between the newest point and those outside, and adds the first edge
    /// to the tree. `distance` may return infinity for a distance above its second argument.
    #[inline(always)]
    pub(super) fn step(&mut self, cores: Option<&[f64]>, distance: impl Fn(u32, f64) -> f64) {
        let core = |point: u32| cores.map_or(f64::NEG_INFINITY, |cores| cores[point as usize]);
        let (outside, newest) = (&mut self.outside, self.newest);
        let mut best = 0;
        for at in 0..outside.len() {
            let Candidate { point, distance: limit, .. } = outside[at];
            let (low, high) = (newest.min(point), newest.max(point));
            let core = core(low).max(core(high));
            if core <= limit {
                let distance = distance(point, limit).max(core);
                let offer = Candidate { point, distance, low, high };
                if offer.is_before(&outside[at]) {
                    outside[at] = offer;
                }
            }
            if outside[at].is_before(&outside[best]) {
                best = at;
            }
        }
        let edge = outside.swap_remove(best);
        self.newest = edge.point;
        self.edges.push(edge);
    }

    /// The tree, when no point is outside.
    pub(super) fn tree(mut self) -> Result<PointTree, OutOfMemory> {
        self.edges.sort_unstable_by(|a, b| {
            a.distance.total_cmp(&b.distance).then((a.low, a.high).cmp(&(b.low, b.high)))
        });
        Ok(PointTree {
            len: self.len,
            ends: memory::collected(self.edges.iter().map(|edge| [edge.low, edge.high]))?,
            distances: memory::collected(self.edges.iter().map(|edge| edge.distance))?,
        })
    }
}

/// The first edge, in canonical order, from a point outside of the tree to the tree.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    point: u32,
    distance: f64,
    low: u32,
    high: u32,
}

impl Candidate {
    const NONE: Self = Self { point: 0, distance: f64::INFINITY, low: u32::MAX, high: u32::MAX };

    #[inline]
    fn is_before(&self, other: &Self) -> bool {
        self.distance < other.distance
            || (self.distance == other.distance && (self.low, self.high) < (other.low, other.high))
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::UnionFind;
    use kostra_core::random::RandomStream;

    use super::*;

    fn condensed(seed: u64, n: u64, values: u64) -> Vec<f64> {
        let random = RandomStream::new(seed);
        (0..n * n.saturating_sub(1) / 2).map(|at| random.below(at, values) as f64).collect()
    }

    /// Kruskal's algorithm on all pairs.
    fn expected(n: u32, distance: impl Fn(u32, u32) -> f64) -> PointTree {
        let mut pairs: Vec<_> = (0..n)
            .flat_map(|u| (u + 1..n).map(move |v| (u, v)))
            .map(|(u, v)| (distance(u, v), u, v))
            .collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut sets = UnionFind::new(n);
        pairs.retain(|&(_, u, v)| sets.union(u, v));
        PointTree {
            len: n,
            ends: pairs.iter().map(|&(_, u, v)| [u, v]).collect(),
            distances: pairs.iter().map(|&(distance, ..)| distance).collect(),
        }
    }

    #[test]
    fn both_layouts_give_the_canonical_tree_with_and_without_core_distances() {
        for (seed, n) in [(0, 1_u32), (1, 2), (2, 3), (3, 20), (4, 41)] {
            let values = condensed(seed, n.into(), 7);
            let at = |u: u32, v: u32| Distances::Condensed(&values).at(n, u.min(v), u.max(v));
            let square: Vec<f64> = (0..n)
                .flat_map(|u| (0..n).map(move |v| (u, v)))
                .map(|(u, v)| if u == v { 0.0 } else { at(u, v) })
                .collect();
            let cores: Vec<f64> = (0..n).map(|point| f64::from(point % 5)).collect();
            let core = |u: u32| cores[u as usize];
            for distances in [Distances::Square(&square), Distances::Condensed(&values)] {
                assert_eq!(pairwise_tree(distances, None).unwrap(), expected(n, at));
                assert_eq!(
                    pairwise_tree(distances, Some(&cores)).unwrap(),
                    expected(n, |u, v| at(u, v).max(core(u)).max(core(v)))
                );
            }
        }
        assert_eq!(pairwise_tree(Distances::Square(&[]), None).unwrap(), PointTree::default());
    }

    #[test]
    fn rows_give_the_tree_of_the_array_and_wrong_distances_are_refused() {
        let n = 41_u32;
        let values = condensed(4, n.into(), 7);
        let at = |u: u32, v: u32| match u == v {
            true => f64::NAN, // is not read
            false => Distances::Condensed(&values).at(n, u.min(v), u.max(v)),
        };
        let tree = |cores: Option<&[f64]>, distance: &dyn Fn(u32, u32) -> f64| {
            rows_tree::<ClusterError>(n, cores, |point, row| {
                (0..n).zip(row).for_each(|(other, to)| *to = distance(point, other));
                Ok(())
            })
        };
        let cores: Vec<f64> = (0..n).map(|point| f64::from(point % 5)).collect();
        for cores in [None, Some(&cores[..])] {
            let expected = pairwise_tree(Distances::Condensed(&values), cores);
            assert_eq!(tree(cores, &at), expected);
        }
        let wrong = |value: f64| move |u: u32, v: u32| if u.min(v) == 3 { value } else { at(u, v) };
        let error = |value| tree(None, &wrong(value)).unwrap_err().to_string();
        assert!(error(f64::NAN).contains("row 3, column") && error(f64::NAN).contains("is NaN"));
        assert!(error(-1.0).contains("is -1; pass distances of at least 0"));
        assert!(tree(Some(&[]), &at).unwrap_err().to_string().contains("0 core distances"));
        assert_eq!(rows_tree::<ClusterError>(0, None, |_, _| Ok(())).unwrap().len, 0);
    }

    #[test]
    fn infinite_distances_are_distances() {
        let tree = pairwise_tree(Distances::Condensed(&[f64::INFINITY; 3]), None).unwrap();
        assert_eq!((tree.ends, tree.distances), (vec![[0, 1], [0, 2]], vec![f64::INFINITY; 2]));
    }

    #[test]
    fn arrays_of_another_layout_and_nan_are_refused() {
        let error = |distances| pairwise_tree(distances, None).unwrap_err().to_string();
        assert!(error(Distances::Square(&[0.0; 3])).contains("3 distances"));
        assert!(error(Distances::Condensed(&[0.0; 4])).contains("4 distances"));
        let nan = [0.0, f64::NAN, f64::NAN, 0.0];
        assert!(error(Distances::Square(&nan)).contains("row 0, column 1 is NaN"));
        let cores = pairwise_tree(Distances::Condensed(&[1.0]), Some(&[1.0])).unwrap_err();
        assert!(cores.to_string().contains("2 points but 1 core distances"));
    }
}
