//! Keys in 32 bits, so that an edge and its place in the order fit one word: above, the stand-in of
//! its key; below, its id, or where that is to be found.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use kostra_core::{EdgeId, Edges, Key, Weight};

use kostra_parallel::{Schedule, Team};

/// No edge: after every other.
pub(super) const NONE: u64 = u64::MAX;

/// How many keys a thread looks at at a time.
const KEYS: usize = 1 << 16;

/// The order-preserving stand-in of a key in 32 bits: a 32-bit key itself; a wider one scaled, so
/// that different keys may have one stand-in, and then have to be looked up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    low: u64,
    shift: u32,
    /// Whether different keys have different stand-ins, as whole numbers do that a caller holds as
    /// floats.
    pub(super) is_exact: bool,
}

impl Scale {
    /// The scale on which a 32-bit key stands for itself.
    pub(super) const IDENTITY: Self = Self { low: 0, shift: 0, is_exact: true };

    /// A scale for the keys of a sample. Other keys share its ends, so it is never exact.
    pub(super) fn of_sample<W: Weight>(edges: Edges<'_, W>) -> Self {
        if W::Key::BITS == 32 {
            return Self::IDENTITY;
        }
        Self { is_exact: false, ..Self::guess(edges) }
    }

    /// A scale for the keys of all edges: if those of a sample have different stand-ins, perhaps
    /// all have, which is worth a pass over the weights.
    pub(super) fn of_all<W: Weight>(edges: Edges<'_, W>, team: &Team<'_>) -> Self {
        if W::Key::BITS == 32 {
            return Self::IDENTITY;
        }
        let guess = Self::guess(edges);
        if !guess.is_exact {
            return guess;
        }
        let span = Span::default();
        team.distribute(edges.len(), Schedule::Dynamic(KEYS), |_, range| {
            span.add(edges.weights()[range].iter().map(|&weight| edges.key_of(weight).to_u64()));
        });
        span.scale()
    }

    fn guess<W: Weight>(edges: Edges<'_, W>) -> Self {
        let sample = edges.weights().iter().step_by(edges.len().div_ceil(1 << 10).max(1));
        let span = Span::default();
        span.add(sample.map(|&weight| edges.key_of(weight).to_u64()));
        span.scale()
    }

    #[inline]
    pub(super) fn of<K: Key>(self, key: K) -> u32 {
        if K::BITS == 32 {
            return key.to_u64() as u32;
        }
        (key.to_u64().saturating_sub(self.low) >> self.shift).min(u64::from(u32::MAX)) as u32
    }

    /// Whether an edge comes before another, or before [`NONE`], where ids are below their
    /// stand-ins.
    #[inline]
    pub(super) fn is_before<W: Weight>(self, edges: Edges<'_, W>, a: u64, b: u64) -> bool {
        if W::Key::BITS == 32 || self.is_exact {
            return a < b;
        }
        is_before_by_rank(edges, |id| id, a, b)
    }
}

/// The same where stand-ins, or what is below them, do not decide. Keys are looked up only where
/// they have to be; `id` tells the ids from what is below stand-ins.
#[inline]
pub(super) fn is_before_by_rank<W: Weight>(
    edges: Edges<'_, W>,
    id: impl Fn(u32) -> EdgeId,
    a: u64,
    b: u64,
) -> bool {
    let ((stand_in_a, low_a), (stand_in_b, low_b)) = (unpack(a), unpack(b));
    if stand_in_a != stand_in_b || b == NONE {
        return a < b;
    }
    edges.rank(id(low_a)) < edges.rank(id(low_b))
}

/// What keys have in common, as several threads find it.
pub(super) struct Span {
    lowest: AtomicU64,
    highest: AtomicU64,
    /// The bits that some key has.
    some: AtomicU64,
    /// The bits that every key has.
    every: AtomicU64,
}

impl Default for Span {
    fn default() -> Self {
        let [none, all] = [0, u64::MAX];
        Self { lowest: all.into(), highest: none.into(), some: none.into(), every: all.into() }
    }
}

impl Span {
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

    /// A scale on which these keys have all the room. What is shifted out is the same in all of
    /// them, or it is not exact.
    pub(super) fn scale(self) -> Scale {
        let (low, high) = (self.lowest.into_inner(), self.highest.into_inner());
        let shift = (64 - high.saturating_sub(low).leading_zeros()).saturating_sub(32);
        let varying = self.some.into_inner() & !self.every.into_inner();
        Scale { low, shift, is_exact: varying.trailing_zeros() >= shift }
    }
}

pub(super) fn pack(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

pub(super) fn unpack(packed: u64) -> (u32, u32) {
    ((packed >> 32) as u32, packed as u32)
}

#[cfg(test)]
mod tests {
    use kostra_core::{EdgeList, Order};

    use super::*;
    use crate::sequential::tests::Random;
    use kostra_parallel::with_team;

    fn between(keys: &[u64]) -> Scale {
        let span = Span::default();
        span.add(keys.iter().copied());
        span.scale()
    }

    fn of_weights<W: Weight>(weights: Vec<W>, threads: usize) -> Scale {
        let ends = vec![0; weights.len()];
        let list = EdgeList::new(1, ends.clone(), ends, weights).unwrap();
        with_team(threads, |team| Scale::of_all(list.edges(Order::Minimum), team))
    }

    #[test]
    fn stand_ins_are_in_the_order_of_keys_and_tell_near_ones_apart() {
        let keys = [0, 5, 1 << 20, (1 << 20) + 1, 1 << 40, (1 << 40) + 1, u64::MAX - 1, u64::MAX];
        for (low, high) in [(0, 0), (5, 1 << 20), (1 << 40, u64::MAX)] {
            let scale = between(&[low, high]);
            assert!(keys.map(|key| scale.of(key)).is_sorted(), "{scale:?}");
        }
        let scale = between(&[1 << 40, (1 << 40) + (1 << 31)]);
        assert_eq!([scale.of(1_u64 << 40), scale.of((1_u64 << 40) + 9)], [0, 9]);
        assert_eq!(Scale::IDENTITY.of(7_u32), 7);
    }

    #[test]
    fn an_exact_scale_tells_all_keys_apart() {
        let mut random = Random(11);
        let mut exact = 0;
        for round in 0..if cfg!(miri) { 20 } else { 2000 } {
            let (zeros, bits) = (random.below(40), 1 + random.below(24));
            let mut keys: Vec<u64> = (0..20)
                .map(|_| (random.below(1 << bits) as u64) << zeros | 7 >> (round % 4))
                .collect();
            let scale = between(&keys);
            keys.sort_unstable();
            keys.dedup();
            let stand_ins = keys.iter().map(|&key| scale.of(key));
            let apart = stand_ins.clone().zip(stand_ins.skip(1)).all(|(a, b)| a < b);
            assert!(apart || !scale.is_exact, "{keys:?}");
            exact += usize::from(scale.is_exact);
        }
        assert!(exact > 0);
    }

    #[test]
    fn whole_numbers_and_widened_floats_have_an_exact_scale_until_one_is_finer() {
        for threads in [1, 3] {
            let len = if cfg!(miri) { 2000 } else { 3 * KEYS as u32 };
            let mut whole: Vec<f64> = (1..=len).map(f64::from).collect();
            assert!(of_weights(whole.clone(), threads).is_exact);
            whole[len as usize - 2] += 1e-6; // which no sample sees
            assert!(!of_weights(whole, threads).is_exact);
            let widened = (1..=len).map(|key| f64::from(1.0 / key as f32)).collect::<Vec<_>>();
            assert!(of_weights(widened, threads).is_exact);
            let fine = (1..=len).map(|key| 1.0 / f64::from(key)).collect::<Vec<_>>();
            assert!(!of_weights(fine, threads).is_exact);
            assert!(of_weights(vec![3_i64, -5, 1 << 30], threads).is_exact);
            assert!(of_weights(vec![2.5_f32], threads).is_exact);
            assert!(of_weights(Vec::<f64>::new(), threads).is_exact);
        }
    }
}
