//! Writing a forest.

use std::fmt::Display;
use std::io::{self, Write};

use kostra::io::{Format, KeptColumns, KeptRows, Outgoing, Output};
use kostra_core::{AnyGraph, EdgeId, memory, with_graph};

use super::destination::{Destination, ForestFormat};
use super::geojson;
use super::line::{COLUMNS, Style};
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
    let kept = input.parsed.kept.as_ref();
    let remedy = if input.format == Some(Format::EDGE_LIST) {
        "give the kept column another name with `--columns`"
    } else {
        "rename the one in the input, or do not keep it"
    };
    if let Some(graph_format) = format.graph() {
        let has_ids = graph_format.info().has_attributes;
        let edge_ids = has_ids.then(|| memory::collected(ids.iter().map(|&id| u64::from(id))));
        let edge_ids = edge_ids.transpose()?;
        let kept = kept.filter(|_| format.keeps_columns());
        let kept = kept.map(|kept| kept.pick(ids)).transpose()?;
        let outgoing = Outgoing {
            graph: &subgraph(&input.parsed.graph, ids),
            coordinates: input.parsed.coordinates.as_ref(),
            names: input.parsed.names.as_deref(),
            text_names: input.parsed.text_names,
            edge_ids: edge_ids.as_deref(),
            kept: kept.as_ref(),
            mapped: input.parsed.mapped.as_ref(),
        };
        output::write(output, graph_format, outgoing)?;
    } else if *format == ForestFormat::Geojson {
        check_columns(kept, remedy)?;
        let rows = ids.iter().map(|&id| id as usize);
        let kept = kept.map(|kept| KeptRows::new(kept, rows));
        let lines = geojson::Lines {
            graph: &input.parsed.graph,
            names: input.parsed.names.as_deref(),
            edges: &mut ids.iter().map(|&id| (id as usize, id.into())),
            kept: kept.as_ref(),
        };
        geojson::write(output, input.parsed.coordinates.as_ref(), lines, || unchanged(input))?;
    } else if let Some(style) = Style::of_format(*format) {
        check_columns(kept, remedy)?;
        check_names(input.parsed.names.as_deref())?;
        output::write_lines(output, |to| {
            write_edges(to, style, input, ids)?;
            unchanged(input)
        })?;
    } else {
        write_ids(output, ids)?;
    }
    Ok(())
}

/// Checks that the mapped file of the input has not changed.
fn unchanged(input: &Graph) -> io::Result<()> {
    input.parsed.mapped.as_ref().map_or(Ok(()), |file| file.check().map_err(io::Error::other))
}

/// Refuses kept columns with the name of another column.
pub(super) fn check_columns(kept: Option<&KeptColumns>, remedy: &str) -> anyhow::Result<()> {
    let kept = kept.map(KeptColumns::names).unwrap_or_default();
    for (index, name) in kept.iter().enumerate() {
        if COLUMNS.contains(&&**name) || kept[..index].contains(name) {
            anyhow::bail!("two columns of the output would be called '{name}'; {remedy}");
        }
    }
    Ok(())
}

/// Refuses names that readers of edge lists would not return.
pub(crate) fn check_names(names: Option<&[String]>) -> anyhow::Result<()> {
    for (vertex, name) in names.unwrap_or_default().iter().enumerate() {
        if name.is_empty() {
            anyhow::bail!(
                "vertex {vertex} (counted from 0) has an empty name, which a line would not tell \
                 from a missing one; rename it, or write .graphml"
            );
        }
        if name.contains(['\n', '\r']) {
            anyhow::bail!(
                "the name {name:?} has a line break, which a line cannot hold; write .parquet or \
                 .graphml"
            );
        }
    }
    Ok(())
}

/// Writes one id per line.
///
/// # Errors
/// When the output fails.
pub(crate) fn write_ids(output: &Output, ids: &[impl Display]) -> anyhow::Result<()> {
    Ok(output::write_lines(output, |to| ids.iter().try_for_each(|id| writeln!(to, "{id}")))?)
}

/// The graph with all vertices and only these edges.
fn subgraph(graph: &AnyGraph, ids: &[EdgeId]) -> AnyGraph {
    with_graph!(graph, graph => AnyGraph::from(graph.edge_list().subgraph(ids)))
}

/// Writes a header and one line per edge: its id, its endpoints (by name if the vertices have
/// names), its weight and the kept columns.
fn write_edges(to: &mut dyn Write, style: Style, input: &Graph, ids: &[EdgeId]) -> io::Result<()> {
    let kept = input.parsed.kept.as_ref();
    let separator = style.separator();
    writeln!(to, "{}", style.header(kept.map(KeptColumns::names).unwrap_or_default()))?;
    let names = input.parsed.names.as_deref();
    with_graph!(&input.parsed.graph, graph => {
        let edges = graph.edge_list();
        for &id in ids {
            let edge = id as usize;
            let (u, v, weight) = (edges.u()[edge], edges.v()[edge], edges.weights()[edge]);
            style.write_edge(to, (id.into(), [u, v], weight), names)?;
            for field in kept.iter().flat_map(|kept| kept.row(edge)) {
                write!(to, "{separator}{}", style.field(field))?;
            }
            writeln!(to)?;
        }
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use kostra::io::{Compression, Parsed};

    use super::*;

    #[test]
    fn edges_are_written_by_number_or_name() {
        let graph = AnyGraph::from_edges(2, vec![0, 1], vec![1, 0], vec![1.5, -2.0]).unwrap();
        let text = |style, names: Option<[&str; 2]>| {
            let names = names.map(|names| names.map(str::to_owned).to_vec());
            let parsed = Parsed { names, ..Parsed::new(graph.clone(), Vec::new()) };
            let input = Graph::new(parsed, None, Compression::None);
            let mut bytes = Vec::new();
            write_edges(&mut bytes, style, &input, &[1]).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(text(Style::Tabs, None), "edge\tu\tv\tweight\n1\t1\t0\t-2\n");
        assert_eq!(text(Style::Commas, None), "edge,u,v,weight\n1,1,0,-2\n");
        let odd = Some(["a\tb", "\\t"]);
        assert_eq!(text(Style::Tabs, odd), "edge\tu\tv\tweight\n1\t\\t\t\"a\tb\"\t-2\n");
        assert_eq!(
            text(Style::Commas, Some(["a,b", "\"c"])),
            "edge,u,v,weight\n1,\"\"\"c\",\"a,b\",-2\n"
        );
    }
}
