//! Copies of trees and merges in host memory.

#![allow(unsafe_code, reason = "device memory is known by its address only")]

use std::sync::Arc;

use kostra_core::tree::{Merge, MergeTree};
use kostra_core::{OutOfMemory, Run, memory};
use kostra_points::PointTree;
use kostra_points::cluster::{ClusterError, Hierarchy};

use super::input::DevicePointsError;
use super::{DeviceMerges, DevicePointTree};
use crate::device::Device;
use crate::error::DeviceError;
use crate::memory::DeviceMemory;

impl DevicePointTree {
    /// Room for the tree of `len` points.
    pub(super) fn uninit(device: &Arc<Device>, len: u32) -> Result<Self, DeviceError> {
        let edges = len.saturating_sub(1) as usize;
        let array = |size: usize| DeviceMemory::uninit(device, size * edges).map(Arc::new);
        let (lower_ends, higher_ends, distances) = (array(4)?, array(4)?, array(8)?);
        Ok(Self { len, lower_ends, higher_ends, distances })
    }

    /// Copies the tree to host memory, on up to `threads` threads.
    ///
    /// # Errors
    /// When the device fails, or the system refuses the memory.
    pub fn download(&self, threads: usize) -> Result<PointTree, DevicePointsError> {
        let ends = pairs(&self.lower_ends, &self.higher_ends, threads)?;
        let distances = self.distances.values(threads)?;
        Ok(PointTree { len: self.len, ends, distances })
    }

    /// Copies the tree to host memory, and finds its [merges](Self::merges) on the device. The
    /// hierarchy is that of [`Hierarchy::new`].
    ///
    /// # Errors
    /// When the edges are not a spanning tree in order, the device fails or has too little memory,
    /// or the system refuses the memory.
    pub fn hierarchy(&self, run: &mut Run<'_>) -> Result<Hierarchy, DevicePointsError> {
        let merges = self.merges(run)?;
        run.download(|run| {
            let merges = Arc::new(merges.merge_tree(run.threads())?);
            Ok(Hierarchy::with_merges(self.download(run.threads())?, merges)?)
        })
    }
}

impl DeviceMerges {
    /// Copies the merges to host memory, on up to `threads` threads.
    ///
    /// # Errors
    /// When the device fails, or the system refuses the memory.
    pub fn download(&self, threads: usize) -> Result<Vec<Merge>, DevicePointsError> {
        let clusters = pairs(&self.lower_clusters, &self.higher_clusters, threads)?;
        let sizes: Vec<u32> = self.sizes.values(threads)?;
        let merges = clusters.into_iter().zip(sizes).enumerate();
        let merges = merges.map(|(edge, (clusters, size))| Merge {
            edge: edge as u32,
            clusters: clusters.map(u64::from),
            size,
        });
        Ok(memory::collected(merges).map_err(DeviceError::Host)?)
    }

    /// Copies the merges to host memory, on up to `threads` threads, as the hierarchy of the
    /// tree's edges.
    ///
    /// # Errors
    /// When the device fails, or the system refuses the memory.
    pub fn merge_tree(&self, threads: usize) -> Result<MergeTree, DevicePointsError> {
        let lower: Vec<u32> = self.lower_clusters.values(threads)?;
        let higher: Vec<u32> = self.higher_clusters.values(threads)?;
        let clusters = lower.iter().zip(&higher).map(|(&lower, &higher)| [lower, higher]);
        Ok(MergeTree::of_merges(self.len, clusters).map_err(ClusterError::NotAForest)?)
    }
}

/// Two arrays of 32-bit words in host memory, as pairs.
fn pairs(
    lower: &DeviceMemory,
    higher: &DeviceMemory,
    threads: usize,
) -> Result<Vec<[u32; 2]>, DeviceError> {
    let (lower, higher) = (lower.values(threads)?, higher.values(threads)?);
    let pairs = lower.into_iter().zip(higher).map(|(lower, higher)| [lower, higher]);
    memory::collected(pairs).map_err(|refusal: OutOfMemory| DeviceError::Host(refusal))
}
