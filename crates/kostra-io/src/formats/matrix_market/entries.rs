//! The lines of a Matrix Market file after the size.

use kostra_core::Vertex;

use super::{Banner, Field, Symmetry};
use crate::Nan;
use crate::blocks::Parser;
use crate::columns::{Columns, TextNumber};
use crate::fault::{BlockFault, LineFault};
use crate::number::{natural, plain_entry, show, weight, words};

/// The offset of an entry in a block; entries count from 0.
pub(super) fn entry_in(block: &[u8], index: usize) -> usize {
    let mut start = 0;
    let mut starts = block.split_inclusive(|&byte| byte == b'\n').filter_map(|line| {
        let word = words(line.trim_ascii_end()).next();
        let place = start + word.unwrap_or_default().0;
        start += line.len();
        word.filter(|(_, word)| !word.starts_with(b"%")).map(|_| place)
    });
    starts.nth(index).unwrap_or_default()
}

/// The lines after the size.
pub(super) struct Entries {
    pub(super) banner: Banner,
    pub(super) n: u32,
    pub(super) nan: Nan,
}

impl Parser for Entries {
    type Chunk = Columns;

    fn parse(&self, block: &[u8], chunk: &mut Columns) -> Result<(), BlockFault> {
        if self.banner.field == Field::Real {
            chunk.make_float();
        }
        let mut at = 0;
        while at < block.len() {
            if let Some(next) = self.plain_line(block, at, chunk) {
                at = next;
                continue;
            }
            let rest = block.get(at..).unwrap_or_default();
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            self.any_line(rest.get(..length).unwrap_or_default().trim_ascii_end(), chunk)
                .map_err(|fault| fault.in_block(at))?;
            at += length + 1;
        }
        Ok(())
    }
}

impl Entries {
    /// A line as most are. Returns where the next one starts.
    #[inline(always)]
    fn plain_line(&self, block: &[u8], start: usize, chunk: &mut Columns) -> Option<usize> {
        let plain = match self.banner.field {
            Field::Integer => plain_entry::<true>(block, start, self.n),
            Field::Pattern => plain_entry::<false>(block, start, self.n),
            Field::Real => None,
        }?;
        if self.misplaced(plain.u, plain.v).is_some() {
            return None;
        }
        chunk.push_ends(plain.u, plain.v);
        if self.banner.field == Field::Integer {
            chunk.push_integer(plain.weight);
        }
        Some(plain.next)
    }

    /// Any other line. A fault comes with its place in the line.
    fn any_line(&self, line: &[u8], chunk: &mut Columns) -> Result<(), LineFault> {
        let mut words = words(line);
        let mut next = || words.next().unwrap_or((line.len(), b""));
        let (row_at, row) = next();
        if matches!(row, [] | [b'%', ..]) {
            return Ok(());
        }
        let (column_at, column) = next();
        let u = self.vertex(row, "row").map_err(|sentence| (row_at, sentence))?;
        let v = self.vertex(column, "column").map_err(|sentence| (column_at, sentence))?;
        if let Some(sentence) = self.misplaced(u, v) {
            return Err((row_at, sentence).into());
        }
        let weight = match self.banner.field {
            Field::Pattern => None,
            field => {
                let (at, word) = next();
                match weight(word, self.nan).map_err(|sentence| (at, sentence))? {
                    weight if field == Field::Real => {
                        Some(as_real(weight, word).map_err(|wrong| (at, wrong))?)
                    }
                    TextNumber::Float(_) => {
                        let word = show(word);
                        let sentence = format!(
                            "the weight {word} is not a whole number, but the banner says integer"
                        );
                        return Err((at, sentence).into());
                    }
                    weight => Some(weight),
                }
            }
        };
        let (at, surplus) = next();
        if !surplus.is_empty() {
            let sentence = format!("the line should end before '{}'", show(surplus));
            return Err((at, sentence).into());
        }
        chunk.push_ends(u, v);
        if let Some(weight) = weight {
            chunk.push_weight(weight);
        }
        Ok(())
    }

    /// The fault of an entry at this position, if it has one.
    #[inline(always)]
    fn misplaced(&self, u: Vertex, v: Vertex) -> Option<String> {
        let is_above = self.banner.symmetry == Symmetry::Symmetric && u < v;
        is_above.then(|| Self::words_for_misplaced(u, v))
    }

    #[cold]
    fn words_for_misplaced(u: Vertex, v: Vertex) -> String {
        let (row, column) = (u64::from(u) + 1, u64::from(v) + 1);
        format!(
            "the entry in row {row}, column {column} is above the diagonal, where a symmetric file has no entries"
        )
    }

    fn vertex(&self, word: &[u8], what: &str) -> Result<Vertex, String> {
        match natural(word, what)? {
            0 => Err(format!("the {what} is 0, but Matrix Market counts from 1")),
            index if index <= u64::from(self.n) => Ok((index - 1) as Vertex),
            index => Err(format!(
                "the {what} {index} is beyond the {} that the header announces; correct one of them",
                self.n
            )),
        }
    }
}

/// A weight where the banner says real.
pub(super) fn as_real(weight: TextNumber, word: &[u8]) -> Result<TextNumber, String> {
    let shown = show(word);
    weight.exact_float().map(TextNumber::Float).map_err(|_| {
        format!(
            "the weight {shown} has no exact 64-bit float, which the banner's 'real' asks for; write {shown}.0 if it \
             may be rounded"
        )
    })
}
