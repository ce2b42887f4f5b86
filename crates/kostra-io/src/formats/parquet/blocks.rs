//! Reading a table of edges in blocks, from a file that does not fit into memory.
//!
//! Pages are read when they are needed, one for each column. One thread decodes them. Their memory
//! is known before: see [`page_sizes`](super::page_sizes).

use std::fs;

use super::cells::Cells;
use super::ends::{are_names, beyond, refuse_implausible, vertex};
use super::file::File;
use super::headers::Stored;
use super::read::{Choice, Table, choose, similarity_of};
use crate::columns::Ends;
use crate::compression::Stream;
use crate::edge_blocks::{EdgeSink, Ids, StreamFacts};
use crate::fault::Fault;
use crate::held_memory::HeldMemory;
use crate::source::Progress;
use crate::{ReadErrorKind, ReadOptions, Vertices, damage, weights};

pub(super) fn read_blocks(
    mut stream: Stream<'_>,
    options: &ReadOptions,
    blocks: &mut EdgeSink<'_>,
) -> Result<(), Fault> {
    let Some(file) = stream.file.take() else {
        return Err(Fault::whole(
            "a Parquet file describes its columns at the end, so it can be read in blocks only \
             from a plain file; decompress it or save it to a file first",
        ));
    };
    let limited = Limited { memory: &stream.memory, progress: &|at| (stream.progress)(at) };
    damage::catch(|| read_file(file, options, blocks, &limited))
        .unwrap_or_else(|damage| Err(Fault::whole(damage)))
}

/// The memory of reading, and what receives its progress.
struct Limited<'a> {
    memory: &'a HeldMemory,
    progress: &'a dyn Fn(Progress),
}

fn read_file(
    on_disk: fs::File,
    options: &ReadOptions,
    blocks: &mut EdgeSink<'_>,
    &Limited { memory, progress }: &Limited<'_>,
) -> Result<(), Fault> {
    let length = on_disk.metadata().map_err(ReadErrorKind::Io)?.len();
    let file = File::open(Stored::Disk { file: on_disk, length }, memory)?;
    file.hold_first(memory)?;
    let Choice { chosen, reverse, .. } = choose(&file, options, &mut blocks.notes)?;
    blocks.similarity = similarity_of(&file, chosen);
    weights::refuse_others(chosen.weight.is_some(), options)?;
    let ends = [chosen.u, chosen.v];
    // Only the end of the file shows whether ids must be numbered, which takes no table of names.
    let in_order = match options.vertices {
        Vertices::Occurring => ReadOptions { vertices: Vertices::UpToHighest, ..options.clone() },
        _ => options.clone(),
    };
    if are_names(&file, ends, &in_order)? {
        return Err(Fault::whole(
            "the vertices are text, and the table of their names would take memory beyond any \
             limit; number the vertices first",
        ));
    }
    let stated = match options.vertices {
        Vertices::Count(count) => Some(count),
        _ => file.vertices(),
    };
    let edges = Some(file.rows);
    blocks.begin(StreamFacts { vertices: stated, edges, ..StreamFacts::default() })?;
    let wanted: Vec<_> = ends.into_iter().chain(chosen.weight).chain(reverse).collect();
    file.hold_columns(memory, &wanted)?;
    let table = Table { file: &file, weight: chosen.weight, reverse, wanted, options };
    for group in file.groups() {
        let vertex = |end: &Cells<'_>, row| vertex(end, row);
        table.scan_group(group, vertex, |first, mut batch| {
            let largest = Ends::of_edges(&batch.columns.u, &batch.columns.v).all.largest;
            if let Some(stated) = stated.filter(|&stated| largest >= u64::from(stated)) {
                return Err(beyond(largest, stated, options).into());
            }
            table.join_columns(first, &mut batch.columns, &mut blocks.columns)?;
            if blocks.columns.len() >= blocks.block_edges() {
                blocks.pass_on()?;
                let rows = first as u64 * length / file.rows.max(1);
                progress(Progress { bytes: rows, of: Some(length) });
            }
            Ok(())
        })?;
    }
    blocks.finish()?;
    if stated.is_some() {
        return Ok(());
    }
    let from_ids = if file.rows == 0 { 0 } else { blocks.ends.all.largest + 1 };
    if options.vertices == Vertices::Occurring {
        return blocks.conclude(from_ids, Ids::Occurring);
    }
    refuse_implausible(from_ids, file.rows)?;
    blocks.conclude(from_ids, Ids::All)
}
