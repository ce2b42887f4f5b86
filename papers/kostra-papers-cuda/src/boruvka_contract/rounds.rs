//! The rounds of the contracting algorithm, with the launches of all its kernels.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::LaunchConfig;
use kostra_core::{CsrView, EdgeSet, Key, Problem, Run, SolveError, SolverOption};
use kostra_cuda::buffers::{DeviceEdgeSet, Keys, address};
use kostra_cuda::launch::{BlockSize, Kernel, block_size};
use kostra_cuda::rows::RoundGraph;
use kostra_cuda::scan::Scan;
use kostra_cuda::shared::fill;
use kostra_cuda::step_clock::StepClock;
use kostra_cuda::{Device, DeviceError};

use super::kernels::{
    ASSIGN_EDGE_SEGMENTS, Arguments, Building, COUNT_NEW_EDGES, CREATE_NEW_VERTEX_IDS,
    ContractionKernels, FIND_MINIMUM_EDGES, INITIALIZE_COLORS, INSERT_NEW_EDGES, Kernels,
    PROPAGATE_COLORS, REMOVE_MIRRORED_EDGES,
};
use super::placed::{MEMORY, Place, PlacedGraph};
use super::vertices::Vertices;
use crate::contraction::Contraction;

/// The option of both contracting solvers. The default is that of Sousa's appendix B.
pub(crate) const BLOCK_SIZE: SolverOption = block_size(1024);

/// Algorithm 5.
pub(crate) fn contract<C: ContractionKernels, K: Key>(
    problem: Problem<'_, K>,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let device = &*Device::open(run.request.device())?;
    let rows = problem.csr(run)?;
    let (n, m, entries) = (rows.vertices(), rows.edges(), rows.rows().neighbors().len());
    if entries == 0 {
        return Ok(EdgeSet::new(m));
    }
    let unified = run.request.option(&MEMORY) == Place::Unified as u64;
    let place = if unified { Place::Unified } else { Place::Device };
    let graphs = PlacedGraph::<K>::bytes(n, entries, place);
    device.admit(0, graphs + scratch_bytes(n as usize, m))?;
    let keys = Keys::of(rows.encoding());
    let kernels = run.compile(|_| {
        Ok::<_, DeviceError>((Kernels::load(device, keys)?, Building::load::<C>(device, keys)?))
    })?;
    let (mut rounds, mut now, mut next) = run.upload(|run| {
        let rounds = Rounds::allocate::<C, K>(device, kernels, rows, run)?;
        let next = PlacedGraph::contracted(device, rows, place)?;
        let given = PlacedGraph::given(device, rows, (place, run.request.threads()))?;
        Ok::<_, DeviceError>((rounds, given, next))
    })?;
    rounds.make_keys(&mut now, keys)?;
    rounds.clock.report(run)?;
    while now.entries > 0 {
        rounds.round::<C, K>(&now, &mut next, run)?;
        std::mem::swap(&mut now, &mut next);
    }
    device.finish()?;
    Ok(run.download(|run| rounds.forest.download(device, run.request.threads()))?)
}

/// The bytes that are allocated in addition to the two graphs.
fn scratch_bytes(n: usize, m: usize) -> usize {
    Vertices::bytes(n) + Scan::bytes(n) + DeviceEdgeSet::bytes(m)
}

struct Rounds<'a> {
    device: &'a Device,
    blocks: BlockSize,
    kernels: Kernels,
    building: Building,
    scan: Scan,
    vertices: Vertices,
    contraction: Contraction<'a>,
    forest: DeviceEdgeSet,
    clock: StepClock<'a>,
    /// The number of vertices of the given graph.
    all: usize,
}

impl<'a> Rounds<'a> {
    /// Allocates the arrays that the rounds need in addition to the rows of the graph.
    fn allocate<C: ContractionKernels, K: Key>(
        device: &'a Device,
        (kernels, building): (Kernels, Building),
        rows: CsrView<'_, K>,
        run: &Run<'_>,
    ) -> Result<Self, DeviceError> {
        let all = rows.vertices() as usize;
        let blocks = BlockSize { threads: run.request.option(&BLOCK_SIZE) as u32 };
        Ok(Self {
            device,
            blocks,
            contraction: Contraction::new(device, blocks, kernels.contraction.clone())?,
            scan: Scan::new(device, kernels.scan.clone(), all, C::TILE_SUMS)?,
            kernels,
            building,
            vertices: Vertices::uninit(device, all)?,
            forest: DeviceEdgeSet::new(device, rows.edges())?,
            clock: StepClock::new(device, run)?,
            all,
        })
    }

    /// Replaces the weights of the given graph by their keys.
    fn make_keys<K: Key>(
        &mut self,
        graph: &mut RoundGraph<K>,
        keys: Keys,
    ) -> Result<(), DeviceError> {
        self.clock.start()?;
        self.contraction.make_keys(graph, keys)?;
        self.clock.lap("make keys")
    }

    /// Chooses edges of a graph that has edges, and builds the contracted graph.
    fn round<C: ContractionKernels, K: Key>(
        &mut self,
        graph: &RoundGraph<K>,
        next: &mut RoundGraph<K>,
        run: &mut Run<'_>,
    ) -> Result<(), SolveError> {
        run.report.round(graph.vertices as usize, graph.entries as usize / 2)?;
        self.clock.start()?;
        let arguments = &self.arguments(graph, next);
        self.find_minimum_edges(arguments)?;
        self.remove_mirrored_edges(arguments)?;
        self.initialize_colors(arguments)?;
        let sweeps = self.propagate_colors(graph, run)?;
        next.vertices = self.create_new_vertex_ids(arguments)?;
        self.count_new_edges::<C, K>(arguments, next)?;
        next.entries = self.assign_edge_segments(next)?;
        self.insert_new_edges::<C>(arguments)?;
        self.clock.report(run)?;
        run.report.counter("color sweeps", f64::from(sweeps));
        Ok(())
    }

    /// Algorithm 7.
    fn find_minimum_edges(&mut self, arguments: &Arguments) -> Result<(), DeviceError> {
        let kernel = &self.kernels.find_minimum_edges;
        let grid = self.launch(kernel, arguments.vertices, arguments, "finding minimum edges")?;
        self.clock.lap_of(FIND_MINIMUM_EDGES, kernel, grid)
    }

    /// Algorithm 8. Adds the edges that remain to the forest.
    fn remove_mirrored_edges(&mut self, arguments: &Arguments) -> Result<(), DeviceError> {
        let kernel = &self.kernels.remove_mirrored_edges;
        let grid = self.launch(kernel, arguments.vertices, arguments, "removing mirrored edges")?;
        self.clock.lap_of(REMOVE_MIRRORED_EDGES, kernel, grid)
    }

    /// Algorithm 9.
    fn initialize_colors(&mut self, arguments: &Arguments) -> Result<(), DeviceError> {
        let kernel = &self.kernels.initialize_colors;
        let grid = self.launch(kernel, arguments.vertices, arguments, "initializing colors")?;
        self.clock.lap_of(INITIALIZE_COLORS, kernel, grid)
    }

    /// Algorithm 10, until nothing changes. Returns the number of sweeps, including the last one,
    /// which changes nothing.
    fn propagate_colors<K: Key>(
        &mut self,
        graph: &RoundGraph<K>,
        run: &mut Run<'_>,
    ) -> Result<u32, SolveError> {
        let done = self.all - graph.vertices as usize;
        let color = &mut self.vertices.color;
        let sweeps = self
            .contraction
            .propagate_colors(color, graph.vertices, || run.report.progress(done, self.all))?;
        let (kernel, grid) = self.contraction.propagation(graph.vertices);
        self.clock.lap_of(PROPAGATE_COLORS, kernel, grid)?;
        Ok(sweeps)
    }

    /// Algorithm 11 and the prefix sum. Returns the number of vertices of the contracted graph.
    fn create_new_vertex_ids(&mut self, arguments: &Arguments) -> Result<u32, DeviceError> {
        let kernel = &self.kernels.flag_roots;
        let grid = self.launch(kernel, arguments.vertices, arguments, "flagging roots")?;
        let (flags, count) = (&mut self.vertices.new_vertex, arguments.vertices as usize);
        let vertices = self.scan.exclusive_prefix_sum(self.device, flags, count)?;
        self.clock.lap_of(CREATE_NEW_VERTEX_IDS, kernel, grid)?;
        Ok(vertices)
    }

    /// Algorithm 12. Also sets the word after the last degree to 0.
    fn count_new_edges<C: ContractionKernels, K: Key>(
        &mut self,
        arguments: &Arguments,
        next: &mut RoundGraph<K>,
    ) -> Result<(), DeviceError> {
        let mut degrees = next.first_edge.slice_mut(..=next.vertices as usize);
        self.device.check(self.device.stream().memset_zeros(&mut degrees), "filling memory")?;
        let (kernel, items) = (&self.building.count_new_edges, C::THREAD_PER.of(arguments));
        let grid = self.launch(kernel, items, arguments, "counting new edges")?;
        self.clock.lap_of(COUNT_NEW_EDGES, kernel, grid)
    }

    /// Turns degrees into the starts of rows. Returns the end of the last row.
    fn assign_edge_segments<K: Key>(
        &mut self,
        next: &mut RoundGraph<K>,
    ) -> Result<u32, DeviceError> {
        let vertices = next.vertices as usize;
        let entries =
            self.scan.exclusive_prefix_sum(self.device, &mut next.first_edge, vertices + 1)?;
        let mut next_edge = self.vertices.next_edge.slice_mut(..vertices);
        let copied =
            self.device.stream().memcpy_dtod(&next.first_edge.slice(..vertices), &mut next_edge);
        self.device.check(copied, "copying rows")?;
        let (kernel, grid) = self.scan.launched(vertices + 1);
        self.clock.lap_of(ASSIGN_EDGE_SEGMENTS, kernel, grid)?;
        Ok(entries)
    }

    /// Algorithm 13.
    fn insert_new_edges<C: ContractionKernels>(
        &mut self,
        arguments: &Arguments,
    ) -> Result<(), DeviceError> {
        let (kernel, items) = (&self.building.insert_new_edges, C::THREAD_PER.of(arguments));
        let grid = self.launch(kernel, items, arguments, "inserting new edges")?;
        self.clock.lap_of(INSERT_NEW_EDGES, kernel, grid)
    }

    /// The argument of the kernels that contract `graph` to `next`.
    fn arguments<K: Key>(&self, graph: &RoundGraph<K>, next: &RoundGraph<K>) -> Arguments {
        fill!(Arguments {
            vertices: graph.vertices,
            entries: graph.entries,
            new_first_edge: address(&next.first_edge),
            new_neighbors: address(&next.neighbors),
            new_keys: address(&next.keys),
            new_ids: address(&next.ids),
            forest: address(&self.forest.words),
        }; graph => first_edge neighbors keys ids;
        self.vertices => vertex_minedge color new_vertex next_edge)
    }

    /// Launches a kernel with one thread for each of `items` vertices or entries. Returns its grid.
    fn launch(
        &self,
        kernel: &Kernel<Arguments>,
        items: u32,
        arguments: &Arguments,
        doing: &'static str,
    ) -> Result<LaunchConfig, DeviceError> {
        let grid = self.blocks.for_items(items);
        // SAFETY: the rows are valid, chosen edges are entries of the rows, and colors are
        // vertices. The other arrays have a word for each vertex, and each new row is as long as
        // its degree. The forest has a bit for each id.
        unsafe { kernel.launch(self.device, grid, arguments, doing) }?;
        Ok(grid)
    }
}
