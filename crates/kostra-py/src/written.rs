//! Writing forests to files, as the command does.

use std::path::PathBuf;

use kostra::forest_file::{self, ForestFileError, ForestFormat};
use kostra::newick::write_dendrogram;
use kostra::picture::{BOTTLENECKS, Picture, PictureFormat, Shown};
use kostra_core::{AnyGraph, Coordinates, EdgeId, memory};
use kostra_io::{Outgoing, Output, WriteError, write_atomically};
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{os_error, out_of_memory};
use crate::forest::Forest;
use crate::graph::Graph;
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
    /// The positions on each edge's line, as JSON.
    lines: Option<Vec<String>>,
    /// The columns that are kept with the edges.
    kept: Option<PyRef<'py, Kept>>,
}

/// A picture of a forest in the format `svg`, `png` or `html`, with the coordinates and the names
/// of `details`.
#[pyfunction]
pub(crate) fn draw_forest<'py>(
    py: Python<'py>,
    forest: &Forest,
    details: Details<'_>,
    format: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let Details { names, coordinates, geographic, .. } = details;
    let coordinates = coordinates.map(|points| positions(&points, geographic));
    let format = PictureFormat::named(format).ok_or_else(|| PyValueError::new_err("no picture"))?;
    let (edges, order) = (forest.graph().map_err(out_of_memory)?, forest.order());
    let (bottlenecks, coordinates) = (BOTTLENECKS, coordinates.as_ref());
    let names = names.as_deref();
    let bytes = py.detach(|| -> std::io::Result<_> {
        let forest: Vec<_> = (0..edges.edges() as EdgeId).collect();
        let shown = Shown { graph: edges, forest: &forest, order, bottlenecks, coordinates, names };
        let mut bytes = Vec::new();
        Picture::new(&shown).write(format, &mut bytes)?;
        Ok(bytes)
    })?;
    Ok(PyBytes::new(py, &bytes))
}

/// Writes bytes to a file, which appears whole or not at all, and is compressed by its extension.
#[pyfunction]
pub(crate) fn write_bytes(path: PathBuf, bytes: &[u8]) -> PyResult<()> {
    let written = write_atomically(&Output::Path(path), |to| to.write_all(bytes));
    written.map_err(|error| write_error(&error))
}

fn write_error(error: &WriteError) -> PyErr {
    match error {
        WriteError::Io { output, cause } => os_error(cause, output, error),
        _ => PyValueError::new_err(error.to_string()),
    }
}

fn positions(points: &PyReadonlyArray2<'_, f64>, geographic: bool) -> Coordinates {
    let points = points.as_array();
    let points = points.rows().into_iter().map(|point| [point[0], point[1]]).collect();
    if geographic { Coordinates::Geographic(points) } else { Coordinates::Planar(points) }
}

/// The dendrogram of merges of two clusters each, at these distances, in Newick.
#[pyfunction]
pub(crate) fn newick(
    py: Python<'_>,
    merges: Vec<[usize; 2]>,
    distances: Vec<f64>,
    names: Option<Vec<String>>,
) -> PyResult<String> {
    let text = py.detach(|| -> std::io::Result<_> {
        let mut text = Vec::new();
        write_dendrogram(&mut text, &merges, &distances, names.as_deref())?;
        String::from_utf8(text).map_err(std::io::Error::other)
    });
    text.map_err(|error| PyValueError::new_err(error.to_string()))
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
    let (edges, ids) = forest.edges_and_ids().map_err(out_of_memory)?;
    let ids = memory::collected(ids.iter().map(|&id| u64::from(id))).map_err(out_of_memory)?;
    write(py, (edges, &ids), path, format, details)
}

/// Writes all edges of a graph, as [`write_forest`] writes those of a forest.
#[pyfunction]
pub(crate) fn write_graph(
    py: Python<'_>,
    graph: &Graph,
    path: PathBuf,
    format: Option<String>,
    details: Details<'_>,
) -> PyResult<bool> {
    let ids = memory::collected(0..graph.0.edges()).map_err(out_of_memory)?;
    let ids: Vec<u64> = ids.into_iter().map(|id| id as u64).collect();
    write(py, (&graph.0, &ids), path, format, details)
}

fn write(
    py: Python<'_>,
    (edges, ids): (&AnyGraph, &[u64]),
    path: PathBuf,
    format: Option<String>,
    details: Details<'_>,
) -> PyResult<bool> {
    let Details { names, text_names, coordinates, geographic, lines, kept } = details;
    let lines: Option<Vec<Box<str>>> =
        lines.map(|lines| lines.into_iter().map(Into::into).collect());
    let coordinates = coordinates.map(|points| positions(&points, geographic));
    let format = match format {
        Some(id) => ForestFormat::by_id(&id).ok_or_else(|| {
            format!("format is {id:?}; use one of {}", ForestFormat::all_extensions())
        }),
        None => ForestFormat::by_path(&path).map_err(|error| error.to_string()),
    };
    let format = format.map_err(|error| {
        let ids = ForestFormat::all_ids();
        let sentence = format!(
            "{error}, .svg, .png, .html, or pass `format` with one of {ids}, svg, png, html"
        );
        PyValueError::new_err(sentence)
    })?;
    let output = Output::Path(path);
    if kept.is_some() && !format.keeps_columns() {
        let title = format.title();
        return Err(PyValueError::new_err(format!(
            "{output}: {title} holds no kept columns; write .csv, .parquet, .geojson or .graphml, \
             or pass `keep=False` to leave them out"
        )));
    }
    let outgoing = Outgoing {
        names: names.as_deref(),
        text_names,
        coordinates: coordinates.as_ref(),
        kept: kept.as_deref().map(|kept| &kept.0),
        lines: lines.as_deref(),
        ..edges.into()
    };
    let written = py.detach(|| forest_file::write_all(&output, format, outgoing, ids));
    written.map_err(|error| match error {
        ForestFileError::Write(error) => write_error(&error),
        ForestFileError::EqualColumns { .. } => PyValueError::new_err(format!(
            "{error}; rename the kept column, or pass `keep=False` to leave it out"
        )),
        error => PyValueError::new_err(error.to_string()),
    })?;
    Ok(names.is_some() && format.graph().is_some_and(|format| !format.holds_names()))
}
