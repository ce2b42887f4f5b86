//! The order in which the edges of a forest merge its vertices into clusters.
//!
//! Kruskal's algorithm on the edges of the forest, with union by size and without path compression,
//! leaves a tree of links. Its depth is at most log2(n), and every link is later than the links
//! below it. So the tree of links is the hierarchy: the path between two vertices in this tree
//! contains a latest link, and the edge of that link is the last edge, in order, on their path in
//! the forest. The tree is also called the Kruskal reconstruction tree.

use crate::{EdgeId, Edges, Forest, Key, OutOfMemory, Vertex, Weight, memory, prefetch};

use super::NotAForest;

/// The link of a vertex without a parent.
const NEVER: u32 = u32::MAX;
/// How many edges before its use the parent of an end is prefetched.
const PREFETCH_DISTANCE: usize = 16;

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
    /// The vertex to which each vertex is linked.
    parents: Vec<Vertex>,
    /// The position in `edges` of the edge that linked each vertex.
    links: Vec<u32>,
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
    pub fn new<W: Weight>(edges: Edges<'_, W>, forest: &Forest) -> Result<Self, OutOfMemory> {
        let mut ranks = memory::collected(forest.ids().iter().map(|&id| edges.rank(id)))?;
        ranks.sort_unstable();
        let mut builder = Builder::new(edges.vertices(), ranks.len())?;
        for rank in ranks {
            let edge = W::Key::rank_id(rank);
            let (u, v) = edges.ends(edge);
            builder.join(edge, u, v);
        }
        Ok(builder.tree)
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
        // A forest has fewer edges than vertices. So positions fit into 32 bits.
        let possible = &ends[..ends.len().min(vertices as usize)];
        let mut builder = Builder::new(vertices, possible.len())?;
        for (edge, &[u, v]) in (0..).zip(possible) {
            builder.prefetch(possible, edge as usize);
            if let Some(&vertex) = [u, v].iter().find(|&&end| end >= vertices) {
                return Err(NotAForest::OutOfRange { edge, vertex, vertices });
            }
            if !builder.join(edge, u, v) {
                return Err(NotAForest::Cycle { edge });
            }
        }
        if let Some(&[vertex, _]) = ends.first().filter(|_| vertices == 0) {
            return Err(NotAForest::OutOfRange { edge: 0, vertex, vertices });
        }
        Ok(builder.tree)
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
        while self.links[vertex as usize] < merges {
            vertex = self.parents[vertex as usize];
        }
        vertex
    }

    /// For merge `i`, the representative that stops to be one, and the one that represents the
    /// merged cluster. The first one's cluster is not the larger one.
    ///
    /// # Panics
    /// When there is no merge `i`.
    #[inline]
    pub fn link(&self, i: usize) -> (Vertex, Vertex) {
        let child = self.children[i];
        (child, self.parents[child as usize])
    }

    /// Prefetches the data that [`link`](Self::link) reads for this child.
    #[inline]
    pub fn prefetch(&self, child: Vertex) {
        prefetch(&self.parents, child as usize);
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
            let (link_a, link_b) = (self.links[a as usize], self.links[b as usize]);
            let link = link_a.min(link_b);
            if link == NEVER {
                return Bottleneck::Apart;
            }
            // Links become later on the way up. So the vertex with the earlier link is below the
            // vertex where the two paths meet.
            if link == link_a {
                a = self.parents[a as usize];
            } else {
                b = self.parents[b as usize];
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
        let n = self.parents.len();
        let mut clusters = memory::collected((0..n).map(|vertex| vertex as u64))?;
        let mut sizes = memory::filled(n, 1_u32)?;
        Ok(self.children.iter().enumerate().map(move |(merge, &child)| {
            let (child, parent) = (child as usize, self.parents[child as usize] as usize);
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
        let mut numbers = memory::filled(self.parents.len(), NONE)?;
        let mut clusters = memory::with_capacity(self.parents.len())?;
        let mut next = 0;
        for vertex in 0..self.parents.len() as Vertex {
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

/// A hierarchy in construction, with the sizes of the clusters.
struct Builder {
    tree: MergeTree,
    sizes: Vec<u32>,
}

impl Builder {
    fn new(vertices: u32, merges: usize) -> Result<Self, OutOfMemory> {
        let n = vertices as usize;
        let tree = MergeTree {
            parents: memory::collected(0..vertices)?,
            links: memory::filled(n, NEVER)?,
            edges: memory::with_capacity(merges)?,
            children: memory::with_capacity(merges)?,
        };
        Ok(Self { tree, sizes: memory::filled(n, 1)? })
    }

    /// Prefetches the first two steps to the roots of the ends of later edges.
    #[inline]
    fn prefetch(&self, ends: &[[Vertex; 2]], edge: usize) {
        let parents = &self.tree.parents;
        for &end in ends.get(edge + 2 * PREFETCH_DISTANCE).into_iter().flatten() {
            prefetch(parents, end as usize);
        }
        for &end in ends.get(edge + PREFETCH_DISTANCE).into_iter().flatten() {
            if let Some(&parent) = parents.get(end as usize) {
                prefetch(parents, parent as usize);
                prefetch(&self.sizes, parent as usize);
            }
        }
    }

    fn root(&self, mut vertex: Vertex) -> Vertex {
        // The parent of a root is the root.
        loop {
            let parent = self.tree.parents[vertex as usize];
            if parent == vertex {
                return vertex;
            }
            vertex = parent;
        }
    }

    /// Joins the clusters of the ends of the next edge. Returns false if they are the same cluster.
    fn join(&mut self, edge: EdgeId, u: Vertex, v: Vertex) -> bool {
        let (a, b) = (self.root(u), self.root(v));
        if a == b {
            return false;
        }
        let Self { tree, sizes } = self;
        // With equal sizes, either vertex can be the parent. The lower one is.
        let (child, parent) =
            if (sizes[a as usize], b) < (sizes[b as usize], a) { (a, b) } else { (b, a) };
        sizes[parent as usize] += sizes[child as usize];
        tree.parents[child as usize] = parent;
        tree.links[child as usize] = tree.edges.len() as u32;
        tree.edges.push(edge);
        tree.children.push(child);
        true
    }
}

#[cfg(test)]
mod tests;
