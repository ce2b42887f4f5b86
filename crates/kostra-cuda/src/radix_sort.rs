//! A stable radix sort on a device: 64-bit keys with 32-bit values, eight bits at a time.
//!
//! Each pass counts the digits of each tile of 3072 keys, scans the counts digit by digit, and
//! moves the keys. A tile is sorted in shared memory before its keys are written, so that most
//! writes are to consecutive places. A pass is left out if all keys have the same digit.
//!
//! * Time O(n) for each of up to eight passes, which read the keys twice and the values once.
//! * Memory: a second array of keys and of values, and 256 counts for each tile.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig};

use crate::buffers::download;
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{grid_stride, launch};
use crate::scan::{self, Scan, TileSums};
use crate::shared::constant;
use crate::source::Source;

const SOURCE: Source = Source::file("radix_sort.cu");

/// The number of threads of a block.
const THREADS: u32 = constant(SOURCE.text(), "THREADS") as u32;
/// The number of keys of a tile.
const TILE: u32 = THREADS * constant(SOURCE.text(), "ITEMS") as u32;
/// The number of different digits.
const DIGITS: usize = constant(SOURCE.text(), "DIGITS") as usize;
/// The number of bits of a digit.
const BITS: u32 = DIGITS.trailing_zeros();

/// Keys with their values.
pub(crate) struct Pairs {
    pub(crate) keys: CudaSlice<u64>,
    pub(crate) values: CudaSlice<u32>,
}

impl Pairs {
    /// Memory for `len` keys and values.
    pub(crate) fn uninit(device: &Device, len: usize) -> Result<Self, DeviceError> {
        Ok(Self { keys: device.uninit(len)?, values: device.uninit(len)? })
    }
}

/// The kernels, and memory for the counts.
pub(crate) struct RadixSort {
    differing_bits: CudaFunction,
    count_digits: CudaFunction,
    move_keys: CudaFunction,
    scan: Scan,
    counts: CudaSlice<u32>,
}

impl RadixSort {
    /// The number of bytes for `len` keys, in addition to both [`Pairs`].
    pub(crate) fn bytes(len: usize) -> usize {
        let counts = DIGITS * len.div_ceil(TILE as usize);
        4 * counts + Scan::bytes(counts)
    }

    /// Allocates memory to sort up to `len` keys.
    pub(crate) fn new(device: &Device, len: usize) -> Result<Self, DeviceError> {
        let counts = DIGITS * len.div_ceil(TILE as usize);
        Ok(Self {
            differing_bits: device.function(SOURCE, "differing_bits")?,
            count_digits: device.function(SOURCE, "count_digits")?,
            move_keys: device.function(SOURCE, "move_keys")?,
            scan: Scan::new(device, scan::Kernels::load(device)?, counts, TileSums::OnDevice)?,
            counts: device.uninit(counts)?,
        })
    }

    /// Sorts the first `len` keys, and moves their values with them. `spare` has memory for as many
    /// pairs, and is overwritten.
    pub(crate) fn sort(
        &mut self,
        device: &Device,
        len: u32,
        pairs: &mut Pairs,
        spare: &mut Pairs,
    ) -> Result<(), DeviceError> {
        if len < 2 {
            return Ok(());
        }
        let differing = self.differing_bits(device, len, pairs)?;
        for shift in (0..u64::BITS).step_by(BITS as usize) {
            if differing >> shift & (DIGITS as u64 - 1) != 0 {
                self.pass(device, (len, shift), pairs, spare)?;
                std::mem::swap(pairs, spare);
            }
        }
        Ok(())
    }

    /// The bits in which not all keys agree.
    fn differing_bits(&self, device: &Device, len: u32, pairs: &Pairs) -> Result<u64, DeviceError> {
        let mut both: CudaSlice<u64> = device.filled(2, 0)?;
        // SAFETY: there are at least `len` keys, and two words for the result.
        unsafe {
            launch!(
                device,
                &self.differing_bits,
                grid_stride(len.into()),
                (SOURCE, "differing_bits"),
                [ptr keys = &pairs.keys, u32 count = &len, ptr both = &mut both],
                "sorting"
            )
        }?;
        Ok(download(device, &both)?.into_iter().fold(u64::MAX, |all, bits| all & bits))
    }

    /// Moves the pairs to `to`, ordered by the digit at `shift`.
    fn pass(
        &mut self,
        device: &Device,
        (len, shift): (u32, u32),
        from: &Pairs,
        to: &mut Pairs,
    ) -> Result<(), DeviceError> {
        let tiles = len.div_ceil(TILE);
        let grid = LaunchConfig {
            grid_dim: (tiles, 1, 1),
            block_dim: (THREADS, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: there are at least `len` keys, and a count for each digit of each tile.
        unsafe {
            launch!(
                device,
                &self.count_digits,
                grid,
                (SOURCE, "count_digits"),
                [
                    ptr keys = &from.keys,
                    u32 count = &len,
                    u32 shift = &shift,
                    u32 tiles = &tiles,
                    ptr counts = &mut self.counts,
                ],
                "sorting"
            )
        }?;
        self.scan.exclusive_prefix_sum(device, &mut self.counts, DIGITS * tiles as usize)?;
        // SAFETY: there are at least `len` keys and values in both, and the scanned counts are
        // places below `len`.
        unsafe {
            launch!(
                device,
                &self.move_keys,
                grid,
                (SOURCE, "move_keys"),
                [
                    ptr keys = &from.keys,
                    ptr values = &from.values,
                    u32 count = &len,
                    u32 shift = &shift,
                    u32 tiles = &tiles,
                    ptr places = &self.counts,
                    ptr to_keys = &mut to.keys,
                    ptr to_values = &mut to.values,
                ],
                "sorting"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffers::upload;
    use crate::testing::device;

    #[test]
    fn keys_are_sorted_and_equal_keys_keep_their_order() {
        let Some(device) = device() else { return };
        for len in [0_u32, 1, 2, 31, 3071, 3072, 3073, 100_000, 1_000_003] {
            for mask in [u64::MAX, 0xff00, 1, 0, 0xffff_0000_0000_00ff] {
                let key = |i: u32| u64::from(i).wrapping_mul(0x9e37_79b9_7f4a_7c15) & mask;
                let keys: Vec<u64> = (0..len).map(key).collect();
                let values: Vec<u32> = (0..len).collect();
                let mut expected: Vec<_> = keys.iter().copied().zip(0..len).collect();
                expected.sort();
                let mut pairs = Pairs {
                    keys: upload(&device, &keys).unwrap(),
                    values: upload(&device, &values).unwrap(),
                };
                let mut spare = Pairs::uninit(&device, len as usize).unwrap();
                let mut sort = RadixSort::new(&device, len as usize).unwrap();
                sort.sort(&device, len, &mut pairs, &mut spare).unwrap();
                let keys = download(&device, &pairs.keys).unwrap();
                let values = download(&device, &pairs.values).unwrap();
                let sorted: Vec<_> = keys.into_iter().zip(values).collect();
                assert!(sorted == expected, "{len} keys with bits {mask:x}");
            }
        }
    }
}
