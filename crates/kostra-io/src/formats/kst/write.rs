//! Writing `.kst` files: the header with all checksums, then the arrays.

use std::io::{self, Write};

use kostra_core::{AnyGraph, Coordinates, with_graph};
use xxhash_rust::xxh3::xxh3_64;

use super::chunks::{CHUNK, combine, for_each_chunk};
use super::header::{Header, Kind, Places};
use crate::interface::{Outgoing, Writer};

/// Writes a graph as `.kst`: two passes over its arrays, without copying them and without seeking.
pub(super) fn writer(outgoing: Outgoing<'_>) -> Result<Writer<'_>, String> {
    let Outgoing { graph, coordinates, names, .. } = outgoing;
    let n = graph.vertices();
    let disagree = |count: usize, what: &str| {
        format!("the number of {what} is {count}, but the number of vertices is {n}")
    };
    if let Some(coordinates) = coordinates
        && coordinates.points().len() != n as usize
    {
        return Err(disagree(coordinates.points().len(), "coordinates"));
    }
    if let Some(names) = names
        && names.len() != n as usize
    {
        return Err(disagree(names.len(), "names"));
    }
    let header = Header {
        vertices: n,
        edges: graph.edges() as u64,
        weight_type: graph.weight_type(),
        places: match coordinates {
            None => Places::None,
            Some(Coordinates::Planar(_)) => Places::Planar,
            Some(Coordinates::Geographic(_)) => Places::Geographic,
        },
        names: names.map(|names| {
            (8 * (names.len() + 1) + names.iter().map(String::len).sum::<usize>()) as u64
        }),
    };
    Ok(Box::new(move |to| write(to, &header, graph, coordinates, names)))
}

fn write(
    to: &mut dyn Write,
    header: &Header,
    graph: &AnyGraph,
    coordinates: Option<&Coordinates>,
    names: Option<&[String]>,
) -> io::Result<()> {
    let names = names.map(pack_names).unwrap_or_default();
    let content = |kind, take: &mut dyn FnMut(&[u8]) -> io::Result<()>| match kind {
        Kind::FirstEnds => for_each_chunk(graph.u(), take),
        Kind::SecondEnds => for_each_chunk(graph.v(), take),
        Kind::Weights => {
            with_graph!(graph, graph => for_each_chunk(graph.edge_list().weights(), take))
        }
        Kind::Coordinates => for_each_chunk(coordinates.map_or(&[], Coordinates::points), take),
        Kind::Names => names.chunks(CHUNK).try_for_each(take),
    };
    let (mut sections, length) = header.layout();
    for section in &mut sections {
        let mut chunks = Vec::new();
        content(section.kind, &mut |chunk| {
            chunks.push(xxh3_64(chunk));
            Ok(())
        })?;
        section.checksum = combine(&chunks);
    }
    let bytes = header.encode(&sections, length);
    to.write_all(&bytes)?;
    let mut end = bytes.len() as u64;
    for section in &sections {
        let padding = section.offset - end; // less than a line of a cache
        to.write_all(&[0; 64][..padding as usize])?;
        content(section.kind, &mut |chunk| to.write_all(chunk))?;
        end = section.offset + section.length;
    }
    Ok(())
}

/// The section of names: the ends of all names, preceded by zero, then the concatenated names.
fn pack_names(names: &[String]) -> Vec<u8> {
    let mut end = 0;
    let mut bytes = 0_u64.to_le_bytes().to_vec();
    for name in names {
        end += name.len() as u64;
        bytes.extend_from_slice(&end.to_le_bytes());
    }
    for name in names {
        bytes.extend_from_slice(name.as_bytes());
    }
    bytes
}
