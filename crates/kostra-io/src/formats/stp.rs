//! SteinLib (Koch & Martin 2001) and the graphs of the PACE challenge 2018: sections of lines, each
//! between `SECTION` and `END`.
//!
//! The section `Graph` has lines `E u v weight` and, for directed graphs, `A u v weight`. Vertices
//! count from 1. Terminals are kept if the options ask for them. Other sections are left out.

use kostra_core::counted;

use crate::compression::Stream;
use crate::directions::NOTE_ON_DIRECTED;
use crate::fault::Fault;
use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo, Parsed};
use crate::number::show;
use crate::numbered_graph::{NumberedGraph, check_count};
use crate::rows::{Row, TextRows};
use crate::whole::WholeText;
use crate::{ReadErrorKind, ReadOptions};

impl Format {
    /// SteinLib: edges and terminals of a Steiner tree problem.
    pub const STP: Self = Self::new(&FormatInfo {
        id: "stp",
        title: "SteinLib",
        extensions: &["stp"],
        summary: "SteinLib and PACE 2018: the graph of a Steiner tree problem",
        recognize,
        read,
        ..FormatInfo::READ_ONLY
    });
}

/// The first word of a file of SteinLib.
const MAGIC: &str = "33d32945";

/// Recognizes the magic word, or a section of a file without it.
fn recognize(head: &Head<'_>) -> Evidence {
    let mut words = head.text().split_ascii_whitespace();
    let first = words.next().unwrap_or_default();
    let mut is_section = || {
        let name = words.next().unwrap_or_default().to_ascii_lowercase();
        first.eq_ignore_ascii_case("section") && matches!(&*name, "graph" | "comment")
    };
    Evidence::Signature.when(first.eq_ignore_ascii_case(MAGIC) || is_section())
}

fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let text = WholeText::read(&mut stream)?;
    let mut rows = TextRows::new(&text, Some("#"));
    let (mut graph, mut terminals) = (None::<Section>, Vec::new());
    while let Some(mut row) = rows.next() {
        match &*row.keyword() {
            MAGIC => {}
            "eof" => break,
            "section" => match &*row.rest().to_ascii_lowercase() {
                "graph" if graph.is_some() => {
                    return Err(row.malformed("a second graph begins here; save one per file"));
                }
                "graph" => graph = Some(Section::read(&mut rows, options)?),
                name => {
                    let is_terminals = name == "terminals";
                    loop {
                        let mut row = next(&mut rows)?;
                        match &*row.keyword() {
                            "end" => break,
                            "t" if is_terminals => {
                                let Some(Section { graph, .. }) = &graph else {
                                    let sentence = "this terminal comes before the section Graph; \
                                                    move that up";
                                    return Err(row.malformed(sentence));
                                };
                                terminals.push(graph.vertex(&mut row)?);
                            }
                            _ => {}
                        }
                    }
                }
            },
            _ => return Err(row.malformed("a line 'SECTION NAME' is to be here; add it")),
        }
    }
    let Some(Section { graph, directed }) = graph else {
        return Err(Fault::whole("the file has no section Graph; add it"));
    };
    let mut notes = Vec::new();
    if directed {
        notes.push(NOTE_ON_DIRECTED.into());
    }
    if !terminals.is_empty() && !options.terminals {
        let terminals = counted(terminals.len(), "terminal is", "terminals are");
        notes.push(format!("{terminals} left out: a spanning tree has all vertices").into());
    }
    let mut parsed = graph.finish(options, notes)?;
    parsed.terminals = options.terminals.then_some(terminals);
    Ok(parsed)
}

/// The next row of a section.
fn next<'t>(rows: &mut TextRows<'t>) -> Result<Row<'t>, Fault> {
    rows.next()
        .ok_or_else(|| rows.cut_short("the file ends before the END of a section; it is cut short"))
}

/// The section `Graph`.
struct Section {
    graph: NumberedGraph,
    directed: bool,
}

impl Section {
    fn read(rows: &mut TextRows<'_>, options: &ReadOptions) -> Result<Self, Fault> {
        let mut graph: Option<NumberedGraph> = None;
        let (mut edges, mut directed) = (None, false);
        loop {
            let mut row = next(rows)?;
            match (&*row.keyword(), &mut graph) {
                ("end", _) => break,
                ("nodes", _) => {
                    let count = row.natural("number of vertices")?;
                    graph = Some(NumberedGraph::new(count).map_err(|kind| row.fault(kind))?);
                }
                ("edges" | "arcs", _) => edges = Some(row.natural("number of edges")?),
                (kind @ ("e" | "a"), Some(graph)) => {
                    directed |= kind == "a";
                    let ends = graph.ends(&mut row)?;
                    let weight = row.weight_if_any(options.nan)?;
                    if kind == "e" {
                        row.end("the weight")?;
                    } else if row
                        .weight_if_any(options.nan)?
                        .is_some_and(|back| weight != Some(back))
                    {
                        let sentence = "this arc has another weight in each direction; write it as \
                                        two arcs";
                        return Err(row.malformed(sentence));
                    }
                    graph.edges.add(ends, weight).map_err(|kind| row.fault(kind))?;
                }
                ("e" | "a", None) => {
                    let sentence = "this edge comes before the line 'Nodes'; move that up";
                    return Err(row.malformed(sentence));
                }
                // Names, depots and the like.
                (word, _) if word.bytes().all(|byte| byte.is_ascii_alphabetic()) => {}
                (word, _) => {
                    let sentence = format!(
                        "the line starts with '{}', but should start with E or A",
                        show(word.as_bytes())
                    );
                    return Err(row.malformed(sentence));
                }
            }
        }
        let graph = graph.ok_or_else(|| {
            Fault::from(ReadErrorKind::malformed("the section Graph has no line 'Nodes'; add it"))
        })?;
        if let Some(edges) = edges {
            check_count(graph.edges.len(), edges, "edges")?;
        }
        Ok(Self { graph, directed })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Case, check_cases};
    use crate::{Format, ReadOptions};

    #[test]
    fn terminals_are_kept_if_they_are_wanted() {
        let text = b"SECTION Graph\nNodes 3\nE 1 2 1\nEND\nSECTION Terminals\nT 3\nT 1\nEND";
        let options = ReadOptions { terminals: true, ..ReadOptions::default() };
        let parsed = crate::read_bytes("small.stp", text, &options).unwrap().parsed;
        assert_eq!((parsed.terminals, parsed.notes.len()), (Some(vec![2, 0]), 0));
    }

    #[test]
    fn graphs_of_steiner_tree_problems_are_read_and_damaged_ones_are_named() {
        let plain = "33D32945 STP File, STP Format Version 1.0\n\nSECTION Comment\nName \"x\"\nEND\n\nSECTION Graph\nNodes 4\nEdges 3\nE 1 2 5\nE 2 3 4\nE 1 3 9\nEND\n\nSECTION Terminals\nTerminals 2\nT 1\nT 4\nEND\n\nEOF\n";
        let note = "2 terminals are left out: a spanning tree has all vertices";
        check_cases(
            Format::STP,
            &[
                Case::read(plain, 4, "0-1:5 1-2:4 0-2:9", &[note]),
                Case::read("section graph\nnodes 2\nE 2 1 1.5\nend\n", 2, "1-0:1.5", &[]),
                Case::refused(
                    "SECTION Graph\nNodes 2\nE 1 3 1\nEND",
                    "line 3, column 5: vertex 3 is beyond the 2 vertices",
                ),
                Case::refused(
                    "SECTION Graph\nNodes 2\nEdges 2\nE 1 2 1\nEND",
                    "the file announces 2 edges, but has 1",
                ),
                Case::refused(
                    "SECTION Graph\nNodes 2\nE 1 2 1",
                    "line 3, column 8: the file ends before the END",
                ),
                Case::refused(
                    "SECTION Graph\nNodes 2\nE 1 2 1 7\nEND",
                    "line 3, column 9: the line ends with '7'",
                ),
                Case::refused(
                    "SECTION Graph\nNodes 2\nA 1 2 1 7\nEND",
                    "this arc has another weight in each",
                ),
                Case::refused(
                    "SECTION Graph\nE 1 2 1\nEND",
                    "line 2, column 1: this edge comes before",
                ),
                Case::refused(
                    "SECTION Graph\nNodes 2\nE 1 2 1\nEND\nSECTION Terminals\nT 3\nEND",
                    "line 6, column 3: vertex 3 is beyond the 2 vertices",
                ),
                Case::refused(
                    "33D32945\nSECTION Terminals\nT 1\nEND\nSECTION Graph\nNodes 1\nEND",
                    "line 3, column 1: this terminal comes before the section Graph",
                ),
                Case::refused(
                    "SECTION Comment\nEND\nEOF\n",
                    "the file has no section Graph; add it",
                ),
            ],
        );
    }
}
