//! A set of edges or vertices with one bit each. Solvers collect a forest in it.

use crate::{OutOfMemory, memory};

/// A set of edge ids, which solvers return.
pub type EdgeSet = BitSet;

/// A set of numbers below a fixed bound.
///
/// Memory: one bit per number below the bound. An insertion takes O(1), in any order. One pass
/// lists the members in ascending order, so the canonical order needs no sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitSet {
    words: Vec<u64>,
    len: usize,
}

impl BitSet {
    /// An empty set of numbers below `bound`.
    pub fn new(bound: usize) -> Self {
        Self { words: vec![0; bound.div_ceil(64)], len: 0 }
    }

    /// [`new`](Self::new) for a bound that depends on the input.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn try_new(bound: usize) -> Result<Self, OutOfMemory> {
        Ok(Self { words: memory::zeros(bound.div_ceil(64))?, len: 0 })
    }

    /// The set whose member `64 i + b` is bit `b` of word `i`.
    pub fn from_words(words: Vec<u64>) -> Self {
        let len = words.iter().map(|word| word.count_ones() as usize).sum();
        Self { words, len }
    }

    /// [`from_words`](Self::from_words) with a known number of members, `len`.
    pub fn from_counted_words(words: Vec<u64>, len: usize) -> Self {
        let set = Self { words, len };
        debug_assert_eq!(set, Self::from_words(set.words.clone()));
        set
    }

    /// Adds a number; whether it was new.
    ///
    /// # Panics
    /// When the number is not below the bound, rounded up to a multiple of 64.
    #[inline]
    pub fn insert(&mut self, id: u32) -> bool {
        let (word, bit) = (&mut self.words[id as usize / 64], 1 << (id % 64));
        let new = *word & bit == 0;
        *word |= bit;
        self.len += usize::from(new);
        new
    }

    /// Whether a number is in the set.
    #[inline]
    pub fn contains(&self, id: u32) -> bool {
        self.words.get(id as usize / 64).is_some_and(|word| word >> (id % 64) & 1 == 1)
    }

    /// The number of members. O(1).
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The set as words: member `64 i + b` is bit `b` of word `i`.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The members, ascending. O(bound / 64 + members).
    pub fn into_ids(self) -> Vec<u32> {
        let room = Vec::with_capacity(self.len);
        self.list_into(room)
    }

    /// [`into_ids`](Self::into_ids) for a set whose size depends on the input.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub fn try_into_ids(self) -> Result<Vec<u32>, OutOfMemory> {
        let room = memory::with_capacity(self.len)?;
        Ok(self.list_into(room))
    }

    fn list_into(self, mut ids: Vec<u32>) -> Vec<u32> {
        for (index, mut word) in self.words.into_iter().enumerate() {
            while word != 0 {
                ids.push(index as u32 * 64 + word.trailing_zeros());
                word &= word - 1;
            }
        }
        ids
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_listed_ascending_and_once() {
        let mut set = BitSet::new(200);
        for id in [199, 0, 64, 63, 64, 0] {
            set.insert(id);
        }
        assert_eq!(set.len(), 4);
        assert!(set.contains(63) && !set.contains(62) && !set.contains(100_000));
        assert_eq!(set.clone().try_into_ids().unwrap(), [0, 63, 64, 199]);
        assert_eq!(set.into_ids(), [0, 63, 64, 199]);
    }
}
