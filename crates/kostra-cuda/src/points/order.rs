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
use super::kernels::{FOREST, ForestKernels, ORDER, counter};
use super::rounds::FoundEdges;
use crate::buffers::download;
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{grid_stride, launch};
use crate::memory::DeviceMemory;
use crate::radix_sort::{BITS, Pairs, RadixSort};
use crate::shared::constant;

/// The lower digits of distances, which the first sort does not compare.
const UNSORTED_DIGITS: usize = (constant(ORDER.text(), "UNSORTED_BITS") as u32 / BITS) as usize;

/// Sorts `count` edges, at least one, into a tree. `sort` has memory for as many keys.
pub(super) fn order(
    (device, kernels): (&Arc<Device>, &ForestKernels),
    edges: &FoundEdges,
    (count, metric): (u32, Metric),
    mut sort: RadixSort,
) -> Result<DevicePointTree, DeviceError> {
    let order = Order { device, kernels, edges, count };
    let array = |size: usize| DeviceMemory::uninit(device, size * count as usize).map(Arc::new);
    let tree = DevicePointTree {
        len: count + 1,
        lower_ends: array(4)?,
        higher_ends: array(4)?,
        distances: array(8)?,
    };
    let mut pairs = Pairs::uninit(device, count as usize)?;
    let mut spare = Pairs::uninit(device, count as usize)?;
    order.number(&mut pairs.values)?;
    let found = edges.keys.slice(..count as usize);
    let copied = device.stream().memcpy_dtod(&found, &mut pairs.keys);
    device.check(copied, "copying distances")?;
    sort.sort_by_upper(device, count, UNSORTED_DIGITS, (&mut pairs, &mut spare))?;
    let unordered = order.order_runs(&mut pairs, &mut spare.values)?;
    if unordered > 0 {
        order.sort_unordered((&spare.values, unordered), &mut pairs, &mut sort)?;
    }
    // SAFETY: the values are places of edges, and the results have room for all edges.
    unsafe {
        launch!(
            device,
            &kernels.report,
            grid_stride(count.into()),
            (ORDER, "report"),
            [
                u32 count = &count,
                u32 is_half = &u32::from(metric == Metric::Cosine),
                ptr sorted_keys = &pairs.keys,
                ptr places = &pairs.values,
                ptr edge_pairs = &edges.pairs,
                ptr lower_ends = &tree.lower_ends.address(),
                ptr higher_ends = &tree.higher_ends.address(),
                ptr distances = &tree.distances.address(),
            ],
            "listing edges"
        )
    }?;
    Ok(tree)
}

#[derive(Clone, Copy)]
struct Order<'a> {
    device: &'a Device,
    kernels: &'a ForestKernels,
    edges: &'a FoundEdges,
    count: u32,
}

impl Order<'_> {
    /// Numbers the edges.
    fn number(&self, places: &mut CudaSlice<u32>) -> Result<(), DeviceError> {
        // SAFETY: the array has a place for each edge.
        unsafe {
            launch!(
                self.device,
                &self.kernels.number,
                grid_stride(self.count.into()),
                (FOREST, "number"),
                [u32 count = &self.count, ptr places = places],
                "listing edges"
            )
        }
    }

    /// Copies the keys at the given places.
    fn gather(
        &self,
        places: &CudaSlice<u32>,
        from: &CudaSlice<u64>,
        to: &mut CudaSlice<u64>,
    ) -> Result<(), DeviceError> {
        // SAFETY: the places are those of edges, and all arrays have a value for each edge.
        unsafe {
            launch!(
                self.device,
                &self.kernels.gather,
                grid_stride(self.count.into()),
                (ORDER, "gather"),
                [u32 count = &self.count, ptr places = places, ptr from = from, ptr to = to],
                "listing edges"
            )
        }
    }

    /// Puts runs of nearly equal distances in order, except for very long ones. Lists the indices
    /// of the edges of these, and perhaps others, in any order; returns their number. `list` has a
    /// place for each edge.
    fn order_runs(
        &self,
        sorted: &mut Pairs,
        list: &mut CudaSlice<u32>,
    ) -> Result<u32, DeviceError> {
        let mut counters: CudaSlice<u32> = self.device.filled(counter::ALL, 0)?;
        // SAFETY: the values are places of edges, and no list is longer than the edges.
        unsafe {
            launch!(
                self.device,
                &self.kernels.order_runs,
                grid_stride(self.count.into()),
                (ORDER, "order_runs"),
                [
                    u32 count = &self.count,
                    ptr keys = &mut sorted.keys,
                    ptr places = &mut sorted.values,
                    ptr edge_pairs = &self.edges.pairs,
                    ptr counters = &mut counters,
                    ptr long_runs = &mut *list,
                ],
                "listing edges"
            )?;
            launch!(
                self.device,
                &self.kernels.order_long_runs,
                grid_stride(self.count.into()),
                (ORDER, "order_long_runs"),
                [
                    u32 count = &self.count,
                    ptr keys = &mut sorted.keys,
                    ptr places = &mut sorted.values,
                    ptr edge_pairs = &self.edges.pairs,
                    ptr counters = &counters,
                    ptr long_runs = &*list,
                ],
                "listing edges"
            )?;
            launch!(
                self.device,
                &self.kernels.list_unordered,
                grid_stride(self.count.into()),
                (ORDER, "list_unordered"),
                [
                    u32 count = &self.count,
                    ptr keys = &sorted.keys,
                    ptr unordered = list,
                    ptr counters = &mut counters,
                ],
                "listing edges"
            )
        }?;
        Ok(download(self.device, &counters)?[counter::UNORDERED])
    }

    /// Sorts the listed edges by distance and pair. `sorted` has the distances and places of all
    /// edges by their indices.
    fn sort_unordered(
        &self,
        (list, count): (&CudaSlice<u32>, u32),
        sorted: &mut Pairs,
        sort: &mut RadixSort,
    ) -> Result<(), DeviceError> {
        let part = Order { count, ..*self };
        let mut pairs = Pairs::uninit(self.device, count as usize)?;
        let mut spare = Pairs::uninit(self.device, count as usize)?;
        // SAFETY: the list has indices of edges, and the arrays have room for those of the list.
        unsafe {
            launch!(
                self.device,
                &self.kernels.take_unordered,
                grid_stride(count.into()),
                (ORDER, "take_unordered"),
                [
                    u32 count = &count,
                    ptr unordered = list,
                    ptr places = &sorted.values,
                    ptr keys = &mut pairs.keys,
                    ptr values = &mut pairs.values,
                ],
                "listing edges"
            )
        }?;
        sort.sort(self.device, count, &mut pairs, &mut spare)?;
        let mut indices = self.device.uninit(count as usize)?;
        std::mem::swap(&mut indices, &mut pairs.keys);
        part.gather(&pairs.values, &self.edges.pairs, &mut pairs.keys)?;
        sort.sort(self.device, count, &mut pairs, &mut spare)?;
        part.gather(&pairs.values, &self.edges.keys, &mut pairs.keys)?;
        sort.sort(self.device, count, &mut pairs, &mut spare)?;
        // SAFETY: as above.
        unsafe {
            launch!(
                self.device,
                &self.kernels.put_ordered,
                grid_stride(count.into()),
                (ORDER, "put_ordered"),
                [
                    u32 count = &count,
                    ptr indices = &indices,
                    ptr ordered_keys = &pairs.keys,
                    ptr ordered_places = &pairs.values,
                    ptr keys = &mut sorted.keys,
                    ptr places = &mut sorted.values,
                ],
                "listing edges"
            )
        }
    }
}
