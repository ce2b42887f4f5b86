//! The parts that all crates of Kostra share: graphs, weight keys, forests, the solver interface
//! and the verifier.
//!
//! The basis is the **canonical forest**. Edges are ordered by
//! `(weight key, edge id)`, a strict total order, so a graph has exactly one minimum spanning
//! forest. Every exact [`Solver`] returns the ids of its edges in ascending order. [`verify()`]
//! decides, independently of all solvers, whether a list of ids is that forest.
//!
//! This crate starts no threads and reads and writes no files.
//!
//! ```
//! use kostra_core::{EdgeList, Order, verify};
//!
//! // A triangle with a tie: of two edges with weight 2, the forest contains the lower id.
//! let graph = EdgeList::new(3, vec![0, 1, 2], vec![1, 2, 0], vec![1, 2, 2])?;
//! assert!(verify(graph.edges(Order::Minimum), &[0, 1]).is_ok());
//! assert!(verify(graph.edges(Order::Minimum), &[0, 2]).is_err());
//! # Ok::<(), kostra_core::GraphError>(())
//! ```

mod bit_set;
mod clock;
mod column;
mod coordinates;
mod counted;
mod csr;
mod edge_list;
mod element;
mod forest;
mod forest_edges;
mod forest_sink;
mod graph;
mod large;
pub mod memory;
mod observer;
mod prefetch;
pub mod random;
mod request;
mod reserve;
mod run;
mod solve_error;
mod solver;
mod solver_info;
mod steps;
mod threads;
pub mod tree;
mod union_find;
mod verify;
mod vertex_parts;
mod violation;
mod weight;
mod workspace;

pub use bit_set::{BitSet, EdgeSet};
pub use column::Column;
pub use coordinates::{Coordinates, EARTH_RADIUS};
pub use counted::{count, counted, on_one_line, shown, thousands};
pub use csr::{Arc, Csr, CsrView};
pub use edge_list::{EdgeList, Edges, GraphError, MAX_EDGES, MAX_VERTICES, check_edges, items_at};
pub use element::ElementType;
pub use forest::{Forest, Labels, Total};
pub use forest_edges::{ForestEdges, ForestState};
pub use forest_sink::{ForestSink, ForestSoFar, SinkStatistics};
pub use graph::{AnyGraph, Graph};
pub use large::{LargePages, ReportingAllocator, with_capacity_in_large_pages};
pub use memory::OutOfMemory;
pub use observer::{Observer, Reporter, Round};
pub use prefetch::prefetch;
pub use request::{RequestError, RunRequest, Scratch};
pub use reserve::ReservingAllocator;
pub use run::{DeviceTimes, Run};
pub use solve_error::SolveError;
pub use solver::{Algorithm, Problem, Solution, Solver};
pub use solver_info::{
    OptionError, OptionValue, OptionValues, Platform, Representation, SolverInfo, SolverOption,
};
pub use threads::{MOST_THREADS, ThreadsError, check_threads, default_threads, granted_threads};
pub use union_find::UnionFind;
pub use verify::{BlockVerifier, Certificate, VerifyError, verify};
pub use vertex_parts::{PartsError, VertexParts};
pub use violation::Violation;
pub use weight::{CompensatedSum, Encoding, Key, Order, Weight, WeightType, bits_of, key_of};
pub use workspace::Workspace;

/// A vertex: a number in `0..n`.
pub type Vertex = u32;

/// An edge: its position in the input, counted from 0.
pub type EdgeId = u32;
