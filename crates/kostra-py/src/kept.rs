//! Columns of a file or a table that are kept with the edges, as texts.

use kostra_core::EdgeId;
use kostra_io::{KeptColumns, KeptKind};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::errors::out_of_memory;

/// The names of the types in Python.
const TYPES: [(KeptKind, &str); 5] = [
    (KeptKind::Unknown, "unknown"),
    (KeptKind::Text, "texts"),
    (KeptKind::Integer, "integers"),
    (KeptKind::Float, "floats"),
    (KeptKind::Boolean, "booleans"),
];

/// Kept columns, one row per edge.
#[pyclass(frozen, module = "kostra._kostra")]
pub(crate) struct Kept(pub(crate) KeptColumns);

/// A column: its name, its type, and a text per row, None where a value is missing.
type Column = (String, String, Vec<Option<String>>);

#[pymethods]
impl Kept {
    /// Makes columns of the same length.
    #[staticmethod]
    fn of_columns(columns: Vec<Column>) -> Self {
        let field_type = |name: &str| {
            let found = TYPES.iter().find(|(_, other)| *other == name);
            found.map_or(KeptKind::Unknown, |(found, _)| *found)
        };
        let names = columns.iter().map(|(name, ..)| name.clone()).collect();
        let kinds = columns.iter().map(|(_, of, _)| field_type(of)).collect();
        let mut kept = KeptColumns::with_kinds(names, kinds);
        let rows = columns.iter().map(|(.., texts)| texts.len()).min().unwrap_or_default();
        for row in 0..rows {
            columns.iter().for_each(|(.., texts)| kept.push_value(texts[row].as_deref()));
        }
        Self(kept)
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> &[String] {
        self.0.names()
    }

    /// The columns.
    fn columns(&self) -> Vec<(&str, &str, Vec<Option<&str>>)> {
        let types = self.0.kinds().iter().filter_map(|kind| TYPES.iter().find(|(k, _)| k == kind));
        let columns = self.0.names().iter().zip(types).enumerate();
        let texts = |column: usize| {
            (0..self.0.rows()).map(move |row| self.0.values(row).nth(column).flatten())
        };
        columns
            .map(|(column, (name, (_, of)))| (name.as_str(), *of, texts(column).collect()))
            .collect()
    }

    /// The columns with only the rows of these edges.
    fn pick(&self, edges: PyReadonlyArray1<'_, EdgeId>) -> PyResult<Self> {
        Ok(Self(self.0.pick(edges.as_slice()?).map_err(out_of_memory)?))
    }
}
