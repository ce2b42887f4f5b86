//! Writing forests to files, as the command does.

use std::path::PathBuf;

use kostra::io::{Output, WriteError, write_atomically};
use kostra_cli::FoundForest;
use kostra_core::{Coordinates, memory};
use numpy::PyReadonlyArray2;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::errors::out_of_memory;
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

/// Writes a text to a file, which appears whole or not at all, and is compressed by its extension.
#[pyfunction]
pub(crate) fn write_text(path: PathBuf, text: &str) -> PyResult<()> {
    write_atomically(&Output::Path(path), |to| to.write_all(text.as_bytes()))
        .map_err(|error| exception(error.to_string(), matches!(error, WriteError::Io { .. })))
}

/// Writes a forest; see `Forest.write` in Python.
#[pyfunction]
pub(crate) fn write_forest(
    py: Python<'_>,
    forest: &Forest,
    path: PathBuf,
    format: Option<String>,
    details: Details<'_>,
) -> PyResult<()> {
    let Details { names, text_names, coordinates, geographic, kept } = details;
    let (edges, ids) = forest.edges_and_ids();
    let ids = memory::collected(ids.iter().map(|&id| u64::from(id))).map_err(out_of_memory)?;
    let coordinates = coordinates.map(|points| {
        let points = points.as_array();
        let points = points.rows().into_iter().map(|point| [point[0], point[1]]).collect();
        if geographic { Coordinates::Geographic(points) } else { Coordinates::Planar(points) }
    });
    let found = FoundForest {
        edges,
        ids: &ids,
        names: names.as_deref(),
        text_names,
        coordinates: coordinates.as_ref(),
        kept: kept.as_deref().map(|kept| &kept.0),
    };
    py.detach(|| found.write_file(&path, format.as_deref())).map_err(|error| {
        let is_of_system = |cause: &(dyn std::error::Error + 'static)| {
            matches!(cause.downcast_ref(), Some(WriteError::Io { .. }))
        };
        exception(format!("{error:#}"), error.chain().any(is_of_system))
    })
}

/// The exception for a failed write. `of_system` tells failures of the system from wrong arguments.
fn exception(message: String, of_system: bool) -> PyErr {
    if of_system { PyOSError::new_err(message) } else { PyValueError::new_err(message) }
}
