//! Matrices: n lines of n numbers, or a triangle of them, with or without names.

use std::collections::HashSet;

use super::{Claim, Kind, Sample, Strength, shown};
use crate::fields::{is_weight, text};
use crate::formats::matrix::{Form, Shape};
use crate::interface::Format;
use crate::message::{Message, Remedy, message};
use crate::number::natural;

pub(super) const KIND: Kind = Kind { format: Format::MATRIX, claim };

fn claim(sample: &Sample<'_>) -> Option<Claim> {
    let shape = Shape::find(&sample.divided, sample.is_whole(), &sample.options.columns)?;
    let traits = shape.traits();
    let size = shape.size;
    let is_structured = traits.is_structured(size);
    let strength = if shape.names_agree() {
        Strength::Certain
    } else if is_structured {
        Strength::Fits
    } else {
        Strength::Weak
    };
    let is_table = size < 3 || shape.header.is_some() || are_edges(&shape);
    if size < 2 || strength == Strength::Weak && is_table {
        return None;
    }
    let form = match shape.form {
        Form::Full => format!("{size} x {size} numbers"),
        Form::Upper { .. } => format!("the upper triangle of {size} x {size} numbers"),
        Form::Lower { .. } => format!("the lower triangle of {size} x {size} numbers"),
    };
    let shows = [
        (shape.has_size_on_top, "the size on top"),
        (shape.names_agree(), "the same names of rows and columns"),
        (traits.is_symmetric && shape.form == Form::Full, "symmetric"),
        (traits.is_triangular && shape.form == Form::Full, "zeros on one side of the diagonal"),
    ];
    let shows = shows.into_iter().filter(|(shows, _)| *shows).map(|(_, what)| format!(", {what}"));
    let names = shape.names.as_ref().or(shape.header.as_ref());
    let name =
        |at: usize| names.and_then(|names| names.get(at)).map_or(at.to_string(), |name| text(name));
    let pairs = (0..size).flat_map(|u| (u + 1..size).map(move |v| (u, v)));
    let edges = pairs.filter_map(|(u, v)| {
        let zero = |cell: &&[u8]| natural(cell, "") != Ok(0);
        let cell = shape.cell(u, v).filter(zero).or(shape.cell(v, u).filter(zero))?;
        Some(format!("{}-{} {}", name(u), name(v), text(cell)))
    });
    let reading = format!("{size} vertices, {}", shown(edges));
    Some(Claim::new(strength, shows.fold(form, |all, one| all + &one), reading))
}

/// What to say about lines that would be a matrix but for a field that is no number, or for names
/// of rows that are not those of the columns.
pub(crate) fn nearly(sample: &Sample<'_>) -> Option<Message> {
    if let Some(difference) = names_differ(sample) {
        return Some(message![
            format!(
                "rows and columns share names, as those of a matrix, but {difference}; write the \
                 same vertices in the same order, or pass "
            ),
            Remedy::ends(),
        ]);
    }
    let (row, field) = Shape::nearly(&sample.divided)?;
    Some(message![
        format!(
            "the lines are as many as their fields, as of a matrix, but '{}' in row {} is no \
             number; write NA where there is no edge, or pass ",
            text(field),
            row + 1
        ),
        Remedy::ends(),
    ])
}

/// How the names in the first fields of lines differ from those in the first line, if most are the
/// same words.
fn names_differ(sample: &Sample<'_>) -> Option<String> {
    const FEWEST: usize = 3;
    let rows = sample.divided.rows(sample.divided.separator_shown(1, true));
    let (head, body) = rows.split_first()?;
    let named: Vec<&[u8]> = body.iter().filter_map(|row| row.first().copied()).collect();
    let corner = usize::from(body.first()?.len() == head.len());
    let columns = head.get(corner..)?;
    let all: HashSet<&[u8]> = columns.iter().copied().collect();
    let shared = named.iter().filter(|name| !is_weight(name, false) && all.contains(**name));
    if shared.count() < FEWEST.max(columns.len().max(named.len()) / 2) || !sample.is_whole() {
        return None;
    }
    if let Some(name) = named.iter().find(|name| !all.contains(**name)) {
        return Some(format!("there is no column '{}'", text(name)));
    }
    let at = columns.iter().zip(&named).position(|(column, row)| column != row);
    Some(match (at, named.get(columns.len())) {
        (Some(at), _) => {
            let (row, column) = (text(named[at]), text(columns[at]));
            format!("row {} is '{row}', and column {} is '{column}'", at + 1, at + 1)
        }
        (None, Some(row)) => format!("the row '{}' is one too many", text(row)),
        (None, None) => format!("there is no row '{}'", text(columns.get(named.len())?)),
    })
}

/// Whether the lines of a small matrix without structure are edges rather: the first two numbers of
/// each are different ids, and all ids from 0 or 1 occur.
fn are_edges(shape: &Shape<'_>) -> bool {
    let ends: Option<Vec<[u64; 2]>> = shape
        .cells
        .iter()
        .map(|row| match row[..] {
            [u, v] | [u, v, _] => Some([natural(u, "").ok()?, natural(v, "").ok()?]),
            _ => None,
        })
        .collect();
    let Some(ends) = ends.filter(|_| shape.names.is_none() && shape.header.is_none()) else {
        return false;
    };
    let mut ids: Vec<u64> = ends.as_flattened().to_vec();
    ids.sort_unstable();
    ids.dedup();
    let is_dense = ids.first().is_some_and(|&first| {
        first < 2 && ids.iter().zip(first..).all(|(&id, expected)| id == expected)
    });
    is_dense && ends.iter().all(|[u, v]| u != v)
}
