//! DL of UCINET: a header that starts with `dl`, with the number of vertices, the format and
//! perhaps labels, and data after `data:`.
//!
//! The data are a matrix (`fullmatrix`, `lowerhalf`, `upperhalf`), lines `u v weight`
//! (`edgelist1`), or a vertex and its neighbors (`nodelist1`). Vertices count from 1, or are labels
//! in the data (`labels embedded`). An entry of 0 is no edge.

use std::collections::HashMap;

use kostra_core::{Vertex, memory};

use crate::columns::TextNumber;
use crate::compression::Stream;
use crate::directions::NOTE_ON_DIRECTED;
use crate::fault::Fault;
use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo, Parsed};
use crate::labels::call_by_labels;
use crate::matrix::Matrix;
use crate::number::{self, show};
use crate::numbered_graph::NumberedGraph;
use crate::rows::{Row, TextRows};
use crate::whole::WholeText;
use crate::{Place, ReadOptions};

impl Format {
    /// DL: a matrix or a list of UCINET.
    pub const DL: Self = Self::new(&FormatInfo {
        id: "dl",
        title: "DL",
        extensions: &["dl"],
        summary: "DL of UCINET: a matrix, or lists of edges or neighbors",
        recognize,
        read,
        ..FormatInfo::READ_ONLY
    });
}

const DATA: &str = "data:";
const LABELS: &str = "labels:";
const EMBEDDED: &str = "labels embedded";

/// Recognizes the word `dl` and the number of vertices.
fn recognize(head: &Head<'_>) -> Evidence {
    let start = head.text().trim_ascii_start();
    let word = start.get(..2).is_some_and(|word| word.eq_ignore_ascii_case("dl"));
    let rest = start.get(2..).unwrap_or_default();
    let size = rest.trim_start_matches([' ', '\t', '\r', '\n', ',']);
    let is_size = size.starts_with(['n', 'N']) && size.contains('=') && size.len() < rest.len();
    Evidence::Signature.when(word && is_size)
}

/// What the header says.
struct Header {
    vertices: u64,
    format: String,
    labels: Vec<String>,
    embedded: bool,
    /// Whether a half matrix has no diagonal.
    without_diagonal: bool,
}

impl Header {
    fn parse(text: &str) -> Result<Self, String> {
        let lower = text.to_ascii_lowercase();
        let embedded = lower.contains(EMBEDDED);
        let start = lower.find(LABELS).filter(|_| !embedded);
        let labels = start.and_then(|at| text.get(at + LABELS.len()..)).unwrap_or_default();
        let labels =
            labels.split([',', '\n', '\r', '\t', ' ']).map(|label| label.trim_matches('"'));
        let labels = labels.filter(|label| !label.is_empty()).map(str::to_owned).collect();
        let words =
            lower.get(..start.unwrap_or(lower.len())).unwrap_or_default().replace('=', " = ");
        let words: Vec<_> =
            words.split([' ', ',', '\n', '\r', '\t']).filter(|w| !w.is_empty()).collect();
        let value = |name: &str| {
            let at = words.windows(2).position(|pair| pair == [name, "="])?;
            words.get(at + 2).copied()
        };
        for (name, meaning) in [("nm", "several matrices"), ("nr", "rows and columns of two kinds")]
        {
            if value(name).is_some_and(|count| count != "1") {
                return Err(format!("the file has {meaning} ({name}); save one square matrix"));
            }
        }
        let vertices =
            number::natural(value("n").unwrap_or_default().as_bytes(), "number of vertices")?;
        Ok(Self {
            vertices,
            format: value("format").unwrap_or("fullmatrix").to_owned(),
            labels,
            embedded,
            without_diagonal: value("diagonal") == Some("absent"),
        })
    }
}

/// The part of a matrix that the data are.
#[derive(Clone, Copy)]
enum Part {
    Full,
    Lower,
    Upper,
}

/// What has been read.
struct Network {
    graph: NumberedGraph,
    /// The vertices of labels in the data, by label in lower case, if these have labels.
    embedded: Option<HashMap<String, (Vertex, String)>>,
}

impl Network {
    /// The next word as a vertex, by its number or its label.
    fn vertex(&mut self, row: &mut Row<'_>) -> Result<Vertex, Fault> {
        let Some(labels) = &mut self.embedded else { return self.graph.vertex(row) };
        let label = row.quoted().unwrap_or_default();
        if label.is_empty() {
            return Err(row.at_word("the label of a vertex is missing; add it"));
        }
        let next = labels.len();
        let entry = labels.entry(label.to_lowercase());
        let vertex = entry.or_insert_with(|| (next as Vertex, label.to_owned())).0;
        if (vertex as usize) < self.graph.vertices() {
            return Ok(vertex);
        }
        let n = self.graph.vertices();
        Err(row.at_word(format!("this label is one more than the {n} vertices; correct n")))
    }

    /// Reads edges, or vertices with their neighbors.
    fn lists(
        &mut self,
        are_edges: bool,
        rows: TextRows<'_>,
        options: &ReadOptions,
    ) -> Result<(), Fault> {
        for mut row in rows {
            let u = self.vertex(&mut row)?;
            while !row.rest().is_empty() {
                let v = self.vertex(&mut row)?;
                let weight = if are_edges { row.weight_if_any(options.nan)? } else { None };
                if are_edges {
                    row.end("the weight")?;
                }
                self.graph.edges.add([u, v], weight).map_err(|kind| row.fault(kind))?;
            }
        }
        Ok(())
    }

    /// Reads a matrix. Embedded labels precede it and each of its rows.
    fn matrix(
        &mut self,
        part: Part,
        with_diagonal: bool,
        rows: &mut TextRows<'_>,
        options: &ReadOptions,
    ) -> Result<Parsed, Fault> {
        let n = self.graph.vertices();
        let diagonal = usize::from(with_diagonal);
        let mut line: Option<Row<'_>> = None;
        if self.embedded.is_some() && matches!(part, Part::Full) {
            for _ in 0..n {
                self.vertex(next(&mut line, rows)?)?;
            }
        }
        let mut values: Vec<(Vec<TextNumber>, Place)> = Vec::new();
        for u in 0..n {
            let columns = match part {
                Part::Full => 0..n,
                Part::Lower => 0..u + diagonal,
                Part::Upper => u + 1 - diagonal..n,
            };
            if self.embedded.is_some() {
                self.vertex(next(&mut line, rows)?)?;
            }
            let mut row = Vec::new();
            for _ in columns {
                row.push(next(&mut line, rows)?.weight(options.nan)?);
            }
            let place = line.map_or(Place::Line { line: 1, column: 1 }, |line| line.place());
            memory::push(&mut values, (row, place))?;
        }
        if let Some(mut line) = line {
            line.end("the last entry of the matrix")?;
        }
        if let Some(row) = rows.next() {
            return Err(row.malformed(format!("the matrix has {n} rows, and this is one more")));
        }
        let value = |u: usize, v: usize| {
            let (row, column) = match part {
                Part::Full => (u, v),
                Part::Lower => (u.max(v), u.min(v)),
                // A row of an upper half starts at its diagonal or after it.
                Part::Upper => (u.min(v), (u.max(v) + diagonal).checked_sub(u.min(v) + 1)?),
            };
            values.get(row)?.0.get(column).copied().filter(|number| !number.is_zero())
        };
        let place = |u: usize, _| values.get(u).map_or(Place::Byte(0), |row| row.1);
        Matrix { size: n, value, place: &place, epsilon: f64::EPSILON }.graph(options)
    }
}

/// The line with the next word.
fn next<'l, 't>(
    line: &'l mut Option<Row<'t>>,
    rows: &mut TextRows<'t>,
) -> Result<&'l mut Row<'t>, Fault> {
    let row = match line.take().filter(|row| !row.rest().is_empty()) {
        Some(row) => row,
        None => {
            let cut_short = "the matrix ends before its rows are complete; copy the file again";
            rows.next().ok_or_else(|| rows.cut_short(cut_short))?
        }
    };
    Ok(line.insert(row))
}

fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let text = WholeText::read(&mut stream)?;
    let mut rows = TextRows::new(&text, None);
    let mut end = None;
    for row in rows.by_ref() {
        if row.rest().to_ascii_lowercase().ends_with(DATA) {
            let line = text.text().get(row.start..).unwrap_or_default();
            let blanks = line.len() - line.trim_ascii_start().len();
            end = Some(row.start + blanks + row.rest().len() - DATA.len());
            break;
        }
    }
    let Some(header) = end.and_then(|end| text.text().get(..end)) else {
        return Err(Fault::whole("there is no line 'data:' before the data; add it"));
    };
    let start = header.find(['d', 'D']).map_or(0, |at| at + 2);
    let header = Header::parse(header.get(start..).unwrap_or_default()).map_err(Fault::whole)?;
    let graph = NumberedGraph::new(header.vertices)?;
    let embedded = header.embedded.then(HashMap::new);
    let mut network = Network { graph, embedded };
    let is = |names: [&str; 2]| names.contains(&&*header.format);
    let mut parsed = if is(["edgelist1", "el1"]) || is(["nodelist1", "nl1"]) {
        network.lists(header.format.starts_with('e'), rows, options)?;
        network.graph.finish(options, vec![NOTE_ON_DIRECTED.into()])?
    } else {
        let part = match &*header.format {
            "fullmatrix" | "fm" => Part::Full,
            "lowerhalf" | "lh" => Part::Lower,
            "upperhalf" | "uh" => Part::Upper,
            other => {
                let other = show(other.as_bytes());
                let sentence = format!(
                    "the format is '{other}', but Kostra knows fullmatrix, lowerhalf, upperhalf, \
                     edgelist1 and nodelist1; save the network in one of them"
                );
                return Err(Fault::whole(sentence));
            }
        };
        network.matrix(part, !header.without_diagonal, &mut rows, options)?
    };
    let labels = network
        .embedded
        .map(|labels| labels.into_values().map(|(vertex, label)| (vertex.to_string(), label)));
    let numbered = |(at, label): (usize, String)| (at.to_string(), label);
    let labels: HashMap<_, _> = match labels {
        Some(labels) => labels.collect(),
        None => header.labels.into_iter().enumerate().map(numbered).collect(),
    };
    call_by_labels(&mut parsed, labels)?;
    Ok(parsed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, check_cases};

    #[test]
    fn matrices_and_lists_of_ucinet_are_read() {
        let directed = "the graph is directed; directions are ignored";
        let unit = "the input has no weights; each edge weighs 1";
        let edges = "0-1:5 1-2:7";
        let full = "dl n=3 format=fullmatrix\nlabels:\na,b,\"c\"\ndata:\n0 5 0\n5 0 7\n0 7 0\n";
        let embedded =
            "DL N = 3, FORMAT = FM\nlabels embedded\ndata:\n  a b c\nA 0 5 0\nb 5 0 7\nc 0 7 0\n";
        let list =
            "dl n=4\nformat = edgelist1\nlabels embedded\ndata:\nOslo Moss 2.5\nMoss Ski 3\n";
        check_cases(
            Format::DL,
            &[
                Case::read(full, 3, edges, &[]).names("a b c"),
                Case::read(embedded, 3, edges, &[]).names("a b c"),
                Case::read("dl n=3 format=lh\ndata:\n0\n5 0\n0 7 0\n", 3, edges, &[]),
                Case::read("dl n=3 format=uh\ndata:\n0 5 0 0 7 0\n", 3, edges, &[]),
                Case::read("dl n=3 format=uh diagonal=absent\ndata:\n5 0\n7\n", 3, edges, &[]),
                Case::read(
                    "dl n=3, format=nodelist1\ndata:\n1 2 3\n3 2\n",
                    3,
                    "0-1:1 0-2:1 2-1:1",
                    &[directed, unit],
                ),
                Case::read(
                    list,
                    4,
                    "0-1:2.5 1-2:3.0",
                    &[directed, "some nodes share a label or have none; they have numbers"],
                ),
                Case::read(&list.replace("n=4", "n=3"), 3, "0-1:2.5 1-2:3.0", &[directed])
                    .names("Oslo Moss Ski"),
                Case::refused(
                    &list.replace("n=4", "n=2"),
                    "line 6, column 6: this label is one more",
                ),
                Case::refused(&full.replace("5 0 7\n", "4 0 7\n"), "differ"),
                Case::refused("dl n=2\ndata:\n0 1 1\n", "the matrix ends before its rows"),
                Case::refused("dl n=2\ndata:\n0 1\n1 0\n1 1\n", "the matrix has 2 rows, and this"),
                Case::refused(
                    "dl n=2 nm=3\ndata:\n",
                    "the file has several matrices (nm); save one",
                ),
                Case::refused("dl n=2 format=edgelist2\ndata:\n", "the format is 'edgelist2', but"),
                Case::refused("dl n=2\n", "there is no line 'data:' before the data; add it"),
            ],
        );
    }
}
