//! Reading a `.kst` file in blocks of edges. Each block is read from three sections of the file, in
//! pieces that fit into the processor's second cache. So a piece is in the cache while its checksum
//! is computed and its values are checked. Coordinates and names are not read.
//!
//! The system is told of the bytes after the block, so that it reads them while the block is
//! solved. The arrays of a block are used again when its receiver has dropped it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::num::NonZeroU64;

use bytemuck::Pod;
use kostra_core::{AnyGraph, EdgeList, GraphError, Vertex, Weight, WeightType};

use super::chunks::{Digest, Plain};
use super::header::{Header, LONGEST, Section, check_length};
use super::pool::Pool;
use crate::compression::{Stream, fill};
use crate::edge_stream::{Blocks, StreamFacts};
use crate::fault::Fault;
use crate::file_version::FileVersion;
use crate::interface::ReadOptions;
use crate::source::{Progress, from_io};
use crate::{ReadErrorKind, weights};

pub(super) fn read_blocks(
    mut stream: Stream<'_>,
    options: &ReadOptions,
    blocks: &mut Blocks<'_>,
) -> Result<(), Fault> {
    weights::refuse_others(true, options)?;
    let Some(mut file) = stream.file.take() else {
        return Err(Fault::whole(
            "a .kst file stores all ends before all weights, so it can be read in blocks only from \
             a plain file; decompress it or save it to a file first",
        ));
    };
    let version = FileVersion::of_open(&file).map_err(ReadErrorKind::Io)?;
    let mut head = [0; LONGEST];
    file.seek(SeekFrom::Start(0)).map_err(ReadErrorKind::Io)?;
    let have = fill(&mut file, &mut head).map_err(from_io)?;
    let (header, sections, length) = Header::decode(head.get(..have).unwrap_or_default())?;
    check_length(version.length(), length)?;
    let facts = StreamFacts {
        vertices: Some(header.vertices),
        edges: Some(header.edges),
        weight_type: Some(header.weight_type),
    };
    if header.names.is_some() {
        blocks.notes.push("the vertices have names, which are not read with a memory limit".into());
    }
    blocks.begin(facts)?;
    let [u, v, weights, ..] = &sections[..] else { return Ok(()) };
    let arrays = [u, v, weights].map(|&section| Array::new(section));
    let Header { vertices, edges, .. } = header;
    let mut reader = Reader { file, arrays, vertices, edges };
    let progress = |bytes| (stream.progress)(Progress { bytes, of: Some(length) });
    match header.weight_type {
        WeightType::I32 => reader.read::<i32>(blocks, &progress),
        WeightType::U32 => reader.read::<u32>(blocks, &progress),
        WeightType::I64 => reader.read::<i64>(blocks, &progress),
        WeightType::U64 => reader.read::<u64>(blocks, &progress),
        WeightType::F32 => reader.read::<f32>(blocks, &progress),
        WeightType::F64 => reader.read::<f64>(blocks, &progress),
    }?;
    if FileVersion::of_open(&reader.file).map_err(ReadErrorKind::Io)? != version {
        return Err(ReadErrorKind::Changed.into());
    }
    reader.arrays.into_iter().try_for_each(Array::check)
}

/// An array of the file that has been read up to a place.
struct Array {
    section: Section,
    done: u64,
    /// The bytes up to which the system has been told to read ahead.
    announced: u64,
    digest: Digest,
}

struct Reader {
    file: File,
    /// The first ends, the second ends and the weights.
    arrays: [Array; 3],
    vertices: u32,
    edges: u64,
}

/// The number of edges of a piece: 64 KiB of ends.
const PIECE: usize = 1 << 14;
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

impl Reader {
    fn read<W: Weight + Plain>(
        &mut self,
        blocks: &mut Blocks<'_>,
        progress: &dyn Fn(u64),
    ) -> Result<(), Fault>
    where
        AnyGraph: From<EdgeList<W>>,
    {
        let (ends, weights) = (Pool::<Vertex>::default(), Pool::<W>::default());
        let mut first = 0;
        while first < self.edges {
            let count = (self.edges - first).min(blocks.block_edges() as u64) as usize;
            let (mut u, mut v) = (ends.lend(count)?, ends.lend(count)?);
            let mut weights = weights.lend(count)?;
            for start in (0..count).step_by(PIECE) {
                let piece = start..count.min(start + PIECE);
                let at = first + start as u64;
                let piece = (&mut u[piece.clone()], &mut v[piece.clone()], &mut weights[piece]);
                self.read_piece(piece, at)?;
            }
            self.read_ahead();
            progress(self.arrays.iter().map(|array| array.done).sum());
            let edges = EdgeList::of_checked(self.vertices, u.share(), v.share(), weights.share());
            blocks.pass_on_edges(edges.into())?;
            first += count as u64;
        }
        Ok(())
    }

    /// Reads and checks the edges from `first` on.
    fn read_piece<W: Weight + Plain>(
        &mut self,
        (u, v, weights): (&mut [Vertex], &mut [Vertex], &mut [W]),
        first: u64,
    ) -> Result<(), Fault> {
        self.next(0, u)?;
        self.next(1, v)?;
        self.next(2, weights)?;
        // No early exits, so that the loops are vectorized.
        let is_nan = weights.iter().fold(false, |any, weight| any | weight.is_nan());
        let highest = u.iter().chain(&*v).fold(0, |highest, &end| highest.max(end));
        if is_nan || highest >= self.vertices {
            let (u, v, weights) = (u.to_vec(), v.to_vec(), weights.to_vec());
            EdgeList::new(self.vertices as usize, u, v, weights)
                .map_err(|error| self.fault(error, first, W::SIZE))?;
        }
        Ok(())
    }

    /// Reads the next values of an array.
    fn next<T: Plain + Pod>(&mut self, array: usize, values: &mut [T]) -> Result<(), Fault> {
        let array = &mut self.arrays[array];
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(values);
        let start = array.section.offset + array.done;
        self.file
            .seek(SeekFrom::Start(start))
            .and_then(|_| self.file.read_exact(bytes))
            .map_err(ReadErrorKind::Io)?;
        array.digest.update(bytes);
        array.done += bytes.len() as u64;
        if cfg!(target_endian = "big") {
            for value in values {
                *value = T::get(bytemuck::bytes_of(value));
            }
        }
        Ok(())
    }

    /// Tells the system to read the bytes after those that have been read.
    fn read_ahead(&mut self) {
        for array in &mut self.arrays {
            let end = array.section.length.min(array.done + READ_AHEAD);
            if let Some(length) = NonZeroU64::new(end.saturating_sub(array.announced)) {
                advise(&self.file, array.section.offset + array.announced, length);
                array.announced = end;
            }
        }
    }

    /// An error in the block that starts with edge `first`, with its place in the file.
    fn fault(&self, mut error: GraphError, first: u64, weight: usize) -> Fault {
        let place = |array: usize, edge: u32, size: usize| {
            let offset = (first + u64::from(edge)) * size as u64;
            Some(crate::Place::Byte(self.arrays[array].section.offset + offset))
        };
        let place = match &error {
            GraphError::EndpointOutOfRange { edge, .. } => place(0, *edge, 4),
            GraphError::NanWeight { edge } => place(2, *edge, weight),
            _ => None,
        };
        if let GraphError::EndpointOutOfRange { edge, .. } | GraphError::NanWeight { edge } =
            &mut error
        {
            *edge = u32::try_from(first + u64::from(*edge)).unwrap_or(u32::MAX);
        }
        Fault { place, kind: error.into() }
    }
}

impl Array {
    fn new(section: Section) -> Self {
        Self { section, done: 0, announced: 0, digest: Digest::default() }
    }

    fn check(self) -> Result<(), Fault> {
        let Self { section, digest, .. } = self;
        if digest.finish() == section.checksum { Ok(()) } else { Err(section.damaged()) }
    }
}
