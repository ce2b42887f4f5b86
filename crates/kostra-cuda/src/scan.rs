//! The exclusive prefix sum on a device.
//!
//! Tiles of 2048 numbers are scanned by a block each. The sums of the tiles are scanned in their
//! turn: on the device, level by level, until one tile holds them all; or by the host. Biagiotti's
//! GPU-e leaves a part of the scan to the host; that it is this part is our reading, because the
//! source does not say which.
//!
//! * Time O(n), in two passes over the numbers. The total is a round trip to the host; where the
//!   host scans, the copy of the sums back to the device is another one.
//! * Memory: 4 bytes for every tile, and for every tile of sums above it.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig, PushKernelArg};

use crate::buffers::upload;
use crate::module::Source;
use crate::{Device, DeviceError};

const SOURCE: Source = Source { name: "scan", text: include_str!("../kernels/scan.cu") };

/// How many threads a block has, and how many numbers a tile: the kernels' own figures.
const THREADS: u32 = 256;
const TILE: usize = 2048;

/// Who scans the sums of the tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TileSums {
    OnDevice,
    ByHost,
}

/// The kernels.
pub(crate) struct Kernels {
    scan_tiles: CudaFunction,
    raise_tiles: CudaFunction,
}

impl Kernels {
    pub(crate) fn load(device: &Device) -> Result<Self, DeviceError> {
        Ok(Self {
            scan_tiles: device.function(SOURCE, "scan_tiles")?,
            raise_tiles: device.function(SOURCE, "raise_tiles")?,
        })
    }
}

/// The kernels, and memory for the sums of the tiles.
pub(crate) struct Scan {
    tile_sums: TileSums,
    kernels: Kernels,
    /// For each level the sums of its tiles, which are the numbers of the next level. The last is a
    /// single one.
    levels: Vec<CudaSlice<u32>>,
}

impl Scan {
    /// How many bytes the sums take.
    pub(crate) fn bytes(numbers: usize) -> usize {
        level_sizes(numbers).map(|sums| 4 * sums).sum()
    }

    /// Allocates memory to scan up to `numbers` numbers.
    pub(crate) fn new(
        device: &Device,
        kernels: Kernels,
        numbers: usize,
        tile_sums: TileSums,
    ) -> Result<Self, DeviceError> {
        let levels =
            level_sizes(numbers).map(|sums| device.uninit(sums)).collect::<Result<_, _>>()?;
        Ok(Self { tile_sums, kernels, levels })
    }

    /// The kernel that does most of the work, and its grid.
    pub(crate) fn launched(&self, length: usize) -> (&CudaFunction, LaunchConfig) {
        (&self.kernels.scan_tiles, grid(length))
    }

    /// Replaces each of the first numbers by the sum of those before it. Returns the sum of all.
    pub(crate) fn exclusive_prefix_sum(
        &mut self,
        device: &Device,
        numbers: &mut CudaSlice<u32>,
        length: usize,
    ) -> Result<u32, DeviceError> {
        scan_level((device, &self.kernels), self.tile_sums, numbers, length, &mut self.levels)
    }
}

/// A block for each tile.
fn grid(length: usize) -> LaunchConfig {
    let tiles = length.div_ceil(TILE) as u32;
    LaunchConfig { grid_dim: (tiles, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 }
}

fn scan_level(
    (device, kernels): (&Device, &Kernels),
    tile_sums: TileSums,
    numbers: &mut CudaSlice<u32>,
    length: usize,
    levels: &mut [CudaSlice<u32>],
) -> Result<u32, DeviceError> {
    // No numbers, no levels.
    let Some((sums, above)) = levels.split_first_mut() else { return Ok(0) };
    let (tiles, length_64, grid) = (length.div_ceil(TILE), length as u64, grid(length));
    let mut launch = device.stream().launch_builder(&kernels.scan_tiles);
    launch.arg(&mut *numbers).arg(&length_64).arg(&mut *sums);
    // SAFETY: these are the kernel's parameters; there are so many numbers at least, and a sum for
    // every tile.
    device.check(unsafe { launch.launch(grid) }, "scanning")?;
    if tiles == 1 {
        return Ok(read(device, sums, 1)?.into_iter().sum());
    }
    let mut by_host = None;
    let total = match tile_sums {
        TileSums::OnDevice => scan_level((device, kernels), tile_sums, sums, tiles, above)?,
        TileSums::ByHost => {
            let mut scanned = read(device, sums, tiles)?;
            let mut total = 0_u32;
            for sum in &mut scanned {
                total = total.wrapping_add(std::mem::replace(sum, total));
            }
            by_host = Some(upload(device, &scanned)?);
            total
        }
    };
    let mut launch = device.stream().launch_builder(&kernels.raise_tiles);
    launch.arg(numbers).arg(&length_64).arg(by_host.as_ref().unwrap_or(sums));
    // SAFETY: these are the kernel's parameters; there are so many numbers at least, and a sum for
    // every tile.
    device.check(unsafe { launch.launch(grid) }, "scanning")?;
    Ok(total)
}

/// How many tiles there are on each level.
fn level_sizes(numbers: usize) -> impl Iterator<Item = usize> {
    let tiles = |numbers: usize| numbers.div_ceil(TILE);
    let first = (numbers > 0).then(|| tiles(numbers));
    std::iter::successors(first, move |&sums| (sums > 1).then(|| tiles(sums)))
}

/// Waits for the device, and copies back the first few of some numbers.
fn read(device: &Device, numbers: &CudaSlice<u32>, count: usize) -> Result<Vec<u32>, DeviceError> {
    let mut copy = vec![0; count];
    let copied = device.stream().memcpy_dtoh(&numbers.slice(..count), &mut copy);
    device.check(copied, "copying from it")?;
    device.finish()?;
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_level_is_a_single_sum() {
        let sizes = |numbers| level_sizes(numbers).collect::<Vec<_>>();
        assert_eq!(sizes(0), []);
        assert_eq!(sizes(1), [1]);
        assert_eq!(sizes(2048), [1]);
        assert_eq!(sizes(2049), [2, 1]);
        assert_eq!(sizes(u32::MAX as usize), [2_097_152, 1024, 1]);
        assert_eq!(Scan::bytes(2049), 12);
    }
}
