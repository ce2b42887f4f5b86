//! Spanning trees of points and of distances, and graphs of grids.

use std::sync::Arc;

use kostra_core::{AnyGraph, EdgeList, Run, memory, with_graph};
use kostra_points::cluster::{
    ClusterError, Distances, Entries, asymmetric_entries as asymmetric, pairwise_tree, rows_tree,
    segment, sparse_core_distances, sparse_tree,
};
use kostra_points::grid::{Connectivity, Grid, GridError, Value};
use kostra_points::{
    AxisOrder, Coordinate, Distance, ErrorBound, Metric, Neighbors, Points, PointsError,
    approximate_tree, core_distances, nearest_neighbors, neighbors_tree, spanning_tree,
};
use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;

use crate::errors::out_of_memory;
use crate::forest::Forest;
use crate::graph::Graph;
use crate::threads::threads_or_default;
use crate::watch::{CancelFlag, interruptible};

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
        ClusterError::Cancelled => PyKeyboardInterrupt::new_err("interrupted"),
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
pub(crate) enum PointCoordinates<'py> {
    F32(PyReadonlyArray1<'py, f32>),
    F64(PyReadonlyArray1<'py, f64>),
}

impl PointCoordinates<'_> {
    /// No points.
    pub(crate) fn none(py: Python<'_>) -> PointCoordinates<'_> {
        PointCoordinates::F64(PyArray1::from_slice(py, &[]).readonly())
    }
}

/// Points and how their distances are measured: a dictionary in Python. `metric` is a name that
/// Python has checked.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Basis<'py> {
    pub(crate) coordinates: PointCoordinates<'py>,
    pub(crate) dimensions: usize,
    metric: String,
    min_samples: usize,
    /// What distances, but not core distances, are divided by.
    alpha: f64,
    weights: CopyCounts<'py>,
    pub(crate) threads: Option<usize>,
}

impl Basis<'_> {
    pub(crate) fn distance(&self) -> PyResult<Distance> {
        let metric = named(&self.metric)?;
        Ok(Distance::mutual_reachability(metric, self.min_samples).divided_by(self.alpha))
    }

    /// A copy of the weights, for work that lives on when Ctrl-C interrupts the caller.
    pub(crate) fn weights(&self) -> PyResult<Vec<u32>> {
        copied(&self.weights)
    }
}

/// How many points each row counts as; None for one each.
pub(crate) type CopyCounts<'py> = Option<PyReadonlyArray1<'py, u32>>;

/// A copy of weights; empty for one each.
pub(crate) fn copied(weights: &CopyCounts<'_>) -> PyResult<Vec<u32>> {
    let Some(weights) = weights else { return Ok(Vec::new()) };
    memory::copied(weights.as_slice()?).map_err(out_of_memory)
}

/// The spanning tree of points.
#[pyfunction]
pub(crate) fn tree_of_points(py: Python<'_>, basis: Basis<'_>) -> PyResult<Forest> {
    let (distance, weights) = (basis.distance()?, basis.weights()?);
    let Basis { coordinates, dimensions, threads, .. } = basis;
    let tree = solve(py, coordinates, dimensions, threads, move |points, run| {
        spanning_tree(&points.weighted(&weights)?, distance, run)
    })?;
    Ok(Forest::of_points(tree))
}

/// The core distances of points.
#[pyfunction]
pub(crate) fn cores_of_points<'py>(
    py: Python<'py>,
    basis: Basis<'py>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (distance, weights) = (basis.distance()?, basis.weights()?);
    let Basis { coordinates, dimensions, threads, .. } = basis;
    let cores = solve(py, coordinates, dimensions, threads, move |points, run| {
        core_distances(&points.weighted(&weights)?, distance, run)
    })?;
    Ok(cores.into_pyarray(py))
}

/// The tree of points from near neighbors, and its length, the least length of the exact tree, the
/// confidence, and the recall.
#[pyfunction]
pub(crate) fn approximate_tree_of_points(
    py: Python<'_>,
    basis: Basis<'_>,
    seed: u64,
) -> PyResult<(Forest, [f64; 4])> {
    let distance = basis.distance()?;
    let Basis { coordinates, dimensions, threads, .. } = basis;
    let found = solve(py, coordinates, dimensions, threads, move |points, run| {
        approximate_tree(points, distance, seed, run)
    })?;
    let ErrorBound { length, least, confidence, recall } = found.error;
    Ok((Forest::of_points(found.tree), [length, least, confidence, recall]))
}

/// The tree of the nearest neighbors of points. `metric` is a name that Python has checked.
#[pyfunction]
pub(crate) fn tree_of_neighbors(
    py: Python<'_>,
    coordinates: PointCoordinates<'_>,
    dimensions: usize,
    metric: &str,
    neighbors: usize,
    threads: Option<usize>,
) -> PyResult<Forest> {
    let metric = named(metric)?;
    let tree = solve(py, coordinates, dimensions, threads, move |points, run| {
        neighbors_tree(points, metric, neighbors, run)
    })?;
    Ok(Forest::of_points(tree))
}

pub(crate) fn named(metric: &str) -> PyResult<Metric> {
    let unknown = || PyValueError::new_err(format!("metric must not be {metric:?}"));
    Metric::from_name(metric).ok_or_else(unknown)
}

/// The indices of the nearest points of each point, row by row, and their distances. `metric` is a
/// name that Python has checked.
#[pyfunction]
#[expect(clippy::type_complexity, reason = "a pair of arrays")]
pub(crate) fn neighbors_of_points<'py>(
    py: Python<'py>,
    coordinates: PointCoordinates<'py>,
    dimensions: usize,
    metric: &str,
    neighbors: usize,
    threads: Option<usize>,
) -> PyResult<(Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>)> {
    let metric = named(metric)?;
    let Neighbors { indices, distances, .. } =
        solve(py, coordinates, dimensions, threads, move |points, run| {
            nearest_neighbors(points, metric, neighbors, run)
        })?;
    Ok((indices.into_pyarray(py), distances.into_pyarray(py)))
}

/// Works on a copy of the coordinates, which lives on when Ctrl-C interrupts the caller.
pub(crate) fn solve<R: Send + 'static>(
    py: Python<'_>,
    coordinates: PointCoordinates<'_>,
    dimensions: usize,
    threads: Option<usize>,
    work: impl FnOnce(&Points<'_>, &mut Run<'_>) -> Result<R, PointsError> + Send + 'static,
) -> PyResult<R> {
    fn solve<T: Coordinate + Send + Sync + 'static, R: Send + 'static>(
        py: Python<'_>,
        coordinates: &[T],
        dimensions: usize,
        threads: usize,
        work: impl FnOnce(&Points<'_>, &mut Run<'_>) -> Result<R, PointsError> + Send + 'static,
    ) -> PyResult<R> {
        let coordinates = memory::copied(coordinates).map_err(out_of_memory)?;
        let stop = CancelFlag::default();
        let mut watched = stop.clone();
        let work = move || {
            let points = Points::new(&coordinates, dimensions)?;
            work(&points, &mut Run::new().on_threads(threads).observed_by(&mut watched))
        };
        interruptible(py, work).inspect_err(|_| stop.cancel())?.map_err(points_error)
    }
    let threads = threads_or_default(threads);
    match coordinates {
        PointCoordinates::F32(values) => solve(py, values.as_slice()?, dimensions, threads, work),
        PointCoordinates::F64(values) => solve(py, values.as_slice()?, dimensions, threads, work),
    }
}

/// What the names of two columns say about their order: "longitude", "same", or nothing.
#[pyfunction]
pub(crate) fn order_of_axes(first: &str, second: &str) -> Option<&'static str> {
    match AxisOrder::of_names(first, second) {
        AxisOrder::LongitudeFirst => Some("longitude"),
        AxisOrder::SameAxis => Some("same"),
        AxisOrder::LatitudeFirst | AxisOrder::Unknown => None,
    }
}

/// The first latitude and the first longitude among the names of columns.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python passes a list")]
pub(crate) fn degrees_among(names: Vec<String>) -> Option<[String; 2]> {
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    kostra_points::degrees_among(&names).map(|found| found.map(str::to_owned))
}

/// Whether a column of points with this name may be a coordinate.
#[pyfunction]
pub(crate) fn may_be_coordinate(name: &str) -> bool {
    kostra_io::may_be_coordinate(name)
}

/// The spanning tree of `n` points. `row` is a function that returns the distances of a point to
/// all points.
#[pyfunction]
pub(crate) fn tree_of_rows(
    n: u32,
    cores: Option<PyReadonlyArray1<'_, f64>>,
    row: &Bound<'_, PyAny>,
) -> PyResult<Forest> {
    /// A failure of the function or of the search.
    struct Failure(PyErr);
    impl From<ClusterError> for Failure {
        fn from(error: ClusterError) -> Self {
            Self(cluster_error(error))
        }
    }
    let cores = cores.as_ref().map(|cores| cores.as_slice()).transpose()?;
    let compute = |point: u32, to: &mut [f64]| -> PyResult<()> {
        let values = row.call1((point,))?;
        let values: PyReadonlyArray1<'_, f64> = values.extract()?;
        to.copy_from_slice(values.as_slice()?);
        Ok(())
    };
    rows_tree(n, cores, |point, to| compute(point, to).map_err(Failure))
        .map(Forest::of_points)
        .map_err(|Failure(error)| error)
}

/// The spanning tree of points whose distances are given, a square matrix or a condensed vector,
/// and with weights their core distances.
#[pyfunction]
pub(crate) fn tree_of_distances<'py>(
    py: Python<'py>,
    distances: PyReadonlyArray1<'py, f64>,
    is_square: bool,
    min_samples: usize,
    weights: CopyCounts<'py>,
) -> PyResult<(Forest, Option<Bound<'py, PyArray1<f64>>>)> {
    let (values, counts) = (distances.as_slice()?, copied(&weights)?);
    let distances =
        if is_square { Distances::Square(values) } else { Distances::Condensed(values) };
    let found = py.detach(|| {
        let has_cores = min_samples > 1 || !counts.is_empty();
        let cores = has_cores.then(|| distances.cores(min_samples, &counts)).transpose()?;
        Ok((pairwise_tree(distances, cores.as_deref())?, cores))
    });
    let (tree, cores) = found.map_err(cluster_error)?;
    let cores = cores.filter(|_| !counts.is_empty()).map(|cores| cores.into_pyarray(py));
    Ok((Forest::of_points(tree), cores))
}

/// The number of points, and the rows, columns and distances of entries: a tuple in Python.
#[derive(FromPyObject)]
pub(crate) struct EntryColumns<'py>(
    u32,
    PyReadonlyArray1<'py, u32>,
    PyReadonlyArray1<'py, u32>,
    PyReadonlyArray1<'py, f64>,
);

impl EntryColumns<'_> {
    fn entries(&self) -> PyResult<Entries<'_>> {
        let Self(points, rows, columns, distances) = self;
        let (rows, columns) = (rows.as_slice()?, columns.as_slice()?);
        Ok(Entries { points: *points, rows, columns, distances: distances.as_slice()? })
    }
}

/// The spanning forest of points whose distances are the entries of a sparse matrix, or with
/// `min_samples` above 1 the mutual reachability distances of them.
#[pyfunction]
pub(crate) fn tree_of_entries(
    py: Python<'_>,
    entries: EntryColumns<'_>,
    min_samples: usize,
    threads: Option<usize>,
) -> PyResult<Forest> {
    let entries = entries.entries()?;
    let threads = threads_or_default(threads);
    let tree = py.detach(|| {
        if min_samples == 1 {
            return sparse_tree(entries, None, threads);
        }
        let cores = sparse_core_distances(entries, min_samples, threads)?;
        sparse_tree(entries, Some(&cores), threads)
    });
    tree.map(Forest::of_points).map_err(cluster_error)
}

/// The positions of two entries (i, j) and (j, i) whose distances differ.
#[pyfunction]
pub(crate) fn asymmetric_entries(
    py: Python<'_>,
    entries: EntryColumns<'_>,
) -> PyResult<Option<[usize; 2]>> {
    let entries = entries.entries()?;
    py.detach(|| asymmetric(entries)).map_err(cluster_error)
}

/// The segment of each vertex, and the number of segments.
#[pyfunction]
pub(crate) fn segments<'py>(
    py: Python<'py>,
    graph: &Graph,
    scale: f64,
    min_size: u32,
) -> PyResult<(Bound<'py, PyArray1<u32>>, u32)> {
    let (graph, stop) = (Arc::clone(&graph.0), CancelFlag::default());
    let mut watched = stop.clone();
    let work = move || {
        let mut run = Run::new().observed_by(&mut watched);
        with_graph!(&*graph, graph => segment(graph.edge_list(), scale, min_size, &mut run))
    };
    let found = interruptible(py, work).inspect_err(|_| stop.cancel())?.map_err(cluster_error)?;
    Ok((found.labels.into_pyarray(py), found.segments))
}

pub(crate) fn new_grid(shape: [usize; 3], corners: bool) -> PyResult<Grid> {
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
    values: PointCoordinates<'_>,
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
        PointCoordinates::F32(values) => make(py, values.as_slice()?, grid, channels),
        PointCoordinates::F64(values) => make(py, values.as_slice()?, grid, channels),
    }
}
