//! Scans of segments of an array on a device, and the quicksort that is made of them.
//!
//! A segment is a run of elements. Its first element has the head flag 1, and the others have 0.
//! The first element of the array is a head.
//!
//! * Source: Manoochehri 2017, section 4.3, Algorithms 4.1 to 4.4: the scan by a balanced tree in
//!   two phases, over as many levels as it takes until one block has all values.
//! * [`SegmentedScan::exclusive`] of marks is the source's "enumerate",
//!   [`SegmentedScan::copy_heads`] is "copy", and [`sort::SegmentedSort`] has "split-and-segment"
//!   and the sort.
//! * Time O(n) work, in two passes over the values and their flags. No value is copied to the host.
//! * Memory: 12 bytes for each tile of 1024 values.
//!
//! [`scan`](crate::scan) is Kostra's own prefix sum, which has no segments.

#![allow(unsafe_code, reason = "kernels are launched")]

pub mod sort;
#[cfg(test)]
mod tests;

use cudarc::driver::{CudaSlice, LaunchConfig};

use crate::buffers::address;
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{BlockSize, Kernel};
use crate::shared::{arguments, assert_takes, constant, ptr};
use crate::source::{KernelFiles, KernelSource, Source};

const HEADER: Source = Source::file("segmented.cuh");
const SOURCE: Source = Source::file("segmented.cu");

/// The number of threads of a block that scans.
const SCAN_THREADS: u32 = constant(HEADER.text(), "SCAN_THREADS") as u32;
/// The number of values in a tile.
const TILE: usize = 2 * SCAN_THREADS as usize;

const _: () = {
    assert_takes(SOURCE.text(), "scan_reduce_sum", "ScanArguments");
    assert_takes(SOURCE.text(), "scan_down_sweep_sum", "ScanArguments");
};

arguments! {
    struct ScanArguments in HEADER.text();
    ptr: values heads any tile_values tile_heads tile_any keys ids;
    u64: length;
    u32: inclusive;
}

/// The values that a scan replaces.
#[derive(Debug)]
pub struct ScannedValues<'a> {
    /// The values.
    pub values: &'a mut CudaSlice<u32>,
    /// The head flag of each value. Without flags, all values are one segment.
    pub heads: Option<&'a CudaSlice<u32>>,
    /// The number of values that are scanned.
    pub length: usize,
}

/// The addresses of what an operation looks up, as its kernels expect it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lookup {
    /// The address of keys.
    pub keys: ptr,
    /// The address of ids.
    pub ids: ptr,
}

/// The kernels of the scan with one operation.
#[derive(Clone, Debug)]
pub struct SegmentedScanKernels {
    reduce: Kernel<ScanArguments>,
    down_sweep: Kernel<ScanArguments>,
}

impl SegmentedScanKernels {
    /// Loads the kernels of the sum.
    ///
    /// # Errors
    /// When they do not compile, or the device fails.
    pub fn sum(device: &Device) -> Result<Self, DeviceError> {
        Self::load(device, SOURCE, "sum")
    }

    /// Loads the kernels `scan_reduce_NAME` and `scan_down_sweep_NAME` of a file that includes
    /// `segmented.cuh`.
    ///
    /// # Errors
    /// When they do not compile, or the device fails.
    pub fn load(
        device: &Device,
        source: KernelSource<impl KernelFiles>,
        operation: &str,
    ) -> Result<Self, DeviceError> {
        Ok(Self {
            reduce: Kernel::load(device, source, &format!("scan_reduce_{operation}"))?,
            down_sweep: Kernel::load(device, source, &format!("scan_down_sweep_{operation}"))?,
        })
    }
}

/// The values and the flags of the tiles of one level.
struct Tiles {
    values: CudaSlice<u32>,
    heads: CudaSlice<u32>,
    any: CudaSlice<u32>,
}

/// The kernels of one operation, and memory for the tiles.
pub struct SegmentedScan {
    kernels: SegmentedScanKernels,
    levels: Vec<Tiles>,
}

impl SegmentedScan {
    /// The number of bytes that [`new`](Self::new) allocates.
    pub fn bytes(values: usize) -> usize {
        level_sizes(values).map(|tiles| 12 * tiles).sum()
    }

    /// Allocates memory to scan up to `values` values.
    ///
    /// # Errors
    /// When the device fails, or has too little memory.
    pub fn new(
        device: &Device,
        kernels: SegmentedScanKernels,
        values: usize,
    ) -> Result<Self, DeviceError> {
        let level = |tiles| {
            Ok::<_, DeviceError>(Tiles {
                values: device.uninit(tiles)?,
                heads: device.uninit(tiles)?,
                any: device.uninit(tiles)?,
            })
        };
        Ok(Self { kernels, levels: level_sizes(values).map(level).collect::<Result<_, _>>()? })
    }

    /// Replaces each value by the combination of the values before it in its segment.
    ///
    /// # Errors
    /// When the device fails.
    ///
    /// # Panics
    /// When there are more values than memory was allocated for.
    pub fn exclusive(
        &self,
        device: &Device,
        scanned: ScannedValues<'_>,
    ) -> Result<(), DeviceError> {
        self.run(device, scanned, ScanArguments::default())
    }

    /// Replaces each value by the combination of the values up to it in its segment.
    ///
    /// # Errors
    /// When the device fails.
    ///
    /// # Panics
    /// As [`exclusive`](Self::exclusive).
    pub fn inclusive(
        &self,
        device: &Device,
        scanned: ScannedValues<'_>,
        Lookup { keys, ids }: Lookup,
    ) -> Result<(), DeviceError> {
        self.run(device, scanned, ScanArguments { keys, ids, inclusive: 1, ..Default::default() })
    }

    /// Gives each element the value at the head of its segment. The other values are 0 before, and
    /// the operation is the sum.
    ///
    /// # Errors
    /// When the device fails.
    ///
    /// # Panics
    /// As [`exclusive`](Self::exclusive).
    pub fn copy_heads(
        &self,
        device: &Device,
        scanned: ScannedValues<'_>,
    ) -> Result<(), DeviceError> {
        self.inclusive(device, scanned, Lookup::default())
    }

    fn run(
        &self,
        device: &Device,
        ScannedValues { values, heads, length }: ScannedValues<'_>,
        arguments: ScanArguments,
    ) -> Result<(), DeviceError> {
        assert!(
            values.len() >= length && heads.is_none_or(|heads| heads.len() >= length),
            "a scan of {length} values has memory for as many"
        );
        if length == 0 {
            return Ok(());
        }
        let (values, heads, length) = (address(&values), address(&heads), length as u64);
        let arguments = ScanArguments { values, heads, any: heads, length, ..arguments };
        self.scan(device, arguments, &self.levels)
    }

    fn scan(
        &self,
        device: &Device,
        arguments: ScanArguments,
        levels: &[Tiles],
    ) -> Result<(), DeviceError> {
        const DOING: &str = "scanning segments";
        let tiles = (arguments.length as usize).div_ceil(TILE);
        let grid = LaunchConfig {
            grid_dim: (tiles as u32, 1, 1),
            block_dim: (SCAN_THREADS, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: there are as many values as `length`, and as many flags if there are any. The
        // level has a place for each tile.
        let launch = |kernel: &Kernel<_>, arguments: &_| unsafe {
            kernel.launch(device, grid, arguments, DOING)
        };
        if tiles == 1 {
            return launch(&self.kernels.down_sweep, &arguments);
        }
        let room = levels.split_first().filter(|(level, _)| level.values.len() >= tiles);
        let Some((level, above)) = room else { panic!("there is no memory for {tiles} tiles") };
        let arguments = ScanArguments {
            tile_values: address(&level.values),
            tile_heads: address(&level.heads),
            tile_any: address(&level.any),
            ..arguments
        };
        launch(&self.kernels.reduce, &arguments)?;
        let tiles = ScanArguments {
            values: arguments.tile_values,
            heads: arguments.tile_heads,
            any: arguments.tile_any,
            tile_values: 0,
            tile_heads: 0,
            tile_any: 0,
            length: tiles as u64,
            inclusive: 0,
            ..arguments
        };
        self.scan(device, tiles, above)?;
        launch(&self.kernels.down_sweep, &arguments)
    }
}

/// The number of tiles on each level but the last one, which has one tile.
fn level_sizes(values: usize) -> impl Iterator<Item = usize> {
    let tiles = |values: &usize| Some(values.div_ceil(TILE)).filter(|&tiles| tiles > 1);
    std::iter::successors(tiles(&values), tiles)
}

/// The size of the blocks of the other kernels.
const BLOCKS: BlockSize = BlockSize { threads: constant(SOURCE.text(), "THREADS") as u32 };
