//! The window of a decompressor, from the first bytes of its stream.
//!
//! - **zstd** (RFC 8878, section 3.1.1.1): the header of a frame states the size of the window.
//! - **xz** (the .xz file format 1.2.1, sections 3.1 and 5.3.1): the header of a block states the
//!   size of the dictionary.
//! - Other compressions have windows of at most 4 MiB.

use super::Compression;
use super::boundary::number;

/// The number of bytes that contain the first header, also after a short skippable frame, with
/// which parallel compressors start.
pub(super) const HEADER: usize = 64;
/// The largest window of usual files: that of `zstd -19` and of `xz -6`.
pub(crate) const USUAL: u64 = 8 << 20;

/// The bytes of the window that the first stream needs; 0 if its header does not show it.
pub(super) fn window(compression: Compression, bytes: &[u8]) -> u64 {
    let window = match compression {
        Compression::Zstd => zstd(bytes),
        Compression::Xz => xz(bytes),
        Compression::None | Compression::Gzip | Compression::Bzip2 => None,
    };
    window.unwrap_or_default()
}

fn zstd(mut bytes: &[u8]) -> Option<u64> {
    const MAGIC: usize = 0xfd2f_b528;
    while number::<4>(bytes, 0)? != MAGIC {
        bytes = bytes.get(8 + number::<4>(bytes, 4)?..)?;
    }
    let descriptor = *bytes.get(4)?;
    let has_window = descriptor & 0x20 == 0;
    if has_window {
        let size = *bytes.get(5)?;
        let base = 1 << (10 + (size >> 3));
        return Some(base + base / 8 * u64::from(size & 7));
    }
    // The window is the content.
    let at = 5 + [0, 1, 2, 4][usize::from(descriptor & 3)];
    let content = match descriptor >> 6 {
        0 => number::<1>(bytes, at)?,
        1 => number::<2>(bytes, at)? + 256,
        2 => number::<4>(bytes, at)?,
        _ => number::<8>(bytes, at)?,
    };
    Some(content as u64)
}

fn xz(bytes: &[u8]) -> Option<u64> {
    const STREAM_HEADER: usize = 12;
    const LZMA2: u8 = 0x21;
    const HAS_COMPRESSED_SIZE: u8 = 0x40;
    const HAS_SIZE: u8 = 0x80;
    let flags = *bytes.get(STREAM_HEADER + 1)?;
    let mut rest = bytes.get(STREAM_HEADER + 2..)?;
    for _ in [HAS_COMPRESSED_SIZE, HAS_SIZE].iter().filter(|&flag| flags & flag != 0) {
        // A number ends with the first byte below 128.
        let last = rest.iter().position(|&byte| byte < 128)?;
        rest = rest.get(last + 1..)?;
    }
    // Filters: an identifier, the length of the properties, the properties. LZMA2 is the last.
    for _ in 0..=flags & 3 {
        let &[filter, length, property, ..] = rest else { return None };
        if filter == LZMA2 {
            let mantissa = 2 | u64::from(property & 1);
            return Some(mantissa << (property.min(40) / 2 + 11));
        }
        rest = rest.get(2 + usize::from(length)..)?;
    }
    None
}
