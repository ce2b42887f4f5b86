//! The hierarchy from its merges, which something else has found, such as a device.
//!
//! The representative of a merged cluster is that of the larger part, or the lower one of the two
//! parts' representatives. So the merges alone determine every link, and no path is followed.

use std::mem;

use crate::{OutOfMemory, Vertex, memory, prefetch};

use super::nodes::{Node, Nodes};
use super::{MergeTree, NotAForest};

/// How many merges before its use the representative of a cluster is prefetched.
const PREFETCH_DISTANCE: usize = 32;
/// The same for the nodes of representatives.
const PREFETCH_NODES_DISTANCE: usize = 16;

impl MergeTree {
    /// Builds the hierarchy of a forest from the clusters that its edges merge, in order. Merge `i`
    /// is caused by edge `i`. The order of its two clusters does not matter; they are numbered as
    /// in [`Merge`](super::Merge). The result is that of [`in_order`](Self::in_order) for the
    /// edges. Takes O(n) time, and 4 bytes per merge beside the result.
    ///
    /// ```
    /// use kostra_core::tree::{MergeTree, NotAForest};
    ///
    /// let tree = MergeTree::of_merges(4, [[2, 3], [0, 1], [4, 5]].into_iter())?;
    /// assert_eq!(tree.clusters(2)?, [0, 0, 1, 1]);
    /// assert_eq!(
    ///     MergeTree::of_merges(3, [[0, 1], [0, 2]].into_iter()).err(),
    ///     Some(NotAForest::Merge { merge: 1 })
    /// );
    /// # Ok::<(), NotAForest>(())
    /// ```
    ///
    /// # Errors
    /// When a merge joins clusters that do not both exist, or the system does not grant the memory.
    pub fn of_merges(
        vertices: u32,
        merges: impl ExactSizeIterator<Item = [u32; 2]> + Clone,
    ) -> Result<Self, NotAForest> {
        let mut clusters = Clusters::new(vertices, merges.len())?;
        let mut children = memory::with_capacity(merges.len())?;
        let mut ahead = merges.clone().skip(PREFETCH_DISTANCE);
        let mut nodes_ahead = merges.clone().skip(PREFETCH_NODES_DISTANCE);
        for (merge, pair) in (0..).zip(merges) {
            ahead.next().into_iter().flatten().for_each(|cluster| clusters.prefetch(cluster));
            let near = nodes_ahead.next().into_iter().flatten();
            near.for_each(|cluster| clusters.prefetch_node(cluster));
            children.push(clusters.join(pair, merge).ok_or(NotAForest::Merge { merge })?);
        }
        let edges = memory::collected(0..children.len() as u32)?;
        Ok(Self::joined(clusters.nodes, edges, children))
    }
}

/// The clusters that exist.
struct Clusters {
    nodes: Nodes,
    /// The representative of the cluster that each merge has made, or `MERGED`.
    made: Vec<Vertex>,
}

impl Clusters {
    /// In place of the representative of a cluster that is part of another one. No vertex has this
    /// number.
    const MERGED: Vertex = Vertex::MAX;

    fn new(vertices: u32, merges: usize) -> Result<Self, OutOfMemory> {
        Ok(Self { nodes: Nodes::new(vertices)?, made: memory::with_capacity(merges)? })
    }

    /// The merge that has made a cluster, unless the cluster is a vertex.
    #[inline(always)]
    fn merge_of(&self, cluster: u32) -> Option<usize> {
        (cluster as usize).checked_sub(self.nodes.len())
    }

    #[inline(always)]
    fn prefetch(&self, cluster: u32) {
        match self.merge_of(cluster) {
            Some(merge) => prefetch(&self.made, merge),
            None => self.nodes.prefetch(cluster),
        }
    }

    /// Prefetches the node of the representative, if the cluster exists already.
    #[inline(always)]
    fn prefetch_node(&self, cluster: u32) {
        let merge = self.merge_of(cluster);
        if let Some(&vertex) = merge.and_then(|merge| self.made.get(merge)) {
            self.nodes.prefetch(vertex);
        }
    }

    /// Joins two clusters. Returns the representative that stops to be one, or `None` if the
    /// clusters are the same or one of them does not exist.
    #[inline(always)]
    fn join(&mut self, [a, b]: [u32; 2], merge: u32) -> Option<Vertex> {
        let (a, b) = (self.take(a)?, self.take(b)?);
        if a.0 == b.0 {
            return None;
        }
        let (child, parent) = self.nodes.join_roots(a, b, merge);
        self.made.push(parent);
        Some(child)
    }

    /// The representative of a cluster that becomes part of another one, and its node.
    #[inline(always)]
    fn take(&mut self, cluster: u32) -> Option<(Vertex, Node)> {
        let Some(merge) = self.merge_of(cluster) else { return self.nodes.single(cluster) };
        let vertex = mem::replace(self.made.get_mut(merge)?, Self::MERGED);
        (vertex != Self::MERGED).then(|| (vertex, self.nodes.get(vertex)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    /// A tree of a shape, or with `kind` from 4 a forest, with its edges in random order.
    fn ends(kind: u64, n: u32) -> Vec<[Vertex; 2]> {
        let random = Stream::new(kind);
        let below = |v: u32, bound: u32| random.below(v.into(), bound.into()) as u32;
        let mut ends: Vec<_> = (1..n)
            .map(|v| match kind % 4 {
                0 => [v - 1, v],
                1 => [v, 0],
                2 => [below(v, v), v],
                _ => [v / 2, v],
            })
            .collect();
        ends.sort_by_cached_key(|pair| random.split(1).at(pair[0].max(pair[1]).into()));
        if kind >= 4 {
            ends.retain(|&[u, v]| (u + v) % 5 > 0);
        }
        ends
    }

    fn clusters(tree: &MergeTree) -> Vec<[u32; 2]> {
        tree.merges().unwrap().map(|merge| merge.clusters.map(|cluster| cluster as u32)).collect()
    }

    #[test]
    fn the_links_are_those_of_the_edges() {
        for kind in 0..8 {
            for n in [0, 1, 2, 3, 63, if cfg!(miri) { 80 } else { 2000 }] {
                let expected = MergeTree::in_order(n, &ends(kind, n)).unwrap();
                let merges = clusters(&expected);
                let found = MergeTree::of_merges(n, merges.iter().copied()).unwrap();
                assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{kind}, {n}");
                let reversed = merges.iter().map(|&[a, b]| [b, a]);
                let found = MergeTree::of_merges(n, reversed).unwrap();
                assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{kind}, {n}");
            }
        }
    }

    #[test]
    fn a_cluster_that_does_not_exist_is_named_by_its_merge() {
        for (n, merges, merge) in [
            (0, vec![[0, 0]], 0),
            (1, vec![[0, 0]], 0),
            (1, vec![[0, 1]], 0),
            (3, vec![[0, 1], [1, 2]], 1),
            (3, vec![[0, 1], [0, 2]], 1),
            (3, vec![[0, 1], [2, 4]], 1),
            (3, vec![[0, 1], [3, 3]], 1),
            (4, vec![[0, 1], [2, 4], [3, 4]], 2),
            (4, vec![[0, 1], [2, u32::MAX]], 1),
            (2, vec![[0, 1], [2, 3]], 1),
        ] {
            let found = MergeTree::of_merges(n, merges.iter().copied()).err();
            assert_eq!(found, Some(NotAForest::Merge { merge }), "{merges:?}");
        }
    }
}
