//! Blocks: edges between the look-up of their ends and the write of their records.
//!
//! The look-ups of a block wait for memory together, and so do the accesses to the slots of its
//! ends.

use std::sync::atomic::Ordering::Relaxed;

use kostra_core::{Key, Vertex, prefetch};

use super::prefix::pack;
use super::state::{Contraction, RecordOrder};

/// Edges in a block. 64 or 256 are as fast; the three arrays fit in the first-level cache.
pub(super) const EDGE_BLOCK: usize = 128;

pub(super) struct EdgeBlock {
    pub(super) u: [Vertex; EDGE_BLOCK],
    pub(super) v: [Vertex; EDGE_BLOCK],
    /// The key prefix above the edge id.
    pub(super) prefix_ids: [u64; EDGE_BLOCK],
}

impl Default for EdgeBlock {
    fn default() -> Self {
        Self { u: [0; EDGE_BLOCK], v: [0; EDGE_BLOCK], prefix_ids: [0; EDGE_BLOCK] }
    }
}

impl<K: Key, O: RecordOrder> Contraction<'_, K, O> {
    /// Writes the first `len` edges of a block as records from position `start` on, without those
    /// that `is_superfluous(ends, prefix_id)` rejects. Prefetches the slots of their ends. Returns
    /// the number of records.
    #[inline(always)]
    pub(super) fn write_block(
        self,
        block: &EdgeBlock,
        len: usize,
        start: usize,
        mut is_superfluous: impl FnMut(u64, u64) -> bool,
    ) -> usize {
        let mut kept = 0;
        for slot in 0..len {
            let (u, v, prefix_id) = (block.u[slot], block.v[slot], block.prefix_ids[slot]);
            prefetch(self.lightest, u as usize);
            prefetch(self.lightest, v as usize);
            let record = &self.records[start + kept];
            record[0].store(pack(u, v), Relaxed);
            record[1].store(prefix_id, Relaxed);
            kept += usize::from(!is_superfluous(pack(u, v), prefix_id));
        }
        kept
    }
}
