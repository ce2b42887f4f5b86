//! The decoder of each compression, and its errors.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use kostra_parallel::affordable_threads;

use super::Compression;
use super::units::Units;
use super::window;
#[cfg(feature = "xz")]
use super::xz::{self, XzStreams};
use crate::ReadErrorKind;

/// The binary logarithm of the largest window of zstd, `zstd --long=31`.
#[cfg(feature = "zstd")]
const ZSTD_LARGEST: u32 = 31;
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

/// A decoder of consecutive streams on this thread. Refuses larger windows than `window`, and
/// without it those that the decoders refuse by themselves.
pub(super) fn in_order<'a>(
    compression: Compression,
    raw: impl BufRead + Send + 'a,
    window: Option<u64>,
) -> io::Result<Box<dyn Read + Send + 'a>> {
    #[cfg(not(any(feature = "xz", feature = "zstd")))]
    let _ = window;
    Ok(match compression {
        Compression::None => Box::new(raw),
        Compression::Gzip => Box::new(MultiGzDecoder::new(raw)),
        #[cfg(feature = "bzip2")]
        Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(raw)),
        #[cfg(feature = "zstd")]
        Compression::Zstd => {
            let mut decoder = zstd::Decoder::with_buffer(raw)?;
            if let Some(window) = window {
                decoder.window_log_max(window.next_power_of_two().ilog2().min(ZSTD_LARGEST))?;
            }
            Box::new(decoder)
        }
        #[cfg(feature = "xz")]
        Compression::Xz => Box::new(xz::in_order(raw, window)?),
        #[cfg(not(all(feature = "bzip2", feature = "xz", feature = "zstd")))]
        left_out => return Err(io::Error::other(ReadErrorKind::malformed(missing(left_out)))),
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
