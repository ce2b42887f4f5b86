//! The edges of the tree in ascending order.
//!
//! Edges are sorted by the upper 40 bits of their distances. Then one thread, or one block of
//! threads, puts each run of edges with the same upper bits in the order of distances and pairs.
//! The edges of longer runs, as among the points of a lattice or equal points, are sorted by their
//! pairs first, and then again by their distances: the sort is stable.

#![allow(unsafe_code, reason = "kernels are launched")]

use std::sync::Arc;

use cudarc::driver::CudaSlice;
use kostra_points::Metric;

use super::DevicePointTree;
use super::kernels::{ForestKernels, ORDER, OrderArguments, counter};
use super::rounds::FoundEdges;
use crate::buffers::{address, download};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{Kernel, grid_stride};
use crate::memory::DeviceMemory;
use crate::radix_sort::{BITS, Pairs, RadixSort};
use crate::shared::{constant, fill};

/// The lower digits of distances, which the first sort does not compare.
const UNSORTED_DIGITS: usize = (constant(ORDER.text(), "UNSORTED_BITS") as u32 / BITS) as usize;

/// Edges, at least one, to be put in order.
#[derive(Clone, Copy)]
pub(super) struct Order<'a> {
    pub(super) device: &'a Arc<Device>,
    pub(super) kernels: &'a ForestKernels,
    pub(super) edges: &'a FoundEdges,
    pub(super) count: u32,
}

impl Order<'_> {
    /// Sorts the edges into a tree. `sort` has memory for as many keys.
    pub(super) fn tree(
        &self,
        metric: Metric,
        mut sort: RadixSort,
    ) -> Result<DevicePointTree, DeviceError> {
        let Self { device, kernels, edges, count } = *self;
        let array = |size: usize| DeviceMemory::uninit(device, size * count as usize).map(Arc::new);
        let tree = DevicePointTree {
            len: count + 1,
            lower_ends: array(4)?,
            higher_ends: array(4)?,
            distances: array(8)?,
        };
        let mut pairs = Pairs::uninit(device, count as usize)?;
        let mut spare = Pairs::uninit(device, count as usize)?;
        kernels.number(device, &pairs.values)?;
        let found = edges.keys.slice(..count as usize);
        let copied = device.stream().memcpy_dtod(&found, &mut pairs.keys);
        device.check(copied, "copying distances")?;
        sort.sort_by_upper(device, count, UNSORTED_DIGITS, (&mut pairs, &mut spare))?;
        let unordered = self.order_runs(&pairs, &spare.values)?;
        if unordered > 0 {
            self.sort_unordered((&spare.values, unordered), &pairs, &mut sort)?;
        }
        let is_half = u32::from(metric == Metric::Cosine);
        let arguments = fill!(OrderArguments { is_half }, ..self.arguments(&pairs);
            tree => lower_ends higher_ends distances);
        self.launch(&kernels.order.report, &arguments)?;
        Ok(tree)
    }

    fn arguments(&self, sorted: &Pairs) -> OrderArguments {
        fill!(
            OrderArguments {
                count: self.count,
                keys: address(&sorted.keys),
                places: address(&sorted.values),
                edge_pairs: address(&self.edges.pairs),
            },
            ..OrderArguments::default()
        )
    }

    /// Launches a kernel with `arguments.count` edges.
    fn launch(
        &self,
        kernel: &Kernel<OrderArguments>,
        arguments: &OrderArguments,
    ) -> Result<(), DeviceError> {
        let grid = grid_stride(arguments.count.into());
        // SAFETY: the values of pairs are places of edges, and the list has indices of edges. No
        // list is longer than the edges, and the other arrays have a value for each of the edges
        // that the kernel handles.
        unsafe { kernel.launch(self.device, grid, arguments, "listing edges") }
    }

    /// Puts runs of nearly equal distances in order, except for very long ones. Lists the indices
    /// of the edges of these, and perhaps others, in any order; returns their number. `list` has a
    /// place for each edge.
    fn order_runs(&self, sorted: &Pairs, list: &CudaSlice<u32>) -> Result<u32, DeviceError> {
        let counters: CudaSlice<u32> = self.device.filled(counter::ALL, 0)?;
        let arguments = &OrderArguments {
            list: address(list),
            counters: address(&counters),
            ..self.arguments(sorted)
        };
        let kernels = &self.kernels.order;
        self.launch(&kernels.order_runs, arguments)?;
        self.launch(&kernels.order_long_runs, arguments)?;
        self.launch(&kernels.list_unordered, arguments)?;
        Ok(download(self.device, &counters)?[counter::UNORDERED])
    }

    /// Sorts the listed edges by distance and pair. `sorted` has the distances and places of all
    /// edges by their indices.
    fn sort_unordered(
        &self,
        (list, count): (&CudaSlice<u32>, u32),
        sorted: &Pairs,
        sort: &mut RadixSort,
    ) -> Result<(), DeviceError> {
        let mut pairs = Pairs::uninit(self.device, count as usize)?;
        let mut spare = Pairs::uninit(self.device, count as usize)?;
        let of_list = OrderArguments { count, list: address(list), ..self.arguments(sorted) };
        // The sort swaps the arrays of both pairs.
        let with = |pairs: &Pairs| OrderArguments {
            pair_keys: address(&pairs.keys),
            pair_values: address(&pairs.values),
            ..of_list
        };
        let kernels = &self.kernels.order;
        self.launch(&kernels.take_unordered, &with(&pairs))?;
        sort.sort(self.device, count, &mut pairs, &mut spare)?;
        let mut indices = self.device.uninit(count as usize)?;
        std::mem::swap(&mut indices, &mut pairs.keys);
        for gathered in [&self.edges.pairs, &self.edges.keys] {
            let gathered = address(gathered);
            self.launch(&kernels.gather, &OrderArguments { gathered, ..with(&pairs) })?;
            sort.sort(self.device, count, &mut pairs, &mut spare)?;
        }
        let indices = address(&indices);
        self.launch(&kernels.put_ordered, &OrderArguments { indices, ..with(&pairs) })
    }
}
