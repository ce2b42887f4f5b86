//! A pair of points in the canonical order.

use kostra_core::{OutOfMemory, memory};

use crate::{PointTree, Prepared};

/// A pair of points with its compared distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) compared: f64,
    /// The lower index.
    pub(crate) low: u32,
    /// The higher index.
    pub(crate) high: u32,
}

impl Pair {
    /// After every pair.
    pub(crate) const NONE: Self = Self { compared: f64::INFINITY, low: u32::MAX, high: u32::MAX };

    #[inline(always)]
    pub(crate) fn new(compared: f64, u: u32, v: u32) -> Self {
        Self { compared, low: u.min(v), high: u.max(v) }
    }

    /// Whether the pair is before another one in the order of (compared distance, lower index,
    /// higher index).
    #[inline(always)]
    pub(crate) fn is_before(&self, other: &Self) -> bool {
        self.key() < other.key()
    }

    /// The position in the order, as integers. Compared distances are not negative, so their bits
    /// ascend with them.
    #[inline(always)]
    pub(crate) fn key(&self) -> (u64, u64) {
        (self.compared.to_bits(), u64::from(self.low) << 32 | u64::from(self.high))
    }
}

/// The tree of the given pairs, in any order.
pub(crate) fn tree(
    prepared: &Prepared<'_>,
    mut pairs: Vec<Pair>,
) -> Result<PointTree, OutOfMemory> {
    sort(&mut pairs)?;
    Ok(PointTree {
        len: prepared.len(),
        ends: memory::collected(pairs.iter().map(|pair| [pair.low, pair.high]))?,
        distances: memory::collected(pairs.iter().map(|pair| prepared.reported(pair.compared)))?,
    })
}

/// Sorts pairs in the canonical order: a radix sort by distance, then the ties. O(n) without ties.
fn sort(pairs: &mut Vec<Pair>) -> Result<(), OutOfMemory> {
    /// The bits of a digit: the counters fit into the first cache.
    const BITS: usize = 11;
    /// Below, counting costs more than comparing.
    const FEW: usize = 1 << 12;
    if pairs.len() < FEW {
        pairs.sort_unstable_by_key(Pair::key);
        return Ok(());
    }
    let mut spare = memory::filled(pairs.len(), Pair::NONE)?;
    for shift in (0..u64::BITS as usize).step_by(BITS) {
        let digit = |pair: &Pair| (pair.compared.to_bits() >> shift) as usize & ((1 << BITS) - 1);
        let mut places = [0; 1 << BITS];
        pairs.iter().for_each(|pair| places[digit(pair)] += 1);
        if places.contains(&pairs.len()) {
            continue;
        }
        let mut place = 0;
        for count in &mut places {
            place += std::mem::replace(count, place);
        }
        for pair in &*pairs {
            let place = &mut places[digit(pair)];
            spare[*place] = *pair;
            *place += 1;
        }
        std::mem::swap(pairs, &mut spare);
    }
    let ties = pairs.chunk_by_mut(|a, b| a.compared == b.compared);
    ties.filter(|ties| ties.len() > 1).for_each(|ties| ties.sort_unstable_by_key(Pair::key));
    Ok(())
}

#[cfg(test)]
mod tests {
    use kostra_core::random::Stream;

    use super::*;

    #[test]
    fn pairs_are_sorted_by_distance_and_then_by_indices() {
        let random = Stream::new(5);
        for distances in [1, 100, 1 << 40] {
            let pair = |i: u64| {
                let compared = random.below(3 * i, distances) as f64 / 64.0;
                let end = |k| random.below(3 * i + k, 1000) as u32;
                Pair::new(compared, end(1), end(2))
            };
            for n in [0, 1, 100, 10_000] {
                let mut pairs: Vec<_> = (0..n).map(pair).collect();
                let mut expected = pairs.clone();
                expected.sort_by_key(Pair::key);
                sort(&mut pairs).unwrap();
                assert_eq!(pairs, expected);
            }
        }
    }
}
