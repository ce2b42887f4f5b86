//! Lines of a text, of which each part has a range that starts and ends where a line does.
//!
//! A part knows the ids and lines of its edges, and the type of the weights, only when all others
//! have counted theirs. So it first parses as if it were the first part. If the file has its first
//! fault here, the part parses again, knowing what came before, and reports the error that a reader
//! of the whole file would report.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::Part;
use crate::blocks::Text;
use crate::columns::{Columns, Ends, Kinds};
use crate::compression::Stream;
use crate::fault::Fault;
use crate::source;
use crate::{Format, ReadErrorKind, ReadOptions, dimacs, edge_list, weights};

/// A part of a text.
#[derive(Debug)]
pub(super) struct TextPart {
    path: PathBuf,
    head: Head,
    /// How many lines come before the edges.
    head_lines: u64,
    /// Where the part is in the file.
    range: Range<u64>,
    /// The first byte that was looked at to find where the range starts.
    looked_from: u64,
    part: usize,
    columns: Columns,
}

/// What the file says before its edges.
#[derive(Debug)]
enum Head {
    Dimacs(dimacs::Header),
    EdgeList(edge_list::Head),
}

/// What the other parts must know of one.
#[derive(Clone, Copy, Debug)]
struct Survey {
    faulty: bool,
    lines: u64,
    ends: Ends,
    /// See [`Columns::rank_of_weights`].
    weights: u64,
    /// Of its edges, counted from its first.
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

impl TextPart {
    /// Reads what comes before the edges, and finds the part's lines. None if there are no edges.
    pub(super) fn open(
        path: &Path,
        stream: Stream<'_>,
        format: Format,
        options: &ReadOptions,
        part: usize,
        parts: usize,
    ) -> Result<Option<Self>, Fault> {
        let mut text = Text::new(stream)?;
        let head = if format == Format::Dimacs {
            let header = dimacs::Header::read(&mut text)?;
            weights::refuse_others(header.is_weighted(), options)?;
            Head::Dimacs(header)
        } else {
            match edge_list::Head::read(&mut text, options)? {
                head if head.announces_edges() => Head::EdgeList(head),
                _ => return Ok(None),
            }
        };
        let (start, head_lines) = (text.consumed(), text.line_number() - 1);
        let mut file = File::open(path).map_err(ReadErrorKind::Io)?;
        let end = file.metadata().map_err(ReadErrorKind::Io)?.len();
        let bytes = u128::from(end.saturating_sub(start));
        let share = |part: usize| start + (bytes * part as u128 / parts as u128) as u64;
        let mut bound = |part: usize| {
            if part == 0 { Ok(start) } else { line_start(&mut file, share(part), end) }
        };
        let range =
            bound(part).and_then(|start| Ok(start..bound(part + 1)?)).map_err(ReadErrorKind::Io)?;
        Ok(Some(Self {
            path: path.to_path_buf(),
            head,
            head_lines,
            looked_from: if part == 0 { start } else { share(part).saturating_sub(1) },
            range,
            part,
            columns: Columns::default(),
        }))
    }

    pub(super) fn format(&self) -> Format {
        self.head.format()
    }

    /// The bytes of the part's lines, and those that were looked at to find the first one.
    pub(super) fn lines(&self) -> Range<u64> {
        self.looked_from..self.range.end
    }

    /// Reads the part, as if it were the first.
    pub(super) fn survey(&mut self, options: &ReadOptions) -> Result<Vec<u64>, Fault> {
        let mut columns = Columns::default();
        let result = self.parse(self.head_lines, None, &mut columns, options);
        let (faulty, lines) = match result {
            Ok(lines) => (false, lines - self.head_lines),
            Err(Fault {
                place,
                kind: kind @ (ReadErrorKind::Io(_) | ReadErrorKind::OutOfMemory { .. }),
            }) => {
                return Err(Fault { place, kind });
            }
            Err(_) => (true, 0),
        };
        self.columns = columns;
        let ends = Ends::of(&self.columns);
        let (weights, kinds) = (self.columns.rank_of_weights(), self.columns.kinds);
        Ok(Survey { faulty, lines, ends, weights, kinds }.to_words())
    }

    fn parse(
        &self,
        lines_before: u64,
        weighted_before: Option<bool>,
        columns: &mut Columns,
        options: &ReadOptions,
    ) -> Result<u64, Fault> {
        let stream = Stream::plain(source::of_range(&self.path, self.range.clone())?);
        let text = Text::continued(stream, lines_before);
        match &self.head {
            Head::Dimacs(header) => header.parse_edges(text, weighted_before, columns, options),
            Head::EdgeList(head) => head.parse_edges(text, columns, options),
        }
    }

    /// Whether a reader of the whole file would stop in this part.
    fn breaks_off(&self, surveys: &[Survey], part: usize) -> bool {
        let (before, own) = surveys.split_at(part);
        let own = own.get(..1).unwrap_or_default();
        let through = surveys.get(..=part).unwrap_or_default();
        let is_broken =
            own.iter().any(|survey| survey.faulty) || kinds_of(through).conflict().is_some();
        let Head::Dimacs(header) = &self.head else { return is_broken };
        let differs =
            are_weighted(before).zip(are_weighted(own)).is_some_and(|(before, own)| before != own);
        let edges = edges_of(own);
        is_broken || differs || (edges > 0 && edges_of(before) + edges > header.edges())
    }

    /// Completes the part.
    pub(super) fn finish(
        mut self,
        surveys: &[&[u64]],
        options: &ReadOptions,
    ) -> Result<Part, Fault> {
        let surveys: Vec<_> = surveys.iter().map(|words| Survey::from_words(words)).collect();
        let before = surveys.get(..self.part).unwrap_or_default();
        self.columns.base = edges_of(before);
        match (0..surveys.len()).find(|&part| self.breaks_off(&surveys, part)) {
            None => {}
            Some(part) if part < self.part => {
                return Err(Fault::whole("an earlier part is at fault"));
            }
            Some(part) if part == self.part => {
                let lines = self.head_lines + before.iter().map(|survey| survey.lines).sum::<u64>();
                let mut again = Columns::after(self.columns.base, kinds_of(before));
                self.parse(lines, are_weighted(before), &mut again, options)?;
                return Err(Fault::whole("the file changes while it is read"));
            }
            // A later part says what is wrong with it, and nobody will look at this one.
            Some(_) => {
                let graph =
                    weights::graph(0, Columns::default(), true, None, options, &mut Vec::new())?;
                return Ok(Part {
                    graph,
                    first: 0,
                    format: self.head.format(),
                    notes: Vec::new(),
                    lowest_id: None,
                });
            }
        }

        self.columns.widen(surveys.iter().map(|survey| survey.weights).max().unwrap_or_default());
        let (mut notes, mut lowest_id) = (Vec::new(), None);
        let (vertices, weighted) = match &self.head {
            Head::Dimacs(header) => {
                let lines =
                    self.head_lines + surveys.iter().map(|survey| survey.lines).sum::<u64>();
                header.check_edges(edges_of(&surveys), lines)?;
                (header.vertices(), header.is_weighted() || are_weighted(&surveys) == Some(true))
            }
            Head::EdgeList(head) => {
                let ends = surveys.iter().fold(Ends::NONE, |ends, survey| ends.then(survey.ends));
                let conclusion = head.conclude(ends, options, &mut notes)?;
                lowest_id = conclusion.lowest_id;
                if !conclusion.first_is_an_edge {
                    if self.columns.base == 0 {
                        self.columns.remove_first();
                    }
                    self.columns.base = self.columns.base.saturating_sub(1);
                }
                (usize::try_from(conclusion.vertices).unwrap_or(usize::MAX), head.is_weighted())
            }
        };
        let (first, format) = (self.columns.base, self.head.format());
        let graph = weights::graph(vertices, self.columns, weighted, None, options, &mut notes)?;
        Ok(Part { graph, first, format, notes, lowest_id })
    }
}

impl Head {
    fn format(&self) -> Format {
        match self {
            Self::Dimacs(_) => Format::Dimacs,
            Self::EdgeList(_) => Format::EdgeList,
        }
    }
}

/// How many edges some parts have.
fn edges_of(surveys: &[Survey]) -> u64 {
    surveys.iter().map(|survey| survey.ends.edges).sum()
}

/// The kinds of weights that the first parts have.
fn kinds_of(surveys: &[Survey]) -> Kinds {
    let (mut edges, mut kinds) = (0, Kinds::default());
    for survey in surveys {
        kinds = kinds.and(survey.kinds.after(edges));
        edges += survey.ends.edges;
    }
    kinds
}

/// Whether the edges of some parts have weights, as the first one shows.
fn are_weighted(surveys: &[Survey]) -> Option<bool> {
    surveys.iter().find(|survey| survey.ends.edges > 0).map(|survey| survey.weights > 0)
}

/// Where the first line starts at this byte or after it.
fn line_start(file: &mut File, at: u64, end: u64) -> std::io::Result<u64> {
    let Some(before) = at.checked_sub(1) else { return Ok(at) };
    file.seek(SeekFrom::Start(before))?;
    let mut reader = BufReader::new(file.by_ref());
    let skipped = reader.skip_until(b'\n')? as u64;
    Ok((before + skipped).min(end))
}
