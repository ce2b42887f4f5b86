//! What the first lines of a text are as an edge list.

use super::fields::{cut, fields, is_weight, text};
use super::head::is_konect;
use super::header::FirstLine;
use super::layout::{Layout, WeightAt};
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
    lines: &[&[u8]],
    options: &ReadOptions,
) -> Result<Option<Examined>, ReadErrorKind> {
    let first = comments.iter().find(|line| !line.trim_ascii().is_empty());
    let is_konect = first.is_some_and(|line| is_konect(line));
    let layout = Layout::recognize(lines.iter().copied(), is_konect, options)?;
    let Some(layout) = layout else { return Ok(None) };
    let skipped = match layout.first_line {
        FirstLine::ColumnNames => 1,
        FirstLine::Counts { counts, sure: true } => counts.lines,
        FirstLine::Counts { .. } | FirstLine::Edge => 0,
    };
    let rows = lines.get(skipped..).unwrap_or_default();
    let divided = |line: &&'_ [u8]| -> Vec<String> {
        fields(cut(line).0, layout.separator).map(|(_, field)| text(field)).collect()
    };
    let mut all = rows.iter().map(divided);
    if !all.all(|row| row.len() == layout.columns && is_edge(&row, &layout)) {
        return Err(ReadErrorKind::malformed("a line is no edge"));
    }
    let edge = |line: &&[u8]| {
        let fields = divided(line);
        let field = |column: usize| fields.get(column).cloned().unwrap_or_default();
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

/// Whether no end of the edge in a row is a number that is neither an id nor a name.
fn is_edge(row: &[String], layout: &Layout) -> bool {
    [layout.u, layout.v].iter().filter_map(|&end| row.get(end)).all(|end| {
        let end = end.as_bytes();
        layout.named
            || natural(end, "").is_ok()
            || !(is_weight(end, false) || has_decimal_comma(end))
    })
}
