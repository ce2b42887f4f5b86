//! Problems around the forest of a graph: its alternatives, forests under constraints, persistence
//! of components, Steiner trees and watersheds, and the forests of directed graphs.
//!
//! ```
//! use kostra::{Graph, Order, minimum_spanning_forest};
//! use kostra::variants::{ForestConstraints, alternatives, best_forests, constrained_forest};
//!
//! let graph = Graph::from_edges([(0, 1, 1), (1, 2, 2), (2, 0, 2), (2, 3, 5)])?;
//! let forest = minimum_spanning_forest(&graph);
//! let found = alternatives(&forest)?;
//! assert!(found.in_some(2) && !found.in_every(1));
//! assert_eq!(found.count(graph.as_any(), Order::Minimum, 1000)?.to_string(), "2");
//! let second = best_forests(&forest, 5)?.nth(1).transpose()?;
//! assert_eq!(second.map(|second| (second.left, second.entered)), Some((vec![1], vec![2])));
//!
//! let constraints = ForestConstraints { exclude: vec![0], ..ForestConstraints::default() };
//! assert_eq!(constrained_forest(&graph, Order::Minimum, &constraints)?.ids(), [1, 2, 3]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use kostra_core::{Order, Run, SolveError, default_threads};
pub use kostra_variants::{
    Alternatives, Arborescence, ArborescenceError, ArborescenceFlaw, BestForests, BestForestsError,
    BigUint, Births, BranchEnd, ConstraintError, CountError, ForestConstraints, GridRelief,
    JoinTree, PersistenceError, PersistencePair, RankedForest, ReducedGraph, Regional, Relief,
    SteinerError, SteinerOptions, SteinerTree, TreeCount, WatershedError, arborescence,
    important_regions, longer_than, lower_star, persistence_of_graph, persistence_of_grid,
    persistence_of_points, steiner_tree, watershed_hierarchy, watershed_of_graph,
    watershed_of_grid, with_float_weights,
};

use crate::{Forest, Graph};

/// The alternatives to a forest. Takes a second solve, and O(log n) for each edge.
///
/// # Errors
/// When the system refuses the memory.
pub fn alternatives(forest: &Forest) -> Result<Alternatives, SolveError> {
    Alternatives::find(forest.graph().as_any(), forest.order(), forest.ids(), &mut on_all_threads())
}

/// The best `most` forests of the graph of a forest, in order. The first one is this forest.
///
/// # Errors
/// When a weight is infinite, or the system refuses the memory.
pub fn best_forests(forest: &Forest, most: usize) -> Result<BestForests, BestForestsError> {
    BestForests::new(forest.graph().as_any(), forest.order(), &alternatives(forest)?, most)
}

/// The best forest of a graph under constraints. It is a forest of the engine, because
/// [`verify`](crate::verify) rightly refuses it. [`ReducedGraph`] lets you choose the solver.
///
/// # Errors
/// When the constraints contradict each other or the graph, or the system refuses the memory.
pub fn constrained_forest(
    graph: &Graph,
    order: Order,
    constraints: &ForestConstraints,
) -> Result<kostra_core::Forest, ConstraintError> {
    ReducedGraph::new(graph.as_any(), constraints)?.solve(order, &mut on_all_threads())
}

fn on_all_threads<'a>() -> Run<'a> {
    Run::new().on_threads(default_threads())
}
