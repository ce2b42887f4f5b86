//! Kruskal's algorithm on the sorted edges of a batch, by one thread or by a few.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

use kostra_core::{EdgeId, Run, SolveError, Vertex, prefetch};
use kostra_parallel::{Schedule, SharedEdgeSet, Team};

use super::labels::{LABEL, VERTEX_BLOCK, shortcut};
use super::prefix::{pack, unpack};
use super::sort::Item;

/// Edges that a thread climbs for at a time: 16 KiB of items, which stay in the first-level cache.
const CHUNK: usize = 1 << 10;
/// Chunks of a window for each thread, if there are several, so that the threads meet rarely.
const CHUNKS_PER_THREAD: usize = 32;
/// Edges whose parents are loaded together: enough loads to hide the latency of memory.
const CLIMB_BLOCK: usize = 64;
/// Edges between the prefetch of a parent and its use.
const UNITE_PREFETCH: usize = 16;

/// Unites components by edges in ascending order. Edges that join two components are in the forest.
///
/// An edge costs a chain of cache misses: the parents of its ends, and the parents of those. So it
/// takes two steps. The first replaces the ends of many edges by ancestors, and drops edges with
/// equal ancestors. The second unites, edge by edge, and only one thread may do it. While it unites
/// one window of edges, the other threads do the first step for the next window.
///
/// These threads may see old or new parents. Both are correct: the edge that gave a component its
/// parent precedes the edges of the next window. An old parent only lengthens the climb.
pub(super) struct Kruskal<'a> {
    pub(super) team: &'a Team<'a>,
    pub(super) forest: &'a SharedEdgeSet,
    /// For each component, one with a lesser number that it was united with, or itself for a root.
    pub(super) parents: &'a [AtomicU32],
}

impl Kruskal<'_> {
    /// Finds the forest of the sorted `items`, which are overwritten. Returns the number of
    /// components.
    pub(super) fn solve(&self, items: &[Item], run: &mut Run<'_>) -> Result<usize, SolveError> {
        let threads = self.team.threads();
        let components = AtomicUsize::new(self.parents.len());
        run.phase("unite", |run| {
            self.team.distribute(
                self.parents.len(),
                Schedule::Dynamic(VERTEX_BLOCK),
                |_, range| {
                    for (component, parent) in range.clone().zip(&self.parents[range]) {
                        parent.store(component as Vertex, Relaxed);
                    }
                },
            );
            let chunks: Vec<_> = items.chunks(CHUNK).collect();
            let kept: Vec<_> = chunks.iter().map(|_| AtomicUsize::new(0)).collect();
            let window = if threads == 1 { 1 } else { CHUNKS_PER_THREAD * threads };
            let mut climbed = 0..0;
            while climbed.end < chunks.len() || !climbed.is_empty() {
                run.report.progress(climbed.start * CHUNK, items.len())?;
                let next = AtomicUsize::new(climbed.end);
                let end = chunks.len().min(climbed.end + window);
                self.team.on_available(|thread| {
                    if thread == 0 {
                        for chunk in climbed.clone() {
                            self.unite(&chunks[chunk][..kept[chunk].load(Relaxed)], &components);
                        }
                    }
                    loop {
                        let chunk = next.fetch_add(1, Relaxed);
                        if chunk >= end {
                            break;
                        }
                        kept[chunk].store(self.climb(chunks[chunk]), Relaxed);
                    }
                });
                if components.load(Relaxed) == 1 {
                    break;
                }
                climbed = climbed.end..end;
            }
            Ok::<_, SolveError>(())
        })?;
        Ok(components.into_inner())
    }

    /// Replaces the ends of edges by ancestors, drops edges with equal ancestors, and moves the
    /// others to the front. Returns their number.
    fn climb(&self, items: &[Item]) -> usize {
        let parents = self.parents; // in registers
        let parent = |component: Vertex| {
            let parent = parents[component as usize].load(Relaxed);
            prefetch(parents, parent as usize);
            parent
        };
        let mut kept = 0;
        let mut ends = [(0, 0); CLIMB_BLOCK];
        for block in items.chunks(CLIMB_BLOCK) {
            for item in block {
                let (u, v) = unpack(item[1].load(Relaxed));
                prefetch(parents, u as usize);
                prefetch(parents, v as usize);
            }
            for (item, ends) in block.iter().zip(&mut ends) {
                let (u, v) = unpack(item[1].load(Relaxed));
                *ends = (parent(u), parent(v));
            }
            for (item, (u, v)) in block.iter().zip(&ends) {
                let (u, v) = (parent(*u), parent(*v));
                items[kept][0].store(item[0].load(Relaxed), Relaxed);
                items[kept][1].store(pack(u, v), Relaxed);
                kept += usize::from(u != v);
            }
        }
        kept
    }

    /// Unites by edges in their order, inserts those that join components into the forest, and
    /// decrements `components` for each.
    fn unite(&self, items: &[Item], components: &AtomicUsize) {
        let (parents, forest) = (self.parents, self.forest);
        let mut left = components.load(Relaxed);
        for (index, item) in items.iter().enumerate() {
            if let Some([prefix_id, ends]) = items.get(index + UNITE_PREFETCH) {
                let (u, v) = unpack(ends.load(Relaxed));
                prefetch(parents, u as usize);
                prefetch(parents, v as usize);
                forest.prefetch(prefix_id.load(Relaxed) as EdgeId);
            }
            let (u, v) = unpack(item[1].load(Relaxed));
            if union(parents, u, v) {
                forest.insert_alone(item[0].load(Relaxed) as EdgeId);
                left -= 1;
            }
        }
        components.store(left, Relaxed);
    }

    /// Numbers the roots, and replaces every parent by the number of its root.
    pub(super) fn number(&self) {
        let threads = self.team.threads();
        let starts: Vec<_> = (0..threads).map(|_| AtomicU32::new(0)).collect();
        if threads > 1 {
            self.team.in_parts(self.parents.len(), |part, block| {
                let parents = block.clone().zip(&self.parents[block]);
                let roots =
                    parents.map(|(own, parent)| u32::from(parent.load(Relaxed) as usize == own));
                starts[part].store(roots.sum(), Relaxed);
            });
            let mut start = 0;
            starts.iter().for_each(|roots| start += roots.swap(start, Relaxed));
        }
        self.team.in_parts(self.parents.len(), |part, block| {
            let (parents, mut number) = (self.parents, starts[part].load(Relaxed));
            for (own, slot) in block.clone().zip(&parents[block]) {
                let parent = slot.load(Relaxed);
                let is_root = parent as usize == own;
                slot.store(if is_root { LABEL | number } else { parent }, Relaxed);
                number += u32::from(is_root);
            }
        });
        // Parents come before their children, so most have their label when a child climbs.
        self.team.distribute(self.parents.len(), Schedule::Dynamic(VERTEX_BLOCK), |_, range| {
            let parents = self.parents; // in registers
            range.for_each(|component| shortcut(parents, component as Vertex));
        });
    }
}

/// Merges the sets of `u` and `v` by Rem's algorithm. Returns whether they were different. Only one
/// thread at a time may merge; other threads may climb.
#[inline]
fn union(parents: &[AtomicU32], mut u: Vertex, mut v: Vertex) -> bool {
    loop {
        let parent = |component: Vertex| parents[component as usize].load(Relaxed);
        let (parent_u, parent_v) = (parent(u), parent(v));
        if parent_u == parent_v {
            return false;
        }
        let (low, high, high_parent) =
            if parent_u < parent_v { (parent_u, v, parent_v) } else { (parent_v, u, parent_u) };
        parents[high as usize].store(low, Relaxed);
        if high == high_parent {
            return true;
        }
        if parent_u < parent_v { v = high_parent } else { u = high_parent }
    }
}
