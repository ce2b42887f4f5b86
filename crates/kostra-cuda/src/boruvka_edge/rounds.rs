//! The rounds of Borůvka's algorithm by edges, with the launches of its kernels.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;
use kostra_core::{EdgeId, Key, Run, SolveError, SolverOption};

use super::kernels::{Kernels, SOURCE};
use super::list::List;
use crate::buffers::{DeviceEdgeSet, Keys, download};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::{Blocks, block_size, launch};
use crate::step_clock::StepClock;

pub(super) const WORKLIST: SolverOption = SolverOption {
    name: "worklist",
    about: "whether edges are filtered while they are mapped (Listing 6), or after it (Listing 5)",
    default: 1,
    lowest: 0,
    highest: 1,
};

pub(super) const PATH_COMPRESSION: SolverOption = SolverOption {
    name: "path-compression",
    about: "whether searches shorten the paths that they walk",
    default: 0,
    lowest: 0,
    highest: 1,
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
    blocks: Blocks,
    kernels: Kernels,
    path_compression: u32,
    vertices: u32,
    /// The union-find.
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
            self.map(&mut alive)?;
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
        if !run.is_observed() {
            return Ok(());
        }
        let (joined, all) = (first(self.device, &self.joined)? as usize, self.vertices as usize);
        run.round(all - joined.min(all), edges as usize)?;
        run.progress(joined, all)
    }

    /// Replaces the weights by their keys, and makes each vertex a component without a lightest
    /// edge.
    pub(super) fn initialize<K: Key>(
        &mut self,
        alive: &mut List<K>,
        keys: Keys,
    ) -> Result<(), DeviceError> {
        self.clock.start()?;
        // SAFETY: both arrays are as long as the list.
        unsafe {
            launch!(
                self.device,
                &self.kernels.initialize_edges,
                self.blocks.for_items(alive.length),
                (SOURCE, "initialize_edges"),
                [
                    ptr keys = &mut alive.keys,
                    ptr ids = &mut alive.ids,
                    u32 length = &alive.length,
                    u32 kind = &keys.kind,
                    u32 flip = &keys.flip,
                ],
                "making keys"
            )
        }?;
        // SAFETY: the arrays have an element for each vertex; `slot_ids` is used for 64-bit keys
        // only.
        unsafe {
            launch!(
                self.device,
                &self.kernels.initialize_vertices,
                self.blocks.for_items(self.vertices),
                (SOURCE, "initialize_vertices"),
                [
                    ptr records = &mut self.records,
                    u32 path_compression = &self.path_compression,
                    ptr slots = &mut self.slots,
                    ptr slot_ids = &mut self.slot_ids,
                    u32 vertices = &self.vertices,
                ],
                "making components"
            )
        }?;
        self.clock.lap("initialize")
    }

    /// Finds the lightest edge that leaves each component; with 64-bit keys, its key only.
    fn lightest<K: Key>(&mut self, alive: &List<K>) -> Result<(), DeviceError> {
        // SAFETY: the list has `length` edges, and all ends are vertices.
        unsafe {
            launch!(
                self.device,
                &self.kernels.lightest,
                self.blocks.for_items(alive.length),
                (SOURCE, "lightest"),
                [
                    ptr from = &alive.from,
                    ptr to = &alive.to,
                    ptr keys = &alive.keys,
                    ptr ids = &alive.ids,
                    u32 length = &alive.length,
                    ptr slots = &mut self.slots,
                    ptr slot_ids = &mut self.slot_ids,
                ],
                "finding lightest edges"
            )
        }?;
        self.clock.lap("lightest")
    }

    /// With 64-bit keys, finds the lowest id among the edges that have a component's least key.
    fn lightest_ids<K: Key>(&mut self, alive: &List<K>) -> Result<(), DeviceError> {
        let Some(kernel) = &self.kernels.lightest_ids else { return Ok(()) };
        // SAFETY: the list has `length` edges, and all ends are vertices.
        unsafe {
            launch!(
                self.device,
                kernel,
                self.blocks.for_items(alive.length),
                (SOURCE, "lightest_ids"),
                [
                    ptr from = &alive.from,
                    ptr to = &alive.to,
                    ptr keys = &alive.keys,
                    ptr ids = &alive.ids,
                    u32 length = &alive.length,
                    ptr slots = &mut self.slots,
                    ptr slot_ids = &mut self.slot_ids,
                ],
                "finding lightest edges"
            )
        }?;
        self.clock.lap("lightest ids")
    }

    /// Joins the components of each edge that is the lightest of one of them.
    fn join<K: Key>(&mut self, alive: &List<K>) -> Result<(), DeviceError> {
        // SAFETY: the list has `length` edges, all ends are vertices, and the forest has a bit for
        // each id.
        unsafe {
            launch!(
                self.device,
                &self.kernels.join,
                self.blocks.for_items(alive.length),
                (SOURCE, "join"),
                [
                    ptr from = &alive.from,
                    ptr to = &alive.to,
                    ptr keys = &alive.keys,
                    ptr ids = &alive.ids,
                    u32 length = &alive.length,
                    ptr slots = &self.slots,
                    ptr slot_ids = &self.slot_ids,
                    ptr records = &mut self.records,
                    u32 path_compression = &self.path_compression,
                    ptr forest = &mut self.forest.words,
                    ptr joined = &mut self.joined,
                ],
                "joining components"
            )
        }?;
        self.clock.lap("join")
    }

    /// Replaces the ends of each edge by their components, and clears the slots of components that
    /// have outgoing edges.
    fn map<K: Key>(&mut self, alive: &mut List<K>) -> Result<(), DeviceError> {
        // SAFETY: the list has `length` edges, and all ends are vertices.
        unsafe {
            launch!(
                self.device,
                &self.kernels.map,
                self.blocks.for_items(alive.length),
                (SOURCE, "map"),
                [
                    ptr from = &mut alive.from,
                    ptr to = &mut alive.to,
                    u32 length = &alive.length,
                    ptr slots = &mut self.slots,
                    ptr slot_ids = &mut self.slot_ids,
                    ptr records = &mut self.records,
                    u32 path_compression = &self.path_compression,
                ],
                "mapping edges"
            )
        }?;
        self.clock.lap("map")
    }

    /// Copies the edges between different components to `filtered`.
    fn filter<K: Key>(
        &mut self,
        alive: &List<K>,
        filtered: &mut List<K>,
    ) -> Result<(), DeviceError> {
        self.device.fill(&mut self.counter, 0)?;
        // SAFETY: the list has `length` edges, and the new one has memory for all of them.
        unsafe {
            launch!(
                self.device,
                &self.kernels.filter,
                self.blocks.for_items(alive.length),
                (SOURCE, "filter"),
                [
                    ptr from = &alive.from,
                    ptr to = &alive.to,
                    ptr keys = &alive.keys,
                    ptr ids = &alive.ids,
                    u32 length = &alive.length,
                    ptr new_from = &mut filtered.from,
                    ptr new_to = &mut filtered.to,
                    ptr new_keys = &mut filtered.keys,
                    ptr new_ids = &mut filtered.ids,
                    ptr counter = &mut self.counter,
                ],
                "filtering edges"
            )
        }?;
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
        // SAFETY: the list has `length` edges, all ends are vertices, and the new list has memory
        // for all edges.
        unsafe {
            launch!(
                self.device,
                &self.kernels.map_filter_lightest,
                self.blocks.for_items(alive.length),
                (SOURCE, "map_filter_lightest"),
                [
                    ptr from = &alive.from,
                    ptr to = &alive.to,
                    ptr keys = &alive.keys,
                    ptr ids = &alive.ids,
                    u32 length = &alive.length,
                    ptr new_from = &mut worklist.from,
                    ptr new_to = &mut worklist.to,
                    ptr new_keys = &mut worklist.keys,
                    ptr new_ids = &mut worklist.ids,
                    ptr slots = &mut self.slots,
                    ptr slot_ids = &mut self.slot_ids,
                    ptr records = &mut self.records,
                    u32 path_compression = &self.path_compression,
                    ptr counter = &mut self.counter,
                ],
                "mapping and filtering edges"
            )
        }?;
        self.clock.lap("map, filter, lightest")?;
        worklist.length = first(self.device, &self.counter)?;
        Ok(())
    }

    /// Clears the slots of the ends of all edges. The components of the next round are among them.
    fn reset<K: Key>(&mut self, alive: &List<K>) -> Result<(), DeviceError> {
        // SAFETY: the list has `length` edges, and all ends are vertices.
        unsafe {
            launch!(
                self.device,
                &self.kernels.reset,
                self.blocks.for_items(alive.length),
                (SOURCE, "reset"),
                [
                    ptr from = &alive.from,
                    ptr to = &alive.to,
                    u32 length = &alive.length,
                    ptr slots = &mut self.slots,
                    ptr slot_ids = &mut self.slot_ids,
                ],
                "clearing lightest edges"
            )
        }?;
        self.clock.lap("reset")
    }
}

/// Waits for the device, and copies one word to the host.
fn first(device: &Device, word: &CudaSlice<u32>) -> Result<u32, DeviceError> {
    Ok(download(device, word)?.first().copied().unwrap_or_default())
}
