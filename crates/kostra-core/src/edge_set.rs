//! A set of edges as one bit an edge: how solvers collect a forest.

use crate::EdgeId;

/// A set of the edges of a graph with a fixed number of edges.
///
/// Takes one bit an edge of the graph. Inserting costs O(1), in any order, and the members come out ascending in one
/// pass, which is several times faster than sorting them, and makes the canonical order a matter of type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeSet {
    words: Vec<u64>,
    len: usize,
}

impl EdgeSet {
    /// An empty set for a graph of `edges` edges.
    pub fn new(edges: usize) -> Self {
        Self { words: vec![0; edges.div_ceil(64)], len: 0 }
    }

    /// Adds an edge, and says whether it was new.
    ///
    /// # Panics
    /// When the graph has no such edge.
    #[inline]
    pub fn insert(&mut self, id: EdgeId) -> bool {
        let (word, bit) = (&mut self.words[id as usize / 64], 1 << (id % 64));
        let new = *word & bit == 0;
        *word |= bit;
        self.len += usize::from(new);
        new
    }

    /// Whether an edge is in the set.
    #[inline]
    pub fn contains(&self, id: EdgeId) -> bool {
        self.words.get(id as usize / 64).is_some_and(|word| word >> (id % 64) & 1 == 1)
    }

    /// How many edges are in the set. O(1).
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no edge is in the set.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The members, ascending. O(edges / 64 + members).
    pub fn into_ids(self) -> Vec<EdgeId> {
        let mut ids = Vec::with_capacity(self.len);
        for (index, mut word) in self.words.into_iter().enumerate() {
            while word != 0 {
                ids.push(index as EdgeId * 64 + word.trailing_zeros());
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
    fn members_come_out_ascending_and_once() {
        let mut set = EdgeSet::new(200);
        for id in [199, 0, 64, 63, 64, 0] {
            set.insert(id);
        }
        assert_eq!(set.len(), 4);
        assert!(set.contains(63) && !set.contains(62) && !set.contains(100_000));
        assert_eq!(set.into_ids(), [0, 63, 64, 199]);
    }
}
