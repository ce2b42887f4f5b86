//! Reading a `.kst` file in blocks of edges. Each block of a plain file is read from three sections
//! of the file. Other inputs are read by [`piped`].
//! Coordinates and names are not read.
//!
//! One thread reads blocks, while this one checks the block before and passes it on. If the file is
//! in the system's cache, the system is told of the bytes after the block, so that none is missing.
//! Otherwise reads bypass the cache. The arrays of a block are used again when its receiver has
//! dropped it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::num::NonZeroU64;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use bytemuck::Pod;
use kostra_core::{AnyGraph, EdgeList, Key, Vertex, Weight, WeightType, counted};

use super::chunks::{Digest, Plain};
use super::direct;
use super::header::{Header, LONGEST, Section, check_length};
use super::pool::{Lent, Pool};
use crate::ReadErrorKind;
use crate::compression::{Stream, fill};
use crate::edge_blocks::{EdgeSink, StreamFacts};
use crate::fault::Fault;
use crate::source::{Progress, from_io};

pub(super) fn read_blocks(
    stream: &Stream<'_>,
    mut file: File,
    blocks: &mut EdgeSink<'_>,
) -> Result<(), Fault> {
    let have_bytes = file.metadata().map_err(ReadErrorKind::Io)?.len();
    let mut head = [0; LONGEST];
    file.seek(SeekFrom::Start(0)).map_err(ReadErrorKind::Io)?;
    let have = fill(&mut file, &mut head).map_err(from_io)?;
    let (header, sections, length) = Header::decode(head.get(..have).unwrap_or_default())?;
    check_length(have_bytes, length)?;
    begin(&header, blocks, 0)?;
    let [u, v, weights, ..] = &sections[..] else { return Ok(()) };
    let sections = [*u, *v, *weights];
    let Header { edges, weight_type, .. } = header;
    let direct = direct::start(&file, length);
    let reader = Reader {
        file: &file,
        direct,
        sections,
        announced: [0; 3],
        edges,
        block_edges: blocks.block_edges(),
    };
    let mut checker = Checker::new(sections, &header);
    let progress = |bytes| (stream.progress)(Progress { bytes, of: Some(length) });
    let read = match weight_type {
        WeightType::I32 | WeightType::U32 | WeightType::F32 => read_all::<u32>,
        WeightType::I64 | WeightType::U64 | WeightType::F64 => read_all::<u64>,
    };
    read(reader, &mut checker, blocks, &progress)?;
    checker.finish()
}

/// Passes on what the header states, and the bytes that reading holds besides blocks.
pub(super) fn begin(
    header: &Header,
    blocks: &mut EdgeSink<'_>,
    held_bytes: u64,
) -> Result<(), Fault> {
    if header.names.is_some() {
        blocks.notes.push("the vertices have names, which are not read with a memory limit".into());
    }
    blocks.begin(StreamFacts {
        vertices: Some(header.vertices),
        edges: Some(header.edges),
        weight_type: Some(header.weight_type),
        held_bytes,
    })
}

/// The blocks that have been read and wait to be checked.
const QUEUED: usize = 1;

/// Reads, checks and passes on all edges.
fn read_all<K: Key + Plain>(
    reader: Reader<'_>,
    checker: &mut Checker,
    blocks: &mut EdgeSink<'_>,
    progress: &dyn Fn(u64),
) -> Result<(), Fault> {
    let Checker { vertices, weight_type, .. } = *checker;
    thread::scope(|scope| {
        let (sender, receiver) = sync_channel(QUEUED);
        // It ends when it has read all blocks, or when the receiver is gone.
        scope.spawn(move || reader.read::<K>(&sender));
        let mut first = 0;
        for block in receiver {
            let mut block = block?;
            checker.check(&mut block, first)?;
            first += block.u.len() as u64;
            progress(first * (2 * size_of::<Vertex>() + K::SIZE) as u64);
            blocks.pass_on_edges(block.share(vertices, weight_type))?;
        }
        Ok(())
    })
}

/// The arrays of a block. The weights are bits.
pub(super) struct Block<K> {
    pub(super) u: Lent<Vertex>,
    pub(super) v: Lent<Vertex>,
    pub(super) weights: Lent<K>,
}

impl<K: Key> Block<K> {
    /// The edges, whose weights have a type of the size of `K`.
    pub(super) fn share(self, vertices: u32, weight_type: WeightType) -> AnyGraph {
        fn typed<K: Key, W: Weight>(block: Block<K>, vertices: u32) -> EdgeList<W> {
            let Block { u, v, weights } = block;
            EdgeList::of_checked(vertices, u.share(), v.share(), weights.share())
        }
        match weight_type {
            WeightType::I32 => typed::<K, i32>(self, vertices).into(),
            WeightType::U32 => typed::<K, u32>(self, vertices).into(),
            WeightType::I64 => typed::<K, i64>(self, vertices).into(),
            WeightType::U64 => typed::<K, u64>(self, vertices).into(),
            WeightType::F32 => typed::<K, f32>(self, vertices).into(),
            WeightType::F64 => typed::<K, f64>(self, vertices).into(),
        }
    }
}

/// How far the system reads ahead in each array: as much as a disk provides in 0.1 s, during which
/// the buffer of a solve may be reduced and no block is taken.
const READ_AHEAD: u64 = 64 << 20;

/// Tells the system that a range of a file will be read soon. The advice may be ignored.
fn advise(file: &File, start: u64, length: NonZeroU64) {
    #[cfg(target_os = "linux")]
    let _ = rustix::fs::fadvise(file, start, Some(length), rustix::fs::Advice::WillNeed);
    #[cfg(not(target_os = "linux"))]
    let _ = (file, start, length);
}

/// Reads the blocks.
struct Reader<'a> {
    file: &'a File,
    /// Whether reads bypass the cache.
    direct: bool,
    /// The first ends, the second ends and the weights.
    sections: [Section; 3],
    /// The bytes of each up to which the system has been told to read ahead.
    announced: [u64; 3],
    edges: u64,
    block_edges: usize,
}

impl Reader<'_> {
    /// Sends all blocks, or the first error.
    fn read<K: Key + Plain>(mut self, to: &SyncSender<Result<Block<K>, ReadErrorKind>>) {
        let (ends, weights) = (Pool::<Vertex>::default(), Pool::<K>::default());
        let mut first = 0;
        while first < self.edges {
            let count = (self.edges - first).min(self.block_edges as u64) as usize;
            let block = self.read_block((&ends, &weights), first, count);
            let failed = block.is_err();
            if to.send(block).is_err() || failed {
                return;
            }
            first += count as u64;
        }
    }

    fn read_block<K: Key + Plain>(
        &mut self,
        (ends, weights): (&Pool<Vertex>, &Pool<K>),
        first: u64,
        count: usize,
    ) -> Result<Block<K>, ReadErrorKind> {
        Ok(Block {
            u: self.read_array(0, ends, first, count)?,
            v: self.read_array(1, ends, first, count)?,
            weights: self.read_array(2, weights, first, count)?,
        })
    }

    /// Reads the values of an array from the edge `first` on.
    fn read_array<T: Plain + Pod>(
        &mut self,
        array: usize,
        pool: &Pool<T>,
        first: u64,
        count: usize,
    ) -> Result<Lent<T>, ReadErrorKind> {
        let offset = self.sections[array].offset;
        let done = first * T::SIZE as u64;
        let mut values = pool.lend(count, offset + done)?;
        let (pages, before) = values.pages();
        let end = before + count * T::SIZE;
        let range = if self.direct { 0..pages.len() } else { before..end };
        let start = offset + done - (before - range.start) as u64;
        self.read_until(start, &mut pages[range.clone()], end - range.start)
            .map_err(ReadErrorKind::Io)?;
        if !self.direct {
            self.read_ahead(array, done + (count * T::SIZE) as u64);
        }
        Ok(values)
    }

    /// Tells the system to read the bytes of an array from `done` on.
    fn read_ahead(&mut self, array: usize, done: u64) {
        let (section, announced) = (self.sections[array], &mut self.announced[array]);
        let start = done.max(*announced);
        let end = section.length.min(done + READ_AHEAD);
        if let Some(length) = NonZeroU64::new(end.saturating_sub(start)) {
            advise(self.file, section.offset + start, length);
            *announced = end;
        }
    }

    /// Reads from `start` on, at least `needed` bytes.
    fn read_until(&mut self, start: u64, bytes: &mut [u8], needed: usize) -> io::Result<()> {
        let mut file = self.file;
        let mut done = 0;
        while done < needed {
            file.seek(SeekFrom::Start(start + done as u64))?;
            match file.read(&mut bytes[done..]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // The file system or the device needs larger units, or does without.
                Err(_) if self.direct => {
                    direct::stop(file)?;
                    self.direct = false;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// The number of edges of a piece: 64 KiB of ends, which stay in the processor's second cache while
/// their checksum is computed and they are checked.
const PIECE: usize = 1 << 14;

/// Checks the blocks.
pub(super) struct Checker {
    sections: [Section; 3],
    digests: [Digest; 3],
    vertices: u32,
    weight_type: WeightType,
}

impl Checker {
    /// For the sections of first ends, second ends and weights.
    pub(super) fn new(sections: [Section; 3], header: &Header) -> Self {
        let &Header { vertices, weight_type, .. } = header;
        Self { sections, digests: Default::default(), vertices, weight_type }
    }

    /// Checks a block, which starts with the edge `first`.
    pub(super) fn check<K: Key + Plain>(
        &mut self,
        block: &mut Block<K>,
        first: u64,
    ) -> Result<(), Fault> {
        // The bits of larger magnitudes mean NaN.
        let infinity = match self.weight_type {
            WeightType::F32 => K::from_u64(f32::INFINITY.to_bits().into()),
            WeightType::F64 => K::from_u64(f64::INFINITY.to_bits()),
            _ => K::MAX,
        };
        let is_nan = |&bits: &K| bits & !K::SIGN > infinity;
        let Block { u, v, weights } = block;
        let pieces = u.chunks_mut(PIECE).zip(v.chunks_mut(PIECE)).zip(weights.chunks_mut(PIECE));
        for (((u, v), weights), first) in pieces.zip((first..).step_by(PIECE)) {
            self.digests[0].add(u);
            self.digests[1].add(v);
            self.digests[2].add(weights);
            // No early exits, so that the loops are vectorized.
            let any_nan = weights.iter().fold(false, |any, bits| any | is_nan(bits));
            let highest = u.iter().chain(&*v).fold(0, |highest, &end| highest.max(end));
            if any_nan {
                let edge = first + weights.iter().position(is_nan).unwrap_or_default() as u64;
                let sentence = format!("edge {edge} has weight NaN (not a number); fix it");
                return Err(Fault::at_byte(self.byte(2, edge, K::SIZE), sentence));
            }
            if highest >= self.vertices {
                return Err(self.end_out_of_range(u, v, first));
            }
        }
        Ok(())
    }

    /// The error for a piece that starts with edge `first` and has an end which is no vertex.
    fn end_out_of_range(&self, u: &[Vertex], v: &[Vertex], first: u64) -> Fault {
        let vertices = self.vertices;
        let outside = |ends: &[Vertex]| ends.iter().position(|&end| end >= vertices);
        let (in_u, in_v) = (outside(u), outside(v));
        let is_in_u = in_v.is_none_or(|in_v| in_u.is_some_and(|in_u| in_u <= in_v));
        let (array, ends, place) = if is_in_u { (0, u, in_u) } else { (1, v, in_v) };
        let place = place.unwrap_or_default();
        let edge = first + place as u64;
        let vertex = ends.get(place).copied().unwrap_or_default();
        let sentence = format!(
            "edge {edge} ends at vertex {vertex}, but the graph has {}, numbered from 0",
            counted(vertices, "vertex", "vertices")
        );
        Fault::at_byte(self.byte(array, edge, Vertex::SIZE), sentence)
    }

    /// The place of an edge in an array: the first ends, the second ends or the weights.
    fn byte(&self, array: usize, edge: u64, size: usize) -> u64 {
        self.sections[array].offset + edge * size as u64
    }

    /// Compares the checksums.
    pub(super) fn finish(self) -> Result<(), Fault> {
        let damaged = |(digest, section): (Digest, Section)| {
            if digest.finish() == section.checksum { Ok(()) } else { Err(section.damaged()) }
        };
        self.digests.into_iter().zip(self.sections).try_for_each(damaged)
    }
}
