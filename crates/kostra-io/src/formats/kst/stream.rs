//! Writing a `.kst` file from edges that arrive in blocks: each block goes to its place in three
//! sections, and the header with the checksums is written last. Memory: 4 MiB.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use kostra_core::{AnyGraph, with_graph};

use super::chunks::{Digest, for_each_chunk};
use super::header::{Header, Kind, Places, Section};
use crate::interface::{FileSink, StreamHeader};

/// Returns what fills a file.
pub(super) fn sink<'a>(
    file: &'a mut File,
    header: &StreamHeader,
) -> io::Result<Box<dyn FileSink + 'a>> {
    let &StreamHeader { vertices, edges, weight_type } = header;
    let header = Header { vertices, edges, weight_type, places: Places::None, names: None };
    let (sections, length) = header.layout();
    // The bytes between sections, and those before the sections of an empty graph, are zero.
    file.set_len(length)?;
    let sections = sections.into_iter().map(Filling::new).collect();
    Ok(Box::new(Sections { file, header, sections, length }))
}

/// The sections of a file while they are filled.
struct Sections<'a> {
    file: &'a mut File,
    header: Header,
    sections: Vec<Filling>,
    length: u64,
}

/// A section that has been written up to a place.
struct Filling {
    section: Section,
    written: u64,
    digest: Digest,
}

impl Filling {
    fn new(section: Section) -> Self {
        Self { section, written: 0, digest: Digest::default() }
    }

    fn add(&mut self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        if self.written + bytes.len() as u64 > self.section.length {
            return Err(io::Error::other("there are more edges than announced"));
        }
        file.seek(SeekFrom::Start(self.section.offset + self.written))?;
        file.write_all(bytes)?;
        self.written += bytes.len() as u64;
        self.digest.update(bytes);
        Ok(())
    }

    /// The section with its checksum.
    fn finish(self) -> io::Result<Section> {
        if self.written < self.section.length {
            return Err(io::Error::other("there are fewer edges than announced"));
        }
        Ok(Section { checksum: self.digest.finish(), ..self.section })
    }
}

impl FileSink for Sections<'_> {
    fn add(&mut self, edges: &AnyGraph) -> io::Result<()> {
        let Self { file, sections, .. } = self;
        for filling in sections {
            let kind = filling.section.kind;
            let take: &mut dyn FnMut(&[u8]) -> io::Result<()> =
                &mut |bytes| filling.add(file, bytes);
            match kind {
                Kind::FirstEnds => for_each_chunk(edges.u(), take)?,
                Kind::SecondEnds => for_each_chunk(edges.v(), take)?,
                Kind::Weights => {
                    with_graph!(edges, graph => for_each_chunk(graph.edge_list().weights(), take)?);
                }
                Kind::Coordinates | Kind::Names => {}
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        let Self { file, header, sections, length } = *self;
        let sections = sections.into_iter().map(Filling::finish).collect::<io::Result<Vec<_>>>()?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&header.encode(&sections, length))
    }
}
