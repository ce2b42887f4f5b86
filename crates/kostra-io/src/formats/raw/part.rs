//! One part of a file of raw rows: a range of its rows.

use std::ops::Range;
use std::path::PathBuf;

use super::{Rows, row_of};
use crate::columns::{Columns, Ends, Kinds};
use crate::compression::Stream;
use crate::fault::Fault;
use crate::interface::{Format, Part, PartContent, PartOfFile, Vertices};
use crate::raw_row::RawRow;
use crate::source::from_range;
use crate::weights::{self, RawGraph};
use crate::{Place, ReadErrorKind, ReadOptions};

#[derive(Debug)]
struct RawPart {
    path: PathBuf,
    row: RawRow,
    rows: Range<u64>,
    part: usize,
    columns: Columns,
    fault: Option<Fault>,
}

/// Finds the rows of the part.
pub(super) fn open(
    of: &PartOfFile<'_>,
    _: Stream<'_>,
    options: &ReadOptions,
) -> Result<Option<Box<dyn PartContent>>, Fault> {
    let row = row_of(options)?;
    let length = of.path.metadata().map_err(ReadErrorKind::Io)?.len();
    super::check_length(length, row)?;
    weights::refuse_others(row.weight.is_some(), options)?;
    let rows = u128::from(length / row.size() as u64);
    let share = |part: usize| (rows * part as u128 / of.parts as u128) as u64;
    let (path, rows) = (of.path.to_path_buf(), share(of.part)..share(of.part + 1));
    let columns = Columns::default();
    Ok(Some(Box::new(RawPart { path, row, rows, part: of.part, columns, fault: None })))
}

impl RawPart {
    fn bytes(&self) -> Range<u64> {
        let size = self.row.size() as u64;
        self.rows.start * size..self.rows.end * size
    }

    fn parse(&self, options: &ReadOptions) -> Result<Columns, Fault> {
        let stream = Stream::plain(from_range(&self.path, self.bytes())?);
        let mut rows = Rows::new(stream, options)?;
        let (mut columns, mut block) = (Columns::default(), Columns::default());
        while rows.next(super::BLOCK_ROWS, &mut block)? {
            columns.join(&mut block, usize::MAX, |edge| edge).map_err(|fault| fault.kind)?;
        }
        Ok(columns)
    }
}

impl PartContent for RawPart {
    /// Returns whether the part has a fault, the rank of its weights, and what its ends are.
    fn survey(&mut self, options: &ReadOptions) -> Result<Vec<u64>, Fault> {
        match self.parse(options) {
            Ok(columns) => self.columns = columns,
            Err(fault) if fault.kind.is_of_system() => return Err(fault),
            Err(fault) => self.fault = Some(fault),
        }
        let ends = Ends::of_edges(&self.columns.u, &self.columns.v);
        let rank = self.columns.rank_of_weights();
        Ok([&[u64::from(self.fault.is_some()), rank][..], &ends.to_words()].concat())
    }

    fn dependencies(&self, head: Range<u64>) -> Vec<Range<u64>> {
        vec![head, self.bytes()]
    }

    fn finish(self: Box<Self>, surveys: &[&[u64]], options: &ReadOptions) -> Result<Part, Fault> {
        let start = self.bytes().start;
        let Self { row, rows, part, mut columns, fault, .. } = *self;
        let word = |survey: &&[u64], at: usize| survey.get(at).copied().unwrap_or_default();
        let faulty = surveys.iter().position(|survey| word(survey, 0) != 0);
        if let Some(mut fault) = fault.filter(|_| faulty == Some(part)) {
            if let Some(Place::Byte(byte)) = &mut fault.place {
                *byte += start;
            }
            return Err(fault);
        }
        if faulty.is_some() {
            return Err(Fault::whole("another part has a fault"));
        }
        let ends =
            |survey: &&[u64]| Ends::from_words(std::array::from_fn(|at| word(survey, 2 + at)));
        let all = surveys.iter().map(ends).fold(Ends::NONE, Ends::then);
        columns.base = rows.start;
        columns.kinds = Kinds::default();
        columns.widen(surveys.iter().map(|survey| word(survey, 1)).max().unwrap_or_default());
        let (vertices, lowest_id) = match options.vertices {
            Vertices::Count(count) => {
                super::check_count(count, all.all.largest, all.edges)?;
                (u64::from(count), None)
            }
            _ => (super::count_ids(all)?, (all.edges > 0).then_some(all.all.least)),
        };
        let mut notes = Vec::new();
        let vertices = usize::try_from(vertices).unwrap_or(usize::MAX);
        let graph =
            RawGraph::new(vertices, columns, row.weight.is_some()).build(options, &mut notes)?;
        let (first, format) = (rows.start, Format::RAW);
        Ok(Part { graph, first, format, notes, similarity: None, lowest_id })
    }
}
