//! PMA: processors grow trees by Prim's algorithm up to a size, trees that touch are unified into
//! one vertex, and the next iteration goes on with the smaller graph.
//!
//! Partial Prim: there are n / gamma *processors*, and each has an equal part of the vertices. A
//! processor claims an unvisited vertex of its part by a compare-exchange and grows a tree from it:
//! it chooses the lightest edge that leaves the tree, and claims the other end. The tree ends when
//! it has gamma vertices, or when no edge leaves it, or when another tree owns the other end. In
//! the last case the trees *touch*. Then the processor claims its next vertex. The worker threads
//! take the processors one after another.
//!
//! MinPMA searches the rows of the tree's vertices, and moves the lightest edge of each row that
//! leaves the tree to the front. SortPMA sorts each row first, and keeps a cursor for each vertex
//! of the tree. HybridPMA is MinPMA in the first iteration and SortPMA in the others.
//!
//! Why the edges are right: only its own processor adds vertices to a tree. So at each choice the
//! tree is a fixed set of vertices, and the chosen edge is the first, in the order
//! `(weight key, edge id)`, of all edges that leave the set. By the cut property it is in the
//! minimum spanning forest, whatever other processors do in the meantime, and whether its other end
//! is free or not. This needs an exact membership test; see the first deviation.
//!
//! Why touches close no cycle but two-cycles: suppose that k trees touch each other in a circle,
//! each the next. It does not matter when they touched, and how far they have grown since, because
//! a vertex never leaves its tree. All edges inside these trees and the k edges of the touches are
//! edges of one forest, since the order is total and the forest unique. If k is 3 or more, the k
//! edges connect different pairs of trees, so they differ, and with paths inside the trees they
//! make a cycle of the forest: a contradiction. If k is 2, they are the same edge for the same
//! reason. With ties broken differently by the two processors, both arguments fail. So after the
//! two-cycles are removed, touches lead from every tree to one root.
//!
//! Why there are at most log2 n iterations: a tree has at least two vertices, or touches another
//! tree, or no edge leaves it. So each new vertex with an edge consists of at least two old ones.
//! Parallel edges that are not the lightest are never in the forest (cycle property).
//!
//! * Source: Nobari 2012, Algorithms 1 to 5, sections 4 and 5.
//! * Reports for each iteration the number of trees, touches and mutual touches, the size of the
//!   largest tree, the entries that searches looked at, the reduction rate (section 6.4), and the
//!   parallel edges that were removed.
//! * Time O(gamma m) for MinPMA and O(m log n + gamma n) for SortPMA per iteration, at most log2 n
//!   iterations. Scratch: 64 bytes per edge, 28 per vertex.
//! * Input: CSR. Exact. Threads.
//!
//! Deviations from the source:
//!
//! * A touch is kept beside the successor array, not in it ([`SharedTrees`]). The source writes
//!   `successor[s] = successor[v]`. If `v` is in a tree `t` that is still growing, the start vertex
//!   `s` then looks like a vertex of `t`, and `t` skips the edge to `s`. On the path 0 - 2 - 1 with
//!   weights 6 and 7 and an edge 0 - 1 of weight 8, trees from 0 and from 2 then choose the edge of
//!   weight 8.
//! * A worker thread runs a processor to its end before it takes the next one. So as many trees
//!   grow at a time as there are threads, where a GPU grows thousands.
//! * Equal weights are ordered by edge id. The source appends a unique number to each weight.
//! * A vertex that no edge leaves is dropped from Q, since the tree only grows.
//! * The cursor `Last` of a vertex is kept beside the vertex in Q. It advances past all entries
//!   inside the tree; Algorithm 4 sets it only at a new minimum, and so visits entries again.
//! * Rows are built by counting and sorted one by one; see [`StageGraph`]. A row is sorted by one
//!   thread, so a hub is sorted by one thread.
//! * With the option `cooperative-search`, an iteration with fewer processors than threads has all
//!   threads search each row together; see `cooperative`. The source leaves a row to one processor.
//! * Parallel edges of the given graph stay in the first iteration, as the source removes parallel
//!   edges in the unification.

mod cooperative;
mod partial_prim;

use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;

use kostra_core::{
    Algorithm, EdgeSet, Key, OptionValues, OutOfMemory, Platform, Problem, Representation, Run,
    SolveError, SolverInfo, SolverOption, memory,
};
use kostra_parallel::{SharedEdgeSet, Team, lock, with_observed_team};

use super::stage_graph::{StageGraph, admit};
use crate::shared::SharedTrees;
use partial_prim::{Iteration, Search, Tally, Worker, joined};

/// PMA on threads.
pub(crate) struct Pma;

const VARIANT: SolverOption = SolverOption {
    name: "variant",
    about: "search of the lightest edge: MinPMA, SortPMA or HybridPMA",
    default: 2,
    values: OptionValues::Choice(&["min", "sort", "hybrid"]),
};

/// The default is the source's best value for a road network (Figure 7a). Every choice looks at
/// each vertex of the tree that an edge leaves, so larger trees than `highest` take quadratic time.
/// The source tries up to 1000.
const GAMMA: SolverOption = SolverOption {
    name: "gamma",
    about: "the most vertices of a tree",
    default: 8,
    values: OptionValues::Number { lowest: 2, highest: 1 << 10 },
};

const REMOVE_PARALLEL_EDGES: SolverOption = SolverOption {
    name: "remove-parallel-edges",
    about: "keep only the lightest of parallel edges after each iteration",
    default: 1,
    values: OptionValues::Switch,
};

const COOPERATIVE_SEARCH: SolverOption = SolverOption {
    name: "cooperative-search",
    about: "all threads search each row together when there are fewer processors than threads",
    default: 0,
    values: OptionValues::Switch,
};

impl Algorithm for Pma {
    const INFO: SolverInfo = SolverInfo {
        id: "pma",
        title: "Partial Prim in parallel",
        source: "Nobari 2012, Algorithms 1 to 5",
        platform: Platform::Threads,
        representation: Representation::Csr,
        exact: true,
        time: "O(gamma m log n), with sorted rows O((m log n + gamma n) log n)",
        scratch: "64 bytes per edge, 28 per vertex",
        options: &[VARIANT, GAMMA, REMOVE_PARALLEL_EDGES, COOPERATIVE_SEARCH],
    };

    fn admit(&self, _vertices: u32, edges: usize) -> Result<(), SolveError> {
        admit(edges, Self::INFO.id)
    }

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let (rows, vertices) = (problem.csr(run)?, problem.edges().vertices() as usize);
        let forest = SharedEdgeSet::new(problem.edges().len())?;
        let mut memory = [memory::zeros(vertices)?, memory::zeros(vertices)?];
        with_observed_team(run, run.request.threads(), |team, run| {
            let graph = run.phase("list", |_| StageGraph::build(rows, team))?;
            let [successor, touched] = &mut memory;
            let trees = SharedTrees::in_memory(successor, touched);
            let options = Options::chosen(run);
            let workers = workers(team.threads(), options.gamma)?;
            let mut state = State { graph, trees, forest: &forest, team, options, all: vertices };
            state.iterate(&workers, run)
        })?;
        Ok(forest.into_edge_set())
    }
}

/// What the caller has chosen.
#[derive(Clone, Copy, Debug)]
struct Options {
    first: Search,
    later: Search,
    gamma: u32,
    remove_parallel_edges: bool,
    cooperative_search: bool,
}

impl Options {
    fn chosen(run: &Run<'_>) -> Self {
        let (first, later) = match run.request.option(&VARIANT) {
            0 => (Search::Min, Search::Min),
            1 => (Search::Sort, Search::Sort),
            _ => (Search::Min, Search::Sort),
        };
        Self {
            first,
            later,
            gamma: run.request.option(&GAMMA) as u32,
            remove_parallel_edges: run.request.option(&REMOVE_PARALLEL_EDGES) == 1,
            cooperative_search: run.request.option(&COOPERATIVE_SEARCH) == 1,
        }
    }
}

fn workers(threads: usize, gamma: u32) -> Result<Vec<Mutex<Worker>>, OutOfMemory> {
    (0..threads).map(|_| Worker::new(gamma).map(Mutex::new)).collect()
}

/// The state between iterations.
struct State<'a> {
    graph: StageGraph,
    trees: SharedTrees<'a>,
    forest: &'a SharedEdgeSet,
    team: &'a Team<'a>,
    options: Options,
    /// The number of vertices of the given graph.
    all: usize,
}

impl State<'_> {
    /// Algorithm 1.
    fn iterate(&mut self, workers: &[Mutex<Worker>], run: &mut Run<'_>) -> Result<(), SolveError> {
        let (mut search, team, all) = (self.options.first, self.team, self.all);
        while self.graph.edges() > 0 {
            let before = self.graph.vertices();
            run.report.round(before as usize, self.graph.edges())?;
            let processors = before.div_ceil(self.options.gamma) as usize;
            if self.options.cooperative_search && processors < team.threads() {
                // Reads rows in any order.
                let iteration = self.begin(Search::Min, run);
                run.phase("search together", |run| {
                    iteration.search_together(workers, team, run, all)
                })?;
            } else {
                let iteration = self.begin(search, run);
                run.phase("partial prim", |run| iteration.grow_all(workers, team, run, all))?;
            }
            self.unify(workers, run)?;
            search = self.options.later;
        }
        run.report.finish_rounds();
        Ok(())
    }

    /// Marks all vertices as unvisited, and sorts the rows if the search needs it.
    fn begin(&mut self, search: Search, run: &mut Run<'_>) -> Iteration<'_> {
        let team = self.team;
        run.phase("initialize", |_| self.trees.forget(self.graph.vertices(), team));
        if search == Search::Sort {
            run.phase("sort rows", |_| self.graph.sort_rows(team));
        }
        Iteration {
            graph: &self.graph,
            trees: self.trees,
            forest: self.forest,
            gamma: self.options.gamma,
            search,
            next: AtomicUsize::new(0),
        }
    }

    /// Algorithm 5.
    fn unify(&mut self, workers: &[Mutex<Worker>], run: &mut Run<'_>) -> Result<(), SolveError> {
        let (team, trees, before) = (self.team, self.trees, self.graph.vertices());
        let (joined, all) = (joined(workers), self.all);
        let pairs = run.phase("find roots", |_| trees.unify(before, team));
        let tallies: Vec<_> =
            workers.iter().map(|worker| std::mem::take(&mut lock(worker).tally)).collect();
        report(&tallies, pairs, before, run);
        run.phase("number", |_| self.graph.number(trees, team));
        run.report.progress(joined, all)?;
        run.phase("relabel", |_| self.graph.relabel(trees, team))?;
        run.report.progress(joined, all)?;
        if self.options.remove_parallel_edges {
            let dropped =
                run.phase("remove parallel edges", |_| self.graph.remove_parallel_edges(team));
            run.report.counter("parallel edges", dropped as f64);
        }
        run.report.progress(joined, all)
    }
}

/// Reports an iteration on a graph with `vertices` vertices, in which `pairs` pairs of trees have
/// touched each other.
fn report(tallies: &[Tally], pairs: usize, vertices: u32, run: &mut Run<'_>) {
    let sum = |count: fn(&Tally) -> u64| tallies.iter().map(count).sum::<u64>() as f64;
    let (trees, touches) = (sum(|tally| tally.trees.into()), sum(|tally| tally.touches.into()));
    run.report.counter("trees", trees);
    run.report.counter("touches", touches);
    run.report.counter("mutual touches", pairs as f64);
    let largest = tallies.iter().map(|tally| tally.largest).max().unwrap_or(0);
    run.report.counter("largest tree", largest.into());
    run.report.counter("entries looked at", sum(|tally| tally.looked_at));
    // Each touch merges two components of trees, except the second of a mutual pair.
    let components = trees - (touches - pairs as f64);
    run.report
        .counter("reduction rate in percent", 100.0 * (1.0 - components / f64::from(vertices)));
}

#[cfg(test)]
mod tests;
