//! Key prefixes: weight keys in 32 bits, so that an edge and its place in the order fit one word.
//!
//! The upper half of such a word is the key prefix, the lower half is the edge id or a position at
//! which the id is stored. Words of different prefixes compare like their edges.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use kostra_core::{EdgeId, Edges, Key};
use kostra_parallel::{Schedule, Team};

/// No candidate: greater than every candidate.
pub(super) const NO_CANDIDATE: u64 = u64::MAX;

/// Keys that a thread reads at a time: half a megabyte, so that taking them costs little.
const KEY_BLOCK: usize = 1 << 16;
/// Keys in the sample that decides whether a pass over all keys may pay.
const SAMPLE_KEYS: usize = 1 << 10;

/// Maps keys to 32-bit prefixes, monotonically.
///
/// A 32-bit key is its own prefix. A wider key is reduced by the lowest key and shifted, so
/// different keys may have equal prefixes. Ties of prefixes are decided by the keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct PrefixScale {
    lowest: u64,
    shift: u32,
    /// Whether different keys have different prefixes. This holds for integers stored as floats, as
    /// long as they are small enough.
    pub(super) is_exact: bool,
}

impl PrefixScale {
    /// The scale of 32-bit keys.
    pub(super) const IDENTITY: Self = Self { lowest: 0, shift: 0, is_exact: true };

    /// A scale for the keys of a sample. Keys outside its range get the first or the last prefix,
    /// so the scale is never exact for wide keys.
    pub(super) fn of_sample<K: Key>(edges: Edges<'_, K>) -> Self {
        if K::BITS == 32 {
            return Self::IDENTITY;
        }
        Self { is_exact: false, ..Self::guess(edges) }
    }

    /// A scale for the keys of all edges. If a sample has an exact scale, all keys may have one,
    /// which is worth a pass over the weights.
    pub(super) fn of_all<K: Key>(edges: Edges<'_, K>, team: &Team<'_>) -> Self {
        if K::BITS == 32 {
            return Self::IDENTITY;
        }
        let guess = Self::guess(edges);
        if !guess.is_exact {
            return guess;
        }
        let span = KeySpan::default();
        team.distribute(edges.len(), Schedule::Dynamic(KEY_BLOCK), |_, range| {
            span.add(edges.weights()[range].iter().map(|&weight| edges.key_of(weight).to_u64()));
        });
        span.scale()
    }

    fn guess<K: Key>(edges: Edges<'_, K>) -> Self {
        let sample = edges.weights().iter().step_by(edges.len().div_ceil(SAMPLE_KEYS).max(1));
        let span = KeySpan::default();
        span.add(sample.map(|&weight| edges.key_of(weight).to_u64()));
        span.scale()
    }

    #[inline]
    pub(super) fn prefix<K: Key>(self, key: K) -> u32 {
        if K::BITS == 32 {
            return key.to_u64() as u32;
        }
        (key.to_u64().saturating_sub(self.lowest) >> self.shift).min(u64::from(u32::MAX)) as u32
    }

    /// Whether edge `a` precedes edge `b`. Both are words of a key prefix and an edge id; `b` may
    /// be [`NO_CANDIDATE`].
    #[inline]
    pub(super) fn is_before<K: Key>(self, edges: Edges<'_, K>, a: u64, b: u64) -> bool {
        if K::BITS == 32 || self.is_exact {
            return a < b;
        }
        is_before_by_rank(edges, |id| id, a, b)
    }
}

/// Whether edge `a` precedes edge `b` where equal prefixes do not decide. `id` maps the lower half
/// of a word to the edge id. The keys of the edges are read only if the prefixes are equal.
#[inline]
pub(super) fn is_before_by_rank<K: Key>(
    edges: Edges<'_, K>,
    id: impl Fn(u32) -> EdgeId,
    a: u64,
    b: u64,
) -> bool {
    let ((prefix_a, low_a), (prefix_b, low_b)) = (unpack(a), unpack(b));
    if prefix_a != prefix_b || b == NO_CANDIDATE {
        return a < b;
    }
    edges.rank(id(low_a)) < edges.rank(id(low_b))
}

/// The range of a set of keys and the bits in which they differ. Several threads may add keys.
pub(super) struct KeySpan {
    lowest: AtomicU64,
    highest: AtomicU64,
    /// Bits that are set in some key.
    some: AtomicU64,
    /// Bits that are set in every key.
    every: AtomicU64,
}

impl Default for KeySpan {
    fn default() -> Self {
        let [none, all] = [0, u64::MAX];
        Self { lowest: all.into(), highest: none.into(), some: none.into(), every: all.into() }
    }
}

impl KeySpan {
    pub(super) fn add(&self, keys: impl Iterator<Item = u64>) {
        let start = (u64::MAX, 0, 0, u64::MAX);
        let (lowest, highest, some, every) =
            keys.fold(start, |(lowest, highest, some, every), key| {
                (lowest.min(key), highest.max(key), some | key, every & key)
            });
        self.lowest.fetch_min(lowest, Relaxed);
        self.highest.fetch_max(highest, Relaxed);
        self.some.fetch_or(some, Relaxed);
        self.every.fetch_and(every, Relaxed);
    }

    /// The scale that spreads these keys over all prefixes. It is exact if all keys agree in the
    /// bits that are shifted out.
    pub(super) fn scale(self) -> PrefixScale {
        let (lowest, highest) = (self.lowest.into_inner(), self.highest.into_inner());
        let shift = (64 - highest.saturating_sub(lowest).leading_zeros()).saturating_sub(32);
        let varying = self.some.into_inner() & !self.every.into_inner();
        PrefixScale { lowest, shift, is_exact: varying.trailing_zeros() >= shift }
    }
}

/// Packs two 32-bit numbers into a word, `high` into the upper half.
pub(super) fn pack(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// The upper and the lower half of a word.
pub(super) fn unpack(packed: u64) -> (u32, u32) {
    ((packed >> 32) as u32, packed as u32)
}

#[cfg(test)]
mod tests {
    use kostra_core::{EdgeList, Order, Weight};
    use kostra_parallel::with_team;

    use super::*;
    use crate::testing::CongruentialGenerator;

    fn scale_of_keys(keys: &[u64]) -> PrefixScale {
        let span = KeySpan::default();
        span.add(keys.iter().copied());
        span.scale()
    }

    fn scale_of_weights<W: Weight>(weights: Vec<W>, threads: usize) -> PrefixScale {
        let ends = vec![0; weights.len()];
        let list = EdgeList::new(1, ends.clone(), ends, weights).unwrap();
        with_team(threads, |team| PrefixScale::of_all(list.edges(Order::Minimum), team))
    }

    #[test]
    fn prefixes_ascend_with_keys_and_separate_near_ones() {
        let keys = [0, 5, 1 << 20, (1 << 20) + 1, 1 << 40, (1 << 40) + 1, u64::MAX - 1, u64::MAX];
        for (low, high) in [(0, 0), (5, 1 << 20), (1 << 40, u64::MAX)] {
            let scale = scale_of_keys(&[low, high]);
            assert!(keys.map(|key| scale.prefix(key)).is_sorted(), "{scale:?}");
        }
        let scale = scale_of_keys(&[1 << 40, (1 << 40) + (1 << 31)]);
        assert_eq!([scale.prefix(1_u64 << 40), scale.prefix((1_u64 << 40) + 9)], [0, 9]);
        assert_eq!(PrefixScale::IDENTITY.prefix(7_u32), 7);
    }

    #[test]
    fn an_exact_scale_gives_different_keys_different_prefixes() {
        let mut random = CongruentialGenerator(11);
        let mut exact = 0;
        for round in 0..if cfg!(miri) { 20 } else { 2000 } {
            let (zeros, bits) = (random.below(40), 1 + random.below(24));
            let mut keys: Vec<u64> = (0..20)
                .map(|_| (random.below(1 << bits) as u64) << zeros | 7 >> (round % 4))
                .collect();
            let scale = scale_of_keys(&keys);
            keys.sort_unstable();
            keys.dedup();
            let prefixes = keys.iter().map(|&key| scale.prefix(key));
            let differ = prefixes.clone().zip(prefixes.skip(1)).all(|(a, b)| a < b);
            assert!(differ || !scale.is_exact, "{keys:?}");
            exact += usize::from(scale.is_exact);
        }
        assert!(exact > 0);
    }

    #[test]
    fn integers_and_widened_floats_have_an_exact_scale_unless_one_key_is_finer() {
        for threads in [1, 3] {
            let len = if cfg!(miri) { 2000 } else { 3 * KEY_BLOCK as u32 };
            let mut whole: Vec<f64> = (1..=len).map(f64::from).collect();
            assert!(scale_of_weights(whole.clone(), threads).is_exact);
            whole[len as usize - 2] += 1e-6; // not in the sample
            assert!(!scale_of_weights(whole, threads).is_exact);
            let widened = (1..=len).map(|key| f64::from(1.0 / key as f32)).collect::<Vec<_>>();
            assert!(scale_of_weights(widened, threads).is_exact);
            let fine = (1..=len).map(|key| 1.0 / f64::from(key)).collect::<Vec<_>>();
            assert!(!scale_of_weights(fine, threads).is_exact);
            assert!(scale_of_weights(vec![3_i64, -5, 1 << 30], threads).is_exact);
            assert!(scale_of_weights(vec![2.5_f32], threads).is_exact);
            assert!(scale_of_weights(Vec::<f64>::new(), threads).is_exact);
        }
    }
}
