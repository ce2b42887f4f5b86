//! Random numbers by position: SplitMix64 (Steele, Lea & Flood 2014), evaluated at any index.
//!
//! The number at an index depends only on the stream and the index. So the work can be divided
//! among threads without changing a number. The code is part of this crate, not of a dependency,
//! because a seed must always give the same graph and the same partition. Not for cryptography.

/// The golden ratio in 64 bits, odd: the step between two indices.
pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output function of SplitMix64: a bijection that avalanches.
#[inline]
pub const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// An endless array of random 64-bit numbers.
#[derive(Clone, Copy, Debug)]
pub struct RandomStream {
    key: u64,
}

impl RandomStream {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Self { key: mix(seed.wrapping_add(STEP)) }
    }

    /// The numbers of a part of the work. Different parts have independent numbers.
    #[inline]
    pub fn split(self, part: u64) -> Self {
        Self { key: mix(self.key.wrapping_add(STEP) ^ part) }
    }

    /// The number at an index.
    #[inline]
    pub fn at(self, index: u64) -> u64 {
        mix(self.key.wrapping_add(index.wrapping_mul(STEP)))
    }

    /// The number of an edge, the same from both ends. Numbers of different edges differ. Cheaper
    /// than [`at`](Self::at), and good enough to break ties.
    #[inline]
    pub fn edge(self, u: u32, v: u32) -> u64 {
        let edge = u64::from(u.min(v)) << 32 | u64::from(u.max(v));
        let product = (edge ^ self.key).wrapping_mul(STEP);
        (product ^ (product >> 32)).wrapping_mul(STEP)
    }

    /// A number in `0..bound`; 0 if `bound` is 0. The probabilities differ by a factor of at most
    /// `1 + bound / 2^64`.
    #[inline]
    pub fn below(self, index: u64, bound: u64) -> u64 {
        ((u128::from(self.at(index)) * u128::from(bound)) >> 64) as u64
    }

    /// A number in `[0, 1)` with 53 random bits.
    #[inline]
    pub fn unit(self, index: u64) -> f64 {
        (self.at(index) >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Puts the items in random order (Fisher and Yates). O(items).
    pub fn shuffle<T>(self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64, last as u64 + 1) as usize);
        }
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
    #[cfg_attr(miri, ignore = "takes long, and the code has no unsafe blocks")]
    fn numbers_below_a_bound_fill_it_evenly() {
        let stream = RandomStream::new(1);
        let mut count = [0_u32; 7];
        for index in 0..70_000 {
            count[stream.below(index, 7) as usize] += 1;
        }
        // Four standard deviations.
        assert!(count.iter().all(|count| count.abs_diff(10_000) < 400), "{count:?}");
        assert_eq!(stream.below(0, 0), 0);
    }

    #[test]
    fn seeds_and_parts_differ() {
        let (one, two) = (RandomStream::new(1), RandomStream::new(2));
        assert_ne!(one.at(0), two.at(0));
        assert_ne!(one.split(0).at(0), one.split(1).at(0));
    }

    #[test]
    fn a_shuffle_is_a_permutation_that_depends_on_the_seed() {
        let shuffled = |seed| {
            let mut items: Vec<u32> = (0..100).collect();
            RandomStream::new(seed).shuffle(&mut items);
            items
        };
        assert_ne!(shuffled(1), shuffled(2));
        let mut items = shuffled(1);
        items.sort_unstable();
        assert!(items.into_iter().eq(0..100));
    }
}
