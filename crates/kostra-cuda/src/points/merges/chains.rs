//! The chains of merges, and the sums along them.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;

use super::DeviceMerges;
use super::contraction::Contracted;
use super::kernels::{Arguments, MergeKernels};
use crate::buffers::{address, download};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{Kernel, grid_stride};
use crate::radix_sort::{Pairs, RadixSort};
use crate::scan::Scan;
use crate::shared::fill;

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
        let mut arguments = Arguments {
            edges,
            points,
            absorbed_by: address(&absorbed_by),
            lightest: address(&lightest),
            above: address(&above),
            chains: address(&sorted.keys),
            ids: address(&sorted.values),
            ..Arguments::default()
        };
        let grid = grid_stride(edges.into());
        // SAFETY: the last vertex has absorbed all edges, and its lightest edge is `u32::MAX`.
        unsafe { kernels.find_chains.launch(device, grid, &arguments, "listing chains") }?;
        drop((above, absorbed_by));
        let mut spare = Pairs::uninit(device, edges as usize)?;
        RadixSort::new(device, edges as usize)?.sort(device, edges, &mut sorted, &mut spare)?;
        let begins = device.uninit(points as usize)?;
        arguments.begins = address(&begins);
        arguments.chains = address(&sorted.keys); // the sort swaps both pairs
        // SAFETY: there are fewer chains than points.
        unsafe { kernels.begin_chains.launch(device, grid, &arguments, "listing chains") }?;
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
            let arguments = &fill!(Arguments {
                first,
                count,
                points: self.points,
                chains: address(&self.sorted.keys),
                ids: address(&self.sorted.values),
            }, ..Arguments::default();
            self => begins lightest sums; merges => sizes lower_clusters higher_clusters);
            self.launch(&self.kernels.list_sizes, arguments)?;
            self.scan.exclusive_prefix_sum(self.device, &mut self.sums, count as usize)?;
            self.launch(&self.kernels.finish_level, arguments)?;
            first = end;
        }
        Ok(())
    }

    fn launch(&self, kernel: &Kernel<Arguments>, arguments: &Arguments) -> Result<(), DeviceError> {
        let grid = grid_stride(arguments.count.into());
        // SAFETY: the sorted values are edges, and so are the lightest edges of all vertices but
        // the last one. A level's chains begin in the level.
        unsafe { kernel.launch(self.device, grid, arguments, "adding up sizes") }
    }
}
