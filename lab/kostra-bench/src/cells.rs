//! The measurements of a record in one form: a cell is one contestant on one graph with one number
//! of threads and ranks. Comparisons and pictures read cells, whichever program wrote the record.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use kostra_core::Platform;
use serde_json::Value;

use crate::memory_speed::MemorySpeed;
use crate::record::{ContestantResult, GraphResult, Measured, Record, label};
use crate::statistics::Timing;

/// One contestant on one graph, with one number of threads and ranks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cell {
    /// The name of the graph, with `*` if it stands in for a real one.
    pub(crate) graph: String,
    /// The bytes of all edges with their ends and weights, and of all weights once more: a filter
    /// reads both.
    pub(crate) bytes: Option<u64>,
    pub(crate) name: String,
    pub(crate) settings: BTreeMap<String, u64>,
    /// Whether it is a solver of another project.
    pub(crate) peer: bool,
    /// Whether it runs on a device, so that the memory of the host is not its limit.
    pub(crate) device: bool,
    pub(crate) threads: Option<u64>,
    pub(crate) ranks: Option<u64>,
    /// All samples in order; empty if the record has only a summary.
    pub(crate) samples: Vec<f64>,
    /// The median of the samples, in seconds.
    pub(crate) median: f64,
    /// The seconds of each phase of the observed solve.
    pub(crate) phases: Vec<(String, f64)>,
    /// The seconds of the observed solve.
    pub(crate) observed: Option<f64>,
}

impl Cell {
    /// The contestant with its settings.
    pub(crate) fn label(&self) -> String {
        label(&self.name, &self.settings)
    }

    /// The number of threads and ranks, as a phrase.
    pub(crate) fn place(&self) -> String {
        let count =
            |count: u64, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        let counts = [
            self.ranks.map(|ranks| count(ranks, "rank")),
            self.threads.map(|threads| count(threads, "thread")),
        ];
        counts.into_iter().flatten().collect::<Vec<_>>().join(" of ")
    }
}

/// Cells that belong together: a table or figure of a paper, or a whole record.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    /// The id of the table or figure; empty for a whole record.
    pub(crate) id: String,
    pub(crate) cells: Vec<Cell>,
    /// The speed of memory by number of threads.
    pub(crate) memory: Vec<MemorySpeed>,
}

impl Group {
    /// Adds a cell, or its samples to the same cell: `--threads 1,2,1,2` measures cells again.
    pub(crate) fn add(&mut self, cell: Cell) {
        let key = |cell: &Cell| (cell.graph.clone(), cell.label(), cell.threads, cell.ranks);
        let Some(known) = self.cells.iter_mut().find(|known| key(known) == key(&cell)) else {
            self.cells.push(cell);
            return;
        };
        known.samples.extend(&cell.samples);
        if let Some(timing) = Timing::new(0.0, known.samples.clone()) {
            known.median = timing.median;
        }
    }

    fn of_graphs(id: &str, graphs: &[GraphResult], threads: usize) -> Self {
        let mut group = Self { id: id.to_owned(), ..Self::default() };
        graphs.iter().flat_map(|graph| cells(graph, threads)).for_each(|cell| group.add(cell));
        group
    }

    /// The names of the graphs in order.
    pub(crate) fn graphs(&self) -> Vec<&str> {
        distinct(self.cells.iter().map(|cell| &*cell.graph))
    }
}

/// The cells of a record.
pub(crate) struct Section {
    /// The machine; empty if the record does not name it.
    pub(crate) machine: String,
    pub(crate) groups: Vec<Group>,
}

/// Reads the cells of a record of any program.
///
/// # Errors
/// If the file is not a record.
pub(crate) fn section(path: &Path) -> Result<Section> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let value: Value = serde_json::from_str(&text)
        .with_context(|| format!("{} is not a record", path.display()))?;
    ensure!(value.is_object(), "{} is not a record", path.display());
    if value["format"].is_null() {
        return Ok(of_other_program(&value));
    }
    let record = Record::read(path)?;
    let machine = &record.machine;
    let kind = if machine.virtual_machine { ", virtual" } else { "" };
    let machine = format!("{}, {} processors{kind}", machine.processor, machine.cores);
    let groups = match record.measured {
        Measured::Solve { memory_speed, graphs, .. } => {
            let group = Group::of_graphs("", &graphs, record.threads);
            vec![Group { memory: memory_speed, ..group }]
        }
        Measured::Paper { experiments, .. } => experiments
            .into_iter()
            .map(|experiment| Group::of_graphs(&experiment.id, &experiment.graphs, record.threads))
            .collect(),
        _ => Vec::new(),
    };
    Ok(Section { machine, groups })
}

/// The distinct values in order of their first appearance.
pub(crate) fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut all = Vec::new();
    for value in values {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    all
}

/// The cells of a graph's contestants.
fn cells(graph: &GraphResult, threads: usize) -> impl Iterator<Item = Cell> {
    let mark = if graph.stand_in_for.is_some() { "*" } else { "" };
    let cell = move |one: &ContestantResult| {
        // A solver for clusters has its ranks and their threads among its settings.
        let mut settings = one.settings.clone();
        let ranks = settings.remove("ranks");
        let own_threads = ranks.and_then(|_| settings.remove("threads"));
        let threads = own_threads.unwrap_or(graph.threads.unwrap_or(threads) as u64);
        let totals = one.observed.iter().flat_map(|observed| observed.totals());
        Cell {
            graph: format!("{}{mark}", graph.name.trim_start_matches("gen:")),
            bytes: Some((graph.edges * (2 * graph.weight_bytes + 8)) as u64),
            name: one.name.clone(),
            settings,
            peer: one.peer,
            device: on_device(&one.name),
            threads: Some(threads),
            ranks,
            samples: one.timing.seconds.clone(),
            median: one.timing.median,
            phases: totals.map(|(name, seconds)| (name.to_owned(), seconds)).collect(),
            observed: one.observed.as_ref().map(|observed| observed.seconds),
        }
    };
    graph.contestants.iter().map(cell)
}

/// Whether a contestant runs on a device.
fn on_device(name: &str) -> bool {
    let solver = kostra::solver(name).map(|solver| solver.info().platform);
    solver.map_or(name == "ecl-mst", |platform| platform == Platform::Cuda)
}

/// The samples in records of the example `bench` of `kostra-mpi` and of `lab/python.py`. These
/// layouts have no version, so every field is optional, and what is missing is left out.
fn of_other_program(record: &Value) -> Section {
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    let floats = |value: &Value| -> Vec<f64> {
        value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
    };
    let mut group = Group::default();
    for entry in record["measured"].as_array().into_iter().flatten() {
        let name =
            text(if entry["algorithm"].is_null() { &entry["solver"] } else { &entry["algorithm"] });
        let apart = if entry["apart"] == true { ", ranks apart" } else { "" };
        group.add(Cell {
            graph: text(&entry["spec"]),
            peer: !name.starts_with("mpi-"),
            name: format!("{name}{apart}"),
            threads: entry["threads"].as_u64(),
            ranks: entry["ranks"].as_u64(),
            samples: floats(&entry["all"]),
            ..Cell::default()
        });
    }
    for (name, graph) in record["graphs"].as_object().into_iter().flatten() {
        for (way, calls) in graph.as_object().into_iter().flatten() {
            for (package, call) in calls.as_object().into_iter().flatten() {
                group.add(Cell {
                    graph: name.clone(),
                    name: format!("{package}, {way}"),
                    peer: !package.starts_with("kostra"),
                    samples: floats(&call["seconds"]),
                    ..Cell::default()
                });
            }
        }
    }
    let about = if record["about"].is_object() { &record["about"] } else { record };
    let machine =
        if about["machine"].is_null() { String::new() } else { about["machine"].to_string() };
    Section { machine, groups: vec![group] }
}
