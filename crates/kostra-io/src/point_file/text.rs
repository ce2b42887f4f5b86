//! Tables of points as text.

use kostra_core::memory;

use super::{PointColumn, PointFile, chosen};
use crate::compression::Stream;
use crate::fault::Fault;
use crate::formats::{Separator, fields, is_comment, unquote};
use crate::number::show;
use crate::whole::WholeText;

/// What all lines have in common.
struct Table {
    /// The number of columns of every line.
    columns: usize,
    /// The columns of the coordinates.
    chosen: Vec<usize>,
}

/// Reads the points.
pub(super) fn read(stream: &mut Stream<'_>, columns: &[PointColumn]) -> Result<PointFile, Fault> {
    let text = WholeText::read(stream)?;
    let mut lines = (1_u64..)
        .zip(text.text().as_bytes().split(|&byte| byte == b'\n'))
        .map(|(line, bytes)| (line, bytes.strip_suffix(b"\r").unwrap_or(bytes)))
        .filter(|(_, bytes)| !is_comment(bytes))
        .peekable();
    let Some(&(line, first)) = lines.peek() else { return Ok(PointFile::default()) };
    let separator = Separator::recognize(first, false);
    let count = fields(first, separator).count();
    let is_header = fields(first, separator).any(|(_, field)| number(field).is_none());
    let names = if is_header { names(first, separator) } else { Vec::new() };
    let chosen =
        chosen(columns, &names, count).map_err(|sentence| Fault::at_line(line, 1, sentence))?;
    let table = Table { columns: count, chosen };
    if is_header {
        lines.next();
    }
    let mut coordinates = Vec::new();
    let mut row = Vec::new();
    for (line, bytes) in lines {
        row.clear();
        row.extend(fields(bytes, separator));
        table.add(line, &row, &mut coordinates)?;
    }
    let names = match names.is_empty() {
        true => names,
        false => table.chosen.iter().map(|&place| names[place].clone()).collect(),
    };
    Ok(PointFile { coordinates, dimensions: table.chosen.len(), names })
}

impl Table {
    /// Adds the coordinates of a line.
    fn add(&self, line: u64, row: &[(usize, &[u8])], to: &mut Vec<f64>) -> Result<(), Fault> {
        if row.len() != self.columns {
            let sentence = format!(
                "this line has {} columns, but the first line has {}; give all points the same \
                 number of columns",
                row.len(),
                self.columns
            );
            return Err(Fault::at_line(line, 1, sentence));
        }
        for &column in &self.chosen {
            let (at, field) = row[column];
            let value = number(field).ok_or_else(|| {
                let what = match field {
                    [] => "the coordinate is missing; remove the line".to_owned(),
                    _ => format!(
                        "{} is not a number; choose the columns of the coordinates with \
                         `--columns`, or fix it",
                        show(field)
                    ),
                };
                Fault::at_line(line, at as u64 + 1, what)
            })?;
            memory::push(to, value)?;
        }
        Ok(())
    }
}

fn names(line: &[u8], separator: Separator) -> Vec<String> {
    fields(line, separator)
        .map(|(_, field)| {
            String::from_utf8_lossy(&unquote(field).unwrap_or_default()).trim().into()
        })
        .collect()
}

/// The number in a field, with or without quotes.
fn number(field: &[u8]) -> Option<f64> {
    let field = unquote(field)?;
    str::from_utf8(&field).ok()?.trim().parse().ok()
}
