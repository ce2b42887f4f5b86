//! The merges of a spanning tree on a device: single-linkage clustering.
//!
//! Each edge merges two clusters, in ascending order of the edges. The cluster of a merge takes
//! part in one later merge, the *next* one, or it is the whole. So the merges are a tree. It may be
//! as deep as there are points.
//!
//! * **Contraction**: an edge that is the lightest edge at one of its ends merges at least one
//!   single point. These edges are contracted, and the rest is a tree of at most half as many
//!   points. Its merges are the remaining edges in the same order: if the heaviest edge on a path
//!   is neither the first nor the last one, it is not the lightest edge at either end, so it
//!   remains. Contraction is repeated until one vertex is left. Each level is a round of Borůvka's
//!   algorithm.
//! * **Chains**: contraction puts an edge into a vertex of the next level, and then into others
//!   around it. Take the lowest of these vertices whose lightest edge is later than the edge. All
//!   edges with the same vertex form a chain: each one is the next merge of the one before it, and
//!   the vertex's lightest edge is the next merge of the last one.
//! * **Order**: a stable sort by these vertices lists the chains.
//! * **Sizes**: a chain that ends at an edge belongs to a vertex of a lower level than the edge's
//!   own chain. So sizes are added up level by level, along all chains of a level at once by a
//!   prefix sum.
//! * Source: Prokopenko, Sao & Lebrun-Grandié 2024 (PANDORA), for contraction and chains. There,
//!   edges descend and a later edge has a lower index. The sizes and the clusters of a merge are
//!   ours.
//! * O(n log n) work at worst, in at most log2(n) levels with a few round trips to the host each.
//!   Device memory: 53 bytes for each point. 12 of them are the result.

use std::sync::Arc;

use kostra_core::tree::Merge;
use kostra_core::{Run, memory};

use super::input::{DevicePointsError, MAX_POINTS};
use super::{DevicePointTree, refused};
use crate::device::Device;
use crate::error::DeviceError;
use crate::memory::DeviceMemory;
use crate::radix_sort::RadixSort;
use crate::scan::Scan;
use crate::step_clock::StepClock;

mod chains;
mod contraction;
mod kernels;
#[cfg(test)]
mod tests;

use chains::Chains;
use contraction::Contraction;
use kernels::MergeKernels;

/// The merges of a spanning tree's edges in device memory: merge `i` is caused by edge `i`.
#[derive(Debug)]
pub struct DeviceMerges {
    /// The number of points.
    pub len: u32,
    /// The lower number of the two clusters that each edge merges, 32 bits. Point `p` is cluster
    /// `p`, and merge `i` creates cluster `len + i`.
    pub lower_clusters: DeviceMemory,
    /// The higher number of the two clusters.
    pub higher_clusters: DeviceMemory,
    /// The number of points in both clusters, 32 bits.
    pub sizes: DeviceMemory,
}

impl DevicePointTree {
    /// The merges of the edges, found on the device that has the tree. They are those of
    /// [`Hierarchy`](kostra_points::cluster::Hierarchy).
    ///
    /// # Errors
    /// When the edges are not a spanning tree, the device fails or has too little memory.
    pub fn merges(&self, run: &mut Run<'_>) -> Result<DeviceMerges, DevicePointsError> {
        let device = self.lower_ends.device();
        let (points, edges) = (self.len, self.len.saturating_sub(1));
        if points > MAX_POINTS {
            return Err(DevicePointsError::TooManyPoints { points });
        }
        let bytes = 4 * edges as usize;
        if self.lower_ends.len() != bytes || self.higher_ends.len() != bytes {
            return Err(DevicePointsError::NotATree { points });
        }
        if edges == 0 {
            return Ok(DeviceMerges::uninit(device, points)?);
        }
        device.admit(0, bytes_needed(points as usize))?;
        let kernels = &run.compile(|_| MergeKernels::load(device))?;
        let merges = DeviceMerges::uninit(device, points)?;
        let mut clock = StepClock::new(device, run)?;
        clock.start()?;
        let contracted = Contraction::allocate((device, kernels), points)?.run(self, &merges)?;
        clock.lap("contract")?;
        let chains = Chains::sorted((device, kernels), points, contracted)?;
        clock.lap("sort chains")?;
        chains.add_up(&merges)?;
        clock.lap("add up sizes")?;
        device.finish()?;
        clock.report(run)?;
        Ok(merges)
    }
}

impl DeviceMerges {
    fn uninit(device: &Arc<Device>, points: u32) -> Result<Self, DeviceError> {
        let array = || DeviceMemory::uninit(device, 4 * points.saturating_sub(1) as usize);
        let (lower_clusters, higher_clusters, sizes) = (array()?, array()?, array()?);
        Ok(Self { len: points, lower_clusters, higher_clusters, sizes })
    }

    /// Copies the merges to host memory.
    ///
    /// # Errors
    /// When the device fails, or the system refuses the memory.
    pub fn download(&self) -> Result<Vec<Merge>, DevicePointsError> {
        let lower = self.lower_clusters.to_vec()?;
        let (higher, sizes) = (self.higher_clusters.to_vec()?, self.sizes.to_vec()?);
        let words = |bytes| <[u8]>::as_chunks::<4>(bytes).0.iter().map(|w| u32::from_ne_bytes(*w));
        let merges = words(&lower).zip(words(&higher)).zip(words(&sizes)).enumerate();
        memory::collected(merges.map(|(edge, ((lower, higher), size))| Merge {
            edge: edge as u32,
            clusters: [lower.into(), higher.into()],
            size,
        }))
        .map_err(refused)
    }
}

/// The bytes of device memory for the merges of `points` points, in addition to the tree.
fn bytes_needed(points: usize) -> usize {
    let sort = Chains::bytes(points) + RadixSort::bytes(points);
    12 * points + Contraction::bytes(points).max(sort) + Scan::bytes(points)
}
