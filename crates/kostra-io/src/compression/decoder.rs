//! Decoders on several threads or on one, and their errors.

use std::io::{self, BufReader, Read};

use kostra_parallel::affordable_threads;

use super::Compression;
use super::in_order::{in_order, name};
use super::units::Units;
use super::window;
#[cfg(feature = "xz")]
use super::xz::{self, XzStreams};
use crate::ReadErrorKind;

/// The message of the zstd decoder for a larger window than it may use.
const ZSTD_REFUSAL: &str = "Frame requires too much memory for decoding";
/// The number of compressed bytes that are read at a time.
const COMPRESSED_BLOCK: usize = 1 << 17;

/// How streams are decompressed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Decoding {
    /// On up to this many threads.
    OnThreads(usize),
    /// On this thread. A window that is larger than usual, and larger than that of the first
    /// stream, is refused.
    InKnownMemory,
}

/// A decoder whose errors name the compression. Errors of the system pass through unchanged.
pub(super) struct Decoder<'a> {
    decoder: Box<dyn Read + Send + 'a>,
    compression: Compression,
}

impl<'a> Decoder<'a> {
    /// Decompresses `raw`, whose first stream needs a window of this size.
    pub(super) fn new(
        (compression, window): (Compression, u64),
        raw: impl Read + Send + 'a,
        decoding: Decoding,
    ) -> io::Result<Self> {
        let raw = BufReader::with_capacity(COMPRESSED_BLOCK, raw);
        let (threads, window) = match decoding {
            Decoding::OnThreads(threads) => (affordable_threads(threads), None),
            Decoding::InKnownMemory => (1, Some(window.max(window::USUAL))),
        };
        let decoder: Box<dyn Read + Send + 'a> = match (compression, threads) {
            (_, 0 | 1) => in_order(compression, raw, window)?,
            #[cfg(feature = "xz")]
            (Compression::Xz, threads) => Box::new(XzStreams::new(raw, threads)?),
            // Without the feature, the stream is refused.
            #[cfg(not(feature = "xz"))]
            (Compression::Xz, _) => in_order(compression, raw, window)?,
            (_, threads) => Box::new(Units::new(compression, raw, threads)),
        };
        Ok(Self { decoder, compression })
    }
}

/// Whether a stream needs a larger window than its decoder may use.
fn is_large_window(cause: &io::Error) -> bool {
    #[cfg(feature = "xz")]
    if xz::is_large_window(cause) {
        return true;
    }
    cause.to_string() == ZSTD_REFUSAL
}

impl Read for Decoder<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.decoder.read(buffer).map_err(|error| match error.downcast::<ReadErrorKind>() {
            Ok(kind) => io::Error::other(kind),
            Err(cause) if is_large_window(&cause) => {
                let name = name(self.compression);
                let option = if self.compression == Compression::Zstd { " --long=31" } else { "" };
                io::Error::other(ReadErrorKind::malformed(format!(
                    "the {name} stream needs more memory than its start shows or than Kostra \
                     allows; decompress it with `{name} -d{option}`, to a file or a pipe"
                )))
            }
            Err(cause) => io::Error::other(ReadErrorKind::Compression {
                compression: name(self.compression),
                cause,
            }),
        })
    }
}
