//! Node-link JSON, as `node_link_data` of NetworkX and the examples of D3 have it: an object with
//! a list `nodes`, and a list `edges` or `links` whose members have a `source` and a `target`.
//!
//! The ids of nodes are texts or integers. The weight is the member `weight` of the edges, or the
//! member that the user names. Directions and other members are ignored.
//!
//! The reader passes over the text once, on one thread. One node, one edge or one other member of
//! the document is in memory at a time: the parser is slow where it reads a stream byte by byte.

mod read;
mod values;
mod write;

use crate::head::{BYTE_ORDER_MARK, Evidence, Head};
use crate::interface::{Format, FormatInfo};

/// The member with the id of an edge in the graph that it comes from.
const EDGE_ID: &str = "edge";

impl Format {
    /// Node-link JSON: lists of nodes and edges with attributes.
    pub const NODE_LINK: Self = Self::new(&FormatInfo {
        id: "json",
        title: "node-link JSON",
        extensions: &["json"],
        summary: "node-link JSON: lists of nodes and edges, as NetworkX and D3 write them",
        keeps_edge_order: true,
        has_attributes: true,
        recognize,
        read: read::read,
        write: Some(write::writer),
        write_stream: None,
        read_part: None,
        read_blocks: None,
    });
}

/// Recognizes a JSON object that has one of the lists.
fn recognize(head: &Head<'_>) -> Evidence {
    let bytes = head.bytes();
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes).trim_ascii_start();
    let members = ["\"nodes\"", "\"edges\"", "\"links\""];
    let has_list =
        || members.iter().any(|name| memchr::memmem::find(text, name.as_bytes()).is_some());
    Evidence::Signature.when(text.starts_with(b"{") && has_list())
}

#[cfg(test)]
mod tests;
