//! Sections of records that other programs wrote: the example `bench` of `kostra-mpi`,
//! `lab/python.py`, `lab/points.py`, `lab/two_builds.py` and the stress test.
//!
//! These layouts have no version, and their fields differ from record to record. So every field is
//! optional here, and what is missing is not shown.

use serde_json::{Map, Value};

use super::cells::{Cell, Group, Section, distinct};
use super::plot::{Axis, Kind, Panel, Plot, Series};
use super::table::{Entry, Table};
use crate::statistics::Timing;

/// The section of a record whose name is `title`.
pub(super) fn section(title: &str, record: &Value) -> Section {
    let whole = Group { id: title.to_owned(), ..Group::default() };
    let groups = if let Some(measured) = record["measured"].as_array() {
        vec![Group { cells: on_ranks(measured), ..whole }]
    } else if let Some(results) = record["results"].as_array() {
        vec![two_builds(whole, results)]
    } else if let Some(graphs) = record["graphs"].as_object() {
        python(title, graphs)
    } else {
        vec![counts(whole, record)]
    };
    Section {
        title: title.to_owned(),
        facts: facts(record),
        groups: groups.into_iter().map(Group::merged).collect(),
    }
}

/// Names and values of the fields that describe the measurement.
fn facts(record: &Value) -> Vec<(String, String)> {
    let about = if record["about"].is_object() { &record["about"] } else { record };
    let names = ["date", "machine", "commit", "commits", "command", "versions", "load_average"];
    let fact = |name: &str| {
        let text = plain(&about[name]);
        (!text.is_empty()).then(|| (name.replace('_', " "), text))
    };
    names.into_iter().filter_map(fact).collect()
}

/// A value as text without the punctuation of JSON.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(" "),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| format!("{name}: {}", plain(value));
            fields.iter().map(field).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

fn floats(value: &Value) -> Vec<f64> {
    value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}

/// Runs on ranks. They have the best time and the median, and a few have all samples.
fn on_ranks(measured: &[Value]) -> Vec<Cell> {
    let commits = distinct(measured.iter().map(|entry| entry["commit"].as_str()));
    let cell = |entry: &Value, name: String, seconds: &Value| {
        let spec = entry["spec"].as_str().unwrap_or("?");
        Some(Cell {
            graph: spec.to_owned(),
            family: spec.split(':').next().map(str::to_owned),
            name,
            threads: entry["threads"].as_u64(),
            ranks: entry["ranks"].as_u64(),
            samples: floats(&entry["all"]),
            median: seconds["median"].as_f64()?,
            ..Cell::default()
        })
    };
    let cells = |entry: &Value| {
        let mut name =
            entry["algorithm"].as_str().or(entry["solver"].as_str()).unwrap_or("?").to_owned();
        if entry["apart"] == true {
            name.push_str(", ranks apart");
        }
        if commits.len() > 1 {
            let commit = entry["commit"].as_str().unwrap_or("?");
            name.push_str(&format!(" at {}", commit.get(..7).unwrap_or(commit)));
        }
        let phases = entry["phases"].as_array().into_iter().flatten();
        let phases = phases.filter_map(|phase| {
            Some((phase["name"].as_str()?.to_owned(), phase["seconds"].as_f64()?))
        });
        let own = cell(entry, name, &entry["seconds"]).map(|cell| {
            let observed = Some(cell.median);
            let peer = !cell.name.starts_with("mpi-");
            Cell { phases: phases.collect(), observed, peer, ..cell }
        });
        let beside = &entry["beside"];
        let other =
            beside["algorithm"].as_str().and_then(|name| cell(entry, name.to_owned(), beside));
        [own, other].into_iter().flatten()
    };
    measured.iter().flat_map(cells).collect()
}

/// Calls from Python: a group for each way of measuring.
fn python(title: &str, graphs: &Map<String, Value>) -> Vec<Group> {
    let is_way = |value: &Value| {
        let calls = value.as_object().filter(|calls| !calls.is_empty());
        calls.is_some_and(|calls| calls.values().all(|call| call["median"].is_f64()))
    };
    let ways = graphs
        .values()
        .filter_map(Value::as_object)
        .flat_map(|graph| graph.iter().filter(|(_, value)| is_way(value)).map(|(way, _)| way));
    let group = |way: &String| {
        let cells = graphs.iter().flat_map(|(name, graph)| {
            let calls = graph[way].as_object().into_iter().flatten();
            calls.filter_map(move |(package, call)| {
                Some(Cell {
                    graph: name.clone(),
                    vertices: graph["vertices"].as_u64(),
                    edges: graph["edges"].as_u64(),
                    name: package.clone(),
                    peer: !package.starts_with("kostra"),
                    samples: floats(&call["seconds"]),
                    median: call["median"].as_f64()?,
                    ..Cell::default()
                })
            })
        });
        let id = format!("{title}-{way}");
        Group { id, title: format!("Python: {way}"), cells: cells.collect(), ..Group::default() }
    };
    distinct(ways).into_iter().map(group).collect()
}

/// Two builds of the command in turn: the ratio of their medians.
fn two_builds(mut group: Group, results: &[Value]) -> Group {
    let mut panels: Vec<Panel> = Vec::new();
    let mut rows = Vec::new();
    for result in results {
        let text = |name: &str| result[name].as_str().unwrap_or("?").to_owned();
        let median =
            |build: &str| Timing::new(0.0, floats(&result[build])).map(|timing| timing.median);
        let (Some(old), Some(new)) = (median("old"), median("new")) else { continue };
        let threads = result["threads"].as_u64();
        rows.push(vec![
            Entry::Text(text("solver")),
            Entry::Text(text("graph")),
            Entry::count(threads),
            Entry::milliseconds(old),
            Entry::milliseconds(new),
            Entry::number(Some(new / old)),
        ]);
        let title =
            format!("threads: {}", threads.map_or("?".to_owned(), |count| count.to_string()));
        let at = panels.iter().position(|panel| panel.title == title).unwrap_or(panels.len());
        if at == panels.len() {
            panels.push(Panel { title, ..Panel::default() });
        }
        add_ratio(&mut panels[at], text("solver"), text("graph"), new / old);
    }
    let heads = ["solver", "graph", "threads", "old ms", "new ms", "new / old"];
    group.tables.push(Table::new("Medians of two builds in turn".to_owned(), &heads, rows));
    let plot = Plot {
        id: format!("{}-ratios", group.id),
        title: "Time of the new build by the time of the old one".to_owned(),
        note: "Below 1, the new build is faster. `kostra-bench compare` judges the samples."
            .to_owned(),
        kind: Kind::Dots,
        positions: Axis::linear(""),
        values: Axis::log("new / old").from(1.0),
        panels,
    };
    group.plots.extend(plot.cleaned());
    group
}

fn add_ratio(panel: &mut Panel, solver: String, graph: String, ratio: f64) {
    let at = panel.categories.iter().position(|known| *known == solver);
    let at = at.unwrap_or_else(|| {
        panel.categories.push(solver);
        panel.categories.len() - 1
    });
    let point = (at as f64, ratio);
    match panel.series.iter_mut().find(|series| series.name == graph) {
        Some(series) => series.points.push(point),
        None => panel.series.push(Series::measured(graph, vec![point])),
    }
}

/// A record without times: its numbers.
fn counts(mut group: Group, record: &Value) -> Group {
    let fields = record.as_object().into_iter().flatten();
    let rows = fields.filter_map(|(name, value)| {
        let entry = Entry::Number(value.to_string(), value.as_f64()?);
        Some(vec![Entry::Text(name.replace('_', " ")), entry])
    });
    let rows: Vec<_> = rows.collect();
    group.facts.push("A record without times has no plot.".to_owned());
    group.tables.push(Table::new("Counts".to_owned(), &["what", "number"], rows));
    group
}
