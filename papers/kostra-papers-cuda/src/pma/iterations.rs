//! The iterations of PMA: Partial Prim, and what is reported.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;
use kostra_core::{CsrView, EdgeSet, Key, OptionValues, Problem, Run, SolveError, SolverOption};
use kostra_cuda::buffers::{DeviceEdgeSet, Keys, address, download};
use kostra_cuda::launch::Kernel;
use kostra_cuda::rows::RoundGraph;
use kostra_cuda::scan::{Scan, TileSums};
use kostra_cuda::shared::fill;
use kostra_cuda::sort_rows::RowOrder;
use kostra_cuda::step_clock::StepClock;
use kostra_cuda::{Device, DeviceCsr, DeviceError};

use super::gamma::gamma;
use super::graph::{IterationGraph, Words};
use super::kernels::{
    Arguments, BLOCKS, COUNTERS, Kernels, MUTUAL_TOUCHES, PARTIAL_PRIM, PROCESSOR_BLOCKS,
    SEARCH_THREADS, SORT_BY_WEIGHT, TOUCHES, TREES,
};
use super::{Search, Searches};
use crate::contraction::Contraction;

/// The option that section 6.3 of the source compares.
pub(super) const REMOVE_PARALLEL_EDGES: SolverOption = SolverOption {
    name: "remove-parallel-edges",
    about: "whether only the lightest of parallel edges is kept after each iteration",
    default: 1,
    values: OptionValues::Switch,
};

/// The option for rows that are too long for one thread.
pub(super) const COOPERATIVE_SEARCH: SolverOption = SolverOption {
    name: "cooperative-search",
    about: "whether a block of threads is a processor in iterations with long rows",
    default: 0,
    values: OptionValues::Switch,
};

/// The average degree from which blocks search rows: each thread of a block has two entries.
const COOPERATIVE_DEGREE: u32 = 2 * SEARCH_THREADS;

/// A word of `successor` of a vertex that no tree has.
const UNVISITED: u8 = 0xFF;

/// Algorithm 1.
pub(super) fn solve<S: Searches, K: Key>(
    problem: Problem<'_, K>,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let device = &*Device::open(run.request.device())?;
    let rows = problem.csr(run)?;
    let (n, m, entries) = (rows.vertices(), rows.edges(), rows.rows().neighbors().len());
    if entries == 0 {
        return Ok(EdgeSet::new(m));
    }
    device.admit(0, DeviceCsr::<K>::bytes(n, entries) + scratch_bytes::<K>(n, m, entries))?;
    let keys = Keys::of(rows.encoding());
    let kernels = run.compile(|_| Kernels::load(device, keys))?;
    let (mut iterations, mut graph, mut other) = run.upload(|run| {
        let iterations = Iterations::allocate::<S, K>(device, kernels, rows, run)?;
        let other =
            IterationGraph::new(device, RoundGraph::contracted(device, n, entries)?, entries)?;
        let given = DeviceCsr::upload(device, rows, run.request.threads())?;
        let graph = IterationGraph::new(device, RoundGraph::given(device, given)?, entries)?;
        Ok::<_, DeviceError>((iterations, graph, other))
    })?;
    iterations.prepare(&mut graph, keys)?;
    iterations.clock.report(run)?;
    let mut iteration = 0;
    while graph.rows.entries > 0 {
        iterations.iterate(S::search_in(iteration), &mut graph, &mut other, run)?;
        iteration += 1;
    }
    device.finish()?;
    Ok(run.download(|run| iterations.forest.download(device, run.request.threads()))?)
}

/// The bytes that are allocated in addition to the given graph.
fn scratch_bytes<K: Key>(n: u32, m: usize, entries: usize) -> usize {
    let n = n as usize;
    RoundGraph::<K>::contracted_bytes(n, entries)
        + 2 * IterationGraph::<K>::bytes(entries)
        + Words::bytes(n, entries)
        + Scan::bytes(n.max(entries) + 1)
        + DeviceEdgeSet::bytes(m)
}

/// What is kept from iteration to iteration, in addition to the graph.
pub(super) struct Iterations<'a> {
    pub(super) device: &'a Device,
    pub(super) kernels: Kernels,
    pub(super) contraction: Contraction<'a>,
    pub(super) scan: Scan,
    pub(super) words: Words,
    pub(super) counters: CudaSlice<u32>,
    pub(super) clock: StepClock<'a>,
    forest: DeviceEdgeSet,
    gamma: u32,
    removes_parallel_edges: bool,
    searches_in_blocks: bool,
    /// The number of vertices of the given graph.
    all: usize,
}

impl<'a> Iterations<'a> {
    /// Allocates the arrays that the iterations need in addition to the two graphs.
    fn allocate<S: Searches, K: Key>(
        device: &'a Device,
        kernels: Kernels,
        rows: CsrView<'_, K>,
        run: &Run<'_>,
    ) -> Result<Self, DeviceError> {
        let (vertices, entries) = (rows.vertices(), rows.rows().neighbors().len());
        let all = vertices as usize;
        let scanned = all.max(entries) + 1;
        Ok(Self {
            device,
            contraction: Contraction::new(device, BLOCKS, kernels.contraction.clone())?,
            scan: Scan::new(device, kernels.scan.clone(), scanned, TileSums::OnDevice)?,
            kernels,
            words: Words::uninit(device, all, entries)?,
            counters: device.uninit(COUNTERS)?,
            clock: StepClock::new(device, run)?,
            forest: DeviceEdgeSet::new(device, rows.edges())?,
            gamma: gamma(run, S::search_in(0), vertices, entries),
            removes_parallel_edges: run.request.option(&REMOVE_PARALLEL_EDGES) == 1,
            searches_in_blocks: run.request.option(&COOPERATIVE_SEARCH) == 1,
            all,
        })
    }

    /// Makes the keys of the given graph, and lists the vertices of its entries.
    fn prepare<K: Key>(
        &mut self,
        graph: &mut IterationGraph<K>,
        keys: Keys,
    ) -> Result<(), DeviceError> {
        self.clock.start()?;
        self.contraction.make_keys(&mut graph.rows, keys)?;
        self.contraction.list_owners(&graph.rows, &mut graph.from)?;
        self.clock.lap("make keys")
    }

    /// Lines 2 to 4 of Algorithm 1. Replaces a graph that has edges by the unified graph.
    fn iterate<K: Key>(
        &mut self,
        search: Search,
        graph: &mut IterationGraph<K>,
        other: &mut IterationGraph<K>,
        run: &mut Run<'_>,
    ) -> Result<(), SolveError> {
        let vertices = graph.rows.vertices;
        run.report.round(vertices as usize, graph.rows.entries as usize / 2)?;
        run.report.progress(self.all - vertices as usize, self.all)?;
        self.clock.start()?;
        if search == Search::Sort {
            let sorted = (&mut graph.rows, &graph.from);
            self.kernels.sort.sort(self.device, RowOrder::Weight, sorted, &mut other.rows)?;
            self.clock.lap(SORT_BY_WEIGHT)?;
        }
        self.partial_prim(search, graph)?;
        self.unify(graph, other)?;
        std::mem::swap(graph, other);
        if self.removes_parallel_edges && graph.rows.entries > 0 {
            self.remove_parallel_edges(graph, other)?;
        }
        self.clock.report(run)?;
        self.report(vertices, run)
    }

    /// Algorithm 2 on all processors.
    fn partial_prim<K: Key>(
        &mut self,
        search: Search,
        graph: &mut IterationGraph<K>,
    ) -> Result<(), DeviceError> {
        let vertices = graph.rows.vertices;
        let processors = (vertices / self.gamma).max(1);
        let mut successor = self.words.successor.slice_mut(..vertices as usize);
        self.device.fill(&mut successor, UNVISITED)?;
        self.device.fill(&mut self.counters, 0)?;
        let by_block =
            self.searches_in_blocks && graph.rows.entries / vertices >= COOPERATIVE_DEGREE;
        let kernel = match (search, by_block) {
            (Search::Min, false) => &self.kernels.partial_prim_min,
            (Search::Sort, false) => &self.kernels.partial_prim_sort,
            (Search::Min, true) => &self.kernels.partial_prim_min_by_block,
            (Search::Sort, true) => &self.kernels.partial_prim_sort_by_block,
        };
        let arguments = Arguments { processors, ..self.arguments(graph, graph) };
        let mut grid = PROCESSOR_BLOCKS.for_items(processors);
        if by_block {
            (grid.grid_dim.0, grid.block_dim.0) = (processors, SEARCH_THREADS);
        }
        // SAFETY: as in `launch`. The lists of all processors have no more words than there are
        // vertices.
        unsafe { kernel.launch(self.device, grid, &arguments, "growing trees") }?;
        self.clock.lap_of(PARTIAL_PRIM, kernel, grid)
    }

    /// The argument of the kernels that read `graph` and write to `new`.
    pub(super) fn arguments<K: Key>(
        &self,
        graph: &IterationGraph<K>,
        new: &IterationGraph<K>,
    ) -> Arguments {
        fill!(Arguments {
            vertices: graph.rows.vertices,
            entries: graph.rows.entries,
            gamma: self.gamma,
            new_first_edge: address(&new.rows.first_edge),
            new_from: address(&new.from),
            new_neighbors: address(&new.rows.neighbors),
            new_keys: address(&new.rows.keys),
            new_ids: address(&new.rows.ids),
            forest: address(&self.forest.words),
        }, ..Arguments::default();
        graph.rows => first_edge neighbors keys ids; graph => from; self => counters;
        self.words => successor touched lists degree new_vertex number shift next_edge before)
    }

    /// Launches a kernel with one thread for each of `items` vertices or entries.
    pub(super) fn launch(
        &self,
        kernel: &Kernel<Arguments>,
        items: u32,
        arguments: &Arguments,
        doing: &'static str,
    ) -> Result<(), DeviceError> {
        // SAFETY: the rows are valid, so both ends of an entry are vertices, and each vertex is in
        // a tree. All arrays have a word for each vertex, and `before` has one for each entry and
        // one more. A new vertex is made of two or more, so the new rows have memory for all of
        // them. The forest has a bit for each id.
        unsafe { kernel.launch(self.device, BLOCKS.for_items(items), arguments, doing) }
    }

    /// Reports the counters of an iteration that began with `vertices` vertices.
    fn report(&mut self, vertices: u32, run: &mut Run<'_>) -> Result<(), SolveError> {
        if !run.report.is_observed() {
            return Ok(());
        }
        let counts = download(self.device, &self.counters)?;
        let [trees, touches, mutual] =
            [TREES, TOUCHES, MUTUAL_TOUCHES].map(|counter| f64::from(counts[counter]));
        // A touch connects two trees. Two mutual touches are one edge.
        let components = trees - touches + mutual;
        let reduction = |left: f64| 100.0 * (1.0 - left / f64::from(vertices));
        run.report.counter("trees", trees);
        run.report.counter("touches", touches);
        run.report.counter("mutual touches", mutual);
        run.report.counter("reduction %", reduction(components));
        run.report.counter("reduction % without touches", reduction(trees));
        Ok(())
    }
}
