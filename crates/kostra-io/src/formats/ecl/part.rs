//! One part of an ECL file: a range of its rows.
//!
//! Each edge must be in the rows of both its ends, which may be in two parts. So each part adds up
//! a hash of every entry: positive if the entry names a later vertex than its row, and negative if
//! it names an earlier one. Over all parts the sum is zero if every edge is in both rows. Otherwise
//! the sum is zero with probability about 2^-64, unless the file was made for that. If the sum is
//! not zero, or a part has another fault, the first part reads the whole file to report the fault.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use kostra_core::Vertex;
use kostra_core::random::{STEP, mix};

use super::read::read;
use crate::columns::{Columns, TextNumber};
use crate::compression::Stream;
use crate::fault::Fault;
use crate::interface::{Format, Part, PartContent, PartOfFile};
use crate::source::{self, Input};
use crate::{ReadErrorKind, ReadOptions, weights};

/// The number of bytes of each number.
const WORD_BYTES: u64 = 4;
/// The number of bytes that are read at a time.
const BLOCK_BYTES: u64 = 1 << 20;

/// A part of an ECL file.
#[derive(Debug)]
struct EclPart {
    path: PathBuf,
    n: usize,
    entries: u64,
    weighted: bool,
    rows: Range<usize>,
    part: usize,
    columns: Columns,
    /// The ranges of words that were read from the file.
    words: Vec<Range<u64>>,
}

/// Finds the rows of the part. Returns `None` if the file's length is not the one that its first
/// numbers announce.
pub(super) fn open(
    of: &PartOfFile<'_>,
    _: Stream<'_>,
    _: &ReadOptions,
) -> Result<Option<Box<dyn PartContent>>, Fault> {
    let part = EclPart::open(of).map_err(ReadErrorKind::Io)?;
    Ok(part.map(|part| Box::new(part) as Box<dyn PartContent>))
}

impl PartContent for EclPart {
    /// Returns whether the part has a fault, its number of edges, and the sum of its hashes.
    fn survey(&mut self, _: &ReadOptions) -> Result<Vec<u64>, Fault> {
        let mut file = Words::open(&self.path).map_err(ReadErrorKind::Io)?;
        let sum = self.parse(&mut file).map_err(ReadErrorKind::Io)?;
        self.words.append(&mut file.read);
        Ok(vec![u64::from(sum.is_none()), self.columns.len() as u64, sum.unwrap_or_default()])
    }

    fn dependencies(&self, head: Range<u64>) -> Vec<Range<u64>> {
        let bytes = |words: &Range<u64>| WORD_BYTES * words.start..WORD_BYTES * words.end;
        std::iter::once(head).chain(self.words.iter().map(bytes)).collect()
    }

    fn finish(self: Box<Self>, surveys: &[&[u64]], options: &ReadOptions) -> Result<Part, Fault> {
        let word = |survey: &&[u64], at: usize| survey.get(at).copied().unwrap_or_default();
        let sum = surveys.iter().fold(0_u64, |sum, survey| sum.wrapping_add(word(survey, 2)));
        if sum != 0 || surveys.iter().any(|survey| word(survey, 0) != 0) {
            return Err(self.fault(options));
        }
        let first = surveys.iter().take(self.part).map(|survey| word(survey, 1)).sum();
        let Self { n, mut columns, weighted, .. } = *self;
        columns.base = first;
        let mut notes = Vec::new();
        let graph = weights::RawGraph::new(n, columns, weighted).build(options, &mut notes)?;
        let (format, similarity) = (Format::ECL, None);
        Ok(Part { graph, first, format, notes, similarity, lowest_id: None })
    }
}

impl EclPart {
    fn open(of: &PartOfFile<'_>) -> io::Result<Option<Self>> {
        let mut file = Words::open(of.path)?;
        let words = file.file.metadata()?.len();
        if words < 2 * WORD_BYTES {
            return Ok(None);
        }
        let header = file.numbers(0..2)?;
        let (Ok(n), Ok(entries)) = (usize::try_from(header[0]), u64::try_from(header[1])) else {
            return Ok(None);
        };
        let bare = WORD_BYTES * (3 + n as u64 + entries);
        let weighted = entries == 0 || words != bare;
        if words != bare + if weighted { WORD_BYTES * entries } else { 0 } {
            return Ok(None);
        }
        let mut bound = |part: usize| {
            let share = (u128::from(entries) * part as u128 / of.parts as u128) as i64;
            if part == of.parts { Ok(n) } else { file.first_row_from(share, n) }
        };
        let rows = bound(of.part)?..bound(of.part + 1)?;
        Ok(Some(Self {
            path: of.path.to_path_buf(),
            n,
            entries,
            weighted,
            rows,
            part: of.part,
            columns: Columns::default(),
            words: file.read,
        }))
    }

    /// The fault of the file, for the part that reports it: the first one reads the whole file.
    fn fault(&self, options: &ReadOptions) -> Fault {
        if self.part > 0 {
            return Fault::whole("another part has a fault");
        }
        let whole = source::open(&Input::Path(self.path.clone()), &|_| {})
            .and_then(|(source, _)| read(Stream::new(source)?, options));
        whole.err().unwrap_or_else(|| ReadErrorKind::Changed.into())
    }

    /// Reads the rows. Returns the sum of the hashes, or `None` if there is a fault.
    fn parse(&mut self, file: &mut Words) -> io::Result<Option<u64>> {
        let (start, end) = (self.rows.start as u64, self.rows.end as u64);
        if start > end {
            return Ok(None);
        }
        let offsets: Option<Vec<_>> = file
            .numbers(2 + start..3 + end)?
            .into_iter()
            .map(|offset| u64::try_from(offset).ok())
            .collect();
        let Some(offsets) = offsets else { return Ok(None) };
        let (first, last) = (offsets[0], offsets[offsets.len() - 1]);
        let is_whole = (start > 0 || first == 0) && (end < self.n as u64 || last == self.entries);
        if !offsets.is_sorted() || last > self.entries || !is_whole {
            return Ok(None);
        }
        let base = 3 + self.n as u64;
        let neighbors = file.numbers(base + first..base + last)?;
        let base = base + self.entries;
        let weights = if self.weighted {
            file.numbers(base + first..base + last)?
        } else {
            vec![0; neighbors.len()]
        };
        let mut sum = 0_u64;
        for (row, bounds) in (start as Vertex..).zip(offsets.windows(2)) {
            for entry in (bounds[0] - first) as usize..(bounds[1] - first) as usize {
                let (Ok(to), weight) = (Vertex::try_from(neighbors[entry]), weights[entry]) else {
                    return Ok(None);
                };
                if to as usize >= self.n {
                    return Ok(None);
                }
                if to < row {
                    sum = sum.wrapping_sub(hash(to, row, weight));
                    continue;
                }
                if to > row {
                    sum = sum.wrapping_add(hash(row, to, weight));
                }
                self.columns.push_ends(row, to);
                if self.weighted {
                    self.columns.push_weight(TextNumber::Integer(weight.into()));
                }
            }
        }
        Ok(Some(sum))
    }
}

/// The file as numbers, and the ranges that were read.
struct Words {
    file: File,
    read: Vec<Range<u64>>,
}

impl Words {
    fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: File::open(path)?, read: Vec::new() })
    }

    /// The first of `n` rows that starts at entry `entry` or after it.
    fn first_row_from(&mut self, entry: i64, n: usize) -> io::Result<usize> {
        let (mut low, mut high) = (0, n as u64);
        while low < high {
            let middle = low + (high - low) / 2;
            if i64::from(self.numbers(2 + middle..3 + middle)?[0]) < entry {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low as usize)
    }

    /// The numbers in a range of the file.
    fn numbers(&mut self, range: Range<u64>) -> io::Result<Vec<i32>> {
        self.read.push(range.clone());
        self.file.seek(SeekFrom::Start(WORD_BYTES * range.start))?;
        let mut numbers = Vec::with_capacity((range.end - range.start) as usize);
        let mut bytes = Vec::new();
        for start in range.clone().step_by((BLOCK_BYTES / WORD_BYTES) as usize) {
            bytes.resize(
                (WORD_BYTES * (range.end - start).min(BLOCK_BYTES / WORD_BYTES)) as usize,
                0,
            );
            self.file.read_exact(&mut bytes)?;
            numbers.extend(bytes.as_chunks::<4>().0.iter().map(|&word| i32::from_le_bytes(word)));
        }
        Ok(numbers)
    }
}

/// A hash of an edge: the finalizer of SplitMix64 (Steele, Lea & Flood 2014), applied twice.
fn hash(u: Vertex, v: Vertex, weight: i32) -> u64 {
    mix(mix(u64::from(u) << 32 | u64::from(v))
        .wrapping_add(u64::from(weight as u32))
        .wrapping_add(STEP))
}
