//! Reading the edges of a graph that does not fit into memory, block by block in input order.
//!
//! Formats whose files contain one entry per edge are read in one pass, from any input. A `.kst`
//! file stores its arrays one after the other: of a plain file, each block is read from three
//! places, and of other inputs, the ends of all edges are held until their weights arrive. A
//! Parquet file must be a plain file, because it describes its columns at the end.

use kostra_core::BitSet;

use crate::compression::{Compression, Stream};
use crate::edge_blocks::{EdgeSink, Ids, TakeBlocks};
use crate::fault::Fault;
use crate::formats;
use crate::held_memory::HeldMemory;
use crate::interface::{Format, ReadOptions};
use crate::message::{Message, Remedy, message};
use crate::recognition::choose_format;
use crate::source::{self, Input, Progress};
use crate::{ReadError, ReadErrorKind};

/// The bytes that a decompressor with a large window holds beside it; measured with zstd.
const BESIDE_A_WINDOW: u64 = 2 << 20;

/// What is known when all edges have been read.
#[derive(Clone, Debug)]
pub struct StreamSummary {
    /// The number of ids, from 0.
    pub vertices: u32,
    /// Which of the ids are vertices.
    pub ids: Ids,
    /// The vertices with edges to themselves, unless the input states its vertices first.
    pub loops: BitSet,
    /// The number of edges.
    pub edges: u64,
    /// The format of the input.
    pub format: Format,
    /// The compression of the input.
    pub compression: Compression,
    /// As [`Loaded::similarity`](crate::Loaded).
    pub similarity: Option<String>,
    /// What the user should know, one sentence each.
    pub notes: Vec<Message>,
}

/// Reads the edges of a graph in blocks of about `block_edges` edges, once and in input order.
/// `progress` is called as by [`read`](crate::read()). The number of edges is not limited to 2^32.
///
/// Memory: two blocks, for texts a few blocks of 256 KiB per thread,
/// [`StreamFacts::held_bytes`](crate::StreamFacts), and what reading asks `target` for by
/// [`TakeBlocks::memory`]: longer lines, the pages of Parquet files and their description. One
/// thread decompresses, because several would hold whole streams of the input. Compressed streams
/// that need a larger window than the first are refused.
///
/// # Errors
/// As [`read`](crate::read()). When the format is not [streamed](Format::is_streamed), or the
/// vertices are to have names. When `target` stops, its error as [`ReadErrorKind::Io`].
pub fn stream_edges(
    input: &Input,
    options: &ReadOptions,
    block_edges: usize,
    progress: &(dyn Fn(Progress) + Sync),
    target: &mut dyn TakeBlocks,
) -> Result<StreamSummary, ReadError> {
    source::read(input, progress, |mut source| {
        if *input == Input::Stdin {
            source.file = source::stdin_file();
        }
        let mut stream = Stream::in_known_memory(source)?;
        stream.memory = HeldMemory { ask: target.memory() };
        read_blocks(stream, &input.to_string(), options, block_edges, target)
    })
}

fn read_blocks(
    mut stream: Stream<'_>,
    name: &str,
    options: &ReadOptions,
    block_edges: usize,
    target: &mut dyn TakeBlocks,
) -> Result<StreamSummary, Fault> {
    if stream.head().is_empty() {
        return Err(ReadErrorKind::Empty.into());
    }
    let compression = stream.compression;
    let format = choose_format(&mut stream, name, options)?.format;
    let Some(read) = format.info().read_blocks else {
        let streamed = formats::ids(|format| format.is_streamed() && format.is_writable());
        return Err(Fault::whole(message![
            format!(
                "the format {format} ({}) cannot be read in blocks; convert the file to one of \
                 {streamed} (edges includes CSV), or pass ",
                format.title()
            ),
            Remedy::option("format"),
            " if it is in one of these",
        ]));
    };
    if options.names {
        return Err(Fault::whole(message![
            "with ",
            Remedy::on("names"),
            ", the table of names would take memory beyond any limit; number the vertices first, \
             or omit ",
            Remedy::on("names"),
        ]));
    }
    let kept = options.columns.keep.first().and(Some("keep"));
    if let Some(option) = kept.or(options.columns.id.is_some().then_some("id")) {
        return Err(Fault::whole(message![
            Remedy::option(option),
            " keeps columns in memory, and a graph that is read in blocks is not; omit it",
        ]));
    }
    let mut blocks = EdgeSink::new(options.into(), block_edges, target);
    // A decompressor with a large window also holds more of its input and its output.
    blocks.window_bytes = match stream.window_bytes {
        0 => 0,
        window => window + BESIDE_A_WINDOW,
    };
    read(stream, options, &mut blocks)?;
    let EdgeSink { columns, vertices, ends, similarity, notes, ids, loops, .. } = blocks;
    let from_ids = if ends.edges == 0 { 0 } else { ends.all.largest + 1 };
    let vertices = vertices.unwrap_or(from_ids as u32); // ids are below the most vertices
    let edges = columns.base;
    let loops = BitSet::from_words(loops);
    Ok(StreamSummary { vertices, ids, loops, edges, format, compression, similarity, notes })
}
