//! A pair of points in the canonical order.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};

use kostra_core::{OutOfMemory, memory};
use kostra_parallel::{Team, atomic_u64, for_each_item, into_item, lock};

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
    team: &Team<'_>,
) -> Result<PointTree, OutOfMemory> {
    sort(&mut pairs, team)?;
    sorted_tree(prepared.len(), &pairs, |compared| prepared.reported(compared), team)
}

/// The tree of `len` points with the given pairs in the canonical order.
pub(crate) fn sorted_tree(
    len: u32,
    pairs: &[Pair],
    reported: impl Fn(f64) -> f64 + Sync,
    team: &Team<'_>,
) -> Result<PointTree, OutOfMemory> {
    let mut ends = memory::zeros(pairs.len())?;
    let mut distances = memory::zeros(pairs.len())?;
    let blocks = ends.chunks_mut(BLOCK).zip(distances.chunks_mut(BLOCK)).zip(pairs.chunks(BLOCK));
    for_each_item(team, blocks, |((ends, distances), pairs)| {
        for ((ends, distance), pair) in ends.iter_mut().zip(distances).zip(pairs) {
            (*ends, *distance) = ([pair.low, pair.high], reported(pair.compared));
        }
    });
    Ok(PointTree { len, ends, distances })
}

/// Pairs that a thread takes at a time.
const BLOCK: usize = 1 << 14;
/// The bits of a digit: the counters fit into the first cache.
const DIGIT: u32 = 11;
/// The digits of a prefix. Few keys have the same prefix, unless many are equal.
const DIGITS: u32 = 3;
/// Below, counting costs more than comparing.
const FEW: usize = 1 << 12;

/// Sorts pairs in the canonical order: a radix sort by a prefix of the distance, then the pairs of
/// each prefix. If many pairs have one prefix, all threads sort these in the same way, by the next
/// bits of the distance, and by the indices if the distances are equal. O(n).
pub(crate) fn sort(pairs: &mut Vec<Pair>, team: &Team<'_>) -> Result<(), OutOfMemory> {
    if pairs.len() < FEW {
        pairs.sort_unstable_by_key(Pair::key);
        return Ok(());
    }
    let mut spare = memory::filled(pairs.len(), Pair::NONE)?;
    if sort_with(pairs, &mut spare, team)? {
        std::mem::swap(pairs, &mut spare);
    }
    Ok(())
}

/// Sorts pairs with spare memory for as many. Returns whether the sorted pairs are in `spare`.
fn sort_with(pairs: &mut [Pair], spare: &mut [Pair], team: &Team<'_>) -> Result<bool, OutOfMemory> {
    let distance = |pair: &Pair| pair.key().0;
    let indices = |pair: &Pair| pair.key().1;
    if let Some(range) = range_of(pairs, distance) {
        return sort_by(distance, range, pairs, spare, team);
    }
    match range_of(pairs, indices) {
        Some(range) => sort_by(indices, range, pairs, spare, team),
        None => Ok(false),
    }
}

/// The least and the most key; none if all are equal.
fn range_of(pairs: &[Pair], key: impl Fn(&Pair) -> u64) -> Option<[u64; 2]> {
    let keys = pairs.iter().map(key);
    let (least, most) =
        keys.fold((u64::MAX, 0), |(least, most), key| (least.min(key), most.max(key)));
    (least < most).then_some([least, most])
}

/// [`sort_with`], first by a key with this range.
fn sort_by(
    key: impl Fn(&Pair) -> u64 + Sync,
    [least, most]: [u64; 2],
    pairs: &mut [Pair],
    spare: &mut [Pair],
    team: &Team<'_>,
) -> Result<bool, OutOfMemory> {
    // The prefix has the highest bits in which keys differ from the least one.
    let shift = (u64::BITS - (most - least).leading_zeros()).saturating_sub(DIGITS * DIGIT);
    let prefix = |pair: &Pair| (key(pair) - least) >> shift;
    let (mut sorted, mut other, mut is_in_spare) = (pairs, spare, false);
    for digit in 0..DIGITS {
        let digit_of =
            |pair: &Pair| (prefix(pair) >> (digit * DIGIT)) as usize & ((1 << DIGIT) - 1);
        if move_by_digit(sorted, other, digit_of, team)? {
            std::mem::swap(&mut sorted, &mut other);
            is_in_spare = !is_in_spare;
        }
    }
    for range in sort_short_runs(sorted, prefix, team) {
        let (run, spare) = (&mut sorted[range.clone()], &mut other[range]);
        if sort_with(run, spare, team)? {
            let blocks = run.chunks_mut(BLOCK).zip(spare.chunks(BLOCK));
            for_each_item(team, blocks, |(run, spare)| run.copy_from_slice(spare));
        }
    }
    Ok(is_in_spare)
}

/// Sorts the runs of pairs with one prefix, and returns the places of those that are too long for
/// one thread.
fn sort_short_runs(
    pairs: &mut [Pair],
    prefix: impl Fn(&Pair) -> u64 + Sync,
    team: &Team<'_>,
) -> Vec<Range<usize>> {
    /// The least number of long runs that keep a thread as busy as all pairs.
    const LONG_RUNS: usize = 8;
    let longest = FEW.max(pairs.len() / (LONG_RUNS * team.threads()));
    let mut parts = Vec::with_capacity(team.threads());
    let (mut start, mut rest) = (0, pairs);
    for part in (1..=team.threads()).rev() {
        let mut len = rest.len() / part;
        while len > 0 && len < rest.len() && prefix(&rest[len]) == prefix(&rest[len - 1]) {
            len += 1;
        }
        let (own, others) = rest.split_at_mut(len);
        parts.push((start, own));
        (start, rest) = (start + len, others);
    }
    let long = Mutex::new(Vec::new());
    for_each_item(team, parts.into_iter(), |(mut start, pairs)| {
        for run in pairs.chunk_by_mut(|a, b| prefix(a) == prefix(b)) {
            let range = start..start + run.len();
            start = range.end;
            if run.len() > longest {
                lock(&long).push(range);
            } else if run.len() > 1 {
                run.sort_unstable_by_key(Pair::key);
            }
        }
    });
    into_item(long)
}

/// Copies the pairs to `to`, ordered by a digit, and keeps the order of pairs of one digit. Returns
/// `false` and copies nothing if all pairs have one digit.
fn move_by_digit(
    from: &[Pair],
    to: &mut [Pair],
    digit_of: impl Fn(&Pair) -> usize + Sync,
    team: &Team<'_>,
) -> Result<bool, OutOfMemory> {
    const VALUES: usize = 1 << DIGIT;
    let parts = team.threads();
    let mut counts = memory::zeros(parts * VALUES)?;
    let slots = atomic_u64(&mut counts);
    team.in_parts(from.len(), |part, range| {
        let mut places = [0_u64; VALUES];
        from[range].iter().for_each(|pair| places[digit_of(pair)] += 1);
        for (slot, count) in slots[part * VALUES..].iter().zip(places) {
            slot.store(count, Relaxed);
        }
    });
    if (0..VALUES).any(|digit| {
        (0..parts).map(|part| counts[part * VALUES + digit] as usize).sum::<usize>() == from.len()
    }) {
        return Ok(false);
    }
    // The places of each part: a range for each digit.
    let mut places: Vec<_> = (0..parts).map(|_| Mutex::new(Vec::with_capacity(VALUES))).collect();
    let mut rest = to;
    for digit in 0..VALUES {
        for (part, places) in places.iter_mut().enumerate() {
            let (own, others) = rest.split_at_mut(counts[part * VALUES + digit] as usize);
            places.get_mut().unwrap_or_else(PoisonError::into_inner).push(own.iter_mut());
            rest = others;
        }
    }
    team.in_parts(from.len(), |part, range| {
        let mut places = lock(&places[part]);
        for pair in &from[range] {
            if let Some(place) = places[digit_of(pair)].next() {
                *place = *pair;
            }
        }
    });
    Ok(true)
}

#[cfg(test)]
mod tests {
    use kostra_core::random::RandomStream;
    use kostra_parallel::with_team;

    use super::*;

    #[test]
    fn pairs_with_many_equal_distances_are_sorted_by_indices() {
        let random = RandomStream::new(6);
        // All equal; two nearly equal distances; a few apart from the others.
        let distances: [fn(u64) -> f64; 4] = [
            |_| 1.0,
            |draw| if draw % 2 == 0 { 1.0 } else { f64::from_bits(1.0_f64.to_bits() + 1) },
            |draw| if draw % 100 == 0 { draw as f64 } else { 1.0 + (draw % 3) as f64 * 1e-14 },
            |draw| if draw == 0 { f64::INFINITY } else { 0.0 },
        ];
        for (case, distance) in distances.into_iter().enumerate() {
            for (n, most) in [(20_000, 50_000), (20_000, 2), (5000, u32::MAX)] {
                let pair = |i: u64| {
                    let end = |k| random.below(3 * i + k, u64::from(most)) as u32;
                    Pair::new(distance(random.below(3 * i, 10_000)), end(1), end(2))
                };
                let pairs: Vec<_> = (0..n).map(pair).collect();
                let mut expected = pairs.clone();
                expected.sort_by_key(Pair::key);
                for threads in [1, 2, 5] {
                    let mut sorted = pairs.clone();
                    with_team(threads, |team| sort(&mut sorted, team)).unwrap();
                    assert_eq!(sorted, expected, "case {case}, {n} pairs, {threads} threads");
                }
            }
        }
    }

    #[test]
    fn pairs_are_sorted_by_distance_and_then_by_indices() {
        let random = RandomStream::new(5);
        for distances in [1, 100, 1 << 40] {
            let pair = |i: u64| {
                let compared = random.below(3 * i, distances) as f64 / 64.0;
                let end = |k| random.below(3 * i + k, 1000) as u32;
                Pair::new(compared, end(1), end(2))
            };
            for n in [0, 1, 100, 10_000] {
                let pairs: Vec<_> = (0..n).map(pair).collect();
                let mut expected = pairs.clone();
                expected.sort_by_key(Pair::key);
                for threads in [1, 3] {
                    let mut sorted = pairs.clone();
                    with_team(threads, |team| sort(&mut sorted, team)).unwrap();
                    assert_eq!(sorted, expected);
                }
            }
        }
    }
}
