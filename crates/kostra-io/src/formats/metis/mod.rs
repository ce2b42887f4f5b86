//! METIS (and Chaco) graphs: one line of neighbors per vertex.
//!
//! The first line is `n m [fmt [ncon]]`. `fmt` has up to three digits, which say whether there are
//! vertex sizes, vertex weights and edge weights; `ncon` is the number of weights per vertex. Each
//! further line is a vertex, counted from 1: its size, its weights, and its neighbors, each with
//! the weight of the edge. An empty line is a vertex without neighbors; a line that starts with `%`
//! is a comment. Sizes and weights of vertices are checked, and only the weights are kept, if
//! [`ReadOptions::vertex_weights`] is set and each vertex has one.
//!
//! Each edge is in the lines of both its ends. It is read as one edge, and edges are numbered in
//! the order of first appearance. METIS requires positive integer weights: any 64-bit integer is
//! read, but only positive ones are written. METIS forbids self-loops, which are an error here too,
//! and parallel edges, which are read but not written.

mod cursor;
mod header;
mod recognize;
mod write;

use kostra_core::memory::{self, OutOfMemory};
use kostra_core::{Vertex, counted};

use crate::blocks::{Parser, Text};
use crate::columns::Weights;
use crate::compression::Stream;
use crate::fault::{BlockFault, Fault};
use crate::interface::{Format, FormatInfo, Parsed};
use crate::mirror::{Asymmetry, Division, FileRows};
use crate::number::words;
use crate::{ReadErrorKind, ReadOptions, weights};
use cursor::Cursor;
use header::Header;
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
        ..FormatInfo::READ_ONLY
    });
}

/// Reads a graph; lines are parsed in parallel. With edge weights this takes at most 40 bytes per
/// edge and 8 per vertex, without them 16 and 8, and 8 more per vertex for kept weights. A graph
/// with 32-bit weights has 12 bytes per edge.
fn read(stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let mut text = Text::new(stream)?;
    let mut header = Header::read(&mut text)?;
    header.keeps_vertex_weights = header.keeps(options)?;
    weights::refuse_others(header.edge_weights, options)?;
    let mut body = Body {
        header,
        offsets: vec![0],
        neighbors: vec![],
        weights: vec![],
        vertex_weights: vec![],
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
            format!(
                "the text ends after {have} of {}; copy the file again, or correct the first line",
                counted(n, "vertex", "vertices")
            ),
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
    let rows = FileRows {
        offsets: &body.offsets,
        neighbors: &body.neighbors,
        weights: &body.weights,
        first: 1,
    };
    let division = Division::among(options.thread_count());
    let edges = rows.edges(division)?.map_err(|Asymmetry { row, sentence, .. }| {
        Fault::at_line(body.line_of(row), 1, sentence)
    })?;
    let vertex_weights =
        header.keeps_vertex_weights.then(|| std::mem::take(&mut body.vertex_weights));
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
    Ok(Parsed { vertex_weights, ..Parsed::new(graph, notes) })
}

impl Header {
    /// One vertex's line, without its end; faults are at bytes of the line.
    fn parse_line(&self, line: &[u8], chunk: &mut Chunk) -> Result<(), BlockFault> {
        let mut cursor = Cursor { line, at: 0 };
        if !cursor.at_word() {
            return Ok(()); // a vertex without neighbors, or nothing after the last vertex
        }
        for number in 1..=self.of_vertex {
            cursor.at_word();
            let start = cursor.at;
            let value = cursor.natural("size or weight of the vertex")?;
            // The weight is behind the size.
            if self.keeps_vertex_weights && number == self.of_vertex {
                let weight = i64::try_from(value).map_err(|_| {
                    let sentence =
                        format!("the weight {value} does not fit in 64 bits with a sign");
                    BlockFault::new(start, sentence)
                })?;
                chunk.vertex_weights.push(weight);
            }
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
                        format!(
                            "there is no vertex {vertex}: the first line says {n}; correct one of them"
                        ),
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
    /// The weight of each vertex, if they are kept.
    vertex_weights: Vec<i64>,
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
    vertex_weights: Vec<i64>,
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
        memory::reserve(&mut self.vertex_weights, chunk.vertex_weights.len())?;
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
                    "the size or weight of the vertex is missing; add it",
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
        self.vertex_weights.append(&mut chunk.vertex_weights);
        self.lines += chunk.lines;
        chunk.rows.clear();
        chunk.lines = 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
