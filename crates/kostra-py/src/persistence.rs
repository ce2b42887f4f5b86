//! Persistence of components, for Python.

use std::sync::Arc;

use kostra::variants::{
    Births, JoinTree, PersistenceError, PersistencePair, longer_than, lower_star,
    persistence_of_graph, persistence_of_grid, with_float_weights,
};
use kostra_core::{Order, Run};
use kostra_points::grid::{Grid, Value};
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{out_of_memory, solve_error};
use crate::graph::Graph;
use crate::points::{PointCoordinates, new_grid};
use crate::threads::threads_or_default;
use crate::watch::{CancelFlag, interruptible};

fn persistence_error(py: Python<'_>, error: PersistenceError) -> PyErr {
    match error {
        PersistenceError::Solve(error) => solve_error(py, error),
        PersistenceError::Memory(refusal) => out_of_memory(refusal),
        error => PyValueError::new_err(error.to_string()),
    }
}

/// How components are found: high values first, the least persistence, and the threads.
#[derive(FromPyObject)]
pub(crate) struct Wish(bool, f64, Option<usize>);

impl Wish {
    fn order(&self) -> Order {
        if self.0 { Order::Maximum } else { Order::Minimum }
    }

    /// The components and their tree, by name.
    fn answer<'py>(
        &self,
        py: Python<'py>,
        found: Result<Vec<PersistencePair>, PersistenceError>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let mut pairs = found.map_err(|error| persistence_error(py, error))?;
        longer_than(&mut pairs, self.1);
        let tree = JoinTree::new(&pairs).unwrap_or_default();
        let answer = PyDict::new(py);
        let floats =
            |value: fn(&PersistencePair) -> f64| -> Vec<f64> { pairs.iter().map(value).collect() };
        answer.set_item("births", floats(|pair| pair.birth).into_pyarray(py))?;
        answer.set_item("deaths", floats(|pair| pair.death).into_pyarray(py))?;
        let numbers = |number: fn(&PersistencePair) -> i64| -> Vec<i64> {
            pairs.iter().map(number).collect()
        };
        answer.set_item("vertices", numbers(|pair| pair.vertex.into()).into_pyarray(py))?;
        let ends = numbers(|pair| pair.end.map_or(-1, |end| end.at.into()));
        answer.set_item("ends", ends.into_pyarray(py))?;
        let elders = numbers(|pair| pair.end.map_or(-1, |end| end.elder.into()));
        answer.set_item("elders", elders.into_pyarray(py))?;
        answer.set_item("tree_values", tree.values.into_pyarray(py))?;
        let places: Vec<i64> = tree.places.into_iter().map(i64::from).collect();
        answer.set_item("tree_places", places.into_pyarray(py))?;
        let parents = tree.parents.into_iter();
        let parents: Vec<i64> = parents.map(|parent| parent.map_or(-1, i64::from)).collect();
        answer.set_item("tree_parents", parents.into_pyarray(py))?;
        Ok(answer)
    }
}

/// The components of an image or a volume. See the Python function.
#[pyfunction]
pub(crate) fn persistence_of_cells<'py>(
    py: Python<'py>,
    values: PointCoordinates<'py>,
    shape: [usize; 3],
    corners: bool,
    wish: Wish,
) -> PyResult<Bound<'py, PyDict>> {
    let grid = new_grid(shape, corners)?;
    let found = match values {
        PointCoordinates::F32(values) => of_values(py, &grid, values.as_slice()?, &wish),
        PointCoordinates::F64(values) => of_values(py, &grid, values.as_slice()?, &wish),
    };
    wish.answer(py, found)
}

fn of_values<T: Value>(
    py: Python<'_>,
    grid: &Grid,
    values: &[T],
    wish: &Wish,
) -> Result<Vec<PersistencePair>, PersistenceError> {
    py.detach(|| {
        let mut run = Run::new().on_threads(threads_or_default(wish.2));
        persistence_of_grid(grid, values, wish.order(), &mut run)
    })
}

/// The components of a graph. Its edges enter with their ends if `with_ends` says so, and otherwise
/// at their weights.
#[pyfunction]
pub(crate) fn persistence_of_edges<'py>(
    py: Python<'py>,
    graph: &Graph,
    heights: Option<PyReadonlyArray1<'py, f64>>,
    with_ends: bool,
    wish: Wish,
) -> PyResult<Bound<'py, PyDict>> {
    let heights = heights.map(|heights| heights.as_slice().map(<[f64]>::to_vec)).transpose()?;
    let (graph, stop, order) = (Arc::clone(&graph.0), CancelFlag::default(), wish.order());
    let (mut watched, threads) = (stop.clone(), threads_or_default(wish.2));
    let work = move || {
        let graph = match &heights {
            Some(heights) if with_ends => lower_star(graph.u(), graph.v(), heights, order)?,
            _ => with_float_weights(&graph)?,
        };
        let births = heights.as_deref().map_or(Births::At(0.0), Births::Values);
        let mut run = Run::new().on_threads(threads).observed_by(&mut watched);
        persistence_of_graph(&graph, births, order, &mut run)
    };
    let found = interruptible(py, work).inspect_err(|_| stop.cancel())?;
    wish.answer(py, found)
}
