//! Choosing flat clusters from a condensed tree.

use std::cmp::Ordering;

use kostra_core::{OutOfMemory, memory};

use super::ClusterError;
use super::condensed_tree::{CondensedTree, density};

/// How clusters are chosen. No cluster that is chosen contains another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// The clusters with the largest total stability, the excess of mass.
    #[default]
    ExcessOfMass,
    /// The clusters that are not divided: many small ones of similar density.
    Leaf,
}

/// What is chosen from a [`CondensedTree`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Selection {
    /// How clusters are chosen.
    pub method: Method,
    /// Clusters that begin below this distance are replaced by the cluster from which they were
    /// divided at this distance. Zero changes nothing.
    ///
    /// Source: Malzer and Baum, "A hybrid approach to hierarchical density-based cluster selection",
    /// 2020.
    pub epsilon: f64,
    /// Whether the cluster of all points may be chosen.
    pub allow_single_cluster: bool,
    /// The excess of mass chooses no larger cluster. `epsilon` may still do so.
    pub max_cluster_size: Option<u32>,
    /// The excess of mass chooses no cluster that begins above this distance. For the cluster of
    /// all points, the largest finite distance in the tree counts. `epsilon` may still do so.
    pub max_distance: Option<f64>,
}

/// The label of points in no chosen cluster.
pub(super) const NOISE: i32 = -1;

/// Flat clusters.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Clustering {
    /// The chosen clusters of the condensed tree, in ascending order. Cluster `i` of the labels is
    /// `clusters[i]`.
    pub clusters: Vec<u32>,
    /// The cluster of each point; -1 for noise.
    pub labels: Vec<i32>,
    /// How certainly each point belongs to its cluster: the density at which it leaves, divided by
    /// the density at which the cluster ends, at most 1. Noise has probability 0.
    pub probabilities: Vec<f64>,
    /// Points that leave at a larger distance are noise.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) latest: f64,
}

impl CondensedTree {
    /// Chooses clusters. The labels and probabilities are those of scikit-learn's `HDBSCAN` for the
    /// same hierarchy. Takes O(n) time.
    ///
    /// If the cluster of all points is the only choice, it contains only the points that leave
    /// last, or with `epsilon`, the points that leave below this distance.
    ///
    /// # Errors
    /// When `epsilon` is negative or NaN, `max_cluster_size` is zero, or the system does not grant
    /// the memory.
    pub fn select(&self, selection: Selection) -> Result<Clustering, ClusterError> {
        self.select_preferring(selection, &[])
    }

    /// The same, where the excess of mass decides only between clusters of equal total preference.
    /// Without `preferences`, all are equal.
    pub(super) fn select_preferring(
        &self,
        selection: Selection,
        preferences: &[i64],
    ) -> Result<Clustering, ClusterError> {
        if selection.epsilon.is_nan() || selection.epsilon < 0.0 {
            return Err(ClusterError::Epsilon(selection.epsilon));
        }
        if selection.max_cluster_size == Some(0) {
            return Err(ClusterError::MaxClusterSize(0));
        }
        let is_below = |most: &f64| most.is_nan() || *most < selection.epsilon;
        if let Some(most) = selection.max_distance.filter(is_below) {
            return Err(ClusterError::MaxDistance { most, epsilon: selection.epsilon });
        }
        let mut chosen = match selection.method {
            Method::ExcessOfMass => self.excess_of_mass(selection, preferences)?,
            Method::Leaf => self.leaves(selection.allow_single_cluster)?,
        };
        let is_root_chosen = chosen.first().is_some_and(|&chosen| chosen);
        if selection.epsilon > 0.0 && !is_root_chosen {
            chosen = self.merged_below(&chosen, selection)?;
        }
        Ok(self.clustering(&chosen, selection.epsilon)?)
    }

    /// Chooses the clusters whose stability is at least the total of the best choice below them.
    fn excess_of_mass(
        &self,
        selection: Selection,
        preferences: &[i64],
    ) -> Result<Vec<bool>, OutOfMemory> {
        let clusters = &self.clusters;
        let first = usize::from(!selection.allow_single_cluster);
        let mut chosen = memory::filled(clusters.len(), false)?;
        let mut below = Vec::new();
        let mut best = memory::collected(clusters.iter().map(|cluster| cluster.stability))?;
        let mut preferred = memory::copied(preferences)?;
        for number in (first..clusters.len()).rev() {
            let cluster = &clusters[number];
            below.clear();
            memory::reserve(&mut below, cluster.children.len())?;
            below.extend(cluster.children.clone().map(|child| best[child as usize]));
            // A sum of floats depends on their order.
            below.sort_unstable_by(f64::total_cmp);
            let in_parts: f64 = below.iter().sum();
            let parts = cluster.children.start as usize..cluster.children.end as usize;
            let preferred_parts: i64 = preferred.get(parts).unwrap_or_default().iter().sum();
            let own = preferred.get(number).copied().unwrap_or_default();
            let is_worse = match preferred_parts.cmp(&own) {
                Ordering::Equal => in_parts > best[number],
                _ if cluster.children.is_empty() => false,
                order => order.is_gt(),
            };
            let is_too_large = selection.max_cluster_size.is_some_and(|most| cluster.size > most)
                || selection.max_distance.is_some_and(|most| self.first_distance(number) > most);
            if is_worse || is_too_large {
                best[number] = in_parts;
                if let Some(preferred) = preferred.get_mut(number) {
                    *preferred = preferred_parts;
                }
            } else {
                chosen[number] = true;
            }
        }
        self.keep_highest(&mut chosen)?;
        Ok(chosen)
    }

    /// The distance at which a cluster begins; for the cluster of all points, the largest finite
    /// distance in the tree.
    fn first_distance(&self, cluster: usize) -> f64 {
        if cluster > 0 {
            return self.clusters[cluster].birth;
        }
        let births = self.clusters.iter().map(|cluster| cluster.birth);
        let distances = births.chain(self.departures.iter().copied());
        distances.filter(|distance| distance.is_finite()).fold(0.0, f64::max)
    }

    /// Removes the chosen clusters below another chosen cluster.
    fn keep_highest(&self, chosen: &mut [bool]) -> Result<(), OutOfMemory> {
        let mut is_covered = memory::filled(self.clusters.len(), false)?;
        for (number, cluster) in self.clusters.iter().enumerate() {
            if let Some(parent) = cluster.parent {
                is_covered[number] = is_covered[parent as usize] || chosen[parent as usize];
            }
        }
        // Covered clusters have covered children, so the order of the removals does not matter.
        for (chosen, is_covered) in chosen.iter_mut().zip(is_covered) {
            *chosen &= !is_covered;
        }
        Ok(())
    }

    /// Chooses the clusters without children; the cluster of all points only if it is allowed.
    fn leaves(&self, allow_root: bool) -> Result<Vec<bool>, OutOfMemory> {
        memory::collected(
            self.clusters.iter().map(|cluster| {
                (cluster.parent.is_some() || allow_root) && cluster.children.is_empty()
            }),
        )
    }

    /// Replaces chosen clusters that begin below the distance `epsilon`, by the nearest cluster
    /// above that begins at a larger distance. That is not the cluster of all points, unless it is
    /// allowed.
    fn merged_below(
        &self,
        chosen: &[bool],
        selection: Selection,
    ) -> Result<Vec<bool>, OutOfMemory> {
        let mut merged = memory::filled(self.clusters.len(), false)?;
        for number in (0..self.clusters.len()).filter(|&number| chosen[number]) {
            let mut number = number;
            if self.clusters[number].birth < selection.epsilon {
                while let Some(parent) = self.clusters[number].parent {
                    let parent = parent as usize;
                    if parent == 0 && !selection.allow_single_cluster {
                        break;
                    }
                    number = parent;
                    if self.clusters[number].birth > selection.epsilon {
                        break;
                    }
                }
            }
            merged[number] = true;
        }
        Ok(merged)
    }

    pub(super) fn clustering(
        &self,
        chosen: &[bool],
        epsilon: f64,
    ) -> Result<Clustering, OutOfMemory> {
        let numbers = 0..self.clusters.len() as u32;
        let mut clusters = memory::with_capacity(chosen.iter().filter(|&&chosen| chosen).count())?;
        clusters.extend(numbers.filter(|&number| chosen[number as usize]));
        let is_root_alone = clusters == [0];
        // In the cluster of all points, only the points that leave late are not noise.
        let latest = match self.clusters.first() {
            Some(root) if is_root_alone => {
                if epsilon > 0.0 {
                    epsilon
                } else {
                    root.death
                }
            }
            _ => f64::INFINITY,
        };
        let labels = self.labels_of_clusters(&clusters)?;
        let mut result = Clustering {
            clusters,
            labels: memory::with_capacity(self.homes.len())?,
            probabilities: memory::with_capacity(self.homes.len())?,
            latest,
        };
        for (&home, &departure) in self.homes.iter().zip(&self.departures) {
            let label = if result.are_noise_at(departure) { NOISE } else { labels[home as usize] };
            let probability = match result.clusters.get(label as usize) {
                Some(&cluster) => self.probability(cluster, departure),
                None => 0.0,
            };
            result.labels.push(label);
            result.probabilities.push(probability);
        }
        Ok(result)
    }
}

impl CondensedTree {
    /// The label of each cluster of the tree: its own, or that of the nearest chosen cluster above.
    pub(super) fn labels_of_clusters(&self, chosen: &[u32]) -> Result<Vec<i32>, OutOfMemory> {
        let mut labels = memory::filled(self.clusters.len(), NOISE)?;
        for (label, &cluster) in (0..).zip(chosen) {
            labels[cluster as usize] = label;
        }
        if chosen != [0]
            && let Some(root) = labels.first_mut()
        {
            *root = NOISE;
        }
        for (number, cluster) in self.clusters.iter().enumerate() {
            if let (NOISE, Some(parent)) = (labels[number], cluster.parent) {
                labels[number] = labels[parent as usize];
            }
        }
        Ok(labels)
    }

    /// The probability of a point that leaves a chosen cluster at this distance.
    pub(super) fn probability(&self, cluster: u32, departure: f64) -> f64 {
        let end = density(self.clusters[cluster as usize].death);
        let density = density(departure);
        if density >= end { 1.0 } else { density / end }
    }
}

impl Clustering {
    /// Whether points that leave their last cluster at this distance are noise, whatever the
    /// cluster. No path leads to points that leave at an infinite distance.
    pub(super) fn are_noise_at(&self, departure: f64) -> bool {
        departure == f64::INFINITY || departure > self.latest
    }
}

#[cfg(test)]
mod tests {
    use crate::PointTree;
    use crate::cluster::{Hierarchy, Ties};

    use super::*;

    /// Two dense groups near to each other, 0..4 and 4..8, a third one, 8..12, and point 12 apart.
    fn groups() -> CondensedTree {
        Hierarchy::new(
            PointTree {
                len: 13,
                ends: vec![
                    [0, 1],
                    [1, 2],
                    [2, 3],
                    [4, 5],
                    [5, 6],
                    [6, 7],
                    [8, 9],
                    [9, 10],
                    [10, 11],
                    [3, 4],
                    [7, 8],
                    [11, 12],
                ],
                distances: vec![1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 4.0, 3.0, 10.0, 20.0],
            }
            .sorted(),
        )
        .unwrap()
        .condensed(3, Ties::default())
        .unwrap()
    }

    impl PointTree {
        fn sorted(mut self) -> Self {
            let mut edges: Vec<_> = self.distances.iter().copied().zip(self.ends).collect();
            edges.sort_by(|a, b| a.0.total_cmp(&b.0));
            (self.distances, self.ends) = edges.into_iter().unzip();
            self
        }
    }

    fn labels(selection: Selection) -> Vec<i32> {
        groups().select(selection).unwrap().labels
    }

    fn by_group([first, second, third, last]: [i32; 4]) -> Vec<i32> {
        [[first; 4], [second; 4], [third; 4]].concat().into_iter().chain([last]).collect()
    }

    #[test]
    fn the_excess_of_mass_prefers_the_clusters_with_more_stability() {
        // Stability of 0..8: 8 (1/3 - 1/10) = 1.87; of its two parts: 2 * 4 (1 - 1/3) = 5.33.
        let chosen = groups().select(Selection::default()).unwrap();
        assert_eq!(chosen.labels, by_group([1, 2, 0, -1]));
        assert_eq!(chosen.probabilities[..8], [1.0; 8]);
        assert_eq!(chosen.probabilities[8..], [1.0, 1.0, 1.0, 0.5, 0.0]);
        assert_eq!(chosen.clusters.len(), 3);
    }

    #[test]
    fn leaves_are_never_divided() {
        let selection = Selection { method: Method::Leaf, ..Selection::default() };
        assert_eq!(labels(selection), by_group([1, 2, 0, -1]));
    }

    #[test]
    fn epsilon_keeps_clusters_together_that_divide_below_it() {
        for method in [Method::ExcessOfMass, Method::Leaf] {
            let selection = Selection { method, epsilon: 5.0, ..Selection::default() };
            assert_eq!(labels(selection), by_group([0, 0, 1, -1]), "{method:?}");
            let selection = Selection { epsilon: 50.0, allow_single_cluster: true, ..selection };
            assert_eq!(labels(selection), [0; 13], "{method:?}");
        }
    }

    #[test]
    fn the_cluster_of_all_points_must_be_allowed_and_keeps_the_points_that_leave_last() {
        let tree = PointTree {
            len: 5,
            ends: vec![[0, 1], [1, 2], [2, 3], [3, 4]],
            distances: vec![1.0, 1.0, 1.0, 3.0],
        };
        let condensed = Hierarchy::new(tree).unwrap().condensed(3, Ties::default()).unwrap();
        let mut selection = Selection::default();
        assert_eq!(condensed.select(selection).unwrap().labels, [-1; 5]);
        selection.allow_single_cluster = true;
        let chosen = condensed.select(selection).unwrap();
        assert_eq!(chosen.labels, [0, 0, 0, 0, -1]);
        assert_eq!(chosen.probabilities, [1.0, 1.0, 1.0, 1.0, 0.0]);
        selection.epsilon = 3.0;
        let chosen = condensed.select(selection).unwrap();
        assert_eq!(chosen.labels, [0; 5]);
        assert_eq!(chosen.probabilities, [1.0, 1.0, 1.0, 1.0, 1.0 / 3.0]);
    }

    #[test]
    fn no_larger_cluster_than_allowed_is_chosen_by_the_excess_of_mass() {
        let selection = Selection {
            allow_single_cluster: true,
            max_cluster_size: Some(3),
            ..Selection::default()
        };
        assert_eq!(labels(selection), [-1; 13]);
        let selection = Selection { max_cluster_size: Some(4), ..selection };
        assert_eq!(labels(selection), by_group([1, 2, 0, -1]));
    }

    #[test]
    fn no_cluster_that_begins_above_the_largest_distance_is_chosen_by_the_excess_of_mass() {
        // The two groups that begin at 3 are better than their union, which begins at 10. The third
        // group begins at 10, too. The last point leaves at 20.
        let with = |most| Selection { max_distance: Some(most), ..Selection::default() };
        assert_eq!(labels(with(10.0)), by_group([1, 2, 0, -1]));
        assert_eq!(labels(with(9.0)), by_group([0, 1, -1, -1]));
        assert_eq!(labels(with(2.0)), [-1; 13]);
        let leaves = Selection { method: Method::Leaf, ..with(2.0) };
        assert_eq!(labels(leaves), by_group([1, 2, 0, -1]));
        // Of all points.
        let tree = PointTree {
            len: 5,
            ends: vec![[0, 1], [1, 2], [2, 3], [3, 4]],
            distances: vec![1.0, 1.0, 1.0, 3.0],
        };
        let condensed = Hierarchy::new(tree).unwrap().condensed(3, Ties::default()).unwrap();
        for (most, label) in [(3.0, 0), (2.9, -1)] {
            let selection = Selection { allow_single_cluster: true, ..with(most) };
            assert_eq!(condensed.select(selection).unwrap().labels[0], label);
        }
    }

    #[test]
    fn options_without_a_meaning_are_refused() {
        let error = |selection| groups().select(selection).unwrap_err();
        for epsilon in [-1.0, f64::NAN] {
            let selection = Selection { epsilon, ..Selection::default() };
            assert!(matches!(error(selection), ClusterError::Epsilon(_)));
        }
        for most in [1.0, f64::NAN] {
            let selection =
                Selection { epsilon: 2.0, max_distance: Some(most), ..Selection::default() };
            assert!(matches!(error(selection), ClusterError::MaxDistance { .. }));
        }
        let selection = Selection { max_cluster_size: Some(0), ..Selection::default() };
        assert_eq!(error(selection), ClusterError::MaxClusterSize(0));
    }

    #[test]
    fn no_point_has_no_label_and_one_point_is_noise() {
        for (points, expected) in [(0, vec![]), (1, vec![-1])] {
            let tree = PointTree { len: points, ..PointTree::default() };
            let condensed = Hierarchy::new(tree).unwrap().condensed(2, Ties::default()).unwrap();
            assert_eq!(condensed.select(Selection::default()).unwrap().labels, expected);
            assert_eq!(condensed.outlier_scores().unwrap().len(), expected.len());
        }
    }
}
