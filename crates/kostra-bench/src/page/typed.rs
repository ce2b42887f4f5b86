//! Sections of records of `kostra-bench`.

use super::cells::{Group, STAND_IN, Section, cells, distinct};
use super::compared::MOST_CONTESTANTS;
use super::partitions;
use super::plot::{Axis, Kind, Origin, Panel, Plot, Series};
use super::processes;
use super::table::{Entry, Table};
use crate::bank::BankResult;
use crate::papers::{ShownExperiment, ShownMeasure, shown_paper};
use crate::record::{
    ContestantResult, ExperimentResult, FileResult, GraphResult, Measured, PeakResult, Record,
    Skipped,
};

/// The section of a record whose name is `title`.
pub(super) fn section(title: &str, record: &Record) -> Section {
    let mut facts = conditions(record);
    let whole = Group { id: title.to_owned(), ..Group::default() };
    let groups = match &record.measured {
        Measured::Solve { memory_speed, graphs, skipped } => {
            let mut group = with_graphs(whole, graphs, record.threads);
            group.memory.clone_from(memory_speed);
            group.skipped.extend(skipped.iter().map(reason));
            vec![group]
        }
        Measured::Paper { paper, scale, experiments } => {
            let groups = experiments.iter().map(|result| experiment(title, paper, result, record));
            facts.extend(about(paper, *scale));
            groups.collect()
        }
        Measured::Read(files) => vec![Group { plots: vec![reads(title, files)], ..whole }],
        Measured::Memory(peaks) => vec![Group { plots: vec![memory(title, peaks)], ..whole }],
        Measured::Process(results) => {
            vec![Group { plots: vec![processes::plot(title, results)], ..whole }]
        }
        Measured::Partition(results) => {
            vec![Group { plots: partitions::plots(title, results), ..whole }]
        }
        Measured::Bank(results) => vec![Group { plots: bank(title, results), ..whole }],
    };
    Section {
        title: title.to_owned(),
        facts,
        groups: groups.into_iter().map(Group::merged).collect(),
    }
}

fn fact(name: &str, value: impl Into<String>) -> (String, String) {
    (name.to_owned(), value.into())
}

fn conditions(record: &Record) -> Vec<(String, String)> {
    let machine = &record.machine;
    let kind = if machine.virtual_machine { ", virtual" } else { "" };
    let mut facts = vec![
        fact("date", &record.date),
        fact("machine", format!("{}, {} processors{kind}", machine.processor, machine.cores)),
    ];
    facts.extend(record.versions.get("cuda device").map(|device| fact("device", device)));
    if let Some(commit) = &record.commit {
        let dirty = if commit.dirty { ", with uncommitted changes" } else { "" };
        facts.push(fact("commit", format!("{}{dirty}", commit.hash)));
    }
    facts.push(fact("command", &record.command));
    let [before, after] = record.load_average;
    facts.push(fact("load average", format!("{before:.2} before, {after:.2} after")));
    if record.versions.get("profile").is_some_and(|profile| profile == "debug") {
        facts.push(fact("build", "a debug build: these times are not meaningful"));
    }
    facts
}

fn about(paper: &str, scale: u64) -> Vec<(String, String)> {
    let mut facts = match shown_paper(paper) {
        Some(paper) => {
            vec![fact("paper", paper.title), fact("hardware of the paper", paper.hardware)]
        }
        None => vec![fact("paper", format!("'{paper}', which this build does not know"))],
    };
    if scale > 1 {
        let text = format!("divided by {scale}: do not compare with the paper's times");
        facts.push(fact("sizes", text));
    }
    facts
}

fn reason(skipped: &Skipped) -> String {
    format!("{}: {}", skipped.name, skipped.reason)
}

/// Adds the cells, faults and skipped contestants of graphs.
fn with_graphs(mut group: Group, graphs: &[GraphResult], threads: usize) -> Group {
    for graph in graphs {
        group.cells.extend(cells(graph, threads));
        let fault = |text: &String| format!("Answers differ on {}: {text}", graph.name);
        group.faults.extend(graph.disagreements.iter().map(fault));
        let wrong = |wrong: &Skipped| format!("Wrong on {}, {}", graph.name, reason(wrong));
        group.faults.extend(graph.wrong.iter().map(wrong));
        if !graph.verified {
            group.faults.push(format!("The forest of {} is not verified.", graph.name));
        }
    }
    let skipped = graphs.iter().flat_map(|graph| &graph.skipped).map(reason);
    group.skipped.extend(distinct(skipped));
    let stand_ins = graphs.iter().filter_map(|graph| {
        graph.stand_in_for.as_ref().map(|real| format!("{}{STAND_IN} for {real}", graph.name))
    });
    let stand_ins = distinct(stand_ins);
    if !stand_ins.is_empty() {
        group.facts.push(format!(
            "{STAND_IN} marks a generated graph in place of the real one: {}.",
            stand_ins.join(", ")
        ));
    }
    group
}

fn experiment(title: &str, paper: &str, result: &ExperimentResult, record: &Record) -> Group {
    let known = shown_paper(paper).and_then(|paper| paper.experiment(result));
    let id = format!("{title}-{}", result.id);
    let mut group = Group { id, title: result.id.clone(), ..Group::default() };
    if let Some(known) = &known {
        known.title.clone_into(&mut group.title);
        group.facts.extend(known.says.iter().map(|says| format!("Paper: {says}")));
    }
    let mut group = with_graphs(group, &result.graphs, record.threads);
    group.skipped.extend(result.skipped.iter().map(reason));
    group.plots.extend(partitions::plots(&group.id, &result.partitions));
    if let Some(known) = known {
        let hardware = shown_paper(paper).map_or("", |paper| paper.hardware);
        beside(&mut group, &known, result, hardware);
    }
    group
}

/// Adds plots and tables of an experiment's measures beside the published figures.
fn beside(
    group: &mut Group,
    experiment: &ShownExperiment,
    result: &ExperimentResult,
    hardware: &str,
) {
    let name = |position: usize| {
        let graph = &result.graphs[position];
        let mark = if graph.stand_in_for.is_some() { STAND_IN } else { "" };
        let is_swept = result.graphs.iter().filter(|other| other.name == graph.name).count() > 1;
        let threads = graph.threads.filter(|_| is_swept);
        let threads = threads.map_or(String::new(), |threads| format!(", threads: {threads}"));
        format!("{}{mark}{threads}", graph.name)
    };
    for (at, measure) in experiment.measures.iter().enumerate() {
        let single = |(_, values): &(String, Vec<f64>)| values.len() == 1;
        let all_single = measure.graphs.iter().flat_map(|graph| &graph.measured).all(single);
        let mut plot =
            if all_single { dots(measure, &name, result) } else { by_round(measure, &name) };
        plot.id = format!("{}-measure-{}", group.id, at + 1);
        plot.note.push_str(&published_note(measure, hardware));
        group.plots.extend(plot.cleaned());
        group.tables.extend(published_table(measure, &name));
    }
}

/// Says which marks are the paper's.
fn published_note(measure: &ShownMeasure, hardware: &str) -> String {
    if measure.graphs.iter().any(|graph| !graph.published.is_empty()) {
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
    let columns = |of: fn(&crate::papers::ShownGraph) -> Vec<String>| {
        distinct(measure.graphs.iter().flat_map(of))
    };
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
    let row = |graph: &crate::papers::ShownGraph| {
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

/// A plot of bars whose categories are `names`.
/// Bars with a group for each name.
pub(super) fn bars(
    id: String,
    title: &str,
    unit: &str,
    names: Vec<String>,
    series: Vec<Series>,
) -> Plot {
    Plot {
        id,
        title: title.to_owned(),
        note: String::new(),
        kind: Kind::Bars,
        positions: Axis::linear(""),
        values: Axis::linear(unit),
        panels: vec![Panel { title: String::new(), categories: names, series }],
    }
}

fn reads(title: &str, files: &[FileResult]) -> Plot {
    let speed = |name: &str, seconds: fn(&FileResult) -> Option<f64>| {
        let points = files.iter().enumerate().filter_map(|(at, file)| {
            Some((at as f64, file.content_bytes as f64 / 1e6 / seconds(file)?))
        });
        Series::measured(name, points.collect())
    };
    let series = vec![
        speed("reading the graph", |file| Some(file.graph.median)),
        speed("decompressing only", |file| Some(file.decompress.as_ref()?.median)),
        speed("reading the bytes only", |file| Some(file.plain.median)),
    ];
    let names = files.iter().map(|file| format!("{} ({})", file.file, file.format)).collect();
    let plot = bars(
        format!("{title}-readers"),
        "Speed of readers",
        "MB of content per second",
        names,
        series,
    );
    Plot { values: Axis::log("MB of content per second").from(10.0), ..plot }
}

fn memory(title: &str, peaks: &[PeakResult]) -> Plot {
    let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let points = |bytes: fn(&PeakResult) -> u64| {
        peaks
            .iter()
            .enumerate()
            .map(move |(at, peak)| (at as f64, mebibytes(bytes(peak))))
            .collect()
    };
    let series = vec![
        Series::measured("peak", points(|peak| peak.peak_bytes)),
        Series {
            name: "budget".to_owned(),
            origin: Origin::Bound,
            points: points(|peak| peak.budget_bytes),
        },
    ];
    let names = peaks.iter().map(|peak| peak.source.clone()).collect();
    let plot =
        bars(format!("{title}-memory"), "Peak memory beside the budget", "MiB", names, series);
    Plot { note: "The budget is 24 bytes per edge and per vertex.".to_owned(), ..plot }
}

fn bank(title: &str, results: &[BankResult]) -> Vec<Plot> {
    let plot = |what: &str, unit: &str, values: Axis, figure: fn(&BankResult) -> f64| {
        let methods = distinct(results.iter().map(BankResult::method));
        let line = |method: &str| {
            let of_method = results.iter().filter(|result| result.method() == method);
            Series::measured(
                method,
                of_method.map(|result| (f64::from(result.accounts()), figure(result))).collect(),
            )
        };
        Plot {
            id: format!("{title}-{what}"),
            title: unit.to_owned(),
            note: "Few accounts give much contention.".to_owned(),
            kind: Kind::Lines,
            positions: Axis::log("accounts"),
            values,
            panels: vec![Panel {
                title: String::new(),
                categories: Vec::new(),
                series: methods.into_iter().map(line).collect(),
            }],
        }
    };
    vec![
        plot(
            "commits",
            "Committed transactions per second",
            Axis::log("commits per second"),
            BankResult::commits_per_second,
        ),
        plot(
            "aborts",
            "Aborted attempts",
            Axis::linear("aborted attempts, %"),
            BankResult::abort_percent,
        ),
    ]
}
