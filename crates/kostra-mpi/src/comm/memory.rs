//! Memory that is not granted: which rank wanted how much, and for what.
//!
//! A rank that is refused memory in the middle of something cannot go on, and Rust then ends the
//! process by a signal, which says neither. A program whose memory comes from [`Memory`] says both,
//! in one line, and ends the job.
#![expect(
    unsafe_code,
    reason = "an allocator, and what a process does that is being ended by a signal"
)]

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::io::{Cursor, Write};
use std::sync::Mutex;

use kostra_core::LargePages;

use crate::communicator::{FAILED, end_job_with, this_rank};

/// Memory in large pages, for programs that run on ranks:
///
/// ```
/// #[global_allocator]
/// static MEMORY: kostra_mpi::Memory = kostra_mpi::Memory;
/// # fn main() {}
/// ```
///
/// It costs nothing until memory is refused. Who asks in a way that can be refused gets the refusal
/// as an answer.
#[derive(Clone, Copy, Debug)]
pub struct Memory;

/// What to do.
pub(crate) const ADVICE: &str = "use more ranks, or fewer on each machine";

thread_local! {
    /// How many bytes this thread was refused last.
    static REFUSED: Cell<usize> = const { Cell::new(0) };
}

/// What this rank is doing.
static DOING: Mutex<&'static str> = Mutex::new(ELSE);
/// What is no phase of a solver.
const ELSE: &str = "to read, deal out or write";

// SAFETY: all is done by the system's allocator; a number is kept beside it, in a cell that needs
// no memory.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        noted(unsafe { LargePages.alloc(layout) }, layout.size())
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        noted(unsafe { LargePages.alloc_zeroed(layout) }, layout.size())
    }
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        noted(unsafe { LargePages.realloc(memory, layout, size) }, size)
    }
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { LargePages.dealloc(memory, layout) }
    }
}

#[inline]
fn noted(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        let _ = REFUSED.try_with(|refused| refused.set(bytes));
    }
    memory
}

/// Says from now on what the rank is doing; returns what it did before.
pub(crate) fn doing(what: &'static str) -> &'static str {
    DOING.lock().map_or(ELSE, |mut doing| std::mem::replace(&mut doing, what))
}

/// That so many bytes are not granted, what for, and what to do.
pub(crate) fn refusal(bytes: usize) -> String {
    let mut text = Vec::new();
    let _ = write_refusal(&mut text, bytes);
    String::from_utf8_lossy(&text).into_owned()
}

fn write_refusal(to: &mut impl Write, bytes: usize) -> std::io::Result<()> {
    let doing = DOING.try_lock().map_or(ELSE, |doing| *doing);
    write!(to, "{bytes} bytes of memory ")?;
    match doing {
        ELSE => write!(to, "{ELSE}")?,
        phase => write!(to, "for the solver's phase '{phase}'")?,
    }
    write!(to, " are not granted; {ADVICE}")
}

/// From here on, an end for want of memory is one of the job, with a reason.
pub(crate) fn watch() {
    // SAFETY: what is called on the signal is a function of this program, of the type that is asked
    // for.
    unsafe { libc::signal(libc::SIGABRT, on_abort as *const () as libc::sighandler_t) };
}

/// The process is about to abort: if this thread has been refused memory, that is why.
extern "C" fn on_abort(_: libc::c_int) {
    let bytes = REFUSED.try_with(Cell::take).unwrap_or_default();
    if bytes == 0 {
        return; // `abort` then ends the process as ever
    }
    // The thread that aborts has come here from Rust's own code, not out of the middle of the
    // allocator's. Of memory it takes none, as far as it is up to us.
    let mut line = [0; 300];
    let mut cursor = Cursor::new(&mut line[..]);
    let (rank, size) = this_rank();
    let _ = write!(cursor, "error: rank {rank} of {size}: ")
        .and_then(|()| write_refusal(&mut cursor, bytes))
        .and_then(|()| cursor.write_all(b"\n"));
    let written = cursor.position() as usize;
    end_job_with(&line[..written], FAILED)
}
