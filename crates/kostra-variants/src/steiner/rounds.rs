//! Rounds: trees of changed costs, combined with the best trees so far.
//!
//! A round finds Mehlhorn's tree for costs that are changed at random, and improves it by local
//! search with the true costs. Then it looks for a tree inside the union of this tree and one of
//! the best: their common edges keep their costs, and the others get higher ones. The rounds of one
//! generation start from the same best trees, on as many threads as there are, and their trees
//! enter the list in the order of the rounds. So the answer does not depend on the threads.
//!
//! Source: the multistart of Uchoa & Werneck 2012 and the combination of Pajor, Uchoa & Werneck
//! 2018, with fewer steps.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use kostra_core::random::RandomStream;
use kostra_core::{EdgeId, Run};

use super::dual_ascent::{Ascent, dual_ascent};
use super::local_search::LocalSearch;
use super::rows::{CostRows, Link};
use super::shortest_paths::shortest_paths;
use super::{FoundTree, SteinerProblem};

/// The search ends after so many steps of local search, at some millions per second and thread. So
/// it ends by itself, and at the same place on any machine.
const MOST_STEPS: u64 = 60_000_000;
/// The rounds of a generation: as many threads can work on one.
const GENERATION: u32 = 8;
/// The number of best trees that are kept.
const KEPT: usize = 10;
/// Costs are changed by factors in 1024ths.
const UNIT: u64 = 1024;
/// The most that a cost is raised for a new tree, in 1024ths.
const CHANGE: u64 = UNIT / 4;
/// How often the thread that waits for the others asks the observer.
const PAUSE: Duration = Duration::from_millis(5);

/// The best trees so far, and what can be in a better one.
pub(super) struct Rounds<'a> {
    problem: &'a SteinerProblem<'a>,
    best: Vec<FoundTree>,
    bound: u64,
    /// The edges that a better tree may contain.
    rows: CostRows,
    random: RandomStream,
}

impl<'a> Rounds<'a> {
    /// Rounds that start from a tree, and from an ascent.
    pub(super) fn new(problem: &'a SteinerProblem<'a>, best: FoundTree, ascent: &Ascent) -> Self {
        let rows = problem.rows.clone();
        let mut rounds =
            Self { problem, best: vec![best], bound: 0, rows, random: RandomStream::new(0) };
        rounds.tighten(ascent);
        rounds
    }

    /// Runs up to `rounds` rounds. Returns the best tree and the best bound.
    pub(super) fn search(mut self, rounds: u32, run: &mut Run<'_>) -> (FoundTree, u64) {
        let problem = self.problem;
        let (mut first, mut count, mut steps) = (0, 1, 0);
        while first < rounds && !self.is_optimal() && !problem.budget.is_over() {
            let place = self.random.below(first.into(), problem.terminals.list.len() as u64);
            let root = problem.terminals.list[place as usize];
            let mut stop = problem.budget.checks(run, (first, rounds));
            let ascent = dual_ascent(&self.rows, &problem.terminals, root, &mut stop);
            drop(stop);
            self.tighten(&ascent);
            let found = self.generation((first..first + count, rounds), run);
            first += count;
            let taken: u64 = found.iter().map(|(_, steps)| steps).sum();
            steps += taken;
            self.best.extend(found.into_iter().map(|(tree, _)| tree));
            self.best.sort_unstable();
            self.best.dedup();
            self.best.truncate(KEPT);
            let fitting = (MOST_STEPS.saturating_sub(steps)) / (taken / u64::from(count)).max(1);
            count = GENERATION.min(rounds - first).min(fitting as u32);
            if count == 0 {
                break;
            }
        }
        (self.best.swap_remove(0), self.bound)
    }

    fn is_optimal(&self) -> bool {
        self.best[0].cost <= self.bound
    }

    /// Raises the bound, and leaves out edges that are in no better tree.
    fn tighten(&mut self, ascent: &Ascent) {
        let problem = self.problem;
        let limit = self.best[0].cost;
        // The ascent knows only the edges that a better tree may contain.
        self.bound = self.bound.max(ascent.bound.min(limit));
        let edges = problem.graph.edges();
        let useful = ascent.useful_edges(&self.rows, &problem.terminals, limit, edges);
        self.rows =
            CostRows::new(problem.graph, &problem.costs.values, |edge| useful.contains(edge));
    }

    /// The trees of these rounds, of so many, and the steps that each took.
    fn generation(
        &self,
        (rounds, of): (Range<u32>, u32),
        run: &mut Run<'_>,
    ) -> Vec<(FoundTree, u64)> {
        let found: Vec<_> = rounds.clone().map(|_| Mutex::new(None)).collect();
        let next = AtomicU32::new(rounds.start);
        let work = |stop: &mut dyn FnMut() -> bool| {
            let mut search = LocalSearch::new(self.rows.vertices());
            loop {
                let round = next.fetch_add(1, Ordering::Relaxed);
                if round >= rounds.end || stop() {
                    return;
                }
                let before = search.steps();
                let tree = self.round(round, &mut search, stop);
                let tree = tree.map(|tree| (tree, search.steps() - before));
                if let Ok(mut place) = found[(round - rounds.start) as usize].lock() {
                    *place = tree;
                }
            }
        };
        let threads = run.request.threads().min(rounds.len());
        let budget = &self.problem.budget;
        std::thread::scope(|scope| {
            let start = |_| {
                let work = || work(&mut budget.own_checks());
                std::thread::Builder::new().spawn_scoped(scope, work).ok()
            };
            // One thread, or a system that refuses threads: the calling thread works.
            let workers: Vec<_> = (1..threads).map_while(start).collect();
            work(&mut budget.checks(run, (rounds.start, of)));
            while !workers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
                if run.report.progress(rounds.start as usize, of as usize).is_err() {
                    budget.stop();
                }
                std::thread::sleep(PAUSE);
            }
        });
        let found = found.into_iter().filter_map(|found| found.into_inner().ok().flatten());
        found.collect()
    }

    /// The tree of one round.
    fn round(
        &self,
        round: u32,
        search: &mut LocalSearch,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<FoundTree> {
        let random = self.random.split(round.into());
        let raised = |link: Link| raise(link.cost, UNIT + random.below(link.edge.into(), CHANGE));
        let changed = self.rows.with_costs(raised);
        let fresh = self.tree_in(&changed, random, search, stop)?;
        let other = random.split(1);
        let partner = &self.best[other.below(0, self.best.len() as u64) as usize];
        let both = self.combined(&fresh, partner, other);
        let both = self.tree_in(&both, other, search, stop)?;
        Some(fresh.min(both))
    }

    /// Mehlhorn's tree of these rows after local search.
    fn tree_in(
        &self,
        rows: &CostRows,
        random: RandomStream,
        search: &mut LocalSearch,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<FoundTree> {
        let terminals = &self.problem.terminals;
        let root = terminals.list[random.below(0, terminals.list.len() as u64) as usize];
        let ids = shortest_paths(rows, terminals, root, stop)?;
        let cost = self.problem.cost(&ids);
        Some(self.problem.improved(&self.rows, search, &FoundTree { cost, ids }, stop))
    }

    /// The rows of the edges of two trees. Edges of one tree only have higher costs.
    fn combined(&self, a: &FoundTree, b: &FoundTree, random: RandomStream) -> CostRows {
        let problem = self.problem;
        let is_in = |tree: &FoundTree, edge: EdgeId| tree.ids.binary_search(&edge).is_ok();
        let rows = CostRows::new(problem.graph, &problem.costs.values, |edge| {
            is_in(a, edge) || is_in(b, edge)
        });
        rows.with_costs(|link| {
            if is_in(a, link.edge) && is_in(b, link.edge) {
                return link.cost;
            }
            raise(link.cost, UNIT + random.below(1 + u64::from(link.edge), UNIT))
        })
    }
}

/// A cost times a factor in 1024ths, at most 2.
fn raise(cost: u64, factor: u64) -> u64 {
    (u128::from(cost) * u128::from(factor) / u128::from(UNIT)) as u64
}
