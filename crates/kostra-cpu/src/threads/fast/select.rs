//! Choosing the edges of a band: first one bit an edge that says whether it belongs, then the chosen as records.
//!
//! Two steps, so that each is a straight stream: the first has no branch on a weight or a component, and the second
//! knows where every record goes before it reads the first, which keeps records in ascending id on any number of threads.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

use kostra_core::{EdgeId, Edges, Key, Vertex, Weight};

use super::contract::Region;
use crate::threads::team::{Schedule, Team};

/// How many words of bits, of 64 edges each, a thread takes at a time.
const WORDS: usize = 1 << 9;

/// One bit an edge, and how many are set in each block of [`WORDS`] words.
pub(super) struct Selection<'a> {
    bits: &'a [AtomicU64],
    counts: Vec<AtomicUsize>,
}

/// A place in the order of edges: a key and, among equal keys, an id. Edges up to it include it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pivot {
    pub(super) key: u64,
    pub(super) id: EdgeId,
}

impl Pivot {
    /// The pivot of the edge that comes first, or of one before it.
    pub(super) const FIRST: Self = Self { key: 0, id: 0 };
    /// The pivot that all edges come up to.
    pub(super) const LAST: Self = Self { key: u64::MAX, id: EdgeId::MAX };

    /// A pivot halfway between two, rounded down.
    pub(super) fn between(self, other: Self) -> Self {
        let wide = |pivot: Self| u128::from(pivot.key) << 32 | u128::from(pivot.id);
        let (low, high) = (wide(self), wide(other));
        let middle = low + (high - low) / 2;
        Self { key: (middle >> 32) as u64, id: middle as EdgeId }
    }
}

impl<'a> Selection<'a> {
    /// A selection of nothing, with room for a bit an edge.
    pub(super) fn new(bits: &'a [AtomicU64]) -> Self {
        let counts = (0..bits.len().div_ceil(WORDS)).map(|_| AtomicUsize::new(0)).collect();
        Self { bits, counts }
    }

    /// How many edges are selected.
    pub(super) fn len(&self) -> usize {
        self.counts.iter().map(|count| count.load(Relaxed)).sum()
    }

    /// Selects the edges up to a pivot.
    pub(super) fn up_to<W: Weight>(&self, team: &Team<'_>, edges: Edges<'_, W>, pivot: Pivot) {
        self.fill(team, |word| up_to(edges, ids_of(word, edges.len()), pivot));
    }

    /// Selects the edges between components, up to a pivot. Most edges lie inside one giant component, and the set of
    /// its vertices, one bit each, fits a closer cache than the components.
    pub(super) fn apart<W: Weight>(
        &self,
        team: &Team<'_>,
        edges: Edges<'_, W>,
        components: &[AtomicU32],
        giant: &[AtomicU64],
        pivot: Pivot,
    ) {
        let in_giant = |vertex: Vertex| giant[vertex as usize / 64].load(Relaxed) >> (vertex % 64) & 1 == 1;
        let component = |vertex: Vertex| components[vertex as usize].load(Relaxed);
        self.fill(team, |word| {
            let ids = ids_of(word, edges.len());
            let ends = || edges.u()[ids.clone()].iter().zip(&edges.v()[ids.clone()]);
            let mut bits = pack_bits(ends().map(|(&u, &v)| !(in_giant(u) & in_giant(v))));
            if pivot != Pivot::LAST {
                bits &= up_to(edges, ids.clone(), pivot);
            }
            let mut left = bits;
            while left != 0 {
                let bit = left.trailing_zeros();
                left &= left - 1;
                let (u, v) = edges.ends((word * 64) as EdgeId + bit);
                bits &= !(u64::from(component(u) == component(v)) << bit);
            }
            bits
        });
    }

    fn fill(&self, team: &Team<'_>, bits_of: impl Fn(usize) -> u64 + Sync) {
        team.deal(self.counts.len(), Schedule::Dynamic(1), |_, blocks| {
            for block in blocks {
                let mut count = 0;
                for word in self.words_of(block) {
                    let bits = bits_of(word);
                    count += bits.count_ones() as usize;
                    self.bits[word].store(bits, Relaxed);
                }
                self.counts[block].store(count, Relaxed);
            }
        });
    }

    fn words_of(&self, block: usize) -> Range<usize> {
        block * WORDS..self.bits.len().min((block + 1) * WORDS)
    }

    /// Cuts the selection into about as many regions, and says which blocks each is made of.
    pub(super) fn regions(&self, about: usize) -> Vec<(Range<usize>, Region)> {
        let wanted = self.len().div_ceil(about).max(1);
        let (mut regions, mut start, mut first, mut len) = (Vec::new(), 0, 0, 0);
        for (block, count) in self.counts.iter().enumerate() {
            len += count.load(Relaxed);
            if len >= wanted || block + 1 == self.counts.len() {
                regions.push((first..block + 1, Region { start, len: AtomicUsize::new(len) }));
                (start, first, len) = (start + len, block + 1, 0);
            }
        }
        regions
    }

    /// The selected edges of some blocks, ascending.
    pub(super) fn ids(&self, blocks: Range<usize>) -> impl Iterator<Item = EdgeId> {
        let words = blocks.start * WORDS..self.bits.len().min(blocks.end * WORDS);
        words.flat_map(|word| {
            let mut bits = self.bits[word].load(Relaxed);
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| bits.trailing_zeros())?;
                bits &= bits - 1;
                Some((word * 64) as EdgeId + bit)
            })
        })
    }
}

/// Which of up to 64 edges come up to a pivot.
#[inline(always)]
fn up_to<W: Weight>(edges: Edges<'_, W>, ids: Range<usize>, pivot: Pivot) -> u64 {
    let keys = edges.weights()[ids.clone()].iter().map(|&weight| edges.key_of(weight).to_u64());
    // Among equal keys the lower ids come first, so that the key is inclusive up to the pivot's id.
    if ids.end <= pivot.id as usize + 1 {
        pack_bits(keys.map(|key| key <= pivot.key))
    } else if ids.start > pivot.id as usize {
        pack_bits(keys.map(|key| key < pivot.key))
    } else {
        pack_bits(keys.zip(ids).map(|(key, id)| (key, id) <= (pivot.key, pivot.id as usize)))
    }
}

fn ids_of(word: usize, edges: usize) -> Range<usize> {
    word * 64..edges.min(word * 64 + 64)
}

/// The answers to up to 64 questions as bits, the first lowest.
#[inline(always)]
fn pack_bits(answers: impl Iterator<Item = bool>) -> u64 {
    let mut bytes = [0_u8; 64];
    for (byte, answer) in bytes.iter_mut().zip(answers) {
        *byte = u8::from(answer);
    }
    let mut bits = 0;
    for (index, eight) in bytes.chunks_exact(8).enumerate() {
        let eight = u64::from_le_bytes(eight.try_into().unwrap_or_default());
        // Each byte is 0 or 1; the multiplication gathers them in the top byte.
        bits |= (eight.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * index);
    }
    bits
}
