//! Why edges are not a forest.

use thiserror::Error;

use crate::{OutOfMemory, Vertex, counted};

/// The reason why pairs of vertices are not the edges of a forest.
#[derive(Debug, Error, Clone, Copy, PartialEq, Eq)]
pub enum NotAForest {
    /// A pair joins two vertices that earlier pairs have joined.
    #[error("edge {edge} closes a cycle; pass the edges of a spanning tree or forest")]
    Cycle {
        /// The first such pair.
        edge: u32,
    },
    /// A pair contains a vertex that does not exist.
    #[error(
        "edge {edge} ends at vertex {vertex}, but there are {}, numbered from 0",
        counted(*vertices, "vertex", "vertices")
    )]
    OutOfRange {
        /// The first such pair.
        edge: u32,
        /// The vertex.
        vertex: Vertex,
        /// The number of vertices.
        vertices: u32,
    },
    /// The system refuses memory.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
}
