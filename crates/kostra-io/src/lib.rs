//! Graphs in and out of files: one module a format, and the only room of Kostra that meets hostile bytes.
//!
//! Formats and compressions are recognized by content, never by file name. Text is read in a pipeline: one thread
//! reads and decompresses, the others parse blocks of whole lines, and the blocks are joined in order.

mod error;
mod options;

pub use error::{Place, ReadError, ReadErrorKind, WriteError};
pub use options::{Compression, Format, Input, Loaded, MissingWeights, Nan, ReadOptions};
