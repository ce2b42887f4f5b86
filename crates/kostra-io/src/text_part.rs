//! One part of a text: a range that starts and ends at line ends.
//!
//! The ids and lines of a part's edges, and the type of their weights, depend on the other parts.
//! So each part is first parsed as if it were the first. If the first fault of the file is in this
//! part, the part is parsed again with what precedes it, and reports the error that a reader of the
//! whole file would report.

use std::fmt::Debug;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;

use crate::blocks::Text;
use crate::columns::{Columns, Ends, Kinds};
use crate::compression::Stream;
use crate::fault::Fault;
use crate::interface::{Format, Part, PartContent, PartOfFile};
use crate::message::Message;
use crate::source;
use crate::{ReadErrorKind, ReadOptions, weights};

/// What a text format says before its edges, and how it reads them in parts.
pub(crate) trait TextHead: Debug + Send + Sync + Sized + 'static {
    /// The format.
    const FORMAT: Format;

    /// Parses the lines of some edges and adds the edges to `columns`, whose base is the number of
    /// edges before them. `weighted_before` says whether those have weights, if there are any.
    /// Returns the number of lines up to the end of the text.
    fn parse_edges(
        &self,
        text: Text<'_>,
        weighted_before: Option<bool>,
        columns: &mut Columns,
        options: &ReadOptions,
    ) -> Result<u64, Fault>;

    /// Whether a reader of the whole file would find a fault at the edges of `own`, which follow
    /// those of `before`, although they are parsed without a fault.
    fn contradicts(&self, before: &Lines, own: &Lines) -> bool;

    /// See [`Loaded::similarity`](crate::Loaded).
    fn similarity(&self) -> Option<String> {
        None
    }

    /// What follows from all edges of the file, which has `all.lines` lines.
    fn conclude_parts(
        &self,
        all: &Lines,
        options: &ReadOptions,
        notes: &mut Vec<Message>,
    ) -> Result<Conclusion, Fault>;
}

/// Some successive lines of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines {
    /// The number of lines.
    pub(crate) lines: u64,
    pub(crate) ends: Ends,
    /// Whether the edges have weights, if there are any.
    pub(crate) weighted: Option<bool>,
    pub(crate) kinds: Kinds,
}

/// What follows from all edges of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conclusion {
    pub(crate) vertices: u64,
    pub(crate) weighted: bool,
    /// See [`Part::lowest_id`].
    pub(crate) lowest_id: Option<u64>,
    /// Whether the first line is an edge. It is not if it turns out to contain the numbers of
    /// vertices and edges.
    pub(crate) first_is_an_edge: bool,
    /// Whether the first line states the number of vertices, and they count from 1. Then vertex 0
    /// is none of them.
    pub(crate) from_1: bool,
}

/// A part of a text.
#[derive(Debug)]
pub(crate) struct TextPart<H> {
    path: PathBuf,
    head: H,
    /// The number of lines before the edges.
    head_lines: u64,
    /// The bytes of the part in the file.
    range: Range<u64>,
    /// The first byte that was read to find where the range starts.
    searched_from: u64,
    part: usize,
    columns: Columns,
}

/// What the other parts need to know about a part.
#[derive(Clone, Copy, Debug)]
struct Survey {
    faulty: bool,
    lines: u64,
    ends: Ends,
    /// See [`Columns::rank_of_weights`].
    weights: u64,
    /// The kinds of its weights; edges count from the first one of the part.
    kinds: Kinds,
}

impl Survey {
    fn to_words(self) -> Vec<u64> {
        let (ends, kinds) = (self.ends.to_words(), self.kinds.to_words());
        [&[u64::from(self.faulty), self.lines, self.weights][..], &ends, &kinds].concat()
    }

    fn from_words(words: &[u64]) -> Self {
        let word = |index: usize| words.get(index).copied().unwrap_or_default();
        let ends = Ends::from_words(std::array::from_fn(|index| word(3 + index)));
        let kinds = Kinds::from_words(std::array::from_fn(|index| word(8 + index)));
        Self { faulty: word(0) != 0, lines: word(1), weights: word(2), ends, kinds }
    }
}

impl<H: TextHead> TextPart<H> {
    /// Finds the part's lines. `text` is the file after the lines of `head`.
    pub(crate) fn open(of: &PartOfFile<'_>, text: &Text<'_>, head: H) -> Result<Self, Fault> {
        let (start, head_lines) = (text.consumed(), text.line_number() - 1);
        let mut file = File::open(of.path).map_err(ReadErrorKind::Io)?;
        let end = file.metadata().map_err(ReadErrorKind::Io)?.len();
        let bytes = u128::from(end.saturating_sub(start));
        let share = |part: usize| start + (bytes * part as u128 / of.parts as u128) as u64;
        let mut bound = |part: usize| {
            if part == 0 { Ok(start) } else { line_start(&mut file, share(part), end) }
        };
        let range = bound(of.part)
            .and_then(|start| Ok(start..bound(of.part + 1)?))
            .map_err(ReadErrorKind::Io)?;
        Ok(Self {
            path: of.path.to_path_buf(),
            head,
            head_lines,
            searched_from: if of.part == 0 { start } else { share(of.part).saturating_sub(1) },
            range,
            part: of.part,
            columns: Columns::default(),
        })
    }

    fn parse(
        &self,
        lines_before: u64,
        weighted_before: Option<bool>,
        columns: &mut Columns,
        options: &ReadOptions,
    ) -> Result<u64, Fault> {
        let stream = Stream::plain(source::from_range(&self.path, self.range.clone())?);
        let text = Text::continued(stream, lines_before);
        self.head.parse_edges(text, weighted_before, columns, options)
    }

    /// Whether a reader of the whole file would find a fault in part `part`.
    fn has_fault(&self, surveys: &[Survey], part: usize) -> bool {
        let (before, own) = surveys.split_at(part);
        let own = own.get(..1).unwrap_or_default();
        let through = surveys.get(..=part).unwrap_or_default();
        own.iter().any(|survey| survey.faulty)
            || lines_of(through).kinds.conflict().is_some()
            || self.head.contradicts(&lines_of(before), &lines_of(own))
    }

    /// The fault of this part, which is the first of the file.
    fn fault(&self, before: &[Survey], options: &ReadOptions) -> Fault {
        let before_lines = lines_of(before);
        let lines = self.head_lines + before_lines.lines;
        let mut columns = Columns::after(before_lines.ends.edges, before_lines.kinds);
        let result = self.parse(lines, before_lines.weighted, &mut columns, options);
        result.err().unwrap_or_else(|| ReadErrorKind::Changed.into())
    }
}

impl<H: TextHead> PartContent for TextPart<H> {
    fn survey(&mut self, options: &ReadOptions) -> Result<Vec<u64>, Fault> {
        let mut columns = Columns::default();
        let result = self.parse(self.head_lines, None, &mut columns, options);
        let (faulty, lines) = match result {
            Ok(lines) => (false, lines - self.head_lines),
            Err(fault) if fault.kind.is_of_system() => return Err(fault),
            Err(_) => (true, 0),
        };
        self.columns = columns;
        let ends = Ends::of_edges(&self.columns.u, &self.columns.v);
        let (weights, kinds) = (self.columns.rank_of_weights(), self.columns.kinds);
        Ok(Survey { faulty, lines, ends, weights, kinds }.to_words())
    }

    fn dependencies(&self, head: Range<u64>) -> Vec<Range<u64>> {
        vec![head, self.searched_from..self.range.end]
    }

    fn finish(self: Box<Self>, surveys: &[&[u64]], options: &ReadOptions) -> Result<Part, Fault> {
        let surveys: Vec<_> = surveys.iter().map(|words| Survey::from_words(words)).collect();
        let before = surveys.get(..self.part).unwrap_or_default();
        match (0..surveys.len()).find(|&part| self.has_fault(&surveys, part)) {
            Some(part) if part < self.part => {
                return Err(Fault::whole("an earlier part has a fault"));
            }
            Some(part) if part == self.part => return Err(self.fault(before, options)),
            // A later part reports its fault, so this part is not used.
            Some(_) => return empty_part(H::FORMAT, options),
            None => {}
        }
        let Self { head, head_lines, mut columns, .. } = *self;
        columns.base = lines_of(before).ends.edges;
        columns.widen(surveys.iter().map(|survey| survey.weights).max().unwrap_or_default());
        let mut all = lines_of(&surveys);
        all.lines += head_lines;
        let mut notes = Vec::new();
        let Conclusion { vertices, weighted, lowest_id, first_is_an_edge, .. } =
            head.conclude_parts(&all, options, &mut notes)?;
        if !first_is_an_edge {
            if columns.base == 0 {
                columns.remove_first();
            }
            columns.base = columns.base.saturating_sub(1);
        }
        let (first, format) = (columns.base, H::FORMAT);
        let vertices = usize::try_from(vertices).unwrap_or(usize::MAX);
        let graph =
            weights::RawGraph::new(vertices, columns, weighted).build(options, &mut notes)?;
        let similarity = head.similarity();
        Ok(Part { graph, first, format, notes, similarity, lowest_id })
    }
}

/// A part without vertices and edges.
fn empty_part(format: Format, options: &ReadOptions) -> Result<Part, Fault> {
    let mut notes = Vec::new();
    let graph = weights::RawGraph::new(0, Columns::default(), true).build(options, &mut notes)?;
    Ok(Part { graph, first: 0, format, notes, similarity: None, lowest_id: None })
}

/// The lines of successive parts together.
fn lines_of(surveys: &[Survey]) -> Lines {
    let first = surveys.iter().find(|survey| survey.ends.edges > 0);
    Lines {
        lines: surveys.iter().map(|survey| survey.lines).sum(),
        ends: surveys.iter().fold(Ends::NONE, |ends, survey| ends.then(survey.ends)),
        weighted: first.map(|survey| survey.weights > 0),
        kinds: kinds_of(surveys),
    }
}

/// The kinds of weights in the first parts of a file.
fn kinds_of(surveys: &[Survey]) -> Kinds {
    let (mut edges, mut kinds) = (0, Kinds::default());
    for survey in surveys {
        kinds = kinds.and(survey.kinds.after(edges));
        edges += survey.ends.edges;
    }
    kinds
}

/// The start of the first line at byte `at` or after it.
fn line_start(file: &mut File, at: u64, end: u64) -> std::io::Result<u64> {
    let Some(before) = at.checked_sub(1) else { return Ok(at) };
    file.seek(SeekFrom::Start(before))?;
    let mut reader = BufReader::new(file.by_ref());
    let skipped = reader.skip_until(b'\n')? as u64;
    Ok((before + skipped).min(end))
}
