//! Where a compressed stream ends and the next one begins, without decompressing it.
//!
//! - **BGZF** (the SAM/BAM specification, section 4.1): each gzip member states its size in an
//!   extra field. Other gzip members do not show their ends.
//! - **zstd** (RFC 8878): the header of each block states the size of the block, so a walk over
//!   the blocks finds the end of the frame. Parallel compressors and the seekable format write many
//!   frames.
//! - **bzip2**: a stream ends where the next one begins, with ten bytes that occur inside a stream
//!   by chance once in 2^80 places. Parallel compressors write one stream per block.

use super::Compression;

/// The most compressed bytes and the most decompressed bytes of a unit. Parallel compressors write
/// units of 64 KiB to 8 MiB.
pub(super) const MOST_COMPRESSED: usize = 16 << 20;
pub(super) const MOST_CONTENT: usize = 32 << 20;

/// The end of the first stream of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Boundary {
    /// The stream has this many bytes.
    At(usize),
    /// The bytes end before it.
    Beyond,
    /// The stream does not show its end, is damaged, or is too long to be kept.
    Unknown,
}

/// The end of the stream at the start of `bytes`. `is_end` says whether the input ends with them.
pub(super) fn boundary(compression: Compression, bytes: &[u8], is_end: bool) -> Boundary {
    let end = match compression {
        Compression::Gzip => bgzf(bytes),
        Compression::Zstd => zstd(bytes),
        Compression::Bzip2 => bzip2(bytes, is_end),
        Compression::None | Compression::Xz => None,
    };
    match end {
        Some(end) if end > MOST_COMPRESSED => Boundary::Unknown,
        Some(end) if end <= bytes.len() => Boundary::At(end),
        Some(_) if is_end => Boundary::Unknown,
        Some(_) => Boundary::Beyond,
        None => Boundary::Unknown,
    }
}

/// The little-endian number of `COUNT` bytes at a place.
pub(super) fn number<const COUNT: usize>(bytes: &[u8], at: usize) -> Option<usize> {
    let word = bytes.get(at..at.checked_add(COUNT)?)?;
    Some(word.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte)))
}

// Each of the following functions returns the length of the first stream, a larger number than
// `bytes` has if it is not known yet, or `None` if it cannot be known.

fn bgzf(bytes: &[u8]) -> Option<usize> {
    /// Magic number, method, flags, time, extra flags, system, and the length of the extra fields.
    const FIXED: usize = 12;
    const HAS_EXTRA_FIELDS: u8 = 4;
    if bytes.len() < FIXED {
        return Some(FIXED);
    }
    if !bytes.starts_with(&[0x1f, 0x8b, 8]) || bytes[3] & HAS_EXTRA_FIELDS == 0 {
        return None;
    }
    let end = FIXED + number::<2>(bytes, FIXED - 2)?;
    let Some(mut fields) = bytes.get(FIXED..end) else { return Some(end) };
    while let [one, two, rest @ ..] = fields {
        let length = number::<2>(rest, 0)?;
        if [*one, *two] == *b"BC" && length == 2 {
            let size = number::<2>(rest, 2)? + 1;
            return (size > end).then_some(size);
        }
        fields = rest.get(2 + length..)?;
    }
    None
}

fn zstd(bytes: &[u8]) -> Option<usize> {
    const MAGIC: usize = 0xfd2f_b528;
    const SKIPPABLE: std::ops::RangeInclusive<usize> = 0x184d_2a50..=0x184d_2a5f;
    /// The most bytes of the content of a block.
    const BLOCK_CONTENT: usize = 128 << 10;
    let Some(magic) = number::<4>(bytes, 0) else { return Some(4) };
    if SKIPPABLE.contains(&magic) {
        return Some(number::<4>(bytes, 4).map_or(8, |size| 8 + size));
    }
    if magic != MAGIC {
        return None;
    }
    let Some(&descriptor) = bytes.get(4) else { return Some(5) };
    let is_single_segment = descriptor & 0x20 != 0;
    let window_bytes = usize::from(!is_single_segment);
    let dictionary_bytes = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let size_bytes = match descriptor >> 6 {
        0 => usize::from(is_single_segment),
        1 => 2,
        2 => 4,
        _ => 8,
    };
    let checksum_bytes = if descriptor & 4 != 0 { 4 } else { 0 };
    let mut at = 5 + window_bytes + dictionary_bytes + size_bytes;
    for block in 1.. {
        if block * BLOCK_CONTENT > MOST_CONTENT {
            return None;
        }
        let Some(header) = number::<3>(bytes, at) else { return Some(at + 3) };
        let (is_last, kind, size) = (header & 1 == 1, header >> 1 & 3, header >> 3);
        // A block of kind 1 repeats one byte.
        at += 3 + if kind == 1 { 1 } else { size };
        if is_last {
            return Some(at + checksum_bytes);
        }
    }
    None
}

fn bzip2(bytes: &[u8], is_end: bool) -> Option<usize> {
    /// `BZh`, the level, and the mark of a block: the digits of pi.
    const START: usize = 10;
    if bytes.len() >= START && !starts_bzip2(bytes) {
        return None;
    }
    let marks = memchr::memmem::find_iter(bytes, b"1AY&SY");
    let starts = marks.filter_map(|mark| mark.checked_sub(4)).skip_while(|&start| start == 0);
    let next = starts.into_iter().find(|&start| starts_bzip2(&bytes[start..]));
    next.or(Some(bytes.len() + usize::from(!is_end)))
}

fn starts_bzip2(bytes: &[u8]) -> bool {
    matches!(bytes, [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A', b'Y', b'&', b'S', b'Y', ..])
}
