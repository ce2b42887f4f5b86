//! Ending the job from one rank.

use std::io::Write;
use std::sync::OnceLock;
use std::time::Duration;

use mpi::topology::{Communicator as _, SimpleCommunicator};

/// The exit code of a job that one rank ends, as of every command that cannot do its work. Exit
/// code 1 means that the answer is no.
pub(super) const EXIT_FAILED: i32 = 2;
/// The time that MPICH's launcher needs to pass on the last line. It drops what it has not passed
/// on when a job is aborted.
const LAUNCHER_DELAY: Duration = Duration::from_millis(200);

/// This rank and the number of ranks, for code that has no communicator.
static THIS_RANK: OnceLock<(usize, usize)> = OnceLock::new();
/// The function that this rank calls before it ends the job.
static CLEAN_UP: OnceLock<fn()> = OnceLock::new();

/// Sets the function that is called when this rank ends the job early, for example to remove
/// unfinished files. It may be called on any thread and must not panic. Only the first call in a
/// process has an effect.
pub fn before_ending(clean_up: fn()) {
    let _ = CLEAN_UP.set(clean_up);
}

/// Reports `reason` in one line and ends all ranks.
///
/// MPI allows this to threads other than its own only at the highest thread level. But a rank may
/// wait for the thread that panics, so there is no alternative.
pub(super) fn end_job(reason: &str, code: i32) -> ! {
    let (rank, size) = this_rank();
    let reason = reason.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    end_job_with(format!("error: rank {rank} of {size}: {reason}\n").as_bytes(), code)
}

/// Writes `line` to stderr and ends all ranks.
pub(super) fn end_job_with(line: &[u8], code: i32) -> ! {
    let _ = std::io::stderr().write_all(line); // in one piece, so that lines of ranks do not mix
    if let Some(clean_up) = CLEAN_UP.get() {
        clean_up();
    }
    std::thread::sleep(LAUNCHER_DELAY);
    SimpleCommunicator::world().abort(code)
}

/// This rank and the number of ranks; zeros before MPI is started.
pub(super) fn this_rank() -> (usize, usize) {
    THIS_RANK.get().copied().unwrap_or_default()
}

pub(super) fn set_this_rank(rank: usize, size: usize) {
    let _ = THIS_RANK.set((rank, size));
}
