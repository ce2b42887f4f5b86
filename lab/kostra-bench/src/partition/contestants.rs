//! The contestants that partition: Kostra on the processor and on a device, blocks by descending
//! degree, and peers, each in a process of its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use kostra_core::Run;
use kostra_cuda as cuda;
use kostra_cuda::partition::{DevicePartitionOptions, Matching, Refinement, RowSort};
use kostra_partition::{
    MatchBy, MulticoreOptions, Options, Partition, Preset, Sectioning, WeightedGraph, partition,
    partition_multicore,
};
use serde::Deserialize;

use super::programs::{self, Answer, PROGRAMS, Program};
use super::{Call, blocks_by_degree};
use crate::observed::{Observed, Recorder};
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
/// The baseline.
pub(super) const BLOCKS: &str = "blocks-by-degree";

/// A partitioner.
pub(super) struct Contestant {
    pub(super) name: String,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    Kostra(Preset),
    /// The source's way on threads.
    Multicore(MatchBy, Sectioning),
    /// Kostra on the first CUDA device.
    Device(Preset, Matching, Refinement, RowSort),
    Blocks,
    /// A program at a path.
    Program(&'static Program, PathBuf),
    /// A package that `partition_peer.py` calls.
    Package,
}

/// What `partition_peer.py` prints.
#[derive(Deserialize)]
struct Said {
    version: String,
    cpu_seconds: f64,
    wall_seconds: f64,
}

/// Kostra's own contestants by name, without the prefix `kostra-`.
fn own() -> impl Iterator<Item = (String, Kind)> {
    let presets = Preset::ALL.into_iter();
    let presets = presets.map(|preset| (preset.name().to_owned(), Kind::Kostra(preset)));
    let on_device = Preset::ALL.into_iter().flat_map(|preset| {
        let matchings = Matching::ALL.into_iter();
        let ways = matchings.flat_map(|one| Refinement::ALL.map(|other| (one, other)));
        ways.map(move |(matching, refinement)| {
            let ways = format!("{}-{}", matching.name(), refinement.name());
            let name = match preset {
                Preset::Fast => format!("cuda-{ways}"),
                Preset::Eco => format!("cuda-eco-{ways}"),
            };
            (name, Kind::Device(preset, matching, refinement, RowSort::Merge))
        })
    });
    // The default ways with the other sort, and the whole way of the source.
    let (matching, refinement) = (Matching::default(), Refinement::Transactions);
    let scans = Kind::Device(Preset::Fast, matching, refinement, RowSort::Quick);
    let DevicePartitionOptions { matching, refinement, row_sort, .. } =
        DevicePartitionOptions::manoochehri(Options::default());
    let source = Kind::Device(Preset::Fast, matching, refinement, row_sort);
    let others = [("cuda-handshake-transactions-scans", scans), ("cuda-manoochehri", source)];
    let (by, sectioning) = (MatchBy::default(), Sectioning::default());
    let multicore = [
        ("manoochehri", Kind::Multicore(by, sectioning)),
        ("manoochehri-random", Kind::Multicore(MatchBy::Random, sectioning)),
        ("manoochehri-bisecting", Kind::Multicore(by, Sectioning::InGroups)),
    ];
    let others = multicore.into_iter().chain(others).map(|(name, kind)| (name.to_owned(), kind));
    presets.chain(on_device).chain(others)
}

/// Whether a contestant, by its name in records, sorts rows on a device by segmented scans.
pub(super) fn sorts_by_scans(name: &str) -> bool {
    let kind = own().find(|(own, _)| name.strip_prefix("kostra-") == Some(own.as_str()));
    matches!(kind, Some((_, Kind::Device(_, _, _, RowSort::Quick))))
}

/// The names of Kostra's contestants that this machine can run.
pub(super) fn runnable() -> Vec<String> {
    let has_device = cuda::Device::open(0).is_ok();
    let can_run = |kind: &Kind| has_device || !matches!(kind, Kind::Device(..));
    own().filter(|(_, kind)| can_run(kind)).map(|(name, _)| name).collect()
}

/// Kostra's contestants that are named, the baseline, and the named peers.
///
/// # Errors
/// If there is no such contestant, a peer's program is missing, or a device is needed and there is
/// none.
pub(super) fn choose(
    kostra: &[String],
    peers: &[String],
    programs: Option<&Path>,
) -> Result<Vec<Contestant>> {
    let mut contestants = Vec::new();
    for name in kostra {
        let Some((_, kind)) = own().find(|(own, _)| own == name) else {
            let names: Vec<_> = own().map(|(name, _)| name).collect();
            bail!("Kostra has no partitioner '{name}'; it has: {}", names.join(", "))
        };
        contestants.push(Contestant { name: format!("kostra-{name}"), kind });
    }
    if contestants.iter().any(|one| matches!(one.kind, Kind::Device(..))) {
        warm_up().context("a contestant needs a CUDA device")?;
    }
    contestants.push(Contestant { name: BLOCKS.to_owned(), kind: Kind::Blocks });
    for name in peers {
        let kind = if let Some(program) = PROGRAMS.iter().find(|program| program.name == name) {
            Kind::Program(program, program.find(programs)?)
        } else if PACKAGES.contains(&&**name) {
            Kind::Package
        } else {
            let programs = PROGRAMS.iter().map(|program| program.name);
            let names: Vec<_> = programs.chain(PACKAGES.iter().copied()).collect();
            bail!("there is no peer '{name}'; there are: {}", names.join(", "))
        };
        contestants.push(Contestant { name: name.clone(), kind });
    }
    Ok(contestants)
}

/// Compiles all kernels, so that no timed call does.
fn warm_up() -> Result<()> {
    let path: Vec<u32> = (0..100).collect();
    let rows = WeightedGraph::from_edges(100, &path[..99], &path[1..], None)?;
    let partition = Options { parts: 2, ..Options::default() };
    for row_sort in RowSort::ALL {
        let options = DevicePartitionOptions { partition, row_sort, ..Default::default() };
        cuda::partition::partition(&rows, &options, &mut Run::new())?;
    }
    Ok(())
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
        match &self.kind {
            Kind::Kostra(preset) => {
                let options = options(*preset, call);
                timed(|run| Ok(partition(rows, &options, run)?))
            }
            Kind::Multicore(match_by, sectioning) => {
                let options = MulticoreOptions {
                    partition: options(Preset::Fast, call),
                    match_by: *match_by,
                    sectioning: *sectioning,
                    ..Default::default()
                };
                timed(|run| Ok(partition_multicore(rows, &options, run)?))
            }
            Kind::Device(preset, matching, refinement, row_sort) => {
                let options = on_device((*preset, *matching, *refinement, *row_sort), call);
                timed(|run| Ok(cuda::partition::partition(rows, &options, run)?))
            }
            Kind::Blocks => timed(|_| blocks_by_degree(rows, call.parts)),
            Kind::Program(program, path) => program.partition(path, (rows, file), call),
            Kind::Package => self.by_package(rows, file, call),
        }
    }

    /// The steps of one more partition on a device; none for contestants without a device.
    ///
    /// # Errors
    /// If the partition fails.
    pub(super) fn observe(&self, rows: &WeightedGraph, call: Call) -> Result<Option<Observed>> {
        let Kind::Device(preset, matching, refinement, row_sort) = self.kind else {
            return Ok(None);
        };
        let (mut recorder, start) = (Recorder::default(), Instant::now());
        let options = on_device((preset, matching, refinement, row_sort), call);
        let mut run = Run::new().observed_by(&mut recorder);
        cuda::partition::partition(rows, &options, &mut run)?;
        Ok(Some(recorder.finish(start.elapsed().as_secs_f64())))
    }

    fn by_package(&self, rows: &WeightedGraph, file: &Path, call: Call) -> Result<Answer> {
        let script = crate::machine::workspace().join("lab/peers/partition_peer.py");
        let parts = file.with_extension("parts");
        let mut command = Command::new("python3");
        command.arg(script).args([&*self.name]).arg(file);
        command.args([call.parts.to_string(), call.imbalance.to_string()]);
        command.args([call.seed.to_string(), call.threads.to_string()]).arg(&parts);
        let (output, process) = programs::run(command)?;
        // Libraries print lines of their own before.
        let last = output.lines().last().unwrap_or_default();
        let said: Said = serde_json::from_str(last)
            .with_context(|| format!("its last line was not a result, but: {last}"))?;
        Ok(Answer {
            version: said.version,
            process_cpu_seconds: Some(process),
            ..Answer::new(programs::read(&parts, rows, call)?, said.cpu_seconds, said.wall_seconds)
        })
    }
}

fn options(preset: Preset, call: Call) -> Options {
    let Call { parts, imbalance, seed, threads } = call;
    Options { parts, imbalance, preset, seed, threads }
}

fn on_device(
    (preset, matching, refinement, row_sort): (Preset, Matching, Refinement, RowSort),
    call: Call,
) -> DevicePartitionOptions {
    DevicePartitionOptions { partition: options(preset, call), matching, refinement, row_sort }
}

/// Times a call in this process.
fn timed(call: impl FnOnce(&mut Run<'_>) -> Result<Partition>) -> Result<Answer> {
    let mut run = Run::new();
    let (cpu, start) = (cpu_seconds()?.own, Instant::now());
    let partition = call(&mut run)?;
    let wall_seconds = start.elapsed().as_secs_f64();
    let device = run.take_device_times();
    Ok(Answer {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        device: Some(device).filter(|times| !times.upload.is_zero()),
        ..Answer::new(partition, cpu_seconds()?.own - cpu, wall_seconds)
    })
}
