//! Rows of an ECL file, of which each part has a range.
//!
//! Each edge must be in the rows of both its ends, which may belong to two parts. So each part sums
//! a hash of every entry, positive where the entry names a later vertex and negative where it names
//! an earlier one. Over all parts the sum is zero if every edge is in both rows. Otherwise it is
//! zero with a chance of about 2^-64, unless the file was made for that. If the sum is not zero, or
//! anything else is wrong, the first part reads the whole file to report the fault.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use kostra_core::Vertex;

use super::Part;
use crate::columns::{Columns, Number};
use crate::fault::Fault;
use crate::{Format, Input, ReadErrorKind, ReadOptions, read, weights};

const WORD: u64 = 4;

/// A part of an ECL file.
#[derive(Debug)]
pub(super) struct EclPart {
    path: PathBuf,
    n: usize,
    entries: u64,
    weighted: bool,
    rows: Range<usize>,
    part: usize,
    columns: Columns,
    /// Which words of the file were read.
    words: Vec<Range<u64>>,
}

impl EclPart {
    /// Finds the part's rows. None if the file's length is not the one that its first numbers
    /// announce.
    pub(super) fn open(
        path: &Path,
        part: usize,
        parts: usize,
    ) -> Result<Option<Self>, ReadErrorKind> {
        let mut file = Words::open(path).map_err(ReadErrorKind::Io)?;
        let words = file.file.metadata().map_err(ReadErrorKind::Io)?.len();
        if words < 2 * WORD {
            return Ok(None);
        }
        let header = file.numbers(0..2).map_err(ReadErrorKind::Io)?;
        let (Ok(n), Ok(entries)) = (usize::try_from(header[0]), u64::try_from(header[1])) else {
            return Ok(None);
        };
        let bare = WORD * (3 + n as u64 + entries);
        let weighted = entries == 0 || words != bare;
        if words != bare + if weighted { WORD * entries } else { 0 } {
            return Ok(None);
        }
        let mut bound = |part: usize| -> io::Result<usize> {
            // The first row that starts at the part's share of all entries or after it.
            let wanted = (u128::from(entries) * part as u128 / parts as u128) as i64;
            if part == parts {
                return Ok(n);
            }
            let (mut low, mut high) = (0, n as u64);
            while low < high {
                let middle = low + (high - low) / 2;
                if i64::from(file.numbers(2 + middle..3 + middle)?[0]) < wanted {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            Ok(low as usize)
        };
        let rows =
            bound(part).and_then(|start| Ok(start..bound(part + 1)?)).map_err(ReadErrorKind::Io)?;
        let path = path.to_path_buf();
        Ok(Some(Self {
            path,
            n,
            entries,
            weighted,
            rows,
            part,
            columns: Columns::default(),
            words: file.read,
        }))
    }

    /// Where in the file the numbers are that were read.
    pub(super) fn bytes_read(&self) -> impl Iterator<Item = Range<u64>> {
        self.words.iter().map(|words| WORD * words.start..WORD * words.end)
    }

    /// Reads the part: whether it is well-formed, how many edges it has, and the sum of its hashes.
    pub(super) fn survey(&mut self) -> Result<Vec<u64>, ReadErrorKind> {
        let mut file = Words::open(&self.path).map_err(ReadErrorKind::Io)?;
        let sum = self.parse(&mut file).map_err(ReadErrorKind::Io)?;
        self.words.append(&mut file.read);
        Ok(vec![u64::from(sum.is_none()), self.columns.len() as u64, sum.unwrap_or_default()])
    }

    /// The sum of the hashes, unless something is wrong.
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
        let neighbours = file.numbers(base + first..base + last)?;
        let base = base + self.entries;
        let weights = if self.weighted {
            file.numbers(base + first..base + last)?
        } else {
            vec![0; neighbours.len()]
        };
        let mut sum = 0_u64;
        for (row, bounds) in (start as Vertex..).zip(offsets.windows(2)) {
            for entry in (bounds[0] - first) as usize..(bounds[1] - first) as usize {
                let (Ok(to), weight) = (Vertex::try_from(neighbours[entry]), weights[entry]) else {
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
                    self.columns.push_weight(Number::Integer(weight.into()));
                }
            }
        }
        Ok(Some(sum))
    }

    /// Completes the part.
    pub(super) fn finish(
        mut self,
        surveys: &[&[u64]],
        options: &ReadOptions,
    ) -> Result<Part, Fault> {
        let word = |survey: &&[u64], at: usize| survey.get(at).copied().unwrap_or_default();
        let sum = surveys.iter().fold(0_u64, |sum, survey| sum.wrapping_add(word(survey, 2)));
        if sum != 0 || surveys.iter().any(|survey| word(survey, 0) != 0) {
            if self.part > 0 {
                return Err(Fault::whole("a part is at fault"));
            }
            let options = ReadOptions { format: Some(Format::Ecl), ..options.clone() };
            return Err(match read(&Input::Path(self.path), &options, &|_| {}) {
                Err(error) => Fault { place: error.place, kind: error.kind },
                Ok(_) => Fault::whole("the file changes while it is read"),
            });
        }
        let first = surveys.iter().take(self.part).map(|survey| word(survey, 1)).sum();
        self.columns.base = first;
        let mut notes = Vec::new();
        let graph = weights::graph(self.n, self.columns, self.weighted, None, options, &mut notes)?;
        Ok(Part { graph, first, format: Format::Ecl, notes, lowest_id: None })
    }
}

/// The file as numbers, and which of them were read.
struct Words {
    file: File,
    read: Vec<Range<u64>>,
}

impl Words {
    fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: File::open(path)?, read: Vec::new() })
    }

    /// Some of the numbers.
    fn numbers(&mut self, range: Range<u64>) -> io::Result<Vec<i32>> {
        const BLOCK: u64 = 1 << 20;
        self.read.push(range.clone());
        self.file.seek(SeekFrom::Start(WORD * range.start))?;
        let mut numbers = Vec::with_capacity((range.end - range.start) as usize);
        let mut bytes = Vec::new();
        for start in range.clone().step_by((BLOCK / WORD) as usize) {
            bytes.resize((WORD * (range.end - start).min(BLOCK / WORD)) as usize, 0);
            self.file.read_exact(&mut bytes)?;
            numbers.extend(bytes.as_chunks::<4>().0.iter().map(|&word| i32::from_le_bytes(word)));
        }
        Ok(numbers)
    }
}

/// A hash of an edge: twice the finalizer of SplitMix64 (Steele, Lea & Flood 2014).
fn hash(u: Vertex, v: Vertex, weight: i32) -> u64 {
    let mix = |mut z: u64| {
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    mix(mix(u64::from(u) << 32 | u64::from(v))
        .wrapping_add(u64::from(weight as u32))
        .wrapping_add(0x9e37_79b9_7f4a_7c15))
}
