//! Choosing edges: one bit an edge that says whether it is chosen.
//!
//! Bits, so that each choice is a straight stream without a branch on a weight or a component, and
//! so that the chosen come out in ascending id on any number of threads.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

use kostra_core::{EdgeId, Edges, Key, Vertex, Weight, prefetch};

use super::bits::{ones, pack_bits};
use super::spokes::Spokes;
use kostra_parallel::{Schedule, Team};

/// How many words of bits, of 64 edges each, a thread takes at a time.
const WORDS: usize = 1 << 9;
/// How many edges ahead memory is asked for where all of it is read in order: further than the
/// processor does by itself, which stops at the end of each small page.
const AHEAD: usize = 1 << 10;
/// At how many places edges are drawn to place a pivot, and how many at each, which lie side by
/// side in memory.
const PLACES: usize = 1 << 12;
const DRAWN: usize = 8;
/// From so many candidates of 64 on it is faster to answer for all.
const MANY: u32 = 24;

/// How many parts of a selection there are for each thread that is told of it.
const PARTS: usize = 16;
/// How many edges are told of at a time: enough for a cache line to arrive from memory while they
/// are gone through.
pub(super) const TOLD: usize = 128;

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

/// The edges that are still candidates.
#[derive(Clone, Copy)]
pub(super) enum Candidates<'a, 'b> {
    /// So many, which is all of them.
    All(usize),
    /// Those of a selection.
    These(&'b Selection<'a>),
}

impl Candidates<'_, '_> {
    pub(super) fn len(self) -> usize {
        match self {
            Self::All(edges) => edges,
            Self::These(selection) => selection.len(),
        }
    }

    /// Which of the 64 edges of a word are candidates.
    #[inline]
    fn word(self, word: usize) -> u64 {
        match self {
            Self::All(edges) => u64::MAX >> (64 - (edges - word * 64).min(64)),
            Self::These(selection) => selection.bits[word].load(Relaxed),
        }
    }

    /// The place in the order up to which about so many candidates come, after a sample of them.
    pub(super) fn pivot<W: Weight>(self, edges: Edges<'_, W>, wanted: usize) -> Pivot {
        let candidates = self.len();
        if wanted >= candidates {
            return Pivot::LAST;
        }
        // From each of PLACES stretches of equal length the first candidates from a place that a
        // hash picks.
        let words = edges.len().div_ceil(64);
        let stretch = (edges.len() / PLACES).max(1);
        let places = edges.len() / stretch;
        let place = |index: usize| {
            let hash = (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
            index * stretch + ((hash * stretch as u64) >> 32) as usize
        };
        (0..places).for_each(|index| prefetch(edges.weights(), place(index)));
        let mut sample = Vec::with_capacity(places * DRAWN);
        for index in 0..places {
            let at = place(index);
            let rest = at / 64 + 1..words.min(((index + 1) * stretch).div_ceil(64));
            let found = std::iter::once((at / 64, self.word(at / 64) & u64::MAX << (at % 64)))
                .chain(rest.map(|word| (word, self.word(word))))
                .find(|(_, bits)| *bits != 0);
            let ids = found
                .into_iter()
                .flat_map(|(word, bits)| ones(bits).map(move |bit| (word * 64) as EdgeId + bit));
            sample.extend(ids.take(DRAWN).map(|id| Pivot { key: edges.key(id).to_u64(), id }));
        }
        if sample.is_empty() {
            return Pivot::LAST;
        }
        let index = (sample.len() * wanted / candidates).min(sample.len() - 1);
        *sample.select_nth_unstable(index).1
    }
}

impl<'a> Selection<'a> {
    /// A selection of whatever the bits say, with room for a bit an edge.
    pub(super) fn new(bits: &'a [AtomicU64]) -> Self {
        let counts = (0..bits.len().div_ceil(WORDS)).map(|_| AtomicUsize::new(0)).collect();
        Self { bits, counts }
    }

    /// How many edges are selected.
    pub(super) fn len(&self) -> usize {
        self.counts.iter().map(|count| count.load(Relaxed)).sum()
    }

    /// Selects the candidates up to a pivot.
    pub(super) fn take_up_to<W: Weight>(
        &self,
        team: &Team<'_>,
        edges: Edges<'_, W>,
        candidates: Candidates<'_, '_>,
        pivot: Pivot,
    ) {
        self.fill(
            team,
            |word| match candidates.word(word) {
                0 => 0,
                bits if pivot == Pivot::LAST => bits,
                bits => {
                    prefetch_ahead(edges.weights(), word);
                    bits & up_to(edges, word * 64..edges.len().min(word * 64 + 64), pivot)
                }
            },
            |_| (),
        );
    }

    /// Selects the candidates between components, which may be these. Most edges lie inside one
    /// giant component, or lead out of it, and the set of its vertices, one bit each, fits a closer
    /// cache than the components. Where spokes are given, edges that lead out are offered to them
    /// instead, and what another selection holds is lost.
    pub(super) fn take_apart<W: Weight>(
        &self,
        team: &Team<'_>,
        edges: Edges<'_, W>,
        candidates: Candidates<'_, '_>,
        (components, giant): (&[AtomicU32], &[AtomicU64]),
        spokes: Option<(&Spokes<'_, W>, &Selection<'_>)>,
    ) {
        let in_giant =
            |vertex: Vertex| giant[vertex as usize / 64].load(Relaxed) >> (vertex % 64) & 1 == 1;
        let component = |vertex: Vertex| components[vertex as usize].load(Relaxed);
        let bits_of = |word: usize| {
            let candidates = candidates.word(word);
            let (mut leading_out, mut outside) = (0, 0);
            if candidates.count_ones() >= MANY {
                let ids = word * 64..edges.len().min(word * 64 + 64);
                let u = pack_bits(&edges.u()[ids.clone()], in_giant);
                let v = pack_bits(&edges.v()[ids], in_giant);
                (leading_out, outside) = ((u ^ v) & candidates, !(u | v) & candidates);
            } else {
                for bit in ones(candidates) {
                    let (u, v) = edges.ends((word * 64) as EdgeId + bit);
                    let (u, v) = (in_giant(u), in_giant(v));
                    leading_out |= u64::from(u ^ v) << bit;
                    outside |= u64::from(!(u | v)) << bit;
                }
            }
            let mut apart = 0;
            for bit in ones(outside) {
                let (u, v) = edges.ends((word * 64) as EdgeId + bit);
                apart |= u64::from(component(u) != component(v)) << bit;
            }
            match &spokes {
                None => apart | leading_out,
                Some((_, room)) => {
                    room.bits[word].store(leading_out, Relaxed);
                    apart
                }
            }
        };
        self.fill(team, bits_of, |block| {
            if let Some((spokes, room)) = &spokes {
                room.for_each_of(block..block + 1, 0, |_, ids| spokes.offer(ids, in_giant));
            }
        });
    }

    fn fill(
        &self,
        team: &Team<'_>,
        bits_of: impl Fn(usize) -> u64 + Sync,
        filled: impl Fn(usize) + Sync,
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
                filled(block);
            }
        });
    }

    /// Adds an edge that is not selected yet.
    pub(super) fn add(&self, id: EdgeId) {
        let word = id as usize / 64;
        self.bits[word].fetch_or(1 << (id % 64), Relaxed);
        self.counts[word / WORDS].fetch_add(1, Relaxed);
    }

    fn words_of(&self, blocks: Range<usize>) -> Range<usize> {
        blocks.start * WORDS..self.bits.len().min(blocks.end * WORDS)
    }

    /// Tells of all selected edges, some at a time: how many are before them, and their ids.
    pub(super) fn for_each(&self, team: &Team<'_>, tell: impl Fn(usize, &[EdgeId]) + Sync) {
        let parts = self.parts(PARTS * team.threads());
        team.distribute(parts.len(), Schedule::Dynamic(1), |_, dealt| {
            for (start, blocks) in &parts[dealt] {
                self.for_each_of(blocks.clone(), *start, &tell);
            }
        });
    }

    /// Tells of the selected edges of some blocks, given how many are before them.
    #[inline]
    fn for_each_of(&self, blocks: Range<usize>, mut start: usize, tell: impl Fn(usize, &[EdgeId])) {
        let (mut filled, mut ids) = (0, [0; TOLD]);
        for word in self.words_of(blocks) {
            for bit in ones(self.bits[word].load(Relaxed)) {
                ids[filled] = (word * 64) as EdgeId + bit;
                filled += 1;
                if filled == TOLD {
                    tell(start, &ids);
                    (start, filled) = (start + TOLD, 0);
                }
            }
        }
        tell(start, &ids[..filled]);
    }

    /// How many edges are selected before each block.
    fn starts(&self) -> Vec<usize> {
        let mut start = 0;
        let starts = self.counts.iter().map(|count| {
            start += count.load(Relaxed);
            start - count.load(Relaxed)
        });
        starts.collect()
    }

    /// Cuts the blocks into ranges with about equally many selected edges, so many ranges or fewer.
    /// Says how many edges are selected before each.
    pub(super) fn parts(&self, about: usize) -> Vec<(usize, Range<usize>)> {
        let wanted = self.len().div_ceil(about).max(1);
        let (mut parts, mut first, mut start) = (Vec::new(), 0, 0);
        for (block, end) in self.starts().into_iter().skip(1).chain([self.len()]).enumerate() {
            if end - start >= wanted || block + 1 == self.counts.len() {
                parts.push((start, first..block + 1));
                (first, start) = (block + 1, end);
            }
        }
        parts
    }

    /// The selected edges of some blocks, ascending.
    pub(super) fn ids(&self, blocks: Range<usize>) -> impl Iterator<Item = EdgeId> {
        self.words_of(blocks).flat_map(|word| {
            ones(self.bits[word].load(Relaxed)).map(move |bit| (word * 64) as EdgeId + bit)
        })
    }
}

/// Starts bringing into the cache what will be wanted of 64 edges, some time after those of a word.
#[inline(always)]
fn prefetch_ahead<T>(items: &[T], word: usize) {
    let line = 64 / size_of::<T>();
    (0..64).step_by(line).for_each(|item| prefetch(items, word * 64 + AHEAD + item));
}

/// Which of up to 64 edges come up to a pivot.
#[inline(always)]
fn up_to<W: Weight>(edges: Edges<'_, W>, ids: Range<usize>, pivot: Pivot) -> u64 {
    let weights = &edges.weights()[ids.clone()];
    let limit = W::Key::from_u64(pivot.key);
    let up_to = || pack_bits(weights, |weight| edges.key_of(weight) <= limit);
    let below = || pack_bits(weights, |weight| edges.key_of(weight) < limit);
    // Among equal keys the lower ids come first, so that the key is inclusive up to the pivot's id.
    // A key beyond all that there are is inclusive everywhere.
    if ids.end <= pivot.id as usize + 1 || limit.to_u64() < pivot.key {
        up_to()
    } else if ids.start > pivot.id as usize {
        below()
    } else {
        below() | up_to() & ((2 << (pivot.id as usize - ids.start)) - 1)
    }
}
