//! How a budget of device memory is divided between the vertices and the buffer of edges.

use kostra_core::{Encoding, Order, SolveError, WeightType, counted};
use thiserror::Error;

use super::kernels::PORTION;
use super::levels::SAMPLES;
use crate::buffers::{DeviceEdgeSet, Keys};
use crate::device::DRIVER_BYTES;
use crate::members::{LINE, LINE_WORDS};
use crate::scan::Scan;
use crate::{Device, DeviceError, fast};

/// The fewest chunks that exist at a time: one is filtered, and others are copied to the device.
const FEWEST_SLOTS: usize = 3;
/// The most bytes of all chunks. Copying them takes about as long as a reduction.
const LARGEST_SLOTS: usize = 4 << 30;
/// The most edges of a chunk. Copying them takes about half a millisecond, much longer than
/// starting the kernels that filter them.
const LARGEST_CHUNK: usize = 16 * PORTION;
/// A chunk is at most one part of this many of the buffer, because the buffer is reduced when the
/// next chunk might not fit.
const CHUNKS_PER_BUFFER: usize = 16;
/// The smallest sensible buffer: a quarter of an edge per vertex.
const VERTICES_PER_BUFFERED_EDGE: usize = 4;
/// The most edges in device memory per vertex. The lists of `cuda-fast` have room for all of them.
const LARGEST_CAPACITY_PER_VERTEX: usize = 4;
/// The most edges in device memory of a graph with few vertices.
const LARGEST_CAPACITY: usize = 1 << 20;

/// The number of edges that a [`Sink`](super::Sink) has room for on the device.
///
/// Room for `c` edges, those of the forest included, takes these bytes, for weights of `w` bytes,
/// with some 150 MiB for copies and the driver:
///
/// ```text
/// forest and buffer    16 + w per edge
/// cuda-fast            16 per edge (20 with 64-bit weights) and 28 per vertex (32)
/// answer of cuda-fast  1/4 per edge
/// levels               1 per vertex
/// ```
///
/// Memory beyond 4 edges per vertex is for chunks that are copied during a reduction.
///
/// The context of the CUDA driver is not counted. It takes some hundred MiB in every process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most edges of the forest and the buffer.
    pub(super) capacity: usize,
    /// The most edges of a chunk.
    pub(super) chunk: usize,
    /// The number of chunks that exist at a time.
    pub(super) slots: usize,
}

/// There are no limits within a budget.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum LimitsError {
    /// The budget does not suffice for the vertices and the smallest sensible buffer.
    #[error("{} need at least {least} bytes of device memory", counted(*.vertices, "vertex", "vertices"))]
    BudgetTooSmall {
        /// The least number of bytes that suffices.
        least: u64,
        /// The number of vertices.
        vertices: u32,
    },
    /// The device fails, or there are too many vertices for `cuda-fast`.
    #[error(transparent)]
    Device(#[from] SolveError),
}

impl Limits {
    /// The limits by which a sink for `vertices` vertices and weights of this type stays within
    /// `bytes` bytes of device memory.
    ///
    /// # Errors
    /// When the budget is too small, or the device fails.
    pub fn within(
        device: &Device,
        bytes: u64,
        vertices: u32,
        weight_type: WeightType,
    ) -> Result<Self, LimitsError> {
        let keys = match weight_type.bits() {
            32 => Keys::of(Encoding::<u32>::of_type(weight_type, Order::Minimum)),
            _ => Keys::of(Encoding::<u64>::of_type(weight_type, Order::Minimum)),
        };
        let smallest = vertices as usize / VERTICES_PER_BUFFERED_EDGE + 1;
        let forest = (vertices as usize).saturating_sub(1);
        fast::admit(vertices, forest + smallest)?;
        let fits = |buffer: usize| -> Result<bool, DeviceError> {
            let needed = Self::with_buffer(vertices, buffer).memory(device, vertices, keys)?;
            Ok(needed.all() as u64 <= bytes)
        };
        if !fits(smallest).map_err(SolveError::from)? {
            let least = Self::with_buffer(vertices, smallest).memory(device, vertices, keys);
            let least = least.map_err(SolveError::from)?.all() as u64;
            return Err(LimitsError::BudgetTooSmall { least, vertices });
        }
        let largest = (LARGEST_CAPACITY_PER_VERTEX * vertices as usize).max(LARGEST_CAPACITY);
        let largest = largest.min(fast::MOST_ENTRIES as usize) - forest;
        let (mut buffer, mut above) = (smallest, largest + 1);
        while above - buffer > 1 {
            let middle = buffer.midpoint(above);
            if fits(middle).map_err(SolveError::from)? {
                buffer = middle;
            } else {
                above = middle;
            }
        }
        let mut limits = Self::with_buffer(vertices, buffer);
        let memory = limits.memory(device, vertices, keys).map_err(SolveError::from)?;
        let rest = (bytes - memory.all() as u64).min(LARGEST_SLOTS as u64) as usize;
        limits.slots += rest / limits.slot_bytes(keys);
        Ok(limits)
    }

    /// A buffer of `buffer` edges behind the largest forest of `vertices` vertices, but at least 1,
    /// whatever memory it takes.
    pub fn with_buffer(vertices: u32, buffer: usize) -> Self {
        let buffer = buffer.max(1);
        let chunk = (buffer / CHUNKS_PER_BUFFER).clamp(1, LARGEST_CHUNK);
        // All portions of a chunk but the last one are full.
        let chunk = if chunk < PORTION { buffer.min(PORTION) } else { chunk / PORTION * PORTION };
        Self {
            capacity: (vertices as usize).saturating_sub(1) + buffer,
            chunk,
            slots: FEWEST_SLOTS,
        }
    }

    /// The most edges of the forest and the buffer.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    pub(super) fn portions(&self) -> usize {
        self.chunk.div_ceil(PORTION)
    }

    pub(super) fn slot_bytes(&self, keys: Keys) -> usize {
        self.portions() * PORTION * (8 + keys.bits() as usize / 8)
    }

    pub(super) fn lines(&self) -> usize {
        self.chunk.div_ceil(LINE)
    }

    /// The device memory of a sink.
    pub(super) fn memory(
        &self,
        device: &Device,
        vertices: u32,
        keys: Keys,
    ) -> Result<Memory, DeviceError> {
        let (capacity, weight) = (self.capacity, keys.bits() as usize / 8);
        let lines = (DeviceEdgeSet::bytes(capacity) / 4).div_ceil(LINE_WORDS);
        let others = capacity * (16 + weight)
            + 4 * lines
            + Scan::bytes(lines)
            + vertices as usize
            + self.slots * self.slot_bytes(keys)
            + self.lines() * (LINE / 8 + 4)
            + 8 * SAMPLES;
        let scratch = fast::most_scratch_bytes(device, vertices, capacity as u32, keys)?;
        Ok(Memory { scratch, others })
    }
}

/// The bytes of device memory of a sink.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    /// The scratch memory of `cuda-fast`.
    pub(super) scratch: usize,
    pub(super) others: usize,
}

impl Memory {
    fn all(self) -> usize {
        self.scratch + self.others + DRIVER_BYTES
    }
}
