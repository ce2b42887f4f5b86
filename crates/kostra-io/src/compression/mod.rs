//! Compressed inputs, recognized by their first bytes and decompressed as they are read.
//!
//! A stream that is cut short or followed by other bytes is an error. Damage is an error if the
//! stream cannot be decoded or its checksum is wrong; zstd and xz streams may have no checksum.
//! Several streams in one file, as parallel compressors write them, are read as one. Where the
//! file shows their boundaries, several threads decompress them: see `units` and `xz`.

mod boundary;
#[cfg(feature = "bzip2")]
mod bzip2_streams;
mod decoder;
mod in_order;
#[cfg(test)]
#[cfg(all(feature = "bzip2", feature = "xz", feature = "zstd"))]
mod tests;
mod units;
mod window;
#[cfg(feature = "xz")]
mod xz;

use std::fs::File;
use std::io::{self, Read};

use decoder::{Decoder, Decoding};
#[cfg(not(feature = "zstd"))]
pub(crate) use in_order::missing;
#[cfg(feature = "parquet")]
pub(crate) use window::USUAL as USUAL_WINDOW;

use crate::ReadErrorKind;
use crate::held_memory::HeldMemory;
use crate::source::{Progress, RawInput, from_io};

/// The number of bytes by which a format is recognized: some hundred lines of most texts.
pub(crate) const HEAD: usize = 1 << 16;
/// The most bytes by which a text is recognized, if it starts with comments or long lines. Unit
/// tests, which are built without inlining, would look over the true number for minutes.
pub(crate) const LONGEST_HEAD: usize = if cfg!(test) { 1 << 18 } else { 1 << 24 };
/// The compression ratio that is assumed when memory is reserved for what a compressed input's
/// header announces.
const LIKELY_RATIO: u64 = 64;
/// The length that is assumed for a stream of unknown length when memory is reserved for what its
/// header announces.
const LIKELY_BYTES: u64 = 1 << 26;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the compression it is named after")]
pub enum Compression {
    None,
    Gzip,
    Xz,
    Zstd,
    Bzip2,
}

/// The content of an input, decompressed.
pub(crate) struct Stream<'a> {
    reader: Box<dyn Read + Send + 'a>,
    head: Vec<u8>,
    taken: usize,
    whole: bool,
    likely_bytes: u64,
    pub(crate) compression: Compression,
    /// The memory of a decompressor beyond that which usual files need.
    pub(crate) window_bytes: u64,
    /// The memory that readers of the content hold.
    pub(crate) memory: HeldMemory,
    /// The content as a file that can be mapped into memory, if it is an uncompressed regular file.
    pub(crate) file: Option<File>,
    /// For readers of `file`: called with the number of bytes read.
    pub(crate) progress: &'a (dyn Fn(Progress) + Sync),
}

impl<'a> Stream<'a> {
    /// Recognizes the compression and decompresses the head of the content. This thread
    /// decompresses alone.
    pub(crate) fn new(source: RawInput<'a>) -> Result<Self, ReadErrorKind> {
        Self::with_threads(source, 1)
    }

    /// As [`new`](Self::new), but the memory of the decompressor is
    /// [known](Self::window_bytes): streams that need a larger window than the first are refused.
    pub(crate) fn in_known_memory(source: RawInput<'a>) -> Result<Self, ReadErrorKind> {
        Self::decoding(source, Decoding::InKnownMemory)
    }

    /// As [`new`](Self::new), with up to `threads` threads that decompress.
    pub(crate) fn with_threads(
        source: RawInput<'a>,
        threads: usize,
    ) -> Result<Self, ReadErrorKind> {
        Self::decoding(source, Decoding::OnThreads(threads))
    }

    fn decoding(mut source: RawInput<'a>, decoding: Decoding) -> Result<Self, ReadErrorKind> {
        let mut start = vec![0; window::HEADER];
        let count = fill(&mut *source.reader, &mut start).map_err(from_io)?;
        start.truncate(count);
        let compression = recognize(&start);
        let window = window::window(compression, &start);
        let raw = io::Cursor::new(start).chain(source.reader);
        let mut reader: Box<dyn Read + Send + 'a> = match compression {
            Compression::None => Box::new(raw),
            _ => Box::new(Decoder::new((compression, window), raw, decoding).map_err(from_io)?),
        };
        let mut head = vec![0; HEAD];
        let count = fill(&mut *reader, &mut head).map_err(from_io)?;
        head.truncate(count);
        let likely_bytes = match (source.size, compression) {
            (Some(size), Compression::None) => size,
            (Some(size), _) => size.saturating_mul(LIKELY_RATIO),
            (None, _) => LIKELY_BYTES,
        };
        let file = source.file.filter(|_| compression == Compression::None);
        Ok(Self {
            reader,
            whole: count < HEAD,
            head,
            taken: 0,
            likely_bytes,
            compression,
            window_bytes: window.saturating_sub(window::USUAL),
            memory: HeldMemory::default(),
            file,
            progress: source.progress,
        })
    }

    /// The content of a source that is known not to be compressed.
    pub(crate) fn plain(source: RawInput<'a>) -> Self {
        Self {
            reader: source.reader,
            head: Vec::new(),
            taken: 0,
            whole: false,
            likely_bytes: source.size.unwrap_or(LIKELY_BYTES),
            compression: Compression::None,
            window_bytes: 0,
            memory: HeldMemory::default(),
            file: None,
            progress: source.progress,
        }
    }

    /// The first [`HEAD`] bytes, or fewer if the content is shorter; they are not consumed. After
    /// [`look_further`](Self::look_further) there are more.
    pub(crate) fn head(&self) -> &[u8] {
        &self.head
    }

    /// Doubles the head, unless part of it has been read. Returns whether it grew.
    pub(crate) fn look_further(&mut self) -> Result<bool, ReadErrorKind> {
        if self.whole || self.taken > 0 {
            return Ok(false);
        }
        let have = self.head.len();
        self.head.resize(2 * have, 0);
        let count = fill(&mut *self.reader, self.head.get_mut(have..).unwrap_or_default())
            .map_err(from_io)?;
        self.head.truncate(have + count);
        self.whole = count < have;
        Ok(count > 0)
    }

    /// Whether the head is the whole content.
    pub(crate) fn head_is_whole(&self) -> bool {
        self.whole
    }

    /// The number of items to reserve memory for, if a header announces `items` items of at least
    /// `bytes_each` bytes. It is limited to what the content can hold at a compression ratio of
    /// [`LIKELY_RATIO`], so a false header cannot make the reader reserve much more than the file
    /// can fill. A file with a higher ratio costs some reallocations.
    pub(crate) fn reasonable(&self, items: u64, bytes_each: u64) -> usize {
        usize::try_from(items.min(self.likely_bytes / bytes_each + 1)).unwrap_or(usize::MAX)
    }
}

impl Read for Stream<'_> {
    /// Reads the content. Errors contain a [`ReadErrorKind`], which [`from_io`] extracts.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let head = self.head.get(self.taken..).unwrap_or_default();
        if head.is_empty() {
            self.head = Vec::new(); // it may be long
            return self.reader.read(buffer);
        }
        let count = head.len().min(buffer.len());
        buffer[..count].copy_from_slice(&head[..count]);
        self.taken += count;
        Ok(count)
    }
}

/// Reads until the buffer is full or the input ends.
pub(crate) fn fill(reader: &mut (impl Read + ?Sized), buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match reader.read(rest)? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(filled)
}

fn recognize(magic: &[u8]) -> Compression {
    match magic {
        [0x1f, 0x8b, ..] => Compression::Gzip,
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Compression::Xz,
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Compression::Zstd,
        // A bzip2 block starts with the digits of pi, an empty file with the square root of it.
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..]
        | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, ..] => {
            Compression::Bzip2
        }
        _ => Compression::None,
    }
}
