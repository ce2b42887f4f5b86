//! The first line of an edge list: names of columns, counts, or an edge.

use std::borrow::Cow;
use std::collections::HashSet;

use super::fields::{is_weight, text, texts};
use super::known::{U_NAMES, V_NAMES, plain};
use crate::message::{Remedy, message};
use crate::number::{digits, has_decimal_comma, natural};
use crate::quotes::unquote;
use crate::{ColumnChoice, Header, ReadErrorKind, ReadOptions};

/// The first line that is not a comment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FirstLine {
    Edge,
    ColumnNames,
    /// The numbers of vertices and edges. This is certain if the next lines have another number of
    /// columns.
    Counts {
        n: u64,
        m: u64,
        sure: bool,
    },
}

/// A line's fields.
pub(super) type Fields<'a> = Vec<&'a [u8]>;

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
        if has_known_ends(head) || has_numbers_below || words_over_vertices >= 2 {
            return Self::ColumnNames;
        }
        let counts: Option<Vec<u64>> = head.iter().map(|field| natural(field, "").ok()).collect();
        let other_columns = !body.is_empty() && next.len() != head.len();
        match counts.as_deref() {
            Some(&[n, m]) => Self::Counts { n, m, sure: other_columns },
            Some(&[n, same, m]) if n == same && other_columns => Self::Counts { n, m, sure: true },
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
        let known = has_known_ends(head);
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

/// Whether a field is meant as a number. With a decimal comma it is one only if the options say so,
/// but neither is it a name of a column.
fn is_number(field: &[u8], decimal_comma: bool) -> bool {
    is_weight(field, decimal_comma) || unquote(field).is_some_and(|f| has_decimal_comma(&f))
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

/// Refuses four columns if the first one numbers the rows from 0 or 1. Then the edges may be in the
/// other three columns, or in the first three.
pub(super) fn refuse_row_numbers(rows: &[Fields<'_>]) -> Result<(), ReadErrorKind> {
    let Some(row) = rows.first() else { return Ok(()) };
    let is_numbered = |start: u64| {
        let mut numbers =
            rows.iter().map(|row| row.first().and_then(|field| natural(field, "").ok()));
        numbers.clone().count() > 2
            && numbers.by_ref().zip(start..).all(|(have, expected)| have == Some(expected))
    };
    let integers = row.iter().take(3).all(|field| natural(field, "").is_ok());
    if row.len() != 4 || !integers || !(is_numbered(0) || is_numbered(1)) {
        return Ok(());
    }
    Err(ReadErrorKind::question(message![
        "does the first column number the edges? pass ",
        Remedy::position("source", 2),
        " and ",
        Remedy::position("target", 3),
        ", or ",
        Remedy::position("source", 1),
        " and ",
        Remedy::position("target", 2),
        " if it is a vertex",
    ]))
}

/// Refuses lines that look like the rows of a symmetric matrix of weights.
pub(super) fn refuse_matrix(rows: &[Fields<'_>]) -> Result<(), ReadErrorKind> {
    let n = rows.len();
    if n < 3
        || rows.iter().any(|row| row.len() < n || Some(row.len()) != rows.first().map(Vec::len))
    {
        return Ok(());
    }
    let at = |u: usize, v: usize| rows.get(u).and_then(|row| row.get(v));
    let is_matrix = (0..n).all(|u| at(u, u) == at(0, 0) && (0..u).all(|v| at(u, v) == at(v, u)));
    if !is_matrix {
        return Ok(());
    }
    Err(ReadErrorKind::question(message![
        "are the lines a matrix of weights? store it in a .npy file, or pass ",
        Remedy::position("source", 1),
        " and ",
        Remedy::position("target", 2),
        " if each line is an edge",
    ]))
}

/// Refuses rows `1-2 5`, recognized as edges between names, that may be edges `1 2` of weight 5: in
/// every row, the first of two fields is two numbers with signs between them.
pub(super) fn refuse_joined_ends(rows: &[Fields<'_>]) -> Result<(), ReadErrorKind> {
    let is_joined = |field: &[u8]| {
        let (_, end) = digits(field, 0);
        let between = field.iter().skip(end).take_while(|byte| b"-=>:/~".contains(byte)).count();
        let (_, last) = digits(field, end + between);
        end > 0 && between > 0 && last > end + between && last == field.len()
    };
    let is_open = |row: &Fields<'_>| match row[..] {
        [ends, weight] => is_joined(ends) && is_weight(weight, false),
        _ => false,
    };
    let (true, Some(&[ends, weight])) = (rows.iter().all(is_open), rows.first().map(Vec::as_slice))
    else {
        return Ok(());
    };
    let (ends, weight) = (text(ends), text(weight));
    Err(ReadErrorKind::question(message![
        format!("is {ends} the name of a vertex, or an edge of weight {weight}? pass "),
        Remedy::on("names"),
        " if it is a name, or divide the ends of edges by blanks",
    ]))
}

/// Whether two of the names are known names of the ends of edges.
pub(super) fn has_known_ends(head: &[&[u8]]) -> bool {
    let has_one_of = |names: &[&str]| head.iter().any(|name| names.contains(&plain(name).as_str()));
    has_one_of(&U_NAMES) && has_one_of(&V_NAMES)
}

fn has(head: &[&[u8]], name: &str) -> bool {
    head.iter().any(|field| unquote(field).is_some_and(|field| *field == *name.as_bytes()))
}
