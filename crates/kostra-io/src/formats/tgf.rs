//! TGF, the Trivial Graph Format of yEd: lines `id label`, a line `#`, and lines `u v label`.
//!
//! The labels of nodes are names if all differ. The label of an edge is its attribute `label`: if
//! labels are numbers, the user says whether they are the weights.

use std::collections::{HashMap, HashSet};

use crate::attributed_graph::{AttributedGraph, WeightAttribute};
use crate::compression::Stream;
use crate::fault::Fault;
use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo, Parsed};
use crate::labels::call_by_labels;
use crate::message::{Remedy, message};
use crate::rows::TextRows;
use crate::whole::{AscendingPlaces, WholeText};
use crate::{KeptKind, ReadErrorKind, ReadOptions};

impl Format {
    /// TGF: nodes, a line `#`, and edges.
    pub const TGF: Self = Self::new(&FormatInfo {
        id: "tgf",
        title: "TGF",
        extensions: &["tgf"],
        summary: "TGF of yEd: lines of nodes, a line `#`, and lines of edges",
        has_attributes: true,
        recognize,
        read,
        ..FormatInfo::READ_ONLY
    });
}

/// The line between the nodes and the edges.
const DIVIDER: &str = "#";
/// The attribute of edges.
const LABEL: &str = "label";

/// Recognizes the dividing line, if different ids precede it, and all lines after it start with two
/// of them.
fn recognize(head: &Head<'_>) -> Evidence {
    if head.lines().is_none() {
        return Evidence::Absent;
    }
    let text = head.text();
    // The last line may be incomplete.
    let end = if head.is_whole() { text.len() } else { text.rfind('\n').unwrap_or(0) };
    let mut lines = text.get(..end).unwrap_or_default().lines().map(str::trim_ascii);
    let mut ids = HashSet::new();
    for line in lines.by_ref().take_while(|line| *line != DIVIDER) {
        match line.split_ascii_whitespace().next() {
            Some(id) if line.starts_with(['#', '%']) || !ids.insert(id) => return Evidence::Absent,
            _ => {}
        }
    }
    let mut edges = lines.filter(|line| !line.is_empty()).peekable();
    let is_edge = |line: &str| {
        let mut ends = line.split_ascii_whitespace().take(2).filter(|end| ids.contains(end));
        ends.next().is_some() && ends.next().is_some()
    };
    Evidence::Signature.when(!ids.is_empty() && edges.peek().is_some() && edges.all(is_edge))
}

fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let text = WholeText::read(&mut stream)?;
    let mut rows = TextRows::new(&text, None);
    let mut graph = AttributedGraph::new(options)?;
    let mut weight = WeightAttribute::new(options)?;
    let mut labels = HashMap::new();
    let mut divided = false;
    for mut row in rows.by_ref() {
        if row.rest() == DIVIDER {
            divided = true;
            break;
        }
        let id = row.word().unwrap_or_default();
        graph.declare(id).map_err(|kind| row.fault(kind))?;
        if !row.rest().is_empty() {
            labels.insert(id, row.rest().to_owned());
        }
    }
    if !divided {
        return Err(rows.cut_short("there is no line '#' between the nodes and the edges; add it"));
    }
    if options.format.is_none() && !labels.is_empty() {
        let are_ids = |(id, label): (&&str, &String)| *id != label && labels.contains_key(&**label);
        if labels.iter().all(are_ids) {
            return Err(ask());
        }
    }
    let mut places = AscendingPlaces::default();
    for mut row in rows {
        let ends = [row.word().unwrap_or_default(), row.word().unwrap_or_default()];
        if ends[1].is_empty() {
            return Err(row.at_word("the second end of this edge is missing; add it"));
        }
        let label = row.rest();
        let mut found = None;
        graph.kept.begin();
        if !label.is_empty() {
            graph.kept.set(LABEL, Some((label, KeptKind::of_word(label))));
            if weight.is(LABEL) {
                found = Some(weight.number(label).map_err(|sentence| row.malformed(sentence))?);
            } else {
                weight.see(LABEL, label);
            }
        }
        let place = places.place(&text, row.start);
        graph.add_edge(ends, found, place).map_err(|kind| row.fault(kind))?;
    }
    let mut parsed = graph.finish(weight, Vec::new())?;
    call_by_labels(&mut parsed, labels)?;
    Ok(parsed)
}

/// The question whether lines of two ids are nodes or edges.
fn ask() -> Fault {
    ReadErrorKind::question(message![
        "the lines before '#' can be nodes with labels, or edges before a comment; pass ",
        Remedy::text("format", Format::TGF.id()),
        " or ",
        Remedy::text("format", Format::EDGE_LIST.id()),
    ])
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, check_cases};

    #[test]
    fn nodes_and_edges_are_divided_by_a_sign() {
        let unit = "the input has no weights; each edge weighs 1";
        let label = "each edge weighs 1, but edges have the attributes 'label'; pass `weight` with \
                     one of these if it is the weight, or `missing_weights(MissingWeights::Unit)`";
        let shared = "some nodes share a label or have none; the ids are the names";
        let weighted = "1 Oslo S\n7 Moss\n#\n1 7 2.5\n7 7 4\n";
        check_cases(
            Format::TGF,
            &[
                Case::read(
                    "1 Anna\n2 Ben\n3 Cyd\n#\n1 2\n2 3 friend of\n",
                    3,
                    "0-1:1 1-2:1",
                    &[unit, label],
                )
                .names("Anna Ben Cyd"),
                Case::read("a\nb\nc x\n#\n\nb a\n", 3, "1-0:1", &[unit, shared]).names("a b c"),
                Case::read(weighted, 2, "0-1:2.5 1-1:4.0", &[]).weight(LABEL).names("Oslo S Moss"),
                Case::read(weighted, 2, "0-1:1 1-1:1", &[unit]).unit_weights().names("Oslo S Moss"),
                Case::refused(
                    weighted,
                    "which attribute is the weight? numbers are in 'label'; pass",
                ),
                Case::refused("1 a\n2 b\n#\n1 2 x\n", "line 4, column 1: the weight is 'x'")
                    .weight(LABEL),
                Case::refused(
                    "1 2\n2 1\n#\n1 2\n",
                    "pass `format(\"tgf\".parse()?)` or `format(\"edges\"",
                ),
            ],
        );
    }

    #[test]
    fn an_edge_list_with_an_empty_comment_is_no_tgf() {
        for text in ["1 2\n#\n2 3\n", "a b\n#\n", "#\n1 2\n", "1 2\n1 3\n#\n1 2\n", "1 2\n#\n1\n"] {
            assert_eq!(recognize(&Head::new(text.as_bytes(), true)), Evidence::Absent, "{text}");
        }
    }

    #[test]
    fn damaged_files_are_named() {
        for (text, sentence) in [
            ("1 a\n2 b\n", "x: line 3, column 1: there is no line '#'"),
            ("1 a\n1 b\n#\n", "x: line 2, column 1: two nodes have the id '1'"),
            ("1 a\n#\n1\n", "x: line 3, column 2: the second end of this edge is missing"),
            ("1 a\n#\n1 2\n", "x: line 3, column 1: this edge ends at '2', but no node"),
        ] {
            let error = crate::testing::graph_of(text.as_bytes(), "x", Format::TGF).unwrap_err();
            assert!(error.starts_with(sentence), "{error}");
        }
    }
}
