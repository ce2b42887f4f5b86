//! Access of one device to the memory of another.

#![allow(unsafe_code, reason = "the driver is called where cudarc has no safe function")]

use cudarc::driver::sys;
use kostra_parallel::lock;

use super::Device;

impl Device {
    /// Whether copies on the stream of `reader` read this device's memory directly. If not, they
    /// must go through host memory. The first call for a reader grants it the access, where the
    /// machine permits it.
    pub(crate) fn lets_read(&self, reader: &Self) -> bool {
        if self.ordinal == reader.ordinal {
            return true;
        }
        let mut readers = lock(&self.readers);
        if let Some((_, granted)) = readers.iter().find(|(ordinal, _)| *ordinal == reader.ordinal) {
            return *granted;
        }
        let granted = self.grant(reader);
        readers.push((reader.ordinal, granted));
        granted
    }

    /// Gives `reader` access to the memory that this process allocates on this device.
    fn grant(&self, reader: &Self) -> bool {
        // Access is granted to a memory pool. Without pools, copies go through host memory.
        if !self.context.has_async_alloc() {
            return false;
        }
        let mut can = 0;
        let (own, other) = (self.context.cu_device(), reader.context.cu_device());
        // SAFETY: the pointer is to a local integer, and both devices are open.
        let asked = unsafe { sys::cuDeviceCanAccessPeer(&raw mut can, other, own) }.result();
        let (Ok(()), 1.., Ok(pool)) = (asked, can, self.pool()) else { return false };
        let access = sys::CUmemAccessDesc {
            location: sys::CUmemLocation {
                type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
                id: reader.ordinal as i32,
            },
            flags: sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
        };
        // SAFETY: the pool is this device's, and the pointer is to one local description.
        unsafe { sys::cuMemPoolSetAccess(pool, &raw const access, 1) }.result().is_ok()
    }
}
