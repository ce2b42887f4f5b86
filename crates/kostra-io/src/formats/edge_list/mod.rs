//! Edge lists: one line `u v` or `u v weight` per edge, as SNAP, NetworkX and spreadsheets write
//! them.
//!
//! Columns are separated by blanks, tabs, commas, semicolons or bars. `#`, `%` and `//` start
//! comments. The first line may contain the names of the columns, or the numbers of vertices and
//! edges. Vertices are the numbers from 0 to the largest, or, on request, names. If names and
//! contents leave open which column is a vertex or the weight, the input is refused with a
//! question. The notes list the columns that are not used.

mod comment_header;
mod conclude;
mod examine;
mod head;
mod header;
mod kept;
mod layout;
mod names;
#[cfg(test)]
mod option_tests;
mod part;
mod row_numbers;
mod rows;
#[cfg(test)]
mod tests;

use std::io;

use kostra_core::{AnyGraph, memory, with_graph};

use crate::blocks::{BLOCK_BYTES, Text};
use crate::columns::{Columns, Ends};
use crate::compression::Stream;
use crate::edge_blocks::{EdgeSink, Ids};
use crate::fault::Fault;
use crate::head::{Evidence, Head as InputHead, starts_comment};
use crate::interface::{
    Format, FormatInfo, Outgoing, Parsed, StreamWriter, TextLines, Vertices, Writer,
};
use crate::isolated::{self, isolated_vertices};
use crate::message::{Remedy, message};
use crate::number::words;
use crate::occurring::{self, most_plausible_vertices};
use crate::text_part::Conclusion;
use crate::text_writer::TextWriter;
use crate::{KeptColumns, ReadErrorKind, ReadOptions, weights};
use head::Head;

pub(crate) use comment_header::COUNTS_COMMENT;
pub(crate) use examine::{Examined, Says, examine, numbered};
pub use names::MISSING_VALUES;
pub(super) use names::missing_value;

impl Format {
    /// Edge lists: lines `u v` or `u v weight`, as SNAP, CSV and TSV files have them.
    pub const EDGE_LIST: Self = Self::new(&FormatInfo {
        id: "edges",
        title: "edge list",
        extensions: &["edges"],
        summary: "SNAP, CSV, TSV: an edge list with lines `u v` or `u v weight`",
        recognize,
        read,
        write: Some(writer),
        write_stream: Some(StreamWriter::Lines(LINES)),
        read_part: Some(part::open),
        read_blocks: Some(read_blocks),
        ..FormatInfo::READ_ONLY
    });
}

/// Recognizes a text with a row of at least two columns, and a text of comments only.
fn recognize(head: &InputHead<'_>) -> Evidence {
    let lines = head.lines().unwrap_or_default();
    let columns = |line: &[u8]| {
        let separator = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b',' | b';' | b'|');
        line.split(separator).filter(|word| !word.is_empty()).take(2).count()
    };
    let is_blank = lines.iter().all(|line| words(line).next().is_none());
    let mut rows = lines.iter().filter(|line| !starts_comment(line) && columns(line) > 0);
    let has_rows = rows.clone().next().is_some();
    Evidence::Fallback.when(!is_blank && (!has_rows || rows.any(|line| columns(line) > 1)))
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
    let head = Head::read(&mut text, options)?;
    let layout = &head.layout;
    if !head.announces_edges() {
        refuse_number_of_names(options.names, options)?;
        return without_edges(&head, options);
    }
    refuse_number_of_names(layout.named, options)?;
    let mut columns = Columns::default();
    let mut kept = KeptColumns::new(layout.kept.iter().map(|(_, name)| name.clone()).collect());
    let (mut notes, mut warnings) = (Vec::new(), Vec::new());
    let (vertices, names) = if layout.named {
        let names = head.parse_names(text, &mut columns, &mut kept, options)?;
        notes.clone_from(&layout.notes);
        head.check_points(columns.kinds)?;
        head.check_edges(columns.len() as u64)?;
        head.check_names(names.len() as u64, columns.len() as u64, options)?;
        warnings.extend(missing_value(&names));
        (names.len() as u64, Some(names))
    } else {
        head.parse_lines(text, &mut columns, &mut kept, options)?;
        head.check_points(columns.kinds)?;
        let ends = Ends::of_edges(&columns.u, &columns.v);
        let conclusion = head.conclude(ends, options, &mut notes)?;
        if !conclusion.first_is_an_edge {
            columns.remove_first();
            kept.remove_first();
        }
        let mut names = None;
        if conclusion.from_1 && options.vertices == Vertices::Occurring {
            columns.u.iter_mut().chain(&mut columns.v).for_each(|end| *end -= 1);
            let ids = 1..conclusion.vertices as usize; // the highest is an id of 32 bits
            names = Some(memory::collected(ids.map(|id| id.to_string()))?);
        } else if let Some(lowest) = conclusion.lowest_id {
            let isolated = isolated::count(conclusion.vertices, &columns)?;
            if options.vertices != Vertices::Occurring {
                let ids = lowest..conclusion.vertices;
                warnings.extend(isolated_vertices(isolated, ids));
            } else if isolated > 0 {
                let dense = most_plausible_vertices(columns.len() as u64);
                names = Some(occurring::renumber(&mut columns, conclusion.vertices, dense)?);
                notes.push(occurring::NOTE_ON_IDS.into());
            }
        }
        let vertices = names.as_ref().map_or(conclusion.vertices, |names| names.len() as u64);
        (vertices, names)
    };
    let vertices = usize::try_from(vertices).unwrap_or(usize::MAX);
    let graph =
        weights::RawGraph::new(vertices, columns, head.is_weighted()).build(options, &mut notes)?;
    notes.extend_from_slice(&warnings);
    let kept = Some(kept).filter(|kept| !kept.names().is_empty());
    let names_are_ids = !options.names && names.as_deref().is_some_and(occurring::are_ids);
    let similarity = head.layout.similarity;
    Ok(Parsed { names, names_are_ids, similarity, warnings, kept, ..Parsed::new(graph, notes) })
}

/// Refuses a number of vertices if the vertices are names.
fn refuse_number_of_names(named: bool, options: &ReadOptions) -> Result<(), ReadErrorKind> {
    if named && matches!(options.vertices, Vertices::Count(_)) {
        return Err(ReadErrorKind::question(message![
            Remedy::option("vertices"),
            " needs vertices that are numbers; omit it or ",
            Remedy::on("names"),
        ]));
    }
    Ok(())
}

fn read_blocks(
    stream: Stream<'_>,
    options: &ReadOptions,
    blocks: &mut EdgeSink<'_>,
) -> Result<(), Fault> {
    let mut text = Text::new(stream)?;
    let mut head = Head::read(&mut text, &in_order_of_ids(options))?;
    head.in_blocks = true;
    weights::refuse_others(head.announces_edges() && head.is_weighted(), options)?;
    blocks.similarity.clone_from(&head.layout.similarity);
    blocks.begin(head.facts())?;
    head.parse_blocks(text, blocks, options)?;
    head.check_points(blocks.columns.kinds)?;
    blocks.finish()?;
    let mut notes = Vec::new();
    let conclusion = head.conclude(blocks.ends, &in_order_of_ids(options), &mut notes)?;
    if !conclusion.first_is_an_edge {
        let sentence = "this line states the numbers of vertices and edges, which only the end of \
                        the input shows; start the line with # to read the input in blocks";
        return Err(Fault::at_line(head.line, 1, sentence));
    }
    blocks.notes.extend(notes);
    let ids = match conclusion {
        _ if options.vertices != Vertices::Occurring => Ids::All,
        Conclusion { from_1: true, .. } => Ids::From1,
        Conclusion { lowest_id: Some(_), .. } => Ids::Occurring,
        Conclusion { .. } => Ids::All,
    };
    blocks.conclude(conclusion.vertices, ids)
}

/// The options for a reader that sees the edges in pieces. It cannot renumber vertices at the end.
fn in_order_of_ids(options: &ReadOptions) -> ReadOptions {
    let vertices = match options.vertices {
        Vertices::Occurring => Vertices::UpToHighest,
        vertices => vertices,
    };
    ReadOptions { vertices, ..options.clone() }
}

fn without_edges(head: &Head, options: &ReadOptions) -> Result<Parsed, Fault> {
    let mut notes = Vec::new();
    let vertices = head.conclude(Ends::NONE, options, &mut notes)?.vertices;
    let vertices = usize::try_from(vertices).unwrap_or(usize::MAX);
    let graph =
        weights::RawGraph::new(vertices, Columns::default(), true).build(options, &mut notes)?;
    Ok(Parsed { names: options.names.then(Vec::new), ..Parsed::new(graph, notes) })
}

/// Writes a graph as lines `u v weight`, after a comment that states the number of vertices.
/// Every weight is read back as the same value: integers as integers, floats as `f64`.
fn writer(outgoing: Outgoing<'_>) -> Result<Writer<'_>, String> {
    Ok(Box::new(move |to| LINES.write(outgoing.graph, to)))
}

const LINES: TextLines = TextLines { first, lines };

fn first(text: &mut TextWriter<'_>, vertices: u64, edges: u64) -> io::Result<()> {
    text.word(COUNTS_COMMENT).word(" ").number(vertices).word(" vertices, ");
    text.number(edges).word(" edges, vertices count from 0").end_line()
}

fn lines(text: &mut TextWriter<'_>, graph: &AnyGraph) -> io::Result<()> {
    with_graph!(graph, graph => {
        let edges = graph.edge_list();
        for ((&u, &v), &weight) in edges.u().iter().zip(edges.v()).zip(edges.weights()) {
            text.number(u.into()).word(" ").number(v.into()).word(" ").weight(weight).end_line()?;
        }
    });
    Ok(())
}
