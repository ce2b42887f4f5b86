//! Memory of a device that others see: answers that stay there, and what is copied there for somebody.
//!
//! Others know it by its address, and work on it on streams of their own. So whatever Kostra writes to it is done
//! before anybody learns the address, and when it is freed, all work on the device that might still read it is.

#![allow(unsafe_code, reason = "device memory is known by its address only")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cudarc::driver::sys::{self, CUdeviceptr};
use cudarc::driver::{CudaSlice, DevicePtr, result};

use crate::staging::{self, Transfer};
use crate::{Device, DeviceError, NoDevice};

/// Some bytes of a device's memory. They are freed when this is dropped.
#[derive(Debug)]
pub struct DeviceMemory {
    device: Arc<Device>,
    memory: CudaSlice<u8>,
    /// Whether somebody else knows the address.
    shared: AtomicBool,
}

impl DeviceMemory {
    /// Room for so many bytes, whatever is in it.
    pub(crate) fn uninit(device: &Arc<Device>, bytes: usize) -> Result<Self, DeviceError> {
        let memory = device.uninit(bytes)?;
        Ok(Self { device: device.clone(), memory, shared: AtomicBool::new(false) })
    }

    /// A copy of bytes, complete when this returns.
    ///
    /// # Errors
    /// When the device fails, or has too little memory.
    pub fn copy_of(device: &Arc<Device>, bytes: &[u8], threads: usize) -> Result<Self, DeviceError> {
        let copy = Self::uninit(device, bytes.len())?;
        // SAFETY: there is room for as many bytes, allocated on the device's stream.
        unsafe { staging::send(device, &[Transfer { from: bytes, to: copy.address() }], threads) }?;
        Ok(copy)
    }

    /// The device in whose memory it is.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.memory.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.memory.len() == 0
    }

    /// The address, for somebody who keeps this alive for as long as it is used. All that was to be written is.
    ///
    /// # Errors
    /// When the device fails, in this or in earlier work.
    pub fn share(&self) -> Result<u64, DeviceError> {
        self.shared.store(true, Ordering::Relaxed);
        let _current = Current::keep();
        self.device.finish()?;
        Ok(self.address())
    }

    /// A copy in the machine's memory.
    ///
    /// # Errors
    /// When the device fails.
    pub fn to_vec(&self) -> Result<Vec<u8>, DeviceError> {
        // SAFETY: the memory is ours, and as long.
        unsafe { bytes_at(&self.device, self.address(), self.len()) }
    }

    pub(crate) fn address(&self) -> CUdeviceptr {
        self.memory.device_ptr(self.device.stream()).0
    }
}

/// A copy of bytes of a device's memory.
///
/// # Safety
/// The address is of so many bytes on this device.
pub(crate) unsafe fn bytes_at(
    device: &Device,
    address: CUdeviceptr,
    len: usize,
) -> Result<Vec<u8>, DeviceError> {
    let mut copy = vec![0; len];
    if len > 0 {
        let _current = Current::keep();
        device.check(device.context().bind_to_thread(), "copying from it")?;
        // SAFETY: both are as long, and the host's side is waited for below.
        let done = unsafe { result::memcpy_dtoh_async(&mut copy, address, device.stream().cu_stream()) };
        device.check(done, "copying from it")?;
        device.finish()?;
    }
    Ok(copy)
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        if *self.shared.get_mut() {
            let _current = Current::keep();
            // A device that has failed reads nothing any more.
            let _ = self.device.context().synchronize();
        }
    }
}

impl Device {
    /// The number of the device to whose memory an address belongs.
    ///
    /// # Errors
    /// When there is no device, or none that knows the address.
    pub fn of_address(address: u64) -> Result<usize, NoDevice> {
        Self::count()?;
        let mut ordinal = 0_i32;
        let attribute = sys::CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
        // SAFETY: the attribute is an integer of 32 bits; the driver looks the address up and follows it nowhere.
        let answer = unsafe { sys::cuPointerGetAttribute((&raw mut ordinal).cast(), attribute, address) };
        match (answer.result(), usize::try_from(ordinal)) {
            (Ok(()), Ok(ordinal)) => Ok(ordinal),
            _ => Err(NoDevice::because(format!("none has memory at the address {address:#x}"))),
        }
    }

    /// Waits for what was asked of a stream so far: 1 stands for the default stream, 2 for that of the calling thread,
    /// and anything else is a stream's handle, as in `__cuda_array_interface__`.
    ///
    /// # Errors
    /// When the device fails.
    ///
    /// # Safety
    /// The stream is one of this device, and there.
    pub unsafe fn wait_for_stream(&self, stream: u64) -> Result<(), DeviceError> {
        let _current = Current::keep();
        self.check(self.context().bind_to_thread(), "waiting for a stream")?;
        // SAFETY: the caller vouches for it. The driver's own names for the first two are the same numbers.
        self.check(
            unsafe { result::stream::synchronize(stream as usize as sys::CUstream) },
            "waiting for a stream",
        )
    }
}

/// Which device is the calling thread's, to be set again when this is dropped: a library that keeps a device for each
/// thread does not expect another to change it.
struct Current(Option<sys::CUcontext>);

impl Current {
    fn keep() -> Self {
        Self(result::ctx::get_current().ok().flatten())
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        if let Some(context) = self.0 {
            // SAFETY: it was the thread's context a moment ago, and whoever made it has not been called since.
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
