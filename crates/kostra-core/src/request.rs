//! What is wrong with a request for a forest, whatever the graph.

use thiserror::Error;

use crate::SolverOption;

/// The reason why an option cannot be set.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum OptionError {
    /// The solver has no option of that name.
    #[error("{solver} has no option '{name}'; {known}")]
    Unknown {
        /// The solver's id.
        solver: &'static str,
        /// The name.
        name: String,
        /// The solver's options, as a sentence.
        known: String,
    },
    /// The value is out of range.
    #[error("{name} must be from {lowest} to {highest}, not {value}", name = option.name, lowest = option.lowest, highest = option.highest)]
    OutOfRange {
        /// The option.
        option: SolverOption,
        /// The value.
        value: u64,
    },
}

/// The reason why a request for a forest contradicts itself.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum RequestError {
    /// The solver needs a CUDA device, and the request names the processor.
    #[error("{solver} runs on CUDA devices only, not on the processor")]
    DeviceOnly {
        /// The solver's id.
        solver: &'static str,
    },
    /// The solver runs on the processor, and the request names a CUDA device.
    #[error("{solver} runs on the processor only, not on a CUDA device")]
    ProcessorOnly {
        /// The solver's id.
        solver: &'static str,
    },
    /// The solver runs on one device, and the request names several.
    #[error("{solver} runs on one device, and {devices} are named; name one, or take cuda-multi")]
    OneDevice {
        /// The solver's id.
        solver: &'static str,
        /// The number of devices that the request names.
        devices: usize,
    },
    /// The request names a CUDA device, and this build has no solver for one.
    #[error("this build has no algorithm for CUDA devices")]
    NoDeviceSolver,
    /// There are more threads than on any machine.
    #[error("{threads} threads are too many; use at most {most}")]
    TooManyThreads {
        /// The requested threads.
        threads: usize,
        /// The most threads.
        most: usize,
    },
    /// The solver does not have the option, or the value is out of range.
    #[error(transparent)]
    Option(#[from] OptionError),
}
