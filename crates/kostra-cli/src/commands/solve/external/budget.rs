//! The memory of a solve, and how much of it reading takes.

use kostra::external::Limits;
use kostra_core::WeightType;

/// The memory that a solve may take.
#[derive(Clone, Copy, Debug)]
pub(in crate::commands::solve) struct Budget {
    bytes: u64,
    threads: u64,
    /// What reading this input holds besides blocks.
    held: u64,
}

pub(super) const MIB: u64 = 1 << 20;
/// The program itself, its stacks, the buffers of files, and what the allocator does not return.
const PROGRAM: u64 = 24 * MIB;
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
        Self { bytes, threads: threads as u64, held: 0 }
    }

    /// The same budget, if reading the input holds this number of bytes in addition to blocks.
    pub(super) fn holding(self, held: u64) -> Self {
        Self { held, ..self }
    }

    /// For an input that does not state its vertices. For others, [`limits`](Self::limits) states
    /// how much memory suffices for all.
    ///
    /// # Errors
    /// When the memory does not suffice for reading.
    pub(super) fn check_reading(self) -> anyhow::Result<()> {
        anyhow::ensure!(self.for_vertices() > 0, self.refusal("reading an input in blocks", 0));
        Ok(())
    }

    pub(super) fn bytes(self) -> u64 {
        self.bytes
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
        self.bytes.saturating_sub(self.for_program() + blocks + self.held)
    }

    /// The limits of a sink for weights of this type.
    ///
    /// # Errors
    /// When the memory does not suffice; the error states how much does.
    pub(super) fn limits(self, vertices: u32, weight_type: WeightType) -> anyhow::Result<Limits> {
        Limits::within(self.for_vertices(), vertices, weight_type).map_err(|small| {
            let vertices = kostra_core::counted(small.vertices, "vertex", "vertices");
            let what = format!("a graph with {vertices} and {weight_type} weights");
            anyhow::anyhow!(self.refusal(&what, small.least))
        })
    }

    /// The message that `what` takes more memory, which has to suffice for `least` bytes besides
    /// reading.
    fn refusal(self, what: &str, least: u64) -> String {
        let smallest_blocks = BLOCK_EDGES.start() * BLOCKS * BYTES_PER_EDGE;
        let fixed = self.for_program() + self.held + least;
        // Blocks take their part of the memory, but not less than the smallest blocks.
        let shared = fixed * PARTS_FOR_BLOCKS / (PARTS_FOR_BLOCKS - 1);
        let least = shared.max(fixed + smallest_blocks).div_ceil(MIB) + 1;
        let pass = format!("{what} takes more memory; pass at least `--memory {least}MiB`");
        if self.held == 0 {
            return pass;
        }
        let held = self.held.div_ceil(MIB);
        format!(
            "{pass}, or save the input decompressed to a file, because reading it as it is holds \
             {held} MiB"
        )
    }
}

/// The units of sizes, longest names first.
const UNITS: [(&str, u64); 10] = [
    ("kib", 1 << 10),
    ("mib", 1 << 20),
    ("gib", 1 << 30),
    ("tib", 1 << 40),
    ("kb", 1_000),
    ("mb", 1_000_000),
    ("gb", 1_000_000_000),
    ("tb", 1_000_000_000_000),
    ("b", 1),
    ("", 1),
];

/// Parses a size such as `4GiB`, `500MB` or `1.5GiB`.
pub(in crate::commands::solve) fn parse_bytes(text: &str) -> Result<u64, String> {
    let lower = text.trim().to_ascii_lowercase();
    let split = lower.find(|at: char| !at.is_ascii_digit() && at != '.').unwrap_or(lower.len());
    let (number, unit) = lower.split_at(split);
    let unit = unit.trim_start();
    let scale = UNITS.iter().find(|(name, _)| *name == unit).map(|&(_, scale)| scale);
    let size = number.parse::<f64>().ok().zip(scale).map(|(number, scale)| number * scale as f64);
    match size {
        None if matches!(unit, "k" | "m" | "g" | "t") => {
            let unit = unit.to_ascii_uppercase();
            Err(format!("is {unit} 1024 or 1000 based? write {number}{unit}iB or {number}{unit}B"))
        }
        Some(size) if size.is_finite() && size < u64::MAX as f64 => Ok(size as u64),
        _ => Err("expected a size such as 4GiB or 500MB".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [
            ("4GiB", 4 << 30),
            ("1.5gib", 3 << 29),
            ("500 MB", 500_000_000),
            ("64kib", 1 << 16),
            ("7", 7),
            ("7b", 7),
        ] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        assert!(parse_bytes("1G").is_err_and(|said| said.contains("1GiB or 1GB")));
        for text in ["", "GiB", "4 parsecs", "-1GiB", "1e9", "999999999999TiB"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_reading_holds_is_part_of_the_memory() {
        let plain = Budget::new(300 * MIB, 2);
        let held = plain.holding(100 * MIB);
        let buffer = |budget: Budget| budget.limits(1_000_000, WeightType::U32).unwrap().buffer();
        let less = (100 * MIB).div_ceil(16 + 4 + 13) as usize;
        assert!((less - 1..=less).contains(&(buffer(plain) - buffer(held))));
        assert!(held.check_reading().is_ok());
        let refused = plain.holding(300 * MIB).check_reading().unwrap_err().to_string();
        assert!(refused.contains("because reading it as it is holds 300 MiB"), "{refused}");
    }

    #[test]
    fn the_least_memory_of_a_refusal_suffices() {
        let least = |message: &str| {
            let (_, size) = message.split_once("--memory ").unwrap();
            parse_bytes(size.trim_end_matches('`')).unwrap()
        };
        let refused = Budget::new(0, 3).check_reading().unwrap_err().to_string();
        let smallest = least(&refused);
        assert!(smallest < 48 << 20);
        assert!(Budget::new(smallest, 3).check_reading().is_ok());
        for (vertices, too_small) in
            [1_000_000, 50_000_000, u32::MAX].into_iter().zip([0, smallest, 1])
        {
            let small = Budget::new(too_small, 3);
            let refused = small.limits(vertices, WeightType::F64).unwrap_err().to_string();
            let enough = Budget::new(least(&refused), 3);
            assert!(enough.limits(vertices, WeightType::F64).is_ok(), "{refused}");
            let less = Budget::new(least(&refused) / 16 * 15, 3);
            assert!(less.limits(vertices, WeightType::F64).is_err(), "{refused}");
        }
    }
}
