//! A graph with weights of edges and vertices, as rows in device memory.

#![allow(unsafe_code, reason = "copies write to device memory, which is known by its address only")]

use std::sync::atomic::{AtomicI64, Ordering};

use cudarc::driver::CudaSlice;
use kostra_core::{Vertex, memory};
use kostra_parallel::{Schedule, Team, for_each_item, with_team};
use kostra_partition::{Rows, WeightedGraph};

use super::error::DevicePartitionError;
use crate::buffers::{address, download};
use crate::device::Device;
use crate::error::DeviceError;
use crate::staging::{self, Transfer};

/// The sum of the weights of all vertices, and that of all edges, is below this number. So sums and
/// differences of sums fit in 32 bits, with a sign.
const WEIGHT_END: i64 = 1 << 31;

/// The number of values that a thread narrows or adds up at once.
const BLOCK: usize = 1 << 16;

/// The rows of a graph. Each edge is in the rows of both ends, with the same weight. There are no
/// self-loops and no parallel edges.
#[derive(Debug)]
pub(crate) struct DeviceGraph {
    pub(crate) vertices: u32,
    /// Twice the number of edges.
    pub(crate) entries: u32,
    /// The start of each row, and `entries` at the end.
    pub(crate) offsets: CudaSlice<u32>,
    pub(crate) neighbors: CudaSlice<Vertex>,
    pub(crate) edge_weights: CudaSlice<u32>,
    pub(crate) vertex_weights: CudaSlice<u32>,
}

impl DeviceGraph {
    /// Copies a graph to the device, on up to `threads` threads. The copy is complete when this
    /// returns.
    ///
    /// # Errors
    /// When the sum of the weights of the vertices or of the edges is 2^31 or more, there are
    /// 2^32 - 1 entries or more, the device fails, or has too little memory.
    pub(crate) fn upload(
        device: &Device,
        graph: &WeightedGraph,
        threads: usize,
    ) -> Result<Self, DevicePartitionError> {
        let [offsets, edge_weights, vertex_weights] = with_team(threads, |team| {
            admit(graph, team)?;
            let weights = |weights| narrowed(team, weights, |weight: i64| weight as u32);
            Ok::<_, DevicePartitionError>([
                narrowed(team, graph.offsets(), |offset: usize| offset as u32)?,
                weights(graph.edge_weights())?,
                weights(graph.vertex_weights())?,
            ])
        })?;
        let copy = Self {
            vertices: graph.vertices(),
            entries: graph.neighbors().len() as u32,
            offsets: device.uninit(offsets.len())?,
            neighbors: device.uninit(edge_weights.len())?,
            edge_weights: device.uninit(edge_weights.len())?,
            vertex_weights: device.uninit(vertex_weights.len())?,
        };
        let transfers = [
            Transfer::new(&offsets, address(&copy.offsets)),
            Transfer::new(graph.neighbors(), address(&copy.neighbors)),
            Transfer::new(&edge_weights, address(&copy.edge_weights)),
            Transfer::new(&vertex_weights, address(&copy.vertex_weights)),
        ];
        // SAFETY: each array was allocated above with the length of its source.
        unsafe { staging::send(device, &transfers, threads) }?;
        Ok(copy)
    }

    /// The number of bytes of a graph.
    pub(crate) fn bytes(vertices: u32, entries: usize) -> usize {
        4 * (2 * vertices as usize + 1 + 2 * entries)
    }

    /// Copies the graph to the host.
    ///
    /// # Errors
    /// When the device fails, or the system refuses the memory.
    pub(crate) fn download(&self, device: &Device) -> Result<WeightedGraph, DevicePartitionError> {
        let wide = |weights: &CudaSlice<u32>| {
            let weights = download(device, weights)?;
            Ok::<Vec<i64>, DeviceError>(weights.into_iter().map(i64::from).collect())
        };
        let offsets = download(device, &self.offsets)?;
        let offsets: Vec<usize> = offsets.into_iter().map(|offset| offset as usize).collect();
        Ok(WeightedGraph::from_rows(Rows {
            offsets: &offsets,
            neighbors: &download(device, &self.neighbors)?,
            edge_weights: Some(&wide(&self.edge_weights)?),
            vertex_weights: Some(&wide(&self.vertex_weights)?),
        })?)
    }
}

/// Values in 32 bits. The threads convert disjoint blocks, because one thread would take longer
/// than the transfer to the device.
fn narrowed<T: Copy + Sync>(
    team: &Team<'_>,
    values: &[T],
    narrow: impl Fn(T) -> u32 + Sync,
) -> Result<Vec<u32>, DeviceError> {
    let mut narrowed = memory::zeros(values.len())?;
    let blocks = narrowed.chunks_mut(BLOCK).zip(values.chunks(BLOCK));
    for_each_item(team, blocks, |(to, from)| {
        to.iter_mut().zip(from).for_each(|(to, &from)| *to = narrow(from));
    });
    Ok(narrowed)
}

/// The sum of weights. No sum of a graph's weights overflows.
fn sum(team: &Team<'_>, weights: &[i64]) -> i64 {
    let total = AtomicI64::new(0);
    team.distribute(weights.len(), Schedule::Dynamic(BLOCK), |_, range| {
        total.fetch_add(weights[range].iter().sum(), Ordering::Relaxed);
    });
    total.into_inner()
}

/// Refuses a graph whose sums of weights or number of entries exceed 32 bits.
fn admit(graph: &WeightedGraph, team: &Team<'_>) -> Result<(), DevicePartitionError> {
    let entries = graph.neighbors().len();
    if entries >= u32::MAX as usize {
        return Err(DeviceError::TooManyEntries { entries: entries as u64 }.into());
    }
    let of_edges = sum(team, graph.edge_weights()) / 2;
    for (kind, sum) in [("vertices", graph.total_weight()), ("edges", of_edges)] {
        if sum >= WEIGHT_END {
            return Err(DevicePartitionError::TooHeavy { kind, sum, most: WEIGHT_END - 1 });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::device;

    fn pair(edge_weight: i64, vertex_weights: [i64; 2]) -> WeightedGraph {
        WeightedGraph::from_rows(Rows {
            offsets: &[0, 1, 2],
            neighbors: &[1, 0],
            edge_weights: Some(&[edge_weight; 2]),
            vertex_weights: Some(&vertex_weights),
        })
        .unwrap()
    }

    #[test]
    fn weights_whose_sum_exceeds_31_bits_are_refused_with_the_sum() {
        let most = WEIGHT_END - 1;
        let admitted = |graph| with_team(2, |team| admit(&graph, team));
        assert!(admitted(pair(most, [most, 0])).is_ok());
        let words = |graph| admitted(graph).unwrap_err().to_string();
        assert_eq!(
            words(pair(1, [most, 1])),
            "the sum of the weights of all vertices is 2147483648, and the partitioner on a CUDA \
             device takes at most 2147483647; use smaller weights, or partition on the processor"
        );
        assert!(words(pair(most + 1, [1, 1])).contains("all edges is 2147483648"));
    }

    #[test]
    fn a_graph_returns_from_the_device_unchanged() {
        let Some(device) = device() else { return };
        for graph in [pair(5, [2, 0]), pair(WEIGHT_END - 1, [0, WEIGHT_END - 1])] {
            let copy = DeviceGraph::upload(&device, &graph, 1).unwrap();
            assert!(copy.download(&device).unwrap() == graph);
        }
        let empty = WeightedGraph::from_edges(3, &[], &[], None).unwrap();
        let copy = DeviceGraph::upload(&device, &empty, 1).unwrap();
        assert!(copy.entries == 0 && copy.download(&device).unwrap() == empty);
    }
}
