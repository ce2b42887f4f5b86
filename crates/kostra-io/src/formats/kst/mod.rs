//! `.kst`: Kostra's own binary format. It contains the arrays of a graph as they are in memory, so
//! that a file is opened by mapping it.
//!
//! `docs/reference/kst.md` is the specification; this is its summary. Numbers are little-endian, a
//! section starts at the next multiple of 64 bytes, and the bytes between are zero.
//!
//! ```text
//!    0  magic: 8B "KOSTRA" 0D 0A 1A 0A 00          40  number of sections, u32
//!   12  version, u32: 1                            44  zero, u32
//!   16  vertices n, u64                            48  length of the file, u64
//!   24  edges m, u64                               56  checksum of the header without it, u64
//!   32  weight type, u32: i32 u32 i64 u64 f32 f64  64  for each section: kind, u32; zero, u32;
//!   36  coordinates, u32: none planar geographic       offset, u64; length, u64; checksum, u64
//!
//! sections, in this order: 1 first ends, 2 second ends, 3 weights, 4 coordinates if any,
//! 5 names if any
//! ```
//!
//! Everything in a header except the checksums follows from `n`, `m`, the types and the length of
//! the names, so a reader computes the header and compares it. Checksums are XXH3. The checksum of
//! a section is computed over the checksums of its chunks of 4 MiB, so that several threads can
//! check it.

mod blocks;
mod chunks;
mod direct;
mod header;
mod mapped;
mod part;
mod piped;
mod pool;
mod read;
mod stream;
#[cfg(test)]
mod tests;
mod write;

use crate::compression::Stream;
use crate::edge_blocks::EdgeSink;
use crate::fault::Fault;
use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo, ReadOptions, StreamWriter};
use crate::weights;
use read::read;
use write::writer;

pub use mapped::is_in_mapped_file;
pub use read::{KstFile, open_kst};

impl Format {
    /// Kostra's own binary form.
    pub const KST: Self = Self::new(&FormatInfo {
        id: "kst",
        title: "Kostra",
        extensions: &["kst"],
        summary: "Kostra: its own binary form, which keeps names and coordinates",
        recognize,
        read,
        write: Some(writer),
        write_stream: Some(StreamWriter::File(stream::sink)),
        read_part: Some(part::open),
        read_blocks: Some(read_blocks),
        ..FormatInfo::READ_ONLY
    });
}

fn read_blocks(
    mut stream: Stream<'_>,
    options: &ReadOptions,
    blocks: &mut EdgeSink<'_>,
) -> Result<(), Fault> {
    weights::refuse_others(true, options)?;
    match stream.file.take() {
        Some(file) => blocks::read_blocks(&stream, file, blocks),
        None => piped::read_blocks(stream, blocks),
    }
}

/// Recognizes the first bytes of the magic number, which a transfer in text mode does not change.
fn recognize(head: &Head<'_>) -> Evidence {
    Evidence::Signature.when(head.bytes().starts_with(b"\x8bKOSTRA"))
}
