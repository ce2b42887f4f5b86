//! Reading `.npy` files.

use super::array::{Array, At};
use crate::columns::{Columns, TextNumber};
use crate::compression::Stream;
use crate::fault::Fault;
use crate::formats::is_similarity;
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
    if let [(u, first), (v, second), rest @ ..] = &*fields
        && NAMES_OF_ENDS.contains(&[*u, *v])
        && rest.len() < 2
        && options.array != Some(ArrayContent::Matrix)
    {
        let weight = rest.first();
        let places: Vec<_> =
            [first, second].into_iter().chain(weight.map(|(_, array)| array)).collect();
        let places: Vec<_> = places.into_iter().map(|array| (array, 0)).collect();
        let similarity = weight.map(|(name, _)| *name).filter(|name| is_similarity(name));
        let parsed = read_edges(&places, options)?;
        return Ok(Parsed { similarity: similarity.map(str::to_owned), ..parsed });
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
            place: |row, column| Place::Byte(array.offset(row, column) as u64),
            epsilon: array.epsilon(),
        };
        return matrix.graph(options);
    }
    let places: Vec<_> = (0..array.columns).map(|column| (&array, column)).collect();
    read_edges(&places, options)
}

/// The names of the fields that are the ends of edges, in a structured array.
const NAMES_OF_ENDS: [[&str; 2]; 6] = [
    ["u", "v"],
    ["source", "target"],
    ["from", "to"],
    ["src", "dst"],
    ["start", "end"],
    ["row", "col"],
];

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
