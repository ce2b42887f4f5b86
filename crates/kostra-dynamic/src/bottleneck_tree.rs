//! A tree that answers worst edges of paths while a forest only grows.
//!
//! Each vertex but one per component has a link to a parent, and each link is an edge of the
//! forest. Vertices have random priorities. The link of a vertex is the first edge, in ascending
//! order, that joins it to a vertex of higher priority by better edges and itself, and leads to the
//! vertex of the highest priority there. So links get worse towards the root, the worst link on
//! the way between two vertices in this tree is the worst edge of their path in the forest, and a
//! vertex is below O(log n) others in expectation. A new edge is stitched in as Ding, Gu & Sun 2025
//! do in their anti-monopoly trees, which balance by sizes instead.

use kostra_core::random::RandomStream;
use kostra_core::{OutOfMemory, Vertex, memory};

/// The parent of roots.
const NONE: Vertex = Vertex::MAX;

/// The link of a vertex to its parent.
#[derive(Clone, Copy, Default)]
struct Link<R> {
    parent: Vertex,
    /// Of no meaning at roots.
    rank: R,
}

pub(crate) struct BottleneckTree<R> {
    links: Vec<Link<R>>,
    /// The number of vertices below each root, and the root.
    sizes: Vec<u32>,
    priorities: RandomStream,
}

/// What became of a new edge.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Grown<R> {
    /// It joins two trees.
    Joined,
    /// It closes a cycle, whose worst edge this is: the new edge or one that leaves.
    Left(R),
}

impl<R: Copy + Ord + Default> BottleneckTree<R> {
    /// The tree of a forest, whose edges are given as rank and ends, in ascending order.
    /// O(n log n) in expectation.
    pub(crate) fn new(vertices: u32, edges: &[(R, [Vertex; 2])]) -> Result<Self, OutOfMemory> {
        let mut tree = Self {
            links: memory::filled(vertices as usize, Link { parent: NONE, rank: R::default() })?,
            sizes: memory::filled(vertices as usize, 1)?,
            priorities: RandomStream::new(0),
        };
        // The vertex of the highest priority in each component, by ways that get shorter.
        let mut above = memory::collected(0..vertices)?;
        let top = |mut vertex: Vertex, above: &mut [Vertex]| {
            while above[vertex as usize] != vertex {
                above[vertex as usize] = above[above[vertex as usize] as usize];
                vertex = above[vertex as usize];
            }
            vertex
        };
        for &(rank, ends) in edges {
            let tops = ends.map(|end| top(end, &mut above));
            let [lower, higher] = tree.by_priority(tops);
            tree.links[lower as usize] = Link { parent: higher, rank };
            tree.sizes[higher as usize] += tree.sizes[lower as usize];
            above[lower as usize] = higher;
        }
        Ok(tree)
    }

    /// Whether there is memory for the tree of this number of vertices.
    pub(crate) fn check_memory(vertices: usize) -> Result<(), OutOfMemory> {
        memory::with_capacity::<Link<R>>(vertices).map(drop)
    }

    /// Adds isolated vertices. O(1) amortized.
    pub(crate) fn add_vertices(&mut self, count: usize) -> Result<(), OutOfMemory> {
        memory::reserve(&mut self.links, count)?;
        memory::reserve(&mut self.sizes, count)?;
        let vertices = self.links.len() + count;
        self.links.resize(vertices, Link { parent: NONE, rank: R::default() });
        self.sizes.resize(vertices, 1);
        Ok(())
    }

    /// Adds an edge between different vertices. O(log n) in expectation.
    pub(crate) fn insert(&mut self, mut ends: [Vertex; 2], rank: R) -> Grown<R> {
        let mut carried = rank;
        loop {
            ends = ends.map(|end| self.climb(end, |link| link < carried));
            if ends[0] == ends[1] {
                return Grown::Left(carried);
            }
            let [lower, higher] = self.by_priority(ends);
            let link = Link { parent: higher, rank: carried };
            let before = std::mem::replace(&mut self.links[lower as usize], link);
            if before.parent == NONE {
                let root = self.climb(higher, |_| true);
                self.sizes[root as usize] += self.sizes[lower as usize];
                return Grown::Joined;
            }
            // The former link now joins the vertices that it joined to those above.
            (ends, carried) = ([higher, before.parent], before.rank);
        }
    }

    /// The highest vertex that links which `may` be taken lead to.
    fn climb(&self, mut vertex: Vertex, may: impl Fn(R) -> bool) -> Vertex {
        loop {
            let link = self.links[vertex as usize];
            if link.parent == NONE || !may(link.rank) {
                return vertex;
            }
            vertex = link.parent;
        }
    }

    /// Two vertices in ascending priority.
    fn by_priority(&self, vertices: [Vertex; 2]) -> [Vertex; 2] {
        let [u, v] = vertices.map(|vertex| (self.priorities.at(u64::from(vertex)), vertex));
        if u < v { [u.1, v.1] } else { [v.1, u.1] }
    }

    /// The worst rank between two different vertices, or nothing if no path joins them.
    pub(crate) fn path_maximum(&self, s: Vertex, t: Vertex) -> Option<R> {
        let mut ends = [s, t];
        let mut worst = None;
        while ends[0] != ends[1] {
            // The better link is the lower one; roots have none.
            let ranks = ends.map(|end| {
                let link = self.links[end as usize];
                (link.parent == NONE, link.rank)
            });
            let side = usize::from(ranks[1] < ranks[0]);
            if ranks[side].0 {
                return None;
            }
            worst = worst.max(Some(ranks[side].1));
            ends[side] = self.links[ends[side] as usize].parent;
        }
        worst
    }

    /// The number of vertices of the tree with this vertex.
    pub(crate) fn tree_size(&self, vertex: Vertex) -> u32 {
        self.sizes[self.climb(vertex, |_| true) as usize]
    }
}
