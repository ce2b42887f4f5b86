//! GDF of GUESS and Gephi: a table of nodes after `nodedef>`, and a table of edges after
//! `edgedef>`.
//!
//! The first column of nodes is their id, and the first two columns of edges are their ends. Labels
//! are names if all differ. The weight is the column `weight`, or the one that the user names.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::attributed_graph::{AttributedGraph, WeightAttribute};
use crate::compression::Stream;
use crate::directions::NOTE_ON_DIRECTED;
use crate::fault::Fault;
use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo, Parsed};
use crate::labels::call_by_labels;
use crate::rows::{Row, TextRows};
use crate::whole::{AscendingPlaces, WholeText};
use crate::{KeptKind, ReadOptions};

impl Format {
    /// GDF: a table of nodes and a table of edges.
    pub const GDF: Self = Self::new(&FormatInfo {
        id: "gdf",
        title: "GDF",
        extensions: &["gdf"],
        summary: "GDF of GUESS and Gephi: tables after `nodedef>` and `edgedef>`",
        has_attributes: true,
        recognize,
        read,
        ..FormatInfo::READ_ONLY
    });
}

const NODES: &str = "nodedef>";
const EDGES: &str = "edgedef>";
/// The column of edges that says whether they are arcs.
const DIRECTED: &str = "directed";

fn starts(text: &str, with: &str) -> bool {
    text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with))
}

fn recognize(head: &Head<'_>) -> Evidence {
    Evidence::Signature.when(starts(head.text().trim_ascii_start(), NODES))
}

/// The fields of a row between commas. Quotes of either kind enclose commas.
fn fields(row: &str) -> Vec<Cow<'_, str>> {
    let (mut fields, mut quote, mut start) = (Vec::new(), None, 0);
    let mut push = |field: &str| {
        let field = field.trim_ascii();
        let inside =
            field.strip_prefix(['\'', '"']).and_then(|rest| rest.strip_suffix(['\'', '"']));
        fields.push(Cow::Owned(inside.unwrap_or(field).to_owned()));
    };
    for (at, c) in row.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '\'' | '"') && row[start..at].trim_ascii().is_empty() => {
                quote = Some(c);
            }
            None if c == ',' => {
                push(&row[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    push(&row[start..]);
    fields
}

/// The names of columns, without their types and defaults.
fn columns(row: &Row<'_>, prefix: &str) -> Vec<String> {
    let names = row.rest().get(prefix.len()..).unwrap_or_default();
    let name = |field: &str| field.split_ascii_whitespace().next().unwrap_or_default().to_owned();
    fields(names).iter().map(|field| name(field)).collect()
}

/// Refuses a row with more or fewer fields than columns.
fn check_width(row: &Row<'_>, found: usize, expected: usize) -> Result<(), Fault> {
    if found == expected {
        return Ok(());
    }
    let sentence = format!("this row has {found} fields, but its table has {expected} columns");
    Err(row.malformed(format!("{sentence}; correct it")))
}

fn read(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let text = WholeText::read(&mut stream)?;
    let mut graph = AttributedGraph::new(options)?;
    let mut weight = WeightAttribute::new(options)?;
    let (mut labels, mut places) = (HashMap::new(), AscendingPlaces::default());
    let (mut of_nodes, mut of_edges) = (Vec::new(), Vec::new());
    let mut directed = false;
    for row in TextRows::new(&text, None) {
        if starts(row.rest(), NODES) {
            of_nodes = columns(&row, NODES);
            continue;
        }
        if starts(row.rest(), EDGES) {
            of_edges = columns(&row, EDGES);
            if of_edges.len() < 2 {
                return Err(row.malformed("edges need two columns for their ends; add them"));
            }
            continue;
        }
        let fields = fields(row.rest());
        if of_edges.is_empty() {
            check_width(&row, fields.len(), of_nodes.len())?;
            let id = fields.first().map(|id| &**id).unwrap_or_default();
            graph.declare(id).map_err(|kind| row.fault(kind))?;
            let label = of_nodes.iter().position(|name| name.eq_ignore_ascii_case("label"));
            if let Some(label) = label.and_then(|at| fields.get(at)) {
                labels.insert(id.to_owned(), label.to_string());
            }
            continue;
        }
        check_width(&row, fields.len(), of_edges.len())?;
        let mut found = None;
        graph.kept.begin();
        for (name, field) in of_edges.iter().zip(&fields).skip(2).filter(|(_, it)| !it.is_empty()) {
            graph.kept.set(name, Some((field, KeptKind::of_word(field))));
            if weight.is(name) {
                let number = weight.number(field).map_err(|sentence| row.malformed(sentence))?;
                if found.replace(number).is_some() {
                    return Err(row.malformed("this edge has two weights; remove one column"));
                }
            } else if name.eq_ignore_ascii_case(DIRECTED) {
                directed |= field.eq_ignore_ascii_case("true");
            } else {
                weight.see(name, field);
            }
        }
        let place = places.place(&text, row.start);
        let ends = [&*fields[0], &*fields[1]];
        graph.add_edge(ends, found, place).map_err(|kind| row.fault(kind))?;
    }
    let notes = if directed { vec![NOTE_ON_DIRECTED.into()] } else { Vec::new() };
    let mut parsed = graph.finish(weight, notes)?;
    call_by_labels(&mut parsed, labels)?;
    Ok(parsed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Case, check_cases};

    #[test]
    fn tables_of_nodes_and_edges_are_read() {
        let text = "nodedef>name VARCHAR,label VARCHAR,size DOUBLE\ns1,'Site, one',10.5\ns2,\"B\",3\n\
                    s3,C,\nedgedef>node1 VARCHAR, node2 VARCHAR, weight DOUBLE default 1, directed \
                    BOOLEAN\ns1,s2,1.5,true\ns2,s3,2,false\n";
        let plain = "nodedef>name\na\nb\nc\nedgedef>node1,node2,km INT\na,b,3\n";
        let directed = "the graph is directed; directions are ignored";
        let unit = "the input has no weights; each edge weighs 1";
        check_cases(
            Format::GDF,
            &[
                Case::read(text, 3, "0-1:1.5 1-2:2.0", &[directed]).names("Site, one B C"),
                Case::refused(plain, "which attribute is the weight? numbers are in 'km'; pass"),
                Case::read(plain, 3, "0-1:3", &[]).weight("km").names("a b c"),
                Case::read(plain, 3, "0-1:1", &[unit]).unit_weights().names("a b c"),
                Case::refused(
                    &plain.replace("a,b,3", "a,b"),
                    "line 6, column 1: this row has 2 fields",
                ),
                Case::refused(
                    &plain.replace("a,b,3", "a,d,3"),
                    "line 6, column 1: this edge ends at 'd'",
                ),
                Case::refused(
                    &plain.replace("\nb\n", "\na\n"),
                    "line 3, column 1: two nodes have the id",
                ),
                Case::refused(
                    "nodedef>name\na\nedgedef>node1\n",
                    "line 3, column 1: edges need two",
                ),
                Case::refused(&text.replace("1.5", "x"), "line 6, column 1: the weight is 'x'"),
            ],
        );
    }
}
