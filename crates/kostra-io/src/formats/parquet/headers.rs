//! Checks of the headers of pages, before the crate `parquet` reads them.
//!
//! Source: `parquet.thrift` in <https://github.com/apache/parquet-format>.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::buf::Reader;
use bytes::{Buf, Bytes};
use kostra_core::memory;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

use super::thrift::Shape::{Boolean, Fields, Integer};
use super::thrift::{self, Shape, Walk};
use crate::ReadErrorKind;
use crate::row_file::read_at;

/// A header: `PageHeader`. The crate skips the statistics.
const HEADER: &[Shape] = &[
    Integer,
    Integer,
    Integer,
    Integer,
    Fields(&[Integer; 4]),
    Fields(&[]),
    Fields(&[Integer, Integer, Boolean]),
    Fields(&[Integer, Integer, Integer, Integer, Integer, Integer, Boolean]),
];

/// The bytes of a file, in memory or on a disk. The crate reads the header of a page by
/// [`ChunkReader::get_read`] of [`ColumnBytes`], and the rest by [`ChunkReader::get_bytes`].
pub(super) enum Stored {
    Memory(Bytes),
    Disk { file: File, length: u64 },
}

/// The bytes of a header that are read from a disk at first, and at most.
const SHORT: u64 = 1 << 12;
const LONGEST: u64 = 1 << 20;

impl Stored {
    /// Bytes in memory.
    pub(super) fn in_memory(bytes: Vec<u8>) -> Self {
        Self::Memory(bytes.into())
    }

    /// A range of bytes; those beyond the end of the file are left out.
    pub(super) fn bytes(&self, start: u64, length: u64) -> io::Result<Bytes> {
        let start = start.min(self.len());
        let length = length.min(self.len() - start);
        match self {
            // The ends are within the bytes in memory.
            Self::Memory(bytes) => Ok(bytes.slice(start as usize..(start + length) as usize)),
            Self::Disk { file, .. } => {
                let mut bytes = memory::zeros(length as usize).map_err(refused)?;
                let read = read_at(file, &mut bytes, start);
                read.map_err(|cause| refused(ReadErrorKind::Io(cause)))?;
                Ok(bytes.into())
            }
        }
    }

    /// The bytes from the start of a header, at least to its end.
    pub(super) fn header(&self, start: u64) -> io::Result<Bytes> {
        let mut length = if let Self::Memory(_) = self { u64::MAX } else { SHORT };
        loop {
            let bytes = self.bytes(start, length)?;
            let is_all = (bytes.len() as u64) < length || length >= LONGEST;
            if is_all || thrift::check(&bytes, HEADER).is_ok() {
                return Ok(bytes);
            }
            length *= 16;
        }
    }
}

/// A refusal that passes through the crate.
fn refused(kind: impl Into<ReadErrorKind>) -> io::Error {
    io::Error::other(kind.into())
}

/// What a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageKind {
    Data,
    Dictionary,
    /// The crate passes over it.
    Index,
}

/// What the header of a page states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageHeader {
    pub(super) kind: PageKind,
    /// The bytes of the page when it is decompressed, and as it is stored.
    pub(super) plain: u64,
    pub(super) stored: u64,
    pub(super) values: u64,
}

impl PageHeader {
    /// The header at the start of these bytes, and its number of bytes. `None` if there is none,
    /// or one that the crate refuses: without a kind or sizes.
    pub(super) fn read(bytes: &[u8]) -> Option<(u64, Self)> {
        /// The fields of the kind, the sizes, and what kinds of pages have of their own.
        const KIND: i16 = 1;
        const PLAIN: i16 = 2;
        const STORED: i16 = 3;
        const OF_KINDS: [i16; 3] = [5, 7, 8];
        thrift::check(bytes, HEADER).ok()?;
        let mut walk = Walk::new(bytes);
        let [mut kind, mut plain, mut stored, mut values] = [None; 4];
        let read = walk.structure(|walk, id, of| {
            match id {
                KIND => kind = Some(walk.integer()?),
                PLAIN => plain = Some(walk.integer()?),
                STORED => stored = Some(walk.integer()?),
                _ if OF_KINDS.contains(&id) => walk.structure(|walk, id, of| {
                    if id != 1 {
                        return walk.skip(of, 0);
                    }
                    values = Some(walk.integer()?);
                    Ok(())
                })?,
                _ => walk.skip(of, 0)?,
            }
            Ok(())
        });
        read.ok()?;
        let kind = match kind? {
            0 | 3 => PageKind::Data,
            1 => PageKind::Index,
            2 => PageKind::Dictionary,
            _ => return None,
        };
        // The crate reads the lower 32 bits.
        let size = |size: i64| u64::try_from(size as i32).ok();
        let values = values.and_then(size).unwrap_or_default();
        let header = Self { kind, plain: size(plain?)?, stored: size(stored?)?, values };
        Some(((bytes.len() - walk.left()) as u64, header))
    }
}

/// The bytes of a column. Remembers the size that the last header which was read states.
pub(super) struct ColumnBytes {
    pub(super) stored: Arc<Stored>,
    pub(super) stated: Arc<AtomicUsize>,
}

/// Reads the header of a page, and checks it before the first byte is read.
pub(super) struct Header {
    rest: Reader<Bytes>,
    is_checked: bool,
    stated: Arc<AtomicUsize>,
}

impl Length for ColumnBytes {
    fn len(&self) -> u64 {
        self.stored.len()
    }
}

impl Length for Stored {
    fn len(&self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::Disk { length, .. } => *length,
        }
    }
}

impl ChunkReader for ColumnBytes {
    type T = Header;

    fn get_read(&self, start: u64) -> Result<Header> {
        let rest = self.stored.header(start)?.reader();
        Ok(Header { rest, is_checked: false, stated: Arc::clone(&self.stated) })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let bytes = self.stored.bytes(start, length as u64)?;
        if bytes.len() < length {
            return Err(ParquetError::EOF("a page ends after the file".into()));
        }
        Ok(bytes)
    }
}

impl Read for Header {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.is_checked {
            let checked = thrift::check(self.rest.get_ref().chunk(), HEADER);
            checked.map_err(|_| {
                let sentence = "the header of a page is damaged; write the file again";
                refused(ReadErrorKind::malformed(sentence))
            })?;
            if let Some((_, header)) = PageHeader::read(self.rest.get_ref().chunk()) {
                self.stated.store(header.plain as usize, Ordering::Relaxed);
            }
            self.is_checked = true;
        }
        self.rest.read(buffer)
    }
}
