//! Edges as people write them, one in each line: `A -> B: 5`, `(A, B, 5)`, `A - B 5`, `edge(a, b)`.
//!
//! The signs are the same in all lines. The lines are rewritten with tabs and read as an edge list.
//! The text is held in memory.

use std::collections::HashSet;

use crate::compression::Stream;
use crate::fault::Fault;
use crate::fields::{is_comment, is_weight};
use crate::interface::{Format, FormatInfo, Parsed};
use crate::source::from_bytes;
use crate::whole::{self, WholeText};
use crate::{Delimiter, Header, ReadOptions};

impl Format {
    /// Edges with the same signs in all lines, as `A -> B: 5` and `(A, B, 5)`.
    pub const WRITTEN: Self = Self::new(&FormatInfo {
        id: "written",
        title: "edge list with signs",
        summary: "text: an edge with signs in each line, as `A -> B: 5` and `(A, B, 5)`",
        read,
        ..FormatInfo::READ_ONLY
    });
}

/// Signs between two ends that names do not contain.
const ARROWS: [&str; 12] =
    ["<->", "<-->", "<=>", "-->", "---", "--", "->", "=>", "↔", "→", " - ", " – "];
/// Other signs between two ends, which names may contain.
const OTHERS: [&str; 9] = [" to ", ",", ";", "\t", "=", ":", "-", "/", " "];
/// Names of weights before a weight, as in `A -> B [weight=5]`.
const WEIGHTS: [&str; 8] = ["weight", "w", "cost", "length", "distance", "dist", "label", "len"];
const OPEN: [char; 4] = ['(', '[', '{', '<'];
const CLOSE: [char; 4] = [')', ']', '}', '>'];

/// The signs in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signs {
    /// Before the first end.
    open: String,
    between: &'static str,
    /// Between the second end and the weight; none if there is no weight.
    mark: Option<String>,
    close: String,
}

/// How clearly signs show edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clarity {
    /// The signs can be parts of numbers.
    Doubtful,
    /// The signs can be parts of names.
    Open,
    /// Brackets or arrows are in all lines.
    Clear,
}

/// An edge in a line: its ends, and its weight if it has one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WrittenEdge<'a> {
    pub(crate) ends: [&'a str; 2],
    pub(crate) weight: Option<&'a str>,
}

impl Signs {
    /// The signs in some lines, which are the same in all of them, and how clear they are.
    pub(crate) fn find(lines: &[&[u8]]) -> Option<(Self, Clarity)> {
        /// Longer lines are no single edges, and each way of writing looks at all of them.
        const LONGEST: usize = 1 << 14;
        if lines.iter().any(|line| line.len() > LONGEST) {
            return None;
        }
        let lines: Vec<&str> =
            lines.iter().map(|line| str::from_utf8(line).ok()).collect::<Option<_>>()?;
        let ways = [true, false].into_iter().flat_map(|has_weight| {
            ARROWS.iter().chain(&OTHERS).map(move |between| (has_weight, between))
        });
        ways.into_iter().find_map(|(has_weight, between)| {
            let (signs, _) = divide(lines.first()?, between, has_weight)?;
            let edges: Vec<WrittenEdge<'_>> =
                lines.iter().map(|line| signs.parse(line)).collect::<Option<_>>()?;
            signs.clarity(&edges).map(|clarity| (signs, clarity))
        })
    }

    /// The edge in a line, if it has these signs.
    pub(crate) fn parse<'a>(&self, line: &'a str) -> Option<WrittenEdge<'a>> {
        let (signs, edge) = divide(line, self.between, self.mark.is_some())?;
        (signs == *self).then_some(edge)
    }

    /// How clear the signs are in these edges, if they can be those of edges: a vertex is both a
    /// first and a second end, or signs stand in all places.
    fn clarity(&self, edges: &[WrittenEdge<'_>]) -> Option<Clarity> {
        let first: HashSet<&str> = edges.iter().map(|edge| edge.ends[0]).collect();
        let is_closed = edges.iter().any(|edge| first.contains(edge.ends[1]));
        let of_digits = |end: &str| end.bytes().all(|byte| byte.is_ascii_digit());
        let are_numbers = edges.iter().flat_map(|edge| edge.ends).all(of_digits);
        let mark = self.mark.as_deref();
        let has_arrow = ARROWS.contains(&self.between);
        // `POINT(0 0)` is no edge.
        if self.is_call() && self.between != "," {
            return None;
        }
        if has_arrow || !self.open.is_empty() {
            let is_blank = mark.is_some_and(|mark| mark.trim().is_empty());
            return match mark {
                _ if is_closed || has_arrow && are_numbers => Some(Clarity::Clear),
                _ if self.is_call() && self.open.to_lowercase().contains("edge") => {
                    Some(Clarity::Clear)
                }
                // `Node 2` can be a name.
                Some(_) if !is_blank => Some(Clarity::Doubtful),
                Some(_) | None => None,
            };
        }
        let is_plain = |sign: &str| ["", ",", ";", "|", "\t"].contains(&sign);
        // Edge lists, and names of two words with values.
        let between = if self.between == " " { "" } else { self.between };
        let is_list = is_plain(between)
            && mark.is_none_or(|mark| mark == between || between.is_empty() && is_plain(mark));
        let has_sign = mark.is_some_and(|mark| mark.contains([':', '=']));
        // `1,2 5` has a decimal comma.
        let is_comma = are_numbers && self.between == "," && !has_sign;
        // Times, dates and ranges of numbers, and words with hyphens.
        let is_doubtful = match self.between {
            "-" => are_numbers && !has_sign || mark.is_none(),
            ":" | "/" | "=" => are_numbers,
            _ => false,
        };
        // Assignments and definitions have no weights.
        let is_other = mark.is_none() && self.between != "-";
        let clarity = if is_doubtful { Clarity::Doubtful } else { Clarity::Open };
        (is_closed && !is_list && !is_other && !is_comma).then_some(clarity)
    }

    /// Whether the name of a function stands before the edge, as in `add_edge(0, 1)`.
    fn is_call(&self) -> bool {
        self.open.starts_with(|letter| !OPEN.contains(&letter))
    }
}

/// Divides a line into signs and an edge with this sign between its ends.
fn divide<'a>(
    line: &'a str,
    between: &'static str,
    has_weight: bool,
) -> Option<(Signs, WrittenEdge<'a>)> {
    let line = line.trim().trim_end_matches([',', ';', '.']).trim_end();
    let mut rest = line.trim_end_matches(|letter| CLOSE.contains(&letter) || letter == ' ');
    let mut close = line.get(rest.len()..)?.trim();
    let (mut weight, mut mark) = (None, None);
    if has_weight {
        let start = weight_start(rest)?;
        weight = Some(rest.get(start..)?);
        let ends = before_mark(rest.get(..start)?);
        let signs = rest.get(ends.len()..start)?;
        let has_tab = signs.trim().is_empty() && signs.contains('\t');
        let signs = if has_tab { "\t" } else { signs.trim() };
        // `A -> B 2,5` may end with a decimal comma, and `A -> B 7:30` with a time.
        let may_be_part = [",", ":", "-"].contains(&signs) && between != signs;
        if signs.contains("--") || may_be_part && is_group(rest, start) {
            return None;
        }
        mark = Some(signs.to_owned());
        rest = ends;
    } else if close == ">" {
        return None;
    } else if !close.is_empty() && !line.contains(OPEN) {
        (rest, close) = (line, "");
    }
    let open = opening(rest);
    let (u, v) = rest.get(open.len()..)?.split_once(between)?;
    let ends = [u, v].map(bare);
    let signs = Signs { open: open.trim().into(), between, mark, close: close.into() };
    let are_ends = ends.iter().all(|end| signs.may_surround(end));
    are_ends.then_some((signs, WrittenEdge { ends, weight }))
}

impl Signs {
    /// Whether a text can be an end between these signs.
    fn may_surround(&self, end: &str) -> bool {
        let is_number = end.bytes().all(|byte| byte.is_ascii_digit());
        let has = |sign: char| !sign.is_whitespace() && end.contains(sign);
        // `(0.5, 2)` is a point, `(x=1, y=2)`, too, and `LINESTRING(0 0,1 1)` a line.
        let is_other = is_weight(end.as_bytes(), false) && !is_number
            || !self.open.is_empty() && end.contains(['=', ':', ','])
            || self.is_call() && end.contains(' ');
        !end.is_empty()
            && !is_other
            && !end.contains(self.between)
            && !end.contains(OPEN)
            && !end.contains(CLOSE)
            // Tabs divide the rewritten lines.
            && !end.contains(['\t', '"'])
            && !end.starts_with(['#', '%', '-', '=', '/'])
            && !end.ends_with(['-', '='])
            && !self.mark.as_deref().unwrap_or_default().contains(has)
    }
}

/// Whether a digit and one sign stand directly before the number at `start`.
fn is_group(text: &str, start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default();
    let mut before = before.chars().rev().skip(1);
    before.next().is_some_and(|letter| letter.is_ascii_digit())
}

/// Where the number at the end of a text starts: the longest that follows no letter or digit.
fn weight_start(text: &str) -> Option<usize> {
    const LONGEST: usize = 64;
    let is_part = |letter: &char| letter.is_ascii_digit() || "+-.eE".contains(*letter);
    let length = text.chars().rev().take(LONGEST).take_while(is_part).count();
    let first = text.len() - length;
    (first..text.len()).find(|&start| {
        let before = text.get(..start).and_then(|before| before.chars().next_back());
        let is_apart = before.is_some_and(|letter| !letter.is_alphanumeric() && letter != '.');
        is_apart && text.get(start..).is_some_and(|rest| is_weight(rest.as_bytes(), false))
    })
}

/// A text without the signs before a weight.
fn before_mark(text: &str) -> &str {
    let is_sign = |letter: char| letter.is_whitespace() || ":=,;|-([{)]}".contains(letter);
    let rest = text.trim_end_matches(is_sign);
    let start = rest.rfind(|letter: char| !letter.is_alphanumeric()).map_or(0, |at| at + 1);
    let word = rest.get(start..).unwrap_or_default();
    let before = rest.get(..start).unwrap_or_default();
    let is_name = text[rest.len()..].contains([':', '=']) && WEIGHTS.contains(&word);
    if is_name && before.ends_with(is_sign) { before.trim_end_matches(is_sign) } else { rest }
}

/// The brackets at the start of a text, with the name of a function before them.
fn opening(text: &str) -> &str {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || "_.".contains(letter);
    let word = text.len() - text.trim_start_matches(is_word).len();
    let rest = text.get(word..).unwrap_or_default();
    let rest_of_line = rest.trim_start_matches(|c| OPEN.contains(&c) || word == 0 && c == ' ');
    let brackets = rest.len() - rest_of_line.len();
    let end = word + brackets;
    match text.get(..end) {
        Some(open) if open.contains(OPEN) => open,
        _ => "",
    }
}

/// A text without blanks and quotes around it.
fn bare(text: &str) -> &str {
    let text = text.trim();
    let inside = |quote| text.strip_prefix(quote).and_then(|rest: &str| rest.strip_suffix(quote));
    inside('"').or_else(|| inside('\'')).unwrap_or(text)
}

/// The memory for a word of a line while the lines are rewritten.
const BYTES_PER_WORD: usize = 40;

/// Reads a graph.
fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let text = WholeText::read(&mut stream)?;
    whole::ask_for_values(text.text().as_bytes(), BYTES_PER_WORD)?;
    let lines: Vec<&str> = text.text().lines().collect();
    let rows: Vec<&[u8]> =
        lines.iter().map(|line| line.as_bytes()).filter(|line| !is_comment(line)).collect();
    let (signs, _) = Signs::find(&rows).ok_or_else(|| {
        Fault::whole(
            "the lines do not have the same signs around two ends; write one line `u v weight` per \
             edge",
        )
    })?;
    let rewritten: Vec<String> = lines
        .iter()
        .map(|line| match signs.parse(line) {
            None => String::new(),
            Some(WrittenEdge { ends: [u, v], weight: None }) => format!("{u}\t{v}"),
            Some(WrittenEdge { ends: [u, v], weight: Some(weight) }) => {
                format!("{u}\t{v}\t{weight}")
            }
        })
        .collect();
    let rewritten = rewritten.join("\n");
    let mut options = options.clone();
    options.columns.delimiter = Some(Delimiter::Byte(b'\t'));
    options.columns.header = Header::Absent;
    options.format = Some(Format::EDGE_LIST);
    (Format::EDGE_LIST.info().read)(Stream::new(from_bytes(rewritten.as_bytes()))?, &options)
}
