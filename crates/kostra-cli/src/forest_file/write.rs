//! Writing a forest.

use std::io::{self, Write};

use kostra::io::Outgoing;
use kostra::{AnyGraph, EdgeId, memory, with_graph};

use super::destination::{Destination, ForestFormat};
use super::line::{HEADER, escaped};
use crate::input::Graph;
use crate::output;

/// Writes the forest of these edges of a graph.
///
/// # Errors
/// When the output fails, the input's file has changed, or the format cannot hold the graph.
pub(crate) fn write(
    Destination { output, format }: &Destination,
    input: &Graph,
    ids: &[EdgeId],
) -> anyhow::Result<()> {
    if let Some(graph_format) = format.graph() {
        let has_ids = graph_format.info().has_attributes;
        let edge_ids = has_ids.then(|| memory::collected(ids.iter().map(|&id| u64::from(id))));
        let edge_ids = edge_ids.transpose()?;
        let outgoing = Outgoing {
            graph: &subgraph(&input.graph, ids),
            coordinates: input.coordinates.as_ref(),
            names: input.names.as_deref(),
            edge_ids: edge_ids.as_deref(),
            mapped: input.mapped.as_ref(),
        };
        output::write(output, graph_format, outgoing)?;
    } else if *format == ForestFormat::Ids {
        output::write_lines(output, |to| write_ids(to, ids))?;
    } else {
        output::write_lines(output, |to| {
            write_edges(to, &input.graph, input.names.as_deref(), ids)?;
            input.mapped.as_ref().map_or(Ok(()), |file| file.check().map_err(io::Error::other))
        })?;
    }
    Ok(())
}

fn write_ids(to: &mut dyn Write, ids: &[EdgeId]) -> io::Result<()> {
    ids.iter().try_for_each(|id| writeln!(to, "{id}"))
}

/// The graph with all vertices and only these edges.
fn subgraph(graph: &AnyGraph, ids: &[EdgeId]) -> AnyGraph {
    with_graph!(graph, graph => AnyGraph::from(graph.edge_list().subgraph(ids)))
}

/// Writes a header and one line per edge: its id, its endpoints (by name if the vertices have
/// names) and its weight.
fn write_edges(
    to: &mut dyn Write,
    graph: &AnyGraph,
    names: Option<&[String]>,
    ids: &[EdgeId],
) -> io::Result<()> {
    writeln!(to, "{HEADER}")?;
    with_graph!(graph, graph => {
        let edges = graph.edge_list();
        for &id in ids {
            let edge = id as usize;
            let (u, v, weight) = (edges.u()[edge], edges.v()[edge], edges.weights()[edge]);
            match names {
                None => writeln!(to, "{id}\t{u}\t{v}\t{weight}")?,
                Some(names) => {
                    let (u, v) = (escaped(&names[u as usize]), escaped(&names[v as usize]));
                    writeln!(to, "{id}\t{u}\t{v}\t{weight}")?;
                }
            }
        }
    });
    Ok(())
}

/// Writes a header and one line per edge of `forest`. Edge `i` of `forest` has the id `ids[i]`.
///
/// # Errors
/// When the output fails.
pub(crate) fn write_forest(to: &mut dyn Write, forest: &AnyGraph, ids: &[u64]) -> io::Result<()> {
    writeln!(to, "{HEADER}")?;
    with_graph!(forest, forest => {
        let edges = forest.edge_list();
        let ends = edges.u().iter().zip(edges.v());
        for ((id, (u, v)), weight) in ids.iter().zip(ends).zip(edges.weights()) {
            writeln!(to, "{id}\t{u}\t{v}\t{weight}")?;
        }
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_written_by_number_or_name() {
        let graph = AnyGraph::from_edges(2, vec![0, 1], vec![1, 0], vec![1.5, -2.0]).unwrap();
        let text = |names: Option<&[String]>| {
            let mut bytes = Vec::new();
            write_edges(&mut bytes, &graph, names, &[1]).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(text(None), "edge\tu\tv\tweight\n1\t1\t0\t-2\n");
        let plain = ["a".into(), "b".into()];
        assert_eq!(text(Some(&plain)), "edge\tu\tv\tweight\n1\tb\ta\t-2\n");
        let odd = ["a\tb".into(), "\\t\r\n".into()];
        assert_eq!(text(Some(&odd)), "edge\tu\tv\tweight\n1\t\\\\t\\r\\n\ta\\tb\t-2\n");
    }
}
