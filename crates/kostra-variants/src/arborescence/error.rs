//! Why there is no arborescence, and what is wrong with one.

use kostra_core::{EdgeId, SolveError, Vertex, count};
use thiserror::Error;

/// The reason why there is no arborescence.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArborescenceError {
    /// A root is no vertex of the graph.
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
    /// No path leads to a vertex from the roots.
    #[error(
        "no path leads from the roots to {}, such as vertex {}; name more roots, or none",
        count(unreached.len() as u64, "vertex", "vertices"),
        unreached[0]
    )]
    Unreached {
        /// The vertices, ascending; at least one.
        unreached: Vec<Vertex>,
    },
    /// An edge has an infinite weight.
    #[error("edge {edge} has an infinite weight; leave the edge out")]
    InfiniteWeight {
        /// The first such edge.
        edge: EdgeId,
    },
    /// Edges and vertices together have too many numbers.
    #[error("an arborescence needs a graph with fewer than 2^32 edges and vertices together")]
    TooLarge,
    /// The run was cancelled, or the system refused memory.
    #[error(transparent)]
    Solve(#[from] SolveError),
}

/// What is wrong with an arborescence, or with its proof.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArborescenceFlaw {
    /// The graph has other numbers of vertices or edges than the one that was solved.
    #[error("this is not the graph of the arborescence")]
    OtherGraph,
    /// A vertex has several entering edges, a root has one, or another vertex has none.
    #[error("vertex {vertex} has {entering} entering edges in the arborescence")]
    Entering {
        /// The first such vertex.
        vertex: Vertex,
        /// The number of its entering edges.
        entering: u32,
    },
    /// Edges close a cycle.
    #[error("the entering edges of vertex {vertex} and of those before it close a cycle")]
    Cycle {
        /// A vertex from which no root is found.
        vertex: Vertex,
    },
    /// The duals of the sets that an edge enters are more than its cost, or a dual is negative.
    #[error("the duals are not feasible")]
    Duals,
    /// The duals do not add up to the weight, so a better arborescence may exist.
    #[error("the duals do not prove that no better arborescence exists")]
    Gap,
    /// The system refused memory.
    #[error(transparent)]
    OutOfMemory(#[from] kostra_core::OutOfMemory),
}
