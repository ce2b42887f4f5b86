//! Sections of records of `kostra-bench`.

use super::cells::{Group, STAND_IN, Section, cells, distinct};
use super::paper::beside;
use super::partitions;
use super::plot::{Axis, Kind, Origin, Panel, Plot, Series};
use super::processes;
use crate::bank::BankResult;
use crate::papers::shown_paper;
use crate::peak::PeakResult;
use crate::read::FileResult;
use crate::record::{ExperimentResult, GraphResult, Measured, Record, Skipped};

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
