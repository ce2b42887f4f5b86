//! The condensed tree of HDBSCAN.

use std::ops::Range;

use kostra_core::{OutOfMemory, memory};

/// A hierarchy without the clusters of fewer than `min_cluster_size` points.
///
/// Go down the hierarchy from the cluster of all points. Where it divides into several parts of at
/// least `min_cluster_size` points, as many clusters begin. Where only one part is large enough, it
/// is still the same cluster, and the points of the other parts leave it. Where no part is large
/// enough, the cluster ends, and all its points leave. See [`Ties`](super::Ties) for what happens
/// at equal distances.
///
/// Distances are also given as densities, 1 / distance; the density of distance 0 is infinite.
///
/// Source: Campello, Moulavi, Zimek and Sander, "Hierarchical density estimates for data clustering,
/// visualization, and outlier detection", 2015.
#[derive(Clone, Debug, PartialEq)]
pub struct CondensedTree {
    pub(super) clusters: Vec<Cluster>,
    pub(super) homes: Vec<u32>,
    pub(super) departures: Vec<f64>,
    /// How many points each row counts as; empty for one each.
    pub(super) weights: Vec<u32>,
    /// Whether only the numbers of points tell two clusters apart.
    pub(super) is_ambiguous: bool,
}

/// A cluster of a [`CondensedTree`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Cluster {
    /// The cluster that was divided; none for the cluster of all points.
    pub parent: Option<u32>,
    /// The clusters into which this one is divided; none, or at least two.
    pub children: Range<u32>,
    /// The number of points at the cluster's beginning.
    pub size: u32,
    /// The distance at which the cluster begins; infinite for the cluster of all points.
    pub birth: f64,
    /// The distance at which the last points leave the cluster or it is divided.
    pub death: f64,
    /// The excess of mass: the sum over the cluster's points of the density at which they leave,
    /// less the density of the birth. It is infinite if points coincide.
    pub stability: f64,
}

/// The density of a distance.
#[inline]
pub(super) fn density(distance: f64) -> f64 {
    if distance > 0.0 { distance.recip() } else { f64::INFINITY }
}

impl Cluster {
    pub(super) fn root(size: u32) -> Self {
        Self { parent: None, ..Self::new(0, size, f64::INFINITY) }
    }

    pub(super) fn new(parent: u32, size: u32, birth: f64) -> Self {
        Self { parent: Some(parent), children: 0..0, size, birth, death: birth, stability: 0.0 }
    }

    /// Adds to the stability that points leave at this distance.
    pub(super) fn lose(&mut self, distance: f64, points: u32) {
        // Without this condition, the result for two infinite densities is not a number.
        if distance < self.birth {
            self.stability += (density(distance) - density(self.birth)) * f64::from(points);
        }
    }
}

impl CondensedTree {
    /// The clusters. Cluster 0 contains all points; there is none if there are no points. The
    /// number of a cluster is above the number of its parent.
    ///
    /// The order is by distance of birth, the largest first; then by parent; then by size, the
    /// largest first; then by the distances inside the clusters. If these are all equal, it is
    /// the order of the lowest points, which [`numbered_by`](Self::numbered_by) compares in another
    /// way. With [`Ties::OneByOne`](super::Ties::OneByOne) the order is that of scikit-learn for
    /// Euclidean points: level by level of the hierarchy. Of two clusters, the first one is the one
    /// that the path from point 0 in the spanning tree enters first.
    pub fn clusters(&self) -> &[Cluster] {
        &self.clusters
    }

    /// Whether two clusters with the same parent have the same distances inside, so that their
    /// numbers depend on the order of the points.
    pub fn is_ambiguous(&self) -> bool {
        self.is_ambiguous
    }

    /// The number of rows. Each is a point, or counts as several.
    pub fn points(&self) -> u32 {
        self.homes.len() as u32
    }

    /// How many points each row counts as.
    pub(super) fn weights(&self) -> impl Iterator<Item = u32> {
        (0..self.homes.len()).map(|row| self.weights.get(row).map_or(1, |&weight| weight))
    }

    /// The last cluster that contains each point.
    pub fn homes(&self) -> &[u32] {
        &self.homes
    }

    /// The distance at which each point leaves its last cluster. It is infinite for the points of
    /// small components, and for a single point.
    pub fn departures(&self) -> &[f64] {
        &self.departures
    }

    /// The outlier score of each point by GLOSH, from 0 to 1.
    ///
    /// The score is 1 - a / b. Here a is the density at which the point leaves its last cluster,
    /// and b the highest density in this cluster and the clusters below it.
    ///
    /// Source: as for [`CondensedTree`], section 6.
    ///
    /// # Errors
    /// When the system does not grant the memory.
    pub fn outlier_scores(&self) -> Result<Vec<f64>, OutOfMemory> {
        let mut nearest = memory::collected(self.clusters.iter().map(|cluster| cluster.death))?;
        // A child's number is above its parent's. So each child is final before its parent is.
        for (number, cluster) in self.clusters.iter().enumerate().rev() {
            if let Some(parent) = cluster.parent {
                nearest[parent as usize] = nearest[parent as usize].min(nearest[number]);
            }
        }
        memory::collected(self.homes.iter().zip(&self.departures).map(|(&home, &departure)| {
            let nearest = nearest[home as usize];
            // The points that leave last have score 0, also at an infinite or zero distance.
            if departure == nearest { 0.0 } else { 1.0 - density(departure) / density(nearest) }
        }))
    }
}

#[cfg(test)]
mod tests {
    use crate::PointTree;
    use crate::cluster::{Hierarchy, Ties};

    #[test]
    fn outlier_scores_compare_a_point_with_the_densest_part_of_its_cluster() {
        let hierarchy = Hierarchy::new(PointTree {
            len: 8,
            ends: vec![[0, 1], [1, 2], [3, 4], [4, 5], [5, 6], [2, 3], [0, 7]],
            distances: vec![0.0, 0.0, 2.0, 2.0, 4.0, 8.0, 16.0],
        })
        .unwrap();
        let scores = hierarchy.condensed(3, Ties::default()).unwrap().outlier_scores().unwrap();
        // Point 7 leaves the cluster of all points, whose densest part has an infinite density.
        assert_eq!(scores, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 1.0]);
    }
}
