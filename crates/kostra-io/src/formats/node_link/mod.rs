//! Graphs in JSON, in the dialects of several programs. Most have a list of nodes and a list of
//! edges:
//!
//! | dialect | nodes | edges |
//! |---|---|---|
//! | node-link of NetworkX, D3 | `nodes`, with `id` or `name` | `edges` or `links`: `source`, `target` |
//! | Cytoscape.js | `elements`, or `elements.nodes`: `data.id` | in `elements`, too: `data.source` |
//! | graphology | `nodes`: `key` | `edges`: `source`, `target`, `attributes` |
//! | vis.js | `nodes`: `id` | `edges`: `from`, `to` |
//! | JGF | `graph.nodes`, a list or an object by id | `graph.edges`: `source`, `metadata` |
//! | adjacency data of NetworkX | `nodes`: `id` | `adjacency`: for each node, a list of `id` |
//! | rows | | an array of objects with two ends, or of arrays of two ends and perhaps a weight |
//! | matrix | | an array of n arrays of n numbers |
//!
//! The ids of nodes are texts or integers; [`positions`] says when the ends of edges are positions.
//! The weight is the member `weight` of the edges, or the member that the user names. Directions
//! and other members are ignored.
//!
//! The reader passes over the text once, on one thread. One node, one edge or one other member of
//! the document is in memory at a time: the parser is slow where it reads a stream byte by byte.

mod members;
mod positions;
mod read;
mod rows;
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
        summary: "JSON of NetworkX, D3, Cytoscape.js, graphology, vis.js or JGF, or an array of edges",
        has_attributes: true,
        recognize,
        read: read::read,
        write: Some(write::writer),
        ..FormatInfo::READ_ONLY
    });
}

/// Recognizes a JSON object that has one of the lists, and an array of rows or of edges.
fn recognize(head: &Head<'_>) -> Evidence {
    let bytes = head.bytes();
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes).trim_ascii_start();
    let has = |name: &str| memchr::memmem::find(text, format!("\"{name}\"").as_bytes()).is_some();
    let lists = ["nodes", "edges", "links", "elements", "adjacency"];
    let is_edges = || members::ENDS.iter().any(|[source, target]| has(source) && has(target));
    Evidence::Signature.when(match text {
        [b'{', ..] => lists.into_iter().any(has),
        [b'[', rest @ ..] => match rest.trim_ascii_start() {
            [b'{', ..] => is_edges(),
            [b'[', ..] => rest.contains(&b','),
            _ => false,
        },
        _ => false,
    })
}

#[cfg(test)]
mod tests;
