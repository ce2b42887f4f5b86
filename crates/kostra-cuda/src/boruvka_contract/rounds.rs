//! The rounds of the contracting algorithm, and the kernels that a thread a vertex runs in either
//! variant.

use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig, PushKernelArg};
use kostra_core::{EdgeId, EdgeSet, Problem, Run, SolveError, Vertex, Weight};

use super::{BLOCK_SIZE, SOURCE};
use crate::buffers::{DeviceCsr, DeviceEdgeSet, Keys, download};
use crate::launch::Blocks;
use crate::scan::{self, Scan, TileSums};
use crate::step_clock::{Step, StepClock};
use crate::{Device, DeviceError};

/// A kernel and its grid.
pub(crate) type Launched<'a> = (&'a CudaFunction, LaunchConfig);

/// How the rows of the contracted graph are built: where the variants differ.
pub(crate) trait Contraction: Sized {
    /// Who helps to scan.
    const TILE_SUMS: TileSums;

    /// Loads the kernels for keys of 32 or 64 bits.
    fn load(device: &Device, bits: u32) -> Result<Self, DeviceError>;

    /// Algorithm 12: adds to the degree of each new vertex, which is 0.
    fn count_new_edges<W: Weight>(
        &self,
        on: (&Device, Blocks),
        graph: &Rows<W>,
        vertices: &Vertices,
        outdegree: &mut CudaSlice<u32>,
    ) -> Result<Launched<'_>, DeviceError>;

    /// Algorithm 13: fills the rows, each from where its next edge goes.
    fn insert_new_edges<W: Weight>(
        &self,
        on: (&Device, Blocks),
        graph: &Rows<W>,
        vertices: &mut Vertices,
        next: &mut Rows<W>,
    ) -> Result<Launched<'_>, DeviceError>;
}

/// A graph of a round, in memory for a larger one.
pub(crate) struct Rows<W: Weight> {
    pub(crate) vertices: u32,
    /// Twice the number of edges.
    pub(crate) entries: u32,
    pub(crate) first_edge: CudaSlice<u32>,
    pub(crate) neighbours: CudaSlice<Vertex>,
    /// Not weights, but keys of the same size.
    pub(crate) keys: CudaSlice<W>,
    pub(crate) ids: CudaSlice<EdgeId>,
}

impl<W: Weight> Rows<W> {
    /// The given graph, whose weights are still to be made keys.
    fn given(device: &Device, graph: DeviceCsr<W>) -> Result<Self, DeviceError> {
        Ok(Self {
            vertices: graph.vertices,
            entries: graph.entries,
            first_edge: graph.offsets.into_own(device)?,
            neighbours: graph.neighbours.into_own(device)?,
            keys: graph.weights.into_own(device)?,
            ids: graph.ids.into_own(device)?,
        })
    }

    /// Room for what a graph is contracted to: half of its vertices, for each component has two or
    /// more.
    fn contracted(device: &Device, vertices: u32, entries: usize) -> Result<Self, DeviceError> {
        Ok(Self {
            vertices: 0,
            entries: 0,
            first_edge: device.uninit(vertices as usize / 2 + 1)?,
            neighbours: device.uninit(entries)?,
            keys: device.uninit(entries)?,
            ids: device.uninit(entries)?,
        })
    }
}

/// What is kept for each vertex in a round.
pub(crate) struct Vertices {
    /// The entry of the chosen edge, or none.
    pub(crate) vertex_minedge: CudaSlice<u32>,
    pub(crate) color: CudaSlice<Vertex>,
    /// The flag of a root, then its number in the contracted graph.
    pub(crate) new_vertex: CudaSlice<u32>,
    /// Where the next edge of a new vertex goes.
    pub(crate) next_edge: CudaSlice<u32>,
}

/// Refuses, from the size of a graph, one whose entries have no place in its rows.
pub(crate) fn admit(solver: &'static str, edges: usize) -> Result<(), SolveError> {
    if edges < u32::MAX as usize / 2 {
        return Ok(());
    }
    Err(SolveError::Unsuitable {
        solver,
        cost: "places in rows beyond 32 bits".to_owned(),
        advice: "choose a solver that works on the edge list",
    })
}

/// Algorithm 5.
pub(crate) fn contract<C: Contraction, W: Weight>(
    problem: Problem<'_, W>,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let device = &*Device::open(run.device())?;
    let rows = problem.csr(run)?;
    let (n, m, entries) = (rows.vertices(), rows.edges(), rows.rows().neighbours().len());
    if entries == 0 {
        return Ok(EdgeSet::new(m));
    }
    device
        .admit(0, DeviceCsr::<W>::bytes(n, entries) + scratch_bytes::<W>(n as usize, m, entries))?;
    let keys = Keys::of::<W>(rows.order());
    let loaded = run.compile(|_| Loaded::<C>::load(device, keys))?;
    let (mut rounds, mut now, mut next) = run.upload(|run| {
        let rounds = Rounds::allocate(device, loaded, (n, m), run)?;
        let next = Rows::contracted(device, n, entries)?;
        let given = DeviceCsr::upload(device, rows, run.threads())?;
        Ok::<_, DeviceError>((rounds, Rows::given(device, given)?, next))
    })?;
    rounds.make_keys(&mut now, keys)?;
    rounds.clock.report(run)?;
    while now.entries > 0 {
        rounds.round(&now, &mut next, run)?;
        std::mem::swap(&mut now, &mut next);
    }
    device.finish()?;
    Ok(run.download(|run| rounds.forest.download(device, run.threads()))?)
}

/// What is allocated beside the given graph.
fn scratch_bytes<W: Weight>(n: usize, m: usize, entries: usize) -> usize {
    let contracted = 4 * (n / 2 + 1) + entries * (8 + size_of::<W>());
    contracted + 3 * 4 * n + 4 * (n / 2) + Scan::bytes(n) + DeviceEdgeSet::bytes(m)
}

macro_rules! step {
    ($name:literal) => {
        Step { phase: $name, occupancy: concat!("occupancy % of ", $name) }
    };
}

const FIND_MINIMUM_EDGES: Step = step!("find minimum edge per vertex");
const REMOVE_MIRRORED_EDGES: Step = step!("remove mirrored edges");
const INITIALIZE_COLORS: Step = step!("initialize colors");
const PROPAGATE_COLORS: Step = step!("propagate colors");
const CREATE_NEW_VERTEX_IDS: Step = step!("create new vertex ids");
const COUNT_NEW_EDGES: Step = step!("count new edges");
const ASSIGN_EDGE_SEGMENTS: Step = step!("assign edge segments");
const INSERT_NEW_EDGES: Step = step!("insert new edges");

struct Kernels {
    make_keys: CudaFunction,
    find_minimum_edges: CudaFunction,
    remove_mirrored_edges: CudaFunction,
    initialize_colors: CudaFunction,
    propagate_colors: CudaFunction,
    flag_roots: CudaFunction,
}

impl Kernels {
    fn load(device: &Device, keys: Keys) -> Result<Self, DeviceError> {
        let kernel = |name: &str| device.function(SOURCE, name);
        let bits = keys.bits();
        Ok(Self {
            make_keys: kernel(&format!("make_keys_{bits}"))?,
            find_minimum_edges: kernel(&format!("find_minimum_edges_{bits}"))?,
            remove_mirrored_edges: kernel("remove_mirrored_edges")?,
            initialize_colors: kernel("initialize_colors")?,
            propagate_colors: kernel("propagate_colors")?,
            flag_roots: kernel("flag_roots")?,
        })
    }
}

/// Everything that is loaded before a graph is copied.
struct Loaded<C> {
    kernels: Kernels,
    contraction: C,
    scan: scan::Kernels,
}

impl<C: Contraction> Loaded<C> {
    fn load(device: &Device, keys: Keys) -> Result<Self, DeviceError> {
        Ok(Self {
            kernels: Kernels::load(device, keys)?,
            contraction: C::load(device, keys.bits())?,
            scan: scan::Kernels::load(device)?,
        })
    }
}

/// What is kept from round to round.
struct Rounds<'a, C> {
    device: &'a Device,
    blocks: Blocks,
    kernels: Kernels,
    contraction: C,
    scan: Scan,
    vertices: Vertices,
    /// Whether a sweep has changed a colour.
    changed: CudaSlice<u32>,
    forest: DeviceEdgeSet,
    clock: StepClock<'a>,
    /// How many vertices the given graph has.
    all: usize,
}

impl<'a, C: Contraction> Rounds<'a, C> {
    /// Allocates the arrays that the rounds need in addition to the rows of the graph.
    fn allocate(
        device: &'a Device,
        loaded: Loaded<C>,
        (vertices, edges): (u32, usize),
        run: &Run<'_>,
    ) -> Result<Self, DeviceError> {
        let all = vertices as usize;
        Ok(Self {
            device,
            blocks: Blocks { threads: run.option(&BLOCK_SIZE) as u32 },
            kernels: loaded.kernels,
            contraction: loaded.contraction,
            scan: Scan::new(device, loaded.scan, all, C::TILE_SUMS)?,
            vertices: Vertices {
                vertex_minedge: device.uninit(all)?,
                color: device.uninit(all)?,
                new_vertex: device.uninit(all)?,
                next_edge: device.uninit(all / 2)?,
            },
            changed: device.uninit(1)?,
            forest: DeviceEdgeSet::new(device, edges)?,
            clock: StepClock::new(device, run)?,
            all,
        })
    }

    /// Turns the weights of the given graph into keys, where they are.
    fn make_keys<W: Weight>(&mut self, graph: &mut Rows<W>, keys: Keys) -> Result<(), DeviceError> {
        self.clock.start()?;
        let mut launch = self.device.stream().launch_builder(&self.kernels.make_keys);
        launch.arg(&mut graph.keys).arg(&graph.entries).arg(&keys.kind).arg(&keys.flip);
        // SAFETY: these are the kernel's parameters; there are as many keys as entries.
        let done = unsafe { launch.launch(self.blocks.for_items(graph.entries)) };
        self.device.check(done, "making keys")?;
        self.clock.lap("make keys")
    }

    /// Chooses edges of a graph that has some, and builds the graph that is left when they are
    /// contracted.
    fn round<W: Weight>(
        &mut self,
        graph: &Rows<W>,
        next: &mut Rows<W>,
        run: &mut Run<'_>,
    ) -> Result<(), SolveError> {
        run.round(graph.vertices as usize, graph.entries as usize / 2)?;
        self.clock.start()?;
        self.find_minimum_edges(graph)?;
        self.remove_mirrored_edges(graph)?;
        self.initialize_colors(graph)?;
        let sweeps = self.propagate_colors(graph, run)?;
        next.vertices = self.create_new_vertex_ids(graph)?;
        self.count_new_edges(graph, next)?;
        next.entries = self.assign_edge_segments(next)?;
        self.insert_new_edges(graph, next)?;
        self.clock.report(run)?;
        run.counter("color sweeps", f64::from(sweeps));
        Ok(())
    }

    /// Algorithm 7.
    fn find_minimum_edges<W: Weight>(&mut self, graph: &Rows<W>) -> Result<(), DeviceError> {
        let (kernel, grid) =
            (&self.kernels.find_minimum_edges, self.blocks.for_items(graph.vertices));
        let mut launch = self.device.stream().launch_builder(kernel);
        launch.arg(&graph.first_edge).arg(&graph.keys).arg(&graph.ids).arg(&graph.vertices);
        launch.arg(&mut self.vertices.vertex_minedge);
        // SAFETY: these are the kernel's parameters; rows are sound, and every vertex has a place.
        self.device.check(unsafe { launch.launch(grid) }, "finding minimum edges")?;
        self.clock.lap_of(FIND_MINIMUM_EDGES, kernel, grid)
    }

    /// Algorithm 8. The edges that remain are marked as the forest's.
    fn remove_mirrored_edges<W: Weight>(&mut self, graph: &Rows<W>) -> Result<(), DeviceError> {
        let (kernel, grid) =
            (&self.kernels.remove_mirrored_edges, self.blocks.for_items(graph.vertices));
        let mut launch = self.device.stream().launch_builder(kernel);
        launch.arg(&graph.neighbours).arg(&graph.ids).arg(&graph.vertices);
        launch.arg(&mut self.vertices.vertex_minedge).arg(&mut self.forest.words);
        // SAFETY: these are the kernel's parameters; chosen edges are entries, and the forest has a
        // bit for every id.
        self.device.check(unsafe { launch.launch(grid) }, "removing mirrored edges")?;
        self.clock.lap_of(REMOVE_MIRRORED_EDGES, kernel, grid)
    }

    /// Algorithm 9.
    fn initialize_colors<W: Weight>(&mut self, graph: &Rows<W>) -> Result<(), DeviceError> {
        let (kernel, grid) =
            (&self.kernels.initialize_colors, self.blocks.for_items(graph.vertices));
        let mut launch = self.device.stream().launch_builder(kernel);
        launch.arg(&graph.neighbours).arg(&self.vertices.vertex_minedge).arg(&graph.vertices);
        launch.arg(&mut self.vertices.color);
        // SAFETY: these are the kernel's parameters; chosen edges are entries, and every vertex has
        // a place.
        self.device.check(unsafe { launch.launch(grid) }, "initializing colours")?;
        self.clock.lap_of(INITIALIZE_COLORS, kernel, grid)
    }

    /// Algorithm 10, until nothing changes. Returns how many sweeps that took, the last, idle one
    /// included.
    fn propagate_colors<W: Weight>(
        &mut self,
        graph: &Rows<W>,
        run: &mut Run<'_>,
    ) -> Result<u32, SolveError> {
        let (kernel, grid) =
            (&self.kernels.propagate_colors, self.blocks.for_items(graph.vertices));
        let mut sweeps = 0;
        loop {
            self.device.fill(&mut self.changed, 0)?;
            let mut launch = self.device.stream().launch_builder(kernel);
            launch.arg(&mut self.vertices.color).arg(&graph.vertices).arg(&mut self.changed);
            // SAFETY: these are the kernel's parameters; every colour is a vertex.
            self.device.check(unsafe { launch.launch(grid) }, "propagating colours")?;
            sweeps += 1;
            let settled = download(self.device, &self.changed)? == [0];
            run.progress(self.all - graph.vertices as usize, self.all)?;
            if settled {
                self.clock.lap_of(PROPAGATE_COLORS, kernel, grid)?;
                return Ok(sweeps);
            }
        }
    }

    /// Algorithm 11 and the prefix sum. Returns how many vertices the contracted graph has.
    fn create_new_vertex_ids<W: Weight>(&mut self, graph: &Rows<W>) -> Result<u32, DeviceError> {
        let (kernel, grid) = (&self.kernels.flag_roots, self.blocks.for_items(graph.vertices));
        let flag = &mut self.vertices.new_vertex;
        let mut launch = self.device.stream().launch_builder(kernel);
        launch
            .arg(&graph.first_edge)
            .arg(&self.vertices.color)
            .arg(&graph.vertices)
            .arg(&mut *flag);
        // SAFETY: these are the kernel's parameters; every vertex has a place.
        self.device.check(unsafe { launch.launch(grid) }, "flagging roots")?;
        let vertices =
            self.scan.exclusive_prefix_sum(self.device, flag, graph.vertices as usize)?;
        self.clock.lap_of(CREATE_NEW_VERTEX_IDS, kernel, grid)?;
        Ok(vertices)
    }

    /// Algorithm 12, with a place past the last new vertex.
    fn count_new_edges<W: Weight>(
        &mut self,
        graph: &Rows<W>,
        next: &mut Rows<W>,
    ) -> Result<(), DeviceError> {
        let mut places = next.first_edge.slice_mut(..=next.vertices as usize);
        self.device.check(self.device.stream().memset_zeros(&mut places), "filling memory")?;
        let (on, outdegree) = ((self.device, self.blocks), &mut next.first_edge);
        let (kernel, grid) =
            self.contraction.count_new_edges(on, graph, &self.vertices, outdegree)?;
        self.clock.lap_of(COUNT_NEW_EDGES, kernel, grid)
    }

    /// Turns degrees into the starts of rows. Returns where the last row ends.
    fn assign_edge_segments<W: Weight>(&mut self, next: &mut Rows<W>) -> Result<u32, DeviceError> {
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
    fn insert_new_edges<W: Weight>(
        &mut self,
        graph: &Rows<W>,
        next: &mut Rows<W>,
    ) -> Result<(), DeviceError> {
        let on = (self.device, self.blocks);
        let (kernel, grid) =
            self.contraction.insert_new_edges(on, graph, &mut self.vertices, next)?;
        self.clock.lap_of(INSERT_NEW_EDGES, kernel, grid)
    }
}
