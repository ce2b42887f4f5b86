//! Writing a table of edges: the columns `edge`, `u`, `v` and `weight`, and those that are kept.
//!
//! Vertices, edge ids and texts that are all integers are stored as 64-bit integers, because every
//! reader of Parquet knows these. Columns have no missing values, and Snappy compresses them.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use kostra_core::AnyGraph;
use parquet::basic::{Compression, LogicalType, Repetition, Type};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DoubleType, FloatType, Int32Type, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type as Element;

use super::VERTICES;
use crate::FieldType;
use crate::interface::{Outgoing, Writer};

/// The most rows of a group.
const GROUP_ROWS: usize = 1 << 20;

/// A column, and the function that returns the value of a row.
pub(super) struct Column<'a> {
    pub(super) name: &'a str,
    pub(super) values: Values<'a>,
}

type ValueOf<'a, T> = Box<dyn Fn(usize) -> T + 'a>;

pub(super) enum Values<'a> {
    Narrow(ValueOf<'a, i32>),
    Wide(ValueOf<'a, i64>),
    /// The bits of unsigned integers.
    Unsigned(ValueOf<'a, i64>),
    Single(ValueOf<'a, f32>),
    Double(ValueOf<'a, f64>),
    Booleans(ValueOf<'a, bool>),
    Texts(ValueOf<'a, &'a str>),
}

/// Writes a graph.
pub(super) fn writer(outgoing: Outgoing<'_>) -> Result<Writer<'_>, String> {
    let columns = columns(outgoing);
    for (index, column) in columns.iter().enumerate() {
        if columns.iter().take(index).any(|other| other.name == column.name) {
            return Err(format!(
                "two columns would be called '{}'; give the kept column another name",
                column.name
            ));
        }
    }
    Ok(Box::new(move |to| {
        let vertices = outgoing.graph.vertices().to_string();
        let vertices = KeyValue::new(VERTICES.to_owned(), vertices);
        let metadata = outgoing.names.is_none().then(|| vec![vertices]);
        write("edges", outgoing.graph.edges(), &columns, metadata, to)
    }))
}

fn columns(outgoing: Outgoing<'_>) -> Vec<Column<'_>> {
    let mut columns = Vec::new();
    let graph = outgoing.graph;
    if let Some(ids) = outgoing.edge_ids {
        let id = move |edge: usize| ids.get(edge).map_or(0, |&id| id as i64);
        columns.push(integers("edge", id));
    }
    for (name, ends) in [("u", graph.u()), ("v", graph.v())] {
        let end = move |edge: usize| ends.get(edge).copied().unwrap_or_default();
        columns.push(match outgoing.names {
            None => integers(name, move |edge| end(edge).into()),
            Some(names) => texts(name, names.iter().map(String::as_str), move |edge| {
                names.get(end(edge) as usize).map_or("", String::as_str)
            }),
        });
    }
    columns.push(weight(graph));
    if let Some(kept) = outgoing.kept {
        for (index, name) in kept.names().iter().enumerate() {
            let field = move |edge: usize| kept.row(edge).nth(index).unwrap_or_default();
            let all = || (0..graph.edges()).map(field);
            columns.push(match kept.types().get(index) {
                Some(FieldType::Texts) => Column { name, values: Values::Texts(Box::new(field)) },
                Some(FieldType::Floats) if all().all(|text| float(text).is_some()) => {
                    let value = move |edge| float(field(edge)).unwrap_or(f64::NAN);
                    Column { name, values: Values::Double(Box::new(value)) }
                }
                Some(FieldType::Booleans) if all().all(|text| text.parse::<bool>().is_ok()) => {
                    let value = move |edge| field(edge) == "true";
                    Column { name, values: Values::Booleans(Box::new(value)) }
                }
                _ => texts(name, all(), field),
            });
        }
    }
    columns
}

/// A float; NaN if it is missing.
fn float(text: &str) -> Option<f64> {
    if text.is_empty() { Some(f64::NAN) } else { text.parse().ok() }
}

pub(super) fn integers<'a>(name: &'a str, value: impl Fn(usize) -> i64 + 'a) -> Column<'a> {
    Column { name, values: Values::Wide(Box::new(value)) }
}

/// A column of texts, or of integers if all texts are integers as they are written without zeros in
/// front.
pub(super) fn texts<'a>(
    name: &'a str,
    mut all: impl Iterator<Item = &'a str>,
    text: impl Fn(usize) -> &'a str + 'a,
) -> Column<'a> {
    let integer = |text: &str| text.parse().ok().filter(|value: &i64| value.to_string() == text);
    if all.all(|text| integer(text).is_some()) {
        return integers(name, move |edge| integer(text(edge)).unwrap_or_default());
    }
    Column { name, values: Values::Texts(Box::new(text)) }
}

fn weight(graph: &AnyGraph) -> Column<'_> {
    fn of<T: Copy + Default>(weights: &[T]) -> impl Fn(usize) -> T {
        |edge| weights.get(edge).copied().unwrap_or_default()
    }
    let values = match graph {
        AnyGraph::I32(graph) => Values::Narrow(Box::new(of(graph.edge_list().weights()))),
        AnyGraph::I64(graph) => Values::Wide(Box::new(of(graph.edge_list().weights()))),
        AnyGraph::F32(graph) => Values::Single(Box::new(of(graph.edge_list().weights()))),
        AnyGraph::F64(graph) => Values::Double(Box::new(of(graph.edge_list().weights()))),
        AnyGraph::U32(graph) => {
            let weight = of(graph.edge_list().weights());
            Values::Wide(Box::new(move |edge| weight(edge).into()))
        }
        AnyGraph::U64(graph) => {
            let weight = of(graph.edge_list().weights());
            Values::Unsigned(Box::new(move |edge| weight(edge) as i64))
        }
    };
    Column { name: "weight", values }
}

impl Column<'_> {
    /// The description of the column, in which every value is present.
    fn element(&self) -> Result<Element, ParquetError> {
        let (physical, logical) = match self.values {
            Values::Narrow(_) => (Type::INT32, None),
            Values::Wide(_) => (Type::INT64, None),
            Values::Unsigned(_) => (Type::INT64, Some(LogicalType::integer(64, false))),
            Values::Single(_) => (Type::FLOAT, None),
            Values::Double(_) => (Type::DOUBLE, None),
            Values::Booleans(_) => (Type::BOOLEAN, None),
            Values::Texts(_) => (Type::BYTE_ARRAY, Some(LogicalType::String)),
        };
        Element::primitive_type_builder(self.name, physical)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(logical)
            .build()
    }

    /// Writes the values of these rows.
    fn write(
        &self,
        rows: Range<usize>,
        mut to: SerializedColumnWriter<'_>,
    ) -> Result<(), ParquetError> {
        match &self.values {
            Values::Narrow(value) => {
                let values: Vec<_> = rows.map(value).collect();
                to.typed::<Int32Type>().write_batch(&values, None, None)
            }
            Values::Wide(value) | Values::Unsigned(value) => {
                let values: Vec<_> = rows.map(value).collect();
                to.typed::<Int64Type>().write_batch(&values, None, None)
            }
            Values::Single(value) => {
                let values: Vec<_> = rows.map(value).collect();
                to.typed::<FloatType>().write_batch(&values, None, None)
            }
            Values::Double(value) => {
                let values: Vec<_> = rows.map(value).collect();
                to.typed::<DoubleType>().write_batch(&values, None, None)
            }
            Values::Booleans(value) => {
                let values: Vec<_> = rows.map(value).collect();
                to.typed::<BoolType>().write_batch(&values, None, None)
            }
            Values::Texts(value) => {
                let values: Vec<_> = rows.map(|row| ByteArray::from(value(row))).collect();
                to.typed::<ByteArrayType>().write_batch(&values, None, None)
            }
        }?;
        to.close()
    }
}

/// Writes the rows of a table.
pub(super) fn write(
    name: &str,
    rows: usize,
    columns: &[Column<'_>],
    metadata: Option<Vec<KeyValue>>,
    to: &mut dyn Write,
) -> io::Result<()> {
    write_groups(name, rows, columns, metadata, to).map_err(|error| match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    })
}

fn write_groups(
    name: &str,
    rows: usize,
    columns: &[Column<'_>],
    metadata: Option<Vec<KeyValue>>,
    to: &mut dyn Write,
) -> Result<(), ParquetError> {
    let elements = columns.iter().map(|column| column.element().map(Arc::new));
    let schema = Element::group_type_builder(name);
    let schema = schema.with_fields(elements.collect::<Result<_, _>>()?).build()?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by("kostra".into())
        .set_key_value_metadata(metadata)
        .build();
    // The crate writes to memory, and the groups are passed on: it wants a writer for threads.
    let mut writer = SerializedFileWriter::new(Vec::new(), schema.into(), properties.into())?;
    for first in (0..rows).step_by(GROUP_ROWS) {
        let group_rows = first..rows.min(first + GROUP_ROWS);
        let mut group = writer.next_row_group()?;
        for column in columns {
            if let Some(writer) = group.next_column()? {
                column.write(group_rows.clone(), writer)?;
            }
        }
        group.close()?;
        to.write_all(writer.inner())?;
        writer.inner_mut().clear();
    }
    writer.finish()?;
    to.write_all(writer.inner())?;
    Ok(())
}
