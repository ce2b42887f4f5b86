//! The decoder of each compression, and its errors.

use std::io::{self, BufRead, BufReader, Read};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use kostra_parallel::affordable_threads;
use liblzma::bufread::XzDecoder;

use super::Compression;
use super::units::Units;
use super::xz::{self, XzStreams};
use crate::ReadErrorKind;

/// The number of compressed bytes that are read at a time.
const COMPRESSED_BLOCK: usize = 1 << 17;

/// A decoder of consecutive streams on this thread.
pub(super) fn in_order<'a>(
    compression: Compression,
    raw: impl BufRead + Send + 'a,
) -> io::Result<Box<dyn Read + Send + 'a>> {
    Ok(match compression {
        Compression::None => Box::new(raw),
        Compression::Gzip => Box::new(MultiGzDecoder::new(raw)),
        Compression::Bzip2 => Box::new(MultiBzDecoder::new(raw)),
        Compression::Zstd => Box::new(zstd::Decoder::with_buffer(raw)?),
        Compression::Xz => {
            let flags = liblzma::stream::CONCATENATED;
            let stream = liblzma::stream::Stream::new_stream_decoder(xz::MEMORY, flags)?;
            Box::new(XzDecoder::new_stream(raw, stream))
        }
    })
}

pub(super) const fn name(compression: Compression) -> &'static str {
    match compression {
        Compression::None => "plain",
        Compression::Gzip => "gzip",
        Compression::Xz => "xz",
        Compression::Zstd => "zstd",
        Compression::Bzip2 => "bzip2",
    }
}

/// A decoder whose errors name the compression. Errors of the system pass through unchanged.
pub(super) struct Decoder<'a> {
    decoder: Box<dyn Read + Send + 'a>,
    compression: Compression,
}

impl<'a> Decoder<'a> {
    /// Decompresses `raw` on up to `threads` threads.
    pub(super) fn new(
        compression: Compression,
        raw: impl Read + Send + 'a,
        threads: usize,
    ) -> io::Result<Self> {
        let raw = BufReader::with_capacity(COMPRESSED_BLOCK, raw);
        let decoder: Box<dyn Read + Send + 'a> = match (compression, affordable_threads(threads)) {
            (_, 0 | 1) => in_order(compression, raw)?,
            (Compression::Xz, threads) => Box::new(XzStreams::new(raw, threads)?),
            (_, threads) => Box::new(Units::new(compression, raw, threads)),
        };
        Ok(Self { decoder, compression })
    }
}

impl Read for Decoder<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.decoder.read(buffer).map_err(|error| match error.downcast::<ReadErrorKind>() {
            Ok(kind) => io::Error::other(kind),
            Err(cause) => io::Error::other(ReadErrorKind::Compression {
                compression: name(self.compression),
                cause,
            }),
        })
    }
}
