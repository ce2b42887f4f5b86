//! Forests of any form that `solve` writes, told by their content.

use std::io::{BufRead, BufReader, Read};

use kostra::EdgeId;
use kostra::io::{Format, Input, ReadError, ReadErrorKind};

use super::{graph, text};
use crate::input::Graph;

/// What some systems let a text start with.
pub(super) const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Reads the ids of a forest's edges in a graph. What else the file says of the edges must be what
/// the graph says.
///
/// # Errors
/// When the file cannot be read, is no forest as `kostra solve` writes it, or is one of another
/// graph.
pub(crate) fn read(input: &Input, of: &Graph) -> Result<Vec<EdgeId>, ReadError> {
    let mut reader = BufReader::new(kostra::io::open_text(input)?);
    let head = reader.fill_buf().map_err(|cause| failed(input, cause))?;
    match format(head) {
        None => text::read_ids(input, reader, of),
        Some(format) => graph::read_ids(input, reader, format, of),
    }
}

/// The format of a forest that is a graph; none if it is a text of ids or edges.
fn format(head: &[u8]) -> Option<Format> {
    if head.starts_with(b"\x8bKOSTRA") {
        return Some(Format::KST);
    }
    let text = head.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(head).trim_ascii_start();
    // A comment or the header; what the lines of the other forms start with are digits, or the word
    // `edge`.
    let is_dimacs = match text {
        [b'c' | b'p'] => true,
        [b'c' | b'p', next, ..] => next.is_ascii_whitespace(),
        _ => false,
    };
    is_dimacs.then_some(Format::DIMACS)
}

/// What a failed read means.
pub(super) fn failed(input: &Input, cause: std::io::Error) -> ReadError {
    let kind = cause.downcast::<ReadErrorKind>().unwrap_or_else(ReadErrorKind::Io);
    ReadError { input: input.to_string(), place: None, kind }
}

/// The content of a forest's file, decompressed.
pub(super) type Content = BufReader<Box<dyn Read + Send>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_told_by_their_content() {
        for text in ["p sp 2 1\n", "c a comment\np sp 2 1\n", "\u{feff}\n  c\n", "p"] {
            assert_eq!(format(text.as_bytes()), Some(Format::DIMACS), "{text}");
        }
        assert_eq!(format(b"\x8bKOSTRA\0"), Some(Format::KST));
        for text in ["", "1\n", "\u{feff}1\n", "edge\tu\tv\tweight\n", "0\ta\tb\t1\n", "pear\n"] {
            assert_eq!(format(text.as_bytes()), None, "{text}");
        }
    }
}
