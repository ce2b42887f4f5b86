//! The reasons why no forest satisfies constraints.

use kostra_core::{EdgeId, OutOfMemory, SolveError, Vertex, counted};
use thiserror::Error;

/// The reason why no forest satisfies constraints.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConstraintError {
    /// An edge that the graph does not have.
    #[error("there is no edge {edge}; the graph has {}", counted(*edges, "edge", "edges"))]
    NoEdge {
        /// The edge.
        edge: EdgeId,
        /// The number of edges.
        edges: usize,
    },
    /// A vertex that the graph does not have.
    #[error(
        "there is no vertex {vertex}; the graph has {}",
        counted(*vertices as usize, "vertex", "vertices")
    )]
    NoVertex {
        /// The vertex.
        vertex: Vertex,
        /// The number of vertices.
        vertices: u32,
    },
    /// An edge is included and excluded.
    #[error("edge {edge} is both included and excluded; omit it in one of the lists")]
    Contradiction {
        /// The first such edge of the included ones.
        edge: EdgeId,
    },
    /// Included edges are no forest.
    #[error(
        "the included {} {} a cycle{}; leave out one of them",
        listed(edges),
        if edges.len() == 1 { "closes" } else { "close" },
        if *has_links { " with linked vertices" } else { "" }
    )]
    Cycle {
        /// The edges of the cycle, ascending.
        edges: Vec<EdgeId>,
        /// Whether the cycle passes through linked vertices.
        has_links: bool,
    },
    /// No forest has the number of trees.
    #[error(
        "no forest has {}: under these constraints it has {fewest} to {most}",
        counted(*trees as usize, "tree", "trees")
    )]
    Trees {
        /// The wanted number, or the highest wanted number.
        trees: u32,
        /// The fewest trees: the number of components of the graph under the constraints.
        fewest: u32,
        /// The most trees: without any edges but the included ones.
        most: u32,
    },
    /// A solver returned no forest.
    #[error(transparent)]
    Solve(SolveError),
    /// The system refuses the memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// The most edges of a cycle that a message lists.
const SHOWN: usize = 12;

/// The edges of a cycle: `edges 3, 7 and 9`.
fn listed(edges: &[EdgeId]) -> String {
    let texts: Vec<_> = edges.iter().take(SHOWN).map(ToString::to_string).collect();
    match texts.as_slice() {
        [] => "edges".to_owned(),
        [edge] => format!("edge {edge}"),
        _ if edges.len() > SHOWN => {
            format!("edges {} and {} more", texts.join(", "), edges.len() - SHOWN)
        }
        [first @ .., last] => format!("edges {} and {last}", first.join(", ")),
    }
}
