//! A partition on a device while it is refined.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;

use super::counters::Counters;
use super::kernels::{BLOCKS, CONNECTIONS, Kernels};
use super::{DeviceGraph, Method, Outcome, Shape};
use crate::buffers::download;
use crate::contraction::Rows;
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::launch;
use crate::shared::constant;
use crate::sort_rows::RowOrder;

/// The parts to which vertices may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Any,
    /// To parts with a higher number.
    Upward,
    /// To parts with a lower number.
    Downward,
    /// From parts with this value of a bit to parts with the other value.
    Bit(u32, bool),
}

impl Direction {
    /// The direction as kernels read it.
    pub(super) fn code(self) -> u32 {
        /// The constant of the kernels.
        const fn code(name: &str) -> u32 {
            constant(CONNECTIONS.text(), name) as u32
        }
        match self {
            Self::Any => const { code("ANY") },
            Self::Upward => const { code("UPWARD") },
            Self::Downward => const { code("DOWNWARD") },
            Self::Bit(bit, value) => 2 * bit + u32::from(value) + const { code("FIRST_BIT") },
        }
    }
}

/// The rows sorted by the parts of neighbors.
struct Sorted {
    /// `neighbors` has parts, and `keys` edge weights.
    rows: Rows<u32>,
    spare: Rows<u32>,
}

/// The parts of a graph's vertices, and figures of each vertex.
pub(super) struct State<'a> {
    pub(super) device: &'a Device,
    pub(super) kernels: &'a Kernels,
    pub(super) graph: &'a DeviceGraph,
    pub(super) shape: Shape,
    pub(super) parts: &'a mut CudaSlice<u32>,
    pub(super) part_weights: CudaSlice<u64>,
    /// The vertex of each entry.
    pub(super) row_of: CudaSlice<u32>,
    /// How the slots are filled: by a sort, or by hashing if this is `None`.
    sorted: Option<Sorted>,
    /// The parts of slots, if they are filled by hashing.
    slot_parts: CudaSlice<u32>,
    slot_sums: CudaSlice<u32>,
    /// The best part of each vertex, and the connection to it.
    pub(super) best: CudaSlice<u64>,
    /// The connection of each vertex to its own part.
    pub(super) inside: CudaSlice<u32>,
    pub(super) counters: CudaSlice<u64>,
    /// The best partition so far.
    kept: CudaSlice<u32>,
}

impl<'a> State<'a> {
    pub(super) fn new(
        (device, kernels): (&'a Device, &'a Kernels),
        graph: &'a DeviceGraph,
        (parts, shape): (&'a mut CudaSlice<u32>, Shape),
        method: Method,
    ) -> Result<Self, DeviceError> {
        let (n, entries) = (graph.vertices as usize, graph.entries as usize);
        let sorted = match method {
            Method::Jet => None,
            Method::Transactions => Some(Sorted::new(device, graph)?),
        };
        let mut state = Self {
            row_of: device.uninit(entries)?,
            slot_parts: device.uninit(if sorted.is_some() { 0 } else { entries })?,
            slot_sums: device.uninit(entries)?,
            best: device.uninit(n)?,
            inside: device.uninit(n)?,
            kept: device.uninit(n)?,
            part_weights: device.uninit(shape.parts as usize)?,
            counters: device.filled(Counters::COUNT, 0)?,
            device,
            kernels,
            graph,
            shape,
            parts,
            sorted,
        };
        state.find_rows()?;
        state.weigh()?;
        Ok(state)
    }

    fn find_rows(&mut self) -> Result<(), DeviceError> {
        // SAFETY: the rows are valid, and there is a row for each entry.
        unsafe {
            launch!(
                self.device,
                &self.kernels.find_rows,
                BLOCKS.for_items(self.graph.vertices),
                (CONNECTIONS, "find_rows"),
                [
                    ptr offsets = &self.graph.offsets,
                    u32 vertices = &self.graph.vertices,
                    ptr row_of = &mut self.row_of,
                ],
                "finding rows"
            )
        }
    }

    /// Computes the weight of each part.
    pub(super) fn weigh(&mut self) -> Result<(), DeviceError> {
        self.device.fill(&mut self.part_weights, 0)?;
        // SAFETY: all parts are below the number of weights.
        unsafe {
            launch!(
                self.device,
                &self.kernels.weigh_parts,
                BLOCKS.for_items(self.graph.vertices),
                (CONNECTIONS, "weigh_parts"),
                [
                    ptr vertex_weights = &self.graph.vertex_weights,
                    u32 vertices = &self.graph.vertices,
                    ptr parts = &*self.parts,
                    ptr part_weights = &mut self.part_weights,
                ],
                "weighing parts"
            )
        }
    }

    /// Computes the connections of all vertices to parts, and clears the counters.
    pub(super) fn connect(&mut self) -> Result<(), DeviceError> {
        self.device.fill(&mut self.slot_sums, 0)?;
        self.device.fill(&mut self.counters, 0)?;
        if let Some(sorted) = &mut self.sorted {
            sorted.gather(self.device, self.kernels, (self.graph, &*self.parts))?;
            sorted.sort(self.device, self.kernels, &self.row_of)?;
            return self.sum_segments();
        }
        self.device.fill(&mut self.slot_parts, 0xFF)?;
        // SAFETY: the rows are valid, there is a slot for each entry, and slots are clear.
        unsafe {
            launch!(
                self.device,
                &self.kernels.connect,
                BLOCKS.for_items(self.graph.entries),
                (CONNECTIONS, "connect"),
                [
                    ptr offsets = &self.graph.offsets,
                    ptr row_of = &self.row_of,
                    ptr neighbors = &self.graph.neighbors,
                    ptr edge_weights = &self.graph.edge_weights,
                    u32 entries = &self.graph.entries,
                    ptr parts = &*self.parts,
                    ptr slot_parts = &mut self.slot_parts,
                    ptr slot_sums = &mut self.slot_sums,
                    ptr counters = &mut self.counters,
                ],
                "connecting vertices to parts"
            )
        }
    }

    fn sum_segments(&mut self) -> Result<(), DeviceError> {
        let Some(Sorted { rows, .. }) = &self.sorted else { return Ok(()) };
        // SAFETY: the rows are valid and sorted, and there is a slot for each entry.
        unsafe {
            launch!(
                self.device,
                &self.kernels.sum_segments,
                BLOCKS.for_items(self.graph.entries),
                (CONNECTIONS, "sum_segments"),
                [
                    ptr offsets = &self.graph.offsets,
                    ptr row_of = &self.row_of,
                    ptr sorted_parts = &rows.neighbors,
                    ptr sorted_weights = &rows.keys,
                    u32 entries = &self.graph.entries,
                    ptr parts = &*self.parts,
                    ptr slot_sums = &mut self.slot_sums,
                    ptr counters = &mut self.counters,
                ],
                "connecting vertices to parts"
            )
        }
    }

    /// Chooses the best part of each vertex among those in `direction` that have at most the weight
    /// `ceiling` after the move.
    pub(super) fn choose(&mut self, ceiling: u64, direction: Direction) -> Result<(), DeviceError> {
        self.device.fill(&mut self.best, 0)?;
        self.device.fill(&mut self.inside, 0)?;
        let slot_parts =
            self.sorted.as_ref().map_or(&self.slot_parts, |sorted| &sorted.rows.neighbors);
        // SAFETY: there is a slot for each entry, and slots with a sum have a part.
        unsafe {
            launch!(
                self.device,
                &self.kernels.choose_parts,
                BLOCKS.for_items(self.graph.entries),
                (CONNECTIONS, "choose_parts"),
                [
                    ptr row_of = &self.row_of,
                    ptr slot_parts = slot_parts,
                    ptr slot_sums = &self.slot_sums,
                    u32 entries = &self.graph.entries,
                    ptr parts = &*self.parts,
                    ptr vertex_weights = &self.graph.vertex_weights,
                    ptr part_weights = &self.part_weights,
                    u64 ceiling = &ceiling,
                    u32 direction = &direction.code(),
                    ptr best = &mut self.best,
                    ptr inside = &mut self.inside,
                ],
                "choosing parts"
            )
        }
    }

    /// The figures of the partition for which [`connect`](Self::connect) was called last. Waits for
    /// the device.
    pub(super) fn outcome(&self) -> Result<Outcome, DeviceError> {
        let counters = download(self.device, &self.counters)?;
        let weights = download(self.device, &self.part_weights)?;
        let limit = u64::from(self.shape.limit);
        Ok(Outcome {
            cut: counters[const { constant(CONNECTIONS.text(), "DOUBLED_CUT") as usize }] / 2,
            overload: weights.iter().map(|weight| weight.saturating_sub(limit)).sum(),
            empty: weights.iter().filter(|&&weight| weight == 0).count() as u32,
        })
    }

    /// Keeps the partition: [`undo`](Self::undo) returns to it.
    pub(super) fn keep(&mut self) -> Result<(), DeviceError> {
        let copied = self.device.stream().memcpy_dtod(&*self.parts, &mut self.kept);
        self.device.check(copied, "copying parts")
    }

    /// Returns to the partition that was kept last. Afterwards, call
    /// [`weigh`](Self::weigh) before the next pass.
    pub(super) fn undo(&mut self) -> Result<(), DeviceError> {
        let copied = self.device.stream().memcpy_dtod(&self.kept, self.parts);
        self.device.check(copied, "copying parts")
    }
}

impl Outcome {
    /// What makes a partition better: less overload, then fewer empty parts, then a lower cut.
    pub(super) fn rank(self) -> (u64, u32, u64) {
        (self.overload, self.empty, self.cut)
    }
}

impl Sorted {
    fn new(device: &Device, graph: &DeviceGraph) -> Result<Self, DeviceError> {
        let rows = |offsets: usize| {
            Ok::<_, DeviceError>(Rows {
                vertices: graph.vertices,
                entries: graph.entries,
                first_edge: device.uninit(offsets)?,
                neighbors: device.uninit(graph.entries as usize)?,
                keys: device.uninit(graph.entries as usize)?,
                ids: device.uninit(graph.entries as usize)?,
            })
        };
        let (mut sorted, spare) = (rows(graph.offsets.len())?, rows(0)?);
        let copied = device.stream().memcpy_dtod(&graph.offsets, &mut sorted.first_edge);
        device.check(copied, "copying a graph")?;
        Ok(Self { rows: sorted, spare })
    }

    /// Takes the parts of the neighbors.
    fn gather(
        &mut self,
        device: &Device,
        kernels: &Kernels,
        (graph, parts): (&DeviceGraph, &CudaSlice<u32>),
    ) -> Result<(), DeviceError> {
        // SAFETY: all arrays have a value for each entry, and each neighbor has a part.
        unsafe {
            launch!(
                device,
                &kernels.gather_parts,
                BLOCKS.for_items(graph.entries),
                (CONNECTIONS, "gather_parts"),
                [
                    ptr neighbors = &graph.neighbors,
                    ptr edge_weights = &graph.edge_weights,
                    u32 entries = &graph.entries,
                    ptr parts = parts,
                    ptr sorted_parts = &mut self.rows.neighbors,
                    ptr sorted_weights = &mut self.rows.keys,
                    ptr ids = &mut self.rows.ids,
                ],
                "gathering parts"
            )
        }
    }

    /// Sorts each row by part.
    fn sort(
        &mut self,
        device: &Device,
        kernels: &Kernels,
        row_of: &CudaSlice<u32>,
    ) -> Result<(), DeviceError> {
        kernels.sort.sort(device, RowOrder::Neighbor, (&mut self.rows, row_of), &mut self.spare)
    }
}
