//! What the first lines of a text are as an edge list.

use super::comment_header::{options_with_names, says_edges};
use super::header::FirstLine;
use super::layout::{Layout, WeightAt};
use super::row_numbers;
use crate::fields::{DividedLines, DividedRows, Fields, is_weight, text};
use crate::number::{has_decimal_comma, natural};
use crate::{ReadErrorKind, ReadOptions};

/// What says that the lines are edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    /// A header names the ends of the edges.
    Header,
    /// A comment names them, or there are counts on top, or a comment of KONECT.
    Other,
    /// Only the form of the lines.
    Form,
}

/// The first lines of a text, read as an edge list.
pub(crate) struct Examined<'a> {
    pub(crate) says: Says,
    /// What shows that the lines are edges.
    pub(crate) evidence: String,
    /// The first edges, as `0-1 5`.
    pub(crate) edges: Vec<String>,
    /// All rows, and the number of those before the edges.
    rows: DividedRows<'a>,
    before: usize,
    /// The columns of the ends and the weight.
    ends: [usize; 2],
    weight: Option<usize>,
    /// Whether the vertices are names.
    pub(crate) has_words: bool,
}

impl<'a> Examined<'a> {
    /// The fields of the header.
    pub(crate) fn header(&self) -> Option<&Fields<'a>> {
        self.rows.first().filter(|_| self.says == Says::Header)
    }

    /// The ends of the edges, as they are written.
    pub(crate) fn ends(&self) -> impl DoubleEndedIterator<Item = [&'a [u8]; 2]> {
        let end = |row: &Fields<'a>, end: usize| row.get(end).copied().unwrap_or_default();
        let edges = self.rows.iter().skip(self.before);
        edges.map(move |row| self.ends.map(|column| end(row, column)))
    }

    /// The weights of the edges; `None` if one is missing.
    pub(crate) fn weights(&self) -> Option<Vec<f64>> {
        let edges = self.rows.iter().skip(self.before);
        edges.map(|row| text(row.get(self.weight?)?).parse().ok()).collect()
    }
}

/// The edges that are shown at most.
const SHOWN: usize = 4;

/// Reads lines that are not comments, after some comments. Returns `None` if there are no lines.
///
/// # Errors
/// When the lines are no edges, or leave their columns open.
pub(crate) fn examine<'a>(
    comments: &[&[u8]],
    lines: &DividedLines<'a>,
    options: &ReadOptions,
) -> Result<Option<Examined<'a>>, ReadErrorKind> {
    let comments: Vec<&[u8]> =
        comments.iter().copied().filter(|line| !line.trim_ascii().is_empty()).collect();
    let comment = says_edges(&comments);
    let layout = Layout::recognize(lines, &comments, options)?;
    let Some(layout) = layout else { return Ok(None) };
    let skipped = match layout.first_line {
        FirstLine::ColumnNames => 1,
        FirstLine::Counts { counts, sure: true } => counts.lines,
        FirstLine::Counts { .. } | FirstLine::Edge => 0,
    };
    let all = lines.rows(layout.separator);
    let rows = all.get(skipped..).unwrap_or_default();
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
    let says = match layout.first_line {
        FirstLine::ColumnNames => Says::Header,
        FirstLine::Counts { sure: true, .. } => Says::Other,
        _ if comment.is_some() || options_with_names(&comments, lines, options).is_some() => {
            Says::Other
        }
        FirstLine::Counts { .. } | FirstLine::Edge => Says::Form,
    };
    let what = match (says, layout.weight) {
        (Says::Header, _) => "a header names the ends",
        (_, WeightAt::Nowhere) => "each line is u v",
        (..) => "each line is u v weight",
    };
    let evidence = match layout.first_line {
        FirstLine::Counts { sure: true, .. } => format!("counts on top, and {what}"),
        _ => comment.map_or(what.into(), |comment| format!("{comment}, and {what}")),
    };
    let edges = rows.iter().take(SHOWN).map(edge).collect();
    let weight = match layout.weight {
        WeightAt::Column(column) => Some(column),
        WeightAt::Nowhere | WeightAt::Dictionary => None,
    };
    Ok(Some(Examined {
        says,
        evidence,
        edges,
        rows: all,
        before: skipped,
        ends: [layout.u, layout.v],
        weight,
        has_words: layout.named,
    }))
}

/// Lines whose first column may number the edges in the others.
pub(crate) fn numbered<'a>(
    lines: &DividedLines<'a>,
    options: &ReadOptions,
) -> Option<Examined<'a>> {
    let separator = lines.separator(0, options);
    let rows = lines.rows(separator);
    let edge = |row: &Fields<'_>| {
        let fields: Vec<String> = row.iter().skip(1).map(|field| text(field)).collect();
        format!("{}-{} {}", fields[0], fields[1], fields.get(2).map_or("", String::as_str))
    };
    row_numbers::are_open(&rows, separator).then(|| Examined {
        says: Says::Form,
        evidence: "the first column may number the edges".into(),
        edges: rows.iter().take(SHOWN).map(|row| edge(row).trim_end().to_owned()).collect(),
        rows,
        before: 0,
        ends: [1, 2],
        weight: None,
        has_words: false,
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
