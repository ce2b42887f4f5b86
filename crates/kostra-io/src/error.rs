//! Errors: what is wrong, where in the file, and what to do.

use std::fmt::{self, Display};
use std::io;

use kostra_core::{GraphError, OutOfMemory};
use thiserror::Error;

use crate::message::{Message, Remedy, message};

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
    /// In a spreadsheet: row and column, counted from 1.
    Cell {
        /// The row.
        row: u64,
        /// The column, which spreadsheets write as letters.
        column: u64,
    },
}

impl Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { line, column } => write!(f, "line {line}, column {column}"),
            Self::Byte(offset) => write!(f, "byte {offset}"),
            Self::Cell { row, column } => write!(f, "cell {}{row}", letters(*column)),
        }
    }
}

/// A column of a spreadsheet, counted from 1, as letters: Z is followed by AA.
fn letters(column: u64) -> String {
    let (mut letters, mut rest) = (Vec::new(), column);
    while let Some(before) = rest.checked_sub(1) {
        letters.push(char::from(b'A' + (before % 26) as u8));
        rest = before / 26;
    }
    letters.iter().rev().collect()
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

impl ReadError {
    /// The error in one line, with remedies as `spell` writes them.
    pub fn spelled(&self, spell: impl Fn(&Remedy) -> String) -> String {
        let fault = self.kind.message().spelled(spell);
        match self.place {
            Some(place) => format!("{}: {place}: {fault}", self.input),
            None => format!("{}: {fault}", self.input),
        }
    }
}

impl Display for ReadError {
    /// Writes the error with remedies as Rust code.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelled(Remedy::to_string))
    }
}

impl std::error::Error for ReadError {}

/// The fault of an input.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The operating system could not open or read the input.
    Io(io::Error),
    /// The input has no bytes.
    Empty,
    /// The first bytes fit no format.
    UnknownFormat {
        /// The ids of all formats.
        known: String,
    },
    /// The compressed stream is cut short or damaged.
    Compression {
        /// The compression, such as `gzip`.
        compression: &'static str,
        /// The message of the decoder.
        cause: io::Error,
    },
    /// The content breaks the rules of its format. One sentence says how, and what is expected.
    Malformed(Message),
    /// The columns of an edge list contradict the options, or their contents leave open what they
    /// are. One sentence says what the caller can do.
    Columns {
        /// The fault or the question, and the remedy.
        sentence: Message,
        /// The names of the columns; empty if they have no names.
        columns: Vec<String>,
    },
    /// The options ask for generated weights, but the input has weights.
    HasWeights,
    /// The content is well-formed, but Kostra cannot hold the graph.
    Graph(GraphError),
    /// The file was written to while it was read, or while it is mapped into memory.
    Changed,
    /// The system refuses memory.
    OutOfMemory {
        /// The size of the array that did not fit.
        bytes: u64,
    },
}

impl ReadErrorKind {
    /// What is wrong, and what to do, in one sentence.
    pub fn message(&self) -> Message {
        match self {
            Self::Io(cause) => cause.to_string().into(),
            Self::Empty => "the input is empty".into(),
            Self::UnknownFormat { known } => message![
                format!("this input is in none of the formats that Kostra reads ({known})"),
                "; if it is in one of them, pass ",
                Remedy::option("format"),
            ],
            Self::Compression { compression, cause } => format!(
                "the {compression} stream is damaged or cut short: {cause}; copy the file again"
            )
            .into(),
            Self::Malformed(sentence) | Self::Columns { sentence, .. } => sentence.clone(),
            Self::HasWeights => {
                message!["the file has weights; omit ", Remedy::option("weights"), " to use them"]
            }
            Self::Graph(fault) => fault.to_string().into(),
            Self::Changed => {
                "the file changed while it was in use; run again when nobody writes to it".into()
            }
            Self::OutOfMemory { bytes } => format!(
                "the graph needs {bytes} bytes of memory, which the system does not grant; use a \
                 smaller graph, a machine with more memory, or a higher limit if `--memory` or \
                 `ulimit -v` sets one"
            )
            .into(),
        }
    }

    /// The options or the columns leave a question open.
    pub(crate) fn question(sentence: impl Into<Message>) -> Self {
        Self::Columns { sentence: sentence.into(), columns: Vec::new() }
    }

    /// The content breaks the rules of its format.
    pub(crate) fn malformed(sentence: impl Into<Message>) -> Self {
        Self::Malformed(sentence.into())
    }

    /// The input is a text in an encoding that Kostra does not read.
    pub(crate) fn utf_16() -> Self {
        Self::malformed("this is UTF-16 text; save it as UTF-8")
    }

    /// Whether the system is at fault, and not the content.
    pub(crate) fn is_of_system(&self) -> bool {
        matches!(self, Self::Io(_) | Self::OutOfMemory { .. })
    }
}

impl Display for ReadErrorKind {
    /// Writes the fault with remedies as Rust code.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl std::error::Error for ReadErrorKind {}

impl From<GraphError> for ReadErrorKind {
    fn from(fault: GraphError) -> Self {
        Self::Graph(fault)
    }
}

impl From<OutOfMemory> for ReadErrorKind {
    fn from(refusal: OutOfMemory) -> Self {
        Self::OutOfMemory { bytes: refusal.bytes as u64 }
    }
}

/// Why an output could not be written. A file that was there before is unchanged.
#[derive(Debug, Error)]
#[non_exhaustive]
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
    fn cells_have_the_addresses_of_spreadsheets() {
        for (row, column, address) in
            [(1, 1, "A1"), (7, 26, "Z7"), (7, 27, "AA7"), (9, 702, "ZZ9"), (9, 703, "AAA9")]
        {
            assert_eq!(Place::Cell { row, column }.to_string(), format!("cell {address}"));
        }
    }

    #[test]
    fn refused_memory_may_be_a_limit_and_no_lack() {
        let said = ReadErrorKind::from(OutOfMemory { bytes: 8 }).to_string();
        assert!(
            said.ends_with("or a higher limit if `--memory` or `ulimit -v` sets one"),
            "{said}"
        );
        assert!(said.starts_with("the graph needs 8 bytes of memory, which the system"), "{said}");
    }
}
