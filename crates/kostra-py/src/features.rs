//! Spanning trees of sparse rows.

use kostra_core::{Run, memory};
use kostra_points::cluster::{FeatureRows, features_tree};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::errors::out_of_memory;
use crate::forest::Forest;
use crate::points::{named, points_error};
use crate::threads::threads_or_all;
use crate::watch::{CancelFlag, interruptible};

/// A sparse matrix in compressed rows, with ascending columns in each row: a dictionary in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Features<'py> {
    starts: PyReadonlyArray1<'py, u64>,
    columns: PyReadonlyArray1<'py, u32>,
    values: PyReadonlyArray1<'py, f64>,
}

/// The spanning tree of sparse rows. `metric` is a name that Python has checked.
#[pyfunction]
pub(crate) fn tree_of_features(
    py: Python<'_>,
    features: Features<'_>,
    metric: &str,
    min_samples: usize,
    threads: Option<usize>,
) -> PyResult<Forest> {
    let Features { starts, columns, values } = features;
    let metric = named(metric)?;
    let starts = starts.as_slice()?.iter().map(|&start| start as usize);
    let starts = memory::collected(starts).map_err(out_of_memory)?;
    let columns = memory::copied(columns.as_slice()?).map_err(out_of_memory)?;
    let values = memory::copied(values.as_slice()?).map_err(out_of_memory)?;
    let (stop, threads) = (CancelFlag::default(), threads_or_all(threads));
    let mut watched = stop.clone();
    let work = move || {
        let rows = FeatureRows { starts: &starts, columns: &columns, values: &values };
        let mut run = Run::new().on_threads(threads).observed_by(&mut watched);
        features_tree(rows, metric, min_samples, &mut run)
    };
    let tree = interruptible(py, work).inspect_err(|_| stop.cancel())?;
    tree.map(Forest::of_points).map_err(points_error)
}
