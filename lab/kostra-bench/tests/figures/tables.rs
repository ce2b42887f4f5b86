//! Tables of pages, and the figures in them.

use std::collections::BTreeSet;

/// Where the figures of a table come from.
pub(crate) enum Source {
    /// The records with these names.
    Records(Vec<String>),
    /// The source document.
    Paper,
    /// No record.
    Unrecorded,
    /// No record, because the page is a log.
    Log,
}

/// A page with this line before its second heading is a log: its tables are in a record only if
/// the text above names it.
const LOG: &str = "<!-- figures: in a record if the text above a table names it -->";

/// Why a row or column of a table is not checked.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Omission {
    /// The source document has its figures.
    Paper,
    /// No record has its figures.
    Unrecorded,
}

/// A table of a page.
pub(crate) struct Table {
    /// The heading above.
    pub(crate) section: String,
    /// The line of its head, counted from 1.
    pub(crate) line: usize,
    /// The records, or why there are none.
    pub(crate) source: Source,
    /// The rows and columns that are not checked.
    pub(crate) omitted: Vec<(String, Omission)>,
    /// Whether all figures are ratios.
    ratios: bool,
    heads: Vec<String>,
    /// The cells of each row.
    pub(crate) rows: Vec<Vec<String>>,
}

/// A number of a table.
pub(crate) struct Figure {
    /// The number as it is written.
    pub(crate) text: String,
    /// Its row, counted from 0.
    pub(crate) row: usize,
    column: usize,
    /// The least and the greatest number that round to it.
    pub(crate) range: (f64, f64),
    /// Whether the cell or its column says that it is a ratio or a share.
    pub(crate) ratio: bool,
    /// Whether it is a percentage.
    pub(crate) percent: bool,
}

impl Figure {
    /// Whether a value rounds to it.
    pub(crate) fn rounds(&self, value: f64) -> bool {
        self.range.0 <= value && value <= self.range.1
    }

    /// The head of its column.
    pub(crate) fn head<'a>(&self, table: &'a Table) -> &'a str {
        &table.heads[self.column]
    }
}

/// Columns that describe the input of a measurement.
const INPUTS: &[&str] = &[
    "vertices",
    "edges",
    "points",
    "dimensions",
    "threads",
    "ranks",
    "k",
    "`min_samples`",
    "type",
    "machines",
    "devices",
    "date",
    "machine",
    "kind",
    "shape",
    "limit",
    "accounts",
    "vertices per rank",
    "edges per vertex",
    "average degree",
];

/// Words in the head of a column of ratios.
const RATIOS: &[&str] =
    &["ratio", "speed-up", "/", "efficiency", " of ", "aborts", "beside", "mean", "least", "most"];

/// Words that a cell of figures may contain.
const UNITS: &[&str] = &[
    "ms", "s", "ns", "µs", "us", "M", "MB", "GB", "MiB", "GiB", "kB", "x", "times", "and", "to",
    "or", "%", "MB/s", "GB/s",
];

/// The tables of a page. `known` has the names of all records.
pub(crate) fn of(page: &str, known: &BTreeSet<String>) -> Vec<Table> {
    let lines: Vec<_> = page.lines().collect();
    let headings: Vec<_> = headings(&lines);
    let named = |from: usize, to: usize| names(&lines[from..to].join("\n"), known);
    let opening = headings.get(1).map_or(lines.len(), |&(line, _)| line);
    let is_log = lines[..opening].contains(&LOG);
    let mut last = 0;
    let mut tables = Vec::new();
    let mut line = 0;
    while line < lines.len() {
        if !lines[line].starts_with('|') {
            line += 1;
            continue;
        }
        let rows = lines[line..].iter().take_while(|text| text.starts_with('|')).count();
        let section = headings.iter().rposition(|&(start, _)| start <= line);
        let of_section = section.map_or_else(Vec::new, |section| {
            named(headings[section].0, headings.get(section + 1).map_or(lines.len(), |next| next.0))
        });
        let above = named(last.max(section.map_or(0, |section| headings[section].0)), line);
        last = line + rows;
        let by_default = if above.is_empty() && !is_log { of_section } else { above };
        let marker = lines[..line].iter().rev().find(|text| !text.is_empty());
        let marker =
            marker.and_then(|text| text.strip_prefix("<!-- figures: ")?.strip_suffix(" -->"));
        let mut table = Table {
            section: section.map_or("", |section| headings[section].1).to_owned(),
            line: line + 1,
            source: match by_default {
                names if names.is_empty() && is_log => Source::Log,
                names => Source::Records(names),
            },
            omitted: Vec::new(),
            ratios: false,
            heads: cells(lines[line]),
            rows: lines[line + 2..line + rows].iter().map(|text| cells(text)).collect(),
        };
        for part in marker.into_iter().flat_map(|text| text.split("; ")) {
            match part.split_once(": ") {
                Some(("paper", columns)) => table.omit(columns, Omission::Paper),
                Some(("not in a record", columns)) => table.omit(columns, Omission::Unrecorded),
                _ if part == "paper" => table.source = Source::Paper,
                _ if part == "not in a record" => table.source = Source::Unrecorded,
                _ if part == "ratios" => table.ratios = true,
                _ => table.source = Source::Records(names(part, known)),
            }
        }
        tables.push(table);
        line += rows;
    }
    tables
}

/// The headings with their lines, outside of fenced blocks.
fn headings<'a>(lines: &[&'a str]) -> Vec<(usize, &'a str)> {
    let mut fenced = false;
    let mut found = Vec::new();
    for (line, text) in lines.iter().enumerate() {
        fenced ^= text.trim_start().starts_with("```");
        if !fenced && text.starts_with('#') {
            found.push((line, text.trim_start_matches('#').trim()));
        }
    }
    found
}

fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
    inner.split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// The records that a text names. `*` and `?` stand for any text and any character.
pub(crate) fn names(text: &str, known: &BTreeSet<String>) -> Vec<String> {
    let named = |pattern: &str| {
        let pattern = pattern.trim_end_matches(['.', ',']).trim_end_matches(".json");
        known
            .iter()
            .filter(|name| matches(pattern.as_bytes(), name.as_bytes()))
            .cloned()
            .collect::<Vec<_>>()
    };
    patterns(text).into_iter().flat_map(named).collect()
}

/// The words of a text that begin with a date and a hyphen.
pub(crate) fn patterns(text: &str) -> Vec<&str> {
    let part = |character: char| character.is_ascii_alphanumeric() || "-.*?".contains(character);
    let dated = |word: &&str| {
        let bytes = word.as_bytes();
        bytes.len() > 11
            && bytes[4] == b'-'
            && bytes[7] == b'-'
            && bytes[10] == b'-'
            && word.starts_with("20")
    };
    text.split(|character| !part(character)).filter(dated).collect()
}

fn matches(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.first(), name.first()) {
        (None, None) => true,
        (Some(b'*'), _) => {
            matches(&pattern[1..], name) || (!name.is_empty() && matches(pattern, &name[1..]))
        }
        (Some(b'?'), Some(_)) => matches(&pattern[1..], &name[1..]),
        (Some(a), Some(b)) if a == b => matches(&pattern[1..], &name[1..]),
        _ => false,
    }
}

impl Table {
    /// The figures that are to be checked.
    pub(crate) fn figures(&self) -> Vec<Figure> {
        let mut figures = Vec::new();
        for (row, cells) in self.rows.iter().enumerate().filter(|(_, cells)| !self.omits(&cells[0]))
        {
            for (column, cell) in cells.iter().enumerate().skip(1) {
                let head = self.heads.get(column).map_or("", String::as_str);
                if INPUTS.contains(&head.split(',').next().unwrap_or_default()) || self.omits(head)
                {
                    continue;
                }
                let in_brackets = cell.split_once('(').filter(|_| self.omits("in brackets"));
                let cell = in_brackets.map_or(cell.as_str(), |(before, _)| before);
                let says = RATIOS.iter().any(|word| head.contains(word) || cells[0].contains(word));
                figures.extend(numbers(cell).into_iter().map(|(text, range, after)| Figure {
                    percent: after.starts_with('%') || cell.ends_with('%'),
                    ratio: self.ratios
                        || says
                        || cell.ends_with('%')
                        || ["x", "times"].contains(&after.as_str()),
                    text,
                    row,
                    column,
                    range,
                }));
            }
        }
        figures
    }

    fn omit(&mut self, names: &str, why: Omission) {
        self.omitted.extend(names.split(" | ").map(|name| (name.to_owned(), why)));
    }

    fn omits(&self, name: &str) -> bool {
        self.omitted.iter().any(|(omitted, _)| omitted == name)
    }

    /// Whether the figure follows from two other cells: it is the sum of two of its row, or a ratio
    /// of two of its row, of its column, or of its row and another row in one column.
    pub(crate) fn follows(&self, figure: &Figure) -> bool {
        let columns = || (1..self.heads.len()).filter(|&column| column != figure.column);
        let rows = || (0..self.rows.len()).filter(|&row| row != figure.row);
        let here = |column| self.span(figure.row, column);
        let divide = |a, b| figure.ratio && figure.divides(a, b);
        let mut pairs =
            columns().flat_map(|a| columns().filter(move |&b| a != b).map(move |b| (a, b)));
        pairs.any(|(a, b)| {
            let processes = self.heads[b].split(' ').next().and_then(|head| head.parse().ok());
            let processes = processes.filter(|_| figure.head(self).contains("efficiency"));
            figure.adds(here(a), here(b))
                || divide(here(a), here(b).map(|span| span.times(processes.unwrap_or(1.0))))
        }) || columns().any(|column| {
            rows().any(|row| {
                let (here, there) = (here(column), self.span(row, column));
                divide(here, there) || divide(there, here)
            })
        }) || rows().any(|a| {
            let span = |row| self.span(row, figure.column);
            rows().any(|b| a != b && divide(span(a), span(b)))
        })
    }

    /// From the least to the greatest figure of a cell.
    fn span(&self, row: usize, column: usize) -> Option<Span> {
        let all = numbers(self.rows[row].get(column)?);
        let least = all.iter().map(|(_, range, _)| range.0).reduce(f64::min)?;
        let most = all.iter().map(|(_, range, _)| range.1).reduce(f64::max)?;
        Some(Span(least, most)).filter(|_| least > 0.0)
    }
}

/// The least and the greatest value.
#[derive(Clone, Copy)]
struct Span(f64, f64);

impl Span {
    fn times(self, factor: f64) -> Self {
        Self(self.0 * factor, self.1 * factor)
    }
}

impl Figure {
    fn divides(&self, a: Option<Span>, b: Option<Span>) -> bool {
        let scale = if self.percent { 0.01 } else { 1.0 };
        let (Some(a), Some(b)) = (a, b) else { return false };
        a.0 / b.1 <= self.range.1 * scale && a.1 / b.0 >= self.range.0 * scale
    }

    fn adds(&self, a: Option<Span>, b: Option<Span>) -> bool {
        let (Some(a), Some(b)) = (a, b) else { return false };
        a.0 + b.0 <= self.range.1 && a.1 + b.1 >= self.range.0
    }
}

/// The numbers of a cell of figures, with the range of each and the text after it; none for other
/// cells.
fn numbers(cell: &str) -> Vec<(String, (f64, f64), String)> {
    let mut plain = cell.replace("**", "");
    // A remark in brackets, such as the name of a peer, is no figure.
    while let Some((before, rest)) = plain.split_once('(') {
        let (inner, after) = rest.split_once(')').unwrap_or((rest, ""));
        let inner = if all_units(inner) { inner } else { "" };
        plain = format!("{before} {inner} {after}");
    }
    if !all_units(&plain) {
        return Vec::new();
    }
    let words: Vec<_> = words(&plain).collect();
    let figure = |(at, word): (usize, &&str)| {
        let range = range(word)?;
        let after = words.get(at + 1).copied().unwrap_or_default();
        Some(((*word).to_owned(), range, after.to_owned()))
    };
    words.iter().enumerate().filter_map(figure).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || "/+;".contains(c));
    words.map(|word| word.trim_end_matches([',', ':'])).filter(|word| !word.is_empty())
}

/// Whether a text consists of numbers and units.
fn all_units(text: &str) -> bool {
    words(text).all(|word| range(word).is_some() || UNITS.contains(&word))
}

/// The least and the greatest number that round to a number.
fn range(word: &str) -> Option<(f64, f64)> {
    let digits = word.replace(',', "");
    let decimals = digits.split_once('.').map_or(0, |(_, rest)| rest.len());
    let only = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let value: f64 = digits.parse().ok().filter(|_| only)?;
    // The last zero of a large number may come from rounding.
    let rounded = value >= 1000.0 && digits.ends_with('0') && decimals == 0;
    let last = if rounded { 1 } else { -i32::try_from(decimals).unwrap() };
    let half = 0.500_000_1 * 10f64.powi(last);
    Some((value - half, value + half))
}
