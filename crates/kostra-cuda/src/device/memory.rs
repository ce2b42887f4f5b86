//! Allocation of device memory, and the refusal of solves that need too much.

#![allow(unsafe_code, reason = "the driver is called where cudarc has no safe function")]

use std::sync::MutexGuard;

use cudarc::driver::{CudaSlice, DevicePtrMut, DriverError, result, sys};
use kostra_core::SolveError;
use kostra_parallel::lock;

use super::Device;
use super::scratch::{DeviceScratch, Kept, Told};
use crate::error::DeviceError;
use crate::error::Doing;

/// The bytes that the driver needs in addition to the arrays. Its memory pool grows in pieces of 32
/// MiB, and kernels that spill registers have memory for each thread that the device can hold.
pub(crate) const DRIVER_BYTES: usize = 64 << 20;
/// A number of bytes that is almost always free. Asking the driver for the free memory takes as
/// long as a small solve.
const ALWAYS_FREE: usize = 64 << 20;

impl Device {
    /// Allocates `len` values of undefined content.
    pub fn uninit<T: Copy>(&self, len: usize) -> Result<CudaSlice<T>, DeviceError> {
        let bytes = (len * size_of::<T>()).max(1); // the driver does not allocate 0 bytes
        // SAFETY: any content is valid for bytes.
        let mut memory = unsafe { self.stream.alloc::<u8>(bytes) };
        if is_out_of_memory(&memory) {
            self.give_back()?;
            // SAFETY: as above.
            memory = unsafe { self.stream.alloc::<u8>(bytes) };
        }
        if is_out_of_memory(&memory) {
            return Err(DeviceError::OutOfMemory { bytes, free: self.available()? });
        }
        let memory = self.check(memory, "allocating memory")?;
        // SAFETY: the memory was allocated on this stream, is long enough, and aligned to 256
        // bytes.
        Ok(unsafe { self.stream.upgrade_device_ptr(memory.leak(), len) })
    }

    /// Scratch memory of at least `bytes` bytes, of undefined content. It is the memory of the last
    /// solve if that is large enough, because an allocation takes as long as a small solve.
    pub(crate) fn scratch(&self, bytes: usize) -> Result<DeviceScratch<'_>, DeviceError> {
        let kept = self.kept_scratch().take();
        let kept = match kept {
            Some(kept) if kept.memory.len() >= bytes => kept,
            too_little => {
                let told =
                    too_little.map(|kept| kept.told).map_or_else(|| Told::new(&self.context), Ok);
                let told = self.check(told, "allocating page-locked memory")?;
                Kept { memory: self.uninit(bytes)?, told, turns: 0 }
            }
        };
        Ok(DeviceScratch::new(&self.scratch, kept))
    }

    /// Allocates the [scratch memory](Self::scratch) of the next solve.
    pub(crate) fn reserve_scratch(&self, bytes: usize) -> Result<(), DeviceError> {
        self.scratch(bytes).map(drop)
    }

    fn kept_scratch(&self) -> MutexGuard<'_, Option<Kept>> {
        lock(&self.scratch)
    }

    /// Allocates `len` values, and sets all their bytes to `byte`.
    pub fn filled<T: Copy>(&self, len: usize, byte: u8) -> Result<CudaSlice<T>, DeviceError> {
        let mut memory = self.uninit(len)?;
        self.fill(&mut memory, byte)?;
        Ok(memory)
    }

    /// Sets every byte of `memory` to `byte`.
    pub fn fill<T>(&self, memory: &mut impl DevicePtrMut<T>, byte: u8) -> Result<(), DeviceError> {
        let bytes = memory.num_bytes();
        if bytes == 0 {
            return Ok(());
        }
        let (pointer, _guard) = memory.device_ptr_mut(&self.stream);
        // SAFETY: the memory has `bytes` bytes, and is freed on the same stream, later.
        let done =
            unsafe { result::memset_d8_async(pointer, byte, bytes, self.stream.cu_stream()) };
        self.check(done, "filling memory")
    }

    /// Refuses a solve that needs more memory than the device has, before the solve begins. The
    /// solve needs `scratch` bytes of scratch memory and `others` bytes in other
    /// arrays.
    pub fn admit(&self, scratch: usize, others: usize) -> Result<(), SolveError> {
        let kept = self.kept_scratch().as_ref().map_or(0, |kept| kept.memory.len());
        let new = others.saturating_add(if kept < scratch { scratch } else { 0 });
        // If so little is not free, the allocation fails with an error of its own.
        if new <= ALWAYS_FREE {
            Ok(())
        } else {
            admit(scratch.saturating_add(others), self.available()?)
        }
    }

    /// Returns all unused memory to the system.
    fn give_back(&self) -> Result<(), DeviceError> {
        drop(self.kept_scratch().take());
        self.finish()?;
        if self.context.has_async_alloc() {
            let pool = self.pool().doing("returning memory")?;
            // SAFETY: the pool is the device's.
            self.check(unsafe { result::mem_pool::trim_to(pool, 0) }, "returning memory")?;
        }
        Ok(())
    }

    /// The number of free bytes, including those that the process keeps for its next solve.
    ///
    /// # Errors
    /// When the device fails.
    pub fn available(&self) -> Result<usize, DeviceError> {
        let (free, all) = self.check(self.context.mem_get_info(), "asking for its free memory")?;
        let scratch = self.kept_scratch().as_ref().map_or(0, |kept| kept.memory.len());
        let kept = self.kept().doing("asking for its free memory")?;
        // Another thread may return memory to the process between these questions. Such memory is
        // counted twice.
        Ok(all.min(free + scratch + kept))
    }

    /// Makes the process keep memory that is freed, because allocating it from the system again
    /// takes as long as a solve.
    pub(super) fn keep_freed_memory(&self) -> Result<(), DriverError> {
        if !self.context.has_async_alloc() {
            return Ok(());
        }
        let mut keep = u64::MAX;
        let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        // SAFETY: the attribute is an integer of 64 bits.
        unsafe { result::mem_pool::set_attribute(self.pool()?, attribute, (&raw mut keep).cast()) }
    }

    /// The number of unused bytes that the process keeps.
    fn kept(&self) -> Result<usize, DriverError> {
        if !self.context.has_async_alloc() {
            return Ok(0);
        }
        let pool = self.pool()?;
        let get = |attribute| {
            let mut bytes = 0_u64;
            // SAFETY: both attributes are integers of 64 bits.
            unsafe { result::mem_pool::get_attribute(pool, attribute, (&raw mut bytes).cast()) }?;
            Ok(bytes)
        };
        let reserved = get(sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)?;
        let used = get(sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT)?;
        Ok(usize::try_from(reserved.saturating_sub(used)).unwrap_or(usize::MAX))
    }

    pub(super) fn pool(&self) -> Result<sys::CUmemoryPool, DriverError> {
        let mut pool = std::ptr::null_mut();
        // SAFETY: the pointer is to a local variable, and the device is open.
        unsafe { sys::cuDeviceGetDefaultMemPool(&raw mut pool, self.context.cu_device()) }
            .result()?;
        Ok(pool)
    }
}

/// Refuses an allocation of `bytes` bytes if only `free` bytes are free.
fn admit(bytes: usize, free: usize) -> Result<(), SolveError> {
    if bytes.saturating_add(DRIVER_BYTES) > free {
        return Err(SolveError::DeviceMemory { bytes: bytes.saturating_add(DRIVER_BYTES), free });
    }
    Ok(())
}

fn is_out_of_memory<T>(answer: &Result<T, DriverError>) -> bool {
    matches!(answer, Err(DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY)))
}

#[cfg(test)]
mod tests {
    use cudarc::driver::DevicePtr;

    use super::*;

    #[test]
    fn a_graph_that_does_not_fit_is_refused_with_the_needed_and_the_free_bytes() {
        assert_eq!(admit(1 << 30, (1 << 30) + DRIVER_BYTES), Ok(()));
        let refused =
            |bytes, free| Err(SolveError::DeviceMemory { bytes: bytes + DRIVER_BYTES, free });
        assert_eq!(
            admit(1 << 30, 1 << 30),
            refused(1 << 30, 1 << 30),
            "the driver needs memory, too"
        );
        assert_eq!(admit(3 << 30, 1 << 30), refused(3 << 30, 1 << 30));
        assert!(admit(usize::MAX, 1 << 40).is_err());
        let words =
            SolveError::from(DeviceError::OutOfMemory { bytes: 2000, free: 1000 }).to_string();
        assert_eq!(
            words,
            "this graph needs 2000 bytes of the device's memory, and 1000 bytes are free"
        );
    }

    #[test]
    fn scratch_memory_is_kept_until_an_allocation_needs_it() {
        let Some(device) = crate::testing::device() else { return };
        let begin = |scratch: &DeviceScratch<'_>| scratch.device_ptr(device.stream()).0;
        let first = begin(&device.scratch(1 << 20).unwrap());
        assert_eq!(begin(&device.scratch(1000).unwrap()), first);
        let (one, other) = (device.scratch(1000).unwrap(), device.scratch(1000).unwrap());
        assert_ne!(begin(&one), begin(&other), "two solves at the same time");
        drop((one, other));
        let most = device.available().unwrap() / 8 * 7;
        drop(device.scratch(most).unwrap());
        assert!(device.available().unwrap() > most, "kept memory counts as free");
        device.uninit::<u8>(most).unwrap();
        assert!(device.kept_scratch().is_none(), "and is freed for an allocation");
    }
}
