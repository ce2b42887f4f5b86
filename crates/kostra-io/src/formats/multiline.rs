//! Multiline adjacency lists of NetworkX: a line `node degree`, and `degree` lines
//! `neighbor {attributes}`.
//!
//! An edge is in the lines of one of its ends only. The attributes are a dictionary of Python, and
//! one of them is the weight. The text is held in memory.

use crate::attributed_graph::{AttributedGraph, WeightAttribute};
use crate::compression::Stream;
use crate::fault::Fault;
use crate::fields::is_comment;
use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo, Parsed};
use crate::literal;
use crate::rows::TextRows;
use crate::whole::{AscendingPlaces, WholeText};
use crate::{KeptKind, ReadOptions};

impl Format {
    /// Multiline adjacency lists of NetworkX.
    pub const MULTILINE: Self = Self::new(&FormatInfo {
        id: "multiline",
        title: "multiline adjacency list",
        summary: "NetworkX: a line `node degree`, and as many lines `neighbor {'weight': 3}`",
        has_attributes: true,
        recognize,
        read,
        ..FormatInfo::READ_ONLY
    });
}

const COMMENT: &str = "#";

/// Recognizes lines of a node and a count, each with as many lines of a node and a dictionary after
/// it.
fn recognize(head: &Head<'_>) -> Evidence {
    if head.lines().is_none() {
        return Evidence::Absent;
    }
    let text = head.text();
    // The last line may be incomplete.
    let end = if head.is_whole() { text.len() } else { text.rfind('\n').unwrap_or(0) };
    let lines = text.get(..end).unwrap_or_default().lines().map(str::trim);
    let lines = lines.filter(|line| !is_comment(line.as_bytes()));
    let (mut left, mut neighbors) = (0_u64, 0);
    for line in lines {
        let Some((_, rest)) = line.split_once(' ') else { return Evidence::Absent };
        let rest = rest.trim_start();
        if left > 0 {
            if !rest.starts_with('{') || !rest.ends_with('}') {
                return Evidence::Absent;
            }
            (left, neighbors) = (left - 1, neighbors + 1);
        } else if let Ok(count) = rest.parse() {
            left = count;
        } else {
            return Evidence::Absent;
        }
    }
    Evidence::Signature.when(neighbors > 0 && (left == 0 || !head.is_whole()))
}

fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let text = WholeText::read(&mut stream)?;
    let mut rows = TextRows::new(&text, Some(COMMENT));
    let mut graph = AttributedGraph::new(options)?;
    let mut weight = WeightAttribute::new(options)?;
    let mut places = AscendingPlaces::default();
    while let Some(mut row) = rows.next() {
        if is_comment(row.rest().as_bytes()) {
            continue;
        }
        let node = row.word().unwrap_or_default();
        graph.mention(node).map_err(|kind| row.fault(kind))?;
        let count = row.natural("the number of neighbors")?;
        row.end("the number of neighbors")?;
        for read in 0..count {
            let Some(mut row) = rows.next() else {
                let sentence = format!(
                    "the text ends after {read} of {count} neighbors of '{}'; it is cut short",
                    crate::number::show(node.as_bytes())
                );
                return Err(rows.cut_short(sentence));
            };
            let neighbor = row.word().unwrap_or_default();
            let attributes = row.rest();
            graph.kept.begin();
            let mut found = None;
            if !attributes.is_empty() {
                let value = literal::parse(attributes).map_err(|(_, sentence)| {
                    row.malformed(format!("the attributes after the neighbor: {sentence}"))
                })?;
                let entries = value.entries().ok_or_else(|| {
                    row.malformed("a neighbor is followed by a dictionary; write one in brackets")
                })?;
                for (name, value) in entries {
                    let Some(text) = value.scalar() else { continue };
                    graph.kept.set(name, Some((text, KeptKind::of_word(text))));
                    if weight.is(name) {
                        let number = weight.number(text);
                        found = Some(number.map_err(|sentence| row.malformed(sentence))?);
                    } else {
                        weight.see(name, text);
                    }
                }
            }
            let place = places.place(&text, row.start);
            graph.add_edge([node, neighbor], found, place).map_err(|kind| row.fault(kind))?;
        }
    }
    graph.accept_undeclared();
    graph.finish(weight, Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, check_cases, graph_of};
    use crate::{ReadOptions, read_bytes};

    /// As `networkx.write_multiline_adjlist` writes a graph.
    const WRITTEN: &str = "#write.py\n# GMT Sun Nov 29 09:00:00 2026\n# \nOslo 2\nBergen {'weight': \
                           3}\nMoss {'weight': 1.5, 'road': 'E6'}\nBergen 1\nMoss {'weight': \
                           np.float64(2.0)}\nMoss 0\nSvolv\u{e6}r 0\n";

    #[test]
    fn edges_are_in_the_lines_of_one_end() {
        let unit = "the input has no weights; each edge weighs 1";
        check_cases(
            Format::MULTILINE,
            &[
                Case::read(WRITTEN, 4, "0-1:3.0 0-2:1.5 1-2:2.0", &[])
                    .names("Oslo Bergen Moss Svolv\u{e6}r"),
                Case::read("0 2\n1 {}\n2 {}\n1 1\n2 {}\n2 0\n", 3, "0-1:1 0-2:1 1-2:1", &[unit]),
                Case::read("0 1\n1 {'km': 4}\n", 2, "0-1:4", &[]).weight("km"),
                Case::refused(
                    "0 1\n1 {'km': 4}\n",
                    "which attribute is the weight? numbers are in",
                ),
            ],
        );
        let graph = graph_of(b"0 1\n1\n1 0\n", "x", Format::MULTILINE).unwrap();
        assert_eq!(crate::testing::edges(&graph), "0-1:1");
    }

    #[test]
    fn dictionaries_after_counted_neighbors_show_the_format() {
        for text in [WRITTEN, "% made by hand\n0 1\n1 {}\n1 0\n"] {
            let loaded = read_bytes("x", text.as_bytes(), &ReadOptions::default()).unwrap();
            assert_eq!(loaded.format, Format::MULTILINE, "{text}");
        }
        for text in ["0 1 {}\n1 2 {}\n", "3 2\n2\n1 3\n2\n", "0 2\n1 {}\n", "0 0\n1 0\n"] {
            assert_eq!(recognize(&Head::new(text.as_bytes(), true)), Evidence::Absent, "{text}");
        }
    }

    #[test]
    fn damaged_files_are_named() {
        for (text, sentence) in [
            ("0 2\n1 {}\n", "the text ends after 1 of 2 neighbors of '0'; it is cut short"),
            ("0 x\n", "x: line 1, column 3: "),
            ("0 1 2\n1 {}\n", "x: line 1, column 5: the line ends with '2'"),
            (
                "0 1\n1 {'weight': \n",
                "x: line 2, column 1: the attributes after the neighbor: a val",
            ),
            ("0 1\n1 {'weight': 'far'}\n", "x: line 2, column 1: the weight is 'far'"),
            ("0 1\n1 7\n", "x: line 2, column 1: a neighbor is followed by a dictionary"),
        ] {
            let error = graph_of(text.as_bytes(), "x", Format::MULTILINE).unwrap_err();
            assert!(error.contains(sentence), "{error}\n{sentence}");
        }
    }
}
