//! Reading a `.kst` file from a pipe, or a compressed one, in blocks of edges.
//!
//! The file stores all first ends, then all second ends, then all weights. The forest depends on
//! every weight, and any pair of vertices can be the ends of any edge. So one pass must hold the
//! ends of all edges until their weights arrive: 8 bytes per edge. The weights are read in blocks.

use std::io::Read;

use bytemuck::Pod;
use kostra_core::{Key, Vertex, WeightType, memory};

use super::blocks::{Block, Checker, begin};
use super::chunks::Plain;
use super::header::{Header, LONGEST, Section, check_length};
use super::pool::Pool;
use crate::ReadErrorKind;
use crate::compression::{Stream, fill};
use crate::edge_blocks::EdgeSink;
use crate::fault::Fault;
use crate::source::from_io;

pub(super) fn read_blocks(stream: Stream<'_>, blocks: &mut EdgeSink<'_>) -> Result<(), Fault> {
    let head = stream.head();
    let (header, sections, length) = Header::decode(head.get(..LONGEST).unwrap_or(head))?;
    let held_bytes = header.edges * (2 * Vertex::SIZE) as u64;
    begin(&header, blocks, held_bytes)?;
    blocks.notes.push(
        format!(
            "the ends of all edges took {} MiB of the memory, because their weights follow them; a \
         plain .kst file is read without holding them",
            held_bytes.div_ceil(1 << 20),
        )
        .into(),
    );
    let [u, v, weights, ..] = &sections[..] else { return Ok(()) };
    let mut input = Sections { stream, at: 0, length };
    let ends = [input.ends(u)?, input.ends(v)?];
    input.skip_to(weights.offset)?;
    let checker = Checker::new([*u, *v, *weights], &header);
    match header.weight_type {
        WeightType::I32 | WeightType::U32 | WeightType::F32 => {
            read_weights::<u32>(&mut input, &header, ends, checker, blocks)?;
        }
        WeightType::I64 | WeightType::U64 | WeightType::F64 => {
            read_weights::<u64>(&mut input, &header, ends, checker, blocks)?;
        }
    }
    input.skip_to(length)?;
    input.refuse_more()
}

/// Reads the weights, and passes all edges on.
fn read_weights<K: Key + Plain>(
    input: &mut Sections<'_>,
    header: &Header,
    [u, v]: [Vec<Vertex>; 2],
    mut checker: Checker,
    blocks: &mut EdgeSink<'_>,
) -> Result<(), Fault> {
    let (ends, weights) = (Pool::<Vertex>::default(), Pool::<K>::default());
    let size = blocks.block_edges();
    for (first, (u, v)) in (0..).step_by(size).zip(u.chunks(size).zip(v.chunks(size))) {
        let lent = |values: &[Vertex]| {
            let mut lent = ends.lend(values.len(), 0)?;
            lent.copy_from_slice(values);
            Ok::<_, ReadErrorKind>(lent)
        };
        let count = u.len();
        let mut weights = weights.lend(count, 0).map_err(ReadErrorKind::from)?;
        input.read(&mut weights)?;
        let mut block = Block { u: lent(u)?, v: lent(v)?, weights };
        checker.check(&mut block, first)?;
        blocks.pass_on_edges(block.share(header.vertices, header.weight_type))?;
    }
    checker.finish()
}

/// The content of the file, from which the sections are read in their order.
struct Sections<'a> {
    stream: Stream<'a>,
    /// The number of bytes that have been read.
    at: u64,
    /// The number of bytes that the header announces.
    length: u64,
}

impl Sections<'_> {
    /// Reads a section of ends.
    fn ends(&mut self, section: &Section) -> Result<Vec<Vertex>, Fault> {
        self.skip_to(section.offset)?;
        let edges = (section.length / Vertex::SIZE as u64) as usize;
        let mut ends = memory::zeros(edges).map_err(ReadErrorKind::from)?;
        self.read(&mut ends)?;
        Ok(ends)
    }

    /// Reads the bytes of values.
    fn read<T: Pod>(&mut self, values: &mut [T]) -> Result<(), Fault> {
        let bytes = bytemuck::cast_slice_mut(values);
        let count = fill(&mut self.stream, bytes).map_err(from_io)?;
        self.at += count as u64;
        if count < bytes.len() { check_length(self.at, self.length) } else { Ok(()) }
    }

    /// Reads up to a place and ignores the content.
    fn skip_to(&mut self, offset: u64) -> Result<(), Fault> {
        let mut ignored = [0_u8; 1 << 12];
        while self.at < offset {
            let count = (offset - self.at).min(ignored.len() as u64) as usize;
            self.read(&mut ignored[..count])?;
        }
        Ok(())
    }

    /// Refuses bytes after the last section.
    fn refuse_more(&mut self) -> Result<(), Fault> {
        let mut byte = [0];
        let more = self.stream.read(&mut byte).map_err(from_io)?;
        check_length(self.at + more as u64, self.length)
    }
}
