//! Memory through which arrays of a device go to another process.
//!
//! A library for messages may not accept any device memory: an array that was allocated on a stream
//! cannot be opened by another process. So arrays go through two pieces of memory that the library
//! accepts. While it sends or receives one piece, the device copies the other. Allocating a wire
//! and opening it in another process take milliseconds, so the device keeps its wires.

#![allow(unsafe_code, reason = "device memory is known by its address only")]

use std::ffi::c_void;

use cudarc::driver::sys::{self, CUdeviceptr};
use cudarc::driver::{DriverError, result};

use crate::device::Device;
use crate::error::DeviceError;

/// The kind of memory that the library for messages accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireMemory {
    /// Memory of the device, which another process can open.
    OnDevice,
    /// Page-locked host memory.
    PageLocked,
}

impl WireMemory {
    /// The bytes of a piece. Both sides of a message must use the same kind of memory.
    const fn piece(self) -> usize {
        match self {
            // Copies between devices are so fast that starting a message takes as long as 4 MiB.
            Self::OnDevice => 32 << 20,
            // Locking pages takes longer than a copy, and a piece fits a core's cache.
            Self::PageLocked => 2 << 20,
        }
    }

    /// The bytes of device memory that a wire takes.
    pub(crate) const fn bytes_on_device(self) -> usize {
        match self {
            Self::OnDevice => 2 * self.piece(),
            Self::PageLocked => 0,
        }
    }
}

/// A message to send or to receive: its address, and its number of bytes.
#[derive(Clone, Copy, Debug)]
pub struct WirePiece {
    /// The address, in the kind of memory of the wire.
    pub address: *mut c_void,
    /// The number of bytes, at most 2^25 and not 0.
    pub bytes: usize,
}

/// Two pieces of memory. They are never freed: another process may have opened them, and a device
/// stays open as long as the process runs.
#[derive(Debug)]
pub(crate) struct Wire {
    memory: WireMemory,
    /// The address of the first piece. The driver gives page-locked memory one address everywhere.
    start: CUdeviceptr,
}

impl Wire {
    /// Allocates a wire. [`Device::take_wire`] calls this.
    pub(crate) fn new(memory: WireMemory) -> Result<Self, DriverError> {
        let bytes = 2 * memory.piece();
        // SAFETY: the memory is written before it is read.
        let start = unsafe {
            match memory {
                WireMemory::OnDevice => result::malloc_sync(bytes)?,
                // Without flags: the host reads write-combined memory slowly.
                WireMemory::PageLocked => {
                    result::malloc_host(bytes, 0)?.expose_provenance() as CUdeviceptr
                }
            }
        };
        Ok(Self { memory, start })
    }

    pub(crate) fn memory(&self) -> WireMemory {
        self.memory
    }

    /// Calls `send` with pieces that have the bytes of these arrays, one after the other. Each
    /// array is an address and a number of bytes.
    ///
    /// # Safety
    /// The addresses are of arrays of the device with these bytes, written on its stream.
    pub(crate) unsafe fn send(
        &self,
        device: &Device,
        arrays: &[(CUdeviceptr, usize)],
        mut send: impl FnMut(WirePiece),
    ) -> Result<(), DeviceError> {
        let chunks = self.chunks(arrays);
        let fill = |turn: usize| match chunks.get(turn) {
            // SAFETY: the caller guarantees the array. The piece is not in use: `send` has
            // returned.
            Some(&(from, bytes)) => unsafe { copy(device, from, self.piece(turn), bytes) },
            None => Ok(()),
        };
        fill(0)?;
        for (turn, &(_, bytes)) in chunks.iter().enumerate() {
            device.finish()?;
            fill(turn + 1)?;
            send(self.message(turn, bytes));
        }
        device.finish()
    }

    /// Calls `receive` with pieces to fill, and copies their bytes to these arrays. The calls and
    /// their sizes are those of [`send`](Self::send) with arrays of the same sizes. The arrays are
    /// complete when this returns.
    ///
    /// # Safety
    /// The addresses are of arrays of the device with room for these bytes.
    pub(crate) unsafe fn receive(
        &self,
        device: &Device,
        arrays: &[(CUdeviceptr, usize)],
        mut receive: impl FnMut(WirePiece),
    ) -> Result<(), DeviceError> {
        for (turn, &(to, bytes)) in self.chunks(arrays).iter().enumerate() {
            // The copy from this piece two turns ago was complete before the last one began.
            receive(self.message(turn, bytes));
            device.finish()?;
            // SAFETY: the caller guarantees the array, and the piece has been filled.
            unsafe { copy(device, self.piece(turn), to, bytes) }?;
        }
        device.finish()
    }

    /// The address of the piece of a turn.
    fn piece(&self, turn: usize) -> CUdeviceptr {
        self.start + (turn % 2 * self.memory.piece()) as CUdeviceptr
    }

    fn message(&self, turn: usize, bytes: usize) -> WirePiece {
        let address = std::ptr::with_exposed_provenance_mut(self.piece(turn) as usize);
        WirePiece { address, bytes }
    }

    /// The arrays in chunks that fit a piece.
    fn chunks(&self, arrays: &[(CUdeviceptr, usize)]) -> Vec<(CUdeviceptr, usize)> {
        let piece = self.memory.piece();
        let of_array = |&(start, bytes): &(CUdeviceptr, usize)| {
            (0..bytes)
                .step_by(piece)
                .map(move |at| (start + at as CUdeviceptr, piece.min(bytes - at)))
        };
        arrays.iter().flat_map(of_array).collect()
    }
}

/// Starts a copy on the stream of the device.
///
/// # Safety
/// Both addresses have the bytes, on the device or in page-locked memory, until the stream is done.
unsafe fn copy(
    device: &Device,
    from: CUdeviceptr,
    to: CUdeviceptr,
    bytes: usize,
) -> Result<(), DeviceError> {
    let stream = device.stream().cu_stream();
    // SAFETY: the caller guarantees the addresses.
    let copied = unsafe { sys::cuMemcpyAsync(to, from, bytes, stream) }.result();
    device.check(copied, "copying for a message")
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::buffers::{address, download, upload};

    const KINDS: [WireMemory; 2] = [WireMemory::OnDevice, WireMemory::PageLocked];

    #[test]
    fn pieces_cover_all_arrays_in_order_and_are_never_empty() {
        for memory in KINDS {
            let (wire, piece) = (Wire { memory, start: 0 }, memory.piece());
            let arrays = [(100, 3), (0, 0), (1 << 40, 2 * piece + 1), (500, piece)];
            let expected = [
                (100, 3),
                (1 << 40, piece),
                ((1 << 40) + piece as u64, piece),
                ((1 << 40) + 2 * piece as u64, 1),
                (500, piece),
            ];
            assert_eq!(wire.chunks(&arrays), expected);
            assert!(piece <= 1 << 25, "as WirePiece promises");
        }
    }

    #[test]
    fn arrays_that_go_through_a_wire_keep_their_values() {
        let Some(device) = crate::testing::device() else { return };
        for memory in KINDS {
            let wire = device.take_wire(memory).unwrap();
            let len = memory.piece() + 5;
            let values: Vec<u32> = (0..len as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
            let (from, to) = (upload(&device, &values).unwrap(), device.uninit(len).unwrap());
            // The messages are kept on the host.
            let sent = RefCell::new(Vec::new());
            let host = |piece: WirePiece| piece.address.expose_provenance() as CUdeviceptr;
            // SAFETY: both arrays have the bytes, and the pieces have theirs.
            unsafe {
                let take = |piece: WirePiece| {
                    let mut bytes = vec![0_u8; piece.bytes];
                    result::memcpy_dtoh_sync(&mut bytes, host(piece)).unwrap();
                    sent.borrow_mut().push(bytes);
                };
                wire.send(&device, &[(address(&from), 4 * len)], take).unwrap();
                let mut messages = sent.take().into_iter();
                let give = |piece: WirePiece| {
                    let bytes = messages.next().unwrap();
                    assert_eq!(bytes.len(), piece.bytes);
                    result::memcpy_htod_sync(host(piece), &bytes).unwrap();
                };
                wire.receive(&device, &[(address(&to), 4 * len)], give).unwrap();
                assert!(messages.next().is_none());
            }
            assert!(download::<u32>(&device, &to).unwrap() == values, "{memory:?}");
        }
    }
}
