//! Writing node-link JSON, as `node_link_graph` of NetworkX 3.4 and later reads it.

use std::io::{self, Write};

use kostra_core::{AnyGraph, Vertex, with_graph};

use super::EDGE_ID;
use crate::KeptRows;
use crate::interface::{Outgoing, Writer};
use crate::text_writer::TextWriter;

/// Writes a graph. Nodes have their names as ids, or their numbers from 0. Names that are
/// integers are written as integers, unless the input stores them as text.
pub(super) fn writer(outgoing: Outgoing<'_>) -> Result<Writer<'_>, String> {
    if let Some(edge) = first_infinite(outgoing.graph) {
        return Err(format!(
            "edge {edge} has an infinite weight, which JSON cannot hold; write kst"
        ));
    }
    let kept = outgoing.kept_rows(&["source", "target", EDGE_ID, "weight"])?;
    Ok(Box::new(move |to| write(&outgoing, kept.as_ref(), to)))
}

/// The first edge with an infinite weight.
fn first_infinite(graph: &AnyGraph) -> Option<usize> {
    match graph {
        AnyGraph::F32(graph) => graph.edge_list().weights().iter().position(|w| !w.is_finite()),
        AnyGraph::F64(graph) => graph.edge_list().weights().iter().position(|w| !w.is_finite()),
        _ => None,
    }
}

fn write(
    outgoing: &Outgoing<'_>,
    kept: Option<&KeptRows<'_>>,
    to: &mut dyn Write,
) -> io::Result<()> {
    let mut text = TextWriter::new(to);
    let bare = outgoing.has_integer_names();
    // A forest, whose edges have ids, has no parallel edges.
    let multigraph = if outgoing.edge_ids.is_some() { "false" } else { "true" };
    text.word("{\"directed\": false, \"multigraph\": ").word(multigraph);
    text.word(", \"graph\": {}, \"nodes\": [").end_line()?;
    let vertices = outgoing.graph.vertices();
    for vertex in 0..vertices {
        text.word("{\"id\": ");
        write_id(&mut text, (outgoing, bare), vertex)?;
        text.word(if vertex + 1 == vertices { "}" } else { "}," }).end_line()?;
    }
    text.word("], \"edges\": [").end_line()?;
    write_edges(&mut text, (outgoing, bare), kept)?;
    text.word("]}").end_line()?;
    text.finish()
}

/// Writes the name or the number of a vertex. A `bare` name has no quotes.
fn write_id(
    text: &mut TextWriter<'_>,
    (outgoing, bare): (&Outgoing<'_>, bool),
    vertex: Vertex,
) -> io::Result<()> {
    match outgoing.names.and_then(|names| names.get(vertex as usize)) {
        Some(name) if bare => text.word(name),
        Some(name) => text.word(&serde_json::to_string(name)?),
        None => text.number(vertex.into()),
    };
    Ok(())
}

fn write_edges(
    text: &mut TextWriter<'_>,
    (outgoing, bare): (&Outgoing<'_>, bool),
    kept: Option<&KeptRows<'_>>,
) -> io::Result<()> {
    with_graph!(outgoing.graph, graph => {
        let edges = graph.edge_list();
        let ends = edges.u().iter().zip(edges.v());
        for (edge, ((&u, &v), &weight)) in ends.zip(edges.weights()).enumerate() {
            text.word("{\"source\": ");
            write_id(text, (outgoing, bare), u)?;
            text.word(", \"target\": ");
            write_id(text, (outgoing, bare), v)?;
            if let Some(&id) = outgoing.edge_ids.and_then(|ids| ids.get(edge)) {
                text.word(", \"").word(EDGE_ID).word("\": ").number(id);
            }
            text.word(", \"weight\": ").weight(weight);
            if let Some(kept) = kept {
                text.word(&kept.json(edge));
            }
            text.word(if edge + 1 == edges.len() { "}" } else { "}," }).end_line()?;
        }
    });
    Ok(())
}
