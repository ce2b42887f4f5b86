//! Multilevel k-way graph partitioning on a device.
//!
//! The device coarsens the graph level by level, the processor partitions the coarsest graph, and
//! the device projects the partition to each finer graph.
//!
//! * Source: Manoochehri 2017, sections 4.3 and 4.4. `docs/papers/manoochehri-2017.md` lists the
//!   differences.
//! * Vertices are matched in transactions of the software transactional memory
//!   (`kernels/stm.cuh`), or without transactions ([`Matching`]).
//! * The partition depends on timing. With [`Matching::Handshake`], only pairs of vertices with a
//!   common neighbor do.
//! * No part exceeds [`kostra_partition::limit`], and none is empty. If the device leaves a part
//!   too heavy or empty, the processor's balancer moves vertices.
//! * Reports the time of each step on each level by the device's clock, the numbers of transactions
//!   started, committed and aborted, and as rounds the vertices and edges of the levels.
//! * Time O(n + m) work per level, and O(m log m) for the sort of the rows. A row is processed by
//!   one warp, so a vertex of degree d takes O(d) time. Device memory: about 12 n + 8 m bytes for
//!   each of the graph and its levels, which shrink geometrically, and 36 n + 80 m bytes while the
//!   first level is contracted.

mod coarsen;
mod error;
mod graph;
#[cfg(test)]
mod tests;

use cudarc::driver::CudaSlice;
use kostra_core::Run;
use kostra_partition::{
    Options, Partition, WeightedGraph, enforce_limit, partition as on_processor,
};

use self::coarsen::{Aim, Kernels, Level, coarsen, scratch_bytes};
pub use self::error::DevicePartitionError;
pub(crate) use self::graph::DeviceGraph;
use crate::buffers::{download, upload};
use crate::device::Device;

/// Coarsening ends at this number of vertices per part.
const COARSEST_PER_PART: u32 = 120;
/// Coarsening ends at this number of vertices, if it is more.
const COARSEST: u32 = 2000;

/// How pairs of vertices are matched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Matching {
    /// Each vertex matches itself with its candidate in a transaction, unless one of them is
    /// matched.
    #[default]
    Transactions,
    /// Pairs of vertices that have chosen each other are matched, without transactions.
    Handshake,
}

impl Matching {
    /// All ways to match, the default first.
    pub const ALL: [Self; 2] = [Self::Transactions, Self::Handshake];

    /// The name that users type.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transactions => "transactions",
            Self::Handshake => "handshake",
        }
    }
}

/// The parameters of a partition on a device.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DevicePartitionOptions {
    /// The parameters of every partition. The preset, the seed and the number of threads are those
    /// of the partition of the coarsest graph.
    pub partition: Options,
    /// How vertices are matched.
    pub matching: Matching,
}

/// Divides the vertices of a graph into parts of nearly equal weight, so that the edges between
/// parts have a low weight. Runs on the device `run.device()`.
///
/// # Errors
/// When the options do not fit the graph, the sum of the weights of the vertices or of the edges is
/// 2^31 or more, there is no device, the device fails or has too little memory, or the observer
/// cancels the run.
pub fn partition(
    graph: &WeightedGraph,
    options: &DevicePartitionOptions,
    run: &mut Run<'_>,
) -> Result<Partition, DevicePartitionError> {
    let (n, k) = (graph.vertices(), options.partition.parts);
    options.partition.check(graph)?;
    if k == 1 || k == n {
        return Ok(Partition::by_ranges(n, k)?);
    }
    let device = &*Device::open(run.device())?;
    let entries = graph.neighbors().len();
    device.admit(0, DeviceGraph::bytes(n, entries) + scratch_bytes(n as usize, entries))?;
    let kernels = run.compile(|_| Kernels::load(device))?;
    let threads = options.partition.threads.max(1);
    let finest = run.upload(|_| DeviceGraph::upload(device, graph, threads))?;
    let aim = aim(graph, options);
    let parts = Job { device, kernels, options, aim }.run(&finest, run)?;
    let partition = Partition::new(parts, k)?;
    let imbalance = options.partition.imbalance;
    Ok(run.with_threads(threads, |run| enforce_limit(graph, partition, imbalance, run))?)
}

/// The work of one partition.
struct Job<'a> {
    device: &'a Device,
    kernels: Kernels,
    options: &'a DevicePartitionOptions,
    aim: Aim,
}

impl Job<'_> {
    fn run(
        &self,
        finest: &DeviceGraph,
        run: &mut Run<'_>,
    ) -> Result<Vec<u32>, DevicePartitionError> {
        let levels = coarsen(self.device, &self.kernels, finest, self.aim, run)?;
        run.finish_rounds();
        run.counter("levels", levels.len() as f64);
        let coarsest = levels.last().map_or(finest, |level| &level.graph);
        let parts = run.phase("initial partition", |run| self.initial(coarsest, run))?;
        let parts = self.uncoarsen(&levels, parts)?;
        self.device.finish()?;
        Ok(run.download(|_| download(self.device, &parts))?)
    }

    /// The processor's partition of the coarsest graph, on the device.
    fn initial(
        &self,
        coarsest: &DeviceGraph,
        run: &mut Run<'_>,
    ) -> Result<CudaSlice<u32>, DevicePartitionError> {
        let graph = coarsest.download(self.device)?;
        let partition = on_processor(&graph, &self.options.partition, run)?;
        Ok(upload(self.device, partition.parts())?)
    }

    /// Projects a partition of the coarsest graph to each finer graph.
    fn uncoarsen(
        &self,
        levels: &[Level],
        mut parts: CudaSlice<u32>,
    ) -> Result<CudaSlice<u32>, DevicePartitionError> {
        for level in levels.iter().rev() {
            parts = self.kernels.project(self.device, level, &parts)?;
        }
        Ok(parts)
    }
}

/// What coarsening aims at: a coarse vertex has at most 1.5 times the mean weight of a vertex of the
/// coarsest graph.
fn aim(graph: &WeightedGraph, options: &DevicePartitionOptions) -> Aim {
    let Options { parts, seed, .. } = options.partition;
    let vertices = COARSEST.max(parts.saturating_mul(COARSEST_PER_PART)).min(graph.vertices());
    // The total weight of an uploaded graph is below 2^31.
    let mean = graph.total_weight() as u32 / vertices.max(1);
    Aim { vertices, greatest_weight: (mean + mean / 2).max(1), matching: options.matching, seed }
}
