//! Pivots: choosing how light the edges of a batch are, and selecting these edges.

use std::ops::Range;

use kostra_core::{EdgeId, Edges, Key, prefetch};
use kostra_parallel::Team;

use super::bits::{ones, pack_bits};
use super::selection::{RemainingEdges, Selection};

/// Edges up to the pivot that a sample should have: then the number of all edges up to the pivot
/// deviates by about an eighth from what was wanted.
const LIGHT_SAMPLED: usize = 1 << 6;
/// The least and the greatest number of edges of a sample.
const SAMPLED: (usize, usize) = (1 << 15, 1 << 20);
/// Edges drawn at each position, which costs a cache miss: neighbors in memory, so that most share
/// its cache line.
const EDGES_PER_POSITION: usize = 16;
/// Edges between the prefetch of a weight and its use: 4 KiB of 32-bit weights. The processor's own
/// prefetcher stops at the end of each 4 KiB page.
const WEIGHT_PREFETCH: usize = 1 << 10;

/// A point in the order of edges: a key and, among equal keys, an id. The edges up to a pivot
/// include the edge at the pivot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pivot {
    key: u64,
    id: EdgeId,
}

impl Pivot {
    /// No edge precedes this pivot.
    pub(super) const FIRST: Self = Self { key: 0, id: 0 };
    /// All edges come up to this pivot.
    pub(super) const LAST: Self = Self { key: u64::MAX, id: EdgeId::MAX };

    /// The middle between two pivots, rounded down.
    pub(super) fn between(self, other: Self) -> Self {
        let wide = |pivot: Self| u128::from(pivot.key) << 32 | u128::from(pivot.id);
        let (low, high) = (wide(self), wide(other));
        let middle = low + (high - low) / 2;
        Self { key: (middle >> 32) as u64, id: middle as EdgeId }
    }

    /// The pivot that about `wanted` of the remaining edges come up to, according to a sample.
    pub(super) fn from_sample<K: Key>(
        edges: Edges<'_, K>,
        remaining: RemainingEdges<'_, '_>,
        wanted: usize,
    ) -> Self {
        let count = remaining.len();
        if wanted >= count {
            return Self::LAST;
        }
        let sampled = (LIGHT_SAMPLED * (count / wanted.max(1))).clamp(SAMPLED.0, SAMPLED.1);
        let mut sample = draw_sample(edges, remaining, sampled / EDGES_PER_POSITION);
        if sample.is_empty() {
            return Self::LAST;
        }
        let index = (sample.len() * wanted / count).min(sample.len() - 1);
        *sample.select_nth_unstable(index).1
    }
}

/// Draws remaining edges: in each of about `positions` stretches of equal length, the first ones
/// from a position that a hash function picks.
fn draw_sample<K: Key>(
    edges: Edges<'_, K>,
    remaining: RemainingEdges<'_, '_>,
    positions: usize,
) -> Vec<Pivot> {
    let words = edges.len().div_ceil(64);
    let stretch = (edges.len() / positions).max(1);
    let positions = edges.len() / stretch;
    let position = |index: usize| {
        let hash = (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        index * stretch + ((hash * stretch as u64) >> 32) as usize
    };
    (0..positions).for_each(|index| prefetch(edges.weights(), position(index)));
    let mut sample = Vec::with_capacity(positions * EDGES_PER_POSITION);
    for index in 0..positions {
        let at = position(index);
        let rest = at / 64 + 1..words.min(((index + 1) * stretch).div_ceil(64));
        let found = std::iter::once((at / 64, remaining.word(at / 64) & u64::MAX << (at % 64)))
            .chain(rest.map(|word| (word, remaining.word(word))))
            .find(|(_, bits)| *bits != 0);
        let ids = found
            .into_iter()
            .flat_map(|(word, bits)| ones(bits).map(move |bit| (word * 64) as EdgeId + bit));
        let drawn = ids.take(EDGES_PER_POSITION);
        sample.extend(drawn.map(|id| Pivot { key: edges.key(id).to_u64(), id }));
    }
    sample
}

/// Replaces `selection` by the remaining edges up to a pivot.
pub(super) fn select_up_to<K: Key>(
    pivot: Pivot,
    remaining: RemainingEdges<'_, '_>,
    selection: &Selection<'_>,
    edges: Edges<'_, K>,
    team: &Team<'_>,
) {
    selection.fill(
        team,
        |word| match remaining.word(word) {
            0 => 0,
            bits if pivot == Pivot::LAST => bits,
            bits => {
                prefetch_weights(edges.weights(), word);
                bits & bits_up_to(edges, word * 64..edges.len().min(word * 64 + 64), pivot)
            }
        },
        |_| (),
    );
}

/// Prefetches the weights of 64 edges, [`WEIGHT_PREFETCH`] edges after those of `word`.
#[inline(always)]
fn prefetch_weights<T>(weights: &[T], word: usize) {
    let line = 64 / size_of::<T>();
    (0..64).step_by(line).for_each(|item| prefetch(weights, word * 64 + WEIGHT_PREFETCH + item));
}

/// Which of up to 64 edges come up to a pivot.
#[inline(always)]
fn bits_up_to<K: Key>(edges: Edges<'_, K>, ids: Range<usize>, pivot: Pivot) -> u64 {
    let weights = &edges.weights()[ids.clone()];
    let limit = K::from_u64(pivot.key);
    let up_to = || pack_bits(weights, |weight| edges.key_of(weight) <= limit);
    let below = || pack_bits(weights, |weight| edges.key_of(weight) < limit);
    // Among edges with the pivot's key, those up to the pivot's id belong to it. If the pivot's key
    // exceeds the range of the key type, `limit` is the greatest key, and all edges belong to it.
    if ids.end <= pivot.id as usize + 1 || limit.to_u64() < pivot.key {
        up_to()
    } else if ids.start > pivot.id as usize {
        below()
    } else {
        below() | up_to() & ((2 << (pivot.id as usize - ids.start)) - 1)
    }
}
