//! What the first lines of a text are as an edge list.

use super::comment_header::is_konect;
use super::divided::DividedLines;
use super::fields::{Fields, is_weight, text};
use super::header::FirstLine;
use super::layout::{Layout, WeightAt};
use super::row_numbers;
use crate::number::{has_decimal_comma, natural};
use crate::{ReadErrorKind, ReadOptions};

/// The first lines of a text, read as an edge list.
pub(crate) struct Examined {
    /// Whether a header names the ends of the edges.
    pub(crate) is_named: bool,
    /// What shows that the lines are edges.
    pub(crate) evidence: String,
    /// The first edges, as `0-1 5`.
    pub(crate) edges: Vec<String>,
}

/// The edges that are shown at most.
const SHOWN: usize = 4;

/// Reads lines that are not comments, after some comments. Returns `None` if there are no lines.
///
/// # Errors
/// When the lines are no edges, or leave their columns open.
pub(crate) fn examine(
    comments: &[&[u8]],
    lines: &DividedLines<'_>,
    options: &ReadOptions,
) -> Result<Option<Examined>, ReadErrorKind> {
    let comments: Vec<&[u8]> =
        comments.iter().copied().filter(|line| !line.trim_ascii().is_empty()).collect();
    let is_konect = comments.first().is_some_and(|line| is_konect(line));
    let layout = Layout::recognize(lines, &comments, options)?;
    let Some(layout) = layout else { return Ok(None) };
    let skipped = match layout.first_line {
        FirstLine::ColumnNames => 1,
        FirstLine::Counts { counts, sure: true } => counts.lines,
        FirstLine::Counts { .. } | FirstLine::Edge => 0,
    };
    let rows = lines.rows(layout.separator);
    let rows = rows.get(skipped..).unwrap_or_default();
    if !rows.iter().all(|row| row.len() == layout.columns && is_edge(row, &layout)) {
        return Err(ReadErrorKind::malformed("a line is no edge"));
    }
    let edge = |row: &Fields<'_>| {
        let field = |column: usize| row.get(column).map(|field| text(field)).unwrap_or_default();
        let edge = format!("{}-{}", field(layout.u), field(layout.v));
        match layout.weight {
            WeightAt::Column(column) => format!("{edge} {}", field(column)),
            WeightAt::Nowhere | WeightAt::Dictionary => edge,
        }
    };
    let is_named = layout.first_line == FirstLine::ColumnNames;
    let what = match (is_named, layout.weight) {
        (true, _) => "a header names the ends",
        (false, WeightAt::Nowhere) => "each line is u v",
        (false, _) => "each line is u v weight",
    };
    let evidence = match layout.first_line {
        FirstLine::Counts { sure: true, .. } => format!("counts on top, and {what}"),
        _ if is_konect => format!("a comment of KONECT, and {what}"),
        _ => what.into(),
    };
    Ok(Some(Examined { is_named, evidence, edges: rows.iter().take(SHOWN).map(edge).collect() }))
}

/// Lines whose first column may number the edges in the others.
pub(crate) fn numbered(lines: &DividedLines<'_>, options: &ReadOptions) -> Option<Examined> {
    let separator = lines.separator(0, options);
    let rows = lines.rows(separator);
    let edge = |row: &Fields<'_>| {
        let fields: Vec<String> = row.iter().skip(1).map(|field| text(field)).collect();
        format!("{}-{} {}", fields[0], fields[1], fields.get(2).map_or("", String::as_str))
    };
    row_numbers::are_open(&rows, separator).then(|| Examined {
        is_named: false,
        evidence: "the first column may number the edges".into(),
        edges: rows.iter().take(SHOWN).map(|row| edge(row).trim_end().to_owned()).collect(),
    })
}

/// Whether no end of the edge in a row is a number that is neither an id nor a name.
fn is_edge(row: &Fields<'_>, layout: &Layout) -> bool {
    [layout.u, layout.v].iter().filter_map(|&end| row.get(end)).all(|end| {
        let end = text(end);
        let end = end.as_bytes();
        layout.named
            || natural(end, "").is_ok()
            || !(is_weight(end, false) || has_decimal_comma(end))
    })
}
