//! Reads an exported table: all rows at once, or batches of rows from a stream.

use std::ffi::c_int;
use std::ptr;

use pyo3::exceptions::{PyMemoryError, PyOSError, PyValueError};
use pyo3::prelude::*;

use super::{ArrowArray, Exported, Owned, Schema, Stream, malformed, text};

/// A reader of a table.
pub(crate) struct TableReader {
    schema: Owned<Schema>,
    source: Source,
}

enum Source {
    /// All rows at once; `None` after they are read.
    Whole(Option<Owned<ArrowArray>>),
    Parts(Owned<Stream>),
}

impl TableReader {
    /// Takes the capsules that `__arrow_c_stream__` or `__arrow_c_array__` returned.
    pub(crate) fn from_export(exported: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok((schema, array)) = exported.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() {
            let (schema, array) = (Owned::from_capsule(&schema)?, Owned::from_capsule(&array)?);
            return Ok(Self { schema, source: Source::Whole(Some(array)) });
        }
        let mut stream = Owned::<Stream>::from_capsule(exported)?;
        let schema = stream.fill(exported.py(), stream.0.get_schema)?;
        if schema.0.release.is_none() {
            return Err(malformed("the table has no schema"));
        }
        Ok(Self { schema, source: Source::Parts(stream) })
    }

    pub(crate) fn schema(&self) -> &Schema {
        &self.schema.0
    }

    /// The next batch of rows; `None` after the last.
    pub(crate) fn next(&mut self, py: Python<'_>) -> PyResult<Option<Owned<ArrowArray>>> {
        match &mut self.source {
            Source::Whole(rows) => Ok(rows.take()),
            Source::Parts(stream) => {
                py.check_signals()?;
                let rows = stream.fill(py, stream.0.get_next)?;
                Ok(rows.0.release.is_some().then_some(rows))
            }
        }
    }
}

impl Owned<Stream> {
    /// The struct that `callback` fills. The call releases the interpreter, because the stream may
    /// execute a query.
    fn fill<T: Exported>(
        &mut self,
        py: Python<'_>,
        callback: Option<unsafe extern "C" fn(*mut Stream, *mut T) -> c_int>,
    ) -> PyResult<Owned<T>> {
        let callback = callback.ok_or_else(|| malformed("the stream has no such callback"))?;
        let mut filled = Owned::empty();
        let (stream, out) = (&mut *self, &mut filled);
        // SAFETY: the stream is not released, and `&mut self` excludes other calls.
        match py.detach(|| unsafe { callback(stream.place(), out.place()) }) {
            0 => Ok(filled),
            code => {
                // A failed callback does not transfer ownership of its output.
                std::mem::forget(filled);
                Err(self.error(code))
            }
        }
    }

    /// The error of a callback that returned `code`.
    fn error(&mut self, code: c_int) -> PyErr {
        let stream = self.place();
        // SAFETY: the stream is not released, and its last call failed, as the callback requires.
        let reason = self.0.get_last_error.map(|callback| unsafe { callback(stream) });
        let reason =
            String::from_utf8_lossy(text(&self.0, reason.unwrap_or(ptr::null()))).into_owned();
        let reason = if reason.is_empty() { format!("error {code}") } else { reason };
        let message = format!("table cannot be read completely: {reason}");
        match code {
            INVALID => PyValueError::new_err(message),
            NO_MEMORY => PyMemoryError::new_err(message),
            _ => PyOSError::new_err(message),
        }
    }
}

/// The error codes `EINVAL` and `ENOMEM`, which are equal on all supported systems.
const INVALID: c_int = 22;
const NO_MEMORY: c_int = 12;
