//! How good clusters are.

use kostra_core::{Run, memory};
use kostra_points::cluster::{Distances, Gaps, Validity, pairwise_validity, validity};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::errors::out_of_memory;
use crate::points::{PointCoordinates, cluster_error, named, solve};
use crate::threads::threads_or_default;

/// The index of all clusters, and that of each label.
type Indices<'py> = (f64, Bound<'py, PyArray1<f64>>);

fn indices(py: Python<'_>, found: Validity) -> Indices<'_> {
    (found.index, found.clusters.into_pyarray(py))
}

/// Labels of 32 bits: a dictionary in Python. With `raw`, gaps are measured by the distances
/// themselves.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Labeled<'py> {
    labels: PyReadonlyArray1<'py, i32>,
    raw: bool,
    threads: Option<usize>,
}

fn gaps(raw: bool) -> Gaps {
    if raw { Gaps::Distances } else { Gaps::MutualReachability }
}

/// The validity of clusters of points. `metric` is a name that Python has checked.
#[pyfunction]
pub(crate) fn validity_of_points<'py>(
    py: Python<'py>,
    coordinates: PointCoordinates<'_>,
    dimensions: usize,
    metric: &str,
    labeled: Labeled<'_>,
) -> PyResult<Indices<'py>> {
    let (metric, Labeled { labels, raw, threads }) = (named(metric)?, labeled);
    let labels = memory::copied(labels.as_slice()?).map_err(out_of_memory)?;
    let found = solve(py, coordinates, dimensions, threads, move |points, run| {
        validity(points, metric, &labels, gaps(raw), run)
    })?;
    Ok(indices(py, found))
}

/// The same for points of this number of dimensions whose distances are given: a square matrix or a
/// condensed vector.
#[pyfunction]
pub(crate) fn validity_of_distances<'py>(
    py: Python<'py>,
    distances: PyReadonlyArray1<'_, f64>,
    is_square: bool,
    dimensions: usize,
    labeled: Labeled<'_>,
) -> PyResult<Indices<'py>> {
    let Labeled { labels, raw, threads } = labeled;
    let (values, labels) = (distances.as_slice()?, labels.as_slice()?);
    let distances =
        if is_square { Distances::Square(values) } else { Distances::Condensed(values) };
    let work = || {
        let mut run = Run::new().on_threads(threads_or_default(threads));
        pairwise_validity(distances, dimensions, labels, gaps(raw), &mut run)
    };
    Ok(indices(py, py.detach(work).map_err(cluster_error)?))
}
