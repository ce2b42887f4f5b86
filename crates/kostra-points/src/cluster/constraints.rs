//! Clusters that satisfy constraints.
//!
//! * **Idea**: of all selections from the condensed tree, the one that satisfies the most
//!   constraints, and of several the one with the most excess of mass.
//! * **Why exact**: a constraint is satisfied or not by one cluster at most, the one that contains
//!   both points. So the number of satisfied constraints is a sum over the chosen clusters, up to a
//!   constant. The choice from the leaves to the root maximizes sums, also of pairs in
//!   lexicographic order.
//! * **Source**: Campello, Moulavi, Zimek and Sander, "A framework for semi-supervised and
//!   unsupervised optimal extraction of clusters from hierarchies", 2013. Stability decides ties, as
//!   in their paper of 2015.
//! * **Time** O(n + c h) for c constraints and a tree of h levels.

use kostra_core::memory;

use super::ClusterError;
use super::condensed_tree::CondensedTree;
use super::select::{Clustering, Method, Selection};

/// What is known about pairs of points.
#[derive(Clone, Copy, Debug, Default)]
pub struct Constraints<'a> {
    /// Pairs that belong to one cluster.
    pub must_link: &'a [[u32; 2]],
    /// Pairs that are in no cluster together. A point that is noise is in no cluster.
    pub cannot_link: &'a [[u32; 2]],
}

impl CondensedTree {
    /// Chooses the clusters that satisfy the most constraints, and of several choices the one with
    /// the largest total stability. A constraint is satisfied if the labels of its points satisfy
    /// it. As for [`Method::ExcessOfMass`], one cluster is chosen on each path from a cluster
    /// without children to the cluster of all points, unless the selection allows none of them.
    ///
    /// # Errors
    /// As [`select`](Self::select), and when the selection has another method or an epsilon, a
    /// constraint has a point that does not exist or the same point twice, or two constraints
    /// contradict each other.
    pub fn select_constrained(
        &self,
        selection: Selection,
        constraints: Constraints<'_>,
    ) -> Result<Clustering, ClusterError> {
        if selection.method != Method::ExcessOfMass || selection.epsilon > 0.0 {
            return Err(ClusterError::ConstrainedSelection);
        }
        let preferences = self.preferences(constraints)?;
        self.select_preferring(selection, &preferences)
    }

    /// For each cluster, the number of must-links less that of cannot-links inside of it.
    fn preferences(&self, constraints: Constraints<'_>) -> Result<Vec<i64>, ClusterError> {
        constraints.check(self.points())?;
        let mut inside: Vec<i64> = memory::filled(self.clusters.len(), 0)?;
        let mut of_root = 0;
        let links = [(constraints.must_link, 1), (constraints.cannot_link, -1)];
        for (pairs, value) in links {
            for &[a, b] in pairs {
                let [a, b] = [a, b].map(|point| point as usize);
                inside[self.common(self.homes[a], self.homes[b])] += value;
                // In the cluster of all points, only the points that leave last are not noise.
                let last = self.departures[a].max(self.departures[b]);
                if last < f64::INFINITY && last <= self.clusters[0].death {
                    of_root += value;
                }
            }
        }
        for number in (1..self.clusters.len()).rev() {
            if let Some(parent) = self.clusters[number].parent {
                inside[parent as usize] += inside[number];
            }
        }
        if let Some(root) = inside.first_mut() {
            *root = of_root;
        }
        Ok(inside)
    }

    /// The smallest cluster that contains two clusters.
    fn common(&self, mut a: u32, mut b: u32) -> usize {
        // A parent has a lower number.
        while a != b {
            let lower = if a > b { &mut a } else { &mut b };
            *lower = self.clusters[*lower as usize].parent.unwrap_or_default();
        }
        a as usize
    }
}

impl Constraints<'_> {
    fn check(self, points: u32) -> Result<(), ClusterError> {
        let Self { must_link, cannot_link } = self;
        for &[a, b] in must_link.iter().chain(cannot_link) {
            let point = a.max(b);
            if point >= points {
                return Err(ClusterError::Point { point, points });
            }
            if a == b {
                return Err(ClusterError::ConstraintOfOne { point });
            }
        }
        let mut known = memory::with_capacity(must_link.len() + cannot_link.len())?;
        for (pairs, is_must) in [(must_link, true), (cannot_link, false)] {
            known.extend(pairs.iter().map(|&[a, b]| (a.min(b), a.max(b), is_must)));
        }
        known.sort_unstable();
        let is_contradiction = |pair: &&[(u32, u32, bool)]| {
            (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1) && pair[0].2 != pair[1].2
        };
        match known.windows(2).find(is_contradiction) {
            Some(pair) => Err(ClusterError::Contradiction { low: pair[0].0, high: pair[0].1 }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::random::RandomStream;

    use crate::PointTree;
    use crate::cluster::{Hierarchy, Ties};

    use super::*;

    fn tree(seed: u64) -> CondensedTree {
        let random = RandomStream::new(seed);
        let edge = |v: u32| {
            let distance = 1 + random.below(v.into(), 30);
            (distance, random.split(1).below(v.into(), v.into()) as u32, v)
        };
        let mut edges: Vec<_> = (1..40).map(edge).collect();
        edges.sort_unstable();
        let tree = PointTree {
            len: 40,
            ends: edges.iter().map(|&(_, u, v)| [u, v]).collect(),
            distances: edges.iter().map(|&(distance, ..)| distance as f64).collect(),
        };
        Hierarchy::new(tree).unwrap().condensed(2 + seed as u32 % 3, Ties::Together).unwrap()
    }

    /// All selections of one cluster on each path below and from a cluster.
    fn selections(tree: &CondensedTree, cluster: u32) -> Vec<Vec<u32>> {
        let children = tree.clusters[cluster as usize].children.clone();
        let mut below = vec![Vec::new()];
        for child in children.clone() {
            let of_child = selections(tree, child);
            let with = |before: &Vec<u32>| {
                let before = before.clone();
                of_child.iter().map(move |of_child| [&*before, of_child].concat())
            };
            below = below.iter().flat_map(with).collect();
        }
        if children.is_empty() {
            below.clear();
        }
        below.push(vec![cluster]);
        below
    }

    fn satisfied(labels: &[i32], constraints: Constraints<'_>) -> usize {
        let together = |&&[a, b]: &&[u32; 2]| {
            labels[a as usize] >= 0 && labels[a as usize] == labels[b as usize]
        };
        constraints.must_link.iter().filter(together).count()
            + constraints.cannot_link.iter().filter(|pair| !together(pair)).count()
    }

    #[test]
    fn no_selection_satisfies_more_constraints_or_as_many_with_more_stability() {
        let mut changed = 0;
        for seed in 0..60 {
            let tree = tree(seed);
            let random = RandomStream::new(seed).split(9);
            let pairs: Vec<[u32; 2]> = (0..2 + seed % 9)
                .map(|i| [random.below(2 * i, 20) as u32, 20 + random.below(2 * i + 1, 20) as u32])
                .collect();
            let (must_link, rest) = pairs.split_at(pairs.len() / 2);
            let cannot_link: Vec<_> =
                rest.iter().copied().filter(|pair| !must_link.contains(pair)).collect();
            let constraints = Constraints { must_link, cannot_link: &cannot_link };
            for allow_single_cluster in [false, true] {
                let selection = Selection { allow_single_cluster, ..Selection::default() };
                let found = tree.select_constrained(selection, constraints).unwrap();
                let value = |chosen: &[u32]| {
                    let mut is_chosen = vec![false; tree.clusters.len()];
                    chosen.iter().for_each(|&cluster| is_chosen[cluster as usize] = true);
                    let labels = tree.clustering(&is_chosen, 0.0).unwrap().labels;
                    let stability = |&cluster: &u32| tree.clusters[cluster as usize].stability;
                    let total: f64 = chosen.iter().map(stability).sum();
                    (satisfied(&labels, constraints), total)
                };
                let all = selections(&tree, 0).into_iter();
                let allowed = all.filter(|chosen| allow_single_cluster || chosen != &[0]);
                let values: Vec<_> = allowed.map(|chosen| value(&chosen)).collect();
                let best = values.iter().copied().reduce(|a, b| if b > a { b } else { a });
                let (most, total) = best.unwrap_or_default();
                let (count, stability) = value(&found.clusters);
                assert_eq!(count, most, "{seed}");
                assert!((stability - total).abs() <= 1e-12 * total, "{seed} {stability} {total}");
                changed += usize::from(found != tree.select(selection).unwrap());
            }
        }
        assert!(changed > 30, "{changed}");
    }

    #[test]
    fn without_constraints_the_clusters_are_those_of_the_excess_of_mass() {
        for seed in 0..20 {
            let (tree, selection) = (tree(seed), Selection::default());
            let found = tree.select_constrained(selection, Constraints::default());
            assert_eq!(found.unwrap(), tree.select(selection).unwrap());
        }
    }

    #[test]
    fn constraints_without_a_meaning_are_refused() {
        let tree = tree(1);
        let error = |selection, must_link: &[[u32; 2]], cannot_link: &[[u32; 2]]| {
            let constraints = Constraints { must_link, cannot_link };
            tree.select_constrained(selection, constraints).unwrap_err().to_string()
        };
        let plain = Selection::default();
        assert!(error(plain, &[[0, 40]], &[]).contains("there is no point 40"));
        assert!(error(plain, &[], &[[3, 3]]).contains("point 3 and itself"));
        assert!(error(plain, &[[2, 1], [0, 1]], &[[1, 2]]).contains("points 1 and 2"));
        let leaf = Selection { method: Method::Leaf, ..plain };
        assert!(error(leaf, &[], &[]).contains("excess of mass"));
        assert!(error(Selection { epsilon: 1.0, ..plain }, &[], &[]).contains("excess of mass"));
    }
}
