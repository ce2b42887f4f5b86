//! The tree over the points: sorted rows and boxes in device memory.

#![allow(unsafe_code, reason = "kernels are launched")]

mod cores;
mod levels;
mod search;

use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaSlice, DevicePtr, LaunchConfig};

use self::levels::Level;
pub(super) use self::levels::{WIDTH, levels, nodes};
pub(super) use self::search::TreeSearch;
use super::extent::Extent;
use super::input::{CoordinateType, DevicePointsError, PointAddresses};
use super::kernels::{ForestKernels, TREE, TreeKernels, row_width};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{grid_stride, launch};
use crate::radix_sort::{Pairs, RadixSort};
use crate::shared::constant;

/// The number of threads of a block of the kernels with one warp for each task.
pub(super) const WARPS_BLOCK: u32 =
    constant(include_str!("../../../kernels/points/geometry.cuh"), "WARPS_BLOCK") as u32;
/// The number of 64-bit words of a `Frame` in `kernels/points/geometry.cuh`: 16 lowest coordinates,
/// 16 centers, and 4 numbers.
const FRAME: usize = 36;

/// Points, sorted along a Hilbert curve, and the boxes of all nodes.
pub(super) struct Tree {
    pub(super) count: u32,
    /// The approximate coordinates.
    pub(super) rows: CudaSlice<f32>,
    /// The coordinates, if they have 64 bits. Otherwise `rows` has them.
    exact: Option<CudaSlice<f64>>,
    /// The given index of each point.
    pub(super) order: CudaSlice<u32>,
    /// The place of each given index in the order.
    pub(super) inverse: CudaSlice<u32>,
    pub(super) frame: CudaSlice<f64>,
    /// The low and the high corner of each node.
    pub(super) boxes: CudaSlice<f32>,
    /// The lowest given index in each node.
    pub(super) lowest: CudaSlice<u32>,
    pub(super) levels: Vec<Level>,
}

impl Tree {
    /// The number of bytes for `points` points, and those that the sort needs in addition.
    pub(super) fn bytes(points: &PointAddresses) -> (usize, usize) {
        let (len, width) = (points.len as usize, row_width(points.dimensions));
        let exact = if points.coordinates == CoordinateType::F64 { 8 * width } else { 0 };
        let nodes = nodes(&levels(points.len)) * (8 * width + 4);
        (len * (4 * width + exact + 8) + nodes, 24 * len + RadixSort::bytes(len))
    }

    /// Sorts the points, and builds the tree. Returns the memory in which the points were sorted,
    /// for other sorts of as many keys.
    pub(super) fn build(
        (device, forest): (&Device, &ForestKernels),
        kernels: &TreeKernels,
        points: &PointAddresses,
    ) -> Result<(Self, RadixSort), DevicePointsError> {
        let frame = frame((device, forest), kernels, points)?;
        let (order, sort) = sort(device, kernels, points, &frame)?;
        let (count, width) = (points.len, row_width(points.dimensions));
        let levels = levels(count);
        let padded = count.div_ceil(WIDTH) as usize * WIDTH as usize * width;
        let mut tree = Self {
            count,
            rows: device.uninit(padded)?,
            exact: match points.coordinates {
                CoordinateType::F32 => None,
                CoordinateType::F64 => Some(device.uninit(padded)?),
            },
            order,
            inverse: device.uninit(count as usize)?,
            frame,
            boxes: device.uninit(2 * width * nodes(&levels))?,
            lowest: device.uninit(nodes(&levels))?,
            levels,
        };
        // All ones is no number, so the rows after the last point are near to nothing.
        device.fill(&mut tree.rows, 0xff)?;
        tree.take_rows(device, kernels, points)?;
        tree.make_boxes(device, kernels)?;
        Ok((tree, sort))
    }

    /// The address of the coordinates by which distances are decided.
    pub(super) fn exact(&self, device: &Device) -> CUdeviceptr {
        match &self.exact {
            Some(exact) => exact.device_ptr(device.stream()).0,
            None => self.rows.device_ptr(device.stream()).0,
        }
    }

    fn take_rows(
        &mut self,
        device: &Device,
        kernels: &TreeKernels,
        points: &PointAddresses,
    ) -> Result<(), DeviceError> {
        let (dimensions, stride) = (points.dimensions as u32, points.stride as u64);
        let exact = self.exact(device);
        // SAFETY: `order` has indices of points, and all arrays have a place for each point.
        unsafe {
            launch!(
                device,
                &kernels.rows,
                grid_stride(self.count.into()),
                (TREE, "rows"),
                [
                    ptr points = &points.address,
                    u32 dimensions = &dimensions,
                    u64 stride = &stride,
                    u32 count = &self.count,
                    ptr frame = &self.frame,
                    ptr order = &self.order,
                    ptr inverse = &mut self.inverse,
                    ptr rows = &mut self.rows,
                    ptr exact = &exact,
                ],
                "sorting points"
            )
        }
    }

    fn make_boxes(&mut self, device: &Device, kernels: &TreeKernels) -> Result<(), DeviceError> {
        let leaves = self.levels[0];
        // SAFETY: there is a box for each node, and a row for each point.
        unsafe {
            launch!(
                device,
                &kernels.leaf_boxes,
                warps(leaves.nodes),
                (TREE, "leaf_boxes"),
                [
                    ptr rows = &self.rows,
                    ptr order = &self.order,
                    u32 count = &self.count,
                    u32 nodes = &leaves.nodes,
                    ptr boxes = &mut self.boxes,
                    ptr lowest = &mut self.lowest,
                ],
                "building a tree"
            )
        }?;
        for pair in self.levels.windows(2) {
            let (below, level) = (pair[0], pair[1]);
            // SAFETY: both levels have their nodes in the arrays.
            unsafe {
                launch!(
                    device,
                    &kernels.node_boxes,
                    warps(level.nodes),
                    (TREE, "node_boxes"),
                    [
                        u32 below = &below.begin,
                        u32 children = &below.nodes,
                        u32 begin = &level.begin,
                        u32 nodes = &level.nodes,
                        ptr boxes = &mut self.boxes,
                        ptr lowest = &mut self.lowest,
                    ],
                    "building a tree"
                )
            }?;
        }
        Ok(())
    }
}

/// The grid with one warp for each of `tasks` tasks.
pub(super) fn warps(tasks: u32) -> LaunchConfig {
    let blocks = tasks.div_ceil(WARPS_BLOCK / WIDTH).max(1);
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (WARPS_BLOCK, 1, 1), shared_mem_bytes: 0 }
}

/// The frame of the points, after a check that all coordinates are finite and that no distance
/// overflows.
fn frame(
    (device, forest): (&Device, &ForestKernels),
    kernels: &TreeKernels,
    points: &PointAddresses,
) -> Result<CudaSlice<f64>, DevicePointsError> {
    let extent = Extent::of(device, forest, points)?;
    extent.check_range()?;
    let mut frame: CudaSlice<f64> = device.uninit(FRAME)?;
    let grid = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: the frame has the words of a `Frame`.
    unsafe {
        launch!(
            device,
            &kernels.frame,
            grid,
            (TREE, "frame"),
            [
                ptr extent = &extent.on_device,
                u32 dimensions = &(points.dimensions as u32),
                ptr frame = &mut frame,
            ],
            "reading points"
        )
    }?;
    Ok(frame)
}

/// The indices of the points in the order of the curve.
fn sort(
    device: &Device,
    kernels: &TreeKernels,
    points: &PointAddresses,
    frame: &CudaSlice<f64>,
) -> Result<(CudaSlice<u32>, RadixSort), DeviceError> {
    let len = points.len as usize;
    let mut pairs = Pairs::uninit(device, len)?;
    let mut spare = Pairs::uninit(device, len)?;
    // SAFETY: the caller guarantees the points; the pairs have a place for each.
    unsafe {
        launch!(
            device,
            &kernels.places,
            grid_stride(points.len.into()),
            (TREE, "places"),
            [
                ptr points = &points.address,
                u32 dimensions = &(points.dimensions as u32),
                u64 stride = &(points.stride as u64),
                u32 count = &points.len,
                ptr frame = frame,
                ptr places = &mut pairs.keys,
                ptr order = &mut pairs.values,
            ],
            "sorting points"
        )
    }?;
    let mut sort = RadixSort::new(device, len)?;
    sort.sort(device, points.len, &mut pairs, &mut spare)?;
    Ok((pairs.values, sort))
}
