//! Pajek networks (Batagelj & Mrvar): sections that start with a star.
//!
//! `*Vertices n` is followed by lines `id "label"`, `*Edges` and `*Arcs` by lines `u v weight`,
//! `*Edgeslist` and `*Arcslist` by a vertex and its neighbors, and `*Matrix` by a matrix. Vertices
//! count from 1. Labels are names if all differ. Positions, colors and other objects are left out.

use std::collections::HashMap;

use crate::ReadOptions;
use crate::columns::TextNumber;
use crate::compression::Stream;
use crate::directions::NOTE_ON_DIRECTED;
use crate::fault::Fault;
use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo, Parsed};
use crate::labels::call_by_labels;
use crate::matrix::Matrix;
use crate::number::show;
use crate::numbered_graph::NumberedGraph;
use crate::rows::{Row, TextRows};
use crate::whole::WholeText;

impl Format {
    /// Pajek: vertices, edges and arcs in sections.
    pub const PAJEK: Self = Self::new(&FormatInfo {
        id: "net",
        title: "Pajek",
        extensions: &["net"],
        summary: "Pajek: sections such as *Vertices, *Edges and *Arcs",
        recognize,
        read,
        ..FormatInfo::READ_ONLY
    });
}

const COMMENT: &str = "%";

/// Recognizes a first section of vertices, or the name of the network before it.
fn recognize(head: &Head<'_>) -> Evidence {
    let mut rows = head.text().lines().map(str::trim_ascii);
    let first = rows.find(|row| !row.is_empty() && !row.starts_with(COMMENT)).unwrap_or_default();
    let word = first.split_ascii_whitespace().next().unwrap_or_default();
    let starts = ["*vertices", "*network"].iter().any(|known| word.eq_ignore_ascii_case(known));
    Evidence::Signature.when(starts)
}

/// What the lines of a section are.
#[derive(Clone, Copy)]
enum Section {
    Vertices,
    Pairs,
    Lists,
    /// A section that is no part of the graph.
    Other,
}

/// What has been read.
struct Network {
    graph: NumberedGraph,
    /// The number of vertices of the first kind, if there are two kinds.
    first_kind: Option<usize>,
    labels: HashMap<String, String>,
    directed: bool,
    relations: usize,
}

fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let text = WholeText::read(&mut stream)?;
    let mut rows = TextRows::new(&text, Some(COMMENT));
    let (mut network, mut section): (Option<Network>, _) = (None, Section::Other);
    while let Some(mut row) = rows.next() {
        let keyword = row.rest();
        if !keyword.starts_with('*') {
            if let Some(network) = &mut network {
                network.take(section, &mut row, options)?;
            }
            continue;
        }
        let keyword = row.keyword();
        section = match (&*keyword, &mut network) {
            ("*network", None) => Section::Other,
            ("*vertices", None) => {
                network = Some(Network::new(&mut row)?);
                Section::Vertices
            }
            ("*vertices" | "*network", Some(_)) => {
                return Err(row.malformed("a second network begins here; save one per file"));
            }
            ("*edges" | "*arcs" | "*edgeslist" | "*arcslist", Some(network)) => {
                network.directed |= keyword.starts_with("*arcs");
                network.relations += usize::from(row.rest().starts_with(':'));
                if keyword.ends_with("list") { Section::Lists } else { Section::Pairs }
            }
            ("*matrix", Some(_)) => {
                let Some(network) = network.take() else { continue };
                return network.matrix(&mut rows, &row, options);
            }
            ("*partition" | "*vector" | "*permutation" | "*cluster" | "*hierarchy", _) => {
                Section::Other
            }
            (word, _) => {
                let word = show(word.as_bytes());
                let sentence = format!(
                    "'{word}' is no section of a network that Kostra knows, or comes before \
                     *Vertices; correct it"
                );
                return Err(row.malformed(sentence));
            }
        };
    }
    let network = network
        .ok_or_else(|| Fault::whole("the network has no section '*Vertices NUMBER'; add it"))?;
    let Network { graph, labels, directed, relations, .. } = network;
    let mut notes = Vec::new();
    if directed {
        notes.push(NOTE_ON_DIRECTED.into());
    }
    if relations > 1 {
        notes.push(format!("the edges are those of {relations} relations").into());
    }
    let mut parsed = graph.finish(options, notes)?;
    call_by_labels(&mut parsed, labels)?;
    Ok(parsed)
}

impl Network {
    /// Reads the words after `*Vertices`.
    fn new(row: &mut Row<'_>) -> Result<Self, Fault> {
        let vertices = row.natural("number of vertices")?;
        let graph = NumberedGraph::new(vertices).map_err(|kind| row.fault(kind))?;
        let mut first_kind = None;
        if !row.rest().is_empty() {
            let count = row.natural("number of vertices of the first kind")?;
            if count > vertices {
                let sentence = format!("the first kind has more than all {vertices} vertices");
                return Err(row.at_word(format!("{sentence}; correct the line")));
            }
            first_kind = Some(count as usize);
        }
        Ok(Self { graph, first_kind, labels: HashMap::new(), directed: false, relations: 0 })
    }

    /// Takes a line of a section.
    fn take(
        &mut self,
        section: Section,
        row: &mut Row<'_>,
        options: &ReadOptions,
    ) -> Result<(), Fault> {
        match section {
            Section::Vertices => {
                let vertex = self.graph.vertex(row)?;
                if let Some(label) = row.quoted()
                    && self.labels.insert(vertex.to_string(), label.to_owned()).is_some()
                {
                    return Err(row.malformed("this vertex has a label already; remove one line"));
                }
            }
            Section::Pairs => {
                let ends = self.graph.ends(row)?;
                // Attributes of the drawing start with a letter.
                let has_weight = row.rest().starts_with(|c: char| !c.is_ascii_alphabetic());
                let weight = if has_weight { Some(row.weight(options.nan)?) } else { None };
                self.graph.edges.add(ends, weight).map_err(|kind| row.fault(kind))?;
            }
            Section::Lists => {
                let u = self.graph.vertex(row)?;
                while !row.rest().is_empty() {
                    let v = self.graph.vertex(row)?;
                    self.graph.edges.add([u, v], None).map_err(|kind| row.fault(kind))?;
                }
            }
            Section::Other => {}
        }
        Ok(())
    }

    /// Reads the lines after `*Matrix`: between all vertices, or from those of the first kind to
    /// the others.
    fn matrix(
        mut self,
        rows: &mut TextRows<'_>,
        section: &Row<'_>,
        options: &ReadOptions,
    ) -> Result<Parsed, Fault> {
        if self.graph.edges.len() > 0 {
            let sentence = "a matrix follows edges; save the network with one of them";
            return Err(section.malformed(sentence));
        }
        let n = self.graph.vertices();
        let (height, width) = match self.first_kind {
            Some(first) => (first, n - first),
            None => (n, n),
        };
        let mut matrix = Vec::new();
        for row in 0..height {
            let Some(mut line) = rows.next() else {
                let sentence = format!("the matrix has {row} rows, but should have {height}");
                return Err(rows.cut_short(sentence));
            };
            let mut numbers: Vec<TextNumber> = Vec::new();
            for _ in 0..width {
                numbers.push(line.weight(options.nan)?);
            }
            line.end("the last number of the row")?;
            matrix.push((numbers, line.place()));
        }
        if let Some(row) = rows.next().filter(|row| !row.rest().starts_with('*')) {
            let sentence = format!("the matrix has {height} rows, and this is one more; remove it");
            return Err(row.malformed(sentence));
        }
        let mut parsed = if self.first_kind.is_some() {
            for (u, (numbers, place)) in matrix.iter().enumerate() {
                for (v, &number) in numbers.iter().enumerate() {
                    if !number.is_zero() {
                        let added =
                            self.graph.edges.add([u as u32, (height + v) as u32], Some(number));
                        added.map_err(|kind| Fault { place: Some(*place), kind })?;
                    }
                }
            }
            self.graph.finish(options, Vec::new())?
        } else {
            let place = |row: usize, _| matrix[row].1;
            let value = |row: usize, column: usize| {
                Some(matrix[row].0[column]).filter(|number| !number.is_zero())
            };
            Matrix { size: n, value, place: &place, epsilon: f64::EPSILON }.graph(options)?
        };
        call_by_labels(&mut parsed, self.labels)?;
        Ok(parsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, check_cases};

    #[test]
    fn networks_are_read_with_their_labels() {
        let directed = "the graph is directed; directions are ignored";
        let unit = "the input has no weights; each edge weighs 1";
        let shared = "some nodes share a label or have none; they have numbers";
        check_cases(
            Format::PAJEK,
            &[
                Case::read(
                    "% c\n*Network x\n*Vertices 3\n1 \"Oslo S\" 0.1 0.5 ic Red\n2 Moss\n3 \"\u{e5}\"\n\
                     *Edges\n1 2 2.5 c Blue\n*Arcs :1 \"by rail\"\n3 2 -1\n*Partition x\n7\n",
                    3,
                    "0-1:2.5 2-1:-1.0",
                    &[directed],
                )
                .names("Oslo S Moss \u{e5}"),
                Case::read("*Vertices 2\r*Edges\r1 2 3\r", 2, "0-1:3", &[]),
                Case::read("*vertices 4\n*EDGES\n1 2\n2 3\n", 4, "0-1:1 1-2:1", &[unit]),
                Case::read("*Vertices 2\n1 a\n2 a\n*Edges\n1 2 3\n", 2, "0-1:3", &[shared]),
                Case::read("*Vertices 3\n*Edgeslist\n1 2 3\n2 3\n", 3, "0-1:1 0-2:1 1-2:1", &[unit]),
                Case::read("*Vertices 3\n*Arcslist\n3 1\n", 3, "2-0:1", &[directed, unit]),
                Case::read("*Vertices 3 1\n*Matrix\n0 4\n", 3, "0-2:4", &[]),
                Case::read(
                    "*Vertices 2\n1 a\n2 b\n*Matrix\n0 4\n4 0\n",
                    2,
                    "0-1:4",
                    &[],
                )
                .names("a b"),
                Case::refused("*Vertices 2\n*Matrix\n0 4\n", "line 4, column 1: the matrix has 1 rows"),
                Case::refused("*Vertices 2\n*Matrix\n0 4\n3 0\n", "differ"),
                Case::refused("*Vertices 2\n*Edges\n1 2 3\n2 1\n", "line 4, column 1: this edge has no"),
                Case::refused("*Vertices 2\n*Edges\n1 3\n", "line 3, column 3: vertex 3 is beyond the 2"),
                Case::refused("*Vertices 1 3\n", "line 1, column 13: the first kind has more than all 1"),
                Case::refused("*Vertices 2\n*Vertices 2\n", "line 2, column 1: a second network"),
                Case::refused("*Vertices 2\n*Edge\n", "line 2, column 1: '*edge' is no section"),
                Case::refused("*Network x\n", "the network has no section '*Vertices NUMBER'"),
            ],
        );
    }
}
