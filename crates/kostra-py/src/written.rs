//! Writing forests to files, as the command does.

use std::path::PathBuf;

use kostra::io::{Output, WriteError, write_atomically};
use kostra_cli::{FoundForest, PictureFormat};
use kostra_core::{Coordinates, memory};
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{os_error, out_of_memory};
use crate::forest::Forest;
use crate::kept::Kept;

/// What is written with a forest: a dictionary in Python.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Details<'py> {
    /// The names of the vertices.
    names: Option<Vec<String>>,
    /// Whether the names are text in Python.
    text_names: bool,
    /// An array of n by 2.
    coordinates: Option<PyReadonlyArray2<'py, f64>>,
    /// Whether the coordinates are longitudes and latitudes.
    geographic: bool,
    /// The columns that are kept with the edges.
    kept: Option<PyRef<'py, Kept>>,
}

/// A picture of a forest in the format `svg`, `png` or `html`. `coordinates` is None or an array of
/// n by 2.
#[pyfunction]
pub(crate) fn draw_forest<'py>(
    py: Python<'py>,
    forest: &Forest,
    coordinates: Option<PyReadonlyArray2<'_, f64>>,
    geographic: bool,
    format: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let coordinates = coordinates.map(|points| positions(&points, geographic));
    let format = PictureFormat::named(format).ok_or_else(|| PyValueError::new_err("no picture"))?;
    let (edges, order) = (forest.graph().map_err(out_of_memory)?, forest.order());
    let bytes =
        py.detach(|| kostra_cli::draw_forest(edges, order, coordinates.as_ref(), format))?;
    Ok(PyBytes::new(py, &bytes))
}

/// Writes bytes to a file, which appears whole or not at all, and is compressed by its extension.
#[pyfunction]
pub(crate) fn write_bytes(path: PathBuf, bytes: &[u8]) -> PyResult<()> {
    let written = write_atomically(&Output::Path(path), |to| to.write_all(bytes));
    written.map_err(|error| match &error {
        WriteError::Io { output, cause } => os_error(cause, output, &error),
        WriteError::Unrepresentable { .. } => PyValueError::new_err(error.to_string()),
    })
}

fn positions(points: &PyReadonlyArray2<'_, f64>, geographic: bool) -> Coordinates {
    let points = points.as_array();
    let points = points.rows().into_iter().map(|point| [point[0], point[1]]).collect();
    if geographic { Coordinates::Geographic(points) } else { Coordinates::Planar(points) }
}

/// Writes a forest; see `Forest.write` in Python. Returns whether the file has numbers in place of
/// the names of vertices.
#[pyfunction]
pub(crate) fn write_forest(
    py: Python<'_>,
    forest: &Forest,
    path: PathBuf,
    format: Option<String>,
    details: Details<'_>,
) -> PyResult<bool> {
    let Details { names, text_names, coordinates, geographic, kept } = details;
    let (edges, ids) = forest.edges_and_ids().map_err(out_of_memory)?;
    let ids = memory::collected(ids.iter().map(|&id| u64::from(id))).map_err(out_of_memory)?;
    let coordinates = coordinates.map(|points| positions(&points, geographic));
    let found = FoundForest {
        edges,
        ids: &ids,
        names: names.as_deref(),
        text_names,
        coordinates: coordinates.as_ref(),
        kept: kept.as_deref().map(|kept| &kept.0),
    };
    py.detach(|| found.write_file(&path, format.as_deref())).map_err(|error| {
        let of_system = error.chain().find_map(|cause| match cause.downcast_ref() {
            Some(error @ WriteError::Io { output, cause }) => Some(os_error(cause, output, error)),
            _ => None,
        });
        of_system.unwrap_or_else(|| PyValueError::new_err(format!("{error:#}")))
    })
}
