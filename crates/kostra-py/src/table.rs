//! Reads the columns of a table through Arrow's C data interface, as NumPy arrays. A column of
//! numbers in one chunk is used without a copy. A column in several chunks is copied once.

#![allow(unsafe_code, reason = "columns of other libraries are given by address")]

use kostra_core::{GraphError, MAX_EDGES};
use numpy::ndarray::ArrayView1;
use numpy::{Element, IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::arrow::{Schema, TableReader};
use crate::chunk::{Chunk, missing, no_value};
use crate::names::{self, StringColumn};

/// A column for Python, and NumPy's name of its type in the table if the column was converted.
type Column<'py> = (Bound<'py, PyAny>, Option<&'static str>);

/// Returns the columns of a table that `choose` selects: numbers as NumPy arrays, text
/// as [`StringColumn`].
///
/// `choose` takes the names of all columns. It returns the distinct names of the selected columns,
/// and for each of them whether it contains vertices. Vertices in several chunks are converted to
/// 32 bits if all fit, instead of being copied.
///
/// # Errors
/// Raises if `choose` raises, `exported` is not a table, a name matches no column or several, a
/// column has another type, or a row has no value.
#[pyfunction]
pub(crate) fn columns_of_table<'py>(
    exported: &Bound<'py, PyAny>,
    choose: &Bound<'py, PyAny>,
) -> PyResult<Vec<Column<'py>>> {
    let py = exported.py();
    let mut reader = TableReader::from_export(exported)?;
    let columns = labels(reader.schema()).and_then(|labels| {
        let (names, as_vertices) = choose.call1((labels,))?.extract()?;
        read(py, &mut reader, names, as_vertices)
    });
    // Dropping the reader may cancel a query.
    py.detach(|| drop(reader));
    columns
}

fn read<'py>(
    py: Python<'py>,
    reader: &mut TableReader,
    names: Vec<String>,
    as_vertices: Vec<bool>,
) -> PyResult<Vec<Column<'py>>> {
    let (count, places) = find(reader.schema(), &names)?;
    let mut columns: Vec<Vec<Chunk>> = names.iter().map(|_| Vec::new()).collect();
    let mut before = 0;
    while let Some(rows) = reader.next(py)? {
        let (offset, len) = (rows.get().offset()?, rows.get().rows()?);
        if let Some(place) = missing(rows.get(), offset..offset.saturating_add(len)) {
            let row = before + place - offset;
            return Err(PyValueError::new_err(format!(
                "row {row} of table has no value; remove such rows"
            )));
        }
        before = before.saturating_add(len);
        if before > MAX_EDGES {
            // Checked before any copy, because a stream may be infinite.
            let error = GraphError::TooManyEdges { edges: before as u64 };
            return Err(PyValueError::new_err(format!("table is too long: {error}")));
        }
        for (column, array) in columns.iter_mut().zip(rows.columns(count, &places)?) {
            let chunk = Chunk::new(array, offset, len)?;
            if len > 0 {
                column.push(chunk);
            }
        }
    }
    let types = reader.schema().children()?;
    let columns = names.into_iter().zip(as_vertices).zip(places.into_iter().zip(columns));
    let column =
        |((name, vertices), (place, chunks))| column(py, name, types[place], chunks, vertices);
    columns.map(column).collect()
}

/// The names of all columns.
fn labels(schema: &Schema) -> PyResult<Vec<String>> {
    if schema.format() != b"+s" {
        let message = format!("table must be a table, but is a column of {}", describe(schema));
        return Err(PyTypeError::new_err(message));
    }
    let label = |column: &Schema| String::from_utf8_lossy(column.name()).into_owned();
    Ok(schema.children()?.into_iter().map(label).collect())
}

/// The number of columns, and the positions of the columns `names`.
fn find(schema: &Schema, names: &[String]) -> PyResult<(usize, Vec<usize>)> {
    let columns = schema.children()?;
    let place = |name: &String| {
        let mut places =
            columns.iter().enumerate().filter(|(_, column)| column.name() == name.as_bytes());
        match (places.next(), places.count()) {
            (Some((place, _)), 0) => Ok(place),
            (Some(_), more) => Err(PyValueError::new_err(format!(
                "table has {} columns named '{name}'; rename all but one",
                more + 1
            ))),
            (None, _) => {
                let names = columns
                    .iter()
                    .map(|column| format!("'{}'", String::from_utf8_lossy(column.name())));
                let mut names: Vec<_> = names.take(MAX_LISTED_COLUMNS + 1).collect();
                if names.len() > MAX_LISTED_COLUMNS {
                    names[MAX_LISTED_COLUMNS] = "and so on".to_owned();
                }
                let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                Err(PyValueError::new_err(format!(
                    "table has no column '{name}'; columns: {names}"
                )))
            }
        }
    };
    Ok((columns.len(), names.iter().map(place).collect::<PyResult<_>>()?))
}

/// The most columns that an error lists.
const MAX_LISTED_COLUMNS: usize = 12;

/// Converts a column for Python.
fn column<'py>(
    py: Python<'py>,
    name: String,
    schema: &Schema,
    chunks: Vec<Chunk>,
    as_vertices: bool,
) -> PyResult<Column<'py>> {
    let text = names::layout(schema);
    let nothing = schema.format() == b"n";
    if !nothing
        && text.is_none()
        && (schema.dictionary().is_some() || !NUMBERS.contains(&schema.format()))
    {
        return Err(PyTypeError::new_err(format!(
            "column '{name}' contains {}; cast it to integers or floats, or to text if it contains \
             names of vertices",
            describe(schema)
        )));
    }
    let mut before = 0;
    for chunk in &chunks {
        let place =
            if nothing { Some(chunk.first) } else { missing(chunk.array(), chunk.places()) };
        if let Some(place) = place {
            return Err(no_value(&name, before + place - chunk.first));
        }
        before += chunk.rows;
    }
    if let Some(layout) = text {
        return Ok((Bound::new(py, StringColumn { name, layout, chunks })?.into_any(), None));
    }
    macro_rules! typed {
        (
            converted: $($format:literal => $type:ty, $name:literal;)*
            as_is: $($other:literal => $as_is:ty),*
        ) => {
            match schema.format() {
                $($format => {
                    if as_vertices
                        && chunks.len() > 1
                        && let Some(vertices) = py.detach(|| vertices::<$type>(&chunks))?
                    {
                        return Ok((vertices.into_pyarray(py).into_any(), Some($name)));
                    }
                    numbers::<$type>(py, chunks)?.into_any()
                })*
                $($other => numbers::<$as_is>(py, chunks)?.into_any(),)*
                b"e" => numbers::<u16>(py, chunks)?.call_method1("view", ("float16",))?,
                // Arrow's type null without rows: an empty array of any type.
                _ => numbers::<i32>(py, chunks)?.into_any(),
            }
        };
    }
    let numbers = typed!(
        converted: b"c" => i8, "int8"; b"C" => u8, "uint8";
            b"s" => i16, "int16"; b"S" => u16, "uint16";
            b"l" => i64, "int64"; b"L" => u64, "uint64";
        as_is: b"i" => i32, b"I" => u32, b"f" => f32, b"g" => f64
    );
    Ok((numbers, None))
}

/// The Arrow formats of integers and floats.
const NUMBERS: [&[u8]; 11] = [b"c", b"C", b"s", b"S", b"i", b"I", b"l", b"L", b"e", b"f", b"g"];

/// Numbers as an array: the exporter's memory for one aligned chunk, otherwise a copy.
fn numbers<T: Element + Copy>(
    py: Python<'_>,
    mut chunks: Vec<Chunk>,
) -> PyResult<Bound<'_, PyArray1<T>>> {
    if let [chunk] = chunks.as_slice()
        && chunk.numbers::<T>()?.is_aligned()
        && let Some(chunk) = chunks.pop()
    {
        let owner = Bound::new(py, chunk)?;
        let (first, rows) = (owner.get().numbers::<T>()?, owner.get().rows);
        // SAFETY: the exporter guarantees `rows` numbers, which are aligned, not written to, and
        // valid until the owner is dropped.
        let array = unsafe {
            let numbers = std::slice::from_raw_parts(first, rows);
            PyArray1::borrow_from_array(&ArrayView1::from(numbers), owner.into_any())
        };
        array.readwrite().make_nonwriteable();
        return Ok(array);
    }
    Ok(py.detach(|| joined::<T>(&chunks))?.into_pyarray(py))
}

/// Converts integers in chunks to vertices; `None` if one does not fit 32 bits.
fn vertices<T: Copy + TryInto<u32>>(chunks: &[Chunk]) -> PyResult<Option<Vec<u32>>> {
    let mut vertices = Vec::with_capacity(chunks.iter().map(|chunk| chunk.rows).sum());
    for chunk in chunks {
        let first = chunk.numbers::<T>()?;
        for row in 0..chunk.rows {
            // SAFETY: the exporter guarantees `rows` numbers, which may be unaligned.
            let Ok(vertex) = unsafe { first.add(row).read_unaligned() }.try_into() else {
                return Ok(None);
            };
            vertices.push(vertex);
        }
    }
    Ok(Some(vertices))
}

/// Copies the numbers of all chunks.
fn joined<T: Copy>(chunks: &[Chunk]) -> PyResult<Vec<T>> {
    let mut numbers: Vec<T> = Vec::with_capacity(chunks.iter().map(|chunk| chunk.rows).sum());
    for chunk in chunks {
        let (first, len) = (chunk.numbers::<T>()?.cast::<u8>(), numbers.len());
        // SAFETY: the vector has capacity for all numbers. Bytes are copied, because the numbers
        // may be unaligned.
        unsafe {
            first.copy_to_nonoverlapping(
                numbers.as_mut_ptr().add(len).cast(),
                chunk.rows * size_of::<T>(),
            );
            numbers.set_len(len + chunk.rows);
        }
    }
    Ok(numbers)
}

/// The type of a column, in words and in Arrow's format.
fn describe(schema: &Schema) -> String {
    let format = String::from_utf8_lossy(schema.format());
    let words = match (schema.dictionary(), format.as_bytes()) {
        (Some(_), _) => "categories",
        (_, b"b") => "booleans",
        (_, b"u" | b"U" | b"vu") => "text",
        (_, [b'z' | b'Z' | b'w', ..] | b"vz") => "bytes",
        (_, [b'd', ..]) => "decimals",
        (_, [b't', ..]) => "dates or times",
        (_, [b'+', ..]) => "nested values",
        (_, format) if NUMBERS.contains(&format) => "numbers",
        _ => "values",
    };
    format!("{words} (Arrow type {format:?})")
}
