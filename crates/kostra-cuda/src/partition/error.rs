//! Why a device finds no partition.

use kostra_core::SolveError;
use kostra_partition::PartitionError;
use thiserror::Error;

use crate::error::{DeviceError, NoDevice};

/// The reason why a graph cannot be partitioned on a device.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DevicePartitionError {
    /// The options do not fit the graph, or the step on the processor failed.
    #[error(transparent)]
    Partition(#[from] PartitionError),
    /// There is no usable device.
    #[error(transparent)]
    NoDevice(#[from] NoDevice),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The graph does not fit in the device's memory, or the observer cancelled the run.
    #[error(transparent)]
    Run(#[from] SolveError),
    /// The sum of the weights of all vertices, or of all edges, exceeds the kernels' range.
    #[error(
        "the sum of the weights of all {kind} is {sum}, and the partitioner on a CUDA device takes at most {most}; \
         use smaller weights, or partition on the processor"
    )]
    TooHeavy {
        /// The kind: vertices or edges.
        kind: &'static str,
        /// The sum.
        sum: i64,
        /// The greatest allowed sum.
        most: i64,
    },
    /// There are more vertices than a transaction of [`HeavyEdge`](super::Matching::HeavyEdge) can
    /// name.
    #[error(
        "heavy-edge matching takes graphs of fewer than 2^31 vertices, and this one has {vertices}; \
             match by handshakes or in transactions"
    )]
    TooManyVertices {
        /// The number of vertices.
        vertices: u32,
    },
}
