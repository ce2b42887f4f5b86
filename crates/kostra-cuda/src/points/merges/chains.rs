//! The chains of merges, and the sums along them.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;

use super::DeviceMerges;
use super::contraction::Contracted;
use super::kernels::{MERGES, MergeKernels};
use crate::buffers::download;
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{grid_stride, launch};
use crate::radix_sort::{Pairs, RadixSort};
use crate::scan::Scan;

/// The edges, sorted by their chains.
pub(super) struct Chains<'a> {
    device: &'a Device,
    kernels: &'a MergeKernels,
    points: u32,
    /// The lightest edge at each vertex.
    lightest: CudaSlice<u32>,
    /// The first vertex of each level.
    levels: Vec<u32>,
    /// The chain of each edge, and the edge.
    sorted: Pairs,
    /// Where each chain begins, and the number of edges.
    begins: CudaSlice<u32>,
    /// What the edges of a level add to their chains; then the sums.
    sums: CudaSlice<u32>,
    scan: Scan,
}

impl<'a> Chains<'a> {
    /// The number of bytes for `points` points, without the sort and the scan.
    pub(super) fn bytes(points: usize) -> usize {
        4 * (2 + 1) * points + 2 * 12 * points
    }

    /// Finds the chain of each edge, and sorts the edges by it.
    pub(super) fn sorted(
        (device, kernels): (&'a Device, &'a MergeKernels),
        points: u32,
        contracted: Contracted,
    ) -> Result<Self, DeviceError> {
        let Contracted { lightest, above, absorbed_by, levels, scan } = contracted;
        let edges = points - 1;
        let mut sorted = Pairs::uninit(device, edges as usize)?;
        // SAFETY: the last vertex has absorbed all edges, and its lightest edge is `u32::MAX`.
        unsafe {
            launch!(
                device,
                &kernels.find_chains,
                grid_stride(edges.into()),
                (MERGES, "find_chains"),
                [
                    u32 edges = &edges,
                    u32 points = &points,
                    ptr absorbed_by = &absorbed_by,
                    ptr lightest = &lightest,
                    ptr above = &above,
                    ptr chains = &mut sorted.keys,
                    ptr ids = &mut sorted.values,
                ],
                "listing chains"
            )
        }?;
        drop((above, absorbed_by));
        let mut spare = Pairs::uninit(device, edges as usize)?;
        RadixSort::new(device, edges as usize)?.sort(device, edges, &mut sorted, &mut spare)?;
        let mut begins = device.uninit(points as usize)?;
        // SAFETY: there are fewer chains than points.
        unsafe {
            launch!(
                device,
                &kernels.begin_chains,
                grid_stride(edges.into()),
                (MERGES, "begin_chains"),
                [u32 edges = &edges, ptr chains = &sorted.keys, ptr begins = &mut begins],
                "listing chains"
            )
        }?;
        let sums = spare.values;
        Ok(Self { device, kernels, points, lightest, levels, sorted, begins, sums, scan })
    }

    /// Completes the merges, level by level.
    pub(super) fn add_up(mut self, merges: &DeviceMerges) -> Result<(), DeviceError> {
        let mut ends = Vec::new();
        for &level in self.levels.iter().skip(1) {
            // A level's first vertex is the level's first chain. No chain is empty.
            let chain = (level - self.points) as usize;
            ends.extend(download(self.device, &self.begins.slice(chain..=chain))?);
        }
        ends.push(self.points - 1);
        let mut first = 0;
        for end in ends {
            let count = end - first;
            self.list_sizes((first, count), merges)?;
            self.scan.exclusive_prefix_sum(self.device, &mut self.sums, count as usize)?;
            self.finish_level((first, count), merges)?;
            first = end;
        }
        Ok(())
    }

    fn list_sizes(
        &mut self,
        (first, count): (u32, u32),
        merges: &DeviceMerges,
    ) -> Result<(), DeviceError> {
        // SAFETY: the sorted values are edges.
        unsafe {
            launch!(
                self.device,
                &self.kernels.list_sizes,
                grid_stride(count.into()),
                (MERGES, "list_sizes"),
                [
                    u32 first = &first,
                    u32 count = &count,
                    ptr ids = &self.sorted.values,
                    ptr sizes = &merges.sizes.address(),
                    ptr added = &mut self.sums,
                ],
                "adding up sizes"
            )
        }
    }

    fn finish_level(
        &mut self,
        (first, count): (u32, u32),
        merges: &DeviceMerges,
    ) -> Result<(), DeviceError> {
        // SAFETY: the sorted values are edges, and so are the lightest edges of all vertices but
        // the last one. A level's chains begin in the level.
        unsafe {
            launch!(
                self.device,
                &self.kernels.finish_level,
                grid_stride(count.into()),
                (MERGES, "finish_level"),
                [
                    u32 first = &first,
                    u32 count = &count,
                    u32 points = &self.points,
                    ptr chains = &self.sorted.keys,
                    ptr ids = &self.sorted.values,
                    ptr begins = &self.begins,
                    ptr lightest = &self.lightest,
                    ptr before = &self.sums,
                    ptr sizes = &merges.sizes.address(),
                    ptr lower_clusters = &merges.lower_clusters.address(),
                    ptr higher_clusters = &merges.higher_clusters.address(),
                ],
                "adding up sizes"
            )
        }
    }
}
