//! Kostra's own binary form, `.kst`: the arrays of a graph as they lie in memory, so that opening
//! is a memory map.
//!
//! `docs/reference/kst.md` is the specification; this is its summary. Numbers are little-endian, a
//! section starts at the next multiple of 64 bytes, and the bytes between are zero.
//!
//! ```text
//!    0  magic: 8B "KOSTRA" 0D 0A 1A 0A 00          40  number of sections, u32
//!   12  version, u32: 1                            44  zero, u32
//!   16  vertices n, u64                            48  length of the file, u64
//!   24  edges m, u64                               56  checksum of the header without this field, u64
//!   32  weight type, u32: i32 u32 i64 u64 f32 f64  64  for each section: kind, u32; zero, u32;
//!   36  coordinates, u32: none planar geographic       offset, u64; length, u64; checksum, u64
//!
//! sections, in this order: 1 first ends, 2 second ends, 3 weights, 4 coordinates if any, 5 names if any
//! ```
//!
//! Everything in a header but the checksums follows from `n`, `m`, the types and the length of the
//! names, so a reader works out what must stand there and compares. Checksums are XXH3; a section's
//! is taken over those of its chunks of 4 MiB, so that any number of threads can check it.

mod chunks;
mod header;
mod mapped;
mod read;
mod write;

pub use mapped::{MappedFile, is_in_mapped_file};
pub use read::{KstFile, open_kst};

pub(crate) use read::read;
pub(crate) use write::writer;

#[cfg(test)]
mod tests;
