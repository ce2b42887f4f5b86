//! Reading a `.kst` file in blocks of edges. Each block is read from three sections of the file,
//! and the checksums of these sections are computed on the way. Coordinates and names are not read.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use kostra_core::{AnyGraph, EdgeList, GraphError, OutOfMemory, Weight, WeightType, memory};

use super::chunks::{Digest, Plain, decode};
use super::header::{Header, LONGEST, Section, check_length};
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
    let mut reader = Reader { file, arrays, edges: header.edges, bytes: Vec::new() };
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
    digest: Digest,
}

struct Reader {
    file: File,
    /// The first ends, the second ends and the weights.
    arrays: [Array; 3],
    edges: u64,
    /// The bytes that were read last.
    bytes: Vec<u8>,
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
        let mut first = 0;
        while first < self.edges {
            let count = (self.edges - first).min(blocks.block_edges() as u64) as usize;
            let (u, v) = (self.next::<u32>(0, count)?, self.next::<u32>(1, count)?);
            let weights = self.next::<W>(2, count)?;
            progress(self.arrays.iter().map(|array| array.done).sum());
            blocks
                .pass_on_arrays((u, v, weights))?
                .map_err(|error| self.fault(error, first, W::SIZE))?;
            first += count as u64;
        }
        Ok(())
    }

    /// The next values of an array.
    fn next<T: Plain>(&mut self, array: usize, count: usize) -> Result<Vec<T>, Fault> {
        let array = &mut self.arrays[array];
        let length = count * T::SIZE;
        if self.bytes.len() < length {
            self.bytes = memory::zeros(length).map_err(|refusal: OutOfMemory| refusal)?;
        }
        let bytes = self.bytes.get_mut(..length).unwrap_or_default();
        let start = array.section.offset + array.done;
        self.file
            .seek(SeekFrom::Start(start))
            .and_then(|_| self.file.read_exact(bytes))
            .map_err(ReadErrorKind::Io)?;
        array.digest.update(bytes);
        array.done += length as u64;
        Ok(decode(bytes)?)
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
        Self { section, done: 0, digest: Digest::default() }
    }

    fn check(self) -> Result<(), Fault> {
        let Self { section, digest, .. } = self;
        if digest.finish() == section.checksum { Ok(()) } else { Err(section.damaged()) }
    }
}
