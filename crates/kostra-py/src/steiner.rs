//! Steiner trees, for Python.

use std::time::Duration;

use kostra::variants::{SteinerError, SteinerOptions, steiner_tree};
use kostra_core::{Run, Total};
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::solve_error;
use crate::graph::Graph;
use crate::threads::threads_or_default;
use crate::watch::{CancelFlag, interruptible};

/// The ids of the edges, and the figures of the tree by name. See the Python function.
#[pyfunction(name = "steiner_tree")]
pub(crate) fn steiner_tree_of_graph<'py>(
    py: Python<'py>,
    graph: &Graph,
    terminals: PyReadonlyArray1<'py, u32>,
    search: (u32, Option<f64>),
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let (rounds, seconds) = search;
    let limit = seconds.map(Duration::try_from_secs_f64).transpose();
    let time_limit =
        limit.map_err(|error| PyValueError::new_err(format!("time_limit: {error}")))?;
    let options = SteinerOptions { rounds, time_limit, improve: true };
    let terminals = terminals.as_slice()?.to_vec();
    let (graph, stop) = (graph.0.clone(), CancelFlag::default());
    let mut watched = stop.clone();
    let work = move || {
        let run = Run::new().on_threads(threads_or_default(threads));
        steiner_tree(&graph, &terminals, &options, &mut run.observed_by(&mut watched))
    };
    let tree = interruptible(py, work).inspect_err(|_| stop.cancel())?;
    let tree = tree.map_err(|error| match error {
        SteinerError::Solve(error) => solve_error(py, error),
        error => PyValueError::new_err(error.to_string()),
    })?;
    let figures = PyDict::new(py);
    let totals = [
        ("total_weight", tree.total()),
        ("lower_bound", tree.lower_bound()),
        ("first_weight", tree.first_total()),
        ("start_weight", tree.start_total()),
    ];
    for (name, total) in totals {
        match total {
            Total::Integer(total) => figures.set_item(name, total)?,
            Total::Float(total) => figures.set_item(name, total)?,
        }
    }
    figures.set_item("gap", tree.gap())?;
    figures.set_item("complete", tree.is_complete())?;
    let ids: Vec<_> = tree.ids().iter().map(|&id| i64::from(id)).collect();
    figures.set_item("edge_ids", ids.into_pyarray(py))?;
    Ok(figures)
}
