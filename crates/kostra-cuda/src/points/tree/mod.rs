//! The tree over the points: sorted rows and boxes in device memory.

#![allow(unsafe_code, reason = "kernels are launched")]

mod cores;
mod levels;
mod search;

use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaSlice, DevicePtr, LaunchConfig};
use kostra_core::ElementType;

use self::levels::Level;
pub(super) use self::levels::{WIDTH, levels, nodes};
pub(super) use self::search::TreeSearch;
use super::extent::Extent;
use super::input::{DevicePointsError, PointAddresses};
use super::kernels::{ForestKernels, TreeArguments, TreeKernels, row_width};
use crate::buffers::address;
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::grid_stride;
use crate::radix_sort::{Pairs, RadixSort};
use crate::shared::{constant, fill};

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
        let exact = if points.coordinates == ElementType::F64 { 8 * width } else { 0 };
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
                ElementType::F64 => Some(device.uninit(padded)?),
                _ => None,
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

    /// The argument of kernels: the arrays of the tree.
    fn arguments(&self, device: &Device) -> TreeArguments {
        let (count, exact) = (self.count, self.exact(device));
        fill!(TreeArguments { count, exact }, ..TreeArguments::default();
            self => rows order inverse frame boxes lowest)
    }

    fn take_rows(
        &self,
        device: &Device,
        kernels: &TreeKernels,
        points: &PointAddresses,
    ) -> Result<(), DeviceError> {
        let arguments = TreeArguments {
            points: points.address,
            dimensions: points.dimensions as u32,
            stride: points.stride as u64,
            ..self.arguments(device)
        };
        let grid = grid_stride(self.count.into());
        // SAFETY: `order` has indices of points, and all arrays have a place for each point.
        unsafe { kernels.rows.launch(device, grid, &arguments, "sorting points") }
    }

    fn make_boxes(&self, device: &Device, kernels: &TreeKernels) -> Result<(), DeviceError> {
        let nodes = self.levels[0].nodes;
        let mut arguments = TreeArguments { nodes, ..self.arguments(device) };
        // SAFETY: there is a box for each node, and a row for each point.
        unsafe { kernels.leaf_boxes.launch(device, warps(nodes), &arguments, "building a tree") }?;
        for pair in self.levels.windows(2) {
            (arguments.below, arguments.children) = (pair[0].begin, pair[0].nodes);
            (arguments.begin, arguments.nodes) = (pair[1].begin, pair[1].nodes);
            let grid = warps(arguments.nodes);
            // SAFETY: both levels have their nodes in the arrays.
            unsafe { kernels.node_boxes.launch(device, grid, &arguments, "building a tree") }?;
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
    let frame: CudaSlice<f64> = device.uninit(FRAME)?;
    let arguments = TreeArguments {
        extent: address(&extent.on_device),
        dimensions: points.dimensions as u32,
        frame: address(&frame),
        ..TreeArguments::default()
    };
    let grid = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: the frame has the words of a `Frame`.
    unsafe { kernels.frame.launch(device, grid, &arguments, "reading points") }?;
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
    let arguments = TreeArguments {
        points: points.address,
        dimensions: points.dimensions as u32,
        stride: points.stride as u64,
        count: points.len,
        frame: address(frame),
        places: address(&pairs.keys),
        order: address(&pairs.values),
        ..TreeArguments::default()
    };
    let grid = grid_stride(points.len.into());
    // SAFETY: the caller guarantees the points; the pairs have a place for each.
    unsafe { kernels.places.launch(device, grid, &arguments, "sorting points") }?;
    let mut sort = RadixSort::new(device, len)?;
    sort.sort(device, points.len, &mut pairs, &mut spare)?;
    Ok((pairs.values, sort))
}
