//! A chunk of a column: consecutive rows in the buffers of another library.

#![allow(unsafe_code, reason = "columns of other libraries are given by address")]

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrow::{ArrowArray, Owned, malformed};

/// A chunk of consecutive rows of a column.
#[pyclass(frozen, module = "kostra._kostra")]
pub(crate) struct Chunk {
    pub(crate) array: Owned<ArrowArray>,
    /// The position of the first row in the buffers.
    pub(crate) first: usize,
    pub(crate) rows: usize,
}

impl Chunk {
    /// The rows `before..before + rows` of a column. A table may use only a part of its columns.
    pub(crate) fn new(array: Owned<ArrowArray>, before: usize, rows: usize) -> PyResult<Self> {
        let end = before.checked_add(rows).ok_or_else(|| malformed("a column is too long"))?;
        if array.get().rows()? < end {
            return Err(malformed("a column is shorter than the table"));
        }
        let first = array
            .get()
            .offset()?
            .checked_add(before)
            .ok_or_else(|| malformed("a column is too long"))?;
        Ok(Self { array, first, rows })
    }

    pub(crate) fn array(&self) -> &ArrowArray {
        self.array.get()
    }

    /// The positions of the rows in the buffers.
    pub(crate) fn places(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.rows
    }

    /// The address of the first number.
    pub(crate) fn numbers<T>(&self) -> PyResult<*const T> {
        match self.array().buffers() {
            [_, numbers] if !numbers.is_null() => {
                // SAFETY: the exporter of a column promises that its buffers cover its rows.
                Ok(unsafe { numbers.cast::<T>().add(self.first) })
            }
            _ => Err(malformed("a column of numbers lacks a buffer")),
        }
    }
}

/// The error for a row without a value. Rows are counted from the table's first row.
pub(crate) fn no_value(name: &str, row: usize) -> PyErr {
    PyValueError::new_err(format!("column '{name}' has no value in row {row}; remove such rows"))
}

/// The first position in `places` without a value.
pub(crate) fn missing(array: &ArrowArray, places: std::ops::Range<usize>) -> Option<usize> {
    let bits = array
        .buffers()
        .first()
        .filter(|bits| !bits.is_null() && array.may_have_nulls())?
        .cast::<u8>();
    // SAFETY: the exporter guarantees one bit per row.
    let byte = |place: usize| unsafe { bits.add(place / 8).read() };
    let mut place = places.start;
    while place < places.end {
        if place.is_multiple_of(8) && byte(place) == 0xff {
            place += 8;
        } else if byte(place) >> (place % 8) & 1 == 0 {
            return Some(place);
        } else {
            place += 1;
        }
    }
    None
}
