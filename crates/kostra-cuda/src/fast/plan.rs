//! How a solve is launched: the kernel, the grid and the scratch memory.

use cudarc::driver::{CudaFunction, CudaSlice};
use kostra_core::Run;

use super::arguments::{BLOCK_THREADS, Graph, SECOND_BLOCK_EDGES, TraceStep};
use super::layout::{Layout, Room};
use crate::source::Source;
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
pub(super) struct LaunchPlan {
    pub(super) kernel: CudaFunction,
    pub(super) blocks: u32,
    pub(super) layout: Layout,
    /// The steps of an observed solve.
    pub(super) trace: Option<CudaSlice<u32>>,
}

impl LaunchPlan {
    /// Loads the kernel, and lays out the scratch memory for a graph of this size. The addresses in
    /// `graph` are not used.
    pub(super) fn new(device: &Device, graph: Graph, form: Form) -> Result<Self, DeviceError> {
        let (source, name) = kernel(form, graph.wide != 0);
        let (kernel, fit) = device.resident(source, name, BLOCK_THREADS)?;
        let is_small = u64::from(graph.ids()) < SECOND_BLOCK_EDGES;
        let blocks = device.multiprocessors() * if is_small { 1 } else { fit };
        let layout = Layout::new(graph, warps(blocks), Room::Usual);
        Ok(Self { kernel, blocks, layout, trace: None })
    }

    /// Allocates the memory that the solve works in.
    pub(super) fn allocate(&mut self, device: &Device, run: &Run<'_>) -> Result<(), DeviceError> {
        if run.report.is_observed() {
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

/// The kernel for a form of the graph and a width of keys, and its file. Each kernel has a file of
/// its own, because compiling all of them takes four to seven times as long as one.
fn kernel(form: Form, wide: bool) -> (Source, &'static str) {
    macro_rules! kernel {
        ($name:literal) => {
            (const { Source::file(concat!("fast_", $name, ".cu")) }, $name)
        };
    }
    match (form, wide) {
        (Form::Edges, false) => kernel!("edges_32"),
        (Form::Edges, true) => kernel!("edges_64"),
        (Form::Rows, false) => kernel!("rows_32"),
        (Form::Rows, true) => kernel!("rows_64"),
    }
}

/// The number of warps of a grid.
fn warps(blocks: u32) -> u64 {
    u64::from(blocks * BLOCK_THREADS / 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_each_kernel_has_that_kernel_and_no_other() {
        for form in [Form::Edges, Form::Rows] {
            for wide in [false, true] {
                let (source, name) = kernel(form, wide);
                let kernels: Vec<_> =
                    source.inflated().lines().filter(|l| l.starts_with("SOLVE(")).collect();
                assert_eq!(kernels.len(), 1, "{}: {kernels:?}", source.in_program().name);
                let input = if form == Form::Rows { "rows" } else { "edges" };
                let width = if wide { "Wide" } else { "Narrow" };
                assert_eq!(kernels[0], format!("SOLVE({name}, {width}, {input})"));
            }
        }
    }
}
