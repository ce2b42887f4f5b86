//! Coordinates in blocks of points, dimension by dimension, for vector instructions.
#![allow(unsafe_code, reason = "one vector instruction has no safe name")]

use kostra_core::{OutOfMemory, memory};

use crate::canonical::{Accumulate, larger};

/// The number of points of a block. 16 sums fill four of the sixteen registers of AVX2.
pub(crate) const LANES: usize = 16;

/// Points in blocks of [`LANES`]: coordinate `k` of the point in lane `l` of block `b` is at
/// `(b * dimensions + k) * LANES + l`.
pub(crate) struct PointBlocks {
    values: Vec<f64>,
    dimensions: usize,
}

impl PointBlocks {
    /// `points` rows of zeros.
    pub(crate) fn zeros(points: usize, dimensions: usize) -> Result<Self, OutOfMemory> {
        let values = memory::zeros(points.div_ceil(LANES) * LANES * dimensions)?;
        Ok(Self { values, dimensions })
    }

    /// The coordinates of a block.
    #[inline(always)]
    pub(crate) fn block(&self, block: usize) -> &[f64] {
        let size = self.dimensions * LANES;
        &self.values[block * size..][..size]
    }

    /// Sets the coordinates of a point.
    pub(crate) fn set(&mut self, point: usize, row: &[f64]) {
        let start = point / LANES * self.dimensions * LANES + point % LANES;
        for (slot, &x) in self.values[start..].iter_mut().step_by(LANES).zip(row) {
            *slot = x;
        }
    }
}

/// The compared distances of a row and the points of a block.
#[inline(always)]
pub(crate) fn compared<A: Accumulate>(row: &[f64], block: &[f64]) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    for (&x, column) in row.iter().zip(block.as_chunks::<LANES>().0) {
        for (sum, &y) in sums.iter_mut().zip(column) {
            *sum = A::add(*sum, x - y);
        }
    }
    sums
}

/// A set of lanes: bit `l` for lane `l`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lanes(pub(crate) u32);

impl Lanes {
    /// The lanes that pass a test. The compiler turns a test without branches into vector
    /// instructions, so that a loop over the set has one unpredictable branch, not one per lane.
    #[inline(always)]
    pub(crate) fn that(test: impl Fn(usize) -> bool) -> Self {
        let mut flags = [0_u8; LANES];
        for (lane, flag) in flags.iter_mut().enumerate() {
            *flag = u8::from(test(lane)).wrapping_neg();
        }
        Self(sign_bits(flags))
    }

    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl Iterator for Lanes {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let lane = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        // The mask shows the compiler that the lane is in bounds.
        Some(lane % LANES)
    }
}

/// Bit `i` is the highest bit of byte `i`: one instruction.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline(always)]
fn sign_bits(bytes: [u8; LANES]) -> u32 {
    use std::arch::x86_64::{_mm_loadu_si128, _mm_movemask_epi8};
    // SAFETY: every processor of this kind has the instructions, and `bytes` has 16 bytes.
    unsafe { _mm_movemask_epi8(_mm_loadu_si128(bytes.as_ptr().cast())) as u32 }
}

/// Bit `i` is the highest bit of byte `i`.
#[cfg(any(not(target_arch = "x86_64"), miri))]
#[inline(always)]
fn sign_bits(bytes: [u8; LANES]) -> u32 {
    let mut halves = [[0; LANES / 2]; 2];
    halves[0].copy_from_slice(&bytes[..LANES / 2]);
    halves[1].copy_from_slice(&bytes[LANES / 2..]);
    // Moves the lowest bit of byte `i` to bit `56 + i`. No two products meet in one bit.
    let [low, high] = halves.map(|half| {
        (u64::from_le_bytes(half) & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
    });
    (low | high << (LANES / 2)) as u32
}

/// The largest value. A tree of comparisons, which vector instructions can do.
#[inline(always)]
pub(crate) fn largest(values: &[f64; LANES]) -> f64 {
    let mut halves = *values;
    for half in [8, 4, 2, 1] {
        for lane in 0..half {
            halves[lane] = larger(halves[lane], halves[lane + half]);
        }
    }
    halves[0]
}

/// An upper bound of the `k`-th lowest value: the largest of the minima of `k` groups or more.
#[inline(always)]
pub(crate) fn bound_of_lowest(values: &[f64; LANES], k: usize) -> f64 {
    let mut minima = *values;
    let mut groups = LANES;
    while groups / 2 >= k {
        groups /= 2;
        for lane in 0..groups {
            let other = minima[lane + groups];
            minima[lane] = if other < minima[lane] { other } else { minima[lane] };
        }
    }
    minima[..groups].iter().fold(0.0, |largest, &value| larger(value, largest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_lanes_has_the_lanes_that_pass() {
        for set in [0_u32, 1, 0x8000, 0xffff, 0x1234, 0xa5a5] {
            let lanes = Lanes::that(|lane| set >> lane & 1 == 1);
            assert_eq!((lanes.0, lanes.count()), (set, set.count_ones() as usize));
            assert!(lanes.zip((0..LANES).filter(|lane| set >> lane & 1 == 1)).all(|(a, b)| a == b));
        }
    }

    #[test]
    fn bounds_of_values_hold() {
        let values = std::array::from_fn(|lane| ((lane * 7 + 3) % 16) as f64);
        assert_eq!(largest(&values), 15.0);
        for k in 1..=LANES {
            let bound = bound_of_lowest(&values, k);
            assert!(values.iter().filter(|value| **value <= bound).count() >= k);
        }
    }
}
