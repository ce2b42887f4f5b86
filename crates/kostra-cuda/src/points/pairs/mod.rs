//! The nearest points of points and components, by comparing all pairs.
//!
//! Coordinates are rounded to 16 bits. Tensor cores multiply the rounded rows. A product bounds the
//! distance of its pair, because the rounding errors of both rows are known. Only pairs that the
//! bound does not rule out are compared canonically. Short rows stay in registers; long ones are
//! multiplied as large matrices are.
//!
//! If many points are far from most others, near points are put into tiles. Whole tiles are skipped
//! if the distance of their centers shows that they are too far.
//!
//! At most O(n^2 * d) time for the lists and for each round in which all points search. Memory
//! O(n * d). It needs no structure of the points, so it suits many dimensions.

#![allow(unsafe_code, reason = "kernels are launched")]

mod comparer;
mod partner;
mod search;
mod shape;
mod tiles;

use cudarc::driver::{CudaSlice, DevicePtr, LaunchConfig};
use kostra_core::ElementType;
use kostra_points::{Metric, PointsError};

pub(super) use self::comparer::Comparer;
pub(super) use self::partner::Helper;
pub(super) use self::search::PairSearch;
pub(super) use self::shape::{MOST_DIMENSIONS, is_long, most_dimensions};
use self::shape::{PANEL, depth, padded};
use self::tiles::{Slots, Tiles};
use super::extent::Extent;
use super::input::{DevicePointsError, PointAddresses};
use super::kernels::{ForestKernels, PairArguments, PairKernels, ROUNDED};
use crate::buffers::{address, download, upload};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{Kernel, grid_stride, launch};
use crate::shared::fill;

/// Rounded rows: one for each slot, and up to a whole panel.
struct Rows {
    /// [`depth`] 16-bit numbers of each.
    numbers: CudaSlice<u16>,
    /// Minus half the square of the length of each row.
    halves: CudaSlice<f32>,
    norms: CudaSlice<f32>,
    errors: CudaSlice<f32>,
    /// The largest length and the largest error of each [`PANEL`] rows.
    panels: CudaSlice<f32>,
}

impl Rows {
    /// The argument of kernels: the points and these rows.
    fn arguments(&self, exact: &PointAddresses) -> PairArguments {
        fill!(PairArguments {
            points: exact.address,
            stride: exact.stride as u64,
            dimensions: exact.dimensions as u32,
            count: exact.len,
            depth: depth(exact.dimensions) as u32,
            rounded: address(&self.numbers),
        }, ..PairArguments::default(); self => halves norms errors panels)
    }
}

/// Launches a kernel that compares pairs, or prepares that.
fn launch_pairs(
    device: &Device,
    kernel: &Kernel<PairArguments>,
    grid: LaunchConfig,
    arguments: &PairArguments,
    doing: &'static str,
) -> Result<(), DeviceError> {
    // SAFETY: whoever requests a tree guarantees the points. There is a row for each slot and up to
    // a whole panel, and what is known of it; a slot has a point or none. There is a tile for each
    // 32 rows, and a row for each pivot up to a tile. Cells have pivots below `pivots`, in
    // ascending order, and at least as many slots as points. Labels, lists and queries are points,
    // and arrays of rounds have a value for each point. There is a place for the answer of each
    // query in each part of the columns.
    unsafe { kernel.launch(device, grid, arguments, doing) }
}

/// Points, and what products need of them.
pub(super) struct RoundedPoints {
    /// By these coordinates distances are decided.
    exact: PointAddresses,
    /// Vectors of length one, if directions are compared: then `exact` has their address.
    _directions: Option<CudaSlice<f64>>,
    rows: Rows,
    /// The slots of the rows, if they are not the points in the given order.
    tiles: Option<Tiles>,
    /// The factor from differences of coordinates to those of rounded ones.
    scale: f64,
    /// 0, 1, 2, ...
    pub(super) order: CudaSlice<u32>,
}

impl RoundedPoints {
    pub(super) fn bytes(points: &PointAddresses, metric: Metric) -> usize {
        let (len, directions) = (points.len as usize, metric == Metric::Cosine);
        let directions = if directions { 8 * points.dimensions * len } else { 0 };
        let slots = padded(len + Tiles::unused(len));
        let rows = slots * (2 * depth(points.dimensions) + 3 * 4);
        directions + rows + 4 * len + Tiles::bytes(slots, points)
    }

    /// The type of the coordinates by which distances are decided.
    pub(super) fn coordinates(points: &PointAddresses, metric: Metric) -> ElementType {
        if metric == Metric::Cosine { ElementType::F64 } else { points.coordinates }
    }

    /// Rounds the points.
    pub(super) fn new(
        (device, forest): (&Device, &ForestKernels),
        kernels: &PairKernels,
        points: &PointAddresses,
        metric: Metric,
    ) -> Result<Self, DevicePointsError> {
        let mut extent = Extent::of(device, forest, points)?;
        let (mut exact, mut directions) = (*points, None);
        if metric == Metric::Cosine {
            let rows = divide(device, points)?;
            exact.address = rows.device_ptr(device.stream()).0;
            (exact.stride, exact.coordinates) = (points.dimensions, ElementType::F64);
            directions = Some(rows);
            extent = Extent::of(device, forest, &exact)?;
        }
        extent.check_range()?;
        let order = device.uninit(points.len as usize)?;
        forest.number(device, &order)?;
        let centers: Vec<f64> =
            extent.ranges.iter().map(|(low, high)| low / 2.0 + high / 2.0).collect();
        let rounding = Rounding {
            exact: &exact,
            scale: scale(&extent.ranges),
            center: upload(device, &centers)?,
        };
        let mut rows = rounding.rows(device, kernels, &order)?;
        let mut tiles = None;
        if let Some(slots) = Slots::find(device, kernels, &exact, &rows)? {
            drop(rows);
            rows = rounding.rows(device, kernels, &slots.points)?;
            tiles = Some(slots.into_tiles(device, kernels, &exact, &rows)?);
        }
        let scale = rounding.scale;
        Ok(Self { exact, _directions: directions, rows, tiles, scale, order })
    }

    /// The number of coordinates of a row.
    fn depth(&self) -> u32 {
        depth(self.exact.dimensions) as u32
    }

    /// The point of each slot, or `u32::MAX`.
    fn points_of(&self) -> &CudaSlice<u32> {
        self.near().unwrap_or(&self.order)
    }

    fn slots(&self) -> u32 {
        self.points_of().len() as u32
    }

    /// The address of the labels of slots, where points have these labels. Without tiles, slots are
    /// points.
    fn slot_labels(&self, labels: &CudaSlice<u32>) -> u64 {
        address(self.tiles.as_ref().map_or(labels, |tiles| &tiles.slot_labels))
    }

    /// The argument of kernels: the points, their rows, and their slots and tiles.
    fn arguments(&self) -> PairArguments {
        let tiles = self.tiles.as_ref();
        PairArguments {
            scale: self.scale.to_bits(),
            slots: self.slots(),
            points_of: address(self.points_of()),
            slots_of: address(&tiles.map(|tiles| &tiles.slots)),
            centers: address(&tiles.map(|tiles| &tiles.centers)),
            tiles: address(&tiles.map(|tiles| &tiles.tiles)),
            slot_labels: address(&tiles.map(|tiles| &tiles.slot_labels)),
            tile_labels: address(&tiles.map(|tiles| &tiles.labels)),
            ..self.rows.arguments(&self.exact)
        }
    }

    /// An order in which near points follow each other, if slots have one.
    pub(super) fn near(&self) -> Option<&CudaSlice<u32>> {
        self.tiles.as_ref().map(|tiles| &tiles.points)
    }
}

/// How coordinates are rounded.
struct Rounding<'a> {
    exact: &'a PointAddresses,
    scale: f64,
    center: CudaSlice<f64>,
}

impl Rounding<'_> {
    /// Rounds the point of each slot.
    fn rows(
        &self,
        device: &Device,
        kernels: &PairKernels,
        points_of: &CudaSlice<u32>,
    ) -> Result<Rows, DeviceError> {
        let (exact, slots) = (self.exact, points_of.len());
        let (len, depth) = (padded(slots), depth(exact.dimensions));
        let rows = Rows {
            numbers: device.uninit(len * depth)?,
            halves: device.uninit(len)?,
            norms: device.uninit(len)?,
            errors: device.uninit(len)?,
            panels: device.filled(2 * len / PANEL as usize, 0)?,
        };
        let arguments = PairArguments {
            points_of: address(points_of),
            slots: slots as u32,
            center: address(&self.center),
            scale: self.scale.to_bits(),
            ..rows.arguments(exact)
        };
        let grid = grid_stride(32 * len as u64);
        launch_pairs(device, &kernels.rounding.round, grid, &arguments, "rounding points")?;
        Ok(rows)
    }
}

/// The power of two by which all coordinates, less the center, stay within the range of 16-bit
/// numbers, and use most of it.
fn scale(ranges: &[(f64, f64)]) -> f64 {
    /// The greatest 16-bit number is almost 2^16. Lengths of rows are kept as 32-bit numbers, and
    /// their squares are added.
    const EXPONENT: i32 = 14;
    let widest = ranges.iter().map(|(low, high)| high - low).fold(0.0, f64::max);
    if widest == 0.0 {
        return 1.0;
    }
    // Half the width is below 2^exponent.
    let exponent = (widest.log2().floor() as i32).max(-900);
    2.0_f64.powi(EXPONENT - exponent)
}

/// The points divided by their lengths.
fn divide(device: &Device, points: &PointAddresses) -> Result<CudaSlice<f64>, DevicePointsError> {
    let function = format!("directions_{}", points.coordinates.name());
    let function = device.function(ROUNDED, &function)?;
    let mut rows = device.uninit(points.len as usize * points.dimensions)?;
    let mut fault: CudaSlice<u64> = device.filled(1, 0xff)?;
    // SAFETY: the caller guarantees the points; there is a row for each of them.
    unsafe {
        launch!(
            device, &function, grid_stride(points.len.into()), (ROUNDED, "directions"),
            [ptr points = &points.address, u32 dimensions = &(points.dimensions as u32),
            u64 stride = &(points.stride as u64), u32 count = &points.len, ptr rows = &mut rows,
            ptr fault = &mut fault], "dividing points by their lengths"
        )
    }?;
    match download(device, &fault)?[..] {
        [u64::MAX] => Ok(rows),
        [row, ..] => Err(PointsError::ZeroVector { row: row as usize }.into()),
        [] => Ok(rows),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaled_coordinates_use_the_range_of_16_bits_without_leaving_it() {
        for width in [1e-150, 3e-7, 1.0, 1.999, 2.0, 5.0, 1e150] {
            let largest = width / 2.0 * scale(&[(0.0, width / 3.0), (-width, 0.0)]);
            assert!((8192.0..16384.0).contains(&largest), "{width}: {largest}");
        }
        assert_eq!(scale(&[(3.0, 3.0)]), 1.0);
    }
}
