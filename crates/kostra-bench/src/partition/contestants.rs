//! Who partitions: Kostra's presets in this process, blocks by descending degree, and peers, each
//! in a process of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use kostra::Run;
use kostra::cuda::Device;
use kostra::cuda::partition::{self as device, DevicePartitionOptions, Matching, Refinement};
use kostra::partition::{Options, Partition, Preset, WeightedGraph, partition};
use serde::Deserialize;

use super::{Call, blocks_by_degree};
use crate::process::cpu_seconds;

/// The peers that are Python packages, with their presets.
const PACKAGES: &[&str] = &[
    "pymetis",
    "kaminpar-default",
    "kaminpar-eco",
    "kahip-fast",
    "kahip-eco",
    "kahip-fastsocial",
    "kahip-ecosocial",
];
/// METIS's program. Averages are relative to it.
pub(super) const METIS: &str = "metis";
/// The baseline.
pub(super) const BLOCKS: &str = "blocks-by-degree";

/// A partitioner.
pub(super) struct Contestant {
    pub(super) name: String,
    kind: Kind,
}

enum Kind {
    Kostra(Preset),
    /// Kostra on a CUDA device.
    Device(Matching, Refinement),
    Blocks,
    /// METIS's program.
    Metis(PathBuf),
    /// A package that `partition_peer.py` calls.
    Package,
}

/// A partition, and what it cost.
pub(super) struct Answer {
    pub(super) partition: Partition,
    pub(super) version: String,
    pub(super) cpu_seconds: f64,
    pub(super) wall_seconds: f64,
    pub(super) process_cpu_seconds: Option<f64>,
}

/// What `partition_peer.py` prints.
#[derive(Deserialize)]
struct Said {
    version: String,
    cpu_seconds: f64,
    wall_seconds: f64,
}

/// Kostra's presets, its ways on a device if there is one, the baseline, and the named peers.
///
/// # Errors
/// If there is no such peer, or METIS's program is missing.
pub(super) fn choose(peers: &[String], programs: Option<&Path>) -> Result<Vec<Contestant>> {
    let kostra = Preset::ALL.map(|preset| Contestant {
        name: format!("kostra-{}", preset.name()),
        kind: Kind::Kostra(preset),
    });
    // Without a device, these take no part.
    let ways = if Device::open(0).is_ok() { &Matching::ALL[..] } else { &[] };
    let device = ways.iter().flat_map(|&matching| {
        Refinement::ALL.map(|refinement| Contestant {
            name: format!("kostra-cuda-{}-{}", matching.name(), refinement.name()),
            kind: Kind::Device(matching, refinement),
        })
    });
    let blocks = Contestant { name: BLOCKS.to_owned(), kind: Kind::Blocks };
    let mut contestants: Vec<_> = kostra.into_iter().chain(device).chain([blocks]).collect();
    for name in peers {
        let kind = if name == METIS {
            let program = programs.context("pass METIS's folder with --peer-programs")?;
            let program = program.join("gpmetis");
            ensure!(program.exists(), "{} does not exist; see bench/README.md", program.display());
            Kind::Metis(program)
        } else if PACKAGES.contains(&&**name) {
            Kind::Package
        } else {
            bail!("there is no peer '{name}'; there are: {METIS}, {}", PACKAGES.join(", "))
        };
        contestants.push(Contestant { name: name.clone(), kind });
    }
    Ok(contestants)
}

impl Contestant {
    /// Partitions a graph. `file` is the graph in METIS format, for peers.
    ///
    /// # Errors
    /// If the peer crashes, or its answer is no partition of the graph.
    pub(super) fn partition(
        &self,
        rows: &WeightedGraph,
        file: &Path,
        call: Call,
    ) -> Result<Answer> {
        let options = |preset| Options {
            parts: call.parts,
            imbalance: call.imbalance,
            preset,
            seed: call.seed,
            threads: call.threads,
        };
        match &self.kind {
            Kind::Kostra(preset) => {
                timed(|| Ok(partition(rows, &options(*preset), &mut Run::new())?))
            }
            &Kind::Device(matching, refinement) => {
                let partition = options(Preset::default());
                let options = DevicePartitionOptions { partition, matching, refinement };
                timed(|| Ok(device::partition(rows, &options, &mut Run::new())?))
            }
            Kind::Blocks => timed(|| blocks_by_degree(rows, call.parts)),
            Kind::Metis(program) => by_metis(program, rows, file, call),
            Kind::Package => self.by_package(rows, file, call),
        }
    }

    fn by_package(&self, rows: &WeightedGraph, file: &Path, call: Call) -> Result<Answer> {
        let script = crate::machine::workspace().join("bench/peers/partition_peer.py");
        let parts = file.with_extension("parts");
        let mut command = Command::new("python3");
        command.arg(script).args([&*self.name]).arg(file);
        command.args([call.parts.to_string(), call.imbalance.to_string()]);
        command.args([call.seed.to_string(), call.threads.to_string()]).arg(&parts);
        let (output, process) = run(command)?;
        // Libraries print lines of their own before.
        let last = output.lines().last().unwrap_or_default();
        let said: Said = serde_json::from_str(last)
            .with_context(|| format!("its last line was not a result, but: {last}"))?;
        Ok(Answer {
            partition: read(&parts, rows, call)?,
            version: said.version,
            cpu_seconds: said.cpu_seconds,
            wall_seconds: said.wall_seconds,
            process_cpu_seconds: Some(process),
        })
    }
}

/// Times a call in this process.
fn timed(call: impl FnOnce() -> Result<Partition>) -> Result<Answer> {
    let (cpu, start) = (cpu_seconds()?.own, Instant::now());
    let partition = call()?;
    let wall_seconds = start.elapsed().as_secs_f64();
    Ok(Answer {
        partition,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        cpu_seconds: cpu_seconds()?.own - cpu,
        wall_seconds,
        process_cpu_seconds: None,
    })
}

/// Runs `gpmetis`. Its own timer, which counts CPU time, tells the time of the call; the wall time
/// is that of the process, with reading.
fn by_metis(program: &Path, rows: &WeightedGraph, file: &Path, call: Call) -> Result<Answer> {
    let tolerance = (call.imbalance * 1000.0).round();
    let mut command = Command::new(program);
    command.arg(file).arg(call.parts.to_string());
    command.args([format!("-seed={}", call.seed), format!("-ufactor={tolerance}")]);
    let start = Instant::now();
    let (output, process) = run(command)?;
    let wall_seconds = start.elapsed().as_secs_f64();
    let line = output.lines().find_map(|line| line.trim().strip_prefix("Partitioning:"));
    let word = line.and_then(|line| line.split_whitespace().next()).unwrap_or_default();
    let cpu_seconds = word.parse().context("gpmetis printed no time of partitioning")?;
    let version = output.lines().find(|line| line.starts_with("METIS ")).unwrap_or_default();
    let mut parts = file.as_os_str().to_owned();
    parts.push(format!(".part.{}", call.parts));
    Ok(Answer {
        partition: read(Path::new(&parts), rows, call)?,
        version: version.split(" Copyright").next().unwrap_or_default().to_owned(),
        cpu_seconds,
        wall_seconds,
        process_cpu_seconds: Some(process),
    })
}

/// Runs a peer. Returns its output, and the CPU seconds of its process.
fn run(mut command: Command) -> Result<(String, f64)> {
    let before = cpu_seconds()?.children;
    let Output { status, stdout, stderr } =
        command.output().with_context(|| format!("cannot start {command:?}"))?;
    let errors = String::from_utf8_lossy(&stderr);
    let last = errors.lines().last().unwrap_or_default();
    ensure!(status.success(), "{status}: {last}");
    let process = cpu_seconds()?.children - before;
    Ok((String::from_utf8_lossy(&stdout).into_owned(), process))
}

/// Reads and removes the part of each vertex. A part without a vertex is not an error here.
fn read(path: &Path, rows: &WeightedGraph, call: Call) -> Result<Partition> {
    let text = std::fs::read_to_string(path).context("it wrote no file of parts")?;
    std::fs::remove_file(path)?;
    let parts = text.split_whitespace().map(str::parse).collect::<Result<Vec<u32>, _>>()?;
    ensure!(
        parts.len() == rows.vertices() as usize,
        "it wrote {} parts for {} vertices",
        parts.len(),
        rows.vertices()
    );
    Ok(Partition::new(parts, call.parts)?)
}
