//! The shape of a matrix that is written as lines of text.

use std::collections::HashSet;

use crate::fields::{DividedLines, Fields, MOST_COLUMNS, Separator, is_weight};
use crate::formats::edge_list::MISSING_VALUES;
use crate::number::{has_decimal_comma, natural};
use crate::quotes::unquote;
use crate::{ColumnOptions, Delimiter, Header};

/// How programs write that there is no value, besides [`MISSING_VALUES`].
const NO_VALUES: [&str; 8] = ["", "-", "inf", "Inf", "INF", "Infinity", "infinity", "∞"];

/// Which values the lines contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Full,
    /// The first line is the longest; each next one is one value shorter.
    Upper {
        diagonal: bool,
    },
    /// The last line is the longest.
    Lower {
        diagonal: bool,
    },
}

/// A matrix, divided into names and values.
#[derive(Clone, Debug)]
pub(crate) struct Shape<'a> {
    /// The number of rows of the whole matrix.
    pub(crate) size: usize,
    pub(crate) form: Form,
    /// Whether values have a decimal comma.
    pub(crate) decimal_comma: bool,
    /// Whether a line before the matrix states its size.
    pub(crate) has_size_on_top: bool,
    /// The names of the columns in the first line, without a field above the names of rows.
    pub(crate) header: Option<Fields<'a>>,
    /// The names of the rows in their first fields.
    pub(crate) names: Option<Fields<'a>>,
    /// The values in the lines.
    pub(crate) cells: Vec<Fields<'a>>,
    /// The number of lines before the first values.
    pub(crate) before: usize,
}

/// What the values of a matrix show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traits {
    pub(crate) is_symmetric: bool,
    pub(crate) has_constant_diagonal: bool,
    /// Whether all values above or below the diagonal are zeros or missing.
    pub(crate) is_triangular: bool,
}

impl<'a> Shape<'a> {
    /// The shape of the matrix in some lines, which are all lines if `whole` is true.
    pub(crate) fn find(
        divided: &DividedLines<'a>,
        whole: bool,
        options: &ColumnOptions,
    ) -> Option<Self> {
        let lines = &divided.lines;
        let separators = match options.delimiter {
            Some(Delimiter::Blanks) => vec![Separator::Blanks],
            Some(Delimiter::Byte(byte)) => vec![Separator::Byte(byte)],
            None => [false, true].map(|names| divided.separator_shown(0, names)).to_vec(),
        };
        // A first line without a separator, such as the number of rows, shows none.
        let below = (lines.len() > 1).then(|| divided.separator_shown(1, true));
        let last = lines.last().map(|line| Separator::recognize(line, true));
        let others = below.into_iter().chain(last).filter(|_| options.delimiter.is_none());
        let separators = separators.into_iter().chain(others);
        let mut rows = separators.map(|separator| divided.rows(separator)).filter(|rows| {
            let is_short = |row: &Fields<'_>| row.len() <= MOST_COLUMNS;
            !rows.is_empty() && rows.iter().all(is_short)
        });
        rows.find_map(|rows| Self::of_rows(rows.to_vec(), whole, options))
    }

    /// A field that is no number in lines that would be a matrix without it, and its line: n lines
    /// of n fields, with names or without them, and most fields are numbers.
    pub(crate) fn nearly(divided: &DividedLines<'a>) -> Option<(usize, &'a [u8])> {
        const FEWEST: usize = 3;
        let lines = &divided.lines;
        let separator = Separator::of_lines(lines.last()?, &[], true);
        let separator = match separator {
            Separator::Blanks => divided.separator_shown(0, false),
            separator => separator,
        };
        let rows = divided.rows(separator);
        let width = rows.last()?.len();
        let named = usize::from(rows.last()?.first().is_some_and(is_word));
        let size = width.checked_sub(named)?;
        let body = rows.get(rows.len().checked_sub(size)?..)?;
        let is_square = size >= FEWEST + 1 - named
            && rows.len() <= size + 1
            && body.iter().all(|row| row.len() == width);
        if !is_square {
            return None;
        }
        let cells = || {
            let cells = |(at, row): (usize, &'_ Fields<'a>)| {
                row.iter().skip(named).map(move |&cell| (at, cell)).collect::<Vec<_>>()
            };
            (rows.len() - size..).zip(body).flat_map(cells)
        };
        let is_other = |cell: &[u8]| !is_value(cell, true);
        let others = cells().filter(|(_, cell)| is_other(cell)).count();
        let found = cells().find(|(_, cell)| is_other(cell));
        // Lines of numbers below a header are no matrix.
        let has_header =
            rows.len() == size && rows.first().is_some_and(|row| row.iter().all(is_word));
        found.filter(|_| !has_header && 2 * others <= size * size)
    }

    fn of_rows(mut rows: Vec<Fields<'a>>, whole: bool, options: &ColumnOptions) -> Option<Self> {
        // Some write the numbers of rows and columns, or of vertices and edges.
        let size = match &rows.first()?[..] {
            [field] => natural(field, "").ok().and_then(|size| usize::try_from(size).ok()),
            [field, other] if rows.len() > 3 && natural(other, "").is_ok() => {
                natural(field, "").ok().and_then(|size| usize::try_from(size).ok())
            }
            _ => None,
        };
        let body = rows.get(1..)?;
        // Programs may end each line with a separator.
        if body.iter().all(|row| row.len() > 1 && row.ends_with(&[b""])) {
            for row in rows.iter_mut().filter(|row| row.len() > 1 && row.ends_with(&[b""])) {
                row.pop();
            }
        }
        let found = size.and_then(|size| {
            let shape = Self::below_top(rows.get(1..)?, (whole, 1), options)?;
            let is_size = shape.size == size;
            is_size.then_some(Self { has_size_on_top: true, ..shape })
        });
        found.or_else(|| Self::below_top(&rows, (whole, 0), options))
    }

    fn below_top(
        rows: &[Fields<'a>],
        (whole, before): (bool, usize),
        options: &ColumnOptions,
    ) -> Option<Self> {
        let headers: &[bool] = match options.header {
            Header::Present => &[true],
            Header::Absent => &[false],
            Header::Recognize => &[true, false],
        };
        let ways = headers.iter().flat_map(|&header| [(header, true), (header, false)]);
        ways.into_iter().find_map(|(has_header, has_names)| {
            let (head, body) = rows.split_at_checked(usize::from(has_header))?;
            let names: Option<Fields<'a>> =
                has_names.then(|| body.iter().filter_map(|row| row.first().copied()).collect());
            let cells: Vec<Fields<'a>> = body
                .iter()
                .map(|row| row.get(usize::from(has_names)..).unwrap_or_default().to_vec())
                .collect();
            let decimal_comma =
                options.decimal_comma || cells.iter().flatten().any(|cell| is_with_comma(cell));
            if !cells.iter().flatten().all(|cell| is_value(cell, decimal_comma)) {
                return None;
            }
            let (size, form) = form(&cells, whole)?;
            let mut shape = Self {
                size,
                form,
                decimal_comma,
                has_size_on_top: false,
                header: None,
                names,
                cells,
                before: before + head.len(),
            };
            let head = head.first().map(Vec::as_slice);
            (shape.take_header(head, whole) && shape.has_proper_names()).then_some(shape)
        })
    }

    /// Takes a line as names of the columns. Returns whether it may be that.
    fn take_header(&mut self, head: Option<&[&'a [u8]]>, whole: bool) -> bool {
        let Some(head) = head else { return true };
        let has_corner = self.names.is_some() && head.len() == self.size + 1;
        let Some(names) = head.get(usize::from(has_corner)..) else { return false };
        if names.len() != self.size || !are_names(names) {
            return false;
        }
        self.header = Some(names.to_vec());
        // The first line of a symmetric matrix is its first column, too.
        let has_word = names.iter().any(is_word) || has_corner && head.iter().take(1).any(is_word);
        match &self.names {
            Some(rows) => has_word && (agree(rows, names, whole) || counts(names) || counts(rows)),
            None if names.iter().all(is_word) => self.size > 2 && self.traits().is_symmetric,
            // Most lists of edges have three columns, and start with small numbers.
            None if counts(names) && self.size > 2 => true,
            None => self.may_be_distances() && (counts(names) || self.size > 2 && rises(names)),
        }
    }

    /// Whether the values are symmetric, with zeros on the diagonal.
    fn may_be_distances(&self) -> bool {
        let first = self.cell(0, 0).and_then(|cell| value(cell, self.decimal_comma));
        let traits = self.traits();
        first == Some(0.0) && traits.has_constant_diagonal && traits.is_symmetric
    }

    /// Whether the first fields of the lines may be names of rows.
    fn has_proper_names(&self) -> bool {
        let Some(names) = &self.names else { return true };
        are_names(names)
            && (names.iter().any(is_word)
                || self.header.is_some()
                || self.form == Form::Full && self.traits().is_structured(self.size))
    }

    /// Whether the first line has the same names as the first fields.
    pub(crate) fn names_agree(&self) -> bool {
        match (&self.header, &self.names) {
            (Some(header), Some(names)) => names.len() > 1 && agree(names, header, false),
            _ => false,
        }
    }

    /// The value in a row and a column, if the lines contain it; empty if there is none.
    pub(crate) fn cell(&self, row: usize, column: usize) -> Option<&'a [u8]> {
        let place = match self.form {
            Form::Full => Some(column),
            Form::Upper { diagonal } => column.checked_sub(row + usize::from(!diagonal)),
            Form::Lower { diagonal } => (column < row + usize::from(diagonal)).then_some(column),
        };
        let row = match self.form {
            // The first line of a lower triangle without its diagonal is empty.
            Form::Lower { diagonal: false } if self.cells.len() < self.size => {
                row.checked_sub(1)?
            }
            _ => row,
        };
        self.cells.get(row)?.get(place?).copied()
    }

    /// Whether only the values show that the lines are a matrix: there are no names and no size.
    pub(crate) fn is_bare_and_structured(&self) -> bool {
        let is_bare = self.names.is_none() && self.header.is_none() && !self.has_size_on_top;
        is_bare && self.traits().is_structured(self.size)
    }

    /// What the values show.
    pub(crate) fn traits(&self) -> Traits {
        let seen = self.cells.len().min(self.size);
        let at = |row: usize, column: usize| {
            self.cell(row, column).and_then(|cell| value(cell, self.decimal_comma))
        };
        let is_zero = |value: Option<f64>| value.is_none_or(|value| value == 0.0);
        let below = || (0..seen).flat_map(|u| (0..u).map(move |v| (u, v)));
        let above = || (0..seen).flat_map(|u| (u + 1..self.size).map(move |v| (u, v)));
        let same = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-6 * a.abs().max(b.abs()),
            (a, b) => a == b,
        };
        Traits {
            is_symmetric: below().all(|(u, v)| same(at(u, v), at(v, u))),
            has_constant_diagonal: (0..seen).all(|u| at(u, u) == at(0, 0)),
            is_triangular: self.form != Form::Full
                || below().all(|(u, v)| is_zero(at(u, v)))
                || above().all(|(u, v)| is_zero(at(u, v))),
        }
    }
}

impl Traits {
    /// Whether the values show that they are a matrix of `size` rows, and not edges or points.
    pub(crate) fn is_structured(self, size: usize) -> bool {
        if size < 3 {
            return self.has_constant_diagonal && (self.is_symmetric || self.is_triangular);
        }
        self.is_symmetric || self.has_constant_diagonal || self.is_triangular
    }
}

/// The number of rows of the whole matrix, and which of its values the lines contain.
fn form(cells: &[Fields<'_>], whole: bool) -> Option<(usize, Form)> {
    let lengths: Vec<usize> = cells.iter().map(Vec::len).collect();
    let (&first, rows) = (lengths.first()?, lengths.len());
    if first > 1 && lengths.iter().all(|&length| length == first) {
        let is_square = rows == first || !whole && rows < first;
        return is_square.then_some((first, Form::Full));
    }
    let rises = lengths.windows(2).all(|pair| pair[1] == pair[0] + 1);
    let falls = lengths.windows(2).all(|pair| pair[0] == pair[1] + 1);
    let ends = |last: bool| {
        cells.iter().filter_map(move |row| if last { row.last() } else { row.first() })
    };
    // The diagonal has distances of 0, correlations of 1, or no values.
    let are_all =
        |last: bool, expected: f64| ends(last).all(|cell| value(cell, true) == Some(expected));
    let are_correlations = || {
        let mut values = cells.iter().flatten().filter_map(|cell| value(cell, true));
        values.clone().all(|value| value.abs() <= 1.0) && values.any(|value| value.fract() != 0.0)
    };
    let is_constant = |last: bool| {
        are_all(last, 0.0)
            || are_all(last, 1.0) && are_correlations()
            || ends(last).all(|cell| is_missing(cell))
    };
    let last = lengths.last().copied()?;
    match (first, last) {
        (1, 2) if rows == 2 => Some((3, Form::Lower { diagonal: false })),
        _ if rows < 3 => None,
        (_, _) if falls && !whole => Some((
            first + usize::from(!is_constant(false)),
            Form::Upper { diagonal: is_constant(false) },
        )),
        (0, _) if rises => Some((rows, Form::Lower { diagonal: false })),
        (_, 0) if falls => Some((rows, Form::Upper { diagonal: false })),
        // The first numbers may be the names of rows.
        (1, _) if rises && !is_constant(true) && has_rising_names(cells) => None,
        (1, _) if rises && is_constant(true) => Some((rows, Form::Lower { diagonal: true })),
        (1, _) if rises => Some((rows + 1, Form::Lower { diagonal: false })),
        (_, 1) if falls && is_constant(false) => Some((rows, Form::Upper { diagonal: true })),
        (_, 1) if falls => Some((rows + 1, Form::Upper { diagonal: false })),
        _ => None,
    }
}

/// Whether the first fields of the lines are numbers that rise.
fn has_rising_names(cells: &[Fields<'_>]) -> bool {
    let firsts: Vec<&[u8]> = cells.iter().filter_map(|row| row.first().copied()).collect();
    rises(&firsts)
}

/// Whether fields are whole numbers, each greater than the one before.
fn rises(fields: &[&[u8]]) -> bool {
    let numbers: Option<Vec<u64>> = fields
        .iter()
        .map(|field| unquote(field).and_then(|field| natural(&field, "").ok()))
        .collect();
    numbers.is_some_and(|numbers| numbers.is_sorted_by(|one, next| one < next))
}

/// Whether fields are different names, none of them empty.
fn are_names(fields: &[&[u8]]) -> bool {
    let mut seen = HashSet::new();
    fields.iter().all(|field| {
        unquote(field).is_some_and(|name| !name.is_empty() && seen.insert(name.into_owned()))
    })
}

/// Whether the names of rows are those of the columns; if not all rows are there, of the first.
fn agree(rows: &[&[u8]], columns: &[&[u8]], whole: bool) -> bool {
    (!whole || rows.len() == columns.len())
        && rows.iter().zip(columns).all(|(row, column)| unquote(row) == unquote(column))
}

/// Whether the fields are 0, 1, 2 and so on, or 1, 2, 3.
fn counts(fields: &[&[u8]]) -> bool {
    let numbers: Option<Vec<u64>> = fields
        .iter()
        .map(|field| unquote(field).and_then(|field| natural(&field, "").ok()))
        .collect();
    let counts =
        |start: u64| numbers.iter().flatten().zip(start..).all(|(&have, next)| have == next);
    numbers.is_some() && (counts(0) || counts(1))
}

fn is_number(field: &[u8]) -> bool {
    is_weight(field, false) || is_with_comma(field)
}

/// Whether a field can only be a name: no number, and not the sign that there is none.
fn is_word(field: &&[u8]) -> bool {
    !is_number(field) && (field.is_empty() || !is_missing(field))
}

fn is_with_comma(cell: &[u8]) -> bool {
    unquote(cell).is_some_and(|cell| has_decimal_comma(&cell) && is_weight(&cell, true))
}

/// Whether a field says that there is no value.
pub(crate) fn is_missing(cell: &[u8]) -> bool {
    let is = |word: &&str| unquote(cell).is_some_and(|cell| *cell == *word.as_bytes());
    NO_VALUES.iter().chain(&MISSING_VALUES).any(is)
}

/// Whether a field is a value of a matrix, or says that there is none.
fn is_value(cell: &[u8], decimal_comma: bool) -> bool {
    is_weight(cell, decimal_comma) || is_weight(cell, false) || is_missing(cell)
}

/// The value of a field, rounded, if there is one.
fn value(cell: &[u8], decimal_comma: bool) -> Option<f64> {
    let text = unquote(cell)?;
    let text = str::from_utf8(&text).ok()?;
    let text = if decimal_comma { text.replace(',', ".") } else { text.into() };
    text.parse().ok().filter(|value: &f64| value.is_finite())
}
