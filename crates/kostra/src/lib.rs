//! Minimum spanning forests of weighted graphs.
//!
//! Every exact solver returns the same forest, on any machine and any number of threads: edges of
//! equal weight are ordered by edge id. A forest is a list of edge ids, which are positions in the
//! input. [`verify`] proves that a forest is correct, independently of the solvers.
//!
//! ```
//! use kostra::{AnyGraph, minimum_spanning_forest};
//!
//! // Edge i joins u[i] and v[i]. Parallel edges, self-loops and negative weights are allowed.
//! let (u, v) = (vec![0, 1, 2, 0], vec![1, 2, 0, 0]);
//! let graph = AnyGraph::from_edges(4, u, v, vec![0.5, -1.0, 0.5, 0.0])?;
//! let forest = minimum_spanning_forest(&graph);
//! assert_eq!(forest.ids(), [0, 1]);
//! assert_eq!(forest.total().to_string(), "-0.5");
//! assert_eq!(forest.components(), 2);
//! # Ok::<(), kostra::GraphError>(())
//! ```
//!
//! To choose the algorithm, to observe it, or to find a maximum spanning forest, take a [`solver`]
//! by its id:
//!
//! ```
//! use kostra::{AnyGraph, Order, Run, solver};
//!
//! let graph = AnyGraph::from_edges(3, vec![0, 1, 2], vec![1, 2, 0], vec![1, 2, 3])?;
//! let solution = solver("boruvka")?.solve(&graph, Order::Maximum, &mut Run::new())?;
//! assert_eq!(solution.forest.ids(), [1, 2]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where things are
//!
//! | module | content |
//! |---|---|
//! | this one | graphs, weights, forests, solvers, [`verify`] |
//! | [`io`] | reading and writing files of graphs |
//! | [`generate`] | generated graphs |
//! | [`tree`] | uses of a forest: hierarchies of clusters, bottlenecks, rooted trees |
//! | [`partition`](mod@partition) | partitions of a graph into parts of equal weight |
//! | [`renumbering`] | new numbers for vertices |
//! | [`external`] | forests of graphs whose edges do not fit into memory |
//! | [`cuda`] | CUDA devices |
//!
//! # Examples
//!
//! The folder `examples` of this crate contains short programs to start from:
//!
//! - `arrays`: a graph from arrays, and its forest
//! - `road_file`: a road network from a file, and a file with its forest
//! - `clusters`: single-linkage clusters up to a distance, or of a given number
//! - `verify`: the first violation of a wrong forest
//! - `all_solvers`: all solvers on one graph, with an observer

mod hetero;
mod registry;
pub mod renumbering;

pub use kostra_core::*;
pub use kostra_cpu::external;
pub use kostra_cuda as cuda;
pub use kostra_gen as generate;
pub use kostra_io as io;
pub use kostra_partition as partition;
pub use registry::{UnknownSolver, auto, auto_on_processor, solver, solvers};

/// Finds the canonical minimum spanning forest of a graph with the solver that [`auto`] chooses.
///
/// If that solver runs on a device and the device fails, a solver on the processor takes over.
///
/// Takes O(m log m) time in the worst case. A [`solver`] can also be cancelled, and reports its
/// progress.
///
/// # Panics
/// When the system does not grant the memory. A [`solver`] returns this as an error.
pub fn minimum_spanning_forest(graph: &AnyGraph) -> Forest {
    let run = &mut Run::new();
    let solution = auto(graph).solve(graph, Order::Minimum, run);
    let solution = solution.or_else(|_| auto_on_processor(graph).solve(graph, Order::Minimum, run));
    solution.expect("the chosen solver suits the graph, and nothing cancels it").forest
}
