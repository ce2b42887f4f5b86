//! Reading a forest in any format that `solve` writes, apart from Newick. The content tells the
//! format.

use std::io::{BufRead, BufReader};

use kostra_core::{AnyGraph, EdgeId};
use kostra_io::{Format, Input, ReadError, ReadErrorKind};

use super::content::{BYTE_ORDER_MARK, Solved, read_error};
use super::{geojson, graph, parquet, text};

/// The first bytes of a Kostra file.
const KST_MAGIC: &[u8] = b"\x8bKOSTRA";

/// The first bytes of a Parquet file.
const PARQUET_MAGIC: &[u8] = b"PAR1";

/// Reads the edge ids of a forest of `graph`, in any order, and sorts them. If the file also
/// contains endpoints and weights, they must be those of `graph`, whose vertices have these names.
///
/// # Errors
/// When the file cannot be read, is not a forest as `kostra solve` writes it, or is a forest of
/// another graph.
pub fn read(
    input: &Input,
    graph: &AnyGraph,
    names: Option<&[String]>,
) -> Result<Vec<EdgeId>, ReadError> {
    let mut ids = read_ids(input, Solved { graph, names })?;
    ids.sort_unstable(); // one look at ids that ascend, as `solve` writes them
    Ok(ids)
}

fn read_ids(input: &Input, graph: Solved<'_>) -> Result<Vec<EdgeId>, ReadError> {
    let mut reader = BufReader::new(kostra_io::open_text(input)?);
    let head = reader.fill_buf().map_err(|cause| read_error(input, cause))?;
    if geojson::is_map(head) {
        return geojson::read_ids(input, reader);
    }
    if head.starts_with(PARQUET_MAGIC) {
        return parquet::read_ids(input, reader, graph);
    }
    if head.trim_ascii_start().starts_with(b"(") {
        let sentence = "this is a tree in Newick, which has no edge ids; write the forest in \
                        another format, such as .csv";
        let kind = ReadErrorKind::Malformed(sentence.into());
        return Err(ReadError { input: input.to_string(), place: None, kind });
    }
    match graph_format(head) {
        None => text::read_ids(input, reader, graph),
        Some(format) => graph::read_ids(input, reader, format, graph),
    }
}

/// The format of a forest that is stored as a graph; none for a text of ids or edges.
fn graph_format(head: &[u8]) -> Option<Format> {
    if head.starts_with(KST_MAGIC) {
        return Some(Format::KST);
    }
    let text = head.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(head).trim_ascii_start();
    if text.starts_with(b"<") {
        return Some(Format::GRAPHML);
    }
    if text.starts_with(b"{") {
        return Some(Format::NODE_LINK);
    }
    if text.starts_with(b"%%MatrixMarket") {
        return Some(Format::MATRIX_MARKET);
    }
    if text.starts_with(b"graph") {
        return Some(Format::DOT);
    }
    // A DIMACS file starts with a comment or a header. The other formats start with a digit or with
    // the word `edge`.
    let is_dimacs = match text {
        [b'c' | b'p'] => true,
        [b'c' | b'p', next, ..] => next.is_ascii_whitespace(),
        _ => false,
    };
    is_dimacs.then_some(Format::DIMACS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_recognized_by_content() {
        for text in ["p sp 2 1\n", "c a comment\np sp 2 1\n", "\u{feff}\n  c\n", "p"] {
            assert_eq!(graph_format(text.as_bytes()), Some(Format::DIMACS), "{text}");
        }
        assert_eq!(graph_format(b"<?xml version='1.0'?>"), Some(Format::GRAPHML));
        assert_eq!(graph_format(b"{\"nodes\": []"), Some(Format::NODE_LINK));
        assert_eq!(graph_format(b"graph {\n"), Some(Format::DOT));
        assert_eq!(graph_format(b"%%MatrixMarket matrix"), Some(Format::MATRIX_MARKET));
        assert_eq!(graph_format(b"\x8bKOSTRA\0"), Some(Format::KST));
        for text in ["", "1\n", "\u{feff}1\n", "edge\tu\tv\tweight\n", "0\ta\tb\t1\n", "pear\n"] {
            assert_eq!(graph_format(text.as_bytes()), None, "{text}");
        }
    }
}
