//! The decoder of each compression, and its errors.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use kostra_parallel::affordable_threads;

use super::Compression;
use super::units::Units;
#[cfg(feature = "xz")]
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
        #[cfg(feature = "bzip2")]
        Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(raw)),
        #[cfg(feature = "zstd")]
        Compression::Zstd => Box::new(zstd::Decoder::with_buffer(raw)?),
        #[cfg(feature = "xz")]
        Compression::Xz => Box::new(xz::in_order(raw)?),
        #[cfg(not(all(feature = "bzip2", feature = "xz", feature = "zstd")))]
        left_out => return Err(io::Error::other(ReadErrorKind::Malformed(missing(left_out)))),
    })
}

/// Why a build without a compression's feature does not read or write it.
#[cfg(not(all(feature = "bzip2", feature = "xz", feature = "zstd")))]
pub(crate) fn missing(compression: Compression) -> String {
    let name = name(compression);
    format!("this build of Kostra leaves out {name}; build it with the feature {name}")
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
            #[cfg(feature = "xz")]
            (Compression::Xz, threads) => Box::new(XzStreams::new(raw, threads)?),
            // Without the feature, the stream is refused.
            #[cfg(not(feature = "xz"))]
            (Compression::Xz, _) => in_order(compression, raw)?,
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
