//! Reading `.npy` files.

use super::array::{Array, At};
use crate::column_choice::{Chooser, Chosen, similarity};
use crate::columns::{Columns, TextNumber};
use crate::compression::Stream;
use crate::fault::Fault;
use crate::fields::left_out;
use crate::interface::{Parsed, Vertices};
use crate::matrix::Matrix;
use crate::message::{Remedy, message};
use crate::weights::RawGraph;
use crate::{ArrayContent, Nan, Place, ReadErrorKind, ReadOptions, occurring, whole};

/// Reads a graph.
pub(super) fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    read_bytes(&whole::bytes(&mut stream)?, options)
}

/// Reads the graph of an array in memory.
pub(super) fn read_bytes(bytes: &[u8], options: &ReadOptions) -> Result<Parsed, Fault> {
    let fields = Array::fields(bytes).map_err(at_byte)?;
    if fields.len() > 1 && options.array != Some(ArrayContent::Matrix) {
        let columns: Vec<_> = fields.iter().map(|(name, array)| (*name, array, 0)).collect();
        return read_columns(&columns, options);
    }
    if let Some(option) = options.columns.first_used() {
        return Err(ReadErrorKind::question(message![
            Remedy::option(option),
            " applies to several arrays with names, such as u, v and weight; omit it",
        ])
        .into());
    }
    let array = Array::parse(bytes).map_err(at_byte)?;
    if content(&array, options)? == ArrayContent::Matrix {
        if matches!(options.vertices, Vertices::Count(_)) {
            return Err(Fault::whole(message![
                format!("the matrix has {} rows; omit ", array.rows),
                Remedy::option("vertices"),
            ]));
        }
        let matrix = Matrix {
            size: array.rows,
            value: |row, column| Some(array.number(row, column)),
            place: &|row, column| Place::Byte(array.offset(row, column) as u64),
            epsilon: array.epsilon(),
        };
        return matrix.graph(options);
    }
    let places: Vec<_> = (0..array.columns).map(|column| (&array, column)).collect();
    read_edges(&places, options)
}

/// The name of an array, the array, and a column of it.
pub(super) type Column<'a> = (&'a str, &'a Array<'a>, usize);

/// Reads edges from columns, whose names tell which are the ends and the weight.
pub(super) fn read_columns(columns: &[Column<'_>], options: &ReadOptions) -> Result<Parsed, Fault> {
    // SciPy calls the ends of a sparse matrix so.
    let names: Vec<&[u8]> = columns
        .iter()
        .map(|(name, ..)| match name.as_bytes() {
            b"row" => b"source",
            b"col" => b"target",
            name => name,
        })
        .collect();
    let rows = columns.first().map_or(0, |(_, array, _)| array.rows);
    let first = |(_, array, column): &Column<'_>| array.number(0, *column).to_string();
    let row: Vec<String> = columns.iter().filter(|_| rows > 0).map(first).collect();
    let row: Vec<&[u8]> = row.iter().map(String::as_bytes).collect();
    let count = names.len();
    let names = Some(&*names);
    let chooser = Chooser { names, row: &row, columns: count, third_is_weight: false, options };
    let Chosen { u, v, weight } = chooser.choose()?;
    let chosen: Vec<usize> = [u, v].into_iter().chain(weight).collect();
    let places = chosen.iter().filter_map(|&at| columns.get(at));
    let places: Vec<_> = places.map(|(_, array, column)| (*array, *column)).collect();
    let mut parsed = read_edges(&places, options)?;
    parsed.notes.extend(left_out(count, names, chosen));
    parsed.similarity = similarity(weight.and_then(|column| names?.get(column).copied()));
    Ok(parsed)
}

/// Reads a graph whose edges are rows: the ends and perhaps the weight are in these arrays, each
/// in a column.
fn read_edges(places: &[(&Array<'_>, usize)], options: &ReadOptions) -> Result<Parsed, Fault> {
    if let Some(option) = options.first_of_matrix() {
        let sentence = message![Remedy::option(option), " applies to matrices; omit it"];
        return Err(ReadErrorKind::question(sentence).into());
    }
    let mut columns = Columns::default();
    add_edges(places, options, &mut columns)?;
    let (vertices, names) = occurring::vertices_of(&mut columns, options)?;
    let weighted = places.len() == 3;
    let mut notes = Vec::new();
    let vertices = usize::try_from(vertices).unwrap_or(usize::MAX);
    let graph = RawGraph::new(vertices, columns, weighted).build(options, &mut notes)?;
    let names_are_ids = names.is_some();
    Ok(Parsed { names, names_are_ids, ..Parsed::new(graph, notes) })
}

fn at_byte((byte, sentence): (usize, String)) -> Fault {
    Fault::at_byte(byte as u64, sentence)
}

/// What the array contains, by its shape or the options.
fn content(array: &Array<'_>, options: &ReadOptions) -> Result<ArrayContent, Fault> {
    let (rows, columns) = (array.rows, array.columns);
    let may_be_matrix = array.shape.len() == 2 && rows == columns;
    let may_be_edges = array.shape.len() == 2 && matches!(columns, 2 | 3);
    match (may_be_matrix, may_be_edges, options.array) {
        (true, _, Some(ArrayContent::Matrix)) | (true, false, None) => Ok(ArrayContent::Matrix),
        (_, true, Some(ArrayContent::Edges)) | (false, true, None) => Ok(ArrayContent::Edges),
        (true, true, None) => {
            let sentence = message![
                format!("is this array of {rows} x {columns} values a matrix of weights"),
                " or a list of edges? pass ",
                Remedy::text("array", "matrix"),
                " or ",
                Remedy::text("array", "edges"),
            ];
            Err(ReadErrorKind::question(sentence).into())
        }
        _ => Err(Fault::whole(format!(
            "the array has {rows} x {columns} values; save an n x n matrix of weights, or an m x 3 \
             array of two vertices and a weight"
        ))),
    }
}

fn at_row(array: &Array<'_>, row: usize, kind: ReadErrorKind) -> Fault {
    Fault { place: Some(Place::Byte(array.offset(row, 0) as u64)), kind }
}

/// Adds the edge of each row.
fn add_edges(
    places: &[(&Array<'_>, usize)],
    options: &ReadOptions,
    columns: &mut Columns,
) -> Result<(), Fault> {
    let [(first, u), (second, v), rest @ ..] = places else { return Ok(()) };
    let mut edge = Columns::default();
    for row in 0..first.rows {
        let ends: At<[u32; 2]> =
            first.vertex(row, *u).and_then(|u| Ok([u, second.vertex(row, *v)?]));
        let [u, v] = ends.map_err(at_byte)?;
        edge.push_ends(u, v);
        if let [(array, column)] = rest {
            let weight = array.number(row, *column);
            if options.nan == Nan::Error && matches!(weight, TextNumber::Float(w) if w.is_nan()) {
                let fault = format!("the weight in row {row} is NaN; fix it, or pass ");
                let sentence = message![fault, Remedy::skip_nan()];
                return Err(Fault::at_byte(array.offset(row, *column) as u64, sentence));
            }
            edge.push_weight(weight);
        }
        let joined = columns.join(&mut edge, usize::MAX, |edge| edge);
        joined.map_err(|fault| at_row(first, row, fault.kind))?;
    }
    Ok(())
}
