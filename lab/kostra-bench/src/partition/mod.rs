//! Partitions graphs by Kostra and by other partitioners in turn, and counts every cut and every
//! balance again.

mod contestants;
pub(crate) mod cost;
mod graphs;
mod programs;
mod report;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use kostra_core::DeviceTimes;
use kostra_partition::{Partition, WeightedGraph, limit};
use serde::{Deserialize, Serialize};

use contestants::Contestant;
pub(crate) use graphs::ClassedGraph;
use programs::{Answer, METIS};
pub(crate) use report::table;

use crate::observed::Observed;

/// What is partitioned, and by whom.
#[derive(Args)]
pub(crate) struct PartitionArguments {
    /// Graphs instead of the suite's: CLASS=FILE or CLASS=gen:SPEC, such as road=gen:road:n=1M;
    /// repeat the option for each graph
    #[arg(long = "graphs", value_name = "CLASS=GRAPH")]
    graphs: Vec<String>,
    /// Numbers of parts
    #[arg(short = 'k', long, value_delimiter = ',', default_value = "2,8,64", value_parser = clap::value_parser!(u32).range(1..))]
    parts: Vec<u32>,
    /// The number of seeds; the seeds count from 1
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    seeds: u16,
    /// The tolerated imbalance
    #[arg(long, default_value_t = 0.03)]
    imbalance: f64,
    /// Threads of each contestant that uses threads
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Kostra's partitioners: fast, eco, and the way of mt-metis as manoochehri,
    /// manoochehri-random with random matching, and manoochehri-bisecting with parallel bisecting.
    /// On a CUDA device cuda-MATCHING-REFINEMENT and cuda-eco-MATCHING-REFINEMENT, such as
    /// cuda-transactions-jet or cuda-eco-handshake-jet, and cuda-manoochehri and
    /// cuda-handshake-transactions-scans, which sort rows by segmented scans
    #[arg(long, value_delimiter = ',', default_value = "fast,eco")]
    kostra: Vec<String>,
    /// Other partitioners: metis, mt-metis, jet, pymetis, kaminpar-default, kaminpar-eco,
    /// kahip-fast, kahip-eco, kahip-fastsocial or kahip-ecosocial
    #[arg(long, value_delimiter = ',')]
    peers: Vec<String>,
    /// The folder with the programs gpmetis, mtmetis and jet; other peers are Python packages
    #[arg(long, value_name = "FOLDER")]
    peer_programs: Option<PathBuf>,
    /// Small generated graphs and one seed, without peers: does everything run?
    #[arg(long, conflicts_with_all = ["graphs", "peers"])]
    smoke: bool,
}

impl PartitionArguments {
    /// The conditions of a suite: 8 and 64 parts, the partitioners of a device if there is one, and
    /// METIS if its program is in the folder.
    pub(crate) fn of_suite(threads: usize, is_smoke: bool, programs: Option<&Path>) -> Self {
        let has_metis = programs.is_some_and(|folder| folder.join("gpmetis").exists());
        Self {
            graphs: Vec::new(),
            parts: vec![8, 64],
            seeds: 3,
            imbalance: 0.03,
            threads: u16::try_from(threads).unwrap_or(u16::MAX),
            kostra: contestants::runnable(),
            peers: has_metis.then(|| METIS.to_owned()).into_iter().collect(),
            peer_programs: programs.map(Path::to_owned),
            smoke: is_smoke,
        }
    }

    /// The number of threads of the contestants.
    pub(crate) fn threads(&self) -> usize {
        self.threads.into()
    }
}

/// One graph, one number of parts, one contestant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PartitionResult {
    pub(crate) graph: String,
    /// The graph in whose place this graph was generated; none if it is the graph that was wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stand_in_for: Option<String>,
    /// The class of the graph: `mesh`, `road`, `matrix`, `social`, `generated`.
    class: String,
    vertices: u32,
    /// The number of edges, without self-loops and parallel edges.
    edges: usize,
    pub(crate) parts: u32,
    imbalance: f64,
    threads: usize,
    pub(crate) contestant: String,
    version: String,
    runs: Vec<PartitionRun>,
    /// The runs without a partition, with the reason.
    failures: Vec<Failure>,
    /// The steps of one more partition with the first seed, for contestants on a device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) observed: Option<Observed>,
}

/// One partition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PartitionRun {
    seed: u64,
    /// The number of edges between parts, counted from the part of each vertex.
    cut: u64,
    /// The size of the largest part divided by the mean size.
    balance: f64,
    /// Whether no part exceeds the limit. Other runs are in no average.
    balanced: bool,
    /// The number of parts without a vertex.
    empty_parts: usize,
    /// The CPU and wall seconds of the call that partitions, without reading the graph.
    cpu_seconds: f64,
    wall_seconds: f64,
    /// The CPU seconds of the whole process, for a peer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    process_cpu_seconds: Option<f64>,
    /// Shares of the wall time on a device: compiling, uploading and downloading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    device: Option<DeviceSeconds>,
}

/// Seconds of a device that are in the wall time of a partition.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct DeviceSeconds {
    compile: f64,
    upload: f64,
    download: f64,
}

impl From<DeviceTimes> for DeviceSeconds {
    fn from(times: DeviceTimes) -> Self {
        Self {
            compile: times.compile.as_secs_f64(),
            upload: times.upload.as_secs_f64(),
            download: times.download.as_secs_f64(),
        }
    }
}

/// A run without a partition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Failure {
    seed: u64,
    reason: String,
}

impl PartitionResult {
    /// The name of the graph, with a mark if it is a stand-in.
    pub(crate) fn shown_graph(&self) -> String {
        let mark = if self.stand_in_for.is_some() { "*" } else { "" };
        format!("{}{mark}", self.graph)
    }

    /// The median cut of the partitions that keep the balance.
    pub(crate) fn median_cut(&self) -> Option<f64> {
        report::median(self, |run| run.cut as f64)
    }

    /// The median CPU time of the partitions that keep the balance.
    pub(crate) fn median_cpu_seconds(&self) -> Option<f64> {
        report::median(self, |run| run.cpu_seconds)
    }

    /// The median wall time of the partitions that keep the balance.
    fn median_wall_seconds(&self) -> Option<f64> {
        report::median(self, |run| run.wall_seconds)
    }

    /// Whether Kostra kept its promises: a partition for each seed, balanced and without empty
    /// parts. Peers promise nothing.
    pub(crate) fn is_right(&self) -> bool {
        let kept = |run: &PartitionRun| run.balanced && run.empty_parts == 0;
        !self.contestant.starts_with("kostra-")
            || (self.failures.is_empty() && self.runs.iter().all(kept))
    }
}

/// The conditions of a call.
#[derive(Clone, Copy, Debug)]
struct Call {
    parts: u32,
    imbalance: f64,
    seed: u64,
    threads: usize,
}

/// Lets all contestants partition all graphs, in turn for each seed.
///
/// # Errors
/// If a graph cannot be read, or no graph is there.
pub(crate) fn measure(arguments: &PartitionArguments) -> Result<Vec<PartitionResult>> {
    let graphs = graphs::choose(&arguments.graphs, arguments.smoke)?;
    let mut results = Vec::new();
    for graph in &graphs {
        if let Some(path) = graph.source.missing_file() {
            eprintln!("{} skipped: {} does not exist", graph.source.name, path.display());
            continue;
        }
        results.extend(measure_one(arguments, graph)?);
    }
    ensure!(!results.is_empty(), "no graph was partitioned");
    Ok(results)
}

/// Lets all contestants partition a graph into each number of parts.
///
/// # Errors
/// If the graph cannot be read.
pub(crate) fn measure_one(
    arguments: &PartitionArguments,
    graph: &ClassedGraph,
) -> Result<Vec<PartitionResult>> {
    let contestants = contestants::choose(
        &arguments.kostra,
        &arguments.peers,
        arguments.peer_programs.as_deref(),
    )?;
    eprintln!("{}", graph.source.name);
    let rows = WeightedGraph::of_unit_weights(&graph.source.load()?)?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("graph.graph");
    if !arguments.peers.is_empty() {
        write(&file, &rows).context("cannot write the graph for the peers")?;
    }
    let parts = arguments.parts.iter().filter(|&&parts| parts <= rows.vertices());
    let held = parts.flat_map(|&parts| {
        hold(arguments, graph, &Input { rows: &rows, file: &file, parts }, &contestants)
    });
    Ok(held.collect())
}

/// A graph, the file that holds it for other programs, and the number of parts.
struct Input<'a> {
    rows: &'a WeightedGraph,
    file: &'a Path,
    parts: u32,
}

/// Lets all contestants partition a graph.
fn hold(
    arguments: &PartitionArguments,
    graph: &ClassedGraph,
    &Input { rows, file, parts }: &Input<'_>,
    contestants: &[Contestant],
) -> Vec<PartitionResult> {
    let empty = |contestant: &Contestant| PartitionResult {
        graph: graph.source.name.clone(),
        stand_in_for: graph.source.stand_in_for.clone(),
        class: graph.class.clone(),
        vertices: rows.vertices(),
        edges: rows.edges(),
        parts,
        imbalance: arguments.imbalance,
        threads: arguments.threads(),
        contestant: contestant.name.clone(),
        version: String::new(),
        runs: Vec::new(),
        failures: Vec::new(),
        observed: None,
    };
    let mut results: Vec<_> = contestants.iter().map(empty).collect();
    let seeds = if arguments.smoke { 1 } else { arguments.seeds };
    for seed in 1..=u64::from(seeds) {
        let call =
            Call { parts, imbalance: arguments.imbalance, seed, threads: arguments.threads() };
        for (contestant, result) in contestants.iter().zip(&mut results) {
            match contestant.partition(rows, file, call) {
                Ok(answer) => {
                    result.version.clone_from(&answer.version);
                    result.runs.push(judged(rows, &answer, call));
                }
                Err(error) => {
                    let reason = format!("{error:#}");
                    result.failures.push(Failure { seed, reason });
                }
            }
            if seed == 1 && result.failures.is_empty() {
                // The partition is judged above, so a failure here loses the steps only.
                result.observed = contestant.observe(rows, call).unwrap_or_default();
            }
        }
    }
    results
}

/// Counts the cut and the sizes of the parts, edge by edge and vertex by vertex.
fn judged(rows: &WeightedGraph, answer: &Answer, call: Call) -> PartitionRun {
    let part = |vertex: u32| answer.partition.part(vertex);
    let mut sizes = vec![0_u32; call.parts as usize];
    let mut cut = 0;
    for u in 0..rows.vertices() {
        sizes[part(u) as usize] += 1;
        cut += rows.row(u).filter(|&(v, _)| u < v && part(u) != part(v)).count() as u64;
    }
    let largest = sizes.iter().copied().max().unwrap_or_default();
    PartitionRun {
        seed: call.seed,
        cut,
        balance: f64::from(largest) * f64::from(call.parts) / f64::from(rows.vertices().max(1)),
        balanced: i64::from(largest) <= limit(rows, call.parts, call.imbalance),
        empty_parts: sizes.iter().filter(|&&size| size == 0).count(),
        cpu_seconds: answer.cpu_seconds,
        wall_seconds: answer.wall_seconds,
        process_cpu_seconds: answer.process_cpu_seconds,
        device: answer.device.map(DeviceSeconds::from),
    }
}

/// Writes a graph without weights in METIS format.
fn write(path: &Path, rows: &WeightedGraph) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    writeln!(file, "{} {}", rows.vertices(), rows.edges())?;
    for u in 0..rows.vertices() {
        let row: Vec<String> = rows.row(u).map(|(v, _)| (v + 1).to_string()).collect();
        writeln!(file, "{}", row.join(" "))?;
    }
    file.flush()
}

/// Blocks of equal size in the order of descending degree: the cut that no partitioner should
/// exceed, and that several exceed on R-MAT graphs.
fn blocks_by_degree(rows: &WeightedGraph, parts: u32) -> Result<Partition> {
    let mut order: Vec<u32> = (0..rows.vertices()).collect();
    order.sort_by_key(|&v| std::cmp::Reverse(rows.degree(v)));
    let mut block_of = vec![0; order.len()];
    for (place, v) in (0_u64..).zip(order) {
        block_of[v as usize] = (place * u64::from(parts) / u64::from(rows.vertices())) as u32;
    }
    Ok(Partition::new(block_of, parts)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_judge_counts_the_cut_the_balance_and_empty_parts() {
        let rows = WeightedGraph::from_edges(4, &[0, 1, 2, 3], &[1, 2, 3, 0], None).unwrap();
        let partition = Partition::new(vec![0, 0, 0, 2], 3).unwrap();
        let answer = Answer::new(partition, 1.0, 2.0);
        let call = Call { parts: 3, imbalance: 0.03, seed: 1, threads: 1 };
        let run = judged(&rows, &answer, call);
        assert_eq!((run.cut, run.balance, run.balanced, run.empty_parts), (2, 2.25, false, 1));
    }

    #[test]
    fn blocks_by_degree_start_with_the_hub() {
        let rows = WeightedGraph::from_edges(4, &[2, 2, 2, 0], &[0, 1, 3, 1], None).unwrap();
        assert_eq!(blocks_by_degree(&rows, 4).unwrap().parts(), [1, 2, 0, 3]);
    }
}
