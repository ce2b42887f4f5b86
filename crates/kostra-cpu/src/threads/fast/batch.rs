//! Batches: the edges up to a pivot, between the components of earlier batches.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use kostra_core::{Key, Vertex};

use super::giant_edges::GiantEdges;
use super::prefix::{KeySpan, PrefixScale};
use super::selection::Selection;
use super::state::Solve;

/// Batches of up to this many edges are sorted and united by any number of threads: rounds have too
/// many steps for so little work.
const MAX_SORTED_EDGES: usize = 1 << 16;
/// Up to this many threads sort and unite every batch. More threads would wait for the one that
/// unites.
const MAX_SORTING_THREADS: usize = 4;

/// Words of a record.
pub(super) const RECORD_WORDS: usize = 2;
/// Words of a record and of the place that it is sorted into.
const SORTED_RECORD_WORDS: usize = 2 * RECORD_WORDS;

/// What limits a batch.
#[derive(Clone, Copy)]
pub(super) struct BatchLimits {
    pub(super) threads: usize,
    /// Words of scratch memory.
    pub(super) words: usize,
    /// Components before the batch.
    pub(super) components: usize,
}

impl BatchLimits {
    /// The most edges that a batch may have.
    pub(super) fn capacity(self) -> usize {
        if self.threads <= MAX_SORTING_THREADS {
            self.sort_capacity()
        } else {
            self.round_capacity()
        }
    }

    /// Memory for sorting: four bytes per component, and two records per edge.
    fn sort_capacity(self) -> usize {
        (self.words - self.components.div_ceil(2)) / SORTED_RECORD_WORDS
    }

    /// Memory for rounds: 16 bytes per component, and one record per edge.
    fn round_capacity(self) -> usize {
        (self.words - 2 * self.components) / RECORD_WORDS
    }

    /// Whether a batch of `edges` edges is sorted and united. Otherwise it is contracted in rounds.
    pub(super) fn is_sorted(self, edges: usize) -> bool {
        (self.threads <= MAX_SORTING_THREADS || edges <= MAX_SORTED_EDGES)
            && edges <= self.sort_capacity()
    }

    /// Whether a batch of `selected` edges and `giant_edges` edges to the giant component fits.
    /// Rounds reserve a record per vertex for the latter.
    pub(super) fn fits(self, selected: usize, giant_edges: usize, vertices: usize) -> bool {
        self.is_sorted(selected + giant_edges)
            || (self.threads > MAX_SORTING_THREADS && selected + vertices <= self.round_capacity())
    }
}

/// The edges of a batch.
pub(super) struct Batch<'a, K: Key> {
    pub(super) solve: Solve<'a, K>,
    pub(super) selected: &'a Selection<'a>,
    /// More edges of the batch.
    pub(super) giant_edges: Option<&'a GiantEdges<'a, K>>,
    /// The component of each vertex. `None` before the first batch: each vertex is a component.
    pub(super) vertex_labels: Option<&'a [AtomicU32]>,
    /// The number of components before the batch.
    pub(super) components: usize,
    /// Whether no batch follows, so that no new labels are needed.
    pub(super) is_last: bool,
    /// Whether all edges are known to be in the forest, so that their order has no effect.
    pub(super) is_known: bool,
}

/// The components after a batch.
pub(super) struct BatchResult<'a> {
    /// For each component before the batch, its number after the batch. Undefined after the last
    /// batch.
    pub(super) labels: &'a [AtomicU32],
    /// The number of components after the batch.
    pub(super) components: usize,
}

impl<K: Key> Batch<'_, K> {
    pub(super) fn len(&self) -> usize {
        self.selected.len() + self.giant_edges.map_or(0, GiantEdges::len)
    }

    #[inline]
    pub(super) fn label(&self, vertex: Vertex) -> Vertex {
        self.vertex_labels.map_or(vertex, |labels| labels[vertex as usize].load(Relaxed))
    }

    /// A scale for the keys of the batch.
    pub(super) fn scale(&self) -> PrefixScale {
        if K::BITS == 32 {
            return PrefixScale::IDENTITY;
        }
        if let Some(giant_edges) = self.giant_edges {
            return giant_edges.scale;
        }
        let (span, edges) = (KeySpan::default(), self.solve.edges);
        self.selected.for_each(self.solve.team, |_, ids| {
            span.add(ids.iter().map(|&id| edges.key(id).to_u64()));
        });
        span.scale()
    }
}
