//! The solver of our own for devices: Borůvka's rounds on contracted components, in one launch.
//!
//! A grid of blocks that stay does the whole solve and meets at barriers between steps, so the host is not asked
//! between rounds. `docs/algorithms/cuda-fast.md` explains it; `kernels/fast.cu` is it. In short:
//!
//! * Rows of a CSR choose their lightest entries without atomics, and vertices join along them, before any list exists.
//! * A list of edges is kept as chains of tiles, one chain a warp: a warp filters its chain in place and asks nobody.
//! * Where edges are many, a sampled threshold lets the light ones go first. What they leave apart of the giant
//!   component is all that is looked at again, and of a row's edges into it only the lightest.
//! * What has become small is finished by one block in shared memory.
//!
//! * Source: this project. It builds on Borůvka 1926, filter-Kruskal (Osipov, Sanders & Singler 2009), ECL-MST (Fallin,
//!   Gonzalez, Seo & Burtscher 2023) for guarded atomics on packed ranks, MASTIFF (Koohi Esfahani, Kilpatrick &
//!   Vandierendonck 2022) for leaving the giant component alone.
//! * Time O((n + m) log n) work, expected O(n + m) where weights are random.
//! * Device memory beside the graph: at most 16 bytes an edge (20 with 64-bit weights) and 29 a vertex (33).
//! * Works on an edge list, or on rows that lie on the device. Exact.

#![allow(unsafe_code, reason = "kernels are launched")]

use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr, LaunchConfig, PushKernelArg};
use kostra_core::{
    Algorithm, EdgeId, EdgeSet, Platform, Problem, Representation, Run, SolveError, SolverInfo, Weight,
};
use kostra_cpu::list;

use crate::buffers::{DeviceCsr, DeviceEdgeSet, DeviceEdges, Keys, download, upload_csr, upload_edges};
use crate::memory::DeviceMemory;
use crate::module::Source;
use crate::{Device, DeviceError};

/// The fastest on devices.
pub(crate) struct Fast;

const ID: &str = "cuda-fast";
const SOURCE: Source = Source { name: "fast", text: include_str!("../kernels/fast.cu") };

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

    fn solve<W: Weight>(&self, problem: Problem<'_, W>, run: &mut Run<'_>) -> Result<EdgeSet, SolveError> {
        let device = &*Device::open(run.device())?;
        let edges = problem.edges();
        if edges.is_empty() {
            return Ok(EdgeSet::new(0));
        }
        let input = Input::of_edges(edges.vertices(), edges.len() as u32, Keys::of::<W>(edges.order()));
        let plan = Plan::new(device, input, false, Room::Usual)?;
        device
            .admit(plan.bytes(), DeviceEdgeSet::bytes(edges.len()) + DeviceEdges::<W>::bytes(edges.len()))?;
        let graph = run.upload(|run| upload_edges(device, edges, run.threads()))?;
        on_edges(device, &graph, run)
    }

    fn list(&self, forest: EdgeSet, run: &Run<'_>) -> Vec<EdgeId> {
        list(forest, run.threads())
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

    fn solve<W: Weight>(&self, problem: Problem<'_, W>, run: &mut Run<'_>) -> Result<EdgeSet, SolveError> {
        let device = &*Device::open(run.device())?;
        let (view, order) = (problem.csr(run)?, problem.edges().order());
        if view.edges() == 0 {
            return Ok(EdgeSet::new(0));
        }
        let entries = view.rows().neighbours().len();
        let input = Input::of_edges(view.vertices(), view.edges() as u32, Keys::of::<W>(order));
        let plan = Plan::new(device, Input { entries: entries as u32, ..input }, true, Room::Usual)?;
        let others = DeviceEdgeSet::bytes(view.edges()) + DeviceCsr::<W>::bytes(view.vertices(), entries);
        device.admit(plan.bytes(), others)?;
        let graph = run.upload(|run| upload_csr(device, view, order, run.threads()))?;
        on_rows(device, &graph, run)
    }

    fn list(&self, forest: EdgeSet, run: &Run<'_>) -> Vec<EdgeId> {
        list(forest, run.threads())
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
    solve(device, input_of(graph)?, run)
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
    let ids = find(device, input, run)?.list(device)?;
    run.progress(1, 1)?;
    Ok(ids)
}

fn input_of<W: Weight>(graph: &DeviceEdges<W>) -> Result<Input, SolveError> {
    Fast.admit(graph.vertices, graph.edges as usize)?;
    let mut input = Input::of_edges(graph.vertices, graph.edges, graph.keys);
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
    Fast.admit(graph.vertices, graph.edges as usize)?;
    if graph.entries > MOST_ENTRIES {
        return Err(DeviceError::TooManyEntries { entries: graph.entries.into() }.into());
    }
    let mut input = Input::of_edges(graph.vertices, graph.edges, graph.keys);
    input.entries = graph.entries;
    input.offsets = graph.offsets.address();
    input.neighbours = graph.neighbours.address();
    input.ids = graph.ids.address();
    input.weights = graph.weights.address();
    solve(device, input, run)
}

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
struct Input {
    vertices: u32,
    edges: u32,
    /// Of rows; an edge list has none.
    entries: u32,
    kind: u32,
    flip: u32,
    wide: u32,
    offsets: CUdeviceptr,
    neighbours: CUdeviceptr,
    ids: CUdeviceptr,
    u: CUdeviceptr,
    v: CUdeviceptr,
    weights: CUdeviceptr,
}

impl Input {
    fn of_edges(vertices: u32, edges: u32, keys: Keys) -> Self {
        Self { vertices, edges, kind: keys.kind, flip: keys.flip, wide: keys.wide.into(), ..Self::default() }
    }
}

/// Scratch memory, as the kernels take it. Laid out as `Scratch` in fast.cu.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Scratch {
    tiles: u32,
    steps: u32,
    link: CUdeviceptr,
    least: CUdeviceptr,
    least_id: CUdeviceptr,
    records: CUdeviceptr,
    record_ids: CUdeviceptr,
    next: CUdeviceptr,
    queue: CUdeviceptr,
    bits: CUdeviceptr,
    samples: CUdeviceptr,
    tail: CUdeviceptr,
    tail_ids: CUdeviceptr,
    counters: CUdeviceptr,
    trace: CUdeviceptr,
    forest: CUdeviceptr,
}

/// What the kernels take. Laid out as `Args` in fast.cu.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Args {
    graph: Input,
    scratch: Scratch,
}

// SAFETY: the layout is C's, and every bit pattern is fine.
unsafe impl DeviceRepr for Args {}

// As in fast.cu, where they are explained.
const BLOCK: u32 = 512;
const TILE: u64 = 128;
const SAMPLES: u64 = 4096;
const TAIL: u64 = 2048;
const ROW_BY_LANE: u64 = 32;
const FILTER_FROM: u64 = 4;
const FEW: u64 = 4096;
/// One is used a step, and more steps than there are bits in a number of vertices, times phases, there are not.
const COUNTERS: usize = 1 << 14;
/// Those of the counters that the host reads.
const HEAD: usize = 4;
const OVERFLOW: usize = 2;
const STEPS: usize = 3;
const TRACE_STEPS: usize = 1 << 12;
const STEP_WORDS: usize = 6;
/// Edges from which on two blocks are better than one on a multiprocessor (measured).
const SMALL: u64 = 1 << 19;
/// What the codes in the trace stand for.
const STEPS_BY_CODE: [&str; 14] = [
    "begin",
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

/// How a solve is launched, and where each array lies in its scratch memory.
struct Plan {
    kernel: cudarc::driver::CudaFunction,
    blocks: u32,
    /// Addresses are counted from the start of the memory.
    layout: Scratch,
    bytes: u64,
}

impl Plan {
    fn new(device: &Device, graph: Input, rows: bool, room: Room) -> Result<Self, DeviceError> {
        let name = match (rows, graph.wide != 0) {
            (false, false) => "edges_32",
            (false, true) => "edges_64",
            (true, false) => "rows_32",
            (true, true) => "rows_64",
        };
        let kernel = device.function(SOURCE, name)?;
        let fit = kernel.occupancy_max_active_blocks_per_multiprocessor(BLOCK, 0, None);
        let fit = device.check(fit, "asking for an occupancy")?.max(1);
        let (n, m) = (u64::from(graph.vertices), u64::from(graph.edges));
        // To meet costs small graphs more than they gain from many hands.
        let blocks = device.multiprocessors() * if m < SMALL { 1 } else { fit };
        let warps = u64::from(blocks * BLOCK / 32);
        // Lists of sparse graphs hold what contraction leaves of all edges, lists of dense ones what is light.
        let records = if room == Room::ForAll || m < FILTER_FROM * n { m } else { m.min(6 * n + m / 8) };
        let tiles = records / TILE + 2 * warps + 1;
        let mut bytes = 0;
        let mut take = |size: u64| {
            let at = bytes;
            bytes += size.next_multiple_of(256);
            at
        };
        let wide = u64::from(graph.wide);
        let layout = Scratch {
            tiles: tiles as u32,
            counters: take(4 * COUNTERS as u64), // the first, where the host looks for them
            link: take(4 * (5 * n + 16)),
            least: take(8 * (n.max(FEW) + FEW)),
            least_id: take(4 * n * wide),
            records: take(16 * TILE * (tiles + 1)),
            record_ids: take(4 * TILE * (tiles + 1) * wide),
            next: take(4 * (tiles + 1)),
            queue: take(8 * (u64::from(graph.entries) / ROW_BY_LANE + 1)),
            bits: take(8 * (n / 32 + 2)),
            samples: take(8 * SAMPLES),
            tail: take(16 * TAIL),
            tail_ids: take(4 * TAIL * wide),
            ..Scratch::default()
        };
        Ok(Self { kernel, blocks, layout, bytes })
    }

    fn bytes(&self) -> usize {
        self.bytes as usize
    }

    /// The addresses when the scratch memory begins here.
    fn scratch(&self, start: CUdeviceptr) -> Scratch {
        let mut scratch = self.layout;
        for address in [
            &mut scratch.link,
            &mut scratch.least,
            &mut scratch.least_id,
            &mut scratch.records,
            &mut scratch.record_ids,
            &mut scratch.next,
            &mut scratch.queue,
            &mut scratch.bits,
            &mut scratch.samples,
            &mut scratch.tail,
            &mut scratch.tail_ids,
            &mut scratch.counters,
        ] {
            *address += start;
        }
        scratch
    }
}

fn solve(device: &Device, graph: Input, run: &mut Run<'_>) -> Result<EdgeSet, SolveError> {
    if graph.edges == 0 {
        return Ok(EdgeSet::new(0));
    }
    let forest = find(device, graph, run)?;
    let set = run.download(|_| forest.download(device))?;
    run.progress(1, 1)?;
    Ok(set)
}

/// The forest, on the device; the graph has edges.
fn find(device: &Device, graph: Input, run: &mut Run<'_>) -> Result<DeviceEdgeSet, SolveError> {
    run.progress(0, 1)?;
    let mut room = Room::Usual;
    loop {
        let plan = Plan::new(device, graph, graph.offsets != 0, room)?;
        device.admit(plan.bytes(), DeviceEdgeSet::bytes(graph.edges as usize))?;
        match attempt(device, &plan, graph, run)? {
            Some(forest) => return Ok(forest),
            None => room = Room::ForAll,
        }
    }
}

/// Launches and waits. None where the lists had too little room.
fn attempt(
    device: &Device,
    plan: &Plan,
    graph: Input,
    run: &mut Run<'_>,
) -> Result<Option<DeviceEdgeSet>, DeviceError> {
    let mut scratch = device.scratch(plan.bytes())?;
    device.fill(&mut scratch.slice_mut(..4 * COUNTERS), 0)?;
    let trace: Option<CudaSlice<u32>> =
        run.is_observed().then(|| device.uninit(TRACE_STEPS * STEP_WORDS)).transpose()?;
    let forest = DeviceEdgeSet::new(device, graph.edges as usize)?;
    let stream = device.stream();
    let mut arguments = Args { graph, scratch: plan.scratch(scratch.device_ptr(stream).0) };
    if let Some(trace) = &trace {
        arguments.scratch.trace = trace.device_ptr(stream).0;
        arguments.scratch.steps = TRACE_STEPS as u32;
    }
    arguments.scratch.forest = forest.words.device_ptr(stream).0;
    let grid = LaunchConfig { grid_dim: (plan.blocks, 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 };
    let mut launch = stream.launch_builder(&plan.kernel);
    launch.arg(&arguments);
    // SAFETY: the argument is laid out as the kernel's, its arrays are as long as the kernel relies on, and there are
    // no more blocks than the device holds at once.
    let done = unsafe { launch.launch_cooperative(grid) };
    device.check(done, "starting a solve")?;
    // SAFETY: any bytes are numbers.
    let head = unsafe { scratch.transmute::<u32>(HEAD) }.expect("scratch memory begins with the counters");
    let head = download(device, &head)?;
    let (full, steps) = (head[OVERFLOW] != 0, head[STEPS] as usize);
    if let Some(trace) = &trace {
        report(&download(device, &trace.slice(..steps * STEP_WORDS))?, run);
    }
    Ok((!full).then_some(forest))
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
