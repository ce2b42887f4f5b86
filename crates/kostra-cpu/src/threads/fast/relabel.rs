//! Relabeling: rewriting the edges in terms of the new components.
//!
//! Edges inside a component are dropped, and so are many parallel edges. The other edges become
//! records, and candidates of their new components.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use kostra_core::Key;

use super::edge_block::{EDGE_BLOCK, EdgeBlock};
use super::labels::label_of;
use super::parallel_edges::ParallelEdges;
use super::prefix::unpack;
use super::segment::Segment;
use super::state::{CandidateEdge, Contraction, RecordOrder, Records, ThreadCount};

impl<K: Key, O: RecordOrder> Contraction<'_, K, O> {
    /// Relabels the input's edges and writes the records.
    pub(super) fn relabel_input<T: ThreadCount>(
        &self,
        labels: &[AtomicU32],
        live: u32,
        segments: &mut [Segment],
    ) {
        let this = *self;
        self.relabel_edges::<T, _>(labels, live, segments, |ids| this.input(ids));
    }

    /// Relabels the records in place. `live` is the number of new components.
    pub(super) fn relabel<T: ThreadCount>(
        &self,
        labels: &[AtomicU32],
        live: u32,
        segments: &mut [Segment],
    ) {
        let records = self.records;
        self.relabel_edges::<T, _>(labels, live, segments, |positions| {
            records[positions]
                .iter()
                .map(|[ends, prefix_id]| (unpack(ends.load(Relaxed)), prefix_id.load(Relaxed)))
        });
    }

    /// Relabels the edges that `read` returns for a range of positions, each with its key prefix
    /// above its id.
    #[inline(always)]
    fn relabel_edges<T: ThreadCount, I: Iterator<Item = CandidateEdge>>(
        &self,
        labels: &[AtomicU32],
        live: u32,
        segments: &mut [Segment],
        read: impl Fn(Range<usize>) -> I + Sync,
    ) {
        self.claim_components::<T>(segments, live, |position| {
            let ends = read(position..position + 1).next().map(|(ends, _)| ends);
            ends.map_or((0, 0), |(u, v)| (label_of(labels, u), label_of(labels, v)))
        });
        self.for_each_segment(segments, |segment| {
            let (this, labels) = (*self, labels); // in registers
            let (len, mut deferred, mut block) =
                (segment.len.load(Relaxed), segment.new_deferred_list(), EdgeBlock::default());
            let mut parallel_edges = ParallelEdges::new(len);
            let (mut from, mut kept) = (0, 0);
            while from < len {
                let filled = EDGE_BLOCK.min(len - from);
                let mut left = 0;
                let edges = read(segment.start + from..segment.start + from + filled);
                for ((u, v), prefix_id) in edges {
                    let (u, v) = (label_of(labels, u), label_of(labels, v));
                    (block.u[left], block.v[left]) = (u.min(v), u.max(v));
                    block.prefix_ids[left] = prefix_id;
                    left += usize::from(u != v);
                }
                let start = segment.start + kept;
                let written = if parallel_edges.are_frequent() {
                    let is_lighter = |a, b| this.scale.is_before(this.edges, a, b);
                    this.write_block(&block, left, start, |ends, edge| {
                        parallel_edges.has_lighter(ends, edge, is_lighter)
                    })
                } else {
                    this.write_block(&block, left, start, |_, _| false)
                };
                let edges = this.records_at(start..start + written);
                this.write_candidates::<T, Records>(&segment.own, &mut deferred, edges);
                kept += written;
                from += filled;
            }
            segment.len.store(kept, Relaxed);
            *segment.deferred() = deferred;
        });
        self.write_deferred::<Records>(segments);
    }
}
