//! The memory of a solve, and how much of it reading takes.

use kostra_core::WeightType;
use kostra_cpu::external::Limits;

use super::error::{ExternalError, MIB};

/// The memory that a solve may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    bytes: u64,
    threads: u64,
    /// What reading this input holds besides blocks.
    held: Held,
}

/// The bytes that reading an input holds besides blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Held {
    /// As the input states before its edges: the window of a decompressor, or the ends of edges.
    pub(super) stated: u64,
    /// What the reader asked for: a long line, large pages, or a long description.
    pub(super) asked: u64,
}

impl Held {
    fn bytes(self) -> u64 {
        self.stated.saturating_add(self.asked)
    }
}

/// The program itself, its stacks, the buffers of files, and what the allocator does not return.
const PROGRAM: u64 = 26 * MIB;
/// Blocks of text and their parsed form, and the state of a decompressor, per thread.
const PER_THREAD: u64 = 4 * MIB;
/// Blocks of edges take one part of this many of the memory.
const PARTS_FOR_BLOCKS: u64 = 16;
/// The blocks that exist at a time, with one for a conversion.
const BLOCKS: u64 = 5;
/// Two ends and the widest weight.
const BYTES_PER_EDGE: u64 = 16;
/// The fewest and the most edges of a block: enough that queues cost little, and 16 MiB.
pub(super) const BLOCK_EDGES: std::ops::RangeInclusive<u64> = 1 << 12..=1 << 20;

impl Budget {
    pub(super) fn new(bytes: u64, threads: usize) -> Self {
        Self { bytes, threads: threads as u64, held: Held::default() }
    }

    /// The same budget, if reading the input holds this number of bytes in addition to blocks.
    pub(super) fn holding(self, held: Held) -> Self {
        Self { held, ..self }
    }

    /// What reading holds besides blocks.
    pub(super) fn held(self) -> Held {
        self.held
    }

    /// For an input that does not state its vertices. For others, [`limits`](Self::limits) states
    /// how much memory suffices for all.
    ///
    /// # Errors
    /// When the memory does not suffice for reading.
    pub(super) fn check_reading(self) -> Result<(), ExternalError> {
        if self.for_vertices() > 0 { Ok(()) } else { Err(self.refusal(None, 0)) }
    }

    /// The number of edges of a block.
    pub(super) fn block_edges(self) -> usize {
        let edges = self.bytes / PARTS_FOR_BLOCKS / (BLOCKS * BYTES_PER_EDGE);
        edges.clamp(*BLOCK_EDGES.start(), *BLOCK_EDGES.end()) as usize
    }

    fn for_program(self) -> u64 {
        PROGRAM + self.threads * PER_THREAD
    }

    /// The bytes for the vertices and the buffer of edges.
    fn for_vertices(self) -> u64 {
        let blocks = self.block_edges() as u64 * BLOCKS * BYTES_PER_EDGE;
        self.bytes.saturating_sub((self.for_program() + blocks).saturating_add(self.held.bytes()))
    }

    /// The limits of a sink for weights of this type.
    ///
    /// # Errors
    /// When the memory does not suffice; the error states how much does.
    pub(super) fn limits(
        self,
        vertices: u32,
        weight_type: WeightType,
    ) -> Result<Limits, ExternalError> {
        Limits::within(self.for_vertices(), vertices, weight_type)
            .map_err(|small| self.refusal(Some((vertices, weight_type)), small.least))
    }

    /// The error that a graph, or reading, takes more memory, which has to suffice for `least`
    /// bytes besides reading.
    fn refusal(self, graph: Option<(u32, WeightType)>, least: u64) -> ExternalError {
        let smallest_blocks = BLOCK_EDGES.start() * BLOCKS * BYTES_PER_EDGE;
        // Forged sizes must not overflow.
        let held = self.held.bytes().min(u64::MAX / 64);
        let fixed = self.for_program() + held + least;
        // Blocks take their part of the memory, but not less than the smallest blocks.
        let shared = fixed * PARTS_FOR_BLOCKS / (PARTS_FOR_BLOCKS - 1);
        let least = (shared.max(fixed + smallest_blocks).div_ceil(MIB) + 1) * MIB;
        let Held { stated, asked } = self.held;
        ExternalError::Limit { graph, least, held: stated, asked, on_device: false }
    }
}

/// The least limit, in bytes, within which a graph with this number of vertices can be solved on
/// `threads` threads, if reading it holds blocks of edges only.
pub fn least_memory(vertices: u32, weight_type: WeightType, threads: usize) -> u64 {
    match Budget::new(0, threads).limits(vertices, weight_type) {
        Err(ExternalError::Limit { least, .. }) => least,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use kostra_io::{Remedy, RemedyValue};

    use super::*;

    #[test]
    fn what_reading_holds_is_part_of_the_memory() {
        let plain = Budget::new(300 * MIB, 2);
        let stated = |stated| Held { stated, asked: 0 };
        let held = plain.holding(stated(100 * MIB));
        let buffer = |budget: Budget| budget.limits(1_000_000, WeightType::U32).unwrap().buffer();
        let less = (100 * MIB).div_ceil(16 + 4 + 13) as usize;
        assert!((less - 1..=less).contains(&(buffer(plain) - buffer(held))));
        assert!(held.check_reading().is_ok());
        let refused = plain.holding(stated(300 * MIB)).check_reading().unwrap_err().to_string();
        assert!(refused.contains("because reading it as it is holds 300 MiB"), "{refused}");
        let forged = plain.holding(Held { stated: u64::MAX, asked: u64::MAX });
        assert!(forged.check_reading().is_err());
    }

    #[test]
    fn the_least_memory_that_is_announced_suffices_and_a_sixteenth_less_does_not() {
        for vertices in [0, 1_000_000, 50_000_000] {
            let least = least_memory(vertices, WeightType::F64, 3);
            assert!(Budget::new(least, 3).limits(vertices, WeightType::F64).is_ok());
            let less = Budget::new(least / 16 * 15, 3).limits(vertices, WeightType::F64);
            assert!(less.is_err(), "{vertices}");
        }
    }

    #[test]
    fn the_least_memory_of_a_refusal_suffices() {
        let least = |error: &ExternalError| match error.remedy() {
            Some(Remedy::Option { value: RemedyValue::Bytes(least), .. }) => least,
            _ => panic!("{error}"),
        };
        let smallest = least(&Budget::new(0, 3).check_reading().unwrap_err());
        assert!(smallest < 48 << 20);
        assert!(Budget::new(smallest, 3).check_reading().is_ok());
        for (vertices, too_small) in
            [1_000_000, 50_000_000, u32::MAX].into_iter().zip([0, smallest, 1])
        {
            let small = Budget::new(too_small, 3);
            let refused = small.limits(vertices, WeightType::F64).unwrap_err();
            let enough = Budget::new(least(&refused), 3);
            assert!(enough.limits(vertices, WeightType::F64).is_ok(), "{refused}");
            let less = Budget::new(least(&refused) / 16 * 15, 3);
            assert!(less.limits(vertices, WeightType::F64).is_err(), "{refused}");
        }
    }
}
