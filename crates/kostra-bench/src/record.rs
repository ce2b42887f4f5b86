//! The record of a benchmark: one JSON file that says what was measured, on what, and how to do it
//! again.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use crate::machine::{Commit, Machine};
use crate::memory_speed::MemorySpeed;
use crate::statistics::Timing;

/// The version of the record's layout; a reader refuses others.
const FORMAT: u32 = 1;

/// A benchmark, with all that is needed to judge and to repeat it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// The version of this layout.
    pub(crate) format: u32,
    /// When the measuring began, in UTC.
    pub(crate) date: String,
    /// The command line, from the workspace's root.
    pub(crate) command: String,
    /// The commit of the sources, if they are in a git repository.
    pub(crate) commit: Option<Commit>,
    /// Versions by name: `kostra`, `rustc` and the flags it was given, the build's profile.
    pub(crate) versions: BTreeMap<String, String>,
    /// The machine.
    pub(crate) machine: Machine,
    /// Runs waiting for a processor, averaged over a minute, before and after: what else the
    /// machine was doing.
    pub(crate) load_average: [f64; 2],
    /// The processors that everything was pinned to; empty if it was not.
    pub(crate) pinned_to: Vec<usize>,
    /// How many threads the solvers, readers and peers could use, at most.
    pub(crate) threads: usize,
    /// What was measured.
    pub(crate) measured: Measured,
}

/// The results, by kind of benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Measured {
    /// Solvers and peers on graphs.
    Solve {
        /// What the memory of this machine can do, for some numbers of threads.
        memory_speed: Vec<MemorySpeed>,
        /// One entry a graph and number of threads.
        graphs: Vec<GraphResult>,
        /// Graphs that were left out, and why.
        skipped: Vec<Skipped>,
    },
    /// Readers on files.
    Read(Vec<FileResult>),
    /// The memory of whole processes.
    Memory(Vec<PeakResult>),
}

/// Solvers and peers on one graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct GraphResult {
    /// The graph's short name.
    pub(crate) name: String,
    /// The spec or file that it comes from.
    pub(crate) source: String,
    /// How many threads the solvers and peers could use; where a record does not say, as many as
    /// the record's.
    #[serde(default)]
    pub(crate) threads: Option<usize>,
    /// Whether processors were kept from sleeping.
    #[serde(default)]
    pub(crate) awake: bool,
    /// How many vertices it has.
    pub(crate) vertices: u32,
    /// How many edges it has.
    pub(crate) edges: usize,
    /// The type of its weights.
    pub(crate) weight_type: String,
    /// Bytes of a weight.
    pub(crate) weight_bytes: usize,
    /// How many edges the forest has.
    pub(crate) forest_edges: usize,
    /// The forest's weight; a string, because it may be an integer beyond what JSON readers keep
    /// exact.
    pub(crate) total_weight: String,
    /// Whether the verifier found the reference forest spanning, acyclic and minimal.
    pub(crate) verified: bool,
    /// Who ran, in the order of each round.
    pub(crate) contestants: Vec<ContestantResult>,
    /// Who did not run, or not to the end, and why.
    pub(crate) skipped: Vec<Skipped>,
    /// What answers differed in, a sentence each; must be empty.
    pub(crate) disagreements: Vec<String>,
}

/// One solver or peer on one graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ContestantResult {
    /// The solver's id or the peer's name.
    pub(crate) name: String,
    /// Whether it is somebody else's.
    pub(crate) peer: bool,
    /// Its version, and that of what it runs in.
    pub(crate) version: String,
    /// Seconds to build the form of the graph that it wants, once; not in the timing.
    pub(crate) build_seconds: f64,
    /// The solves.
    pub(crate) timing: Timing,
}

/// Somebody who did not run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Skipped {
    /// The solver, peer, graph or file.
    pub(crate) name: String,
    /// Why.
    pub(crate) reason: String,
}

/// The readers on one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FileResult {
    /// The path, as given.
    pub(crate) file: String,
    /// The format that was recognized.
    pub(crate) format: String,
    /// The compression that was recognized.
    pub(crate) compression: String,
    /// Bytes of the file.
    pub(crate) file_bytes: u64,
    /// Bytes of its decompressed content.
    pub(crate) content_bytes: u64,
    /// How many vertices the graph has.
    pub(crate) vertices: u32,
    /// How many edges the graph has.
    pub(crate) edges: usize,
    /// Reading the file's bytes and nothing else.
    pub(crate) plain: Timing,
    /// Reading and decompressing on one thread; absent where nothing is compressed.
    pub(crate) decompress: Option<Timing>,
    /// Reading the graph.
    pub(crate) graph: Timing,
}

/// The memory of one process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PeakResult {
    /// The input of `kostra solve`, as given.
    pub(crate) source: String,
    /// The command that was measured.
    pub(crate) command: String,
    /// How many vertices the graph has.
    pub(crate) vertices: u64,
    /// How many edges the graph has.
    pub(crate) edges: u64,
    /// The most memory that the process held, in bytes, nothing taken off.
    pub(crate) peak_bytes: u64,
    /// Input (12 bytes an edge), 12 bytes an edge more, and 24 bytes a vertex.
    pub(crate) budget_bytes: u64,
}

impl Record {
    /// A record that is about to be measured. It lacks only the results, and the load afterwards.
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
            measured: Measured::Memory(Vec::new()),
        }
    }

    /// The record with its results.
    pub(crate) fn finish(mut self, measured: Measured) -> Self {
        self.load_average[1] = crate::machine::load_average();
        self.measured = measured;
        self
    }

    /// Whether no two answers differed, and each graph's forest was verified.
    pub(crate) fn agrees(&self) -> bool {
        match &self.measured {
            Measured::Solve { graphs, .. } => {
                graphs.iter().all(|graph| graph.disagreements.is_empty() && graph.verified)
            }
            Measured::Read(_) | Measured::Memory(_) => true,
        }
    }

    /// Reads a record back.
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

    /// Writes the record, whole or not at all.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let write = || -> Result<()> {
            fs::create_dir_all(folder)?;
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            serde_json::to_writer_pretty(&mut file, self)?;
            file.write_all(b"\n")?;
            crate::process::make_readable(file.path())?;
            file.persist(path)?;
            Ok(())
        };
        write().with_context(|| format!("cannot write {}", path.display()))
    }
}
