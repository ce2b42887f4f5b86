//! What the verifier says about a wrong answer.

use std::error::Error;
use std::fmt;

use crate::Vertex;

/// The first error of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Violation {
    /// The answer contains an id that is not below the number of edges.
    UnknownEdge {
        /// The edge.
        edge: u64,
        /// The number of edges of the graph.
        edges: u64,
    },
    /// An edge is listed twice or out of order.
    NotAscending {
        /// The edge.
        edge: u64,
        /// The edge before it.
        previous: u64,
    },
    /// An edge of the forest is not the edge of the graph with this id.
    Invented {
        /// The edge.
        edge: u64,
        /// One end in the forest.
        u: Vertex,
        /// The other end in the forest.
        v: Vertex,
        /// The weight in the forest, as text.
        weight: String,
    },
    /// An edge closes a cycle with forest edges of lower rank.
    Cycle {
        /// The edge.
        edge: u64,
        /// One end.
        u: Vertex,
        /// The other end.
        v: Vertex,
        /// The weight, as text.
        weight: String,
    },
    /// An edge joins two trees of the forest.
    Missed {
        /// The edge.
        edge: u64,
        /// One end.
        u: Vertex,
        /// The other end.
        v: Vertex,
    },
    /// An edge outside the forest should replace an edge of the forest.
    NotMinimal {
        /// The edge outside the forest.
        edge: u64,
        /// One end.
        u: Vertex,
        /// The other end.
        v: Vertex,
        /// Its weight, as text.
        weight: String,
        /// The edge of the highest rank on the path.
        heaviest: u64,
        /// Its weight, as text.
        heaviest_weight: String,
    },
}

impl Violation {
    /// The error as a sentence, in which `name` returns the name of a vertex.
    pub fn describe(&self, name: impl Fn(Vertex) -> String) -> String {
        match self {
            Self::UnknownEdge { edge, edges } => format!(
                "the forest names edge {edge}, but the graph's edges are numbered below {edges}"
            ),
            Self::NotAscending { edge, previous } => format!(
                "the forest lists edge {edge} after edge {previous}; ids must ascend, each once"
            ),
            Self::Invented { edge, u, v, weight } => format!(
                "forest edge {edge} ({} to {}, weight {weight}) differs from edge {edge} of the \
                 graph",
                name(*u),
                name(*v)
            ),
            Self::Cycle { edge, u, v, weight } => format!(
                "forest edge {edge} ({} to {}, weight {weight}) closes a cycle with forest edges \
                 before it",
                name(*u),
                name(*v)
            ),
            Self::Missed { edge, u, v } => format!(
                "edge {edge} ({} to {}) joins two trees that the forest leaves apart",
                name(*u),
                name(*v)
            ),
            Self::NotMinimal { edge, u, v, weight, heaviest, heaviest_weight } => format!(
                "edge {edge} ({} to {}, weight {weight}) is not in the forest, but comes before \
                 edge {heaviest} (weight {heaviest_weight}) on the forest's path between its ends",
                name(*u),
                name(*v)
            ),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.describe(|vertex| vertex.to_string()))
    }
}

impl Error for Violation {}
