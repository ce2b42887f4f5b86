//! How heavy an edge between two vertices may at most be: one byte per vertex.
//!
//! The root of the largest component is its center. The *level* of a vertex is the lowest of 255
//! pivots that is not lighter than any edge on the path from the vertex to the center. If an edge
//! is not lighter than the pivots of both its ends, then the forest joins the ends by way of the
//! center, and the edge is dropped. Pivots are quantiles of the keys of the forest. The bytes of a
//! graph with millions of vertices fit into the caches, unlike the tree.

use std::sync::Mutex;
use std::sync::PoisonError;

use kostra_core::{Key, OutOfMemory, Vertex, memory};
use kostra_parallel::{Schedule, Team};

use super::link_tree::LinkTree;

/// The level of a vertex outside of the component of the center.
const OUTSIDE: u8 = u8::MAX;
/// The number of pivots.
const PIVOTS: usize = OUTSIDE as usize;
/// The number of vertices whose levels a thread finds at a time.
const BLOCK: usize = 1 << 14;

/// The levels of all vertices.
#[derive(Debug)]
pub(super) struct Levels<K> {
    /// Ascending, one for each level but [`OUTSIDE`].
    pivots: [K; PIVOTS + 1],
    levels: Vec<u8>,
}

impl<K: Key> Default for Levels<K> {
    fn default() -> Self {
        Self { pivots: [K::MIN; PIVOTS + 1], levels: Vec::new() }
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
        let [level_u, level_v] = [u, v].map(|vertex| self.levels[vertex as usize]);
        let highest = level_u.max(level_v);
        (key < self.pivots[highest as usize]) | (highest == OUTSIDE)
    }

    /// Finds the levels in a new tree with `edges` edges, whose keys are `ascending(0)` and so on.
    /// `center` is a root.
    pub(super) fn find(
        &mut self,
        (edges, ascending): (usize, impl Fn(usize) -> K),
        (tree, center): (&LinkTree<K>, Vertex),
        team: &Team<'_>,
    ) {
        if edges == 0 {
            return self.levels.fill(OUTSIDE);
        }
        for (part, pivot) in (1..).zip(&mut self.pivots[..PIVOTS]) {
            *pivot = ascending((edges * part).div_ceil(PIVOTS) - 1);
        }
        let pivots = &self.pivots[..PIVOTS];
        let blocks: Vec<_> = self.levels.chunks_mut(BLOCK).map(Mutex::new).collect();
        team.for_each(blocks.len(), Schedule::Dynamic(1), |block| {
            let mut levels = blocks[block].lock().unwrap_or_else(PoisonError::into_inner);
            for (at, level) in levels.iter_mut().enumerate() {
                let (root, heaviest) = tree.top((block * BLOCK + at) as Vertex);
                *level = if root == center {
                    pivots.partition_point(|&pivot| pivot < heaviest) as u8
                } else {
                    OUTSIDE
                };
            }
        });
    }
}
