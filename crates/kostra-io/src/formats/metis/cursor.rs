//! Parsing the numbers of a line in order.

use crate::Nan;
use crate::columns::TextNumber;
use crate::fault::BlockFault;
use crate::number::{digits, is_blank, natural, show, weight};

/// A place in a line.
pub(super) struct Cursor<'a> {
    pub(super) line: &'a [u8],
    pub(super) at: usize,
}

impl Cursor<'_> {
    /// Moves to the next word. Returns whether there is one.
    #[inline]
    pub(super) fn at_word(&mut self) -> bool {
        while self.line.get(self.at).is_some_and(|&byte| is_blank(byte)) {
            self.at += 1;
        }
        self.at < self.line.len()
    }

    /// Parses the next word as a natural number.
    #[inline]
    pub(super) fn natural(&mut self, what: &str) -> Result<u64, BlockFault> {
        let start = self.at;
        let (value, end) = digits(self.line, start);
        // Ten digits are plenty, and cannot overflow.
        if (1..=10).contains(&(end - start))
            && self.line.get(end).is_none_or(|&byte| is_blank(byte))
        {
            self.at = end;
            return Ok(value);
        }
        natural(self.word(), what).map_err(|sentence| BlockFault::new(start, sentence))
    }

    /// Parses the next word as an edge weight.
    #[inline]
    pub(super) fn integer(&mut self) -> Result<i64, BlockFault> {
        let start = self.at;
        if self.line.get(start).is_some_and(u8::is_ascii_digit) {
            let (value, end) = digits(self.line, start);
            if end - start <= 10 && self.line.get(end).is_none_or(|&byte| is_blank(byte)) {
                self.at = end;
                return Ok(value as i64);
            }
        }
        let word = self.word();
        let sentence = match weight(word, Nan::Skip) {
            Ok(TextNumber::Integer(value)) => return Ok(value),
            Ok(TextNumber::Huge(_)) => {
                format!("the weight {} does not fit in 64 bits with a sign", show(word))
            }
            Ok(TextNumber::Float(_)) => {
                format!("the weight {} is not an integer, as METIS requires", show(word))
            }
            Err(sentence) => return Err(BlockFault::new(start, sentence)),
        };
        Err(BlockFault::new(start, sentence))
    }

    /// Returns the next word and moves behind it.
    fn word(&mut self) -> &[u8] {
        let rest = self.line.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|&byte| is_blank(byte)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }
}
