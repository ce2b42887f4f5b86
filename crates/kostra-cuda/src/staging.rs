//! The way of ordinary memory to the device and back: through page-locked memory, so that the
//! processor's copying and the transfers go on at once.
//!
//! The device fetches page-locked memory by itself, at the full speed of the bus. Each *lane* has
//! two pieces of it and a stream: while one piece is fetched, a thread fills the other. One thread
//! copies at about half the speed of a fast bus or less, so there are several lanes, which take
//! chunks as they get to them. On the way back the device fills the pieces, and threads empty them.

#![allow(unsafe_code, reason = "copies outlive the calls that start them")]

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::{CudaEvent, CudaStream, DriverError, PinnedHostSlice, result, sys};
use kostra_core::{EdgeSet, Weight, with_room};
use kostra_parallel::for_each_mut;

use crate::{Device, DeviceError};

/// A copy to be made: these bytes to that address on the device, where there is room for them.
#[derive(Clone, Copy)]
pub(crate) struct Transfer<'a> {
    pub(crate) from: &'a [u8],
    pub(crate) to: sys::CUdeviceptr,
}

/// Large enough that starting a transfer costs nothing beside it, small enough to stay in a core's
/// cache.
const PIECE: usize = 2 << 20;
/// Words of 64 bits of a set that are fetched at once: sets are small, and all lanes shall have
/// some.
const PIECE_OF_SET: usize = PIECE / 64;
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
            // SAFETY: there is room at the address, and the piece is not touched before the event
            // is past.
            unsafe { result::memcpy_htod_async(chunk.to, piece, self.stream.cu_stream()) }?;
            sent.record(&self.stream)?;
        }
        self.stream.synchronize()
    }

    /// Fetches parts of a set until there are none left, and returns how many members they have.
    fn bring(
        &mut self,
        parts: &[Mutex<Part<'_>>],
        next: &AtomicUsize,
    ) -> Result<usize, DriverError> {
        self.stream.context().bind_to_thread()?;
        let (mut members, mut coming) = (0, None);
        for turn in 0.. {
            let part = parts.get(next.fetch_add(1, Relaxed));
            let part = part.map(|part| part.lock().unwrap_or_else(PoisonError::into_inner));
            let is_last = part.is_none();
            if let Some(part) = &part {
                let (memory, filled) = &mut self.pieces[turn % 2];
                let piece = &mut memory.as_mut_slice()?[..size_of_val(&*part.to)];
                // SAFETY: as many bytes lie at the address, and the piece is not touched before the
                // event is past.
                unsafe { result::memcpy_dtoh_async(piece, part.from, self.stream.cu_stream()) }?;
                filled.record(&self.stream)?;
            }
            // While that comes, what came before is taken out.
            let arrived = std::mem::replace(&mut coming, part);
            if let Some(mut part) = arrived {
                let (memory, filled) = &self.pieces[(turn + 1) % 2];
                filled.synchronize()?;
                for (word, bytes) in part.to.iter_mut().zip(memory.as_slice()?.as_chunks().0) {
                    members += word.write(u64::from_ne_bytes(*bytes)).count_ones() as usize;
                }
            }
            if is_last {
                break;
            }
        }
        Ok(members)
    }
}

/// A part of a set: where it lies on the device, and where it goes.
struct Part<'a> {
    from: sys::CUdeviceptr,
    to: &'a mut [MaybeUninit<u64>],
}

/// Copies a set of so many words from the device, on up to so many threads.
///
/// # Safety
/// So many words lie at the address, in memory of this device that was written on its stream.
pub(crate) unsafe fn fetch_set(
    device: &Device,
    from: sys::CUdeviceptr,
    words: usize,
    threads: usize,
) -> Result<EdgeSet, DeviceError> {
    let mut set = with_room(words)?;
    if size_of::<u64>() * words <= FEW {
        set.resize(words, 0_u64);
        if words > 0 {
            let stream = device.stream().cu_stream();
            // SAFETY: as the caller says; the copy is waited for below.
            let sent = unsafe { result::memcpy_dtoh_async(&mut set, from, stream) };
            device.check(sent, "copying from it")?;
        }
        device.finish()?;
        return Ok(EdgeSet::from_words(set));
    }
    // Lanes have streams of their own.
    device.finish()?;
    let starts = (from..).step_by(size_of::<u64>() * PIECE_OF_SET);
    let parts: Vec<_> = set.spare_capacity_mut()[..words]
        .chunks_mut(PIECE_OF_SET)
        .zip(starts)
        .map(|(to, from)| Mutex::new(Part { from, to }))
        .collect();
    let next = AtomicUsize::new(0);
    let fetched = device
        .staging()
        .on_lanes(device, threads.min(parts.len()), |lane| lane.bring(&parts, &next))?;
    drop(parts);
    // SAFETY: there is room for so many, and lanes have written every part.
    unsafe { set.set_len(words) };
    Ok(EdgeSet::from_counted_words(set, fetched.into_iter().sum()))
}

/// Copies to the device, on up to so many threads; when it returns, all is there.
///
/// # Safety
/// At each address there is room for the bytes, in memory of this device that was allocated on its
/// stream.
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
            // SAFETY: there is room at the address; the bytes are read before `finish` below
            // returns.
            let sent = unsafe { result::memcpy_htod_async(transfer.to, transfer.from, stream) };
            device.check(sent, "copying to it")?;
        }
        return device.finish();
    }
    let chunks: Vec<_> = transfers.iter().flat_map(|transfer| transfer.chunks()).collect();
    let next = AtomicUsize::new(0);
    device
        .staging()
        .on_lanes(device, threads.min(chunks.len()), |lane| lane.carry(&chunks, &next))?;
    Ok(())
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
        self.from
            .chunks(PIECE)
            .zip(starts)
            .map(move |(from, start)| Self { from, to: self.to + start })
    }
}

impl Staging {
    /// Does something on up to so many lanes, at least one, each on a thread of its own.
    fn on_lanes<R: Send>(
        &self,
        device: &Device,
        lanes: usize,
        step: impl Fn(&mut Lane) -> Result<R, DriverError> + Sync,
    ) -> Result<Vec<R>, DeviceError> {
        let lanes = self.take(device, lanes.clamp(1, MOST_LANES))?;
        let mut work: Vec<_> = lanes.into_iter().map(|lane| (lane, None)).collect();
        for_each_mut(&mut work, |(lane, result)| *result = Some(step(lane)));
        let (lanes, results): (Vec<_>, Vec<_>) = work.into_iter().unzip();
        self.give_back(lanes);
        results.into_iter().flatten().map(|result| device.check(result, "copying")).collect()
    }

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
