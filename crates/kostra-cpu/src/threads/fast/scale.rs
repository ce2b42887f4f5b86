//! Keys in 32 bits, so that an edge and its place in the order fit one word: above, the stand-in of its key; below, its
//! id, or where that is to be found.

use std::ops::Range;

use kostra_core::{EdgeId, Edges, Key, Weight};

/// No edge: after every other.
pub(super) const NONE: u64 = u64::MAX;

/// The order-preserving stand-in of a key in 32 bits: a 32-bit key itself; a wider one scaled, so that different keys may
/// have one stand-in, and then have to be looked up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    low: u64,
    shift: u32,
}

impl Scale {
    /// The scale on which a 32-bit key stands for itself.
    pub(super) const IDENTITY: Self = Self { low: 0, shift: 0 };

    /// A scale on which these keys, the last included, have all the room. Others share its ends.
    pub(super) fn between(keys: Range<u64>) -> Self {
        let bits = 64 - keys.end.saturating_sub(keys.start).leading_zeros();
        Self { low: keys.start, shift: bits.saturating_sub(32) }
    }

    /// A scale for the keys of a sample.
    pub(super) fn of_sample<W: Weight>(edges: Edges<'_, W>) -> Self {
        if W::Key::BITS == 32 {
            return Self::IDENTITY;
        }
        let sample = || edges.weights().iter().step_by(edges.len().div_ceil(1 << 10).max(1));
        let keys = || sample().map(|&weight| edges.key_of(weight).to_u64());
        Self::between(keys().min().unwrap_or(0)..keys().max().unwrap_or(0))
    }

    #[inline]
    pub(super) fn of<K: Key>(self, key: K) -> u32 {
        if K::BITS == 32 {
            return key.to_u64() as u32;
        }
        (key.to_u64().saturating_sub(self.low) >> self.shift).min(u64::from(u32::MAX)) as u32
    }
}

pub(super) fn pack(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

pub(super) fn unpack(packed: u64) -> (u32, u32) {
    ((packed >> 32) as u32, packed as u32)
}

/// Whether an edge comes before another, or before [`NONE`]. Keys are looked up only where stand-ins are equal; `id` then
/// tells the ids from what is below these.
#[inline]
pub(super) fn is_before<W: Weight>(edges: Edges<'_, W>, id: impl Fn(u32) -> EdgeId, a: u64, b: u64) -> bool {
    let ((stand_in_a, low_a), (stand_in_b, low_b)) = (unpack(a), unpack(b));
    if W::Key::BITS == 32 || stand_in_a != stand_in_b || b == NONE {
        return a < b;
    }
    edges.rank(id(low_a)) < edges.rank(id(low_b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_are_in_the_order_of_keys_and_tell_near_ones_apart() {
        let keys = [0, 5, 1 << 20, (1 << 20) + 1, 1 << 40, (1 << 40) + 1, u64::MAX - 1, u64::MAX];
        for (low, high) in [(0, 0), (5, 1 << 20), (1 << 40, u64::MAX), (7, 3)] {
            let scale = Scale::between(low..high);
            assert!(keys.map(|key| scale.of(key)).is_sorted(), "{scale:?}");
        }
        let scale = Scale::between(1 << 40..(1 << 40) + (1 << 31));
        assert_eq!([scale.of(1_u64 << 40), scale.of((1_u64 << 40) + 9)], [0, 9]);
        assert_eq!(Scale::IDENTITY.of(7_u32), 7);
    }
}
