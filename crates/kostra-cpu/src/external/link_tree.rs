//! The forest as a tree of logarithmic height that knows the heaviest edge of every path.
//!
//! Kruskal's algorithm links the root of one component to the root of another. The tree keeps these
//! links, without path compression, and the key of the edge that made each link. Keys do not
//! descend on the way to a root, because links are made in ascending order. So two vertices are
//! joined by edges up to a key if and only if climbing the links up to this key leads from both to
//! one vertex. Linking by rank bounds the height by log2 n.

use kostra_core::{Key, OutOfMemory, Vertex, memory, prefetch};

/// The link of a vertex.
#[derive(Clone, Copy, Debug)]
struct Link<K> {
    /// The key of the edge that made the link; the highest for a root.
    key: K,
    /// The parent, or the vertex itself for a root.
    parent: Vertex,
}

#[derive(Debug)]
pub(super) struct LinkTree<K> {
    links: Vec<Link<K>>,
    /// An ancestor of each vertex, by which Kruskal's algorithm finds roots faster. An array of its
    /// own, because the searches for roots take most of the time and depend on the caches.
    jumps: Vec<Vertex>,
    ranks: Vec<u8>,
    /// The number of links.
    count: usize,
}

impl<K: Key> LinkTree<K> {
    pub(super) fn new() -> Self {
        Self { links: Vec::new(), jumps: Vec::new(), ranks: Vec::new(), count: 0 }
    }

    /// Removes all links, and lets the tree have `vertices` vertices.
    pub(super) fn reset(&mut self, vertices: u32) -> Result<(), OutOfMemory> {
        let count = vertices as usize;
        self.links.clear();
        self.jumps.clear();
        self.ranks.clear();
        memory::reserve_exact(&mut self.links, count)?;
        memory::reserve_exact(&mut self.jumps, count)?;
        memory::reserve_exact(&mut self.ranks, count)?;
        self.links.extend((0..vertices).map(|vertex| Link { key: K::MAX, parent: vertex }));
        self.jumps.extend(0..vertices);
        self.ranks.resize(count, 0);
        self.count = 0;
        Ok(())
    }

    /// Whether no further link is possible.
    pub(super) fn is_complete(&self) -> bool {
        self.count + 1 >= self.links.len()
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
        self.links[child as usize] = Link { key, parent };
        self.jumps[child as usize] = parent;
        self.count += 1;
        true
    }

    /// The root of a vertex. Halves the path of jumps.
    #[inline]
    fn root(&mut self, mut vertex: Vertex) -> Vertex {
        loop {
            let jump = self.jumps[vertex as usize];
            if jump == vertex {
                return vertex;
            }
            let next = self.jumps[jump as usize];
            self.jumps[vertex as usize] = next;
            vertex = next;
        }
    }

    /// Whether edges up to `key` join two vertices.
    #[inline]
    pub(super) fn joins(&self, mut u: Vertex, mut v: Vertex, key: K) -> bool {
        while u != v {
            let (at_u, at_v) = (self.links[u as usize], self.links[v as usize]);
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

    /// The parent of a vertex, and the key of the link; none for a root.
    #[inline]
    pub(super) fn link_of(&self, vertex: Vertex) -> Option<(Vertex, K)> {
        let Link { key, parent } = self.links[vertex as usize];
        (parent != vertex).then_some((parent, key))
    }

    /// The root of highest rank: that of the largest component, or one of similar size.
    pub(super) fn highest_root(&self) -> Vertex {
        let ranks = self.ranks.iter().zip(0..);
        ranks.max_by_key(|&(rank, _)| rank).map_or(0, |(_, vertex)| vertex)
    }

    /// Prefetches what [`link`](Self::link) reads first.
    #[inline]
    pub(super) fn prefetch_root(&self, vertex: Vertex) {
        prefetch(&self.jumps, vertex as usize);
    }

    /// Prefetches what [`joins`](Self::joins) reads first.
    #[inline]
    pub(super) fn prefetch_path(&self, vertex: Vertex) {
        prefetch(&self.links, vertex as usize);
    }
}
