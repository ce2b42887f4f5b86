//! Where each array is stored in the scratch memory of a solve.

use std::ops::Range;

use cudarc::driver::sys::CUdeviceptr;

use super::arguments::{
    COUNTERS, FEW_LIMIT, FILTER_DEGREE, FINISH_LIMIT, Graph, LANE_ROW_LIMIT, MAX_SAMPLES, Scratch,
    TILE_RECORDS,
};
use crate::buffers::DeviceEdgeSet;

/// How many records the lists have room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// As many as nearly every graph needs.
    Usual,
    /// One for every edge.
    AllEdges,
}

/// The bytes of a counter set: [`COUNTERS`] counters of 4 bytes and barriers of 8 bytes. The solves
/// use two sets in turn. Each solve clears the set of the next one, so that no solve waits for the
/// driver to clear it.
const COUNTER_SET: u64 = 12 * COUNTERS;
/// The bytes of both counter sets. They begin the scratch memory of every graph.
pub(super) const COUNTER_SETS: Range<usize> = 0..2 * COUNTER_SET as usize;
/// Arrays begin at multiples of this number of bytes, as allocations by the driver do.
const ALIGNMENT: u64 = 256;
/// The most records per vertex of a dense graph, beside those per edge. They have room for the
/// light edges, unless these have a list of their own.
const RECORDS_PER_VERTEX: u64 = 6;
/// Records of a dense graph are also one for this number of edges, for the edges that the first
/// phase leaves between components.
const EDGES_PER_RECORD: u64 = 8;

/// Where each array is stored in the scratch memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// The addresses, counted from the start of the memory.
    arrays: Scratch,
    /// The number of bytes of the forest.
    forest: usize,
    bytes: usize,
}

impl Layout {
    /// The layout for a grid of this number of warps.
    pub(super) fn new(graph: Graph, warps: u64, room: Room) -> Self {
        let n = u64::from(graph.vertices);
        let m = u64::from(graph.lights) + u64::from(graph.edges);
        // Lists of sparse graphs hold the edges that contraction leaves; lists of dense graphs hold
        // the light edges.
        let records = if room == Room::AllEdges || m < FILTER_DEGREE * n {
            m
        } else {
            let light = (RECORDS_PER_VERTEX * n).max(graph.lights.into());
            m.min(light + m / EDGES_PER_RECORD)
        };
        // Each warp may have a partly filled tile in each of its two lists.
        let tiles = records / TILE_RECORDS + 2 * warps + 1;
        let mut bytes = 0;
        let mut take = |size: u64| {
            let at = bytes;
            bytes += size.next_multiple_of(ALIGNMENT);
            at
        };
        let forest = DeviceEdgeSet::bytes(graph.ids() as usize);
        let wide = u64::from(graph.wide);
        let arrays = Scratch {
            tiles: tiles as u32,
            counters: take(4 * COUNTERS),
            barriers: take(8 * COUNTERS),
            next_set: take(COUNTER_SET),
            forest: take(forest as u64),
            link: take(4 * (5 * n + 16)),
            least: take(8 * (n.max(FEW_LIMIT) + FEW_LIMIT)),
            least_id: take(4 * n * wide),
            records: take(16 * TILE_RECORDS * (tiles + 1)),
            record_ids: take(4 * TILE_RECORDS * (tiles + 1) * wide),
            next: take(4 * (tiles + 1)),
            queue: take(8 * (u64::from(graph.entries) / LANE_ROW_LIMIT + 1)),
            bits: take(8 * (n / 32 + 2)),
            samples: take(8 * MAX_SAMPLES),
            pairs: take(8 * FINISH_LIMIT),
            tail: take(16 * FINISH_LIMIT),
            tail_ids: take(4 * FINISH_LIMIT * wide),
            ..Scratch::default()
        };
        Self { arrays, forest, bytes: bytes as usize }
    }

    /// The number of bytes of the scratch memory, the forest included.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The bytes of the forest, which has one bit per edge.
    pub(super) fn forest(&self) -> Range<usize> {
        let start = self.arrays.forest as usize;
        start..start + self.forest
    }

    /// The bytes of the labels of `vertices` vertices.
    pub(super) fn labels(&self, vertices: u32) -> Range<usize> {
        let start = self.arrays.link as usize;
        start..start + size_of::<u32>() * vertices as usize
    }

    /// The addresses if the scratch memory begins at `start`, for the solve after `solves` others
    /// in this memory.
    pub(super) fn at(&self, start: CUdeviceptr, solves: usize) -> Scratch {
        let mut scratch = self.arrays;
        for address in scratch.addresses() {
            *address += start;
        }
        if !solves.is_multiple_of(2) {
            scratch.counters += COUNTER_SET;
            scratch.barriers += COUNTER_SET;
            scratch.next_set -= COUNTER_SET;
        }
        scratch
    }
}

impl Scratch {
    /// The addresses of the arrays that are stored in the scratch memory.
    fn addresses(&mut self) -> [&mut CUdeviceptr; 16] {
        [
            &mut self.link,
            &mut self.least,
            &mut self.least_id,
            &mut self.records,
            &mut self.record_ids,
            &mut self.next,
            &mut self.queue,
            &mut self.bits,
            &mut self.samples,
            &mut self.pairs,
            &mut self.tail,
            &mut self.tail_ids,
            &mut self.counters,
            &mut self.barriers,
            &mut self.next_set,
            &mut self.forest,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffers::Keys;

    fn layout(vertices: u32, edges: u32, wide: bool, room: Room) -> Layout {
        Layout::new(Graph::new(vertices, edges, 0, Keys { kind: 0, flip: 0, wide }), 264 * 16, room)
    }

    #[test]
    fn arrays_do_not_overlap_and_end_within_the_bytes_of_the_layout() {
        for (n, m) in [(1, 1), (100, 40_000), (100_000, 150_000), (400_000_000, 4_000_000_000)] {
            for wide in [false, true] {
                let mut layout = layout(n, m, wide, Room::AllEdges);
                let bytes = layout.bytes() as u64;
                let mut starts = layout.arrays.addresses().map(|address| *address);
                starts.sort_unstable();
                assert!(starts[0] == 0 && starts[15] <= bytes && bytes.is_multiple_of(256));
                assert!(starts.iter().all(|start| start.is_multiple_of(256)));
                assert_eq!(layout.forest().len(), DeviceEdgeSet::bytes(m as usize));
                assert_eq!(layout.arrays.forest, COUNTER_SETS.end as u64, "counter sets are first");
                let (first, second) = (layout.at(1 << 40, 0), layout.at(1 << 40, 1));
                assert_eq!(first.link - (1 << 40), layout.arrays.link);
                assert_eq!((first.counters, first.next_set), (second.next_set, second.counters));
                assert_eq!(first.barriers - first.counters, second.barriers - second.counters);
            }
        }
    }

    #[test]
    fn lists_have_room_for_their_edges_and_the_memory_is_within_the_documented_limit() {
        let limit = |n: u64, m: u64, wide: u64| {
            (16 + 4 * wide) * m + m / 8 + (30 + 4 * wide) * n + (4 << 20)
        };
        for (n, m) in [(10_000_000, 15_000_000), (1_000_000, 100_000_000), (8_000, 28_000_000)] {
            for wide in [false, true] {
                let (usual, all) =
                    (layout(n, m, wide, Room::Usual), layout(n, m, wide, Room::AllEdges));
                assert!(usual.bytes() <= all.bytes());
                let (n, m) = (u64::from(n), u64::from(m));
                assert!(all.bytes() as u64 >= 16 * m + 28 * n);
                let most = limit(n, m, wide.into()) + 264 * 16 * 2 * 20 * TILE_RECORDS;
                assert!(
                    all.bytes() as u64 <= most,
                    "{n} vertices, {m} edges: {} bytes",
                    all.bytes()
                );
            }
        }
    }
}
