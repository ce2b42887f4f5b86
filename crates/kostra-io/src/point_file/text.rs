//! Tables of points as text.

use std::collections::HashSet;

use kostra_core::memory;

use super::column::{PointColumn, coordinates, places};
use super::{PointFile, PointOptions, would_round};
use crate::compression::Stream;
use crate::fault::Fault;
use crate::fields::{Separator, fields, is_comment};
use crate::number::{remedy_for_comma, show};
use crate::quotes::unquote;
use crate::thousands::Thousands;
use crate::whole::WholeText;
use crate::{Header, KeptColumns};

/// What all lines have in common.
struct Table {
    separator: Separator,
    /// The number of columns of every line.
    columns: usize,
    /// The columns of the coordinates.
    chosen: Vec<usize>,
    /// The columns that are kept.
    kept: Vec<usize>,
}

/// Reads the points.
pub(super) fn read(stream: &mut Stream<'_>, options: &PointOptions) -> Result<PointFile, Fault> {
    let text = WholeText::read(stream)?;
    let mut lines = (1_u64..)
        .zip(text.text().as_bytes().split(|&byte| byte == b'\n'))
        .map(|(line, bytes)| (line, bytes.strip_suffix(b"\r").unwrap_or(bytes)))
        .filter(|(_, bytes)| !is_comment(bytes))
        .peekable();
    let Some(&(line, first)) = lines.peek() else { return Ok(PointFile::default()) };
    if first.contains(&b'\r') {
        let sentence = "this line has a carriage return inside; save the file with line feeds at \
                        the ends of lines";
        return Err(Fault::at_line(line, 1, sentence));
    }
    let separator = Separator::recognize(first, false);
    let names = if is_header(line, first, separator, options)? {
        lines.next();
        names(first, separator)
    } else {
        Vec::new()
    };
    let columns = fields(first, separator).count();
    let at_first = |sentence| Fault::at_line(line, 1, sentence);
    let chosen = coordinates(options, &names, columns).map_err(at_first)?;
    let kept = places("--keep", &options.keep, &names, columns).map_err(at_first)?;
    let name = |&place: &usize| match names.get(place) {
        Some(name) => name.clone(),
        None => format!("column {}", place + 1),
    };
    let mut points = PointFile {
        dimensions: chosen.len(),
        names: if names.is_empty() { Vec::new() } else { chosen.iter().map(name).collect() },
        kept: KeptColumns::new(kept.iter().map(name).collect()),
        ..PointFile::default()
    };
    // Between commas, a point is a decimal point.
    let watched = if separator == Separator::Byte(b',') { 0 } else { chosen.len() };
    let mut thousands = memory::filled(watched, Thousands::default())?;
    let table = Table { separator, columns, chosen, kept };
    let mut row = Vec::new();
    for (point, (line, bytes)) in lines.enumerate() {
        row.clear();
        row.extend(fields(bytes, table.separator));
        points.lines.push(point, line)?;
        table.add(line, &row, &mut points)?;
        for (thousands, &column) in thousands.iter_mut().zip(&table.chosen) {
            thousands.see(row[column].1);
        }
    }
    match thousands.into_iter().find_map(Thousands::question) {
        Some(question) => Err(Fault::at_line(line, 1, question)),
        None => Ok(points),
    }
}

/// Whether the first line contains names: none of its fields is a number.
///
/// # Errors
/// When the line may be a damaged point.
fn is_header(
    line: u64,
    first: &[u8],
    separator: Separator,
    options: &PointOptions,
) -> Result<bool, Fault> {
    match options.header {
        Header::Present => return Ok(true),
        Header::Absent => return Ok(false),
        Header::Recognize => {}
    }
    let is_number = |field: &[u8]| number(field).is_some();
    let found: Vec<_> = fields(first, separator).collect();
    let numbers = found.iter().filter(|(_, field)| is_number(field)).count();
    let chosen = options.columns.iter().chain(&options.keep).chain(&options.weights);
    let chosen: HashSet<_> = chosen.filter_map(PointColumn::name).collect();
    if numbers == found.len() {
        return Ok(false);
    }
    if names(first, separator).iter().any(|name| chosen.contains(&**name)) {
        return Ok(true);
    }
    // The index of a table of pandas has no name, and that of R has an empty one in quotes.
    let may_be_name =
        |field: &[u8]| text(field).is_empty() || text(field).contains(char::is_alphabetic);
    let odd = if numbers > 0 {
        found.iter().find(|(_, field)| !is_number(field))
    } else {
        found.iter().find(|(_, field)| !may_be_name(field))
    };
    let Some(&(at, field)) = odd else { return Ok(true) };
    let remedy = remedy(field, "; fix it, or pass `--header` or `--no-header`");
    let sentence = match field {
        [] => "does this line contain names or a point? this field is empty, and others are \
               numbers; fill it in, or pass `--header` or `--no-header`"
            .to_owned(),
        _ => format!(
            "does this line contain names or a point? {} is not a number{}{remedy}",
            show(text(field).as_bytes()),
            if numbers > 0 { ", and other fields are" } else { "" },
        ),
    };
    Err(Fault::at_line(line, at as u64 + 1, sentence))
}

impl Table {
    /// Adds the coordinates of a line, and what is kept.
    fn add(&self, line: u64, row: &[(usize, &[u8])], to: &mut PointFile) -> Result<(), Fault> {
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
            let fault = |sentence| Fault::at_line(line, at as u64 + 1, sentence);
            let value = number(field).ok_or_else(|| fault(no_number(field)))?;
            if let Some(integer) = rounded(field, value) {
                return Err(fault(would_round(integer)));
            }
            memory::push(&mut to.coordinates, value)?;
        }
        for &column in &self.kept {
            to.kept.push(&text(row[column].1));
        }
        Ok(())
    }
}

/// What to say about a field that is not a number.
fn no_number(field: &[u8]) -> String {
    if field.is_empty() {
        return "the coordinate is missing; remove the line".to_owned();
    }
    let other = "; choose the columns of the coordinates with `--columns`, or fix it";
    format!("{} is not a number{}", show(text(field).as_bytes()), remedy(field, other))
}

/// The remedy for a number with a decimal comma, or the other one.
fn remedy(field: &[u8], other: &'static str) -> &'static str {
    let of_comma = unquote(field).map_or("", |field| remedy_for_comma(&field));
    if of_comma.is_empty() { other } else { of_comma }
}

fn names(line: &[u8], separator: Separator) -> Vec<String> {
    fields(line, separator).map(|(_, field)| text(field)).collect()
}

/// A field as text, without its quotes.
fn text(field: &[u8]) -> String {
    String::from_utf8_lossy(&unquote(field).unwrap_or_default()).trim().into()
}

/// The number in a field, with or without quotes.
fn number(field: &[u8]) -> Option<f64> {
    let field = unquote(field)?;
    str::from_utf8(&field).ok()?.trim().parse().ok()
}

/// The integer in a field, if it is not the float that was read.
fn rounded(field: &[u8], value: f64) -> Option<i128> {
    /// From here on, not every integer is a float.
    const FIRST: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;
    if value.abs() < FIRST {
        return None;
    }
    text(field).parse().ok().filter(|&integer: &i128| integer != value as i128)
}
