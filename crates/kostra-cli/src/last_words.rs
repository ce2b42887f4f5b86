//! What ends the process at once, with one line and the exit code of every error: memory that is
//! refused where nobody can return an error, and a mapped file that is cut short.
//!
//! Both come in the middle of anything, so only what is safe in a signal handler is called, and
//! nothing is allocated. Files that are being written have no name yet, so none is left behind.
#![allow(
    unsafe_code,
    reason = "an allocator, a signal handler, and the end of a process from within them"
)]

use std::alloc::{GlobalAlloc, Layout};
use std::io::{Cursor, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use kostra::LargePages;

use crate::failure::EXIT_CODE;

/// Memory in large pages, for the programs that bring the command:
///
/// ```
/// #[global_allocator]
/// static MEMORY: kostra_cli::Memory = kostra_cli::Memory;
/// # fn main() {}
/// ```
///
/// Once the command [runs](crate::run), memory that is refused ends the process in order, unless it
/// was asked for by [`kostra::memory`], which returns the refusal as an error.
#[derive(Clone, Copy, Debug)]
pub struct Memory;

/// Whether the process is the command's own, so that it may end it.
static IS_COMMAND: AtomicBool = AtomicBool::new(false);

// SAFETY: all is done by the system's allocator; a refusal is passed on, or the process ends.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the system's allocator asks for.
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

/// Makes the process one that may be ended.
pub(crate) fn watch() {
    IS_COMMAND.store(true, Ordering::Relaxed);
    #[cfg(unix)]
    watch_mapped_files();
}

/// Handles the signal that comes when a mapped file has become shorter.
#[cfg(unix)]
fn watch_mapped_files() {
    // SAFETY: an action of zeros is one with no flags and an empty mask, and the handler is a
    // function of the type that SA_SIGINFO asks for. It calls only what is safe in a handler.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_bus_error as *const () as libc::sighandler_t;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(libc::SIGBUS, &action, std::ptr::null_mut());
    }
}

#[cfg(unix)]
extern "C" fn on_bus_error(signal: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the system hands a handler with SA_SIGINFO what it knows of the signal, with an
    // address for this one.
    let address = unsafe { (*info).si_addr() } as usize;
    if kostra::io::is_in_mapped_file(address) {
        end(b"kostra: a .kst file became shorter while it was in use; run again when nobody writes to it\n");
    }
    // Of another cause: the instruction fails again when this returns, and the system ends the
    // process. SAFETY: the default action may be set from a handler.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}

/// Writes a line to standard error and ends the process.
#[cfg(unix)]
fn end(line: &[u8]) {
    static ENDING: AtomicBool = AtomicBool::new(false);
    if ENDING.swap(true, Ordering::Relaxed) {
        loop {
            // SAFETY: it waits, until the thread that came first has ended the process.
            unsafe { libc::pause() };
        }
    }
    // SAFETY: the bytes are there, and both calls are allowed in signal handlers. Whether the line
    // arrives changes nothing.
    unsafe {
        let _ = libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len());
        libc::_exit(EXIT_CODE.into());
    }
}

/// Elsewhere the refusal is passed on to Rust, which aborts.
#[cfg(not(unix))]
fn end(_line: &[u8]) {}
