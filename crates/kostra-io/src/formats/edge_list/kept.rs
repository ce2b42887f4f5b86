//! Columns of an edge list that are kept with the edges, as text.

use super::layout::{Dictionary, Layout};
use crate::KeptColumns;
use crate::blocks::{Parser, Text};
use crate::fault::{BlockFault, Fault, LineFault};
use crate::fields::{cut, fields, is_comment, open_quote, without_end};
use crate::quotes::unquote;

/// Parses lines with another parser, and also keeps columns.
pub(super) struct KeepingRows<'a, P> {
    pub(super) inner: P,
    pub(super) layout: &'a Layout,
}

impl<P: Parser> KeepingRows<'_, P> {
    /// Parses the rest of a text, as [`Text::parse`] does, and adds the kept columns to `kept`.
    pub(super) fn parse(
        &self,
        text: Text<'_>,
        threads: usize,
        kept: &mut KeptColumns,
        mut join: impl FnMut(&mut P::Chunk, &[u8]) -> Result<(), BlockFault> + Send,
    ) -> Result<u64, Fault> {
        if self.layout.kept.is_empty() {
            return text.parse(threads, &self.inner, join);
        }
        text.parse(threads, self, |(chunk, fields), block| {
            join(chunk, block)?;
            Ok(kept.append(fields)?)
        })
    }
}

impl<P: Parser> Parser for KeepingRows<'_, P> {
    type Chunk = (P::Chunk, KeptColumns);

    fn parse(&self, block: &[u8], (chunk, kept): &mut Self::Chunk) -> Result<(), BlockFault> {
        self.inner.parse(block, chunk)?;
        let mut at = 0;
        for line in block.split_inclusive(|&byte| byte == b'\n') {
            self.keep(without_end(line), kept).map_err(|fault| fault.in_block(at))?;
            at += line.len();
        }
        Ok(())
    }
}

impl<P> KeepingRows<'_, P> {
    fn keep(&self, line: &[u8], kept: &mut KeptColumns) -> Result<(), LineFault> {
        if is_comment(line) {
            return Ok(());
        }
        let row = if self.layout.dictionary == Dictionary::Absent { line } else { cut(line).0 };
        let fields: Vec<_> = fields(row, self.layout.separator).collect();
        for &(column, _) in &self.layout.kept {
            let (at, field) = fields.get(column).copied().unwrap_or_default();
            let value = unquote(field).ok_or_else(|| (at, open_quote(field)))?;
            let value = str::from_utf8(&value)
                .map_err(|_| (at, "the field is not UTF-8 text; save the file as UTF-8"))?;
            kept.push(value);
        }
        Ok(())
    }
}
