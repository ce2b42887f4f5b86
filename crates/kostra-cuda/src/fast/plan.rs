//! How a solve is launched: the kernel, the grid and the scratch memory.

use cudarc::driver::{CudaFunction, CudaSlice};
use kostra_core::Run;

use super::arguments::{BLOCK_THREADS, Graph, SECOND_BLOCK_EDGES, SOURCE, TraceStep};
use super::layout::{Layout, Room};
use crate::{Device, DeviceError};

/// The number of steps that the trace has room for. The kernel does not trace further steps.
pub(super) const TRACE_STEPS: usize = 1 << 12;

/// The form of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Edges,
    Rows,
}

/// How a solve is launched.
pub(super) struct Plan {
    pub(super) kernel: CudaFunction,
    pub(super) blocks: u32,
    pub(super) layout: Layout,
    /// The steps of an observed solve.
    pub(super) trace: Option<CudaSlice<u32>>,
}

impl Plan {
    /// Loads the kernel, and lays out the scratch memory for a graph of this size. The addresses in
    /// `graph` are not used.
    pub(super) fn new(device: &Device, graph: Graph, form: Form) -> Result<Self, DeviceError> {
        let name = match (form, graph.wide != 0) {
            (Form::Edges, false) => "edges_32",
            (Form::Edges, true) => "edges_64",
            (Form::Rows, false) => "rows_32",
            (Form::Rows, true) => "rows_64",
        };
        let (kernel, fit) = device.resident(SOURCE, name, BLOCK_THREADS)?;
        let is_small = u64::from(graph.edges) < SECOND_BLOCK_EDGES;
        let blocks = device.multiprocessors() * if is_small { 1 } else { fit };
        let layout = Layout::new(graph, warps(blocks), Room::Usual);
        Ok(Self { kernel, blocks, layout, trace: None })
    }

    /// Allocates the memory that the solve works in.
    pub(super) fn allocate(&mut self, device: &Device, run: &Run<'_>) -> Result<(), DeviceError> {
        if run.is_observed() {
            self.trace = Some(device.uninit(TRACE_STEPS * TraceStep::WORDS)?);
        }
        device.reserve_scratch(self.layout.bytes())
    }

    /// The same plan with room for every edge in the lists.
    pub(super) fn with_room_for_all_edges(self, graph: Graph) -> Self {
        let layout = Layout::new(graph, warps(self.blocks), Room::AllEdges);
        Self { layout, ..self }
    }
}

/// The number of warps of a grid.
fn warps(blocks: u32) -> u64 {
    u64::from(blocks * BLOCK_THREADS / 32)
}
