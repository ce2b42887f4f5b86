//! Writing GraphML, as NetworkX and igraph read it.

use std::io::{self, Write};

use kostra_core::{AnyGraph, Vertex, WeightType, with_graph};

use super::EDGE_ID;
use crate::interface::{Outgoing, Writer};
use crate::text_writer::TextWriter;
use crate::{KeptKind, KeptRows};

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
    let kept = outgoing.kept_rows(&[EDGE_ID, "weight"])?;
    if let Some(kept) = &kept {
        let edges = 0..outgoing.graph.edges();
        let values = edges.flat_map(|edge| kept.values(edge).flatten());
        let mut texts = kept.names().iter().map(String::as_str).chain(values);
        if let Some(character) = texts.find_map(|text| text.chars().find(|&c| !is_xml(c))) {
            return Err(format!(
                "a kept column has the character U+{:04X}, which GraphML cannot hold; write csv",
                u32::from(character)
            ));
        }
    }
    Ok(Box::new(move |to| write(&outgoing, kept.as_ref(), to)))
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

/// The type of GraphML for a kept column.
fn type_of_kept(kind: KeptKind) -> &'static str {
    match kind {
        KeptKind::Unknown | KeptKind::Text => "string",
        KeptKind::Integer => "long",
        KeptKind::Float => "double",
        KeptKind::Boolean => "boolean",
    }
}

fn write(
    outgoing: &Outgoing<'_>,
    kept: Option<&KeptRows<'_>>,
    to: &mut dyn Write,
) -> io::Result<()> {
    let mut text = TextWriter::new(to);
    text.word(START);
    if outgoing.edge_ids.is_some() {
        let start = "  <key id=\"edge\" for=\"edge\" attr.name=\"";
        text.word(start).word(EDGE_ID).word("\" attr.type=\"long\"/>\n");
    }
    text.word("  <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"");
    text.word(type_of(outgoing.graph)).word("\"/>").end_line()?;
    let columns = kept.map(|kept| kept.names().iter().zip(kept.kinds()));
    for (column, (name, &kind)) in columns.into_iter().flatten().enumerate() {
        text.word("  <key id=\"kept").number(column as u64);
        text.word("\" for=\"edge\" attr.name=\"").escaped(name, escape);
        text.word("\" attr.type=\"").word(type_of_kept(kind)).word("\"/>").end_line()?;
    }
    text.word("  <graph edgedefault=\"undirected\">");
    text.end_line()?;
    for vertex in 0..outgoing.graph.vertices() {
        text.word("    <node id=\"");
        write_id(&mut text, outgoing, vertex);
        text.word("\"/>").end_line()?;
    }
    write_edges(&mut text, outgoing, kept)?;
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

fn write_edges(
    text: &mut TextWriter<'_>,
    outgoing: &Outgoing<'_>,
    kept: Option<&KeptRows<'_>>,
) -> io::Result<()> {
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
            text.word("<data key=\"weight\">").weight(weight).word("</data>");
            let values = kept.map(|kept| kept.values(edge));
            for (column, value) in values.into_iter().flatten().enumerate() {
                if let Some(value) = value {
                    text.word("<data key=\"kept").number(column as u64).word("\">");
                    text.escaped(value, escape).word("</data>");
                }
            }
            text.word("</edge>").end_line()?;
        }
    });
    Ok(())
}
