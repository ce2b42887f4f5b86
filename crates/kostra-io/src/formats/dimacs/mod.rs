//! DIMACS graphs: comments `c`, one line `p KIND n m`, and one line per edge. Vertices count
//! from 1.
//!
//! `p sp` (shortest paths, 9th challenge) has lines `a u v weight`, `p edge` and `p col` (coloring,
//! 2nd challenge) have `e u v` with an optional weight, and `p tw` and other problems of
//! PACE have `u v`.
//! Every such line is one edge, and edge ids follow the order of the lines. A file that lists both
//! directions of a road has two edges.

mod header;
mod lines;
mod part;
#[cfg(test)]
mod tests;

use std::io;

use kostra_core::{AnyGraph, with_graph};

use super::dimacs_flow as flow;
use crate::blocks::{BLOCK_BYTES, Text};
use crate::columns::Columns;
use crate::compression::Stream;
use crate::edge_blocks::{EdgeSink, StreamFacts};
use crate::fault::Fault;
use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo, Outgoing, Parsed, StreamWriter, TextLines, Writer};
use crate::number::{digits, words};
use crate::text_writer::TextWriter;
use crate::{ReadOptions, weights};
use header::Header;

impl Format {
    /// DIMACS: lines `p sp n m` and `a u v w`; also `p edge`, `p col` and `p tw`.
    pub const DIMACS: Self = Self::new(&FormatInfo {
        id: "gr",
        title: "DIMACS",
        extensions: &["gr"],
        summary: "DIMACS: `p sp` (shortest paths), `p edge`, `p col` and `p tw`",
        recognize,
        read,
        write: Some(writer),
        write_stream: Some(StreamWriter::Lines(LINES)),
        read_part: Some(part::open),
        read_blocks: Some(read_blocks),
        ..FormatInfo::READ_ONLY
    });
}

/// Recognizes comments `c` and a line `p`, or lines `a` or `e` with two numbers if the line `p` is
/// missing.
fn recognize(head: &Head<'_>) -> Evidence {
    let is_number = |word: &[u8]| !word.is_empty() && digits(word, 0).1 == word.len();
    let mut evidence = Evidence::Absent;
    for line in head.lines().unwrap_or_default() {
        let words: Vec<_> = words(line).map(|(_, word)| word).take(4).collect();
        match words[..] {
            [] => {}
            [b"c", ..] => evidence = Evidence::Signature,
            [b"p", kind, ..]
                if flow::ATTRIBUTES.iter().any(|(name, _)| name.as_bytes() == kind) =>
            {
                return Evidence::Absent;
            }
            [b"p", ..] => return Evidence::Signature,
            [b"a" | b"e", u, v, ..] => {
                return Evidence::Signature.when(is_number(u) && is_number(v));
            }
            _ => return Evidence::Absent,
        }
    }
    evidence
}

fn read(stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    read_in_blocks(stream, options, BLOCK_BYTES)
}

fn read_in_blocks(
    stream: Stream<'_>,
    options: &ReadOptions,
    block_size: usize,
) -> Result<Parsed, Fault> {
    let mut text = Text::with_block_size(stream, block_size)?;
    let header = Header::read(&mut text)?;
    header.check_limit()?;
    weights::refuse_others(header.is_weighted(), options)?;
    let mut columns = Columns::default();
    let lines = header.parse_lines(text, None, &mut columns, options)?;
    header.check_edges(columns.len() as u64, lines)?;
    let weighted = header.is_weighted() || columns.is_weighted();
    let mut notes = Vec::new();
    let graph =
        weights::RawGraph::new(header.vertices(), columns, weighted).build(options, &mut notes)?;
    Ok(Parsed::new(graph, notes))
}

fn read_blocks(
    stream: Stream<'_>,
    options: &ReadOptions,
    blocks: &mut EdgeSink<'_>,
) -> Result<(), Fault> {
    let mut text = Text::new(stream)?;
    let header = Header::read(&mut text)?;
    weights::refuse_others(header.is_weighted(), options)?;
    let facts =
        StreamFacts { vertices: Some(header.n), edges: Some(header.m), ..StreamFacts::default() };
    blocks.begin(facts)?;
    let lines = text.parse(options.thread_count(), &header.lines(options), |chunk, block| {
        header.join((chunk, block), blocks.weighted_so_far(), &mut blocks.columns)?;
        blocks.pass_on_if_full()
    })?;
    blocks.finish()?;
    header.check_edges(blocks.columns.base, lines)
}

/// Writes a graph as `p sp`, one arc per edge.
fn writer(outgoing: Outgoing<'_>) -> Result<Writer<'_>, String> {
    Ok(Box::new(move |to| LINES.write(outgoing.graph, to)))
}

const LINES: TextLines = TextLines { first, lines };

fn first(text: &mut TextWriter<'_>, vertices: u64, edges: u64) -> io::Result<()> {
    text.word("p sp ").number(vertices).word(" ").number(edges).end_line()
}

fn lines(text: &mut TextWriter<'_>, graph: &AnyGraph) -> io::Result<()> {
    with_graph!(graph, graph => {
        let edges = graph.edge_list();
        for ((&u, &v), &weight) in edges.u().iter().zip(edges.v()).zip(edges.weights()) {
            let (u, v) = (u64::from(u) + 1, u64::from(v) + 1);
            text.word("a ").number(u).word(" ").number(v).word(" ").weight(weight).end_line()?;
        }
    });
    Ok(())
}
