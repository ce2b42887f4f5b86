//! One part of a `.kst` file: each part has an even share of the edges.
//!
//! Each part checks an even share of the chunks of all arrays, and the parts exchange the
//! checksums.

use std::fs::File;
use std::ops::Range;

use super::chunks::{CHUNK, checksums, chunks};
use super::mapped::Bytes;
use super::read::KstFile;
use crate::compression::Stream;
use crate::fault::Fault;
use crate::interface::{Format, Part, PartContent, PartOfFile, ReadOptions};
use crate::{ReadErrorKind, weights};
use kostra_core::shown;

#[derive(Debug)]
struct KstPart {
    file: KstFile,
    part: usize,
    parts: usize,
}

/// Maps the file and checks its header.
pub(super) fn open(
    of: &PartOfFile<'_>,
    _: Stream<'_>,
    options: &ReadOptions,
) -> Result<Option<Box<dyn PartContent>>, Fault> {
    weights::refuse_others(true, options)?;
    let bytes = File::open(of.path).and_then(Bytes::map).map_err(ReadErrorKind::Io)?;
    let file = KstFile::open(bytes, shown(of.path))?;
    Ok(Some(Box::new(KstPart { file, part: of.part, parts: of.parts })))
}

impl PartContent for KstPart {
    /// Returns the checksums of this part's share of all chunks.
    fn survey(&mut self, options: &ReadOptions) -> Result<Vec<u64>, Fault> {
        let chunks = chunks(&self.file.contents());
        let own = share(chunks.len(), self.part, self.parts);
        Ok(checksums(&chunks[own], options.thread_count()))
    }

    /// The bytes before the first array: they contain the checksums of all arrays.
    fn dependencies(&self, _: Range<u64>) -> Vec<Range<u64>> {
        std::iter::once(0..self.file.start_of_arrays()).collect()
    }

    /// Checks the file by the checksums of all parts, and borrows the edges from it. Other parts
    /// may have read another copy of the file, so the chunks that contain this part's edges must
    /// have the same checksums here.
    fn finish(self: Box<Self>, surveys: &[&[u64]], options: &ReadOptions) -> Result<Part, Fault> {
        let checksums = surveys.concat();
        self.file.check(&checksums)?;
        let edges = share(self.file.edges(), self.part, self.parts);
        self.check_chunks_of(&edges, &checksums, options)?;
        let first = edges.start as u64;
        let graph = self.file.graph(edges)?;
        let (format, notes) = (Format::KST, Vec::new());
        Ok(Part { graph, first, format, notes, similarity: None, lowest_id: None })
    }
}

impl KstPart {
    /// Compares the chunks that contain `edges` with the checksums of all chunks. The chunks that
    /// this part surveyed are not read again.
    fn check_chunks_of(
        &self,
        edges: &Range<usize>,
        expected: &[u64],
        options: &ReadOptions,
    ) -> Result<(), Fault> {
        let surveyed = share(expected.len(), self.part, self.parts);
        let mut first_chunk = 0;
        for section in &self.file.sections {
            let content = self.file.content(section);
            let chunks = chunks(&[content]);
            if section.kind.is_of_edges() && !edges.is_empty() {
                let size = content.len() / self.file.edges();
                let own: Vec<usize> = (edges.start * size / CHUNK
                    ..(edges.end * size).div_ceil(CHUNK))
                    .filter(|chunk| !surveyed.contains(&(first_chunk + chunk)))
                    .collect();
                let bytes: Vec<_> = own.iter().map(|&chunk| chunks[chunk]).collect();
                let found = checksums(&bytes, options.thread_count());
                let differs = |&(&chunk, &found): &(&usize, &u64)| {
                    expected.get(first_chunk + chunk) != Some(&found)
                };
                if let Some((chunk, _)) = own.iter().zip(&found).find(differs) {
                    let start = section.offset + (chunk * CHUNK) as u64;
                    let sentence =
                        "the file differs here from the copy that another part is read from";
                    return Err(Fault::at_byte(start, sentence));
                }
            }
            first_chunk += chunks.len();
        }
        Ok(())
    }
}

/// The range of part `part`, if `count` items are distributed evenly over `parts` parts.
fn share(count: usize, part: usize, parts: usize) -> Range<usize> {
    let bound = |part: usize| (count as u128 * part as u128 / parts as u128) as usize;
    bound(part)..bound(part + 1)
}
