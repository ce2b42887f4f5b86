//! Copies between ordinary host memory and the device, by way of page-locked memory. The
//! processor's copies and the transfers overlap.
//!
//! The device reads page-locked memory by itself, at the full speed of the bus. Each *lane* has two
//! pieces of page-locked memory and a stream: while the device reads one piece, a thread fills the
//! other. One thread copies at half the speed of a fast bus or less. So there are several lanes,
//! and each takes the next chunk when it is ready. In the other direction, the device fills the
//! pieces and threads empty them.

#![allow(unsafe_code, reason = "copies outlive the calls that start them")]

use std::mem::MaybeUninit;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use bytemuck::Pod;
use cudarc::driver::{CudaSlice, DevicePtr, DriverError, result, sys};
use kostra_core::{EdgeSet, with_capacity_in_large_pages};
use kostra_parallel::{for_each_mut, lock};

use crate::device::Device;
use crate::device::{Lane, PIECE};
use crate::error::DeviceError;

/// A copy of the bytes `from` to the device address `to`.
#[derive(Clone, Copy)]
pub(crate) struct Transfer<'a> {
    pub(crate) from: &'a [u8],
    pub(crate) to: sys::CUdeviceptr,
}

/// The bytes that are fetched at once. They are fewer than those of a piece, so that each lane gets
/// a part of a small array.
const FETCHED: usize = PIECE / 8;
/// The most lanes. More lanes do not transfer faster on any bus.
const MOST_LANES: usize = 8;
/// The most bytes for which the driver's own staging is as fast.
const UNSTAGED: usize = 1 << 18;

impl Lane {
    /// Sends chunks until none is left, and waits for the last transfer. `next` is the index of the
    /// next chunk, for all lanes.
    fn send(&mut self, chunks: &[Transfer<'_>], next: &AtomicUsize) -> Result<(), DriverError> {
        self.stream.context().bind_to_thread()?;
        for turn in 0.. {
            let Some(chunk) = chunks.get(next.fetch_add(1, Relaxed)) else { break };
            let (memory, sent) = &mut self.pieces[turn % 2];
            sent.synchronize()?;
            let piece = &mut memory.as_mut_slice()?[..chunk.from.len()];
            piece.copy_from_slice(chunk.from);
            // SAFETY: the address has room for the chunk, and the piece is not used before the
            // event is complete.
            unsafe { result::memcpy_htod_async(chunk.to, piece, self.stream.cu_stream()) }?;
            sent.record(&self.stream)?;
        }
        self.stream.synchronize()
    }

    /// Fetches parts of an array until none is left, and returns the sum of what `count` counts in
    /// their values. `next` is the index of the next part, for all lanes.
    fn fetch<T: Pod>(
        &mut self,
        parts: &[Mutex<Part<'_, T>>],
        next: &AtomicUsize,
        count: impl Fn(T) -> usize,
    ) -> Result<usize, DriverError> {
        self.stream.context().bind_to_thread()?;
        let (mut counted, mut coming) = (0, None);
        for turn in 0.. {
            let part = parts.get(next.fetch_add(1, Relaxed));
            let part = part.map(lock);
            let is_last = part.is_none();
            if let Some(part) = &part {
                let (memory, filled) = &mut self.pieces[turn % 2];
                let piece = &mut memory.as_mut_slice()?[..size_of_val(&*part.to)];
                // SAFETY: the address has as many bytes, and the piece is not used before the event
                // is complete.
                unsafe { result::memcpy_dtoh_async(piece, part.from, self.stream.cu_stream()) }?;
                filled.record(&self.stream)?;
            }
            // During this transfer, the part that was fetched before it is copied out of its piece.
            let arrived = std::mem::replace(&mut coming, part);
            if let Some(mut part) = arrived {
                let (memory, filled) = &self.pieces[(turn + 1) % 2];
                filled.synchronize()?;
                // Pieces are pages, and so aligned.
                let piece = &memory.as_slice()?[..size_of_val(&*part.to)];
                for (to, &value) in part.to.iter_mut().zip(bytemuck::cast_slice(piece)) {
                    counted += count(*to.write(value));
                }
            }
            if is_last {
                break;
            }
        }
        Ok(counted)
    }
}

/// A part of an array: its address on the device, and its place in host memory.
struct Part<'a, T> {
    from: sys::CUdeviceptr,
    to: &'a mut [MaybeUninit<T>],
}

/// Copies a set of `words` 64-bit words from the device, on up to `threads` threads.
///
/// # Safety
/// As for [`fetch`].
pub(crate) unsafe fn fetch_set(
    device: &Device,
    from: sys::CUdeviceptr,
    words: usize,
    threads: usize,
) -> Result<EdgeSet, DeviceError> {
    let members = |word: u64| word.count_ones() as usize;
    // SAFETY: the caller guarantees the address.
    let (set, members) = unsafe { fetch(device, from, words, threads, members) }?;
    Ok(EdgeSet::from_counted_words(set, members))
}

/// Copies `values` values from the device, on up to `threads` threads. Also returns the sum of what
/// `count` counts in them.
///
/// # Safety
/// The address `from` has the values, in memory of this device that was written on its stream.
pub(crate) unsafe fn fetch<T: Pod + Send>(
    device: &Device,
    from: sys::CUdeviceptr,
    values: usize,
    threads: usize,
    count: impl Fn(T) -> usize + Sync,
) -> Result<(Vec<T>, usize), DeviceError> {
    let mut fetched = with_capacity_in_large_pages(values)?;
    if size_of::<T>() * values <= UNSTAGED {
        fetched.resize(values, T::zeroed());
        if values > 0 {
            let stream = device.stream().cu_stream();
            // SAFETY: the caller guarantees the address; `finish` below waits for the copy.
            let sent = unsafe { result::memcpy_dtoh_async(&mut fetched, from, stream) };
            device.check(sent, "copying from it")?;
        }
        device.finish()?;
        let counted = fetched.iter().map(|&value| count(value)).sum();
        return Ok((fetched, counted));
    }
    // Lanes have their own streams, so the device's stream must be done.
    device.finish()?;
    let starts = (from..).step_by(FETCHED);
    let parts: Vec<_> = fetched.spare_capacity_mut()[..values]
        .chunks_mut(FETCHED / size_of::<T>())
        .zip(starts)
        .map(|(to, from)| Mutex::new(Part { from, to }))
        .collect();
    let next = AtomicUsize::new(0);
    let counts =
        on_lanes(device, threads.min(parts.len()), |lane| lane.fetch(&parts, &next, &count))?;
    drop(parts);
    // SAFETY: the vector has room for the values, and the lanes have written all parts.
    unsafe { fetched.set_len(values) };
    Ok((fetched, counts.into_iter().sum()))
}

/// Copies few words from the device, at most [`PIECE`] bytes, by way of page-locked memory. For
/// ordinary memory, the driver takes longer than for the copy.
pub(crate) fn fetch_words(
    device: &Device,
    words: &CudaSlice<u32>,
) -> Result<Vec<u32>, DeviceError> {
    let mut lanes = device.take_lanes(1)?;
    let mut fetched = Vec::new();
    for lane in &mut lanes {
        let mut fetch = || {
            let piece = lane.pieces[0].0.as_mut_slice()?;
            let piece = &mut piece[..words.num_bytes()];
            let (from, _) = words.device_ptr(device.stream());
            // SAFETY: both have the bytes, and the piece is not used before the stream is done.
            unsafe { result::memcpy_dtoh_async(piece, from, device.stream().cu_stream()) }?;
            device.stream().synchronize()?;
            fetched = piece.as_chunks().0.iter().map(|&word| u32::from_ne_bytes(word)).collect();
            Ok(())
        };
        let done = fetch();
        device.check(done, "copying from it")?;
    }
    device.return_lanes(lanes);
    Ok(fetched)
}

/// Copies to the device, on up to `threads` threads. The copies are complete when it returns.
///
/// # Safety
/// Each address has room for the bytes, in memory of this device that was allocated on its stream.
pub(crate) unsafe fn send(
    device: &Device,
    transfers: &[Transfer<'_>],
    threads: usize,
) -> Result<(), DeviceError> {
    // The memory may be used when the stream has executed its allocation.
    device.finish()?;
    let bytes: usize = transfers.iter().map(|transfer| transfer.from.len()).sum();
    if bytes <= UNSTAGED {
        for transfer in transfers.iter().filter(|transfer| !transfer.from.is_empty()) {
            let stream = device.stream().cu_stream();
            // SAFETY: the address has room for the bytes, which are read before `finish` below
            // returns.
            let sent = unsafe { result::memcpy_htod_async(transfer.to, transfer.from, stream) };
            device.check(sent, "copying to it")?;
        }
        return device.finish();
    }
    let chunks: Vec<_> = transfers.iter().flat_map(|transfer| transfer.chunks()).collect();
    let next = AtomicUsize::new(0);
    on_lanes(device, threads.min(chunks.len()), |lane| lane.send(&chunks, &next))?;
    Ok(())
}

impl<'a> Transfer<'a> {
    /// A copy of numbers to a device address with room for them.
    pub(crate) fn new<T: Pod>(from: &'a [T], to: sys::CUdeviceptr) -> Self {
        Self { from: bytemuck::cast_slice(from), to }
    }

    fn chunks(self) -> impl Iterator<Item = Transfer<'a>> {
        let starts = (0..).step_by(PIECE);
        self.from
            .chunks(PIECE)
            .zip(starts)
            .map(move |(from, start)| Self { from, to: self.to + start })
    }
}

/// Calls `step` for each of up to `count` lanes, at least one. Each call has its own thread.
fn on_lanes<R: Send>(
    device: &Device,
    count: usize,
    step: impl Fn(&mut Lane) -> Result<R, DriverError> + Sync,
) -> Result<Vec<R>, DeviceError> {
    let lanes = device.take_lanes(count.clamp(1, MOST_LANES))?;
    let mut work: Vec<_> = lanes.into_iter().map(|lane| (lane, None)).collect();
    for_each_mut(&mut work, |(lane, result)| *result = Some(step(lane)));
    let (lanes, results): (Vec<_>, Vec<_>) = work.into_iter().unzip();
    device.return_lanes(lanes);
    results.into_iter().flatten().map(|result| device.check(result, "copying")).collect()
}
