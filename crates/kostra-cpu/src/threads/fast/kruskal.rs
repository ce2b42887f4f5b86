//! Kruskal's algorithm on the edges of a band, by one thread or by a few.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

use kostra_core::{EdgeId, Run, SolveError, Vertex, prefetch};

use super::VERTICES;
use super::contract::{LABEL, label};
use super::scale::{pack, unpack};
use super::sort::Item;
use kostra_parallel::SharedEdgeSet;
use kostra_parallel::{Schedule, Team};

/// How many edges a thread looks up at a time.
const CHUNK: usize = 1 << 10;
/// How many chunks a batch has for each thread, where there are several.
const CHUNKS: usize = 32;
/// How many edges are looked up at once.
const BLOCK: usize = 64;
/// How many edges lie between asking for memory and reading it.
const AHEAD: usize = 16;

/// Unites components by edges in ascending order, and keeps those that join two.
///
/// An edge costs a chain of cache misses: its ends, their parents, their parents' parents. So it is
/// done in two steps. The first looks up components further up, for many edges at once, and drops
/// the edges inside one. The second unites, edge by edge. One thread alone must do the second;
/// while it does for one batch of edges, the others do the first for the next batch. What they see
/// of the components may be old or new: either is on the way up.
pub(super) struct Kruskal<'a> {
    pub(super) team: &'a Team<'a>,
    pub(super) forest: &'a SharedEdgeSet,
    /// Of each component, one that it has been united with and that is not above it; a root's own
    /// is itself.
    pub(super) parents: &'a [AtomicU32],
}

impl Kruskal<'_> {
    /// Finds the forest of sorted edges, which it overwrites. Returns how many components are left.
    pub(super) fn solve(&self, items: &[Item], run: &mut Run<'_>) -> Result<usize, SolveError> {
        let threads = self.team.threads();
        let sets = AtomicUsize::new(self.parents.len());
        run.phase("unite", |run| {
            self.team.distribute(self.parents.len(), Schedule::Dynamic(VERTICES), |_, range| {
                for (component, parent) in range.clone().zip(&self.parents[range]) {
                    parent.store(component as Vertex, Relaxed);
                }
            });
            let chunks: Vec<_> = items.chunks(CHUNK).collect();
            let found: Vec<_> = chunks.iter().map(|_| AtomicUsize::new(0)).collect();
            let batch = if threads == 1 { 1 } else { CHUNKS * threads };
            let mut united = 0..0;
            while united.end < chunks.len() || !united.is_empty() {
                run.progress(united.start * CHUNK, items.len())?;
                let next = AtomicUsize::new(united.end);
                let end = chunks.len().min(united.end + batch);
                self.team.on_available(|thread| {
                    if thread == 0 {
                        for chunk in united.clone() {
                            self.unite(&chunks[chunk][..found[chunk].load(Relaxed)], &sets);
                        }
                    }
                    loop {
                        let chunk = next.fetch_add(1, Relaxed);
                        if chunk >= end {
                            break;
                        }
                        found[chunk].store(self.look_up(chunks[chunk]), Relaxed);
                    }
                });
                if sets.load(Relaxed) == 1 {
                    break;
                }
                united = united.end..end;
            }
            Ok::<_, SolveError>(())
        })?;
        Ok(sets.into_inner())
    }

    /// Replaces the ends of edges by components further up, and drops the edges inside one. Returns
    /// how many are left; these come first.
    fn look_up(&self, items: &[Item]) -> usize {
        let parents = self.parents; // in registers
        let parent = |component: Vertex| {
            let parent = parents[component as usize].load(Relaxed);
            prefetch(parents, parent as usize);
            parent
        };
        let mut kept = 0;
        let mut ends = [(0, 0); BLOCK];
        for block in items.chunks(BLOCK) {
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

    /// Unites by edges in their order, and keeps those that join.
    fn unite(&self, items: &[Item], sets: &AtomicUsize) {
        let (parents, forest) = (self.parents, self.forest);
        let mut left = sets.load(Relaxed);
        for (index, item) in items.iter().enumerate() {
            if let Some([rank, ends]) = items.get(index + AHEAD) {
                let (u, v) = unpack(ends.load(Relaxed));
                prefetch(parents, u as usize);
                prefetch(parents, v as usize);
                forest.prefetch(rank.load(Relaxed) as EdgeId);
            }
            let (u, v) = unpack(item[1].load(Relaxed));
            if union(parents, u, v) {
                forest.insert_alone(item[0].load(Relaxed) as EdgeId);
                left -= 1;
            }
        }
        sets.store(left, Relaxed);
    }

    /// Numbers the roots, and labels every component with the number of its root.
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
        // No parent is above its child, so that most have their label before their children ask.
        self.team.distribute(self.parents.len(), Schedule::Dynamic(VERTICES), |_, range| {
            let parents = self.parents; // in registers
            range.for_each(|component| label(parents, component as Vertex));
        });
    }
}

/// Merges two sets by Rem's algorithm, and says whether they were different. For one thread at a
/// time; others may climb.
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
