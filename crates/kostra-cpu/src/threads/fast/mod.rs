//! Filtering on dense graphs, contracting on sparse ones.
//!
//! Up to three edges a vertex, rounds of Borůvka's algorithm take all edges at once. Else a pivot
//! chooses a band of light edges; from its forest every vertex gets its component's number; edges
//! inside a component are thrown out; and the next band comes from the rest.
//!
//! * A round of Borůvka ([`contract`]): every component hooks onto its lightest edge, the new
//!   components are numbered, and what is left of the edges is rewritten. Right by the cut
//!   property; hooking all at once closes no cycle, because the order of edges is strict.
//!   Components that edges leave at least halve.
//! * A band ([`band`]) is the edges up to a pivot ([`select`]) between components. When its forest
//!   is there, an edge of the rest with both ends in one component is the heaviest of a cycle, and
//!   is not in the forest (cycle property); the others take the next turn. Only edges between
//!   components are ever written anywhere.
//! * A few threads sort a band and unite as in Kruskal's algorithm, which touches less memory than
//!   rounds; more threads share rounds, of which no step is left to one of them.
//! * Source: this project. Filtering by a pivot follows Osipov, Sanders & Singler 2009, contraction
//!   Sousa 2014, 4.4. `docs/algorithms/fast.md` tells the whole story.
//! * Expected time O(m + n log n) for random weights, O((n + m) log n) for any, over the threads.
//! * Scratch 12 bytes an edge and 24 a vertex, in one piece, taken before work starts.
//! * Wants an edge list. Exact.

mod band;
mod bits;
mod contract;
mod kruskal;
mod offer;
mod scale;
mod select;
mod settle;
mod sort;
mod spokes;
mod twins;

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use kostra_core::{
    Algorithm, EdgeId, EdgeSet, Edges, OutOfMemory, Platform, Problem, Representation, Run,
    SolveError, SolverInfo, SolverOption, Vertex, Weight,
};

use self::band::Band;
use self::contract::{Contraction, Counts, LABEL};
use self::offer::Region;
use self::scale::Scale;
use self::select::{Candidates, Pivot, Selection};
use self::settle::Staying;
pub use self::settle::{Settled, settle};
use self::spokes::Spokes;
use crate::MANY;
use crate::light_edges::{giant_component, light_edges};
use kostra_parallel::SharedEdgeSet;
use kostra_parallel::edge_ids;
use kostra_parallel::with_observed_team;
use kostra_parallel::{Schedule, Team};
use kostra_parallel::{atomic_u32, atomic_u64};

/// Filtering or contracting, as the graph wants.
pub(crate) struct Fast;

const GRAIN: SolverOption = SolverOption {
    name: "grain",
    about: "how many edges each further thread must have to itself",
    default: 1 << 14,
    lowest: 1,
    highest: u32::MAX as u64,
};

impl Algorithm for Fast {
    const INFO: SolverInfo = SolverInfo {
        id: "fast",
        title: "Filtering or contracting, as the graph wants",
        source: "this project; after Osipov, Sanders & Singler 2009 and Sousa 2014, 4.4",
        platform: Platform::Threads,
        representation: Representation::EdgeList,
        exact: true,
        time: "O(m + n log n) expected",
        scratch: "12 bytes an edge, 24 a vertex",
        options: &[GRAIN],
    };

    fn admit(&self, vertices: u32, _edges: usize) -> Result<(), SolveError> {
        if vertices < MANY {
            return Ok(());
        }
        let cost = format!("labels for {vertices} vertices, more than the 2^31 - 1 that it has");
        Err(SolveError::Unsuitable { solver: Self::INFO.id, cost, advice: "take filter-kruskal" })
    }

    fn solve<W: Weight>(
        &self,
        problem: Problem<'_, W>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let edges = problem.edges();
        let (forest, ()) = solve(edges, run, |engine, words, run| {
            if edges.len() > 3 * edges.vertices() as usize {
                engine.filter(words, run)
            } else if engine.team.threads() == 1 {
                engine.contract::<true>(words, None, run).map(drop)
            } else {
                engine.contract::<false>(words, None, run).map(drop)
            }
        })?;
        Ok(forest)
    }

    fn list(&self, forest: EdgeSet, run: &Run<'_>) -> Result<Vec<EdgeId>, OutOfMemory> {
        edge_ids(forest, run.threads())
    }
}

/// Gives an engine its threads and its memory. Returns the forest that it finds, and what else it
/// says.
fn solve<W: Weight, T: Send>(
    edges: Edges<'_, W>,
    run: &mut Run<'_>,
    step: impl FnOnce(&Engine<'_, W>, &mut [u64], &mut Run<'_>) -> Result<T, SolveError>,
) -> Result<(EdgeSet, T), SolveError> {
    let (n, m) = (edges.vertices() as usize, edges.len());
    let mut scratch = run.take_workspace();
    let bytes = 12 * m + 24 * n + SLACK;
    let words =
        scratch.words(bytes).ok_or(SolveError::OutOfMemory { solver: Fast::INFO.id, bytes })?;
    let words = &mut words[..bytes / 8];
    let forest = SharedEdgeSet::new(m)?;
    let grain = run.option(&GRAIN) as usize;
    let threads = run.threads().min(1 + m / grain);
    let said = with_observed_team(run, threads, |team, run| {
        step(&Engine { edges, team, forest: &forest, grain }, words, run)
    })?;
    run.phase("free memory", |_| drop(scratch));
    Ok((forest.into_edge_set(), said))
}

/// Bytes of scratch memory that rounding up to whole words may take.
const SLACK: usize = 256;
/// How many regions there are for each thread of several, so that none waits long for the last.
const REGIONS: usize = 16;
/// Regions of fewer edges would have too many neighbours.
const REGION: usize = 1 << 17;
/// How many vertices a thread takes at a time.
const VERTICES: usize = 1 << 14;

/// One solve.
struct Engine<'a, W: Weight> {
    edges: Edges<'a, W>,
    team: &'a Team<'a>,
    forest: &'a SharedEdgeSet,
    grain: usize,
}

impl<W: Weight> Engine<'_, W> {
    /// Sparse graphs: all edges at once. The first round works on the input itself. `ALONE` says
    /// that there is one thread, which then needs no exchanges. Returns the edges that are left
    /// between components that stay.
    fn contract<const ALONE: bool>(
        &self,
        words: &mut [u64],
        mut staying: Option<&mut Staying>,
        run: &mut Run<'_>,
    ) -> Result<([Vec<Vertex>; 2], Vec<EdgeId>), SolveError> {
        let (n, m) = (self.edges.vertices() as usize, self.edges.len());
        let (records, rest) = words.split_at_mut(2 * m);
        let (lightest, rest) = rest.split_at_mut(n);
        let parents = atomic_u32(&mut bytemuck::cast_slice_mut(rest)[..n]);
        let contraction = Contraction::<_, true> {
            edges: self.edges,
            team: self.team,
            scale: run.phase("scale", |_| Scale::of_all(self.edges, self.team)),
            records: atomic_u64(records).as_chunks().0,
            lightest: atomic_u64(lightest),
            forest: self.forest,
            grain: self.grain,
        };

        run.round(n, m)?;
        let threads = self.team.threads();
        // As many for each thread, so that they end together.
        let count = if ALONE {
            1
        } else {
            (REGIONS * threads).min(m / REGION).max(1).next_multiple_of(threads)
        };
        let mut regions: Vec<_> = (0..count)
            .map(|index| Region::new(m * index / count..m * (index + 1) / count))
            .collect();
        run.phase("offer", |_| {
            contraction.clear_lightest(n);
            contraction.offer_input::<ALONE>(&mut regions);
        });
        let mut counts = Counts::default();
        contraction.hook::<ALONE, true>(parents, staying.as_deref(), &mut counts, run);
        run.progress(0, m)?;
        run.phase("contract", |_| {
            contraction.contract_input::<ALONE>(parents, counts.live, &mut regions);
        });
        loop {
            if let Some(staying) = &mut staying {
                staying.follow(parents, counts.live);
            }
            let stay = staying.as_ref().map_or(0, |staying| staying.len());
            regions.retain(|region| !region.is_empty());
            if regions.is_empty() || counts.live as usize == stay {
                return Ok(staying.map_or_else(Default::default, |staying| {
                    staying.left(&contraction, &regions)
                }));
            }
            let parents = &parents[..counts.live as usize];
            run.round(parents.len(), edges_in(&regions))?;
            contraction.hook::<ALONE, false>(parents, staying.as_deref(), &mut counts, run);
            run.phase("contract", |_| {
                contraction.contract::<ALONE>(parents, counts.live, &mut regions);
            });
        }
    }

    /// Denser graphs: band after band of light edges, and between them only what lies between
    /// components is kept.
    fn filter(&self, words: &mut [u64], run: &mut Run<'_>) -> Result<(), SolveError> {
        let (n, m) = (self.edges.vertices() as usize, self.edges.len());
        let (chosen, rest) = words.split_at_mut(m.div_ceil(64));
        let (heavy, rest) = rest.split_at_mut(m.div_ceil(64));
        let (giant, rest) = rest.split_at_mut(n.div_ceil(64));
        let (components, memory) = rest.split_at_mut(n.div_ceil(2));
        let components = atomic_u32(&mut bytemuck::cast_slice_mut(components)[..n]);
        let (lightest, memory) = memory.split_at_mut(n);
        let lightest = atomic_u64(lightest);
        let giant = atomic_u64(giant);
        let (chosen, heavy) =
            (Selection::new(atomic_u64(chosen)), Selection::new(atomic_u64(heavy)));

        let (mut candidates, mut sets, mut from) = (Candidates::All(m), n, Pivot::FIRST);
        let mut most_were_kept = false;
        while candidates.len() > 0 && sets > 1 {
            run.round(sets, candidates.len())?;
            let wanted = light_edges(candidates.len(), sets as u32, n as u32, most_were_kept);
            let pivot = run.phase("pivot", |_| candidates.pivot(self.edges, wanted));
            let capacity = band::capacity(self.team.threads(), memory.len(), sets);
            let pivot = self.choose(&chosen, candidates, (from, pivot), capacity, run)?;
            run.counter("edges of the band", chosen.len() as f64);
            let is_first = from == Pivot::FIRST;
            let band = Band {
                edges: self.edges,
                team: self.team,
                forest: self.forest,
                grain: self.grain,
                chosen: &chosen,
                components: (!is_first).then_some(components),
                sets,
                spokes: None,
                is_last: pivot == Pivot::LAST,
            };
            let (labels, left) = band.solve(memory, run)?;
            if pivot == Pivot::LAST || left <= 1 {
                return Ok(());
            }
            let most = run.phase("relabel", |_| {
                self.relabel(components, labels, is_first);
                self.find_giant(components, giant)
            });
            let before = candidates.len();
            // Where candidates are few beside the vertices, it is not worth passing over all of
            // these.
            let spokes = most.filter(|_| before > n);
            let spokes = run.phase("filter", |_| {
                let spokes = spokes.map(|most| Spokes::new(self.team, self.edges, most, lightest));
                let kept = spokes.as_ref().map(|spokes| (spokes, &chosen));
                heavy.take_apart(self.team, self.edges, candidates, (components, giant), kept);
                spokes
            });
            (candidates, sets, from) = (Candidates::These(&heavy), left, pivot);
            let Some(spokes) = spokes else {
                most_were_kept = heavy.len() > before / 2;
                continue;
            };
            let kept = heavy.len() + spokes.len();
            most_were_kept = kept > before / 2;
            let wanted = light_edges(kept, sets as u32, n as u32, most_were_kept);
            let edges = (heavy.len(), spokes.len());
            if wanted < kept
                || !band::fits_with_spokes(self.team.threads(), edges, n, memory.len(), sets)
            {
                run.phase("filter", |_| spokes.add_to(&heavy, self.team));
                continue;
            }
            run.round(sets, kept)?;
            run.counter("edges of the band", kept as f64);
            let components = Some(components);
            let band = Band {
                chosen: &heavy,
                components,
                sets,
                spokes: Some(&spokes),
                is_last: true,
                ..band
            };
            return band.solve(memory, run).map(drop);
        }
        Ok(())
    }

    /// Selects the candidates of a band: those up to the pivot, if there are any and they fit the
    /// memory. The pivot comes from a sample, which may mislead; the count is exact, and bisecting
    /// on it goes on until the band fits. Returns the pivot that it came to.
    fn choose(
        &self,
        band: &Selection<'_>,
        candidates: Candidates<'_, '_>,
        (mut low, mut pivot): (Pivot, Pivot),
        capacity: usize,
        run: &mut Run<'_>,
    ) -> Result<Pivot, SolveError> {
        let mut high = pivot;
        loop {
            run.phase("select", |_| band.take_up_to(self.team, self.edges, candidates, pivot));
            if band.len() > capacity {
                high = pivot;
            } else if band.len() == 0 && pivot < high {
                low = pivot;
            } else {
                return Ok(pivot);
            }
            pivot = low.between(high);
            run.progress(0, 1)?;
        }
    }

    /// Brings the components of vertices up to date; before the first band each vertex is its own.
    fn relabel(&self, components: &[AtomicU32], labels: &[AtomicU32], is_first: bool) {
        self.team.distribute(components.len(), Schedule::Dynamic(VERTICES), |_, range| {
            let (components, labels) = (components, labels); // in registers
            for vertex in range {
                let component =
                    if is_first { vertex } else { components[vertex].load(Relaxed) as usize };
                components[vertex].store(labels[component].load(Relaxed) & !LABEL, Relaxed);
            }
        });
    }

    /// Finds the component that holds the most of a small sample, and its vertices.
    fn find_giant(&self, components: &[AtomicU32], giant: &[AtomicU64]) -> Option<Vertex> {
        let most = giant_component(components.len(), |vertex| components[vertex].load(Relaxed));
        self.team.distribute(giant.len(), Schedule::Dynamic(VERTICES / 64), |_, words| {
            for word in words {
                let members = &components[word * 64..components.len().min(word * 64 + 64)];
                let bits = members.iter().rev().fold(0, |bits, member| {
                    bits << 1 | u64::from(Some(member.load(Relaxed)) == most)
                });
                giant[word].store(bits, Relaxed);
            }
        });
        most
    }
}

fn edges_in(regions: &[Region]) -> usize {
    regions.iter().map(|region| region.len.load(Relaxed)).sum()
}

#[cfg(test)]
mod tests {
    use kostra_core::{AnyGraph, EdgeId, Order, Solver, Workspace};

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

    /// Roads that are listed from both ends, of which some lead anywhere: all the ways in which
    /// regions share components.
    #[test]
    fn edges_near_and_far_on_many_threads_give_the_canonical_forest() {
        let mut random = Random(8);
        let n = if cfg!(miri) { 60 } else { 4000 };
        for (far, weights) in [(0, 1000), (50, 1000), (50, 2), (5, 1000), (5, 1), (1, 1000)] {
            let (mut u, mut v, mut w) = (Vec::new(), Vec::new(), Vec::<i64>::new());
            for a in 0..n {
                for b in [a + 1, a + 2 + random.below(30)] {
                    let leads_far = far > 0 && random.below(far) == 0;
                    let b = if leads_far { random.below(n) } else { b.min(n - 1) };
                    let weight =
                        i64::from(random.below(weights)) << 33 | i64::from(random.below(3));
                    if random.below(3) > 0 {
                        u.extend([a, b]);
                        v.extend([b, a]);
                        w.extend([weight, weight]);
                    }
                }
            }
            let mut by_end: Vec<_> = (0..u.len()).collect();
            by_end.sort_by_key(|&id| u[id]);
            let sorted = |ends: &[u32]| by_end.iter().map(|&id| ends[id]).collect::<Vec<_>>();
            let (u, v) = (sorted(&u), sorted(&v));
            let wide: Vec<i64> = by_end.iter().map(|&id| w[id]).collect();
            let narrow: Vec<i32> = wide.iter().map(|weight| (weight >> 33) as i32).collect();
            for graph in [
                AnyGraph::from_edges(n as usize, u.clone(), v.clone(), wide).unwrap(),
                AnyGraph::from_edges(n as usize, u, v, narrow).unwrap(),
            ] {
                let expected = ids(&Kruskal, &graph, Order::Minimum, Run::new());
                for threads in [1, 2, 3, 8] {
                    let run = Run::new()
                        .on_threads(threads)
                        .with_option(&Fast::INFO, "grain", 1)
                        .unwrap();
                    let found = ids(&Fast, &graph, Order::Minimum, run);
                    assert!(
                        found == expected,
                        "{threads} threads, one in {far} far, weights below {weights}"
                    );
                }
            }
        }
    }

    /// Both bands have more edges than few, on more threads than sort, and the second has spokes.
    /// Weights are few, many, and so wide that stand-ins are equal where they are not.
    #[test]
    #[cfg_attr(miri, ignore = "millions of edges")]
    fn bands_in_rounds_on_many_threads_give_the_canonical_forest() {
        let (n, m) = (600_000, 2_000_000);
        let mut random = Random(9);
        let mut ends = || -> Vec<u32> { (0..m).map(|_| random.below(n)).collect() };
        let (u, v, high, low) = (ends(), ends(), ends(), ends());
        let few = high.iter().map(|high| high % 5).collect::<Vec<_>>();
        let wide =
            high.iter().zip(&low).map(|(high, low)| i64::from(high % 50) << 50 | i64::from(*low));
        for graph in [
            AnyGraph::from_edges(n as usize, u.clone(), v.clone(), few),
            AnyGraph::from_edges(n as usize, u.clone(), v.clone(), wide.collect::<Vec<_>>()),
            AnyGraph::from_edges(n as usize, u, v, high),
        ] {
            let graph = graph.unwrap();
            let expected = ids(&Kruskal, &graph, Order::Minimum, Run::new());
            for threads in [5, 8] {
                let found = ids(&Fast, &graph, Order::Minimum, Run::new().on_threads(threads));
                assert!(found == expected, "{threads} threads");
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
            assert_eq!(
                ids(&Fast, &graph, Order::Minimum, Run::new().on_threads(threads)),
                expected
            );
        }
    }
}
