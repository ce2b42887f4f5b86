//! METIS (and Chaco) graphs: one line of neighbors per vertex.
//!
//! The first line is `n m [fmt [ncon]]`. `fmt` has up to three digits, which say whether there are
//! vertex sizes, vertex weights and edge weights; `ncon` is the number of weights per vertex. Each
//! further line is a vertex, counted from 1: its size, its weights, and its neighbors, each with
//! the weight of the edge. An empty line is a vertex without neighbors; a line that starts with `%`
//! is a comment. Sizes and weights of vertices are checked and ignored.
//!
//! Each edge is in the lines of both its ends. It is read as one edge, and edges are numbered in
//! the order of first appearance. METIS requires positive integer weights: any 64-bit integer is
//! read, but only positive ones are written. METIS forbids self-loops, which are an error here too,
//! and parallel edges, which are read but not written.

mod cursor;
mod recognize;
mod write;

use kostra_core::memory::{self, OutOfMemory};
use kostra_core::{GraphError, MAX_EDGES, MAX_VERTICES, Vertex, counted};

use crate::blocks::{Parser, Text};
use crate::columns::Weights;
use crate::compression::Stream;
use crate::fault::{BlockFault, Fault};
use crate::interface::{Format, FormatInfo, Parsed};
use crate::mirror::{Asymmetry, Division, Rows};
use crate::number::{natural, show, words};
use crate::{Place, ReadErrorKind, ReadOptions, weights};
use cursor::Cursor;
use recognize::recognize;
use write::writer;

impl Format {
    /// METIS and Chaco graphs: one line of neighbors per vertex.
    pub const METIS: Self = Self::new(&FormatInfo {
        id: "graph",
        title: "METIS",
        extensions: &["graph"],
        summary: "METIS and Chaco: one line of neighbors per vertex",
        keeps_edge_order: false,
        recognize,
        read,
        write: Some(writer),
        write_stream: None,
        read_part: None,
    });
}

/// Reads a graph; lines are parsed in parallel. With edge weights this takes at most 40 bytes per
/// edge and 8 per vertex, without them 16 and 8. A graph with 32-bit weights has 12 bytes per edge.
fn read(stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let mut text = Text::new(stream)?;
    let header = Header::read(&mut text)?;
    weights::refuse_others(header.edge_weights, options)?;
    let mut body = Body {
        header,
        offsets: vec![0],
        neighbors: vec![],
        weights: vec![],
        lines: text.line_number(),
        shifts: vec![],
    };
    let lines =
        text.parse(options.thread_count(), &header, |chunk, block| body.append(chunk, block))?;
    let (n, have) = (header.vertices, body.vertices());
    if have < n {
        return Err(Fault::at_line(
            lines + 1,
            1,
            format!("the text ends after {have} of {}", counted(n, "vertex", "vertices")),
        ));
    }
    let entries = body.neighbors.len() as u64;
    if entries != 2 * header.edges {
        let m = header.edges;
        let sentence = format!(
            "the first line announces {}, so {} neighbors, but the number of neighbors is {entries}: each \
             edge must be in the lines of both its ends",
            counted(m, "edge", "edges"),
            2 * m
        );
        return Err(Fault { place: Some(header.place_of_edges), ..Fault::at_line(1, 1, sentence) });
    }
    let rows = Rows {
        offsets: &body.offsets,
        neighbors: &body.neighbors,
        weights: &body.weights,
        first: 1,
    };
    let division = Division::among(options.thread_count());
    let edges = rows.edges(division)?.map_err(|Asymmetry { row, sentence, .. }| {
        Fault::at_line(body.line_of(row), 1, sentence)
    })?;
    drop(body);
    let columns = edges.into_columns(|weights| {
        match weights.iter().map(|&weight| i32::try_from(weight)).collect() {
            Ok(narrow) => Weights::I32(narrow),
            Err(_) => Weights::I64(weights),
        }
    });
    let mut notes = Vec::new();
    let graph = weights::RawGraph::new(n as usize, columns, header.edge_weights)
        .build(options, &mut notes)?;
    Ok(Parsed::new(graph, notes))
}

/// The first line.
#[derive(Clone, Copy, Debug)]
struct Header {
    vertices: u64,
    edges: u64,
    place_of_edges: Place,
    /// The number of numbers before the neighbors in each line: the size and the weights of the
    /// vertex.
    of_vertex: u64,
    edge_weights: bool,
}

impl Header {
    fn read(text: &mut Text<'_>) -> Result<Self, Fault> {
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
            let fits = count <= most as u64;
            if fits {
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
        if format.len() > 3 || !format.iter().all(|digit| matches!(digit, b'0' | b'1')) {
            let shown = show(format);
            return Err(fault(
                at,
                format!("the format is '{shown}', where up to three digits 0 or 1 are expected"),
            ));
        }
        let flag = |from_end: usize| format.iter().rev().nth(from_end) == Some(&b'1');
        let (edge_weights, vertex_weights, vertex_sizes) = (flag(0), flag(1), flag(2));
        let constraints = match words.next() {
            None => u64::from(vertex_weights),
            Some((at, word)) => {
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
            let shown = show(word);
            return Err(fault(
                at,
                format!(
                    "'{shown}' is not expected: the first line is 'n m', 'n m fmt' or 'n m fmt ncon'"
                ),
            ));
        }
        let of_vertex = constraints.saturating_add(vertex_sizes.into());
        Ok(Self { vertices, edges, place_of_edges, of_vertex, edge_weights })
    }

    /// One vertex's line, without its end; faults are at bytes of the line.
    fn parse_line(&self, line: &[u8], chunk: &mut Chunk) -> Result<(), BlockFault> {
        let mut cursor = Cursor { line, at: 0 };
        if !cursor.at_word() {
            return Ok(()); // a vertex without neighbors, or nothing after the last vertex
        }
        for _ in 0..self.of_vertex {
            cursor.at_word();
            cursor.natural("size or weight of the vertex")?;
        }
        while cursor.at_word() {
            let start = cursor.at;
            match cursor.natural("neighbor")? {
                0 => {
                    return Err(BlockFault::new(
                        start,
                        "there is no vertex 0: METIS vertices count from 1",
                    ));
                }
                vertex if vertex > self.vertices => {
                    let n = self.vertices;
                    return Err(BlockFault::new(
                        start,
                        format!("there is no vertex {vertex}: the first line says {n}"),
                    ));
                }
                vertex => chunk.neighbors.push((vertex - 1) as Vertex),
            }
            if self.edge_weights {
                cursor.at_word();
                chunk.weights.push(cursor.integer()?);
            }
        }
        Ok(())
    }
}

impl Parser for Header {
    type Chunk = Chunk;

    fn parse(&self, block: &[u8], chunk: &mut Chunk) -> Result<(), BlockFault> {
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', block) {
            let line = block.get(start..end).unwrap_or_default();
            if !line.starts_with(b"%") {
                let result = self.parse_line(line, chunk).map_err(|fault| BlockFault {
                    offset: fault.offset.map(|at| start + at),
                    ..fault
                });
                if result.is_err() {
                    // The line's beginning is no row.
                    let kept = chunk.rows.last().map_or(0, |row| row.end);
                    chunk.neighbors.truncate(kept);
                    chunk.weights.truncate(kept);
                    return result;
                }
                let (end, line) = (chunk.neighbors.len(), chunk.lines);
                chunk.rows.push(Row { end, start, line });
            }
            chunk.lines += 1;
            start = end + 1;
        }
        Ok(())
    }
}

/// Some lines, parsed.
#[derive(Default)]
struct Chunk {
    rows: Vec<Row>,
    neighbors: Vec<Vertex>,
    weights: Vec<i64>,
    lines: u64,
}

/// A vertex's line in a block.
struct Row {
    /// The end of its neighbors among those of the chunk.
    end: usize,
    /// The byte and the line of the block that it starts at.
    start: usize,
    line: u64,
}

/// All lines so far, as rows.
struct Body {
    header: Header,
    offsets: Vec<usize>,
    neighbors: Vec<Vertex>,
    weights: Vec<i64>,
    /// The number of the next line.
    lines: u64,
    /// The difference between the line number of a vertex and the vertex, with the first vertex
    /// that has this difference. Comments increase it.
    shifts: Vec<(u64, u64)>,
}

impl Body {
    fn vertices(&self) -> u64 {
        self.offsets.len() as u64 - 1
    }

    fn line_of(&self, vertex: Vertex) -> u64 {
        let vertex = u64::from(vertex);
        let after = self.shifts.partition_point(|&(from, _)| from <= vertex);
        vertex
            + after.checked_sub(1).and_then(|at| self.shifts.get(at)).map_or(0, |&(_, shift)| shift)
    }

    /// Reserves memory for a chunk.
    fn reserve(&mut self, chunk: &Chunk) -> Result<(), OutOfMemory> {
        memory::reserve(&mut self.offsets, chunk.rows.len())?;
        memory::reserve(&mut self.neighbors, chunk.neighbors.len())?;
        memory::reserve(&mut self.weights, chunk.weights.len())
    }

    fn append(&mut self, chunk: &mut Chunk, block: &[u8]) -> Result<(), BlockFault> {
        self.reserve(chunk).map_err(ReadErrorKind::from)?;
        let base = self.neighbors.len();
        let mut begin = 0;
        for row in &chunk.rows {
            let vertex = self.vertices();
            let neighbors = chunk.neighbors.get(begin..row.end).unwrap_or_default();
            let line = block.get(row.start..).unwrap_or_default();
            let line = line.split(|&byte| byte == b'\n').next().unwrap_or_default();
            if vertex == self.header.vertices {
                if let Some((at, _)) = words(line).next() {
                    let vertices = counted(vertex, "vertex", "vertices");
                    let sentence =
                        format!("the first line announces {vertices}, but here is one more");
                    return Err(BlockFault::new(row.start + at, sentence));
                }
                continue; // nothing may follow, in any number of lines
            }
            if self.header.of_vertex > 0 && words(line).next().is_none() {
                return Err(BlockFault::new(
                    row.start,
                    "the size or weight of the vertex is missing",
                ));
            }
            if let Some(at) = neighbors.iter().position(|&to| u64::from(to) == vertex) {
                let word = self.header.of_vertex as usize
                    + at * (1 + usize::from(self.header.edge_weights));
                let at = words(line).nth(word).map_or(0, |(at, _)| at);
                let sentence = format!(
                    "vertex {0} names {0} as its neighbor: METIS has no self-loops; leave it out",
                    vertex + 1
                );
                return Err(BlockFault::new(row.start + at, sentence));
            }
            let shift = self.lines + row.line - vertex;
            if self.shifts.last().is_none_or(|&(_, last)| last != shift) {
                memory::push(&mut self.shifts, (vertex, shift)).map_err(ReadErrorKind::from)?;
            }
            self.offsets.push(base + row.end);
            begin = row.end;
        }
        self.neighbors.append(&mut chunk.neighbors);
        self.weights.append(&mut chunk.weights);
        self.lines += chunk.lines;
        chunk.rows.clear();
        chunk.lines = 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
