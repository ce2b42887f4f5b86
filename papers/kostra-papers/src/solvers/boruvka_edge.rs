//! Borůvka's algorithm parallel over edges, not vertices. Every edge is a candidate for the
//! components of its two ends. Each component keeps its lightest candidate, components are joined
//! along these edges, and the remaining edges are mapped to components and filtered.
//!
//! A component's lightest outgoing edge is in the forest (cut property), and joining all of them in
//! one round closes no cycle, because ranks are a strict total order. So the forest does not depend
//! on the order in which threads join. Components with outgoing edges at least halve in a round.
//!
//! * Source: Shou & He 2024, section 3.3, Listing 7, with the union-find of Listing 4, in their
//!   final approach: parallel filtering (optimization 1a), blocks of 1024 edges, path compression
//!   on. Options switch on two more: searches without path compression (optimization 3), and one
//!   loop that maps, filters and finds the lightest edges, in place of three (optimization 2). Two
//!   options restore the source's first version: a filter on one thread, and a list of the forest's
//!   edges that one thread fills.
//! * Time O((n + m) log n) work; scratch 24 bytes per edge and 16 per vertex (12 with 64-bit
//!   weights).
//! * Input: edge list. Exact. Threads.
//! * Reports the time of each loop in each round. Figures 1 to 4 of the source give the sum over
//!   all rounds.
//!
//! Deviations from the source:
//!
//! * Listing 7 joins the ends of an edge that is the lightest at both. Here one end is enough, as
//!   in Listing 5 and in the text of section 3.3: with both, a path of ascending weights would take
//!   a round for each edge.
//! * The source requires unique weights. Here minima are of ranks `(weight key, edge id)`, so
//!   weights may be equal.
//! * The source excludes self-loops. Here they are no candidates, and the first filter drops them.
//! * Edges of the forest are flagged in the set that is the answer. The source copies flagged edges
//!   into a list after the rounds, first on one thread and in its final approach by tickets
//!   (optimization 1b). Both are values of the option `forest-list`; the answer is then the set of
//!   the list's edges. By default there is no list, because nothing here needs it.
//! * The union-find corrects Listing 4 in two places; see `SharedUnionFind`.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use kostra_core::{
    Algorithm, EdgeId, EdgeSet, Edges, Key, OptionValues, Platform, Problem, Representation, Run,
    SolveError, SolverInfo, SolverOption, Vertex,
};
use kostra_parallel::{Schedule, SharedEdgeSet, Team, with_observed_team};

use crate::shared::{LightestEdges, SharedUnionFind, Worklist};

/// Borůvka's algorithm by edges.
pub(crate) struct BoruvkaEdge;

const PATH_COMPRESSION: SolverOption = SolverOption {
    name: "path-compression",
    about: "whether searches shorten the paths that they walk",
    default: 1,
    values: OptionValues::Switch,
};

const CHUNK: SolverOption = SolverOption {
    name: "chunk",
    about: "edges that a thread gets at a time",
    default: 1024,
    values: OptionValues::Number { lowest: 1, highest: 1 << 30 },
};

const MERGED_LOOP: SolverOption = SolverOption {
    name: "merged-loop",
    about: "whether one loop maps, filters and finds the lightest edges",
    default: 0,
    values: OptionValues::Switch,
};

const PARALLEL_FILTER: SolverOption = SolverOption {
    name: "parallel-filter",
    about: "whether all threads filter edges, or one; a merged loop always filters on all",
    default: 1,
    values: OptionValues::Switch,
};

const FOREST_LIST: SolverOption = SolverOption {
    name: "forest-list",
    about: "who copies the forest into a list: all by tickets, or one thread",
    default: 0,
    values: OptionValues::Choice(&["nobody", "one-thread", "all"]),
};

impl Algorithm for BoruvkaEdge {
    const INFO: SolverInfo = SolverInfo {
        id: "boruvka-edge",
        title: "Borůvka by edges",
        source: "Shou & He 2024, 3.3, Listing 7",
        platform: Platform::Threads,
        representation: Representation::EdgeList,
        exact: true,
        time: "O((n + m) log n) work",
        scratch: "24 bytes per edge, 16 per vertex (12 with 64-bit weights)",
        options: &[PATH_COMPRESSION, CHUNK, MERGED_LOOP, PARALLEL_FILTER, FOREST_LIST],
    };

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let edges = problem.edges();
        let (n, m) = (edges.vertices() as usize, edges.len());
        let sizes = [n, LightestEdges::<K>::words(n), Worklist::words(m), Worklist::words(m)];
        let words: usize = sizes.iter().sum();
        let mut workspace = run.request.take_workspace();
        let bytes = 8 * words;
        let memory = workspace
            .words(bytes)
            .ok_or(SolveError::OutOfMemory { solver: Self::INFO.id, bytes })?;
        let [records, slots, alive, filtered] = split(memory, sizes);
        let forest = SharedEdgeSet::new(m)?;
        let listed = with_observed_team(run, run.request.threads(), |team, run| {
            let rounds = Rounds {
                team,
                edges,
                chunk: run.request.option(&CHUNK) as usize,
                filter: if run.request.option(&PARALLEL_FILTER) == 1 {
                    StepBy::AllThreads
                } else {
                    StepBy::OneThread
                },
                components: SharedUnionFind::in_words(
                    records,
                    run.request.option(&PATH_COMPRESSION) == 1,
                ),
                lightest: LightestEdges::in_words(edges, slots),
                forest: &forest,
                joined: AtomicUsize::new(0),
            };
            let mut lists = Lists {
                alive: Worklist::in_words(alive, m, m),
                filtered: Worklist::in_words(filtered, m, 0),
            };
            run.phase("initialize", |_| rounds.initialize(&lists.alive));
            if run.request.option(&MERGED_LOOP) == 1 {
                rounds.run_three_loops(&mut lists, run)?;
            } else {
                rounds.run_four_loops(&mut lists, run)?;
            }
            let by = StepBy::option(run.request.option(&FOREST_LIST));
            by.map(|by| rounds.list_forest(by, &lists.filtered, run)).transpose()
        })?;
        run.phase("free memory", |_| drop(workspace));
        Ok(listed.unwrap_or_else(|| forest.into_edge_set()))
    }
}

/// The threads that run a step which the source parallelized later.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StepBy {
    OneThread,
    AllThreads,
}

impl StepBy {
    /// The value of [`FOREST_LIST`]; none if the step is left out.
    fn option(value: u64) -> Option<Self> {
        match value {
            0 => None,
            1 => Some(Self::OneThread),
            _ => Some(Self::AllThreads),
        }
    }
}

/// Cuts pieces of these sizes from memory.
fn split<const N: usize>(mut memory: &mut [u64], sizes: [usize; N]) -> [&mut [u64]; N] {
    sizes.map(|size| {
        let (piece, rest) = std::mem::take(&mut memory).split_at_mut(size);
        memory = rest;
        piece
    })
}

/// The state between rounds, except the remaining edges.
struct Rounds<'a, K: Key> {
    team: &'a Team<'a>,
    edges: Edges<'a, K>,
    chunk: usize,
    filter: StepBy,
    components: SharedUnionFind<'a>,
    lightest: LightestEdges<'a, K>,
    forest: &'a SharedEdgeSet,
    joined: AtomicUsize,
}

/// The remaining edges, and the output of the filter. The two lists swap their roles.
struct Lists<'a> {
    alive: Worklist<'a>,
    filtered: Worklist<'a>,
}

impl Lists<'_> {
    /// Runs a filter from the remaining edges to the other list, and swaps the lists.
    fn replace(&mut self, filter: impl FnOnce(&Worklist<'_>, &Worklist<'_>)) {
        self.filtered.clear();
        filter(&self.alive, &self.filtered);
        std::mem::swap(&mut self.alive, &mut self.filtered);
    }
}

impl<K: Key> Rounds<'_, K> {
    /// Listing 7.
    fn run_four_loops(&self, lists: &mut Lists<'_>, run: &mut Run<'_>) -> Result<(), SolveError> {
        while lists.alive.count() > 0 {
            self.report_round(&lists.alive, run)?;
            self.step("lightest", run, || self.find_lightest(&lists.alive))?;
            self.step("join", run, || self.join(&lists.alive))?;
            self.step("map", run, || self.map(&lists.alive))?;
            self.step("filter", run, || self.filter(lists))?;
        }
        Ok(())
    }

    /// Listing 7 with optimization 2.
    fn run_three_loops(&self, lists: &mut Lists<'_>, run: &mut Run<'_>) -> Result<(), SolveError> {
        loop {
            self.step("map, filter, lightest", run, || self.map_filter_find_lightest(lists))?;
            if lists.alive.count() == 0 {
                return Ok(());
            }
            self.report_round(&lists.alive, run)?;
            self.step("join", run, || self.join(&lists.alive))?;
            self.step("reset", run, || self.reset(&lists.alive))?;
        }
    }

    fn report_round(&self, alive: &Worklist<'_>, run: &mut Run<'_>) -> Result<(), SolveError> {
        run.report.round(self.edges.vertices() as usize - self.joined.load(Relaxed), alive.count())
    }

    /// Runs a parallel loop as a phase, and reports progress.
    fn step(
        &self,
        name: &'static str,
        run: &mut Run<'_>,
        parallel: impl FnOnce(),
    ) -> Result<(), SolveError> {
        run.phase(name, |_| parallel());
        run.report.progress(self.joined.load(Relaxed), self.edges.vertices() as usize)
    }

    fn schedule(&self) -> Schedule {
        Schedule::Dynamic(self.chunk)
    }

    /// Distributes the edges of a list. `step` gets the position, the ends and the id of an edge.
    fn for_each(&self, list: &Worklist<'_>, step: impl Fn(usize, (Vertex, Vertex), EdgeId) + Sync) {
        self.team.for_each(list.count(), self.schedule(), |place| {
            step(place, list.ends(place), list.id(place));
        });
    }

    /// Makes each vertex a component without a lightest edge, and lists all edges.
    fn initialize(&self, alive: &Worklist<'_>) {
        self.team.for_each(self.edges.vertices() as usize, self.schedule(), |vertex| {
            self.components.make_set(vertex as Vertex);
            self.lightest.clear(vertex as Vertex);
        });
        self.team.for_each(self.edges.len(), self.schedule(), |place| {
            alive.set(place, self.edges.ends(place as EdgeId), place as EdgeId);
        });
    }

    /// Finds the lightest edge out of every component.
    fn find_lightest(&self, alive: &Worklist<'_>) {
        self.for_each(alive, |_, (u, v), id| {
            if u != v {
                self.write_min_at_both_ends(u, v, id);
            }
        });
    }

    fn write_min_at_both_ends(&self, u: Vertex, v: Vertex, id: EdgeId) {
        let key = self.edges.key(id);
        self.lightest.write_min(u, key, id);
        self.lightest.write_min(v, key, id);
    }

    /// Joins the ends of every edge that is the lightest at one of them.
    fn join(&self, alive: &Worklist<'_>) {
        self.team.distribute(alive.count(), self.schedule(), |_, range| {
            let mut joined = 0;
            for place in range {
                let ((u, v), id) = (alive.ends(place), alive.id(place));
                let is_lightest =
                    self.lightest.get(u) == Some(id) || self.lightest.get(v) == Some(id);
                if is_lightest && self.components.join(u, v) {
                    self.forest.insert(id);
                    joined += 1;
                }
            }
            self.joined.fetch_add(joined, Relaxed);
        });
    }

    /// Maps the ends of every edge to components, and clears the slots of components with outgoing
    /// edges.
    fn map(&self, alive: &Worklist<'_>) {
        self.for_each(alive, |place, (u, v), _| {
            let (u, v) = (self.components.find(u), self.components.find(v));
            alive.set_ends(place, (u, v));
            if u != v {
                self.lightest.clear(u);
                self.lightest.clear(v);
            }
        });
    }

    /// Keeps the edges between different components. With all threads this is optimization 1a.
    fn filter(&self, lists: &mut Lists<'_>) {
        lists.replace(|alive, filtered| match self.filter {
            StepBy::AllThreads => self.for_each(alive, |_, (u, v), id| {
                if u != v {
                    filtered.push((u, v), id);
                }
            }),
            StepBy::OneThread => {
                for place in 0..alive.count() {
                    let (u, v) = alive.ends(place);
                    if u != v {
                        filtered.push_alone((u, v), alive.id(place));
                    }
                }
            }
        });
    }

    /// Copies the flagged edges to `list`, and returns the set of the list's edges. With all
    /// threads this is optimization 1b.
    fn list_forest(
        &self,
        by: StepBy,
        list: &Worklist<'_>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        list.clear();
        run.phase("copy the forest to a list", |_| match by {
            StepBy::AllThreads => {
                self.team.for_each(self.edges.len(), self.schedule(), |place| {
                    let id = place as EdgeId;
                    if self.forest.contains(id) {
                        list.push(self.edges.ends(id), id);
                    }
                });
            }
            StepBy::OneThread => {
                for id in self.edges.ids().filter(|&id| self.forest.contains(id)) {
                    list.push_alone(self.edges.ends(id), id);
                }
            }
        });
        run.phase("set of the list", |_| {
            let mut set = EdgeSet::try_new(self.edges.len())?;
            for place in 0..list.count() {
                set.insert(list.id(place));
            }
            Ok(set)
        })
    }

    /// Three loops in one: maps every edge, keeps those between different components, and finds the
    /// lightest of them.
    fn map_filter_find_lightest(&self, lists: &mut Lists<'_>) {
        lists.replace(|alive, filtered| {
            self.for_each(alive, |_, (u, v), id| {
                let (u, v) = (self.components.find(u), self.components.find(v));
                if u != v {
                    filtered.push((u, v), id);
                    self.write_min_at_both_ends(u, v, id);
                }
            });
        });
    }

    /// Clears every slot with a candidate. The components of the next round are among them.
    fn reset(&self, alive: &Worklist<'_>) {
        self.for_each(alive, |_, (u, v), _| {
            self.lightest.clear(u);
            self.lightest.clear(v);
        });
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::{AnyGraph, Order, Workspace};

    use super::*;
    use kostra_cpu::testing::{CongruentialGenerator, Log, canonical_ids, forest_ids};

    fn graph(vertices: u32, u: Vec<u32>, v: Vec<u32>, weights: Vec<i32>) -> AnyGraph {
        AnyGraph::from_edges(vertices as usize, u, v, weights).unwrap()
    }

    fn log_of(graph: &AnyGraph, merged_loop: u64) -> Log {
        let mut log = Log::default();
        let run = Run::new()
            .observed_by(&mut log)
            .on_threads(2)
            .with_option(&BoruvkaEdge::INFO, "merged-loop", merged_loop)
            .unwrap();
        forest_ids(&BoruvkaEdge, graph, Order::Minimum, run);
        log
    }

    #[test]
    fn every_variant_returns_the_canonical_forest_in_memory_that_was_used_before() {
        let (mut random, mut workspace) = (CongruentialGenerator(1), Workspace::new());
        for round in 0..if cfg!(miri) { 1 } else { 50 } {
            let (n, m) = (1 + random.below(60), random.below(150));
            let (u, v, weights) = (random.list(m, n), random.list(m, n), random.list(m, 9));
            let (narrow, wide) =
                (weights.iter().map(|&w| w as i32), weights.iter().map(|&w| f64::from(w) - 4.0));
            for graph in [
                graph(n, u.clone(), v.clone(), narrow.collect()),
                AnyGraph::from_edges(n as usize, u.clone(), v.clone(), wide.collect()).unwrap(),
            ] {
                let expected = canonical_ids(&graph, Order::Minimum);
                for variant in 0..12 {
                    let settings = [
                        ("path-compression", variant % 2),
                        ("merged-loop", variant / 2 % 2),
                        ("chunk", variant + 1),
                        ("parallel-filter", variant / 4 % 2),
                        ("forest-list", variant % 3),
                    ];
                    let mut run = Run::new()
                        .on_threads(1 + variant as usize / 4)
                        .in_workspace(&mut workspace);
                    for (name, value) in settings {
                        run = run.with_option(&BoruvkaEdge::INFO, name, value).unwrap();
                    }
                    let ids = forest_ids(&BoruvkaEdge, &graph, Order::Minimum, run);
                    assert_eq!(ids, expected, "graph {round}, {settings:?}: {graph:?}");
                }
            }
        }
    }

    #[test]
    fn ascending_weights_along_a_path_join_in_one_round() {
        let n = 1000;
        let path = graph(n, (0..n - 1).collect(), (1..n).collect(), (0..n as i32 - 1).collect());
        for merged_loop in [0, 1] {
            assert_eq!(log_of(&path, merged_loop).rounds, [(1000, 999)]);
        }
    }

    #[test]
    fn each_loop_of_each_round_is_timed() {
        // Two triangles joined by a heavy edge, a self-loop, and an isolated vertex.
        let (u, v) = (vec![0, 1, 2, 3, 4, 5, 2, 0], vec![1, 2, 0, 4, 5, 3, 3, 0]);
        let graph = graph(7, u, v, vec![1, 2, 3, 1, 2, 3, 9, -5]);
        let loops = ["lightest", "join", "map", "filter"];
        let log = log_of(&graph, 0);
        assert_eq!(log.rounds, [(7, 8), (3, 1)]);
        let (before, after) =
            (["start threads", "initialize"], ["end threads", "free memory", "list the forest"]);
        assert_eq!(log.phases, [&before[..], &loops, &loops, &after].concat());
        let log = log_of(&graph, 1);
        assert_eq!(log.rounds, [(7, 7), (3, 1)]);
        assert_eq!(log.phases[2..5], ["map, filter, lightest", "join", "reset"]);
        assert_eq!(log.phases.len(), 12);
    }

    #[test]
    fn the_list_of_the_forest_is_filled_after_the_rounds() {
        let graph = graph(3, vec![0, 1, 2], vec![1, 2, 0], vec![3, 1, 2]);
        for (value, expected) in [(0, false), (1, true), (2, true)] {
            let mut log = Log::default();
            let run = Run::new().observed_by(&mut log).on_threads(2);
            let run = run.with_option(&BoruvkaEdge::INFO, "forest-list", value).unwrap();
            assert_eq!(forest_ids(&BoruvkaEdge, &graph, Order::Minimum, run), [1, 2]);
            assert_eq!(log.phases.contains(&"copy the forest to a list"), expected);
        }
    }
}
