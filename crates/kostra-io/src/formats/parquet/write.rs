//! Writing a table of edges: the columns `edge`, `u`, `v` and `weight`, and those that are kept.
//!
//! Vertices, edge ids and texts without a type that are all integers are stored as 64-bit integers,
//! because every reader of Parquet knows these. Kept columns can have missing values. Snappy
//! compresses the columns.

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
use crate::interface::{Outgoing, Writer};
use crate::{KeptKind, KeptRows};

/// The most rows of a group.
const GROUP_ROWS: usize = 1 << 20;

/// A column, and the function that returns the value of a row.
pub(super) struct Column<'a> {
    pub(super) name: &'a str,
    pub(super) values: Values<'a>,
    /// Whether a row has no value, if some rows have none.
    missing: Option<ValueOf<'a, bool>>,
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
    let columns = columns(outgoing)?;
    Ok(Box::new(move |to| {
        let vertices = outgoing.graph.vertices().to_string();
        let vertices = KeyValue::new(VERTICES.to_owned(), vertices);
        let metadata = outgoing.names.is_none().then(|| vec![vertices]);
        write("edges", outgoing.graph.edges(), &columns, metadata, to)
    }))
}

fn columns(outgoing: Outgoing<'_>) -> Result<Vec<Column<'_>>, String> {
    let mut columns = Vec::new();
    let graph = outgoing.graph;
    if let Some(ids) = outgoing.edge_ids {
        let id = move |edge: usize| ids.get(edge).map_or(0, |&id| id as i64);
        columns.push(integers("edge", id));
    }
    let names = outgoing.names.unwrap_or_default();
    if let Some(vertex) = names.iter().position(String::is_empty) {
        return Err(format!(
            "vertex {vertex} (counted from 0) has an empty name, which readers take as a missing \
             one; rename it, or write graphml"
        ));
    }
    let integer_names = outgoing.has_integer_names();
    for (name, ends) in [("u", graph.u()), ("v", graph.v())] {
        let end = move |edge: usize| ends.get(edge).copied().unwrap_or_default();
        columns.push(match outgoing.names {
            None => integers(name, move |edge| end(edge).into()),
            Some(names) => {
                let text = move |edge| names.get(end(edge) as usize).map_or("", String::as_str);
                if integer_names {
                    integers(name, move |edge| text(edge).parse().unwrap_or_default())
                } else {
                    Column::new(name, Values::Texts(Box::new(text)))
                }
            }
        });
    }
    columns.push(weight(graph));
    if let Some(rows) = outgoing.kept_rows(&["edge", "u", "v", "weight"])? {
        columns.extend(kept(&rows, graph.edges()));
    }
    Ok(columns)
}

/// The kept columns of a table with this number of rows.
pub(super) fn kept<'a>(kept: &KeptRows<'a>, rows: usize) -> Vec<Column<'a>> {
    let columns = kept.columns();
    let each = kept.names().iter().zip(kept.kinds()).enumerate();
    let column = |(index, (name, kind)): (usize, (&'a String, &KeptKind))| {
        let value = move |row: usize| columns.values(row).nth(index).flatten();
        let text = move |row: usize| value(row).unwrap_or_default();
        let values = match kind {
            KeptKind::Unknown | KeptKind::Text => Values::Texts(Box::new(text)),
            KeptKind::Float => {
                Values::Double(Box::new(move |row| text(row).parse().unwrap_or_default()))
            }
            KeptKind::Boolean => Values::Booleans(Box::new(move |row| text(row) == "true")),
            KeptKind::Integer => {
                let is_signed = |row| value(row).is_none_or(|text| text.parse::<i64>().is_ok());
                if (0..rows).all(is_signed) {
                    Values::Wide(Box::new(move |row| text(row).parse().unwrap_or_default()))
                } else {
                    let bits = move |row| text(row).parse::<u64>().unwrap_or_default() as i64;
                    Values::Unsigned(Box::new(bits))
                }
            }
        };
        let is_missing = move |row: usize| value(row).is_none();
        let missing: Option<ValueOf<'a, bool>> =
            if (0..rows).any(is_missing) { Some(Box::new(is_missing)) } else { None };
        Column { missing, ..Column::new(name, values) }
    };
    each.map(column).collect()
}

pub(super) fn integers<'a>(name: &'a str, value: impl Fn(usize) -> i64 + 'a) -> Column<'a> {
    Column::new(name, Values::Wide(Box::new(value)))
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
    Column::new("weight", values)
}

impl<'a> Column<'a> {
    /// A column in which every value is present.
    pub(super) fn new(name: &'a str, values: Values<'a>) -> Self {
        Self { name, values, missing: None }
    }

    /// The description of the column.
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
            .with_repetition(match self.missing {
                None => Repetition::REQUIRED,
                Some(_) => Repetition::OPTIONAL,
            })
            .with_logical_type(logical)
            .build()
    }

    /// Writes the values of these rows.
    fn write(
        &self,
        rows: Range<usize>,
        mut to: SerializedColumnWriter<'_>,
    ) -> Result<(), ParquetError> {
        let is_there = |row: &usize| !self.missing.as_ref().is_some_and(|missing| missing(*row));
        let levels = rows.clone().map(|row| i16::from(is_there(&row)));
        let levels: Option<Vec<i16>> = self.missing.as_ref().map(|_| levels.collect());
        let levels = levels.as_deref();
        let rows = rows.filter(is_there);
        match &self.values {
            Values::Narrow(value) => {
                let values: Vec<_> = rows.map(value).collect();
                to.typed::<Int32Type>().write_batch(&values, levels, None)
            }
            Values::Wide(value) | Values::Unsigned(value) => {
                let values: Vec<_> = rows.map(value).collect();
                to.typed::<Int64Type>().write_batch(&values, levels, None)
            }
            Values::Single(value) => {
                let values: Vec<_> = rows.map(value).collect();
                to.typed::<FloatType>().write_batch(&values, levels, None)
            }
            Values::Double(value) => {
                let values: Vec<_> = rows.map(value).collect();
                to.typed::<DoubleType>().write_batch(&values, levels, None)
            }
            Values::Booleans(value) => {
                let values: Vec<_> = rows.map(value).collect();
                to.typed::<BoolType>().write_batch(&values, levels, None)
            }
            Values::Texts(value) => {
                let values: Vec<_> = rows.map(|row| ByteArray::from(value(row))).collect();
                to.typed::<ByteArrayType>().write_batch(&values, levels, None)
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
