//! The measurements of a record in one form: a cell is one contestant on one graph with one number
//! of threads and ranks.
//!
//! The plots and tables read cells, so that a new kind of record needs only a conversion.

use std::collections::BTreeMap;

use kostra_core::Platform;

use super::plot::Plot;
use super::table::Table;
use crate::memory_speed::MemorySpeed;
use crate::record::{ContestantResult, GraphResult, label};
use crate::statistics::Timing;

/// The mark of a generated graph that stands in for a real one.
pub(super) const STAND_IN: &str = "*";

/// One contestant on one graph, with one number of threads and ranks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Cell {
    /// The name of the graph, marked if it is a stand-in.
    pub(super) graph: String,
    /// What the graphs of different sizes have in common, such as the generator.
    pub(super) family: Option<String>,
    pub(super) vertices: Option<u64>,
    pub(super) edges: Option<u64>,
    /// The bytes of an edge with its ends and weight, and of its weight once more: a filter reads
    /// both.
    pub(super) bytes_per_edge: Option<u64>,
    pub(super) name: String,
    pub(super) settings: BTreeMap<String, u64>,
    /// Whether it is a solver of another project.
    pub(super) peer: bool,
    /// Whether it runs on a device, so that the memory of the host is not its limit.
    pub(super) device: bool,
    pub(super) threads: Option<u64>,
    pub(super) ranks: Option<u64>,
    /// All samples in order; empty if the record has only a summary.
    pub(super) samples: Vec<f64>,
    /// The median of the samples, in seconds.
    pub(super) median: f64,
    /// The seconds of each phase of the observed solve.
    pub(super) phases: Vec<(String, f64)>,
    /// The seconds of the observed solve.
    pub(super) observed: Option<f64>,
    /// The components at the start of each round.
    pub(super) rounds: Vec<(u32, u64)>,
}

impl Cell {
    /// The contestant with its settings.
    pub(super) fn label(&self) -> String {
        label(&self.name, &self.settings)
    }

    /// The number of threads and ranks, as a phrase.
    pub(super) fn place(&self) -> String {
        let count =
            |count: u64, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        let counts = [
            self.ranks.map(|ranks| count(ranks, "rank")),
            self.threads.map(|threads| count(threads, "thread")),
        ];
        counts.into_iter().flatten().collect::<Vec<_>>().join(" of ")
    }

    /// Adds the samples of another measurement of the same cell.
    fn merge(&mut self, other: &Self) {
        self.samples.extend(&other.samples);
        match Timing::new(0.0, self.samples.clone()) {
            Some(timing) => self.median = timing.median,
            None => self.median = self.median.min(other.median),
        }
    }
}

/// Cells that belong together: a table or figure of a paper, or a whole record.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    /// A name for files.
    pub(super) id: String,
    pub(super) title: String,
    /// Facts about the group, such as what a paper says.
    pub(super) facts: Vec<String>,
    pub(super) cells: Vec<Cell>,
    /// The speed of memory by number of threads.
    pub(super) memory: Vec<MemorySpeed>,
    /// Plots and tables of its own, besides those of the cells.
    pub(super) plots: Vec<Plot>,
    pub(super) tables: Vec<Table>,
    /// Faults of the results. They are shown in bold.
    pub(super) faults: Vec<String>,
    /// What was not measured, with the reasons.
    pub(super) skipped: Vec<String>,
}

impl Group {
    /// Merges the measurements of equal cells, which `--threads 1,2,1,2` gives.
    pub(super) fn merged(mut self) -> Self {
        let mut cells: Vec<Cell> = Vec::new();
        for cell in self.cells {
            let key = |cell: &Cell| (cell.graph.clone(), cell.label(), cell.threads, cell.ranks);
            match cells.iter_mut().find(|known| key(known) == key(&cell)) {
                Some(known) => known.merge(&cell),
                None => cells.push(cell),
            }
        }
        self.cells = cells;
        self
    }

    /// The names of the graphs in order.
    pub(super) fn graphs(&self) -> Vec<&str> {
        distinct(self.cells.iter().map(|cell| &*cell.graph))
    }
}

/// A record as the page shows it.
#[derive(Clone, Debug, Default)]
pub(super) struct Section {
    /// The record's name.
    pub(super) title: String,
    /// Conditions of the measurement: a name and a value.
    pub(super) facts: Vec<(String, String)>,
    pub(super) groups: Vec<Group>,
}

impl Section {
    /// The machine of the measurement.
    pub(super) fn machine(&self) -> Option<&str> {
        let machine = self.facts.iter().find(|(name, _)| name == "machine");
        machine.map(|(_, machine)| &**machine)
    }
}

/// The distinct values in order of their first appearance.
pub(super) fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut all = Vec::new();
    for value in values {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    all
}

/// The cells of a graph's contestants.
pub(super) fn cells(graph: &GraphResult, threads: usize) -> Vec<Cell> {
    let mark = if graph.stand_in_for.is_some() { STAND_IN } else { "" };
    let spec = graph.source.strip_prefix("gen:");
    let cell = |one: &ContestantResult| {
        // A solver for clusters has its ranks and their threads among its settings.
        let mut settings = one.settings.clone();
        let ranks = settings.remove("ranks");
        let own_threads = ranks.and_then(|_| settings.remove("threads"));
        let threads = own_threads.unwrap_or(graph.threads.unwrap_or(threads) as u64);
        Cell {
            graph: format!("{}{mark}", graph.name.trim_start_matches("gen:")),
            family: spec.map(|spec| spec.split(':').next().unwrap_or(spec).to_owned()),
            vertices: Some(graph.vertices.into()),
            edges: Some(graph.edges as u64),
            bytes_per_edge: Some(2 * graph.weight_bytes as u64 + 8),
            name: one.name.clone(),
            settings,
            peer: one.peer,
            device: on_device(&one.name),
            threads: Some(threads),
            ranks,
            samples: one.timing.seconds.clone(),
            median: one.timing.median,
            phases: one
                .observed
                .iter()
                .flat_map(|observed| observed.totals())
                .map(|(name, seconds)| (name.to_owned(), seconds))
                .collect(),
            observed: one.observed.as_ref().map(|observed| observed.seconds),
            rounds: one
                .observed
                .iter()
                .flat_map(|observed| &observed.rounds)
                .map(|round| (round.round, round.components))
                .collect(),
        }
    };
    graph.contestants.iter().map(cell).collect()
}

/// Whether a contestant runs on a device.
fn on_device(name: &str) -> bool {
    let solver = kostra::solver(name).map(|solver| solver.info().platform);
    solver.map_or(name == "ecl-mst", |platform| platform == Platform::Cuda)
}
