//! GraphML (Brandes et al. 2002), the XML format of NetworkX, igraph, Gephi and yEd.
//!
//! Vertices are the elements `node`, and edges the elements `edge`, of one graph. The weight is the
//! attribute `weight` of the edges, or the attribute that the user names. Directions and other
//! attributes are ignored. The nodes of nested graphs, the groups of yEd, are vertices like the
//! groups themselves. Edges between more than two nodes are refused.
//!
//! The reader passes over the text once, on one thread. It expands no entities but those of XML
//! itself, so that no file grows in memory.

mod keys;
mod read;
mod write;

use crate::head::{BYTE_ORDER_MARK, Evidence, Head};
use crate::interface::{Format, FormatInfo};

/// The attribute with the id of an edge in the graph that it comes from.
const EDGE_ID: &str = "edge";

impl Format {
    /// GraphML: nodes and edges with attributes, as XML.
    pub const GRAPHML: Self = Self::new(&FormatInfo {
        id: "graphml",
        title: "GraphML",
        extensions: &["graphml"],
        summary: "GraphML: nodes and edges with attributes, as NetworkX, igraph and Gephi write \
                  them",
        has_attributes: true,
        recognize,
        read: read::read,
        write: Some(write::writer),
        ..FormatInfo::READ_ONLY
    });
}

/// Recognizes a text that starts with `<` and contains the root element.
fn recognize(head: &Head<'_>) -> Evidence {
    let bytes = head.bytes();
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes).trim_ascii_start();
    let is_xml = text.starts_with(b"<");
    let root = || {
        memchr::memmem::find_iter(text, "graphml")
            .any(|at| at > 0 && matches!(text.get(at - 1), Some(b'<' | b':')))
    };
    Evidence::Signature.when(is_xml && root())
}

#[cfg(test)]
mod tests;
