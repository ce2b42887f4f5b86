//! How good clusters are, whatever found them.
//!
//! * **Idea**: a cluster is good if the gap between it and the nearest other cluster is wider than
//!   the widest gap inside. Gaps are edges of spanning trees of mutual reachability distances. The
//!   core distance of a point is a mean of its distances to all points of its cluster, in which
//!   near points count most.
//! * **Source**: Moulavi, Jaskowiak, Campello, Zimek and Sander, "Density-based clustering
//!   validation", 2014. The paper leaves open which of several spanning trees counts. Here it is
//!   the canonical one of the points in the order of their coordinates, so the index does not
//!   depend on the order of the rows.
//! * **Time** O(n^2 d), memory O(n d). Threads divide the points, and for trees the clusters.

use std::cmp::{Ordering, Reverse};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use kostra_core::{OutOfMemory, Run, memory};
use kostra_parallel::{for_each_item, into_item, lock, with_observed_team};

use super::ClusterError;
use super::pairwise::{Distances, Prim};
use super::predict::in_blocks;
use crate::canonical::{larger, smaller};
use crate::{Metric, Points, PointsError, Prepared};

/// The distances by which gaps are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gaps {
    /// Mutual reachability distances, as in the paper.
    #[default]
    MutualReachability,
    /// The distances themselves. Long thin clusters that are near to each other get better indices.
    Distances,
}

/// The density-based cluster validity (DBCV).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Validity {
    /// From -1 to 1: the mean over all points of the index of their cluster. Noise counts as 0.
    pub index: f64,
    /// From -1 to 1, for each label: (separation - sparseness) / the larger of both. Separation is
    /// the least gap to another cluster, and sparseness the widest gap inside.
    pub clusters: Vec<f64>,
}

/// The validity of clusters of points. `labels` has a number from 0 for each point, or a negative
/// number for noise.
///
/// A cluster of one point is noise. With fewer than two other clusters, all indices are 0. Equal
/// points do not count for core distances, because their density is infinite.
///
/// ```
/// use kostra_points::cluster::{Gaps, validity};
/// use kostra_points::{Metric, Points, Run};
///
/// let points = [0.0, 1.0, 2.0, 10.0, 11.0, 12.0, 50.0];
/// let points = Points::new(&points, 1)?;
/// let labels = &[0, 0, 0, 1, 1, 1, -1];
/// let found = validity(&points, Metric::Euclidean, labels, Gaps::Distances, &mut Run::new())?;
/// // Inner points are 1 and 11, and there is no inner edge: (10 - 1) / 10.
/// assert_eq!(found.clusters, [0.9, 0.9]);
/// assert!((found.index - 0.9 * 6.0 / 7.0).abs() < 1e-15);
/// # Ok::<(), kostra_points::PointsError>(())
/// ```
///
/// # Errors
/// When there is not one label for each point, the metric does not accept the points, the observer
/// cancels the run, or the system refuses memory.
pub fn validity(
    points: &Points<'_>,
    metric: Metric,
    labels: &[i32],
    gaps: Gaps,
    run: &mut Run<'_>,
) -> Result<Validity, PointsError> {
    let prepared = Prepared::new(points, metric)?;
    if labels.len() != prepared.len() as usize {
        let (points, labels) = (prepared.len(), labels.len());
        return Err(PointsError::Labels { points, labels });
    }
    let mut order: Vec<u32> = memory::collected(0..prepared.len())?;
    let row = |point: u32| prepared.row(point).iter();
    order.sort_unstable_by(|&a, &b| {
        let by_coordinates = || row(a).partial_cmp(row(b)).unwrap_or(Ordering::Equal);
        labels[a as usize].cmp(&labels[b as usize]).then_with(by_coordinates).then(a.cmp(&b))
    });
    let (order, ranges) = clusters(&order, labels)?;
    let prepared = prepared.selected(order.iter().copied())?;
    let distance = |u: u32, v: u32| prepared.reported(prepared.compared(u, v));
    let of = Clusters { ranges: &ranges, distance, dimensions: points.dimensions(), gaps };
    of.validity(labels.len(), run)
}

/// [`validity`] of clusters of points whose distances are given. The points have this number of
/// dimensions, on which core distances depend. If distances are equal, the index may depend on the
/// order of the points.
///
/// # Errors
/// When the array has no such layout, there is not one label for each point, a distance is NaN or
/// negative, the observer cancels the run, or the system refuses memory.
pub fn pairwise_validity(
    distances: Distances<'_>,
    dimensions: usize,
    labels: &[i32],
    gaps: Gaps,
    run: &mut Run<'_>,
) -> Result<Validity, ClusterError> {
    let n = distances.checked()?;
    if labels.len() != n as usize {
        return Err(ClusterError::Labels { points: n, labels: labels.len() });
    }
    let mut order: Vec<u32> = memory::collected(0..n)?;
    order.sort_by_key(|&point| labels[point as usize]);
    let (order, ranges) = clusters(&order, labels)?;
    let distance = |u: u32, v: u32| match (order[u as usize], order[v as usize]) {
        (u, v) if u == v => 0.0,
        (u, v) => distances.at(n, u.min(v), u.max(v)),
    };
    let of = Clusters { ranges: &ranges, distance, dimensions, gaps };
    of.validity(labels.len(), run).map_err(|error| match error {
        PointsError::OutOfMemory(refusal) => refusal.into(),
        _ => ClusterError::Cancelled,
    })
}

/// The points of clusters, without noise, and where those of each label are.
fn clusters<'a>(
    order: &'a [u32],
    labels: &[i32],
) -> Result<(&'a [u32], Vec<Range<u32>>), OutOfMemory> {
    let label = |point: &u32| labels[*point as usize];
    let order = &order[order.partition_point(|point| label(point) < 0)..];
    let start = |least: i32| order.partition_point(|point| label(point) < least) as u32;
    let labels = order.last().map_or(0, |point| label(point) + 1);
    // A cluster of one point has no inner distances.
    let range = |label: i32| match start(label)..start(label + 1) {
        range if range.len() > 1 => range,
        range => range.end..range.end,
    };
    Ok((order, memory::collected((0..labels).map(range))?))
}

/// Clusters whose points are numbered one cluster after the other.
struct Clusters<'a, F> {
    /// The points of each label.
    ranges: &'a [Range<u32>],
    distance: F,
    dimensions: usize,
    gaps: Gaps,
}

/// What the spanning tree of a cluster says.
#[derive(Default)]
struct Inside {
    sparseness: f64,
    /// The points with at least two edges; all points if there are none.
    inner: Vec<u32>,
}

impl<F: Fn(u32, u32) -> f64 + Sync> Clusters<'_, F> {
    fn validity(&self, points: usize, run: &mut Run<'_>) -> Result<Validity, PointsError> {
        let sizes = || self.ranges.iter().map(ExactSizeIterator::len);
        let mut clusters = memory::filled(self.ranges.len(), 0.0)?;
        if sizes().filter(|&size| size > 0).count() < 2 {
            return Ok(Validity { index: 0.0, clusters });
        }
        let cores = self.cores(run)?;
        let inside = self.trees(&cores, run)?;
        let separation = self.separation(&cores, &inside, run)?;
        for (label, index) in clusters.iter_mut().enumerate() {
            let (gap, sparseness) = (separation[label], inside[label].sparseness);
            if self.ranges[label].is_empty() || gap == sparseness {
                continue;
            }
            *index = match larger(gap, sparseness) {
                f64::INFINITY => (gap - sparseness).signum(),
                widest => (gap - sparseness) / widest,
            };
        }
        let sum: f64 = sizes().zip(&clusters).map(|(size, index)| size as f64 * index).sum();
        Ok(Validity { index: sum / points as f64, clusters })
    }

    /// The core distance of each point; zeros if distances themselves count.
    fn cores(&self, run: &mut Run<'_>) -> Result<Vec<f64>, PointsError> {
        let points = self.ranges.last().map_or(0, |range| range.end);
        let mut cores = memory::filled(points as usize, 0.0)?;
        if self.gaps == Gaps::MutualReachability {
            in_blocks(&mut cores, run, |first, cores| {
                for (point, core) in (first as u32..).zip(cores) {
                    let label = self.ranges.partition_point(|range| range.end <= point);
                    let range = &self.ranges[label];
                    *core = if range.contains(&point) { self.core(point, range) } else { 0.0 };
                }
            })?;
        }
        Ok(cores)
    }

    /// The power mean of the distances to the other points of the cluster, with the exponent
    /// `-dimensions`. The least distance is a factor outside, so that no power overflows.
    fn core(&self, point: u32, range: &Range<u32>) -> f64 {
        let others = || range.clone().map(|other| (self.distance)(point, other));
        let positive = || others().filter(|&distance| distance > 0.0);
        let least = positive().fold(f64::INFINITY, smaller);
        if least == f64::INFINITY {
            // All others are equal to the point, or none can be reached.
            return if positive().next().is_none() { 0.0 } else { least };
        }
        let exponent = i32::try_from(self.dimensions).unwrap_or(i32::MAX);
        let sum: f64 = positive().map(|distance| (least / distance).powi(exponent)).sum();
        least * (sum / (range.len() - 1) as f64).powf(-1.0 / f64::from(exponent))
    }

    /// The spanning tree of each cluster.
    fn trees(&self, cores: &[f64], run: &mut Run<'_>) -> Result<Vec<Inside>, PointsError> {
        let mut inside = memory::collected(self.ranges.iter().map(|_| Inside::default()))?;
        let failure = Mutex::new(None);
        // The largest clusters first, so that no thread starts one at the end.
        let mut work: Vec<_> = self.ranges.iter().zip(&mut inside).collect();
        work.retain(|(range, _)| !range.is_empty());
        work.sort_by_key(|(range, _)| Reverse(range.len()));
        with_observed_team(run, run.request.threads(), |team, _| {
            for_each_item(team, work.into_iter(), |(range, inside)| {
                match self.tree(cores, range) {
                    Ok(found) => *inside = found,
                    Err(refusal) => *lock(&failure) = Some(refusal),
                }
            });
        });
        into_item(failure).map_or(Ok(inside), |refusal| Err(refusal.into()))
    }

    fn tree(&self, cores: &[f64], range: &Range<u32>) -> Result<Inside, OutOfMemory> {
        let start = range.start;
        let cores = &cores[start as usize..range.end as usize];
        let mut prim = Prim::new(range.len() as u32)?;
        while !prim.outside.is_empty() {
            let newest = start + prim.newest;
            prim.step(Some(cores), |point, _| (self.distance)(newest, start + point));
        }
        let tree = prim.tree()?;
        let mut degrees = memory::filled(range.len(), 0_u32)?;
        tree.ends.as_flattened().iter().for_each(|&end| degrees[end as usize] += 1);
        let is_inner = |&point: &u32| degrees[point as usize] > 1;
        let edges = || tree.ends.iter().zip(&tree.distances);
        let mut inner_edges = edges().filter(|(ends, _)| ends.iter().all(is_inner));
        // The authors' own program takes all edges if none is an inner one.
        let widest = inner_edges.next_back().or_else(|| edges().next_back());
        let mut inner = memory::with_capacity(range.len())?;
        inner.extend((0..range.len() as u32).filter(is_inner));
        if inner.is_empty() {
            inner.extend(0..range.len() as u32);
        }
        inner.iter_mut().for_each(|point| *point += start);
        Ok(Inside { sparseness: widest.map_or(0.0, |(_, &distance)| distance), inner })
    }

    /// The least distance between an inner point of each cluster and one of another cluster.
    fn separation(
        &self,
        cores: &[f64],
        inside: &[Inside],
        run: &mut Run<'_>,
    ) -> Result<Vec<f64>, PointsError> {
        let mut inner = memory::with_capacity(inside.iter().map(|of| of.inner.len()).sum())?;
        for (label, of) in inside.iter().enumerate() {
            inner.extend(of.inner.iter().map(|&point| (label, point)));
        }
        let gaps: Vec<_> = inside.iter().map(|_| AtomicU64::new(f64::INFINITY.to_bits())).collect();
        let others = memory::copied(&inner)?;
        in_blocks(&mut inner, run, |_, block| {
            for &mut (label, point) in block {
                // Each pair of clusters once.
                let start = others.partition_point(|other| other.0 <= label);
                for &(other_label, other) in &others[start..] {
                    let core = larger(cores[point as usize], cores[other as usize]);
                    // Distances are not negative, so their bits ascend with them.
                    let gap = larger(core, (self.distance)(point, other)).to_bits();
                    for of in [label, other_label] {
                        if gap < gaps[of].load(Relaxed) {
                            gaps[of].fetch_min(gap, Relaxed);
                        }
                    }
                }
            }
        })?;
        memory::collected(gaps.iter().map(|gap| f64::from_bits(gap.load(Relaxed))))
            .map_err(PointsError::from)
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::UnionFind;
    use kostra_core::random::RandomStream;

    use crate::cluster::predict::tests::blobs;

    use super::*;

    /// All labels of [`blobs`], with some noise, a cluster of one point and a label of none.
    fn labels(n: u32) -> Vec<i32> {
        let label = |point: u32| match point {
            17 => 9,
            _ if point.is_multiple_of(11) => -1,
            _ => (point % 4) as i32,
        };
        (0..n).map(label).collect()
    }

    fn found(rows: &[f64], dimensions: usize, labels: &[i32], gaps: Gaps) -> Validity {
        let points = Points::new(rows, dimensions).unwrap();
        let run = &mut Run::new().on_threads(2);
        validity(&points, Metric::Euclidean, labels, gaps, run).unwrap()
    }

    /// The definition, with Kruskal's algorithm on all pairs in the order of the coordinates.
    fn expected(rows: &[&[f64]], labels: &[i32], gaps: Gaps) -> Vec<f64> {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by(|&a, &b| rows[a].partial_cmp(rows[b]).unwrap());
        let distance = |u: usize, v: usize| {
            rows[u].iter().zip(rows[v]).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
        };
        let members = |label: i32| -> Vec<usize> {
            order.iter().copied().filter(|&point| labels[point] == label).collect()
        };
        let mut cores = vec![0.0; rows.len()];
        let (mut sparseness, mut inner) = (Vec::new(), Vec::new());
        for label in 0..4 {
            let members = members(label);
            for &u in members.iter().filter(|_| gaps == Gaps::MutualReachability) {
                let others = members.iter().map(|&v| distance(u, v)).filter(|&d| d > 0.0);
                let sum: f64 = others.map(|d| d.powi(-(rows[0].len() as i32))).sum();
                cores[u] = (sum / (members.len() - 1) as f64).powf(-1.0 / rows[0].len() as f64);
            }
            let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
            for (v, &of_v) in members.iter().enumerate() {
                for (u, &of_u) in members[..v].iter().enumerate() {
                    let gap = distance(of_u, of_v).max(cores[of_u]).max(cores[of_v]);
                    pairs.push((gap, u, v));
                }
            }
            pairs.sort_by(|a, b| a.partial_cmp(b).unwrap());
            let mut joined = UnionFind::try_new(members.len() as u32).unwrap();
            pairs.retain(|&(_, u, v)| joined.union(u as u32, v as u32));
            let degree = |w: usize| pairs.iter().filter(|&&(_, u, v)| u == w || v == w).count();
            let is_inner = |pair: &&(f64, usize, usize)| degree(pair.1) > 1 && degree(pair.2) > 1;
            sparseness.push(pairs.iter().filter(is_inner).map(|pair| pair.0).fold(0.0, f64::max));
            let of_inner = members.iter().enumerate().filter(|&(at, _)| degree(at) > 1);
            inner.push(of_inner.map(|(_, &point)| point).collect::<Vec<_>>());
        }
        let index = |label: usize| {
            let others = (0..4).filter(|&other| other != label).flat_map(|other| &inner[other]);
            let gaps = others.flat_map(|&v| inner[label].iter().map(move |&u| (u, v)));
            let gaps = gaps.map(|(u, v)| distance(u, v).max(cores[u]).max(cores[v]));
            let gap = gaps.fold(f64::INFINITY, f64::min);
            (gap - sparseness[label]) / gap.max(sparseness[label])
        };
        (0..4).map(index).collect()
    }

    #[test]
    fn the_index_is_its_definition_and_does_not_depend_on_the_order_of_the_rows() {
        for (seed, dimensions) in [(1, 1), (2, 2), (3, 3), (4, 20)] {
            let (rows, labels) = (blobs(seed, 130, dimensions), labels(130));
            for gaps in [Gaps::MutualReachability, Gaps::Distances] {
                let validity = found(&rows, dimensions, &labels, gaps);
                let chunks: Vec<_> = rows.chunks(dimensions).collect();
                let right = expected(&chunks, &labels, gaps);
                assert_eq!(validity.clusters.len(), 10);
                assert_eq!(validity.clusters[4..], [0.0; 6]);
                for (index, right) in validity.clusters.iter().zip(&right) {
                    assert!((index - right).abs() < 1e-12, "{index} {right}");
                }
                let size = |label| labels.iter().filter(|&&other| other == label).count() as f64;
                let sum: f64 = (0..4).zip(&right).map(|(label, index)| size(label) * index).sum();
                assert!((validity.index - sum / 130.0).abs() < 1e-12);
                let mut order: Vec<usize> = (0..130).collect();
                order.sort_by_key(|&point| RandomStream::new(5).at(point as u64));
                let shuffled: Vec<f64> =
                    order.iter().flat_map(|&point| chunks[point]).copied().collect();
                let of_shuffled: Vec<_> = order.iter().map(|&point| labels[point]).collect();
                assert_eq!(found(&shuffled, dimensions, &of_shuffled, gaps), validity);
            }
        }
    }

    #[test]
    fn given_distances_have_the_index_of_the_points() {
        let mut rows = blobs(7, 90, 2);
        // No two distances are equal.
        let random = RandomStream::new(8);
        rows.iter_mut().zip(0..).for_each(|(x, at)| *x += random.unit(at));
        let points: Vec<_> = rows.chunks(2).collect();
        let mut square = Vec::new();
        for u in &points {
            square.extend(points.iter().map(|v| (u[0] - v[0]).hypot(u[1] - v[1])));
        }
        let labels = labels(90);
        let right = found(&rows, 2, &labels, Gaps::Distances);
        let distances = Distances::Square(&square);
        let run = &mut Run::new();
        let of = pairwise_validity(distances, 2, &labels, Gaps::Distances, run).unwrap();
        assert!((of.index - right.index).abs() < 1e-9, "{of:?} {right:?}");
    }

    #[test]
    fn fewer_than_two_clusters_have_no_index_and_equal_points_no_gap() {
        let few = found(&[1.0, 2.0, 3.0], 1, &[0, 0, 2], Gaps::MutualReachability);
        assert_eq!(few, Validity { index: 0.0, clusters: vec![0.0; 3] });
        assert_eq!(found(&[1.0, 2.0], 1, &[-1, -2], Gaps::Distances), Validity::default());
        let equal = found(&[1.0, 1.0, 5.0, 5.0], 1, &[0, 0, 1, 1], Gaps::MutualReachability);
        assert_eq!(equal.clusters, [1.0, 1.0]);
        let one = found(&[1.0; 4], 1, &[0, 0, 1, 1], Gaps::MutualReachability);
        assert_eq!(one.clusters, [0.0, 0.0]);
    }

    #[test]
    fn labels_of_other_points_are_refused() {
        let points = Points::new(&[1.0, 2.0], 1).unwrap();
        let run = &mut Run::new();
        let error = validity(&points, Metric::Euclidean, &[0], Gaps::Distances, run).unwrap_err();
        assert!(error.to_string().contains("2 points but 1 labels"), "{error}");
        let distances = Distances::Condensed(&[f64::NAN]);
        let error = pairwise_validity(distances, 1, &[0, 0], Gaps::Distances, run).unwrap_err();
        assert!(error.to_string().contains("is NaN"), "{error}");
    }
}
