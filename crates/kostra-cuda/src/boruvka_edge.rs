//! Borůvka's algorithm on a device, with a thread an edge: every edge offers itself to the
//! components at its two ends, those that one of them has kept are joined, and what is left is
//! mapped and filtered.
//!
//! A component's lightest outgoing edge is in the forest (cut property), and joining all of them in
//! one round closes no cycle, for ranks are a strict total order. So each join succeeds, whatever
//! order the threads come in, and the forest does not depend on it. Components with outgoing edges
//! at least halve in a round.
//!
//! * Source: Shou & He 2024, section 3.2, with the union-find of Listing 4, in their final
//!   approach: Listing 6, which lists the edges that are left while it maps them (optimization 2),
//!   blocks of 512 (optimization 1), searches without path compression (optimization 3). Listing 5,
//!   which filters in a step of its own, is optional.
//! * Time O((n + m) log n) work, and a round trip to the host each round, which has to know how
//!   many edges are left.
//! * Device memory: with 32-bit weights 32 bytes an edge and 16 a vertex, with 64-bit ones 40 and
//!   20; 12 and 16 of an edge's bytes are the graph's own. The answer takes a bit an edge more.
//! * Wants an edge list. Exact.
//! * Reports the time of each step in each round by the device's clock; their tables are the sums
//!   over all rounds. Of Listing 5: computing vertex bridges is "lightest", joining together
//!   disjoint sets is "join", re-mapping edges is "map", filtering edges is "filter". Of Listing 6:
//!   computing vertex bridges & filtering edges is "map, filter, lightest", joining is "join". The
//!   table's third row is still called re-mapping; the listing's third loop only resets the minima,
//!   so it is compared with "reset".
//!
//! Deviations from the source, with the reasons:
//!
//! * Listing 4, line 37: `join` gives the linked root the rank of its new parent. Another thread
//!   may then take the linked element for a root of that rank, which can close a cycle. Here a
//!   linked root keeps its own rank.
//! * Listing 4, line 35: `swap(ur, vr)` swaps the ranks, but not the roots that they belong to.
//!   Here both are swapped.
//! * Listing 6 puts every edge on the new list, so its loop would never end. Here, as their text
//!   says, edges within a component are left out.
//! * Listing 6 offers an edge to the ends that it had before the search, and then looks for the
//!   minimum at its new ends. Here it is offered to the new ends.
//! * Weights may be equal, so minima are of ranks. No atomic minimum takes the rank of a 64-bit
//!   weight, so a step "lightest ids" finds the lowest id among the edges with the least key.
//! * Listing 5 does not say how it filters. Here each block counts the edges that it keeps, and
//!   reserves places for all of them by one atomic addition.
//! * The edges of the forest are bits of a set, not an array of booleans, because the answer is
//!   such a set. The join also counts the edges that it adds, for the progress report.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::{CudaFunction, CudaSlice, PushKernelArg};
use kostra_core::{
    Algorithm, EdgeId, EdgeSet, Platform, Problem, Representation, Run, SolveError, SolverInfo,
    SolverOption, Vertex, Weight,
};

use crate::buffers::{DeviceEdgeSet, DeviceEdges, Keys, download};
use crate::launch::{Blocks, block_size};
use crate::source::Source;
use crate::step_clock::StepClock;
use crate::{Device, DeviceError};

/// Borůvka's algorithm by edges, on a device.
pub(crate) struct BoruvkaEdge;

const WORKLIST: SolverOption = SolverOption {
    name: "worklist",
    about: "whether edges are filtered while they are mapped (Listing 6), or after it (Listing 5)",
    default: 1,
    lowest: 0,
    highest: 1,
};

const PATH_COMPRESSION: SolverOption = SolverOption {
    name: "path-compression",
    about: "whether searches shorten the paths that they walk",
    default: 0,
    lowest: 0,
    highest: 1,
};

const BLOCK_SIZE: SolverOption = block_size(512);

const SOURCE: Source =
    Source { name: "boruvka_edge", text: include_str!("../kernels/boruvka_edge.cu") };

impl Algorithm for BoruvkaEdge {
    const INFO: SolverInfo = SolverInfo {
        id: "cuda-boruvka-edge",
        title: "Borůvka by edges, on a GPU",
        source: "Shou & He 2024, 3.2, Listings 4 to 6",
        platform: Platform::Cuda,
        representation: Representation::EdgeList,
        exact: true,
        time: "O((n + m) log n) work",
        scratch: "20 bytes an edge (24 with 64-bit weights), 16 a vertex (20)",
        options: &[WORKLIST, PATH_COMPRESSION, BLOCK_SIZE],
    };

    fn solve<W: Weight>(
        &self,
        problem: Problem<'_, W>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let device = &*Device::open(run.device())?;
        let edges = problem.edges();
        let (n, m) = (edges.vertices(), edges.len());
        if m == 0 {
            return Ok(EdgeSet::new(0));
        }
        device.admit(0, DeviceEdges::<W>::bytes(m) + scratch_bytes::<W>(n as usize, m))?;
        let keys = Keys::of::<W>(edges.order());
        let kernels = run.compile(|_| Kernels::load(device, keys))?;
        let (mut rounds, mut alive, spare) = run.upload(|run| {
            let rounds = Rounds::allocate(device, kernels, (n, m), run)?;
            let spare = List::with_room(device, m)?;
            let graph = DeviceEdges::upload(device, edges, run.threads())?;
            Ok::<_, DeviceError>((rounds, List::of_graph(device, graph)?, spare))
        })?;
        rounds.initialize(&mut alive, keys)?;
        rounds.clock.report(run)?;
        if run.option(&WORKLIST) == 1 {
            rounds.of_listing_6(alive, spare, run)?;
        } else {
            rounds.of_listing_5(alive, spare, run)?;
        }
        device.finish()?;
        Ok(run.download(|run| rounds.forest.download(device, run.threads()))?)
    }
}

/// What is allocated beside the graph.
fn scratch_bytes<W: Weight>(n: usize, m: usize) -> usize {
    let slot = if size_of::<W>() == 8 { 12 } else { 8 };
    m * (16 + size_of::<W>()) + n * (8 + slot) + DeviceEdgeSet::bytes(m)
}

/// Edges in play: their ends, keys and ids.
struct List<W: Weight> {
    from: CudaSlice<Vertex>,
    to: CudaSlice<Vertex>,
    /// Not weights, but keys of the same size.
    keys: CudaSlice<W>,
    ids: CudaSlice<EdgeId>,
    length: u32,
}

impl<W: Weight> List<W> {
    /// All edges of a graph, whose weights are still to be made keys.
    fn of_graph(device: &Device, graph: DeviceEdges<W>) -> Result<Self, DeviceError> {
        let ids = device.uninit(graph.edges as usize)?;
        let (from, to) = (graph.u.into_own(device)?, graph.v.into_own(device)?);
        Ok(Self { from, to, keys: graph.weights.into_own(device)?, ids, length: graph.edges })
    }

    /// An empty list with room for some edges.
    fn with_room(device: &Device, edges: usize) -> Result<Self, DeviceError> {
        Ok(Self {
            from: device.uninit(edges)?,
            to: device.uninit(edges)?,
            keys: device.uninit(edges)?,
            ids: device.uninit(edges)?,
            length: 0,
        })
    }
}

struct Kernels {
    initialize_edges: CudaFunction,
    initialize_vertices: CudaFunction,
    lightest: CudaFunction,
    /// Where keys have 64 bits.
    lightest_ids: Option<CudaFunction>,
    join: CudaFunction,
    map: CudaFunction,
    filter: CudaFunction,
    map_filter_lightest: CudaFunction,
    reset: CudaFunction,
}

impl Kernels {
    fn load(device: &Device, keys: Keys) -> Result<Self, DeviceError> {
        let bits = keys.bits();
        let kernel = |name: &str| device.function(SOURCE, &format!("{name}_{bits}"));
        Ok(Self {
            initialize_edges: kernel("initialize_edges")?,
            initialize_vertices: kernel("initialize_vertices")?,
            lightest: kernel("lightest")?,
            lightest_ids: if keys.wide { Some(kernel("lightest_ids")?) } else { None },
            join: kernel("join")?,
            map: kernel("map")?,
            filter: kernel("filter")?,
            map_filter_lightest: kernel("map_filter_lightest")?,
            reset: kernel("reset")?,
        })
    }
}

/// What is kept from round to round, beside the edges that are left.
struct Rounds<'a> {
    device: &'a Device,
    blocks: Blocks,
    kernels: Kernels,
    path_compression: u32,
    vertices: u32,
    /// The union-find.
    records: CudaSlice<u64>,
    /// The lightest edge of each component: its rank, or with 64-bit keys its key and, in the
    /// second, its id.
    slots: CudaSlice<u64>,
    slot_ids: CudaSlice<EdgeId>,
    /// Where places in a list are drawn.
    counter: CudaSlice<u32>,
    /// How many edges have been joined.
    joined: CudaSlice<u32>,
    forest: DeviceEdgeSet,
    clock: StepClock<'a>,
}

impl<'a> Rounds<'a> {
    /// Allocates the arrays that the rounds need in addition to the edges of the graph.
    fn allocate(
        device: &'a Device,
        kernels: Kernels,
        (vertices, edges): (u32, usize),
        run: &Run<'_>,
    ) -> Result<Self, DeviceError> {
        let n = vertices as usize;
        Ok(Self {
            device,
            blocks: Blocks { threads: run.option(&BLOCK_SIZE) as u32 },
            path_compression: run.option(&PATH_COMPRESSION) as u32,
            vertices,
            records: device.uninit(n)?,
            slots: device.uninit(n)?,
            slot_ids: device.uninit(if kernels.lightest_ids.is_some() { n } else { 0 })?,
            counter: device.uninit(1)?,
            joined: device.filled(1, 0)?,
            forest: DeviceEdgeSet::new(device, edges)?,
            clock: StepClock::new(device, run)?,
            kernels,
        })
    }

    fn of_listing_5<W: Weight>(
        &mut self,
        mut alive: List<W>,
        mut filtered: List<W>,
        run: &mut Run<'_>,
    ) -> Result<(), SolveError> {
        while alive.length > 0 {
            self.report_round(alive.length, run)?;
            self.clock.start()?;
            self.offer(&alive)?;
            self.clock.lap("lightest")?;
            self.offer_ids(&alive)?;
            self.join(&alive)?;
            self.map(&mut alive)?;
            self.filter(&alive, &mut filtered)?;
            std::mem::swap(&mut alive, &mut filtered);
            self.clock.report(run)?;
        }
        Ok(())
    }

    fn of_listing_6<W: Weight>(
        &mut self,
        mut alive: List<W>,
        mut worklist: List<W>,
        run: &mut Run<'_>,
    ) -> Result<(), SolveError> {
        loop {
            self.clock.start()?;
            self.map_filter_offer(&alive, &mut worklist)?;
            std::mem::swap(&mut alive, &mut worklist);
            self.clock.report(run)?;
            if alive.length == 0 {
                return Ok(());
            }
            self.report_round(alive.length, run)?;
            self.clock.start()?;
            self.offer_ids(&alive)?;
            self.join(&alive)?;
            self.reset(&alive)?;
        }
    }

    fn report_round(&self, edges: u32, run: &mut Run<'_>) -> Result<(), SolveError> {
        if !run.is_observed() {
            return Ok(());
        }
        let (joined, all) = (first(self.device, &self.joined)? as usize, self.vertices as usize);
        run.round(all - joined.min(all), edges as usize)?;
        run.progress(joined, all)
    }

    /// Makes each vertex a component without a lightest edge, and weights keys.
    fn initialize<W: Weight>(
        &mut self,
        alive: &mut List<W>,
        keys: Keys,
    ) -> Result<(), DeviceError> {
        self.clock.start()?;
        let stream = self.device.stream();
        let mut launch = stream.launch_builder(&self.kernels.initialize_edges);
        launch
            .arg(&mut alive.keys)
            .arg(&mut alive.ids)
            .arg(&alive.length)
            .arg(&keys.kind)
            .arg(&keys.flip);
        // SAFETY: these are the kernel's parameters; both arrays are as long as the list.
        let done = unsafe { launch.launch(self.blocks.for_items(alive.length)) };
        self.device.check(done, "making keys")?;
        let mut launch = stream.launch_builder(&self.kernels.initialize_vertices);
        launch.arg(&mut self.records).arg(&self.path_compression);
        launch.arg(&mut self.slots).arg(&mut self.slot_ids).arg(&self.vertices);
        // SAFETY: these are the kernel's parameters; the arrays have a place for each vertex, the
        // ids where it is used.
        let done = unsafe { launch.launch(self.blocks.for_items(self.vertices)) };
        self.device.check(done, "making components")?;
        self.clock.lap("initialize")
    }

    /// Finds the lightest edge out of every component; with 64-bit keys, the least key.
    fn offer<W: Weight>(&mut self, alive: &List<W>) -> Result<(), DeviceError> {
        let mut launch = self.device.stream().launch_builder(&self.kernels.lightest);
        launch.arg(&alive.from).arg(&alive.to).arg(&alive.keys).arg(&alive.ids).arg(&alive.length);
        launch.arg(&mut self.slots).arg(&mut self.slot_ids);
        // SAFETY: these are the kernel's parameters; lists are as long as they say, and all ends
        // are vertices.
        let done = unsafe { launch.launch(self.blocks.for_items(alive.length)) };
        self.device.check(done, "finding lightest edges")?;
        Ok(())
    }

    /// With 64-bit keys, finds the lowest id among the edges that have the least key.
    fn offer_ids<W: Weight>(&mut self, alive: &List<W>) -> Result<(), DeviceError> {
        let Some(kernel) = &self.kernels.lightest_ids else { return Ok(()) };
        let mut launch = self.device.stream().launch_builder(kernel);
        launch.arg(&alive.from).arg(&alive.to).arg(&alive.keys).arg(&alive.ids).arg(&alive.length);
        launch.arg(&mut self.slots).arg(&mut self.slot_ids);
        // SAFETY: these are the kernel's parameters; lists are as long as they say, and all ends
        // are vertices.
        let done = unsafe { launch.launch(self.blocks.for_items(alive.length)) };
        self.device.check(done, "finding lightest edges")?;
        self.clock.lap("lightest ids")
    }

    /// Joins the ends of every edge that is the lightest at one of them.
    fn join<W: Weight>(&mut self, alive: &List<W>) -> Result<(), DeviceError> {
        let mut launch = self.device.stream().launch_builder(&self.kernels.join);
        launch.arg(&alive.from).arg(&alive.to).arg(&alive.keys).arg(&alive.ids).arg(&alive.length);
        launch
            .arg(&self.slots)
            .arg(&self.slot_ids)
            .arg(&mut self.records)
            .arg(&self.path_compression);
        launch.arg(&mut self.forest.words).arg(&mut self.joined);
        // SAFETY: these are the kernel's parameters; lists are as long as they say, all ends are
        // vertices, and the forest has a bit for every id.
        let done = unsafe { launch.launch(self.blocks.for_items(alive.length)) };
        self.device.check(done, "joining components")?;
        self.clock.lap("join")
    }

    /// Has every edge end at components, and clears the slots of those that have outgoing edges.
    fn map<W: Weight>(&mut self, alive: &mut List<W>) -> Result<(), DeviceError> {
        let mut launch = self.device.stream().launch_builder(&self.kernels.map);
        launch.arg(&mut alive.from).arg(&mut alive.to).arg(&alive.length);
        launch.arg(&mut self.slots).arg(&mut self.slot_ids);
        launch.arg(&mut self.records).arg(&self.path_compression);
        // SAFETY: these are the kernel's parameters; lists are as long as they say, and all ends
        // are vertices.
        let done = unsafe { launch.launch(self.blocks.for_items(alive.length)) };
        self.device.check(done, "mapping edges")?;
        self.clock.lap("map")
    }

    /// Lists the edges between different components.
    fn filter<W: Weight>(
        &mut self,
        alive: &List<W>,
        filtered: &mut List<W>,
    ) -> Result<(), DeviceError> {
        self.device.fill(&mut self.counter, 0)?;
        let mut launch = self.device.stream().launch_builder(&self.kernels.filter);
        launch.arg(&alive.from).arg(&alive.to).arg(&alive.keys).arg(&alive.ids).arg(&alive.length);
        launch
            .arg(&mut filtered.from)
            .arg(&mut filtered.to)
            .arg(&mut filtered.keys)
            .arg(&mut filtered.ids);
        launch.arg(&mut self.counter);
        // SAFETY: these are the kernel's parameters; lists are as long as they say, with room for
        // every edge.
        let done = unsafe { launch.launch(self.blocks.for_items(alive.length)) };
        self.device.check(done, "filtering edges")?;
        self.clock.lap("filter")?;
        filtered.length = first(self.device, &self.counter)?;
        Ok(())
    }

    /// Three steps in one: maps every edge, lists those between different components, and finds the
    /// lightest of them.
    fn map_filter_offer<W: Weight>(
        &mut self,
        alive: &List<W>,
        worklist: &mut List<W>,
    ) -> Result<(), DeviceError> {
        self.device.fill(&mut self.counter, 0)?;
        let mut launch = self.device.stream().launch_builder(&self.kernels.map_filter_lightest);
        launch.arg(&alive.from).arg(&alive.to).arg(&alive.keys).arg(&alive.ids).arg(&alive.length);
        launch
            .arg(&mut worklist.from)
            .arg(&mut worklist.to)
            .arg(&mut worklist.keys)
            .arg(&mut worklist.ids);
        launch.arg(&mut self.slots).arg(&mut self.slot_ids);
        launch.arg(&mut self.records).arg(&self.path_compression).arg(&mut self.counter);
        // SAFETY: these are the kernel's parameters; lists are as long as they say, with room for
        // every edge, and all ends are vertices.
        let done = unsafe { launch.launch(self.blocks.for_items(alive.length)) };
        self.device.check(done, "mapping and filtering edges")?;
        self.clock.lap("map, filter, lightest")?;
        worklist.length = first(self.device, &self.counter)?;
        Ok(())
    }

    /// Clears every slot that was offered to; the components of the next round are among them.
    fn reset<W: Weight>(&mut self, alive: &List<W>) -> Result<(), DeviceError> {
        let mut launch = self.device.stream().launch_builder(&self.kernels.reset);
        launch.arg(&alive.from).arg(&alive.to).arg(&alive.length);
        launch.arg(&mut self.slots).arg(&mut self.slot_ids);
        // SAFETY: these are the kernel's parameters; lists are as long as they say, and all ends
        // are vertices.
        let done = unsafe { launch.launch(self.blocks.for_items(alive.length)) };
        self.device.check(done, "clearing lightest edges")?;
        self.clock.lap("reset")
    }
}

/// Waits for the device, and copies back a single number.
fn first(device: &Device, number: &CudaSlice<u32>) -> Result<u32, DeviceError> {
    Ok(download(device, number)?.first().copied().unwrap_or_default())
}
