//! The experiments of a paper: what was measured, beside the published figures.

use super::cells::{Group, STAND_IN, distinct};
use super::compared::MOST_CONTESTANTS;
use super::paper_parts;
use super::plot::{Axis, Kind, Origin, Panel, Plot, Series};
use super::table::{Entry, Table};
use crate::papers::{ShownExperiment, ShownGraph, ShownMeasure};
use crate::record::{ContestantResult, ExperimentResult, GraphResult};

/// Adds plots and tables of an experiment's measures beside the published figures.
pub(super) fn beside(
    group: &mut Group,
    experiment: &ShownExperiment,
    result: &ExperimentResult,
    hardware: &str,
) {
    let name = |position: usize| {
        let graph = &result.graphs[position];
        let is_swept = result.graphs.iter().filter(|other| other.name == graph.name).count() > 1;
        let threads = graph.threads.filter(|_| is_swept);
        let threads = threads.map_or(String::new(), |threads| format!(", threads: {threads}"));
        format!("{}{threads}", marked(graph))
    };
    for (at, measure) in experiment.measures.iter().enumerate() {
        let mut plot = measure_plot(measure, &name, result);
        plot.id = format!("{}-measure-{}", group.id, at + 1);
        plot.note.push_str(&published_note(measure, hardware));
        group.plots.extend(plot.cleaned());
        group.tables.extend(published_table(measure, &name));
    }
    if let Some(mut plot) = paper_parts::phases(&experiment.phases, &name) {
        plot.id = format!("{}-published-phases", group.id);
        plot.note.push_str(&format!("The paper's are of {hardware}."));
        group.plots.push(plot);
    }
    group.tables.extend(paper_parts::phase_tables(&experiment.phases, &name));
    group.tables.extend(paper_parts::rank_table(&experiment.over_ranks, &name));
}

/// The name of a graph, marked if it is a stand-in.
fn marked(graph: &GraphResult) -> String {
    let mark = if graph.stand_in_for.is_some() { STAND_IN } else { "" };
    format!("{}{mark}", graph.name)
}

fn measure_plot(
    measure: &ShownMeasure,
    name: &impl Fn(usize) -> String,
    result: &ExperimentResult,
) -> Plot {
    if !measure.sweeps.is_empty() {
        return paper_parts::sweeps(measure, &|position| marked(&result.graphs[position]));
    }
    if !measure.rounds.is_empty() {
        return paper_parts::rounds(measure, name);
    }
    let single = |(_, values): &(String, Vec<f64>)| values.len() == 1;
    if measure.graphs.iter().flat_map(|graph| &graph.measured).all(single) {
        dots(measure, name, result)
    } else {
        by_round(measure, name)
    }
}

/// Says which marks are the paper's.
fn published_note(measure: &ShownMeasure, hardware: &str) -> String {
    let published = measure.graphs.iter().any(|graph| !graph.published.is_empty());
    if published || !measure.sweeps.is_empty() {
        format!("Dots were measured here. Triangles are the paper's figures, on {hardware}.")
    } else {
        "The paper prints no numbers for this; what its text says is above.".to_owned()
    }
}

/// The contestants with the fastest settings of each solver on a graph: their labels and names.
fn fastest(graph: &GraphResult) -> Vec<(String, &str)> {
    let mut best: Vec<&ContestantResult> = Vec::new();
    for one in &graph.contestants {
        match best.iter_mut().find(|known| known.name == one.name) {
            Some(known) if known.timing.median <= one.timing.median => {}
            Some(known) => *known = one,
            None => best.push(one),
        }
    }
    best.into_iter().map(|one| (one.label(), &*one.name)).collect()
}

fn dots(
    measure: &ShownMeasure,
    name: &impl Fn(usize) -> String,
    result: &ExperimentResult,
) -> Plot {
    let labels = distinct(
        measure
            .graphs
            .iter()
            .flat_map(|graph| graph.measured.iter().map(|(label, _)| label.clone())),
    );
    let many = labels.len() > MOST_CONTESTANTS;
    let mut series: Vec<Series> = Vec::new();
    let mut add = |name: String, origin, at: usize, value| {
        let point = (at as f64, value);
        match series.iter_mut().find(|series| series.name == name) {
            Some(series) => series.points.push(point),
            None => series.push(Series { name, origin, points: vec![point] }),
        }
    };
    for (at, graph) in measure.graphs.iter().enumerate() {
        let fastest = fastest(&result.graphs[graph.position]);
        for (label, values) in &graph.measured {
            let found = fastest.iter().find(|(known, _)| known == label);
            match found.filter(|_| many) {
                Some((_, name)) => add((*name).to_owned(), Origin::Measured, at, values[0]),
                None if many => {}
                None => add(label.clone(), Origin::Measured, at, values[0]),
            }
        }
    }
    for (at, graph) in measure.graphs.iter().enumerate() {
        for &(heading, value) in &graph.published {
            add(format!("paper: {heading}"), Origin::Published, at, value);
        }
    }
    let categories = measure.graphs.iter().map(|graph| name(graph.position)).collect();
    Plot {
        id: String::new(),
        title: measure.title.clone(),
        note: if many { "Of several settings, the fastest is shown. " } else { "" }.to_owned(),
        kind: Kind::Dots,
        positions: Axis::linear(""),
        values: Axis::log(&measure.title),
        panels: vec![Panel { title: String::new(), categories, series }],
    }
}

fn by_round(measure: &ShownMeasure, name: &impl Fn(usize) -> String) -> Plot {
    let line = |(label, values): &(String, Vec<f64>)| {
        Series::measured(label, (1..).map(f64::from).zip(values.iter().copied()).collect())
    };
    Plot {
        id: String::new(),
        title: measure.title.clone(),
        note: "One value for each iteration of the observed solve. ".to_owned(),
        kind: Kind::Lines,
        positions: Axis { base: None, ..Axis::linear("iteration") },
        values: Axis::linear(&measure.title),
        panels: measure
            .graphs
            .iter()
            .map(|graph| Panel {
                title: name(graph.position),
                categories: Vec::new(),
                series: graph.measured.iter().map(line).collect(),
            })
            .collect(),
    }
}

/// The published figures beside the measured ones; none if the paper prints no numbers.
fn published_table(measure: &ShownMeasure, name: &impl Fn(usize) -> String) -> Option<Table> {
    let columns = |of: fn(&ShownGraph) -> Vec<String>| distinct(measure.graphs.iter().flat_map(of));
    let published =
        columns(|graph| graph.published.iter().map(|(name, _)| (*name).to_owned()).collect());
    if published.is_empty() {
        return None;
    }
    let measured = columns(|graph| graph.measured.iter().map(|(name, _)| name.clone()).collect());
    let heads: Vec<String> = ["graph".to_owned()]
        .into_iter()
        .chain(published.iter().map(|name| format!("paper: {name}")))
        .chain(measured.iter().cloned())
        .collect();
    let row = |graph: &ShownGraph| {
        let published = published.iter().map(|column| {
            let found = graph.published.iter().find(|(name, _)| name == column);
            Entry::number(found.map(|(_, value)| *value))
        });
        let measured = measured.iter().map(|column| {
            let found = graph.measured.iter().find(|(name, _)| name == column);
            Entry::number(found.and_then(|(_, values)| values.first().copied()))
        });
        [Entry::Text(name(graph.position))].into_iter().chain(published).chain(measured).collect()
    };
    let rows = measure.graphs.iter().map(row).collect();
    let caption =
        format!("{}, beside the paper. Columns `paper:` are published figures.", measure.title);
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    Some(Table::new(caption, &heads, rows))
}
