//! The forest of one band: of the chosen edges, between the components that there are.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use kostra_core::{EdgeId, Edges, Key, Run, SolveError, UnionFind, Vertex, Weight};

use super::contract::{Contraction, Counts, Region};
use super::scale::{Scale, pack, unpack};
use super::select::Selection;
use super::{REGIONS, VERTICES, edges_in};
use crate::radix_sort::sort_by_key;
use crate::threads::atomic::{atomic_u32, atomic_u64};
use crate::threads::edge_set::SharedEdgeSet;
use crate::threads::team::{Schedule, Team};
use crate::unite::unite;

/// Up to so many edges one thread is done before several have met often enough.
const FEW: usize = 1 << 16;

/// Words of a record, and of one with the room to sort it into.
const RECORD: usize = 2;
const RECORD_TO_SORT: usize = 2 * RECORD;

/// An edge to sort: the stand-in of its key and its id below it; the components that it joins.
type Item = [u64; RECORD];

/// How many edges a band may have in so many words of memory.
pub(super) fn capacity(threads: usize, words: usize, sets: usize) -> usize {
    if threads == 1 { (words - sets.div_ceil(2)) / RECORD_TO_SORT } else { (words - 2 * sets) / RECORD }
}

/// The chosen edges, and the components that vertices are in; none are given where each vertex is its own.
pub(super) struct Band<'a, W: Weight> {
    pub(super) edges: Edges<'a, W>,
    pub(super) team: &'a Team<'a>,
    pub(super) forest: &'a SharedEdgeSet,
    pub(super) chosen: &'a Selection<'a>,
    pub(super) components: Option<&'a [AtomicU32]>,
    pub(super) sets: usize,
}

impl<W: Weight> Band<'_, W> {
    /// Finds the forest. Returns, for each component, the number of the one that it is in now, and how many are left.
    pub(super) fn solve<'b>(
        &self,
        memory: &'b mut [u64],
        run: &mut Run<'_>,
    ) -> Result<(&'b [AtomicU32], usize), SolveError> {
        let few = FEW.min(capacity(1, memory.len(), self.sets));
        if self.team.threads() == 1 || self.chosen.len() <= few {
            self.sort_and_unite(memory, run)
        } else {
            self.rounds(memory, run)
        }
    }

    #[inline]
    fn component(&self, vertex: Vertex) -> Vertex {
        self.components.map_or(vertex, |components| components[vertex as usize].load(Relaxed))
    }

    /// Kruskal's algorithm, on items that hold all that it wants of an edge: sorting moves twice as much as it would with
    /// places instead, but uniting reads a stream.
    fn sort_and_unite<'b>(
        &self,
        memory: &'b mut [u64],
        run: &mut Run<'_>,
    ) -> Result<(&'b [AtomicU32], usize), SolveError> {
        let len = self.chosen.len();
        let (parents, rest) = memory.split_at_mut(self.sets.div_ceil(2));
        let parents: &mut [Vertex] = &mut bytemuck::cast_slice_mut(parents)[..self.sets];
        let (items, rest) = rest.split_at_mut(RECORD * len);
        let spare = &mut rest[..RECORD * len];

        run.phase("gather", |_| self.gather(atomic_u64(items)));
        let sorted = run.phase("sort", |_| {
            let (items, spare) = (items.as_chunks_mut().0, spare.as_chunks_mut().0);
            let sorted = sort_by_key(items, spare, |[rank, _]: Item| rank >> 32);
            if W::Key::BITS != 32 {
                // Equal stand-ins say nothing of the keys.
                for run in sorted.chunk_by_mut(|a, b| a[0] >> 32 == b[0] >> 32).filter(|run| run.len() > 1) {
                    run.sort_by_cached_key(|&[rank, _]| self.edges.rank(rank as EdgeId));
                }
            }
            &*sorted
        });
        run.phase("unite", |run| {
            parents.iter_mut().zip(0..).for_each(|(parent, component)| *parent = component);
            let mut components = UnionFind::of_parents(parents, self.sets as u32);
            let id = |index: usize| sorted[index][0] as EdgeId;
            unite(
                len,
                |_| (),
                |index| {
                    self.forest.prefetch(id(index));
                    unpack(sorted[index][1])
                },
                &mut components,
                |index| self.forest.insert_alone(id(index)),
                run,
            )
        })?;
        // No parent is above its child, so a parent has its number before its children ask.
        let mut left = 0;
        for component in 0..parents.len() {
            let parent = parents[component];
            parents[component] = if parent == component as Vertex {
                left += 1;
                left - 1
            } else {
                parents[parent as usize]
            };
        }
        Ok((atomic_u32(parents), left as usize))
    }

    /// Writes an item for each edge.
    fn gather(&self, items: &[AtomicU64]) {
        let scale = self.scale();
        let items: &[[AtomicU64; RECORD]] = items.as_chunks().0;
        self.chosen.for_each(self.team, |position, id| {
            let (u, v) = self.edges.ends(id);
            let [rank, ends] = &items[position];
            rank.store(pack(scale.of(self.edges.key(id)), id), Relaxed);
            ends.store(pack(self.component(u), self.component(v)), Relaxed);
        });
    }

    /// A scale for the keys of the band.
    fn scale(&self) -> Scale {
        if W::Key::BITS == 32 {
            return Scale::IDENTITY;
        }
        let (lowest, highest) = (AtomicU64::new(u64::MAX), AtomicU64::new(0));
        self.chosen.for_each(self.team, |_, id| {
            let key = self.edges.key(id).to_u64();
            if key < lowest.load(Relaxed) {
                lowest.fetch_min(key, Relaxed);
            }
            if key > highest.load(Relaxed) {
                highest.fetch_max(key, Relaxed);
            }
        });
        Scale::between(lowest.into_inner()..highest.into_inner())
    }

    /// Borůvka's algorithm, round by round.
    fn rounds<'b>(
        &self,
        memory: &'b mut [u64],
        run: &mut Run<'_>,
    ) -> Result<(&'b [AtomicU32], usize), SolveError> {
        let (lightest, rest) = memory.split_at_mut(self.sets);
        let (labels, records) = rest.split_at_mut(self.sets);
        let labels = atomic_u32(bytemuck::cast_slice_mut(labels));
        let mut levels = Levels { labels, sizes: Vec::new(), team: self.team };
        let contraction = Contraction {
            edges: self.edges,
            team: self.team,
            scale: self.scale(),
            records: atomic_u64(records).as_chunks().0,
            lightest: atomic_u64(lightest),
            forest: self.forest,
        };
        let parts = self.chosen.parts(REGIONS * self.team.threads());
        let mut regions: Vec<_> = parts.iter().map(|(start, _)| Region::new(*start..*start)).collect();
        run.phase("gather", |_| {
            contraction.clear_lightest(self.sets);
            self.team.deal(parts.len(), Schedule::Dynamic(1), |_, dealt| {
                for index in dealt {
                    let ids = self.chosen.ids(parts[index].1.clone());
                    match self.components {
                        None => contraction.gather(|vertex| vertex, &regions[index], ids),
                        Some(_) => {
                            contraction.gather(|vertex| self.component(vertex), &regions[index], ids);
                        }
                    }
                }
            });
        });
        let mut counts = Counts { live: self.sets as u32, finished: 0 };
        loop {
            let parents = levels.push(counts.live as usize);
            contraction.hook::<false, false>(parents, &mut counts, run);
            run.phase("contract", |_| contraction.contract::<false>(parents, counts.live, &mut regions));
            regions.retain(|region| !region.is_empty());
            if regions.is_empty() {
                break;
            }
            run.round((counts.live + counts.finished) as usize, edges_in(&regions))?;
        }
        run.phase("compose", |_| levels.compose(counts));
        Ok((&labels[..self.sets], (counts.live + counts.finished) as usize))
    }
}

/// The labels of all rounds of a band, kept until they are composed. Each round has at most half as many as the last,
/// so all together are at most twice the first.
struct Levels<'a> {
    labels: &'a [AtomicU32],
    sizes: Vec<usize>,
    team: &'a Team<'a>,
}

impl<'a> Levels<'a> {
    fn push(&mut self, size: usize) -> &'a [AtomicU32] {
        let start = self.sizes.iter().sum::<usize>();
        self.sizes.push(size);
        &self.labels[start..start + size]
    }

    /// Replaces the labels of the first round by those of the last, from the last back.
    fn compose(&self, counts: Counts) {
        let mut end = self.sizes.iter().sum::<usize>();
        let mut later: Option<&[AtomicU32]> = None;
        for size in self.sizes.iter().rev() {
            let level = &self.labels[end - size..end];
            self.team.deal(*size, Schedule::Dynamic(VERTICES), |_, range| {
                for label in &level[range] {
                    let composed = match (counts.place(label.load(Relaxed)), later) {
                        (Ok(place), _) | (Err(place), None) => place,
                        (Err(place), Some(later)) => later[place as usize].load(Relaxed),
                    };
                    label.store(composed, Relaxed);
                }
            });
            end -= size;
            later = Some(level);
        }
    }
}
