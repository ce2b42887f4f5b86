//! Launches a solve, waits for it, and repeats it if the lists had too little room.

#![allow(unsafe_code, reason = "kernels are launched")]

use std::ops::Range;
use std::time::Duration;

use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaView, DevicePtr, LaunchConfig, PushKernelArg};
use kostra_core::{EdgeSet, Run, SolveError};

use super::arguments::{
    Args, BLOCK_THREADS, Graph, REPORT_LABELS, REPORT_OVERFLOW, REPORT_STEPS, STEP_NAMES, TraceStep,
};
use super::layout::COUNTER_SETS;
use super::plan::{LaunchPlan, TRACE_STEPS};
use crate::buffers::{DeviceEdgeSet, download, download_set};
use crate::device::DeviceScratch;
use crate::{Device, DeviceError};

/// A forest with one bit per edge, in the scratch memory of the solve that found it.
pub(crate) struct FoundForest<'a> {
    scratch: DeviceScratch<'a>,
    /// The bytes of the forest, from the first edge on.
    forest: Range<usize>,
    /// The bytes of the light edges of the forest, if they were given as a list.
    light: Range<usize>,
    labels: Range<usize>,
    components: u32,
}

impl FoundForest<'_> {
    /// One bit per edge, in an even number of words.
    pub(crate) fn words(&self) -> CudaView<'_, u32> {
        self.view(&self.forest)
    }

    /// One bit per edge of the list of light edges, in an even number of words.
    pub(crate) fn light_words(&self) -> CudaView<'_, u32> {
        self.view(&self.light)
    }

    /// For each vertex, the component of the light edges, and a mark in the highest bit. The edges
    /// are filtered, or there is a list of light edges.
    pub(crate) fn labels(&self) -> CudaView<'_, u32> {
        self.view(&self.labels)
    }

    /// The number of components of the light edges, if edges were filtered.
    pub(crate) fn components(&self) -> u32 {
        self.components
    }

    /// The address and the number of bytes of memory that holds no part of the answer but the
    /// labels: at least 16 bytes per edge and 28 per vertex.
    pub(crate) fn spare(&self) -> (CUdeviceptr, usize) {
        let (start, _) = self.scratch.device_ptr(self.scratch.stream());
        (start + self.labels.start as CUdeviceptr, self.scratch.len() - self.labels.start)
    }

    fn view(&self, bytes: &Range<usize>) -> CudaView<'_, u32> {
        let words = bytes.len() / size_of::<u32>();
        // SAFETY: any bytes are valid integers.
        unsafe { self.scratch.slice(bytes.clone()).transmute(words) }
            .expect("the arrays are whole words")
    }
}

/// Solves a graph that has edges, and copies the forest to the host.
pub(super) fn solve(
    device: &Device,
    plan: LaunchPlan,
    graph: Graph,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let forest = find_forest(device, plan, graph, run)?;
    let set = run.download(|run| download_set(device, &forest.words(), run.request.threads()))?;
    run.report.progress(1, 1)?;
    Ok(set)
}

/// Solves a graph that has edges. The forest stays on the device.
pub(super) fn find_forest<'a>(
    device: &'a Device,
    mut plan: LaunchPlan,
    graph: Graph,
    run: &mut Run<'_>,
) -> Result<FoundForest<'a>, SolveError> {
    run.report.progress(0, 1)?;
    loop {
        device.admit(plan.layout.bytes(), 0)?;
        if let Some(forest) = attempt(device, &plan, graph, run)? {
            return Ok(forest);
        }
        plan = plan.with_room_for_all_edges(graph);
    }
}

/// Launches a solve and waits for it. Returns `None` if the lists had too little room. The driver
/// is called only to launch and to wait: a call takes as long as a step of the solve, and longer if
/// the device was idle.
fn attempt<'a>(
    device: &'a Device,
    plan: &LaunchPlan,
    graph: Graph,
    run: &mut Run<'_>,
) -> Result<Option<FoundForest<'a>>, DeviceError> {
    let mut scratch = device.scratch(plan.layout.bytes())?;
    let solves = scratch.take_turn();
    if solves == 0 {
        device.fill(&mut scratch.slice_mut(COUNTER_SETS), 0)?;
    }
    let stream = device.stream();
    let mut arguments =
        Args { graph, scratch: plan.layout.at(scratch.device_ptr(stream).0, solves) };
    arguments.scratch.report = scratch.told_at();
    if let Some(trace) = &plan.trace {
        arguments.scratch.trace = trace.device_ptr(stream).0;
        arguments.scratch.steps = TRACE_STEPS as u32;
    }
    let grid = LaunchConfig {
        grid_dim: (plan.blocks, 1, 1),
        block_dim: (BLOCK_THREADS, 1, 1),
        shared_mem_bytes: 0,
    };
    let mut launch = stream.launch_builder(&plan.kernel);
    launch.arg(&arguments);
    // SAFETY: the argument is laid out as the kernel's, its arrays have the lengths that the kernel
    // relies on, and the device holds all blocks of the grid at once.
    let launched = unsafe { launch.launch_cooperative(grid) };
    device.check(launched, "starting a solve")?;
    device.finish()?;
    scratch.leave(solves + 1);
    let report = scratch.told();
    if let Some(trace) = &plan.trace {
        let words = report[REPORT_STEPS] as usize * TraceStep::WORDS;
        observe_steps(&download(device, &trace.slice(..words))?, run);
    }
    let has_room = report[REPORT_OVERFLOW] == 0;
    let all = plan.layout.forest();
    let forest = all.start + DeviceEdgeSet::bytes(graph.first_id() as usize)..all.end;
    let light = all.start..forest.start;
    let labels = plan.layout.labels(graph.vertices);
    let components = report[REPORT_LABELS];
    Ok(has_room.then_some(FoundForest { scratch, forest, light, labels, components }))
}

/// Reports each step to the observer: its name and its time, and for each round what was left.
fn observe_steps(trace: &[u32], run: &mut Run<'_>) {
    let (steps, _) = trace.as_chunks();
    let steps: Vec<_> = steps.iter().map(|words| TraceStep::from_words(*words)).collect();
    for pair in steps.windows(2) {
        let (last, step) = (pair[0], pair[1]);
        let name = STEP_NAMES.get(step.code as usize).copied().unwrap_or("other");
        if name == "hook" {
            // The observer cannot stop the solve, which is over.
            let _ = run.report.round(step.components as usize, step.edges as usize);
        }
        run.report.phase_took(name, Duration::from_nanos(step.time.saturating_sub(last.time)));
    }
}
