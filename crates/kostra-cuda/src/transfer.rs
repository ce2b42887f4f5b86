//! Copies of device memory, within a device and from one device to another.

#![allow(unsafe_code, reason = "device memory is known by its address only")]

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaSlice, CudaStream, DriverError, result};
use kostra_parallel::for_each_mut;

use crate::buffers::address;
use crate::device::{Lane, PIECE};
use crate::{Device, DeviceError};

/// A copy of `bytes` bytes from one address to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pub(crate) from: CUdeviceptr,
    pub(crate) to: CUdeviceptr,
    pub(crate) bytes: usize,
}

/// The most lanes of a copy through host memory. While one lane reads, another one writes.
const MOST_LANES: usize = 8;

/// How memory of one device reaches another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The reading device copies by itself.
    Direct,
    /// Through page-locked host memory.
    ThroughHost,
}

impl Way {
    /// The way from one device to another. Where it is direct, the reader gets access.
    pub(crate) fn between(from: &Device, to: &Device) -> Self {
        if from.lets_read(to) { Self::Direct } else { Self::ThroughHost }
    }
}

/// A copy from one device to another, so that the link between them wakes up while the devices are
/// at work. After 50 idle milliseconds the first copy takes 0.2 ms, and later ones 0.01. A copy of
/// four bytes does not wake the link (measured on H200).
pub(crate) struct Waking<'a> {
    pub(crate) from: &'a Device,
    lanes: Vec<Lane>,
    memory: [CudaSlice<u8>; 2],
}

impl<'a> Waking<'a> {
    /// Prepares the copy, if the way is direct. Waits for both devices.
    pub(crate) fn prepare(from: &'a Device, to: &Device) -> Result<Option<Self>, DeviceError> {
        const BYTES: usize = 1 << 16;
        if Way::between(to, from) != Way::Direct {
            return Ok(None);
        }
        let allocate = |device: &Device| {
            device.bind()?;
            let memory = device.uninit(BYTES)?;
            device.finish().map(|()| memory)
        };
        let memory = [allocate(to)?, allocate(from)?];
        Ok(Some(Self { from, lanes: from.take_lanes(1)?, memory }))
    }

    /// Starts the copy. Other copies and fills of the device `from` wait for it, kernels do not.
    pub(crate) fn start(&self) -> Result<(), DeviceError> {
        self.from.bind()?;
        let [target, source] = &self.memory;
        let bytes = source.num_bytes();
        let region = Region { from: address(source), to: address(target), bytes };
        // SAFETY: both arrays have the bytes, and stay until the copy is complete.
        self.lanes.iter().try_for_each(|lane| unsafe { push((self.from, &lane.stream), &[region]) })
    }
}

impl Drop for Waking<'_> {
    fn drop(&mut self) {
        for lane in &self.lanes {
            // An error is one of the device, which its next step reports.
            let _ = self.from.bind().map(|()| lane.stream.synchronize());
        }
        self.from.return_lanes(std::mem::take(&mut self.lanes));
    }
}

/// Copies memory of the device `from` to the device `to`, which may be the same. The copies are
/// complete when this returns.
///
/// # Safety
/// All addresses have room for the bytes on their devices. All writes to the sources are complete.
pub(crate) unsafe fn copy(
    (from, to): (&Device, &Device),
    regions: &[Region],
    way: Way,
) -> Result<(), DeviceError> {
    // Memory may be used on other streams when its own stream has executed the allocation.
    to.finish()?;
    match way {
        Way::Direct => {
            to.check(to.context().bind_to_thread(), "copying")?;
            // SAFETY: the caller guarantees the addresses; `finish` below waits for the copies.
            unsafe { push((to, to.stream()), regions) }?;
            to.finish()
        }
        // SAFETY: the caller guarantees the addresses.
        Way::ThroughHost => unsafe { copy_through_host(from, to, regions) },
    }
}

/// Starts copies on a stream of a device, from its memory or to it.
///
/// # Safety
/// As for [`copy`], the way is direct, and all writes to the sources are complete when the stream
/// is at this place.
pub(crate) unsafe fn push(
    (device, stream): (&Device, &CudaStream),
    regions: &[Region],
) -> Result<(), DeviceError> {
    for region in regions.iter().filter(|region| region.bytes > 0) {
        // SAFETY: the caller guarantees the addresses.
        let copied = unsafe {
            result::memcpy_dtod_async(region.to, region.from, region.bytes, stream.cu_stream())
        };
        device.check(copied, "copying between devices")?;
    }
    Ok(())
}

/// # Safety
/// As for [`copy`].
unsafe fn copy_through_host(
    from: &Device,
    to: &Device,
    regions: &[Region],
) -> Result<(), DeviceError> {
    let chunks: Vec<_> = regions.iter().flat_map(|region| region.chunks()).collect();
    if chunks.is_empty() {
        return Ok(());
    }
    from.finish()?;
    let count = chunks.len().min(MOST_LANES);
    let readers = from.take_lanes(count)?;
    let writers = to.take_lanes(count)?;
    let mut work: Vec<_> =
        readers.into_iter().zip(writers).map(|(read, write)| (read, write, Ok(()))).collect();
    let next = AtomicUsize::new(0);
    for_each_mut(&mut work, |(read, write, result)| {
        // SAFETY: the caller guarantees the addresses.
        *result = unsafe { relay(read, write, &chunks, &next) };
    });
    let mut results = Vec::with_capacity(work.len());
    for (read, write, result) in work {
        from.return_lanes(vec![read]);
        to.return_lanes(vec![write]);
        results.push(result);
    }
    results.into_iter().try_for_each(|result| match result {
        Ok(()) => Ok(()),
        Err(Fault::Reading(error)) => from.check(Err(error), "copying to another device"),
        Err(Fault::Writing(error)) => to.check(Err(error), "copying from another device"),
    })
}

/// The side on which a copy through host memory failed.
enum Fault {
    Reading(DriverError),
    Writing(DriverError),
}

/// Copies chunks until none is left, through the pieces of the lane `read`. `next` is the index of
/// the next chunk, for all lanes.
///
/// # Safety
/// As for [`copy`].
unsafe fn relay(
    read: &mut Lane,
    write: &mut Lane,
    chunks: &[Region],
    next: &AtomicUsize,
) -> Result<(), Fault> {
    for turn in 0.. {
        let Some(chunk) = chunks.get(next.fetch_add(1, Relaxed)) else { break };
        let (memory, written) = (&mut read.pieces[turn % 2].0, &write.pieces[turn % 2].1);
        // The piece is free when its last chunk has been written.
        written.synchronize().map_err(Fault::Writing)?;
        read.stream.context().bind_to_thread().map_err(Fault::Reading)?;
        let piece = &mut memory.as_mut_slice().map_err(Fault::Reading)?[..chunk.bytes];
        // SAFETY: the address has the bytes, and the piece is not used before the stream is done.
        unsafe { result::memcpy_dtoh_async(piece, chunk.from, read.stream.cu_stream()) }
            .map_err(Fault::Reading)?;
        read.stream.synchronize().map_err(Fault::Reading)?;
        write.stream.context().bind_to_thread().map_err(Fault::Writing)?;
        // SAFETY: the address has room for the bytes, and the piece is not changed before the event
        // is complete.
        unsafe { result::memcpy_htod_async(chunk.to, piece, write.stream.cu_stream()) }
            .map_err(Fault::Writing)?;
        written.record(&write.stream).map_err(Fault::Writing)?;
    }
    write.stream.synchronize().map_err(Fault::Writing)
}

impl Region {
    /// The region in pieces of at most [`PIECE`] bytes.
    fn chunks(self) -> impl Iterator<Item = Self> {
        (0..self.bytes).step_by(PIECE).map(move |start| Self {
            from: self.from + start as CUdeviceptr,
            to: self.to + start as CUdeviceptr,
            bytes: PIECE.min(self.bytes - start),
        })
    }
}

#[cfg(test)]
mod tests {
    use cudarc::driver::DevicePtr;

    use super::*;
    use crate::buffers::{download, upload};

    #[test]
    fn chunks_cover_a_region_once() {
        for bytes in [0, 1, PIECE, PIECE + 1, 5 * PIECE - 3] {
            let chunks: Vec<_> = Region { from: 100, to: 7, bytes }.chunks().collect();
            assert_eq!(chunks.iter().map(|chunk| chunk.bytes).sum::<usize>(), bytes);
            let mut end = 0;
            for chunk in chunks {
                assert_eq!((chunk.from, chunk.to), (100 + end as u64, 7 + end as u64));
                end += chunk.bytes;
            }
        }
    }

    #[test]
    fn a_copy_directly_or_through_the_host_has_the_same_bytes() {
        let Some(first) = crate::testing::device() else { return };
        // With one device, the copy is from the device to itself.
        let second = Device::open(1).unwrap_or_else(|_| first.clone());
        for len in [0, 1, 1000, 3_000_000] {
            let values: Vec<u32> = (0..len as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
            let source = upload(&first, &values).unwrap();
            for way in [Way::between(&first, &second), Way::ThroughHost] {
                let target = second.filled::<u32>(len, 0).unwrap();
                let region = Region {
                    from: source.device_ptr(first.stream()).0,
                    to: target.device_ptr(second.stream()).0,
                    bytes: 4 * len,
                };
                // SAFETY: both arrays have the bytes, and `upload` has waited.
                unsafe { copy((&first, &second), &[region], way) }.unwrap();
                assert!(download::<u32>(&second, &target).unwrap() == values, "{len} by {way:?}");
            }
        }
    }
}
