//! Multilevel k-way graph partitioning on a device.
//!
//! The device coarsens the graph level by level, the processor partitions the coarsest graph, and
//! the device projects the partition to each finer graph and refines it there. The preset `eco`
//! repeats this in a second cycle, which keeps the parts apart when it coarsens. So the coarsest
//! graph has the partition of the first cycle, and refinement starts from it.
//!
//! * Source: Manoochehri 2017, sections 4.3 and 4.4. `papers/manoochehri.md` lists the
//!   differences.
//! * Vertices are matched by mutual choice, or in transactions of the software transactional memory
//!   (`kernels/stm.cuh`), as in the source ([`Matching`]).
//!   [`Refinement`] chooses how vertices move, and [`RowSort`] how rows are sorted.
//!   [`DevicePartitionOptions::manoochehri`] chooses the source's way as a whole.
//! * The partition depends on timing, and may differ from run to run.
//! * No part exceeds [`kostra_partition::limit`], and none is empty. If the device leaves a part
//!   too heavy or empty, the processor's balancer moves vertices.
//! * Reports the time of each step on each level by the device's clock, the numbers of transactions
//!   started, committed and aborted. The rounds are the levels with their vertices and edges: in
//!   each cycle, first those that are contracted, then those that are refined.
//! * Time O(n + m) work per level, and O(m log m) for the sort of the rows. A row is processed by
//!   one warp, so a vertex of degree d takes O(d) time. Device memory: 8 n + 16 m bytes for the
//!   graph, about twice as much for its levels, and 52 n + 64 m bytes to contract and to refine
//!   (120 m with [`RowSort::Quick`]).

mod coarsen;
mod error;
mod graph;
mod options;
mod refine;
mod row_sort;
#[cfg(test)]
mod tests;

use cudarc::driver::CudaSlice;
use kostra_core::Run;
use kostra_partition::{
    Options, Partition, Preset, WeightedGraph, enforce_limit, limit, partition_coarsest,
};

use self::coarsen::{Aim, Level};
pub use self::error::DevicePartitionError;
pub(crate) use self::graph::DeviceGraph;
pub use self::options::{DevicePartitionOptions, Matching, Refinement, RowSort};
use self::refine::{Divided, Effort, PartitionShape, refine};
use self::row_sort::RowSorter;
use crate::buffers::{download, upload};
use crate::device::Device;
use crate::error::DeviceError;
use crate::step_clock::StepClock;

/// Coarsening ends at this number of vertices per part.
const COARSEST_PER_PART: u32 = 120;
/// Coarsening ends at this number of vertices, if it is more.
const COARSEST: u32 = 2000;

/// Divides the vertices of a graph into parts of nearly equal weight, so that the edges between
/// parts have a low weight. Runs on the device `run.request.device()`.
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
    let device = &*Device::open(run.request.device())?;
    let entries = graph.neighbors().len();
    if options.matching == Matching::HeavyEdge && n >= coarsen::MATCHED {
        return Err(DevicePartitionError::TooManyVertices { vertices: n });
    }
    let scratch = scratch_bytes(n as usize, entries, options.row_sort);
    device.admit(0, DeviceGraph::bytes(n, entries) + scratch)?;
    let kernels = run.compile(|_| Kernels::load(device, options.row_sort))?;
    let threads = options.partition.threads.max(1);
    let finest = run.upload(|_| DeviceGraph::upload(device, graph, threads))?;
    let (aim, shape) = (aim(graph, options), shape(graph, options));
    let parts = Job { device, kernels, options, aim, shape }.run(&finest, run)?;
    let partition = Partition::new(parts, k)?;
    let imbalance = options.partition.imbalance;
    Ok(run.with_threads(threads, |run| enforce_limit(graph, partition, imbalance, run))?)
}

/// The bytes that are allocated in addition to the graph.
fn scratch_bytes(vertices: usize, entries: usize, row_sort: RowSort) -> usize {
    // The levels shrink geometrically, and have about as many vertices and entries as the graph.
    let levels = 16 * vertices + 8 * entries;
    // Contracting the first level needs less per vertex and as much per entry.
    let refinement = 52 * vertices + 32 * entries;
    let sort = match row_sort {
        RowSort::Merge => 0,
        RowSort::Quick => RowSorter::MORE_FOR_QUICK * entries,
    };
    levels + refinement + sort
}

struct Kernels {
    coarsen: coarsen::Kernels,
    refine: refine::Kernels,
}

impl Kernels {
    fn load(device: &Device, row_sort: RowSort) -> Result<Self, DeviceError> {
        Ok(Self {
            coarsen: coarsen::Kernels::load(device, row_sort)?,
            refine: refine::Kernels::load(device, row_sort)?,
        })
    }
}

/// The work of one partition.
struct Job<'a> {
    device: &'a Device,
    kernels: Kernels,
    options: &'a DevicePartitionOptions,
    aim: Aim,
    shape: PartitionShape,
}

impl Job<'_> {
    fn run(
        &self,
        finest: &DeviceGraph,
        run: &mut Run<'_>,
    ) -> Result<Vec<u32>, DevicePartitionError> {
        // Until there is a partition, all vertices are in one part, so coarsening may join any two.
        let mut parts = self.device.filled(finest.vertices as usize, 0)?;
        for cycle in 0..cycles(self.options.partition.preset) {
            parts = self.cycle(finest, (parts, cycle), run)?;
        }
        self.device.finish()?;
        Ok(run.download(|_| download(self.device, &parts))?)
    }

    /// One pass through the levels. The first one, 0, finds a partition, and the others start from
    /// it: coarsening keeps its parts apart, so it is also one of the coarsest graph.
    fn cycle(
        &self,
        finest: &DeviceGraph,
        (parts, cycle): (CudaSlice<u32>, u32),
        run: &mut Run<'_>,
    ) -> Result<CudaSlice<u32>, DevicePartitionError> {
        let aim = self.aim.in_cycle(cycle);
        let (levels, mut parts) =
            self.kernels.coarsen.coarsen(self.device, finest, parts, aim, run)?;
        run.report.finish_rounds();
        run.report.counter("levels", levels.len() as f64);
        if cycle == 0 {
            let coarsest = levels.last().map_or(finest, |level| &level.graph);
            let entries = finest.entries as usize;
            parts = run.phase("initial partition", |run| self.initial(coarsest, entries, run))?;
        }
        self.uncoarsen((finest, &levels), parts, aim, run)
    }

    /// The processor's partition of the coarsest graph, on the device. The finest graph has
    /// `entries` entries.
    fn initial(
        &self,
        coarsest: &DeviceGraph,
        entries: usize,
        run: &mut Run<'_>,
    ) -> Result<CudaSlice<u32>, DevicePartitionError> {
        let graph = coarsest.download(self.device)?;
        let partition = partition_coarsest((&graph, entries), &self.options.partition, run)?;
        Ok(upload(self.device, partition.parts())?)
    }

    /// Refines a partition of the coarsest graph, projects it to each finer graph, and refines it
    /// there.
    fn uncoarsen(
        &self,
        (finest, levels): (&DeviceGraph, &[Level]),
        mut parts: CudaSlice<u32>,
        aim: Aim,
        run: &mut Run<'_>,
    ) -> Result<CudaSlice<u32>, DevicePartitionError> {
        let mut clock = StepClock::new(self.device, run)?;
        for index in (0..=levels.len()).rev() {
            run.report.progress(levels.len() - index, levels.len() + 1)?;
            if let Some(level) = levels.get(index) {
                clock.start()?;
                parts = self.kernels.coarsen.project(self.device, level, &parts)?;
                clock.lap("project")?;
            }
            let graph = if index == 0 { finest } else { &levels[index - 1].graph };
            run.report.round(graph.vertices as usize, graph.entries as usize / 2)?;
            let effort = Effort {
                method: self.options.refinement,
                finest: index == 0,
                patience: Effort::PATIENCE,
                seed: aim.seed_of(index),
            };
            let Self { device, shape, .. } = *self;
            let kernels = &self.kernels.refine;
            let divided = Divided { device, kernels, graph, parts: &mut parts, shape };
            let outcome = refine(divided, effort, &mut clock, run)?;
            run.report.counter("cut", outcome.cut as f64);
        }
        run.report.finish_rounds();
        Ok(parts)
    }
}

/// The number of passes through the levels.
const fn cycles(preset: Preset) -> u32 {
    match preset {
        Preset::Fast => 1,
        Preset::Eco => 2,
    }
}

/// What coarsening aims at: a coarse vertex has at most 1.5 times the mean weight of a vertex of
/// the coarsest graph.
fn aim(graph: &WeightedGraph, options: &DevicePartitionOptions) -> Aim {
    let Options { parts, seed, .. } = options.partition;
    let vertices = COARSEST.max(parts.saturating_mul(COARSEST_PER_PART)).min(graph.vertices());
    // The total weight of an uploaded graph is below 2^31.
    let mean = graph.total_weight() as u32 / vertices.max(1);
    let greatest_weight = (mean + mean / 2).max(1);
    Aim { parts, vertices, greatest_weight, matching: options.matching, seed }
}

/// The number of parts, and the most weight of a part.
fn shape(graph: &WeightedGraph, options: &DevicePartitionOptions) -> PartitionShape {
    let Options { parts, imbalance, .. } = options.partition;
    // The total weight of an uploaded graph is below 2^31.
    PartitionShape { parts, limit: limit(graph, parts, imbalance).min(graph.total_weight()) as u32 }
}
