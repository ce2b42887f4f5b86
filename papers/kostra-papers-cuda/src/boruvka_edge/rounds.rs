//! The rounds of Borůvka's algorithm by edges, with the launches of its kernels.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;
use kostra_core::{EdgeId, Key, OptionValues, Run, SolveError, SolverOption};
use kostra_cuda::buffers::{DeviceEdgeSet, Keys, address, download};
use kostra_cuda::launch::{BlockSize, Kernel, block_size};
use kostra_cuda::shared::fill;
use kostra_cuda::step_clock::StepClock;
use kostra_cuda::{Device, DeviceError};

use super::kernels::{Arguments, Kernels};
use super::list::List;

pub(super) const WORKLIST: SolverOption = SolverOption {
    name: "worklist",
    about: "whether edges are filtered while they are mapped (Listing 6), or after it (Listing 5)",
    default: 1,
    values: OptionValues::Switch,
};

pub(super) const PATH_COMPRESSION: SolverOption = SolverOption {
    name: "path-compression",
    about: "whether searches shorten the paths that they walk",
    default: 0,
    values: OptionValues::Switch,
};

/// The default is that of the source.
pub(super) const BLOCK_SIZE: SolverOption = block_size(512);

/// The bytes that are allocated in addition to the graph.
pub(super) fn scratch_bytes<K: Key>(n: usize, m: usize) -> usize {
    let slot = if size_of::<K>() == 8 { 12 } else { 8 };
    m * (16 + size_of::<K>()) + n * (8 + slot) + DeviceEdgeSet::bytes(m)
}

/// What is kept from round to round, in addition to the remaining edges.
pub(super) struct Rounds<'a> {
    device: &'a Device,
    blocks: BlockSize,
    kernels: Kernels,
    path_compression: u32,
    vertices: u32,
    records: CudaSlice<u64>,
    /// The lightest edge of each component. With 32-bit keys, a slot has the edge's rank. With
    /// 64-bit keys, it has the edge's key, and `slot_ids` has the edge's id.
    slots: CudaSlice<u64>,
    slot_ids: CudaSlice<EdgeId>,
    /// One word: the length of the list that is being filled.
    counter: CudaSlice<u32>,
    /// One word: the number of edges that have been joined.
    joined: CudaSlice<u32>,
    pub(super) forest: DeviceEdgeSet,
    pub(super) clock: StepClock<'a>,
}

impl<'a> Rounds<'a> {
    /// Allocates the arrays that the rounds need in addition to the edges of the graph.
    pub(super) fn allocate(
        device: &'a Device,
        kernels: Kernels,
        (vertices, edges): (u32, usize),
        run: &Run<'_>,
    ) -> Result<Self, DeviceError> {
        let n = vertices as usize;
        Ok(Self {
            device,
            blocks: BlockSize { threads: run.request.option(&BLOCK_SIZE) as u32 },
            path_compression: run.request.option(&PATH_COMPRESSION) as u32,
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

    pub(super) fn run_listing_5<K: Key>(
        &mut self,
        mut alive: List<K>,
        mut filtered: List<K>,
        run: &mut Run<'_>,
    ) -> Result<(), SolveError> {
        while alive.length > 0 {
            self.report_round(alive.length, run)?;
            self.clock.start()?;
            self.lightest(&alive)?;
            self.lightest_ids(&alive)?;
            self.join(&alive)?;
            self.map(&alive)?;
            self.filter(&alive, &mut filtered)?;
            std::mem::swap(&mut alive, &mut filtered);
            self.clock.report(run)?;
        }
        Ok(())
    }

    pub(super) fn run_listing_6<K: Key>(
        &mut self,
        mut alive: List<K>,
        mut worklist: List<K>,
        run: &mut Run<'_>,
    ) -> Result<(), SolveError> {
        loop {
            self.clock.start()?;
            self.map_filter_lightest(&alive, &mut worklist)?;
            std::mem::swap(&mut alive, &mut worklist);
            self.clock.report(run)?;
            if alive.length == 0 {
                return Ok(());
            }
            self.report_round(alive.length, run)?;
            self.clock.start()?;
            self.lightest_ids(&alive)?;
            self.join(&alive)?;
            self.reset(&alive)?;
        }
    }

    fn report_round(&self, edges: u32, run: &mut Run<'_>) -> Result<(), SolveError> {
        if !run.report.is_observed() {
            return Ok(());
        }
        let (joined, all) = (first(self.device, &self.joined)? as usize, self.vertices as usize);
        run.report.round(all - joined.min(all), edges as usize)?;
        run.report.progress(joined, all)
    }

    /// Replaces the weights by their keys, and makes each vertex a component without a lightest
    /// edge.
    pub(super) fn initialize<K: Key>(
        &mut self,
        alive: &List<K>,
        keys: Keys,
    ) -> Result<(), DeviceError> {
        self.clock.start()?;
        let (kind, flip) = (keys.kind, keys.flip);
        let arguments = &Arguments { kind, flip, ..self.arguments(alive, alive) };
        let Kernels { initialize_edges, initialize_vertices, .. } = &self.kernels;
        self.launch(initialize_edges, alive.length, arguments, "making keys")?;
        self.launch(initialize_vertices, self.vertices, arguments, "making components")?;
        self.clock.lap("initialize")
    }

    /// Finds the lightest edge that leaves each component; with 64-bit keys, its key only.
    fn lightest<K: Key>(&mut self, alive: &List<K>) -> Result<(), DeviceError> {
        self.run_on(alive, &self.kernels.lightest, "finding lightest edges")?;
        self.clock.lap("lightest")
    }

    /// With 64-bit keys, finds the lowest id among the edges that have a component's least key.
    fn lightest_ids<K: Key>(&mut self, alive: &List<K>) -> Result<(), DeviceError> {
        let Some(kernel) = &self.kernels.lightest_ids else { return Ok(()) };
        self.run_on(alive, kernel, "finding lightest edges")?;
        self.clock.lap("lightest ids")
    }

    /// Joins the components of each edge that is the lightest of one of them.
    fn join<K: Key>(&mut self, alive: &List<K>) -> Result<(), DeviceError> {
        self.run_on(alive, &self.kernels.join, "joining components")?;
        self.clock.lap("join")
    }

    /// Replaces the ends of each edge by their components, and clears the slots of components that
    /// have outgoing edges.
    fn map<K: Key>(&mut self, alive: &List<K>) -> Result<(), DeviceError> {
        self.run_on(alive, &self.kernels.map, "mapping edges")?;
        self.clock.lap("map")
    }

    /// Copies the edges between different components to `filtered`.
    fn filter<K: Key>(
        &mut self,
        alive: &List<K>,
        filtered: &mut List<K>,
    ) -> Result<(), DeviceError> {
        self.device.fill(&mut self.counter, 0)?;
        let arguments = &self.arguments(alive, filtered);
        self.launch(&self.kernels.filter, alive.length, arguments, "filtering edges")?;
        self.clock.lap("filter")?;
        filtered.length = first(self.device, &self.counter)?;
        Ok(())
    }

    /// Does three steps in one: maps each edge, copies the edges between different components to
    /// `worklist`, and finds the lightest of them.
    fn map_filter_lightest<K: Key>(
        &mut self,
        alive: &List<K>,
        worklist: &mut List<K>,
    ) -> Result<(), DeviceError> {
        self.device.fill(&mut self.counter, 0)?;
        let arguments = &self.arguments(alive, worklist);
        let kernel = &self.kernels.map_filter_lightest;
        self.launch(kernel, alive.length, arguments, "mapping and filtering edges")?;
        self.clock.lap("map, filter, lightest")?;
        worklist.length = first(self.device, &self.counter)?;
        Ok(())
    }

    /// Clears the slots of the ends of all edges. The components of the next round are among them.
    fn reset<K: Key>(&mut self, alive: &List<K>) -> Result<(), DeviceError> {
        self.run_on(alive, &self.kernels.reset, "clearing lightest edges")?;
        self.clock.lap("reset")
    }

    /// Launches a kernel that fills no list, with one thread for each edge.
    fn run_on<K: Key>(
        &self,
        alive: &List<K>,
        kernel: &Kernel<Arguments>,
        doing: &'static str,
    ) -> Result<(), DeviceError> {
        self.launch(kernel, alive.length, &self.arguments(alive, alive), doing)
    }

    /// The argument of the kernels that read `alive` and fill `new`.
    fn arguments<K: Key>(&self, alive: &List<K>, new: &List<K>) -> Arguments {
        let Self { vertices, path_compression, .. } = *self;
        fill!(Arguments {
            length: alive.length,
            vertices,
            path_compression,
            new_from: address(&new.from),
            new_to: address(&new.to),
            new_keys: address(&new.keys),
            new_ids: address(&new.ids),
            forest: address(&self.forest.words),
        }, ..Arguments::default();
        alive => from to keys ids; self => counter records slots slot_ids joined)
    }

    /// Launches a kernel with one thread for each of `items` edges or vertices.
    fn launch(
        &self,
        kernel: &Kernel<Arguments>,
        items: u32,
        arguments: &Arguments,
        doing: &'static str,
    ) -> Result<(), DeviceError> {
        // SAFETY: the list has `length` edges, all ends are vertices, and the new list has memory
        // for all edges. The other arrays have an element for each vertex; `slot_ids` is used for
        // 64-bit keys only. The forest has a bit for each id.
        unsafe { kernel.launch(self.device, self.blocks.for_items(items), arguments, doing) }
    }
}

/// Waits for the device, and copies one word to the host.
fn first(device: &Device, word: &CudaSlice<u32>) -> Result<u32, DeviceError> {
    Ok(download(device, word)?.first().copied().unwrap_or_default())
}
