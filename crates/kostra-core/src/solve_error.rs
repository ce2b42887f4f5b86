//! The reason why a solver returned no forest.

use thiserror::Error;

use crate::{OutOfMemory, PartsError, RequestError};

/// The reason why a solver returned no forest.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SolveError {
    /// The observer cancelled the run.
    #[error("cancelled")]
    Cancelled,
    /// The solver's cost on this graph would be out of proportion.
    #[error("{solver} would take {cost} on this graph; {advice}")]
    Unsuitable {
        /// The solver's id.
        solver: &'static str,
        /// The cost, such as `"10^12 steps"`.
        cost: String,
        /// The advice: a better solver.
        advice: &'static str,
    },
    /// The system refuses the memory that the solver needs.
    #[error(
        "{solver} needs {bytes} bytes of memory for this graph, which the system does not grant"
    )]
    OutOfMemory {
        /// The solver's id.
        solver: &'static str,
        /// The requested bytes: all memory beyond the graph and the answer, or the size of one
        /// array.
        bytes: usize,
    },
    /// The device has too little free memory. The solve was not started, unless another process
    /// allocated memory in the meantime.
    #[error("this graph needs {bytes} bytes of the device's memory, and {free} bytes are free")]
    DeviceMemory {
        /// The requested bytes for the graph, the solver and the answer.
        bytes: usize,
        /// The free bytes.
        free: usize,
    },
    /// The solver needs a device that this machine does not have or cannot use.
    #[error("no {device}: {reason}")]
    NoDevice {
        /// The kind of device, such as `"CUDA device"`.
        device: &'static str,
        /// The reason.
        reason: String,
    },
    /// The solver, the device, the threads or the options do not fit together.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The partition of the run cannot be used.
    #[error(transparent)]
    Parts(#[from] PartsError),
    /// The device failed during the solve. Solvers on the CPU still work.
    #[error("{what}")]
    Device {
        /// The failure.
        what: String,
    },
}

/// The solver's id in an [`OutOfMemory`] error before [`Solver::solve`](crate::Solver::solve) sets it.
const SOME_SOLVER: &str = "the solver";

impl From<OutOfMemory> for SolveError {
    /// The error of a solver whose id [`Solver::solve`](crate::Solver::solve) adds.
    fn from(OutOfMemory { bytes }: OutOfMemory) -> Self {
        Self::OutOfMemory { solver: SOME_SOLVER, bytes }
    }
}

impl SolveError {
    /// Adds the solver's id to a memory error that has none.
    pub fn with_solver(self, solver: &'static str) -> Self {
        match self {
            Self::OutOfMemory { solver: SOME_SOLVER, bytes } => Self::OutOfMemory { solver, bytes },
            error => error,
        }
    }
}
