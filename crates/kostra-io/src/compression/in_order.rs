//! The decoder of each compression, on one thread.

use std::io::{self, BufRead, Read};

use flate2::bufread::MultiGzDecoder;

use super::Compression;
#[cfg(feature = "xz")]
use super::xz;
#[cfg(not(all(feature = "bzip2", feature = "xz", feature = "zstd")))]
use crate::ReadErrorKind;

/// The binary logarithm of the largest window of zstd, `zstd --long=31`.
#[cfg(feature = "zstd")]
const ZSTD_LARGEST: u32 = 31;

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
        Compression::Bzip2 => Box::new(super::bzip2_streams::Bzip2Streams::new(raw)),
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
