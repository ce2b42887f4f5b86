//! How heavy an edge between two vertices may at most be: one byte per vertex.
//!
//! A vertex of the largest component is its center. The *level* of a vertex is the lowest of a few
//! pivots such that edges of the forest up to the pivot join the vertex to the center. If an edge
//! is not lighter than the pivots of both its ends, then the forest joins the ends by way of the
//! center, and the edge is dropped. The bytes of a graph with millions of vertices fit into the
//! caches.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use kostra_core::{EdgeId, Edges, Key, OutOfMemory, Vertex, memory, prefetch};
use kostra_parallel::{Schedule, Team, atomic_u64, lock};

use crate::light_edges::giant_component;

/// The number of pivots. More would take more time than they save.
const PIVOTS: usize = 15;
/// The level of a vertex that no pivot joins to the center.
const OUTSIDE: u8 = PIVOTS as u8;
/// The number of edges of the forest that are sampled for the pivots, and of vertices for the
/// center.
const SAMPLE: usize = 1 << 12;
/// The first pivot leaves this share of the forest's edges above it. In a graph of unequal degrees,
/// light edges join a small core that most edges are inside of.
const HEAVY_AT_FIRST: f64 = 0.9;
/// The center is a vertex of the first component with one of this many vertices.
const CENTRAL: usize = 64;
/// How many edges ahead the ends of an edge are prefetched.
const AHEAD: usize = 24;
/// The number of vertices that a thread labels at a time.
const PART: usize = 1 << 14;

/// The levels of all vertices.
#[derive(Debug)]
pub(super) struct Levels<K> {
    /// One for each level, ascending. That of [`OUTSIDE`] is not used.
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
        let highest = self.levels[u as usize].max(self.levels[v as usize]);
        (key < self.pivots[highest as usize]) | (highest == OUTSIDE)
    }

    /// Finds the levels in the forest of the first `taken` edges of the input. `words` is memory of
    /// any content: a word per vertex, and half a word per edge of the forest. Returns whether the
    /// edges are a forest.
    ///
    /// Kruskal's algorithm, with the edges in the order of their levels. The center stays a root
    /// from the moment it is known. So the level of a vertex is that of the last link on its path
    /// to the center.
    pub(super) fn find(
        &mut self,
        (forest, taken): (Edges<'_, K>, u64),
        words: &mut [u64],
        team: &Team<'_>,
    ) -> bool {
        self.pivots = pivots(forest, taken);
        let (links, order) = words.split_at_mut(self.levels.len());
        links.iter_mut().zip(0..).for_each(|(link, vertex)| *link = vertex);
        let links = Links(atomic_u64(links));
        let order = &mut bytemuck::cast_slice_mut(order)[..forest.len()];
        let ends = self.sort_by_level(forest, order);
        let (mut center, mut start, mut is_forest) = (None, 0, true);
        for (level, end) in (0..OUTSIDE).zip(ends) {
            is_forest &= links.unite(forest, &order[start..end], (level, center));
            center = center.or_else(|| links.center(level + 1 == OUTSIDE));
            start = end;
        }
        let parts: Vec<_> = self.levels.chunks_mut(PART).map(Mutex::new).collect();
        team.for_each(parts.len(), Schedule::Dynamic(1), |part| {
            let mut levels = lock(&parts[part]);
            for (level, vertex) in levels.iter_mut().zip((part * PART) as Vertex..) {
                *level = center.map_or(OUTSIDE, |center| links.level(vertex, center));
            }
        });
        is_forest
    }

    /// Fills `order` with the edges of the forest in the order of the pivots. Returns the end of
    /// the edges of each level.
    fn sort_by_level(&self, forest: Edges<'_, K>, order: &mut [EdgeId]) -> [usize; PIVOTS] {
        // No edge is heavier than the last pivot.
        let level = |id| {
            let key = forest.key(id);
            self.pivots[..PIVOTS - 1].iter().map(|&pivot| usize::from(pivot < key)).sum::<usize>()
        };
        let mut ends = [0; PIVOTS];
        forest.ids().for_each(|id| ends[level(id)] += 1);
        let mut before = 0;
        for end in &mut ends {
            (*end, before) = (before, before + *end);
        }
        for id in forest.ids() {
            let place = &mut ends[level(id)];
            order[*place] = id;
            *place += 1;
        }
        ends
    }
}

/// A word per vertex: its parent, or itself for a root, and the level of the edge that gave it this
/// parent. Levels do not fall along a path to a root.
struct Links<'a>(&'a [AtomicU64]);

/// The place of the level in a link.
const LEVEL: u32 = u32::BITS;

impl Links<'_> {
    fn link(&self, vertex: Vertex) -> (Vertex, u8) {
        let link = self.0[vertex as usize].load(Relaxed);
        (link as Vertex, (link >> LEVEL) as u8)
    }

    fn set(&self, vertex: Vertex, (parent, level): (Vertex, u8)) {
        self.0[vertex as usize].store(u64::from(level) << LEVEL | u64::from(parent), Relaxed);
    }

    /// The root of a vertex, and the level of the last link. Shortens the path. The level of a
    /// shortened link is that of the last link that it replaces.
    fn find(&self, mut vertex: Vertex) -> (Vertex, u8) {
        let mut last = 0;
        loop {
            let (parent, level) = self.link(vertex);
            if parent == vertex {
                return (vertex, last);
            }
            let (above, higher) = self.link(parent);
            if above == parent {
                return (parent, level);
            }
            self.set(vertex, (above, higher));
            (vertex, last) = (above, higher);
        }
    }

    /// Unites the ends of edges of the forest. Returns whether each edge joined two components.
    fn unite<K: Key>(
        &self,
        forest: Edges<'_, K>,
        edges: &[EdgeId],
        (level, center): (u8, Option<Vertex>),
    ) -> bool {
        let mut is_forest = true;
        for (at, &id) in edges.iter().enumerate() {
            if let Some(&ahead) = edges.get(at + AHEAD) {
                let (u, v) = forest.ends(ahead);
                prefetch(self.0, u as usize);
                prefetch(self.0, v as usize);
            }
            let (u, v) = forest.ends(id);
            let ((u, _), (v, _)) = (self.find(u), self.find(v));
            let (low, high) = (u.min(v), u.max(v));
            let (root, other) = if center == Some(high) { (high, low) } else { (low, high) };
            if root != other {
                self.set(other, (root, level));
            }
            is_forest &= root != other;
        }
        is_forest
    }

    /// The root of the largest component, if it is large enough or `any` will do.
    fn center(&self, any: bool) -> Option<Vertex> {
        let root = |vertex| self.find(vertex as Vertex).0;
        let giant = giant_component(self.0.len(), root)?;
        let sample = (0..self.0.len()).step_by(self.0.len().div_ceil(SAMPLE));
        let (inside, all) = sample.fold((0, 0), |(inside, all), vertex| {
            (inside + usize::from(root(vertex) == giant), all + 1)
        });
        (any || CENTRAL * inside > all).then_some(giant)
    }

    fn level(&self, vertex: Vertex, center: Vertex) -> u8 {
        let (root, level) = self.find(vertex);
        if root == center { level } else { OUTSIDE }
    }
}

/// Pivots among the keys of a forest.
///
/// Of random edges that pass the filter, those that are lighter than the last pivot but one should
/// be as many as those with an end that is outside then. Quantiles between the first and the last
/// pivot are in geometric progression.
fn pivots<K: Key>(forest: Edges<'_, K>, taken: u64) -> [K; PIVOTS + 1] {
    let stride = forest.len().div_ceil(SAMPLE).max(1);
    let keys = forest.weights().iter().step_by(stride).map(|&weight| forest.key_of(weight));
    let mut sample: Vec<K> = keys.collect();
    sample.sort_unstable();
    let first = HEAVY_AT_FIRST;
    let last = (forest.len() as f64 / (4.0 * taken.max(1) as f64)).min(first);
    let mut pivots = [K::MAX; PIVOTS + 1];
    for (at, pivot) in pivots[..PIVOTS - 1].iter_mut().enumerate() {
        let heavy = first * (last / first).powf(at as f64 / (PIVOTS - 2) as f64);
        let place = ((1.0 - heavy) * sample.len() as f64) as usize;
        *pivot = sample.get(place).copied().unwrap_or(K::MAX);
    }
    let keys = forest.weights().iter().map(|&weight| forest.key_of(weight));
    pivots[PIVOTS - 1] = keys.max().unwrap_or(K::MAX);
    pivots
}
