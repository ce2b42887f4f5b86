//! The pivot above which most edges are dropped by one comparison, and the component in which.

use kostra_core::{Key, OutOfMemory, Vertex, memory};
use kostra_parallel::{Schedule, Team, atomic_u64};
use std::sync::atomic::Ordering;

use super::link_tree::LinkTree;

/// An edge of the sample.
pub(super) type Sampled<K> = (Vertex, Vertex, K);

/// The number of edges by which pivots are compared.
pub(super) const SAMPLE: usize = 1 << 10;
/// The share of the forest's edges up to a pivot, in 128ths. The heaviest edges of a forest often
/// lead to a few remote vertices only, so a pivot below them drops more edges.
const SHARES: [usize; 8] = [128, 127, 125, 120, 112, 96, 64, 32];
/// The number of words that a thread fills at a time.
const WORDS: usize = 1 << 8;

/// An edge that is not lighter than the pivot is dropped if both ends have a bit.
#[derive(Debug)]
pub(super) struct Pivot<K> {
    /// None before the first reduction, or if no pivot drops edges.
    key: Option<K>,
    bits: Vec<u64>,
}

impl<K: Key> Pivot<K> {
    pub(super) fn new() -> Self {
        Self { key: None, bits: Vec::new() }
    }

    /// Drops no edges any more.
    pub(super) fn clear(&mut self) {
        self.key = None;
    }

    /// Whether an edge is certainly not in the forest.
    #[inline]
    pub(super) fn drops(&self, u: Vertex, v: Vertex, key: K) -> bool {
        self.key.is_some_and(|pivot| key >= pivot) && self.has_bit(u) && self.has_bit(v)
    }

    #[inline]
    fn has_bit(&self, vertex: Vertex) -> bool {
        self.bits[vertex as usize / 64] >> (vertex % 64) & 1 == 1
    }

    /// Chooses the pivot that drops most edges of the sample. `ascending(i)` is the key of edge `i`
    /// of the forest's `edges` edges.
    pub(super) fn choose(
        &mut self,
        (edges, ascending): (usize, impl Fn(usize) -> K),
        sample: &[Sampled<K>],
        tree: &LinkTree<K>,
    ) -> Option<(K, Vertex)> {
        self.clear();
        let candidates = SHARES.iter().filter(|_| edges > 0);
        let best = candidates
            .map(|share| ascending((edges * share / 128).max(1) - 1))
            .filter_map(|key| dropped(key, sample, tree).map(|(count, root)| (count, key, root)))
            .max_by_key(|&(count, ..)| count)?;
        let (_, key, root) = best;
        self.key = Some(key);
        Some((key, root))
    }

    /// Marks the component of `root` under edges up to `key`.
    pub(super) fn mark(
        &mut self,
        (key, root): (K, Vertex),
        (tree, vertices): (&LinkTree<K>, u32),
        team: &Team<'_>,
    ) -> Result<(), OutOfMemory> {
        let words = (vertices as usize).div_ceil(64);
        self.bits.clear();
        memory::reserve_exact(&mut self.bits, words)?;
        self.bits.resize(words, 0);
        let bits = atomic_u64(&mut self.bits);
        team.for_each(words, Schedule::Dynamic(WORDS), |word| {
            let first = word as u32 * 64;
            let in_word = first..vertices.min(first.saturating_add(64));
            let set = in_word
                .filter(|&vertex| tree.root_up_to(vertex, key) == root)
                .fold(0, |set, vertex| set | 1 << (vertex % 64));
            bits[word].store(set, Ordering::Relaxed);
        });
        Ok(())
    }
}

/// The number of edges of the sample that a pivot drops, and the component in which; none if it
/// drops no edges.
fn dropped<K: Key>(pivot: K, sample: &[Sampled<K>], tree: &LinkTree<K>) -> Option<(usize, Vertex)> {
    let joined = |&&(u, v, key): &&Sampled<K>| key >= pivot && tree.joins(u, v, pivot);
    let mut roots: Vec<_> =
        sample.iter().filter(joined).map(|&(u, ..)| tree.root_up_to(u, pivot)).collect();
    roots.sort_unstable();
    let runs = roots.chunk_by(|a, b| a == b);
    runs.map(|run| (run.len(), run[0])).max_by_key(|&(count, _)| count)
}
