//! What the tables of an evaluation read off a record.

use kostra_core::Platform;

use super::description::Measure;
use crate::observed::{CACHE_ACCESSES, CACHE_MISSES, Observed, ObservedRound};
use crate::record::{ContestantResult, ExperimentResult, GraphResult};
use crate::statistics::milliseconds;

/// How a contestant's result is found in an experiment.
#[derive(Clone, Copy)]
pub(super) struct ResultKey<'a> {
    pub(super) result: &'a ExperimentResult,
    pub(super) graph: &'a GraphResult,
    pub(super) contestant: &'a ContestantResult,
}

impl Measure {
    /// The heading of the table.
    pub(super) fn title(&self) -> String {
        match self {
            Self::Time => "Time in ms".to_owned(),
            Self::KBest => "Lowest time in ms; empty if the three lowest differ by more than 5 %, \
                            or if there are fewer"
                .to_owned(),
            Self::Deviation => "Mean and standard deviation of the times in ms".to_owned(),
            Self::EdgeRate => "Million edges per second".to_owned(),
            Self::SpeedUpOver(base) => format!("Speed-up over {base}"),
            Self::SelfSpeedUp => {
                "Speed-up over itself with the fewest threads and ranks".to_owned()
            }
            Self::Efficiency => "Efficiency in percent: speed-up by threads and ranks".to_owned(),
            Self::Reduction => "Vertices unified in each iteration, in percent".to_owned(),
            Self::ReductionAlone => {
                "The same, if a tree that touches another one stayed alone (Bader & Cong 2006)"
                    .to_owned()
            }
            Self::AbortRate => {
                "Abort rate: aborted transactions by started transactions".to_owned()
            }
            Self::Counter(name) => format!("Counter in each round: {name}"),
            Self::Shares(name) => {
                format!("Share of each thread in percent, in each round: {name}")
            }
            Self::CacheMissRate => {
                "Misses of the last cache in percent of its accesses, in each round".to_owned()
            }
            Self::Phases => "Time of each phase in ms, as a sum over all rounds".to_owned(),
            Self::PhasesByRound => "Time of each phase in ms, by round".to_owned(),
            Self::Occupancy => {
                "Theoretical occupancy of each kernel in percent, by round".to_owned()
            }
            Self::AchievedOccupancy => {
                "Achieved occupancy of each kernel in percent, by round (ncu)".to_owned()
            }
            Self::Partitions => "Cuts and times of partitioners".to_owned(),
            Self::OverRanks => "Each phase over ranks: least, median and most".to_owned(),
        }
    }

    /// A value in the unit of the title and of the published figures.
    pub(super) fn in_unit(&self, value: f64) -> f64 {
        match self {
            Self::Time | Self::KBest | Self::Deviation => 1e3 * value,
            Self::EdgeRate | Self::Counter(_) | Self::AbortRate => value,
            Self::SpeedUpOver(_) | Self::SelfSpeedUp => value,
            _ => 100.0 * value,
        }
    }

    fn format(&self, value: f64) -> String {
        match self {
            Self::Time | Self::KBest | Self::Deviation => milliseconds(value),
            Self::SpeedUpOver(_) | Self::SelfSpeedUp => format!("{value:.2}"),
            Self::AbortRate => format!("{value:.4}"),
            _ => format!("{:.1}", self.in_unit(value)),
        }
    }

    /// What a table shows of a contestant; empty if it does not report what the measure needs.
    pub(super) fn shown(&self, place: ResultKey<'_>) -> String {
        let groups = self.values(place).into_iter();
        let group = |values: Vec<f64>| {
            values.into_iter().map(|value| self.format(value)).collect::<Vec<_>>().join("/")
        };
        groups.map(group).collect::<Vec<_>>().join(", ")
    }

    /// Groups of values, such as one group of all threads for each round.
    pub(super) fn values(&self, place: ResultKey<'_>) -> Vec<Vec<f64>> {
        let ResultKey { graph, contestant, .. } = place;
        let timing = &contestant.timing;
        let each = |values: Vec<f64>| values.into_iter().map(|value| vec![value]).collect();
        let one = |value: Option<f64>| each(value.into_iter().collect());
        match (self, &contestant.observed) {
            (Self::Time, _) => one(Some(timing.median)),
            (Self::KBest, _) => one(best_of_three(&timing.seconds)),
            (Self::Deviation, _) => each(deviation(&timing.seconds)),
            (Self::EdgeRate, _) => one(Some(graph.edges as f64 / timing.median / 1e6)),
            (Self::SpeedUpOver(base), _) => one(speed_up_over(base, place)),
            (Self::SelfSpeedUp, _) => one(self_speed_up(place).map(|(speed_up, _)| speed_up)),
            (Self::Efficiency, _) => {
                one(self_speed_up(place).map(|(speed_up, workers)| speed_up / workers))
            }
            (_, None) => Vec::new(),
            (Self::Reduction, Some(observed)) => each(reductions(graph, observed)),
            (Self::ReductionAlone, Some(observed)) => each(reductions_alone(observed)),
            (Self::AbortRate, Some(observed)) => one(abort_rate(observed)),
            (Self::Counter(name), Some(observed)) => each(counter(name, observed)),
            (Self::Shares(name), Some(observed)) => shares(name, observed),
            (Self::CacheMissRate, Some(observed)) => each(miss_rates(observed)),
            (
                Self::Phases
                | Self::PhasesByRound
                | Self::Occupancy
                | Self::AchievedOccupancy
                | Self::OverRanks
                | Self::Partitions,
                _,
            ) => Vec::new(),
        }
    }
}

/// The lowest time, if the three lowest are within 5 % of it, as in Sousa 2014, section 5.1.
fn best_of_three(seconds: &[f64]) -> Option<f64> {
    const TOLERANCE: f64 = 1.05;
    let mut sorted = seconds.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let (&best, &third) = (sorted.first()?, sorted.get(2)?);
    (third <= TOLERANCE * best).then_some(best)
}

/// Mean and standard deviation; nothing for fewer than two times.
fn deviation(seconds: &[f64]) -> Vec<f64> {
    let count = seconds.len() as f64;
    if seconds.len() < 2 {
        return Vec::new();
    }
    let mean = seconds.iter().sum::<f64>() / count;
    let squares = seconds.iter().map(|second| (second - mean).powi(2));
    vec![mean, (squares.sum::<f64>() / (count - 1.0)).sqrt()]
}

fn speed_up_over(base: &str, ResultKey { graph, contestant, .. }: ResultKey<'_>) -> Option<f64> {
    let base = graph.contestants.iter().find(|other| other.name == base)?;
    Some(base.timing.median / contestant.timing.median)
}

/// The threads of all ranks; none for a solver whose time does not depend on them.
fn workers(graph: &GraphResult, contestant: &ContestantResult) -> Option<f64> {
    let number = |name| contestant.settings.get(name).copied();
    if let Some(ranks) = number("ranks") {
        return Some((ranks * number("threads").unwrap_or(1)) as f64);
    }
    let solver = kostra::solver(&contestant.name).ok()?;
    (solver.info().platform == Platform::Threads).then_some(graph.threads? as f64)
}

/// The speed-up over the fewest workers, and by how many times the workers have grown.
fn self_speed_up(ResultKey { result, graph, contestant }: ResultKey<'_>) -> Option<(f64, f64)> {
    let options = |contestant: &ContestantResult| {
        let mut settings = contestant.settings.clone();
        settings.retain(|name, _| name != "ranks" && name != "threads");
        settings
    };
    let own = (&contestant.name, options(contestant));
    let graphs = result.graphs.iter().filter(|other| other.name == graph.name);
    let runs = graphs.flat_map(|graph| graph.contestants.iter().map(move |one| (graph, one)));
    let same = runs.filter(|(_, one)| (&one.name, options(one)) == own);
    let counted = same.filter_map(|(graph, one)| Some((workers(graph, one)?, one.timing.median)));
    let (fewest, base) = counted.min_by(|(one, _), (other, _)| one.total_cmp(other))?;
    Some((base / contestant.timing.median, workers(graph, contestant)? / fewest))
}

/// The reports of a counter, in order.
fn counter(name: &str, observed: &Observed) -> Vec<f64> {
    let counters = observed.counters.iter().filter(|counter| counter.name == name);
    counters.map(|counter| counter.value).collect()
}

fn shares(name: &str, observed: &Observed) -> Vec<Vec<f64>> {
    let in_round = |round: &ObservedRound| {
        let counters = observed.counters.iter().filter(|counter| counter.name == name);
        let values = counters.filter(|counter| counter.round == Some(round.round));
        let values: Vec<_> = values.map(|counter| counter.value).collect();
        let sum: f64 = values.iter().sum();
        (sum > 0.0).then(|| values.iter().map(|value| value / sum).collect())
    };
    observed.rounds.iter().filter_map(in_round).collect()
}

fn miss_rates(observed: &Observed) -> Vec<f64> {
    let rate = |round: &ObservedRound| {
        let count = |name| observed.counter_in(round.round, name);
        let accesses = count(CACHE_ACCESSES).filter(|&accesses| accesses > 0.0)?;
        Some(count(CACHE_MISSES)? / accesses)
    };
    observed.rounds.iter().filter_map(rate).collect()
}

/// The share of the vertices that each round unified. The number after a round is that of the
/// trees of the round less the touches that joined two trees, if the solver counts them. Otherwise
/// it is the number before the next round. The last round of such a solver has no rate, unless it
/// is the only one.
fn reductions(graph: &GraphResult, observed: &Observed) -> Vec<f64> {
    let rounds = &observed.rounds;
    // After the last round, every component is a tree of the forest.
    let forest = f64::from(graph.vertices) - graph.forest_edges as f64;
    let rate = |(at, round): (usize, &ObservedRound)| {
        let count = |name| observed.counter_in(round.round, name);
        let trees = count("trees").zip(count("touches")).zip(count("mutual touches"));
        let after = match (trees, rounds.get(at + 1)) {
            (Some(((trees, touches), mutual)), _) => trees - touches + mutual,
            (None, Some(next)) => next.components as f64,
            (None, None) if at == 0 => forest,
            (None, None) => return None,
        };
        (round.components > 0).then(|| 1.0 - after / round.components as f64)
    };
    rounds.iter().enumerate().filter_map(rate).collect()
}

/// As [`reductions`], without the touches.
fn reductions_alone(observed: &Observed) -> Vec<f64> {
    let rate = |round: &ObservedRound| {
        let trees = observed.counter_in(round.round, "trees")?;
        (round.components > 0).then(|| 1.0 - trees / round.components as f64)
    };
    observed.rounds.iter().filter_map(rate).collect()
}

fn abort_rate(observed: &Observed) -> Option<f64> {
    let started = observed.counter("transactions started")?;
    let aborted = observed.counter("transactions aborted")?;
    Some(if started > 0.0 { aborted / started } else { 0.0 })
}
