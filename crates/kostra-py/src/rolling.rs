//! Trees of the correlations of time series, for Python.

use kostra_points::{CorrelationDistance, Windows};
use numpy::{IntoPyArray, PyArray1, ToPyArray};
use pyo3::prelude::*;

use crate::points::{PointCoordinates, solve};

/// Which windows have a tree.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct WindowOptions {
    /// The number of columns of the table.
    series: usize,
    length: usize,
    step: usize,
    /// Whether opposite series are near to each other.
    is_absolute: bool,
}

/// The trees of correlations in windows of a table. Its rows are times, and its columns series.
#[pyclass(frozen, get_all, module = "kostra._kostra")]
pub(crate) struct RollingTrees {
    /// The two series of each edge, tree by tree.
    ends: Py<PyArray1<u32>>,
    /// The distance of each edge.
    distances: Py<PyArray1<f64>>,
    /// The degree of each series, window by window.
    degrees: Py<PyArray1<u32>>,
    /// The number of edges that each window shares with the one before.
    survivors: Py<PyArray1<u32>>,
}

#[pymethods]
impl RollingTrees {
    /// Solves all windows of `length` times at intervals of `step`.
    #[new]
    fn new(
        py: Python<'_>,
        table: PointCoordinates<'_>,
        windows: WindowOptions,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let WindowOptions { series, length, step, is_absolute } = windows;
        let distance =
            if is_absolute { CorrelationDistance::Absolute } else { CorrelationDistance::Signed };
        let windows = Windows { length, step, distance };
        let trees = solve(py, table, series, threads, move |points, run| {
            kostra_points::rolling_trees(points, windows, run)
        })?;
        Ok(Self {
            ends: trees.ends.as_flattened().to_pyarray(py).unbind(),
            degrees: trees.degrees().into_pyarray(py).unbind(),
            survivors: trees.survivors().into_pyarray(py).unbind(),
            distances: trees.distances.into_pyarray(py).unbind(),
        })
    }
}
