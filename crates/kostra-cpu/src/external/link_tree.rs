//! The forest as a tree of logarithmic height that knows the heaviest edge of every path.
//!
//! Kruskal's algorithm links the root of one component to the root of another. The tree keeps these
//! links, without path compression, and the key of the edge that made each link. Keys do not
//! descend on the way to a root, because links are made in ascending order. So two vertices are
//! joined by edges up to a key if and only if climbing the links up to this key leads from both to
//! one vertex. Linking by rank bounds the height by log2 n.

use kostra_core::{Key, OutOfMemory, Vertex, memory, prefetch};

/// A vertex of the tree.
#[derive(Clone, Copy, Debug)]
struct Node<K> {
    /// The key of the link to the parent; the highest for a root.
    key: K,
    /// The parent, or the vertex itself for a root.
    parent: Vertex,
    /// An ancestor, by which Kruskal's algorithm finds roots faster.
    jump: Vertex,
}

#[derive(Debug)]
pub(super) struct LinkTree<K> {
    nodes: Vec<Node<K>>,
    ranks: Vec<u8>,
    links: usize,
}

impl<K: Key> LinkTree<K> {
    pub(super) fn new() -> Self {
        Self { nodes: Vec::new(), ranks: Vec::new(), links: 0 }
    }

    /// Removes all links, and lets the tree have `vertices` vertices.
    pub(super) fn reset(&mut self, vertices: u32) -> Result<(), OutOfMemory> {
        let count = vertices as usize;
        self.nodes.clear();
        self.ranks.clear();
        memory::reserve_exact(&mut self.nodes, count)?;
        memory::reserve_exact(&mut self.ranks, count)?;
        let root = |vertex| Node { key: K::MAX, parent: vertex, jump: vertex };
        self.nodes.extend((0..vertices).map(root));
        self.ranks.resize(count, 0);
        self.links = 0;
        Ok(())
    }

    /// Whether no further link is possible.
    pub(super) fn is_complete(&self) -> bool {
        self.links + 1 >= self.nodes.len()
    }

    /// Links the components of two vertices by an edge that is not lighter than the edges before;
    /// whether they were different.
    #[inline]
    pub(super) fn link(&mut self, u: Vertex, v: Vertex, key: K) -> bool {
        let (a, b) = (self.root(u), self.root(v));
        if a == b {
            return false;
        }
        let (rank_a, rank_b) = (self.ranks[a as usize], self.ranks[b as usize]);
        let (child, parent) = if rank_a < rank_b { (a, b) } else { (b, a) };
        self.ranks[parent as usize] += u8::from(rank_a == rank_b);
        self.nodes[child as usize] = Node { key, parent, jump: parent };
        self.links += 1;
        true
    }

    /// Whether the links so far join two vertices.
    #[inline]
    pub(super) fn are_joined(&self, u: Vertex, v: Vertex) -> bool {
        let root = |mut vertex: Vertex| loop {
            let jump = self.nodes[vertex as usize].jump;
            if jump == vertex {
                return vertex;
            }
            vertex = jump;
        };
        root(u) == root(v)
    }

    /// The root of a vertex. Halves the path of jumps.
    #[inline]
    fn root(&mut self, mut vertex: Vertex) -> Vertex {
        loop {
            let jump = self.nodes[vertex as usize].jump;
            if jump == vertex {
                return vertex;
            }
            let next = self.nodes[jump as usize].jump;
            self.nodes[vertex as usize].jump = next;
            vertex = next;
        }
    }

    /// Whether edges up to `key` join two vertices.
    #[inline]
    pub(super) fn joins(&self, mut u: Vertex, mut v: Vertex, key: K) -> bool {
        while u != v {
            let (at_u, at_v) = (self.nodes[u as usize], self.nodes[v as usize]);
            let climbs_u = at_u.parent != u && at_u.key <= key;
            let climbs_v = at_v.parent != v && at_v.key <= key;
            if climbs_u && (!climbs_v || at_u.key <= at_v.key) {
                u = at_u.parent;
            } else if climbs_v {
                v = at_v.parent;
            } else {
                return false;
            }
        }
        true
    }

    /// The root of a vertex, and the key of the heaviest edge on the way; the lowest for a root.
    #[inline]
    pub(super) fn top(&self, mut vertex: Vertex) -> (Vertex, K) {
        let mut heaviest = K::MIN;
        loop {
            let node = self.nodes[vertex as usize];
            if node.parent == vertex {
                return (vertex, heaviest);
            }
            (vertex, heaviest) = (node.parent, node.key);
        }
    }

    /// The root of highest rank: that of the largest component, or one of similar size.
    pub(super) fn highest_root(&self) -> Vertex {
        let ranks = self.ranks.iter().zip(0..);
        ranks.max_by_key(|&(rank, _)| rank).map_or(0, |(_, vertex)| vertex)
    }

    /// Prefetches what [`link`](Self::link) reads first.
    #[inline]
    pub(super) fn prefetch(&self, vertex: Vertex) {
        prefetch(&self.nodes, vertex as usize);
    }
}
