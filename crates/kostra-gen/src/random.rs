//! Random numbers by position: SplitMix64 (Steele, Lea & Flood 2014), evaluated at any index.
//!
//! The random numbers of the `i`-th edge depend only on the seed, the purpose and `i`. So the work
//! can be divided among threads without changing an edge. The code is part of this crate, not of a
//! dependency, because a seed must always give the same graph. Not for cryptography.

/// The golden ratio in 64 bits, odd: the step between two indices.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output function of SplitMix64: a bijection that avalanches.
#[inline]
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// An endless array of random 64-bit numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stream {
    key: u64,
}

impl Stream {
    /// The numbers of a seed for a purpose. Different purposes have independent numbers.
    pub(crate) fn new(seed: u64, purpose: &str) -> Self {
        let key = purpose.bytes().fold(mix(seed.wrapping_add(STEP)), |key, byte| {
            mix(key.wrapping_add(STEP) ^ u64::from(byte))
        });
        Self { key }
    }

    /// The number at an index.
    #[inline]
    pub(crate) fn at(&self, index: u64) -> u64 {
        mix(self.key.wrapping_add(index.wrapping_mul(STEP)))
    }

    /// A number in `0..bound`; 0 if `bound` is 0. The probabilities differ by a factor of at most
    /// `1 + bound / 2^64`.
    #[inline]
    pub(crate) fn below(&self, index: u64, bound: u64) -> u64 {
        ((u128::from(self.at(index)) * u128::from(bound)) >> 64) as u64
    }

    /// A number in `[0, 1)` with 53 random bits.
    #[inline]
    pub(crate) fn unit(&self, index: u64) -> f64 {
        (self.at(index) >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }
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
        let stream = Stream::new(seed, "permutation");
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
    #[inline]
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
    fn mix_is_the_published_splitmix64() {
        // The first outputs for the seeds 0 and 1234567, as published with its reference
        // implementation.
        assert_eq!(mix(STEP), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(1_234_567_u64.wrapping_add(STEP)), 6_457_827_717_110_365_317);
    }

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
    fn numbers_below_a_bound_fill_it_evenly() {
        let stream = Stream::new(1, "test");
        let mut count = [0_u32; 7];
        for index in 0..70_000 {
            count[stream.below(index, 7) as usize] += 1;
        }
        // Four standard deviations.
        assert!(count.iter().all(|count| count.abs_diff(10_000) < 400), "{count:?}");
        assert_eq!(stream.below(0, 0), 0);
    }

    #[test]
    fn seeds_and_purposes_differ() {
        let first = |seed, purpose| Stream::new(seed, purpose).at(0);
        assert_ne!(first(1, "edges"), first(2, "edges"));
        assert_ne!(first(1, "edges"), first(1, "weights"));
    }
}
