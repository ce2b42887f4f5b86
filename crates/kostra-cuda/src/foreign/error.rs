//! The faults of arrays that are not a graph.

use thiserror::Error;

use crate::error::DeviceError;

/// The reason why arrays in device memory are not a graph.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceGraphError {
    /// The offsets do not describe rows.
    #[error(
        "offset {index} is wrong: offsets start at 0, ascend, and end at the number of entries, {entries}"
    )]
    Offsets {
        /// The first offset that is wrong.
        index: u64,
        /// The number of entries.
        entries: u32,
    },
    /// An entry or an edge names a vertex that the graph does not have.
    #[error("{what} {index} names a vertex that is not below {vertices}, the number of vertices")]
    Vertex {
        /// `"entry"` or `"edge"`.
        what: &'static str,
        /// The first such entry or edge.
        index: u64,
        /// The number of vertices.
        vertices: u32,
    },
    /// An integer is negative or does not fit in 32 bits.
    #[error("value {index} is not a vertex: vertices are numbered from 0, with 32 bits")]
    NotAVertex {
        /// The place of the first such integer.
        index: u64,
    },
    /// An entry has an id that is not below the number of edges.
    #[error("the id in entry {index} is not below {edges}, the number of edges")]
    EdgeId {
        /// The first such entry.
        index: u64,
        /// The number of edges.
        edges: u32,
    },
    /// A weight is NaN, so the edges cannot be ordered.
    #[error("the weight of {what} {index} is not a number (NaN)")]
    NanWeight {
        /// `"entry"` or `"edge"`.
        what: &'static str,
        /// The first such entry or edge.
        index: u64,
    },
    /// A row holds an edge from its vertex to itself.
    #[error("entry {index} is an edge from a vertex to itself; leave such edges out of the rows")]
    SelfLoop {
        /// The first such entry.
        index: u64,
    },
    /// Two edges have the same id.
    #[error("entry {index} has the id of another edge; an id belongs to one edge")]
    RepeatedId {
        /// The lowest entry that was reported. Which of the edges with the id is reported may vary.
        index: u64,
    },
    /// An edge's two entries differ, or one of them is missing.
    #[error(
        "the rows are not symmetric: each edge must be in the rows of both its ends, with the same weight and id"
    )]
    Asymmetric,
    /// The graph has entries or edges, but no vertices.
    #[error("the graph has entries or edges, but no vertices")]
    NoVertices,
    /// The device failed during the check.
    #[error(transparent)]
    Device(#[from] DeviceError),
}
