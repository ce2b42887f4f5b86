//! Hooking: one round's choice of forest edges, and the numbers of the merged components.
//!
//! Three steps: every component hooks onto the other end of its lightest edge; the roots of the
//! resulting trees are numbered; every component gets the number of its root ([`shortcut`]).

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use kostra_core::{Key, Run, prefetch};
use kostra_parallel::Schedule;

use super::interior::BoundaryComponents;
use super::labels::{ComponentCounts, FINISHED, LABEL, VERTEX_BLOCK, shortcut};
use super::prefix::{NO_CANDIDATE, pack, unpack};
use super::state::{Contraction, EdgeSource, RecordOrder, ThreadCount};

/// Components whose memory is prefetched together: enough loads to hide the latency of memory, and
/// the two arrays of this length stay in the first-level cache.
const HOOK_BLOCK: usize = 128;

impl<K: Key, O: RecordOrder> Contraction<'_, K, O> {
    /// Hooks every component except `boundary` components onto the other end of its lightest edge,
    /// which joins the forest, and numbers the new components.
    ///
    /// Afterwards `parents[c]` is the label of `c`. A component that no edge leaves has one of the
    /// labels that [`ComponentCounts::resolve`] calls final. The slots of the new components are
    /// empty.
    pub(super) fn hook<T: ThreadCount, S: EdgeSource>(
        &self,
        parents: &[AtomicU32],
        boundary: Option<&BoundaryComponents>,
        counts: &mut ComponentCounts,
        run: &mut Run<'_>,
    ) {
        let tallies: Vec<_> =
            (0..parents.len().div_ceil(VERTEX_BLOCK)).map(|_| AtomicU64::new(0)).collect();
        run.phase("hook", |_| self.hook_all::<T, S>(parents, boundary, &tallies));
        *counts = prefix_sums(&tallies, counts.finished);
        run.phase("number", |_| self.number(parents, &tallies));
        run.phase("shortcut", |_| self.shortcut_all(parents, counts.live as usize));
    }

    /// Writes the parent of each component. `tallies` counts the roots and the finished components
    /// of each block.
    fn hook_all<T: ThreadCount, S: EdgeSource>(
        &self,
        parents: &[AtomicU32],
        boundary: Option<&BoundaryComponents>,
        tallies: &[AtomicU64],
    ) {
        self.team.distribute(tallies.len(), Schedule::Dynamic(1), |_, blocks| {
            let (this, parents, boundary) = (*self, parents, boundary); // in registers
            for block in blocks {
                let (mut roots, mut finished) = (0, 0);
                let components = block_range(block, parents.len());
                let mut start = components.start;
                while start < components.end {
                    let end = components.end.min(start + HOOK_BLOCK);
                    let set_parent = |component, parent| {
                        roots += u32::from(parent == component);
                        finished += u32::from(parent == FINISHED);
                        parents[component as usize].store(parent, Relaxed);
                    };
                    match boundary {
                        None => this.hook_block::<T, S>(start..end, |_| false, set_parent),
                        Some(boundary) => {
                            let stays = |component| boundary.contains(component);
                            this.hook_block::<T, S>(start..end, stays, set_parent);
                        }
                    }
                    start = end;
                }
                tallies[block].store(pack(roots, finished), Relaxed);
            }
        });
    }

    /// Adds the lightest edges of `components` to the forest and reports the parents.
    ///
    /// A component is its own parent if it `stays`, or if the other end chose the same edge and
    /// has the greater number. Its parent is [`FINISHED`] if no edge leaves it.
    ///
    /// Each of the three loops prefetches what the next one reads.
    #[inline(always)]
    fn hook_block<T: ThreadCount, S: EdgeSource>(
        self,
        components: Range<usize>,
        stays: impl Fn(u32) -> bool,
        mut set_parent: impl FnMut(u32, u32),
    ) {
        let mut lightest = [NO_CANDIDATE; HOOK_BLOCK];
        let mut others = [0; HOOK_BLOCK];
        for (slot, component) in components.clone().enumerate() {
            lightest[slot] = self.lightest[component].load(Relaxed);
            self.prefetch_ends::<S>(lightest[slot] as u32 as usize);
        }
        for (slot, component) in components.clone().enumerate() {
            if lightest[slot] == NO_CANDIDATE {
                continue;
            }
            let position = lightest[slot] as u32;
            let (u, v) = self.ends::<S>(position);
            others[slot] = u ^ v ^ component as u32;
            prefetch(self.lightest, others[slot] as usize);
            self.forest.prefetch(self.id::<S>(position));
        }
        for (slot, component) in components.enumerate() {
            let (component, other) = (component as u32, others[slot]);
            if stays(component) {
                set_parent(component, component);
                continue;
            }
            if lightest[slot] == NO_CANDIDATE {
                set_parent(component, FINISHED);
                continue;
            }
            // If both ends chose the edge, both insert it: deciding which one does costs as much.
            let id = self.id::<S>(lightest[slot] as u32);
            if T::IS_ONE {
                self.forest.insert_alone(id);
            } else {
                self.forest.insert(id);
            }
            let is_root = (component < other)
                & (self.lightest[other as usize].load(Relaxed) == lightest[slot])
                & !stays(other);
            set_parent(component, if is_root { component } else { other });
        }
    }

    /// Replaces the parent of each root by its label, and the parent of each finished component by
    /// one of the labels for them. `tallies` holds how many of each come before a block.
    fn number(&self, parents: &[AtomicU32], tallies: &[AtomicU64]) {
        self.team.distribute(tallies.len(), Schedule::Dynamic(1), |_, blocks| {
            for block in blocks {
                let (mut number, mut finished) = unpack(tallies[block].load(Relaxed));
                let components = block_range(block, parents.len());
                for (component, slot) in components.clone().zip(&parents[components]) {
                    let parent = slot.load(Relaxed);
                    let is_root = parent == component as u32;
                    let mut word = if is_root { LABEL | number } else { parent };
                    if parent == FINISHED {
                        word -= finished;
                        finished += 1;
                    }
                    slot.store(word, Relaxed);
                    number += u32::from(is_root);
                }
            }
        });
    }

    /// Replaces all parents by the labels of their roots, and empties the slots of the `live` new
    /// components.
    fn shortcut_all(&self, parents: &[AtomicU32], live: usize) {
        let blocks = parents.len().div_ceil(VERTEX_BLOCK);
        self.team.distribute(blocks, Schedule::Dynamic(1), |_, blocks| {
            let (parents, lightest) = (parents, self.lightest); // in registers
            for block in blocks {
                let components = block_range(block, parents.len());
                for component in components.clone() {
                    shortcut(parents, component as u32);
                }
                lightest[components.start.min(live)..components.end.min(live)]
                    .iter()
                    .for_each(|slot| slot.store(NO_CANDIDATE, Relaxed));
            }
        });
    }
}

/// The components of a block.
fn block_range(block: usize, components: usize) -> Range<usize> {
    block * VERTEX_BLOCK..components.min((block + 1) * VERTEX_BLOCK)
}

/// Replaces the counts of each block by the sums over the blocks before it. `finished` counts the
/// finished components of earlier rounds. Returns the totals.
fn prefix_sums(tallies: &[AtomicU64], finished: u32) -> ComponentCounts {
    let mut counts = ComponentCounts { live: 0, finished };
    for tally in tallies {
        let before = pack(counts.live, counts.finished);
        let (roots, finished) = unpack(tally.swap(before, Relaxed));
        counts.live += roots;
        counts.finished += finished;
    }
    counts
}
