//! A reason to stop that all ranks know.
#![expect(unsafe_code, reason = "finalizing MPI without the value that owns it")]

use std::io::Write;

use mpi::topology::SimpleCommunicator;
use mpi::traits::CommunicatorCollectives;
use thiserror::Error;

/// A reason to stop that every rank knows in the same words. One rank reports it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}{reason}", rank.map(|rank| format!("rank {rank}: ")).unwrap_or_default())]
pub struct Refusal {
    /// The rank that met the reason, or `None` if all ranks did.
    pub rank: Option<usize>,
    /// The reason, a sentence.
    pub reason: String,
    /// Whether this rank is the one that reports it.
    pub here: bool,
}

impl Refusal {
    /// A reason that `rank` met. `here`: whether this rank reports it.
    pub(crate) fn of_rank(rank: usize, reason: String, here: bool) -> Self {
        Self { rank: Some(rank), reason, here }
    }

    /// A reason that all ranks met. `here`: whether this rank reports it.
    pub(crate) fn everywhere(reason: String, here: bool) -> Self {
        Self { rank: None, reason, here }
    }

    /// Reports the reason on one rank, and ends every process with exit code 2. Collective. A rank
    /// does nothing after this.
    pub fn end(&self) -> ! {
        if self.here {
            let line = format!("error: {self}\n");
            let _ = std::io::stderr().write_all(line.as_bytes());
        }
        if mpi::environment::is_initialized() && !mpi::environment::is_finalized() {
            // The first process that ends with such a code ends the others too. The reason must be
            // reported by then.
            SimpleCommunicator::world().barrier();
            // SAFETY: this thread has started MPI and not finalized it. Nothing uses MPI
            // afterwards: the process ends below without running any destructor.
            unsafe { mpi::ffi::MPI_Finalize() };
        }
        std::process::exit(2)
    }
}
