//! Why a job does not go on, where all ranks know it.
#![expect(unsafe_code, reason = "ending MPI without its owner at hand")]

use std::io::Write;

use mpi::topology::SimpleCommunicator;
use mpi::traits::CommunicatorCollectives;
use thiserror::Error;

/// A reason not to go on that every rank has, in the same words; one of them is to say it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}{reason}", rank.map(|rank| format!("rank {rank}: ")).unwrap_or_default())]
pub struct Refusal {
    /// The rank that has met it, or none where all have.
    pub rank: Option<usize>,
    /// A sentence.
    pub reason: String,
    /// Whether this rank is the one to say it.
    pub here: bool,
}

impl Refusal {
    /// What this rank has met, or another.
    pub(crate) fn of_rank(rank: usize, reason: String, here: bool) -> Self {
        Self { rank: Some(rank), reason, here }
    }

    /// What all ranks have met.
    pub(crate) fn everywhere(reason: String, here: bool) -> Self {
        Self { rank: None, reason, here }
    }

    /// Says it, on one rank, and ends every process with exit code 2. Collective, and the last
    /// thing that a rank does.
    pub fn end(&self) -> ! {
        if self.here {
            let line = format!("error: {self}\n");
            let _ = std::io::stderr().write_all(line.as_bytes());
        }
        if mpi::environment::is_initialized() && !mpi::environment::is_finalized() {
            // Whoever is first to end with such a code takes the others along, so it has to be said
            // by then.
            SimpleCommunicator::world().barrier();
            // SAFETY: MPI has been started and not ended, by this thread, and nothing uses it any
            // more: the process ends below, without running any destructor.
            unsafe { mpi::ffi::MPI_Finalize() };
        }
        std::process::exit(2)
    }
}
