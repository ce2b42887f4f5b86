//! The solver of our own for devices: Borůvka's rounds on contracted components, in one launch.
//!
//! A grid of blocks that stay does the whole solve and meets at barriers between steps, so the host
//! is not asked between rounds. `docs/algorithms/cuda-fast.md` explains it; `kernels/fast.cu` is
//! it. In short:
//!
//! * Rows of a CSR choose their lightest entries without atomics, and vertices join along them,
//!   before any list exists.
//! * A list of edges is kept as chains of tiles, one chain a warp: a warp filters its chain in
//!   place and asks nobody.
//! * Where edges are many, a sampled threshold lets the light ones go first. What they leave apart
//!   of the giant component is all that is looked at again, and of a row's edges into it only the
//!   lightest.
//! * What has become small is finished by one block in shared memory.
//!
//! * Source: this project. It builds on Borůvka 1926, filter-Kruskal (Osipov, Sanders & Singler
//!   2009), ECL-MST (Fallin, Gonzalez, Seo & Burtscher 2023) for guarded atomics on packed ranks,
//!   MASTIFF (Koohi Esfahani, Kilpatrick & Vandierendonck 2022) for leaving the giant component
//!   alone.
//! * Time O((n + m) log n) work, expected O(n + m) where weights are random.
//! * Device memory beside the graph: at most 16 bytes an edge (20 with 64-bit weights) and 29 a
//!   vertex (33).
//! * Works on an edge list, or on rows that lie on the device. Exact.

#![allow(unsafe_code, reason = "kernels are launched")]

mod plan;

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::{CudaView, DevicePtr, LaunchConfig, PushKernelArg};
use kostra_core::{
    Algorithm, EdgeId, EdgeSet, OutOfMemory, Platform, Problem, Representation, Run, SolveError,
    SolverInfo, Weight,
};
use kostra_parallel::edge_ids;

use self::plan::{Args, BLOCK, Form, Input, Plan, STEP_WORDS, TRACE_STEPS, TURNS};
use crate::buffers::{DeviceCsr, DeviceEdges, Keys, download, download_set};
use crate::columns::list_set;
use crate::device::Scratch;
use crate::memory::DeviceMemory;
use crate::{Device, DeviceError};

/// The fastest on devices.
pub(crate) struct Fast;

const ID: &str = "cuda-fast";

/// Labels of all rounds are numbers below 5 n, and have 31 bits.
const MOST_VERTICES: u32 = (1 << 31) / 5 - 1;
/// Loops step over the end by less than the rest to 2^32.
const MOST_ENTRIES: u32 = u32::MAX - (1 << 22);

impl Algorithm for Fast {
    const INFO: SolverInfo = SolverInfo {
        id: ID,
        title: "Borůvka's rounds in one launch, light edges first, on a GPU",
        source: "this project",
        platform: Platform::Cuda,
        representation: Representation::EdgeList,
        exact: true,
        time: "O((n + m) log n) work",
        scratch: "up to 16 bytes an edge (20 with 64-bit weights), 29 a vertex (33)",
        options: &[],
    };

    fn admit(&self, vertices: u32, edges: usize) -> Result<(), SolveError> {
        if vertices > MOST_VERTICES || edges > MOST_ENTRIES as usize {
            return Err(SolveError::Unsuitable {
                solver: ID,
                cost: "numbers of more than 32 bits".to_owned(),
                advice: "take fast",
            });
        }
        Ok(())
    }

    fn solve<W: Weight>(
        &self,
        problem: Problem<'_, W>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let device = &*Device::open(run.device())?;
        let edges = problem.edges();
        if edges.is_empty() {
            return Ok(EdgeSet::new(0));
        }
        let input = Input::new(
            edges.vertices(),
            edges.len() as u32,
            0,
            Keys::of_weights::<W>(edges.order()),
        );
        let mut plan = run.compile(|_| Plan::new(device, input, Form::Edges))?;
        device.admit(plan.layout.bytes(), DeviceEdges::<W>::bytes(edges.len()))?;
        let graph = run.upload(|run| {
            plan.allocate(device, run)?;
            DeviceEdges::upload(device, edges, run.threads())
        })?;
        solve(device, plan, input_of(&graph)?, run)
    }

    fn list(&self, forest: EdgeSet, run: &Run<'_>) -> Result<Vec<EdgeId>, OutOfMemory> {
        edge_ids(forest, run.threads())
    }
}

/// The same on rows.
pub(crate) struct FastRows;

impl Algorithm for FastRows {
    const INFO: SolverInfo = SolverInfo {
        id: "cuda-fast-rows",
        title: "cuda-fast on rows, for graphs that lie on the GPU as CSR",
        representation: Representation::Csr,
        ..Fast::INFO
    };

    fn admit(&self, vertices: u32, edges: usize) -> Result<(), SolveError> {
        Fast.admit(vertices, edges)
    }

    fn solve<W: Weight>(
        &self,
        problem: Problem<'_, W>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let device = &*Device::open(run.device())?;
        let view = problem.csr(run)?;
        if view.edges() == 0 {
            return Ok(EdgeSet::new(0));
        }
        let entries = view.rows().neighbours().len();
        let keys = Keys::of_weights::<W>(view.order());
        let input = Input::new(view.vertices(), view.edges() as u32, entries as u32, keys);
        let mut plan = run.compile(|_| Plan::new(device, input, Form::Rows))?;
        device.admit(plan.layout.bytes(), DeviceCsr::<W>::bytes(view.vertices(), entries))?;
        let graph = run.upload(|run| {
            plan.allocate(device, run)?;
            DeviceCsr::upload(device, view, run.threads())
        })?;
        let forest = solve(device, plan, input_of_rows(&graph)?, run);
        // To give its memory back belongs to copying it there.
        run.upload(|_| drop(graph));
        forest
    }

    fn list(&self, forest: EdgeSet, run: &Run<'_>) -> Result<Vec<EdgeId>, OutOfMemory> {
        edge_ids(forest, run.threads())
    }
}

/// The canonical forest of an edge list that lies on the device.
///
/// # Errors
/// When the device fails, or has too little memory.
pub fn on_edges<W: Weight>(
    device: &Device,
    graph: &DeviceEdges<W>,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let input = input_of(graph)?;
    if graph.edges == 0 {
        return Ok(EdgeSet::new(0));
    }
    let plan = planned(device, input, Form::Edges, run)?;
    solve(device, plan, input, run)
}

/// The same, as the ids of the forest's edges, ascending 64-bit integers that stay on the device.
///
/// # Errors
/// When the device fails, or has too little memory.
pub fn ids_on_edges<W: Weight>(
    device: &Arc<Device>,
    graph: &DeviceEdges<W>,
    run: &mut Run<'_>,
) -> Result<DeviceMemory, SolveError> {
    let input = input_of(graph)?;
    if graph.edges == 0 {
        return Ok(DeviceMemory::uninit(device, 0)?);
    }
    let plan = planned(device, input, Form::Edges, run)?;
    let ids = list_set(device, &find(device, plan, input, run)?.words())?;
    run.progress(1, 1)?;
    Ok(ids)
}

fn input_of<W: Weight>(graph: &DeviceEdges<W>) -> Result<Input, SolveError> {
    Fast.admit(graph.vertices, graph.edges as usize)?;
    let mut input = Input::new(graph.vertices, graph.edges, 0, graph.keys);
    input.u = graph.u.address();
    input.v = graph.v.address();
    input.weights = graph.weights.address();
    Ok(input)
}

/// The canonical forest of rows that lie on the device.
///
/// # Errors
/// When the device fails, or has too little memory.
pub fn on_rows<W: Weight>(
    device: &Device,
    graph: &DeviceCsr<W>,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let input = input_of_rows(graph)?;
    if graph.edges == 0 {
        return Ok(EdgeSet::new(0));
    }
    let plan = planned(device, input, Form::Rows, run)?;
    solve(device, plan, input, run)
}

fn input_of_rows<W: Weight>(graph: &DeviceCsr<W>) -> Result<Input, SolveError> {
    Fast.admit(graph.vertices, graph.edges as usize)?;
    if graph.entries > MOST_ENTRIES {
        return Err(DeviceError::TooManyEntries { entries: graph.entries.into() }.into());
    }
    let mut input = Input::new(graph.vertices, graph.edges, graph.entries, graph.keys);
    input.offsets = graph.offsets.address();
    input.neighbours = graph.neighbours.address();
    input.ids = graph.ids.address();
    input.weights = graph.weights.address();
    Ok(input)
}

/// What a solve tells the host when it is done: whether a list had too little room, and how many
/// steps it traced.
const OVERFLOW: usize = 0;
const STEPS: usize = 1;
/// What the codes in the trace stand for.
const STEPS_BY_CODE: [&str; 15] = [
    "begin",
    "clear",
    "choose",
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

/// A forest as a bit an edge, in the memory that it was found in.
struct Found<'a> {
    scratch: Scratch<'a>,
    forest: Range<usize>,
}

impl Found<'_> {
    fn words(&self) -> CudaView<'_, u32> {
        let words = self.forest.len() / size_of::<u32>();
        // SAFETY: any bytes are numbers.
        unsafe { self.scratch.slice(self.forest.clone()).transmute(words) }
            .expect("the forest is whole words")
    }
}

/// The plan for a graph that is on the device, and memory to solve it in.
fn planned(
    device: &Device,
    graph: Input,
    form: Form,
    run: &mut Run<'_>,
) -> Result<Plan, DeviceError> {
    let mut plan = run.compile(|_| Plan::new(device, graph, form))?;
    plan.allocate(device, run)?;
    Ok(plan)
}

/// Solves a graph that has edges.
fn solve(
    device: &Device,
    plan: Plan,
    graph: Input,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let forest = find(device, plan, graph, run)?;
    let set = run.download(|run| download_set(device, &forest.words(), run.threads()))?;
    run.progress(1, 1)?;
    Ok(set)
}

/// The forest, on the device; the graph has edges.
fn find<'a>(
    device: &'a Device,
    mut plan: Plan,
    graph: Input,
    run: &mut Run<'_>,
) -> Result<Found<'a>, SolveError> {
    run.progress(0, 1)?;
    loop {
        device.admit(plan.layout.bytes(), 0)?;
        if let Some(forest) = attempt(device, &plan, graph, run)? {
            return Ok(forest);
        }
        plan = plan.with_room_for_all(graph);
    }
}

/// Launches and waits. None where the lists had too little room. Beside the launch, the driver is
/// asked to wait, no more: each call takes as long as a step of the solve, and several where the
/// device has slept.
fn attempt<'a>(
    device: &'a Device,
    plan: &Plan,
    graph: Input,
    run: &mut Run<'_>,
) -> Result<Option<Found<'a>>, DeviceError> {
    let mut scratch = device.scratch(plan.layout.bytes())?;
    let turns = scratch.take_turn();
    if turns == 0 {
        device.fill(&mut scratch.slice_mut(TURNS), 0)?;
    }
    let stream = device.stream();
    let mut arguments =
        Args { graph, scratch: plan.layout.at(scratch.device_ptr(stream).0, turns) };
    arguments.scratch.told = scratch.told_at();
    if let Some(trace) = &plan.trace {
        arguments.scratch.trace = trace.device_ptr(stream).0;
        arguments.scratch.steps = TRACE_STEPS as u32;
    }
    let grid = LaunchConfig {
        grid_dim: (plan.blocks, 1, 1),
        block_dim: (BLOCK, 1, 1),
        shared_mem_bytes: 0,
    };
    let mut launch = stream.launch_builder(&plan.kernel);
    launch.arg(&arguments);
    // SAFETY: the argument is laid out as the kernel's, its arrays are as long as the kernel relies
    // on, and there are no more blocks than the device holds at once.
    let done = unsafe { launch.launch_cooperative(grid) };
    device.check(done, "starting a solve")?;
    device.finish()?;
    scratch.leave(turns + 1);
    let told = scratch.told();
    if let Some(trace) = &plan.trace {
        report(&download(device, &trace.slice(..told[STEPS] as usize * STEP_WORDS))?, run);
    }
    Ok((told[OVERFLOW] == 0).then(|| Found { scratch, forest: plan.layout.forest() }))
}

/// Tells the observer of every step: what it was, how long it took, and what was left.
fn report(trace: &[u32], run: &mut Run<'_>) {
    let nanoseconds = |step: &[u32]| u64::from(step[0]) | u64::from(step[1]) << 32;
    let steps: Vec<_> = trace.chunks_exact(STEP_WORDS).collect();
    for pair in steps.windows(2) {
        let elapsed = nanoseconds(pair[1]).saturating_sub(nanoseconds(pair[0]));
        let name = STEPS_BY_CODE.get(pair[1][2] as usize).copied().unwrap_or("other");
        if name == "hook" {
            // What an observer says to a round comes too late: the solve is over.
            let _ = run.round(pair[1][3] as usize, pair[1][4] as usize);
        }
        run.phase_took(name, Duration::from_nanos(elapsed));
    }
}
