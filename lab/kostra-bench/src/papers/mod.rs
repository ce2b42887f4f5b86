//! The evaluations of papers: their tables and figures, measured again and printed beside the
//! published figures.
//!
//! An [`Experiment`] is one table or figure: graphs, contestants, and what is read off them. To add
//! a paper, write its file and add it to [`PAPERS`].

mod arguments;
mod biagiotti;
mod family;
mod manoochehri;
mod ncu;
mod nobari;
mod partitioned;
mod phases;
mod real;
mod rules;
mod shou_he;
mod sousa;
mod tables;
mod values;

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::contest::{self, Rules};
use crate::contestant::Timed;
use crate::record::{ExperimentResult, Skipped};
pub(crate) use arguments::PaperArguments;
use family::PaperGraph;
pub(crate) use tables::report;

/// A paper with an evaluation.
pub(crate) struct Paper {
    /// The id: the name of its subcommand.
    pub(crate) id: &'static str,
    /// Authors, year and title.
    title: &'static str,
    /// The machine of its figures.
    hardware: &'static str,
    /// The number of counted rounds by default.
    runs: u16,
    /// What the paper's times on a device include.
    timed: Timed,
    experiments: &'static [Experiment],
}

/// A table or figure.
struct Experiment {
    /// The id on the command line, such as `figure-8`.
    id: &'static str,
    /// The number in the paper, and what it shows.
    title: &'static str,
    /// What the paper reports about it, one sentence each. Most figures are pictures without
    /// numbers.
    says: &'static [&'static str],
    graphs: fn() -> Vec<PaperGraph>,
    /// Solvers with options, as [`crate::sweep::entrants`] reads them, solvers for clusters as
    /// [`crate::rank_job::RankJob::jobs`] reads them, and names of peers.
    contestants: &'static [&'static str],
    measures: &'static [Measure],
    threads: Threads,
    published: Published,
}

/// The numbers of threads of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Threads {
    /// All processors.
    All,
    /// The paper's numbers, without those that exceed the processors. If none is left, all
    /// processors.
    Sweep(&'static [usize]),
}

/// What a table shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    /// The median time.
    Time,
    /// The lowest time, if the three lowest are within 5 % of it: the k-best measurement.
    KBest,
    /// The mean and the standard deviation of the times.
    Deviation,
    /// The edges of the graph divided by the median time.
    EdgeRate,
    /// The time of the named contestant divided by the contestant's.
    SpeedUpOver(&'static str),
    /// The contestant's time with the fewest threads and ranks divided by its time.
    SelfSpeedUp,
    /// The self speed-up divided by the number of threads and ranks.
    Efficiency,
    /// The share of the vertices that each round of the observed solve unified.
    Reduction,
    /// The same, if a tree that touches another one stayed alone, as in Bader & Cong 2006.
    ReductionAlone,
    /// The share of the started transactions of the observed solve that aborted.
    AbortRate,
    /// A counter of the observed solve in each round.
    Counter(&'static str),
    /// The share that each report of a counter has in the round's sum. There is one report for each
    /// thread.
    Shares(&'static str),
    /// The share of the accesses to the last cache that missed, in each round.
    CacheMissRate,
    /// The time of each phase of the observed solve, as a sum over all rounds.
    Phases,
    /// The time of each phase in each round.
    PhasesByRound,
    /// The theoretical occupancy of each kernel in each round.
    Occupancy,
    /// The achieved occupancy of each kernel in each round, if `ncu` is there.
    AchievedOccupancy,
    /// The time of each phase over ranks: least, median and most.
    OverRanks,
    /// Partitions of the graphs. An experiment with this measure has no other one, and no
    /// contestants: partitioners take part instead.
    Partitions,
}

impl Experiment {
    /// Whether partitioners take part, and not solvers.
    fn is_of_partitions(&self) -> bool {
        self.measures == [Measure::Partitions]
    }
}

/// The figures that a paper prints as numbers. Rows have the names of graphs.
struct Published {
    /// The measure of each column, and its heading.
    columns: &'static [(Measure, &'static str)],
    rows: &'static [(&'static str, &'static [Option<f64>])],
    /// Rows of a sweep: the graph, the option that is swept, such as `threads=2`, and the figures.
    sweep: &'static [(&'static str, &'static str, &'static [Option<f64>])],
    /// Tables of phases.
    phases: &'static [PublishedPhases],
}

/// A paper's times of phases on a graph.
struct PublishedPhases {
    graph: &'static str,
    /// The heading of the column.
    heading: &'static str,
    /// Phases by Kostra's names, in milliseconds.
    rows: &'static [(&'static str, f64)],
}

/// No numbers are printed.
const UNPUBLISHED: Published = Published { columns: &[], rows: &[], sweep: &[], phases: &[] };

const PAPERS: &[Paper] =
    &[sousa::PAPER, shou_he::PAPER, manoochehri::PAPER, nobari::PAPER, biagiotti::PAPER];

/// The paper with an id.
pub(crate) fn paper(id: &str) -> Option<&'static Paper> {
    PAPERS.iter().find(|paper| paper.id == id)
}

/// Measures the experiments of a paper, except for the contests that are `finished`. Calls `keep`
/// with all results so far after each contest, so that an interrupted suite keeps them.
///
/// # Errors
/// Those of `keep`. What cannot be measured is skipped, with its reason in the result.
pub(crate) fn measure(
    paper: &Paper,
    arguments: &PaperArguments,
    finished: &[ExperimentResult],
    keep: impl Fn(&[ExperimentResult]) -> Result<()>,
) -> Result<Vec<ExperimentResult>> {
    let budget = arguments.budget.map(Duration::from_secs);
    // A budget beyond the range of the clock is no limit.
    let deadline = budget.and_then(|budget| Instant::now().checked_add(budget));
    let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let mut results: Vec<ExperimentResult> = Vec::new();
    for experiment in paper.experiments {
        if !arguments.wants(experiment.id) {
            continue;
        }
        eprintln!("{} {}", paper.id, experiment.id);
        let mut result = ExperimentResult {
            id: experiment.id.to_owned(),
            graphs: Vec::new(),
            partitions: Vec::new(),
            skipped: Vec::new(),
        };
        let rules = rules::rules(paper, experiment, arguments, &mut result.skipped);
        let known = finished.iter().find(|known| known.id == experiment.id);
        if experiment.is_of_partitions() {
            let known = known.map_or(&[][..], |known| &known.partitions);
            partitioned::measure(experiment, arguments, known, is_late, &mut result);
            results.push(result);
            keep(&results)?;
            continue;
        }
        let known = known.map_or(&[][..], |known| &known.graphs);
        for graph in (experiment.graphs)() {
            let before = contest::finished_on(known, &graph.name);
            let (held, failure) = if let Err(reason) = can_measure(&rules, is_late()) {
                (before, Some(reason))
            } else {
                let source = graph.source(arguments.scale(), arguments.data.as_deref());
                contest::hold(&source, &rules, before, |held| {
                    let mut now = result.clone();
                    now.graphs.extend_from_slice(held);
                    keep(&[&results[..], &[now]].concat())
                })?
            };
            result.graphs.extend(held);
            if experiment.measures.contains(&Measure::AchievedOccupancy) {
                ncu::add_achieved_occupancy(&mut result);
            }
            if let Some(error) = failure {
                eprintln!("{} skipped: {error:#}", graph.name);
                let reason = format!("{error:#}");
                result.skipped.push(Skipped { name: graph.name, reason });
            }
            keep(&[&results[..], &[result.clone()]].concat())?;
        }
        results.push(result);
    }
    Ok(results)
}

/// Refuses contests that cannot be held.
fn can_measure(rules: &Rules, late: bool) -> Result<()> {
    ensure!(!late, "the budget of time is spent");
    ensure!(!rules.entrants.is_empty(), "no solver of this experiment is available");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn experiments_have_distinct_names_and_rows_for_published_figures() {
        for paper in PAPERS {
            for experiment in paper.experiments {
                let same = paper.experiments.iter().filter(|other| other.id == experiment.id);
                assert_eq!(same.count(), 1, "{}", experiment.id);
                let graphs = (experiment.graphs)();
                for (at, graph) in graphs.iter().enumerate() {
                    let earlier = graphs[..at].iter().any(|other| other.name == graph.name);
                    assert!(!earlier, "{} {}", experiment.id, graph.name);
                }
                let published = &experiment.published;
                let rows = published.rows.iter().copied();
                let sweep = published.sweep.iter().map(|(row, _, values)| (*row, *values));
                for (row, values) in rows.chain(sweep) {
                    assert!(graphs.iter().any(|graph| graph.name == row), "{row}");
                    assert_eq!(values.len(), published.columns.len(), "{row}");
                }
                for phases in published.phases {
                    let row = phases.graph;
                    assert!(graphs.iter().any(|graph| graph.name == row), "{row}");
                }
            }
        }
    }
}
