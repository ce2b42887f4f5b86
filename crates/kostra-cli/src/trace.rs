//! What a solver reports while it works. `--trace` prints it, and the progress bar shows it.

use std::time::{Duration, Instant};

use kostra_core::{AnyGraph, EdgeId, Observer, Round, SolveError, Vertex, on_one_line, with_graph};
use serde::Serialize;

use crate::progress::Stage;
use crate::report::{bar, count, duration_of_seconds, thousands};

/// Everything that a solver reported: phases, rounds, counters and chosen edges, each in order.
#[derive(Default, Serialize)]
pub(crate) struct Trace {
    pub(crate) phases: Vec<Phase>,
    pub(crate) rounds: Vec<TracedRound>,
    pub(crate) counters: Vec<Counter>,
    /// The edges of the forest, if the graph is small and the solver reports them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) chosen: Vec<Decision>,
    /// The edges that the solver looked at and did not choose.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) rejected: Vec<Decision>,
    /// The vertices from which trees grow, if the solver has such vertices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) starts: Vec<String>,
    /// The order of all these.
    #[serde(skip)]
    steps: Vec<Step>,
}

/// A step of a solver: a position in a list of the trace.
enum Step {
    Start(usize, Vertex),
    Chosen(usize),
    Rejected(usize),
}

/// The most edges of a graph whose chosen edges are listed.
const MOST_LISTED: usize = 100;

/// An edge that the solver added to the forest, or excluded from it.
#[derive(Default, Serialize)]
pub(crate) struct Decision {
    edge: EdgeId,
    /// The round of the decision, if there are rounds.
    round: Option<u32>,
    u: String,
    v: String,
    #[serde(skip)]
    weight: String,
    /// The number of trees after the decision.
    components: u64,
    /// Why the edge is not in the forest; none if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

/// A phase. Phases are listed in the order of their starts.
#[derive(Serialize)]
pub(crate) struct Phase {
    name: &'static str,
    /// The number of phases around this phase.
    depth: usize,
    /// The round that contains the phase, if there is one.
    round: Option<u32>,
    seconds: f64,
}

/// A round. It lasts until the next round starts or the rounds end.
#[derive(Serialize)]
pub(crate) struct TracedRound {
    round: u32,
    components: u64,
    edges: u64,
    seconds: f64,
}

/// A number that is specific to the solver.
#[derive(Serialize)]
pub(crate) struct Counter {
    name: &'static str,
    /// The latest round at the time of the report, if there is one.
    round: Option<u32>,
    value: f64,
}

/// Passes reports of a solver to the progress bar, and keeps them if wanted.
pub(crate) struct Watcher<'a> {
    stage: &'a Stage,
    trace: Option<Trace>,
    /// Open phases, as positions in the trace.
    open: Vec<usize>,
    /// The open round, its start, and the number of phases that were open at its start.
    round: Option<(u32, Instant, usize)>,
    /// Whether chosen edges are kept.
    lists_edges: bool,
    /// The step with the most threads that the system refused.
    refused: Option<Refused>,
    /// The source of the times of rounds.
    clock: Box<dyn Fn() -> Instant + 'a>,
}

/// Threads of one step that the system did not start. Ordered by their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Refused {
    pub(crate) refused: usize,
    /// The number of threads that the step asked for.
    pub(crate) wanted: usize,
}

impl<'a> Watcher<'a> {
    pub(crate) fn new(stage: &'a Stage, keep: bool) -> Self {
        let trace = keep.then(Trace::default);
        Self {
            stage,
            trace,
            open: Vec::new(),
            round: None,
            lists_edges: false,
            refused: None,
            clock: Box::new(Instant::now),
        }
    }

    /// Also keeps the chosen edges, if the trace is kept and the graph has few edges.
    pub(crate) fn listing_edges(mut self, edges: usize) -> Self {
        self.lists_edges = self.trace.is_some() && edges <= MOST_LISTED;
        self
    }

    /// The trace, if it was kept, and the threads that the system refused, if any.
    pub(crate) fn finish(mut self) -> (Option<Trace>, Option<Refused>) {
        self.finish_round();
        (self.trace, self.refused)
    }

    fn finish_round(&mut self) {
        if let Some((_, start, _)) = self.round.take()
            && let Some(round) = self.trace.as_mut().and_then(|trace| trace.rounds.last_mut())
        {
            round.seconds = (self.clock)().saturating_duration_since(start).as_secs_f64();
        }
    }
}

impl Observer for Watcher<'_> {
    fn phase_started(&mut self, name: &'static str) {
        if let Some(trace) = &mut self.trace {
            let round = self.round.map(|(round, ..)| round);
            trace.phases.push(Phase { name, depth: self.open.len(), round, seconds: 0.0 });
            self.open.push(trace.phases.len() - 1);
        }
        self.stage.say(match name {
            "compile" => "compiling kernels for the device".to_owned(),
            name => format!("solving: {name}"),
        });
    }

    fn phase_finished(&mut self, _name: &'static str, elapsed: Duration) {
        if let Some(trace) = &mut self.trace
            && let Some(phase) = self.open.pop().and_then(|index| trace.phases.get_mut(index))
        {
            phase.seconds = elapsed.as_secs_f64();
        }
        // A round ends when the next round starts, or when the phase around the round ends.
        if self.round.is_some_and(|(.., depth)| self.open.len() < depth) {
            self.finish_round();
        }
    }

    fn round(&mut self, round: Round) {
        self.finish_round();
        let Round { index, components, edges } = round;
        if let Some(trace) = &mut self.trace {
            trace.rounds.push(TracedRound { round: index, components, edges, seconds: 0.0 });
            self.round = Some((index, (self.clock)(), self.open.len()));
        }
        let components = count(components, "component", "components");
        let edges = count(edges, "edge", "edges");
        self.stage.say(format!("solving: round {index}, {components} and {edges} left"));
    }

    fn rounds_finished(&mut self) {
        self.finish_round();
    }

    fn counter(&mut self, name: &'static str, value: f64) {
        if let Some(trace) = &mut self.trace {
            let round = trace.rounds.last().map(|round| round.round);
            trace.counters.push(Counter { name, round, value });
        }
    }

    /// The reports of the solver that failed are dropped.
    fn solver_failed(&mut self, _error: &SolveError) {
        self.trace = self.trace.take().map(|_| Trace::default());
        self.open.clear();
        (self.round, self.refused) = (None, None);
    }

    fn wants_edges(&self) -> bool {
        self.lists_edges
    }

    fn edge(&mut self, edge: EdgeId, kept: bool) {
        let Some(trace) = &mut self.trace else { return };
        let round = self.round.map(|(round, ..)| round);
        let decision = Decision { edge, round, ..Decision::default() };
        if kept {
            trace.steps.push(Step::Chosen(trace.chosen.len()));
            trace.chosen.push(decision);
        } else {
            trace.steps.push(Step::Rejected(trace.rejected.len()));
            trace.rejected.push(decision);
        }
    }

    fn tree_started(&mut self, vertex: Vertex) {
        if let Some(trace) = &mut self.trace {
            trace.steps.push(Step::Start(trace.starts.len(), vertex));
            trace.starts.push(String::new());
        }
    }

    fn threads_refused(&mut self, refused: usize, wanted: usize) {
        self.refused = self.refused.max(Some(Refused { refused, wanted }));
    }

    fn progress(&mut self, done: u64, total: u64) {
        self.stage.steps(done, total);
    }
}

impl Trace {
    /// Gives the edges the names of their ends, their weights and the reasons of decisions.
    pub(crate) fn describe_edges(&mut self, graph: &AnyGraph, names: Option<&[String]>) {
        let name = |end: Vertex| match names.and_then(|names| names.get(end as usize)) {
            Some(name) => name.clone(),
            None => end.to_string(),
        };
        let mut components = u64::from(graph.vertices());
        for step in &self.steps {
            let (decision, kept) = match *step {
                Step::Start(at, vertex) => {
                    self.starts[at] = name(vertex);
                    continue;
                }
                Step::Chosen(at) => (&mut self.chosen[at], true),
                Step::Rejected(at) => (&mut self.rejected[at], false),
            };
            let edge = decision.edge as usize;
            let (u, v) = (graph.u()[edge], graph.v()[edge]);
            components -= u64::from(kept);
            (decision.u, decision.v, decision.components) = (name(u), name(v), components);
            decision.weight =
                with_graph!(graph, graph => graph.edge_list().weights()[edge].to_string());
            let reason = if u == v { "it is a loop" } else { "its ends are joined already" };
            decision.reason = (!kept).then_some(reason);
        }
    }

    /// The decisions of the solver as a table, in order.
    fn decisions(&self) -> String {
        let mut text = String::new();
        for step in &self.steps {
            let decision = match *step {
                Step::Start(at, _) => {
                    text += &format!("  {:48}start at {}\n", "", on_one_line(&self.starts[at]));
                    continue;
                }
                Step::Chosen(at) => &self.chosen[at],
                Step::Rejected(at) => &self.rejected[at],
            };
            let Decision { edge, round, u, v, weight, components, reason } = decision;
            let round = round.map_or_else(String::new, |round| round.to_string());
            let [u, v] = [u, v].map(|name| on_one_line(name));
            let line = format!("  {round:<8}{edge:>8}{weight:>16}{components:>14}  {u} and {v}");
            text += &match reason {
                Some(reason) => format!("{line}: not chosen, {reason}\n"),
                None => format!("{line}: chosen\n"),
            };
        }
        if text.is_empty() {
            return text;
        }
        let head = format!("{:<8}{:>8}{:>16}{:>14}", "round", "edge", "weight", "components");
        format!("\n  {head}  between\n{text}")
    }

    /// The trace as tables for people.
    pub(crate) fn tables(&self) -> String {
        let longest = self.phases.iter().map(|phase| phase.seconds).fold(0.0, f64::max);
        let share =
            |seconds: f64| if longest > 0.0 { bar(seconds / longest) } else { String::new() };
        let mut text = String::new();
        if !self.phases.is_empty() {
            text += &format!("\n  {:<30}{:>8}{:>12}\n", "phase", "round", "time");
            for Phase { name, depth, round, seconds } in &self.phases {
                let name = format!("{}{name}", "  ".repeat(*depth));
                let round = round.map_or_else(String::new, |round| round.to_string());
                let line = format!(
                    "  {name:<30}{round:>8}{:>12}  {}",
                    duration_of_seconds(*seconds),
                    share(*seconds)
                );
                text += &format!("{}\n", line.trim_end());
            }
        }
        if !self.rounds.is_empty() {
            text +=
                &format!("\n  {:<8}{:>16}{:>18}{:>12}\n", "round", "components", "edges", "time");
            for round in &self.rounds {
                let (components, edges) = (thousands(round.components), thousands(round.edges));
                let time = duration_of_seconds(round.seconds);
                text += &format!("  {:<8}{components:>16}{edges:>18}{time:>12}\n", round.round);
            }
        }
        text += &self.decisions();
        if !self.counters.is_empty() {
            text += &format!("\n  {:<30}{:>8}{:>20}\n", "counter", "round", "value");
            for Counter { name, round, value } in &self.counters {
                let round = round.map_or_else(String::new, |round| round.to_string());
                text += &format!("  {name:<30}{round:>8}{value:>20}\n");
            }
        }
        if text.is_empty() { "\n  the algorithm reported nothing\n".to_owned() } else { text }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use kostra_core::Run;

    use super::*;

    #[test]
    fn reports_are_kept_in_order_and_depth() {
        let stage = Stage::start("solving");
        let mut watcher = Watcher::new(&stage, true);
        let mut run = Run::new().observed_by(&mut watcher);
        run.phase("build", |run| {
            run.phase("sort", |_| ());
            run.report.round(10, 20)
        })
        .unwrap();
        run.report.counter("light", 2.5);
        run.report.round(1, 0).unwrap();
        let trace = watcher.finish().0.unwrap();
        let phases: Vec<_> = trace.phases.iter().map(|phase| (phase.name, phase.depth)).collect();
        assert_eq!(phases, [("build", 0), ("sort", 1)]);
        assert_eq!(trace.rounds.len(), 2);
        assert_eq!(trace.counters[0].round, Some(0));
        assert!(trace.tables().contains("light"));
    }

    /// The clock stands still outside of phases, as for a solver that does all its work in phases.
    #[test]
    fn the_phases_of_a_round_add_up_to_its_time_and_later_phases_are_in_no_round() {
        let (stage, start, now) =
            (Stage::start("solving"), Instant::now(), Cell::new(Duration::ZERO));
        let mut watcher = Watcher::new(&stage, true);
        watcher.clock = Box::new(|| start + now.get());
        let phase = |watcher: &mut Watcher<'_>, name, milliseconds| {
            watcher.phase_started(name);
            let elapsed = Duration::from_millis(milliseconds);
            now.set(now.get() + elapsed);
            watcher.phase_finished(name, elapsed);
        };
        phase(&mut watcher, "start threads", 70);
        for (index, times) in [(0, [5, 3]), (1, [2, 0])] {
            watcher.round(Round { index, components: 10, edges: 13 });
            phase(&mut watcher, "hook", times[0]);
            phase(&mut watcher, "contract", times[1]);
        }
        watcher.rounds_finished();
        phase(&mut watcher, "end threads", 900);
        phase(&mut watcher, "list the forest", 4000);
        watcher.rounds_finished();

        let trace = watcher.finish().0.unwrap();
        for round in &trace.rounds {
            let own = trace.phases.iter().filter(|phase| phase.round == Some(round.round));
            let sum: f64 = own.map(|phase| phase.seconds).sum();
            assert!(
                (round.seconds - sum).abs() < 1e-9,
                "round {}: {} s, {sum} s in phases",
                round.round,
                round.seconds
            );
        }
        let seconds: Vec<_> = trace.rounds.iter().map(|round| round.seconds).collect();
        assert_eq!(seconds, [0.008, 0.002]);
        let outside =
            trace.phases.iter().filter(|phase| phase.round.is_none()).map(|phase| phase.name);
        assert_eq!(
            outside.collect::<Vec<_>>(),
            ["start threads", "end threads", "list the forest"]
        );
    }

    #[test]
    fn chosen_edges_of_small_graphs_are_listed_with_their_ends() {
        let graph = AnyGraph::from_edges(3, vec![0, 1], vec![1, 2], vec![7, 5]).unwrap();
        let stage = Stage::start("solving");
        for (edges, listed) in [(2, true), (MOST_LISTED + 1, false)] {
            let mut watcher = Watcher::new(&stage, true).listing_edges(edges);
            assert_eq!(watcher.wants_edges(), listed);
            watcher.round(Round { index: 1, components: 3, edges: 2 });
            watcher.tree_started(1);
            watcher.edge(1, true);
            watcher.edge(0, false);
            let mut trace = watcher.finish().0.unwrap();
            trace.describe_edges(&graph, Some(&["a", "b", "c"].map(str::to_owned)));
            let tables = trace.tables();
            for line in [
                "                                                  start at b\n",
                "  1              1               5             2  b and c: chosen\n",
                "  1              0               7             2  a and b: not chosen, its ends are \
                 joined already\n",
            ] {
                assert!(tables.contains(line), "{tables}");
            }
        }
    }

    #[test]
    fn compiling_kernels_is_not_reported_as_solving() {
        let stage = Stage::start("solving");
        let mut watcher = Watcher::new(&stage, false);
        let mut run = Run::new().observed_by(&mut watcher);
        run.compile(|_| assert_eq!(stage.message(), "compiling kernels for the device"));
        run.upload(|_| assert_eq!(stage.message(), "solving: upload"));
    }

    #[test]
    fn the_trace_is_that_of_the_solver_that_found_the_forest() {
        let stage = Stage::start("solving");
        let mut watcher = Watcher::new(&stage, true);
        watcher.phase_started("upload");
        watcher.round(Round { index: 0, components: 3, edges: 2 });
        watcher.threads_refused(3, 4);
        watcher.solver_failed(&SolveError::Device { what: "it failed".to_owned() });
        watcher.round(Round { index: 0, components: 10, edges: 9 });
        let (trace, refused) = watcher.finish();
        let rounds: Vec<_> = trace.unwrap().rounds.iter().map(|round| round.edges).collect();
        assert_eq!((rounds, refused), (vec![9], None));
    }

    #[test]
    fn without_a_trace_nothing_is_kept() {
        let stage = Stage::start("solving");
        let mut watcher = Watcher::new(&stage, false);
        watcher.threads_refused(3, 4);
        watcher.threads_refused(1, 8);
        let (trace, refused) = watcher.finish();
        assert!(trace.is_none());
        assert_eq!(refused, Some(Refused { refused: 3, wanted: 4 }), "the report needs this");
    }
}
