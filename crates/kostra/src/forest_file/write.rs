//! Writing a forest.

use std::collections::HashSet;
use std::fmt::Display;
use std::io::{self, Write};

use kostra_core::{AnyGraph, EdgeId, memory, with_graph};
use kostra_io::{KeptColumns, Outgoing, Output, is_of_no_text, write_atomically, write_graph};

use super::line::{COLUMNS, LineStyle};
use super::{ForestFileError, ForestFormat, geojson, newick};

/// The edges of a forest in the graph that is written.
#[derive(Clone, Copy)]
enum Edges<'a> {
    /// These edges of the graph.
    Chosen(&'a [EdgeId]),
    /// All edges, with their ids in the graph that was solved.
    All(&'a [u64]),
}

impl Edges<'_> {
    /// The position in the graph, and the id of each edge.
    fn iter(&self) -> impl ExactSizeIterator<Item = (usize, u64)> + Clone {
        let edges = match self {
            Self::Chosen(ids) => ids.len(),
            Self::All(ids) => ids.len(),
        };
        (0..edges).map(move |edge| match self {
            Self::Chosen(ids) => (ids[edge] as usize, ids[edge].into()),
            Self::All(ids) => (edge, ids[edge]),
        })
    }
}

/// Writes the forest with the edges `ids` of a graph. A file appears whole or not at all.
/// `graph.kept` has one row per edge of the graph, and `graph.edge_ids` is not used.
///
/// # Errors
/// When the format cannot hold the forest, the output fails, or `graph.mapped` has changed.
pub fn write(
    output: &Output,
    format: ForestFormat,
    graph: Outgoing<'_>,
    ids: &[EdgeId],
) -> Result<(), ForestFileError> {
    let Some(graph_format) = format.graph() else {
        return write_text(output, format, graph, Edges::Chosen(ids));
    };
    let has_ids = graph_format.info().has_attributes;
    let edge_ids = has_ids.then(|| memory::collected(ids.iter().map(|&id| u64::from(id))));
    let edge_ids = edge_ids.transpose()?;
    let kept = graph.kept.filter(|_| format.keeps_columns());
    let kept = kept.map(|kept| kept.pick(ids)).transpose()?;
    let forest = with_graph!(graph.graph, all => AnyGraph::from(all.edge_list().subgraph(ids)));
    let forest =
        Outgoing { graph: &forest, edge_ids: edge_ids.as_deref(), kept: kept.as_ref(), ..graph };
    Ok(write_graph(output, graph_format, forest)?)
}

/// Writes all edges of `forest`, whose ids in the graph that was solved are `ids`. A file appears
/// whole or not at all. `forest.kept` has one row per edge of the forest.
///
/// # Errors
/// When the format cannot hold the forest, or the output fails.
pub fn write_all(
    output: &Output,
    format: ForestFormat,
    forest: Outgoing<'_>,
    ids: &[u64],
) -> Result<(), ForestFileError> {
    match format.graph() {
        None => write_text(output, format, forest, Edges::All(ids)),
        Some(graph_format) => {
            let forest = Outgoing { edge_ids: Some(ids), ..forest };
            Ok(write_graph(output, graph_format, forest)?)
        }
    }
}

/// Writes ids, lines of edges, a map or trees.
fn write_text(
    output: &Output,
    format: ForestFormat,
    graph: Outgoing<'_>,
    edges: Edges<'_>,
) -> Result<(), ForestFileError> {
    let style = match format {
        ForestFormat::Edges => Some(LineStyle::Tabs),
        ForestFormat::Csv => Some(LineStyle::Commas),
        ForestFormat::Geojson => None,
        ForestFormat::Newick => return write_newick(output, graph, edges),
        _ => return write_ids(output, edges.iter().map(|(_, id)| id)),
    };
    check_columns(graph.kept)?;
    let places = match style {
        None => geojson::places(output, graph.coordinates)?,
        Some(_) => {
            check_names(graph.names)?;
            check_kept(graph.kept, &edges)?;
            &[]
        }
    };
    write_atomically(output, |to| {
        match style {
            None => geojson::write(to, places, graph, edges.iter())?,
            Some(style) => write_edges(to, style, graph, edges)?,
        }
        graph.mapped.map_or(Ok(()), |file| file.check().map_err(io::Error::other))
    })?;
    Ok(())
}

fn write_newick(
    output: &Output,
    Outgoing { graph, names, mapped, .. }: Outgoing<'_>,
    edges: Edges<'_>,
) -> Result<(), ForestFileError> {
    check_names(names)?;
    newick::check(graph, edges.iter())?;
    let positions = memory::collected(edges.iter().map(|(edge, _)| edge))?;
    write_atomically(output, |to| {
        newick::write(to, graph, names, &positions)?;
        mapped.map_or(Ok(()), |file| file.check().map_err(io::Error::other))
    })?;
    Ok(())
}

/// Refuses kept columns with the name of another column.
fn check_columns(kept: Option<&KeptColumns>) -> Result<(), ForestFileError> {
    let mut seen = HashSet::from(COLUMNS);
    for name in kept.map(KeptColumns::names).unwrap_or_default() {
        if !seen.insert(name) {
            return Err(ForestFileError::EqualColumns { name: name.clone() });
        }
    }
    Ok(())
}

/// Refuses names that readers of edge lists would not return.
///
/// # Errors
/// When a name is empty, or has a line break or another control character that makes a reader take
/// the text for binary data.
pub fn check_names(names: Option<&[String]>) -> Result<(), ForestFileError> {
    for (vertex, name) in names.unwrap_or_default().iter().enumerate() {
        if name.is_empty() {
            return Err(ForestFileError::EmptyName { vertex });
        }
        if name.contains(['\n', '\r']) {
            return Err(ForestFileError::LineBreak { name: name.clone() });
        }
        if let Some(character) = name.chars().find(|&character| is_of_no_text(character)) {
            return Err(ForestFileError::NoText { name: name.clone(), character });
        }
    }
    Ok(())
}

/// Refuses kept columns with control characters, which make a reader take the text for binary data.
fn check_kept(kept: Option<&KeptColumns>, edges: &Edges<'_>) -> Result<(), ForestFileError> {
    let Some(kept) = kept else { return Ok(()) };
    let check = |column: &str, text: &str| match text.chars().find(|&c| is_of_no_text(c)) {
        None => Ok(()),
        Some(character) => {
            Err(ForestFileError::KeptNoText { column: column.to_owned(), character })
        }
    };
    kept.names().iter().try_for_each(|name| check(name, name))?;
    edges.iter().try_for_each(|(edge, _)| {
        kept.names().iter().zip(kept.row(edge)).try_for_each(|(name, value)| check(name, value))
    })
}

/// Writes one id per line.
///
/// # Errors
/// When the output fails.
pub fn write_ids(
    output: &Output,
    ids: impl IntoIterator<Item = impl Display>,
) -> Result<(), ForestFileError> {
    let mut ids = ids.into_iter();
    Ok(write_atomically(output, |to| ids.try_for_each(|id| writeln!(to, "{id}")))?)
}

/// Writes a header and one line per edge: its id, its endpoints (by name if the vertices have
/// names), its weight and the kept columns.
fn write_edges(
    to: &mut dyn Write,
    style: LineStyle,
    Outgoing { graph, names, kept, .. }: Outgoing<'_>,
    edges: Edges<'_>,
) -> io::Result<()> {
    let separator = style.separator();
    writeln!(to, "{}", style.header(kept.map(KeptColumns::names).unwrap_or_default()))?;
    with_graph!(graph, graph => {
        let list = graph.edge_list();
        for (edge, id) in edges.iter() {
            let (ends, weight) = ([list.u()[edge], list.v()[edge]], list.weights()[edge]);
            style.write_edge(to, (id, ends, weight), names)?;
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
    use super::*;

    #[test]
    fn edges_are_written_by_number_or_name() {
        let graph = AnyGraph::from_edges(2, vec![0, 1], vec![1, 0], vec![1.5, -2.0]).unwrap();
        let text = |style, names: Option<[&str; 2]>| {
            let names = names.map(|names| names.map(str::to_owned));
            let names = names.as_ref().map(<[String; 2]>::as_slice);
            let mut bytes = Vec::new();
            let outgoing = Outgoing { names, ..Outgoing::from(&graph) };
            write_edges(&mut bytes, style, outgoing, Edges::Chosen(&[1])).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(text(LineStyle::Tabs, None), "edge\tu\tv\tweight\n1\t1\t0\t-2\n");
        assert_eq!(text(LineStyle::Commas, None), "edge,u,v,weight\n1,1,0,-2\n");
        let odd = Some(["a\tb", "\\t"]);
        assert_eq!(text(LineStyle::Tabs, odd), "edge\tu\tv\tweight\n1\t\\t\t\"a\tb\"\t-2\n");
        assert_eq!(
            text(LineStyle::Commas, Some(["a,b", "\"c"])),
            "edge,u,v,weight\n1,\"\"\"c\",\"a,b\",-2\n"
        );
    }
    #[test]
    fn names_that_no_reader_of_text_returns_are_refused() {
        let check = |name: &str| check_names(Some(&[name.to_owned()]));
        let options = kostra_io::ReadOptions { names: true, ..kostra_io::ReadOptions::default() };
        for character in ('\0'..' ').filter(|&character| is_of_no_text(character)) {
            let error = check(&format!("a{character}")).unwrap_err().to_string();
            let shown = format!("U+{:04X}, which a text cannot hold", u32::from(character));
            assert!(error.contains(&shown), "{error}");
            // So it is indeed not read back.
            let text = format!("from,to,km\na{character},b,1\n");
            assert!(kostra_io::read_bytes("x", text.as_bytes(), &options).is_err());
        }
        for name in ["a\tb", "\u{b}", "a\u{c}b", "\u{7f}", "a\u{85}b", "\u{9b}31m", "\u{feff}a"] {
            check(name).unwrap();
            let field = LineStyle::Commas.field(name);
            let text = format!("from,to,km\nz,{field},1\n");
            let names = kostra_io::read_bytes("x", text.as_bytes(), &options).unwrap().parsed.names;
            assert_eq!(names.unwrap(), ["z", name]);
        }
        assert!(check("").is_err() && check("a\nb").is_err() && check("a\rb").is_err());
    }

    #[test]
    fn kept_values_that_no_reader_of_text_returns_are_refused() {
        let read = |text: &str, options: &kostra_io::ReadOptions| {
            kostra_io::read_bytes("x", text.as_bytes(), options).map(|loaded| loaded.parsed)
        };
        let columns = kostra_io::ColumnOptions {
            keep: vec![kostra_io::ColumnChoice::Name("note".to_owned())],
            ..kostra_io::ColumnOptions::default()
        };
        let keep = kostra_io::ReadOptions { columns, ..kostra_io::ReadOptions::default() };
        let written = |value: &str| {
            let value = serde_json::to_string(value).unwrap();
            let link = format!(r#"{{"source": 0, "target": 1, "weight": 2, "note": {value}}}"#);
            let text = format!(r#"{{"nodes": [{{"id": 0}}, {{"id": 1}}], "links": [{link}]}}"#);
            let parsed = read(&text, &keep).unwrap();
            let outgoing = Outgoing { kept: parsed.kept.as_ref(), ..Outgoing::from(&parsed.graph) };
            check_kept(outgoing.kept, &Edges::All(&[0]))?;
            let mut bytes = Vec::new();
            write_edges(&mut bytes, LineStyle::Commas, outgoing, Edges::All(&[0])).unwrap();
            Ok::<_, ForestFileError>(String::from_utf8(bytes).unwrap())
        };
        for character in ('\0'..' ').filter(|&character| is_of_no_text(character)) {
            let error = written(&format!("a{character}b")).unwrap_err().to_string();
            let shown = format!("'note' has the character U+{:04X}, which", u32::from(character));
            assert!(error.contains(&shown), "{error}");
        }
        for value in ["a\tb", "\"", "a,b", "\u{7f}", "\u{9b}31m", ""] {
            let text = written(value).unwrap();
            let kept = read(&text, &keep).unwrap().kept.unwrap();
            assert_eq!(kept.row(0).collect::<Vec<_>>(), [value], "{text:?}");
        }
    }
}
