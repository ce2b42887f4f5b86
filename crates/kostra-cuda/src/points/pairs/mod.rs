//! The nearest points of points and components, by comparing all pairs.
//!
//! Coordinates are rounded to 16 bits. Tensor cores multiply the rounded rows. A product bounds the
//! distance of its pair, because the rounding errors of both rows are known. Only pairs that the
//! bound does not rule out are compared canonically.
//!
//! O(n^2 * d) time for the lists and for each round in which all points search. Memory O(n * d). It
//! needs no structure of the points, so it suits many dimensions.

#![allow(unsafe_code, reason = "kernels are launched")]

mod search;
mod shape;

use cudarc::driver::{CudaSlice, DevicePtr};
use kostra_points::{Metric, PointsError};

pub(super) use self::search::PairSearch;
pub(super) use self::shape::{MOST_DIMENSIONS, most_dimensions};
use self::shape::{PANEL, depth, padded};
use super::extent::Extent;
use super::input::{CoordinateType, DevicePointsError, PointAddresses};
use super::kernels::{ForestKernels, PairKernels, ROUNDED};
use crate::buffers::{download, upload};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{grid_stride, launch};

/// Points, and what products need of them.
pub(super) struct RoundedPoints {
    /// By these coordinates distances are decided.
    exact: PointAddresses,
    /// Vectors of length one, if directions are compared: then `exact` has their address.
    _directions: Option<CudaSlice<f64>>,
    /// Rows of [`depth`] 16-bit numbers.
    rows: CudaSlice<u16>,
    /// Minus half the square of the length of each row.
    halves: CudaSlice<f32>,
    norms: CudaSlice<f32>,
    errors: CudaSlice<f32>,
    /// The largest length and the largest error of each [`PANEL`] rows.
    panels: CudaSlice<f32>,
    /// The factor from differences of coordinates to those of rounded ones.
    scale: f64,
    /// 0, 1, 2, ...
    pub(super) order: CudaSlice<u32>,
}

impl RoundedPoints {
    /// The number of bytes for `points` points.
    pub(super) fn bytes(points: &PointAddresses, metric: Metric) -> usize {
        let (len, directions) = (points.len as usize, metric == Metric::Cosine);
        let directions = if directions { 8 * points.dimensions * len } else { 0 };
        directions + padded(len) * (2 * depth(points.dimensions) + 3 * 4) + 4 * len
    }

    /// The type of the coordinates by which distances are decided.
    pub(super) fn coordinates(points: &PointAddresses, metric: Metric) -> CoordinateType {
        if metric == Metric::Cosine { CoordinateType::F64 } else { points.coordinates }
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
            (exact.stride, exact.coordinates) = (points.dimensions, CoordinateType::F64);
            directions = Some(rows);
            extent = Extent::of(device, forest, &exact)?;
        }
        extent.check_range()?;
        let (len, depth) = (padded(points.len as usize), depth(points.dimensions));
        let mut order = device.uninit(points.len as usize)?;
        number(device, forest, points.len, &mut order)?;
        let mut rounded = Self {
            exact,
            _directions: directions,
            rows: device.uninit(len * depth)?,
            halves: device.uninit(len)?,
            norms: device.uninit(len)?,
            errors: device.uninit(len)?,
            panels: device.filled(2 * len / PANEL as usize, 0)?,
            scale: scale(&extent.ranges),
            order,
        };
        let centers: Vec<f64> =
            extent.ranges.iter().map(|(low, high)| low / 2.0 + high / 2.0).collect();
        rounded.round(device, kernels, &upload(device, &centers)?)?;
        Ok(rounded)
    }

    /// The number of coordinates of a row.
    fn depth(&self) -> u32 {
        depth(self.exact.dimensions) as u32
    }

    fn round(
        &mut self,
        device: &Device,
        kernels: &PairKernels,
        center: &CudaSlice<f64>,
    ) -> Result<(), DeviceError> {
        let warps = padded(self.exact.len as usize) as u64;
        // SAFETY: the caller guarantees the points; there is a row for each point and up to a whole
        // panel, and a center for each dimension.
        unsafe {
            launch!(
                device,
                &kernels.round,
                grid_stride(32 * warps),
                (ROUNDED, "round"),
                [
                    ptr points = &self.exact.address,
                    u64 stride = &(self.exact.stride as u64),
                    u32 dimensions = &(self.exact.dimensions as u32),
                    u32 count = &self.exact.len,
                    ptr center = center,
                    u64 scale = &self.scale.to_bits(),
                    u32 depth = &self.depth(),
                    ptr rounded = &mut self.rows,
                    ptr halves = &mut self.halves,
                    ptr norms = &mut self.norms,
                    ptr errors = &mut self.errors,
                    ptr panels = &mut self.panels,
                ],
                "rounding points"
            )
        }
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
    let function = format!("directions_{}", points.coordinates.suffix());
    let function = device.function(ROUNDED, &function)?;
    let mut rows = device.uninit(points.len as usize * points.dimensions)?;
    let mut fault: CudaSlice<u64> = device.filled(1, 0xff)?;
    // SAFETY: the caller guarantees the points; there is a row for each of them.
    unsafe {
        launch!(
            device,
            &function,
            grid_stride(points.len.into()),
            (ROUNDED, "directions"),
            [
                ptr points = &points.address,
                u32 dimensions = &(points.dimensions as u32),
                u64 stride = &(points.stride as u64),
                u32 count = &points.len,
                ptr rows = &mut rows,
                ptr fault = &mut fault,
            ],
            "dividing points by their lengths"
        )
    }?;
    match download(device, &fault)?[..] {
        [u64::MAX] => Ok(rows),
        [row, ..] => Err(PointsError::ZeroVector { row: row as usize }.into()),
        [] => Ok(rows),
    }
}

/// Numbers the points.
fn number(
    device: &Device,
    forest: &ForestKernels,
    len: u32,
    places: &mut CudaSlice<u32>,
) -> Result<(), DeviceError> {
    // SAFETY: the array has a place for each point.
    unsafe {
        launch!(
            device,
            &forest.number,
            grid_stride(len.into()),
            (super::kernels::FOREST, "number"),
            [u32 count = &len, ptr places = places],
            "numbering points"
        )
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
