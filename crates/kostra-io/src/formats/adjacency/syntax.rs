//! How the lines of an adjacency list are written.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::fields::is_weight;
use crate::number::is_blank;
use crate::quotes::{quoted_length, unquote};

/// What stands between a vertex and its neighbors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// `:`, or a mark with an arrow.
    Sign(&'static [u8]),
    /// The same as between two neighbors.
    None,
}

/// What stands between two neighbors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Between {
    Blanks,
    Byte(u8),
    /// The same arrow as after the vertex: `a -> b -> c`.
    Arrow(&'static [u8]),
}

/// How a neighbor has a weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weights {
    None,
    /// `neighbor,weight` or `neighbor:weight`.
    After(u8),
    /// `neighbor(weight)` or `(neighbor,weight)`.
    InBrackets,
}

/// How all lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Syntax {
    pub(crate) mark: Mark,
    between: Between,
    weights: Weights,
}

/// A neighbor, and its weight if it has one.
pub(crate) type Neighbor<'a> = (Cow<'a, [u8]>, Option<&'a [u8]>);

/// A line: a vertex, and its neighbors with their weights.
#[derive(Debug, PartialEq)]
pub(crate) struct Line<'a> {
    pub(crate) vertex: Cow<'a, [u8]>,
    pub(crate) neighbors: Vec<Neighbor<'a>>,
}

/// What lines show about being an adjacency list.
#[derive(Debug)]
pub(crate) struct Facts {
    /// Whether the lines are of different lengths.
    pub(crate) is_ragged: bool,
    /// Whether each neighbor has a line, and if so, whether each has the vertex as a neighbor.
    pub(crate) is_closed: bool,
    pub(crate) is_mirrored: bool,
    /// Whether a vertex is its own neighbor.
    pub(crate) has_loops: bool,
    /// Whether neighbors have weights.
    pub(crate) is_weighted: bool,
    /// The share of neighbors that have a line.
    pub(crate) share: f64,
    pub(crate) is_of_numbers: bool,
    /// Whether the vertices are numbers, and a neighbor is a word.
    pub(crate) is_numbered: bool,
    /// Whether the vertices are words, and a neighbor is a number or starts with one.
    pub(crate) is_measured: bool,
}

const SIGNS: [&[u8]; 4] = [b"->", b"=>", b":", b"\xe2\x86\x92"];

impl Syntax {
    /// The syntax of some lines, if they can be an adjacency list: no vertex has two lines.
    pub(crate) fn find(lines: &[&[u8]]) -> Option<(Self, Facts)> {
        let has = |byte: u8| lines.iter().any(|line| memchr::memchr(byte, line).is_some());
        let marks = SIGNS.map(Mark::Sign).into_iter().chain([Mark::None]);
        marks.into_iter().find_map(|mark| {
            let rests: Vec<&[u8]> =
                lines.iter().map(|line| Some(divide(line, mark)?.1)).collect::<Option<_>>()?;
            let has_sign =
                |sign| rests.iter().any(|rest| memchr::memmem::find(rest, sign).is_some());
            let kinds: &[Between] = match mark {
                Mark::None => &[
                    Between::Byte(b'\t'),
                    Between::Byte(b';'),
                    Between::Byte(b','),
                    Between::Blanks,
                ],
                Mark::Sign(arrow) if arrow != b":" && has_sign(arrow) => &[Between::Arrow(arrow)],
                Mark::Sign(_) => &[Between::Blanks, Between::Byte(b','), Between::Byte(b';')],
            };
            let weights =
                [Weights::InBrackets, Weights::After(b','), Weights::After(b':'), Weights::None];
            weights.into_iter().find_map(|weights| {
                kinds.iter().find_map(|&between| {
                    let syntax = Self { mark, between, weights };
                    if weights != Weights::None && rests.iter().all(|rest| rest.is_empty())
                        || !syntax.signs().all(has)
                    {
                        return None;
                    }
                    let parsed: Vec<Line<'_>> =
                        lines.iter().map(|line| syntax.parse(line)).collect::<Option<_>>()?;
                    facts(&parsed).map(|facts| (syntax, facts))
                })
            })
        })
    }

    /// Signs without which no line has a neighbor.
    fn signs(&self) -> impl Iterator<Item = u8> + use<> {
        let between = match self.between {
            Between::Byte(byte) if self.mark == Mark::None => Some(byte),
            _ => None,
        };
        let of_weights = match self.weights {
            Weights::None => None,
            Weights::After(byte) => Some(byte),
            Weights::InBrackets => Some(b'('),
        };
        between.into_iter().chain(of_weights)
    }

    /// A line, if it is written like this.
    pub(crate) fn parse<'a>(&self, line: &'a [u8]) -> Option<Line<'a>> {
        let (vertex, rest) = match self.mark {
            Mark::Sign(_) => divide(line, self.mark)?,
            Mark::None => {
                let line = line.trim_ascii();
                let at = self.length(line);
                let (vertex, rest) = line.split_at_checked(at)?;
                (vertex, self.without_gap(rest))
            }
        };
        let vertex = unquote(trim_quotes(trim(vertex))).filter(|vertex| is_name(vertex))?;
        let mut rest = trim(rest);
        if matches!(self.mark, Mark::Sign(_)) && self.weights != Weights::InBrackets {
            rest = trim_brackets(rest);
        }
        let mut neighbors = Vec::new();
        while !rest.is_empty() {
            let length = self.length(rest);
            let (token, after) = rest.split_at_checked(length)?;
            neighbors.push(self.neighbor(trim(token))?);
            rest = self.without_gap(after);
        }
        Some(Line { vertex, neighbors })
    }

    /// The length of the first token.
    fn length(&self, rest: &[u8]) -> usize {
        let quoted = quoted_length(rest);
        if let Between::Arrow(arrow) = self.between {
            let after = rest.get(quoted..).unwrap_or_default();
            return memchr::memmem::find(after, arrow).map_or(rest.len(), |end| quoted + end);
        }
        let mut depth = 0_usize;
        let end = rest.iter().skip(quoted).position(|&byte| {
            match byte {
                b'(' if self.weights == Weights::InBrackets => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
                && match self.between {
                    Between::Byte(separator) => byte == separator,
                    Between::Blanks | Between::Arrow(_) => is_blank(byte),
                }
        });
        end.map_or(rest.len(), |end| quoted + end)
    }

    /// What follows a token, without what separates it from the next one.
    fn without_gap<'a>(&self, rest: &'a [u8]) -> &'a [u8] {
        match self.between {
            Between::Blanks => trim(rest),
            Between::Byte(separator) => {
                trim(trim(rest).strip_prefix(&[separator]).unwrap_or(trim(rest)))
            }
            Between::Arrow(arrow) => trim(trim(rest).strip_prefix(arrow).unwrap_or(trim(rest))),
        }
    }

    fn neighbor<'a>(&self, token: &'a [u8]) -> Option<Neighbor<'a>> {
        let (name, weight) = match self.weights {
            Weights::None => (token, None),
            // Else the comma is what separates two neighbors.
            Weights::After(b',') if self.between != Between::Blanks => return None,
            Weights::After(sign) => {
                let at = memchr::memrchr(sign, token)?;
                (token.get(..at)?, Some(token.get(at + 1..)?))
            }
            Weights::InBrackets => {
                let inside = token.strip_suffix(b")")?;
                let open = memchr::memchr(b'(', inside)?;
                let (name, inside) = (inside.get(..open)?, inside.get(open + 1..)?);
                if name.is_empty() {
                    let at = memchr::memchr(b',', inside)?;
                    (inside.get(..at)?, Some(inside.get(at + 1..)?))
                } else {
                    (name, Some(inside))
                }
            }
        };
        let weight = weight.map(trim);
        let name = unquote(trim_quotes(trim(name)))?;
        let ends_with_separator = self.between == Between::Blanks && name.ends_with(b",");
        let has_weight = weight.is_none_or(|weight| is_weight(weight, false));
        // Commas and tabs separate names with blanks; other lines are sentences.
        (is_name(&name) && !ends_with_separator && has_weight).then_some((name, weight))
    }
}

/// Whether a text can be the name of a vertex: brackets enclose weights or neighbors.
fn is_name(text: &[u8]) -> bool {
    !text.is_empty() && !text.iter().any(|byte| b"(){}[]".contains(byte))
}

/// The vertex and its neighbors, as text.
fn divide(line: &[u8], mark: Mark) -> Option<(&[u8], &[u8])> {
    let Mark::Sign(sign) = mark else { return Some((line, line)) };
    let quoted = quoted_length(line);
    let at = quoted + memchr::memmem::find(line.get(quoted..)?, sign)?;
    let (vertex, rest) = (line.get(..at)?, line.get(at + sign.len()..)?);
    // `12:30` and `a:5` are words.
    let is_apart = rest.first().is_none_or(|&byte| is_blank(byte) || b"[({".contains(&byte));
    (is_apart || sign != b":").then_some((vertex, rest))
}

fn trim(text: &[u8]) -> &[u8] {
    text.trim_ascii()
}

fn trim_quotes(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"'").and_then(|text| text.strip_suffix(b"'")).unwrap_or(text)
}

fn trim_brackets(text: &[u8]) -> &[u8] {
    let text = text.strip_suffix(b",").unwrap_or(text);
    let inside = |open: &[u8], close: &[u8]| text.strip_prefix(open)?.strip_suffix(close);
    trim(inside(b"[", b"]").or_else(|| inside(b"{", b"}")).unwrap_or(text))
}

/// What lines show; `None` if a vertex has two lines, or there are no neighbors.
fn facts(lines: &[Line<'_>]) -> Option<Facts> {
    let mut rows: HashMap<&[u8], HashSet<&[u8]>> = HashMap::new();
    for line in lines {
        let neighbors = line.neighbors.iter().map(|(name, _)| &**name).collect();
        if rows.insert(&line.vertex, neighbors).is_some() {
            return None;
        }
    }
    let all =
        || lines.iter().flat_map(|line| line.neighbors.iter().map(move |(name, _)| (line, name)));
    let count = all().count();
    if count == 0 {
        return None;
    }
    let starts_with_digit = |name: &[u8]| name.first().is_some_and(u8::is_ascii_digit);
    let are_digits = |name: &[u8]| name.iter().all(u8::is_ascii_digit);
    let are_numbers = rows.keys().all(|name| are_digits(name));
    let has_word = all().any(|(_, name)| !are_digits(name));
    let known = all().filter(|(_, name)| rows.contains_key(&***name)).count();
    // A first line of another length may be counts above edges.
    let second = lines.get(1).map_or(0, |line| line.neighbors.len());
    Some(Facts {
        is_ragged: lines.iter().skip(2).any(|line| line.neighbors.len() != second),
        is_closed: known == count,
        has_loops: all().any(|(line, name)| *name == line.vertex),
        is_weighted: lines
            .iter()
            .any(|line| line.neighbors.iter().any(|(_, weight)| weight.is_some())),
        is_mirrored: all()
            .all(|(line, name)| rows.get(&**name).is_some_and(|row| row.contains(&*line.vertex))),
        share: known as f64 / count as f64,
        is_of_numbers: are_numbers && !has_word,
        is_numbered: are_numbers && has_word,
        is_measured: !rows.keys().any(|name| starts_with_digit(name))
            && all().any(|(_, name)| starts_with_digit(name)),
    })
}
