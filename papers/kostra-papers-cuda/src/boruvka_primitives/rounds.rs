//! The rounds, with the launches of all kernels.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;
use kostra_core::{CsrView, EdgeSet, Key, OptionValues, Problem, Run, SolveError, SolverOption};
use kostra_cuda::buffers::{DeviceEdgeSet, Keys, address, download};
use kostra_cuda::launch::Kernel;
use kostra_cuda::radix_sort::{self, Pairs, RadixSort};
use kostra_cuda::rows::RoundGraph;
use kostra_cuda::segmented::{Lookup, ScannedValues, SegmentedScan};
use kostra_cuda::shared::fill;
use kostra_cuda::step_clock::StepClock;
use kostra_cuda::{Device, DeviceCsr, DeviceError};

use super::kernels::{Arguments, BLOCKS, Kernels};
use crate::contraction::Contraction;

pub(super) const KEEP_PARALLEL_EDGES: SolverOption = SolverOption {
    name: "keep-parallel-edges",
    about: "whether all parallel edges stay in the graph, not only the lightest",
    default: 0,
    values: OptionValues::Switch,
};

/// A graph, with the vertex of each entry.
struct Graph<K: Key> {
    rows: RoundGraph<K>,
    from: CudaSlice<u32>,
}

pub(super) fn solve<K: Key>(
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
    let kernels = run.compile(|_| {
        radix_sort::load_kernels(device)?;
        Kernels::load(device, keys)
    })?;
    let (mut rounds, mut now, mut next) = run.upload(|run| {
        let rounds = Rounds::allocate(device, kernels, rows, run)?;
        // A component without edges stays a vertex, so the next graph may have as many vertices.
        let next = RoundGraph {
            vertices: 0,
            entries: 0,
            first_edge: device.uninit(n as usize + 1)?,
            neighbors: device.uninit(entries)?,
            keys: device.uninit(entries)?,
            ids: device.uninit(entries)?,
        };
        let next = Graph { rows: next, from: device.uninit(entries)? };
        let given = DeviceCsr::upload(device, rows, run.request.threads())?;
        let given = RoundGraph::given(device, given)?;
        Ok::<_, DeviceError>((rounds, Graph { rows: given, from: device.uninit(entries)? }, next))
    })?;
    rounds.clock.start()?;
    rounds.contraction.make_keys(&mut now.rows, keys)?;
    rounds.contraction.list_owners(&now.rows, &mut now.from)?;
    rounds.clock.lap("make keys")?;
    rounds.clock.report(run)?;
    while now.rows.entries > 0 {
        rounds.round(&now, &mut next, run)?;
        std::mem::swap(&mut now, &mut next);
    }
    device.finish()?;
    Ok(run.download(|run| rounds.forest.download(device, run.request.threads()))?)
}

/// The bytes that are allocated in addition to the given graph.
fn scratch_bytes<K: Key>(n: u32, m: usize, entries: usize) -> usize {
    let n = n as usize;
    let longest = n.max(entries);
    // The next graph, and the vertex of each entry of both.
    4 * (n + 1) + entries * (8 + size_of::<K>()) + 8 * entries
        // The arrays of vertices and of entries.
        + 12 * n + 8 * entries + 4 * (longest + 1)
        + 2 * 12 * longest
        + RadixSort::bytes(longest)
        + SegmentedScan::bytes(longest + 1)
        + SegmentedScan::bytes(entries)
        + DeviceEdgeSet::bytes(m)
}

struct Rounds<'a> {
    device: &'a Device,
    kernels: Kernels,
    contraction: Contraction<'a>,
    sum: SegmentedScan,
    lightest_of: SegmentedScan,
    sort: RadixSort,
    pairs: Pairs,
    spare: Pairs,
    minimum_edge: CudaSlice<u32>,
    successor: CudaSlice<u32>,
    new_vertex: CudaSlice<u32>,
    lightest: CudaSlice<u32>,
    heads: CudaSlice<u32>,
    places: CudaSlice<u32>,
    forest: DeviceEdgeSet,
    clock: StepClock<'a>,
    keeps_parallel: u32,
    /// The number of vertices of the given graph.
    all: usize,
}

impl<'a> Rounds<'a> {
    fn allocate<K: Key>(
        device: &'a Device,
        kernels: Kernels,
        rows: CsrView<'_, K>,
        run: &Run<'_>,
    ) -> Result<Self, DeviceError> {
        let (n, entries) = (rows.vertices() as usize, rows.rows().neighbors().len());
        let longest = n.max(entries);
        Ok(Self {
            device,
            contraction: Contraction::new(device, BLOCKS, kernels.contraction.clone())?,
            sum: SegmentedScan::new(device, kernels.sum.clone(), longest + 1)?,
            lightest_of: SegmentedScan::new(device, kernels.lightest.clone(), entries)?,
            sort: RadixSort::new(device, longest)?,
            pairs: Pairs::uninit(device, longest)?,
            spare: Pairs::uninit(device, longest)?,
            minimum_edge: device.uninit(n)?,
            successor: device.uninit(n)?,
            new_vertex: device.uninit(n)?,
            lightest: device.uninit(entries)?,
            heads: device.uninit(entries)?,
            places: device.uninit(longest + 1)?,
            forest: DeviceEdgeSet::new(device, rows.edges())?,
            clock: StepClock::new(device, run)?,
            keeps_parallel: run.request.option(&KEEP_PARALLEL_EDGES) as u32,
            kernels,
            all: n,
        })
    }

    /// Chooses edges of a graph that has edges, and builds the contracted graph.
    fn round<K: Key>(
        &mut self,
        graph: &Graph<K>,
        next: &mut Graph<K>,
        run: &mut Run<'_>,
    ) -> Result<(), SolveError> {
        let vertices = graph.rows.vertices;
        run.report.round(vertices as usize, graph.rows.entries as usize / 2)?;
        self.clock.start()?;
        self.find_minimum_edges(graph, next)?;
        let done = self.all - vertices as usize;
        self.contraction.propagate_colors(&mut self.successor, vertices, || {
            run.report.progress(done, self.all)
        })?;
        self.clock.lap("propagate representatives")?;
        next.rows.vertices = self.number_vertices(graph, next)?;
        let sorted = self.sort_edges(graph, next)?;
        next.rows.entries = self.remove_parallel_edges(graph, next, sorted)?;
        self.make_rows(graph, next)?;
        self.clock.report(run)?;
        Ok(())
    }

    /// The successor of each vertex, without cycles. Adds the chosen edges to the forest.
    fn find_minimum_edges<K: Key>(
        &mut self,
        graph: &Graph<K>,
        next: &Graph<K>,
    ) -> Result<(), DeviceError> {
        let arguments = &self.arguments(graph, next);
        let Arguments { vertices, entries, .. } = *arguments;
        self.launch(&self.kernels.list_entries, entries, arguments)?;
        self.scan_lightest(graph, entries)?;
        self.launch(&self.kernels.choose_successors, vertices, arguments)?;
        self.clock.lap("find minimum edges")?;
        self.launch(&self.kernels.remove_cycles, vertices, arguments)?;
        self.clock.lap("remove cycles")
    }

    /// Numbers the representatives. Returns their number.
    fn number_vertices<K: Key>(
        &mut self,
        graph: &Graph<K>,
        next: &Graph<K>,
    ) -> Result<u32, DeviceError> {
        let vertices = graph.rows.vertices;
        self.launch(&self.kernels.list_vertices, vertices, &self.arguments(graph, next))?;
        self.sort.sort(self.device, vertices, &mut self.pairs, &mut self.spare)?;
        self.clock.lap("sort vertices")?;
        // The sort may have exchanged the arrays.
        let arguments = &self.arguments(graph, next);
        self.launch(&self.kernels.flag_representatives, vertices, arguments)?;
        let (values, length) = (&mut self.places, vertices as usize);
        let scanned = ScannedValues { values, heads: None, length };
        self.sum.inclusive(self.device, scanned, Lookup::default())?;
        self.launch(&self.kernels.number_vertices, vertices, arguments)?;
        let last = self.place(vertices as usize - 1)?;
        self.clock.lap("number vertices")?;
        Ok(last + 1)
    }

    /// Sorts the entries between different vertices of the next graph by both ends. Returns their
    /// number.
    fn sort_edges<K: Key>(
        &mut self,
        graph: &Graph<K>,
        next: &Graph<K>,
    ) -> Result<u32, DeviceError> {
        let (arguments, entries) = (&self.arguments(graph, next), graph.rows.entries);
        self.launch(&self.kernels.flag_outgoing, entries + 1, arguments)?;
        self.sum_places(entries + 1)?;
        self.launch(&self.kernels.list_outgoing, entries, arguments)?;
        let sorted = self.place(entries as usize)?;
        self.clock.lap("remove edges inside")?;
        self.sort.sort(self.device, sorted, &mut self.pairs, &mut self.spare)?;
        self.clock.lap("sort edges")?;
        Ok(sorted)
    }

    /// Builds the entries of the next graph from the sorted ones. Returns their number.
    fn remove_parallel_edges<K: Key>(
        &mut self,
        graph: &Graph<K>,
        next: &Graph<K>,
        sorted: u32,
    ) -> Result<u32, DeviceError> {
        let arguments = &Arguments { sorted, ..self.arguments(graph, next) };
        self.launch(&self.kernels.find_parallel, sorted, arguments)?;
        self.scan_lightest(graph, sorted)?;
        self.launch(&self.kernels.flag_lightest, sorted + 1, arguments)?;
        self.sum_places(sorted + 1)?;
        self.launch(&self.kernels.make_edges, sorted, arguments)?;
        let entries = self.place(sorted as usize)?;
        self.clock.lap("remove parallel edges")?;
        Ok(entries)
    }

    fn make_rows<K: Key>(&mut self, graph: &Graph<K>, next: &Graph<K>) -> Result<(), DeviceError> {
        let arguments = &self.arguments(graph, next);
        self.launch(&self.kernels.make_rows, next.rows.vertices + 1, arguments)?;
        self.clock.lap("make rows")
    }

    /// Gives each of the first `length` entries in `lightest` the lightest one of its segment up to
    /// it.
    fn scan_lightest<K: Key>(&mut self, graph: &Graph<K>, length: u32) -> Result<(), DeviceError> {
        let (values, heads) = (&mut self.lightest, Some(&self.heads));
        let scanned = ScannedValues { values, heads, length: length as usize };
        let (keys, ids) = (address(&graph.rows.keys), address(&graph.rows.ids));
        self.lightest_of.inclusive(self.device, scanned, Lookup { keys, ids })
    }

    /// Replaces each of the first `length` flags in `places` by the sum of the flags before it.
    fn sum_places(&mut self, length: u32) -> Result<(), DeviceError> {
        let (values, length) = (&mut self.places, length as usize);
        self.sum.exclusive(self.device, ScannedValues { values, heads: None, length })
    }

    /// Waits for the device, and copies one place to the host.
    fn place(&self, index: usize) -> Result<u32, DeviceError> {
        let place = self.places.slice(index..=index);
        Ok(download(self.device, &place)?.first().copied().unwrap_or_default())
    }

    fn arguments<K: Key>(&self, graph: &Graph<K>, next: &Graph<K>) -> Arguments {
        fill!(Arguments {
            vertices: graph.rows.vertices,
            entries: graph.rows.entries,
            sorted: 0,
            new_vertices: next.rows.vertices,
            new_entries: next.rows.entries,
            keeps_parallel: self.keeps_parallel,
            new_first_edge: address(&next.rows.first_edge),
            new_from: address(&next.from),
            new_neighbors: address(&next.rows.neighbors),
            new_keys: address(&next.rows.keys),
            new_ids: address(&next.rows.ids),
            pairs: address(&self.pairs.keys),
            values: address(&self.pairs.values),
            forest: address(&self.forest.words),
        }; graph.rows => first_edge neighbors keys ids; graph => from;
        self => minimum_edge successor new_vertex lightest heads places)
    }

    /// Launches a kernel with one thread for each of `items` vertices or entries.
    fn launch(
        &self,
        kernel: &Kernel<Arguments>,
        items: u32,
        arguments: &Arguments,
    ) -> Result<(), DeviceError> {
        // SAFETY: the rows are valid, and successors, representatives and minimum edges are
        // vertices and entries. The other arrays have a value for each vertex or entry, and one
        // more where a flag ends them. The next graph has no more vertices and entries. The forest
        // has a bit for each id.
        unsafe {
            kernel.launch(self.device, BLOCKS.for_items(items), arguments, "contracting a graph")
        }
    }
}
