//! Failures that end the process at once, with one line and the exit code of every error: refused
//! memory in code that cannot return an error, and a mapped file that became shorter.
//!
//! Both can happen at any point, so this module calls only functions that are safe in a signal
//! handler, and allocates nothing. Unfinished files have no name yet, so none is left behind.
#![allow(
    unsafe_code,
    reason = "an allocator, a signal handler, and the end of a process from within them"
)]

use std::alloc::{GlobalAlloc, Layout};
use std::io::{Cursor, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use kostra::LargePages;

use crate::failure::EXIT_CODE;

/// An allocator with large pages, for programs that contain the command:
///
/// ```
/// #[global_allocator]
/// static MEMORY: kostra_cli::Memory = kostra_cli::Memory;
/// # fn main() {}
/// ```
///
/// While the command [runs](crate::run), refused memory ends the process with one line. The
/// functions of [`kostra::memory`] return a refusal as an error instead.
#[derive(Clone, Copy, Debug)]
pub struct Memory;

/// Whether the process belongs to the command, which may end it.
static IS_COMMAND: AtomicBool = AtomicBool::new(false);

// SAFETY: `LargePages` does the work. A refusal is returned unchanged, or the process ends.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that `LargePages` requires.
        granted(unsafe { LargePages.alloc(layout) }, layout.size())
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        granted(unsafe { LargePages.alloc_zeroed(layout) }, layout.size())
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        granted(unsafe { LargePages.realloc(memory, layout, size) }, size)
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { LargePages.dealloc(memory, layout) }
    }
}

#[inline]
fn granted(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        refused(bytes);
    }
    memory
}

#[cold]
fn refused(bytes: usize) {
    if IS_COMMAND.load(Ordering::Relaxed) && !kostra::memory::is_asking() {
        let mut line = [0; 128];
        let mut cursor = Cursor::new(&mut line[..]);
        let _ = writeln!(cursor, "kostra: the system does not grant {bytes} bytes of memory");
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
    if kostra::io::is_in_mapped_file(address) {
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
