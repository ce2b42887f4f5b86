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

use kostra_core::{AnyGraph, with_graph};

use crate::blocks::{BLOCK, Text};
use crate::columns::{Columns, Ends};
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
    let head = Head::read(&mut text, options)?;
    if !head.announces_edges() {
        return without_edges(head.promised, options);
    }
    let mut columns = Columns::default();
    let names = if options.names {
        Some(head.parse_names(text, &mut columns, options)?)
    } else {
        head.parse_edges(text, &mut columns, options)?;
        None
    };

    let mut notes = Vec::new();
    let vertices = match &names {
        Some(names) => {
            notes.clone_from(&head.layout.notes);
            head.check_edges(columns.len() as u64)?;
            names.len() as u64
        }
        None => {
            let (vertices, first_is_an_edge) = head.conclude(Ends::of(&columns), &mut notes)?;
            if !first_is_an_edge {
                columns.remove_first();
            }
            vertices
        }
    };
    let vertices = usize::try_from(vertices).unwrap_or(usize::MAX);
    let graph = weights::graph(vertices, columns, head.is_weighted(), None, options, &mut notes)?;
    Ok(Parsed { graph, coordinates: None, names, notes })
}

/// What an edge list shows before its edges.
#[derive(Debug)]
pub(crate) struct Head {
    /// Without columns if there are no edges.
    layout: Layout,
    first_line: FirstLine,
    /// The number of the first line that is no comment.
    line: u64,
    /// How many vertices and edges there are, if a comment says so.
    promised: Option<(u64, u64)>,
}

impl Head {
    /// Reads up to the first edge.
    pub(crate) fn read(text: &mut Text<'_>, options: &ReadOptions) -> Result<Self, Fault> {
        let promised = skip_comments(text)?;
        let line = text.line_number();
        let layout = {
            // A cut last line must not count; one that is whole need not have a newline.
            let sample = text.sample(HEAD)?;
            let sample = sample.get(..HEAD).unwrap_or(sample);
            let whole = if sample.len() < HEAD {
                sample.len()
            } else {
                memchr::memrchr(b'\n', sample).unwrap_or(HEAD)
            };
            let lines = sample.get(..whole).unwrap_or_default().split(|&byte| byte == b'\n');
            let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
            Layout::of(lines, options.names).map_err(|sentence| Fault::at_line(line, 1, sentence))?
        };
        let layout = layout.unwrap_or(Layout::NONE);
        let mut first_line = layout.first_line;
        if matches!(first_line, FirstLine::ColumnNames | FirstLine::Counts { sure: true, .. }) {
            text.skip()?;
        }
        if promised.is_some() && !matches!(first_line, FirstLine::ColumnNames) {
            first_line = FirstLine::Edge;
        }
        Ok(Self { layout, first_line, line, promised })
    }

    /// Whether there is a line that is no comment.
    pub(crate) fn announces_edges(&self) -> bool {
        self.layout.columns > 0
    }

    /// Whether the edges have weights.
    pub(crate) fn is_weighted(&self) -> bool {
        self.layout.weight != layout::WeightAt::Nowhere
    }

    /// Reads the lines of the edges, or a part of them, between numbered vertices. Returns how many lines the text has up
    /// to the end.
    pub(crate) fn parse_edges(
        &self,
        text: Text<'_>,
        columns: &mut Columns,
        options: &ReadOptions,
    ) -> Result<u64, Fault> {
        self.make_room(&text, columns)?;
        let rows = Rows { layout: &self.layout, nan: options.nan };
        text.parse(threads(options), &rows, |chunk, _| Ok(columns.append(chunk)?))
    }

    /// Reads the lines of all edges between vertices with names, and returns the names.
    fn parse_names(
        &self,
        text: Text<'_>,
        columns: &mut Columns,
        options: &ReadOptions,
    ) -> Result<Vec<String>, Fault> {
        self.make_room(&text, columns)?;
        let mut numbering = Numbering::default();
        let rows = NamedRows { layout: &self.layout, nan: options.nan };
        text.parse(threads(options), &rows, |chunk, _| Ok(numbering.join(chunk, columns)?))?;
        Ok(numbering.into_names())
    }

    fn make_room(&self, text: &Text<'_>, columns: &mut Columns) -> Result<(), ReadErrorKind> {
        let Some((_, m)) = self.promised else { return Ok(()) };
        columns.reserve_exact(text.reasonable(m, "0 0\n".len() as u64), self.is_weighted())
    }

    /// Checks that there are as many edges as promised.
    fn check_edges(&self, edges: u64) -> Result<(), Fault> {
        match self.promised {
            Some((_, m)) if m != edges => {
                Err(Fault::whole(format!("the first comment promises {m} edges, but there are {edges}")))
            }
            _ => Ok(()),
        }
    }

    /// How many vertices a list of all these edges between numbered vertices has, and whether the first line is an edge:
    /// one that turns out to say how many there are is none.
    pub(crate) fn conclude(&self, ends: Ends, notes: &mut Vec<String>) -> Result<(u64, bool), Fault> {
        notes.extend_from_slice(&self.layout.notes);
        if let Some((n, _)) = self.promised {
            self.check_edges(ends.edges)?;
            return Ok((n, true));
        }
        let line = self.line;
        let mut counted = None;
        let mut first_is_an_edge = true;
        if let FirstLine::Counts { n, m, sure } = self.first_line {
            let edges = ends.edges.saturating_sub(u64::from(!sure));
            let span = if sure { ends.all } else { ends.rest };
            if m == edges && m > 0 && span.largest <= n {
                counted = Some(n);
                first_is_an_edge = sure;
                notes.push(format!("line {line} is taken as the numbers of vertices and edges"));
            } else if sure {
                let sentence = format!(
                    "this line has another number of columns than the next, so it should say how many vertices and edges \
                     follow, but {edges} edges do"
                );
                return Err(Fault::at_line(line, 1, sentence));
            }
        }
        let edges = ends.edges.saturating_sub(u64::from(!first_is_an_edge));
        if edges == 0 {
            return Ok((counted.unwrap_or(0), first_is_an_edge));
        }
        let span = if first_is_an_edge { ends.all } else { ends.rest };
        if span.least > 0 {
            notes.push(
                "no edge ends at vertex 0, which is therefore isolated: vertices are taken to count from 0"
                    .into(),
            );
        }
        let largest = span.largest;
        if counted.is_none() && largest + 1 > sparse(edges) {
            return Err(ReadErrorKind::Malformed(format!(
                "the largest vertex is {largest}, far more than the {edges} edges can have vertices; with --names only \
                 the vertices that appear are numbered"
            ))
            .into());
        }
        Ok((counted.unwrap_or(0).max(largest + 1), first_is_an_edge))
    }
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

/// The most vertices that a list of so many edges is believed to mean.
fn sparse(edges: u64) -> u64 {
    64 * edges + 1_000_000
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
