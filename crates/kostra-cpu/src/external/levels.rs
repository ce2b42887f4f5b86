//! How heavy an edge between two vertices may at most be: one byte per vertex.
//!
//! A vertex of the largest component is its center. The *level* of a vertex is the lowest of a few
//! pivots such that edges of the forest up to the pivot join the vertex to the center. If an edge
//! is not lighter than the pivots of both its ends, then the forest joins the ends by way of the
//! center, and the edge is dropped. The bytes of a graph with millions of vertices fit into the
//! caches.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use kostra_core::{EdgeId, Edges, Key, OutOfMemory, Vertex, memory, prefetch};
use kostra_parallel::{Schedule, Team, atomic_u32};

use crate::light_edges::giant_component;
use crate::threads::union;

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
    /// any content: a word per vertex.
    pub(super) fn find(
        &mut self,
        (forest, taken): (Edges<'_, K>, u64),
        words: &mut [u64],
        team: &Team<'_>,
    ) {
        let vertices = self.levels.len();
        self.levels.fill(OUTSIDE);
        self.pivots = pivots(forest, taken);
        let (parents, rest) = bytemuck::cast_slice_mut(words).split_at_mut(vertices);
        parents.iter_mut().zip(0..).for_each(|(parent, vertex)| *parent = vertex);
        let parents = atomic_u32(parents);
        let mut heavier = &mut rest[..forest.len()];
        heavier.iter_mut().zip(forest.ids()).for_each(|(place, id)| *place = id);
        let mut center = None;
        for (level, pivot) in (0..OUTSIDE).zip(self.pivots) {
            let left = unite(forest, pivot, parents, heavier);
            heavier = &mut heavier[..left];
            // The center stays, so that edges up to a pivot join all vertices up to its level.
            center = center.or_else(|| center_of(parents, level + 1 == OUTSIDE));
            if let Some(center) = center {
                self.lower(level, parents, center, team);
            }
        }
    }

    /// Gives a level to the vertices of the component of `center` that have none.
    fn lower(&mut self, level: u8, parents: &[AtomicU32], center: Vertex, team: &Team<'_>) {
        let component = root(parents, center);
        let parts: Vec<_> = self.levels.chunks_mut(PART).map(Mutex::new).collect();
        team.for_each(parts.len(), Schedule::Dynamic(1), |part| {
            let mut levels = parts[part].lock().unwrap_or_else(PoisonError::into_inner);
            for (own, parent) in levels.iter_mut().zip(&parents[part * PART..]) {
                if *own == OUTSIDE {
                    let root = root(parents, parent.load(Relaxed));
                    // Shortens the paths of the vertices above.
                    parent.store(root, Relaxed);
                    *own = if root == component { level } else { OUTSIDE };
                }
            }
        });
    }
}

/// Unites the ends of those of the edges `heavier` that are not heavier than a pivot. Moves the
/// others to the front, and returns their number.
fn unite<K: Key>(
    forest: Edges<'_, K>,
    pivot: K,
    parents: &[AtomicU32],
    heavier: &mut [EdgeId],
) -> usize {
    let mut left = 0;
    for at in 0..heavier.len() {
        if let Some(&ahead) = heavier.get(at + AHEAD) {
            let (u, v) = forest.ends(ahead);
            prefetch(parents, u as usize);
            prefetch(parents, v as usize);
        }
        let id = heavier[at];
        if forest.key(id) <= pivot {
            let (u, v) = forest.ends(id);
            union(parents, u, v);
        } else {
            heavier[left] = id;
            left += 1;
        }
    }
    left
}

/// The root of a vertex.
fn root(parents: &[AtomicU32], mut vertex: Vertex) -> Vertex {
    loop {
        let parent = parents[vertex as usize].load(Relaxed);
        if parent == vertex {
            return vertex;
        }
        vertex = parent;
    }
}

/// The root of the largest component, if it is large enough or `any` will do.
fn center_of(parents: &[AtomicU32], any: bool) -> Option<Vertex> {
    let giant = giant_component(parents.len(), |vertex| root(parents, vertex as Vertex))?;
    let sample = (0..parents.len()).step_by(parents.len().div_ceil(SAMPLE));
    let (inside, all) = sample.fold((0, 0), |(inside, all), vertex| {
        (inside + usize::from(root(parents, vertex as Vertex) == giant), all + 1)
    });
    (any || CENTRAL * inside > all).then_some(giant)
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
