//! The rows of a text that is held in memory, and their words, each with its place.

use crate::columns::TextNumber;
use crate::fault::Fault;
use crate::message::Message;
use crate::number::{self, is_blank, show};
use crate::whole::WholeText;
use crate::{Nan, Place, ReadErrorKind};

/// The rows of a text: its lines that are neither blank nor comments. `\r` alone also ends a line.
pub(crate) struct TextRows<'t> {
    text: &'t WholeText,
    /// The byte where the next line starts.
    next: usize,
    /// What a comment starts with, if the format has comments.
    comment: Option<&'static str>,
}

impl<'t> TextRows<'t> {
    /// All rows of a text.
    pub(crate) fn new(text: &'t WholeText, comment: Option<&'static str>) -> Self {
        Self { text, next: 0, comment }
    }

    /// The content breaks the rules of its format at the end of the text.
    pub(crate) fn cut_short(&self, sentence: impl Into<Message>) -> Fault {
        self.text.malformed(self.text.text().len(), sentence)
    }
}

impl<'t> Iterator for TextRows<'t> {
    type Item = Row<'t>;

    fn next(&mut self) -> Option<Row<'t>> {
        loop {
            let start = self.next;
            let rest = self.text.text().get(start..).filter(|rest| !rest.is_empty())?;
            let length = memchr::memchr2(b'\n', b'\r', rest.as_bytes()).unwrap_or(rest.len());
            self.next += length + 1;
            let line = rest.get(..length).unwrap_or_default();
            let row = Row { text: self.text, line, start, at: 0, last: 0 };
            let start = line.trim_ascii_start();
            if !start.is_empty() && self.comment.is_none_or(|comment| !start.starts_with(comment)) {
                return Some(row);
            }
        }
    }
}

/// What is left of a row.
#[derive(Clone, Copy)]
pub(crate) struct Row<'t> {
    text: &'t WholeText,
    line: &'t str,
    /// The byte of the text where the line starts.
    pub(crate) start: usize,
    /// The byte of the line up to which words have been taken.
    at: usize,
    /// The byte of the line where the word starts that has been taken last, or would start.
    last: usize,
}

impl<'t> Row<'t> {
    /// What is left, without blanks around it.
    pub(crate) fn rest(&self) -> &'t str {
        self.line.get(self.at..).unwrap_or_default().trim_ascii()
    }

    /// The next word between blanks.
    pub(crate) fn word(&mut self) -> Option<&'t str> {
        self.part(|rest| rest.bytes().position(is_blank).unwrap_or(rest.len()))
    }

    /// The next word in lower case, which is empty at the end of the row.
    pub(crate) fn keyword(&mut self) -> String {
        self.word().unwrap_or_default().to_ascii_lowercase()
    }

    /// The next word, which may be in quotes; they are removed.
    pub(crate) fn quoted(&mut self) -> Option<&'t str> {
        let Some(quote) = self.rest().chars().next().filter(|first| matches!(first, '"' | '\''))
        else {
            return self.word();
        };
        let end = |rest: &str| rest.get(1..).and_then(|inside| inside.find(quote));
        let word = self.part(|rest| end(rest).map_or(rest.len(), |at| at + 2))?;
        let inside = word.get(1..).unwrap_or_default();
        Some(inside.strip_suffix(quote).unwrap_or(inside))
    }

    fn part(&mut self, length: impl Fn(&str) -> usize) -> Option<&'t str> {
        let rest = self.line.get(self.at..)?;
        let Some(blanks) = rest.bytes().position(|byte| !is_blank(byte)) else {
            self.last = self.line.trim_ascii_end().len();
            return None;
        };
        self.last = self.at + blanks;
        self.at = self.last + length(self.line.get(self.last..)?);
        self.line.get(self.last..self.at)
    }

    /// The next word as a number without a sign, such as a count.
    pub(crate) fn natural(&mut self, what: &str) -> Result<u64, Fault> {
        let word = self.word().unwrap_or_default();
        number::natural(word.as_bytes(), what).map_err(|sentence| self.at_word(sentence))
    }

    /// The next word as a weight.
    pub(crate) fn weight(&mut self, nan: Nan) -> Result<TextNumber, Fault> {
        let word = self.word().unwrap_or_default();
        number::weight(word.as_bytes(), nan).map_err(|sentence| self.at_word(sentence))
    }

    /// The next word as a weight, if there is one.
    pub(crate) fn weight_if_any(&mut self, nan: Nan) -> Result<Option<TextNumber>, Fault> {
        if self.rest().is_empty() { Ok(None) } else { self.weight(nan).map(Some) }
    }

    /// Refuses words after the last one, which is `what`.
    pub(crate) fn end(&mut self, what: &str) -> Result<(), Fault> {
        let Some(word) = self.word() else { return Ok(()) };
        let word = show(word.as_bytes());
        Err(self.at_word(format!("the line ends with '{word}', but should end after {what}")))
    }

    /// The word that has been taken last breaks the rules of the format.
    pub(crate) fn at_word(&self, sentence: impl Into<Message>) -> Fault {
        self.text.malformed(self.start + self.last, sentence)
    }

    /// The place where the line starts.
    pub(crate) fn place(&self) -> Place {
        self.text.place(self.start)
    }

    /// A fault of the line.
    pub(crate) fn fault(&self, kind: ReadErrorKind) -> Fault {
        self.text.fault(self.start, kind)
    }

    /// The line breaks the rules of its format.
    pub(crate) fn malformed(&self, sentence: impl Into<Message>) -> Fault {
        self.fault(ReadErrorKind::malformed(sentence))
    }
}
