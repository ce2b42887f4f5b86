//! Random numbers for a purpose, and random permutations.
//!
//! The random numbers of the `i`-th edge depend only on the seed, the purpose and `i`. So the work
//! can be divided among threads without changing an edge.

use kostra_core::random::RandomStream;

/// The numbers of a seed for a purpose. Different purposes have independent numbers.
pub(crate) fn stream(seed: u64, purpose: &str) -> RandomStream {
    purpose.bytes().fold(RandomStream::new(seed), |stream, byte| stream.split(u64::from(byte)))
}

/// As [`RandomStream::below`], for a bound below 2^32. From products of 32-bit numbers, which
/// processors have as vector instructions.
#[inline(always)]
pub(crate) fn below(stream: RandomStream, index: u64, bound: u64) -> u64 {
    debug_assert!(bound >> 32 == 0, "{bound}");
    let number = stream.at(index);
    let low = (number & u64::from(u32::MAX)) * bound;
    ((number >> 32) * bound + (low >> 32)) >> 32
}

/// A random permutation of the numbers below a power of two, computed without a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Permutation {
    mask: u32,
    shift: u32,
    rounds: [(u32, u32); 4],
}

impl Permutation {
    /// A permutation of `0..2^bits`, for `bits` up to 32.
    pub(crate) fn new(seed: u64, bits: u32) -> Self {
        let stream = stream(seed, "permutation");
        let round = |index| {
            let number = stream.at(index);
            (number as u32 | 1, (number >> 32) as u32)
        };
        let mask = (u64::MAX >> (64 - bits.clamp(1, 32))) as u32;
        let mask = if bits == 0 { 0 } else { mask };
        Self { mask, shift: bits.div_ceil(2).max(1), rounds: [0, 1, 2, 3].map(round) }
    }

    /// The image of `value`. Each step is invertible: an odd factor, an offset, an exclusive or
    /// with a shift.
    #[inline(always)]
    pub(crate) fn apply(&self, mut value: u32) -> u32 {
        for (factor, offset) in self.rounds {
            value = value.wrapping_mul(factor).wrapping_add(offset) & self.mask;
            value ^= value >> self.shift;
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permutation_reaches_every_number_once() {
        for bits in 0..12 {
            let permutation = Permutation::new(9, bits);
            let mut seen = vec![false; 1 << bits];
            for value in 0..1 << bits {
                assert!(!std::mem::replace(&mut seen[permutation.apply(value) as usize], true));
            }
        }
    }

    #[test]
    fn two_products_give_the_number_of_one_wide_product() {
        let stream = stream(4, "numbers");
        for bound in [0, 1, 2, 3, 1000, (1 << 31) + 7, (1 << 32) - 1] {
            for index in 0..1000 {
                assert_eq!(below(stream, index, bound), stream.below(index, bound));
            }
        }
    }

    #[test]
    fn seeds_and_purposes_differ() {
        let first = |seed, purpose| stream(seed, purpose).at(0);
        assert_ne!(first(1, "edges"), first(2, "edges"));
        assert_ne!(first(1, "edges"), first(1, "weights"));
    }
}
