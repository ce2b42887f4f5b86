//! The results of a paper's experiments beside the published figures, as data for plots.

use super::parts::{
    ShownPhases, ShownRankPhase, ShownRounds, ShownSweep, by_round, over_ranks, phases, sweeps,
};
use super::values::Place;
use super::{Measure, Paper};
use crate::record::{ContestantResult, ExperimentResult, GraphResult};

/// What a page says about a paper.
pub(crate) struct ShownPaper {
    /// Authors, year and title.
    pub(crate) title: &'static str,
    /// The machine of its figures.
    pub(crate) hardware: &'static str,
    paper: &'static Paper,
}

/// A table or figure.
pub(crate) struct ShownExperiment {
    /// The number in the paper, and what it shows.
    pub(crate) title: &'static str,
    /// What the paper reports about it.
    pub(crate) says: &'static [&'static str],
    /// What was measured.
    pub(crate) measures: Vec<ShownMeasure>,
    /// Phases beside the paper's, on the graphs for which it prints them.
    pub(crate) phases: Vec<ShownPhases>,
    /// Phases over ranks, if the experiment shows them.
    pub(crate) over_ranks: Vec<ShownRankPhase>,
}

/// One measure on all graphs of an experiment.
pub(crate) struct ShownMeasure {
    /// The measure with its unit.
    pub(crate) title: String,
    /// One entry per graph.
    pub(crate) graphs: Vec<ShownGraph>,
    /// The paper's sweeps of the measure beside ours, if it prints them.
    pub(crate) sweeps: Vec<ShownSweep>,
    /// Phases or kernels by round, if the measure shows them.
    pub(crate) rounds: Vec<ShownRounds>,
}

/// The values on one graph, in the unit of the measure's title.
pub(crate) struct ShownGraph {
    /// The position of the graph in the experiment.
    pub(crate) position: usize,
    /// The paper's columns and their values.
    pub(crate) published: Vec<(&'static str, f64)>,
    /// The contestants and their values, one for each round if the measure has one for each.
    pub(crate) measured: Vec<(String, Vec<f64>)>,
}

/// The paper with an id; none if this build does not know it.
pub(crate) fn shown_paper(id: &str) -> Option<ShownPaper> {
    let paper = super::paper(id)?;
    Some(ShownPaper { title: paper.title, hardware: paper.hardware, paper })
}

impl ShownPaper {
    /// An experiment of the paper; none if this build does not know it.
    pub(crate) fn experiment(&self, result: &ExperimentResult) -> Option<ShownExperiment> {
        let experiment = self.paper.experiments.iter().find(|known| known.id == result.id)?;
        let published = |measure: Measure, graph: &GraphResult| -> Vec<(&'static str, f64)> {
            let rows = experiment.published.rows.iter();
            let key = graph.threads.map(|threads| format!("threads={threads}"));
            let sweep = experiment.published.sweep.iter();
            let sweep = sweep.filter(|(_, swept, _)| key.as_deref() == Some(swept));
            let mut rows =
                sweep.map(|(name, _, row)| (name, row)).chain(rows.map(|(name, row)| (name, row)));
            let Some((_, row)) = rows.find(|(name, _)| **name == graph.name) else {
                return Vec::new();
            };
            let columns = experiment.published.columns.iter().zip(*row);
            let columns = columns.filter(|((of, _), _)| *of == measure);
            columns.filter_map(|((_, heading), value)| Some((*heading, (*value)?))).collect()
        };
        let measured = |measure: Measure, graph: &GraphResult| {
            let values = |one: &ContestantResult| {
                let mut groups = measure.values(Place { result, graph, contestant: one });
                // The plot shows the mean, and the greatest value of several threads.
                groups.truncate(if measure == Measure::Deviation { 1 } else { groups.len() });
                let greatest =
                    groups.into_iter().filter_map(|group| group.into_iter().reduce(f64::max));
                (one.label(), greatest.map(|value| measure.in_unit(value)).collect::<Vec<_>>())
            };
            let all = graph.contestants.iter().map(values);
            all.filter(|(_, values)| !values.is_empty()).collect()
        };
        let measure = |&measure: &Measure| ShownMeasure {
            title: measure.title(),
            graphs: (0..)
                .zip(&result.graphs)
                .map(|(position, graph)| ShownGraph {
                    position,
                    published: published(measure, graph),
                    measured: measured(measure, graph),
                })
                .collect(),
            sweeps: sweeps(&experiment.published, measure, result),
            rounds: match measure {
                Measure::PhasesByRound | Measure::Occupancy | Measure::AchievedOccupancy => {
                    by_round(measure, result)
                }
                _ => Vec::new(),
            },
        };
        let shows_ranks = experiment.measures.contains(&Measure::OverRanks);
        Some(ShownExperiment {
            title: experiment.title,
            says: experiment.says,
            measures: experiment.measures.iter().map(measure).collect(),
            phases: phases(experiment.published.phases, result),
            over_ranks: if shows_ranks { over_ranks(result) } else { Vec::new() },
        })
    }
}
