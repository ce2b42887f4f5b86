//! Copies a block to the device chunk by chunk, and filters the chunks in their order.
//!
//! Threads copy portions of chunks to page-locked memory, from which the device copies them. The
//! thread that copies the last portion of a chunk starts the kernels that filter the chunk, and
//! reduces the buffer before that if it might overflow. Meanwhile, the other threads copy the next
//! chunks, as long as there are free slots.

#![allow(
    unsafe_code,
    reason = "kernels are launched, and copies outlive the calls that start them"
)]

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaEvent, CudaStream, DriverError, PinnedHostSlice, result};
use kostra_core::{Edges, Key, SolveError, Vertex};
use kostra_parallel::{for_each_mut, into_item, lock};

use super::kernels::{Arguments, ONE_BLOCK, PORTION};
use super::sink::{Sink, Slot};
use crate::buffers::address;
use crate::device::{Lane, PIECE};
use crate::launch::grid_stride;
use crate::members::LINE;
use crate::{Device, DeviceError};

/// The most threads that copy. One of them at a time starts kernels instead, and reduces.
const MOST_LANES: usize = 16;

/// The edges of a block, and the id of the first one.
#[derive(Clone, Copy)]
struct Block<'a, K: Key> {
    edges: Edges<'a, K>,
    first: u64,
    /// The number of edges of each chunk but the last one.
    chunk: usize,
}

/// A part of a chunk that is copied at once.
struct Portion {
    /// The number of the chunk in the block.
    chunk: usize,
    /// The number of the portion in the chunk.
    place: usize,
    /// Its edges in the block.
    edges: Range<usize>,
}

impl<K: Key> Block<'_, K> {
    fn chunks(&self) -> usize {
        self.edges.len().div_ceil(self.chunk)
    }

    /// The edges of a chunk in the block.
    fn range(&self, chunk: usize) -> Range<usize> {
        chunk * self.chunk..self.edges.len().min((chunk + 1) * self.chunk)
    }

    /// The portions of all chunks, in their order.
    fn portions(&self) -> Vec<Portion> {
        let of_chunk = |chunk: usize| {
            let range = self.range(chunk);
            range.clone().step_by(PORTION).enumerate().map(move |(place, start)| Portion {
                chunk,
                place,
                edges: start..range.end.min(start + PORTION),
            })
        };
        (0..self.chunks()).flat_map(of_chunk).collect()
    }
}

/// How far the threads are with a block.
struct Flow {
    /// For each chunk, the number of its portions that have not been sent.
    missing: Vec<usize>,
    /// The number of chunks of the block that are being filtered or have been filtered.
    started: usize,
    /// Whether a thread filters chunks.
    filtering: bool,
    failed: Option<SolveError>,
}

/// What the threads share.
struct Shared<'a, K: Key> {
    block: Block<'a, K>,
    portions: Vec<Portion>,
    next: AtomicUsize,
    slots: Arc<[Slot]>,
    first_slot: usize,
    /// The sink of the thread that filters.
    sink: Mutex<&'a mut Sink<K>>,
    flow: Mutex<Flow>,
    /// Notified when a chunk is filtered, and on a failure.
    changed: Condvar,
}

impl<K: Key> Sink<K> {
    /// Adds the edges that follow the edges so far. Edge `i` of the block has the id `first + i`.
    pub(super) fn take(&mut self, first: u64, edges: Edges<'_, K>) -> Result<(), SolveError> {
        assert!(first >= self.taken, "edges arrive in the order of their ids");
        assert!(edges.vertices() <= self.vertices, "the sink grows before a block is added");
        assert!(edges.encoding() == self.encoding, "all blocks have the weights of the sink");
        self.skip_to(first);
        let device = self.device.clone();
        device.bind()?;
        let block = Block { edges, first, chunk: self.limits.chunk };
        let portions = block.portions();
        let mut missing = vec![0; block.chunks()];
        for portion in &portions {
            missing[portion.chunk] += 1;
        }
        let threads = self.threads.min(portions.len()).min(MOST_LANES);
        let slots = self.slots.clone();
        let shared = Shared {
            block,
            portions,
            next: AtomicUsize::new(0),
            first_slot: self.chunks % slots.len(),
            slots,
            sink: Mutex::new(self),
            flow: Mutex::new(Flow { missing, started: 0, filtering: false, failed: None }),
            changed: Condvar::new(),
        };
        let mut lanes = device.take_lanes(threads)?;
        for_each_mut(&mut lanes, |lane| {
            if let Err(error) = shared.send_portions(&device, lane) {
                shared.flow().failed.get_or_insert(error);
            }
            shared.changed.notify_all();
        });
        device.return_lanes(lanes);
        let flow = into_item(shared.flow);
        flow.failed.map_or(Ok(()), Err)
    }

    /// Filters a chunk whose copies have been started.
    fn filter(&mut self, first: u64, count: usize) -> Result<(), SolveError> {
        self.make_room(count)?;
        let slot = self.chunks % self.slots.len();
        for copied in &self.slots[slot].copied[..count.div_ceil(PORTION)] {
            self.device.check(self.device.stream().wait(copied), "waiting for an event")?;
        }
        self.launch_filter(slot, first, count as u32)?;
        self.tell_filled()?;
        let device = &self.device;
        device.check(self.slots[slot].filtered.record(device.stream()), "recording an event")?;
        self.chunks += 1;
        self.most_filled += count;
        self.taken = first + count as u64;
        Ok(())
    }

    /// Reduces the buffer if further `count` edges might not fit.
    fn make_room(&mut self, count: usize) -> Result<(), SolveError> {
        if self.most_filled + count > self.limits.capacity {
            self.learn_filled()?;
        }
        if self.most_filled + count > self.limits.capacity {
            self.reduce()?;
        }
        Ok(())
    }

    fn launch_filter(&self, slot: usize, first: u64, count: u32) -> Result<(), DeviceError> {
        const DOING: &str = "filtering edges";
        let kernels = &self.kernels;
        let lines = count.div_ceil(LINE as u32);
        let grid = grid_stride(32 * u64::from(lines));
        let arguments = &Arguments {
            chunk: address(&self.slots[slot].memory),
            count,
            lines,
            first_id: first,
            ..self.arguments()
        };
        self.launch(&kernels.filter, grid, arguments, DOING)?;
        self.launch(&kernels.place_lines, ONE_BLOCK, arguments, DOING)?;
        self.launch(&kernels.append, grid, arguments, DOING)
    }
}

impl<K: Key> Shared<'_, K> {
    fn flow(&self) -> MutexGuard<'_, Flow> {
        lock(&self.flow)
    }

    /// Sends portions until none is left. The last copies from page-locked memory may go on, during
    /// the next block: events order them before later uses of the memory.
    fn send_portions(&self, device: &Device, lane: &mut Lane) -> Result<(), SolveError> {
        device.bind()?;
        for turn in 0.. {
            let Some(portion) = self.portions.get(self.next.fetch_add(1, Relaxed)) else { break };
            let Some(slot) = self.wait_for_slot(portion, device, lane)? else { return Ok(()) };
            let (piece, stream) = (&mut lane.pieces[turn % 2], &lane.stream);
            let start = portion.place * PORTION * edge_bytes::<K>();
            let to = address(&slot.memory) + start as CUdeviceptr;
            let edges = self.block.edges.range(portion.edges.clone());
            // SAFETY: the slot has room for the portion, and no kernel uses it.
            let sent = unsafe { send(edges, piece, stream, to) };
            device.check(sent, "copying to it")?;
            device.check(slot.copied[portion.place].record(stream), "recording an event")?;
            self.sent(portion.chunk)?;
        }
        Ok(())
    }

    /// Waits until the slot of a portion's chunk is free, and returns it. `None` if the block has
    /// failed.
    fn wait_for_slot(
        &self,
        portion: &Portion,
        device: &Device,
        lane: &Lane,
    ) -> Result<Option<&Slot>, SolveError> {
        let mut flow = self.flow();
        while flow.started + self.slots.len() <= portion.chunk && flow.failed.is_none() {
            flow = self.changed.wait(flow).unwrap_or_else(PoisonError::into_inner);
        }
        if flow.failed.is_some() {
            return Ok(None);
        }
        drop(flow);
        let slot = (self.first_slot + portion.chunk) % self.slots.len();
        let slot = &self.slots[slot];
        // The host does not wait until the slot's last chunk has been filtered; the copy does.
        device.check(lane.stream.wait(&slot.filtered), "waiting for an event")?;
        Ok(Some(slot))
    }

    /// States that a portion of a chunk has been sent. Filters the next chunks if all portions of
    /// them have been sent and no other thread filters.
    fn sent(&self, chunk: usize) -> Result<(), SolveError> {
        let mut flow = self.flow();
        flow.missing[chunk] -= 1;
        while !flow.filtering && flow.missing.get(flow.started) == Some(&0) && flow.failed.is_none()
        {
            let range = self.block.range(flow.started);
            flow.filtering = true;
            drop(flow);
            let mut sink = lock(&self.sink);
            sink.filter(self.block.first + range.start as u64, range.len())?;
            drop(sink);
            flow = self.flow();
            flow.filtering = false;
            flow.started += 1;
            self.changed.notify_all();
        }
        Ok(())
    }
}

const fn edge_bytes<K: Key>() -> usize {
    2 * size_of::<Vertex>() + size_of::<K>()
}

/// Copies a portion to a piece of page-locked memory, and starts its copy to a device address.
///
/// # Safety
/// There is room for a full portion at the address, and its last use precedes the stream's work.
unsafe fn send<K: Key>(
    edges: Edges<'_, K>,
    (memory, sent): &mut (PinnedHostSlice<u8>, CudaEvent),
    stream: &CudaStream,
    to: CUdeviceptr,
) -> Result<(), DriverError> {
    const { assert!(PORTION * edge_bytes::<K>() <= PIECE) };
    sent.synchronize()?;
    let piece = memory.as_mut_slice()?;
    let column = |values: usize| values * PORTION * size_of::<Vertex>();
    let columns: [(usize, &[u8]); 3] = [
        (column(0), bytemuck::cast_slice(edges.u())),
        (column(1), bytemuck::cast_slice(edges.v())),
        (column(2), bytemuck::cast_slice(edges.weights())),
    ];
    for (start, bytes) in columns {
        piece[start..start + bytes.len()].copy_from_slice(bytes);
    }
    let whole = [(0, PORTION * edge_bytes::<K>())];
    let parts = columns.map(|(start, bytes)| (start, bytes.len()));
    for &(start, bytes) in if edges.len() == PORTION { &whole[..] } else { &parts[..] } {
        let (to, from) = (to + start as CUdeviceptr, &piece[start..start + bytes]);
        // SAFETY: the caller guarantees the address, and the piece is not used before the event is
        // complete.
        unsafe { result::memcpy_htod_async(to, from, stream.cu_stream()) }?;
    }
    sent.record(stream)
}
