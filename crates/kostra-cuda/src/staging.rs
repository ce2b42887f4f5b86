//! The way of ordinary memory to the device: through page-locked memory, so that the processor's copying and the
//! transfers go on at once.
//!
//! The device fetches page-locked memory by itself, at the full speed of the bus. Each *lane* has two pieces of it and
//! a stream: while one piece is fetched, a thread fills the other. One thread copies at about half the speed of a fast
//! bus or less, so there are several lanes, which take chunks as they get to them.

#![allow(unsafe_code, reason = "copies outlive the calls that start them")]

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::{CudaEvent, CudaStream, DriverError, PinnedHostSlice, result, sys};
use kostra_core::Weight;

use crate::{Device, DeviceError};

/// A copy to be made: these bytes to that address on the device, where there is room for them.
#[derive(Clone, Copy)]
pub(crate) struct Transfer<'a> {
    pub(crate) from: &'a [u8],
    pub(crate) to: sys::CUdeviceptr,
}

/// Large enough that starting a transfer costs nothing beside it, small enough to stay in a core's cache.
const PIECE: usize = 2 << 20;
/// More lanes than this fill no bus faster.
const MOST_LANES: usize = 8;
/// Up to so many bytes the driver's own staging is as good.
const FEW: usize = 1 << 18;

/// Page-locked memory, kept for as long as the device.
#[derive(Debug, Default)]
pub(crate) struct Staging {
    idle: Mutex<Vec<Lane>>,
}

/// Two pieces of page-locked memory, and a stream to send them by.
#[derive(Debug)]
struct Lane {
    stream: Arc<CudaStream>,
    pieces: [(PinnedHostSlice<u8>, CudaEvent); 2],
}

impl Lane {
    fn new(device: &Device) -> Result<Self, DriverError> {
        let context = device.context();
        let piece = || {
            // SAFETY: it is written before it is read.
            let memory = unsafe { context.alloc_pinned(PIECE) }?;
            Ok((memory, context.new_event(None)?))
        };
        Ok(Self { stream: context.new_stream()?, pieces: [piece()?, piece()?] })
    }

    /// Takes chunks until there are no more, and waits for the last.
    fn carry(&mut self, chunks: &[Transfer<'_>], next: &AtomicUsize) -> Result<(), DriverError> {
        self.stream.context().bind_to_thread()?;
        for turn in 0.. {
            let Some(chunk) = chunks.get(next.fetch_add(1, Relaxed)) else { break };
            let (memory, sent) = &mut self.pieces[turn % 2];
            sent.synchronize()?;
            let piece = &mut memory.as_mut_slice()?[..chunk.from.len()];
            piece.copy_from_slice(chunk.from);
            // SAFETY: there is room at the address, and the piece is not touched before the event is past.
            unsafe { result::memcpy_htod_async(chunk.to, piece, self.stream.cu_stream()) }?;
            sent.record(&self.stream)?;
        }
        self.stream.synchronize()
    }
}

/// Copies to the device, on up to so many threads; when it returns, all is there.
///
/// # Safety
/// At each address there is room for the bytes, in memory of this device that was allocated on its stream.
pub(crate) unsafe fn send(
    device: &Device,
    transfers: &[Transfer<'_>],
    threads: usize,
) -> Result<(), DeviceError> {
    // The memory is there when the stream has come to where it was allocated.
    device.finish()?;
    let bytes: usize = transfers.iter().map(|transfer| transfer.from.len()).sum();
    if bytes <= FEW {
        for transfer in transfers.iter().filter(|transfer| !transfer.from.is_empty()) {
            let stream = device.stream().cu_stream();
            // SAFETY: there is room at the address; the bytes are read before `finish` below returns.
            let sent = unsafe { result::memcpy_htod_async(transfer.to, transfer.from, stream) };
            device.check(sent, "copying to it")?;
        }
        return device.finish();
    }
    let chunks: Vec<_> = transfers.iter().flat_map(|transfer| transfer.chunks()).collect();
    let mut lanes = device.staging().take(device, threads.clamp(1, MOST_LANES).min(chunks.len()))?;
    let next = AtomicUsize::new(0);
    let results: Vec<_> = std::thread::scope(|scope| {
        let carry = |lane: &mut Lane| lane.carry(&chunks, &next);
        let (first, others) = lanes.split_first_mut().unzip();
        let others: Vec<_> =
            others.into_iter().flatten().map(|lane| scope.spawn(move || carry(lane))).collect();
        let own = first.map(carry);
        let others = others
            .into_iter()
            .map(|thread| thread.join().unwrap_or(Err(DriverError(sys::CUresult::CUDA_ERROR_UNKNOWN))));
        own.into_iter().chain(others).collect()
    });
    device.staging().give_back(lanes);
    results.into_iter().try_for_each(|result| device.check(result, "copying to it"))
}

impl<'a> Transfer<'a> {
    /// The bytes of some numbers, to memory that has room for them.
    pub(crate) fn new<W: Weight>(from: &'a [W], to: sys::CUdeviceptr) -> Self {
        // SAFETY: weights are integers or floats of the machine, which have no padding.
        let from = unsafe { std::slice::from_raw_parts(from.as_ptr().cast(), size_of_val(from)) };
        Self { from, to }
    }

    fn chunks(self) -> impl Iterator<Item = Transfer<'a>> {
        let starts = (0..).step_by(PIECE);
        self.from.chunks(PIECE).zip(starts).map(move |(from, start)| Self { from, to: self.to + start })
    }
}

impl Staging {
    fn take(&self, device: &Device, lanes: usize) -> Result<Vec<Lane>, DeviceError> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let from = idle.len().saturating_sub(lanes);
        let mut taken = idle.split_off(from);
        drop(idle);
        while taken.len() < lanes {
            taken.push(device.check(Lane::new(device), "allocating page-locked memory")?);
        }
        Ok(taken)
    }

    fn give_back(&self, lanes: Vec<Lane>) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).extend(lanes);
    }
}
