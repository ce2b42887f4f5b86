//! Parsing the lines of an edge list whose vertices have names.
//!
//! The names are extracted in parallel, and numbered in order of first appearance when blocks are
//! joined.

use super::layout::{Layout, WeightAt};
use super::rows::{Row, parse_lines, plain_weight, row_in, see_thousands};
use crate::ReadOptions;
use crate::blocks::Parser;
use crate::column_choice::name_ends;
use crate::columns::Columns;
use crate::fault::{BlockFault, LineFault};
use crate::fields::{cut, fields, is_comment, is_weight, open_quote};
use crate::message::Message;
use crate::number::{digits, is_blank, show};
use crate::numbering::Numbering;
use crate::quotes::unquote;

/// Parses lines into edges between names.
pub(super) struct NamedRows<'a> {
    pub(super) layout: &'a Layout,
    pub(super) options: &'a ReadOptions,
}

/// The edges of a block: their weights, and the concatenated names of their ends.
#[derive(Default)]
pub(super) struct NamedChunk {
    /// The ends are 0 until the block is joined.
    columns: Columns,
    names: String,
    /// The end of each name: the first and second end of each edge in turn.
    ends: Vec<usize>,
}

impl NamedChunk {
    fn push_ends(&mut self, u: &str, v: &str) {
        for name in [u, v] {
            self.names.push_str(name);
            self.ends.push(self.names.len());
        }
        self.columns.push_ends(0, 0);
    }
}

impl Parser for NamedRows<'_> {
    type Chunk = NamedChunk;

    fn parse(&self, block: &[u8], chunk: &mut NamedChunk) -> Result<(), BlockFault> {
        see_thousands(block, self.layout, self.options, &mut chunk.columns);
        let is_triple = self.layout.is_weighted_triple(self.options);
        let plain = |at, chunk: &mut NamedChunk| {
            if is_triple { self.plain_edge(block, at, chunk) } else { None }
        };
        parse_lines(block, chunk, plain, |line, chunk| self.line(line, chunk))
    }
}

impl NamedRows<'_> {
    /// Parses two integers of any length and a weight. Returns the start of the next line.
    fn plain_edge(&self, block: &[u8], start: usize, chunk: &mut NamedChunk) -> Option<usize> {
        let separator = self.layout.separator;
        let name_at = |start: usize| {
            let (_, end) = digits(block, start);
            let name = str::from_utf8(block.get(start..end)?).ok()?;
            (end > start && separator.is(block.get(end))).then_some((name, end + 1))
        };
        let (u, start_of_v) = name_at(start)?;
        let (v, start_of_weight) = name_at(start_of_v)?;
        let nan = self.options.nan;
        let next = plain_weight(block, start_of_weight, nan, &mut chunk.columns)?;
        chunk.push_ends(u, v);
        Some(next)
    }

    fn line(&self, line: &[u8], chunk: &mut NamedChunk) -> Result<(), LineFault> {
        if is_comment(line) {
            return refuse_doubt(line, self.layout);
        }
        let row = Row::parse(line, self.layout)?;
        let weight = row.weight(self.layout, self.options)?;
        let bytes = |(at, field)| unquote(field).ok_or_else(|| (at, open_quote(field)));
        let (u, v) = (bytes(row.u)?, bytes(row.v)?);
        let name = |(at, _), bytes| match str::from_utf8(bytes) {
            Ok("") => Err((at, "the name is missing; fill it in")),
            Ok(name) => Ok(name),
            Err(_) => Err((at, "the name is not UTF-8 text; save the file as UTF-8")),
        };
        chunk.push_ends(name(row.u, &u)?, name(row.v, &v)?);
        if let Some(weight) = weight {
            chunk.columns.push_weight(weight);
        }
        Ok(())
    }
}

/// How programs write a missing value.
pub const MISSING_VALUES: [&str; 9] =
    ["NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "None", "<NA>"];

/// A warning if a vertex is called as programs write a missing value. Its edges would join vertices
/// that have nothing in common.
pub(in crate::formats) fn missing_value(names: &[String]) -> Option<Message> {
    let found = names.iter().find(|name| MISSING_VALUES.contains(&name.as_str()))?;
    Some(
        format!("'{found}' is a vertex; if it stands for a missing value, remove its edges").into(),
    )
}

/// Refuses a comment before the rows that looks as they do, and not like a header.
pub(super) fn refuse_row(
    line: &[u8],
    layout: &Layout,
    options: &ReadOptions,
) -> Result<(), LineFault> {
    let (row, dictionary) = cut(line);
    let fields: Vec<_> = fields(row, layout.separator).map(|(_, field)| field).collect();
    let has_weight = match layout.weight {
        WeightAt::Nowhere => true,
        WeightAt::Dictionary => dictionary.is_some(),
        WeightAt::Column(column) => {
            fields.get(column).is_some_and(|field| is_weight(field, options.columns.decimal_comma))
        }
    };
    if has_weight && !name_ends(&fields) { refuse_doubt(line, layout) } else { Ok(()) }
}

/// Refuses a comment line that may be an edge whose first name starts with the sign of comments: a
/// name follows the sign directly, and the line has as many columns as an edge.
fn refuse_doubt(line: &[u8], layout: &Layout) -> Result<(), LineFault> {
    let row = cut(line).0;
    let Some((at, first)) = fields(row, layout.separator).next() else { return Ok(()) };
    let sign = if first.starts_with(b"//") { 2 } else { 1 };
    let (sign, rest) = first.split_at_checked(sign).unwrap_or((first, b""));
    let is_bare = rest.first().is_none_or(|&byte| is_blank(byte) || b"#%/".contains(&byte));
    if is_bare || fields(row, layout.separator).count() != layout.columns {
        return Ok(());
    }
    let (sign, name) = (show(sign), show(first));
    let sentence = format!(
        "is this line a comment or an edge? write a blank after {sign} if it is a comment, or \
         quotes around the name, as \"{name}\""
    );
    Err((at, sentence).into())
}

/// Numbers the ends of the edges of a chunk, and adds the edges to `columns`.
pub(super) fn join(
    numbering: &mut Numbering,
    chunk: &mut NamedChunk,
    block: &[u8],
    columns: &mut Columns,
) -> Result<(), BlockFault> {
    let mut start = 0;
    for (index, &end) in chunk.ends.iter().enumerate() {
        let number = numbering.number(chunk.names.get(start..end).unwrap_or_default())?;
        let ends = if index % 2 == 0 { &mut chunk.columns.u } else { &mut chunk.columns.v };
        if let Some(end) = ends.get_mut(index / 2) {
            *end = number;
        }
        start = end;
    }
    chunk.names.clear();
    chunk.ends.clear();
    columns.join(&mut chunk.columns, usize::MAX, |edge| row_in(block, edge))
}
