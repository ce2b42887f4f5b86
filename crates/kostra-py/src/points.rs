//! Spanning trees of points and of distances, and graphs of grids.

use std::sync::Arc;

use kostra_core::{AnyGraph, EdgeList, Run, memory, with_graph};
use kostra_points::cluster::{ClusterError, Distances, pairwise_tree, segment};
use kostra_points::grid::{Connectivity, Grid, GridError, Value};
use kostra_points::{
    Coordinate, Distance, Metric, PointTree, Points, PointsError, neighbors_tree, spanning_tree,
};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;

use crate::errors::out_of_memory;
use crate::forest::Forest;
use crate::graph::Graph;
use crate::threads::threads_or_all;
use crate::watch::{Stop, interruptible};

/// The exception for an error of a function for points.
pub(crate) fn points_error(error: PointsError) -> PyErr {
    match error {
        PointsError::OutOfMemory(refusal) => out_of_memory(refusal),
        PointsError::Cancelled => PyKeyboardInterrupt::new_err("interrupted"),
        error => PyValueError::new_err(error.to_string()),
    }
}

/// The exception for an error of a function for clusters.
pub(crate) fn cluster_error(error: ClusterError) -> PyErr {
    match error {
        ClusterError::Memory(refusal) => out_of_memory(refusal),
        error => PyValueError::new_err(error.to_string()),
    }
}

fn grid_error(error: GridError) -> PyErr {
    match error {
        GridError::Memory(refusal) => out_of_memory(refusal),
        error => PyValueError::new_err(error.to_string()),
    }
}

/// The coordinates of points, row by row, in one of the engine's types.
#[derive(FromPyObject)]
pub(crate) enum Coordinates<'py> {
    F32(PyReadonlyArray1<'py, f32>),
    F64(PyReadonlyArray1<'py, f64>),
}

/// Which tree of points.
#[derive(Clone, Copy)]
enum Search {
    All(Distance),
    Neighbors(Metric, usize),
}

/// The spanning tree of points. `metric` is a name that Python has checked.
#[pyfunction]
pub(crate) fn tree_of_points(
    py: Python<'_>,
    coordinates: Coordinates<'_>,
    dimensions: usize,
    metric: &str,
    min_samples: usize,
    threads: Option<usize>,
) -> PyResult<Forest> {
    let search = Search::All(Distance::mutual_reachability(named(metric)?, min_samples));
    tree(py, coordinates, dimensions, search, threads)
}

/// The tree of the nearest neighbors of points. `metric` is a name that Python has checked.
#[pyfunction]
pub(crate) fn tree_of_neighbors(
    py: Python<'_>,
    coordinates: Coordinates<'_>,
    dimensions: usize,
    metric: &str,
    neighbors: usize,
    threads: Option<usize>,
) -> PyResult<Forest> {
    tree(py, coordinates, dimensions, Search::Neighbors(named(metric)?, neighbors), threads)
}

pub(crate) fn named(metric: &str) -> PyResult<Metric> {
    let unknown = || PyValueError::new_err(format!("metric must not be {metric:?}"));
    Metric::from_name(metric).ok_or_else(unknown)
}

fn tree(
    py: Python<'_>,
    coordinates: Coordinates<'_>,
    dimensions: usize,
    search: Search,
    threads: Option<usize>,
) -> PyResult<Forest> {
    let threads = threads_or_all(threads);
    let tree = match coordinates {
        Coordinates::F32(values) => solve(py, values.as_slice()?, dimensions, search, threads),
        Coordinates::F64(values) => solve(py, values.as_slice()?, dimensions, search, threads),
    }?;
    Ok(Forest::of_points(tree))
}

/// Works on a copy of the coordinates, which lives on when Ctrl-C interrupts the caller.
fn solve<T: Coordinate + Send + Sync + 'static>(
    py: Python<'_>,
    coordinates: &[T],
    dimensions: usize,
    search: Search,
    threads: usize,
) -> PyResult<PointTree> {
    let coordinates = memory::copied(coordinates).map_err(out_of_memory)?;
    let stop = Stop::default();
    let mut watched = stop.clone();
    let work = move || {
        let points = Points::new(&coordinates, dimensions)?;
        let mut run = Run::new().on_threads(threads).observed_by(&mut watched);
        match search {
            Search::All(distance) => spanning_tree(&points, distance, &mut run),
            Search::Neighbors(metric, k) => neighbors_tree(&points, metric, k, &mut run),
        }
    };
    interruptible(py, work).inspect_err(|_| stop.cancel())?.map_err(points_error)
}

/// The spanning tree of points whose distances are given: a square matrix or a condensed vector.
#[pyfunction]
pub(crate) fn tree_of_distances(
    py: Python<'_>,
    distances: PyReadonlyArray1<'_, f64>,
    is_square: bool,
    cores: Option<PyReadonlyArray1<'_, f64>>,
) -> PyResult<Forest> {
    let values = distances.as_slice()?;
    let cores = cores.as_ref().map(|cores| cores.as_slice()).transpose()?;
    let distances =
        if is_square { Distances::Square(values) } else { Distances::Condensed(values) };
    let tree = py.detach(|| pairwise_tree(distances, cores)).map_err(cluster_error)?;
    Ok(Forest::of_points(tree))
}

/// The segment of each vertex, and the number of segments.
#[pyfunction]
pub(crate) fn segments<'py>(
    py: Python<'py>,
    graph: &Graph,
    scale: f64,
    min_size: u32,
) -> PyResult<(Bound<'py, PyArray1<u32>>, u32)> {
    let found = py
        .detach(|| with_graph!(&*graph.0, graph => segment(graph.edge_list(), scale, min_size)))
        .map_err(cluster_error)?;
    Ok((found.labels.into_pyarray(py), found.segments))
}

fn new_grid(shape: [usize; 3], corners: bool) -> PyResult<Grid> {
    let connectivity = if corners { Connectivity::Corners } else { Connectivity::Faces };
    Grid::new(shape, connectivity).map_err(grid_error)
}

/// The ends of the edges of a grid.
#[pyfunction]
pub(crate) fn grid_ends<'py>(
    py: Python<'py>,
    shape: [usize; 3],
    corners: bool,
) -> PyResult<[Bound<'py, PyArray1<u32>>; 2]> {
    let grid = new_grid(shape, corners)?;
    let ends = py.detach(|| grid.ends()).map_err(grid_error)?;
    Ok(ends.map(|ends| ends.into_pyarray(py)))
}

/// The graph of a grid, with the differences of its values as weights.
#[pyfunction]
pub(crate) fn grid_graph(
    py: Python<'_>,
    values: Coordinates<'_>,
    shape: [usize; 3],
    channels: usize,
    corners: bool,
) -> PyResult<Graph> {
    fn make<T: Value>(py: Python<'_>, values: &[T], grid: Grid, channels: usize) -> PyResult<Graph>
    where
        AnyGraph: From<EdgeList<T>>,
    {
        let graph = py.detach(|| grid.differences(values, channels)).map_err(grid_error)?;
        Ok(Graph(Arc::new(graph.into())))
    }
    let grid = new_grid(shape, corners)?;
    match values {
        Coordinates::F32(values) => make(py, values.as_slice()?, grid, channels),
        Coordinates::F64(values) => make(py, values.as_slice()?, grid, channels),
    }
}
