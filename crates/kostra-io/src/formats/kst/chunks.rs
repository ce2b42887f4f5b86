//! Arrays as little-endian bytes in chunks, and checksums that several threads compute by chunks.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::Pod;
use kostra_core::{OutOfMemory, memory};
use kostra_parallel::{Schedule, with_team};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// The number of bytes that one checksum of the lower level covers. Part of the file format.
pub(super) const CHUNK: usize = 4 << 20;

/// A number of fixed size: the element type of a section. All bit patterns are valid.
pub(super) trait Plain: Copy + Send + Sync + 'static {
    /// The number of bytes.
    const SIZE: usize;
    /// Appends the little-endian bytes.
    fn put(self, to: &mut Vec<u8>);
    /// The value of the first [`SIZE`](Self::SIZE) bytes, which are little-endian. `bytes` must
    /// have at least that length.
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! impl_plain {
    ($($number:ty),*) => {
        $(impl Plain for $number {
            const SIZE: usize = size_of::<$number>();
            #[inline]
            fn put(self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }
            #[inline]
            fn get(bytes: &[u8]) -> Self {
                bytes.first_chunk().map_or(Self::default(), |bytes| Self::from_le_bytes(*bytes))
            }
        })*
    };
}
impl_plain!(u32, i32, u64, i64, f32, f64);

impl Plain for [f64; 2] {
    const SIZE: usize = 16;
    fn put(self, to: &mut Vec<u8>) {
        self[0].put(to);
        self[1].put(to);
    }
    fn get(bytes: &[u8]) -> Self {
        [f64::get(bytes), f64::get(&bytes[8..])]
    }
}

/// The array that consists of these little-endian bytes.
pub(super) fn decode<T: Plain>(bytes: &[u8]) -> Result<Vec<T>, OutOfMemory> {
    memory::collected(bytes.chunks_exact(T::SIZE).map(T::get))
}

/// A function that receives the bytes of a section chunk by chunk.
type Take<'a> = &'a mut dyn FnMut(&[u8]) -> io::Result<()>;

/// Calls `take` with the bytes of an array, one chunk at a time.
pub(super) fn for_each_chunk<T: Plain>(values: &[T], take: Take<'_>) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(CHUNK.min(values.len() * T::SIZE));
    for values in values.chunks(CHUNK / T::SIZE) {
        bytes.clear();
        for &value in values {
            value.put(&mut bytes);
        }
        take(&bytes)?;
    }
    Ok(())
}

/// The checksum of a section whose bytes arrive in pieces.
#[derive(Default)]
pub(super) struct Digest {
    /// The checksums of finished chunks, and the state of the unfinished one.
    chunks: Vec<u64>,
    chunk: Xxh3,
    chunk_bytes: usize,
}

impl Digest {
    /// Adds the next bytes.
    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(CHUNK - self.chunk_bytes));
            self.chunk.update(now);
            self.chunk_bytes += now.len();
            if self.chunk_bytes == CHUNK {
                self.end_chunk();
            }
            bytes = later;
        }
    }

    /// Adds the bytes of values as a file contains them, and gives the values the byte order of the
    /// processor.
    pub(super) fn add<T: Plain + Pod>(&mut self, values: &mut [T]) {
        self.update(bytemuck::cast_slice(values));
        if cfg!(target_endian = "big") {
            for value in values {
                *value = T::get(bytemuck::bytes_of(value));
            }
        }
    }

    fn end_chunk(&mut self) {
        self.chunks.push(self.chunk.digest());
        self.chunk.reset();
        self.chunk_bytes = 0;
    }

    /// The checksum of all bytes.
    pub(super) fn finish(mut self) -> u64 {
        if self.chunk_bytes > 0 {
            self.end_chunk();
        }
        combine(&self.chunks)
    }
}

/// The checksum of a section from those of its chunks.
pub(super) fn combine(chunks: &[u64]) -> u64 {
    let bytes: Vec<u8> = chunks.iter().flat_map(|checksum| checksum.to_le_bytes()).collect();
    xxh3_64(&bytes)
}

/// The chunks of some sections.
pub(super) fn chunks<'a>(sections: &[&'a [u8]]) -> Vec<&'a [u8]> {
    sections.iter().flat_map(|bytes| bytes.chunks(CHUNK)).collect()
}

/// The checksums of some chunks, on up to `threads` threads.
pub(super) fn checksums(chunks: &[&[u8]], threads: usize) -> Vec<u64> {
    let sums: Vec<_> = chunks.iter().map(|_| AtomicU64::new(0)).collect();
    with_team(threads.min(chunks.len()), |team| {
        // One chunk at a time: a chunk that is not in the page cache takes much longer.
        team.for_each(chunks.len(), Schedule::Dynamic(1), |at| {
            sums[at].store(xxh3_64(chunks[at]), Ordering::Relaxed);
        });
    });
    sums.into_iter().map(AtomicU64::into_inner).collect()
}

/// The checksums of some sections from those of all their chunks.
pub(super) fn combine_all(sections: &[&[u8]], chunks: &[u64]) -> Vec<u64> {
    let mut rest = chunks;
    let mut of_section = |bytes: &&[u8]| {
        let (own, others) = rest.split_at(bytes.len().div_ceil(CHUNK).min(rest.len()));
        rest = others;
        combine(own)
    };
    sections.iter().map(&mut of_section).collect()
}
