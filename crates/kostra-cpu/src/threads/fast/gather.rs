//! Gathering: writing the edges of a batch as records, with unsynchronized first offers.
//!
//! Every edge first writes its candidates by plain loads and stores. Of two candidates that are
//! written to one slot at once, the lighter may be lost. So [`Contraction::reoffer`] writes all of
//! them again, with compare-exchange: a slot is then never heavier than any of its candidates.

use std::sync::atomic::Ordering::Relaxed;

use kostra_core::{EdgeId, Key, Vertex, prefetch};

use super::edge_block::{EDGE_BLOCK, EdgeBlock};
use super::prefix::pack;
use super::segment::Segment;
use super::state::{CandidateEdge, Contraction, RecordOrder};

impl<K: Key, O: RecordOrder> Contraction<'_, K, O> {
    /// Writes input edges as records of a segment. `label` maps a vertex to its component.
    pub(super) fn gather_ids(
        &self,
        segment: &Segment,
        mut ids: impl Iterator<Item = EdgeId>,
        label: impl Fn(Vertex) -> Vertex,
    ) {
        let mut block_ids = [0; EDGE_BLOCK];
        self.gather(segment, |block| {
            let mut filled = 0;
            for (slot, id) in block_ids.iter_mut().zip(&mut ids) {
                *slot = id;
                filled += 1;
                prefetch(self.edges.u(), id as usize);
                prefetch(self.edges.v(), id as usize);
                prefetch(self.edges.weights(), id as usize);
            }
            let mut left = 0;
            for &id in &block_ids[..filled] {
                let (u, v) = self.edges.ends(id);
                let (u, v) = (label(u), label(v));
                block.u[left] = u;
                block.v[left] = v;
                block.prefix_ids[left] = pack(self.scale.prefix(self.edges.key(id)), id);
                left += usize::from(u != v);
            }
            (filled > 0).then_some(left)
        });
    }

    /// Writes edges as records of a segment, each given by its two components and its key prefix
    /// above its id.
    pub(super) fn gather_edges(
        &self,
        segment: &Segment,
        mut edges: impl Iterator<Item = CandidateEdge>,
    ) {
        self.gather(segment, |block| {
            let mut filled = 0;
            for ((u, v), prefix_id) in edges.by_ref().take(EDGE_BLOCK) {
                (block.u[filled], block.v[filled], block.prefix_ids[filled]) = (u, v, prefix_id);
                filled += 1;
            }
            (filled > 0).then_some(filled)
        });
    }

    /// Writes blocks of records. `fill` returns the number of edges in the next block, or `None`
    /// after the last block.
    #[inline(always)]
    fn gather(&self, segment: &Segment, mut fill: impl FnMut(&mut EdgeBlock) -> Option<usize>) {
        let (mut block, mut end) = (EdgeBlock::default(), segment.start);
        while let Some(left) = fill(&mut block) {
            let start = end;
            end += self.write_block(&block, left, start, |_, _| false);
            for ((u, v), candidate) in self.records_at(start..end) {
                self.write_min_unsynchronized(u, candidate);
                self.write_min_unsynchronized(v, candidate);
            }
        }
        segment.len.store(end - segment.start, Relaxed);
    }
}
