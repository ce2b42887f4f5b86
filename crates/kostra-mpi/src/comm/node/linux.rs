//! Memory of other processes, and CPU affinity, on Linux.
#![expect(
    unsafe_code,
    reason = "Linux system calls for the memory of processes and for CPU affinity"
)]

use std::process;

use bytemuck::Pod;
use bytemuck_derive::{Pod, Zeroable};

use super::Processors;

/// An array in the memory of a process.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct RemoteSlice {
    process: u64,
    address: u64,
}

impl RemoteSlice {
    /// The array `items` of this process. It must stay in place, unchanged, while other processes
    /// read it.
    pub(crate) fn new<T: Pod>(items: &[T]) -> Self {
        Self { process: process::id().into(), address: items.as_ptr() as u64 }
    }

    /// The id of the process whose memory holds the array.
    pub(crate) fn process(self) -> u64 {
        self.process
    }

    /// Copies bytes of the array, from byte `start` on, to `into`. Returns whether all of them
    /// exist and could be read. The system decides which process may read another one's memory.
    pub(crate) fn fetch(self, start: usize, into: &mut [u8]) -> bool {
        let mut done = 0;
        while done < into.len() {
            let rest = &mut into[done..];
            let here = libc::iovec { iov_base: rest.as_mut_ptr().cast(), iov_len: rest.len() };
            let address = self.address as usize + start + done;
            let there = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: rest.len() };
            // SAFETY: `rest` is borrowed exclusively and as long as stated. The system checks that
            // the memory it reads exists.
            match unsafe {
                libc::process_vm_readv(self.process as libc::pid_t, &here, 1, &there, 1, 0)
            } {
                ..=0 => return false,
                bytes => done += bytes as usize,
            }
        }
        true
    }
}

/// Permits another process to read this process's memory until this value is dropped. Needed where
/// the system otherwise permits only ancestors to do so (Linux's Yama). It has no effect where the
/// system permits no process.
pub(crate) struct ReadPermission(());

impl ReadPermission {
    /// Permits a process to read.
    pub(crate) fn grant(process: u64) -> Self {
        permit(process);
        Self(())
    }
}

impl Drop for ReadPermission {
    fn drop(&mut self) {
        permit(0);
    }
}

fn permit(process: u64) {
    // SAFETY: the call takes a number, and returns an error for an unknown option.
    unsafe { libc::prctl(libc::PR_SET_PTRACER, process as libc::c_ulong, 0, 0, 0) };
}

/// The processors that this thread may run on.
pub(crate) fn processors() -> Processors {
    let mut set = Processors::default();
    // SAFETY: `set` is as large as stated, and every bit pattern is a valid set.
    unsafe { libc::sched_getaffinity(0, size_of_val(&set), (&raw mut set).cast()) };
    set
}

/// Lets this thread and the threads that it starts run on other processors until this value is
/// dropped.
pub(crate) struct AffinityGuard {
    before: Processors,
}

impl AffinityGuard {
    /// Moves to the processors `wanted`, as far as the system permits.
    pub(crate) fn set(wanted: &Processors) -> Self {
        let before = processors();
        use_only(wanted);
        Self { before }
    }
}

impl Drop for AffinityGuard {
    fn drop(&mut self) {
        use_only(&self.before);
    }
}

fn use_only(set: &Processors) {
    // SAFETY: `set` is as large as stated.
    unsafe { libc::sched_setaffinity(0, size_of_val(set), (&raw const *set).cast()) };
}
