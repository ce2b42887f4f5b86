//! The tree over the points: sorted rows and boxes in device memory.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaSlice, DevicePtr, LaunchConfig};
use kostra_points::PointsError;

use super::input::{CoordinateType, DevicePointsError, PointAddresses};
use super::kernels::{FOREST, Kernels, MOST_DIMENSIONS, TREE, row_width};
use super::levels::{Level, WIDTH, levels, nodes};
use crate::buffers::download;
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{grid_stride, launch};
use crate::memory::bytes_at;
use crate::radix_sort::{Pairs, RadixSort};
use crate::shared::constant;

/// The number of threads of a block of the kernels with one warp for each task.
pub(super) const WARPS_BLOCK: u32 =
    constant(include_str!("../../kernels/points/geometry.cuh"), "WARPS_BLOCK") as u32;
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
        device: &Device,
        kernels: &Kernels,
        points: &PointAddresses,
    ) -> Result<(Self, RadixSort), DevicePointsError> {
        let frame = frame(device, kernels, points)?;
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
        kernels: &Kernels,
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

    fn make_boxes(&mut self, device: &Device, kernels: &Kernels) -> Result<(), DeviceError> {
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
    device: &Device,
    kernels: &Kernels,
    points: &PointAddresses,
) -> Result<CudaSlice<f64>, DevicePointsError> {
    let dimensions = points.dimensions as u32;
    let mut extent: CudaSlice<u64> = device.filled(2 * MOST_DIMENSIONS, 0xff)?;
    let mut fault: CudaSlice<u64> = device.filled(1, 0xff)?;
    let mut grid = grid_stride(points.len.into());
    grid.grid_dim = (grid.grid_dim.0.min(8 * device.multiprocessors()), dimensions, 1);
    // SAFETY: the caller guarantees the points; the extent has two places for each dimension.
    unsafe {
        launch!(
            device,
            &kernels.extent,
            grid,
            (FOREST, "extent"),
            [
                ptr points = &points.address,
                u32 dimensions = &dimensions,
                u64 stride = &(points.stride as u64),
                u32 count = &points.len,
                ptr extent = &mut extent,
                ptr fault = &mut fault,
            ],
            "reading points"
        )
    }?;
    if let Some(&position) = download(device, &fault)?.first()
        && position != u64::MAX
    {
        return Err(not_finite(device, points, position)?.into());
    }
    check_range(&download(device, &extent)?, points.dimensions)?;
    let mut frame: CudaSlice<f64> = device.uninit(FRAME)?;
    let grid = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: the frame has the words of a `Frame`.
    unsafe {
        launch!(
            device,
            &kernels.frame,
            grid,
            (TREE, "frame"),
            [ptr extent = &extent, u32 dimensions = &dimensions, ptr frame = &mut frame],
            "reading points"
        )
    }?;
    Ok(frame)
}

/// The error for the coordinate at `position`, counted row by row.
fn not_finite(
    device: &Device,
    points: &PointAddresses,
    position: u64,
) -> Result<PointsError, DeviceError> {
    let (row, column) =
        (position as usize / points.dimensions, position as usize % points.dimensions);
    let size = points.coordinates.size();
    let address = points.address + ((row * points.stride + column) * size) as u64;
    // SAFETY: the kernel has read the same coordinate.
    let bytes = unsafe { bytes_at(device, address, size) }?;
    let value = match *bytes {
        [a, b, c, d] => f64::from(f32::from_ne_bytes([a, b, c, d])),
        _ => bytes.first_chunk().map_or(f64::NAN, |bytes| f64::from_ne_bytes(*bytes)),
    };
    Ok(PointsError::NotFinite { row, column, value })
}

/// Refuses points whose squared distances overflow, or all vanish although the points differ, as
/// the processor does. `extent` is that of the kernel.
fn check_range(extent: &[u64], dimensions: usize) -> Result<(), PointsError> {
    /// As on the processor: far above the squares that lose bits.
    const LEAST_SQUARE: f64 = 1e-280;
    let number = |key: u64| f64::from_bits(if key >> 63 == 1 { key ^ 1 << 63 } else { !key });
    let widths = (0..dimensions).map(|k| number(!extent[MOST_DIMENSIONS + k]) - number(extent[k]));
    let (mut diagonal, mut differ) = (0.0, false);
    for width in widths {
        diagonal += width * width;
        differ |= width > 0.0;
    }
    if !diagonal.is_finite() {
        let roots = (dimensions as f64).sqrt().log2().ceil() as i32;
        return Err(PointsError::TooWide { divisor: 2.0_f64.powi(515 + roots) });
    }
    if differ && diagonal < LEAST_SQUARE {
        return Err(PointsError::TooNarrow { factor: 2.0_f64.powi(512) });
    }
    Ok(())
}

/// The indices of the points in the order of the curve.
fn sort(
    device: &Device,
    kernels: &Kernels,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn key(value: f64) -> u64 {
        let bits = value.to_bits();
        if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
    }

    #[test]
    fn points_whose_squared_distances_overflow_or_vanish_are_refused() {
        let extent = |low: f64, high: f64| {
            let mut extent = vec![u64::MAX; 2 * MOST_DIMENSIONS];
            (extent[0], extent[MOST_DIMENSIONS]) = (key(low), !key(high));
            check_range(&extent, 1)
        };
        assert_eq!(extent(-1.0, 2.0), Ok(()));
        assert_eq!(extent(1e-300, 1e-300), Ok(()));
        assert!(matches!(extent(-1e200, 1e200), Err(PointsError::TooWide { .. })));
        assert!(matches!(extent(-1e-150, 0.0), Err(PointsError::TooNarrow { .. })));
    }
}
