//! Forests that are stored as graphs: each edge is looked up in the solved graph.

use std::io::{self, Read};

use kostra_core::{AnyGraph, EdgeId, Vertex};
use kostra_io::{Format, Input, Parsed, Place, ReadError, ReadErrorKind, ReadOptions};

use super::content::{Content, Solved};
use super::number::Number;

/// The endpoints of an edge, the lower one first, and its weight as an integer. Equal edges have
/// equal keys.
type Key = (Vertex, Vertex, i128);

/// Reads a forest as a graph, and finds each of its edges in `solved`: the first edge with the same
/// endpoints, in any direction, and the same weight.
///
/// # Errors
/// When the file cannot be read, or is a forest of another graph: the vertices differ, or `solved`
/// lacks an edge.
pub(super) fn read_ids(
    input: &Input,
    content: Content,
    format: Format,
    solved: Solved<'_>,
) -> Result<Vec<EdgeId>, ReadError> {
    let mut content = EdgeLines { inner: content, line: Line::Blank, edges: 0, others: Vec::new() };
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    let forest = kostra_io::read_stream(&input.to_string(), &mut content, &options)?.parsed;
    let error = |place, message: String| {
        let message = format!("{message}; this is a forest of another graph");
        let kind = ReadErrorKind::Malformed(message.into());
        ReadError { input: input.to_string(), place, kind }
    };
    compare_vertices(&forest, solved).map_err(|message| error(None, message))?;
    find(&forest.graph, solved.graph).map_err(|edge| {
        let place = (format == Format::DIMACS)
            .then(|| Place::Line { line: content.line_of(edge as u64), column: 1 });
        let (u, v) = (forest.graph.u()[edge], forest.graph.v()[edge]);
        let weight = Number::edge_weight(&forest.graph, edge);
        let message = format!(
            "edge {edge} of the forest joins vertices {u} and {v}, counted from 0, with weight \
             {weight}, and the graph has no such edge"
        );
        error(place, message)
    })
}

fn compare_vertices(forest: &Parsed, solved: Solved<'_>) -> Result<(), String> {
    let (has, expected) = (forest.graph.vertices(), solved.graph.vertices());
    if has != expected {
        let has = kostra_core::counted(has, "vertex", "vertices");
        return Err(format!("the forest has {has}, and the graph has {expected}"));
    }
    let (Some(names), Some(own)) = (&forest.names, solved.names) else { return Ok(()) };
    match names.iter().zip(own).position(|(name, own)| name != own) {
        None => Ok(()),
        Some(vertex) => {
            let (name, own) = (&names[vertex], &own[vertex]);
            Err(format!(
                "vertex {vertex} is named {name:?} in the forest, and {own:?} in the graph"
            ))
        }
    }
}

/// The lowest id in the graph for each edge of the forest, or the first edge of the forest that the
/// graph lacks.
fn find(forest: &AnyGraph, graph: &AnyGraph) -> Result<Vec<EdgeId>, usize> {
    let weight_type = graph.weight_type();
    let key = |graph: &AnyGraph, edge: usize| -> Option<Key> {
        let (u, v) = (graph.u()[edge], graph.v()[edge]);
        Some((u.min(v), u.max(v), Number::edge_weight(graph, edge).key(weight_type)?))
    };
    let mut wanted: Vec<Key> = (0..forest.edges()).filter_map(|edge| key(forest, edge)).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let place = |key: Key| wanted.binary_search(&key).ok();
    let mut found: Vec<Option<EdgeId>> = vec![None; wanted.len()];
    for edge in 0..graph.edges() {
        if let Some(place) = key(graph, edge).and_then(place) {
            found[place].get_or_insert(edge as EdgeId);
        }
    }
    (0..forest.edges())
        .map(|edge| key(forest, edge).and_then(place).and_then(|place| found[place]).ok_or(edge))
        .collect()
}

/// A reader that passes a DIMACS text on and records which lines are edges.
struct EdgeLines<R> {
    inner: R,
    line: Line,
    /// The number of lines with edges so far.
    edges: u64,
    /// Pairs of a number of edges and the number of other lines that follow these edges directly.
    others: Vec<(u64, u64)>,
}

/// What the current line is, as far as it has been read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Blank,
    Edge,
    Other,
}

impl<R> EdgeLines<R> {
    fn note(&mut self, byte: u8) {
        match (byte, self.line) {
            (b'\n', Line::Edge) => {
                self.edges += 1;
                self.line = Line::Blank;
            }
            (b'\n', _) => {
                match self.others.last_mut() {
                    Some((edges, count)) if *edges == self.edges => *count += 1,
                    _ => self.others.push((self.edges, 1)),
                }
                self.line = Line::Blank;
            }
            (b'a' | b'e', Line::Blank) => self.line = Line::Edge,
            (byte, Line::Blank) if !byte.is_ascii_whitespace() => self.line = Line::Other,
            _ => {}
        }
    }

    /// The line number of an edge, counted from 1.
    fn line_of(&self, edge: u64) -> u64 {
        let before = self.others.iter().take_while(|(edges, _)| *edges <= edge);
        1 + edge + before.map(|(_, count)| count).sum::<u64>()
    }
}

impl<R: Read> Read for EdgeLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        buffer.iter().take(count).for_each(|&byte| self.note(byte));
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_found_by_endpoints_and_weight() {
        let graph =
            AnyGraph::from_edges(3, vec![0, 1, 1, 2, 1], vec![1, 0, 2, 2, 2], vec![7, 5, 4, 1, 4])
                .unwrap();
        let forest = |edges: &[(u32, u32, f64)]| {
            let (u, v) = (
                edges.iter().map(|edge| edge.0).collect(),
                edges.iter().map(|edge| edge.1).collect(),
            );
            let weights = edges.iter().map(|edge| edge.2).collect();
            find(&AnyGraph::from_edges(3, u, v, weights).unwrap(), &graph)
        };
        assert_eq!(forest(&[(2, 1, 4.0), (0, 1, 5.0)]), Ok(vec![2, 1]));
        assert_eq!(forest(&[(0, 1, 7.0), (0, 1, 7.0), (2, 2, 1.0)]), Ok(vec![0, 0, 3]));
        assert_eq!(forest(&[(0, 1, 7.0), (0, 1, 6.0)]), Err(1));
        assert_eq!(forest(&[(0, 2, 4.0)]), Err(0));
        assert_eq!(forest(&[(0, 1, 5.5)]), Err(0));
        assert_eq!(forest(&[]), Ok(vec![]));
    }

    #[test]
    fn the_line_numbers_of_edges_are_known() {
        let text = "c\n\np sp 3 3\na 1 2 3\nc between\n  \n a 1 3 3\ne 2 3\n";
        let mut lines =
            EdgeLines { inner: text.as_bytes(), line: Line::Blank, edges: 0, others: Vec::new() };
        io::copy(&mut lines, &mut io::sink()).unwrap();
        assert_eq!([0, 1, 2].map(|edge| lines.line_of(edge)), [4, 7, 8]);
    }
}
