//! Filtered, contracting Borůvka: rounds that hook and contract, on the light edges first, so that most heavy edges are
//! thrown out by one look at their ends.
//!
//! ```text
//!   all edges --- m <= 3n ---------------------------------------------> rounds of Borůvka ---> forest
//!       |                                                                   ^
//!       '-- m > 3n: pivot --> split: up to the pivot --> gather records ----'
//!                                                            ^              | components
//!                                 filter: the edges between components <----'
//! ```
//!
//! * A round ([`contract`]) has every component hook onto its lightest edge, numbers the new components, and rewrites
//!   what is left of the edges. Right by the cut property; hooking all at once closes no cycle, because the order of
//!   edges is strict. Components that edges leave at least halve.
//! * A band ([`select`]) is the edges up to a pivot. When its rounds are over, its forest is that of all edges up to
//!   the pivot; an edge of the rest with both ends in one component is the heaviest of a cycle, and is not in the forest
//!   (cycle property). Only edges between components are ever written anywhere.
//! * Source: this project. Filtering by a pivot follows Osipov, Sanders & Singler 2009, contraction Sousa 2014, 4.4.
//! * Expected time O(m + n log n) for random weights, O((n + m) log n) for any, over the threads.
//! * Scratch 12 bytes an edge and 24 a vertex, in one piece, taken before work starts.
//! * Wants an edge list. Exact.

mod contract;
mod select;

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

use kostra_core::{
    Algorithm, BitSet, EdgeId, EdgeSet, Edges, Key, Platform, Problem, Representation, Run, SolveError,
    SolverInfo, SolverOption, Weight,
};

use self::contract::{Contraction, Counts, Records, Region, Scale};
use self::select::{Pivot, Selection};
use super::atomic::{atomic_u32, atomic_u64};
use super::team::{Schedule, Team, with_team};

/// Filtered, contracting Borůvka.
pub(crate) struct Fast;

const GRAIN: SolverOption = SolverOption {
    name: "grain",
    about: "how many edges each further thread must have to itself",
    default: 1 << 14,
    lowest: 1,
    highest: u32::MAX as u64,
};

/// More vertices than labels can number.
const TOO_MANY_VERTICES: u32 = 1 << 31;

impl Algorithm for Fast {
    const INFO: SolverInfo = SolverInfo {
        id: "fast",
        title: "Filtered, contracting Borůvka",
        source: "this project; after Osipov, Sanders & Singler 2009 and Sousa 2014, 4.4",
        platform: Platform::Threads,
        representation: Representation::EdgeList,
        exact: true,
        time: "O(m + n log n) expected",
        scratch: "12 bytes an edge, 24 a vertex",
        options: &[GRAIN],
    };

    fn admit(&self, vertices: u32, _edges: usize) -> Result<(), SolveError> {
        if vertices < TOO_MANY_VERTICES {
            return Ok(());
        }
        let cost = format!("labels for {vertices} vertices, more than the 2^31 - 1 that it has");
        Err(SolveError::Unsuitable { solver: Self::INFO.id, cost, advice: "take filter-kruskal" })
    }

    fn solve<W: Weight>(&self, problem: Problem<'_, W>, run: &mut Run<'_>) -> Result<EdgeSet, SolveError> {
        let edges = problem.edges();
        let (n, m) = (edges.vertices() as usize, edges.len());
        let mut scratch = run.take_workspace();
        let bytes = 12 * m + 24 * n + SLACK;
        let words = scratch.words(bytes).ok_or(SolveError::OutOfMemory { solver: Self::INFO.id, bytes })?;
        let words = &mut words[..bytes / 8];
        let mut forest = vec![0_u64; m.div_ceil(64)];
        let threads = run.threads().min(1 + m / run.option(&GRAIN) as usize);
        with_team(threads, |team| {
            let engine = Engine { edges, team, forest: atomic_u64(&mut forest) };
            match (m <= 3 * n, team.threads() == 1) {
                (true, true) => engine.solve_whole::<true>(words, run),
                (true, false) => engine.solve_whole::<false>(words, run),
                (false, true) => engine.solve_in_bands::<true>(words, run),
                (false, false) => engine.solve_in_bands::<false>(words, run),
            }
        })?;
        Ok(BitSet::from_words(forest))
    }
}

/// Bytes of scratch memory that rounding up to whole words may take.
const SLACK: usize = 256;
/// How many regions there are for each thread of several, so that none waits long for the last.
const REGIONS: usize = 16;
/// How many edges are drawn to place a pivot.
const SAMPLE: usize = 1 << 14;
/// How many vertices a thread takes at a time.
const VERTICES: usize = 1 << 14;

/// One solve. `ALONE` says that there is one thread, which then needs no atomic exchanges.
struct Engine<'a, W: Weight> {
    edges: Edges<'a, W>,
    team: &'a Team<'a>,
    forest: &'a [AtomicU64],
}

impl<'a, W: Weight> Engine<'a, W> {
    fn vertices(&self) -> usize {
        self.edges.vertices() as usize
    }

    fn regions(&self) -> usize {
        if self.team.threads() == 1 { 1 } else { REGIONS * self.team.threads() }
    }

    fn contraction<'b>(&self, records: &'b mut [u64], lightest: &'b mut [u64]) -> Contraction<'b, W>
    where
        'a: 'b,
    {
        Contraction {
            edges: self.edges,
            team: self.team,
            scale: Scale::of_all::<W::Key>(),
            records: Records(atomic_u64(records).as_chunks().0),
            lightest: atomic_u64(lightest),
            forest: self.forest,
        }
    }

    /// Sparse graphs: all edges at once. The first round works on the input itself.
    fn solve_whole<const ALONE: bool>(&self, words: &mut [u64], run: &mut Run<'_>) -> Result<(), SolveError> {
        let (n, m) = (self.vertices(), self.edges.len());
        let (records, rest) = words.split_at_mut(2 * m);
        let (lightest, rest) = rest.split_at_mut(n);
        let parents = atomic_u32(&mut bytemuck::cast_slice_mut(rest)[..n]);
        let contraction = self.contraction(records, lightest);

        run.round(n, m)?;
        run.phase("offer", |_| {
            contraction.clear_lightest(n);
            contraction.offer_input::<ALONE>();
        });
        let mut counts = Counts::default();
        contraction.hook::<ALONE, true>(parents, &mut counts, run);
        let cuts: Vec<usize> = (0..=self.regions()).map(|cut| m * cut / self.regions()).collect();
        let mut regions: Vec<_> = cuts
            .windows(2)
            .map(|cut| Region { start: cut[0], len: AtomicUsize::new(cut[1] - cut[0]) })
            .collect();
        run.phase("contract", |_| contraction.contract_input::<ALONE>(parents, &regions));
        while still_alive(&mut regions) {
            let live = counts.live as usize;
            run.round(live, edges_in(&regions))?;
            contraction.hook::<ALONE, false>(&parents[..live], &mut counts, run);
            run.phase("contract", |_| contraction.contract::<ALONE>(&parents[..live], &regions));
        }
        Ok(())
    }

    /// Denser graphs: a band of light edges, and of the rest what lies between its components. One such rest is
    /// enough, unless the graph is made so that the light edges join little; then there are as many bands as memory asks.
    fn solve_in_bands<const ALONE: bool>(
        &self,
        words: &mut [u64],
        run: &mut Run<'_>,
    ) -> Result<(), SolveError> {
        let (n, m) = (self.vertices(), self.edges.len());
        let (bits, rest) = words.split_at_mut(m.div_ceil(64));
        let (giant, rest) = rest.split_at_mut(n.div_ceil(64));
        let (lightest, rest) = rest.split_at_mut(n);
        let (labels, records) = rest.split_at_mut((3 * n).div_ceil(2));
        let (components, levels) = bytemuck::cast_slice_mut(labels).split_at_mut(n);
        let (giant, components) = (atomic_u64(giant), atomic_u32(components));
        let mut levels = Levels { labels: atomic_u32(levels), sizes: Vec::new(), team: self.team };
        let capacity = records.len() / 2;
        let contraction = self.contraction(records, lightest);
        let selection = Selection::new(atomic_u64(bits));

        let (mut counts, mut from, mut is_first) =
            (Counts { live: n as u32, finished: 0 }, Pivot::FIRST, true);
        let mut pivot = run.phase("pivot", |_| self.pivot(light_edges(m, n)));
        loop {
            // The pivot comes from a sample, which may mislead. The count is exact, and bisecting on it goes on until
            // the band fits.
            let (mut low, mut high) = (from, pivot);
            loop {
                if is_first {
                    run.phase("split", |_| selection.up_to(self.team, self.edges, pivot));
                } else {
                    run.phase("filter", |_| selection.apart(self.team, self.edges, components, giant, pivot));
                }
                if selection.len() > capacity {
                    high = pivot;
                } else if selection.len() == 0 && pivot < high {
                    low = pivot;
                } else {
                    break;
                }
                pivot = low.between(high);
                run.progress(0, 1)?;
            }
            run.counter("edges of the band", selection.len() as f64);
            let live = counts.live as usize;
            let (blocks, mut regions): (Vec<_>, Vec<_>) =
                selection.regions(self.regions()).into_iter().unzip();
            run.phase("gather", |_| {
                contraction.clear_lightest(live);
                self.team.deal(regions.len(), Schedule::Dynamic(1), |_, dealt| {
                    for index in dealt {
                        let ids = selection.ids(blocks[index].clone());
                        if is_first {
                            contraction.gather::<ALONE>(|vertex| vertex, &regions[index], ids);
                        } else {
                            let component = |vertex| components[vertex as usize].load(Relaxed);
                            contraction.gather::<ALONE>(component, &regions[index], ids);
                        }
                    }
                });
            });
            levels.sizes.clear();
            run.round(live, edges_in(&regions))?;
            while still_alive(&mut regions) {
                let parents = levels.push(counts.live as usize);
                contraction.hook::<ALONE, false>(parents, &mut counts, run);
                run.phase("contract", |_| contraction.contract::<ALONE>(parents, &regions));
                run.round((counts.live + counts.finished) as usize, edges_in(&regions))?;
            }
            if pivot == Pivot::LAST || counts.live + counts.finished <= 1 {
                return Ok(());
            }
            run.phase("compose", |_| {
                levels.compose(counts);
                levels.apply_to(components, is_first);
                self.find_giant(components, giant);
            });
            counts = Counts { live: counts.live + counts.finished, finished: 0 };
            (from, pivot, is_first) = (pivot, Pivot::LAST, false);
        }
    }

    /// The place in the order up to which about so many edges come.
    fn pivot(&self, light: usize) -> Pivot {
        let stretch = self.edges.len().div_ceil(SAMPLE);
        // One draw from each of SAMPLE stretches of equal length, at a place in it that a hash picks.
        let mut sample: Vec<_> = (0..self.edges.len() / stretch)
            .map(|index| {
                let hash = (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
                let id = (index * stretch + ((hash * stretch as u64) >> 32) as usize) as EdgeId;
                Pivot { key: self.edges.key(id).to_u64(), id }
            })
            .collect();
        let index = (sample.len() * light / self.edges.len()).min(sample.len() - 1);
        *sample.select_nth_unstable(index).1
    }

    /// Finds the vertices of the component that holds the most of a small sample.
    fn find_giant(&self, components: &[AtomicU32], giant: &[AtomicU64]) {
        let stretch = components.len().div_ceil(256);
        let mut sample: Vec<_> =
            components.iter().step_by(stretch).map(|component| component.load(Relaxed)).collect();
        sample.sort_unstable();
        let most = sample.chunk_by(|a, b| a == b).max_by_key(|run| run.len()).map_or(0, |run| run[0]);
        self.team.deal(giant.len(), Schedule::Dynamic(VERTICES / 64), |_, words| {
            for word in words {
                let members = &components[word * 64..components.len().min(word * 64 + 64)];
                let bit =
                    |(index, member): (usize, &AtomicU32)| u64::from(member.load(Relaxed) == most) << index;
                giant[word]
                    .store(members.iter().enumerate().map(bit).fold(0, |bits, bit| bits | bit), Relaxed);
            }
        });
    }
}

/// How many edges make the light band: a little more than vertices, which leaves most vertices of a random graph in one
/// component; or, where that is small change, so many that a random graph is connected by them.
fn light_edges(edges: usize, vertices: usize) -> usize {
    let n = vertices as f64;
    let (most_together, all_together) = ((1.25 * n) as usize, (0.6 * n * n.ln()) as usize);
    if all_together < edges / 16 { all_together } else { most_together }
}

fn edges_in(regions: &[Region]) -> usize {
    regions.iter().map(|region| region.len.load(Relaxed)).sum()
}

/// Forgets empty regions, and says whether any are left.
fn still_alive(regions: &mut Vec<Region>) -> bool {
    regions.retain(|region| region.len.load(Relaxed) > 0);
    !regions.is_empty()
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

    /// Brings the components of vertices up to date: vertices are the first ones.
    fn apply_to(&self, components: &[AtomicU32], is_first: bool) {
        let has_labels = !self.sizes.is_empty();
        self.team.deal(components.len(), Schedule::Dynamic(VERTICES), |_, range| {
            for vertex in range {
                let place = if is_first { vertex as u32 } else { components[vertex].load(Relaxed) };
                let component = if has_labels { self.labels[place as usize].load(Relaxed) } else { place };
                components[vertex].store(component, Relaxed);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::{AnyGraph, Order, Solver, Workspace};

    use super::*;
    use crate::sequential::{Kruskal, tests::Random};

    fn ids(solver: &dyn Solver, graph: &AnyGraph, order: Order, run: Run<'_>) -> Vec<EdgeId> {
        let mut run = run;
        solver.solve(graph, order, &mut run).unwrap().forest.into_ids()
    }

    #[test]
    fn small_multigraphs_on_many_threads_in_one_workspace_give_the_canonical_forest() {
        let (mut random, mut workspace) = (Random(5), Workspace::new());
        for round in 0..if cfg!(miri) { 5 } else { 3000 } {
            let graph = random.any_graph();
            let order = if round % 2 == 0 { Order::Minimum } else { Order::Maximum };
            let expected = ids(&Kruskal, &graph, order, Run::new());
            for threads in [1, 2, 5] {
                let run = Run::new().on_threads(threads).in_workspace(&mut workspace);
                let run = run.with_option(&Fast::INFO, "grain", 1).unwrap();
                assert_eq!(
                    ids(&Fast, &graph, order, run),
                    expected,
                    "{threads} threads, graph {round}: {graph:?}"
                );
            }
        }
    }

    /// Light edges that all run between two vertices leave a rest that is too large for one band.
    #[test]
    #[cfg_attr(miri, ignore = "millions of edges")]
    fn light_edges_that_join_nothing_take_more_bands() {
        let (n, m) = (1000_u32, 300_000_u32);
        let mut random = Random(6);
        let light = |id: u32| id.is_multiple_of(8);
        let u: Vec<u32> = (0..m).map(|id| if light(id) { 0 } else { random.below(n) }).collect();
        let v: Vec<u32> = (0..m).map(|id| if light(id) { 1 } else { random.below(n) }).collect();
        let w: Vec<u64> =
            (0..m).map(|id| if light(id) { 1 } else { 2 + u64::from(random.below(9)) }).collect();
        let graph = AnyGraph::from_edges(n as usize, u, v, w).unwrap();
        let expected = ids(&Kruskal, &graph, Order::Minimum, Run::new());
        for threads in [1, 3] {
            assert_eq!(ids(&Fast, &graph, Order::Minimum, Run::new().on_threads(threads)), expected);
        }
    }
}
