//! The exclusive prefix sum on a device.
//!
//! One block scans each tile of 2048 numbers. Then the sums of the tiles are scanned: either on the
//! device, level by level, until one tile holds all sums, or by the host. In Biagiotti's GPU-e the
//! host does a part of the scan. The source does not say which part; we take it to be this one.
//!
//! * Time O(n), in two passes over the numbers. Copying the total to the host takes a round trip.
//!   If the host scans, copying the sums back to the device takes another one.
//! * Memory: 4 bytes for each tile on each level.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig};

use crate::buffers::upload;
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::launch;
use crate::shared::constant;
use crate::source::Source;

const SOURCE: Source = Source::file("scan.cu");

/// The number of threads of a block.
const THREADS: u32 = constant(SOURCE.text(), "THREADS") as u32;
/// The number of numbers in a tile.
const TILE: usize = (constant(SOURCE.text(), "NUMBERS") * THREADS as u64) as usize;

/// Where the sums of the tiles are scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TileSums {
    /// On the device.
    OnDevice,
    /// By the host.
    ByHost,
}

/// The kernels.
#[derive(Clone)]
pub struct ScanKernels {
    scan_tiles: CudaFunction,
    raise_tiles: CudaFunction,
}

impl ScanKernels {
    /// Loads the kernels.
    ///
    /// # Errors
    /// When they do not compile, or the device fails.
    pub fn load(device: &Device) -> Result<Self, DeviceError> {
        Ok(Self {
            scan_tiles: device.function(SOURCE, "scan_tiles")?,
            raise_tiles: device.function(SOURCE, "raise_tiles")?,
        })
    }
}

/// The kernels, and memory for the sums of tiles.
pub struct Scan {
    tile_sums: TileSums,
    kernels: ScanKernels,
    /// For each level, the sums of its tiles. They are the numbers of the next level. The last
    /// level has one sum.
    levels: Vec<CudaSlice<u32>>,
}

impl Scan {
    /// The number of bytes that the sums take.
    pub fn bytes(numbers: usize) -> usize {
        level_sizes(numbers).map(|sums| 4 * sums).sum()
    }

    /// Allocates memory to scan up to `numbers` numbers.
    pub fn new(
        device: &Device,
        kernels: ScanKernels,
        numbers: usize,
        tile_sums: TileSums,
    ) -> Result<Self, DeviceError> {
        let levels =
            level_sizes(numbers).map(|sums| device.uninit(sums)).collect::<Result<_, _>>()?;
        Ok(Self { tile_sums, kernels, levels })
    }

    /// The kernel that does most of the work to scan `length` numbers, and its grid.
    pub fn launched(&self, length: usize) -> (&CudaFunction, LaunchConfig) {
        (&self.kernels.scan_tiles, grid(length))
    }

    /// Replaces each of the first `length` numbers by the sum of the numbers before it. Returns the
    /// sum of all of them.
    pub fn exclusive_prefix_sum(
        &mut self,
        device: &Device,
        numbers: &mut CudaSlice<u32>,
        length: usize,
    ) -> Result<u32, DeviceError> {
        let Self { tile_sums, kernels, levels } = self;
        Level { device, kernels, tile_sums: *tile_sums }.scan(numbers, length, levels)
    }
}

/// The grid with one block per tile.
fn grid(length: usize) -> LaunchConfig {
    let tiles = length.div_ceil(TILE) as u32;
    LaunchConfig { grid_dim: (tiles, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 }
}

/// The scan of one level and of the levels above it.
struct Level<'a> {
    device: &'a Device,
    kernels: &'a ScanKernels,
    tile_sums: TileSums,
}

impl Level<'_> {
    fn scan(
        &self,
        numbers: &mut CudaSlice<u32>,
        length: usize,
        levels: &mut [CudaSlice<u32>],
    ) -> Result<u32, DeviceError> {
        // If there are no numbers, there are no levels.
        let Some((sums, above)) = levels.split_first_mut() else { return Ok(0) };
        let (device, tiles) = (self.device, length.div_ceil(TILE));
        // SAFETY: there are at least `length` numbers, and a sum for each tile.
        unsafe {
            launch!(
                device, &self.kernels.scan_tiles, grid(length), (SOURCE, "scan_tiles"),
                [ptr numbers = &mut *numbers, u64 length = &(length as u64),
                ptr tile_sums = &mut *sums], "scanning"
            )
        }?;
        if tiles == 1 {
            return Ok(read(device, sums, 1)?.into_iter().sum());
        }
        let mut by_host = None;
        let total = match self.tile_sums {
            TileSums::OnDevice => self.scan(sums, tiles, above)?,
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
        let before_tiles = by_host.as_ref().unwrap_or(sums);
        // SAFETY: there are at least `length` numbers, and a sum for each tile.
        unsafe {
            launch!(
                device, &self.kernels.raise_tiles, grid(length), (SOURCE, "raise_tiles"),
                [ptr numbers = numbers, u64 length = &(length as u64),
                ptr before_tiles = before_tiles], "scanning"
            )
        }?;
        Ok(total)
    }
}

/// The number of tiles on each level.
fn level_sizes(numbers: usize) -> impl Iterator<Item = usize> {
    let tiles = |numbers: usize| numbers.div_ceil(TILE);
    let first = (numbers > 0).then(|| tiles(numbers));
    std::iter::successors(first, move |&sums| (sums > 1).then(|| tiles(sums)))
}

/// Waits for the device, and copies the first `count` numbers to the host.
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
