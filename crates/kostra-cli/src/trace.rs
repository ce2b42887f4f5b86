//! What a solver reports while it works: kept for `--trace`, and shown by the progress bar.

use std::time::{Duration, Instant};

use kostra::{Observer, Round};
use serde::Serialize;

use crate::progress::Stage;
use crate::report::{bar, duration, thousands};

/// Everything that a solver reported: phases, rounds and counters, each in order.
#[derive(Default, Serialize)]
pub(crate) struct Trace {
    pub(crate) phases: Vec<Phase>,
    pub(crate) rounds: Vec<TracedRound>,
    pub(crate) counters: Vec<Counter>,
}

/// A phase, as it began.
#[derive(Serialize)]
pub(crate) struct Phase {
    name: &'static str,
    /// How many phases it is inside of.
    depth: usize,
    seconds: f64,
}

/// A round, and how long it took.
#[derive(Serialize)]
pub(crate) struct TracedRound {
    round: u32,
    components: u64,
    edges: u64,
    seconds: f64,
}

/// A figure of the solver's own.
#[derive(Serialize)]
pub(crate) struct Counter {
    name: &'static str,
    /// The last round that began before the counter was reported, if there was one.
    round: Option<u32>,
    value: f64,
}

/// Watches a solver for the progress bar and, if asked, keeps what it tells.
pub(crate) struct Watcher<'a> {
    stage: &'a Stage,
    trace: Option<Trace>,
    /// Open phases, as positions in the trace.
    open: Vec<usize>,
    /// When the round began, and how many phases were open then.
    round: Option<(Instant, usize)>,
}

impl<'a> Watcher<'a> {
    pub(crate) fn new(stage: &'a Stage, keep: bool) -> Self {
        Self { stage, trace: keep.then(Trace::default), open: Vec::new(), round: None }
    }

    /// What was told, if it was to be kept.
    pub(crate) fn finish(mut self) -> Option<Trace> {
        self.finish_round();
        self.trace
    }

    fn finish_round(&mut self) {
        let elapsed = self.round.take().map(|(start, _)| start.elapsed().as_secs_f64());
        if let Some(trace) = &mut self.trace
            && let (Some(round), Some(elapsed)) = (trace.rounds.last_mut(), elapsed)
        {
            round.seconds = elapsed;
        }
    }
}

impl Observer for Watcher<'_> {
    fn phase_started(&mut self, name: &'static str) {
        if let Some(trace) = &mut self.trace {
            trace.phases.push(Phase { name, depth: self.open.len(), seconds: 0.0 });
            self.open.push(trace.phases.len() - 1);
        }
        self.stage.say(format!("solving: {name}"));
    }

    fn phase_finished(&mut self, _name: &'static str, elapsed: Duration) {
        if let Some(trace) = &mut self.trace
            && let Some(phase) = self.open.pop().and_then(|index| trace.phases.get_mut(index))
        {
            phase.seconds = elapsed.as_secs_f64();
        }
        // A round is over when the next one begins, or when the phase that it is a part of ends.
        if self.round.is_some_and(|(_, depth)| self.open.len() < depth) {
            self.finish_round();
        }
    }

    fn round(&mut self, round: Round) {
        self.finish_round();
        let Round { index, components, edges } = round;
        if let Some(trace) = &mut self.trace {
            trace.rounds.push(TracedRound { round: index, components, edges, seconds: 0.0 });
            self.round = Some((Instant::now(), self.open.len()));
        }
        let (components, edges) = (thousands(components), thousands(edges));
        self.stage.say(format!("solving: round {index}, {components} components and {edges} edges left"));
    }

    fn counter(&mut self, name: &'static str, value: f64) {
        if let Some(trace) = &mut self.trace {
            let round = trace.rounds.last().map(|round| round.round);
            trace.counters.push(Counter { name, round, value });
        }
    }

    fn progress(&mut self, done: u64, total: u64) {
        self.stage.steps(done, total);
    }
}

impl Trace {
    /// Tables for people.
    pub(crate) fn tables(&self) -> String {
        let time = |seconds: f64| duration(Duration::from_secs_f64(seconds));
        let longest = self.phases.iter().map(|phase| phase.seconds).fold(0.0, f64::max);
        let share = |seconds: f64| if longest > 0.0 { bar(seconds / longest) } else { String::new() };
        let mut text = String::new();
        if !self.phases.is_empty() {
            text += &format!("\n  {:<30}{:>12}\n", "phase", "time");
            for phase in &self.phases {
                let name = format!("{}{}", "  ".repeat(phase.depth), phase.name);
                let line = format!("  {name:<30}{:>12}  {}", time(phase.seconds), share(phase.seconds));
                text += &format!("{}\n", line.trim_end());
            }
        }
        if !self.rounds.is_empty() {
            text += &format!("\n  {:<8}{:>16}{:>18}{:>12}\n", "round", "components", "edges", "time");
            for round in &self.rounds {
                let (components, edges) = (thousands(round.components), thousands(round.edges));
                let time = time(round.seconds);
                text += &format!("  {:<8}{components:>16}{edges:>18}{time:>12}\n", round.round);
            }
        }
        if !self.counters.is_empty() {
            text += &format!("\n  {:<30}{:>8}{:>20}\n", "counter", "round", "value");
            for Counter { name, round, value } in &self.counters {
                let round = round.map_or_else(String::new, |round| round.to_string());
                text += &format!("  {name:<30}{round:>8}{value:>20}\n");
            }
        }
        if text.is_empty() { "\n  the algorithm told nothing\n".to_owned() } else { text }
    }
}

#[cfg(test)]
mod tests {
    use kostra::Run;

    use super::*;

    #[test]
    fn what_a_solver_tells_is_kept_in_order_and_depth() {
        let stage = Stage::start("solving");
        let mut watcher = Watcher::new(&stage, true);
        let mut run = Run::new().observed_by(&mut watcher);
        run.phase("build", |run| {
            run.phase("sort", |_| ());
            run.round(10, 20)
        })
        .unwrap();
        run.counter("light", 2.5);
        run.round(1, 0).unwrap();
        let trace = watcher.finish().unwrap();
        let phases: Vec<_> = trace.phases.iter().map(|phase| (phase.name, phase.depth)).collect();
        assert_eq!(phases, [("build", 0), ("sort", 1)]);
        assert_eq!(trace.rounds.len(), 2);
        assert_eq!(trace.counters[0].round, Some(0));
        assert!(trace.tables().contains("light"));
    }

    #[test]
    fn nothing_is_kept_unasked() {
        let stage = Stage::start("solving");
        assert!(Watcher::new(&stage, false).finish().is_none());
    }
}
