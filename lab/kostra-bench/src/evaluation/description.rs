//! The descriptions of papers' evaluations, `papers/evaluations/*.toml`: what each table or figure
//! measures, and the figures that the paper prints.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::family::PaperGraph;
use crate::contestant::Timed;

/// The ids of papers and their descriptions. An id is the name of a subcommand.
const PAPERS: [(&str, &str); 5] = [
    ("sousa", include_str!("../../../../papers/evaluations/sousa.toml")),
    ("shou-he", include_str!("../../../../papers/evaluations/shou-he.toml")),
    ("manoochehri", include_str!("../../../../papers/evaluations/manoochehri.toml")),
    ("nobari", include_str!("../../../../papers/evaluations/nobari.toml")),
    ("biagiotti", include_str!("../../../../papers/evaluations/biagiotti.toml")),
];

/// A paper with an evaluation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Paper {
    #[serde(skip)]
    pub(super) id: String,
    /// Authors, year and title.
    pub(super) title: String,
    /// The machine of its figures.
    pub(super) hardware: String,
    /// The number of counted rounds by default.
    pub(super) runs: u16,
    /// What the paper's times on a device include.
    pub(super) timed: Timed,
    /// All graphs by their names in tables.
    graphs: BTreeMap<String, PaperGraph>,
    #[serde(rename = "experiment")]
    pub(super) experiments: Vec<Experiment>,
}

/// A table or figure.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Experiment {
    /// The id on the command line, such as `figure-8`.
    pub(super) id: String,
    /// The number in the paper, and what it shows.
    pub(super) title: String,
    /// What the paper reports about it, one sentence each. Most figures are pictures without
    /// numbers.
    pub(super) says: Vec<String>,
    graphs: Vec<String>,
    /// Solvers with options, as [`crate::sweep::entrants`] reads them, solvers for clusters as
    /// [`crate::rank_job::RankJob::jobs`] reads them, and names of peers.
    pub(super) contestants: Vec<String>,
    pub(super) measures: Vec<Measure>,
    /// The paper's numbers of threads; none for all processors.
    pub(super) threads: Option<Vec<usize>>,
    #[serde(default)]
    pub(super) published: Published,
}

/// What a table shows.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Measure {
    /// The median time.
    Time,
    /// The lowest time, if the three lowest are within 5 % of it: the k-best measurement.
    KBest,
    /// The mean and the standard deviation of the times.
    Deviation,
    /// The edges of the graph divided by the median time.
    EdgeRate,
    /// The time of the named contestant divided by the contestant's.
    SpeedUpOver(String),
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
    Counter(String),
    /// The share that each report of a counter has in the round's sum. There is one report for each
    /// thread.
    Shares(String),
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
    pub(super) fn is_of_partitions(&self) -> bool {
        self.measures == [Measure::Partitions]
    }
}

/// The figures that a paper prints as numbers. Rows have the names of graphs, and a figure that is
/// not printed is NaN.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Published {
    /// The measure of each column, and its heading.
    pub(super) columns: Vec<(Measure, String)>,
    pub(super) rows: Vec<(String, Vec<f64>)>,
    /// Rows of a sweep: the graph, the option that is swept, such as `threads=2`, and the figures.
    pub(super) sweep: Vec<(String, String, Vec<f64>)>,
    /// Tables of phases.
    pub(super) phases: Vec<PublishedPhases>,
}

/// A paper's times of phases on a graph.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PublishedPhases {
    pub(super) graph: String,
    /// The heading of the column.
    pub(super) heading: String,
    /// Phases by Kostra's names, in milliseconds.
    pub(super) rows: Vec<(String, f64)>,
}

/// The paper with an id.
///
/// # Errors
/// If there is none, or its description is not valid.
pub(crate) fn paper(id: &str) -> Result<Paper> {
    let known = PAPERS.iter().find(|(known, _)| *known == id);
    let (_, text) = known.with_context(|| format!("there is no paper '{id}'"))?;
    let paper = toml::from_str(text).with_context(|| format!("papers/evaluations/{id}.toml"))?;
    Ok(Paper { id: id.to_owned(), ..paper })
}

impl Paper {
    /// The graphs of an experiment.
    pub(super) fn graphs<'a>(
        &'a self,
        experiment: &'a Experiment,
    ) -> impl Iterator<Item = PaperGraph> + 'a {
        let named = |name: &String| {
            let graph = self.graphs.get(name)?.clone();
            Some(PaperGraph { name: name.clone(), ..graph })
        };
        experiment.graphs.iter().filter_map(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn experiments_have_distinct_names_and_rows_for_published_figures() {
        for (id, _) in PAPERS {
            let paper = paper(id).unwrap();
            for experiment in &paper.experiments {
                let same = paper.experiments.iter().filter(|other| other.id == experiment.id);
                assert_eq!(same.count(), 1, "{}", experiment.id);
                let graphs: Vec<_> = paper.graphs(experiment).map(|graph| graph.name).collect();
                assert_eq!(graphs, experiment.graphs, "{}", experiment.id);
                let distinct: std::collections::BTreeSet<_> = graphs.iter().collect();
                assert_eq!(distinct.len(), graphs.len(), "{}", experiment.id);
                let published = &experiment.published;
                let rows = published.rows.iter().map(|(row, values)| (row, values));
                let sweep = published.sweep.iter().map(|(row, _, values)| (row, values));
                for (row, values) in rows.chain(sweep) {
                    assert!(graphs.contains(row), "{row}");
                    assert_eq!(values.len(), published.columns.len(), "{row}");
                }
                assert!(published.phases.iter().all(|phases| graphs.contains(&phases.graph)));
            }
        }
    }
}
