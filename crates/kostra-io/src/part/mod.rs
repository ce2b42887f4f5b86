//! A file that several processes read together: each reads a part of its edges, so that none holds them all.
//!
//! Each opens the file and reads its part ([`PartReader::open`], [`PartReader::survey`]); then it is told what all have
//! found, and completes its part with that ([`PartReader::finish`]). How the processes speak is not this crate's
//! business. What one part finds wrong is in what it tells, so that the first fault of the whole file is known by the
//! place that it has in the file.

mod ecl;
#[cfg(test)]
mod tests;
mod text;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use kostra_core::AnyGraph;
use xxhash_rust::xxh3::Xxh3;

use crate::compression::Stream;
use crate::fault::Fault;
use crate::kst::KstFile;
use crate::read::format_of;
use crate::source::{self, Progress};
use crate::{Compression, Format, Input, ReadError, ReadErrorKind, ReadOptions, open_kst};
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
    /// The lowest vertex that occurs in any part, where the file does not say how many vertices there are. Then they are
    /// the ids up to the highest that occurs in any part, and those that occur in no part are isolated.
    pub lowest_id: Option<u64>,
}

/// A file of which one part is read here. `.kst`, ECL, DIMACS and edge lists can be read so, not compressed.
#[derive(Debug)]
pub struct PartReader {
    input: String,
    content: Content,
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
    /// Opens a file, of which part `part` of `parts`, from 0, is to be read. None if it cannot be read in parts: it is
    /// compressed, in another format, or no regular file, or its vertices have names.
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
        let content = Self::content(path, options, part, parts).map_err(|fault| fault.of(input.clone()))?;
        Ok(content.map(|content| Self { input, content, options: options.clone(), part, parts }))
    }

    fn content(
        path: &Path,
        options: &ReadOptions,
        part: usize,
        parts: usize,
    ) -> Result<Option<Content>, Fault> {
        if options.names || path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
            return Ok(None);
        }
        let unwatched: &'static (dyn Fn(Progress) + Sync) = &|_| {};
        let mut stream = Stream::new(source::open(&Input::Path(path.to_path_buf()), unwatched)?)?;
        if stream.compression != Compression::None || stream.head().is_empty() {
            return Ok(None);
        }
        Ok(match format_of(&mut stream, options)? {
            Format::Kst => {
                let file = open_kst(path).map_err(|error| Fault { place: error.place, kind: error.kind })?;
                Some(Content::Kst(file))
            }
            format @ (Format::Dimacs | Format::EdgeList) => {
                let text = TextPart::open(path, stream, format, options, part, parts)?;
                text.map(|text| Content::Text(Box::new(text)))
            }
            Format::Ecl => EclPart::open(path, part, parts)?.map(|rows| Content::Ecl(Box::new(rows))),
            _ => None,
        })
    }

    /// Reads the part, and returns what the other parts must know of it.
    ///
    /// # Errors
    /// When the system fails to read the file. What is wrong with its content is said by [`finish`](Self::finish).
    pub fn survey(&mut self) -> Result<Vec<u64>, ReadError> {
        match &mut self.content {
            Content::Kst(file) => Ok(file.checksums_of_part(self.part, self.parts, &self.options)),
            Content::Text(text) => text.survey(&self.options).map_err(|fault| fault.of(self.input.as_str())),
            Content::Ecl(rows) => rows.survey().map_err(|kind| Fault::from(kind).of(self.input.as_str())),
        }
    }

    /// Completes the part, with what all parts have told, in order.
    ///
    /// # Errors
    /// As [`read`](crate::read). Of the errors of all parts, that of the first one counts; then no part is of use, and
    /// those before it may be empty.
    pub fn finish(self, surveys: &[&[u64]]) -> Result<Part, ReadError> {
        let part = match self.content {
            Content::Kst(file) => file.load_part(self.part, self.parts, surveys),
            Content::Text(text) => text.finish(surveys, &self.options),
            Content::Ecl(rows) => rows.finish(surveys, &self.options),
        };
        part.map_err(|fault| fault.of(self.input))
    }
}

/// What tells one content of a file from another without reading it all: its length, and a hash of its first and its
/// last 64 KiB. Of what is no regular file, it says that.
///
/// # Errors
/// When the file cannot be opened or read.
pub fn fingerprint(path: &Path) -> Result<String, ReadError> {
    const EDGE: u64 = 1 << 16;
    let print = || -> io::Result<String> {
        let metadata = path.metadata()?;
        if !metadata.is_file() {
            return Ok("no regular file".to_owned());
        }
        let (mut file, length) = (File::open(path)?, metadata.len());
        let mut hasher = Xxh3::new();
        for start in [0, length.saturating_sub(EDGE)] {
            let mut bytes = Vec::new();
            file.seek(SeekFrom::Start(start))?;
            file.by_ref().take(EDGE).read_to_end(&mut bytes)?;
            hasher.update(&bytes);
        }
        Ok(format!("{length} bytes (hash {:016x})", hasher.digest()))
    };
    let failed =
        |cause| ReadError { input: path.display().to_string(), place: None, kind: ReadErrorKind::Io(cause) };
    print().map_err(failed)
}
