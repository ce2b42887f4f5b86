//! What a solve by [`cuda-fast`](super) takes: the kernel's arguments, and where everything lies in
//! its scratch memory.

use std::ops::Range;

use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaFunction, CudaSlice, DeviceRepr};
use kostra_core::Run;

use crate::buffers::{DeviceEdgeSet, Keys};
use crate::source::Source;
use crate::{Device, DeviceError};

const SOURCE: Source = Source { name: "fast", text: include_str!("../../kernels/fast.cu") };

/// How much room a list of edges gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    /// What is enough nearly always.
    Usual,
    /// For every edge there is.
    ForAll,
}

/// The graph, as the kernels take it. Laid out as `Graph` in fast.cu.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Input {
    pub(super) vertices: u32,
    pub(super) edges: u32,
    /// Of rows; an edge list has none.
    pub(super) entries: u32,
    pub(super) kind: u32,
    pub(super) flip: u32,
    pub(super) wide: u32,
    pub(super) offsets: CUdeviceptr,
    pub(super) neighbours: CUdeviceptr,
    pub(super) ids: CUdeviceptr,
    pub(super) u: CUdeviceptr,
    pub(super) v: CUdeviceptr,
    pub(super) weights: CUdeviceptr,
}

impl Input {
    pub(super) fn new(vertices: u32, edges: u32, entries: u32, keys: Keys) -> Self {
        let wide = keys.wide.into();
        Self { vertices, edges, entries, kind: keys.kind, flip: keys.flip, wide, ..Self::default() }
    }
}

/// Scratch memory, as the kernels take it. Laid out as `Scratch` in fast.cu.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scratch {
    tiles: u32,
    pub(super) steps: u32,
    link: CUdeviceptr,
    least: CUdeviceptr,
    least_id: CUdeviceptr,
    records: CUdeviceptr,
    record_ids: CUdeviceptr,
    next: CUdeviceptr,
    queue: CUdeviceptr,
    bits: CUdeviceptr,
    samples: CUdeviceptr,
    pairs: CUdeviceptr,
    tail: CUdeviceptr,
    tail_ids: CUdeviceptr,
    counters: CUdeviceptr,
    meetings: CUdeviceptr,
    next_turn: CUdeviceptr,
    forest: CUdeviceptr,
    pub(super) trace: CUdeviceptr,
    pub(super) told: CUdeviceptr,
}

/// What the kernels take. Laid out as `Args` in fast.cu.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Args {
    pub(super) graph: Input,
    pub(super) scratch: Scratch,
}

// SAFETY: the layout is C's, and every bit pattern is fine.
unsafe impl DeviceRepr for Args {}

// As in fast.cu, where they are explained.
pub(super) const BLOCK: u32 = 512;
const TILE: u64 = 128;
const SAMPLES: u64 = 4096;
const TAIL: u64 = 2048;
const ROW_BY_LANE: u64 = 32;
const FILTER_FROM: u64 = 4;
const FEW: u64 = 4096;
/// Words of each of the two arrays of which a few are used a step. A phase has as many rounds as
/// there are bits in a number of vertices, at most, and a round four steps and a pass for each
/// doubling of its longest path.
const COUNTERS: u64 = 1 << 12;
/// Bytes of both. There are two such pairs, which solves use by turns: each clears the next one's,
/// so that nobody waits for the driver to do so.
const TURN: u64 = 12 * COUNTERS;
/// The bytes of both pairs: the first ones of the scratch memory, whatever the graph.
pub(super) const TURNS: Range<usize> = 0..2 * TURN as usize;
/// How many steps the trace has room for, and how many words it has for each.
pub(super) const TRACE_STEPS: usize = 1 << 12;
pub(super) const STEP_WORDS: usize = 6;
/// Edges from which on two blocks are better than one on a multiprocessor (measured).
const SMALL: u64 = 1 << 19;

/// Where each array lies in the scratch memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Addresses are counted from the start of the memory.
    arrays: Scratch,
    /// How many of the bytes are the forest's.
    forest: usize,
    bytes: usize,
}

impl Layout {
    /// For so many warps.
    fn new(graph: Input, warps: u64, room: Room) -> Self {
        let (n, m) = (u64::from(graph.vertices), u64::from(graph.edges));
        // Lists of sparse graphs hold what contraction leaves of all edges, lists of dense ones
        // what is light.
        let records =
            if room == Room::ForAll || m < FILTER_FROM * n { m } else { m.min(6 * n + m / 8) };
        let tiles = records / TILE + 2 * warps + 1;
        let mut bytes = 0;
        let mut take = |size: u64| {
            let at = bytes;
            bytes += size.next_multiple_of(256);
            at
        };
        let forest = DeviceEdgeSet::bytes(graph.edges as usize);
        let wide = u64::from(graph.wide);
        let arrays = Scratch {
            tiles: tiles as u32,
            counters: take(4 * COUNTERS),
            meetings: take(8 * COUNTERS),
            next_turn: take(TURN),
            forest: take(forest as u64),
            link: take(4 * (5 * n + 16)),
            least: take(8 * (n.max(FEW) + FEW)),
            least_id: take(4 * n * wide),
            records: take(16 * TILE * (tiles + 1)),
            record_ids: take(4 * TILE * (tiles + 1) * wide),
            next: take(4 * (tiles + 1)),
            queue: take(8 * (u64::from(graph.entries) / ROW_BY_LANE + 1)),
            bits: take(8 * (n / 32 + 2)),
            samples: take(8 * SAMPLES),
            pairs: take(8 * TAIL),
            tail: take(16 * TAIL),
            tail_ids: take(4 * TAIL * wide),
            ..Scratch::default()
        };
        Self { arrays, forest, bytes: bytes as usize }
    }

    /// How many bytes there are, the forest's among them.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The bytes of the forest, a bit an edge.
    pub(super) fn forest(&self) -> Range<usize> {
        let start = self.arrays.forest as usize;
        start..start + self.forest
    }

    /// The addresses when the scratch memory begins here, and so many solves have had their turn.
    pub(super) fn at(&self, start: CUdeviceptr, turns: usize) -> Scratch {
        let mut scratch = self.arrays;
        for address in scratch.addresses() {
            *address += start;
        }
        if !turns.is_multiple_of(2) {
            scratch.counters += TURN;
            scratch.meetings += TURN;
            scratch.next_turn -= TURN;
        }
        scratch
    }
}

impl Scratch {
    /// Those of the arrays that lie in the scratch memory.
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
            &mut self.meetings,
            &mut self.next_turn,
            &mut self.forest,
        ]
    }
}

/// How a solve is launched.
pub(super) struct Plan {
    pub(super) kernel: CudaFunction,
    pub(super) blocks: u32,
    pub(super) layout: Layout,
    /// Where an observed solve writes down its steps.
    pub(super) trace: Option<CudaSlice<u32>>,
}

/// The form of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Edges,
    Rows,
}

impl Plan {
    /// Loads the kernel, and lays the scratch memory out, for a graph of this size; its addresses
    /// are not looked at.
    pub(super) fn new(device: &Device, graph: Input, form: Form) -> Result<Self, DeviceError> {
        let name = match (form, graph.wide != 0) {
            (Form::Edges, false) => "edges_32",
            (Form::Edges, true) => "edges_64",
            (Form::Rows, false) => "rows_32",
            (Form::Rows, true) => "rows_64",
        };
        let (kernel, fit) = device.resident(SOURCE, name, BLOCK)?;
        // A small graph loses more by the barriers of more blocks than it gains by their threads.
        let blocks =
            device.multiprocessors() * if u64::from(graph.edges) < SMALL { 1 } else { fit };
        Ok(Self {
            kernel,
            blocks,
            layout: Layout::new(graph, warps(blocks), Room::Usual),
            trace: None,
        })
    }

    /// Allocates the memory that the solve works in.
    pub(super) fn allocate(&mut self, device: &Device, run: &Run<'_>) -> Result<(), DeviceError> {
        if run.is_observed() {
            self.trace = Some(device.uninit(TRACE_STEPS * STEP_WORDS)?);
        }
        device.reserve_scratch(self.layout.bytes())
    }

    /// The same with room for every edge in the lists.
    pub(super) fn with_room_for_all(self, graph: Input) -> Self {
        let layout = Layout::new(graph, warps(self.blocks), Room::ForAll);
        Self { layout, ..self }
    }
}

/// How many warps a number of blocks has.
fn warps(blocks: u32) -> u64 {
    u64::from(blocks * BLOCK / 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(vertices: u32, edges: u32, wide: bool, room: Room) -> Layout {
        Layout::new(Input::new(vertices, edges, 0, Keys { kind: 0, flip: 0, wide }), 264 * 16, room)
    }

    #[test]
    fn arrays_lie_one_after_another_within_the_bytes_that_are_asked_for() {
        for (n, m) in [(1, 1), (100, 40_000), (100_000, 150_000), (400_000_000, 4_000_000_000)] {
            for wide in [false, true] {
                let mut layout = layout(n, m, wide, Room::ForAll);
                let bytes = layout.bytes() as u64;
                let mut starts = layout.arrays.addresses().map(|address| *address);
                starts.sort_unstable();
                assert!(starts[0] == 0 && starts[15] <= bytes && bytes.is_multiple_of(256));
                assert!(starts.iter().all(|start| start.is_multiple_of(256)));
                assert_eq!(layout.forest().len(), DeviceEdgeSet::bytes(m as usize));
                assert_eq!(layout.arrays.forest, TURNS.end as u64, "turns come first");
                let (first, second) = (layout.at(1 << 40, 0), layout.at(1 << 40, 1));
                assert_eq!(first.link - (1 << 40), layout.arrays.link);
                assert_eq!((first.counters, first.next_turn), (second.next_turn, second.counters));
                assert_eq!(first.meetings - first.counters, second.meetings - second.counters);
            }
        }
    }

    #[test]
    fn a_list_has_room_for_what_it_holds_and_memory_is_within_what_is_promised() {
        let promise = |n: u64, m: u64, wide: u64| {
            (16 + 4 * wide) * m + m / 8 + (30 + 4 * wide) * n + (4 << 20)
        };
        for (n, m) in [(10_000_000, 15_000_000), (1_000_000, 100_000_000), (8_000, 28_000_000)] {
            for wide in [false, true] {
                let (usual, all) =
                    (layout(n, m, wide, Room::Usual), layout(n, m, wide, Room::ForAll));
                assert!(usual.bytes() <= all.bytes());
                let (n, m) = (u64::from(n), u64::from(m));
                assert!(all.bytes() as u64 >= 16 * m + 28 * n);
                let most = promise(n, m, wide.into()) + 264 * 16 * 2 * 20 * TILE;
                assert!(
                    all.bytes() as u64 <= most,
                    "{n} vertices, {m} edges: {} bytes",
                    all.bytes()
                );
            }
        }
    }
}
