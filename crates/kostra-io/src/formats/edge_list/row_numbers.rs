//! Numbers of rows in the first column of lines without a header, as programs print tables.

use std::collections::HashSet;

use crate::fields::{Fields, Separator, is_weight};
use crate::message::{Message, Remedy, message};
use crate::number::natural;
use crate::quotes::unquote;

/// Whether the first of three or four columns may number the rows.
pub(super) fn are_open(rows: &[Fields<'_>], separator: Separator) -> bool {
    /// Two rows can count by chance.
    const FEWEST: usize = 3;
    let columns = rows.first().map_or(0, Vec::len);
    if rows.len() < FEWEST || rows.iter().any(|row| row.len() != columns) {
        return false;
    }
    let column = |at: usize| -> Option<Vec<u64>> {
        rows.iter().map(|row| natural(&unquote(row.get(at)?)?, "").ok()).collect()
    };
    let Some(numbers) = column(0) else { return false };
    let counts = |start: u64| numbers.iter().zip(start..).all(|(&number, row)| number == row);
    if !counts(0) && !counts(1) {
        return false;
    }
    let is_word = |at: usize| {
        let is = |field: &&[u8]| !field.is_empty() && !is_weight(field, false);
        rows.iter().all(|row| row.get(at).is_some_and(is))
    };
    match (columns, column(1), column(2)) {
        (3, Some(seconds), Some(thirds)) => !are_edges([&numbers, &seconds, &thirds], separator),
        (3, ..) => is_word(1) && is_word(2),
        (4, Some(_), Some(_)) => true,
        (4, ..) => is_word(1) && is_word(2),
        _ => false,
    }
}

/// Whether three columns of numbers are edges with weights. The first numbers count the rows. The
/// second numbers are among the first ones. Besides, the third ones are all different and none
/// of the second, or the last two would be self-loops, or blanks separate them and a third one is
/// beyond the first ones.
fn are_edges([numbers, seconds, thirds]: [&[u64]; 3], separator: Separator) -> bool {
    let range =
        numbers.first().map_or(0, |&first| first)..=numbers.last().map_or(0, |last| last + 1);
    let are_inside = seconds.iter().all(|second| range.contains(second));
    let has_beyond = thirds.iter().any(|third| !range.contains(third));
    let has_loop = seconds.iter().zip(thirds).any(|(second, third)| second == third);
    let ends: HashSet<&u64> = seconds.iter().collect();
    let weights: HashSet<&u64> = thirds.iter().collect();
    let are_weights = weights.len() == thirds.len() && weights.is_disjoint(&ends);
    are_inside && (are_weights || has_loop || has_beyond && separator == Separator::Blanks)
}

/// The question whether the first of some columns numbers the rows.
pub(super) fn question(columns: usize) -> Message {
    let mut sentence =
        message!["does the first column number the edges? pass ", Remedy::position("source", 2),];
    if columns > 3 {
        sentence.push(message![", ", Remedy::position("target", 3)]);
        sentence.push(message![" and ", Remedy::position("weight", 4)]);
    } else {
        sentence.push(message![" and ", Remedy::position("target", 3)]);
    }
    sentence.push(message![
        ", or ",
        Remedy::position("source", 1),
        " and ",
        Remedy::position("target", 2),
        " if it is a vertex",
    ]);
    sentence
}
