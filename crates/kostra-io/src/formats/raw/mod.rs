//! Raw binary: rows of two vertices and perhaps a weight, one after the other, without a header.
//! All values are little-endian. The user states their types, as in `raw:u32,u32,f32`: nothing in
//! the file shows them, so this format is never recognized.
//!
//! Memory: the edges. Blocks and parts hold their own edges only.

mod part;

use crate::columns::{Columns, Ends};
use crate::compression::{Stream, fill};
use crate::edge_blocks::{EdgeSink, Ids, StreamFacts};
use crate::fault::Fault;
use crate::interface::{Format, FormatInfo, Parsed, Vertices};
use crate::message::{Message, Remedy, message};
use crate::occurring::most_plausible_vertices;
use crate::raw_row::{RawRow, decode, shown};
use crate::source::from_io;
use crate::weights::{self, RawGraph};
use crate::{ReadErrorKind, ReadOptions, occurring};

impl Format {
    /// Raw binary rows, whose types [`ReadOptions::raw`] states.
    pub const RAW: Self = Self::new(&FormatInfo {
        id: "raw",
        title: "raw binary",
        extensions: &[],
        summary: "rows of two integers and perhaps a weight: `raw:u32,u32,f32`, on request only",
        read,
        read_part: Some(part::open),
        read_blocks: Some(read_blocks),
        ..FormatInfo::READ_ONLY
    });
}

/// The number of rows that are read at a time.
const BLOCK_ROWS: usize = 1 << 16;

/// The types that the options state.
fn row_of(options: &ReadOptions) -> Result<RawRow, ReadErrorKind> {
    options.raw.ok_or_else(|| {
        ReadErrorKind::question(message![
            "which types have the values of a row? pass ",
            Remedy::text("format", "raw:u32,u32,f32"),
            " or other types: two of u8, u16, u32, u64, i8, i16, i32, i64 for the vertices, and \
             perhaps one of these, f32 or f64 for the weight",
        ])
    })
}

/// Rows of a stream, read in blocks.
struct Rows<'a> {
    stream: Stream<'a>,
    row: RawRow,
    buffer: Vec<u8>,
    /// The number of bytes before the block that is read next.
    at: u64,
    /// The first row, as text.
    first: Option<String>,
}

impl<'a> Rows<'a> {
    fn new(stream: Stream<'a>, options: &ReadOptions) -> Result<Self, Fault> {
        let row = row_of(options)?;
        if let Some(length) = stream.file.as_ref().and_then(|file| file.metadata().ok()) {
            check_length(length.len(), row)?;
        }
        Ok(Self { stream, row, buffer: Vec::new(), at: 0, first: None })
    }

    /// The edges of the next rows, at most `most`; none at the end.
    fn next(&mut self, most: usize, edges: &mut Columns) -> Result<bool, Fault> {
        let size = self.row.size();
        self.buffer.resize(size * most.clamp(1, BLOCK_ROWS), 0);
        let count = fill(&mut self.stream, &mut self.buffer).map_err(from_io)?;
        let bytes = self.buffer.get(..count).unwrap_or_default();
        check_length(self.at + count as u64, self.row)?;
        decode(bytes, self.row, self.at, edges)?;
        if self.first.is_none() {
            self.first = shown(bytes, self.row);
        }
        self.at += count as u64;
        Ok(count > 0)
    }

    /// What the user can compare with what the file should contain.
    fn note(&self) -> Option<Message> {
        let rows = kostra_core::counted(self.at / self.row.size() as u64, "row", "rows");
        let first = self.first.as_ref()?;
        Some(format!("{rows} of {} bytes; the first is {first}", self.row.size()).into())
    }
}

/// Refuses a length that is no multiple of that of a row.
fn check_length(length: u64, row: RawRow) -> Result<(), Fault> {
    let size = row.size() as u64;
    match length % size {
        0 => Ok(()),
        rest => Err(Fault::whole(format!(
            "the content has {length} bytes: {} of {size} bytes ({row}) and {rest} bytes more; \
             correct the types, or copy the file again",
            kostra_core::counted(length / size, "row", "rows")
        ))),
    }
}

fn read(stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let mut rows = Rows::new(stream, options)?;
    weights::refuse_others(rows.row.weight.is_some(), options)?;
    let (mut columns, mut block) = (Columns::default(), Columns::default());
    while rows.next(BLOCK_ROWS, &mut block)? {
        columns.join(&mut block, usize::MAX, |edge| edge).map_err(|fault| fault.kind)?;
    }
    let mut notes: Vec<Message> = rows.note().into_iter().collect();
    let (vertices, names) = occurring::vertices_of(&mut columns, options)?;
    let vertices = usize::try_from(vertices).unwrap_or(usize::MAX);
    let is_weighted = rows.row.weight.is_some();
    let graph = RawGraph::new(vertices, columns, is_weighted).build(options, &mut notes)?;
    let names_are_ids = names.is_some();
    Ok(Parsed { names, names_are_ids, ..Parsed::new(graph, notes) })
}

fn read_blocks(
    stream: Stream<'_>,
    options: &ReadOptions,
    blocks: &mut EdgeSink<'_>,
) -> Result<(), Fault> {
    let mut rows = Rows::new(stream, options)?;
    let length = rows.stream.file.as_ref().and_then(|file| file.metadata().ok());
    let edges = length.map(|length| length.len() / rows.row.size() as u64);
    let vertices = match options.vertices {
        Vertices::Count(count) => Some(count),
        _ => None,
    };
    weights::refuse_others(rows.row.weight.is_some(), options)?;
    blocks.begin(StreamFacts { vertices, edges, ..StreamFacts::default() })?;
    let mut block = Columns::default();
    while rows.next(blocks.block_edges(), &mut block)? {
        let joined = blocks.columns.join(&mut block, usize::MAX, |edge| edge);
        joined.and_then(|()| blocks.pass_on_if_full()).map_err(|fault| fault.kind)?;
    }
    blocks.finish()?;
    blocks.notes.extend(rows.note());
    if let Some(count) = vertices {
        check_count(count, blocks.ends.all.largest, blocks.ends.edges)?;
        return blocks.conclude(count.into(), Ids::All);
    }
    let is_occurring = options.vertices == Vertices::Occurring && blocks.ends.edges > 0;
    let ids = if is_occurring { Ids::Occurring } else { Ids::All };
    blocks.conclude(count_ids(blocks.ends)?, ids)
}

/// The number of ids from 0 to the highest.
fn count_ids(ends: Ends) -> Result<u64, Fault> {
    if ends.edges == 0 {
        return Ok(0);
    }
    let largest = ends.all.largest;
    if largest >= most_plausible_vertices(ends.edges) {
        let edges = kostra_core::counted(ends.edges, "edge", "edges");
        return Err(Fault::whole(format!(
            "the largest vertex is {largest}, too large for a graph of {edges}; correct the types \
             of the row, or number the vertices from 0"
        )));
    }
    Ok(largest + 1)
}

/// Refuses an edge that ends beyond the number of vertices that the user states.
fn check_count(count: u32, largest: u64, edges: u64) -> Result<(), Fault> {
    if edges == 0 || largest < u64::from(count) {
        return Ok(());
    }
    Err(Fault::whole(message![
        format!("an edge ends at vertex {largest}, but "),
        Remedy::option("vertices"),
        format!(" is {count} and vertices count from 0; pass at least {}", largest + 1),
    ]))
}

#[cfg(test)]
mod tests;
