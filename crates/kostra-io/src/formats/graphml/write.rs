//! Writing GraphML, as NetworkX and igraph read it.

use std::io::{self, Write};

use kostra_core::{AnyGraph, Vertex, WeightType, with_graph};

use super::EDGE_ID;
use crate::interface::{Outgoing, Writer};
use crate::text_writer::TextWriter;

/// What precedes the keys.
const START: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                     <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";

/// Writes a graph. Nodes have their names as ids, or their numbers from 0.
pub(super) fn writer(outgoing: Outgoing<'_>) -> Result<Writer<'_>, String> {
    let names = outgoing.names.unwrap_or_default();
    let unsaid = |name: &String| name.chars().find(|&character| !is_xml(character));
    if let Some((vertex, character)) =
        names.iter().enumerate().find_map(|(vertex, name)| Some((vertex, unsaid(name)?)))
    {
        return Err(format!(
            "the name of vertex {vertex} has the character U+{:04X}, which GraphML cannot hold; \
             rename the vertex, or write kst",
            u32::from(character)
        ));
    }
    Ok(Box::new(move |to| write(&outgoing, to)))
}

/// Whether XML 1.0 has this character.
fn is_xml(character: char) -> bool {
    let is_blank = matches!(character, '\t' | '\n' | '\r');
    is_blank || (character >= ' ' && !matches!(character, '\u{fffe}' | '\u{ffff}'))
}

/// How a character is written in the value of an attribute.
fn escape(character: char) -> Option<&'static str> {
    Some(match character {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        '\t' => "&#9;",
        '\n' => "&#10;",
        '\r' => "&#13;",
        _ => return None,
    })
}

/// The smallest type of GraphML that holds all weights of a type.
fn type_of(graph: &AnyGraph) -> &'static str {
    match graph.weight_type() {
        WeightType::I32 => "int",
        WeightType::U32 | WeightType::I64 | WeightType::U64 => "long",
        WeightType::F32 => "float",
        WeightType::F64 => "double",
    }
}

fn write(outgoing: &Outgoing<'_>, to: &mut dyn Write) -> io::Result<()> {
    let mut text = TextWriter::new(to);
    text.word(START);
    if outgoing.edge_ids.is_some() {
        let start = "  <key id=\"edge\" for=\"edge\" attr.name=\"";
        text.word(start).word(EDGE_ID).word("\" attr.type=\"long\"/>\n");
    }
    text.word("  <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"");
    text.word(type_of(outgoing.graph)).word("\"/>\n  <graph edgedefault=\"undirected\">");
    text.end_line()?;
    for vertex in 0..outgoing.graph.vertices() {
        text.word("    <node id=\"");
        write_id(&mut text, outgoing, vertex);
        text.word("\"/>").end_line()?;
    }
    write_edges(&mut text, outgoing)?;
    text.word("  </graph>\n</graphml>").end_line()?;
    text.finish()
}

/// Writes the name or the number of a vertex.
fn write_id(text: &mut TextWriter<'_>, outgoing: &Outgoing<'_>, vertex: Vertex) {
    match outgoing.names.and_then(|names| names.get(vertex as usize)) {
        Some(name) => text.escaped(name, escape),
        None => text.number(vertex.into()),
    };
}

fn write_edges(text: &mut TextWriter<'_>, outgoing: &Outgoing<'_>) -> io::Result<()> {
    with_graph!(outgoing.graph, graph => {
        let edges = graph.edge_list();
        let ends = edges.u().iter().zip(edges.v());
        for (edge, ((&u, &v), &weight)) in ends.zip(edges.weights()).enumerate() {
            text.word("    <edge source=\"");
            write_id(text, outgoing, u);
            text.word("\" target=\"");
            write_id(text, outgoing, v);
            text.word("\">");
            if let Some(&id) = outgoing.edge_ids.and_then(|ids| ids.get(edge)) {
                text.word("<data key=\"edge\">").number(id).word("</data>");
            }
            text.word("<data key=\"weight\">").weight(weight).word("</data></edge>").end_line()?;
        }
    });
    Ok(())
}
