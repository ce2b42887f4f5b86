//! Lines that have the form of edges, but may be points, measurements or sentences, and last lines
//! that may be no edges.

use std::collections::HashSet;

use super::Sample;
use crate::column_choice::lists;
use crate::fields::{DividedLines, is_comment, text};
use crate::formats::edge_list::{Examined, Says};
use crate::formats::matrix::Shape;
use crate::message::{Message, Remedy, message};
use crate::number::{natural, words};
use crate::text_fold::fold;

/// The question whether the lines are edges, or something else that has the same form.
pub(super) fn doubt(sample: &Sample<'_>, found: &Examined<'_>) -> Option<Message> {
    let is_bare = found.says == Says::Form;
    let question = if found.header().is_some_and(|header| are_intervals(header, found)) {
        "are the lines edges or intervals? each starts where the line before it ends or later; \
         pass "
            .into()
    } else if let Some(column) = times(found) {
        format!("which columns are the vertices? column {column} has times; pass ").into()
    } else if is_bare && sample.is_whole() && share_no_end(found) {
        points("no two of them share a vertex")
    } else if is_bare && sample.is_whole() && counts_lines_with_loops(found) {
        points("the first column counts them")
    } else if is_points_below_counts(sample, found) {
        points("the first two numbers may be their dimension and number")
    } else if is_bare && are_cells(found) {
        "are the lines edges, or the cells of a table with their rows and columns? pass ".into()
    } else if is_bare && are_matrices(sample) {
        "are the lines between blank lines a matrix each? write one per file, or pass ".into()
    } else if is_bare && are_apart(sample, found) {
        "are the lines edges? no vertex is in both columns; pass ".into()
    } else if let Some(what) = end_line(sample, found) {
        format!("is {what}; remove it, or pass ").into()
    } else {
        return None;
    };
    let if_edges = match found.header() {
        Some(_) => Remedy::ends(),
        None => Remedy::ends_at([0, 1]),
    };
    Some(message![question, if_edges])
}

/// The question whether the lines are edges or points, with the reason for it.
fn points(reason: &str) -> Message {
    message![
        format!("are the lines edges or points? {reason}; "),
        Remedy::PointTree,
        " finds the tree of points; pass "
    ]
}

/// The column of the ends that has only times, counted from 1.
fn times(found: &Examined<'_>) -> Option<usize> {
    let are_times = |end: usize| found.ends().all(|ends| is_time(ends[end]));
    let has_several = found.ends().nth(1).is_some();
    (0..2).find(|&end| has_several && are_times(end)).map(|end| end + 1)
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

/// The ends of all edges, if they are numbers.
fn numbers(found: &Examined<'_>) -> Option<Vec<[u64; 2]>> {
    let number = |field: &[u8]| natural(field, "").ok();
    found.ends().map(|[u, v]| Some([number(u)?, number(v)?])).collect()
}

/// Whether nearly all first and second numbers of several lines differ.
fn share_no_end(found: &Examined<'_>) -> bool {
    const FEWEST: usize = 3;
    let Some(rows) = numbers(found).filter(|rows| rows.len() >= FEWEST) else { return false };
    let ends: HashSet<u64> = rows.iter().flatten().copied().collect();
    10 * ends.len() >= 19 * rows.len()
}

/// Whether the first numbers count the lines, and a second number is the first one of its line: so
/// are the values of a function.
fn counts_lines_with_loops(found: &Examined<'_>) -> bool {
    const FEWEST: usize = 3;
    let Some(rows) = numbers(found).filter(|rows| rows.len() >= FEWEST) else { return false };
    let counts = |start: u64| (start..).zip(&rows).all(|(row, [first, _])| *first == row);
    (counts(0) || counts(1)) && rows.iter().any(|[u, v]| u == v) && found.weights().is_none()
}

/// Whether a header calls the ends start and end, and they are intervals in order.
fn are_intervals(header: &[&[u8]], found: &Examined<'_>) -> bool {
    let names: Vec<String> = header.iter().map(|name| fold(&text(name))).collect();
    let has = |name: &str| names.iter().any(|other| other == name);
    let Some(rows) = numbers(found) else { return false };
    (has("start") || has("begin"))
        && has("end")
        && rows.len() > 1
        && rows.iter().all(|[start, end]| start <= end)
        && rows.windows(2).all(|pair| pair[0][1] <= pair[1][0])
}

/// Whether two numbers are above the lines, as Qhull writes the dimension and the number of points:
/// the number of columns, and the number of lines. As edges the lines would be those of a graph
/// with loops or parallel edges. Two numbers in one line may be those of vertices and edges, if all
/// ends of edges are in the range of the first.
fn is_points_below_counts(sample: &Sample<'_>, found: &Examined<'_>) -> bool {
    let [first, second, ..] = sample.lines() else { return false };
    let counts = |lines: &[&[u8]]| -> Vec<u64> {
        let words = lines.iter().flat_map(|line| words(line));
        words.map_while(|(_, word)| natural(word, "").ok()).collect()
    };
    let (one, both) = (counts(&[first]), counts(&[first, second]));
    let (before, dimension, count) = match (&one[..], &both[..]) {
        (&[dimension], &[_, count]) => (2, dimension, count),
        (&[dimension, count], _) => (1, dimension, count),
        _ => return false,
    };
    let Some(rows) = sample.lines().get(before..) else { return false };
    let width = rows.first().map_or(0, |row| words(row).count());
    let ends = || found.ends().rev().take(rows.len()).filter(|[u, v]| u != v);
    let pairs: HashSet<[&[u8]; 2]> = ends().map(|[u, v]| [u.min(v), u.max(v)]).collect();
    let are_counts = before == 1
        && numbers(found).is_some_and(|all| {
            let ends = all.iter().rev().take(rows.len());
            ends.flatten().all(|&end| end <= dimension)
        });
    (dimension, count) == (width as u64, rows.len() as u64)
        && pairs.len() < rows.len()
        && !are_counts
}

/// Whether the lines are all cells of a table, row by row, whose values are no symmetric matrix.
fn are_cells(found: &Examined<'_>) -> bool {
    let (Some(cells), Some(values)) = (numbers(found), found.weights()) else { return false };
    let (Some(&[first, column]), Some(&[last, _])) = (cells.first(), cells.last()) else {
        return false;
    };
    let rows = last.saturating_sub(first).saturating_add(1);
    let width = cells.len() as u64 / rows;
    let place = |at: usize| [first + at as u64 / width.max(1), column + at as u64 % width.max(1)];
    let are_all = rows > 1
        && width > 1
        && first < 2
        && column < 2
        && rows * width == cells.len() as u64
        && cells.iter().enumerate().all(|(at, cell)| *cell == place(at));
    let value = |row: u64, column: u64| values.get((row * width + column) as usize);
    let is_symmetric =
        || rows == width && (0..rows).all(|u| (0..u).all(|v| value(u, v) == value(v, u)));
    are_all && !is_symmetric()
}

/// Whether blank lines divide all lines into several matrices.
fn are_matrices(sample: &Sample<'_>) -> bool {
    let lines = sample.head.lines().filter(|_| sample.is_whole()).unwrap_or_default();
    let blocks = lines.split(|line| line.trim_ascii().is_empty()).map(|block| {
        let lines = block.iter().map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        lines.filter(|line| !is_comment(line)).collect::<Vec<_>>()
    });
    let is_matrix = |lines: Vec<&[u8]>| {
        let rows = lines.len();
        Shape::find(&DividedLines::new(lines), true, &sample.options.columns)
            .is_some_and(|shape| shape.size == rows && shape.is_bare_and_structured())
    };
    let blocks: Option<Vec<()>> = blocks
        .filter(|lines| !lines.is_empty())
        .map(|lines| is_matrix(lines).then_some(()))
        .collect();
    blocks.is_some_and(|blocks| blocks.len() > 1)
}

/// Whether no vertex is in both columns of the ends: so are words with their kinds, such as
/// `doc1 spam`, and measurements. Of a longer text, both columns must repeat in scattered lines, or
/// one must have few values. Edges that are sorted by one end repeat it in lines next to each
/// other.
fn are_apart(sample: &Sample<'_>, found: &Examined<'_>) -> bool {
    let column = |end: usize| found.ends().map(move |ends| ends[end]);
    let distinct = [0, 1].map(|end| column(end).collect::<HashSet<&[u8]>>());
    if !distinct[0].is_disjoint(&distinct[1]) {
        return false;
    }
    let rows = found.ends().count();
    if sample.is_whole() {
        return match found.has_words {
            true => rows > 1 || found.weights().is_none(),
            false => numbers(found).is_some_and(|rows| are_two_kinds(&rows)),
        };
    }
    let runs =
        |end: usize| 1 + column(end).zip(column(end).skip(1)).filter(|(a, b)| a != b).count();
    let has_at_most = |most: usize| {
        [0, 1].map(|end| distinct[end].len() <= most && runs(end) > distinct[end].len())
    };
    has_at_most(rows / 10).contains(&true) || !has_at_most(rows - rows / 20).contains(&false)
}

/// Whether first and second numbers are of two kinds, where no number is in both columns: the first
/// ones only rise or only fall, as row numbers, or a gap separates the ranges of both, as those of
/// users and years. A star has one number in a column.
fn are_two_kinds(rows: &[[u64; 2]]) -> bool {
    const FEWEST: usize = 3;
    let differ = |end: usize| rows.iter().any(|row| row[end] != rows[0][end]);
    if rows.len() < FEWEST || !differ(0) || !differ(1) {
        return false;
    }
    let rise = |low: usize, high: usize| rows.windows(2).all(|two| two[low][0] < two[high][0]);
    let range = |end: usize| {
        let column = || rows.iter().map(|row| row[end]);
        (column().min().unwrap_or_default(), column().max().unwrap_or_default())
    };
    let [first, second] = [range(0), range(1)];
    let is_gap = |low: (u64, u64), high: (u64, u64)| high.0.saturating_sub(low.1) > 1;
    rise(0, 1) || rise(1, 0) || is_gap(first, second) || is_gap(second, first)
}

/// Words for the sum of all lines, without accents.
const TOTALS: &str = "total totals sum summe gesamt all celkem suma somme totale";

/// What the first or the last line seems to be if it is no edge. Of a longer text it is not known.
fn end_line(sample: &Sample<'_>, found: &Examined<'_>) -> Option<String> {
    const FEWEST: usize = 3;
    let edges: Vec<[&[u8]; 2]> = found.ends().collect();
    if edges.len() < FEWEST || !sample.is_whole() {
        return None;
    }
    let is_new = |name: &[u8]| edges.as_flattened().iter().filter(|&&end| end == name).count() == 1;
    for (which, [u, v]) in [("first", edges[0]), ("last", edges[edges.len() - 1])] {
        // Equal counts may be in the first line.
        let may_be_mark = u == v && (which == "last" || u == b"0");
        if may_be_mark && edges.as_flattened().iter().filter(|&&end| end == u).count() == 2 {
            return Some(format!("the {which} line an edge? '{}' is in no other line", text(u)));
        }
    }
    let [u, v] = edges[edges.len() - 1];
    let weights = found.weights()?;
    let (last, summands) = weights.split_last()?;
    let sum: f64 = summands.iter().sum();
    let is_sum = *last > 0.0 && (sum - last).abs() <= 1e-9 * last;
    let is_called_total = [u, v].into_iter().any(|name| lists(TOTALS, &fold(&text(name))));
    let are_new = is_new(u) && is_new(v);
    let shows = [is_sum, is_called_total, are_new].into_iter().filter(|&shows| shows).count();
    (shows > 1).then(|| {
        let how = if is_sum { "the sum of the others" } else { "a total" };
        format!("the last line an edge? its weight, {last}, seems to be {how}")
    })
}
