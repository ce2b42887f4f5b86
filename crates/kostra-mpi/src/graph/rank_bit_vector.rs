//! A set of names in which each member knows how many come before it.

/// A set of names below a bound: the way from the names of many vertices to those of a few, in a
/// bit and a half for each of the many.
pub(crate) struct Ranked {
    words: Vec<u64>,
    before: Vec<u32>,
}

impl Ranked {
    /// Some names below a bound, fewer than 2^32; they may be there many times.
    pub(crate) fn new(bound: u64, names: impl Iterator<Item = u64>) -> Self {
        let mut words = vec![0_u64; bound.div_ceil(64) as usize];
        for name in names {
            words[(name / 64) as usize] |= 1 << (name % 64);
        }
        let mut sum = 0;
        let count = |word: &u64| {
            sum += word.count_ones();
            sum - word.count_ones()
        };
        let before = words.iter().map(count).collect();
        Self { words, before }
    }

    /// The ends of some edges.
    pub(crate) fn ends<E: Copy + Into<u64>>(bound: u64, u: &[E], v: &[E]) -> Self {
        Self::new(bound, u.iter().chain(v).map(|&end| end.into()))
    }

    /// How many members there are.
    pub(crate) fn len(&self) -> usize {
        match (self.words.last(), self.before.last()) {
            (Some(word), Some(before)) => (before + word.count_ones()) as usize,
            _ => 0,
        }
    }

    /// How many members are below a member.
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
    fn members_are_counted() {
        let set = Ranked::ends(300, &[3_u32, 299, 64], &[64, 63, 7]);
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 7, 63, 64, 299]);
        assert_eq!((set.len(), set.rank(3), set.rank(64), set.rank(299)), (5, 0, 3, 4));
        assert_eq!(Ranked::ends::<u32>(0, &[], &[]).len(), 0);
    }
}
