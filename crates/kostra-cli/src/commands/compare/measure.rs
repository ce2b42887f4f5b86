//! The runs of the algorithms.

use std::time::Duration;

use kostra_core::{AnyGraph, Forest, Run, SolveError, Solver, SolverInfo};

use super::Plan;
use crate::algorithm;
use crate::input::InputGraph;
use crate::progress::Stage;
use crate::trace::{Refused, Watcher};

/// An algorithm, and the results of its runs.
pub(super) struct Contestant {
    pub(super) info: &'static SolverInfo,
    /// Whether the command chose the algorithm.
    pub(super) is_auto: bool,
    pub(super) threads: usize,
    /// The times of solving, one for each run, in order of the runs.
    pub(super) times: Vec<Duration>,
    /// The number of rounds in the last run; none if the algorithm reports no rounds.
    pub(super) rounds: Option<usize>,
    /// The forest of the last run, or the reason why the algorithm stopped.
    pub(super) result: Result<Forest, SolveError>,
}

impl Contestant {
    /// The name in the table.
    pub(super) fn name(&self) -> String {
        let id = self.info.id;
        if self.is_auto { format!("auto ({id})") } else { id.to_owned() }
    }

    /// The median of the times; none if the algorithm did not solve the graph. Of an even number of
    /// times, it is the mean of the two in the middle.
    pub(super) fn median(&self) -> Option<Duration> {
        if self.result.is_err() {
            return None;
        }
        let mut times = self.times.clone();
        times.sort_unstable();
        let upper = times.get(times.len() / 2)?;
        let lower = times.get((times.len() - 1) / 2)?;
        Some((*upper + *lower) / 2)
    }
}

/// Runs all algorithms in turn, as often as planned. An algorithm that fails takes no further turn.
/// Threads that the system refuses are added to the input's notes.
pub(super) fn measure(plan: &Plan, input: &mut InputGraph) -> Vec<Contestant> {
    let mut contestants: Vec<Contestant> = Vec::with_capacity(plan.solvers.len());
    for turn in 0..plan.runs {
        for (index, chosen) in plan.solvers.iter().enumerate() {
            let solver = chosen.unwrap_or_else(|| kostra::auto(&input.parsed.graph));
            if contestants.get(index).is_some_and(|contestant| contestant.result.is_err()) {
                continue;
            }
            let stage =
                Stage::start(&format!("{}, run {} of {}", solver.info().id, turn + 1, plan.runs));
            let contestant = (solver, chosen.is_none());
            let (run, refused) = run_once(plan, contestant, &input.parsed.graph, &stage);
            if let Some(Refused { refused, wanted }) = refused {
                let note = format!("the system refused {refused} of {wanted} threads");
                input.notes.push(format!("{}: {note}", solver.info().id));
            }
            match contestants.get_mut(index) {
                Some(contestant) => {
                    contestant.times.extend(run.times);
                    contestant.rounds = run.rounds;
                    contestant.result = run.result;
                }
                None => contestants.push(run),
            }
        }
    }
    contestants
}

fn run_once(
    plan: &Plan,
    (solver, is_auto): (&'static dyn Solver, bool),
    graph: &AnyGraph,
    stage: &Stage,
) -> (Contestant, Option<Refused>) {
    let threads = algorithm::threads(solver.info(), plan.input.threads);
    let mut watcher = Watcher::new(stage, true);
    let mut run = Run::new().observed_by(&mut watcher).on_threads(threads);
    let (times, result) = match solver.solve(graph, plan.order, &mut run) {
        Ok(solution) => (vec![solution.solve], Ok(solution.forest)),
        Err(error) => (Vec::new(), Err(error)),
    };
    let (trace, refused) = watcher.finish();
    let rounds = trace.map(|trace| trace.rounds.len()).filter(|&rounds| rounds > 0);
    (Contestant { info: solver.info(), is_auto, threads, times, rounds, result }, refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_or_the_mean_of_the_two_in_the_middle() {
        let graph = AnyGraph::from_edges(2, vec![0], vec![1], vec![3]).unwrap();
        let solver = kostra::auto_on_processor(&graph);
        let forest =
            solver.solve(&graph, kostra_core::Order::Minimum, &mut Run::new()).unwrap().forest;
        let mut contestant = Contestant {
            info: solver.info(),
            is_auto: false,
            threads: 1,
            times: Vec::new(),
            rounds: None,
            result: Ok(forest),
        };
        for (times, median) in [(vec![5], 5), (vec![9, 1, 4], 4), (vec![8, 1, 2, 4], 3)] {
            contestant.times = times.into_iter().map(Duration::from_secs).collect();
            assert_eq!(contestant.median(), Some(Duration::from_secs(median)));
        }
        contestant.result = Err(SolveError::Cancelled);
        assert_eq!(contestant.median(), None);
    }
}
