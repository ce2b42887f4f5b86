//! Lines that are divided into fields once for each separator, for all kinds of text that look at
//! them.

use std::cell::RefCell;
use std::rc::Rc;

use super::{Fields, Separator, cut, fields};
use crate::{Delimiter, ReadOptions};

/// The most columns of a table or a matrix. A square matrix of numbered edges has fewer.
pub(crate) const MOST_COLUMNS: usize = 1 << 17;

/// The rows of a text at one separator. Longer rows than [`MOST_COLUMNS`] end one field later.
pub(crate) type DividedRows<'a> = Rc<[Fields<'a>]>;

/// The lines of a text that are neither blank nor comments.
pub(crate) struct DividedLines<'a> {
    pub(crate) lines: Vec<&'a [u8]>,
    divided: RefCell<Vec<(Separator, DividedRows<'a>)>>,
    /// The separators that are known: of the lines from one of them on, and whether vertices are
    /// names.
    separators: RefCell<Vec<((usize, bool), Separator)>>,
}

impl<'a> DividedLines<'a> {
    pub(crate) fn new(lines: Vec<&'a [u8]>) -> Self {
        Self { lines, divided: RefCell::default(), separators: RefCell::default() }
    }

    /// The fields of all lines, without dictionaries at their ends.
    pub(crate) fn rows(&self, separator: Separator) -> DividedRows<'a> {
        let mut divided = self.divided.borrow_mut();
        if let Some((_, rows)) = divided.iter().find(|(other, _)| *other == separator) {
            return Rc::clone(rows);
        }
        let of_line = |line: &&'a [u8]| -> Fields<'a> {
            fields(cut(line).0, separator).map(|(_, field)| field).take(MOST_COLUMNS + 1).collect()
        };
        let rows: DividedRows<'a> = self.lines.iter().map(of_line).collect();
        divided.push((separator, Rc::clone(&rows)));
        rows
    }

    /// The lines from one of them on.
    pub(crate) fn from(&self, start: usize) -> &[&'a [u8]] {
        self.lines.get(start..).unwrap_or_default()
    }

    /// The separator that the options say, or that the lines from one of them on show.
    pub(crate) fn separator(&self, start: usize, options: &ReadOptions) -> Separator {
        match options.columns.delimiter {
            None => self.separator_shown(start, options.names),
            Some(Delimiter::Blanks) => Separator::Blanks,
            Some(Delimiter::Byte(byte)) => Separator::Byte(byte),
        }
    }

    /// The separator that the lines from one of them on show.
    pub(crate) fn separator_shown(&self, start: usize, names: bool) -> Separator {
        let mut known = self.separators.borrow_mut();
        if let Some((_, separator)) = known.iter().find(|(key, _)| *key == (start, names)) {
            return *separator;
        }
        let separator = match self.from(start).split_first() {
            Some((first, rest)) => Separator::of_lines(cut(first).0, rest, names),
            None => Separator::Blanks,
        };
        known.push(((start, names), separator));
        separator
    }
}
