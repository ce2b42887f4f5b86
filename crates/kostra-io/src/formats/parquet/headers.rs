//! Checks of the headers of pages, before the crate `parquet` reads them.
//!
//! Source: `parquet.thrift` in <https://github.com/apache/parquet-format>.

use std::io::{self, Read};

use bytes::buf::Reader;
use bytes::{Buf, Bytes};
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};

use super::thrift::Shape::{Boolean, Fields, Integer};
use super::thrift::{self, Shape};
use crate::ReadErrorKind;

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

/// The bytes of a file. The crate reads the header of a page by [`ChunkReader::get_read`], and the
/// rest of the page by [`ChunkReader::get_bytes`].
pub(super) struct Stored(pub(super) Bytes);

/// Reads the header of a page, and checks it before the first byte is read.
pub(super) struct Header {
    rest: Reader<Bytes>,
    is_checked: bool,
}

impl Length for Stored {
    fn len(&self) -> u64 {
        Length::len(&self.0)
    }
}

impl ChunkReader for Stored {
    type T = Header;

    fn get_read(&self, start: u64) -> Result<Header> {
        Ok(Header { rest: self.0.get_read(start)?, is_checked: false })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        ChunkReader::get_bytes(&self.0, start, length)
    }
}

impl Read for Header {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.is_checked {
            let checked = thrift::check(self.rest.get_ref().chunk(), HEADER);
            checked.map_err(|_| {
                let sentence = "the header of a page is damaged; write the file again";
                io::Error::other(ReadErrorKind::Malformed(sentence.into()))
            })?;
            self.is_checked = true;
        }
        self.rest.read(buffer)
    }
}
