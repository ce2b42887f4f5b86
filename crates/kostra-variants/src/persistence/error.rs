//! Why there is no persistence.

use kostra_core::{EdgeId, OutOfMemory, SolveError, Vertex};
use kostra_points::grid::GridError;
use thiserror::Error;

/// The reason why there is no persistence.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum PersistenceError {
    /// There are more or fewer values than vertices.
    #[error("{values} values are not one for each of {vertices} vertices")]
    Length {
        /// The number of values.
        values: usize,
        /// The number of vertices.
        vertices: u32,
    },
    /// The value of a vertex is not a number.
    #[error("the value of vertex {vertex} is NaN (not a number); replace it by a number")]
    Nan {
        /// The first such vertex.
        vertex: Vertex,
    },
    /// An edge would enter before one of its ends.
    #[error(
        "edge {edge} has the value {weight}, and its end {vertex} enters later, at {value}; an \
         edge must not enter before its ends"
    )]
    EdgeBeforeEnd {
        /// The first such edge.
        edge: EdgeId,
        /// The value of the edge.
        weight: f64,
        /// The end that enters later.
        vertex: Vertex,
        /// The value of the end.
        value: f64,
    },
    /// The weight of an edge is an integer that a float would round.
    #[error("the weight of edge {edge} is beyond 2^53, and a float would round it")]
    Rounded {
        /// The first such edge.
        edge: EdgeId,
    },
    /// The values do not fit the grid.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// The solver failed.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The system refuses memory.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
}
