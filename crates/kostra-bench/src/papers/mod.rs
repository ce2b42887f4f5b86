//! The evaluations of papers: their tables and figures, measured again and printed beside the
//! published figures.
//!
//! An [`Experiment`] is one table or figure: graphs, contestants, and what is read off them. To add
//! a paper, write its file and add it to [`PAPERS`].

mod family;
mod manoochehri;
mod nobari;
mod shown;
mod tables;

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::contest::{self, Rules};
use crate::contestant::Timed;
use crate::peers;
use crate::record::{ExperimentResult, Skipped};
use crate::suite;
use crate::sweep;
use family::PaperGraph;
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
    /// Solvers with options, as [`sweep::entrants`] reads them, and names of peers.
    contestants: &'static [&'static str],
    measures: &'static [Measure],
    published: Published,
}

/// What a table shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    /// The median time.
    Time,
    /// The edges of the graph divided by the median time.
    EdgeRate,
    /// The share of the vertices that each round of the observed solve unified.
    Reduction,
    /// The same, if a tree that touches another one stayed alone, as in Bader & Cong 2006.
    ReductionAlone,
    /// The share of the started transactions of the observed solve that aborted.
    AbortRate,
}

/// The figures that a paper prints as numbers. Rows have the names of graphs.
struct Published {
    /// The measure of each column, and its heading.
    columns: &'static [(Measure, &'static str)],
    rows: &'static [(&'static str, &'static [Option<f64>])],
}

/// No numbers are printed.
const UNPUBLISHED: Published = Published { columns: &[], rows: &[] };

const PAPERS: &[Paper] = &[nobari::PAPER, manoochehri::PAPER];

/// The paper with an id.
pub(crate) fn paper(id: &str) -> Option<&'static Paper> {
    PAPERS.iter().find(|paper| paper.id == id)
}

/// The seconds after which a contestant takes no further turn on a graph. Sequential solvers need
/// them for one turn on large graphs, and more turns would take most of the time of a suite.
const PATIENCE: f64 = 2.0;

/// The arguments of the evaluation of a paper.
#[derive(Args)]
pub(crate) struct PaperArguments {
    /// Divide the numbers of vertices and edges by this number; 1 gives the paper's sizes
    #[arg(long, value_name = "DIVISOR", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    scale: u64,
    /// Measure only these tables and figures, such as table-1,figure-8
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    only: Vec<String>,
    /// Number of counted rounds, after one warm-up round; slow contestants take fewer
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// Start no further graph after this time
    #[arg(long, value_name = "SECONDS")]
    budget: Option<u64>,
    /// Threads per contestant; by default all processors
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// The folder with real graphs, such as USA-road-d.NY.gr.gz; a missing graph is replaced by a
    /// generated one of the same size
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// The folder of the peer programs; each program has its peer's name
    #[arg(long, value_name = "FOLDER")]
    peer_programs: Option<PathBuf>,
}

impl PaperArguments {
    /// The number of threads per contestant.
    pub(crate) fn threads(&self) -> usize {
        let all = || thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(all, usize::from)
    }

    /// The divisor of all sizes.
    pub(crate) fn scale(&self) -> u64 {
        self.scale
    }

    /// Refuses experiments that the paper does not have, and a missing folder of graphs.
    ///
    /// # Errors
    /// The first such argument.
    pub(crate) fn check(&self, paper: &Paper) -> Result<()> {
        let known: Vec<_> = paper.experiments.iter().map(|experiment| experiment.id).collect();
        for id in &self.only {
            ensure!(
                known.contains(&id.as_str()),
                "{} has no '{id}'; it has: {}",
                paper.id,
                known.join(", ")
            );
        }
        let missing = self.data.as_ref().filter(|folder| !folder.is_dir());
        ensure!(
            missing.is_none(),
            "--data {}: no such folder",
            missing.cloned().unwrap_or_default().display()
        );
        Ok(())
    }
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
        if !arguments.only.is_empty() && !arguments.only.iter().any(|id| id == experiment.id) {
            continue;
        }
        eprintln!("{} {}", paper.id, experiment.id);
        let mut skipped = Vec::new();
        let rules = rules(experiment, arguments, &mut skipped);
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
                let source = graph.source(arguments.scale, arguments.data.as_deref());
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

/// The rules of an experiment. Contestants that do not exist are added to `skipped`.
fn rules(experiment: &Experiment, arguments: &PaperArguments, skipped: &mut Vec<Skipped>) -> Rules {
    let mut rules = Rules {
        entrants: Vec::new(),
        peers: Vec::new(),
        peer_programs: arguments.peer_programs.clone(),
        runs: arguments.runs.into(),
        threads: vec![arguments.threads()],
        timed: Timed::OnDevice,
        patience: Some(PATIENCE),
    };
    for &text in experiment.contestants {
        let entered = match peers::peer(text) {
            Ok(peer) => {
                rules.peers.push(peer);
                Ok(())
            }
            Err(_) => sweep::entrants(text).map(|entrants| rules.entrants.extend(entrants)),
        };
        if let Err(error) = entered {
            eprintln!("  {text} skipped: {error:#}");
            skipped.push(Skipped { name: text.to_owned(), reason: format!("{error:#}") });
        }
    }
    rules
}

/// The file of a real graph in a folder, plain or compressed.
fn file_of(folder: &Path, name: &str) -> Result<PathBuf> {
    const ENDINGS: [&str; 5] = ["gr.gz", "gr", "gr.xz", "gr.zst", "kst"];
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
                for (row, values) in experiment.published.rows {
                    assert!(graphs.iter().any(|graph| graph.name == *row), "{row}");
                    assert_eq!(values.len(), experiment.published.columns.len(), "{row}");
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
