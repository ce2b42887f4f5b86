//! Watersheds, for Python.

use std::sync::Arc;

use kostra::variants::{
    GridRelief, Regional, Relief, WatershedError, watershed_hierarchy, watershed_of_graph,
    watershed_of_grid,
};
use kostra_core::{Run, with_graph};
use kostra_points::grid::Value;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{out_of_memory, solve_error};
use crate::graph::Graph;
use crate::points::{PointCoordinates, new_grid};
use crate::threads::threads_or_default;
use crate::watch::{CancelFlag, interruptible};

fn watershed_error(py: Python<'_>, error: WatershedError) -> PyErr {
    match error {
        WatershedError::Solve(error) => solve_error(py, error),
        WatershedError::Memory(refusal) => out_of_memory(refusal),
        error => PyValueError::new_err(error.to_string()),
    }
}

/// The region of each vertex of a graph.
#[pyfunction]
pub(crate) fn watershed_of_edges<'py>(
    py: Python<'py>,
    graph: &Graph,
    markers: PyReadonlyArray1<'py, u32>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    let markers = markers.as_slice()?.to_vec();
    let (graph, stop) = (Arc::clone(&graph.0), CancelFlag::default());
    let mut watched = stop.clone();
    let work = move || {
        let mut run = Run::new().on_threads(threads_or_default(threads)).observed_by(&mut watched);
        with_graph!(&*graph, graph => watershed_of_graph(graph.edge_list(), &markers, &mut run))
    };
    let regions = interruptible(py, work).inspect_err(|_| stop.cancel())?;
    Ok(regions.map_err(|error| watershed_error(py, error))?.into_pyarray(py))
}

/// A grid: its values and their number for each cell, its shape, whether neighbors share corners,
/// and whether the values are heights.
#[derive(FromPyObject)]
pub(crate) struct Terrain<'py>(PointCoordinates<'py>, usize, [usize; 3], bool, bool);

/// The region of each cell of a grid.
#[pyfunction]
pub(crate) fn watershed_of_cells<'py>(
    py: Python<'py>,
    terrain: Terrain<'py>,
    markers: PyReadonlyArray1<'py, u32>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    fn of<T: Value>(
        py: Python<'_>,
        field: &GridRelief<'_, T>,
        markers: &[u32],
        threads: usize,
    ) -> Result<Vec<u32>, WatershedError> {
        py.detach(|| watershed_of_grid(field, markers, &mut Run::new().on_threads(threads)))
    }
    let Terrain(values, channels, shape, corners, heights) = terrain;
    let relief = if heights { Relief::Heights } else { Relief::Differences };
    let grid = &new_grid(shape, corners)?;
    let (markers, threads) = (markers.as_slice()?, threads_or_default(threads));
    let regions = match &values {
        PointCoordinates::F32(values) => {
            let field = GridRelief { grid, values: values.as_slice()?, channels, relief };
            of(py, &field, markers, threads)
        }
        PointCoordinates::F64(values) => {
            let field = GridRelief { grid, values: values.as_slice()?, channels, relief };
            of(py, &field, markers, threads)
        }
    };
    Ok(regions.map_err(|error| watershed_error(py, error))?.into_pyarray(py))
}

/// The weight of each edge of a forest, whose ids ascend, in a hierarchy of watersheds.
#[pyfunction]
pub(crate) fn hierarchy_weights<'py>(
    py: Python<'py>,
    graph: &Graph,
    attribute: &str,
    areas: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let attribute = match attribute {
        "altitude" => Regional::Altitude,
        "dynamics" => Regional::Dynamics,
        "area" => Regional::Area,
        _ => Regional::Volume,
    };
    let (graph, areas) = (&graph.0, areas.as_slice()?);
    let weights = py.detach(|| {
        let all: Vec<_> = (0..graph.edges() as u32).collect();
        with_graph!(&**graph, graph => {
            watershed_hierarchy(graph.edge_list(), &all, attribute, areas)
        })
    });
    Ok(weights.map_err(|error| watershed_error(py, error))?.into_pyarray(py))
}
