//! Edge lists: a line `u v` or `u v weight` an edge, as SNAP, NetworkX, spreadsheets and everybody else write them.
//!
//! Blanks, tabs, commas, semicolons or bars separate; `#`, `%` and `//` start comments; a first line may name the
//! columns or say how many vertices and edges there are. Vertices are numbers and taken as they are, from 0 to the
//! largest, or, on request, names. What was guessed or left out is said in the notes.

mod fields;
mod layout;
mod names;
mod rows;
#[cfg(test)]
mod tests;

use std::io::{self, Write};

use kostra_core::{AnyGraph, Vertex, with_graph};

use crate::blocks::{BLOCK, Text};
use crate::columns::Columns;
use crate::compression::{HEAD, Stream};
use crate::fault::Fault;
use crate::number::words;
use crate::read::{Parsed, threads};
use crate::text_writer::TextWriter;
use crate::{ReadErrorKind, ReadOptions, number, weights};
use fields::is_comment;
use layout::{FirstLine, Layout};
use names::{NamedRows, Numbering};
use rows::Rows;

/// How the comment starts in which Kostra says how many vertices and edges an edge list has.
const COUNTS_COMMENT: &str = "# kostra edge list:";

pub(crate) fn read(stream: Stream<'_>, options: &ReadOptions) -> Result<Parsed, Fault> {
    read_in_blocks(stream, options, BLOCK)
}

fn read_in_blocks(stream: Stream<'_>, options: &ReadOptions, block_size: usize) -> Result<Parsed, Fault> {
    let mut text = Text::with_block_size(stream, block_size)?;
    let promised = skip_comments(&mut text)?;
    let first = text.line_number();
    let layout = {
        // A cut last line must not count; one that is whole need not have a newline.
        let sample = text.sample(HEAD)?;
        let sample = sample.get(..HEAD).unwrap_or(sample);
        let whole =
            if sample.len() < HEAD { sample.len() } else { memchr::memrchr(b'\n', sample).unwrap_or(HEAD) };
        let lines = sample.get(..whole).unwrap_or_default().split(|&byte| byte == b'\n');
        let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        Layout::of(lines, options.names).map_err(|sentence| Fault::at_line(first, 1, sentence))?
    };
    let Some(layout) = layout else { return without_edges(promised, options) };
    let mut first_line = layout.first_line;
    if matches!(first_line, FirstLine::ColumnNames | FirstLine::Counts { sure: true, .. }) {
        text.skip()?;
    }
    if promised.is_some() && !matches!(first_line, FirstLine::ColumnNames) {
        first_line = FirstLine::Edge;
    }

    let weighted = layout.weight != layout::WeightAt::Nowhere;
    let mut columns = Columns::default();
    if let Some((_, m)) = promised {
        columns.reserve_exact(text.reasonable(m, "0 0\n".len() as u64), weighted)?;
    }
    let (threads, nan) = (threads(options), options.nan);
    let names = if options.names {
        let mut numbering = Numbering::default();
        let rows = NamedRows { layout: &layout, nan };
        text.parse(threads, &rows, |chunk, _| Ok(numbering.join(chunk, &mut columns)?))?;
        Some(numbering.into_names())
    } else {
        text.parse(threads, &Rows { layout: &layout, nan }, |chunk, _| Ok(columns.append(chunk)?))?;
        None
    };

    let mut notes = layout.notes.clone();
    let vertices = match &names {
        Some(names) => names.len() as u64,
        None => count_vertices(&mut columns, first_line, first, promised, &mut notes)?,
    };
    if let Some((_, m)) = promised.filter(|&(_, m)| m != columns.len() as u64) {
        let count = columns.len();
        return Err(Fault::whole(format!("the first comment promises {m} edges, but there are {count}")));
    }
    let vertices = usize::try_from(vertices).unwrap_or(usize::MAX);
    let graph = weights::graph(vertices, columns, weighted, None, options, &mut notes)?;
    Ok(Parsed { graph, coordinates: None, names, notes })
}

/// Skips comments and blank lines; returns the numbers of vertices and edges if a comment of Kostra's tells them.
fn skip_comments(text: &mut Text<'_>) -> Result<Option<(u64, u64)>, Fault> {
    let mut promised = None;
    while let Some(line) = text.line()? {
        if !is_comment(line) {
            break;
        }
        if let Some(counts) = line.strip_prefix(COUNTS_COMMENT.as_bytes()) {
            let numbers: Vec<_> =
                words(counts).filter_map(|(_, word)| number::natural(word, "").ok()).take(2).collect();
            promised = numbers.first_chunk().map(|&[n, m]| (n, m));
        }
        text.skip()?;
    }
    Ok(promised)
}

fn without_edges(promised: Option<(u64, u64)>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let (n, m) = promised.unwrap_or_default();
    if m > 0 {
        return Err(Fault::whole(format!("the first comment promises {m} edges, but there are none")));
    }
    let mut notes = Vec::new();
    let vertices = usize::try_from(n).unwrap_or(usize::MAX);
    let graph = weights::graph(vertices, Columns::default(), true, None, options, &mut notes)?;
    Ok(Parsed { graph, coordinates: None, names: options.names.then(Vec::new), notes })
}

/// How many vertices a list of numbered vertices has; a first line that turns out to say so is no edge.
fn count_vertices(
    columns: &mut Columns,
    first_line: FirstLine,
    line: u64,
    promised: Option<(u64, u64)>,
    notes: &mut Vec<String>,
) -> Result<u64, Fault> {
    if let Some((n, _)) = promised {
        return Ok(n);
    }
    let mut counted = None;
    if let FirstLine::Counts { n, m, sure } = first_line {
        let skip = usize::from(!sure);
        let edges = columns.len().saturating_sub(skip) as u64;
        let fits = |ends: &[Vertex]| ends.iter().skip(skip).all(|&vertex| u64::from(vertex) <= n);
        if m == edges && m > 0 && fits(&columns.u) && fits(&columns.v) {
            counted = Some(n);
            if !sure {
                columns.remove_first();
            }
            notes.push(format!("line {line} is taken as the numbers of vertices and edges"));
        } else if sure {
            let sentence = format!(
                "this line has another number of columns than the next, so it should say how many vertices and edges \
                 follow, but {edges} edges do"
            );
            return Err(Fault::at_line(line, 1, sentence));
        }
    }
    let ends = || columns.u.iter().chain(&columns.v).copied();
    let (least, largest) =
        ends().fold((Vertex::MAX, 0), |(least, most), end| (least.min(end), most.max(end)));
    if columns.len() == 0 {
        return Ok(counted.unwrap_or(0));
    }
    if least > 0 {
        notes.push(
            "no edge ends at vertex 0, which is therefore isolated: vertices are taken to count from 0"
                .into(),
        );
    }
    let needed = u64::from(largest) + 1;
    if counted.is_none() && needed > sparse(columns.len()) {
        return Err(ReadErrorKind::Malformed(format!(
            "the largest vertex is {largest}, far more than the {} edges can have vertices; with --names only the \
             vertices that appear are numbered",
            columns.len()
        ))
        .into());
    }
    Ok(counted.unwrap_or(0).max(needed))
}

/// The most vertices that a list of so many edges is believed to mean.
fn sparse(edges: usize) -> u64 {
    64 * edges as u64 + 1_000_000
}

/// Writes a graph as an edge list `u v weight`, after a comment that keeps isolated vertices. Weights are written as
/// [`dimacs::write`](crate::dimacs::write) writes them.
pub(crate) fn write(graph: &AnyGraph, to: &mut dyn Write) -> io::Result<()> {
    let mut text = TextWriter::new(to);
    text.word(COUNTS_COMMENT).word(" ").number(graph.vertices().into()).word(" vertices, ");
    text.number(graph.edges() as u64).word(" edges, vertices count from 0").end_line()?;
    with_graph!(graph, graph => {
        let edges = graph.edge_list();
        for ((&u, &v), &weight) in edges.u().iter().zip(edges.v()).zip(edges.weights()) {
            text.number(u.into()).word(" ").number(v.into()).word(" ").weight(weight).end_line()?;
        }
    });
    text.finish()
}
