//! Failures that end the process at once, with one line and the exit code of every error: refused
//! memory in code that cannot return an error, and a mapped file that became shorter.
//!
//! Both can happen at any point, so this module calls only functions that are safe in a signal
//! handler, and allocates nothing. Unfinished files have no name yet, so none is left behind.
//!
//! A rank of an MPI job uses the allocator of `kostra-mpi` instead, which waits for Rust's abort:
//! only outside of the allocator can a rank end the other ranks.
#![allow(unsafe_code, reason = "a signal handler, and the end of a process from within it")]

use std::io::{Cursor, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use kostra_core::ReportingAllocator;

use crate::failure::EXIT_CODE;

/// The allocator of programs that contain the command:
///
/// ```
/// #[global_allocator]
/// static MEMORY: kostra_core::ReportingAllocator = kostra_cli::ALLOCATOR;
/// # fn main() {}
/// ```
///
/// While the command [runs](crate::run), refused memory ends the process with one line. The
/// functions of [`kostra_core::memory`] return a refusal as an error instead.
pub const ALLOCATOR: ReportingAllocator = ReportingAllocator::new(on_refusal);

/// Whether the process belongs to the command, which may end it.
static IS_COMMAND: AtomicBool = AtomicBool::new(false);

#[cold]
fn on_refusal(bytes: usize) {
    if IS_COMMAND.load(Ordering::Relaxed) && !kostra_core::memory::is_asking() {
        let mut line = [0; 256];
        let mut cursor = Cursor::new(&mut line[..]);
        let _ = writeln!(
            cursor,
            "kostra: the system does not grant {bytes} bytes of memory; use a machine with more \
             memory, or a higher limit if `--memory` or `ulimit -v` sets one"
        );
        let written = cursor.position() as usize;
        end(line.get(..written).unwrap_or_default());
    }
}

/// Declares that the process belongs to the command.
pub(crate) fn watch() {
    IS_COMMAND.store(true, Ordering::Relaxed);
    #[cfg(unix)]
    watch_mapped_files();
}

/// Handles the signal that the system sends when a mapped file has become shorter.
#[cfg(unix)]
fn watch_mapped_files() {
    // SAFETY: an action of zeros has no flags and an empty mask, and the handler has the type that
    // SA_SIGINFO requires. It calls only functions that are safe in a handler.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_bus_error as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut());
    }
}

#[cfg(unix)]
extern "C" fn on_bus_error(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: with SA_SIGINFO, the system passes a valid `info`, which has an address for SIGBUS.
    let address = unsafe { (*info).si_addr() } as usize;
    if kostra_io::is_in_mapped_file(address) {
        end(
            b"kostra: a .kst file became shorter while it was in use; run again when nobody writes \
              to it\n",
        );
    }
    // Another cause: the instruction fails again after the handler returns, and the system ends the
    // process. SAFETY: a handler may set the default action.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}

/// Writes a line to standard error and ends the process.
#[cfg(unix)]
fn end(line: &[u8]) {
    static ENDING: AtomicBool = AtomicBool::new(false);
    if ENDING.swap(true, Ordering::Relaxed) {
        loop {
            // SAFETY: the call waits until the first thread has ended the process.
            unsafe { libc::pause() };
        }
    }
    // SAFETY: `line` is valid for its length, and signal handlers may make both calls. A failed
    // write changes nothing.
    unsafe {
        let _ = libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len());
        libc::_exit(EXIT_CODE.into());
    }
}

/// On other systems the refusal reaches Rust, which aborts.
#[cfg(not(unix))]
fn end(_line: &[u8]) {}
