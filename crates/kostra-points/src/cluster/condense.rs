//! Condensing a hierarchy.
//!
//! The merges are undone from the last to the first. The hierarchy links the representative of the
//! smaller cluster below the other one, and undoing a merge removes this link. So the state of a
//! cluster is stored at its representative, and no other tree is built. A cluster of fewer than
//! `min_cluster_size` points is left alone: its points learn from their representative when they
//! left which cluster.

use kostra_core::{OutOfMemory, Vertex, memory, prefetch};

use super::condensed_tree::{Cluster, CondensedTree};
use super::hierarchy::Hierarchy;
use super::numbering::{Split, number};

/// How many merges before its use a node is prefetched.
const PREFETCH_DISTANCE: usize = 24;
/// The same for the parents, which lead to nodes.
const PREFETCH_PARENTS_DISTANCE: usize = 48;

/// The state of the cluster that a point represents.
#[derive(Clone, Copy)]
enum Node {
    /// A part of the hierarchy with at least `min_cluster_size` points.
    Kept(Kept),
    /// The points have left the cluster, at this merge.
    Left { cluster: u32, merge: u32 },
}

#[derive(Clone, Copy)]
struct Kept {
    cluster: u32,
    /// Where the path from point 0 in the spanning tree enters this part.
    entry: Vertex,
    /// The number of merges above, which decides the numbers of clusters.
    depth: u32,
}

/// A hierarchy whose merges are undone.
struct Undo<'a> {
    hierarchy: &'a Hierarchy,
    min_cluster_size: u32,
    /// The number of points that each representative represents.
    sizes: Vec<u32>,
    nodes: Vec<Node>,
    clusters: Vec<Cluster>,
    splits: Vec<Split>,
}

/// Condenses a hierarchy. Takes O(n) time, and O(log n) more for each point at which a part is
/// entered.
pub(super) fn condense(
    hierarchy: &Hierarchy,
    min_cluster_size: u32,
) -> Result<CondensedTree, OutOfMemory> {
    let mut undo = Undo::new(hierarchy, min_cluster_size)?;
    let merges = hierarchy.merges();
    for merge in (0..hierarchy.edges.ends.len()).rev() {
        undo.prefetch(merge);
        let (child, parent) = merges.link(merge);
        match undo.nodes[parent as usize] {
            Node::Kept(kept) => undo.divide(merge, kept)?,
            left @ Node::Left { .. } => undo.nodes[child as usize] = left,
        }
    }
    let (clusters, numbers) = number(undo.clusters, undo.splits)?;
    let distances = &hierarchy.edges.distances;
    let mut homes = memory::with_capacity(undo.nodes.len())?;
    let mut departures = memory::with_capacity(undo.nodes.len())?;
    for node in undo.nodes {
        let (cluster, departure) = match node {
            Node::Left { cluster, merge } => (cluster, distances[merge as usize]),
            // A single point has no merges.
            Node::Kept(kept) => (kept.cluster, f64::INFINITY),
        };
        homes.push(numbers[cluster as usize]);
        departures.push(departure);
    }
    Ok(CondensedTree { clusters, homes, departures })
}

impl<'a> Undo<'a> {
    fn new(hierarchy: &'a Hierarchy, min_cluster_size: u32) -> Result<Self, OutOfMemory> {
        let n = hierarchy.points();
        let mut sizes = memory::filled(n as usize, 1_u32)?;
        let merges = hierarchy.edges.ends.len();
        for merge in 0..merges {
            let (child, parent) = hierarchy.merges.link(merge);
            sizes[parent as usize] += sizes[child as usize];
        }
        // Every point but the last representative is overwritten when its link is removed.
        let root = Node::Kept(Kept { cluster: 0, entry: 0, depth: 0 });
        let nodes = memory::filled(n as usize, root)?;
        let clusters = memory::collected((0..n.min(1)).map(|_| Cluster::root(n)))?;
        Ok(Self { hierarchy, min_cluster_size, sizes, nodes, clusters, splits: Vec::new() })
    }

    fn prefetch(&self, merge: usize) {
        let (merges, children) = (self.hierarchy.merges(), self.hierarchy.merges.children());
        if let Some(ahead) = merge.checked_sub(PREFETCH_PARENTS_DISTANCE) {
            merges.prefetch(children[ahead]);
        }
        if let Some(ahead) = merge.checked_sub(PREFETCH_DISTANCE) {
            let (child, parent) = merges.link(ahead);
            for point in [child, parent] {
                prefetch(&self.nodes, point as usize);
                prefetch(&self.sizes, point as usize);
            }
        }
    }

    /// Undoes a merge of a part with at least `min_cluster_size` points.
    fn divide(&mut self, merge: usize, kept: Kept) -> Result<(), OutOfMemory> {
        let (child, parent) = self.hierarchy.merges.link(merge);
        let size = self.sizes[child as usize];
        self.sizes[parent as usize] -= size;
        let rest = self.sizes[parent as usize];
        let distance = self.hierarchy.edges.distances[merge];
        self.clusters[kept.cluster as usize].death = distance;
        // `size` is at most `rest`, because the smaller cluster was linked below the other one.
        let is_end = rest < self.min_cluster_size || size >= self.min_cluster_size;
        let leaving = if is_end { size + rest } else { size };
        self.clusters[kept.cluster as usize].lose(distance, leaving);
        let left = Node::Left { cluster: kept.cluster, merge: merge as u32 };
        if rest < self.min_cluster_size {
            self.nodes[child as usize] = left;
            self.nodes[parent as usize] = left;
            return Ok(());
        }
        let inside = self.hierarchy.merges.representative(kept.entry, merge) == child;
        let entry = if inside { self.end_of(merge, parent) } else { kept.entry };
        let depth = kept.depth + 1;
        if size < self.min_cluster_size {
            self.nodes[child as usize] = left;
            self.nodes[parent as usize] = Node::Kept(Kept { entry, depth, ..kept });
            return Ok(());
        }
        let new = self.clusters.len() as u32;
        for size in [size, rest] {
            memory::push(&mut self.clusters, Cluster::new(kept.cluster, size, distance))?;
        }
        let child_entry = if inside { kept.entry } else { self.end_of(merge, child) };
        self.nodes[child as usize] = Node::Kept(Kept { cluster: new, entry: child_entry, depth });
        self.nodes[parent as usize] = Node::Kept(Kept { cluster: new + 1, entry, depth });
        // The part with the entry is the left one.
        let children = if inside { [new, new + 1] } else { [new + 1, new] };
        memory::push(&mut self.splits, Split { cluster: kept.cluster, depth, children })
    }

    /// The end of a merge's edge in the cluster of `representative`.
    fn end_of(&self, merge: usize, representative: Vertex) -> Vertex {
        let [u, v] = self.hierarchy.edges.ends[merge];
        if self.hierarchy.merges.representative(u, merge) == representative { u } else { v }
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::random::Stream;

    use crate::PointTree;

    use super::*;

    /// A tree whose distances repeat, as a forest of random pairs.
    fn random_hierarchy(seed: u64, n: u32) -> Hierarchy {
        let random = Stream::new(seed);
        let mut edges: Vec<(u64, u32, u32)> = (1..n)
            .map(|v| {
                (random.at(v.into()) % 40, random.split(1).below(v.into(), v.into()) as u32, v)
            })
            .collect();
        edges.sort_unstable();
        Hierarchy::new(PointTree {
            len: n,
            ends: edges.iter().map(|&(_, u, v)| [u, v]).collect(),
            distances: edges.iter().map(|&(distance, ..)| distance as f64).collect(),
        })
        .unwrap()
    }

    #[test]
    fn every_point_leaves_one_cluster_and_sizes_add_up() {
        for (seed, n) in [(1, 1), (2, 2), (3, 50), (4, 300), (5, 300)] {
            for min_cluster_size in [2, 3, 10, 400] {
                let condensed = random_hierarchy(seed, n).condensed(min_cluster_size).unwrap();
                let mut members = vec![0; condensed.clusters.len()];
                condensed.homes.iter().for_each(|&home| members[home as usize] += 1);
                for (number, cluster) in condensed.clusters.iter().enumerate() {
                    let below = cluster.children.map_or(0, |children| {
                        children
                            .iter()
                            .map(|&child| {
                                let child_cluster = &condensed.clusters[child as usize];
                                assert_eq!(child_cluster.parent, Some(number as u32));
                                assert!(child as usize > number);
                                assert_eq!(child_cluster.birth, cluster.death);
                                assert!(child_cluster.size >= min_cluster_size);
                                child_cluster.size
                            })
                            .sum()
                    });
                    assert_eq!(members[number] + below, cluster.size);
                    assert!(cluster.death <= cluster.birth && cluster.stability >= 0.0);
                }
                for (&home, &departure) in condensed.homes.iter().zip(&condensed.departures) {
                    let cluster = &condensed.clusters[home as usize];
                    assert!(cluster.death <= departure && departure <= cluster.birth);
                }
            }
        }
    }

    #[test]
    fn clusters_agree_with_cuts() {
        for seed in 0..20 {
            let hierarchy = random_hierarchy(seed, 120);
            let condensed = hierarchy.condensed(4).unwrap();
            for distance in 0..40 {
                let distance = f64::from(distance);
                let cut = hierarchy.cut(distance).unwrap();
                for point in 0..120_usize {
                    let size = cut.iter().filter(|&&other| other == cut[point]).count();
                    let is_kept = condensed.departures[point] < distance;
                    // A point that has not left yet is in a cluster of sufficient size.
                    assert!(!is_kept || size >= 4, "point {point} at {distance}");
                }
            }
        }
    }

    #[test]
    fn a_hand_checked_tree_is_condensed_as_expected() {
        // Three points at distance 1, three at distance 2, and one that joins the second three at
        // distance 4; the two groups meet at distance 8.
        let hierarchy = Hierarchy::new(PointTree {
            len: 7,
            ends: vec![[0, 1], [1, 2], [3, 4], [4, 5], [5, 6], [2, 3]],
            distances: vec![1.0, 1.0, 2.0, 2.0, 4.0, 8.0],
        })
        .unwrap();
        let condensed = hierarchy.condensed(3).unwrap();
        let [root, left, right] = [0, 1, 2].map(|cluster| condensed.clusters[cluster].clone());
        assert_eq!((root.size, root.death, root.children), (7, 8.0, Some([1, 2])));
        assert_eq!((left.size, left.birth, left.death), (3, 8.0, 1.0));
        assert_eq!((right.size, right.birth, right.death), (4, 8.0, 2.0));
        assert_eq!(left.stability, 3.0 * (1.0 - 0.125));
        assert_eq!(right.stability, (0.25 - 0.125) + 3.0 * (0.5 - 0.125));
        assert_eq!(condensed.homes, [1, 1, 1, 2, 2, 2, 2]);
        assert_eq!(condensed.departures, [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 4.0]);
    }
}
