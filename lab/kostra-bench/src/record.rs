//! The record of a benchmark: one JSON file with the results, the conditions, and the command that
//! repeats the benchmark.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::bank::BankResult;
use crate::command_time::ProcessResult;
use crate::machine::{Commit, Machine};
use crate::memory_speed::MemorySpeed;
use crate::observed::Observed;
use crate::partition::PartitionResult;
use crate::read::FileResult;
use crate::statistics::Timing;

/// The version of the record's layout. [`Record::read`] refuses other versions.
const FORMAT: u32 = 1;

/// A benchmark with all facts that are needed to judge and repeat it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The version of this layout.
    pub(crate) format: u32,
    /// The start of the measurement, in UTC.
    pub(crate) date: String,
    /// The command line, to be run in the workspace root.
    pub(crate) command: String,
    /// The commit of the sources, if they are in a git repository.
    pub(crate) commit: Option<Commit>,
    /// Versions by name: `kostra`, `rustc` with its flags, the build profile.
    pub(crate) versions: BTreeMap<String, String>,
    /// The machine.
    pub(crate) machine: Machine,
    /// The load average over one minute, before and after the measurement. It shows other work on
    /// the machine.
    pub(crate) load_average: [f64; 2],
    /// The processors to which all threads were pinned; empty if they were not pinned.
    pub(crate) pinned_to: Vec<usize>,
    /// The greatest number of threads of the solvers, readers and peers.
    pub(crate) threads: usize,
    /// The dates, in UTC, at which an interrupted measurement was continued.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) resumed: Vec<String>,
    /// The results.
    pub(crate) measured: Measured,
}

/// The results, by kind of benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Measured {
    /// Solvers and peers on graphs.
    Solve {
        /// The memory speed of this machine, for several numbers of threads.
        memory_speed: Vec<MemorySpeed>,
        /// One entry per graph and number of threads.
        graphs: Vec<GraphResult>,
        /// The skipped graphs, with the reasons.
        skipped: Vec<Skipped>,
    },
    /// The evaluation of a paper.
    Paper {
        /// The id of the paper, such as `nobari`.
        paper: String,
        /// The divisor of all sizes: 1 means the sizes of the paper.
        scale: u64,
        /// The tables and figures that were measured, in order.
        experiments: Vec<ExperimentResult>,
    },
    /// Graph readers on files.
    Read(Vec<FileResult>),
    /// The times of processes.
    Process(Vec<ProcessResult>),
    /// The transactional memory for devices.
    Bank(Vec<BankResult>),
    /// Partitions of graphs.
    Partition(Vec<PartitionResult>),
}

/// Solvers and peers on one graph.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct GraphResult {
    /// The short name of the graph.
    pub(crate) name: String,
    /// The generator spec or the file of the graph.
    pub(crate) source: String,
    /// The graph in whose place this graph was generated; none if it is the graph that was wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stand_in_for: Option<String>,
    /// The number of threads of the solvers and peers; if absent, as many as [`Record::threads`].
    #[serde(default)]
    pub(crate) threads: Option<usize>,
    /// Whether idle processors were kept out of sleep states.
    #[serde(default)]
    pub(crate) awake: bool,
    /// The number of vertices.
    pub(crate) vertices: u32,
    /// The number of edges.
    pub(crate) edges: usize,
    /// The type of the weights.
    pub(crate) weight_type: String,
    /// The size of a weight in bytes.
    pub(crate) weight_bytes: usize,
    /// The number of edges of the forest.
    pub(crate) forest_edges: usize,
    /// The total weight of the forest. It is a string, because JSON readers can round large
    /// integers.
    pub(crate) total_weight: String,
    /// Whether the verifier accepted the reference forest: spanning, acyclic and minimal.
    pub(crate) verified: bool,
    /// The contestants, in the order of their turns.
    pub(crate) contestants: Vec<ContestantResult>,
    /// The contestants with a wrong answer and the peers that stopped answering. None of their
    /// times is in the record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) wrong: Vec<Skipped>,
    /// The contestants that did not enter or refused the graph, with the reasons.
    pub(crate) skipped: Vec<Skipped>,
    /// One sentence per difference between two answers. It must be empty.
    pub(crate) disagreements: Vec<String>,
}

impl GraphResult {
    /// Writes one line for each contestant that was wrong.
    pub(crate) fn write_wrong(&self, text: &mut String) -> fmt::Result {
        for Skipped { name, reason } in &self.wrong {
            writeln!(text, "\n**WRONG** on {}, no time counts: {name}: {reason}", self.name)?;
        }
        Ok(())
    }
}

/// One solver or peer on one graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ContestantResult {
    /// The solver's id or the peer's name.
    pub(crate) name: String,
    /// The solver's options that were set, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) settings: BTreeMap<String, u64>,
    /// Whether it is a peer, a solver of another project.
    pub(crate) peer: bool,
    /// Its version, and the version of the environment that runs it.
    pub(crate) version: String,
    /// The seconds that building its graph format took, once. `timing` excludes them.
    pub(crate) build_seconds: f64,
    /// The times of the solves. None of them was observed.
    pub(crate) timing: Timing,
    /// The reports of one more solve, which was observed; none for peers, and in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) observed: Option<Observed>,
}

impl ContestantResult {
    /// The name with its settings, such as `cuda-pma-min gamma=8`.
    pub(crate) fn label(&self) -> String {
        label(&self.name, &self.settings)
    }
}

/// A name with settings, such as `cuda-pma-min gamma=8`.
pub(crate) fn label(name: &str, settings: &BTreeMap<String, u64>) -> String {
    let settings = settings.iter().map(|(option, value)| format!(" {option}={value}"));
    [name.to_owned()].into_iter().chain(settings).collect()
}

/// A table or figure of a paper.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ExperimentResult {
    /// The id, such as `figure-8`.
    pub(crate) id: String,
    /// One entry per graph and number of threads.
    pub(crate) graphs: Vec<GraphResult>,
    /// The partitions, if the experiment is about them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) partitions: Vec<PartitionResult>,
    /// The skipped graphs and the contestants that did not enter, with the reasons.
    pub(crate) skipped: Vec<Skipped>,
}

/// A skipped item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Skipped {
    /// The solver, peer, graph or file.
    pub(crate) name: String,
    /// The reason.
    pub(crate) reason: String,
}

impl Record {
    /// Begins a record before the measurement. It lacks only the results and the load average after
    /// the measurement.
    pub(crate) fn begin(machine: Machine, threads: usize, pinned_to: Vec<usize>) -> Self {
        let load = crate::machine::load_average();
        Self {
            format: FORMAT,
            date: crate::date::now(),
            command: crate::machine::command_line(),
            commit: crate::machine::commit(),
            versions: crate::machine::versions(),
            machine,
            load_average: [load, load],
            pinned_to,
            threads,
            resumed: Vec::new(),
            measured: Measured::Read(Vec::new()),
        }
    }

    /// Adds the results and the load average.
    pub(crate) fn finish(mut self, measured: Measured) -> Self {
        self.load_average[1] = crate::machine::load_average();
        self.measured = measured;
        self
    }

    /// The first condition that differs from those of another record: its name and both values.
    /// Files other than records may have changed between two runs at one commit.
    pub(crate) fn difference(&self, other: &Self) -> Option<(&'static str, String, String)> {
        let hash = |record: &Self| record.commit.as_ref().map(|commit| commit.hash.clone());
        let conditions = |record: &Self| {
            [
                ("command", record.command.clone()),
                ("machine", format!("{:?}", record.machine)),
                ("commit", hash(record).unwrap_or_else(|| "unknown".to_owned())),
                ("program", format!("{:?}", record.versions)),
                ("pinning", format!("{:?}", record.pinned_to)),
                ("number of threads", record.threads.to_string()),
            ]
        };
        let mut pairs = conditions(self).into_iter().zip(conditions(other));
        let found = pairs.find(|((_, mine), (_, theirs))| mine != theirs);
        found.map(|((what, mine), (_, theirs))| (what, mine, theirs))
    }

    /// Whether all answers agree, no contestant is wrong, and the forest of each graph is verified.
    pub(crate) fn agrees(&self) -> bool {
        let right = |graph: &GraphResult| {
            graph.disagreements.is_empty() && graph.wrong.is_empty() && graph.verified
        };
        match &self.measured {
            Measured::Solve { graphs, .. } => graphs.iter().all(right),
            Measured::Paper { experiments, .. } => experiments.iter().all(|experiment| {
                experiment.graphs.iter().all(right)
                    && experiment.partitions.iter().all(PartitionResult::is_right)
            }),
            Measured::Bank(results) => results.iter().all(BankResult::is_right),
            Measured::Partition(results) => results.iter().all(PartitionResult::is_right),
            Measured::Read(_) | Measured::Process(_) => true,
        }
    }

    /// Reads a record.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text =
            fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let record: Self = serde_json::from_str(&text)
            .with_context(|| format!("{} is not a record of format {FORMAT}", path.display()))?;
        ensure!(
            record.format == FORMAT,
            "{}: format {} is not {FORMAT}",
            path.display(),
            record.format
        );
        Ok(record)
    }

    /// Writes the record atomically: the file is complete or unchanged.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let mut bytes = serde_json::to_vec_pretty(self)?;
        bytes.push(b'\n');
        crate::output::write(path, &bytes)
    }
}
