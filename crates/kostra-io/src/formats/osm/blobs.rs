//! The outer layer of an OpenStreetMap file: separately compressed blobs with headers.

use std::borrow::Cow;
use std::io::Read;

use kostra_core::counted;

use super::protobuf::{Broken, Fields};
#[cfg(not(feature = "zstd"))]
use crate::compression::{Compression, missing};
use crate::fault::Fault;
use crate::message::Message;
use crate::source::from_io;

/// The limits that the format sets.
const LONGEST_HEADER: u32 = 64 << 10;
const LONGEST_BLOB: u64 = 32 << 20;

/// The type of a blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Header,
    Data,
    /// A type that readers must skip.
    Other,
}

/// A blob as it is stored in the file.
#[derive(Debug)]
pub(super) struct Blob {
    pub(super) kind: Kind,
    /// The offset of its bytes in the file.
    pub(super) offset: u64,
    pub(super) bytes: Vec<u8>,
}

/// Reads the blobs of a file in order.
pub(super) struct Blobs<R> {
    reader: R,
    offset: u64,
}

impl<R: Read> Blobs<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, offset: 0 }
    }

    /// The next blob; `None` at the end of the file.
    pub(super) fn next(&mut self) -> Result<Option<Blob>, Fault> {
        let start = self.offset;
        let mut length = Vec::new();
        self.append(&mut length, 4)?;
        let Some(&length) = length.first_chunk() else {
            return if length.is_empty() { Ok(None) } else { Err(self.cut_short()) };
        };
        let length = u32::from_be_bytes(length);
        if length > LONGEST_HEADER {
            let sentence = format!(
                "a header of {length} bytes is announced, where {LONGEST_HEADER} are the most"
            );
            return Err(Fault::at_byte(start, sentence));
        }
        let header = self.exactly(length.into())?;
        let (kind, size) = parse_header(&header)
            .map_err(|Broken| Fault::at_byte(start + 4, "the header of a block is damaged"))?;
        if size > LONGEST_BLOB {
            let sentence =
                format!("a block of {size} bytes is announced, where {LONGEST_BLOB} are the most");
            return Err(Fault::at_byte(start + 4, sentence));
        }
        let offset = self.offset;
        Ok(Some(Blob { kind, offset, bytes: self.exactly(size)? }))
    }

    fn exactly(&mut self, length: u64) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        self.append(&mut bytes, length)?;
        if bytes.len() as u64 == length { Ok(bytes) } else { Err(self.cut_short()) }
    }

    /// Appends up to `length` bytes. The buffer grows with the bytes that are read.
    fn append(&mut self, bytes: &mut Vec<u8>, length: u64) -> Result<(), Fault> {
        let read = self.reader.by_ref().take(length).read_to_end(bytes).map_err(from_io)?;
        self.offset += read as u64;
        Ok(())
    }

    fn cut_short(&self) -> Fault {
        Fault::at_byte(self.offset, "the file ends within a block")
    }
}

fn parse_header(bytes: &[u8]) -> Result<(Kind, u64), Broken> {
    let (mut kind, mut size) = (None, None);
    for field in Fields(bytes) {
        match field? {
            (1, name) => {
                kind = Some(match name.bytes()? {
                    b"OSMHeader" => Kind::Header,
                    b"OSMData" => Kind::Data,
                    _ => Kind::Other,
                });
            }
            (3, length) => size = Some(length.number()?),
            _ => {}
        }
    }
    kind.zip(size).ok_or(Broken)
}

impl Blob {
    /// A fault of this blob.
    pub(super) fn fault(&self, sentence: impl Into<Message>) -> Fault {
        Fault::at_byte(self.offset, sentence)
    }

    /// The decompressed content, limited to the size that the format allows.
    pub(super) fn content(&self) -> Result<Cow<'_, [u8]>, Fault> {
        let damaged = |Broken| self.fault("this block is damaged");
        let (mut announced, mut content) = (None, None);
        for field in Fields(&self.bytes) {
            let (number, value) = field.map_err(damaged)?;
            match number {
                2 => announced = Some(value.number().map_err(damaged)?),
                1 | 3..=7 => content = Some((number, value.bytes().map_err(damaged)?)),
                _ => {}
            }
        }
        let (number, bytes) = content.ok_or(Broken).map_err(damaged)?;
        let mut plain = Vec::new();
        let most = LONGEST_BLOB + 1;
        let result = match number {
            1 => return Ok(Cow::Borrowed(bytes)),
            3 => flate2::bufread::ZlibDecoder::new(bytes).take(most).read_to_end(&mut plain),
            #[cfg(feature = "zstd")]
            7 => zstd::Decoder::with_buffer(bytes)
                .and_then(|decoder| decoder.take(most).read_to_end(&mut plain)),
            #[cfg(not(feature = "zstd"))]
            7 => Err(std::io::Error::other(missing(Compression::Zstd))),
            _ => {
                let name =
                    ["lzma", "bzip2", "lz4"].get(number as usize - 4).copied().unwrap_or_default();
                let advice = "rewrite it with zlib: osmium cat -o OUT.osm.pbf IN.osm.pbf";
                return Err(self.fault(format!(
                    "this block is compressed with {name}, which Kostra does not read; {advice}"
                )));
            }
        };
        let length =
            result.map_err(|cause| self.fault(format!("this block is damaged: {cause}")))? as u64;
        if length > LONGEST_BLOB {
            return Err(self.fault(format!(
                "this block is longer than {LONGEST_BLOB} bytes, which are the most"
            )));
        }
        if announced.is_some_and(|announced| announced != length) {
            return Err(self.fault(format!(
                "this block has {}, but announces {}",
                counted(length, "byte", "bytes"),
                announced.unwrap_or(0)
            )));
        }
        Ok(Cow::Owned(plain))
    }
}
