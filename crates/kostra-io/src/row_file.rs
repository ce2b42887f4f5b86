//! Regular files that store rows as numbers of a fixed size, read by all threads at once.
//!
//! Each thread reads its blocks at their places in the file and checks them. Nothing but the
//! starts of rows is kept: the entries are read once to check them and once to write the edges,
//! the second time from the system's cache. So a graph is read with little more memory than it
//! takes. These functions only tell that a file has a fault. The caller then reads the file from
//! its beginning to find the fault.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytemuck::Pod;
use kostra_core::Vertex;
use kostra_core::memory::{self, OutOfMemory};
use kostra_parallel::{Schedule, lock, with_team};

use crate::compression::Stream;
use crate::mirror::{BLOCK_ENTRIES, Division, EdgeColumns, Keep, RowEntries, edges};
use crate::source::Progress;

/// The places of the arrays in a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// The numbers of vertices and entries.
    pub(crate) n: usize,
    pub(crate) entries: usize,
    /// The byte at which the starts of rows begin.
    pub(crate) starts: u64,
    /// Whether the starts have 64 bits instead of 32.
    pub(crate) wide_starts: bool,
    pub(crate) arrays: Arrays,
}

/// How neighbors and weights are stored, 32 bits each.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Arrays {
    /// All neighbors, and then all weights unless the file has none.
    Apart { weighted: bool },
    /// Each neighbor with its weight.
    Pairs,
}

/// A regular file, which several threads read.
pub(crate) struct RowFile<'a> {
    file: File,
    length: u64,
    done: AtomicU64,
    progress: &'a (dyn Fn(Progress) + Sync),
}

impl<'a> RowFile<'a> {
    /// The content of a stream, if it is an uncompressed regular file. The stream stays at its
    /// beginning.
    pub(crate) fn new(stream: &Stream<'a>) -> Option<Self> {
        let file = stream.file.as_ref()?.try_clone().ok()?;
        let length = file.metadata().ok()?.len();
        Some(Self { file, length, done: AtomicU64::new(0), progress: stream.progress })
    }

    /// The number of bytes.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Some numbers of the header. `None` if the file is shorter.
    pub(crate) fn numbers<T: LittleEndian, const COUNT: usize>(
        &self,
        at: u64,
    ) -> Option<[T; COUNT]> {
        let mut numbers = [T::zeroed(); COUNT];
        self.fill(at, &mut numbers).ok()?;
        Some(numbers)
    }

    /// The edges of the file. `None` if anything is wrong with it.
    ///
    /// # Errors
    /// When the system does not grant the memory.
    pub(crate) fn edges(
        &self,
        layout: &Layout,
        keep: Keep,
        threads: usize,
    ) -> Result<Option<EdgeColumns<i32>>, OutOfMemory> {
        let starts = if layout.wide_starts {
            self.starts::<u64>(layout, threads)?
        } else {
            self.starts::<u32>(layout, threads)?
        };
        let Some(starts) = starts else { return Ok(None) };
        edges(&starts, &FileEntries { file: self, layout }, keep, Division::among(threads))
    }

    /// The start of each row and the end of the last. `None` if they do not ascend from zero to
    /// the number of entries.
    fn starts<T: LittleEndian>(
        &self,
        layout: &Layout,
        threads: usize,
    ) -> Result<Option<Vec<usize>>, OutOfMemory> {
        let mut starts = memory::zeros::<usize>(layout.n + 1)?;
        let blocks: Vec<_> = starts.chunks_mut(BLOCK_ENTRIES).map(Mutex::new).collect();
        let valid = AtomicBool::new(true);
        with_team(threads.min(blocks.len()), |team| {
            team.for_each(blocks.len(), Schedule::Dynamic(1), |index| {
                let mut block = lock(&blocks[index]);
                let mut numbers = vec![T::zeroed(); block.len()];
                let at = layout.starts + (index * BLOCK_ENTRIES * size_of::<T>()) as u64;
                let read = self.fill(at, &mut numbers).is_ok();
                for (start, number) in block.iter_mut().zip(numbers) {
                    *start = number.place();
                }
                if !read || !block.is_sorted() {
                    valid.store(false, Ordering::Relaxed);
                }
            });
        });
        let joints = (BLOCK_ENTRIES..starts.len()).step_by(BLOCK_ENTRIES);
        let valid = valid.into_inner()
            && starts.first() == Some(&0)
            && starts.last() == Some(&layout.entries)
            && joints.into_iter().all(|at| starts[at - 1] <= starts[at]);
        Ok(valid.then_some(starts))
    }

    /// Reads numbers that begin at a byte of the file.
    fn fill<T: LittleEndian>(&self, at: u64, numbers: &mut [T]) -> io::Result<()> {
        let bytes = bytemuck::cast_slice_mut::<T, u8>(numbers);
        read_at(&self.file, bytes, at)?;
        let count = bytes.len() as u64;
        for number in numbers {
            *number = number.native();
        }
        let done = self.done.fetch_add(count, Ordering::Relaxed) + count;
        // The second reading of the entries is no progress in the file.
        if done <= self.length {
            (self.progress)(Progress { bytes: done, of: Some(self.length) });
        }
        Ok(())
    }
}

/// Reads bytes that begin at a byte of a file.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

/// Other systems have no call that all threads may use at once on one file.
#[cfg(not(unix))]
pub(crate) fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A little-endian number of a file.
pub(crate) trait LittleEndian: Pod {
    fn native(self) -> Self;
    /// The number as a place among the entries. A negative one is beyond all of them.
    fn place(self) -> usize;
}

macro_rules! impl_number {
    ($($number:ty),*) => {
        $(impl LittleEndian for $number {
            fn native(self) -> Self {
                Self::from_le(self)
            }
            fn place(self) -> usize {
                usize::try_from(self).unwrap_or(usize::MAX)
            }
        })*
    };
}
impl_number!(u8, u32, i32, u64, i64);

/// The entries of a file.
struct FileEntries<'a> {
    file: &'a RowFile<'a>,
    layout: &'a Layout,
}

/// A block of entries as the file stores them, and as they are used.
#[derive(Default)]
pub(crate) struct FileBlock {
    neighbors: Vec<u32>,
    weights: Vec<i32>,
    pairs: Vec<u32>,
}

impl RowEntries for FileEntries<'_> {
    type Weight = i32;
    type Scratch = FileBlock;

    fn weighted(&self) -> bool {
        !matches!(self.layout.arrays, Arrays::Apart { weighted: false })
    }

    fn block<'s>(
        &'s self,
        entries: Range<usize>,
        block: &'s mut FileBlock,
    ) -> Option<(&'s [Vertex], &'s [i32])> {
        let Layout { n, entries: total, starts, wide_starts, arrays } = *self.layout;
        let first = starts + (n as u64 + 1) * if wide_starts { 8 } else { 4 };
        let FileBlock { neighbors, weights, pairs } = block;
        neighbors.resize(entries.len(), 0);
        weights.resize(if self.weighted() { entries.len() } else { 0 }, 0);
        match arrays {
            Arrays::Apart { .. } => {
                self.file.fill(first + 4 * entries.start as u64, neighbors).ok()?;
                if !weights.is_empty() {
                    let at = first + 4 * (total + entries.start) as u64;
                    self.file.fill(at, weights).ok()?;
                }
            }
            Arrays::Pairs => {
                pairs.resize(2 * entries.len(), 0);
                self.file.fill(first + 8 * entries.start as u64, pairs).ok()?;
                let places = neighbors.iter_mut().zip(weights.iter_mut());
                for ((neighbor, weight), pair) in places.zip(pairs.as_chunks::<2>().0) {
                    (*neighbor, *weight) = (pair[0], pair[1] as i32);
                }
            }
        }
        // No early exit, so that the loop is vectorized.
        let outside = neighbors.iter().fold(false, |any, &to| any | (to as usize >= n));
        (!outside).then_some((&neighbors[..], &weights[..]))
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::AnyGraph;

    use super::*;
    use crate::source::Input;
    use crate::testing::listed_edges;
    use crate::{Format, Outgoing, ReadOptions, read, read_bytes, write_bytes};

    /// The graph or the error, of a file and of the same bytes in memory, under one name.
    fn both_ways(bytes: &[u8], format: Format) -> [Result<String, String>; 2] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graph");
        std::fs::write(&path, bytes).unwrap();
        let options = ReadOptions { format: Some(format), threads: 2, ..ReadOptions::default() };
        let name = path.display().to_string();
        let from_file = read(&Input::Path(path), &options, &|_| {});
        [from_file, read_bytes(&name, bytes, &options)].map(|loaded| {
            let loaded = loaded.map_err(|error| error.to_string())?;
            let edges = listed_edges(&loaded.parsed.graph);
            Ok(format!("{} {edges:?} {:?}", loaded.parsed.graph.vertices(), loaded.parsed.notes))
        })
    }

    fn files() -> Vec<(Format, Vec<u8>)> {
        let (u, v) = (vec![0, 0, 1, 1, 4, 2, 2], vec![1, 2, 2, 2, 0, 2, 5]);
        let graph = AnyGraph::from_edges(7, u, v, vec![5_i32, -6, 7, 7, i32::MAX, 3, 0]).unwrap();
        let outgoing = || Outgoing::from(&graph);
        let write = |format| (format, write_bytes(format, outgoing()).unwrap());
        let (egr, wsg) = (write(Format::ECL), write(Format::GAP));
        let weights = 4 * 13;
        let bare = (Format::ECL, egr.1[..egr.1.len() - weights].to_vec());
        // The rows of the opposite direction are read as numbers only.
        let mut directed = (Format::GAP, [&wsg.1[..], &wsg.1[17..]].concat());
        directed.1[0] = 1;
        vec![egr, bare, wsg, directed]
    }

    #[test]
    fn whole_files_are_read_by_threads() {
        for (format, bytes) in files() {
            let [file, memory] = both_ways(&bytes, format);
            assert!(file.is_ok(), "{file:?}");
            assert_eq!(file, memory);
        }
    }

    #[test]
    fn damaged_files_have_the_errors_of_damaged_bytes() {
        for (format, bytes) in files() {
            for at in (0..bytes.len()).step_by(5) {
                let mut damaged = bytes.clone();
                damaged[at] ^= [1, 0x80, 3][at % 3];
                let [file, memory] = both_ways(&damaged, format);
                assert_eq!(file, memory, "{format:?}, byte {at}");
                let [file, memory] = both_ways(&bytes[..at], format);
                assert_eq!(file, memory, "{format:?}, {at} bytes");
            }
        }
    }

    #[test]
    fn rows_of_several_blocks_are_read() {
        let n = 3 * BLOCK_ENTRIES as u32;
        let (u, v) = ((0..n - 1).collect::<Vec<_>>(), (1..n).collect::<Vec<_>>());
        let weights: Vec<i32> = (1..n as i32).collect();
        let graph = AnyGraph::from_edges(n as usize, u, v, weights).unwrap();
        let outgoing = Outgoing::from(&graph);
        for format in [Format::ECL, Format::GAP] {
            let bytes = write_bytes(format, outgoing).unwrap();
            let [file, memory] = both_ways(&bytes, format);
            assert!(file.is_ok());
            assert!(file == memory, "{format:?}");
            // The starts of the second and the third block of rows, exchanged.
            let (header, word) = if format == Format::ECL { (8, 4) } else { (17, 8) };
            let mut damaged = bytes;
            let start = |block: usize| header + word * block * BLOCK_ENTRIES;
            for byte in 0..word {
                damaged.swap(start(1) + byte, start(2) + byte);
            }
            let [file, memory] = both_ways(&damaged, format);
            assert!(file.is_err());
            assert_eq!(file, memory, "{format:?}");
        }
    }
}
