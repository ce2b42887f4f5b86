//! The first line: the numbers of vertices and edges, and which weights the lines have.

use kostra_core::{GraphError, MAX_EDGES, MAX_VERTICES, counted};

use crate::blocks::Text;
use crate::fault::Fault;
use crate::number::{natural, show, words};
use crate::{Place, ReadOptions};

/// The first line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Header {
    pub(super) vertices: u64,
    pub(super) edges: u64,
    pub(super) place_of_edges: Place,
    /// The number of numbers before the neighbors in each line: the size and the weights of the
    /// vertex.
    pub(super) of_vertex: u64,
    /// The number of weights of a vertex, and the place where the first line says so.
    constraints: (u64, Place),
    pub(super) edge_weights: bool,
    pub(super) keeps_vertex_weights: bool,
}

impl Header {
    pub(super) fn read(text: &mut Text<'_>) -> Result<Self, Fault> {
        loop {
            let number = text.line_number();
            let Some(line) = text.line()? else {
                return Err(Fault::at_line(number, 1, "the first line, 'n m', is missing"));
            };
            if !line.starts_with(b"%") && words(line).next().is_some() {
                let header = Self::parse(line, number)?;
                text.skip()?;
                return Ok(header);
            }
            text.skip()?;
        }
    }

    fn parse(line: &[u8], number: u64) -> Result<Self, Fault> {
        let end = line.len();
        let fault = |at: usize, sentence: String| Fault::at_line(number, at as u64 + 1, sentence);
        let mut words = words(line);
        let mut count = |what, most: usize, error: fn(u64) -> GraphError| {
            let (at, word) = words.next().unwrap_or((end, b""));
            let count = natural(word, what).map_err(|sentence| fault(at, sentence))?;
            let place = Place::Line { line: number, column: at as u64 + 1 };
            if count <= most as u64 {
                Ok((count, place))
            } else {
                Err(Fault { place: Some(place), kind: error(count).into() })
            }
        };
        let too_many = |vertices| GraphError::TooManyVertices { vertices };
        let (vertices, _) = count("number of vertices", MAX_VERTICES, too_many)?;
        let (edges, place_of_edges) =
            count("number of edges", MAX_EDGES, |edges| GraphError::TooManyEdges { edges })?;
        let (at, format) = words.next().unwrap_or((end, b"0"));
        let mut place_of_constraints = Place::Line { line: number, column: at as u64 + 1 };
        if format.len() > 3 || !format.iter().all(|digit| matches!(digit, b'0' | b'1')) {
            let sentence = format!(
                "the format is '{}', where up to three digits 0 or 1 are expected",
                show(format)
            );
            return Err(fault(at, sentence));
        }
        let flag = |from_end: usize| format.iter().rev().nth(from_end) == Some(&b'1');
        let (edge_weights, vertex_weights, vertex_sizes) = (flag(0), flag(1), flag(2));
        let constraints = match words.next() {
            None => u64::from(vertex_weights),
            Some((at, word)) => {
                place_of_constraints = Place::Line { line: number, column: at as u64 + 1 };
                let count = natural(word, "number of vertex weights")
                    .map_err(|sentence| fault(at, sentence))?;
                if (count > 0) != vertex_weights && count != 1 {
                    let weights = counted(count, "weight", "weights");
                    let sentence = format!("a vertex has {weights}, but the format says otherwise");
                    return Err(fault(at, sentence));
                }
                if vertex_weights { count } else { 0 }
            }
        };
        if let Some((at, word)) = words.next() {
            let sentence = format!(
                "'{}' is not expected: the first line is 'n m', 'n m fmt' or 'n m fmt ncon'",
                show(word)
            );
            return Err(fault(at, sentence));
        }
        let of_vertex = constraints.saturating_add(vertex_sizes.into());
        Ok(Self {
            vertices,
            edges,
            place_of_edges,
            of_vertex,
            constraints: (constraints, place_of_constraints),
            edge_weights,
            keeps_vertex_weights: false,
        })
    }

    /// Whether the weights of vertices are kept. They are refused if a vertex has several.
    pub(super) fn keeps(&self, options: &ReadOptions) -> Result<bool, Fault> {
        let (count, place) = self.constraints;
        if !options.vertex_weights || count == 0 {
            return Ok(false);
        }
        if count > 1 {
            let sentence = format!(
                "each vertex has {count} weights, and Kostra takes one weight per vertex; write \
                 the file with one of them"
            );
            return Err(Fault { place: Some(place), ..Fault::at_line(1, 1, sentence) });
        }
        Ok(true)
    }
}
