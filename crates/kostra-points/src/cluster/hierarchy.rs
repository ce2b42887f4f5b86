//! Single-linkage clustering.

use std::sync::Arc;

use kostra_core::tree::{Helpers, MergeTree, NotAForest};
use kostra_core::{OutOfMemory, memory};
use kostra_parallel::{Schedule, Team, with_team};

use crate::PointTree;

use super::condense::{self, Copies, Ties};
use super::{ClusterError, CondensedTree};

/// The single-linkage clustering of points: the order in which the edges of their spanning tree
/// merge them into clusters.
///
/// Edges of equal distance merge in the order of the tree. For the trees of this crate that is the
/// canonical order, so the hierarchy is unique.
///
/// A forest with several components, such as the forest of a graph of nearest neighbors, becomes a
/// tree: the components are joined at an infinite distance, in the order of their lowest points.
///
/// Takes 28 bytes per point. Building it takes O(n log n) time.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    pub(super) edges: Arc<PointTree>,
    pub(super) merges: MergeTree,
    components: u32,
}

impl Hierarchy {
    /// Builds the hierarchy of a spanning tree, or of a spanning forest. The edges of a forest may
    /// have their ends in any order. They must be in ascending order of distance.
    ///
    /// # Errors
    /// When the edges contain a cycle or a point that does not exist, their distances are not in
    /// ascending order, or the system does not grant the memory.
    pub fn new(edges: impl Into<Arc<PointTree>>) -> Result<Self, ClusterError> {
        Self::on_threads(edges, 1)
    }

    /// [`new`](Self::new) on up to `threads` threads. The result is the same.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn on_threads(
        edges: impl Into<Arc<PointTree>>,
        threads: usize,
    ) -> Result<Self, ClusterError> {
        let mut edges = edges.into();
        check(&edges)?;
        let mut merges = merges(&edges, threads)?;
        // The checks above allow at most n - 1 edges.
        let missing = edges.len - edges.ends.len() as u32;
        if missing > 1 {
            let mut joined = owned(edges)?;
            join_components(&mut joined, &merges, missing)?;
            edges = Arc::new(joined);
            merges = self::merges(&edges, threads)?;
        }
        Ok(Self { edges, merges, components: missing })
    }

    /// The number of points.
    pub fn points(&self) -> u32 {
        self.edges.len
    }

    /// The number of components of the forest before they were joined at an infinite distance.
    pub fn components(&self) -> u32 {
        self.components
    }

    /// The tree, with the edges of infinite distance that join the components at its end.
    pub fn tree(&self) -> &PointTree {
        &self.edges
    }

    /// The merges of the tree's edges: merge `i` is caused by edge `i`.
    pub fn merges(&self) -> &MergeTree {
        &self.merges
    }

    /// SciPy's linkage matrix. Row `i` contains the two clusters that merge, the lower number
    /// first, their distance and the number of points in both. Point `p` is cluster `p`, and row
    /// `i` creates cluster `n + i`.
    ///
    /// # Errors
    /// When the system does not grant the memory.
    pub fn linkage(&self) -> Result<Vec<[f64; 4]>, OutOfMemory> {
        let merges = self.merges.merges()?;
        memory::collected(merges.zip(&self.edges.distances).map(|(merge, &distance)| {
            let [low, high] = merge.clusters.map(|cluster| cluster as f64);
            [low, high, distance, merge.size.into()]
        }))
    }

    /// The clusters that edges of at most this distance connect: the cluster of each point.
    /// Clusters are numbered from 0 in the order of their lowest points. Takes O(n log n) time.
    ///
    /// # Errors
    /// When the system does not grant the memory.
    pub fn cut(&self, distance: f64) -> Result<Vec<u32>, OutOfMemory> {
        self.merges.clusters(self.edges.distances.partition_point(|&other| other <= distance))
    }

    /// The clusters that remain when the last `clusters - 1` merges are undone, as
    /// [`cut`](Self::cut) returns them. `clusters` is limited to the number of points.
    ///
    /// # Errors
    /// When the system does not grant the memory.
    pub fn cut_into(&self, clusters: u32) -> Result<Vec<u32>, OutOfMemory> {
        self.merges.clusters(self.points().saturating_sub(clusters.max(1)) as usize)
    }

    /// The hierarchy without the clusters of fewer than `min_cluster_size` points: see
    /// [`CondensedTree`].
    ///
    /// # Errors
    /// When `min_cluster_size` is below 2, a distance is negative, or the system does not grant the
    /// memory.
    pub fn condensed(
        &self,
        min_cluster_size: u32,
        ties: Ties,
    ) -> Result<CondensedTree, ClusterError> {
        self.check(min_cluster_size)?;
        Ok(condense::condense(self, min_cluster_size, ties, None)?)
    }

    /// [`condensed`](Self::condensed) for rows that each count as several points. The result is that
    /// of the repeated rows, with [`Ties::Together`], for the distances of a tree that counts them:
    /// see [`Points::weighted`](crate::Points::weighted).
    ///
    /// # Errors
    /// As [`condensed`](Self::condensed), and when there is not one weight and one core distance
    /// per row, a weight is 0, or their sum is above [`MAX_POINTS`](crate::MAX_POINTS).
    pub fn condensed_with_copies(
        &self,
        min_cluster_size: u32,
        copies: Copies<'_>,
    ) -> Result<CondensedTree, ClusterError> {
        self.check(min_cluster_size)?;
        copies.check(self.points())?;
        Ok(condense::condense(self, min_cluster_size, Ties::Together, Some(copies))?)
    }

    fn check(&self, min_cluster_size: u32) -> Result<(), ClusterError> {
        if min_cluster_size < 2 {
            return Err(ClusterError::MinClusterSize(min_cluster_size));
        }
        // Distances ascend, so the first one is the lowest.
        if let Some(&distance) = self.edges.distances.first().filter(|&&distance| distance < 0.0) {
            return Err(ClusterError::Negative { edge: 0, distance });
        }
        Ok(())
    }
}

/// The tree, copied if the caller keeps it.
fn owned(tree: Arc<PointTree>) -> Result<PointTree, OutOfMemory> {
    Arc::try_unwrap(tree).or_else(|tree| {
        let (ends, distances) = (memory::copied(&tree.ends)?, memory::copied(&tree.distances)?);
        Ok(PointTree { len: tree.len, ends, distances })
    })
}

fn check(edges: &PointTree) -> Result<(), ClusterError> {
    let distances = &edges.distances;
    if edges.ends.len() != distances.len() {
        let (edges, distances) = (edges.ends.len(), distances.len());
        return Err(ClusterError::Lengths { edges, distances });
    }
    if let Some(edge) = distances.iter().position(|distance| distance.is_nan()) {
        return Err(ClusterError::Nan { edge });
    }
    match distances.windows(2).position(|pair| pair[1] < pair[0]) {
        Some(edge) => Err(ClusterError::Unsorted { edge: edge + 1 }),
        None => Ok(()),
    }
}

/// The merges of the edges, with the help of other threads if there are enough edges.
fn merges(edges: &PointTree, threads: usize) -> Result<MergeTree, NotAForest> {
    /// Below, waiting for each other costs two threads more than they save. Measured in
    /// docs/performance/log.md.
    const ENOUGH: usize = 1 << 19;
    if threads < 2 || edges.ends.len() < ENOUGH {
        return MergeTree::in_order(edges.len, &edges.ends);
    }
    with_team(threads, |team| MergeTree::in_order_with(edges.len, &edges.ends, &Others(team)))
}

/// A team whose threads help.
struct Others<'a>(&'a Team<'a>);

impl Helpers for Others<'_> {
    fn threads(&self) -> usize {
        self.0.threads()
    }

    fn for_each(&self, steps: usize, step: &(dyn Fn(usize) + Sync)) {
        self.0.for_each(steps, Schedule::Dynamic(1), step);
    }
}

/// Adds edges of infinite distance from the component of point 0 to every other component.
fn join_components(
    edges: &mut PointTree,
    merges: &MergeTree,
    components: u32,
) -> Result<(), OutOfMemory> {
    let labels = merges.clusters(edges.ends.len())?;
    memory::reserve_exact(&mut edges.ends, components as usize - 1)?;
    memory::reserve_exact(&mut edges.distances, components as usize - 1)?;
    // Components are numbered in the order of their lowest points.
    let mut found = 1;
    for (point, &label) in (0..).zip(&labels) {
        if label == found {
            edges.ends.push([0, point]);
            edges.distances.push(f64::INFINITY);
            found += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(len: u32, edges: &[(u32, u32, f64)]) -> PointTree {
        PointTree {
            len,
            ends: edges.iter().map(|&(u, v, _)| [u, v]).collect(),
            distances: edges.iter().map(|&(_, _, distance)| distance).collect(),
        }
    }

    #[test]
    fn components_merge_at_an_infinite_distance_in_the_order_of_their_lowest_points() {
        let hierarchy = Hierarchy::new(tree(5, &[(4, 1, 1.0), (3, 0, 2.0)])).unwrap();
        assert_eq!(hierarchy.components(), 3);
        let infinity = f64::INFINITY;
        assert_eq!(
            hierarchy.linkage().unwrap(),
            [
                [1.0, 4.0, 1.0, 2.0],
                [0.0, 3.0, 2.0, 2.0],
                [5.0, 6.0, infinity, 4.0],
                [2.0, 7.0, infinity, 5.0]
            ]
        );
        assert_eq!(hierarchy.cut(f64::MAX).unwrap(), [0, 1, 2, 0, 1]);
        assert_eq!(hierarchy.cut(infinity).unwrap(), [0; 5]);
        assert_eq!(hierarchy.cut(1.5).unwrap(), [0, 1, 2, 3, 1]);
        assert_eq!(hierarchy.cut_into(2).unwrap(), [0, 0, 1, 0, 0]);
        assert_eq!(hierarchy.cut_into(0).unwrap(), [0; 5]);
        assert_eq!(hierarchy.cut_into(99).unwrap(), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn edges_that_are_no_sorted_forest_are_refused_with_the_culprit() {
        let error = |tree| Hierarchy::new(tree).unwrap_err().to_string();
        assert!(error(tree(3, &[(0, 1, 1.0), (1, 3, 1.0)])).contains("edge 1 ends at vertex 3"));
        assert!(error(tree(0, &[(0, 1, 1.0)])).contains("edge 0 ends at vertex 0"));
        let cycle = [(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0), (0, 1, 1.0)];
        assert!(error(tree(3, &cycle)).contains("edge 2 closes a cycle"));
        assert!(error(tree(2, &[(1, 1, 0.0)])).contains("edge 0 closes a cycle"));
        assert!(
            error(tree(3, &[(0, 1, 1.0), (1, 2, f64::NAN)])).contains("edge 1 has distance NaN")
        );
        assert!(error(tree(3, &[(0, 1, 1.0), (1, 2, 0.5)])).contains("sort the edges"));
        let mut short = tree(3, &[(0, 1, 1.0)]);
        short.distances.clear();
        assert!(error(short).contains("1 edges but 0 distances"));
    }

    #[test]
    fn bad_sizes_and_negative_distances_are_refused_when_condensed() {
        let hierarchy = Hierarchy::new(tree(2, &[(0, 1, -1.0)])).unwrap();
        assert_eq!(
            hierarchy.condensed(1, Ties::default()).unwrap_err(),
            ClusterError::MinClusterSize(1)
        );
        let error = hierarchy.condensed(2, Ties::default()).unwrap_err().to_string();
        assert!(error.contains("negative distance -1"), "{error}");
    }

    #[test]
    fn no_point_and_one_point_have_no_merges() {
        for points in [0, 1] {
            let hierarchy = Hierarchy::new(tree(points, &[])).unwrap();
            assert_eq!(hierarchy.linkage().unwrap().len(), 0);
            assert_eq!(hierarchy.cut(0.0).unwrap().len(), points as usize);
            assert_eq!(hierarchy.components(), points);
        }
    }
}
