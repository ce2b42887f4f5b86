//! The forest of one band: of the chosen edges, between the components that there are.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

use kostra_core::{Edges, Key, Run, SolveError, Vertex, Weight, prefetch};

use super::contract::{Contraction, Counts};
use super::kruskal::Kruskal;
use super::offer::Region;
use super::scale::{Scale, Span, pack, unpack};
use super::select::Selection;
use super::sort::{Item, sort};
use super::spokes::Spokes;
use super::{REGIONS, VERTICES, edges_in};
use kostra_parallel::SharedEdgeSet;
use kostra_parallel::{Schedule, Team};
use kostra_parallel::{atomic_u32, atomic_u64};

/// Up to so many edges of a band are sorted and united by any number of threads.
const FEW: usize = 1 << 16;
/// Up to so many threads sort and unite all bands. More would wait for the one that unites.
const FEW_THREADS: usize = 4;

/// Words of a record, and of one with the room to sort it into.
const RECORD: usize = 2;
const RECORD_TO_SORT: usize = 2 * RECORD;

/// How many edges a band may have in so many words of memory.
pub(super) fn capacity(threads: usize, words: usize, sets: usize) -> usize {
    if threads <= FEW_THREADS {
        (words - sets.div_ceil(2)) / RECORD_TO_SORT
    } else {
        (words - 2 * sets) / RECORD
    }
}

/// Whether a band of so many edges is sorted and united rather than contracted in rounds.
fn is_sorted(threads: usize, edges: usize, words: usize, sets: usize) -> bool {
    (threads <= FEW_THREADS || edges <= FEW) && edges <= capacity(1, words, sets)
}

/// Whether a band of so many chosen edges and so many spokes fits so many words of memory.
pub(super) fn fits_with_spokes(
    threads: usize,
    (chosen, spokes): (usize, usize),
    vertices: usize,
    words: usize,
    sets: usize,
) -> bool {
    let in_rounds = threads > FEW_THREADS && chosen + vertices <= capacity(threads, words, sets);
    is_sorted(threads, chosen + spokes, words, sets) || in_rounds
}

/// The chosen edges, and the components that vertices are in; none are given where each vertex is
/// its own. Spokes are more edges of the band.
pub(super) struct Band<'a, W: Weight> {
    pub(super) edges: Edges<'a, W>,
    pub(super) team: &'a Team<'a>,
    pub(super) forest: &'a SharedEdgeSet,
    pub(super) grain: usize,
    pub(super) chosen: &'a Selection<'a>,
    pub(super) components: Option<&'a [AtomicU32]>,
    pub(super) sets: usize,
    pub(super) spokes: Option<&'a Spokes<'a, W>>,
    /// Whether nobody wants to know what components there are after it.
    pub(super) is_last: bool,
}

impl<W: Weight> Band<'_, W> {
    /// How many edges there are.
    fn len(&self) -> usize {
        self.chosen.len() + self.spokes.map_or(0, Spokes::len)
    }

    /// Finds the forest. Returns, for each component, the number of the one that it is in now, and
    /// how many are left. Bands with spokes must [fit](fits_with_spokes), and numbers mean nothing
    /// after the last.
    pub(super) fn solve<'b>(
        &self,
        memory: &'b mut [u64],
        run: &mut Run<'_>,
    ) -> Result<(&'b [AtomicU32], usize), SolveError> {
        if is_sorted(self.team.threads(), self.len(), memory.len(), self.sets) {
            self.sort_and_unite(memory, run)
        } else if self.spokes.is_none() {
            self.rounds::<true>(memory, run)
        } else {
            self.rounds::<false>(memory, run)
        }
    }

    #[inline]
    fn component(&self, vertex: Vertex) -> Vertex {
        self.components.map_or(vertex, |components| components[vertex as usize].load(Relaxed))
    }

    /// Kruskal's algorithm, on items that hold all that it wants of an edge: sorting moves twice as
    /// much as it would with places instead, but uniting reads a stream.
    fn sort_and_unite<'b>(
        &self,
        memory: &'b mut [u64],
        run: &mut Run<'_>,
    ) -> Result<(&'b [AtomicU32], usize), SolveError> {
        let (parents, rest) = memory.split_at_mut(self.sets.div_ceil(2));
        let parents = atomic_u32(&mut bytemuck::cast_slice_mut(parents)[..self.sets]);
        let (items, rest) = rest.split_at_mut(RECORD * self.len());
        let spare = &mut rest[..items.len()];
        let (items, spare) = (atomic_u64(items).as_chunks().0, atomic_u64(spare).as_chunks().0);

        let (scale, stand_ins) = run.phase("gather", |_| {
            let scale = self.scale();
            (scale, self.gather(items, scale))
        });
        let sorted = run.phase("sort", |_| {
            sort(self.team, self.edges, (items, spare), (scale, stand_ins), self.spokes.is_none())
        });
        let kruskal = Kruskal { team: self.team, forest: self.forest, parents };
        let left = kruskal.solve(sorted, run)?;
        if !self.is_last {
            run.phase("number", |_| kruskal.number());
        }
        Ok((parents, left))
    }

    /// Writes an item for each edge. Returns the range that the stand-ins of their keys are in.
    fn gather(&self, items: &[Item], scale: Scale) -> RangeInclusive<u32> {
        let (lowest, highest) = (AtomicU32::new(u32::MAX), AtomicU32::new(0));
        self.chosen.for_each(self.team, |position, ids| {
            let items = &items[position..][..ids.len()];
            let (edges, components, scale) = (self.edges, self.components, scale); // in registers
            for &id in ids {
                prefetch(edges.u(), id as usize);
                prefetch(edges.v(), id as usize);
                prefetch(edges.weights(), id as usize);
            }
            if let Some(components) = components {
                for &id in ids {
                    let (u, v) = edges.ends(id);
                    prefetch(components, u as usize);
                    prefetch(components, v as usize);
                }
            }
            let component = |vertex: Vertex| match components {
                Some(components) => components[vertex as usize].load(Relaxed),
                None => vertex,
            };
            let (mut low, mut high) = (u32::MAX, 0);
            for ([rank, ends], &id) in items.iter().zip(ids) {
                let (u, v) = edges.ends(id);
                let stand_in = scale.of(edges.key(id));
                (low, high) = (low.min(stand_in), high.max(stand_in));
                rank.store(pack(stand_in, id), Relaxed);
                ends.store(pack(component(u), component(v)), Relaxed);
            }
            lowest.fetch_min(low, Relaxed);
            highest.fetch_max(high, Relaxed);
        });
        if let Some(spokes) = self.spokes {
            let next = AtomicUsize::new(self.chosen.len());
            self.team.distribute(
                self.edges.vertices() as usize,
                Schedule::Dynamic(VERTICES),
                |_, vertices| {
                    let start = next.fetch_add(spokes.among(vertices.clone()).count(), Relaxed);
                    let (mut low, mut high) = (u32::MAX, 0);
                    for ([rank, ends], (vertex, offer)) in
                        items[start..].iter().zip(spokes.among(vertices))
                    {
                        let (stand_in, _) = unpack(offer);
                        (low, high) = (low.min(stand_in), high.max(stand_in));
                        rank.store(offer, Relaxed);
                        ends.store(pack(spokes.giant, self.component(vertex)), Relaxed);
                    }
                    lowest.fetch_min(low, Relaxed);
                    highest.fetch_max(high, Relaxed);
                },
            );
        }
        lowest.into_inner()..=highest.into_inner()
    }

    /// A scale for the keys of the band.
    fn scale(&self) -> Scale {
        if W::Key::BITS == 32 {
            return Scale::IDENTITY;
        }
        if let Some(spokes) = self.spokes {
            return spokes.scale;
        }
        let span = Span::default();
        self.chosen.for_each(self.team, |_, ids| {
            span.add(ids.iter().map(|&id| self.edges.key(id).to_u64()));
        });
        span.scale()
    }

    /// Borůvka's algorithm, round by round. Edges are `ORDERED` by their ids as long as no spokes
    /// come behind them.
    fn rounds<'b, const ORDERED: bool>(
        &self,
        memory: &'b mut [u64],
        run: &mut Run<'_>,
    ) -> Result<(&'b [AtomicU32], usize), SolveError> {
        let (lightest, rest) = memory.split_at_mut(self.sets);
        let (labels, records) = rest.split_at_mut(self.sets);
        let labels = atomic_u32(bytemuck::cast_slice_mut(labels));
        let mut levels = Levels { labels, sizes: Vec::new(), team: self.team };
        let contraction = Contraction::<_, ORDERED> {
            edges: self.edges,
            team: self.team,
            scale: run.phase("scale", |_| self.scale()),
            records: atomic_u64(records).as_chunks().0,
            lightest: atomic_u64(lightest),
            forest: self.forest,
            grain: self.grain,
        };
        let about = REGIONS * self.team.threads();
        let parts = self.chosen.parts(about);
        let mut regions: Vec<_> =
            parts.iter().map(|(start, _)| Region::new(*start..*start)).collect();
        // Spokes lie behind, where there is room for one to each vertex.
        let vertices = self.edges.vertices() as usize;
        let share = vertices.div_ceil(about).max(1);
        let shares = self.spokes.map_or(0, |_| vertices.div_ceil(share));
        regions.extend(
            (0..shares)
                .map(|index| self.chosen.len() + index * share)
                .map(|at| Region::new(at..at)),
        );
        run.phase("gather", |_| {
            contraction.clear_lightest(self.sets);
            self.team.distribute(parts.len(), Schedule::Dynamic(1), |_, dealt| {
                for index in dealt {
                    let ids = self.chosen.ids(parts[index].1.clone());
                    match self.components {
                        None => contraction.gather_chosen(&regions[index], ids, |vertex| vertex),
                        Some(_) => {
                            contraction.gather_chosen(&regions[index], ids, |vertex| {
                                self.component(vertex)
                            });
                        }
                    }
                }
            });
            let Some(spokes) = self.spokes else { return };
            self.team.distribute(shares, Schedule::Dynamic(1), |_, dealt| {
                for index in dealt {
                    let edges = spokes
                        .among(index * share..vertices.min((index + 1) * share))
                        .map(|(vertex, offer)| ((spokes.giant, self.component(vertex)), offer));
                    contraction.gather_these(&regions[parts.len() + index], edges);
                }
            });
        });
        run.phase("settle", |_| contraction.settle(&regions));
        let mut counts = Counts { live: self.sets as u32, finished: 0 };
        loop {
            let parents = levels.push(counts.live as usize);
            contraction.hook::<false, false>(parents, None, &mut counts, run);
            run.phase("contract", |_| {
                contraction.contract::<false>(parents, counts.live, &mut regions);
            });
            regions.retain(|region| !region.is_empty());
            if regions.is_empty() {
                break;
            }
            run.round((counts.live + counts.finished) as usize, edges_in(&regions))?;
        }
        if !self.is_last {
            run.phase("compose", |_| levels.compose(counts));
        }
        Ok((&labels[..self.sets], (counts.live + counts.finished) as usize))
    }
}

/// The labels of all rounds of a band, kept until they are composed. Each round has at most half as
/// many as the last, so all together are at most twice the first.
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
            self.team.distribute(*size, Schedule::Dynamic(VERTICES), |_, range| {
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
