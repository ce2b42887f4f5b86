//! The one way in: open, decompress, recognize, parse.

use crate::compression::Stream;
use crate::fault::Fault;
use crate::source::{self, Progress, Source};
use crate::{Format, Input, Loaded, ReadError, ReadErrorKind, ReadOptions, sniff};
use crate::{dimacs, edge_list, matrix_market};
use kostra_core::{AnyGraph, Coordinates};

/// What a format's reader makes of a stream.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) graph: AnyGraph,
    pub(crate) coordinates: Option<Coordinates>,
    pub(crate) names: Option<Vec<String>>,
    pub(crate) notes: Vec<String>,
}

/// Reads a graph. `progress` is told after every few hundred kilobytes, possibly from another thread.
///
/// Takes one pass over the input. Besides the graph it needs some blocks of a few hundred kilobytes for each thread.
///
/// # Errors
/// When the input cannot be opened or read, is in no known format, breaks the rules of its format, or holds no graph
/// that fits 32-bit ids and this machine's memory.
pub fn read(
    input: &Input,
    options: &ReadOptions,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Loaded, ReadError> {
    source::open(input, progress)
        .and_then(|source| load(source, options))
        .map_err(|fault| fault.of(input.to_string()))
}

/// Reads a graph from memory, as [`read`] does; `name` stands for the input in errors.
///
/// # Errors
/// As [`read`].
pub fn read_bytes(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Loaded, ReadError> {
    load(source::of_bytes(bytes), options).map_err(|fault| fault.of(name))
}

fn load(source: Source<'_>, options: &ReadOptions) -> Result<Loaded, Fault> {
    let stream = Stream::new(source)?;
    if stream.head().is_empty() {
        return Err(ReadErrorKind::Empty.into());
    }
    let compression = stream.compression;
    let format = match options.format {
        Some(format) => format,
        None if options.names => Format::EdgeList,
        None => sniff::recognize(stream.head(), stream.head_is_whole())?,
    };
    let parsed = match format {
        Format::Dimacs => dimacs::read(stream, options),
        Format::EdgeList => edge_list::read(stream, options),
        Format::MatrixMarket => matrix_market::read(stream, options),
        Format::Metis | Format::Ecl | Format::OsmPbf | Format::Kst => {
            Err(ReadErrorKind::Malformed(format!("{} cannot be read yet", format.title())).into())
        }
    }?;
    let Parsed { graph, coordinates, names, notes } = parsed;
    Ok(Loaded { graph, coordinates, names, format, compression, notes })
}

/// How many threads to use when asked for so many; 0 means all.
pub(crate) fn threads(options: &ReadOptions) -> usize {
    match options.threads {
        0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        threads => threads,
    }
}
