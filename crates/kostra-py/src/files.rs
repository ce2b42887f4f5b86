//! Graphs from files and generators.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use kostra::io::{
    ColumnChoice, ColumnOptions, Format, Header, Input, MissingWeights, Nan, ReadError, ReadErrorKind,
    ReadOptions, Terms,
};
use kostra::{AnyGraph, Coordinates};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::exceptions::{PyFileNotFoundError, PyMemoryError, PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::graph::Graph;
use crate::watch::interruptible;

/// A graph, where its vertices lie, whether that is on the earth, their names, and what to know of the reading.
type Loaded<'py> = (Graph, Option<Bound<'py, PyArray2<f64>>>, bool, Option<Vec<String>>, Vec<String>);

/// A column of an edge list: a name, or a position counted from 1.
#[derive(FromPyObject)]
pub(crate) enum Column {
    Position(usize),
    Name(String),
}

impl From<Column> for ColumnChoice {
    fn from(column: Column) -> Self {
        match column {
            Column::Position(position) => Self::Position(position),
            Column::Name(name) => Self::Name(name),
        }
    }
}

/// The columns of an edge list that are chosen, and whether it has a header, if that is said.
#[derive(FromPyObject)]
pub(crate) struct Columns {
    #[pyo3(item)]
    source: Option<Column>,
    #[pyo3(item)]
    target: Option<Column>,
    #[pyo3(item)]
    weight: Option<Column>,
    #[pyo3(item)]
    header: Option<bool>,
}

impl From<Columns> for ColumnOptions {
    fn from(Columns { source, target, weight, header }: Columns) -> Self {
        let header = match header {
            None => Header::Recognize,
            Some(true) => Header::Present,
            Some(false) => Header::Absent,
        };
        Self {
            source: source.map(Into::into),
            target: target.map(Into::into),
            weight: weight.map(Into::into),
            header,
        }
    }
}

/// Reads a graph; see `Graph.read` in Python. Returns the warnings among the notes as well.
#[pyfunction]
#[pyo3(signature = (path, format, weights, columns, *, skip_nan, names, threads))]
pub(crate) fn read<'py>(
    py: Python<'py>,
    path: PathBuf,
    format: Option<&str>,
    weights: Option<&str>,
    columns: Columns,
    skip_nan: bool,
    names: bool,
    threads: Option<usize>,
) -> PyResult<(Loaded<'py>, Vec<String>)> {
    let options = ReadOptions {
        format: format.map(str::parse::<Format>).transpose().map_err(PyValueError::new_err)?,
        missing_weights: weights.map(|weights| match weights {
            "hash" => MissingWeights::Hash,
            "distance" => MissingWeights::Distance,
            _ => MissingWeights::Unit,
        }),
        nan: if skip_nan { Nan::Skip } else { Nan::Error },
        names,
        columns: columns.into(),
        terms: Terms::Python,
        threads: threads.unwrap_or(0),
    };
    let loaded = interruptible(py, move || kostra::io::read(&Input::Path(path), &options, &|_| {}))?;
    let loaded = loaded.map_err(|error| explain(&error))?;
    Ok((shown(py, loaded.graph, loaded.coordinates, loaded.names, loaded.notes), loaded.warnings))
}

/// Makes a graph; see `Graph.generate` in Python.
#[pyfunction]
pub(crate) fn generate(py: Python<'_>, spec: String) -> PyResult<Loaded<'_>> {
    let made = interruptible(py, move || kostra::generate::generate(&spec))?;
    let made = made.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(shown(py, made.graph, made.coordinates, None, Vec::new()))
}

fn shown(
    py: Python<'_>,
    graph: AnyGraph,
    coordinates: Option<Coordinates>,
    names: Option<Vec<String>>,
    notes: Vec<String>,
) -> Loaded<'_> {
    let geographic = matches!(coordinates, Some(Coordinates::Geographic(_)));
    let points = coordinates.map(|coordinates| Array2::from(coordinates.points().to_vec()).into_pyarray(py));
    (Graph(Arc::new(graph)), points, geographic, names, notes)
}

fn explain(error: &ReadError) -> PyErr {
    let message = error.to_string().replace("with --format", "as the format");
    match &error.kind {
        ReadErrorKind::Io(cause) if cause.kind() == ErrorKind::NotFound => {
            PyFileNotFoundError::new_err(message)
        }
        ReadErrorKind::Io(_) => PyOSError::new_err(message),
        ReadErrorKind::OutOfMemory { .. } => PyMemoryError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}
