//! The lines of an edge list before its edges, and what they say about the edges.

use crate::blocks::Text;
use crate::columns::{Columns, Kinds};
use crate::compression::{HEAD, LONGEST_HEAD};
use crate::edge_blocks::{EdgeSink, StreamFacts};
use crate::fault::Fault;
use crate::fields::{DividedLines, is_comment};
use crate::held_memory::too_small;
use crate::interface::Vertices;
use crate::message::{Message, Remedy, message};
use crate::number::{self, words};
use crate::numbering::Numbering;
use crate::{KeptColumns, Place, ReadErrorKind, ReadOptions};

use super::comment_header::COUNTS_COMMENT;
use super::header::FirstLine;
use super::kept::KeepingRows;
use super::layout::{Layout, WeightAt};
use super::names::{self, NamedRows};
use super::rows::{Rows, row_in};

/// The numbers of vertices and edges that a comment states.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatedCounts {
    pub(super) n: u64,
    pub(super) m: u64,
    /// The line of the comment.
    pub(super) line: u64,
}

/// The lines before the edges, and the layout of the edges.
#[derive(Debug)]
pub(super) struct Head {
    /// It has no columns if there are no edges.
    pub(super) layout: Layout,
    pub(super) first_line: FirstLine,
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
            let lines = DividedLines::new(lines.filter(|line| !is_comment(line)).collect());
            let comments: Vec<&[u8]> = comments.iter().map(|(_, line)| &line[..]).collect();
            Layout::recognize(&lines, &comments, options)
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

    /// Whether there is a line that is not a comment.
    pub(super) fn announces_edges(&self) -> bool {
        self.layout.columns > 0
    }

    /// Whether the edges have weights.
    pub(super) fn is_weighted(&self) -> bool {
        self.layout.weight != WeightAt::Nowhere
    }

    /// How vertices can have names, for messages.
    pub(super) fn with_names(&self, options: &ReadOptions) -> Message {
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
        blocks: &mut EdgeSink<'_>,
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
}

/// The most bytes of comments that are looked at if memory is limited.
const COMMENTS_IN_BLOCKS: usize = 1 << 20;

/// A comment, and the number of its line.
type Comment = (u64, Vec<u8>);

/// Skips comments and blank lines. Returns the numbers of vertices and edges if a comment by Kostra
/// states them, and the first comments.
fn skip_comments(text: &mut Text<'_>) -> Result<(Option<StatedCounts>, Vec<Comment>), Fault> {
    let (mut counts, mut comments) = (None, Vec::new());
    let most = if text.memory().is_limited() { COMMENTS_IN_BLOCKS } else { LONGEST_HEAD };
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
        bytes += line.len() + size_of::<Comment>();
        if !line.trim_ascii().is_empty() && bytes <= most {
            comments.push((number, line.to_vec()));
        }
        text.skip()?;
    }
    Ok((counts, comments))
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
            let columns = text.memory().clone();
            columns.hold_columns(text.sample(0)?.get(..length).unwrap_or_default())?;
            return Ok(text.sample(0)?.get(..length).unwrap_or_default());
        }
        if bytes >= LONGEST_HEAD {
            let sentence = format!("the first two lines are longer than {LONGEST_HEAD} bytes");
            return Err(Fault::at_line(line, 1, sentence));
        }
        bytes *= 2;
        if text.missing_for(bytes)?.is_some() {
            let least = text.missing_for(LONGEST_HEAD)?.unwrap_or_default();
            let sentence = too_small(least, "the start up to the second line", "shorten the lines");
            return Err(Fault::at_line(line, 1, sentence));
        }
    }
}
