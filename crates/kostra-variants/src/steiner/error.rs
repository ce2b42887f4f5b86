//! Why there is no Steiner tree.

use kostra_core::{EdgeId, SolveError, Vertex, count};
use thiserror::Error;

/// The reason why there is no Steiner tree.
#[derive(Debug, Error, Clone, PartialEq)]
#[non_exhaustive]
pub enum SteinerError {
    /// There is no terminal.
    #[error("a Steiner tree needs at least one terminal")]
    NoTerminals,
    /// A terminal is no vertex of the graph.
    #[error(
        "there is no vertex {vertex}; the graph has {}, numbered from 0",
        count(u64::from(*vertices), "vertex", "vertices")
    )]
    NoVertex {
        /// The number.
        vertex: Vertex,
        /// The number of vertices.
        vertices: u32,
    },
    /// No tree joins all terminals.
    #[error(
        "no path joins vertex {first} with {} of the other terminals, such as vertex {}; leave \
         those out, or add the missing edges",
        unreached.len(),
        unreached[0]
    )]
    Disconnected {
        /// The first terminal.
        first: Vertex,
        /// The terminals in other components, ascending; at least one.
        unreached: Vec<Vertex>,
    },
    /// An edge has a negative weight.
    #[error(
        "edge {edge} has weight {weight}; the weights of a Steiner tree are costs, which must not \
         be negative"
    )]
    NegativeWeight {
        /// The first such edge.
        edge: EdgeId,
        /// Its weight.
        weight: String,
    },
    /// An edge has an infinite weight.
    #[error("edge {edge} has an infinite weight; leave the edge out")]
    InfiniteWeight {
        /// The first such edge.
        edge: EdgeId,
    },
    /// The sum of the weights is infinite.
    #[error("the sum of all weights is not a finite number; scale them down")]
    SumTooLarge,
    /// The run was cancelled before there was a tree, or the system refused memory.
    #[error(transparent)]
    Solve(#[from] SolveError),
}
