//! `cuda-fast`: rounds of Borůvka's algorithm on contracted components, in one launch.
//!
//! The blocks of the grid stay resident for the whole solve and synchronize at grid barriers
//! between steps, so the host does nothing between rounds. The kernels are `kernels/fast_*.cu`,
//! with their parts in `kernels/fast/`; `docs/algorithms/cuda-fast.md` explains the algorithm.
//!
//! * Idea: with rows, each vertex takes the least edge of its row without atomics, and the vertices
//!   are contracted along these edges before any list exists. A list of edges is one chain of tiles
//!   per warp, which the warp filters in place. If there are many edges, those up to a sampled
//!   pivot are contracted first. A second pass then lists the edges between the components that
//!   remain; of the edges from a row to the giant component, it lists only the least. One block
//!   finishes small lists in shared memory.
//! * Correctness: the least edge of a component is in the forest (cut property). The order of edges
//!   is strict, so that hooking all components at once closes no cycle. An edge within a component
//!   is the greatest of a cycle (cycle property), and so is every parallel edge except the least.
//! * Source: this project. It builds on Borůvka 1926, filter-Kruskal (Osipov, Sanders & Singler
//!   2009), ECL-MST (Fallin, Gonzalez, Seo & Burtscher 2023) for guarded atomics on packed ranks,
//!   MASTIFF (Koohi Esfahani, Kilpatrick & Vandierendonck 2022) for leaving the giant component
//!   alone.
//! * Time O((n + m) log n) work, expected O(n + m) for random weights.
//! * Device memory beside the graph: at most 16 bytes per edge (20 with 64-bit weights) and 29 per
//!   vertex (33).
//! * Input: an edge list, or rows that are stored on the device. Exact.

mod arguments;
mod layout;
mod plan;
mod solve;
mod weights_first;

use std::sync::Arc;

use cudarc::driver::CudaSlice;
use kostra_core::{
    Algorithm, EdgeId, EdgeSet, Edges, Key, OutOfMemory, Platform, Problem, Representation, Run,
    SolveError, SolverInfo,
};
use kostra_parallel::edge_ids;

use self::arguments::Graph;
use self::plan::{Form, LaunchPlan};
pub(crate) use self::solve::FoundForest;
use self::solve::{find_forest, solve};
use crate::buffers::{DeviceCsr, DeviceEdges, Keys, address};
use crate::members::list_set;
use crate::memory::DeviceMemory;
use crate::{Device, DeviceError};

/// The solver for edge lists.
pub(crate) struct Fast;

const ID: &str = "cuda-fast";

/// The most vertices: the labels of all levels are below 5 n and have 31 bits.
const MOST_VERTICES: u32 = (1 << 31) / 5 - 1;
/// The most entries and edges: a loop's index may pass the end by one step of the grid, and must
/// not overflow then.
pub(crate) const MOST_ENTRIES: u32 = u32::MAX - (1 << 22);

impl Algorithm for Fast {
    const INFO: SolverInfo = SolverInfo {
        id: ID,
        title: "Borůvka's rounds in one launch, light edges first, on a GPU",
        source: "this project",
        platform: Platform::Cuda,
        representation: Representation::EdgeList,
        exact: true,
        time: "O((n + m) log n) work",
        scratch: "up to 16 bytes per edge (20 with 64-bit weights), 29 per vertex (33)",
        options: &[],
    };

    fn admit(&self, vertices: u32, edges: usize) -> Result<(), SolveError> {
        admit(vertices, edges)
    }

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        from_host(problem.edges(), run)
    }

    fn list(&self, forest: EdgeSet, run: &Run<'_>) -> Result<Vec<EdgeId>, OutOfMemory> {
        edge_ids(forest, run.request.threads())
    }
}

/// Refuses a graph that is too large for the solvers of this module.
///
/// # Errors
/// [`SolveError::Unsuitable`] when labels or indices would need more than 32 bits.
pub fn admit(vertices: u32, edges: usize) -> Result<(), SolveError> {
    if vertices > MOST_VERTICES || edges > MOST_ENTRIES as usize {
        return Err(SolveError::Unsuitable {
            solver: ID,
            cost: "numbers of more than 32 bits".to_owned(),
            advice: "take fast",
        });
    }
    Ok(())
}

/// The canonical forest of an edge list in host memory, on the device of the run.
///
/// # Errors
/// If there is no such device, the graph is too large, or the device fails or has too little
/// memory.
pub fn from_host<K: Key>(edges: Edges<'_, K>, run: &mut Run<'_>) -> Result<EdgeSet, SolveError> {
    admit(edges.vertices(), edges.len())?;
    let device = &Device::open(run.request.device())?;
    if edges.is_empty() {
        return Ok(EdgeSet::new(0));
    }
    let keys = Keys::of(edges.encoding());
    let input = Graph::new(edges.vertices(), edges.len() as u32, 0, keys);
    let mut plan = run.compile(|_| LaunchPlan::new(device, input, Form::Edges))?;
    device.admit(plan.layout.bytes(), DeviceEdges::<K>::bytes(edges.len()))?;
    let graph = if weights_first::suits(edges.vertices(), edges.len()) {
        run.compile(|_| weights_first::load_kernels(device, keys))?;
        let graph = run.upload(|_| DeviceEdges::uninit(device, edges))?;
        if let Some(forest) = weights_first::solve(device, &graph, edges, run)? {
            return Ok(forest);
        }
        run.upload(|run| {
            plan.allocate(device, run)?;
            weights_first::send_ends(device, &graph, edges, run.request.threads())
        })?;
        graph
    } else {
        run.upload(|run| {
            plan.allocate(device, run)?;
            DeviceEdges::upload(device, edges, run.request.threads())
        })?
    };
    solve(device, plan, graph_of_edges(&graph)?, run)
}

/// The solver for rows.
pub(crate) struct FastRows;

impl Algorithm for FastRows {
    const INFO: SolverInfo = SolverInfo {
        id: "cuda-fast-rows",
        title: "cuda-fast on rows, for graphs that are stored on the GPU as CSR",
        representation: Representation::Csr,
        ..Fast::INFO
    };

    fn admit(&self, vertices: u32, edges: usize) -> Result<(), SolveError> {
        admit(vertices, edges)
    }

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let device = &*Device::open(run.request.device())?;
        let view = problem.csr(run)?;
        if view.edges() == 0 {
            return Ok(EdgeSet::new(0));
        }
        let entries = view.rows().neighbors().len();
        let keys = Keys::of(view.encoding());
        let input = Graph::new(view.vertices(), view.edges() as u32, entries as u32, keys);
        let mut plan = run.compile(|_| LaunchPlan::new(device, input, Form::Rows))?;
        device.admit(plan.layout.bytes(), DeviceCsr::<K>::bytes(view.vertices(), entries))?;
        let graph = run.upload(|run| {
            plan.allocate(device, run)?;
            DeviceCsr::upload(device, view, run.request.threads())
        })?;
        let forest = solve(device, plan, graph_of_rows(&graph)?, run);
        // Freeing the graph's memory counts as part of the upload.
        run.upload(|_| drop(graph));
        forest
    }

    fn list(&self, forest: EdgeSet, run: &Run<'_>) -> Result<Vec<EdgeId>, OutOfMemory> {
        edge_ids(forest, run.request.threads())
    }
}

/// The canonical forest of an edge list that is stored on the device.
///
/// # Errors
/// If the device fails or has too little memory.
pub fn on_edges<K: Key>(
    device: &Device,
    graph: &DeviceEdges<K>,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let input = graph_of_edges(graph)?;
    if graph.edges == 0 {
        return Ok(EdgeSet::new(0));
    }
    let plan = planned(device, input, Form::Edges, run)?;
    solve(device, plan, input, run)
}

/// The canonical forest of an edge list that is stored on the device, as edge ids: ascending 64-bit
/// integers that stay on the device.
///
/// # Errors
/// If the device fails or has too little memory.
pub fn ids_on_edges<K: Key>(
    device: &Arc<Device>,
    graph: &DeviceEdges<K>,
    run: &mut Run<'_>,
) -> Result<DeviceMemory, SolveError> {
    let input = graph_of_edges(graph)?;
    if graph.edges == 0 {
        return Ok(DeviceMemory::uninit(device, 0)?);
    }
    let plan = planned(device, input, Form::Edges, run)?;
    let ids = list_set(device, &find_forest(device, plan, input, run)?.words())?;
    run.report.progress(1, 1)?;
    Ok(ids)
}

/// The canonical forest of an edge list that has edges and is stored on the device. The forest
/// stays there, in the scratch memory, until the answer is dropped.
pub(crate) fn find_on_edges<'a, K: Key>(
    device: &'a Device,
    graph: &DeviceEdges<K>,
    run: &mut Run<'_>,
) -> Result<FoundForest<'a>, SolveError> {
    let input = graph_of_edges(graph)?;
    let plan = planned(device, input, Form::Edges, run)?;
    find_forest(device, plan, input, run)
}

/// The forest of two edge lists on the same vertices, which are stored on the device. Every edge of
/// `light` comes before every edge of `graph` that is not in `light`. The edges of `graph` that are
/// in `light`, too, are ignored. The light edges may not be empty.
///
/// The answer has the [labels](Found::labels) of the light edges' components.
pub(crate) fn find_with_light<'a, K: Key>(
    device: &'a Device,
    graph: &DeviceEdges<K>,
    light: &DeviceEdges<K>,
) -> Result<FoundForest<'a>, SolveError> {
    let mut input = graph_with_light(graph, light.edges)?;
    input.light_u = light.u.address();
    input.light_v = light.v.address();
    input.light_weights = light.weights.address();
    let run = &mut Run::new();
    let plan = planned(device, input, Form::Edges, run)?;
    find_forest(device, plan, input, run)
}

/// The bytes of scratch memory for [`find_with_light`].
pub(crate) fn scratch_bytes_with_light<K: Key>(
    device: &Device,
    graph: &DeviceEdges<K>,
    lights: u32,
) -> Result<usize, SolveError> {
    Ok(LaunchPlan::new(device, graph_with_light(graph, lights)?, Form::Edges)?.layout.bytes())
}

/// The graph with this number of light edges in a list of their own.
fn graph_with_light<K: Key>(graph: &DeviceEdges<K>, lights: u32) -> Result<Graph, SolveError> {
    let input = graph_of_edges(graph)?.with_light(lights, lights);
    admit(graph.vertices, (graph.edges as usize).saturating_add(input.first_id() as usize))?;
    Ok(input)
}

/// The forest of a list of edges in any order, which are stored on the device and have ids below
/// `all`. The list may not be empty. The answer has the [forest](Found::light_words) as a set of
/// ids, and the number of its [components](Found::components).
pub(crate) fn find_listed<'a, K: Key>(
    device: &'a Device,
    list: &DeviceEdges<K>,
    ids: &CudaSlice<u32>,
    all: u32,
) -> Result<FoundForest<'a>, SolveError> {
    admit(list.vertices, all as usize)?;
    let mut input = graph_of_list(list.vertices, list.keys, list.edges, all);
    input.light_u = list.u.address();
    input.light_v = list.v.address();
    input.light_weights = list.weights.address();
    input.light_ids = address(ids);
    let run = &mut Run::new();
    let plan = planned(device, input, Form::Edges, run)?;
    find_forest(device, plan, input, run)
}

/// The bytes of scratch memory for [`find_listed`].
pub(crate) fn scratch_bytes_of_list(
    device: &Device,
    (vertices, keys): (u32, Keys),
    edges: u32,
    all: u32,
) -> Result<usize, DeviceError> {
    Ok(LaunchPlan::new(device, graph_of_list(vertices, keys, edges, all), Form::Edges)?
        .layout
        .bytes())
}

/// A graph of light edges only.
fn graph_of_list(vertices: u32, keys: Keys, edges: u32, all: u32) -> Graph {
    Graph::new(vertices, 0, 0, keys).with_light(edges, all)
}

/// The bytes of scratch memory for an edge list of this size. The first call loads the kernel.
pub(crate) fn scratch_bytes(
    device: &Device,
    vertices: u32,
    edges: u32,
    keys: Keys,
) -> Result<usize, DeviceError> {
    let plan = LaunchPlan::new(device, Graph::new(vertices, edges, 0, keys), Form::Edges)?;
    Ok(plan.layout.bytes())
}

/// The most bytes of scratch memory that an edge list of this size can take. The first call loads
/// the kernel.
pub(crate) fn most_scratch_bytes(
    device: &Device,
    vertices: u32,
    edges: u32,
    keys: Keys,
) -> Result<usize, DeviceError> {
    let graph = Graph::new(vertices, edges, 0, keys);
    let plan = LaunchPlan::new(device, graph, Form::Edges)?.with_room_for_all_edges(graph);
    Ok(plan.layout.bytes())
}

fn graph_of_edges<K: Key>(graph: &DeviceEdges<K>) -> Result<Graph, SolveError> {
    admit(graph.vertices, graph.edges as usize)?;
    let mut input = Graph::new(graph.vertices, graph.edges, 0, graph.keys);
    input.u = graph.u.address();
    input.v = graph.v.address();
    input.weights = graph.weights.address();
    Ok(input)
}

/// The canonical forest of rows that are stored on the device.
///
/// # Errors
/// If the device fails or has too little memory.
pub fn on_rows<K: Key>(
    device: &Device,
    graph: &DeviceCsr<K>,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let input = graph_of_rows(graph)?;
    if graph.edges == 0 {
        return Ok(EdgeSet::new(0));
    }
    let plan = planned(device, input, Form::Rows, run)?;
    solve(device, plan, input, run)
}

fn graph_of_rows<K: Key>(graph: &DeviceCsr<K>) -> Result<Graph, SolveError> {
    admit(graph.vertices, graph.edges as usize)?;
    if graph.entries > MOST_ENTRIES {
        return Err(DeviceError::TooManyEntries { entries: graph.entries.into() }.into());
    }
    let mut input = Graph::new(graph.vertices, graph.edges, graph.entries, graph.keys);
    input.offsets = graph.offsets.address();
    input.neighbors = graph.neighbors.address();
    input.ids = graph.ids.address();
    input.weights = graph.weights.address();
    Ok(input)
}

/// The plan for a graph that is stored on the device, with the memory to solve it allocated.
fn planned(
    device: &Device,
    graph: Graph,
    form: Form,
    run: &mut Run<'_>,
) -> Result<LaunchPlan, DeviceError> {
    let mut plan = run.compile(|_| LaunchPlan::new(device, graph, form))?;
    plan.allocate(device, run)?;
    Ok(plan)
}
