//! Spanning trees of rows that are stored sparsely: bits, and features.

use kostra_core::{Run, memory};
use kostra_points::cluster::{
    BitMetric, BitRows, ClusterError, FeatureRows, bits_core_distances, bits_tree,
    features_core_distances, features_tree,
};
use kostra_points::{Distance, PointTree, PointsError};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::out_of_memory;
use crate::forest::Forest;
use crate::points::{CopyCounts, cluster_error, copied, named, points_error};
use crate::threads::threads_or_default;
use crate::watch::{CancelFlag, interruptible};

/// Rows of bits in whole words: a dictionary in Python. `metric` is a name that Python has checked.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct BitBasis<'py> {
    words: PyReadonlyArray1<'py, u64>,
    bits: u32,
    metric: String,
    min_samples: usize,
    weights: CopyCounts<'py>,
    threads: Option<usize>,
}

/// Compressed rows of a sparse matrix: a dictionary in Python. `metric` is a name that Python has
/// checked.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct FeatureBasis<'py> {
    starts: PyReadonlyArray1<'py, u64>,
    columns: PyReadonlyArray1<'py, u32>,
    values: PyReadonlyArray1<'py, f64>,
    metric: String,
    min_samples: usize,
    alpha: f64,
    weights: CopyCounts<'py>,
    threads: Option<usize>,
}

/// A tree with core distances.
type WithCores<'py> = (Forest, Option<Bound<'py, PyArray1<f64>>>);

/// The spanning tree of rows of bits, and with weights the core distances.
#[pyfunction]
pub(crate) fn tree_of_bits<'py>(py: Python<'py>, basis: BitBasis<'py>) -> PyResult<WithCores<'py>> {
    let unknown = || PyValueError::new_err(format!("metric must not be {:?}", basis.metric));
    let metric = BitMetric::from_name(&basis.metric).ok_or_else(unknown)?;
    let words = memory::copied(basis.words.as_slice()?).map_err(out_of_memory)?;
    let (weights, bits, min_samples) = (copied(&basis.weights)?, basis.bits, basis.min_samples);
    let found = watched(py, basis.threads, move |run| {
        let rows = BitRows { words: &words, bits, weights: &weights };
        let tree = bits_tree(rows, metric, min_samples, run)?;
        let cores = || bits_core_distances(rows, metric, min_samples, run);
        let cores = (!weights.is_empty()).then(cores).transpose()?;
        Ok::<_, ClusterError>((tree, cores))
    })?;
    Ok(arrays(py, found.map_err(cluster_error)?))
}

/// The spanning tree of sparse rows, and with weights the core distances.
#[pyfunction]
pub(crate) fn tree_of_features<'py>(
    py: Python<'py>,
    basis: FeatureBasis<'py>,
) -> PyResult<WithCores<'py>> {
    let distance = Distance::mutual_reachability(named(&basis.metric)?, basis.min_samples);
    let distance = distance.divided_by(basis.alpha);
    let starts = basis.starts.as_slice()?.iter().map(|&start| start as usize);
    let starts = memory::collected(starts).map_err(out_of_memory)?;
    let columns = memory::copied(basis.columns.as_slice()?).map_err(out_of_memory)?;
    let values = memory::copied(basis.values.as_slice()?).map_err(out_of_memory)?;
    let weights = copied(&basis.weights)?;
    let found = watched(py, basis.threads, move |run| {
        let (starts, columns) = (&starts, &columns);
        let rows = FeatureRows { starts, columns, values: &values, weights: &weights };
        let tree = features_tree(rows, distance, run)?;
        let cores = || features_core_distances(rows, distance, run);
        let cores = (!weights.is_empty()).then(cores).transpose()?;
        Ok::<_, PointsError>((tree, cores))
    })?;
    Ok(arrays(py, found.map_err(points_error)?))
}

fn arrays(py: Python<'_>, (tree, cores): (PointTree, Option<Vec<f64>>)) -> WithCores<'_> {
    (Forest::of_points(tree), cores.map(|cores| cores.into_pyarray(py)))
}

/// Works until Ctrl-C interrupts the caller.
fn watched<R: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&mut Run<'_>) -> R + Send + 'static,
) -> PyResult<R> {
    let (stop, threads) = (CancelFlag::default(), threads_or_default(threads));
    let mut watched = stop.clone();
    let work = move || work(&mut Run::new().on_threads(threads).observed_by(&mut watched));
    interruptible(py, work).inspect_err(|_| stop.cancel())
}
