//! Parsing the lines of an edge list whose vertices have names.
//!
//! The names are extracted in parallel, and numbered in order of first appearance when blocks are
//! joined.

use super::fields::{cut, fields, is_comment, is_weight, unquote, without_end};
use super::header::has_known_ends;
use super::layout::{Layout, WeightAt};
use super::rows::{Row, open_quote, row_in};
use crate::ReadOptions;
use crate::blocks::Parser;
use crate::columns::Columns;
use crate::fault::BlockFault;
use crate::number::{is_blank, show};
use crate::numbering::Numbering;

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

impl Parser for NamedRows<'_> {
    type Chunk = NamedChunk;

    fn parse(&self, block: &[u8], chunk: &mut NamedChunk) -> Result<(), BlockFault> {
        let mut at = 0;
        for line in block.split_inclusive(|&byte| byte == b'\n') {
            self.line(without_end(line), chunk)
                .map_err(|(column, sentence)| BlockFault::new(at + column, sentence))?;
            at += line.len();
        }
        Ok(())
    }
}

impl NamedRows<'_> {
    fn line(&self, line: &[u8], chunk: &mut NamedChunk) -> Result<(), (usize, String)> {
        if is_comment(line) {
            return refuse_doubt(line, self.layout);
        }
        let row = Row::parse(line, self.layout)?;
        let weight = row.weight(self.options)?;
        let name = |(at, field)| {
            let name = unquote(field).ok_or_else(|| (at, open_quote(field)))?;
            let name = String::from_utf8(name.into_owned())
                .map_err(|_| (at, "the name is not UTF-8 text".into()));
            name.and_then(|name| {
                if name.is_empty() { Err((at, "the name is missing".into())) } else { Ok(name) }
            })
        };
        let (u, v): (String, String) = (name(row.u)?, name(row.v)?);
        for name in [u, v] {
            chunk.names.push_str(&name);
            chunk.ends.push(chunk.names.len());
        }
        chunk.columns.push_ends(0, 0);
        if let Some(weight) = weight {
            chunk.columns.push_weight(weight);
        }
        Ok(())
    }
}

/// Refuses a comment before the rows that looks as they do, and not like a header.
pub(super) fn refuse_row(
    line: &[u8],
    layout: &Layout,
    options: &ReadOptions,
) -> Result<(), (usize, String)> {
    let (row, dictionary) = cut(line);
    let fields: Vec<_> = fields(row, layout.separator).map(|(_, field)| field).collect();
    let has_weight = match layout.weight {
        WeightAt::Nowhere => true,
        WeightAt::Dictionary => dictionary.is_some(),
        WeightAt::Column(column) => {
            fields.get(column).is_some_and(|field| is_weight(field, options.columns.decimal_comma))
        }
    };
    if has_weight && !has_known_ends(&fields) { refuse_doubt(line, layout) } else { Ok(()) }
}

/// Refuses a comment line that may be an edge whose first name starts with the sign of comments: a
/// name follows the sign directly, and the line has as many columns as an edge.
fn refuse_doubt(line: &[u8], layout: &Layout) -> Result<(), (usize, String)> {
    let row = cut(line).0;
    let Some((at, first)) = fields(row, layout.separator).next() else { return Ok(()) };
    let sign = if first.starts_with(b"//") { 2 } else { 1 };
    let (sign, rest) = first.split_at_checked(sign).unwrap_or((first, b""));
    let is_bare = rest.first().is_none_or(|&byte| is_blank(byte) || b"#%/".contains(&byte));
    if is_bare || fields(row, layout.separator).count() != layout.columns {
        return Ok(());
    }
    let (sign, name) = (show(sign), show(first));
    Err((
        at,
        format!(
            "is this line a comment or an edge? write a blank after {sign} if it is a comment, or \
             quotes around the name, as \"{name}\""
        ),
    ))
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
