//! Prints the results of a paper's experiments beside the published figures, as Markdown.

use std::collections::BTreeMap;
use std::fmt::{Result, Write};

use super::{Experiment, Measure, Paper, Published};
use crate::observed::{Observed, ObservedRound};
use crate::record::{ContestantResult, ExperimentResult, GraphResult, Record};
use crate::report::milliseconds;

/// Formats the experiments of a paper.
pub(crate) fn report(
    text: &mut String,
    record: &Record,
    id: &str,
    scale: u64,
    experiments: &[ExperimentResult],
) -> Result {
    let Some(paper) = super::paper(id) else {
        return writeln!(text, "**The record has the unknown paper '{id}'.**");
    };
    head(text, record, paper, scale)?;
    for result in experiments {
        let known = paper.experiments.iter().find(|experiment| experiment.id == result.id);
        match known {
            Some(experiment) => one(text, experiment, result)?,
            None => writeln!(text, "\n**{id} has no experiment '{}'.**", result.id)?,
        }
    }
    Ok(())
}

fn head(text: &mut String, record: &Record, paper: &Paper, scale: u64) -> Result {
    let device = record.versions.get("cuda device").map_or("no CUDA device", String::as_str);
    writeln!(text, "{}\n", paper.title)?;
    writeln!(text, "- paper: {}", paper.hardware)?;
    writeln!(text, "- here: {} ({} threads); {device}", record.machine.processor, record.threads)?;
    if scale > 1 {
        writeln!(text, "- **sizes divided by {scale}: do not compare with the paper's times**")?;
    }
    writeln!(
        text,
        "- Columns `paper:` are published figures; all others were measured here. Times are medians \
         without transfers to a device. Rates come from one more solve, which was observed and not \
         timed. `*`: a generated graph in place of the real one."
    )
}

fn one(text: &mut String, experiment: &Experiment, result: &ExperimentResult) -> Result {
    writeln!(text, "\n### {}\n", experiment.title)?;
    for sentence in experiment.says {
        writeln!(text, "- paper: {sentence}")?;
    }
    for &measure in experiment.measures {
        let table = Table::new(measure, &experiment.published, result);
        if !table.columns.is_empty() {
            table.write(text)?;
        }
    }
    for graph in &result.graphs {
        for disagreement in &graph.disagreements {
            writeln!(text, "\n**DISAGREEMENT** on {}: {disagreement}", graph.name)?;
        }
        if !graph.verified {
            writeln!(text, "\n**NOT VERIFIED**: the forest of {}", graph.name)?;
        }
    }
    skips(text, result)
}

/// One line for each reason, because a contestant without a device is skipped on every graph.
fn skips(text: &mut String, result: &ExperimentResult) -> Result {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let skipped = result.graphs.iter().flat_map(|graph| &graph.skipped).chain(&result.skipped);
    for skip in skipped {
        let names = reasons.entry(&skip.reason).or_default();
        if !names.contains(&skip.name.as_str()) {
            names.push(&skip.name);
        }
    }
    for (reason, names) in reasons {
        writeln!(text, "\nskipped: {}: {reason}", names.join(", "))?;
    }
    Ok(())
}

/// A table of one measure: a row for each graph and each combination of options, a column for each
/// contestant.
struct Table<'a> {
    measure: Measure,
    published: &'a Published,
    graphs: &'a [GraphResult],
    /// The names of the contestants that have a value in a row.
    columns: Vec<&'a str>,
}

impl<'a> Table<'a> {
    fn new(measure: Measure, published: &'a Published, result: &'a ExperimentResult) -> Self {
        let mut columns = Vec::new();
        for graph in &result.graphs {
            for contestant in &graph.contestants {
                let is_new = !columns.contains(&contestant.name.as_str());
                if is_new && !values(measure, graph, contestant).is_empty() {
                    columns.push(contestant.name.as_str());
                }
            }
        }
        Self { measure, published, graphs: &result.graphs, columns }
    }

    fn write(&self, text: &mut String) -> Result {
        let all = self.published.columns.iter().enumerate();
        let published: Vec<_> = all.filter(|(_, (measure, _))| *measure == self.measure).collect();
        writeln!(text, "\n{}:\n", self.measure.title())?;
        let mut heading = "| graph | vertices | edges | options |".to_owned();
        for (_, (_, column)) in &published {
            write!(heading, " paper: {column} |")?;
        }
        for column in &self.columns {
            write!(heading, " {column} |")?;
        }
        let numbers = published.len() + self.columns.len();
        writeln!(text, "{heading}\n|---|--:|--:|---|{}", "--:|".repeat(numbers))?;
        for graph in self.graphs {
            let rows = self.published.rows;
            let row = rows.iter().find(|(name, _)| *name == graph.name).map(|(_, row)| *row);
            let figure = |at: usize| row.and_then(|row| row.get(at).copied().flatten());
            for (index, settings) in all_settings(graph).into_iter().enumerate() {
                let mark = if graph.stand_in_for.is_some() { "*" } else { "" };
                let options = options(settings);
                let (n, m) = (graph.vertices, graph.edges);
                write!(text, "| {}{mark} | {n} | {m} | {options} |", graph.name)?;
                for &(at, _) in &published {
                    let figure = figure(at).filter(|_| index == 0);
                    let shown = figure.map(|figure| figure.to_string());
                    write!(text, " {} |", shown.unwrap_or_default())?;
                }
                for name in &self.columns {
                    write!(text, " {} |", self.cell(graph, name, settings))?;
                }
                writeln!(text)?;
            }
        }
        Ok(())
    }

    fn cell(&self, graph: &GraphResult, name: &str, settings: &BTreeMap<String, u64>) -> String {
        let mut contestants = graph.contestants.iter();
        let found = contestants.find(|one| one.name == name && one.settings == *settings);
        let values = found.map(|contestant| values(self.measure, graph, contestant));
        let values = values.unwrap_or_default().into_iter();
        values.map(|value| self.measure.format(value)).collect::<Vec<_>>().join(", ")
    }
}

/// The combinations of options in the order of the contestants.
fn all_settings(graph: &GraphResult) -> Vec<&BTreeMap<String, u64>> {
    let mut all = Vec::new();
    for contestant in &graph.contestants {
        if !all.contains(&&contestant.settings) {
            all.push(&contestant.settings);
        }
    }
    all
}

fn options(settings: &BTreeMap<String, u64>) -> String {
    let settings: Vec<_> =
        settings.iter().map(|(option, value)| format!("{option}={value}")).collect();
    if settings.is_empty() { "defaults".to_owned() } else { settings.join(" ") }
}

impl Measure {
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Time => "Time in ms",
            Self::EdgeRate => "Million edges per second",
            Self::Reduction => "Vertices unified in each iteration, in percent",
            Self::ReductionAlone => {
                "The same, if a tree that touches another one stayed alone (Bader & Cong 2006)"
            }
            Self::AbortRate => "Abort rate: aborted transactions by started transactions",
        }
    }

    /// A value in the unit of the title and of the published figures.
    pub(super) fn in_unit(self, value: f64) -> f64 {
        match self {
            Self::Time => 1e3 * value,
            Self::Reduction | Self::ReductionAlone => 100.0 * value,
            Self::EdgeRate | Self::AbortRate => value,
        }
    }

    fn format(self, value: f64) -> String {
        match self {
            Self::Time => milliseconds(value),
            Self::EdgeRate | Self::Reduction | Self::ReductionAlone => {
                format!("{:.1}", self.in_unit(value))
            }
            Self::AbortRate => format!("{value:.4}"),
        }
    }
}

/// A contestant's values on a graph; empty if it does not report what the measure needs.
pub(super) fn values(
    measure: Measure,
    graph: &GraphResult,
    contestant: &ContestantResult,
) -> Vec<f64> {
    let median = contestant.timing.median;
    match (measure, &contestant.observed) {
        (Measure::Time, _) => vec![median],
        (Measure::EdgeRate, _) => vec![graph.edges as f64 / median / 1e6],
        (_, None) => Vec::new(),
        (Measure::Reduction, Some(observed)) => reductions(graph, observed),
        (Measure::ReductionAlone, Some(observed)) => reductions_alone(observed),
        (Measure::AbortRate, Some(observed)) => abort_rate(observed).into_iter().collect(),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observed::Counter;
    use crate::statistics::Timing;

    fn contestant(name: &str, settings: &[(&str, u64)], seconds: f64) -> ContestantResult {
        ContestantResult {
            name: name.to_owned(),
            settings: settings.iter().map(|&(name, value)| (name.to_owned(), value)).collect(),
            peer: false,
            version: String::new(),
            build_seconds: 0.0,
            timing: Timing::new(seconds, vec![seconds]).unwrap(),
            observed: None,
        }
    }

    fn graph(name: &str, contestants: Vec<ContestantResult>) -> GraphResult {
        GraphResult {
            name: name.to_owned(),
            source: String::new(),
            stand_in_for: Some("file".to_owned()),
            threads: None,
            awake: false,
            vertices: 100,
            edges: 4000,
            weight_type: String::new(),
            weight_bytes: 4,
            forest_edges: 99,
            total_weight: String::new(),
            verified: true,
            contestants,
            skipped: Vec::new(),
            disagreements: Vec::new(),
        }
    }

    #[test]
    fn published_figures_are_printed_once_beside_ours() {
        let published = Published {
            columns: &[(Measure::Time, "PMA"), (Measure::AbortRate, "K40")],
            rows: &[("NY", &[Some(29.0), Some(0.5)])],
        };
        let contestants = vec![
            contestant("min", &[("gamma", 2)], 0.002),
            contestant("min", &[("gamma", 8)], 0.004),
            contestant("fast", &[], 0.001),
        ];
        let result = ExperimentResult {
            id: String::new(),
            graphs: vec![graph("NY", contestants)],
            skipped: Vec::new(),
        };
        let mut text = String::new();
        Table::new(Measure::Time, &published, &result).write(&mut text).unwrap();
        let lines: Vec<_> = text.lines().skip(3).collect();
        assert_eq!(
            lines,
            [
                "| graph | vertices | edges | options | paper: PMA | min | fast |",
                "|---|--:|--:|---|--:|--:|--:|",
                "| NY* | 100 | 4000 | gamma=2 | 29 | 2.00 |  |",
                "| NY* | 100 | 4000 | gamma=8 |  | 4.00 |  |",
                "| NY* | 100 | 4000 | defaults |  |  | 1.00 |",
            ]
        );
        assert!(Table::new(Measure::AbortRate, &published, &result).columns.is_empty());
    }

    #[test]
    fn rates_are_read_off_the_observed_solve() {
        let round = |round, components| ObservedRound { round, components, edges: 0, seconds: 0.0 };
        let count = |name: &str, round, value| Counter { name: name.to_owned(), round, value };
        let mut one = contestant("stm", &[], 0.002);
        one.observed = Some(Observed {
            rounds: vec![round(0, 100), round(1, 25), round(2, 5)],
            counters: vec![
                count("transactions started", Some(0), 30.0),
                count("transactions aborted", Some(0), 4.0),
                count("transactions started", Some(1), 10.0),
                count("transactions aborted", Some(1), 6.0),
            ],
            ..Observed::default()
        });
        let graph = graph("NY", Vec::new());
        let read = |measure, one: &ContestantResult| {
            let values = values(measure, &graph, one).into_iter();
            values.map(|value| (1000.0 * value).round()).collect::<Vec<_>>()
        };
        assert_eq!(read(Measure::Reduction, &one), [750.0, 800.0]);
        assert_eq!(read(Measure::ReductionAlone, &one), [0.0; 0]);
        assert_eq!(read(Measure::AbortRate, &one), [250.0]);
        assert_eq!(read(Measure::EdgeRate, &one), [2000.0]);

        one.observed.as_mut().unwrap().rounds.truncate(1);
        assert_eq!(read(Measure::Reduction, &one), [990.0]);
        // 40 trees and 30 touches, of which two are of the same pair.
        for (name, value) in [("trees", 40.0), ("touches", 30.0), ("mutual touches", 1.0)] {
            let counter = count(name, Some(0), value);
            one.observed.as_mut().unwrap().counters.push(counter);
        }
        assert_eq!(read(Measure::Reduction, &one), [890.0]);
        assert_eq!(read(Measure::ReductionAlone, &one), [600.0]);
        one.observed = None;
        assert_eq!(read(Measure::Reduction, &one), [0.0; 0]);
    }
}
