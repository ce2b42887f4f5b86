//! Prints the results of a paper's experiments beside the published figures, as Markdown.

use std::collections::BTreeMap;
use std::fmt::{Result, Write};

use super::description::{Experiment, Measure, Paper, Published, paper};
use super::phases;
use super::values::ResultKey;
use crate::contestant::Timed;
use crate::record::{ExperimentResult, GraphResult, Record};

/// Formats the experiments of a paper.
pub(crate) fn report(
    text: &mut String,
    record: &Record,
    id: &str,
    scale: u64,
    experiments: &[ExperimentResult],
) -> Result {
    let paper = match paper(id) {
        Ok(paper) => paper,
        Err(error) => return writeln!(text, "**{error:#}**"),
    };
    head(text, record, &paper, scale)?;
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
    let transfers = match paper.timed {
        Timed::FromHost => "with transfers to and from a device",
        Timed::WithUpload => "with the transfer to a device",
        Timed::OnDevice => "without transfers to a device",
    };
    writeln!(
        text,
        "- Columns `paper:` are published figures; all others were measured here. Times are medians \
         {transfers}. Phases, counters and rates come from one more solve, which was observed and \
         not timed. `*`: a generated graph in place of the real one."
    )?;
    let caches = record.versions.get("cache misses").filter(|counted| *counted != "counted");
    match caches {
        Some(reason) => writeln!(text, "- cache misses are not counted: {reason}"),
        None => Ok(()),
    }
}

fn one(text: &mut String, experiment: &Experiment, result: &ExperimentResult) -> Result {
    writeln!(text, "\n### {}\n", experiment.title)?;
    for sentence in &experiment.says {
        writeln!(text, "- paper: {sentence}")?;
    }
    for measure in &experiment.measures {
        match measure {
            Measure::Phases => phases::totals(text, &experiment.published.phases, result)?,
            Measure::PhasesByRound | Measure::Occupancy | Measure::AchievedOccupancy => {
                phases::by_round(text, measure, result)?;
            }
            Measure::Partitions => crate::partition::table(text, &result.partitions)?,
            Measure::OverRanks => phases::over_ranks(text, result)?,
            _ => Table::new(measure, &experiment.published, result).write(text)?,
        }
    }
    for graph in &result.graphs {
        graph.write_wrong(text)?;
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
    measure: &'a Measure,
    result: &'a ExperimentResult,
    /// Whether each graph was solved with several numbers of threads.
    is_sweep: bool,
    published: &'a Published,
    /// The headings of the measure's published figures, with their positions in rows.
    figures: Vec<(usize, &'a str)>,
    /// The names of the contestants that have a value in a row.
    columns: Vec<&'a str>,
}

impl<'a> Table<'a> {
    fn new(measure: &'a Measure, published: &'a Published, result: &'a ExperimentResult) -> Self {
        let mut columns = Vec::new();
        for graph in &result.graphs {
            for contestant in &graph.contestants {
                let is_new = !columns.contains(&contestant.name.as_str());
                let place = ResultKey { result, graph, contestant };
                if is_new && !measure.shown(place).is_empty() {
                    columns.push(contestant.name.as_str());
                }
            }
        }
        let figures = published.columns.iter().enumerate();
        let figures = figures.filter(|(_, (other, _))| other == measure);
        let threads = result.graphs.first().map(|graph| graph.threads);
        Self {
            measure,
            result,
            is_sweep: result.graphs.iter().any(|graph| Some(graph.threads) != threads),
            published,
            figures: figures.map(|(at, (_, heading))| (at, &**heading)).collect(),
            columns,
        }
    }

    fn write(&self, text: &mut String) -> Result {
        if self.columns.is_empty() {
            return Ok(());
        }
        writeln!(text, "\n{}:\n", self.measure.title())?;
        let mut heading = "| graph | vertices | edges | options |".to_owned();
        for (_, column) in &self.figures {
            write!(heading, " paper: {column} |")?;
        }
        for column in &self.columns {
            write!(heading, " {column} |")?;
        }
        let numbers = self.figures.len() + self.columns.len();
        writeln!(text, "{heading}\n|---|--:|--:|---|{}", "--:|".repeat(numbers))?;
        let graphs = &self.result.graphs;
        for (at, graph) in graphs.iter().enumerate() {
            let is_first = at == 0 || graphs[at - 1].name != graph.name;
            let is_last = graphs.get(at + 1).is_none_or(|next| next.name != graph.name);
            for (index, settings) in all_settings(graph).into_iter().enumerate() {
                let figures = self.figures_of(graph, settings, is_first && index == 0);
                self.row_head(text, graph, &self.options(graph, settings))?;
                self.row_figures(text, figures)?;
                for name in &self.columns {
                    write!(text, " {} |", self.cell(graph, name, settings))?;
                }
                writeln!(text)?;
            }
            if is_last {
                self.rows_of_the_paper_only(text, graph)?;
            }
        }
        Ok(())
    }

    fn row_head(&self, text: &mut String, graph: &GraphResult, options: &str) -> Result {
        let mark = if graph.stand_in_for.is_some() { "*" } else { "" };
        let (n, m) = (graph.vertices, graph.edges);
        write!(text, "| {}{mark} | {n} | {m} | {options} |", graph.name)
    }

    fn row_figures(&self, text: &mut String, figures: &[f64]) -> Result {
        for &(at, _) in &self.figures {
            let figure = figures.get(at).filter(|figure| !figure.is_nan());
            let shown = figure.map(f64::to_string);
            write!(text, " {} |", shown.unwrap_or_default())?;
        }
        Ok(())
    }

    /// The published figures of a row. Those of a graph without a sweep are in its first row.
    fn figures_of(
        &self,
        graph: &GraphResult,
        settings: &BTreeMap<String, u64>,
        is_first: bool,
    ) -> &'a [f64] {
        let options = self.options(graph, settings);
        let has = |key: &str| options.split(' ').any(|option| option == key);
        let mut sweep = self.published.sweep.iter();
        if let Some((.., figures)) = sweep.find(|(name, key, _)| *name == graph.name && has(key)) {
            return figures;
        }
        let mut rows = self.published.rows.iter();
        let row = rows.find(|(name, _)| is_first && *name == graph.name);
        row.map_or(&[], |(_, figures)| figures)
    }

    /// The rows of a sweep that this machine could not run.
    fn rows_of_the_paper_only(&self, text: &mut String, graph: &GraphResult) -> Result {
        let graphs = self.result.graphs.iter().filter(|other| other.name == graph.name);
        let ours = graphs.flat_map(|graph| {
            all_settings(graph).into_iter().map(move |settings| self.options(graph, settings))
        });
        let ours: Vec<_> = ours.collect();
        let has = |key: &str| ours.iter().any(|options| options.split(' ').any(|one| one == key));
        for (name, key, figures) in &self.published.sweep {
            let wanted = self.figures.iter().any(|&(at, _)| !figures[at].is_nan());
            if *name == graph.name && wanted && !has(key) {
                self.row_head(text, graph, key)?;
                self.row_figures(text, figures)?;
                writeln!(text, "{}", "  |".repeat(self.columns.len()))?;
            }
        }
        Ok(())
    }

    fn cell(&self, graph: &GraphResult, name: &str, settings: &BTreeMap<String, u64>) -> String {
        let mut contestants = graph.contestants.iter();
        let found = contestants.find(|one| one.name == name && one.settings == *settings);
        let place = |contestant| ResultKey { result: self.result, graph, contestant };
        found.map(|contestant| self.measure.shown(place(contestant))).unwrap_or_default()
    }

    fn options(&self, graph: &GraphResult, settings: &BTreeMap<String, u64>) -> String {
        let threads = graph.threads.filter(|_| self.is_sweep);
        let threads = threads.map(|threads| format!("threads={threads}"));
        let settings = settings.iter().map(|(option, value)| format!("{option}={value}"));
        let options: Vec<_> = threads.into_iter().chain(settings).collect();
        if options.is_empty() { "defaults".to_owned() } else { options.join(" ") }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observed::{Observed, ObservedRound, SolverFigure};
    use crate::record::ContestantResult;
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
            stand_in_for: Some("file".to_owned()),
            vertices: 100,
            edges: 4000,
            forest_edges: 99,
            contestants,
            ..GraphResult::default()
        }
    }

    fn results(graphs: Vec<GraphResult>) -> ExperimentResult {
        ExperimentResult { graphs, ..ExperimentResult::default() }
    }

    fn columns(columns: [(Measure, &str); 2]) -> Vec<(Measure, String)> {
        columns.map(|(measure, heading)| (measure, heading.to_owned())).into()
    }

    #[test]
    fn published_figures_are_printed_once_beside_ours() {
        let published = Published {
            columns: columns([(Measure::Time, "PMA"), (Measure::AbortRate, "K40")]),
            rows: vec![("NY".to_owned(), vec![29.0, 0.5])],
            ..Published::default()
        };
        let contestants = vec![
            contestant("min", &[("gamma", 2)], 0.002),
            contestant("min", &[("gamma", 8)], 0.004),
            contestant("fast", &[], 0.001),
        ];
        let result = results(vec![graph("NY", contestants)]);
        let mut text = String::new();
        Table::new(&Measure::Time, &published, &result).write(&mut text).unwrap();
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
        assert!(Table::new(&Measure::AbortRate, &published, &result).columns.is_empty());
    }

    #[test]
    fn rates_are_read_off_the_observed_solve() {
        let round = |round, components| ObservedRound { round, components, edges: 0, seconds: 0.0 };
        let count = |name: &str, round, value| SolverFigure {
            name: name.to_owned(),
            round,
            phase: None,
            value,
            ranks: None,
        };
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
        let result = results(vec![graph("NY", Vec::new())]);
        let read = |measure: Measure, contestant: &ContestantResult| {
            measure.shown(ResultKey { result: &result, graph: &result.graphs[0], contestant })
        };
        assert_eq!(read(Measure::Reduction, &one), "75.0, 80.0");
        assert_eq!(read(Measure::ReductionAlone, &one), "");
        assert_eq!(read(Measure::AbortRate, &one), "0.2500");
        assert_eq!(read(Measure::EdgeRate, &one), "2.0");

        one.observed.as_mut().unwrap().rounds.truncate(1);
        assert_eq!(read(Measure::Reduction, &one), "99.0");
        // 40 trees and 30 touches. Two of the touches are of the same pair.
        for (name, value) in [("trees", 40.0), ("touches", 30.0), ("mutual touches", 1.0)] {
            let counter = count(name, Some(0), value);
            one.observed.as_mut().unwrap().counters.push(counter);
        }
        assert_eq!(read(Measure::Reduction, &one), "89.0");
        assert_eq!(read(Measure::ReductionAlone, &one), "60.0");
        one.observed = None;
        assert_eq!(read(Measure::Reduction, &one), "");
    }

    #[test]
    fn a_sweep_shows_speed_ups_and_the_rows_that_only_the_paper_has() {
        let published = Published {
            columns: columns([(Measure::SelfSpeedUp, "OMP"), (Measure::Efficiency, "OMP")]),
            sweep: vec![
                ("NE".to_owned(), "threads=2".to_owned(), vec![1.47, 74.0]),
                ("NE".to_owned(), "threads=40".to_owned(), vec![2.13, 5.0]),
            ],
            ..Published::default()
        };
        let on = |threads, seconds| GraphResult {
            threads: Some(threads),
            stand_in_for: None,
            ..graph("NE", vec![contestant("fast", &[], seconds), contestant("kruskal", &[], 0.01)])
        };
        let result = results(vec![on(1, 0.006), on(2, 0.004)]);
        let written = |measure| {
            let mut text = String::new();
            Table::new(&measure, &published, &result).write(&mut text).unwrap();
            text.lines().skip(3).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(
            written(Measure::SelfSpeedUp),
            [
                "| graph | vertices | edges | options | paper: OMP | fast |",
                "|---|--:|--:|---|--:|--:|",
                "| NE | 100 | 4000 | threads=1 |  | 1.00 |",
                "| NE | 100 | 4000 | threads=2 | 1.47 | 1.50 |",
                "| NE | 100 | 4000 | threads=40 | 2.13 |  |",
            ]
        );
        assert_eq!(written(Measure::Efficiency)[3], "| NE | 100 | 4000 | threads=2 | 74 | 75.0 |");
        assert_eq!(
            written(Measure::SpeedUpOver("kruskal".to_owned()))[3],
            "| NE | 100 | 4000 | threads=2 | 2.50 | 1.00 |"
        );
    }

    #[test]
    fn the_lowest_of_three_close_times_is_the_k_best_time() {
        let result = results(vec![graph("NY", Vec::new())]);
        let read = |seconds: &[f64]| {
            let timing = Timing::new(1.0, seconds.to_vec()).unwrap();
            let contestant = &ContestantResult { timing, ..contestant("one", &[], 1.0) };
            Measure::KBest.shown(ResultKey {
                result: &result,
                graph: &result.graphs[0],
                contestant,
            })
        };
        assert_eq!(read(&[0.2, 0.104, 0.1, 0.3, 0.101]), "100");
        assert_eq!(read(&[0.2, 0.106, 0.1, 0.3, 0.101]), "");
        assert_eq!(read(&[0.1, 0.1]), "");
    }
}
