//! The rounds of Borůvka's algorithm with transactions, with the launches of its kernels.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::{CudaSlice, LaunchConfig};
use kostra_core::{EdgeId, Key, OptionValues, Run, SolveError, SolverOption};
use kostra_cuda::buffers::{DeviceEdgeSet, Keys, address, download};
use kostra_cuda::launch::Kernel;
use kostra_cuda::rows::RoundGraph;
use kostra_cuda::shared::fill;
use kostra_cuda::step_clock::StepClock;
use kostra_cuda::{Device, DeviceError};

use super::counters::Counters;
use super::kernels::{
    Arguments, BLOCKS, CAPACITY, CHOOSE_EDGES, DISCOVER_EDGES, FLATTEN, Kernels, MERGE, PRUNE,
    SUGGEST_IDS, merge_grid,
};

pub(super) const TRANSACTIONS: SolverOption = SolverOption {
    name: "transactions",
    about: "whether components merge in transactions, or by a lock-free hook",
    default: 1,
    values: OptionValues::Switch,
};

/// The source gives no value. Few transactions are longer than the default.
pub(super) const LONGEST_TRANSACTION: SolverOption = SolverOption {
    name: "longest-transaction",
    about: "most vertices in a transaction (L)",
    default: 16,
    values: OptionValues::Number { lowest: 2, highest: CAPACITY },
};

/// The bytes that are allocated in addition to the given graph.
pub(super) fn scratch_bytes<K: Key>(n: usize, m: usize) -> usize {
    let slot = if size_of::<K>() == 8 { 12 } else { 8 };
    n * (16 + slot) + DeviceEdgeSet::bytes(m)
}

/// What is kept from round to round, in addition to the graph.
pub(super) struct Rounds<'a> {
    device: &'a Device,
    kernels: Kernels,
    vertices: u32,
    /// Whether components merge in transactions.
    transactions: bool,
    /// The most vertices in a transaction.
    longest: u32,
    /// The tracking entry and the parent of each vertex.
    components: CudaSlice<u64>,
    /// The entry of each vertex's lightest edge.
    suggestions: CudaSlice<u32>,
    /// The lightest suggestion to each root. With 32-bit keys, a slot has the edge's rank. With
    /// 64-bit keys, it has the edge's key, and `slot_ids` has the edge's id.
    slots: CudaSlice<u64>,
    slot_ids: CudaSlice<EdgeId>,
    /// The entry of each root's lightest edge, or `NONE`.
    chosen: CudaSlice<u32>,
    /// One word: not 0 if a sweep has changed a parent.
    changed: CudaSlice<u32>,
    counters: CudaSlice<u64>,
    pub(super) forest: DeviceEdgeSet,
    pub(super) clock: StepClock<'a>,
}

impl<'a> Rounds<'a> {
    /// Allocates the arrays that the rounds need in addition to the rows of the graph.
    pub(super) fn allocate(
        device: &'a Device,
        kernels: Kernels,
        (vertices, edges): (u32, usize),
        run: &Run<'_>,
    ) -> Result<Self, DeviceError> {
        let n = vertices as usize;
        Ok(Self {
            device,
            vertices,
            transactions: run.request.option(&TRANSACTIONS) == 1,
            longest: run.request.option(&LONGEST_TRANSACTION) as u32,
            components: device.uninit(n)?,
            suggestions: device.uninit(n)?,
            slots: device.uninit(n)?,
            slot_ids: device.uninit(if kernels.suggest_ids.is_some() { n } else { 0 })?,
            chosen: device.uninit(n)?,
            changed: device.uninit(1)?,
            counters: device.uninit(Counters::COUNT)?,
            forest: DeviceEdgeSet::new(device, edges)?,
            clock: StepClock::new(device, run)?,
            kernels,
        })
    }

    /// Replaces the weights by their keys, and makes each vertex a component.
    pub(super) fn initialize<K: Key>(
        &mut self,
        graph: &mut RoundGraph<K>,
        keys: Keys,
    ) -> Result<(), DeviceError> {
        self.clock.start()?;
        self.kernels.make_keys.launch(self.device, BLOCKS, graph, keys)?;
        let grid = BLOCKS.for_items(self.vertices);
        self.launch(&self.kernels.make_components, grid, graph, "making components")?;
        self.clock.lap("initialize")
    }

    /// Algorithm 3.1: the rounds, until no edge between components is left.
    pub(super) fn run<K: Key>(
        &mut self,
        graph: &mut RoundGraph<K>,
        run: &mut Run<'_>,
    ) -> Result<(), SolveError> {
        let all = self.vertices as usize;
        let (mut remaining, mut merged) = (graph.entries as usize, 0);
        while remaining > 0 {
            run.report.round(all - merged, remaining / 2)?;
            self.device.fill(&mut self.counters, 0)?;
            self.clock.start()?;
            self.discover_edges(graph)?;
            self.suggest_ids(graph)?;
            self.choose_edges(graph)?;
            self.merge(graph)?;
            let sweeps = self.flatten(graph)?;
            self.prune(graph)?;
            self.clock.report(run)?;
            let counters = Counters::new(&download(self.device, &self.counters)?);
            remaining = counters.remaining as usize;
            merged = all.min(merged + counters.committed as usize);
            counters.report(self.transactions, run);
            run.report.counter("flattening sweeps", f64::from(sweeps));
            run.report.progress(merged, all)?;
        }
        Ok(())
    }

    /// Algorithm 3.2, with 64-bit keys without the choice between equal keys.
    fn discover_edges<K: Key>(&mut self, graph: &RoundGraph<K>) -> Result<(), DeviceError> {
        self.device.fill(&mut self.slots, 0xFF)?;
        let (kernel, grid) = (&self.kernels.discover_edges, BLOCKS.for_items(self.vertices));
        self.launch(kernel, grid, graph, "discovering edges")?;
        self.clock.lap_of(DISCOVER_EDGES, kernel, grid)
    }

    /// With 64-bit keys, finds the lowest id among the suggested edges with the least key.
    fn suggest_ids<K: Key>(&mut self, graph: &RoundGraph<K>) -> Result<(), DeviceError> {
        let Some(kernel) = &self.kernels.suggest_ids else { return Ok(()) };
        self.device.fill(&mut self.slot_ids, 0xFF)?;
        let grid = BLOCKS.for_items(self.vertices);
        self.launch(kernel, grid, graph, "choosing between equal weights")?;
        self.clock.lap_of(SUGGEST_IDS, kernel, grid)
    }

    /// Stores the entry of each component's lightest edge at its root.
    fn choose_edges<K: Key>(&mut self, graph: &RoundGraph<K>) -> Result<(), DeviceError> {
        self.device.fill(&mut self.chosen, 0xFF)?;
        let (kernel, grid) = (&self.kernels.choose_edges, BLOCKS.for_items(self.vertices));
        self.launch(kernel, grid, graph, "choosing edges")?;
        self.clock.lap_of(CHOOSE_EDGES, kernel, grid)
    }

    /// Algorithm 3.4, or the hook instead. Adds the edges to the forest.
    fn merge<K: Key>(&mut self, graph: &RoundGraph<K>) -> Result<(), DeviceError> {
        let (kernel, doing) = if self.transactions {
            (&self.kernels.merge_in_transactions, "merging components")
        } else {
            (&self.kernels.hook, "hooking components")
        };
        let grid = merge_grid(self.vertices);
        self.launch(kernel, grid, graph, doing)?;
        self.clock.lap_of(MERGE, kernel, grid)
    }

    /// Doubles the pointers until nothing changes. Returns the number of sweeps, including the last
    /// one, which changes nothing.
    fn flatten<K: Key>(&mut self, graph: &RoundGraph<K>) -> Result<u32, DeviceError> {
        let (kernel, grid) = (&self.kernels.flatten, BLOCKS.for_items(self.vertices));
        let mut sweeps = 0;
        loop {
            self.device.fill(&mut self.changed, 0)?;
            self.launch(kernel, grid, graph, "flattening trees")?;
            sweeps += 1;
            if download(self.device, &self.changed)? == [0] {
                self.clock.lap_of(FLATTEN, kernel, grid)?;
                return Ok(sweeps);
            }
        }
    }

    /// Removes the entries inside of components, and counts the others.
    fn prune<K: Key>(&mut self, graph: &RoundGraph<K>) -> Result<(), DeviceError> {
        let (kernel, grid) = (&self.kernels.prune, BLOCKS.for_items(self.vertices));
        self.launch(kernel, grid, graph, "pruning edges")?;
        self.clock.lap_of(PRUNE, kernel, grid)
    }

    fn launch<K: Key>(
        &self,
        kernel: &Kernel<Arguments>,
        grid: LaunchConfig,
        graph: &RoundGraph<K>,
        doing: &'static str,
    ) -> Result<(), DeviceError> {
        let Self { vertices, longest, .. } = *self;
        let arguments = fill!(Arguments {
            vertices,
            longest,
            forest: address(&self.forest.words),
        }; graph => first_edge neighbors keys ids;
        self => components suggestions slots slot_ids chosen changed counters);
        // SAFETY: the rows are valid; neighbors are vertices or `NONE`. Suggested and chosen edges
        // are entries or `NONE`, and parents are vertices. A transaction has room for `longest`
        // vertices. The other arrays have an element for each vertex; `slot_ids` is used for 64-bit
        // keys only. The forest has a bit for each id.
        unsafe { kernel.launch(self.device, grid, &arguments, doing) }
    }
}
