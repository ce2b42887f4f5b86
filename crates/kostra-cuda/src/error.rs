//! What can go wrong before a device is there, and on it.

use cudarc::driver::DriverError;
use kostra_core::{OutOfMemory, SolveError};
use thiserror::Error;

/// There is no device to work on.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[error("no CUDA device: {reason}")]
pub struct NoDevice {
    pub(crate) reason: String,
}

impl NoDevice {
    pub(crate) fn because(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }

    /// Why there is none: half a sentence.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl From<NoDevice> for SolveError {
    fn from(error: NoDevice) -> Self {
        Self::NoDevice { device: "CUDA device", reason: error.reason }
    }
}

/// A device that was there has failed, or has no use for what it was given.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum DeviceError {
    /// The driver refused a call, or an earlier call has failed in the meantime.
    #[error("the CUDA device failed while {doing}: {cause}")]
    Driver {
        /// What was being done.
        doing: &'static str,
        /// The driver's words.
        cause: String,
    },
    /// An array finds no room in the device's memory.
    #[error("{bytes} bytes of the CUDA device's memory are needed, of which {free} are free")]
    OutOfMemory {
        /// How many bytes were asked for.
        bytes: usize,
        /// How many were free, perhaps not in one piece.
        free: usize,
    },
    /// The array of the answer finds no room in the machine's memory.
    #[error(transparent)]
    Host(#[from] OutOfMemory),
    /// The kernels are neither compiled in nor can be compiled here.
    #[error(
        "the CUDA kernels were not compiled when Kostra was built, and cannot be compiled now: {reason}; install \
         NVRTC, for instance by `pip install nvidia-cuda-nvrtc`, or build Kostra where nvcc is found"
    )]
    NoCompiler {
        /// Why they cannot be.
        reason: String,
    },
    /// A kernel was not accepted by the compiler.
    #[error("the CUDA compiler does not accept kernels/{name}.cu: {log}")]
    Compile {
        /// The name of the file.
        name: &'static str,
        /// What the compiler says.
        log: String,
    },
    /// The graph's rows have more entries than the device's 32-bit offsets can name.
    #[error("{entries} entries in the rows are more than the {limit} that a CUDA solver takes", limit = u32::MAX - 1)]
    TooManyEntries {
        /// How many there are.
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

/// Says what was being done when the driver refused it.
pub(crate) trait Doing<T> {
    /// `doing` completes the sentence "the CUDA device failed while ...".
    fn doing(self, doing: &'static str) -> Result<T, DeviceError>;
}

impl<T> Doing<T> for Result<T, DriverError> {
    fn doing(self, doing: &'static str) -> Result<T, DeviceError> {
        self.map_err(|error| DeviceError::Driver { doing, cause: words(error) })
    }
}

/// The driver's name for an error, and its explanation.
pub(crate) fn words(error: DriverError) -> String {
    let text = |text: Result<&std::ffi::CStr, _>| text.ok().map(|text| text.to_string_lossy().into_owned());
    match (text(error.error_name()), text(error.error_string())) {
        (Some(name), Some(explanation)) => format!("{explanation} ({name})"),
        _ => format!("error {}", error.0 as u32),
    }
}
