//! A partition on a device while it is refined.

#![allow(unsafe_code, reason = "kernels are launched")]

use cudarc::driver::CudaSlice;

use super::counters::Counters;
use super::kernels::{Arguments, BLOCKS, CONNECTIONS, Kernels};
use super::{DeviceGraph, Divided, MoveMethod, PartitionShape, RefinedPartition};
use crate::buffers::{KernelArray, address, download};
use crate::device::Device;
use crate::error::DeviceError;
use crate::launch::Kernel;
use crate::partition::row_sort::{RowSortKernels, RowSorter};
use crate::rows::RoundGraph;
use crate::shared::{constant, fill};

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
struct Sorted<'a> {
    /// `neighbors` has parts, and `keys` edge weights.
    rows: RoundGraph<u32>,
    sorter: RowSorter<'a>,
}

/// The parts of a graph's vertices, and figures of each vertex.
pub(super) struct State<'a> {
    pub(super) device: &'a Device,
    pub(super) kernels: &'a Kernels,
    pub(super) graph: &'a DeviceGraph,
    pub(super) shape: PartitionShape,
    pub(super) parts: &'a mut CudaSlice<u32>,
    pub(super) part_weights: CudaSlice<u64>,
    /// The vertex of each entry.
    pub(super) row_of: CudaSlice<u32>,
    /// How the slots are filled: by a sort, or by hashing if this is `None`.
    sorted: Option<Sorted<'a>>,
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
    pub(super) fn new(divided: Divided<'a>, method: MoveMethod) -> Result<Self, DeviceError> {
        let Divided { device, kernels, graph, parts, shape } = divided;
        let (n, entries) = (graph.vertices as usize, graph.entries as usize);
        let sorted = match method {
            MoveMethod::Jet => None,
            MoveMethod::Transactions | MoveMethod::Invalidation => {
                Some(Sorted::new(device, &kernels.sort, graph)?)
            }
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
        let (vertices, arguments) = (graph.vertices, &state.arguments());
        state.launch(&kernels.find_rows, vertices, arguments, "finding rows")?;
        state.weigh()?;
        Ok(state)
    }

    /// Computes the weight of each part.
    pub(super) fn weigh(&mut self) -> Result<(), DeviceError> {
        self.device.fill(&mut self.part_weights, 0)?;
        let (vertices, arguments) = (self.graph.vertices, &self.arguments());
        self.launch(&self.kernels.weigh_parts, vertices, arguments, "weighing parts")
    }

    /// Computes the connections of all vertices to parts, and clears the counters.
    pub(super) fn connect(&mut self) -> Result<(), DeviceError> {
        const DOING: &str = "connecting vertices to parts";
        self.device.fill(&mut self.slot_sums, 0)?;
        self.device.fill(&mut self.counters, 0)?;
        self.device.fill(&mut self.slot_parts, 0xFF)?;
        let (entries, arguments) = (self.graph.entries, &self.arguments());
        let Some(Sorted { rows, sorter }) = &mut self.sorted else {
            return self.launch(&self.kernels.connect, entries, arguments, DOING);
        };
        let Kernels { gather_parts, sum_segments, .. } = self.kernels;
        // Each neighbor is replaced by its part, and each row is sorted by part.
        launch(self.device, gather_parts, entries, arguments, "gathering parts")?;
        sorter.sort(self.device, rows, &self.row_of)?;
        self.launch(sum_segments, entries, &self.arguments(), DOING)
    }

    /// Chooses the best part of each vertex among those in `direction` that have at most the weight
    /// `ceiling` after the move.
    pub(super) fn choose(&mut self, ceiling: u64, direction: Direction) -> Result<(), DeviceError> {
        self.device.fill(&mut self.best, 0)?;
        self.device.fill(&mut self.inside, 0)?;
        let (entries, direction) = (self.graph.entries, direction.code());
        let arguments = &Arguments { ceiling, direction, ..self.arguments() };
        self.launch(&self.kernels.choose_parts, entries, arguments, "choosing parts")
    }

    /// The argument of kernels: the arrays of the state. Other members are null or 0.
    pub(super) fn arguments(&self) -> Arguments {
        let sorted = self.sorted.as_ref().map(|sorted| &sorted.rows);
        fill!(Arguments {
            vertices: self.graph.vertices,
            entries: self.graph.entries,
            count: self.shape.parts,
            limit: self.shape.limit.into(),
            slot_parts: sorted.map_or(&self.slot_parts, |rows| &rows.neighbors).address(),
            sorted_weights: sorted.map_or(0, |rows| address(&rows.keys)),
            sorted_ids: sorted.map_or(0, |rows| address(&rows.ids)),
        }, ..Arguments::default(); self.graph => offsets neighbors edge_weights vertex_weights;
        self => row_of parts part_weights slot_sums best inside counters)
    }

    /// Launches a kernel with one thread for each of `items` vertices, entries or parts.
    pub(super) fn launch(
        &self,
        kernel: &Kernel<Arguments>,
        items: u32,
        arguments: &Arguments,
        doing: &'static str,
    ) -> Result<(), DeviceError> {
        launch(self.device, kernel, items, arguments, doing)
    }

    /// The figures of the partition for which [`connect`](Self::connect) was called last. Waits for
    /// the device.
    pub(super) fn outcome(&self) -> Result<RefinedPartition, DeviceError> {
        let counters = download(self.device, &self.counters)?;
        let weights = download(self.device, &self.part_weights)?;
        let limit = u64::from(self.shape.limit);
        Ok(RefinedPartition {
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

impl RefinedPartition {
    /// What makes a partition better: less overload, then fewer empty parts, then a lower cut.
    pub(super) fn rank(self) -> (u64, u32, u64) {
        (self.overload, self.empty, self.cut)
    }
}

impl<'a> Sorted<'a> {
    fn new(
        device: &Device,
        kernels: &'a RowSortKernels,
        graph: &DeviceGraph,
    ) -> Result<Self, DeviceError> {
        let sorter = RowSorter::new(device, kernels, graph.entries)?;
        let mut rows = RoundGraph::with_rows(device, graph.vertices, graph.entries)?;
        let copied = device.stream().memcpy_dtod(&graph.offsets, &mut rows.first_edge);
        device.check(copied, "copying a graph")?;
        Ok(Self { rows, sorter })
    }
}

/// Launches a kernel of refinement.
fn launch(
    device: &Device,
    kernel: &Kernel<Arguments>,
    items: u32,
    arguments: &Arguments,
    doing: &'static str,
) -> Result<(), DeviceError> {
    // SAFETY: the rows are valid. Arrays have a value for each vertex, or each entry, or each part
    // or class, as the CUDA source says; slots with a sum have a part. All parts and targets are
    // below the number of weights, or `NONE`. The arrays of a kind of moves are in the arguments of
    // its kernels.
    unsafe { kernel.launch(device, BLOCKS.for_items(items), arguments, doing) }
}
