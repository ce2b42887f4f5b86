//! How heavy an edge between two vertices may at most be: one byte per vertex.
//!
//! The root of the largest component is its center. The *level* of a vertex is the lowest of 254
//! pivots that is not lighter than any edge on the path from the vertex to the center. If an edge
//! is not lighter than the pivots of both its ends, then the forest joins the ends by way of the
//! center, and the edge is dropped. Pivots are quantiles of the keys of the forest. The bytes of a
//! graph with millions of vertices fit into the caches, unlike the tree.

use kostra_core::{Key, OutOfMemory, Vertex, memory};

use super::link_tree::LinkTree;

/// The level of a vertex outside of the component of the center.
const OUTSIDE: u8 = u8::MAX;
/// Stands for a level that has not been found yet.
const UNKNOWN: u8 = OUTSIDE - 1;
/// The number of pivots.
const PIVOTS: usize = UNKNOWN as usize;

/// The levels of all vertices.
#[derive(Debug)]
pub(super) struct Levels<K> {
    /// One for each level, ascending. Those from [`UNKNOWN`] on are not used.
    pivots: [K; 1 << u8::BITS],
    levels: Vec<u8>,
}

impl<K: Key> Default for Levels<K> {
    fn default() -> Self {
        Self { pivots: [K::MIN; 1 << u8::BITS], levels: Vec::new() }
    }
}

impl<K: Key> Levels<K> {
    /// All `vertices` are outside.
    pub(super) fn new(vertices: u32) -> Result<Self, OutOfMemory> {
        let levels = memory::filled(vertices as usize, OUTSIDE)?;
        Ok(Self { levels, ..Self::default() })
    }

    /// Whether an edge may be in the forest.
    #[inline]
    pub(super) fn keeps(&self, u: Vertex, v: Vertex, key: K) -> bool {
        let highest = self.levels[u as usize].max(self.levels[v as usize]);
        (key < self.pivots[highest as usize]) | (highest == OUTSIDE)
    }

    /// Finds the levels in a new tree with `edges` edges, whose keys are `ascending(0)` and so on.
    /// `center` is a root.
    pub(super) fn find(
        &mut self,
        (edges, ascending): (usize, impl Fn(usize) -> K),
        (tree, center): (&LinkTree<K>, Vertex),
    ) {
        if edges == 0 {
            return self.levels.fill(OUTSIDE);
        }
        for (part, pivot) in (1..).zip(&mut self.pivots[..PIVOTS]) {
            *pivot = ascending((edges * part).div_ceil(PIVOTS) - 1);
        }
        let pivots = self.pivots;
        let level_of = |key| pivots[..PIVOTS].partition_point(|&pivot| pivot < key) as u8;
        self.descend(tree, center, level_of);
    }

    /// Lets [`keeps`](Self::keeps) drop the edges of any key inside the component of `center`.
    pub(super) fn mark_component(&mut self, tree: &LinkTree<K>, center: Vertex) {
        self.pivots[0] = K::MIN;
        self.descend(tree, center, |_| 0);
    }

    /// Gives each vertex of the component of `center` the level of the heaviest key on the way,
    /// which is that of the last link. So a vertex has the level of its parent, except for the
    /// vertices that are linked to the center. Each vertex is visited at most three times.
    fn descend(&mut self, tree: &LinkTree<K>, center: Vertex, level_of: impl Fn(K) -> u8) {
        let levels = &mut self.levels[..];
        levels.fill(UNKNOWN);
        levels[center as usize] = 0;
        for vertex in 0..levels.len() as Vertex {
            let mut top = vertex;
            let level = loop {
                if levels[top as usize] != UNKNOWN {
                    break levels[top as usize];
                }
                match tree.link_of(top) {
                    None => break OUTSIDE,
                    Some((parent, key)) if parent == center => break level_of(key),
                    Some((parent, _)) => top = parent,
                }
            };
            let mut at = vertex;
            while levels[at as usize] == UNKNOWN {
                levels[at as usize] = level;
                match tree.link_of(at) {
                    Some((parent, _)) if at != top => at = parent,
                    _ => break,
                }
            }
        }
    }
}
