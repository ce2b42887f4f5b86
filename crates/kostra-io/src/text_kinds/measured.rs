//! Lines that can be read as edges, but are points or measurements rather.

use std::collections::HashSet;

use super::Sample;
use crate::formats::edge_list::{Fields, Separator};
use crate::message::{Message, Remedy, message};
use crate::number::natural;

/// The question whether lines are edges, if no header says so, and they are points or measurements
/// rather.
pub(crate) fn doubt(sample: &Sample<'_>) -> Option<Message> {
    let (first, rest) = sample.lines().split_first()?;
    let separator = Separator::of_lines(first, rest, false);
    let rows = sample.divided.rows(separator);
    let width = rows.first()?.len();
    if !(2..=3).contains(&width) || rows.iter().any(|row| row.len() != width) {
        return None;
    }
    let times =
        (0..2).find(|&column| rows.len() > 1 && rows.iter().all(|row| is_time(row[column])));
    let question = match times {
        Some(column) => message![format!(
            "which columns are the vertices? column {} has times; pass ",
            column + 1
        )],
        None if sample.is_whole() && share_no_end(&rows) => message![
            "are the lines edges or points? no two of them share a vertex; ",
            Remedy::PointTree,
            " finds the tree of points; pass "
        ],
        None => return None,
    };
    Some(message![
        question,
        Remedy::position("source", 1),
        " and ",
        Remedy::position("target", 2),
        " if each line is an edge"
    ])
}

/// Whether nearly all first and second numbers of several lines differ.
fn share_no_end(rows: &[Fields<'_>]) -> bool {
    const FEWEST: usize = 4;
    let numbers: Option<Vec<Vec<u64>>> =
        rows.iter().map(|row| row.iter().map(|field| natural(field, "").ok()).collect()).collect();
    let Some(numbers) = numbers.filter(|rows| rows.len() >= FEWEST) else { return false };
    let ends: HashSet<u64> = numbers.iter().flat_map(|row| [row[0], row[1]]).collect();
    10 * ends.len() >= 19 * rows.len()
}

/// Whether a field is a time such as `12:30:00` or a date such as `2026-11-29`.
fn is_time(field: &[u8]) -> bool {
    let groups = |sign: u8| -> Vec<usize> {
        let groups = field.split(|&byte| byte == sign);
        let are_digits = groups.clone().all(|group| group.iter().all(u8::is_ascii_digit));
        if are_digits { groups.map(<[u8]>::len).collect() } else { Vec::new() }
    };
    matches!(groups(b':')[..], [1 | 2, 2] | [1 | 2, 2, 2]) || groups(b'-') == [4, 2, 2]
}
