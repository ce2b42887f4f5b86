//! Writing METIS files: only graphs that METIS itself accepts.

use std::io::{self, Write};

use kostra_core::{AnyGraph, EdgeId};

use crate::interface::{Outgoing, Writer};
use crate::mirror::{MirroredRows, integer_weights};
use crate::text_writer::TextWriter;

/// Writes a graph as METIS, with rows sorted by neighbor. Weights are omitted if each is 1.
pub(super) fn writer(outgoing: Outgoing<'_>) -> Result<Writer<'_>, String> {
    const INSTEAD: &str = "write kst, gr, edges or mtx instead";
    let graph = outgoing.graph;
    if let Some(edge) = graph.u().iter().zip(graph.v()).position(|(u, v)| u == v) {
        return Err(format!("edge {edge} is a self-loop, which METIS forbids; {INSTEAD}"));
    }
    let weights = integer_weights(graph, 1, i64::MAX).map_err(|(edge, weight)| {
        format!("edge {edge} weighs {weight}, but METIS requires positive integers; {INSTEAD}")
    })?;
    let rows = MirroredRows::build(graph).map_err(|refused| refused.to_string())?;
    if let Some((first, second)) = parallel(&rows) {
        return Err(format!(
            "edges {first} and {second} join the same vertices, which METIS forbids; {INSTEAD}"
        ));
    }
    Ok(Box::new(move |to| write(to, graph, &rows, &weights)))
}

fn parallel(rows: &MirroredRows) -> Option<(EdgeId, EdgeId)> {
    rows.rows()
        .find_map(|row| row.windows(2).find(|pair| pair[0].0 == pair[1].0))
        .map(|pair| (pair[0].1, pair[1].1))
}

fn write(
    to: &mut dyn Write,
    graph: &AnyGraph,
    rows: &MirroredRows,
    weights: &[i64],
) -> io::Result<()> {
    let weighted = weights.iter().any(|&weight| weight != 1);
    let mut text = TextWriter::new(to);
    text.number(graph.vertices().into()).word(" ").number(graph.edges() as u64);
    text.word(if weighted { " 001" } else { "" }).end_line()?;
    for row in rows.rows() {
        let mut separator = "";
        for &(neighbor, edge) in row {
            text.word(separator).number(u64::from(neighbor) + 1);
            if weighted {
                text.word(" ").weight(weights[edge as usize]);
            }
            separator = " ";
        }
        text.end_line()?;
    }
    text.finish()
}
