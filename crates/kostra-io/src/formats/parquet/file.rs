//! A file: its columns, and their values in batches of rows.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use kostra_parallel::{Schedule, into_item, lock, with_team};
use parquet::basic::CompressionCodec;
use parquet::column::reader::get_column_reader;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::reader::{Length, SerializedPageReader};

use super::cells::{Cells, Cursor};
use super::column::{Column, Kind, columns};
use super::headers::{ColumnBytes, Stored};
use super::page_sizes::{self, Wanted};
use super::pages::Pages;
use super::{MAGIC, VERTICES, footer};
use crate::ReadErrorKind;
use crate::compression::USUAL_WINDOW;
use crate::damage;
use crate::fault::Fault;
use crate::held_memory::{HeldMemory, too_small};
use crate::number::show;
use crate::source::from_io;

/// The first and the last bytes of an encrypted file.
const ENCRYPTED: &[u8] = b"PARE";

/// The most rows per byte of a file. Files of edges have a few bytes per row; a claim of more rows
/// than this is hostile, and would take memory out of proportion.
const MOST_ROWS_PER_BYTE: u64 = 256;

/// The number of rows that are decoded at a time. A text may take as much memory as a page.
const BATCH: usize = 256;

/// A Parquet file.
pub(super) struct File {
    stored: Arc<Stored>,
    metadata: ParquetMetaData,
    pub(super) columns: Vec<Column>,
    pub(super) rows: u64,
    /// The memory of the description.
    described: u64,
}

/// Consecutive rows that are stored together.
#[derive(Clone)]
pub(super) struct Group<'a> {
    metadata: &'a RowGroupMetaData,
    /// The rows, counted from the first of the table.
    pub(super) rows: Range<usize>,
}

/// What takes memory, and what else helps.
const DESCRIPTION: (&str, &str) =
    ("the description of the columns", "write larger groups of rows, or fewer columns or metadata");
const PAGES: (&str, &str) = ("holding the largest pages of the columns", "write smaller pages");

/// The columns that are read in blocks: two of vertices, and one of weights.
const MOST_READ: usize = 3;
/// The memory of a description per byte, as far as it is known before the description is read.
const LIKELY_MEMORY: u64 = 12;

/// The memory besides the state of a decompressor, which is always held and suffices for usual
/// pages.
fn beyond_usual(bytes: u64) -> u64 {
    bytes.saturating_sub(USUAL_WINDOW)
}

fn hold(memory: &HeldMemory, bytes: u64, reason: (&str, &str)) -> Result<(), Fault> {
    Ok(memory.hold(beyond_usual(bytes), reason)?)
}

impl File {
    /// Reads the description at the end of a file.
    pub(super) fn open(stored: Stored, memory: &HeldMemory) -> Result<Self, Fault> {
        let length = stored.len();
        let read = |start, count| stored.bytes(start, count).map_err(from_io);
        let magic = MAGIC.len() as u64;
        let end = read(length.saturating_sub(magic + 4), magic + 4)?;
        if end.ends_with(ENCRYPTED) {
            return Err(Fault::whole("the file is encrypted; write it without encryption"));
        }
        let cut = || Fault::at_byte(length, "the file is cut short; copy or write it again");
        let size = end.strip_suffix(MAGIC).and_then(|size| size.try_into().ok()).ok_or_else(cut)?;
        let size = u64::from(u32::from_le_bytes(size));
        let start = (length - magic - 4).checked_sub(size).ok_or_else(cut)?;
        if start < magic || read(0, magic)? != MAGIC {
            return Err(cut());
        }
        // The texts are copied.
        let texts = size.saturating_mul(2);
        if let Some(least) = memory.missing(beyond_usual(texts))? {
            let likely = memory.missing(beyond_usual(size.saturating_mul(LIKELY_MEMORY)))?;
            let least = likely.unwrap_or(least);
            return Err(Fault::whole(too_small(least, DESCRIPTION.0, DESCRIPTION.1)));
        }
        let description = &*read(start, size)?;
        let damaged = || {
            let sentence = "the description of the columns is damaged; write the file again";
            Fault::at_byte(start, sentence)
        };
        let described = texts.saturating_add(footer::check(description).map_err(|_| damaged())?);
        hold(memory, described, DESCRIPTION)?;
        let metadata = ParquetMetaDataReader::decode_metadata(description);
        let metadata = metadata.map_err(|_| damaged())?;
        let groups = metadata.row_groups().iter();
        let rows = groups.map(|group| u64::try_from(group.num_rows()).unwrap_or(u64::MAX));
        let rows = rows.fold(0, u64::saturating_add);
        if rows > length.saturating_mul(MOST_ROWS_PER_BYTE) {
            return Err(Fault::at_byte(
                start,
                format!(
                    "the file claims {rows} rows in {length} bytes, which no table of edges has; \
                     write it again without compression"
                ),
            ));
        }
        // Columns that share bytes would take time out of proportion.
        let chunks = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
        let claimed =
            chunks.map(|chunk| u64::try_from(chunk.compressed_size()).unwrap_or(u64::MAX));
        let claimed = claimed.fold(0, u64::saturating_add);
        if claimed > length {
            return Err(Fault::at_byte(
                start,
                format!(
                    "the file claims {claimed} bytes of columns, but it has {length} bytes; write \
                     it again"
                ),
            ));
        }
        let columns = columns(&metadata);
        Ok(Self { stored: Arc::new(stored), metadata, columns, rows, described })
    }

    /// The number of vertices that the file states.
    pub(super) fn vertices(&self) -> Option<u32> {
        let pairs = self.metadata.file_metadata().key_value_metadata()?;
        pairs.iter().find(|pair| pair.key == VERTICES)?.value.as_ref()?.parse().ok()
    }

    /// The groups of rows, which can be decoded independently.
    pub(super) fn groups(&self) -> Vec<Group<'_>> {
        let mut end = 0_usize;
        let groups = self.metadata.row_groups().iter().map(|metadata| {
            let rows = usize::try_from(metadata.num_rows()).unwrap_or(usize::MAX);
            let start = end;
            end = start.saturating_add(rows);
            Group { metadata, rows: start..end }
        });
        groups.collect()
    }

    /// Calls `work` with each group, on up to `threads` threads. The results are in the order of
    /// `groups`.
    pub(super) fn on_threads<'a, T: Send>(
        groups: &[Group<'a>],
        threads: usize,
        work: impl Fn(Group<'a>) -> Result<T, Fault> + Sync,
    ) -> Vec<Result<T, Fault>> {
        let results: Vec<_> = groups.iter().map(|_| Mutex::new(None)).collect();
        with_team(threads.min(groups.len()), |team| {
            team.for_each(groups.len(), Schedule::Dynamic(1), |at| {
                let result = damage::expect(|| work(groups[at].clone()));
                *lock(&results[at]) = Some(result);
            });
        });
        results.into_iter().filter_map(into_item).collect()
    }

    /// Calls `each` with the values of these columns, for successive batches of a group's rows.
    pub(super) fn scan_group(
        &self,
        Group { metadata, rows }: Group<'_>,
        columns: &[usize],
        mut each: impl FnMut(&[Cells<'_>]) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let open = columns.iter().map(|&column| self.cursor(metadata, column, rows.len()));
        let mut cursors = open.collect::<Result<Vec<_>, _>>()?;
        for start in rows.clone().step_by(BATCH) {
            let count = (rows.end - start).min(BATCH);
            let read = cursors.iter_mut().map(|cursor| cursor.read(start, count));
            each(&read.collect::<Result<Vec<_>, _>>()?)?;
        }
        Ok(())
    }

    /// Holds what reading the first value of each column takes, one column after the other.
    pub(super) fn hold_first(&self, memory: &HeldMemory) -> Result<(), Fault> {
        if !memory.is_limited() {
            return Ok(());
        }
        let groups = self.metadata.row_groups().iter();
        let group = groups.into_iter().find(|group| group.num_rows() > 0);
        let mut most = 0;
        for chunk in group.into_iter().flat_map(RowGroupMetaData::columns) {
            most = most.max(page_sizes::memory(&self.stored, chunk, Wanted::First)?);
        }
        let held = self.described.saturating_add(most);
        let Some(least) = memory.missing(beyond_usual(held))? else { return Ok(()) };
        // Vertices and weights are numbers, so the limit also suffices for the next question.
        let numbers = (0..self.columns.len()).filter(|&column| self.is_of_numbers(column));
        let each = numbers.map(|column| self.memory_of(column));
        let mut each = each.collect::<Result<Vec<_>, _>>()?;
        each.sort_unstable_by(|a, b| b.cmp(a));
        let all = each.into_iter().take(MOST_READ).fold(self.described, u64::saturating_add);
        let least = memory.missing(beyond_usual(all.max(held)))?.unwrap_or(least);
        Err(Fault::whole(too_small(least, PAGES.0, PAGES.1)))
    }

    /// Holds what reading these columns takes, one group after the other.
    pub(super) fn hold_columns(&self, memory: &HeldMemory, columns: &[usize]) -> Result<(), Fault> {
        let mut all = self.described;
        for &column in columns.iter().filter(|_| memory.is_limited()) {
            all = all.saturating_add(self.memory_of(column)?);
        }
        hold(memory, all, PAGES)
    }

    /// What reading a column takes, one group after the other.
    fn memory_of(&self, column: usize) -> Result<u64, ReadErrorKind> {
        let content = self.columns.get(column).map(|column| column.content);
        let Some(Ok((leaf, _))) = content else { return Ok(0) };
        let mut most = 0;
        for group in self.metadata.row_groups() {
            if let Some(chunk) = group.columns().get(leaf) {
                most = most.max(page_sizes::memory(&self.stored, chunk, Wanted::All)?);
            }
        }
        Ok(most)
    }

    fn is_of_numbers(&self, column: usize) -> bool {
        let content = self.columns.get(column).map(|column| column.content);
        content.is_some_and(|content| content.is_ok_and(|(_, kind)| kind != Kind::Texts))
    }

    /// The value of the first row of a column, as text; empty if there is none.
    pub(super) fn first(&self, index: usize) -> Result<String, Fault> {
        match self.columns.get(index).map(|column| column.content) {
            Some(Err(what)) => return Ok(what.to_owned()),
            None => return Ok(String::new()),
            Some(Ok(_)) => {}
        }
        let groups = self.metadata.row_groups().iter();
        let Some(group) = groups.into_iter().find(|group| group.num_rows() > 0) else {
            return Ok(String::new());
        };
        let rows = usize::try_from(group.num_rows()).unwrap_or(usize::MAX);
        let mut cursor = self.cursor(group, index, rows)?;
        let cells = cursor.read(0, 1)?;
        // A geometry beside the columns of edges is no text.
        Ok(cells.text(0).map_or_else(|_| "bytes".to_owned(), Cow::into_owned))
    }

    fn cursor(
        &self,
        group: &RowGroupMetaData,
        index: usize,
        rows: usize,
    ) -> Result<Cursor<'_>, Fault> {
        let missing = || Fault::whole("a chosen column is missing; write the file again");
        let column = self.columns.get(index).ok_or_else(missing)?;
        let (leaf, kind) = column.content.map_err(|what| {
            let name = show(column.name.as_bytes());
            Fault::whole(format!(
                "column '{name}' contains {what}, which Kostra does not read; choose another column"
            ))
        })?;
        let chunk = group.columns().get(leaf).ok_or_else(missing)?;
        if u64::try_from(chunk.num_values()) != Ok(rows as u64) {
            return Err(column.damaged().into());
        }
        let stated = Arc::default();
        let bytes = ColumnBytes { stored: Arc::clone(&self.stored), stated: Arc::clone(&stated) };
        let plain = chunk.clone().into_builder();
        let plain = plain.set_compression_codec(CompressionCodec::UNCOMPRESSED).build();
        let stored = plain
            .and_then(|plain| SerializedPageReader::new(Arc::new(bytes), &plain, rows, None))
            .map_err(|error| column.explain(error))?;
        let description = chunk.column_descr_ptr();
        let optional = description.max_def_level() > 0;
        let pages = Pages {
            stored,
            stated,
            compression: chunk.compression_codec(),
            values: chunk.column_type(),
            width: usize::try_from(description.type_length()).unwrap_or_default(),
            optional,
            most: rows as u64,
            dictionary: Arc::default(),
        };
        let dictionary = Arc::clone(&pages.dictionary);
        let reader = get_column_reader(description, Box::new(pages));
        Ok(Cursor::new(column, kind, optional, (reader, dictionary)))
    }
}
