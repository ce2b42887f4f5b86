//! The lines of an edge list before its edges, and what they say about the edges.

use kostra_core::counted;

use crate::blocks::Text;
use crate::columns::{Columns, Ends, Kinds};
use crate::compression::{HEAD, LONGEST_HEAD};
use crate::edge_blocks::{Blocks, StreamFacts};
use crate::fault::Fault;
use crate::interface::Vertices;
use crate::message::{Message, Remedy, message};
use crate::number::{self, words};
use crate::numbering::Numbering;
use crate::text_part::Conclusion;
use crate::{Header, KeptColumns, Place, ReadErrorKind, ReadOptions};

use super::fields::is_comment;
use super::header::FirstLine;
use super::kept::KeepingRows;
use super::layout::{Layout, WeightAt};
use super::names::{self, NamedRows};
use super::rows::{Rows, row_in};

/// The start of the comment by which Kostra states the numbers of vertices and edges.
pub(super) const COUNTS_COMMENT: &str = "# kostra edge list:";

/// The numbers of vertices and edges that a comment states.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatedCounts {
    pub(super) n: u64,
    pub(super) m: u64,
    /// The line of the comment.
    pub(super) line: u64,
}

/// What the first line of numbers means.
struct FirstNumbers {
    /// The number of vertices that it states.
    stated: Option<u64>,
    first_is_an_edge: bool,
    /// Whether vertices count from 1, up to the stated number.
    from_1: bool,
}

/// The lines before the edges, and the layout of the edges.
#[derive(Debug)]
pub(super) struct Head {
    /// It has no columns if there are no edges.
    pub(super) layout: Layout,
    first_line: FirstLine,
    /// The first line that is not a comment.
    pub(super) line: u64,
    pub(super) counts: Option<StatedCounts>,
    /// Whether the edges are read in blocks, between vertices without names.
    pub(super) in_blocks: bool,
}

impl Head {
    /// Reads up to the first edge.
    pub(super) fn read(text: &mut Text<'_>, options: &ReadOptions) -> Result<Self, Fault> {
        let (counts, comments) = skip_comments(text)?;
        refuse_bipartite(comments.first())?;
        let line = text.line_number();
        let place = Place::Line { line, column: 1 };
        let layout = {
            let lines = first_lines(text)?.split(|&byte| byte == b'\n');
            let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
            let is_konect = comments.first().is_some_and(|(_, line)| is_konect(line));
            Layout::recognize(lines, is_konect, options)
                .map_err(|kind| Fault { place: Some(place), kind })?
        };
        let layout = layout.unwrap_or(Layout::NONE);
        for (line, comment) in comments.iter().filter(|_| layout.named) {
            names::refuse_row(comment, &layout, options)
                .map_err(|fault| Fault::at_line(*line, fault.offset as u64 + 1, fault.sentence))?;
        }
        let mut first_line = layout.first_line;
        let rows = match first_line {
            FirstLine::ColumnNames => 1,
            FirstLine::Counts { counts, sure: true } => counts.lines,
            FirstLine::Counts { sure: false, .. } | FirstLine::Edge => 0,
        };
        for _ in 0..rows {
            while text.line()?.is_some_and(is_comment) {
                text.skip()?;
            }
            text.skip()?;
        }
        if counts.is_some() && !matches!(first_line, FirstLine::ColumnNames) {
            first_line = FirstLine::Edge;
        }
        Ok(Self { layout, first_line, line, counts, in_blocks: false })
    }

    /// Refuses a header without rows, unless the options say that the first line is one.
    fn refuse_no_rows(&self, edges: u64, options: &ReadOptions) -> Result<(), Fault> {
        if edges > 0
            || self.first_line != FirstLine::ColumnNames
            || options.columns.header == Header::Present
        {
            return Ok(());
        }
        let sentence = message![
            "this line names columns, but no row follows; add the rows, or pass ",
            Remedy::on("header"),
            " for a graph without edges",
        ];
        Err(Fault::at_line(self.line, 1, sentence))
    }

    /// Whether there is a line that is not a comment.
    pub(super) fn announces_edges(&self) -> bool {
        self.layout.columns > 0
    }

    /// Whether the edges have weights.
    pub(super) fn is_weighted(&self) -> bool {
        self.layout.weight != WeightAt::Nowhere
    }

    /// How vertices can have names, for messages.
    fn with_names(&self, options: &ReadOptions) -> Message {
        let against = match options.vertices {
            _ if self.in_blocks => Some("memory"),
            Vertices::Count(_) => Some("vertices"),
            Vertices::UpToHighest | Vertices::Occurring => None,
        };
        let with = message!["with ", Remedy::on("names")];
        match against {
            None => with,
            Some(option) => message!["without ", Remedy::option(option), " and ", with],
        }
    }

    /// Parses the lines of all edges, or a part of them, between numbered vertices. Returns the
    /// number of lines up to the end of the text.
    pub(super) fn parse_lines(
        &self,
        text: Text<'_>,
        columns: &mut Columns,
        kept: &mut KeptColumns,
        options: &ReadOptions,
    ) -> Result<u64, Fault> {
        self.reserve(&text, columns)?;
        let layout = &self.layout;
        let with_names = self.with_names(options);
        let rows = KeepingRows { inner: Rows { layout, options, with_names }, layout };
        rows.parse(text, options.thread_count(), kept, |chunk, block| {
            columns.join(chunk, usize::MAX, |edge| row_in(block, edge))
        })
    }

    /// What the lines before the edges state.
    pub(super) fn facts(&self) -> StreamFacts {
        let vertices = self.counts.and_then(|counts| u32::try_from(counts.n).ok());
        let edges = self.counts.map(|counts| counts.m);
        StreamFacts { vertices, edges, ..StreamFacts::default() }
    }

    /// Parses the lines of all edges between numbered vertices into blocks.
    pub(super) fn parse_blocks(
        &self,
        text: Text<'_>,
        blocks: &mut Blocks<'_>,
        options: &ReadOptions,
    ) -> Result<u64, Fault> {
        let with_names = self.with_names(options);
        let rows = Rows { layout: &self.layout, options, with_names };
        text.parse(options.thread_count(), &rows, |chunk, block| {
            blocks.columns.join(chunk, usize::MAX, |edge| row_in(block, edge))?;
            blocks.pass_on_if_full()
        })
    }

    /// Parses the lines of all edges between vertices with names, and returns the names.
    pub(super) fn parse_names(
        &self,
        text: Text<'_>,
        columns: &mut Columns,
        kept: &mut KeptColumns,
        options: &ReadOptions,
    ) -> Result<Vec<String>, Fault> {
        self.reserve(&text, columns)?;
        let mut numbering = Numbering::default();
        let layout = &self.layout;
        let rows = KeepingRows { inner: NamedRows { layout, options }, layout };
        rows.parse(text, options.thread_count(), kept, |chunk, block| {
            names::join(&mut numbering, chunk, block, columns)
        })?;
        Ok(numbering.into_names()?)
    }

    fn reserve(&self, text: &Text<'_>, columns: &mut Columns) -> Result<(), ReadErrorKind> {
        let Some(StatedCounts { m, .. }) = self.counts else { return Ok(()) };
        columns.reserve_exact(text.reasonable(m, "0 0\n".len() as u64), self.is_weighted())
    }

    /// Refuses weights whose points may separate thousands.
    pub(super) fn check_points(&self, kinds: Kinds) -> Result<(), Fault> {
        let Some(sentence) = kinds.thousands.question() else { return Ok(()) };
        let place = Some(Place::Line { line: self.line, column: 1 });
        Err(Fault { place, kind: ReadErrorKind::question(sentence) })
    }

    /// Checks that there are as many edges as stated.
    pub(super) fn check_edges(&self, edges: u64) -> Result<(), Fault> {
        match self.counts {
            Some(StatedCounts { m, line, .. }) if m != edges => {
                let announced = counted(m, "edge", "edges");
                let sentence = format!(
                    "the first comment announces {announced}, but the number of edges is {edges}"
                );
                Err(Fault::at_line(line, 1, sentence))
            }
            _ => Ok(()),
        }
    }

    /// What follows from all edges between numbered vertices.
    pub(super) fn conclude(
        &self,
        ends: Ends,
        options: &ReadOptions,
        notes: &mut Vec<Message>,
    ) -> Result<Conclusion, Fault> {
        notes.extend_from_slice(&self.layout.notes);
        self.refuse_no_rows(ends.edges, options)?;
        if let Some(StatedCounts { n, line, .. }) = self.counts {
            self.check_edges(ends.edges)?;
            check_vertices(n, line, options)?;
            return Ok(Conclusion {
                vertices: n,
                weighted: self.is_weighted(),
                lowest_id: None,
                first_is_an_edge: true,
                from_1: false,
            });
        }
        let FirstNumbers { mut stated, first_is_an_edge, from_1 } =
            self.first_numbers(&ends, options, notes)?;
        let edges = ends.edges.saturating_sub(u64::from(!first_is_an_edge));
        let span = if first_is_an_edge { ends.all } else { ends.rest };
        let from_ids = if edges == 0 { 0 } else { span.largest + 1 };
        if let Vertices::Count(count) = options.vertices {
            if from_ids > u64::from(count) {
                return Err(Fault::whole(message![
                    format!("an edge ends at vertex {}, but ", span.largest),
                    Remedy::option("vertices"),
                    format!(" is {count} and vertices count from 0; pass at least {from_ids}"),
                ]));
            }
            stated = Some(count.into());
        }
        if stated.is_none()
            && options.vertices != Vertices::Occurring
            && from_ids > most_plausible_vertices(edges)
        {
            let (largest, with_names) = (span.largest, self.with_names(options));
            return Err(ReadErrorKind::malformed(format!(
                "the largest vertex is {largest}, too large for a graph of {}; {with_names}, only \
                 vertices that occur are numbered",
                counted(edges, "edge", "edges")
            ))
            .into());
        }
        let vertices = stated.unwrap_or(0).max(from_ids);
        // The number of vertices that is stated may be one less than the number of ids from 0.
        let is_stated = stated.is_some() && !from_1;
        let lowest_id = if is_stated || edges == 0 { None } else { Some(span.least) };
        let weighted = self.is_weighted();
        Ok(Conclusion { vertices, weighted, lowest_id, first_is_an_edge, from_1 })
    }

    /// What the first line means, if it is two numbers, now that the edges are known.
    fn first_numbers(
        &self,
        ends: &Ends,
        options: &ReadOptions,
        notes: &mut Vec<Message>,
    ) -> Result<FirstNumbers, Fault> {
        let line = self.line;
        let edge = FirstNumbers { stated: None, first_is_an_edge: true, from_1: false };
        let FirstLine::Counts { counts, sure } = self.first_line else { return Ok(edge) };
        let edges = ends.edges.saturating_sub(u64::from(!sure));
        let span = if sure { &ends.all } else { &ends.rest };
        let (n, m) = counts.stated(edges, span.largest);
        let fits = edges > 0
            && m.is_none_or(|m| m == edges)
            && n.is_none_or(|n| span.largest <= n)
            // A third number that is no number of entries has a meaning of its own.
            && (sure || counts.len() == 2 || counts.is_of_matrix());
        if fits {
            if let (Some(n), Some(m)) = (n, m) {
                self.check_counts((n, m), span.largest, options)?;
            }
            let what = match (n, m) {
                (None, _) => "number of edges",
                (_, None) => "number of vertices",
                _ => "numbers of vertices and edges",
            };
            notes.push(match counts.lines {
                1 => format!("line {line} is taken as the {what}").into(),
                _ => format!("the first {} lines are taken as the {what}", counts.lines).into(),
            });
            let from_1 = n.is_some_and(|n| span.largest == n) && span.least > 0;
            return Ok(FirstNumbers { stated: n, first_is_an_edge: sure, from_1 });
        }
        if sure {
            return Err(Fault::at_line(line, 1, mismatch(counts.lines, edges)));
        }
        let may_be_counts = n.zip(m).is_some_and(|(n, m)| {
            let is_near = m <= 2 * edges && edges <= 2 * m;
            let is_other = span.largest < n && (span.largest < m || is_near);
            let is_highest = span.largest == n && span.least > 0;
            let is_count = 2 * m == edges || m.abs_diff(edges) <= 1;
            match counts.len() {
                2 => is_other || is_highest && is_count,
                _ => span.largest <= n && m == edges,
            }
        });
        if edges > 0 && may_be_counts && !matches!(options.vertices, Vertices::Count(_)) {
            return Err(self.ask_for_edge());
        }
        Ok(edge)
    }

    /// The question whether the first line of numbers is an edge.
    fn ask_for_edge(&self) -> Fault {
        let sentence = message![
            "is this line an edge, or does it state the numbers of vertices and edges? pass ",
            Remedy::on("no-header"),
            " if it is an edge, or ",
            Remedy::on("header"),
            " if not",
        ];
        Fault::at_line(self.line, 1, sentence)
    }

    /// Refuses a first line that states `n` vertices and `m` edges, as the other lines confirm, if
    /// an option contradicts it, or if it could also be an edge between the ids from 0 to `n`.
    fn check_counts(
        &self,
        (n, m): (u64, u64),
        largest: u64,
        options: &ReadOptions,
    ) -> Result<(), Fault> {
        let is_sure = matches!(self.first_line, FirstLine::Counts { sure: true, .. });
        check_vertices(n, self.line, options)?;
        if !is_sure && n.max(m) <= largest + 1 && !matches!(options.vertices, Vertices::Count(_)) {
            return Err(self.ask_for_edge());
        }
        Ok(())
    }

    /// Checks the numbers that the first line states, if the vertices have names.
    pub(super) fn check_names(
        &self,
        names: u64,
        edges: u64,
        options: &ReadOptions,
    ) -> Result<(), Fault> {
        self.refuse_no_rows(edges, options)?;
        let FirstLine::Counts { counts, sure: true } = self.first_line else { return Ok(()) };
        let (n, m) = counts.stated(edges, names);
        if m.is_some_and(|m| m != edges) || n.is_some_and(|n| n < names) {
            return Err(Fault::at_line(self.line, 1, mismatch(counts.lines, edges)));
        }
        Ok(())
    }
}

/// What to say about numbers before the edges that are not those of vertices and edges.
fn mismatch(lines: usize, edges: u64) -> String {
    let subject = match lines {
        1 => "this line has another number of columns than the next, so it should contain",
        _ => "these lines have another number of columns than the next, so they should contain",
    };
    format!("{subject} the numbers of vertices and edges, but the number of edges is {edges}")
}

/// Refuses a line that states another number of vertices than the options do.
fn check_vertices(n: u64, line: u64, options: &ReadOptions) -> Result<(), Fault> {
    match options.vertices {
        Vertices::Count(count) if n != u64::from(count) => {
            let stated = counted(n, "vertex", "vertices");
            let sentence = message![
                format!("this line states {stated}, but "),
                Remedy::option("vertices"),
                format!(" is {count}; correct one of them, or pass "),
                Remedy::on("no-header"),
                " if the line is an edge, or ",
                Remedy::on("header"),
                " to ignore it",
            ];
            Err(Fault::at_line(line, 1, sentence))
        }
        _ => Ok(()),
    }
}

/// A comment, and the number of its line.
type Comment = (u64, Vec<u8>);

/// Skips comments and blank lines. Returns the numbers of vertices and edges if a comment by Kostra
/// states them, and the first comments.
fn skip_comments(text: &mut Text<'_>) -> Result<(Option<StatedCounts>, Vec<Comment>), Fault> {
    let (mut counts, mut comments) = (None, Vec::new());
    let mut bytes = 0;
    loop {
        let number = text.line_number();
        let Some(line) = text.line()? else { break };
        // Else all lines of such a file would be one line.
        if line.trim_ascii_end().contains(&b'\r') {
            let sentence = "this line has a carriage return inside; save the file with line feeds \
                            at the ends of lines";
            return Err(Fault::at_line(number, 1, sentence));
        }
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
        bytes += line.len();
        if !line.trim_ascii().is_empty() && bytes <= LONGEST_HEAD {
            comments.push((number, line.to_vec()));
        }
        text.skip()?;
    }
    Ok((counts, comments))
}

/// Whether a comment is the first line of a file of KONECT, such as `% sym posweighted`.
pub(super) fn is_konect(comment: &[u8]) -> bool {
    let mut words = words(comment).map(|(_, word)| word);
    words.next() == Some(b"%") && matches!(words.next(), Some(b"sym" | b"asym" | b"bip"))
}

/// Refuses a bipartite graph of KONECT, whose two columns count different vertices from 1.
fn refuse_bipartite(first: Option<&Comment>) -> Result<(), Fault> {
    match first {
        Some((line, comment)) if comment.starts_with(b"% bip ") => {
            let sentence = "the graph is bipartite, and a number means different vertices in the \
                            two columns; add the number of vertices of the first column to the \
                            second, and remove this line";
            Err(Fault::at_line(*line, 1, sentence))
        }
        _ => Ok(()),
    }
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

/// The largest plausible number of vertices of a graph with `edges` edges. Beyond it, the ids are
/// probably names, and an array per vertex would waste memory.
pub(in crate::formats) fn most_plausible_vertices(edges: u64) -> u64 {
    64 * edges + 1_000_000
}
