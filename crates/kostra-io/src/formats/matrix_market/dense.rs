//! The lines of an array after the size: one number each, column by column.

use kostra_core::memory;

use super::entries::as_real;
use super::{Field, Header, Symmetry};
use crate::blocks::Text;
use crate::columns::TextNumber;
use crate::fault::Fault;
use crate::interface::Parsed;
use crate::matrix::Matrix;
use crate::message::Message;
use crate::number::{show, weight, words};
use crate::{Nan, Place, ReadOptions};

/// Reads the graph of an array. A symmetric array lists each column from the diagonal on.
pub(super) fn read(
    text: &mut Text<'_>,
    header: &Header,
    options: &ReadOptions,
) -> Result<Parsed, Fault> {
    // Each value with the number of its line.
    let mut values: Vec<(TextNumber, u64)> =
        memory::with_capacity(text.reasonable(header.m, "1\n".len() as u64))?;
    loop {
        let number = text.line_number();
        let Some(line) = text.line()? else { break };
        let is_surplus = values.len() as u64 == header.m;
        let value = match value(line, header.banner.field) {
            Ok(Some((at, _))) if is_surplus => Err((at, header.surplus().into())),
            value => value,
        };
        let value = value.map_err(|(at, wrong)| Fault::at_line(number, at as u64 + 1, wrong))?;
        if let Some((_, value)) = value {
            memory::push(&mut values, (value, number))?;
        }
        text.skip()?;
    }
    header.check_entries(values.len() as u64, text.line_number() - 1)?;
    let n = header.n as usize;
    let entry = |row: usize, column: usize| {
        let index = match header.banner.symmetry {
            Symmetry::General => column * n + row,
            Symmetry::Symmetric => {
                let (row, column) = (row.max(column), row.min(column));
                // The columns before have n, n - 1, ... values. The product is even.
                column * (2 * n + 1 - column) / 2 + row - column
            }
        };
        values.get(index).copied()
    };
    let matrix = Matrix {
        size: n,
        value: |row, column| entry(row, column).map(|(value, _)| value),
        place: &|row, column| Place::Line {
            line: entry(row, column).map_or(header.line, |(_, line)| line),
            column: 1,
        },
        epsilon: if header.banner.field == Field::Integer { 0.0 } else { f64::EPSILON },
    };
    matrix.graph(options)
}

/// The value of a line and its column, if the line has one.
fn value(line: &[u8], field: Field) -> Result<Option<(usize, TextNumber)>, (usize, Message)> {
    let mut words = words(line.trim_ascii_end());
    let Some((at, word)) = words.next().filter(|(_, word)| !word.starts_with(b"%")) else {
        return Ok(None);
    };
    if let Some((at, surplus)) = words.next() {
        return Err((at, format!("the line should end before '{}'", show(surplus)).into()));
    }
    number(word, field).map(|number| Some((at, number))).map_err(|wrong| (at, wrong))
}

/// A value. NaN is no edge, as in every matrix.
fn number(word: &[u8], field: Field) -> Result<TextNumber, Message> {
    match weight(word, Nan::Skip)? {
        value if field != Field::Integer => as_real(value, word).map_err(Message::from),
        TextNumber::Float(_) => {
            let word = show(word);
            let sentence =
                format!("the value {word} is not a whole number, but the banner says integer");
            Err(sentence.into())
        }
        value => Ok(value),
    }
}
