//! Checks of the headers of pages, before the crate `parquet` reads them.
//!
//! Source: `parquet.thrift` in <https://github.com/apache/parquet-format>.

use std::fs::File;
use std::io::{self, Read};

use bytes::buf::Reader;
use bytes::{Buf, Bytes};
use kostra_core::memory;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

use super::thrift::Shape::{Boolean, Fields, Integer};
use super::thrift::{self, Shape};
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
/// [`ChunkReader::get_read`], and the rest of the page by [`ChunkReader::get_bytes`].
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
    fn header(&self, start: u64) -> io::Result<Bytes> {
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

/// Reads the header of a page, and checks it before the first byte is read.
pub(super) struct Header {
    rest: Reader<Bytes>,
    is_checked: bool,
}

impl Length for Stored {
    fn len(&self) -> u64 {
        match self {
            Self::Memory(bytes) => bytes.len() as u64,
            Self::Disk { length, .. } => *length,
        }
    }
}

impl ChunkReader for Stored {
    type T = Header;

    fn get_read(&self, start: u64) -> Result<Header> {
        Ok(Header { rest: self.header(start)?.reader(), is_checked: false })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let bytes = self.bytes(start, length as u64)?;
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
            self.is_checked = true;
        }
        self.rest.read(buffer)
    }
}
