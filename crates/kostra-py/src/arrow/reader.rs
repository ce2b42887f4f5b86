//! Tables as their libraries export them: all rows at once, or some at a time, from a stream.

use std::ffi::c_int;
use std::ptr;

use pyo3::exceptions::{PyMemoryError, PyOSError, PyValueError};
use pyo3::prelude::*;

use super::{Array, Exported, Owned, Schema, Stream, malformed, text};

/// A table that is being read.
pub(crate) struct Reader {
    schema: Owned<Schema>,
    source: Source,
}

enum Source {
    /// All rows at once, until they are taken.
    Whole(Option<Owned<Array>>),
    Parts(Owned<Stream>),
}

impl Reader {
    /// Takes what `__arrow_c_stream__` or `__arrow_c_array__` has returned.
    pub(crate) fn of(exported: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok((schema, array)) = exported.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() {
            let (schema, array) = (Owned::from_capsule(&schema)?, Owned::from_capsule(&array)?);
            return Ok(Self { schema, source: Source::Whole(Some(array)) });
        }
        let mut stream = Owned::<Stream>::from_capsule(exported)?;
        let schema = stream.fill(exported.py(), stream.0.get_schema)?;
        if schema.0.release.is_none() {
            return Err(malformed("it has no schema"));
        }
        Ok(Self { schema, source: Source::Parts(stream) })
    }

    pub(crate) fn schema(&self) -> &Schema {
        &self.schema.0
    }

    /// The next rows; `None` after the last.
    pub(crate) fn next(&mut self, py: Python<'_>) -> PyResult<Option<Owned<Array>>> {
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
    /// What one of the callbacks has to give. Other Python threads run meanwhile, for there may be
    /// a query behind it.
    fn fill<T: Exported>(
        &mut self,
        py: Python<'_>,
        callback: Option<unsafe extern "C" fn(*mut Stream, *mut T) -> c_int>,
    ) -> PyResult<Owned<T>> {
        let callback = callback.ok_or_else(|| malformed("its stream lacks a callback"))?;
        let mut filled = Owned::empty();
        let (stream, out) = (&mut *self, &mut filled);
        // SAFETY: the stream has not been released, and nobody else calls it meanwhile.
        match py.detach(|| unsafe { callback(stream.place(), out.place()) }) {
            0 => Ok(filled),
            code => {
                // What a callback leaves behind when it fails is not ours.
                std::mem::forget(filled);
                Err(self.error(code))
            }
        }
    }

    /// Why a callback has failed, with the number that it returned.
    fn error(&mut self, code: c_int) -> PyErr {
        let stream = self.place();
        // SAFETY: the stream has not been released, and has just failed, as the callback asks.
        let reason = self.0.get_last_error.map(|callback| unsafe { callback(stream) });
        let reason =
            String::from_utf8_lossy(text(&self.0, reason.unwrap_or(ptr::null()))).into_owned();
        let reason = if reason.is_empty() { format!("error {code}") } else { reason };
        let message = format!("table cannot be read to its end: {reason}");
        match code {
            INVALID => PyValueError::new_err(message),
            NO_MEMORY => PyMemoryError::new_err(message),
            _ => PyOSError::new_err(message),
        }
    }
}

/// The system's `EINVAL` and `ENOMEM`, which have these numbers everywhere.
const INVALID: c_int = 22;
const NO_MEMORY: c_int = 12;
