//! Graphs in and out of files: one module a format. Every reader takes untrusted bytes.
//!
//! Readers recognize formats and compressions by content, never by file name; a format can also be
//! named, and names of vertices mean an edge list. Text is read in blocks of whole lines: one
//! thread reads and decompresses block after block, all threads parse blocks, and the parsed blocks
//! are joined in order, so that the result does not depend on the number of threads.

mod blocks;
mod columns;
mod compression;
#[cfg(unix)]
mod descriptor;
mod dimacs;
mod ecl;
mod edge_list;
mod error;
mod fault;
mod gap;
mod kst;
mod matrix_market;
mod metis;
mod mirror;
mod number;
mod options;
mod osm;
mod output;
mod part;
mod read;
mod replacement;
mod sniff;
mod source;
mod terms;
#[cfg(test)]
mod testing;
mod text_writer;
mod weights;
mod words;

pub use edge_list::isolated_vertices;
pub use error::{Place, ReadError, ReadErrorKind, WriteError};
pub use kst::{KstFile, MappedFile, is_in_mapped_file, open_kst};
pub use options::{
    ColumnChoice, ColumnOptions, Compression, Format, Header, Input, Loaded, MissingWeights, Nan,
    ReadOptions,
};
pub use output::{Outgoing, Output, write_atomically, write_bytes, write_graph};
pub use part::{Part, PartReader, hash_ranges, pieces};
pub use read::{open_text, read, read_bytes, read_stream};
pub use replacement::{Replacement, ReplacementPart, abandon_unfinished};
pub use source::Progress;
pub use terms::Terms;
