//! The state of each vertex: its parent and its link, or the size of its cluster.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::{OutOfMemory, Vertex, memory, prefetch};

/// The link of a vertex without a parent.
pub(super) const NEVER: u32 = u32::MAX;

/// One node for each vertex, in 8 bytes, so that a step upwards reads one line of the cache.
///
/// A vertex without a parent is its own parent. While edges join clusters, its node contains the
/// size of its cluster in place of the link.
///
/// Memory order: relaxed. A node is one value, and a thread that reads an old node finds an
/// ancestor, only a lower one. So threads may search while one thread joins.
#[derive(Debug)]
pub(super) struct Nodes(Vec<AtomicU64>);

/// The parent of a vertex, and its link or the size of its cluster.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) parent: Vertex,
    pub(super) link: u32,
}

impl Nodes {
    /// Each vertex is a cluster.
    pub(super) fn new(vertices: u32) -> Result<Self, OutOfMemory> {
        let single = |parent| AtomicU64::new(Node { parent, link: 1 }.packed());
        Ok(Self(memory::collected((0..vertices).map(single))?))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    #[inline(always)]
    pub(super) fn get(&self, vertex: Vertex) -> Node {
        let packed = self.0[vertex as usize].load(Relaxed);
        Node { parent: packed as u32, link: (packed >> 32) as u32 }
    }

    #[inline(always)]
    fn set(&self, vertex: Vertex, node: Node) {
        self.0[vertex as usize].store(node.packed(), Relaxed);
    }

    #[inline(always)]
    pub(super) fn prefetch(&self, vertex: Vertex) {
        prefetch(&self.0, vertex as usize);
    }

    /// Prefetches the first steps from the ends of later edges to their roots.
    #[inline(always)]
    pub(super) fn prefetch_paths(&self, ends: &[[Vertex; 2]], edge: usize) {
        /// How many edges before its use the parent of an end is prefetched.
        const DISTANCE: usize = 16;
        for &end in ends.get(edge + 2 * DISTANCE).into_iter().flatten() {
            self.prefetch(end);
        }
        for &end in ends.get(edge + DISTANCE).into_iter().flatten() {
            if let Some(node) = self.0.get(end as usize) {
                self.prefetch(node.load(Relaxed) as u32);
            }
        }
    }

    /// The representative of the vertex's cluster, and its node. While another thread joins
    /// clusters, the result may be out of date: then it is below the representative.
    #[inline(always)]
    pub(super) fn root(&self, mut vertex: Vertex) -> (Vertex, Node) {
        loop {
            let node = self.get(vertex);
            if node.parent == vertex {
                return (vertex, node);
            }
            vertex = node.parent;
        }
    }

    /// Joins the clusters that contain two vertices. Returns the representative that stops being
    /// one, or `None` if the clusters are the same. Only one thread at a time may join.
    #[inline(always)]
    pub(super) fn join(&self, u: Vertex, v: Vertex, link: u32) -> Option<Vertex> {
        let ((a, of_a), (b, of_b)) = (self.root(u), self.root(v));
        if a == b {
            return None;
        }
        // With equal sizes, either vertex can be the parent. The lower one is.
        let (child, parent) = if (of_a.link, b) < (of_b.link, a) { (a, b) } else { (b, a) };
        self.set(parent, Node { parent, link: of_a.link + of_b.link });
        self.set(child, Node { parent, link });
        Some(child)
    }

    /// Replaces the sizes of clusters, after the last join.
    pub(super) fn forget_sizes(&mut self) {
        for (vertex, node) in (0..).zip(&mut self.0) {
            let packed = node.get_mut();
            if *packed as u32 == vertex {
                *packed = Node { parent: vertex, link: NEVER }.packed();
            }
        }
    }
}

impl Node {
    #[inline(always)]
    fn packed(self) -> u64 {
        u64::from(self.link) << 32 | u64::from(self.parent)
    }
}

impl Clone for Nodes {
    fn clone(&self) -> Self {
        Self(self.0.iter().map(|node| AtomicU64::new(node.load(Relaxed))).collect())
    }
}
