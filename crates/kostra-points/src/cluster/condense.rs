//! Condensing a hierarchy.
//!
//! The merges are undone from the last to the first. The hierarchy links the representative of the
//! smaller cluster below the other one, and undoing a merge removes this link. So the state of a
//! cluster is stored at its representative, and no other tree is built. A cluster of fewer than
//! `min_cluster_size` points is left alone: its points learn from their representative when they
//! left which cluster.
//!
//! A row may count as several points, its copies. They are one part above the core distance of the
//! row, and apart below. So a row that is a large part ends at its core distance.

use std::ops::Range;

use kostra_core::{OutOfMemory, Vertex, memory, prefetch};

use super::ClusterError;
use super::condensed_tree::{Cluster, CondensedTree};
use super::hierarchy::Hierarchy;
use super::numbering::{self, Split};

/// What happens to merges at equal distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// They are undone together, so a cluster may divide into more than two. The clusters at a
    /// distance are then the connected components at this distance, and do not depend on the order
    /// of the points.
    ///
    /// Source: as for [`CondensedTree`], algorithm 1.
    #[default]
    Together,
    /// They are undone one by one, in the reverse order of the tree, and clusters are numbered as
    /// scikit-learn numbers them. The clusters depend on the order of the points. Merges at an
    /// infinite distance are undone together.
    OneByOne,
}

/// Rows that count as several points each.
#[derive(Clone, Copy, Debug)]
pub struct Copies<'a> {
    /// How many points each row counts as.
    pub weights: &'a [u32],
    /// The core distance of each row, at which its copies meet. Only read for rows of weight 2 and
    /// more.
    pub cores: &'a [f64],
}

impl Copies<'_> {
    /// # Errors
    /// When there is not one weight and one core distance per row, a weight is 0, or the sum of the
    /// weights is too large.
    pub(super) fn check(self, points: u32) -> Result<(), ClusterError> {
        crate::check_weights(self.weights, points as usize)?;
        match [self.weights.len(), self.cores.len()].iter().all(|&len| len == points as usize) {
            true => Ok(()),
            false => Err(ClusterError::Cores { points, cores: self.cores.len() }),
        }
    }
}

/// How many merges before its use a node is prefetched.
const PREFETCH_DISTANCE: usize = 24;
/// The same for the parents, which lead to nodes.
const PREFETCH_PARENTS_DISTANCE: usize = 48;

/// The state of the cluster that a point represents.
#[derive(Clone, Copy)]
enum Node {
    /// A part of the hierarchy with at least `min_cluster_size` points.
    Kept(Kept),
    /// One of the parts into which the part of this representative divides now.
    Part { of: Vertex },
    /// The points have left the cluster, at this merge.
    Left { cluster: u32, merge: u32 },
    /// The copies of this row have left the cluster last, at their core distance.
    Alone { cluster: u32 },
}

#[derive(Clone, Copy)]
struct Kept {
    cluster: u32,
    /// Where the path from point 0 in the spanning tree enters this part.
    entry: Vertex,
    /// The number of merges above.
    depth: u32,
}

/// A part of at least `min_cluster_size` points. Parts in their order are numbered one by one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct LargePart {
    order: u32,
    representative: Vertex,
    entry: Vertex,
}

/// A hierarchy whose merges are undone.
struct Undo<'a> {
    hierarchy: &'a Hierarchy,
    min_cluster_size: u32,
    ties: Ties,
    copies: Option<Copies<'a>>,
    /// The number of points that each representative represents.
    sizes: Vec<u32>,
    nodes: Vec<Node>,
    clusters: Vec<Cluster>,
    splits: Vec<Split>,
    /// The parts that the present merges leave: the representative of what divides, and of a part.
    parts: Vec<(Vertex, Vertex)>,
    large: Vec<LargePart>,
    components: Components,
}

/// The component of each point, and the lowest point of each component. Empty until needed.
#[derive(Default)]
struct Components {
    labels: Vec<u32>,
    lowest: Vec<Vertex>,
}

/// Condenses a hierarchy. Takes O(n log n) time if many distances are equal, else O(n), and
/// O(log n) more for each point at which a part is entered if ties are undone one by one.
pub(super) fn condense(
    hierarchy: &Hierarchy,
    min_cluster_size: u32,
    ties: Ties,
    copies: Option<Copies<'_>>,
) -> Result<CondensedTree, OutOfMemory> {
    let mut undo = Undo::new(hierarchy, copies)?;
    (undo.min_cluster_size, undo.ties) = (min_cluster_size, ties);
    let distances = &hierarchy.edges.distances;
    let mut end = distances.len();
    while let Some(last) = end.checked_sub(1) {
        let distance = distances[last];
        let start = match ties {
            Ties::OneByOne if distance < f64::INFINITY => last,
            _ => last - distances[..last].iter().rev().take_while(|&&d| d == distance).count(),
        };
        undo.divide(start..end)?;
        end = start;
    }
    let mut homes = memory::with_capacity(undo.nodes.len())?;
    let mut departures = memory::with_capacity(undo.nodes.len())?;
    for (row, node) in undo.nodes.into_iter().enumerate() {
        let (cluster, departure) = match node {
            Node::Left { cluster, merge } => (cluster, distances[merge as usize]),
            Node::Alone { cluster } => {
                (cluster, copies.map_or(f64::INFINITY, |copies| copies.cores[row]))
            }
            // A single point has no merges.
            Node::Kept(kept) => (kept.cluster, f64::INFINITY),
            Node::Part { .. } => unreachable!("every part is kept or has left"),
        };
        homes.push(cluster);
        departures.push(departure);
    }
    let weights = copies.map_or(Ok(Vec::new()), |copies| memory::copied(copies.weights))?;
    let clusters = undo.clusters;
    let tree = CondensedTree { clusters, homes, departures, weights, is_ambiguous: false };
    match ties {
        Ties::Together => tree.numbered_by(&Vertex::cmp),
        Ties::OneByOne => numbering::by_levels(tree, undo.splits),
    }
}

impl<'a> Undo<'a> {
    fn new(hierarchy: &'a Hierarchy, copies: Option<Copies<'a>>) -> Result<Self, OutOfMemory> {
        let n = hierarchy.points();
        let mut sizes = match copies {
            Some(copies) => memory::copied(copies.weights)?,
            None => memory::filled(n as usize, 1_u32)?,
        };
        let total = sizes.iter().sum();
        let merges = hierarchy.edges.ends.len();
        for merge in 0..merges {
            let (child, parent) = hierarchy.merges.link(merge);
            sizes[parent as usize] += sizes[child as usize];
        }
        // Every point but the last representative is overwritten when its link is removed.
        let root = Node::Kept(Kept { cluster: 0, entry: 0, depth: 0 });
        let mut undo = Self {
            hierarchy,
            min_cluster_size: 0,
            ties: Ties::Together,
            copies,
            sizes,
            nodes: memory::filled(n as usize, root)?,
            clusters: memory::collected((0..n.min(1)).map(|_| Cluster::root(total)))?,
            splits: Vec::new(),
            parts: Vec::new(),
            large: Vec::new(),
            components: Components::default(),
        };
        if n == 1 && total > 1 {
            undo.end_alone(0, 0);
        }
        Ok(undo)
    }

    /// The core distance of the only row of a part; none if it has several rows, or one point.
    fn core_alone(&self, part: Vertex) -> Option<f64> {
        let copies = self.copies?;
        let weight = copies.weights[part as usize];
        (weight > 1 && weight == self.sizes[part as usize]).then(|| copies.cores[part as usize])
    }

    /// Ends a cluster whose last part is one row, at the core distance of the row.
    fn end_alone(&mut self, cluster: u32, row: Vertex) {
        let Some(core) = self.core_alone(row) else { return };
        let of = &mut self.clusters[cluster as usize];
        of.death = core;
        of.lose(core, self.sizes[row as usize]);
        self.nodes[row as usize] = Node::Alone { cluster };
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

    /// Undoes merges at one distance.
    fn divide(&mut self, merges: Range<usize>) -> Result<(), OutOfMemory> {
        self.parts.clear();
        for merge in merges.clone().rev() {
            self.prefetch(merge);
            let (child, parent) = self.hierarchy.merges.link(merge);
            let of = match self.nodes[parent as usize] {
                Node::Kept(_) => parent,
                Node::Part { of } => of,
                left @ Node::Left { .. } => {
                    self.nodes[child as usize] = left;
                    continue;
                }
                Node::Alone { .. } => unreachable!("a row has no merges below"),
            };
            self.sizes[parent as usize] -= self.sizes[child as usize];
            self.nodes[child as usize] = Node::Part { of };
            memory::push(&mut self.parts, (of, child))?;
        }
        self.parts.sort_unstable();
        let parts = std::mem::take(&mut self.parts);
        for parts in parts.chunk_by(|a, b| a.0 == b.0) {
            self.replace(parts, merges.clone())?;
        }
        self.parts = parts;
        Ok(())
    }

    /// Replaces what divides by its parts: `parts`, and the part of its own representative.
    fn replace(
        &mut self,
        parts: &[(Vertex, Vertex)],
        merges: Range<usize>,
    ) -> Result<(), OutOfMemory> {
        let Some(&(whole, _)) = parts.first() else { return Ok(()) };
        let Node::Kept(kept) = self.nodes[whole as usize] else { return Ok(()) };
        let distance = self.hierarchy.edges.distances[merges.start];
        let left = Node::Left { cluster: kept.cluster, merge: merges.start as u32 };
        self.large.clear();
        let (mut all, mut leaving) = (0, 0);
        for part in parts.iter().map(|part| part.1).chain([whole]) {
            let size = self.sizes[part as usize];
            all += size;
            let is_apart = self.core_alone(part).is_some_and(|core| core >= distance);
            if size < self.min_cluster_size || is_apart {
                leaving += size;
                self.nodes[part as usize] = left;
            } else {
                let part = LargePart { order: 0, representative: part, entry: 0 };
                memory::push(&mut self.large, part)?;
            }
        }
        let cluster = &mut self.clusters[kept.cluster as usize];
        cluster.death = distance;
        cluster.lose(distance, if self.large.len() == 1 { leaving } else { all });
        if self.ties == Ties::OneByOne {
            self.order_parts(kept, merges)?;
        }
        let depth = kept.depth + 1;
        if let [LargePart { representative, entry, .. }] = self.large[..] {
            self.nodes[representative as usize] = Node::Kept(Kept { entry, depth, ..kept });
            self.end_alone(kept.cluster, representative);
            return Ok(());
        }
        let first = self.clusters.len() as u32;
        let large = std::mem::take(&mut self.large);
        for (cluster, &LargePart { representative, entry, .. }) in (first..).zip(&large) {
            let size = self.sizes[representative as usize];
            memory::push(&mut self.clusters, Cluster::new(kept.cluster, size, distance))?;
            self.nodes[representative as usize] = Node::Kept(Kept { cluster, entry, depth });
            self.end_alone(cluster, representative);
        }
        self.large = large;
        let children = first..self.clusters.len() as u32;
        if self.ties == Ties::OneByOne && !children.is_empty() {
            memory::push(&mut self.splits, Split { cluster: kept.cluster, depth, children })?;
        }
        Ok(())
    }

    /// Orders the large parts from left to right. Of the two parts of a merge, the one with the
    /// entry is the left one; components are in the order of their lowest points.
    fn order_parts(&mut self, kept: Kept, merges: Range<usize>) -> Result<(), OutOfMemory> {
        let (hierarchy, merge) = (self.hierarchy, merges.start);
        if hierarchy.edges.distances[merge] == f64::INFINITY {
            let components = &mut self.components;
            if components.labels.is_empty() {
                components.labels = hierarchy.merges.clusters(merge)?;
                for (point, &label) in (0..).zip(&components.labels) {
                    if label as usize == components.lowest.len() {
                        memory::push(&mut components.lowest, point)?;
                    }
                }
            }
            for part in &mut self.large {
                part.order = components.labels[part.representative as usize];
                part.entry = components.lowest[part.order as usize];
            }
        } else if !self.large.is_empty() {
            let inside = hierarchy.merges.representative(kept.entry, merge);
            for part in &mut self.large {
                part.order = u32::from(part.representative != inside);
                let [u, v] = hierarchy.edges.ends[merge];
                part.entry = match part.order {
                    0 => kept.entry,
                    _ if hierarchy.merges.representative(u, merge) == part.representative => u,
                    _ => v,
                };
            }
        }
        self.large.sort_unstable();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::random::RandomStream;

    use crate::PointTree;

    use super::*;

    /// A tree whose distances repeat, as a forest of random pairs.
    fn random_hierarchy(seed: u64, n: u32) -> Hierarchy {
        let random = RandomStream::new(seed);
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
                let condensed =
                    random_hierarchy(seed, n).condensed(min_cluster_size, Ties::default()).unwrap();
                let mut members = vec![0; condensed.clusters.len()];
                condensed.homes.iter().for_each(|&home| members[home as usize] += 1);
                for (number, cluster) in condensed.clusters.iter().enumerate() {
                    let children = cluster.children.clone();
                    let below: u32 = children
                        .map(|child| {
                            let child_cluster = &condensed.clusters[child as usize];
                            assert_eq!(child_cluster.parent, Some(number as u32));
                            assert!(child as usize > number);
                            assert_eq!(child_cluster.birth, cluster.death);
                            assert!(child_cluster.size >= min_cluster_size);
                            child_cluster.size
                        })
                        .sum();
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
            let condensed = hierarchy.condensed(4, Ties::default()).unwrap();
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
        let condensed = hierarchy.condensed(3, Ties::default()).unwrap();
        let [root, large, small] = [0, 1, 2].map(|cluster| condensed.clusters[cluster].clone());
        assert_eq!((root.size, root.death, root.children), (7, 8.0, 1..3));
        assert_eq!((small.size, small.birth, small.death), (3, 8.0, 1.0));
        assert_eq!((large.size, large.birth, large.death), (4, 8.0, 2.0));
        assert_eq!(small.stability, 3.0 * (1.0 - 0.125));
        assert_eq!(large.stability, (0.25 - 0.125) + 3.0 * (0.5 - 0.125));
        assert_eq!(condensed.homes, [2, 2, 2, 1, 1, 1, 1]);
        assert_eq!(condensed.departures, [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 4.0]);
    }
}
