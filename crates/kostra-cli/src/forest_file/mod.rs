//! Forests as text: what `solve` writes as `edges`, and what `verify` reads.

use std::io::{self, BufRead, BufReader, Write};

use kostra::io::{Input, Place, ReadError, ReadErrorKind};
use kostra::{AnyGraph, EdgeId, Vertex, Weight, with_graph};

/// The first line of a forest as edges, which tells it from a forest as ids.
const HEADER: &str = "edge\tu\tv\tweight";
/// No line of a forest is longer, unless names are; one that is is no forest.
const LONGEST_LINE: u64 = 1 << 16;

/// Writes a header, and a line for each edge: its id, its ends (by name, if they have names) and its weight.
///
/// # Errors
/// When the output fails.
pub(crate) fn write_edges(
    to: &mut dyn Write,
    graph: &AnyGraph,
    names: Option<&[String]>,
    ids: &[EdgeId],
) -> io::Result<()> {
    writeln!(to, "{HEADER}")?;
    with_graph!(graph, graph => {
        let edges = graph.edge_list();
        write_lines(to, edges.u(), edges.v(), edges.weights(), names, ids)
    })
}

fn write_lines<W: Weight>(
    to: &mut dyn Write,
    u: &[Vertex],
    v: &[Vertex],
    weights: &[W],
    names: Option<&[String]>,
    ids: &[EdgeId],
) -> io::Result<()> {
    for &id in ids {
        let (u, v, weight) = (u[id as usize], v[id as usize], weights[id as usize]);
        match names {
            None => writeln!(to, "{id}\t{u}\t{v}\t{weight}")?,
            Some(names) => writeln!(to, "{id}\t{}\t{}\t{weight}", names[u as usize], names[v as usize])?,
        }
    }
    Ok(())
}

/// The same of a forest whose edges alone are at hand: edge `i` of the graph has the id `ids[i]`.
///
/// # Errors
/// When the output fails.
#[cfg(feature = "mpi")]
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

/// Reads the edge ids of a forest, which stand first on each line; ends, where they follow, must be the graph's.
///
/// # Errors
/// When the file cannot be read, or is not a forest as [`crate::solve`] writes it.
pub(crate) fn read_ids(
    input: &Input,
    graph: &AnyGraph,
    names: Option<&[String]>,
) -> Result<Vec<EdgeId>, ReadError> {
    let mut lines =
        Lines { reader: BufReader::new(kostra::io::open_text(input)?), input, line: 0, text: String::new() };
    let mut ids = Vec::new();
    let mut has_ends = false;
    while lines.next()? {
        let text = lines.text.trim_end_matches(['\r', '\n']);
        if lines.line == 1 && text.trim_start_matches('\u{feff}') == HEADER {
            has_ends = true;
            continue;
        }
        if text.trim().is_empty() {
            continue;
        }
        let mut columns = text.split('\t');
        let id = columns.next().unwrap_or_default().trim();
        let Ok(id) = id.parse::<EdgeId>() else {
            let message = format!("'{}' is not an edge id; {EXPECTED}", excerpt(id));
            return Err(lines.error(1, message));
        };
        if has_ends {
            check_ends(&lines, id, columns, graph, names)?;
        }
        ids.push(id);
    }
    Ok(ids)
}

const EXPECTED: &str =
    "a forest is a line for each edge that starts with its id, as `kostra solve -o` writes it";

/// A forest of another graph, or of this one read otherwise, is told by its ends.
fn check_ends<'a>(
    lines: &Lines<'_>,
    id: EdgeId,
    mut columns: impl Iterator<Item = &'a str>,
    graph: &AnyGraph,
    names: Option<&[String]>,
) -> Result<(), ReadError> {
    // Of an edge that there is not, the verifier has more to say.
    let (Some(&u), Some(&v)) = (graph.u().get(id as usize), graph.v().get(id as usize)) else {
        return Ok(());
    };
    let (Some(first), Some(second)) = (columns.next(), columns.next()) else {
        return Err(lines.error(1, format!("this line has no ends, but the header names them; {EXPECTED}")));
    };
    let name = |vertex: Vertex| match names.and_then(|names| names.get(vertex as usize)) {
        Some(name) => name.clone(),
        None => vertex.to_string(),
    };
    let (u, v) = (name(u), name(v));
    if (first, second) != (&u, &v) {
        let (first, second) = (excerpt(first), excerpt(second));
        let column = id.to_string().len() as u64 + 2;
        let message = format!(
            "edge {id} joins {u} and {v} in the graph, not {first} and {second}; this is a forest of another graph"
        );
        return Err(lines.error(column, message));
    }
    Ok(())
}

/// The lines of a file, with their numbers.
struct Lines<'a> {
    reader: BufReader<Box<dyn io::Read + Send>>,
    input: &'a Input,
    line: u64,
    text: String,
}

impl Lines<'_> {
    /// Moves on to the next line, if there is one.
    fn next(&mut self) -> Result<bool, ReadError> {
        self.line += 1;
        self.text.clear();
        let mut bytes = Vec::new();
        let mut limited = io::Read::take(&mut self.reader, LONGEST_LINE);
        limited.read_until(b'\n', &mut bytes).map_err(|cause| self.failed(cause))?;
        if bytes.len() as u64 == LONGEST_LINE {
            return Err(self.error(LONGEST_LINE, format!("this line is too long; {EXPECTED}")));
        }
        match String::from_utf8(bytes) {
            Ok(text) => self.text = text,
            Err(error) => {
                let column = error.utf8_error().valid_up_to() as u64 + 1;
                return Err(self.error(column, format!("this is not text; {EXPECTED}")));
            }
        }
        Ok(!self.text.is_empty())
    }

    fn failed(&self, cause: io::Error) -> ReadError {
        let kind = cause.downcast::<ReadErrorKind>().unwrap_or_else(ReadErrorKind::Io);
        ReadError { input: self.input.to_string(), place: None, kind }
    }

    fn error(&self, column: u64, message: String) -> ReadError {
        let place = Some(Place::Line { line: self.line, column });
        ReadError { input: self.input.to_string(), place, kind: ReadErrorKind::Malformed(message) }
    }
}

/// The start of a text that may be long or hostile, safe to print.
fn excerpt(text: &str) -> String {
    let mut excerpt: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    if text.chars().nth(40).is_some() {
        excerpt.push('…');
    }
    excerpt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_written_by_number_or_name() {
        let graph = AnyGraph::from_edges(2, vec![0, 1], vec![1, 0], vec![1.5, -2.0]).unwrap();
        let text = |names| {
            let mut bytes = Vec::new();
            write_edges(&mut bytes, &graph, names, &[1]).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(text(None), "edge\tu\tv\tweight\n1\t1\t0\t-2\n");
        assert_eq!(text(Some(&["a".into(), "b".into()])), "edge\tu\tv\tweight\n1\tb\ta\t-2\n");
    }

    #[test]
    fn what_is_quoted_is_short_and_harmless() {
        assert_eq!(excerpt("\x1b[31m"), "\\u{1b}[31m");
        assert_eq!(excerpt(&"x".repeat(1000)).chars().count(), 41);
    }
}
