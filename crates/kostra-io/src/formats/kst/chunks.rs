//! Arrays as little-endian bytes in chunks, and the checksum that can be taken chunk by chunk on
//! many threads.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use kostra_core::{OutOfMemory, memory};
use xxhash_rust::xxh3::xxh3_64;

/// How many bytes a checksum of the lower level covers. Part of the file format.
pub(super) const CHUNK: usize = 4 << 20;

/// A fixed-size number that a section is an array of. Any bits are a value of it.
pub(super) trait Plain: Copy + Send + Sync + 'static {
    /// How many bytes it takes.
    const SIZE: usize;
    /// Appends its little-endian bytes.
    fn put(self, to: &mut Vec<u8>);
    /// The value whose little-endian bytes come first in `bytes`, which are at least
    /// [`SIZE`](Self::SIZE).
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

/// The array that some little-endian bytes stand for.
pub(super) fn decode<T: Plain>(bytes: &[u8]) -> Result<Vec<T>, OutOfMemory> {
    memory::collected(bytes.chunks_exact(T::SIZE).map(T::get))
}

/// Something that takes the bytes of a section, chunk by chunk.
type Take<'a> = &'a mut dyn FnMut(&[u8]) -> io::Result<()>;

/// Gives the bytes of an array, a chunk at a time.
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
    // Chunks are dealt out one at a time: those that are not yet in the page cache take many times
    // longer.
    let next = AtomicUsize::new(0);
    let work = || {
        let take = || {
            let at = next.fetch_add(1, Ordering::Relaxed);
            chunks.get(at).map(|chunk| (at, xxh3_64(chunk)))
        };
        std::iter::from_fn(take).collect::<Vec<_>>()
    };
    let helpers = threads.min(chunks.len()).saturating_sub(1);
    let mut sums = vec![0; chunks.len()];
    std::thread::scope(|scope| {
        // Where the system refuses a thread, those that there are do its work.
        let spawn = |_| std::thread::Builder::new().spawn_scoped(scope, work).ok();
        let handles: Vec<_> = (0..helpers).map_while(spawn).collect();
        let own = work();
        let others = handles.into_iter().flat_map(|handle| handle.join().unwrap_or_default());
        for (at, sum) in own.into_iter().chain(others) {
            sums[at] = sum;
        }
    });
    sums
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
