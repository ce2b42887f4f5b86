//! Errors: no usable device, and failures on a device.

use cudarc::driver::DriverError;
use kostra_core::{OutOfMemory, SolveError};
use thiserror::Error;

/// There is no usable device.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[error("no CUDA device: {reason}")]
pub struct NoDevice {
    pub(crate) reason: String,
}

impl NoDevice {
    pub(crate) fn because(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }

    /// Why there is none, as a clause without a full stop.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl From<NoDevice> for SolveError {
    fn from(error: NoDevice) -> Self {
        Self::NoDevice { device: "CUDA device", reason: error.reason }
    }
}

/// A solve on an opened device failed: on the device, for lack of memory, or because the graph or
/// kernels do not fit.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceError {
    /// A call to the driver failed, or work that was started earlier failed on the device.
    #[error("the CUDA device failed while {doing}: {cause}")]
    Driver {
        /// The operation, completing "while ...".
        doing: &'static str,
        /// The driver's explanation and name of the error.
        cause: String,
    },
    /// An array does not fit in the device's memory.
    #[error("{bytes} bytes of the CUDA device's memory are needed, but only {free} are free")]
    OutOfMemory {
        /// The number of bytes requested.
        bytes: usize,
        /// The number of free bytes, which may not be contiguous.
        free: usize,
    },
    /// The result does not fit in host memory.
    #[error(transparent)]
    Host(#[from] OutOfMemory),
    /// The kernels were not compiled when Kostra was built, and cannot be compiled on this machine.
    #[error(
        "the CUDA kernels were not compiled when Kostra was built, and cannot be compiled now: {reason}; install \
         NVRTC, for instance by `pip install nvidia-cuda-nvrtc`, or build Kostra where nvcc is found"
    )]
    NoCompiler {
        /// Why they cannot be compiled here.
        reason: String,
    },
    /// NVRTC did not compile a file of kernels.
    #[error("the CUDA compiler does not accept kernels/{name}.cu: {log}")]
    Compile {
        /// The name of the file, without `.cu`.
        name: &'static str,
        /// The compiler's log, or its error code.
        log: String,
    },
    /// The graph's rows have more entries than the solver can index with 32 bits. For
    /// `cuda-fast-rows` the limit is lower than the one that the message names.
    #[error("{entries} entries in the rows are more than the {limit} that a CUDA solver takes", limit = u32::MAX - 1)]
    TooManyEntries {
        /// The number of entries.
        entries: u64,
    },
}

impl From<DeviceError> for SolveError {
    fn from(error: DeviceError) -> Self {
        match error {
            DeviceError::OutOfMemory { bytes, free } => Self::DeviceMemory { bytes, free },
            DeviceError::Host(refusal) => refusal.into(),
            error => Self::Device { what: error.to_string() },
        }
    }
}

/// Adds the operation to a driver's error.
pub(crate) trait Doing<T> {
    /// `doing` completes the sentence "the CUDA device failed while ...".
    fn doing(self, doing: &'static str) -> Result<T, DeviceError>;
}

impl<T> Doing<T> for Result<T, DriverError> {
    fn doing(self, doing: &'static str) -> Result<T, DeviceError> {
        self.map_err(|error| DeviceError::Driver { doing, cause: words(error) })
    }
}

/// The driver's explanation of an error, and its name.
pub(crate) fn words(error: DriverError) -> String {
    let text = |text: Result<&std::ffi::CStr, _>| {
        text.ok().map(|text| text.to_string_lossy().into_owned())
    };
    match (text(error.error_name()), text(error.error_string())) {
        (Some(name), Some(explanation)) => format!("{explanation} ({name})"),
        _ => format!("error {}", error.0 as u32),
    }
}
