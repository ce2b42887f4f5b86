//! Graphs from files and generators.

use std::path::PathBuf;
use std::sync::Arc;

use kostra_core::Coordinates;
use kostra_gen::SpecError;
use kostra_io::{
    ArrayContent, BoundingBox, ColumnChoice, ColumnOptions, Delimiter, Format, Header, Input,
    Message, MissingWeights, Nan, Parsed, ReadError, ReadErrorKind, ReadOptions, Remedy,
    RemedyValue, RoadOptions, Vertices, parse_format,
};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::exceptions::{PyMemoryError, PyValueError};
use pyo3::prelude::*;

use crate::errors::os_error;
use crate::graph::Graph;
use crate::kept::Kept;
use crate::watch::interruptible;

/// A graph for Python: a dictionary.
#[derive(IntoPyObject)]
pub(crate) struct LoadedDict<'py> {
    graph: Graph,
    /// The coordinates of its vertices.
    coordinates: Option<Bound<'py, PyArray2<f64>>>,
    /// Whether these are longitudes and latitudes.
    geographic: bool,
    names: Option<Vec<String>>,
    /// Whether the names are integers of the input.
    names_are_ids: bool,
    kept: Option<Kept>,
    /// The positions on each edge's line, as JSON.
    lines: Option<Vec<String>>,
    /// The name of the weights, if it says that greater ones are nearer.
    similarity: Option<String>,
    /// Why the edges have no directions, or nothing if they lead from their first ends.
    undirected: Option<String>,
    /// Notes about the input.
    notes: Vec<String>,
    /// The notes that are warnings.
    warnings: Vec<String>,
}

/// A column of an edge list: a name or a position, counted from 1.
#[derive(FromPyObject)]
pub(crate) enum ColumnArgument {
    Position(usize),
    Name(String),
}

impl From<ColumnArgument> for ColumnChoice {
    fn from(column: ColumnArgument) -> Self {
        match column {
            ColumnArgument::Position(position) => Self::Position(position),
            ColumnArgument::Name(name) => Self::Name(name),
        }
    }
}

/// The keyword arguments of `Graph.read` in Python.
#[derive(FromPyObject)]
pub(crate) struct ReadKeywords {
    #[pyo3(item)]
    format: Option<String>,
    #[pyo3(item)]
    weights: Option<String>,
    #[pyo3(item)]
    skip_nan: bool,
    #[pyo3(item)]
    names: bool,
    #[pyo3(item)]
    threads: Option<usize>,
    #[pyo3(item)]
    source: Option<ColumnArgument>,
    #[pyo3(item)]
    target: Option<ColumnArgument>,
    #[pyo3(item)]
    weight: Option<ColumnArgument>,
    #[pyo3(item)]
    id: Option<ColumnArgument>,
    #[pyo3(item)]
    keep: Vec<ColumnArgument>,
    /// Whether all columns are kept.
    #[pyo3(item)]
    keep_all: bool,
    #[pyo3(item)]
    header: Option<bool>,
    #[pyo3(item)]
    columns: Option<Vec<String>>,
    #[pyo3(item)]
    delimiter: Option<String>,
    #[pyo3(item)]
    decimal_comma: bool,
    #[pyo3(item)]
    thousands: bool,
    #[pyo3(item)]
    vertices: Option<u32>,
    #[pyo3(item)]
    highway: Vec<String>,
    /// West, south, east and north, in degrees.
    #[pyo3(item)]
    bbox: Option<[f64; 4]>,
    #[pyo3(item)]
    array: Option<String>,
    #[pyo3(item)]
    zeros: Option<String>,
    #[pyo3(item)]
    negatives: Option<String>,
    #[pyo3(item)]
    sheet: Option<String>,
    #[pyo3(item)]
    links: Option<String>,
}

impl ReadKeywords {
    fn options(self) -> Result<ReadOptions, String> {
        let columns = ColumnOptions {
            source: self.source.map(Into::into),
            target: self.target.map(Into::into),
            weight: self.weight.map(Into::into),
            id: self.id.map(Into::into),
            keep: match self.keep_all {
                true => vec![ColumnChoice::NameOrPosition("all".to_owned())],
                false => self.keep.into_iter().map(Into::into).collect(),
            },
            header: match self.header {
                None => Header::Recognize,
                Some(true) => Header::Present,
                Some(false) => Header::Absent,
            },
            names: self.columns,
            delimiter: self
                .delimiter
                .map(|text| {
                    let wrong = |what| format!("delimiter is {text:?}: {what}");
                    text.parse::<Delimiter>().map_err(wrong)
                })
                .transpose()?,
            decimal_comma: self.decimal_comma,
            thousands: self.thousands,
        };
        let bbox = self.bbox.map(|[west, south, east, north]| {
            let wrong = |what| format!("bbox: {what}");
            format!("{west},{south},{east},{north}").parse::<BoundingBox>().map_err(wrong)
        });
        let format = self.format.map(|format| parse_format(&format)).transpose()?;
        Ok(ReadOptions {
            format: format.map(|(format, _)| format),
            raw: format.and_then(|(_, raw)| raw),
            missing_weights: self.weights.map(|weights| match weights.as_str() {
                "hash" => MissingWeights::Hash,
                "distance" => MissingWeights::Distance,
                _ => MissingWeights::Unit,
            }),
            nan: if self.skip_nan { Nan::Skip } else { Nan::Error },
            names: self.names,
            vertices: self.vertices.map_or(Vertices::Occurring, Vertices::Count),
            array: self.array.map(|array| match array.as_str() {
                "matrix" => ArrayContent::Matrix,
                _ => ArrayContent::Edges,
            }),
            zeros: self.zeros.map(|zeros| zeros.parse()).transpose()?,
            negatives: self.negatives.map(|negatives| negatives.parse()).transpose()?,
            sheet: self.sheet,
            links: self.links.map(|links| links.parse()).transpose()?,
            columns,
            roads: RoadOptions { highway: self.highway, bbox: bbox.transpose()? },
            threads: self.threads.unwrap_or(0),
            // A graph in Python must not change when its file changes.
            copy: true,
            vertex_weights: false,
            terminals: false,
        })
    }
}

/// Reads a graph; see `Graph.read` in Python.
#[pyfunction]
pub(crate) fn read(
    py: Python<'_>,
    path: PathBuf,
    arguments: ReadKeywords,
) -> PyResult<LoadedDict<'_>> {
    let options = arguments.options().map_err(PyValueError::new_err)?;
    let loaded = interruptible(py, move || kostra_io::read(&Input::Path(path), &options, &|_| {}))?;
    let loaded = loaded.map_err(|error| explain(&error))?;
    Ok(LoadedDict::new(py, Some(loaded.format), loaded.parsed))
}

/// The graph of a matrix in the bytes of a `.npy` file; see `Graph.from_matrix` in Python.
#[pyfunction]
pub(crate) fn read_matrix(
    py: Python<'_>,
    bytes: Vec<u8>,
    zeros: Option<String>,
    negatives: Option<String>,
) -> PyResult<LoadedDict<'_>> {
    let meaning = |text: Option<String>| {
        text.map(|text| text.parse()).transpose().map_err(PyValueError::new_err)
    };
    let options = ReadOptions {
        array: Some(ArrayContent::Matrix),
        zeros: meaning(zeros)?,
        negatives: meaning(negatives)?,
        ..ReadOptions::default()
    };
    let loaded = interruptible(py, move || kostra_io::read_bytes("matrix", &bytes, &options))?;
    let loaded = loaded.map_err(|error| explain(&ReadError { place: None, ..error }))?;
    Ok(LoadedDict::new(py, Some(loaded.format), loaded.parsed))
}

/// Whether weights of this name are greater where vertices are nearer.
#[pyfunction]
pub(crate) fn is_similarity(name: &str) -> bool {
    kostra_io::is_similarity(name)
}

/// Generates a graph; see `Graph.generate` in Python.
#[pyfunction]
pub(crate) fn generate(py: Python<'_>, spec: String) -> PyResult<LoadedDict<'_>> {
    let made = interruptible(py, move || kostra_gen::generate(&spec))?;
    let made = made.map_err(|error| match error {
        SpecError::OutOfMemory { .. } => PyMemoryError::new_err(error.to_string()),
        error => PyValueError::new_err(error.to_string()),
    })?;
    let parsed = Parsed::new(made.graph, Vec::new());
    Ok(LoadedDict::new(py, None, Parsed { coordinates: made.coordinates, ..parsed }))
}

impl<'py> LoadedDict<'py> {
    fn new(py: Python<'py>, format: Option<Format>, parsed: Parsed) -> Self {
        let coordinates = parsed.coordinates.as_ref();
        let notes = spelled(&parsed.notes);
        let undirected = kostra_io::take_directions(format, &mut notes.clone()).err();
        Self {
            geographic: matches!(coordinates, Some(Coordinates::Geographic(_))),
            coordinates: coordinates
                .map(|all| Array2::from(all.points().to_vec()).into_pyarray(py)),
            graph: Graph(Arc::new(parsed.graph)),
            names: parsed.names,
            names_are_ids: parsed.names_are_ids,
            kept: parsed.kept.map(Kept),
            lines: parsed.lines.map(|lines| lines.into_iter().map(String::from).collect()),
            similarity: parsed.similarity,
            undirected: undirected.map(|reason| reason.to_string()),
            notes,
            warnings: spelled(&parsed.warnings),
        }
    }
}

fn spelled(messages: &[Message]) -> Vec<String> {
    messages.iter().map(|message| message.spelled(spell)).collect()
}

/// A remedy as a keyword argument: `weight="km"`.
fn spell(remedy: &Remedy) -> String {
    let Remedy::Option { option, value } = remedy else {
        return "`kostra.euclidean_mst`".to_owned();
    };
    let keyword = option.strip_prefix("no-").unwrap_or(option).replace('-', "_");
    match value {
        RemedyValue::Unsaid => format!("`{keyword}`"),
        RemedyValue::On if option.starts_with("no-") => format!("`{keyword}=False`"),
        RemedyValue::On => format!("`{keyword}=True`"),
        RemedyValue::Text(text) => format!("`{keyword}={text:?}`"),
        RemedyValue::Position(at) if keyword == "keep" => format!("`{keyword}=[{at}]`"),
        RemedyValue::Position(at) => format!("`{keyword}={at}`"),
        RemedyValue::Bytes(bytes) => format!("`{keyword}={bytes}`"),
    }
}

fn explain(error: &ReadError) -> PyErr {
    let message = error.spelled(spell);
    match &error.kind {
        ReadErrorKind::Io(cause) => os_error(cause, &error.input, error),
        ReadErrorKind::OutOfMemory { .. } => PyMemoryError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}
