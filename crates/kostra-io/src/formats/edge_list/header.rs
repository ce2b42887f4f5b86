//! The first line of an edge list: names of columns, counts, or an edge.

use std::borrow::Cow;
use std::collections::HashSet;

use super::row_numbers;
use crate::column_choice::name_ends;
use crate::fields::{Fields, Separator, is_weight, texts};
use crate::grouping::has_groups;
use crate::message::{Remedy, message};
use crate::number::{has_decimal_comma, natural, words};
use crate::quotes::unquote;
use crate::{ColumnChoice, Header, ReadErrorKind, ReadOptions};

/// The first line that is not a comment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FirstLine {
    Edge,
    ColumnNames,
    /// Numbers such as those of vertices and edges. This is certain if the next lines have another
    /// number of columns.
    Counts {
        counts: Counts,
        sure: bool,
    },
}

/// The numbers in the first line, or in the first two lines of one number each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Counts {
    numbers: [u64; Counts::MOST],
    length: usize,
    /// The number of lines.
    pub(super) lines: usize,
}

impl Counts {
    /// The most numbers: some courses write a first and a last vertex after the counts.
    const MOST: usize = 4;

    fn of(numbers: &[u64], lines: usize) -> Option<Self> {
        let mut counts = Self { numbers: [0; Self::MOST], length: numbers.len(), lines };
        counts.numbers.get_mut(..numbers.len())?.copy_from_slice(numbers);
        (!numbers.is_empty()).then_some(counts)
    }

    /// The numbers of one line.
    pub(super) fn of_line(fields: &[&[u8]]) -> Option<Self> {
        let numbers: Option<Vec<u64>> =
            fields.iter().map(|field| natural(field, "").ok()).collect();
        Self::of(&numbers?, 1)
    }

    /// One or two lines of one number each, before a line of several columns.
    pub(super) fn on_top(lines: &[&[u8]]) -> Option<Self> {
        let single = |line: &&[u8]| {
            let mut words = words(line).map(|(_, word)| word);
            let number = natural(words.next()?, "").ok()?;
            words.next().is_none().then_some(number)
        };
        let numbers: Vec<u64> = lines.iter().map_while(single).take(3).collect();
        let has_rows = lines.len() > numbers.len();
        if has_rows && numbers.len() < 3 { Self::of(&numbers, numbers.len()) } else { None }
    }

    /// Whether the second number is this one.
    pub(super) fn has_second(&self, number: u64) -> bool {
        self.length > 1 && self.numbers[1] == number
    }

    /// How many numbers there are.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// Whether the numbers can be counts before lines of other lengths. `rows` is the number of
    /// lines that are known.
    fn may_precede(&self, rows: usize) -> bool {
        let [n, m, ..] = self.numbers;
        self.length == 2 || self.is_of_matrix() || n > 0 && m >= rows as u64
    }

    /// Whether the numbers are those of the rows, columns and entries of a square matrix.
    pub(super) fn is_of_matrix(&self) -> bool {
        self.length == 3 && self.numbers[0] == self.numbers[1]
    }

    /// The numbers of vertices and edges, if there are `edges` edges between ids up to `largest`.
    /// A single number is one of both.
    pub(super) fn stated(&self, edges: u64, largest: u64) -> (Option<u64>, Option<u64>) {
        match (self.length, self.numbers) {
            (1, [m, ..]) if m == edges => (None, Some(m)),
            (1, [n, ..]) if largest <= n => (Some(n), None),
            (1, [number, ..]) => (Some(number), Some(number)),
            // The rows and columns of a matrix, and its entries.
            (3, [n, _, m, _]) if self.is_of_matrix() => (Some(n), Some(m)),
            (_, [n, m, ..]) => (Some(n), Some(m)),
        }
    }
}

impl FirstLine {
    /// Recognizes the first of some rows.
    ///
    /// # Errors
    /// When vertices have names and the rows do not tell a header from an edge.
    pub(super) fn recognize(
        rows: &[Fields<'_>],
        options: &ReadOptions,
    ) -> Result<Self, ReadErrorKind> {
        let Some((head, body)) = rows.split_first() else { return Ok(Self::Edge) };
        if head.len() < 2 {
            return Ok(Self::Edge); // nor is it a header of one
        }
        match options.columns.header {
            Header::Present => return Ok(Self::ColumnNames),
            Header::Absent => return Ok(Self::Edge),
            Header::Recognize => {}
        }
        let is_named = |choice: &ColumnChoice| match choice {
            ColumnChoice::Name(name) => has(head, name),
            ColumnChoice::NameOrPosition(name) => name.parse::<usize>().is_err() && has(head, name),
            ColumnChoice::Position(_) => false,
        };
        if options.columns.all_chosen().any(|(_, choice)| is_named(choice)) {
            return Ok(Self::ColumnNames);
        }
        if options.names {
            Self::of_names(head, body, options)
        } else {
            let found = Self::of_numbers(head, body, options.columns.decimal_comma);
            // Names that the user passes stand for all lines before the edges.
            let is_edge = matches!(found, Self::Counts { sure: false, .. })
                && options.columns.names.is_some();
            Ok(if is_edge { Self::Edge } else { found })
        }
    }

    /// Recognizes the first row if vertices are numbers. Then a line without two numbers is not an
    /// edge.
    fn of_numbers(head: &[&[u8]], body: &[Fields<'_>], decimal_comma: bool) -> Self {
        let is_weight = |field: &[u8]| is_number(field, decimal_comma);
        let next = body.first().map_or(&[][..], Vec::as_slice);
        let has_words = head.iter().all(|field| !is_weight(field));
        let is_natural =
            |field: &[u8]| unquote(field).is_some_and(|field| natural(&field, "").is_ok());
        let words_over_vertices = head
            .iter()
            .zip(next)
            .filter(|(name, field)| !is_weight(name) && is_natural(field))
            .count();
        let has_numbers_below = has_words && next.iter().any(|field| is_weight(field));
        if name_ends(head) && has_words || has_numbers_below || words_over_vertices >= 2 {
            return Self::ColumnNames;
        }
        let other_columns = !body.is_empty() && next.len() != head.len();
        match Counts::of_line(head).filter(|counts| counts.len() > 1) {
            Some(counts) if other_columns && counts.may_precede(body.len()) => {
                Self::Counts { counts, sure: true }
            }
            Some(counts) if counts.len() < Counts::MOST => Self::Counts { counts, sure: false },
            _ => Self::Edge,
        }
    }

    /// Recognizes the first row if vertices have names, so that a header looks like an edge. A word
    /// above a column of numbers, or two known names, indicate a header. A number above a column of
    /// numbers, or a vertex that occurs again, indicate an edge. Contradictions are refused.
    fn of_names(
        head: &[&[u8]],
        body: &[Fields<'_>],
        options: &ReadOptions,
    ) -> Result<Self, ReadErrorKind> {
        let is_weight = |field: &[u8]| is_number(field, options.columns.decimal_comma);
        let known = name_ends(head);
        let is_word = |field: &&[u8]| !is_weight(field);
        let counts = Counts::of_line(head).filter(|counts| counts.len() > 1);
        if let (Some(counts), true) =
            (counts, !body.is_empty() && body.iter().all(|row| row.iter().take(2).all(is_word)))
        {
            return Ok(Self::Counts { counts, sure: true });
        }
        if body.is_empty() {
            return Ok(if known { Self::ColumnNames } else { Self::Edge });
        }
        let is_numeric =
            |column: usize| body.iter().all(|row| row.get(column).is_some_and(|f| is_weight(f)));
        let (mut word_over_numbers, mut number_over_numbers) = (false, false);
        for (_, field) in head.iter().enumerate().filter(|(column, _)| is_numeric(*column)) {
            let is_number = is_weight(field);
            number_over_numbers |= is_number;
            word_over_numbers |= !is_number && !field.is_empty();
        }
        let ends =
            [(0, &options.columns.source), (1, &options.columns.target)].map(|(column, choice)| {
                match choice {
                    Some(ColumnChoice::Position(position)) => position.saturating_sub(1),
                    Some(ColumnChoice::NameOrPosition(text)) => {
                        text.parse().map_or(column, |at: usize| at.saturating_sub(1))
                    }
                    _ => column,
                }
            });
        let ends_in = |row: &[&'_ [u8]]| {
            ends.map(|end| row.get(end).and_then(|field| unquote(field)).map(Cow::into_owned))
        };
        let later: HashSet<Vec<u8>> = body.iter().flat_map(|row| ends_in(row)).flatten().collect();
        let occurs_again = ends_in(head).into_iter().flatten().any(|name| later.contains(&name));
        match (known || word_over_numbers, number_over_numbers || occurs_again) {
            (true, false) => Ok(Self::ColumnNames),
            (false, true) => Ok(Self::Edge),
            _ => Err(is_it_a_header(Some(head))),
        }
    }
}

/// Whether a field is meant as a number. With a decimal comma or signs between thousands it is one
/// only if the options say so, but neither is it a name of a column.
fn is_number(field: &[u8], decimal_comma: bool) -> bool {
    is_weight(field, decimal_comma)
        || unquote(field).is_some_and(|f| has_decimal_comma(&f))
        || has_groups(field)
}

/// The question whether the first line is a header.
pub(super) fn is_it_a_header(head: Option<&[&[u8]]>) -> ReadErrorKind {
    let sentence = message![
        "is the first line a header? pass ",
        Remedy::on("header"),
        " or ",
        Remedy::on("no-header"),
    ];
    ReadErrorKind::Columns { sentence, columns: texts(head.unwrap_or_default()) }
}

/// Refuses rows without a header if their columns can be meant in several ways: the first line may
/// be the names 0, 1, 2 of a data frame, or the first column may count the rows.
pub(super) fn refuse_open_columns(
    rows: &[Fields<'_>],
    separator: Separator,
    options: &ReadOptions,
) -> Result<(), ReadErrorKind> {
    let Some((first, body)) = rows.split_first() else { return Ok(()) };
    let plain = |row: &Fields<'_>| -> Vec<Vec<u8>> {
        row.iter().map(|field| unquote(field).unwrap_or_default().into_owned()).collect()
    };
    let ends: HashSet<Vec<u8>> =
        body.iter().flat_map(|row| plain(row).into_iter().take(2)).collect();
    let names: Vec<Vec<u8>> = plain(first);
    let is_counted = (0..).zip(&names).all(|(at, name)| natural(name, "") == Ok(at));
    let occurs = names.iter().take(2).any(|name| ends.contains(name));
    let is_header = match first.len() {
        2 => is_counted && !occurs,
        3 => is_counted,
        _ => false,
    };
    if is_header && !body.is_empty() && options.columns.header == Header::Recognize {
        return Err(is_it_a_header(Some(first)));
    }
    if row_numbers::are_open(rows, separator) {
        return Err(ReadErrorKind::question(row_numbers::question(first.len())));
    }
    Ok(())
}

/// Refuses rows without a header whose first two columns are of different types, or one of them of
/// both: names with values are no edges.
pub(super) fn refuse_names_with_values(
    rows: &[Fields<'_>],
    ends: [usize; 2],
) -> Result<(), ReadErrorKind> {
    let [u, v] = ends;
    let is_id = |field: &&&[u8]| unquote(field).is_some_and(|field| natural(&field, "").is_ok());
    let is_word = |field: &&&[u8]| {
        field.iter().any(u8::is_ascii_alphabetic) && !field.iter().any(u8::is_ascii_digit)
    };
    let is_mixed = |end: &usize| {
        let fields = || rows.iter().filter_map(|row| row.get(*end));
        let words = fields().filter(is_word).count();
        rows.len() > 2 && fields().any(|field| is_id(&field)) && words * 10 > rows.len()
    };
    let is_sign = |field: &&[u8]| !field.is_empty() && field.iter().all(u8::is_ascii_punctuation);
    let of_signs = |end: &usize| rows.iter().all(|row| row.get(*end).is_some_and(is_sign));
    let are_numbers = |end: usize, expected: bool| {
        let is = |field: &&[u8]| is_number(field, false) == expected;
        rows.iter().all(|row| row.get(end).is_some_and(is))
    };
    let [words, numbers] = if are_numbers(u, false) { [u, v] } else { [v, u] };
    let what = if let Some(mixed) = ends.into_iter().find(is_mixed) {
        format!("column {} has words in some lines and numbers in others", mixed + 1)
    } else if rows.is_empty() {
        return Ok(());
    } else if let Some(signs) = ends.into_iter().find(of_signs) {
        format!("column {} has signs only", signs + 1)
    } else if are_numbers(words, false) && are_numbers(numbers, true) {
        format!("column {} has words, and column {} has numbers", words + 1, numbers + 1)
    } else {
        return Ok(());
    };
    Err(ReadErrorKind::question(message![
        format!("which columns are the vertices? {what}; pass "),
        Remedy::ends_at(ends),
    ]))
}

fn has(head: &[&[u8]], name: &str) -> bool {
    head.iter().any(|field| unquote(field).is_some_and(|field| *field == *name.as_bytes()))
}
