//! Forests of directed graphs, for Python.

use kostra::variants::{ArborescenceError, arborescence};
use kostra_core::{Order, Run, Total};
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::solve_error;
use crate::graph::Graph;
use crate::watch::{CancelFlag, interruptible};

/// The ids of the edges, the roots and the total by name. See the Python function.
#[pyfunction(name = "arborescence")]
pub(crate) fn arborescence_of_graph<'py>(
    py: Python<'py>,
    graph: &Graph,
    roots: PyReadonlyArray1<'py, u32>,
    maximum: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let order = if maximum { Order::Maximum } else { Order::Minimum };
    let roots = roots.as_slice()?.to_vec();
    let (graph, stop) = (graph.0.clone(), CancelFlag::default());
    let mut watched = stop.clone();
    let work =
        move || arborescence(&graph, &roots, order, &mut Run::new().observed_by(&mut watched));
    let found = interruptible(py, work).inspect_err(|_| stop.cancel())?;
    let found = found.map_err(|error| match error {
        ArborescenceError::Solve(error) => solve_error(py, error),
        error => PyValueError::new_err(error.to_string()),
    })?;
    let figures = PyDict::new(py);
    match found.total() {
        Total::Integer(total) => figures.set_item("total_weight", total)?,
        Total::Float(total) => figures.set_item("total_weight", total)?,
    }
    for (name, numbers) in [("edge_ids", found.ids()), ("roots", found.roots())] {
        let numbers: Vec<_> = numbers.iter().map(|&number| i64::from(number)).collect();
        figures.set_item(name, numbers.into_pyarray(py))?;
    }
    Ok(figures)
}
