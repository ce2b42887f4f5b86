//! Errors: what is wrong, where in the file, and what to do.

use std::fmt::Display;
use std::io;

use kostra_core::{GraphError, OutOfMemory};
use thiserror::Error;

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a text: line and column, counted from 1. Columns count bytes.
    Line {
        /// The line.
        line: u64,
        /// The column.
        column: u64,
    },
    /// In a binary file: the offset in the decompressed content.
    Byte(u64),
}

impl Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Line { line, column } => write!(f, "line {line}, column {column}"),
            Self::Byte(offset) => write!(f, "byte {offset}"),
        }
    }
}

/// Why an input could not be read as a graph.
#[derive(Debug)]
pub struct ReadError {
    /// The path of the file, or a name such as `standard input`.
    pub input: String,
    /// The place of the fault, if it has one.
    pub place: Option<Place>,
    /// The fault.
    pub kind: ReadErrorKind,
}

impl Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.place {
            Some(place) => write!(f, "{}: {place}: {}", self.input, self.kind),
            None => write!(f, "{}: {}", self.input, self.kind),
        }
    }
}

impl std::error::Error for ReadError {}

/// The fault of an input.
#[derive(Debug, Error)]
pub enum ReadErrorKind {
    /// The operating system could not open or read the input.
    #[error("{0}")]
    Io(io::Error),
    /// The input has no bytes.
    #[error("the input is empty")]
    Empty,
    /// The first bytes fit no format.
    #[error(
        "this input is in none of the formats that Kostra reads ({known}); if it is in one of them, pass {option}"
    )]
    UnknownFormat {
        /// The ids of all formats.
        known: String,
        /// The option that names a format, in the caller's terms.
        option: String,
    },
    /// The compressed stream is cut short or damaged.
    #[error("the {compression} stream is damaged or cut short: {cause}; copy the file again")]
    Compression {
        /// The compression, such as `gzip`.
        compression: &'static str,
        /// The message of the decoder.
        cause: io::Error,
    },
    /// The content breaks the rules of its format. One sentence says how, and what is expected.
    #[error("{0}")]
    Malformed(String),
    /// The columns of an edge list contradict the options, or their contents leave open what they
    /// are. One sentence says what the caller can do.
    #[error("{sentence}")]
    Columns {
        /// The fault or the question, and the remedy.
        sentence: String,
        /// The names of the columns; empty if they have no names.
        columns: Vec<String>,
    },
    /// The options ask for generated weights, but the input has weights.
    #[error("the file has weights; omit {option} to use them")]
    HasWeights {
        /// The option that asks for other weights, in the caller's terms.
        option: String,
    },
    /// The content is well-formed, but Kostra cannot hold the graph.
    #[error("{0}")]
    Graph(#[from] GraphError),
    /// The input is mapped into memory, and the file was written to since then.
    #[error("the file changed while it was in use; run again when nobody writes to it")]
    Changed,
    /// The system refuses memory.
    #[error(
        "the graph needs {bytes} bytes of memory, which the system does not grant; use a smaller \
         graph, a machine with more memory, or a higher limit if `ulimit -v` sets one"
    )]
    OutOfMemory {
        /// The size of the array that did not fit.
        bytes: u64,
    },
}

impl ReadErrorKind {
    /// The input is a text in an encoding that Kostra does not read.
    pub(crate) fn utf_16() -> Self {
        Self::Malformed("this is UTF-16 text; save it as UTF-8".into())
    }

    /// Whether the system is at fault, and not the content.
    pub(crate) fn is_of_system(&self) -> bool {
        matches!(self, Self::Io(_) | Self::OutOfMemory { .. })
    }
}

impl From<OutOfMemory> for ReadErrorKind {
    fn from(refusal: OutOfMemory) -> Self {
        Self::OutOfMemory { bytes: refusal.bytes as u64 }
    }
}

/// Why an output could not be written. A file that was there before is unchanged.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The operating system could not create or write the output.
    #[error("{output}: {cause}")]
    Io {
        /// The file's path, or `standard output`.
        output: String,
        /// The message of the system.
        cause: io::Error,
    },
    /// The format cannot hold this graph.
    #[error("{output}: {reason}")]
    Unrepresentable {
        /// The file's path, or `standard output`.
        output: String,
        /// One sentence that says why, and which format to use instead.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_memory_may_be_a_limit_and_no_lack() {
        let said = ReadErrorKind::from(OutOfMemory { bytes: 8 }).to_string();
        assert!(said.ends_with("or a higher limit if `ulimit -v` sets one"), "{said}");
        assert!(said.starts_with("the graph needs 8 bytes of memory, which the system"), "{said}");
    }
}
