//! The extent of the coordinates of points, and the checks of coordinates.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;
use kostra_points::PointsError;

use super::input::{DevicePointsError, PointAddresses};
use super::kernels::{FOREST, ForestKernels};
use crate::buffers::download;
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{grid_stride, launch};
use crate::memory::bytes_at;

/// The least and the greatest coordinate of each dimension.
pub(super) struct Extent {
    /// As the kernel collects it: an integer for the least coordinate of each dimension, then the
    /// complement of one for the greatest.
    pub(super) on_device: CudaSlice<u64>,
    /// The least and the greatest coordinate of each dimension.
    pub(super) ranges: Vec<(f64, f64)>,
}

impl Extent {
    /// The extent of points, after a check that all coordinates are finite.
    pub(super) fn of(
        device: &Device,
        kernels: &ForestKernels,
        points: &PointAddresses,
    ) -> Result<Self, DevicePointsError> {
        let dimensions = points.dimensions as u32;
        let mut extent: CudaSlice<u64> = device.filled(2 * points.dimensions, 0xff)?;
        let mut fault: CudaSlice<u64> = device.filled(1, 0xff)?;
        let mut grid = grid_stride(points.len.into());
        grid.grid_dim = (grid.grid_dim.0.min(8 * device.multiprocessors()), dimensions, 1);
        // SAFETY: the caller guarantees the points; the extent has two places for each dimension.
        unsafe {
            launch!(
                device, kernels.extent(points.coordinates), grid, (FOREST, "extent"),
                [ptr points = &points.address, u32 dimensions = &dimensions,
                u64 stride = &(points.stride as u64), u32 count = &points.len,
                ptr extent = &mut extent, ptr fault = &mut fault], "reading points"
            )
        }?;
        if let Some(&position) = download(device, &fault)?.first()
            && position != u64::MAX
        {
            return Err(not_finite(device, points, position)?.into());
        }
        let ranges = ranges(&download(device, &extent)?);
        Ok(Self { on_device: extent, ranges })
    }

    /// Refuses points whose squared distances overflow, or all vanish although the points differ,
    /// as the processor does.
    pub(super) fn check_range(&self) -> Result<(), PointsError> {
        check_range(&self.ranges)
    }
}

/// The ranges of the coordinates from the integers of the kernel.
fn ranges(extent: &[u64]) -> Vec<(f64, f64)> {
    let number = |key: u64| f64::from_bits(if key >> 63 == 1 { key ^ 1 << 63 } else { !key });
    let (lows, highs) = extent.split_at(extent.len() / 2);
    lows.iter().zip(highs).map(|(&low, &high)| (number(low), number(!high))).collect()
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

fn check_range(ranges: &[(f64, f64)]) -> Result<(), PointsError> {
    /// As on the processor: far above the squares that lose bits.
    const LEAST_SQUARE: f64 = 1e-280;
    let (mut diagonal, mut differ) = (0.0, false);
    for (low, high) in ranges {
        let width = high - low;
        diagonal += width * width;
        differ |= width > 0.0;
    }
    if !diagonal.is_finite() {
        let roots = (ranges.len() as f64).sqrt().log2().ceil() as i32;
        return Err(PointsError::TooWide { divisor: 2.0_f64.powi(515 + roots) });
    }
    if differ && diagonal < LEAST_SQUARE {
        return Err(PointsError::TooNarrow { factor: 2.0_f64.powi(512) });
    }
    Ok(())
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
        let extent = |low: f64, high: f64| check_range(&ranges(&[key(low), !key(high)]));
        assert_eq!(extent(-1.0, 2.0), Ok(()));
        assert_eq!(extent(1e-300, 1e-300), Ok(()));
        assert!(matches!(extent(-1e200, 1e200), Err(PointsError::TooWide { .. })));
        assert!(matches!(extent(-1e-150, 0.0), Err(PointsError::TooNarrow { .. })));
    }
}
