//! Writing a table of edges: the columns `edge`, `u`, `v` and `weight`, and those that are kept.
//!
//! Vertices, edge ids and texts that are all integers are stored as 64-bit integers, because every
//! reader of Parquet knows these. Columns have no missing values, and Snappy compresses them.
//!
//! The crate `parquet` could write, too. Its writer is compiled for each type, with statistics,
//! indexes and encodings that no table of edges needs, and would be a twentieth of the command.

use std::io::{self, Write};
use std::ops::Range;

use kostra_core::AnyGraph;
use parquet::basic::Type;

use super::chunk::{self, Output};
use super::structure::Structure;
use super::{MAGIC, VERTICES};
use crate::interface::{Outgoing, Writer};

/// The most rows of a group.
const GROUP_ROWS: usize = 1 << 20;

/// A column, and the function that returns the value of an edge.
struct Column<'a> {
    name: &'a str,
    values: Values<'a>,
}

type ValueOf<'a, T> = Box<dyn Fn(usize) -> T + 'a>;

enum Values<'a> {
    Narrow(ValueOf<'a, i32>),
    Wide(ValueOf<'a, i64>),
    /// The bits of unsigned integers.
    Unsigned(ValueOf<'a, i64>),
    Single(ValueOf<'a, f32>),
    Double(ValueOf<'a, f64>),
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
    Ok(Box::new(move |to| write(outgoing, &columns, to)))
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
            let row = move |edge: usize| match outgoing.edge_ids {
                Some(ids) => ids.get(edge).map_or(usize::MAX, |&id| id as usize),
                None => edge,
            };
            let field = move |edge: usize| kept.row(row(edge)).nth(index).unwrap_or_default();
            columns.push(texts(name, (0..graph.edges()).map(field), field));
        }
    }
    columns
}

fn integers<'a>(name: &'a str, value: impl Fn(usize) -> i64 + 'a) -> Column<'a> {
    Column { name, values: Values::Wide(Box::new(value)) }
}

/// A column of texts, or of integers if all texts are integers as they are written without zeros in
/// front.
fn texts<'a>(
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
    fn physical_type(&self) -> i32 {
        let physical = match self.values {
            Values::Narrow(_) => Type::INT32,
            Values::Wide(_) | Values::Unsigned(_) => Type::INT64,
            Values::Single(_) => Type::FLOAT,
            Values::Double(_) => Type::DOUBLE,
            Values::Texts(_) => Type::BYTE_ARRAY,
        };
        physical as i32
    }

    /// The description of the column, in which every value is present: `SchemaElement`.
    fn element(&self) -> Structure {
        const REQUIRED: i32 = 0;
        /// The same types for older readers.
        const UTF8: i32 = 0;
        const UINT_64: i32 = 14;
        let element = Structure::default().int(1, self.physical_type()).int(3, REQUIRED);
        let element = element.text(4, self.name);
        match self.values {
            Values::Unsigned(_) => {
                let integer = Structure::default().byte(1, 64).boolean(2, false);
                element.int(6, UINT_64).structure(10, Structure::default().structure(10, integer))
            }
            Values::Texts(_) => {
                let text = Structure::default().structure(1, Structure::default());
                element.int(6, UTF8).structure(10, text)
            }
            _ => element,
        }
    }

    /// The values of these edges.
    fn values(&self, edges: Range<usize>) -> chunk::Values {
        match &self.values {
            Values::Narrow(value) => {
                chunk::Values::numbers(edges.map(|edge| value(edge).to_le_bytes()))
            }
            Values::Wide(value) | Values::Unsigned(value) => {
                chunk::Values::numbers(edges.map(|edge| value(edge).to_le_bytes()))
            }
            Values::Single(value) => {
                chunk::Values::numbers(edges.map(|edge| value(edge).to_le_bytes()))
            }
            Values::Double(value) => {
                chunk::Values::numbers(edges.map(|edge| value(edge).to_le_bytes()))
            }
            Values::Texts(value) => chunk::Values::texts(edges.map(value)),
        }
    }
}

fn write(outgoing: Outgoing<'_>, columns: &[Column<'_>], to: &mut dyn Write) -> io::Result<()> {
    /// The version of the format.
    const VERSION: i32 = 1;
    let mut output = Output::new(to);
    output.write(MAGIC)?;
    let edges = outgoing.graph.edges();
    let mut groups = Vec::new();
    for first in (0..edges).step_by(GROUP_ROWS) {
        let rows = first..edges.min(first + GROUP_ROWS);
        let count = rows.len() as i64;
        let (mut chunks, mut bytes) = (Vec::new(), 0);
        for column in columns {
            let chunk = output.write_chunk(&column.values(rows.clone()))?;
            bytes += chunk.bytes;
            chunks.push(chunk.description(column.name, column.physical_type()));
        }
        groups
            .push(Structure::default().structures(1, chunks).long(2, bytes as i64).long(3, count));
    }
    let root = Structure::default().text(4, "edges").int(5, columns.len() as i32);
    let elements = std::iter::once(root).chain(columns.iter().map(Column::element));
    let mut file = Structure::default().int(1, VERSION).structures(2, elements);
    file = file.long(3, edges as i64).structures(4, groups);
    if outgoing.names.is_none() {
        let vertices = outgoing.graph.vertices().to_string();
        file = file.structures(5, [Structure::default().text(1, VERTICES).text(2, &vertices)]);
    }
    let description = file.text(6, "kostra").end();
    output.write(&description)?;
    output.write(&(description.len() as u32).to_le_bytes())?;
    output.write(MAGIC)
}
