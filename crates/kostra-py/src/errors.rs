//! The Python exceptions of errors that several modules report.

use std::io;

use kostra_core::{OutOfMemory, PartsError, RequestError, SolveError};
use pyo3::exceptions::{PyMemoryError, PyOSError, PyValueError};
use pyo3::prelude::*;

/// The exception for memory that the system refuses.
pub(crate) fn out_of_memory(refusal: OutOfMemory) -> PyErr {
    PyMemoryError::new_err(refusal.to_string())
}

/// The exception for an error `cause` of the system with a file, which `error` tells in full. If
/// there is an error number, Python chooses the subclass of `OSError`.
pub(crate) fn os_error(cause: &io::Error, file: &str, error: &impl ToString) -> PyErr {
    let message = cause.to_string();
    match (cause.raw_os_error(), message.split_once(" (os error")) {
        (Some(number), Some((message, _))) => {
            PyOSError::new_err((number, message.to_owned(), file.to_owned()))
        }
        _ => PyOSError::new_err(error.to_string()),
    }
}

/// The exception for arguments that contradict each other.
pub(crate) fn request_error(error: RequestError, device: &str) -> PyErr {
    PyValueError::new_err(match error {
        RequestError::DeviceOnly { solver } => {
            format!("{solver} runs on CUDA devices only, not on device='{device}'")
        }
        RequestError::ProcessorOnly { solver } => {
            format!("{solver} runs on the processor only, not on device='{device}'")
        }
        RequestError::OneDevice { solver, devices } => format!(
            "{solver} runs on one device, and {devices} are named; name one, or pass \
             algorithm='cuda-multi'"
        ),
        error => error.to_string(),
    })
}

/// The exception for an error of a solver.
pub(crate) fn solve_error(py: Python<'_>, error: SolveError) -> PyErr {
    match error {
        SolveError::OutOfMemory { .. } | SolveError::DeviceMemory { .. } => {
            PyMemoryError::new_err(error.to_string())
        }
        SolveError::NoDevice { .. } | SolveError::Device { .. } => {
            device_error(py, &error.to_string())
        }
        SolveError::Parts(PartsError::NotUsed { solver }) => PyValueError::new_err(format!(
            "{solver} does not use parts; omit parts, or pass algorithm='prim-union' or another \
             algorithm that does"
        )),
        error => PyValueError::new_err(error.to_string()),
    }
}

/// The exception `kostra.DeviceError`.
pub(crate) fn device_error(py: Python<'_>, message: &str) -> PyErr {
    let error = py
        .import("kostra._device")
        .and_then(|module| module.getattr("DeviceError")?.call1((message,)));
    error.map_or_else(|error| error, PyErr::from_value)
}
