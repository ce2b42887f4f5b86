//! Random numbers by position: SplitMix64 (Steele, Lea & Flood 2014), evaluated at any index.
//!
//! The number of a vertex depends only on the seed, the purpose and the vertex. So the work can be
//! divided among threads without changing a decision.

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
    /// The numbers of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self { key: mix(seed.wrapping_add(STEP)) }
    }

    /// The numbers of a part of the work. Different parts have independent numbers.
    #[inline]
    pub(crate) fn split(self, part: u64) -> Self {
        Self { key: mix(self.key.wrapping_add(STEP) ^ part) }
    }

    /// The number at an index.
    #[inline]
    pub(crate) fn at(self, index: u64) -> u64 {
        mix(self.key.wrapping_add(index.wrapping_mul(STEP)))
    }

    /// The number of an edge, the same from both ends. Numbers of different edges differ. Cheaper
    /// than [`at`](Self::at), and good enough to break ties.
    #[inline]
    pub(crate) fn of_edge(self, u: u32, v: u32) -> u64 {
        let edge = u64::from(u.min(v)) << 32 | u64::from(u.max(v));
        let product = (edge ^ self.key).wrapping_mul(STEP);
        (product ^ (product >> 32)).wrapping_mul(STEP)
    }

    /// A number in `0..bound`; 0 if `bound` is 0.
    #[inline]
    pub(crate) fn below(self, index: u64, bound: u64) -> u64 {
        ((u128::from(self.at(index)) * u128::from(bound)) >> 64) as u64
    }

    /// The items in random order (Fisher and Yates).
    pub(crate) fn shuffle<T>(self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64, last as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_is_a_permutation_that_depends_on_the_seed() {
        let shuffled = |seed| {
            let mut items: Vec<u32> = (0..100).collect();
            Stream::new(seed).shuffle(&mut items);
            items
        };
        assert_ne!(shuffled(1), shuffled(2));
        let mut items = shuffled(1);
        items.sort_unstable();
        assert!(items.into_iter().eq(0..100));
    }
}
