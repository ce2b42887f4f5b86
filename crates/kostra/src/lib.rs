//! Kostra: give it any weighted graph, and it returns the minimum spanning forest.
//!
//! Always the same forest: ties are broken by edge id, so every solver returns the ids of the same
//! edges of the input, whatever the algorithm and the machine. And it can prove that the forest is
//! right: see [`verify`].
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
//! To choose the algorithm, to watch it, or to ask for a maximum spanning forest, take a [`solver`]
//! by name:
//!
//! ```
//! use kostra::{AnyGraph, Order, Run, solver};
//!
//! let graph = AnyGraph::from_edges(3, vec![0, 1, 2], vec![1, 2, 0], vec![1, 2, 3])?;
//! let solution = solver("boruvka")?.solve(&graph, Order::Maximum, &mut Run::new())?;
//! assert_eq!(solution.forest.ids(), [1, 2]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod registry;
pub mod tree;

pub use kostra_core::*;
pub use kostra_cuda as cuda;
pub use kostra_gen as generate;
pub use kostra_io as io;
pub use registry::{UnknownSolver, auto, auto_on_processor, solver, solvers};

/// The canonical minimum spanning forest of a graph, by the solver that [`auto`] chooses.
///
/// Where that solver runs on a device and the device fails, one on the processor takes over.
///
/// O(m log m) time at worst. To be able to stop it, or to see how far it is, call a [`solver`]
/// yourself.
///
/// # Panics
/// When the system does not grant the memory, which a [`solver`] returns as an error.
pub fn minimum_spanning_forest(graph: &AnyGraph) -> Forest {
    let run = &mut Run::new();
    let solution = auto(graph).solve(graph, Order::Minimum, run);
    let solution = solution.or_else(|_| auto_on_processor(graph).solve(graph, Order::Minimum, run));
    solution.expect("a solver that suits the graph and that nobody cancels has an answer").forest
}
