//! Messages from and to memory that a device has, or that is page-locked for it.
#![expect(unsafe_code, reason = "MPI gets addresses of device memory, and one function by name")]

use std::ffi::{CStr, c_int, c_void};

use mpi::ffi;
use mpi::raw::AsRaw;
use mpi::traits::Equivalence;

use super::communicator::Communicator;
use super::messages::MESSAGE;
use super::traffic::Traffic;

/// Whether this MPI takes addresses of CUDA's device memory. Open MPI and MPICH have a function
/// that says so. It is looked up by name, because other libraries lack it.
pub(crate) fn takes_device_pointers() -> bool {
    says_yes(c"MPIX_Query_cuda_support")
}

/// Whether there is a function of this name, which takes no argument, and returns 1.
fn says_yes(name: &CStr) -> bool {
    // SAFETY: the name ends with a zero byte.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    if found.is_null() {
        return false;
    }
    // SAFETY: the function has this signature.
    let query = unsafe { std::mem::transmute::<*mut c_void, extern "C" fn() -> c_int>(found) };
    query() == 1
}

impl Communicator {
    /// Sends `bytes` bytes at an address to another rank, which must
    /// [receive](Self::receive_at) as many. This may wait until it does.
    ///
    /// # Safety
    /// The bytes are in host memory, or in device memory that MPI [takes](takes_device_pointers).
    /// There are at most 2^30.
    pub(crate) unsafe fn send_at(&self, to: usize, address: *const c_void, bytes: usize) {
        self.counted(self.sent_to(to, bytes), || {
            let kind = u8::equivalent_datatype();
            let ranks = self.ranks.as_raw();
            // SAFETY: the caller guarantees the bytes. An error ends the job.
            unsafe {
                ffi::MPI_Send(address, bytes as c_int, kind.as_raw(), to as c_int, MESSAGE, ranks)
            };
        });
    }

    /// Receives what another rank has [sent](Self::send_at).
    ///
    /// # Safety
    /// As for [`send_at`](Self::send_at).
    pub(crate) unsafe fn receive_at(&self, from: usize, address: *mut c_void, bytes: usize) {
        self.counted(Traffic::default(), || {
            let kind = u8::equivalent_datatype();
            let ranks = self.ranks.as_raw();
            let mut status = std::mem::MaybeUninit::uninit();
            // SAFETY: the caller guarantees the room. An error ends the job.
            unsafe {
                ffi::MPI_Recv(
                    address,
                    bytes as c_int,
                    kind.as_raw(),
                    from as c_int,
                    MESSAGE,
                    ranks,
                    status.as_mut_ptr(),
                )
            };
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_without_the_function_takes_no_device_pointers() {
        assert!(!says_yes(c"kostra_test_says_nothing"));
    }
}
