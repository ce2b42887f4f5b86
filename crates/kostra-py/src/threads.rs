//! The number of threads of the functions that take one.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The number of threads to use: `threads`, or by default that of the environment.
pub(crate) fn threads_or_default(threads: Option<usize>) -> usize {
    threads.unwrap_or_else(kostra_core::default_threads)
}

/// The number of threads of a call that does not name one.
#[pyfunction]
pub(crate) fn default_threads() -> PyResult<usize> {
    kostra_core::check_threads().map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(kostra_core::default_threads())
}
