//! The values of a column in a group of rows, written as pages.
//!
//! If few values differ, the pages contain positions in a dictionary, and otherwise the values.
//!
//! Source: `Encodings.md` in <https://github.com/apache/parquet-format>.

use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::Range;

use super::structure::{Structure, put_varint};

/// The number of rows of a page. A multiple of the 8 positions that are packed into whole bytes.
const PAGE_ROWS: usize = 1 << 14;

/// The most bytes of a dictionary.
const LONGEST_DICTIONARY: usize = 1 << 20;

/// Numbers of the format: encodings, kinds of pages, and a compression.
const PLAIN: i32 = 0;
const RUNS: i32 = 3;
const DICTIONARY: i32 = 8;
const DATA_PAGE: i32 = 0;
const DICTIONARY_PAGE: i32 = 2;
const SNAPPY: i32 = 1;

/// Values one after another, each as the encoding PLAIN stores it.
pub(super) struct Values {
    bytes: Vec<u8>,
    /// Where each value ends.
    ends: Ends,
}

enum Ends {
    /// All values have this length.
    Every(usize),
    At(Vec<usize>),
}

impl Values {
    /// Numbers, given by their little-endian bytes.
    pub(super) fn numbers<const SIZE: usize>(numbers: impl Iterator<Item = [u8; SIZE]>) -> Self {
        Self { bytes: numbers.flatten().collect(), ends: Ends::Every(SIZE) }
    }

    pub(super) fn texts<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for text in texts {
            // A page cannot be as long as a text whose length is cut here.
            bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
            ends.push(bytes.len());
        }
        Self { bytes, ends: Ends::At(ends) }
    }

    fn len(&self) -> usize {
        match &self.ends {
            Ends::Every(size) => self.bytes.len() / size,
            Ends::At(ends) => ends.len(),
        }
    }

    /// The bytes of the values in a range of rows.
    fn range(&self, rows: Range<usize>) -> &[u8] {
        let start = |row: usize| match &self.ends {
            Ends::Every(size) => row * size,
            Ends::At(ends) => row.checked_sub(1).map_or(0, |before| ends[before]),
        };
        &self.bytes[start(rows.start)..start(rows.end)]
    }
}

/// The different values, and the position of the value of each row among them.
struct Dictionary<'a> {
    values: Vec<&'a [u8]>,
    positions: Vec<u32>,
}

impl<'a> Dictionary<'a> {
    /// The dictionary of some values, if it is short.
    fn of(values: &'a Values) -> Option<Self> {
        let longest = LONGEST_DICTIONARY.min(values.bytes.len() / 2);
        let mut found = HashMap::new();
        let mut dictionary = Self { values: Vec::new(), positions: Vec::new() };
        let mut length = 0;
        for row in 0..values.len() {
            let value = values.range(row..row + 1);
            let next = dictionary.values.len() as u32;
            let position = *found.entry(value).or_insert(next);
            if position == next {
                length += value.len();
                if length > longest {
                    return None;
                }
                dictionary.values.push(value);
            }
            dictionary.positions.push(position);
        }
        Some(dictionary)
    }

    /// The positions of some rows, packed.
    fn pack(&self, rows: Range<usize>) -> Vec<u8> {
        let last = self.values.len().saturating_sub(1) as u32;
        // Not 0 bits, which some readers do not expect.
        let width = (u32::BITS - last.leading_zeros()).max(1);
        let groups = rows.len().div_ceil(8);
        let mut bytes = vec![width as u8];
        put_varint(&mut bytes, (groups as u64) << 1 | 1);
        let (mut bits, mut count) = (0_u64, 0);
        let padding = std::iter::repeat_n(&0, groups * 8 - rows.len());
        for &position in self.positions[rows].iter().chain(padding) {
            bits |= u64::from(position) << count;
            count += width;
            while count >= 8 {
                bytes.push(bits as u8);
                bits >>= 8;
                count -= 8;
            }
        }
        bytes
    }
}

/// A file that is being written.
pub(super) struct Output<'a> {
    to: &'a mut dyn Write,
    offset: u64,
}

/// The pages of a column in a group of rows.
#[derive(Default)]
pub(super) struct Chunk {
    rows: usize,
    dictionary: Option<u64>,
    data: u64,
    /// The bytes of the pages with their headers, before and after compression.
    plain_bytes: u64,
    pub(super) bytes: u64,
}

impl<'a> Output<'a> {
    pub(super) fn new(to: &'a mut dyn Write) -> Self {
        Self { to, offset: 0 }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.offset += bytes.len() as u64;
        self.to.write_all(bytes)
    }

    /// Writes the pages of a column.
    pub(super) fn write_chunk(&mut self, values: &Values) -> io::Result<Chunk> {
        let mut chunk = Chunk { rows: values.len(), data: self.offset, ..Chunk::default() };
        let dictionary = Dictionary::of(values);
        let encoding = if dictionary.is_some() { DICTIONARY } else { PLAIN };
        if let Some(Dictionary { values, .. }) = &dictionary {
            let header = Structure::default().int(1, values.len() as i32).int(2, PLAIN);
            chunk.dictionary = Some(self.offset);
            self.write_page(&mut chunk, (DICTIONARY_PAGE, 7, header), &values.concat())?;
            chunk.data = self.offset;
        }
        for first in (0..values.len()).step_by(PAGE_ROWS) {
            let rows = first..values.len().min(first + PAGE_ROWS);
            let header = Structure::default().int(1, rows.len() as i32).int(2, encoding);
            let header = (DATA_PAGE, 5, header.int(3, RUNS).int(4, RUNS));
            match &dictionary {
                Some(dictionary) => self.write_page(&mut chunk, header, &dictionary.pack(rows))?,
                None => self.write_page(&mut chunk, header, values.range(rows))?,
            }
        }
        Ok(chunk)
    }

    /// Writes a page. The header has the kind, and a structure in a field of this id.
    fn write_page(
        &mut self,
        chunk: &mut Chunk,
        (kind, id, inner): (i32, u8, Structure),
        page: &[u8],
    ) -> io::Result<()> {
        let packed = snap::raw::Encoder::new().compress_vec(page).map_err(io::Error::other)?;
        let size = |bytes: &[u8]| {
            let too_long = |_| io::Error::other("a page of Parquet cannot hold texts this long");
            i32::try_from(bytes.len()).map_err(too_long)
        };
        let header = Structure::default().int(1, kind).int(2, size(page)?).int(3, size(&packed)?);
        let header = header.structure(id, inner).end();
        chunk.plain_bytes += (header.len() + page.len()) as u64;
        chunk.bytes += (header.len() + packed.len()) as u64;
        self.write(&header)?;
        self.write(&packed)
    }
}

impl Chunk {
    /// The description of the column, whose values have this type: `ColumnChunk`.
    pub(super) fn description(&self, name: &str, values: i32) -> Structure {
        let encodings: &[_] =
            if self.dictionary.is_some() { &[PLAIN, RUNS, DICTIONARY] } else { &[PLAIN, RUNS] };
        let column = Structure::default().int(1, values).ints(2, encodings).texts(3, &[name]);
        let column = column.int(4, SNAPPY).long(5, self.rows as i64);
        let column = column.long(6, self.plain_bytes as i64).long(7, self.bytes as i64);
        let mut column = column.long(9, self.data as i64);
        if let Some(offset) = self.dictionary {
            column = column.long(11, offset as i64);
        }
        // No value is missing. Without that, fastparquet reads integers as floats.
        column = column.structure(12, Structure::default().long(3, 0));
        Structure::default().long(2, 0).structure(3, column)
    }
}
