//! Multilevel k-way graph partitioning on a device.

mod error;
mod graph;

pub use self::error::DevicePartitionError;
pub(crate) use self::graph::DeviceGraph;
