//! A bit vector with rank queries.

use std::sync::atomic::Ordering::Relaxed;

use kostra_parallel::{atomic_u64, with_team};

/// A thread gets at least this many edges, because starting it takes the time of some thousands.
const MIN_EDGES: usize = 1 << 15;

/// A set of integers below a bound that answers in O(1) how many members are below a member. Maps
/// the ids of a subset of the vertices to consecutive ids. Takes 1.5 bits per integer below the
/// bound.
pub(crate) struct RankBitVector {
    words: Vec<u64>,
    /// The number of members before each word.
    before: Vec<u32>,
}

impl RankBitVector {
    /// The set of `members`, which may repeat. They must be below `bound` and fewer than 2^32.
    pub(crate) fn new(bound: u64, members: impl Iterator<Item = u64>) -> Self {
        let mut words = vec![0_u64; bound.div_ceil(64) as usize];
        for member in members {
            words[(member / 64) as usize] |= 1 << (member % 64);
        }
        Self::of_words(words)
    }

    /// The set whose bits are set in `words`.
    fn of_words(words: Vec<u64>) -> Self {
        let mut sum = 0;
        let count = |word: &u64| {
            sum += word.count_ones();
            sum - word.count_ones()
        };
        let before = words.iter().map(count).collect();
        Self { words, before }
    }

    /// The set of the ends `u` and `v` of edges.
    pub(crate) fn of_ends<E: Copy + Into<u64>>(bound: u64, u: &[E], v: &[E]) -> Self {
        Self::new(bound, u.iter().chain(v).map(|&end| end.into()))
    }

    /// The set of the ends `u` and `v` of edges, by up to `threads` threads.
    pub(crate) fn of_ends_on(threads: usize, bound: u32, ends: [&[u32]; 2]) -> Self {
        let threads = threads.min(ends[0].len() / MIN_EDGES).max(1);
        if threads == 1 {
            return Self::of_ends(bound.into(), ends[0], ends[1]);
        }
        let mut words = vec![0_u64; bound.div_ceil(64) as usize];
        let shared = atomic_u64(&mut words);
        with_team(threads, |team| {
            for ends in ends {
                team.in_parts(ends.len(), |_, range| {
                    for &end in &ends[range] {
                        let (word, bit) = (&shared[end as usize / 64], 1 << (end % 64));
                        if word.load(Relaxed) & bit == 0 {
                            word.fetch_or(bit, Relaxed);
                        }
                    }
                });
            }
        });
        Self::of_words(words)
    }

    /// The number of members.
    pub(crate) fn len(&self) -> usize {
        match (self.words.last(), self.before.last()) {
            (Some(word), Some(before)) => (before + word.count_ones()) as usize,
            _ => 0,
        }
    }

    /// The number of members below `member`.
    #[inline]
    pub(crate) fn rank(&self, member: u64) -> u32 {
        let (word, bit) = ((member / 64) as usize, member % 64);
        self.before[word] + (self.words[word] & ((1 << bit) - 1)).count_ones()
    }

    /// The members, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> {
        self.words.iter().zip(0..).flat_map(|(&word, index)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(index * 64 + u64::from(bit))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_set_does_not_depend_on_the_number_of_threads() {
        let ends = |seed: u32| -> Vec<u32> {
            (0..4 * MIN_EDGES as u32).map(|i| (i * seed) % 700_001).collect()
        };
        let (u, v) = (ends(7), ends(23));
        let expected = RankBitVector::of_ends(700_001, &u, &v);
        for threads in [1, 2, 9] {
            let set = RankBitVector::of_ends_on(threads, 700_001, [&u, &v]);
            assert!(set.words == expected.words && set.before == expected.before);
        }
    }

    #[test]
    fn the_rank_of_a_member_is_the_number_of_members_below_it() {
        let set = RankBitVector::of_ends(300, &[3_u32, 299, 64], &[64, 63, 7]);
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 7, 63, 64, 299]);
        assert_eq!((set.len(), set.rank(3), set.rank(64), set.rank(299)), (5, 0, 3, 4));
        assert_eq!(RankBitVector::of_ends::<u32>(0, &[], &[]).len(), 0);
    }
}
