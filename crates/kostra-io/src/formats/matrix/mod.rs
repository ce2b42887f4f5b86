//! Matrices as lines of text: the weight or the distance between each two vertices.
//!
//! The lines contain the whole matrix, or the part above or below the diagonal. The first line, the
//! first column, or both can be names, and a line with the number of rows can precede the matrix.
//! The text is held in memory.

mod shape;

use kostra_core::memory;

use crate::columns::TextNumber;
use crate::compression::Stream;
use crate::fault::Fault;
use crate::fields::{DividedLines, is_comment};
use crate::head::BYTE_ORDER_MARK;
use crate::interface::{Format, FormatInfo, Parsed};
use crate::matrix::graph_of_rows;
use crate::message::{Remedy, message};
use crate::number::{show, weight};
use crate::quotes::unquote;
use crate::{Meaning, Nan, Place, ReadErrorKind, ReadOptions, whole};

use shape::is_missing;
pub(crate) use shape::{Form, Shape};

impl Format {
    /// Matrices as text: one line per vertex.
    pub const MATRIX: Self = Self::new(&FormatInfo {
        id: "matrix",
        title: "matrix",
        summary: "text: one line per vertex with its weights or distances to all others",
        read,
        ..FormatInfo::READ_ONLY
    });
}

/// The memory for a cell: its place in the text three times, and its value.
const BYTES_PER_CELL: usize = 64;

/// How the first field of a table of snp-dists starts, before the version.
const SNP_DISTS: &[u8] = b"snp-dists ";

/// Reads a graph.
fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let bytes = whole::bytes(&mut stream)?;
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
    whole::ask_for_values(text, BYTES_PER_CELL)?;
    let lines = text.split(|&byte| byte == b'\n');
    let lines = (1_u64..).zip(lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)));
    let (numbers, lines): (Vec<u64>, Vec<&[u8]>) =
        lines.filter(|(_, line)| !is_comment(line)).unzip();
    let lines = DividedLines::new(lines);
    let shape = Shape::find(&lines, true, &options.columns)
        .ok_or_else(|| Fault::whole(no_matrix(&lines.lines)))?;
    let line = |row: usize| numbers.get(row + shape.before).copied().unwrap_or(1);
    let names = names(&shape).map_err(|(row, kind)| Fault {
        place: Some(Place::Line { line: line(row), column: 1 }),
        kind,
    })?;
    let mut values = memory::with_capacity(shape.size.saturating_mul(shape.size))?;
    for row in 0..shape.size {
        for column in 0..shape.size {
            let cell = shape.cell(row, column).filter(|cell| !is_missing(cell));
            let value = cell.map(|cell| number(cell, &shape, options)).transpose();
            values.push(value.map_err(|kind| {
                let place = Place::Line { line: line(row), column: 1 };
                Fault { place: Some(place), kind }
            })?);
        }
    }
    let place = |row, _| Place::Line { line: line(row), column: 1 };
    // Samples without a difference are at distance 0.
    let counts_differences = lines.lines.first().is_some_and(|line| line.starts_with(SNP_DISTS));
    let zeros = options.zeros.or(counts_differences.then_some(Meaning::Edge));
    let options = ReadOptions { zeros, ..options.clone() };
    Ok(Parsed { names, ..graph_of_rows(shape.size, &values, &place, &options)? })
}

fn number(
    cell: &[u8],
    shape: &Shape<'_>,
    options: &ReadOptions,
) -> Result<TextNumber, ReadErrorKind> {
    let text = unquote(cell).unwrap_or_default();
    let is_grouped = shape.decimal_comma && !options.columns.decimal_comma && {
        let digits = text.split(|&byte| byte == b',').nth(1).map(<[u8]>::len);
        digits == Some(3)
    };
    if is_grouped {
        return Err(ReadErrorKind::question(message![
            format!(
                "does the comma in '{}' separate thousands? remove it if it does, or pass ",
                show(&text)
            ),
            Remedy::on("decimal-comma"),
        ]));
    }
    let point = |&byte: &u8| if byte == b',' { b'.' } else { byte };
    let text: Vec<u8> = match shape.decimal_comma {
        true => text.iter().map(point).collect(),
        false => text.into_owned(),
    };
    weight(&text, Nan::Skip).map_err(ReadErrorKind::malformed)
}

/// The names of the vertices, or the row and the reason why they are none.
fn names(shape: &Shape<'_>) -> Result<Option<Vec<String>>, (usize, ReadErrorKind)> {
    let counts = |names: &&Vec<&[u8]>| {
        let expected = |index: usize| index.to_string().into_bytes();
        names
            .iter()
            .enumerate()
            .all(|(index, name)| unquote(name).is_some_and(|name| *name == *expected(index)))
    };
    let (rows, columns) = (shape.names.as_ref(), shape.header.as_ref());
    if let (Some(rows), Some(columns), false) = (rows, columns, shape.names_agree())
        && !counts(&rows)
        && !counts(&columns)
    {
        let row = rows.iter().zip(columns).position(|(row, column)| row != column);
        let row = row.unwrap_or_default();
        let [row_name, column] =
            [rows, columns].map(|names| show(names.get(row).unwrap_or(&&b""[..])));
        let sentence = format!(
            "row {} is called '{row_name}', but column {} '{column}'; rows and columns must be the \
             same vertices in the same order",
            row + 1,
            row + 1
        );
        return Err((row, ReadErrorKind::malformed(sentence)));
    }
    let Some(names) = rows.filter(|rows| !counts(rows)).or(columns.filter(|names| !counts(names)))
    else {
        return Ok(None);
    };
    let text = |(row, name): (usize, &&[u8])| {
        let name = unquote(name).unwrap_or_default();
        str::from_utf8(&name).map(String::from).map_err(|_| {
            let sentence = "the name is not UTF-8 text; save the file as UTF-8";
            (row, ReadErrorKind::malformed(sentence))
        })
    };
    names.iter().enumerate().map(text).collect::<Result<_, _>>().map(Some)
}

/// Why some lines are no matrix.
fn no_matrix(lines: &[&[u8]]) -> crate::Message {
    let rows = kostra_core::counted(lines.len() as u64, "line", "lines");
    message![
        format!(
            "the {rows} are no square matrix of numbers: n lines must have n numbers each, or 1, 2 \
             up to n, with or without names before them"
        ),
        "; ",
        Remedy::PointTree,
        " finds the tree of points, and ",
        Remedy::text("format", Format::EDGE_LIST.id()),
        " reads edges"
    ]
}
