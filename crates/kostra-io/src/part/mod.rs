//! Files that several processes read together: each reads a part of the edges, so that no process
//! holds all of them.
//!
//! Each process opens the file and reads its part ([`PartReader::open`], [`PartReader::survey`]).
//! The caller passes the surveys of all parts to each process, which completes its part with them
//! ([`PartReader::finish`]). A survey also says whether its part has a fault, so that the first
//! fault of the whole file is reported with its place in the file.
//!
//! Processes on several machines may open files that differ. [`PartReader::dependencies`] names the
//! bytes that a part depends on; if they are equal in two files, the part is the same in both.
//! [`hash_ranges`] compares them.

mod compare;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::compression::{Compression, Stream};
use crate::fault::Fault;
use crate::file_version::{FileInUse, FileVersion};
use crate::interface::{Format, Part, PartContent, PartOfFile, ReadOptions};
use crate::recognition::choose_format;
use crate::source::{self, Input, Progress};
use crate::{ReadError, ReadErrorKind};
pub use compare::{hash_ranges, pieces};

/// A reader of one part of an uncompressed file.
#[derive(Debug)]
pub struct PartReader {
    input: String,
    format: Format,
    content: Box<dyn PartContent>,
    /// The bytes at the start of the file that were read to recognize the format and to read the
    /// text before the edges.
    head: Range<u64>,
    file: FileInUse,
    options: ReadOptions,
}

impl PartReader {
    /// Opens a file to read part `part` of `parts`, counted from 0. Returns `None` if the file
    /// cannot be read in parts: it is compressed, empty, not a regular file, an edge list without
    /// edges or with names of vertices, or in a format that is [not read in
    /// parts](Format::is_read_in_parts).
    ///
    /// # Errors
    /// As [`read`](crate::read), as far as the header or the first lines show the fault.
    pub fn open(
        path: &Path,
        options: &ReadOptions,
        part: usize,
        parts: usize,
    ) -> Result<Option<Self>, ReadError> {
        let input = path.display().to_string();
        let named = |fault: Fault| fault.in_input(input.clone());
        if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            return Ok(None);
        }
        let file = FileInUse::at(path).map_err(|cause| named(ReadErrorKind::Io(cause).into()))?;
        let head = AtomicU64::new(0);
        let watch = |progress: Progress| head.store(progress.bytes, Ordering::Relaxed);
        let content = open_content(&PartOfFile { path, part, parts }, options, &watch);
        let content = file.checked(content).map_err(named)?;
        let head = 0..head.load(Ordering::Relaxed);
        let options = options.clone();
        Ok(content.map(|(format, content)| Self { input, format, content, head, file, options }))
    }

    /// The version of the file that the part is read from.
    pub fn version(&self) -> FileVersion {
        self.file.version()
    }

    /// The format of the file.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Reads the part, and returns the words that the other parts need to complete theirs.
    ///
    /// # Errors
    /// When the system fails to read the file or has too little memory, or the file has changed
    /// since it was opened. [`finish`](Self::finish) reports faults of the content.
    pub fn survey(&mut self) -> Result<Vec<u64>, ReadError> {
        let survey = self.content.survey(&self.options);
        self.file.checked(survey).map_err(|fault| fault.in_input(self.input.as_str()))
    }

    /// The bytes of the file that this part depends on, once it has been [surveyed](Self::survey).
    /// Two files of the same length that are equal in these bytes give the same part. For a `.kst`
    /// file these are the bytes before its first array: they contain the checksums of the arrays,
    /// and [`finish`](Self::finish) checks those that the part uses.
    pub fn dependencies(&self) -> Vec<Range<u64>> {
        self.content.dependencies(self.head.clone())
    }

    /// Completes the part with the surveys of all parts, in order.
    ///
    /// # Errors
    /// As [`read`](crate::read). If parts fail, the error of the first of them is the fault of the
    /// file. Then no part may be used, and those before the first may be empty.
    pub fn finish(self, surveys: &[&[u64]]) -> Result<Part, ReadError> {
        let part = self.content.finish(surveys, &self.options);
        self.file.checked(part).map_err(|fault| fault.in_input(self.input))
    }
}

/// The format of a file, and one part of it.
type Opened = (Format, Box<dyn PartContent>);

fn open_content(
    of: &PartOfFile<'_>,
    options: &ReadOptions,
    watch: &(dyn Fn(Progress) + Sync),
) -> Result<Option<Opened>, Fault> {
    let keeps = options.columns.id.is_some() || !options.columns.keep.is_empty();
    if options.names || keeps {
        return Ok(None);
    }
    let (source, _) = source::open(&Input::Path(of.path.to_path_buf()), watch)?;
    let mut stream = Stream::new(source)?;
    if stream.compression != Compression::None || stream.head().is_empty() {
        return Ok(None);
    }
    let format = choose_format(&mut stream, &of.path.to_string_lossy(), options)?.format;
    let Some(open) = format.info().read_part else { return Ok(None) };
    Ok(open(of, stream, options)?.map(|content| (format, content)))
}
