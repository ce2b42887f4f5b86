//! Whether the vertices of an edge list are names.

use super::super::header::FirstLine;
use crate::ReadOptions;
use crate::fields::{DividedLines, Fields, Separator, fields, has_leading_zero, is_weight, text};
use crate::number::{has_decimal_comma, natural};
use crate::quotes::unquote;

/// Whether the first line starts with two numbers between blanks, but is divided at another
/// separator if vertices are names: `1 2 2,5` would be an edge from `1 2 2` to `5`.
pub(super) fn numbers_change_into_names(
    lines: &DividedLines<'_>,
    options: &ReadOptions,
    with_names: &ReadOptions,
) -> bool {
    let separator = lines.separator(0, options);
    let first = lines.lines.first().copied().unwrap_or_default();
    let ends = fields(first, separator).take(2).filter(|(_, field)| natural(field, "").is_ok());
    separator == Separator::Blanks
        && lines.separator(0, with_names) != separator
        && ends.count() == 2
}

/// Whether the first line is divided at blanks if vertices are numbers and at commas if they are
/// names, and all its words are numbers, some with commas: `1,2 3`.
pub(super) fn commas_are_in_doubt(
    lines: &DividedLines<'_>,
    options: &ReadOptions,
    with_names: &ReadOptions,
) -> bool {
    let first = lines.lines.first().copied().unwrap_or_default();
    lines.separator(0, options) == Separator::Blanks
        && lines.separator(0, with_names) == Separator::Byte(b',')
        && fields(first, Separator::Blanks)
            .all(|(_, field)| is_weight(field, false) || has_decimal_comma(field))
}

/// Whether the ends of the edges in some rows are names. The first row decides, except that a
/// leading zero counts in any row, unless the first row may be no edge.
pub(super) fn looks_named(rows: &[Fields<'_>], ends: [usize; 2], first_line: FirstLine) -> bool {
    let has_end = |row: &Fields<'_>, is: fn(&[u8]) -> bool| {
        ends.iter().filter_map(|&end| unquote(row.get(end)?)).any(|end| is(&end))
    };
    let is_sure = !matches!(
        first_line,
        FirstLine::Counts { counts, sure: false } if counts.len() == 2
    );
    rows.first().is_some_and(|row| has_end(row, is_name))
        || (is_sure && rows.iter().any(|row| has_end(row, is_beyond_ids)))
}

/// Whether an end of an edge is digits with a comma. It is a name if commas separate no columns.
pub(super) fn has_commas(row: &Fields<'_>, ends: [usize; 2]) -> bool {
    ends.iter().filter_map(|&end| row.get(end)).any(|field| has_decimal_comma(field))
}

/// Whether the field in the place of a vertex can only be a name: a word, or a number beyond ids.
fn is_name(field: &[u8]) -> bool {
    let is_word =
        || !text(field).is_empty() && !is_weight(field, false) && !has_decimal_comma(field);
    is_beyond_ids(field) || (natural(field, "").is_err() && is_word())
}

/// Whether the field is a number that cannot be the id of a vertex: it is too large, or has a
/// leading zero.
fn is_beyond_ids(field: &[u8]) -> bool {
    let is_integer = !field.is_empty() && field.iter().all(u8::is_ascii_digit);
    let is_id = |number| number < kostra_core::MAX_VERTICES as u64;
    has_leading_zero(field) || (is_integer && !natural(field, "").is_ok_and(is_id))
}
