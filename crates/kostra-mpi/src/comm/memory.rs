//! Errors for memory that is not granted, with the rank, the number of bytes, and the phase.
//!
//! A rank that is refused memory in the middle of a step cannot continue. Rust then ends the
//! process by a signal, without a reason. A program whose global allocator is [`ALLOCATOR`] reports
//! the reason in one line and ends the job.
//!
//! The command without ranks ends the process inside the allocator. A rank cannot: ending the job
//! calls MPI, which may allocate. So the allocator only records the size, and the handler of the
//! abort that follows ends the job. An allocation that can fail causes no abort.
#![expect(unsafe_code, reason = "a signal handler")]

use std::cell::Cell;
use std::io::{Cursor, Write};
use std::sync::Mutex;

use kostra_core::ReportingAllocator;

use super::ending::{EXIT_FAILED, end_job_with, this_rank};

/// The allocator of programs that run on ranks. It requests large pages:
///
/// ```
/// #[global_allocator]
/// static MEMORY: kostra_core::ReportingAllocator = kostra_mpi::ALLOCATOR;
/// # fn main() {}
/// ```
///
/// An allocation that can fail returns its error as usual.
pub const ALLOCATOR: ReportingAllocator = ReportingAllocator::new(note_refusal);

/// The advice in an error for memory that is not granted.
pub(crate) const OUT_OF_MEMORY_ADVICE: &str = "use more ranks, or fewer on each machine";

thread_local! {
    /// The size of the last allocation that this thread was refused, in bytes.
    static REFUSED: Cell<usize> = const { Cell::new(0) };
}

/// The phase of the solver that this rank runs, or [`NO_PHASE`].
static CURRENT_PHASE: Mutex<&'static str> = Mutex::new(NO_PHASE);
/// What a rank uses memory for outside of a solver.
const NO_PHASE: &str = "to read, distribute or write";

fn note_refusal(bytes: usize) {
    let _ = REFUSED.try_with(|refused| refused.set(bytes));
}

/// Sets the phase that errors name; returns the phase before it.
pub(super) fn set_current_phase(phase: &'static str) -> &'static str {
    CURRENT_PHASE.lock().map_or(NO_PHASE, |mut current| std::mem::replace(&mut current, phase))
}

/// The error for `bytes` that are not granted, with the phase and an advice.
pub(super) fn refusal(bytes: usize) -> String {
    let mut text = Vec::new();
    let _ = write_refusal(&mut text, bytes);
    String::from_utf8_lossy(&text).into_owned()
}

fn write_refusal(to: &mut impl Write, bytes: usize) -> std::io::Result<()> {
    let phase = CURRENT_PHASE.try_lock().map_or(NO_PHASE, |phase| *phase);
    write!(to, "{bytes} bytes of memory ")?;
    match phase {
        NO_PHASE => write!(to, "{NO_PHASE}")?,
        phase => write!(to, "for the solver's phase '{phase}'")?,
    }
    write!(to, " are not granted; {OUT_OF_MEMORY_ADVICE}")
}

/// From here on, an abort because of refused memory reports the reason and ends the job.
pub(super) fn report_aborts() {
    // SAFETY: the handler is a function of this program with the required type.
    unsafe { libc::signal(libc::SIGABRT, on_abort as *const () as libc::sighandler_t) };
}

/// Handles `SIGABRT`. If this thread has been refused memory, that is the reason of the abort.
extern "C" fn on_abort(_: libc::c_int) {
    let bytes = REFUSED.try_with(Cell::take).unwrap_or_default();
    if bytes == 0 {
        return; // `abort` then ends the process as usual
    }
    // The thread that aborts comes from Rust's own code, not from inside the allocator. The code
    // here allocates nothing.
    let mut line = [0; 300];
    let mut cursor = Cursor::new(&mut line[..]);
    let (rank, size) = this_rank();
    let _ = write!(cursor, "error: rank {rank} of {size}: ")
        .and_then(|()| write_refusal(&mut cursor, bytes))
        .and_then(|()| cursor.write_all(b"\n"));
    let written = cursor.position() as usize;
    end_job_with(&line[..written], EXIT_FAILED)
}
