//! The order in which the edges of a forest merge its vertices into clusters.
//!
//! Kruskal's algorithm on the edges of the forest, with union by size and without path compression,
//! leaves a tree of links. Its depth is at most log2(n), and every link is later than the links
//! below it. So the tree of links is the hierarchy: the path between two vertices in this tree
//! contains a latest link, and the edge of that link is the last edge, in order, on their path in
//! the forest. The tree is also called the Kruskal reconstruction tree.

use crate::{EdgeId, Edges, Forest, Key, OutOfMemory, Vertex, memory};

use super::NotAForest;

mod helpers;
mod nodes;

pub use helpers::Helpers;
use nodes::{NEVER, Nodes};

/// The hierarchy of clusters that a spanning forest describes. If the weights are distances, this
/// is single-linkage clustering.
///
/// Takes 16 bytes per vertex. Building it takes O(n + k log n) time for k edges.
///
/// ```
/// use kostra_core::tree::{Bottleneck, MergeTree};
/// use kostra_core::{EdgeList, Forest, Order};
///
/// let graph = EdgeList::new(4, vec![0, 1, 2], vec![1, 2, 3], vec![5, 9, 7])?;
/// let edges = graph.edges(Order::Minimum);
/// let tree = MergeTree::new(edges, &Forest::new(edges, vec![0, 1, 2]))?;
/// assert_eq!(tree.edges(), [0, 2, 1]);
/// assert_eq!(tree.bottleneck(0, 3), Bottleneck::Edge(1));
/// assert_eq!(tree.clusters(2)?, [0, 0, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct MergeTree {
    /// The vertex to which each vertex is linked, and the position in `edges` of the edge that
    /// linked it.
    nodes: Nodes,
    /// The edges in order.
    edges: Vec<EdgeId>,
    /// The vertex that each edge linked.
    children: Vec<Vertex>,
}

/// The connection of two vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bottleneck {
    /// The two vertices are the same.
    Same,
    /// The last edge, in order, on the path between the vertices in the forest. Every path between
    /// them in the graph contains this edge or a later one.
    Edge(EdgeId),
    /// The vertices are in different components.
    Apart,
}

/// The merge of two clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merge {
    /// The edge that joins the clusters.
    pub edge: EdgeId,
    /// The numbers of the clusters, the lower one first. Vertex `v` is cluster `v`, and merge `i`
    /// creates cluster `n + i`.
    pub clusters: [u64; 2],
    /// The number of vertices of the new cluster.
    pub size: u32,
}

impl MergeTree {
    /// Builds the hierarchy of a forest of `edges`, in the order of `edges`.
    ///
    /// # Errors
    /// When the system does not grant the memory.
    pub fn new<K: Key>(edges: Edges<'_, K>, forest: &Forest) -> Result<Self, OutOfMemory> {
        let mut ranks = memory::collected(forest.ids().iter().map(|&id| edges.rank(id)))?;
        ranks.sort_unstable();
        let nodes = Nodes::new(edges.vertices())?;
        let mut children = memory::with_capacity(ranks.len())?;
        let ids = memory::collected(ranks.into_iter().map(K::rank_id))?;
        for (link, &id) in (0..).zip(&ids) {
            let (u, v) = edges.ends(id);
            // A forest has no cycle.
            children.extend(nodes.join(u, v, link));
        }
        Ok(Self::joined(nodes, ids, children))
    }

    /// Builds the hierarchy of the edges of a forest that are already in order. Edge `i` is
    /// `ends[i]`, and its number is `i`.
    ///
    /// ```
    /// use kostra_core::tree::{MergeTree, NotAForest};
    ///
    /// let tree = MergeTree::in_order(4, &[[2, 3], [0, 1], [1, 2]])?;
    /// assert_eq!(tree.clusters(2)?, [0, 0, 1, 1]);
    /// assert_eq!(
    ///     MergeTree::in_order(2, &[[0, 1], [1, 0]]).err(),
    ///     Some(NotAForest::Cycle { edge: 1 })
    /// );
    /// # Ok::<(), NotAForest>(())
    /// ```
    ///
    /// # Errors
    /// When an end is not below `vertices`, the edges contain a cycle, or the system does not grant
    /// the memory.
    pub fn in_order(vertices: u32, ends: &[[Vertex; 2]]) -> Result<Self, NotAForest> {
        Self::checked(vertices, ends, |nodes, ends| {
            let mut children = memory::with_capacity(ends.len())?;
            for (link, &[u, v]) in (0..).zip(ends) {
                nodes.prefetch_paths(ends, link as usize);
                let Some(child) = nodes.join(u, v, link) else { break };
                children.push(child);
            }
            Ok(children)
        })
    }

    /// [`in_order`](Self::in_order) with the help of other threads. The result is the same.
    ///
    /// # Errors
    /// As [`in_order`](Self::in_order).
    pub fn in_order_with(
        vertices: u32,
        ends: &[[Vertex; 2]],
        helpers: &impl Helpers,
    ) -> Result<Self, NotAForest> {
        if helpers.threads() < 2 {
            return Self::in_order(vertices, ends);
        }
        Self::checked(vertices, ends, |nodes, ends| helpers::join_all(nodes, ends, helpers))
    }

    /// Builds the hierarchy from what `join` returns: the vertex that each edge links, up to the
    /// first edge that closes a cycle.
    fn checked(
        vertices: u32,
        ends: &[[Vertex; 2]],
        join: impl FnOnce(&Nodes, &[[Vertex; 2]]) -> Result<Vec<Vertex>, OutOfMemory>,
    ) -> Result<Self, NotAForest> {
        // A forest has fewer edges than vertices. So positions fit into 32 bits.
        let possible = &ends[..ends.len().min((vertices as usize).max(1))];
        let outside = (0..).zip(possible).find_map(|(edge, pair)| {
            let vertex = *pair.iter().find(|&&end| end >= vertices)?;
            Some(NotAForest::OutOfRange { edge, vertex, vertices })
        });
        let valid = match outside {
            Some(NotAForest::OutOfRange { edge, .. }) => &possible[..edge as usize],
            _ => possible,
        };
        let nodes = Nodes::new(vertices)?;
        let children = join(&nodes, valid)?;
        if children.len() < valid.len() {
            return Err(NotAForest::Cycle { edge: children.len() as u32 });
        }
        outside.map_or(Ok(()), Err)?;
        let edges = memory::collected(0..children.len() as u32)?;
        Ok(Self::joined(nodes, edges, children))
    }

    fn joined(mut nodes: Nodes, edges: Vec<EdgeId>, children: Vec<Vertex>) -> Self {
        nodes.forget_sizes();
        Self { nodes, edges, children }
    }

    /// The ancestor of a vertex after the first `merges` merges that has no later ancestor. It
    /// represents the vertex's cluster at this time. Takes O(log n) time.
    ///
    /// # Panics
    /// When the vertex is out of range.
    #[inline]
    pub fn representative(&self, mut vertex: Vertex, merges: usize) -> Vertex {
        // `NEVER` is not below `merges`, because a forest has fewer edges.
        let merges = merges.min(self.edges.len()) as u32;
        loop {
            let node = self.nodes.get(vertex);
            if node.link >= merges {
                return vertex;
            }
            vertex = node.parent;
        }
    }

    /// The two representatives of merge `i`: first the one that stops being a representative, then
    /// the one that represents the merged cluster. The first one's cluster is not the larger one.
    ///
    /// # Panics
    /// When there is no merge `i`.
    #[inline]
    pub fn link(&self, i: usize) -> (Vertex, Vertex) {
        let child = self.children[i];
        (child, self.nodes.get(child).parent)
    }

    /// Prefetches the data that [`link`](Self::link) reads for this child.
    #[inline]
    pub fn prefetch(&self, child: Vertex) {
        self.nodes.prefetch(child);
    }

    /// The vertex that each merge linked: the first part of [`link`](Self::link).
    pub fn children(&self) -> &[Vertex] {
        &self.children
    }

    /// The edges of the forest in order. Edge `i` of this list causes merge `i`.
    pub fn edges(&self) -> &[EdgeId] {
        &self.edges
    }

    /// Finds the bottleneck between two vertices in O(log n) time.
    ///
    /// # Panics
    /// When a vertex is out of range.
    pub fn bottleneck(&self, s: Vertex, t: Vertex) -> Bottleneck {
        let (mut a, mut b) = (s, t);
        let mut latest = None;
        while a != b {
            let (of_a, of_b) = (self.nodes.get(a), self.nodes.get(b));
            let link = of_a.link.min(of_b.link);
            if link == NEVER {
                return Bottleneck::Apart;
            }
            // Links become later on the way up. So the vertex with the earlier link is below the
            // vertex where the two paths meet.
            if link == of_a.link {
                a = of_a.parent;
            } else {
                b = of_b.parent;
            }
            latest = Some(link);
        }
        latest.map_or(Bottleneck::Same, |link| Bottleneck::Edge(self.edges[link as usize]))
    }

    /// Returns all merges in order. The iterator holds 12 bytes per vertex.
    ///
    /// # Errors
    /// When the system does not grant the memory.
    pub fn merges(&self) -> Result<impl ExactSizeIterator<Item = Merge> + '_, OutOfMemory> {
        let n = self.nodes.len();
        let mut clusters = memory::collected((0..n).map(|vertex| vertex as u64))?;
        let mut sizes = memory::filled(n, 1_u32)?;
        Ok(self.children.iter().enumerate().map(move |(merge, &child)| {
            let (child, parent) = (child as usize, self.nodes.get(child).parent as usize);
            let (low, high) =
                (clusters[child].min(clusters[parent]), clusters[child].max(clusters[parent]));
            clusters[parent] = (n + merge) as u64;
            sizes[parent] += sizes[child];
            Merge { edge: self.edges[merge], clusters: [low, high], size: sizes[parent] }
        }))
    }

    /// Returns the cluster of each vertex after the first `merges` merges. Clusters are numbered
    /// from 0 in the order of their lowest vertices. Takes O(n log n) time.
    ///
    /// # Errors
    /// When the system does not grant the memory: 8 bytes per vertex.
    pub fn clusters(&self, merges: usize) -> Result<Vec<u32>, OutOfMemory> {
        const NONE: u32 = u32::MAX;
        let mut numbers = memory::filled(self.nodes.len(), NONE)?;
        let mut clusters = memory::with_capacity(self.nodes.len())?;
        let mut next = 0;
        for vertex in 0..self.nodes.len() as Vertex {
            let number = &mut numbers[self.representative(vertex, merges) as usize];
            if *number == NONE {
                *number = next;
                next += 1;
            }
            clusters.push(*number);
        }
        Ok(clusters)
    }
}

#[cfg(test)]
mod tests;
