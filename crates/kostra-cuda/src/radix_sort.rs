//! A stable radix sort on a device: 64-bit keys with 32-bit values, eight bits at a time.
//!
//! All digits of all keys are counted first. Then each pass moves the keys once. A block sorts a
//! tile of keys in shared memory before it writes them, so that most writes are to consecutive
//! places. Where they go depends on the digits in the tiles before: a block looks back from tile to
//! tile, until it finds one that knows the sums up to itself. A pass is left out if all keys have
//! the same digit.
//!
//! * Source: Adinets & Merrill 2022, "Onesweep: a faster least significant digit radix sort for
//!   GPUs" (all counts first, one pass for each digit, looking back).
//! * Time O(n) for each of up to eight passes, which read and write keys and values once.
//! * Memory: a second array of keys and of values, and 256 words of 64 bits for each tile.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::{CudaSlice, LaunchConfig};

use crate::buffers::{address, download};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::kernels;
use crate::shared::{arguments, constant, fill, ptr};
use crate::source::Source;

const SOURCE: Source = Source::file("radix_sort.cu");

/// The number of threads of a block.
const THREADS: u32 = constant(SOURCE.text(), "THREADS") as u32;
/// The number of keys of a tile.
const TILE: u32 = THREADS * constant(SOURCE.text(), "ITEMS") as u32;
/// The number of bits of a digit.
pub(crate) const BITS: u32 = constant(SOURCE.text(), "BITS") as u32;
const DIGITS: usize = 1 << BITS;
/// The number of digits of a key.
const KEY_DIGITS: usize = (u64::BITS / BITS) as usize;

/// Keys with their values.
pub struct Pairs {
    /// The keys.
    pub keys: CudaSlice<u64>,
    /// A value for each key.
    pub values: CudaSlice<u32>,
}

impl Pairs {
    /// Memory for `len` keys and values.
    ///
    /// # Errors
    /// When the device fails, or has too little memory.
    pub fn uninit(device: &Device, len: usize) -> Result<Self, DeviceError> {
        Ok(Self { keys: device.uninit(len)?, values: device.uninit(len)? })
    }
}

arguments! {
    struct Arguments in SOURCE.text();
    ptr: keys values to_keys to_values lower differs turns states;
    u32: count shift pass first_turn;
}

kernels! {
    struct Kernels(device) of Arguments in SOURCE;
    count_digits begin_digits move_keys;
}

/// The kernels, and memory for what tiles tell each other.
pub struct RadixSort {
    kernels: Kernels,
    /// For each digit of each tile, a number of keys and the pass that it is of.
    states: CudaSlice<u64>,
    /// The number of tiles that blocks have taken, in all passes, modulo 2^32.
    turns: CudaSlice<u32>,
    turns_before: u32,
    /// The number of passes so far.
    passes: u32,
    /// For each digit at each place, the number of keys with a lower one; and the places at which
    /// keys differ.
    lower: CudaSlice<u32>,
    differs: CudaSlice<u32>,
}

/// Compiles and loads the kernels, so that [`RadixSort::new`] does not.
///
/// # Errors
/// When they do not compile, or the device fails.
pub fn load_kernels(device: &Device) -> Result<(), DeviceError> {
    Kernels::load(device).map(drop)
}

impl RadixSort {
    /// The number of bytes for `len` keys, in addition to both [`Pairs`].
    pub fn bytes(len: usize) -> usize {
        size_of::<u64>() * DIGITS * len.div_ceil(TILE as usize)
    }

    /// Allocates memory to sort up to `len` keys.
    ///
    /// # Errors
    /// When the device fails, or has too little memory.
    pub fn new(device: &Device, len: usize) -> Result<Self, DeviceError> {
        Ok(Self {
            kernels: Kernels::load(device)?,
            states: device.filled(DIGITS * len.div_ceil(TILE as usize), 0)?,
            turns: device.filled(1, 0)?,
            turns_before: 0,
            passes: 0,
            lower: device.uninit(KEY_DIGITS * DIGITS)?,
            differs: device.uninit(KEY_DIGITS)?,
        })
    }

    /// Sorts the first `len` keys, and moves their values with them. `spare` has memory for as many
    /// pairs, and is overwritten. The sort may exchange the arrays of both.
    ///
    /// # Errors
    /// When the device fails.
    pub fn sort(
        &mut self,
        device: &Device,
        len: u32,
        pairs: &mut Pairs,
        spare: &mut Pairs,
    ) -> Result<(), DeviceError> {
        self.sort_by_upper(device, len, 0, (pairs, spare))
    }

    /// The same without comparing the lowest `ignored` digits of the keys.
    pub(crate) fn sort_by_upper(
        &mut self,
        device: &Device,
        len: u32,
        ignored: usize,
        (pairs, spare): (&mut Pairs, &mut Pairs),
    ) -> Result<(), DeviceError> {
        if len < 2 {
            return Ok(());
        }
        device.fill(&mut self.lower, 0)?;
        let mut arguments = fill!(Arguments {
            count: len,
            keys: address(&pairs.keys),
        }, ..Arguments::default(); self => turns states lower differs);
        let Kernels { count_digits, begin_digits, move_keys } = &self.kernels;
        let counting = grid(len.div_ceil(TILE).min(COUNTING_BLOCKS));
        // SAFETY: there are at least `len` keys, a count for each digit, and a word for each place.
        unsafe {
            count_digits.launch(device, counting, &arguments, "sorting")?;
            begin_digits.launch(device, grid(KEY_DIGITS as u32), &arguments, "sorting")?;
        }
        let (tiles, differs) = (len.div_ceil(TILE), download(device, &self.differs)?);
        for place in (ignored..KEY_DIGITS).filter(|&place| differs[place] != 0) {
            self.passes += 1;
            arguments = Arguments {
                keys: address(&pairs.keys),
                values: address(&pairs.values),
                to_keys: address(&spare.keys),
                to_values: address(&spare.values),
                lower: address(&self.lower.slice(place * DIGITS..)),
                shift: BITS * place as u32,
                pass: self.passes,
                first_turn: self.turns_before,
                ..arguments
            };
            // SAFETY: there are at least `len` keys and values in both, a state for each digit of
            // each tile, and `lower` has the numbers of these keys.
            unsafe { move_keys.launch(device, grid(tiles), &arguments, "sorting") }?;
            self.turns_before = self.turns_before.wrapping_add(tiles);
            std::mem::swap(pairs, spare);
        }
        Ok(())
    }
}

/// The most blocks that count digits: about as many as run at once.
const COUNTING_BLOCKS: u32 = 1024;

fn grid(blocks: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 }
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
                let mut sort = RadixSort::new(&device, len as usize).unwrap();
                for ignored in [0, 3, KEY_DIGITS] {
                    let mut expected: Vec<_> = keys.iter().copied().zip(0..len).collect();
                    let compared = |key: u64| key.checked_shr(BITS * ignored as u32).unwrap_or(0);
                    expected.sort_by_key(|&(key, _)| compared(key));
                    let mut pairs = Pairs {
                        keys: upload(&device, &keys).unwrap(),
                        values: upload(&device, &values).unwrap(),
                    };
                    let mut spare = Pairs::uninit(&device, len as usize).unwrap();
                    let both = (&mut pairs, &mut spare);
                    sort.sort_by_upper(&device, len, ignored, both).unwrap();
                    let keys = download(&device, &pairs.keys).unwrap();
                    let values = download(&device, &pairs.values).unwrap();
                    let sorted: Vec<_> = keys.into_iter().zip(values).collect();
                    assert!(sorted == expected, "{len} keys with bits {mask:x}, {ignored} ignored");
                }
            }
        }
    }
}
