//! Sortable tables of the page.

use super::cells::{Cell, Group};
use super::html::escape;
use crate::statistics::{Timing, milliseconds};

/// An entry of a table.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Entry {
    Text(String),
    /// A number as it is shown, and its value for sorting.
    Number(String, f64),
    Empty,
}

impl Entry {
    /// A number that is shown with three significant digits, or nothing.
    pub(super) fn number(value: Option<f64>) -> Self {
        value.map_or(Self::Empty, |value| Self::Number(super::scale::number(value), value))
    }

    /// A whole number, or nothing.
    pub(super) fn count(value: Option<u64>) -> Self {
        value.map_or(Self::Empty, |value| Self::Number(grouped(value), value as f64))
    }

    /// Seconds that are shown as milliseconds.
    pub(super) fn milliseconds(seconds: f64) -> Self {
        Self::Number(milliseconds(seconds), seconds)
    }

    fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }
}

/// A whole number with a comma before each three digits.
fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A table with a caption.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Table {
    pub(super) caption: String,
    pub(super) heads: Vec<String>,
    pub(super) rows: Vec<Vec<Entry>>,
}

impl Table {
    /// A table without the columns that are empty in all rows.
    pub(super) fn new(caption: String, heads: &[&str], rows: Vec<Vec<Entry>>) -> Self {
        let used: Vec<bool> = (0..heads.len())
            .map(|at| rows.iter().any(|row| row.get(at).is_some_and(|entry| !entry.is_empty())))
            .collect();
        let keep = |row: Vec<Entry>| {
            row.into_iter().zip(&used).filter(|(_, used)| **used).map(|(entry, _)| entry).collect()
        };
        let heads = heads.iter().zip(&used).filter(|(_, used)| **used);
        Self {
            caption,
            heads: heads.map(|(head, _)| (*head).to_owned()).collect(),
            rows: rows.into_iter().map(keep).collect(),
        }
    }

    /// The table of a group's cells; none without cells.
    pub(super) fn from_cells(group: &Group) -> Option<Self> {
        const HEADS: [&str; 13] = [
            "graph",
            "vertices",
            "edges",
            "ranks",
            "threads",
            "contestant",
            "median ms",
            "min",
            "max",
            "spread %",
            "samples",
            "M edges/s",
            "kind",
        ];
        let rows: Vec<_> = group.cells.iter().map(row).collect();
        let caption = "All measurements. Click a heading to sort.".to_owned();
        (!rows.is_empty()).then(|| Self::new(caption, &HEADS, rows))
    }

    /// The table as HTML. A heading is a button, so that the keyboard can sort too.
    pub(super) fn html(&self) -> String {
        // The head of a column of numbers is on the right, as the numbers are.
        let is_number = |entry: &Entry| matches!(entry, Entry::Number(..));
        let head = |(at, head): (usize, &String)| {
            let numbers = self.rows.iter().any(|row| row.get(at).is_some_and(is_number));
            let class = if numbers { " class=\"number\"" } else { "" };
            let head = escape(head);
            format!("<th scope=\"col\"{class}><button type=\"button\">{head}</button></th>")
        };
        let heads: String = self.heads.iter().enumerate().map(head).collect();
        let entry = |entry: &Entry| match entry {
            Entry::Text(text) => format!("<td>{}</td>", escape(text)),
            Entry::Number(text, value) => format!("<td data-v=\"{value}\">{}</td>", escape(text)),
            Entry::Empty => "<td></td>".to_owned(),
        };
        let row =
            |row: &Vec<Entry>| format!("<tr>{}</tr>\n", row.iter().map(entry).collect::<String>());
        let rows: String = self.rows.iter().map(row).collect();
        format!(
            "<div class=\"scroll\"><table><caption>{}</caption><thead><tr>{heads}</tr></thead>\n<tbody>{rows}</tbody></table></div>\n",
            escape(&self.caption)
        )
    }
}

fn row(cell: &Cell) -> Vec<Entry> {
    let timing = Timing::new(0.0, cell.samples.clone());
    let time = |value: fn(&Timing) -> f64| {
        timing.as_ref().map_or(Entry::Empty, |timing| Entry::milliseconds(value(timing)))
    };
    let rate =
        cell.edges.map(|edges| edges as f64 / cell.median / 1e6).filter(|rate| rate.is_finite());
    vec![
        Entry::Text(cell.graph.clone()),
        Entry::count(cell.vertices),
        Entry::count(cell.edges),
        Entry::count(cell.ranks),
        Entry::count(cell.threads),
        Entry::Text(cell.label()),
        Entry::milliseconds(cell.median),
        time(|timing| timing.minimum),
        time(|timing| timing.maximum),
        timing.as_ref().map_or(Entry::Empty, |timing| {
            Entry::Number(format!("{:.0}", 100.0 * timing.spread), timing.spread)
        }),
        Entry::count((!cell.samples.is_empty()).then_some(cell.samples.len() as u64)),
        Entry::number(rate),
        if cell.peer { Entry::Text("peer".to_owned()) } else { Entry::Empty },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_shown_in_groups_and_sorted_by_value() {
        for (value, text) in [(7, "7"), (999, "999"), (1000, "1,000"), (4_194_304, "4,194,304")] {
            assert_eq!(Entry::count(Some(value)), Entry::Number(text.to_owned(), value as f64));
        }
    }

    #[test]
    fn heads_of_numbers_are_marked() {
        let rows = vec![vec![Entry::Text("grid".to_owned()), Entry::count(Some(3))]];
        let html = Table::new(String::new(), &["graph", "edges"], rows).html();
        assert!(
            html.contains("<th scope=\"col\"><button type=\"button\">graph</button>"),
            "{html}"
        );
        assert!(html.contains("<th scope=\"col\" class=\"number\">"), "{html}");
    }
}
