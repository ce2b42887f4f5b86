//! The evaluations of papers: their tables and figures, measured again and printed beside the
//! published figures.
//!
//! An [`Experiment`] is one table or figure: graphs, contestants, and what is read off them. To add
//! a paper, write its file and add it to [`PAPERS`].

mod arguments;
mod biagiotti;
mod family;
mod manoochehri;
mod nobari;
mod parts;
mod phases;
mod rank_job;
mod rules;
mod shou_he;
mod shown;
mod sousa;
mod tables;
mod values;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::contest::{self, Rules};
use crate::contestant::Timed;
use crate::record::{ExperimentResult, Skipped};
use crate::suite;
pub(crate) use arguments::PaperArguments;
use family::PaperGraph;
pub(crate) use parts::{Line, PhaseColumn, ShownPhases, ShownRankPhase, ShownRounds, ShownSweep};
pub(crate) use rank_job::RankJob;
pub(crate) use shown::{ShownExperiment, ShownGraph, ShownMeasure, shown_paper};
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
    /// [`RankJob::jobs`] reads them, and names of peers.
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
    /// The occupancy of each kernel in each round.
    Occupancy,
    /// The time of each phase over ranks: least, median and most.
    OverRanks,
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
    let mut results: Vec<ExperimentResult> = Vec::new();
    for experiment in paper.experiments {
        if !arguments.wants(experiment.id) {
            continue;
        }
        eprintln!("{} {}", paper.id, experiment.id);
        let mut skipped = Vec::new();
        let rules = rules::rules(paper, experiment, arguments, &mut skipped);
        let id = experiment.id.to_owned();
        results.push(ExperimentResult { id, graphs: Vec::new(), skipped });
        for graph in (experiment.graphs)() {
            let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            let known = finished.iter().find(|known| known.id == experiment.id);
            let known = known.map_or(&[][..], |known| &known.graphs);
            let before = suite::finished_on(known, &graph.name);
            let (held, failure) = if let Err(reason) = can_measure(&rules, late) {
                (before, Some(reason))
            } else {
                let source = graph.source(arguments.scale(), arguments.data.as_deref());
                contest::hold(&source, &rules, before, |held| {
                    let mut all = results.clone();
                    all.iter_mut()
                        .last()
                        .into_iter()
                        .for_each(|last| last.graphs.extend_from_slice(held));
                    keep(&all)
                })?
            };
            let Some(result) = results.last_mut() else { continue };
            result.graphs.extend(held);
            if let Some(error) = failure {
                eprintln!("{} skipped: {error:#}", graph.name);
                let reason = format!("{error:#}");
                result.skipped.push(Skipped { name: graph.name, reason });
            }
            keep(&results)?;
        }
    }
    Ok(results)
}

/// Refuses contests that cannot be held.
fn can_measure(rules: &Rules, late: bool) -> Result<()> {
    ensure!(!late, "the budget of time is spent");
    ensure!(!rules.entrants.is_empty(), "no solver of this experiment is available");
    Ok(())
}

/// The file of a real graph in a folder, plain or compressed.
fn file_of(folder: &Path, name: &str) -> Result<PathBuf> {
    const ENDINGS: [&str; 6] = ["gr.gz", "gr", "gr.xz", "gr.zst", "kst", "osm.pbf"];
    ENDINGS
        .iter()
        .map(|ending| folder.join(format!("{name}.{ending}")))
        .find(|path| path.is_file())
        .with_context(|| format!("{} has no {name}", folder.display()))
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

    #[test]
    fn real_graphs_are_found_by_name() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("USA-road-d.NY.gr"), "p sp 2 1\na 1 2 5\n").unwrap();
        let found = |name| file_of(folder.path(), name).map_err(|error| error.to_string());
        assert!(found("USA-road-d.NY").unwrap().ends_with("USA-road-d.NY.gr"));
        assert!(found("USA-road-d.FLA").unwrap_err().ends_with("has no USA-road-d.FLA"));
    }
}
