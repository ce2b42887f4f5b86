//! Graphs in and out of files: one module a format, and the only room of Kostra that meets hostile bytes.
//!
//! Formats and compressions are recognized by content, never by file name. Text is read in blocks of whole lines:
//! the threads take turns to read and decompress the next block, parse it side by side, and the blocks are joined in
//! order, so that the result does not depend on how many threads there are.

mod blocks;
mod columns;
mod compression;
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
pub use kst::{KstFile, open_kst};
pub use options::{
    ColumnChoice, ColumnOptions, Compression, Format, Header, Input, Loaded, MissingWeights, Nan, ReadOptions,
};
pub use output::{Outgoing, Output, write_atomically, write_bytes, write_graph};
pub use part::{Part, PartReader, fingerprint};
pub use read::{open_text, read, read_bytes};
pub use source::Progress;
pub use terms::Terms;
