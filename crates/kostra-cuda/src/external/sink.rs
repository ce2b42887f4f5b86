//! The sink: the forest so far, and a buffer of edges that may change it.

#![allow(unsafe_code, reason = "device memory is known by its address only")]

use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::{CudaEvent, CudaSlice, LaunchConfig, PinnedHostSlice, result};
use kostra_core::{
    Edges, Encoding, ForestEdges, ForestSink, ForestSoFar, ForestState, Key, SinkStatistics,
    SolveError, Vertex,
};

use super::kernels::{Arguments, Kernels, OUTSIDE};
use super::levels::Levels;
use super::limits::Limits;
use crate::buffers::{Keys, address};
use crate::launch::Kernel;
use crate::members::{LINE, load_places};
use crate::shared::fill;
use crate::staging::{self, Transfer};
use crate::{Device, DeviceError};

/// The forest and, behind it, the buffer, on the device.
pub(super) struct Columns<K> {
    pub(super) u: CudaSlice<Vertex>,
    pub(super) v: CudaSlice<Vertex>,
    pub(super) weights: CudaSlice<K>,
    pub(super) ids: CudaSlice<u64>,
}

/// Device memory for a chunk.
pub(super) struct Slot {
    pub(super) memory: CudaSlice<u8>,
    /// For each portion, complete when it has been copied.
    pub(super) copied: Vec<CudaEvent>,
    /// Complete when the chunk has been filtered.
    pub(super) filtered: CudaEvent,
}

/// Finds the canonical forest on a CUDA device within a budget of its memory. See the
/// [module](super) for the algorithm.
pub struct Sink<K: Key> {
    pub(super) device: Arc<Device>,
    pub(super) kernels: Kernels,
    pub(super) encoding: Encoding<K>,
    pub(super) keys: Keys,
    pub(super) threads: usize,
    pub(super) limits: Limits,
    pub(super) vertices: u32,
    pub(super) columns: Columns<K>,
    /// The number of edges of the forest of all edges up to the last reduction.
    pub(super) forest: usize,
    /// The number of edges of the forest and the buffer, as the device counts them.
    pub(super) filled: CudaSlice<u32>,
    /// A copy of `filled` that is complete when the last chunk has been filtered.
    pub(super) told: PinnedHostSlice<u32>,
    /// No more edges than this number are in the forest and the buffer.
    pub(super) most_filled: usize,
    pub(super) slots: Arc<[Slot]>,
    /// The number of chunks that have been filtered or are being filtered.
    pub(super) chunks: usize,
    /// The set of the edges of a chunk that are kept.
    pub(super) words: CudaSlice<u32>,
    /// The number of them in each line, and then their places.
    pub(super) lines: CudaSlice<u32>,
    pub(super) levels: Levels,
    /// The number of input edges so far.
    pub(super) taken: u64,
    /// The number of these that have been counted as dropped or buffered.
    counted: u64,
    pub(super) statistics: SinkStatistics,
}

impl<K: Key> Sink<K> {
    /// The argument of kernels: the arrays of the sink. The edges are those of the forest.
    pub(super) fn arguments(&self) -> Arguments {
        let Keys { kind, flip, .. } = self.keys;
        fill!(Arguments {
            kind,
            flip,
            count: self.forest as u32,
            vertices: self.vertices,
            members: address(&self.lines),
        }, ..Arguments::default();
        self.columns => u v weights ids; self.levels => levels pivots; self => words filled)
    }

    pub(super) fn launch(
        &self,
        kernel: &Kernel<Arguments>,
        grid: LaunchConfig,
        arguments: &Arguments,
        doing: &'static str,
    ) -> Result<(), DeviceError> {
        // SAFETY: a slot has `count` edges, whose ends have levels, and the columns have room for
        // `count` more edges; or the columns have `count` edges. There are a word for 32 edges and
        // a number for each line, and a parent and a level for each vertex. Members of a set of
        // listed edges are places in the columns, and there is room for all of them.
        unsafe { kernel.launch(&self.device, grid, arguments, doing) }
    }

    /// A sink for a graph with `vertices` vertices and weights with this encoding. Copies on up to
    /// `threads` threads.
    ///
    /// # Errors
    /// When the device fails, or has too little memory.
    pub fn new(
        device: &Arc<Device>,
        vertices: u32,
        encoding: Encoding<K>,
        (limits, threads): (Limits, usize),
    ) -> Result<Self, SolveError> {
        device.bind()?;
        let keys = Keys::of(encoding);
        load_places(device)?;
        let kernels = Kernels::load(device, keys)?;
        let memory = limits.memory(device, vertices, keys)?;
        device.admit(memory.scratch, memory.others)?;
        device.reserve_scratch(memory.scratch)?;
        let event = || device.check(device.context().new_event(None), "making an event");
        let slot = || -> Result<Slot, DeviceError> {
            let copied = (0..limits.portions()).map(|_| event()).collect::<Result<_, _>>()?;
            let memory = device.uninit(limits.slot_bytes(keys))?;
            Ok(Slot { memory, copied, filtered: event()? })
        };
        // SAFETY: the word is written before it is read.
        let told = unsafe { device.context().alloc_pinned(1) };
        let sink = Self {
            device: device.clone(),
            kernels,
            encoding,
            keys,
            threads,
            limits,
            vertices,
            columns: Columns {
                u: device.uninit(limits.capacity)?,
                v: device.uninit(limits.capacity)?,
                weights: device.uninit(limits.capacity)?,
                ids: device.uninit(limits.capacity)?,
            },
            forest: 0,
            filled: device.filled(1, 0)?,
            told: device.check(told, "allocating page-locked memory")?,
            most_filled: 0,
            slots: (0..limits.slots).map(|_| slot()).collect::<Result<_, _>>()?,
            chunks: 0,
            words: device.uninit(limits.lines() * (LINE / 32))?,
            lines: device.uninit(limits.lines())?,
            levels: Levels {
                levels: device.filled(vertices as usize, OUTSIDE)?,
                pivots: device.filled(super::LEVELS, 0)?,
            },
            taken: 0,
            counted: 0,
            statistics: SinkStatistics::default(),
        };
        // Other streams may use memory when its own stream has executed the allocation.
        device.finish()?;
        Ok(sink)
    }

    /// States the number of edges of the forest and the buffer.
    pub(super) fn set_filled(&mut self, filled: usize) -> Result<(), DeviceError> {
        let count = [filled as u32];
        let set = self.device.stream().memcpy_htod(&count, &mut self.filled);
        self.device.check(set, "copying to it")?;
        self.device.finish()?;
        self.most_filled = filled;
        Ok(())
    }

    /// Waits until the last chunk has been filtered, and learns the number of edges.
    pub(super) fn learn_filled(&mut self) -> Result<(), DeviceError> {
        let Some(last) = self.chunks.checked_sub(1) else { return Ok(()) };
        let waited = self.slots[last % self.slots.len()].filtered.synchronize();
        self.device.check(waited, "running a kernel")?;
        let told = self.device.check(self.told.as_slice(), "reading page-locked memory")?;
        // After a reduction, the number that the device told is that before it.
        self.most_filled = self.most_filled.min(told[0] as usize);
        Ok(())
    }

    /// Starts copying the number of edges to the host.
    pub(super) fn tell_filled(&mut self) -> Result<(), DeviceError> {
        let from = address(&self.filled);
        let stream = self.device.stream().cu_stream();
        let told = self.device.check(self.told.as_mut_slice(), "reading page-locked memory")?;
        // SAFETY: both are one word, and the host reads it after an event.
        let copied = unsafe { result::memcpy_dtoh_async(told, from, stream) };
        self.device.check(copied, "copying from it")
    }

    /// Leaves out the ids below `first` that have not been taken.
    pub(super) fn skip_to(&mut self, first: u64) {
        self.counted += first - self.taken;
        self.taken = first;
    }

    /// Reduces the buffer and finds new levels.
    pub(super) fn reduce(&mut self) -> Result<(), SolveError> {
        self.unite()?;
        self.find_levels()
    }

    /// Counts the edges since the last reduction, after which there are `filled` edges.
    pub(super) fn count_edges(&mut self, filled: usize) {
        let buffered = (filled - self.forest) as u64;
        self.statistics.buffered += buffered;
        self.statistics.dropped += self.taken - self.counted - buffered;
        self.counted = self.taken;
    }

    /// The forest of all edges so far.
    fn forest(&mut self) -> Result<ForestEdges<K>, SolveError> {
        self.device.bind()?;
        self.learn_filled()?;
        if self.most_filled > self.forest {
            self.unite()?;
        }
        self.count_edges(self.forest);
        let Columns { u, v, weights, ids } = &self.columns;
        let (ids, u, v) = (self.fetch(ids)?, self.fetch(u)?, self.fetch(v)?);
        Ok(ForestEdges { ids, u, v, weights: self.fetch(weights)? })
    }

    /// A column of the edges of the forest after a reduction.
    fn fetch<T: Pod + Send>(&self, column: &CudaSlice<T>) -> Result<Vec<T>, DeviceError> {
        let (device, from) = (&*self.device, address(column));
        // SAFETY: the column has more values, and was written on the device's stream.
        let fetched = unsafe { staging::fetch(device, from, self.forest, self.threads, |_| 0) };
        Ok(fetched?.0)
    }
}

impl<K: Key> ForestSink<K> for Sink<K> {
    fn encoding(&self) -> Encoding<K> {
        self.encoding
    }

    fn vertices(&self) -> u32 {
        self.vertices
    }

    fn add(&mut self, first: u64, edges: Edges<'_, K>) -> Result<(), SolveError> {
        self.take(first, edges)
    }

    fn see_forest(&mut self, see: &mut dyn FnMut(ForestState<'_, K>)) -> Result<(), SolveError> {
        see(self.forest()?.state(self.taken, self.vertices));
        Ok(())
    }

    fn restore(&mut self, from: ForestSoFar<K>) -> Result<bool, SolveError> {
        let ForestSoFar { forest, taken, statistics } = from;
        if !forest.state(taken, self.vertices).is_plausible(self.encoding) {
            return Ok(false);
        }
        let Columns { u, v, weights, ids } = &self.columns;
        let transfers = [
            Transfer::new(&forest.u, address(u)),
            Transfer::new(&forest.v, address(v)),
            Transfer::new(&forest.weights, address(weights)),
            Transfer::new(&forest.ids, address(ids)),
        ];
        // SAFETY: each column has room for the capacity, and a forest is smaller.
        unsafe { staging::send(&self.device, &transfers, self.threads) }?;
        self.set_filled(forest.ids.len())?;
        self.taken = taken;
        self.reduce()?;
        self.statistics = statistics;
        Ok(self.forest == forest.ids.len())
    }

    fn finish(mut self: Box<Self>) -> Result<ForestSoFar<K>, SolveError> {
        let forest = self.forest()?;
        Ok(ForestSoFar { forest, taken: self.taken, statistics: self.statistics })
    }
}
