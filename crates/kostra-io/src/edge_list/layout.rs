//! Which column of an edge list is what, told by its first lines.

use super::fields::{Separator, fields, is_comment, unquote, weight_in};
use crate::number::{natural, show};

/// Where the weight of an edge stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum WeightAt {
    Nowhere,
    Column(usize),
    /// In the Python dictionary that ends each line, as NetworkX writes it.
    Dictionary,
}

/// How the lines of an edge list are laid out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    pub(super) separator: Separator,
    /// How many columns each line has.
    pub(super) columns: usize,
    pub(super) u: usize,
    pub(super) v: usize,
    pub(super) weight: WeightAt,
    /// Whether a Python dictionary ends each line.
    pub(super) dictionary: bool,
    /// Whether the first line is no edge: names of columns, or counts.
    pub(super) first_line: FirstLine,
    /// What a reader of the graph should know of these choices.
    pub(super) notes: Vec<String>,
}

/// What the first line is that is no comment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FirstLine {
    Edge,
    ColumnNames,
    /// How many vertices and edges there are: for sure if the lines that follow have another number of columns.
    Counts {
        n: u64,
        m: u64,
        sure: bool,
    },
}

const U_NAMES: [&str; 16] = [
    "u",
    "source",
    "src",
    "from",
    "tail",
    "start",
    "node1",
    "vertex1",
    "id1",
    "fromnode",
    "fromnodeid",
    "startnode",
    "startnodeid",
    "sourceid",
    "nodea",
    "i",
];
const V_NAMES: [&str; 16] = [
    "v",
    "target",
    "dst",
    "to",
    "head",
    "end",
    "node2",
    "vertex2",
    "id2",
    "tonode",
    "tonodeid",
    "endnode",
    "endnodeid",
    "targetid",
    "nodeb",
    "j",
];
const WEIGHT_NAMES: [&str; 10] =
    ["w", "weight", "cost", "length", "distance", "dist", "l2distance", "value", "len", "weights"];

impl Layout {
    /// That of no lines at all.
    pub(super) const NONE: Self = Self {
        separator: Separator::Blanks,
        columns: 0,
        u: 0,
        v: 1,
        weight: WeightAt::Nowhere,
        dictionary: false,
        first_line: FirstLine::Edge,
        notes: Vec::new(),
    };

    /// The layout that the first lines show; comments among them do not count. `None` if there are no others.
    ///
    /// # Errors
    /// When there are fewer than two columns, or names that do not say where the vertices are.
    pub(super) fn of<'a>(
        sample: impl Iterator<Item = &'a [u8]>,
        names: bool,
    ) -> Result<Option<Self>, String> {
        let lines: Vec<&[u8]> = sample.filter(|line| !is_comment(line)).collect();
        let Some(&first) = lines.first() else { return Ok(None) };
        let second = lines.get(1).copied();
        let separator = Separator::of(cut(first).0, names);
        let rows: Vec<Vec<&[u8]>> = lines
            .iter()
            .map(|line| fields(cut(line).0, separator).map(|(_, field)| field).collect())
            .collect();
        let (head, body) =
            rows.split_first().map_or((&[][..], &[][..]), |(head, body)| (head.as_slice(), body));
        let next = body.first().map_or(&[][..], Vec::as_slice);

        let mut layout = Self {
            separator,
            columns: head.len(),
            u: 0,
            v: 1,
            weight: WeightAt::Nowhere,
            dictionary: false,
            first_line: first_line(head, next, second, names),
            notes: Vec::new(),
        };
        let data = match layout.first_line {
            FirstLine::Counts { sure: true, .. } => {
                layout.columns = next.len();
                layout.separator = second.map_or(separator, |line| Separator::of(cut(line).0, names));
                second
            }
            FirstLine::ColumnNames => second,
            _ => Some(first),
        };
        if layout.columns < 2 {
            return Err("an edge needs two vertices, but this line has one column".into());
        }
        if layout.first_line == FirstLine::ColumnNames {
            layout.take_columns_by_name(head, next);
        } else {
            let data = data.unwrap_or_default();
            let row: Vec<&[u8]> = fields(cut(data).0, layout.separator).map(|(_, field)| field).collect();
            layout.take_columns_by_place(&row, &rows, names);
        }
        if let Some(dictionary) = cut(data.unwrap_or_default()).1 {
            layout.dictionary = true;
            if weight_in(dictionary).is_some() {
                layout.weight = WeightAt::Dictionary;
            }
        }
        Ok(Some(layout))
    }

    fn take_columns_by_name(&mut self, head: &[&[u8]], next: &[&[u8]]) {
        let named = |names: &[&str]| head.iter().position(|name| names.contains(&plain(name).as_str()));
        match (named(&U_NAMES), named(&V_NAMES)) {
            (Some(u), Some(v)) => (self.u, self.v) = (u, v),
            _ => self.notes.push(format!(
                "the columns' names do not say which are the vertices; the first two are taken, '{}' and '{}'",
                show(head.first().copied().unwrap_or_default()),
                show(head.get(1).copied().unwrap_or_default()),
            )),
        }
        let is_free = |column: &usize| *column != self.u && *column != self.v;
        let others: Vec<usize> = (0..head.len()).filter(is_free).collect();
        // One column more, of numbers, can only be the weight, whatever its name.
        let only = if let [only] = others[..] { Some(only) } else { None };
        let only = only.filter(|&column| next.get(column).is_none_or(|field| is_weight(field)));
        if let Some(column) = named(&WEIGHT_NAMES).filter(is_free).or(only) {
            self.weight = WeightAt::Column(column);
        }
        let name = |column| format!("'{}'", show(head.get(column).copied().unwrap_or_default()));
        self.note_what_is_left_out(others.iter().map(|&column| (column, name(column))));
    }

    fn take_columns_by_place(&mut self, row: &[&[u8]], rows: &[Vec<&[u8]>], names: bool) {
        let is_numbered = |start: u64| {
            let mut numbers = rows.iter().map(|row| row.first().and_then(|field| natural(field, "").ok()));
            numbers.clone().count() > 2
                && numbers.by_ref().zip(start..).all(|(have, expected)| have == Some(expected))
        };
        let integers = row.iter().take(3).all(|field| natural(field, "").is_ok());
        if row.len() == 4 && !names && integers && (is_numbered(0) || is_numbered(1)) {
            (self.u, self.v, self.weight) = (1, 2, WeightAt::Column(3));
            self.notes.push(
                "the first column counts the edges; the next are taken as two vertices and a weight".into(),
            );
            return;
        }
        if row.get(2).is_some_and(|field| is_weight(field)) {
            self.weight = WeightAt::Column(2);
        }
        self.note_what_is_left_out((2..self.columns).map(|column| (column, (column + 1).to_string())));
    }

    fn note_what_is_left_out(&mut self, others: impl Iterator<Item = (usize, String)>) {
        let left: Vec<_> = others
            .filter(|(column, _)| WeightAt::Column(*column) != self.weight)
            .map(|(_, name)| name)
            .collect();
        match &left[..] {
            [] => {}
            [column] => self.notes.push(format!("column {column} is left out")),
            columns => self.notes.push(format!("columns {} are left out", columns.join(", "))),
        }
    }
}

/// A line without its dictionary, and the dictionary.
pub(super) fn cut(line: &[u8]) -> (&[u8], Option<&[u8]>) {
    let end = memchr::memchr(b'{', line).filter(|_| line.trim_ascii_end().ends_with(b"}"));
    let Some((row, dictionary)) = end.and_then(|at| line.split_at_checked(at)) else { return (line, None) };
    let row = row.trim_ascii_end();
    (row.strip_suffix(b",").unwrap_or(row), Some(dictionary))
}

fn first_line(head: &[&[u8]], next: &[&[u8]], second: Option<&[u8]>, names: bool) -> FirstLine {
    let is_natural = |field: &&[u8]| unquote(field).is_some_and(|field| natural(&field, "").is_ok());
    if names {
        let known = |field: &&[u8]| U_NAMES.iter().chain(&V_NAMES).any(|name| plain(field) == *name);
        let is_header = head.iter().filter(|field| known(field)).count() >= 2;
        return if is_header { FirstLine::ColumnNames } else { FirstLine::Edge };
    }
    let words = |row: &[&[u8]]| row.iter().all(|field| !is_weight(field));
    if words(head) && (next.is_empty() || next.iter().filter(|field| is_natural(field)).count() >= 2) {
        return FirstLine::ColumnNames;
    }
    let counts: Option<Vec<u64>> = head.iter().map(|field| natural(field, "").ok()).collect();
    let other_columns = second.is_some() && next.len() != head.len();
    match counts.as_deref() {
        Some(&[n, m]) => FirstLine::Counts { n, m, sure: other_columns },
        Some(&[n, same, m]) if n == same && other_columns => FirstLine::Counts { n, m, sure: true },
        _ => FirstLine::Edge,
    }
}

/// Whether a field is meant as a weight. One that is too large to be one is: its line says so when it is read.
fn is_weight(field: &[u8]) -> bool {
    let is_number = |field: &[u8]| str::from_utf8(field).is_ok_and(|text| text.parse::<f64>().is_ok());
    unquote(field).is_some_and(|field| is_number(&field))
}

/// The letters and digits of a column's name, in lower case.
fn plain(name: &[u8]) -> String {
    name.iter()
        .filter(|byte| byte.is_ascii_alphanumeric())
        .map(|byte| byte.to_ascii_lowercase() as char)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str) -> Layout {
        Layout::of(text.as_bytes().split(|&byte| byte == b'\n'), false).unwrap().unwrap()
    }

    fn places(text: &str) -> (usize, usize, WeightAt) {
        let layout = layout(text);
        (layout.u, layout.v, layout.weight)
    }

    #[test]
    fn a_weight_that_is_too_large_is_not_taken_for_a_comment() {
        for weight in ["9223372036854775808", "-99999999999999999999999", "1e999"] {
            assert_eq!(places(&format!("0 1 {weight}\n1 2 3")), (0, 1, WeightAt::Column(2)));
        }
    }

    #[test]
    fn columns_are_found_by_name() {
        assert_eq!(places("source,target,weight\n0,1,5"), (0, 1, WeightAt::Column(2)));
        assert_eq!(places("\"Weight\";\"From\";\"To\"\n5;0;1"), (1, 2, WeightAt::Column(0)));
        assert_eq!(places("edge u v weight\n7 0 1 5"), (1, 2, WeightAt::Column(3)));
        assert_eq!(places("EdgeID StartNodeID EndNodeID L2Distance\n0 0 1 0.5"), (1, 2, WeightAt::Column(3)));
        assert_eq!(places("from to\n0 1"), (0, 1, WeightAt::Nowhere));
        assert_eq!(places("from to minutes\n0 1 5"), (0, 1, WeightAt::Column(2)));
        assert_eq!(places("from to road\n0 1 A1"), (0, 1, WeightAt::Nowhere));
        assert_eq!(layout("x,y,w,z\n0,1,2,3").notes.len(), 2);
    }

    #[test]
    fn columns_are_found_by_place() {
        assert_eq!(places("0 1\n1 2"), (0, 1, WeightAt::Nowhere));
        assert_eq!(places("0 1 5\n1 2 6"), (0, 1, WeightAt::Column(2)));
        assert_eq!(places("0|1|x\n1|2|y"), (0, 1, WeightAt::Nowhere));
        assert_eq!(places("0 5 6 0.5\n1 6 7 0.5\n2 7 8 0.25"), (1, 2, WeightAt::Column(3)));
        assert_eq!(places("0 5 6 1\n9 6 7 2\n2 7 8 3"), (0, 1, WeightAt::Column(2)));
        assert_eq!(layout("0 5 6 1\n9 6 7 2").notes, ["column 4 is left out"]);
        assert_eq!(places("0 1 {'weight': 3}"), (0, 1, WeightAt::Dictionary));
        assert_eq!(places("0 1 {}"), (0, 1, WeightAt::Nowhere));
        assert_eq!(places("0,1,{'weight': 3, 'a': 2}"), (0, 1, WeightAt::Dictionary));
    }

    #[test]
    fn counts_are_told_from_edges_by_their_columns() {
        let first = |text| layout(text).first_line;
        assert_eq!(first("3 2\n0 1 5\n1 2 6"), FirstLine::Counts { n: 3, m: 2, sure: true });
        assert_eq!(first("3 3 2\n0 1\n1 2"), FirstLine::Counts { n: 3, m: 2, sure: true });
        assert_eq!(first("3 2\n0 1\n1 2"), FirstLine::Counts { n: 3, m: 2, sure: false });
        assert_eq!(first("3 2 7\n0 1 7"), FirstLine::Edge);
    }

    #[test]
    fn one_column_is_too_few() {
        assert!(Layout::of([&b"7"[..]].into_iter(), false).is_err());
        assert_eq!(Layout::of([&b"# 7"[..]].into_iter(), false), Ok(None));
    }
}
