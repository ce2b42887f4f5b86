//! The entries of rows that have not been pruned: one bit each.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use kostra_parallel::atomic_u64;

/// A bit for each entry of an array that threads divide.
///
/// Memory order: relaxed. Threads clear bits of their own entries only, by atomic ANDs, because two
/// threads may have entries in the same word.
pub(super) struct LiveArcs<'a> {
    words: &'a [AtomicU64],
}

impl<'a> LiveArcs<'a> {
    /// The number of words for `entries` entries.
    pub(super) const fn words(entries: usize) -> usize {
        entries.div_ceil(64)
    }

    /// Bits in words of any content.
    pub(super) fn in_words(words: &'a mut [u64]) -> Self {
        Self { words: atomic_u64(words) }
    }

    /// The number of words.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Sets all bits of a word.
    pub(super) fn revive(&self, word: usize) {
        self.words[word].store(u64::MAX, Relaxed);
    }

    /// The bits of some entries: for each word, its index and those of its bits that are set.
    #[inline]
    fn bits(&self, entries: Range<usize>) -> impl Iterator<Item = (usize, u64)> {
        let Range { start, end } = entries;
        (start / 64..end.div_ceil(64)).map(move |word| {
            let mut mask = u64::MAX;
            if word == start / 64 {
                mask <<= start % 64;
            }
            if end < 64 * (word + 1) {
                mask &= u64::MAX >> (64 * (word + 1) - end);
            }
            (word, mask & self.words[word].load(Relaxed))
        })
    }

    /// The live entries among some entries, ascending.
    #[inline]
    pub(super) fn iter(&self, entries: Range<usize>) -> impl Iterator<Item = usize> {
        self.bits(entries).flat_map(|(word, bits)| positions(bits).map(move |bit| 64 * word + bit))
    }

    /// Keeps the live entries for which `is_live` holds, and returns their number.
    #[inline]
    pub(super) fn retain(&self, entries: Range<usize>, is_live: impl Fn(usize) -> bool) -> usize {
        let mut kept = 0;
        for (word, bits) in self.bits(entries) {
            let mut dead = 0_u64;
            for bit in positions(bits) {
                dead |= u64::from(!is_live(64 * word + bit)) << bit;
            }
            if dead != 0 {
                self.words[word].fetch_and(!dead, Relaxed);
            }
            kept += (bits & !dead).count_ones() as usize;
        }
        kept
    }
}

/// The positions of the bits that are set, ascending.
fn positions(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let position = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
        bits &= bits - 1;
        Some(position)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_any_range_are_visited_and_removed_alone() {
        let mut words = vec![0; LiveArcs::words(200)];
        let arcs = LiveArcs::in_words(&mut words);
        (0..arcs.len()).for_each(|word| arcs.revive(word));
        for range in [0..0, 64..64, 70..70, 0..64, 3..5, 60..70, 63..129, 128..200] {
            let found: Vec<_> = arcs.iter(range.clone()).collect();
            assert_eq!(found, range.collect::<Vec<_>>());
        }
        assert_eq!(arcs.retain(60..140, |entry| entry % 3 == 0), 27);
        assert_eq!(arcs.retain(100..100, |_| false), 0);
        let expected: Vec<_> =
            (0..200).filter(|entry| !(60..140).contains(entry) || entry % 3 == 0).collect();
        assert_eq!(arcs.iter(0..200).collect::<Vec<_>>(), expected);
    }
}
