//! Columns of a file or a table that are kept with the edges, as texts.

use kostra::io::{FieldType, KeptColumns};
use kostra_core::EdgeId;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::errors::out_of_memory;

/// The names of the types in Python.
const TYPES: [(FieldType, &str); 5] = [
    (FieldType::Unknown, "unknown"),
    (FieldType::Texts, "texts"),
    (FieldType::Integers, "integers"),
    (FieldType::Floats, "floats"),
    (FieldType::Booleans, "booleans"),
];

/// Kept columns, one row per edge.
#[pyclass(frozen, module = "kostra._kostra")]
pub(crate) struct Kept(pub(crate) KeptColumns);

/// A column: its name, its type, and a text per row.
type Column = (String, String, Vec<String>);

#[pymethods]
impl Kept {
    /// Makes columns of the same length.
    #[staticmethod]
    fn of_columns(columns: Vec<Column>) -> Self {
        let field_type = |name: &str| {
            let found = TYPES.iter().find(|(_, other)| *other == name);
            found.map_or(FieldType::Unknown, |(found, _)| *found)
        };
        let described = columns.iter().map(|(name, of, _)| (name.clone(), field_type(of)));
        let mut kept = KeptColumns::typed(described);
        let rows = columns.iter().map(|(.., texts)| texts.len()).min().unwrap_or_default();
        for row in 0..rows {
            columns.iter().for_each(|(.., texts)| kept.push(&texts[row]));
        }
        Self(kept)
    }

    /// The names of the columns.
    #[getter]
    fn names(&self) -> &[String] {
        self.0.names()
    }

    /// The columns.
    fn columns(&self) -> Vec<(&str, &str, Vec<&str>)> {
        let types = self.0.types().iter().filter_map(|kind| TYPES.iter().find(|(k, _)| k == kind));
        let columns = self.0.names().iter().zip(types).enumerate();
        let texts = |column: usize| {
            (0..self.0.rows()).map(move |row| self.0.row(row).nth(column).unwrap_or_default())
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
