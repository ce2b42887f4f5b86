//! Device memory that other libraries can use: results that stay on the device, and copies made for
//! a caller.
//!
//! Other libraries get its address and use it on their own streams. Therefore Kostra's writes are
//! complete before [`DeviceMemory::share`] returns the address. Before shared memory is freed, all
//! work in the context is waited for.

#![allow(unsafe_code, reason = "device memory is known by its address only")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytemuck::Pod;
use cudarc::driver::sys::{self, CUdeviceptr};
use cudarc::driver::{CudaSlice, DevicePtr, result};

use crate::device::Device;
use crate::error::{DeviceError, NoDevice};
use crate::staging::{self, Transfer};

/// Bytes in a device's memory, freed when this is dropped.
#[derive(Debug)]
pub struct DeviceMemory {
    device: Arc<Device>,
    memory: CudaSlice<u8>,
    /// Whether `share` has returned the address.
    shared: AtomicBool,
}

impl DeviceMemory {
    /// Allocates `bytes` bytes of undefined content.
    pub(crate) fn uninit(device: &Arc<Device>, bytes: usize) -> Result<Self, DeviceError> {
        let memory = device.uninit(bytes)?;
        Ok(Self { device: device.clone(), memory, shared: AtomicBool::new(false) })
    }

    /// Copies `bytes` to the device, on up to `threads` threads; the copy is complete when this
    /// returns.
    ///
    /// # Errors
    /// When the device fails, or has too little memory.
    pub fn copy_of(
        device: &Arc<Device>,
        bytes: &[u8],
        threads: usize,
    ) -> Result<Self, DeviceError> {
        let copy = Self::uninit(device, bytes.len())?;
        // SAFETY: `copy` has `bytes.len()` bytes and was allocated on the device's stream.
        unsafe { staging::send(device, &[Transfer { from: bytes, to: copy.address() }], threads) }?;
        Ok(copy)
    }

    /// The device that has the memory.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.memory.len()
    }

    /// Whether the number of bytes is 0.
    pub fn is_empty(&self) -> bool {
        self.memory.len() == 0
    }

    /// The address. All writes by Kostra are complete. The caller keeps this value alive while the
    /// address is in use.
    ///
    /// # Errors
    /// When the device fails, in this or in earlier work.
    pub fn share(&self) -> Result<u64, DeviceError> {
        self.shared.store(true, Ordering::Relaxed);
        let _current = Current::keep();
        self.device.finish()?;
        Ok(self.address())
    }

    /// Copies the bytes to host memory.
    ///
    /// # Errors
    /// When the device fails.
    pub fn to_vec(&self) -> Result<Vec<u8>, DeviceError> {
        // SAFETY: this value owns the memory, which has `len` bytes.
        unsafe { bytes_at(&self.device, self.address(), self.len()) }
    }

    /// Copies the values to host memory, on up to `threads` threads.
    pub(crate) fn values<T: Pod + Send>(&self, threads: usize) -> Result<Vec<T>, DeviceError> {
        let _current = Current::keep();
        let bound = self.device.context().bind_to_thread();
        self.device.check(bound, "copying from it")?;
        let values = self.len() / size_of::<T>();
        // SAFETY: this value owns the memory, which has `len` bytes.
        let fetched =
            unsafe { staging::fetch(&self.device, self.address(), values, threads, |_: T| 0) };
        Ok(fetched?.0)
    }

    pub(crate) fn address(&self) -> CUdeviceptr {
        self.memory.device_ptr(self.device.stream()).0
    }
}

/// Copies `len` bytes at a device address to host memory.
///
/// # Safety
/// The address is of at least `len` bytes on this device.
pub(crate) unsafe fn bytes_at(
    device: &Device,
    address: CUdeviceptr,
    len: usize,
) -> Result<Vec<u8>, DeviceError> {
    let mut copy = vec![0; len];
    if len > 0 {
        let _current = Current::keep();
        device.check(device.context().bind_to_thread(), "copying from it")?;
        // SAFETY: both have `len` bytes, and `copy` is not used before `finish` has waited for the
        // copy.
        let done =
            unsafe { result::memcpy_dtoh_async(&mut copy, address, device.stream().cu_stream()) };
        device.check(done, "copying from it")?;
        device.finish()?;
    }
    Ok(copy)
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        if *self.shared.get_mut() {
            let _current = Current::keep();
            // If this fails, the device has failed and reads nothing any more.
            let _ = self.device.context().synchronize();
        }
    }
}

impl Device {
    /// The number of the device whose memory contains an address.
    ///
    /// # Errors
    /// When there is no device, or the driver does not know the address.
    pub fn of_address(address: u64) -> Result<usize, NoDevice> {
        Self::count()?;
        let mut ordinal = 0_i32;
        let attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
        // SAFETY: the attribute is a 32-bit integer; the driver looks the address up and does not
        // dereference it.
        let answer =
            unsafe { sys::cuPointerGetAttribute((&raw mut ordinal).cast(), attribute, address) };
        match (answer.result(), usize::try_from(ordinal)) {
            (Ok(()), Ok(ordinal)) => Ok(ordinal),
            _ => Err(NoDevice::because(format!("none has memory at the address {address:#x}"))),
        }
    }

    /// Waits for the work that a stream has been given so far. As in `__cuda_array_interface__`, 1
    /// is the legacy default stream, 2 is the per-thread default stream, and any other value is a
    /// stream handle.
    ///
    /// # Errors
    /// When the device fails.
    ///
    /// # Safety
    /// The stream belongs to this device and has not been destroyed.
    pub unsafe fn wait_for_stream(&self, stream: u64) -> Result<(), DeviceError> {
        let _current = Current::keep();
        self.check(self.context().bind_to_thread(), "waiting for a stream")?;
        // SAFETY: the caller guarantees it. 1 and 2 are also the driver's values for the two
        // default streams.
        self.check(
            unsafe { result::stream::synchronize(stream as usize as sys::CUstream) },
            "waiting for a stream",
        )
    }
}

/// The calling thread's CUDA context, restored when this is dropped: a library that keeps a current
/// device for each thread does not expect other code to change it.
struct Current(Option<sys::CUcontext>);

impl Current {
    fn keep() -> Self {
        Self(result::ctx::get_current().ok().flatten())
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        if let Some(context) = self.0 {
            // SAFETY: it was this thread's current context when `keep` was called, and Kostra does
            // not destroy it.
            let _ = unsafe { result::ctx::set_current(context) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::device;

    #[test]
    fn a_copy_comes_back_and_its_address_is_the_devices() {
        let Some(device) = device() else { return };
        for len in [0, 1, 1000, 5_000_000] {
            let bytes: Vec<u8> =
                (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
            let copy = DeviceMemory::copy_of(&device, &bytes, 2).unwrap();
            assert_eq!((copy.len(), copy.is_empty()), (len, len == 0));
            assert!(copy.to_vec().unwrap() == bytes, "{len} bytes");
            assert_eq!(Device::of_address(copy.share().unwrap()), Ok(device.ordinal()));
        }
        // SAFETY: the default stream is always there.
        assert_eq!(unsafe { device.wait_for_stream(1) }, Ok(()));
    }

    #[test]
    fn an_address_that_no_device_knows_is_refused() {
        let error = Device::of_address(0x1000).unwrap_err().to_string();
        let expected = if Device::count().is_ok() {
            "no CUDA device: none has memory at the address 0x1000".to_owned()
        } else {
            Device::open(0).unwrap_err().to_string()
        };
        assert_eq!(error, expected);
    }
}
