//! What all readers of forests take: the decompressed content, and the graph that was solved.

use std::io::{BufReader, Read};

use kostra_core::AnyGraph;
use kostra_io::{Input, ReadError, ReadErrorKind};

pub(super) type Content = BufReader<Box<dyn Read + Send>>;

/// The graph that was solved.
#[derive(Clone, Copy)]
pub(super) struct Solved<'a> {
    pub(super) graph: &'a AnyGraph,
    pub(super) names: Option<&'a [String]>,
}

/// Some systems put this character before a text.
pub(super) const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The error for a read that failed.
pub(crate) fn read_error(input: &Input, cause: std::io::Error) -> ReadError {
    let kind = cause.downcast::<ReadErrorKind>().unwrap_or_else(ReadErrorKind::Io);
    ReadError { input: input.to_string(), place: None, kind }
}
