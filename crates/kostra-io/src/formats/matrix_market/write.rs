//! Writing Matrix Market files.

use std::io::{self, Write};

use kostra_core::{AnyGraph, WeightType, with_graph};

use crate::interface::{Outgoing, Writer};
use crate::text_writer::TextWriter;

/// Writes a graph as a symmetric matrix: each edge is an entry on or below the diagonal, in the
/// order of the edges. Parallel edges become entries at the same position; other programs may add
/// their values up. Every weight is read back as the same value: integers as integers, floats as
/// `f64`.
pub(super) fn writer(outgoing: Outgoing<'_>) -> Result<Writer<'_>, String> {
    Ok(Box::new(move |to| write(outgoing.graph, to)))
}

fn write(graph: &AnyGraph, to: &mut dyn Write) -> io::Result<()> {
    let mut text = TextWriter::new(to);
    let field = match graph.weight_type() {
        WeightType::F32 | WeightType::F64 => "real",
        WeightType::I32 | WeightType::U32 | WeightType::I64 | WeightType::U64 => "integer",
    };
    let (n, m) = (u64::from(graph.vertices()), graph.edges() as u64);
    text.word("%%MatrixMarket matrix coordinate ").word(field).word(" symmetric").end_line()?;
    text.number(n).word(" ").number(n).word(" ").number(m).end_line()?;
    with_graph!(graph, graph => {
        let edges = graph.edge_list();
        for ((&u, &v), &weight) in edges.u().iter().zip(edges.v()).zip(edges.weights()) {
            let (row, column) = (u64::from(u.max(v)) + 1, u64::from(u.min(v)) + 1);
            text.number(row).word(" ").number(column).word(" ").weight(weight).end_line()?;
        }
    });
    text.finish()
}
