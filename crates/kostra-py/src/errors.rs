//! The Python exceptions of errors that several modules report.

use kostra_core::{OutOfMemory, SolveError};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;

/// The exception for memory that the system refuses.
pub(crate) fn out_of_memory(refusal: OutOfMemory) -> PyErr {
    PyMemoryError::new_err(refusal.to_string())
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
