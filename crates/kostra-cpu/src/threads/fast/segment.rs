//! Segments: ranges of records. One thread at a time works on a segment.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};

use kostra_parallel::lock;

/// Segments for each thread, if there are several, so that the threads end together.
pub(super) const SEGMENTS_PER_THREAD: usize = 16;
/// Edges of a segment of the input. Shorter segments have more edges to other segments' components.
const MIN_SEGMENT_EDGES: usize = 1 << 17;

/// A range of records, or of input edges before the first round. It shrinks in place.
pub(super) struct Segment {
    pub(super) start: usize,
    pub(super) len: AtomicUsize,
    /// The components whose candidates this segment alone writes, without compare-exchange. `None`
    /// if the edges of the segments have no locality. Then every segment writes to all components,
    /// with compare-exchange.
    pub(super) own: Option<Range<u32>>,
    /// Positions of edges whose ends belong to other segments. They wait until all segments have
    /// written to their own components. A full list is incomplete: then every edge of the segment
    /// is checked again.
    deferred: Mutex<Vec<u32>>,
}

impl Segment {
    pub(super) fn new(positions: Range<usize>) -> Self {
        let (start, len) = (positions.start, AtomicUsize::new(positions.len()));
        Self { start, len, own: None, deferred: Mutex::default() }
    }

    /// Partitions `0..edges` into equal segments: a multiple of `threads`, so that the threads end
    /// together, or one segment for one thread.
    pub(super) fn partition(edges: usize, threads: usize) -> Vec<Self> {
        let count = if threads == 1 {
            1
        } else {
            (SEGMENTS_PER_THREAD * threads)
                .min(edges / MIN_SEGMENT_EDGES)
                .max(1)
                .next_multiple_of(threads)
        };
        (0..count)
            .map(|index| Self::new(edges * index / count..edges * (index + 1) / count))
            .collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len.load(Relaxed) == 0
    }

    pub(super) fn positions(&self) -> Range<usize> {
        self.start..self.start + self.len.load(Relaxed)
    }

    /// An empty list for deferred edges. Its capacity, a quarter of a byte per edge, bounds the
    /// memory beside the scratch memory.
    pub(super) fn new_deferred_list(&self) -> Vec<u32> {
        match self.own {
            Some(_) => Vec::with_capacity(16 + self.len.load(Relaxed) / 16),
            None => Vec::new(),
        }
    }

    pub(super) fn deferred(&self) -> MutexGuard<'_, Vec<u32>> {
        lock(&self.deferred)
    }
}

/// The number of edges in all segments.
pub(super) fn edge_count(segments: &[Segment]) -> usize {
    segments.iter().map(|segment| segment.len.load(Relaxed)).sum()
}
