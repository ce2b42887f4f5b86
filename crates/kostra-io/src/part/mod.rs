//! A file that several processes read together: each reads a part of its edges, so that none holds
//! them all.
//!
//! Each opens the file and reads its part ([`PartReader::open`], [`PartReader::survey`]). The
//! caller passes the surveys of all parts to each of them, which completes its part with them
//! ([`PartReader::finish`]). A survey also says whether its part has a fault, so that the first
//! fault of the whole file is reported with its place in the file.
//!
//! Processes on several machines may open files that differ. [`PartReader::dependencies`] names the
//! bytes that a part depends on; if they are equal in two files, the part is the same in both.
//! [`hash_ranges`] compares them.

mod compare;
mod ecl;
#[cfg(test)]
mod tests;
mod text;

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use kostra_core::AnyGraph;

use crate::compression::Stream;
use crate::fault::Fault;
use crate::kst::KstFile;
use crate::read::format_of;
use crate::source::{self, Progress};
use crate::{Compression, Format, Input, ReadError, ReadOptions, open_kst};
pub use compare::{hash_ranges, pieces};
use ecl::EclPart;
use text::TextPart;

/// A part of a graph: all its vertices, and a range of its edges.
#[derive(Clone, Debug)]
pub struct Part {
    /// The vertices of the whole graph, and the edges of the part.
    pub graph: AnyGraph,
    /// The id of its first edge.
    pub first: u64,
    /// The format that the file is in.
    pub format: Format,
    /// As [`Loaded::notes`](crate::Loaded::notes).
    pub notes: Vec<String>,
    /// The lowest vertex that occurs in any part, where the file does not say how many vertices
    /// there are. Then they are the ids up to the highest that occurs in any part, and those that
    /// occur in no part are isolated.
    pub lowest_id: Option<u64>,
}

/// A file of which this process reads one part: an uncompressed `.kst`, ECL, DIMACS or edge-list
/// file.
#[derive(Debug)]
pub struct PartReader {
    input: String,
    content: Content,
    /// How many bytes at the start of the file were read to recognize the format and to read the
    /// text before the edges.
    head: u64,
    options: ReadOptions,
    part: usize,
    parts: usize,
}

#[derive(Debug)]
enum Content {
    Kst(KstFile),
    Text(Box<TextPart>),
    Ecl(Box<EclPart>),
}

impl PartReader {
    /// Opens a file to read part `part` of `parts`, counted from 0. None if it cannot be read in
    /// parts: it is compressed, in another format, empty, or no regular file, an edge list without
    /// edges, or its vertices have names.
    ///
    /// # Errors
    /// As [`read`](crate::read), as far as the first lines or the header tell.
    pub fn open(
        path: &Path,
        options: &ReadOptions,
        part: usize,
        parts: usize,
    ) -> Result<Option<Self>, ReadError> {
        let input = path.display().to_string();
        let head = AtomicU64::new(0);
        let watch = |progress: Progress| head.store(progress.bytes, Ordering::Relaxed);
        let content = Self::content(path, options, (part, parts), &watch)
            .map_err(|fault| fault.of(input.clone()))?;
        let head = head.load(Ordering::Relaxed);
        Ok(content.map(|content| Self {
            input,
            content,
            head,
            options: options.clone(),
            part,
            parts,
        }))
    }

    /// The format that the file is in.
    pub fn format(&self) -> Format {
        match &self.content {
            Content::Kst(_) => Format::Kst,
            Content::Text(text) => text.format(),
            Content::Ecl(_) => Format::Ecl,
        }
    }

    fn content(
        path: &Path,
        options: &ReadOptions,
        (part, parts): (usize, usize),
        watch: &(dyn Fn(Progress) + Sync),
    ) -> Result<Option<Content>, Fault> {
        if options.names || path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            return Ok(None);
        }
        let mut stream = Stream::new(source::open(&Input::Path(path.to_path_buf()), watch)?)?;
        if stream.compression != Compression::None || stream.head().is_empty() {
            return Ok(None);
        }
        Ok(match format_of(&mut stream, options)? {
            Format::Kst => {
                let file = open_kst(path)
                    .map_err(|error| Fault { place: error.place, kind: error.kind })?;
                Some(Content::Kst(file))
            }
            format @ (Format::Dimacs | Format::EdgeList) => {
                let text = TextPart::open(path, stream, format, options, part, parts)?;
                text.map(|text| Content::Text(Box::new(text)))
            }
            Format::Ecl => {
                EclPart::open(path, part, parts)?.map(|rows| Content::Ecl(Box::new(rows)))
            }
            _ => None,
        })
    }

    /// Reads the part, and returns the words that the other parts need to complete theirs.
    ///
    /// # Errors
    /// When the system fails to read the file or has too little memory. [`finish`](Self::finish)
    /// reports faults of the content.
    pub fn survey(&mut self) -> Result<Vec<u64>, ReadError> {
        match &mut self.content {
            Content::Kst(file) => Ok(file.checksums_of_part(self.part, self.parts, &self.options)),
            Content::Text(text) => {
                text.survey(&self.options).map_err(|fault| fault.of(self.input.as_str()))
            }
            Content::Ecl(rows) => {
                rows.survey().map_err(|kind| Fault::from(kind).of(self.input.as_str()))
            }
        }
    }

    /// The bytes of the file that this part depends on, once it has been [surveyed](Self::survey).
    /// Two files of the same length that are equal in these bytes give the same part. Of a `.kst`
    /// file these are the bytes before its first array: they hold the checksums of the arrays, and
    /// [`finish`](Self::finish) checks those that the part uses.
    pub fn dependencies(&self) -> Vec<Range<u64>> {
        let head = 0..self.head;
        match &self.content {
            Content::Kst(file) => std::iter::once(0..file.start_of_arrays()).collect(),
            Content::Text(text) => vec![head, text.lines()],
            Content::Ecl(rows) => std::iter::once(head).chain(rows.bytes_read()).collect(),
        }
    }

    /// Completes the part with the surveys of all parts, in order.
    ///
    /// # Errors
    /// As [`read`](crate::read). Of the errors of all parts, that of the first one counts; then no
    /// part is of use, and those before it may be empty.
    pub fn finish(self, surveys: &[&[u64]]) -> Result<Part, ReadError> {
        let part = match self.content {
            Content::Kst(file) => file.load_part(self.part, self.parts, surveys, &self.options),
            Content::Text(text) => text.finish(surveys, &self.options),
            Content::Ecl(rows) => rows.finish(surveys, &self.options),
        };
        part.map_err(|fault| fault.of(self.input))
    }
}
