//! What a solver reports during one solve: phases, rounds and counters.
//!
//! Observing can slow a solver down: some solvers wait for the device after each phase, or count
//! what they would not count otherwise. So the timed rounds are not observed. One more solve after
//! the last round is, and its reports are stored beside the times.

use std::time::{Duration, Instant};

use kostra_core::{Observer, Round};
use serde::{Deserialize, Serialize};

use crate::cache_counters::{CacheCounters, CacheCounts};

/// The counters of the accesses to the last cache and of the misses, in each round.
pub(crate) const CACHE_ACCESSES: &str = "accesses to the last cache";
pub(crate) const CACHE_MISSES: &str = "misses of the last cache";

/// The reports of one observed solve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Observed {
    /// The seconds of this solve, by the same clock as the timed rounds. Compare them with the
    /// median: the difference is the price of observing.
    pub(crate) seconds: f64,
    /// The phases, in the order of their first starts.
    pub(crate) phases: Vec<PhaseTotal>,
    /// The rounds in order.
    pub(crate) rounds: Vec<ObservedRound>,
    /// The counters in order.
    pub(crate) counters: Vec<SolverFigure>,
}

/// All phases of one name, depth and round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PhaseTotal {
    /// The solver's name for it, such as `find lightest`.
    pub(crate) name: String,
    /// The number of phases around it.
    pub(crate) depth: usize,
    /// The round that contains it, if there is one.
    pub(crate) round: Option<u32>,
    /// How often it ran.
    pub(crate) runs: u64,
    /// The sum of its times; on ranks, on the rank where it took longest.
    pub(crate) seconds: f64,
    /// The seconds over ranks; none on one machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ranks: Option<Spread>,
}

/// The distribution of a figure over ranks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spread {
    /// The least value.
    pub(crate) least: f64,
    /// The lower median.
    pub(crate) median: f64,
    /// The greatest value.
    pub(crate) most: f64,
    /// The value of each rank, 0 if it took no part; empty in older records.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) by_rank: Vec<f64>,
}

impl Spread {
    /// The distribution of values; none if there is none.
    pub(crate) fn over(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let (&least, &most) = (sorted.first()?, sorted.last()?);
        let median = sorted[(sorted.len() - 1) / 2];
        Some(Self { least, median, most, by_rank: values.to_vec() })
    }

    /// The distribution of the sums of each rank's values; none if there is none.
    pub(crate) fn sum<'a>(spreads: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        let mut sums: Vec<f64> = Vec::new();
        for spread in spreads {
            sums.resize(sums.len().max(spread.by_rank.len()), 0.0);
            sums.iter_mut().zip(&spread.by_rank).for_each(|(sum, value)| *sum += value);
        }
        Self::over(&sums)
    }
}

/// A round. It lasts until the next round starts or the rounds end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ObservedRound {
    /// The round, counted from 0.
    pub(crate) round: u32,
    /// The components at its start, as the solver counts them.
    pub(crate) components: u64,
    /// The edges at its start.
    pub(crate) edges: u64,
    /// Its time.
    pub(crate) seconds: f64,
}

/// A figure of the solver's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SolverFigure {
    /// The solver's name for it.
    pub(crate) name: String,
    /// The latest round at the time of the report, if there is one.
    pub(crate) round: Option<u32>,
    /// The phase that was open at the report, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) phase: Option<String>,
    /// The figure; on ranks, of the rank with the greatest one.
    pub(crate) value: f64,
    /// The figure over ranks; none on one machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ranks: Option<Spread>,
}

impl Observed {
    /// The names of the phases at the lowest depth of each name, and their total seconds; on ranks,
    /// those of the rank where the phase took longest.
    pub(crate) fn totals(&self) -> Vec<(&str, f64)> {
        let mut totals: Vec<(&str, f64)> = Vec::new();
        for phase in self.phases.iter().filter(|phase| phase.depth == 0) {
            match totals.iter_mut().find(|(name, _)| *name == phase.name) {
                Some((_, seconds)) => *seconds += phase.seconds,
                None => totals.push((&phase.name, phase.seconds)),
            }
        }
        for (name, seconds) in &mut totals {
            *seconds = self.phase_on_ranks(name).map_or(*seconds, |ranks| ranks.most);
        }
        totals
    }

    /// The seconds of a phase over ranks, as a sum over its rounds; none on one machine.
    pub(crate) fn phase_on_ranks(&self, name: &str) -> Option<Spread> {
        let phases = self.phases.iter().filter(|phase| phase.name == name);
        Spread::sum(phases.filter_map(|phase| phase.ranks.as_ref()))
    }

    /// A counter over ranks in a phase, or outside of all phases, as a sum over its rounds.
    pub(crate) fn counter_on_ranks(&self, name: &str, phase: Option<&str>) -> Option<Spread> {
        let counters = self.counters.iter();
        let counters =
            counters.filter(|counter| counter.name == name && counter.phase.as_deref() == phase);
        Spread::sum(counters.filter_map(|counter| counter.ranks.as_ref()))
    }

    /// The sum of a counter over all its reports; none if there is no report.
    pub(crate) fn counter(&self, name: &str) -> Option<f64> {
        let values = self.counters.iter().filter(|counter| counter.name == name);
        values.map(|counter| counter.value).reduce(|sum, value| sum + value)
    }

    /// A counter's report in a round; none if there is none.
    pub(crate) fn counter_in(&self, round: u32, name: &str) -> Option<f64> {
        let mut counters = self.counters.iter();
        let found = counters.find(|counter| counter.round == Some(round) && counter.name == name);
        found.map(|counter| counter.value)
    }
}

/// Keeps the reports of a solver.
#[derive(Default)]
pub(crate) struct Recorder {
    observed: Observed,
    /// The open phases, as positions in `observed.phases`.
    open: Vec<usize>,
    round_start: Option<Instant>,
    caches: Option<CacheCounters>,
    /// The counts of the caches at the start of the round.
    caches_before: Option<CacheCounts>,
}

impl Recorder {
    /// A recorder that also counts cache misses in each round, if the machine lets it.
    pub(crate) fn new() -> Self {
        Self { caches: CacheCounters::open().ok(), ..Self::default() }
    }

    /// The reports of a solve that took `seconds`.
    pub(crate) fn finish(mut self, seconds: f64) -> Observed {
        self.rounds_finished();
        self.observed.seconds = seconds;
        self.observed
    }

    fn round_now(&self) -> Option<u32> {
        self.round_start.and(self.observed.rounds.last()).map(|round| round.round)
    }
}

impl Observer for Recorder {
    fn phase_started(&mut self, name: &'static str) {
        let (depth, round) = (self.open.len(), self.round_now());
        let phases = &mut self.observed.phases;
        let known = phases
            .iter()
            .rposition(|phase| phase.name == name && phase.depth == depth && phase.round == round);
        self.open.push(known.unwrap_or(phases.len()));
        if known.is_none() {
            let name = name.to_owned();
            phases.push(PhaseTotal { name, depth, round, runs: 0, seconds: 0.0, ranks: None });
        }
    }

    fn phase_finished(&mut self, _name: &'static str, elapsed: Duration) {
        if let Some(phase) = self.open.pop().and_then(|open| self.observed.phases.get_mut(open)) {
            phase.runs += 1;
            phase.seconds += elapsed.as_secs_f64();
        }
    }

    fn round(&mut self, Round { index, components, edges }: Round) {
        self.rounds_finished();
        self.observed.rounds.push(ObservedRound { round: index, components, edges, seconds: 0.0 });
        self.caches_before = self.caches.as_ref().and_then(CacheCounters::read);
        self.round_start = Some(Instant::now());
    }

    fn rounds_finished(&mut self) {
        if let (Some(start), Some(round)) =
            (self.round_start.take(), self.observed.rounds.last_mut())
        {
            round.seconds = start.elapsed().as_secs_f64();
            let after = self.caches.as_ref().and_then(CacheCounters::read);
            if let Some((before, after)) = self.caches_before.take().zip(after) {
                self.counter(CACHE_ACCESSES, after.accesses - before.accesses);
                self.counter(CACHE_MISSES, after.misses - before.misses);
            }
        }
    }

    fn counter(&mut self, name: &'static str, value: f64) {
        let round = self.observed.rounds.last().map(|round| round.round);
        let phase = self.open.last().and_then(|&open| self.observed.phases.get(open));
        let phase = phase.map(|phase| phase.name.clone());
        let name = name.to_owned();
        self.observed.counters.push(SolverFigure { name, round, phase, value, ranks: None });
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::Run;

    use super::*;

    #[test]
    fn phases_of_a_round_are_added_up_by_name_and_depth() {
        let mut recorder = Recorder::default();
        let mut run = Run::new().observed_by(&mut recorder);
        let took = Duration::from_secs;
        for round in 0..2 {
            run.report.round(10 - round, 20).unwrap();
            for seconds in [1, 2] {
                run.phase("step", |run| run.report.phase_took("scan", took(seconds)));
            }
            run.phase("count", |run| run.report.counter("entries", 1.0));
            run.report.counter("touches", 4.0);
        }
        run.report.finish_rounds();
        run.report.phase_took("list", took(5));
        let observed = recorder.finish(9.0);

        let phases: Vec<_> = observed.phases.iter().collect();
        let names: Vec<_> = phases.iter().map(|phase| (&*phase.name, phase.round)).collect();
        assert_eq!(
            names,
            [
                ("step", Some(0)),
                ("scan", Some(0)),
                ("count", Some(0)),
                ("step", Some(1)),
                ("scan", Some(1)),
                ("count", Some(1)),
                ("list", None)
            ]
        );
        assert_eq!((phases[1].depth, phases[1].runs, phases[1].seconds), (1, 2, 3.0));
        let rounds: Vec<_> =
            observed.rounds.iter().map(|round| (round.round, round.components)).collect();
        assert_eq!(rounds, [(0, 10), (1, 9)]);
        assert_eq!(observed.counter("touches"), Some(8.0));
        assert_eq!(observed.counter("aborted"), None);
        let counters: Vec<_> = observed.counters.iter().collect();
        assert_eq!((counters[0].phase.as_deref(), counters[0].round), (Some("count"), Some(0)));
        assert_eq!((counters[1].phase.as_deref(), counters[3].round), (None, Some(1)));
        assert_eq!(observed.totals().last(), Some(&("list", 5.0)));
        assert_eq!(observed.seconds, 9.0);
    }
}
