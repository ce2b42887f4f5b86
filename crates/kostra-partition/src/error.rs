//! Why there is no partition.

use kostra_core::{EdgeId, OutOfMemory, SolveError, Vertex};
use thiserror::Error;

/// The reason why a graph cannot be partitioned.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum PartitionError {
    /// The number of parts is 0.
    #[error("a partition needs at least 1 part, not 0")]
    NoParts,
    /// There are fewer vertices than parts.
    #[error("{vertices} vertices cannot be divided into {parts} parts; ask for at most {vertices}")]
    MorePartsThanVertices {
        /// The requested number of parts.
        parts: u32,
        /// The number of vertices.
        vertices: u32,
    },
    /// The imbalance is negative, infinite or not a number.
    #[error("the imbalance must be a number from 0, such as 0.03 for 3 %, not {imbalance}")]
    Imbalance {
        /// The requested imbalance.
        imbalance: f64,
    },
    /// An edge has a negative weight.
    #[error("edge {u} {v} has weight {weight}; a cut needs weights that are not negative")]
    NegativeEdgeWeight {
        /// The first end.
        u: Vertex,
        /// The second end.
        v: Vertex,
        /// The weight.
        weight: i64,
    },
    /// A weight of the graph cannot be the importance of its edge.
    #[error("edge {edge} has weight {weight}; an importance must be a whole number from 0")]
    NoImportance {
        /// The first such edge.
        edge: EdgeId,
        /// Its weight.
        weight: String,
    },
    /// A vertex has a negative weight.
    #[error("vertex {vertex} has weight {weight}; a balance needs weights that are not negative")]
    NegativeVertexWeight {
        /// The vertex.
        vertex: Vertex,
        /// The weight.
        weight: i64,
    },
    /// The weights of all vertices, or of all edges, exceed the range of their sum.
    #[error("the sum of the weights of all {kind} exceeds {most}; use smaller weights")]
    WeightsTooLarge {
        /// The kind: vertices or edges.
        kind: &'static str,
        /// The greatest allowed sum.
        most: i64,
    },
    /// An array does not have the length that the other arrays require.
    #[error("{array} has {found} values, but {expected} are needed")]
    WrongLength {
        /// The name of the array.
        array: &'static str,
        /// The number of values.
        found: usize,
        /// The required number of values.
        expected: usize,
    },
    /// The offsets of the rows do not start at 0, or decrease.
    #[error("the row of vertex {vertex} does not start where the row before it ends")]
    Offsets {
        /// The vertex.
        vertex: usize,
    },
    /// A row names a vertex that the graph does not have.
    #[error("a row names vertex {vertex}, but the graph has {vertices} vertices, numbered from 0")]
    NeighborOutOfRange {
        /// The neighbor.
        vertex: Vertex,
        /// The number of vertices.
        vertices: u32,
    },
    /// More vertices than 32-bit ids can name.
    #[error("{vertices} vertices are more than 32-bit ids can name")]
    TooManyVertices {
        /// The number of vertices.
        vertices: usize,
    },
    /// An edge is in the row of one end only, or has different weights in the two rows.
    #[error("the rows of both ends of an edge must contain it; those of vertex {vertex} differ")]
    Asymmetric {
        /// The first vertex whose edges differ.
        vertex: Vertex,
    },
    /// A part number is not below the number of parts.
    #[error("vertex {vertex} is in part {part}, but there are {parts} parts, numbered from 0")]
    PartOutOfRange {
        /// The vertex.
        vertex: Vertex,
        /// The part number.
        part: u32,
        /// The number of parts.
        parts: u32,
    },
    /// The observer cancelled the run.
    #[error("cancelled")]
    Cancelled,
    /// The system refuses memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

impl PartitionError {
    /// The error for a refused report of progress. Reports fail only if the observer cancels.
    pub(crate) fn cancelled(_: SolveError) -> Self {
        Self::Cancelled
    }
}
