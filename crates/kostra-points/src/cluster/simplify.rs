//! Removing clusters that do not persist.
//!
//! * **Idea**: a cluster persists from the density at which it begins to the highest density
//!   inside. Divisions are reconsidered from the densest to the sparsest. If at least two parts
//!   persist long enough, the others are removed: their points leave at the division. If not, there
//!   is no division, and the part with the highest density goes on as the cluster that was divided.
//! * **Source**: `cluster_selection_persistence` of the package hdbscan 0.8.44, generalized to
//!   divisions into several parts.
//! * **Time** O(n log n) for n points.

use kostra_core::memory;

use super::ClusterError;
use super::condensed_tree::{Cluster, CondensedTree, density};
use crate::canonical::larger;

/// What becomes of a cluster.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    /// It remains.
    Remains,
    /// It goes on as its parent.
    IsParent,
    /// Its points leave its parent where it begins.
    Leaves,
}

/// The clusters that remain, by the clusters that there were.
struct Simplified {
    clusters: Vec<Cluster>,
    /// The remaining cluster that contains each cluster.
    owners: Vec<u32>,
    /// The distance at which all points of a removed cluster leave.
    departures: Vec<Option<f64>>,
}

impl CondensedTree {
    /// The tree without clusters that persist over less than `persistence`: a difference of
    /// densities, which are 1 / distance. Zero removes no cluster.
    ///
    /// # Errors
    /// When `persistence` is negative or NaN, or the system does not grant the memory.
    pub fn simplified(&self, persistence: f64) -> Result<Self, ClusterError> {
        if persistence.is_nan() || persistence < 0.0 {
            return Err(ClusterError::Persistence(persistence));
        }
        let Simplified { mut clusters, owners, departures } = self.remaining(persistence)?;
        let homes = memory::collected(self.homes.iter().map(|&home| owners[home as usize]))?;
        let points = self.homes.iter().zip(&self.departures);
        let departures =
            memory::collected(points.map(|(&home, &at)| departures[home as usize].unwrap_or(at)))?;
        // The points that leave each cluster, and its children, the farthest first.
        let mut losses = memory::with_capacity(homes.len() + clusters.len())?;
        let rows = homes.iter().zip(&departures).zip(self.weights());
        losses.extend(rows.map(|((&home, &at), weight)| (home, at, weight)));
        losses.extend(
            clusters.iter().filter_map(|child| Some((child.parent?, child.birth, child.size))),
        );
        losses.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        clusters.iter_mut().for_each(|cluster| cluster.stability = 0.0);
        for together in losses.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (cluster, distance, _) = together[0];
            let points = together.iter().map(|loss| loss.2).sum();
            let cluster = &mut clusters[cluster as usize];
            cluster.lose(distance, points);
            // A single point leaves at no distance.
            cluster.death = if distance < f64::INFINITY { distance } else { cluster.death };
        }
        let weights = memory::copied(&self.weights)?;
        Ok(Self { clusters, homes, departures, weights, is_ambiguous: self.is_ambiguous })
    }

    fn remaining(&self, persistence: f64) -> Result<Simplified, ClusterError> {
        let fates = self.fates(persistence)?;
        let mut remaining = Simplified {
            clusters: memory::with_capacity(self.clusters.len())?,
            owners: memory::with_capacity(self.clusters.len())?,
            departures: memory::with_capacity(self.clusters.len())?,
        };
        for (cluster, fate) in self.clusters.iter().zip(fates) {
            let above = cluster.parent.map(|parent| {
                let parent = parent as usize;
                (remaining.owners[parent], remaining.departures[parent])
            });
            let (owner, departure) = match (above, fate) {
                (Some((owner, departure)), Fate::IsParent) => (owner, departure),
                (Some((owner, departure)), Fate::Leaves) => {
                    (owner, departure.or(Some(cluster.birth)))
                }
                (_, _) => {
                    let number = remaining.clusters.len() as u32;
                    let parent = above.map(|above| above.0);
                    if let Some(parent) = parent {
                        let children = &mut remaining.clusters[parent as usize].children;
                        let is_first = children.start == children.end;
                        *children = (if is_first { number } else { children.start })..number + 1;
                    }
                    remaining.clusters.push(Cluster { parent, children: 0..0, ..cluster.clone() });
                    (number, None)
                }
            };
            remaining.owners.push(owner);
            remaining.departures.push(departure);
        }
        Ok(remaining)
    }

    fn fates(&self, persistence: f64) -> Result<Vec<Fate>, ClusterError> {
        let clusters = &self.clusters;
        let mut densest = memory::collected(clusters.iter().map(|of| density(of.death)))?;
        let mut is_divided = memory::filled(clusters.len(), false)?;
        let mut fates = memory::filled(clusters.len(), Fate::Remains)?;
        // The number of a child is above that of its parent.
        for (number, cluster) in clusters.iter().enumerate().rev() {
            let children = cluster.children.start as usize..cluster.children.end as usize;
            let end = density(cluster.death);
            let persists = |child: &usize| densest[*child] - end >= persistence;
            let first_densest = |best: usize, child: usize| {
                if densest[child] > densest[best] { child } else { best }
            };
            let Some(best) = children.clone().reduce(first_densest) else { continue };
            let persisting = children.clone().filter(persists).count();
            // A part that is divided persists, so there is at most one if the others do not.
            is_divided[number] = persisting > 1 || is_divided[best];
            for child in children {
                fates[child] = match persisting {
                    2.. if persists(&child) => Fate::Remains,
                    ..2 if child == best || !is_divided[best] => Fate::IsParent,
                    _ => Fate::Leaves,
                };
            }
            densest[number] = larger(densest[best], densest[number]);
        }
        Ok(fates)
    }
}

#[cfg(test)]
mod tests {
    use crate::PointTree;
    use crate::cluster::predict::tests::cases;
    use crate::cluster::{Hierarchy, Ties};

    use super::*;

    /// Three parts of three points each, with distances 1, 2 and 4 inside. The first two meet at
    /// distance 8, and the third one at distance 16.
    fn parts() -> CondensedTree {
        let tree = PointTree {
            len: 9,
            ends: vec![[0, 1], [1, 2], [3, 4], [4, 5], [6, 7], [7, 8], [2, 3], [5, 6]],
            distances: vec![1.0, 1.0, 2.0, 2.0, 4.0, 4.0, 8.0, 16.0],
        };
        Hierarchy::new(tree).unwrap().condensed(3, Ties::Together).unwrap()
    }

    #[test]
    fn no_persistence_changes_nothing() {
        for case in cases() {
            let (tree, _) = case.clusters();
            assert_eq!(tree.simplified(0.0).unwrap(), *tree);
        }
        let single = Hierarchy::new(PointTree { len: 1, ..PointTree::default() }).unwrap();
        let single = single.condensed(2, Ties::Together).unwrap();
        assert_eq!(single.simplified(1.0).unwrap(), single);
    }

    #[test]
    fn a_division_with_one_part_that_persists_is_none() {
        // The first two parts persist over 1 - 1/8 and 1/2 - 1/8, the third over 1/4 - 1/16.
        let sizes = |persistence: f64| -> Vec<u32> {
            let tree = parts().simplified(persistence).unwrap();
            tree.clusters().iter().map(|cluster| cluster.size).collect()
        };
        assert_eq!(sizes(0.18), [9, 6, 3, 3, 3]);
        // The third part leaves at distance 16, and the others divide the cluster of all points.
        let tree = parts().simplified(0.3).unwrap();
        assert_eq!(sizes(0.3), [9, 3, 3]);
        assert_eq!(tree.homes(), [1, 1, 1, 2, 2, 2, 0, 0, 0]);
        assert_eq!(tree.departures(), [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 16.0, 16.0, 16.0]);
        let root = &tree.clusters()[0];
        assert_eq!((root.death, root.children.clone()), (8.0, 1..3));
        assert_eq!(root.stability, 3.0 / 16.0 + 6.0 / 8.0);
        // Both first parts are one cluster, which then is the only one that persists.
        let tree = parts().simplified(0.5).unwrap();
        assert_eq!(tree.clusters().len(), 1);
        assert_eq!(tree.departures(), parts().departures());
        assert_eq!(tree.clusters()[0].death, 1.0);
    }

    #[test]
    fn persistent_parts_of_a_division_into_several_remain() {
        let tree = PointTree {
            len: 6,
            ends: vec![[0, 1], [2, 3], [4, 5], [1, 2], [3, 4]],
            distances: vec![1.0, 1.0, 4.0, 8.0, 8.0],
        };
        let tree = Hierarchy::new(tree).unwrap().condensed(2, Ties::Together).unwrap();
        assert_eq!(tree.clusters().len(), 4);
        let tree = tree.simplified(0.5).unwrap();
        assert_eq!(tree.clusters().len(), 3);
        assert_eq!(tree.departures(), [1.0, 1.0, 1.0, 1.0, 8.0, 8.0]);
        assert!(tree.simplified(-1.0).is_err() && tree.simplified(f64::NAN).is_err());
    }
}
