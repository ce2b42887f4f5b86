//! The scratch memory of a device, which is kept from one solve to the next.

#![allow(unsafe_code, reason = "the device writes to page-locked memory of the host")]

use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex};

use cudarc::driver::{CudaContext, CudaSlice, DriverError, PinnedHostSlice, sys};
use kostra_parallel::lock;

/// The number of words that a solve can report to the host.
pub(crate) const TOLD: usize = 3;

/// The scratch memory of solves, kept from one solve to the next.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) memory: CudaSlice<u8>,
    pub(super) told: Told,
    /// The number of consecutive solves that have prepared the memory for the next one.
    pub(super) turns: usize,
}

/// Words of host memory that the device writes to. Copying a word from the device would take as
/// long as several steps of a solve.
#[derive(Debug)]
pub(super) struct Told {
    /// The address of `_memory`, kept here because `_memory` asks the driver for it each time.
    address: sys::CUdeviceptr,
    _memory: PinnedHostSlice<u32>,
}

impl Told {
    pub(super) fn new(context: &Arc<CudaContext>) -> Result<Self, DriverError> {
        // SAFETY: the words are set before they are read.
        let mut memory: PinnedHostSlice<u32> =
            unsafe { context.alloc_pinned_with_flags(TOLD, sys::CU_MEMHOSTALLOC_DEVICEMAP) }?;
        Ok(Self {
            address: memory.as_mut_ptr()?.expose_provenance() as sys::CUdeviceptr,
            _memory: memory,
        })
    }

    fn words(&self) -> *mut u32 {
        std::ptr::with_exposed_provenance_mut(self.address as usize)
    }
}

/// Scratch memory in use by a solve. When it is dropped, the device keeps the memory for the next
/// solve.
pub(crate) struct DeviceScratch<'a> {
    home: &'a Mutex<Option<Kept>>,
    kept: ManuallyDrop<Kept>,
}

impl<'a> DeviceScratch<'a> {
    /// Uses memory that returns to `home`.
    pub(super) fn new(home: &'a Mutex<Option<Kept>>, kept: Kept) -> Self {
        Self { home, kept: ManuallyDrop::new(kept) }
    }

    /// The number of consecutive solves that have [prepared](Self::leave) the memory for the next
    /// one. It is 0 if the memory is new or the last solve failed. A solve that does not call
    /// [`leave`](Self::leave) sets it to 0.
    pub(crate) fn take_turn(&mut self) -> usize {
        std::mem::take(&mut self.kept.turns)
    }

    /// States that `turns` consecutive solves have prepared the memory for the next one.
    pub(crate) fn leave(&mut self, turns: usize) {
        self.kept.turns = turns;
    }

    /// The address of the words that the device writes for the host. The words are set to 0.
    pub(crate) fn told_at(&mut self) -> sys::CUdeviceptr {
        // SAFETY: there are `TOLD` words, and no running solve uses them.
        (0..TOLD).for_each(|word| unsafe { self.kept.told.words().add(word).write_volatile(0) });
        // The driver gives page-locked memory the same address on every device.
        self.kept.told.address
    }

    /// The words that the device has written. The solve must have ended.
    pub(crate) fn told(&self) -> [u32; TOLD] {
        // SAFETY: there are `TOLD` words. The reads are volatile because the device has written the
        // words without the compiler's knowledge.
        std::array::from_fn(|word| unsafe { self.kept.told.words().add(word).read_volatile() })
    }
}

impl Deref for DeviceScratch<'_> {
    type Target = CudaSlice<u8>;

    fn deref(&self) -> &CudaSlice<u8> {
        &self.kept.memory
    }
}

impl DerefMut for DeviceScratch<'_> {
    fn deref_mut(&mut self) -> &mut CudaSlice<u8> {
        &mut self.kept.memory
    }
}

impl Drop for DeviceScratch<'_> {
    fn drop(&mut self) {
        // SAFETY: `kept` is not used after this.
        let kept = unsafe { ManuallyDrop::take(&mut self.kept) };
        // If two solves ran at the same time, the memory of the one that ends last is kept.
        *lock(self.home) = Some(kept);
    }
}
