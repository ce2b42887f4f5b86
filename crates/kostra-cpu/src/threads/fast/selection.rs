//! Selections: sets of edges, one bit per edge.
//!
//! Bits let a thread select edges in one stream, without a branch on a weight or a component. Any
//! number of threads lists the selected edges in ascending order of their ids.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

use kostra_core::EdgeId;
use kostra_parallel::{Schedule, Team};

use super::bits::ones;

/// Words in a block, the unit that a thread takes: 32,768 edges.
const WORDS_PER_BLOCK: usize = 1 << 9;
/// Parts of a selection for each thread that visits it, so that the threads end together.
const PARTS_PER_THREAD: usize = 16;
/// The most ids that a visitor gets at a time: prefetched cache lines arrive from memory while the
/// visitor passes over the ids.
pub(super) const MAX_IDS: usize = 128;

/// A set of edges. One thread at a time writes to a block.
pub(super) struct Selection<'a> {
    bits: &'a [AtomicU64],
    /// The number of selected edges in each block.
    counts: Vec<AtomicUsize>,
}

/// The edges that are neither in the forest nor dropped yet.
#[derive(Clone, Copy)]
pub(super) enum RemainingEdges<'a, 'b> {
    /// All edges of the input; the number of edges.
    All(usize),
    /// The edges of a selection.
    Selected(&'b Selection<'a>),
}

impl RemainingEdges<'_, '_> {
    pub(super) fn len(self) -> usize {
        match self {
            Self::All(edges) => edges,
            Self::Selected(selection) => selection.len(),
        }
    }

    /// The remaining edges among the 64 edges of a word.
    #[inline]
    pub(super) fn word(self, word: usize) -> u64 {
        match self {
            Self::All(edges) => u64::MAX >> (64 - (edges - word * 64).min(64)),
            Self::Selected(selection) => selection.bits[word].load(Relaxed),
        }
    }
}

impl<'a> Selection<'a> {
    /// A selection in `bits`, which may have any content until [`fill`](Self::fill).
    pub(super) fn new(bits: &'a [AtomicU64]) -> Self {
        let blocks = bits.len().div_ceil(WORDS_PER_BLOCK);
        Self { bits, counts: (0..blocks).map(|_| AtomicUsize::new(0)).collect() }
    }

    /// The number of selected edges.
    pub(super) fn len(&self) -> usize {
        self.counts.iter().map(|count| count.load(Relaxed)).sum()
    }

    /// Replaces each word by `bits_of(word)`, and calls `block_done` after each block.
    pub(super) fn fill(
        &self,
        team: &Team<'_>,
        bits_of: impl Fn(usize) -> u64 + Sync,
        block_done: impl Fn(usize) + Sync,
    ) {
        team.distribute(self.counts.len(), Schedule::Dynamic(1), |_, blocks| {
            for block in blocks {
                let mut count = 0;
                for word in self.words_of(block..block + 1) {
                    let bits = bits_of(word);
                    count += bits.count_ones() as usize;
                    self.bits[word].store(bits, Relaxed);
                }
                self.counts[block].store(count, Relaxed);
                block_done(block);
            }
        });
    }

    /// Overwrites a word without counting its bits, for selections that serve as a buffer.
    #[inline]
    pub(super) fn set_word_uncounted(&self, word: usize, bits: u64) {
        self.bits[word].store(bits, Relaxed);
    }

    /// Adds an edge that is not selected yet.
    pub(super) fn add(&self, id: EdgeId) {
        let word = id as usize / 64;
        self.bits[word].fetch_or(1 << (id % 64), Relaxed);
        self.counts[word / WORDS_PER_BLOCK].fetch_add(1, Relaxed);
    }

    fn words_of(&self, blocks: Range<usize>) -> Range<usize> {
        blocks.start * WORDS_PER_BLOCK..self.bits.len().min(blocks.end * WORDS_PER_BLOCK)
    }

    /// Calls `visit(before, ids)` with up to [`MAX_IDS`] selected edges at a time, where `before`
    /// is the number of selected edges before them.
    pub(super) fn for_each(&self, team: &Team<'_>, visit: impl Fn(usize, &[EdgeId]) + Sync) {
        let parts = self.parts(PARTS_PER_THREAD * team.threads());
        team.distribute(parts.len(), Schedule::Dynamic(1), |_, range| {
            for (start, blocks) in &parts[range] {
                self.for_each_in(blocks.clone(), *start, &visit);
            }
        });
    }

    /// The same for the selected edges of `blocks`, given the number of edges before them.
    #[inline]
    pub(super) fn for_each_in(
        &self,
        blocks: Range<usize>,
        mut before: usize,
        visit: impl Fn(usize, &[EdgeId]),
    ) {
        let (mut filled, mut ids) = (0, [0; MAX_IDS]);
        for word in self.words_of(blocks) {
            for bit in ones(self.bits[word].load(Relaxed)) {
                ids[filled] = (word * 64) as EdgeId + bit;
                filled += 1;
                if filled == MAX_IDS {
                    visit(before, &ids);
                    (before, filled) = (before + MAX_IDS, 0);
                }
            }
        }
        visit(before, &ids[..filled]);
    }

    /// The number of selected edges before each block.
    fn starts(&self) -> Vec<usize> {
        let mut start = 0;
        let starts = self.counts.iter().map(|count| {
            start += count.load(Relaxed);
            start - count.load(Relaxed)
        });
        starts.collect()
    }

    /// Partitions the blocks into at most `count` ranges with about equally many selected edges.
    /// Returns the number of selected edges before each range, and the range.
    pub(super) fn parts(&self, count: usize) -> Vec<(usize, Range<usize>)> {
        let wanted = self.len().div_ceil(count).max(1);
        let (mut parts, mut first, mut start) = (Vec::new(), 0, 0);
        for (block, end) in self.starts().into_iter().skip(1).chain([self.len()]).enumerate() {
            if end - start >= wanted || block + 1 == self.counts.len() {
                parts.push((start, first..block + 1));
                (first, start) = (block + 1, end);
            }
        }
        parts
    }

    /// The selected edges of `blocks`, in ascending order.
    pub(super) fn ids(&self, blocks: Range<usize>) -> impl Iterator<Item = EdgeId> {
        self.words_of(blocks).flat_map(|word| {
            ones(self.bits[word].load(Relaxed)).map(move |bit| (word * 64) as EdgeId + bit)
        })
    }
}
