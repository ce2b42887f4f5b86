//! The partition of a graph, on the processor or on a device.

use std::time::{Duration, Instant};

use anyhow::Context;
use kostra_core::{DeviceTimes, Run};
use kostra_cuda as cuda;
use kostra_cuda::partition::DevicePartitionOptions;
use kostra_partition as partition;
use kostra_partition::{MulticoreOptions, Partition, Statistics, WeightedGraph, limit};

use super::Plan;
use crate::device;
use crate::input::InputGraph;
use crate::progress::Stage;
use crate::trace::{Trace, Watcher};

/// Where a graph is partitioned, and by which steps.
#[derive(Clone, Copy)]
pub(super) enum PartitionedOn {
    /// The processor, by Kostra's own steps.
    Processor,
    /// The processor, by the steps of Manoochehri 2017, sections 4.1 and 4.2.
    Multicore,
    /// The CUDA device of this number.
    Device { ordinal: usize, options: DevicePartitionOptions },
}

impl PartitionedOn {
    /// Opens the device, if there is one, and returns its name and number.
    ///
    /// # Errors
    /// When the device cannot be used.
    pub(super) fn open(self) -> Result<Option<String>, cuda::NoDevice> {
        let Self::Device { ordinal, .. } = self else { return Ok(None) };
        device::open(ordinal).map(Some)
    }

    /// The names of the steps that match vertices, move them, and sort rows. None for Kostra's own
    /// steps on the processor.
    pub(super) fn steps(self) -> [Option<&'static str>; 3] {
        match self {
            Self::Processor => [None; 3],
            Self::Multicore => [Some("heavy-edge"), Some("queues"), None],
            Self::Device { options, .. } => {
                let DevicePartitionOptions { matching, refinement, row_sort, .. } = options;
                [matching.name(), refinement.name(), row_sort.name()].map(Some)
            }
        }
    }
}

/// A partition, and what is reported about it.
pub(super) struct Outcome {
    pub(super) partition: Partition,
    pub(super) statistics: Statistics,
    /// The most weight of a part.
    pub(super) limit: i64,
    pub(super) times: Times,
    /// The trace, if it was wanted.
    pub(super) trace: Option<Trace>,
}

/// The times of the steps.
#[derive(Clone, Copy)]
pub(super) struct Times {
    /// Building the rows.
    pub(super) build: Duration,
    /// Partitioning, without the times of `on_device`.
    pub(super) partition: Duration,
    /// Other work of a device, if there is one.
    pub(super) on_device: Option<DeviceTimes>,
}

/// Partitions a graph in which every vertex and every edge has weight 1 or its weight in the file.
///
/// # Errors
/// When the graph cannot be partitioned as planned, or the device fails.
pub(super) fn divide(plan: &Plan, input: &mut InputGraph) -> anyhow::Result<Outcome> {
    let stage = Stage::start("partitioning");
    let start = Instant::now();
    let mut graph = if plan.edge_weights {
        let graph = WeightedGraph::of_edge_weights(&input.parsed.graph);
        graph.with_context(|| plan.input.source.to_string())?
    } else {
        WeightedGraph::of_unit_weights(&input.parsed.graph)?
    };
    if let Some(weights) = input.parsed.vertex_weights.take() {
        let weighted = graph.with_vertex_weights(weights);
        graph = weighted.with_context(|| plan.input.source.to_string())?;
    }
    let build = start.elapsed();
    let mut watcher = Watcher::new(&stage, plan.trace);
    let mut run = Run::new().observed_by(&mut watcher);
    let partition = match plan.place {
        PartitionedOn::Processor => partition::partition(&graph, &plan.options, &mut run)?,
        PartitionedOn::Multicore => {
            let options = MulticoreOptions { partition: plan.options, ..Default::default() };
            partition::partition_multicore(&graph, &options, &mut run)?
        }
        PartitionedOn::Device { ordinal, options } => {
            let options = DevicePartitionOptions { partition: plan.options, ..options };
            run = run.on_device(ordinal);
            cuda::partition::partition(&graph, &options, &mut run)?
        }
    };
    let device = run.take_device_times();
    let other = device.compile + device.upload + device.download;
    let times = Times {
        build,
        partition: start.elapsed().saturating_sub(build + other),
        on_device: matches!(plan.place, PartitionedOn::Device { .. }).then_some(device),
    };
    let statistics = Statistics::count(&graph, &partition)?;
    let limit = limit(&graph, plan.options.parts, plan.options.imbalance);
    let (trace, _) = watcher.finish();
    Ok(Outcome { partition, statistics, limit, times, trace })
}
