//! LGL, the Large Graph Layout (Adai et al. 2004): a line `# u` for each vertex, and lines
//! `v weight` for its neighbors.
//!
//! Vertices are words. An isolated vertex has no neighbors.

use crate::attributed_graph::{AttributedGraph, WeightAttribute};
use crate::compression::Stream;
use crate::fault::Fault;
use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo, Parsed};
use crate::message::{Remedy, message};
use crate::rows::TextRows;
use crate::whole::{AscendingPlaces, WholeText};
use crate::{ReadErrorKind, ReadOptions};

impl Format {
    /// LGL: each vertex before its neighbors.
    pub const LGL: Self = Self::new(&FormatInfo {
        id: "lgl",
        title: "LGL",
        extensions: &["lgl"],
        summary: "LGL: a line `# u` for each vertex, and its neighbors after it",
        recognize,
        read,
        ..FormatInfo::READ_ONLY
    });
}

/// The vertex that a line `# u` starts.
fn vertex(line: &str) -> Option<&str> {
    let word = line.strip_prefix('#')?.trim_ascii();
    (!word.is_empty() && !word.contains(|c: char| c.is_ascii_whitespace())).then_some(word)
}

/// The facts of the lines that tell LGL from an edge list whose comments have one word.
#[derive(Default)]
struct Shape {
    vertices: usize,
    /// The lines with one end, and those with two words.
    single: usize,
    double: usize,
    /// Whether a second word is no weight, and whether one can be no vertex of an edge list.
    has_second_name: bool,
    has_decimal: bool,
    /// Whether a line is neither.
    has_other: bool,
}

impl Shape {
    fn of<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let mut shape = Self::default();
        for line in lines.map(str::trim_ascii).filter(|line| !line.is_empty()) {
            let mut words = line.split_ascii_whitespace();
            shape.has_other |= line.contains([',', ';', '|']);
            match (line.starts_with('#'), words.next(), words.next(), words.next()) {
                (true, ..) => match vertex(line) {
                    Some(_) => shape.vertices += 1,
                    None => shape.has_other = true,
                },
                (_, Some(_), None, _) if shape.vertices > 0 => {
                    shape.single += 1;
                }
                (_, Some(_), Some(weight), None) if shape.vertices > 0 => {
                    shape.double += 1;
                    shape.has_second_name |= weight.parse::<f64>().is_err();
                    shape.has_decimal |= weight.contains('.');
                }
                _ => shape.has_other = true,
            }
        }
        shape
    }

    /// Whether the lines can be LGL.
    fn is_possible(&self) -> bool {
        !self.has_other && !self.has_second_name && self.vertices > 0
    }

    /// Whether the lines can also be an edge list.
    fn may_be_edges(&self) -> bool {
        self.single == 0 && !self.has_decimal
    }
}

/// Recognizes lines of one end or of an end and a weight, after lines `# u`. A single such line may
/// be a comment.
fn recognize(head: &Head<'_>) -> Evidence {
    if head.lines().is_none() {
        return Evidence::Absent;
    }
    let text = head.text();
    let end = if head.is_whole() { text.len() } else { text.rfind('\n').unwrap_or(0) };
    let shape = Shape::of(text.get(..end).unwrap_or_default().lines());
    let has_several = shape.vertices > 1 && shape.single + shape.double > 0;
    Evidence::Signature.when(shape.is_possible() && has_several)
}

fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let text = WholeText::read(&mut stream)?;
    if options.format.is_none() && Shape::of(text.text().lines()).may_be_edges() {
        return Err(ReadErrorKind::question(message![
            "the lines can be the neighbors of the vertices after '#', or edges after comments; \
             pass ",
            Remedy::text("format", Format::LGL.id()),
            " or ",
            Remedy::text("format", Format::EDGE_LIST.id()),
        ])
        .into());
    }
    let mut graph = AttributedGraph::new(options)?;
    let mut places = AscendingPlaces::default();
    let mut from = None;
    for mut row in TextRows::new(&text, None) {
        if row.rest().starts_with('#') {
            let id = vertex(row.rest()).ok_or_else(|| {
                row.malformed("a line with '#' should have one word after it; correct it")
            })?;
            graph.mention(id).map_err(|kind| row.fault(kind))?;
            from = Some(id);
            continue;
        }
        let Some(from) = from else {
            return Err(row.malformed("a line '# VERTEX' should come before this one; add it"));
        };
        let to = row.word().unwrap_or_default();
        let weight = row.weight_if_any(options.nan)?;
        row.end("the weight")?;
        let place = places.place(&text, row.start);
        graph.mention(to).map_err(|kind| row.fault(kind))?;
        graph.add_edge([from, to], weight, place).map_err(|kind| row.fault(kind))?;
    }
    graph.finish(WeightAttribute::new(options)?, Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, check_cases};

    #[test]
    fn neighbors_follow_their_vertex() {
        let unit = "the input has no weights; each edge weighs 1";
        check_cases(
            Format::LGL,
            &[
                Case::read("# a\nb 1.5\nc 4\n# b\nc 2\n# d\n", 4, "0-1:1.5 0-2:4.0 1-2:2.0", &[])
                    .names("a b c d"),
                Case::read("#a\nb\nc\n#c\n", 3, "0-1:1 0-2:1", &[unit]).names("a b c"),
                Case::refused("# a\nb 1.5\nc\n# c\n", "line 3, column 1: this edge has no weight"),
                Case::refused(
                    "# a\nb 1\n# b\nc 2\n",
                    "`format(\"lgl\".parse()?)` or `format(\"edges\"",
                ),
            ],
        );
        let read = |text: &str| crate::testing::graph_of(text.as_bytes(), "x", Format::LGL);
        assert_eq!(crate::testing::edges(&read("# a\nb 1\n# b\nc 2\n").unwrap()), "0-1:1 1-2:2");
        for (text, sentence) in [
            ("b 1\n", "line 1, column 1: a line '# VERTEX' should come before"),
            ("# a b\nb 1\n", "line 1, column 1: a line with '#' should have one word"),
            ("# a\nb x\n", "line 2, column 3: the weight is 'x'"),
            ("# a\nb 1 2\n", "line 2, column 5: the line ends with '2'"),
        ] {
            assert!(read(text).unwrap_err().contains(sentence), "{text}");
        }
    }

    #[test]
    fn an_edge_list_with_comments_is_no_lgl() {
        for text in [
            "# edges\n1 2\n2 3\n",
            "# a b\n1 2\n",
            "a\n# b\nc\n",
            "# a\nb c\n",
            "# a\n",
            "# a\n7\n",
        ] {
            assert_eq!(recognize(&Head::new(text.as_bytes(), true)), Evidence::Absent, "{text}");
        }
    }
}
