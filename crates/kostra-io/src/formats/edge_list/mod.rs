//! Edge lists: one line `u v` or `u v weight` per edge, as SNAP, NetworkX and spreadsheets write
//! them.
//!
//! Columns are separated by blanks, tabs, commas, semicolons or bars. `#`, `%` and `//` start
//! comments. The first line may contain the names of the columns, or the numbers of vertices and
//! edges. Vertices are the numbers from 0 to the largest, or, on request, names. If names and
//! contents leave open which column is a vertex or the weight, the input is refused with a question.
//! The notes list the columns that are not used.

mod choose;
mod fields;
mod header;
mod isolated;
mod known;
mod layout;
mod names;
mod part;
mod rows;
#[cfg(test)]
mod tests;

use std::io::{self, Write};

use kostra_core::{AnyGraph, with_graph};

use crate::blocks::{BLOCK_BYTES, Text};
use crate::columns::{Columns, Ends};
use crate::compression::{HEAD, LONGEST_HEAD, Stream};
use crate::fault::Fault;
use crate::head::{Evidence, Head as InputHead};
use crate::interface::{Format, FormatInfo, Outgoing, Parsed, Writer};
use crate::number::words;
use crate::text_part::Conclusion;
use crate::text_writer::TextWriter;
use crate::{Place, ReadErrorKind, ReadOptions, number, weights};
use fields::is_comment;
use header::FirstLine;
use layout::Layout;
use names::{NamedRows, Numbering};
use rows::{Rows, row_in};

pub use isolated::isolated_vertices;

/// The start of the comment by which Kostra states the numbers of vertices and edges.
const COUNTS_COMMENT: &str = "# kostra edge list:";

impl Format {
    /// Edge lists: lines `u v` or `u v weight`, as SNAP, CSV and TSV files have them.
    pub const EDGE_LIST: Self = Self::new(&FormatInfo {
        id: "edges",
        title: "edge list",
        extensions: &["edges"],
        summary: "SNAP, CSV, TSV: an edge list with lines `u v` or `u v weight`",
        keeps_edge_order: true,
        recognize,
        read,
        write: Some(writer),
        read_part: Some(part::open),
    });
}

/// Recognizes a text whose first row has at least two columns, and a text of comments only.
fn recognize(head: &InputHead<'_>) -> Evidence {
    let lines = head.lines().unwrap_or_default();
    let is_comment = |line: &[u8]| matches!(line, [b'#' | b'%', ..] | [b'/', b'/', ..]);
    let columns = |line: &[u8]| {
        let separator = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b',' | b';' | b'|');
        line.split(separator).filter(|word| !word.is_empty()).count()
    };
    let is_blank = lines.iter().all(|line| words(line).next().is_none());
    let mut rows = lines.iter().filter(|line| !is_comment(line) && columns(line) > 0);
    Evidence::Fallback.when(!is_blank && rows.next().is_none_or(|line| columns(line) > 1))
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
    if !head.announces_edges() {
        return without_edges(head.counts, options);
    }
    let mut columns = Columns::default();
    let names = if options.names {
        Some(head.parse_names(text, &mut columns, options)?)
    } else {
        head.parse_lines(text, &mut columns, options)?;
        None
    };

    let (mut notes, mut warnings) = (Vec::new(), Vec::new());
    let vertices = match &names {
        Some(names) => {
            notes.clone_from(&head.layout.notes);
            head.check_edges(columns.len() as u64)?;
            names.len() as u64
        }
        None => {
            let conclusion = head.conclude(Ends::of_columns(&columns), options, &mut notes)?;
            if !conclusion.first_is_an_edge {
                columns.remove_first();
            }
            if let Some(lowest) = conclusion.lowest_id {
                let isolated = isolated::count(conclusion.vertices, &columns)?;
                warnings.extend(isolated_vertices(
                    isolated,
                    lowest..conclusion.vertices,
                    options.terms,
                ));
            }
            conclusion.vertices
        }
    };
    let vertices = usize::try_from(vertices).unwrap_or(usize::MAX);
    let graph = weights::graph(vertices, columns, head.is_weighted(), None, options, &mut notes)?;
    notes.extend_from_slice(&warnings);
    Ok(Parsed { names, warnings, ..Parsed::new(graph, notes) })
}

/// The numbers of vertices and edges that a comment states.
#[derive(Clone, Copy, Debug)]
struct StatedCounts {
    n: u64,
    m: u64,
    /// The line of the comment.
    line: u64,
}

/// The lines before the edges, and the layout of the edges.
#[derive(Debug)]
struct Head {
    /// It has no columns if there are no edges.
    layout: Layout,
    first_line: FirstLine,
    /// The first line that is not a comment.
    line: u64,
    counts: Option<StatedCounts>,
}

impl Head {
    /// Reads up to the first edge.
    fn read(text: &mut Text<'_>, options: &ReadOptions) -> Result<Self, Fault> {
        let counts = skip_comments(text)?;
        let line = text.line_number();
        let place = Place::Line { line, column: 1 };
        let layout = {
            let lines = first_lines(text)?.split(|&byte| byte == b'\n');
            let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
            Layout::recognize(lines, options).map_err(|kind| Fault { place: Some(place), kind })?
        };
        let layout = layout.unwrap_or(Layout::NONE);
        let mut first_line = layout.first_line;
        if matches!(first_line, FirstLine::ColumnNames | FirstLine::Counts { sure: true, .. }) {
            text.skip()?;
        }
        if counts.is_some() && !matches!(first_line, FirstLine::ColumnNames) {
            first_line = FirstLine::Edge;
        }
        Ok(Self { layout, first_line, line, counts })
    }

    /// Whether there is a line that is not a comment.
    fn announces_edges(&self) -> bool {
        self.layout.columns > 0
    }

    /// Whether the edges have weights.
    fn is_weighted(&self) -> bool {
        self.layout.weight != layout::WeightAt::Nowhere
    }

    /// Parses the lines of all edges, or a part of them, between numbered vertices. Returns the
    /// number of lines up to the end of the text.
    fn parse_lines(
        &self,
        text: Text<'_>,
        columns: &mut Columns,
        options: &ReadOptions,
    ) -> Result<u64, Fault> {
        self.reserve(&text, columns)?;
        let rows = Rows { layout: &self.layout, options };
        text.parse(options.thread_count(), &rows, |chunk, block| {
            columns.join(chunk, usize::MAX, |edge| row_in(block, edge))
        })
    }

    /// Parses the lines of all edges between vertices with names, and returns the names.
    fn parse_names(
        &self,
        text: Text<'_>,
        columns: &mut Columns,
        options: &ReadOptions,
    ) -> Result<Vec<String>, Fault> {
        self.reserve(&text, columns)?;
        let mut numbering = Numbering::default();
        let rows = NamedRows { layout: &self.layout, options };
        text.parse(options.thread_count(), &rows, |chunk, block| {
            numbering.join(chunk, block, columns)
        })?;
        Ok(numbering.into_names()?)
    }

    fn reserve(&self, text: &Text<'_>, columns: &mut Columns) -> Result<(), ReadErrorKind> {
        let Some(StatedCounts { m, .. }) = self.counts else { return Ok(()) };
        columns.reserve_exact(text.reasonable(m, "0 0\n".len() as u64), self.is_weighted())
    }

    /// Checks that there are as many edges as stated.
    fn check_edges(&self, edges: u64) -> Result<(), Fault> {
        match self.counts {
            Some(StatedCounts { m, line, .. }) if m != edges => {
                let sentence =
                    format!("the first comment announces {m} edges, but there are {edges}");
                Err(Fault::at_line(line, 1, sentence))
            }
            _ => Ok(()),
        }
    }

    /// What follows from all edges between numbered vertices.
    fn conclude(
        &self,
        ends: Ends,
        options: &ReadOptions,
        notes: &mut Vec<String>,
    ) -> Result<Conclusion, Fault> {
        notes.extend_from_slice(&self.layout.notes);
        if let Some(StatedCounts { n, .. }) = self.counts {
            self.check_edges(ends.edges)?;
            return Ok(Conclusion {
                vertices: n,
                weighted: self.is_weighted(),
                lowest_id: None,
                first_is_an_edge: true,
            });
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
        let span = if first_is_an_edge { ends.all } else { ends.rest };
        let from_ids = if edges == 0 { 0 } else { span.largest + 1 };
        if counted.is_none() && from_ids > most_plausible_vertices(edges) {
            let (largest, names) = (span.largest, options.terms.names());
            return Err(ReadErrorKind::Malformed(format!(
                "the largest vertex is {largest}, too large for a graph of {edges} edges; with {names}, only \
                 vertices that occur are numbered"
            ))
            .into());
        }
        let vertices = counted.unwrap_or(0).max(from_ids);
        let lowest_id = if counted.is_some() || edges == 0 { None } else { Some(span.least) };
        Ok(Conclusion { vertices, weighted: self.is_weighted(), lowest_id, first_is_an_edge })
    }
}

/// Skips comments and blank lines. Returns the numbers of vertices and edges if a comment by Kostra
/// states them.
fn skip_comments(text: &mut Text<'_>) -> Result<Option<StatedCounts>, Fault> {
    let mut counts = None;
    loop {
        let number = text.line_number();
        let Some(line) = text.line()? else { break };
        if !is_comment(line) {
            break;
        }
        if let Some(numbers) = line.strip_prefix(COUNTS_COMMENT.as_bytes()) {
            let numbers: Vec<_> = words(numbers)
                .filter_map(|(_, word)| number::natural(word, "").ok())
                .take(2)
                .collect();
            counts = numbers.first_chunk().map(|&[n, m]| StatedCounts { n, m, line: number });
        }
        text.skip()?;
    }
    Ok(counts)
}

/// The first lines, with at least two that are not comments unless the text is shorter.
fn first_lines<'t>(text: &'t mut Text<'_>) -> Result<&'t [u8], Fault> {
    let (mut bytes, line) = (HEAD, text.line_number());
    loop {
        let sample = text.sample(bytes)?;
        let sample = sample.get(..bytes).unwrap_or(sample);
        // A cut last line must not count; one that is whole need not have a newline.
        let is_all = sample.len() < bytes;
        let whole = if is_all { Some(sample.len()) } else { memchr::memrchr(b'\n', sample) };
        let lines = sample.get(..whole.unwrap_or_default()).unwrap_or_default();
        let data = lines.split(|&byte| byte == b'\n').filter(|line| !is_comment(line));
        if is_all || data.take(2).count() == 2 {
            let length = lines.len();
            return Ok(text.sample(0)?.get(..length).unwrap_or_default());
        }
        if bytes >= LONGEST_HEAD {
            let sentence = format!("the first two lines are longer than {LONGEST_HEAD} bytes");
            return Err(Fault::at_line(line, 1, sentence));
        }
        bytes *= 2;
    }
}

fn without_edges(counts: Option<StatedCounts>, options: &ReadOptions) -> Result<Parsed, Fault> {
    let StatedCounts { n, m, line } = counts.unwrap_or(StatedCounts { n: 0, m: 0, line: 1 });
    if m > 0 {
        let sentence = format!("the first comment announces {m} edges, but there are none");
        return Err(Fault::at_line(line, 1, sentence));
    }
    let mut notes = Vec::new();
    let vertices = usize::try_from(n).unwrap_or(usize::MAX);
    let graph = weights::graph(vertices, Columns::default(), true, None, options, &mut notes)?;
    Ok(Parsed { names: options.names.then(Vec::new), ..Parsed::new(graph, notes) })
}

/// The largest plausible number of vertices of a graph with `edges` edges. Beyond it, the ids are
/// probably names, and an array per vertex would waste memory.
fn most_plausible_vertices(edges: u64) -> u64 {
    64 * edges + 1_000_000
}

/// Writes a graph as lines `u v weight`, after a comment that states the number of vertices.
/// Every weight is read back as the same value: integers as integers, floats as `f64`.
fn writer(outgoing: Outgoing<'_>) -> Result<Writer<'_>, String> {
    Ok(Box::new(move |to| write(outgoing.graph, to)))
}

fn write(graph: &AnyGraph, to: &mut dyn Write) -> io::Result<()> {
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
