//! The arguments of the kernels, and the sizes that they rely on. The CUDA source states both; a
//! difference is a compile error here.

#![allow(unsafe_code, reason = "the arguments are passed to kernels as they are laid out")]

use cudarc::driver::DeviceRepr;

use crate::buffers::Keys;
use crate::light;
use crate::shared::{constant, ptr, shared_struct};

const ARGUMENTS: &str = include_str!("../../kernels/fast/arguments.cuh");
const CONSTANTS: &str = include_str!("../../kernels/fast/constants.cuh");

pub(super) const BLOCK_THREADS: u32 = constant(CONSTANTS, "BLOCK_THREADS") as u32;
pub(super) const SECOND_BLOCK_EDGES: u64 = constant(CONSTANTS, "SECOND_BLOCK_EDGES");
pub(super) const TILE_RECORDS: u64 = constant(CONSTANTS, "TILE_RECORDS");
pub(super) const MAX_SAMPLES: u64 = constant(CONSTANTS, "MAX_SAMPLES");
pub(super) const FINISH_LIMIT: u64 = constant(CONSTANTS, "FINISH_LIMIT");
pub(super) const FEW_LIMIT: u64 = constant(CONSTANTS, "FEW_LIMIT");
pub(super) const LANE_ROW_LIMIT: u64 = constant(CONSTANTS, "LANE_ROW_LIMIT");
pub(super) const FILTER_DEGREE: u64 = constant(CONSTANTS, "FILTER_DEGREE");
pub(super) const COUNTERS: u64 = constant(ARGUMENTS, "COUNTERS");
pub(super) const REPORT_OVERFLOW: usize = constant(ARGUMENTS, "REPORT_OVERFLOW") as usize;
pub(super) const REPORT_STEPS: usize = constant(ARGUMENTS, "REPORT_STEPS") as usize;
pub(super) const REPORT_LABELS: usize = constant(ARGUMENTS, "REPORT_LABELS") as usize;
/// The ids of the edges begin at a multiple of this number, behind those of the list of light
/// edges. So the bits of both are in different words of the forest.
const LIGHT_ID_STEP: u64 = 64;

shared_struct! {
    /// The graph. The addresses of the arrays of the other form are null.
    #[derive(Clone, Copy, Debug, Default)]
    pub(super) struct Graph as "Graph" in ARGUMENTS;
    pub(super) vertices: u32,
    pub(super) edges: u32,
    /// The number of entries of the rows; 0 for an edge list.
    pub(super) entries: u32,
    kind: u32,
    flip: u32,
    pub(super) wide: u32,
    /// The number of edges of the list of light edges; 0 without such a list.
    pub(super) lights: u32,
    /// Without such a list: about how many edges of an edge list are light.
    wanted: u32,
    first_id: u64,
    pub(super) offsets: ptr,
    pub(super) neighbors: ptr,
    pub(super) ids: ptr,
    pub(super) u: ptr,
    pub(super) v: ptr,
    pub(super) weights: ptr,
    pub(super) light_u: ptr,
    pub(super) light_v: ptr,
    pub(super) light_weights: ptr,
    pub(super) light_ids: ptr,
}

impl Graph {
    /// A graph without addresses.
    pub(super) fn new(vertices: u32, edges: u32, entries: u32, keys: Keys) -> Self {
        let (wide, wanted) = (keys.wide.into(), light::wanted(vertices, edges.into()));
        let (kind, flip) = (keys.kind, keys.flip);
        Self { vertices, edges, entries, kind, flip, wide, wanted, ..Self::default() }
    }

    /// The graph with `lights` light edges in a list of their own, whose ids are below `ids`.
    pub(super) fn with_light(self, lights: u32, ids: u32) -> Self {
        Self { lights, first_id: u64::from(ids).next_multiple_of(LIGHT_ID_STEP), ..self }
    }

    /// The id of the first edge. Ids below it are of the list of light edges.
    pub(super) fn first_id(&self) -> u32 {
        self.first_id as u32
    }

    pub(super) fn ids(&self) -> u32 {
        self.first_id() + self.edges
    }
}

shared_struct! {
    /// The scratch memory.
    #[derive(Clone, Copy, Debug, Default)]
    pub(super) struct Scratch as "Scratch" in ARGUMENTS;
    pub(super) tiles: u32,
    pub(super) steps: u32,
    pub(super) link: ptr,
    pub(super) least: ptr,
    pub(super) least_id: ptr,
    pub(super) records: ptr,
    pub(super) record_ids: ptr,
    pub(super) next: ptr,
    pub(super) queue: ptr,
    pub(super) bits: ptr,
    pub(super) samples: ptr,
    pub(super) pairs: ptr,
    pub(super) tail: ptr,
    pub(super) tail_ids: ptr,
    pub(super) counters: ptr,
    pub(super) barriers: ptr,
    pub(super) next_set: ptr,
    pub(super) forest: ptr,
    pub(super) trace: ptr,
    pub(super) report: ptr,
}

shared_struct! {
    /// The argument of a kernel.
    #[derive(Clone, Copy, Debug)]
    pub(super) struct Args as "Args" in ARGUMENTS;
    pub(super) graph: Graph,
    pub(super) scratch: Scratch,
}

// SAFETY: the struct is laid out as in C, and every bit pattern is valid.
unsafe impl DeviceRepr for Args {}

shared_struct! {
    /// A step of the trace: when it ended, which step it was, and what was left.
    #[derive(Clone, Copy, Debug)]
    pub(super) struct TraceStep as "TraceStep" in ARGUMENTS;
    /// Nanoseconds.
    pub(super) time: u64,
    /// The index in [`STEP_NAMES`].
    pub(super) code: u32,
    pub(super) components: u32,
    pub(super) edges: u32,
    unused: u32,
}

impl TraceStep {
    /// The number of words of a step.
    pub(super) const WORDS: usize = size_of::<Self>() / size_of::<u32>();

    /// Reads a step from its words, as the device wrote them.
    pub(super) fn from_words(words: [u32; Self::WORDS]) -> Self {
        let [low, high, code, components, edges, unused] = words;
        Self { time: u64::from(low) | u64::from(high) << 32, code, components, edges, unused }
    }
}

/// The names of the steps in the order of `Step` in the CUDA source.
pub(super) const STEP_NAMES: [&str; 15] = [
    "begin",
    "clear",
    "scan",
    "light",
    "gather",
    "least ids",
    "hook",
    "number",
    "shortcut",
    "relabel",
    "label",
    "restart",
    "return",
    "collect",
    "finish",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    #[test]
    fn steps_have_the_names_of_the_cuda_source_in_its_order() {
        const FILE: Source = Source::file("fast/arguments.cuh");
        let (_, steps) = FILE.inflated().split_once("enum Step : u32 {").unwrap();
        let (steps, _) = steps.split_once('}').unwrap();
        let steps: Vec<_> =
            steps.split(',').map(|name| name.trim().to_lowercase().replace('_', " ")).collect();
        assert_eq!(steps, STEP_NAMES);
    }

    #[test]
    fn a_step_of_the_trace_is_read_from_its_words() {
        let step = TraceStep::from_words([5, 1, 6, 7, 8, 0]);
        assert_eq!((step.time, step.code), ((1 << 32) + 5, 6));
        assert_eq!((step.components, step.edges), (7, 8));
    }
}
