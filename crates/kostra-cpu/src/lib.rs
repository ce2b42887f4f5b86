//! The solvers that run on the processor.

mod heap;
mod heap_binary;
mod heap_pairing;
mod light;
mod radix_sort;
mod sequential;
mod threads;
mod unite;

pub use threads::{Settled, settle};

use kostra_core::{Algorithm, EdgeSet, Graph, Order, Problem, Run, SolveError, Solver, Weight};

/// Every solver of this crate, in the order in which tables show them.
pub fn solvers() -> impl Iterator<Item = &'static dyn Solver> {
    sequential::SOLVERS.iter().chain(threads::SOLVERS).copied()
}

/// The solver for graphs of 2^14 edges and more.
pub const FASTEST: &dyn Solver = &threads::Fast;

/// The solver for smaller graphs: it starts no threads and builds nothing but a list of ranks.
pub const FASTEST_ON_SMALL: &dyn Solver = &sequential::Kruskal;

/// Below this many edges a graph is small: starting threads and taking scratch memory does not pay.
const SMALL: usize = 1 << 14;
/// From this many vertices on [`FASTEST`] and [`settle`] have no labels.
pub const MANY: u32 = 1 << 31;

/// The solver for a graph of this size: [`FASTEST`], or [`FASTEST_ON_SMALL`] where the graph is
/// small or has too many vertices for labels.
pub fn fastest_for(vertices: u32, edges: usize) -> &'static dyn Solver {
    if edges < SMALL || vertices >= MANY { FASTEST_ON_SMALL } else { FASTEST }
}

/// The edges of the canonical forest, by the solver that [`fastest_for`] picks: for callers that
/// know the weight type.
///
/// # Errors
/// When the run is cancelled, or the memory not granted.
pub fn forest<W: Weight>(
    graph: &Graph<W>,
    order: Order,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let edges = graph.edge_list();
    if edges.len() < SMALL || edges.vertices() >= MANY {
        kruskal(graph, order, run)
    } else {
        by(&threads::Fast, graph, order, run)
    }
}

/// The edges of the canonical forest, by Kruskal's algorithm: for callers that know the weight
/// type.
///
/// # Errors
/// When the run is cancelled, or the memory not granted.
pub fn kruskal<W: Weight>(
    graph: &Graph<W>,
    order: Order,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    by(&sequential::Kruskal, graph, order, run)
}

fn by<A: Algorithm, W: Weight>(
    algorithm: &A,
    graph: &Graph<W>,
    order: Order,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    algorithm.solve(Problem::new(graph, order, &A::INFO), run)
}
