//! GML (Himsolt 1996), the format of Gephi, yEd, Cytoscape and many collections of graphs: lists of
//! keys and values, as in `edge [ source 1 target 2 weight 3 ]`.
//!
//! Vertices are the lists `node` in order of appearance. Their labels, or else their keys `name`,
//! are their names if every node has another one, and otherwise their ids. The weight is the key
//! `weight` of the edges, or the key that the user names. Directions and other keys are ignored.
//!
//! The reader holds the text in memory and passes over it once, on one thread, without recursion.

mod read;
mod tokens;

use crate::head::{Evidence, Head};
use crate::interface::{Format, FormatInfo};
use tokens::{Token, Tokens};

impl Format {
    /// GML: nodes and edges as lists of keys and values.
    pub const GML: Self = Self::new(&FormatInfo {
        id: "gml",
        title: "GML",
        extensions: &["gml"],
        summary: "GML: nodes and edges as lists of keys and values",
        has_attributes: true,
        recognize,
        read: read::read,
        ..FormatInfo::READ_ONLY
    });
}

/// Recognizes a text of keys and plain values up to the list `graph [`.
fn recognize(head: &Head<'_>) -> Evidence {
    /// The most keys before the graph.
    const MOST_KEYS: usize = 16;
    let mut tokens = Tokens::new(head.text());
    for _ in 0..MOST_KEYS {
        let Ok(Some((_, Token::Word(key)))) = tokens.next() else { return Evidence::Absent };
        match tokens.next() {
            Ok(Some((_, Token::Open))) => return Evidence::Signature.when(key == "graph"),
            Ok(Some((_, Token::Word(_) | Token::Text(_)))) => {}
            _ => return Evidence::Absent,
        }
    }
    Evidence::Absent
}

#[cfg(test)]
mod tests;
