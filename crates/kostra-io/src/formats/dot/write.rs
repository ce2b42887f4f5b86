//! Writing DOT.

use std::io::{self, Write};

use kostra_core::{Vertex, with_graph};

use super::EDGE_ID;
use crate::KeptRows;
use crate::interface::{Outgoing, Writer};
use crate::text_writer::TextWriter;

/// Writes a graph. Nodes have their names, or their numbers from 0.
pub(super) fn writer(outgoing: Outgoing<'_>) -> Result<Writer<'_>, String> {
    let names = outgoing.names.unwrap_or_default();
    if let Some(vertex) = names.iter().position(|name| !is_writable(name)) {
        return Err(format!(
            "the name of vertex {vertex} has a backslash before a quote, a line break or its end, \
             which DOT cannot hold; rename the vertex, or write kst"
        ));
    }
    let kept = outgoing.kept_rows(&[EDGE_ID, "weight"])?;
    if let Some(kept) = &kept {
        let values = (0..outgoing.graph.edges()).flat_map(|edge| kept.values(edge).flatten());
        let texts = kept.names().iter().map(String::as_str).chain(values);
        if let Some(text) = texts.into_iter().find(|text| !is_writable(text)) {
            return Err(format!(
                "the kept text {text:?} has a backslash before a quote, a line break or its end, \
                 which DOT cannot hold; write csv"
            ));
        }
    }
    Ok(Box::new(move |to| write(&outgoing, kept.as_ref(), to)))
}

/// Whether no backslash of a name would join with the character after it. Backslashes are read in
/// pairs.
fn is_writable(name: &str) -> bool {
    let mut characters = name.chars();
    while let Some(character) = characters.next() {
        if character == '\\' && matches!(characters.next(), None | Some('"' | '\n')) {
            return false;
        }
    }
    true
}

fn write(
    outgoing: &Outgoing<'_>,
    kept: Option<&KeptRows<'_>>,
    to: &mut dyn Write,
) -> io::Result<()> {
    let mut text = TextWriter::new(to);
    text.word("graph {").end_line()?;
    for vertex in 0..outgoing.graph.vertices() {
        text.word("  ");
        write_name(&mut text, outgoing, vertex);
        text.word(";").end_line()?;
    }
    write_edges(&mut text, outgoing, kept)?;
    text.word("}").end_line()?;
    text.finish()
}

fn write_name(text: &mut TextWriter<'_>, outgoing: &Outgoing<'_>, vertex: Vertex) {
    match outgoing.names.and_then(|names| names.get(vertex as usize)) {
        Some(name) => write_quoted(text, name),
        None => {
            text.number(vertex.into());
        }
    }
}

fn write_quoted(text: &mut TextWriter<'_>, name: &str) {
    let escape = |character| (character == '"').then_some("\\\"");
    text.word("\"").escaped(name, escape).word("\"");
}

fn write_edges(
    text: &mut TextWriter<'_>,
    outgoing: &Outgoing<'_>,
    kept: Option<&KeptRows<'_>>,
) -> io::Result<()> {
    with_graph!(outgoing.graph, graph => {
        let edges = graph.edge_list();
        let ends = edges.u().iter().zip(edges.v());
        for (edge, ((&u, &v), &weight)) in ends.zip(edges.weights()).enumerate() {
            text.word("  ");
            write_name(text, outgoing, u);
            text.word(" -- ");
            write_name(text, outgoing, v);
            text.word(" [");
            if let Some(&id) = outgoing.edge_ids.and_then(|ids| ids.get(edge)) {
                text.word(EDGE_ID).word("=").number(id).word(", ");
            }
            text.word("weight=\"").weight(weight).word("\"");
            let values = kept.map(|kept| (kept.names(), kept.values(edge)));
            for (name, value) in values.into_iter().flat_map(|(names, row)| names.iter().zip(row)) {
                if let Some(value) = value {
                    text.word(", ");
                    write_quoted(text, name);
                    text.word("=");
                    write_quoted(text, value);
                }
            }
            text.word("];").end_line()?;
        }
    });
    Ok(())
}
