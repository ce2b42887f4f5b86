//! Rows of sparse matrices: converts between the starts of the rows and the row of each entry.

use kostra_core::{OutOfMemory, memory};
use kostra_parallel::for_each_mut;
use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::errors::out_of_memory;
use crate::threads::threads_or_default;

/// The row of each entry of a sparse matrix, computed from the starts of its rows (`indptr`).
#[pyfunction]
pub(crate) fn rows_of_entries<'py>(
    py: Python<'py>,
    starts: &Bound<'py, PyAny>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<i32>>> {
    let threads = threads_or_default(threads);
    let rows = if let Ok(starts) = starts.cast::<PyArray1<i32>>() {
        let starts = starts.readonly();
        let starts = starts.as_slice()?;
        py.detach(|| expand(starts, threads))
    } else if let Ok(starts) = starts.cast::<PyArray1<i64>>() {
        let starts = starts.readonly();
        let starts = starts.as_slice()?;
        py.detach(|| expand(starts, threads))
    } else {
        return Err(PyTypeError::new_err("csgraph.indptr must be an array of int32 or int64"));
    };
    match rows.map_err(out_of_memory)? {
        Some(rows) => Ok(rows.into_pyarray(py)),
        None => Err(PyValueError::new_err("csgraph.indptr must start at 0 and be ascending")),
    }
}

/// The starts of `n` rows and the end of the last row, computed from the ascending rows of the
/// entries.
#[pyfunction]
pub(crate) fn starts_of_rows<'py>(
    py: Python<'py>,
    rows: PyReadonlyArray1<'py, i32>,
    n: usize,
) -> PyResult<Bound<'py, PyArray1<i32>>> {
    let rows = rows.as_slice()?;
    let starts = py.detach(|| {
        let mut starts = memory::with_capacity(n.saturating_add(1))?;
        for (entry, &row) in (0..).zip(rows) {
            while starts.len() <= row as usize {
                starts.push(entry);
            }
        }
        starts.resize(n + 1, rows.len() as i32);
        Ok(starts)
    });
    Ok(starts.map_err(out_of_memory)?.into_pyarray(py))
}

/// The row of each entry; `None` if `starts` is not a valid `indptr`.
fn expand<T: Copy + Ord + Sync + TryInto<usize>>(
    starts: &[T],
    threads: usize,
) -> Result<Option<Vec<i32>>, OutOfMemory> {
    let bounds = starts.first().zip(starts.last());
    let bounds = bounds.and_then(|(&first, &last)| first.try_into().ok().zip(last.try_into().ok()));
    let Some((0, entries)) = bounds else { return Ok(None) };
    if !starts.is_sorted() || i32::try_from(starts.len()).is_err() {
        return Ok(None);
    }
    // Each start is between 0 and the last start, which is a valid number of entries.
    let start = |row: usize| starts[row].try_into().unwrap_or(entries);
    let n = starts.len() - 1;
    let mut rows: Vec<i32> = memory::zeros(entries)?;
    let size = n.div_ceil(threads.max(1)).max(1 << 14);
    let mut rest = rows.as_mut_slice();
    let pieces = (0..n).step_by(size).map(|low| {
        let high = n.min(low + size);
        let (own, others) = std::mem::take(&mut rest).split_at_mut(start(high) - start(low));
        rest = others;
        (low..high, own)
    });
    for_each_mut(&mut pieces.collect::<Vec<_>>(), |(piece, own)| {
        let mut own = std::mem::take(own);
        for row in piece.clone() {
            let (entries, others) = own.split_at_mut(start(row + 1) - start(row));
            entries.fill(row as i32);
            own = others;
        }
    });
    Ok(Some(rows))
}
