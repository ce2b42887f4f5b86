//! The samples of a record of any program: a cell is one contestant on one graph with one number of
//! threads and ranks.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::record::{GraphResult, Measured, Record, label};

/// All samples of a record.
#[derive(Default)]
pub(crate) struct Samples {
    /// The machine; empty if the record does not name it.
    pub(crate) machine: String,
    pub(crate) cells: Vec<Cell>,
}

/// The samples of one contestant on one graph, with one number of threads and ranks.
pub(crate) struct Cell {
    /// The table or figure, graph, contestant and place, which are distinct together.
    pub(crate) name: String,
    /// Whether it is a solver of another project.
    pub(crate) peer: bool,
    /// The samples in order.
    pub(crate) seconds: Vec<f64>,
}

/// Reads the samples of a record.
///
/// # Errors
/// If the file is not a record.
pub(crate) fn samples(path: &Path) -> Result<Samples> {
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
    let mut all = Samples { machine, ..Samples::default() };
    match &record.measured {
        Measured::Solve { graphs, .. } => all.add_graphs("", graphs, record.threads),
        Measured::Paper { experiments, .. } => {
            for experiment in experiments {
                all.add_graphs(&experiment.id, &experiment.graphs, record.threads);
            }
        }
        _ => {}
    }
    Ok(all)
}

/// The number of threads and ranks, as a phrase.
fn place(ranks: Option<u64>, threads: Option<u64>) -> String {
    let count =
        |count: u64, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
    let counts = [ranks.map(|ranks| count(ranks, "rank")), threads.map(|n| count(n, "thread"))];
    counts.into_iter().flatten().collect::<Vec<_>>().join(" of ")
}

impl Samples {
    /// Adds a cell, or its samples to the same cell: `--threads 1,2,1,2` measures cells again.
    fn add(&mut self, parts: &[&str], peer: bool, seconds: Vec<f64>) {
        let parts: Vec<_> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
        let name = parts.join(", ");
        match self.cells.iter_mut().find(|cell| cell.name == name) {
            Some(cell) => cell.seconds.extend(seconds),
            None if seconds.is_empty() => {}
            None => self.cells.push(Cell { name, peer, seconds }),
        }
    }

    fn add_graphs(&mut self, experiment: &str, graphs: &[GraphResult], threads: usize) {
        for graph in graphs {
            for one in &graph.contestants {
                // A solver for clusters has its ranks and their threads among its settings.
                let mut settings = one.settings.clone();
                let ranks = settings.remove("ranks");
                let own_threads = ranks.and_then(|_| settings.remove("threads"));
                let threads = own_threads.unwrap_or(graph.threads.unwrap_or(threads) as u64);
                let (name, place) = (label(&one.name, &settings), place(ranks, Some(threads)));
                let parts = [experiment, &graph.name, &name, &place];
                self.add(&parts, one.peer, one.timing.seconds.clone());
            }
        }
    }
}

/// The samples in records of the example `bench` of `kostra-mpi` and of `lab/python.py`. These
/// layouts have no version, so every field is optional, and what is missing is left out.
fn of_other_program(record: &Value) -> Samples {
    let floats = |value: &Value| -> Vec<f64> {
        value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
    };
    let about = if record["about"].is_object() { &record["about"] } else { record };
    let machine = &about["machine"];
    let machine = if machine.is_null() { String::new() } else { machine.to_string() };
    let mut all = Samples { machine, ..Samples::default() };
    for entry in record["measured"].as_array().into_iter().flatten() {
        let name = entry["algorithm"].as_str().or(entry["solver"].as_str()).unwrap_or("?");
        let apart = if entry["apart"] == true { "ranks apart" } else { "" };
        let place = place(entry["ranks"].as_u64(), entry["threads"].as_u64());
        let parts = [entry["spec"].as_str().unwrap_or("?"), name, apart, &place];
        all.add(&parts, !name.starts_with("mpi-"), floats(&entry["all"]));
    }
    for (graph, ways) in record["graphs"].as_object().into_iter().flatten() {
        for (way, calls) in ways.as_object().into_iter().flatten() {
            for (package, call) in calls.as_object().into_iter().flatten() {
                let peer = !package.starts_with("kostra");
                all.add(&[way, graph, package], peer, floats(&call["seconds"]));
            }
        }
    }
    all
}
