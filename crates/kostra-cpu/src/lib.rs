//! The solvers that run on the CPU: on one thread (`sequential/`) and on several (`threads/`).
//! `kostra-papers` has more solvers for threads.

pub mod external;
pub mod heap;
mod light_edges;
mod radix_sort;
mod sequential;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod threads;

pub use radix_sort::radix_sort_by_key;
pub use sequential::kruskal_of_edges;
pub use threads::{ForestBound, InteriorContraction, UndecidedEdges, contract_interior, pack_bits};

use kostra_core::{
    Algorithm, EdgeId, EdgeSet, Edges, Graph, Key, Order, Problem, Run, SolveError, Solver, Weight,
};

/// All solvers of this crate, in the order of tables.
pub fn solvers() -> impl Iterator<Item = &'static dyn Solver> {
    sequential_solvers().chain(std::iter::once(FASTEST))
}

/// The solvers of this crate that run on one thread. They work where no thread can start, such as
/// in a browser.
pub fn sequential_solvers() -> impl Iterator<Item = &'static dyn Solver> {
    sequential::SOLVERS.iter().copied()
}

// Solvers are in statics, not in constants: each crate that uses a constant compiles them again.

/// The solver for graphs of 2^14 edges and more.
pub static FASTEST: &dyn Solver = &threads::Fast;

/// The solver for smaller graphs. It starts no threads and builds only a list of ranks.
pub static FASTEST_ON_SMALL: &dyn Solver = &sequential::Kruskal;

/// A graph with fewer edges is small: threads and scratch memory would cost more than they save.
const SMALL: usize = 1 << 14;
/// The number of vertices from which the labels of [`FASTEST`] and [`contract_interior`] do not
/// suffice.
pub const MANY: u32 = 1 << 31;

/// The solver for a graph of this size: [`FASTEST_ON_SMALL`] if the graph is small or has too many
/// vertices for labels, else [`FASTEST`].
pub fn fastest_for(vertices: u32, edges: usize) -> &'static dyn Solver {
    if edges < SMALL || vertices >= MANY { FASTEST_ON_SMALL } else { FASTEST }
}

/// A rank above the rank of every edge: no graph has an edge with this id.
pub fn no_edge<K: Key>() -> K::Rank {
    K::MAX.rank(EdgeId::MAX)
}

/// The edges of the canonical forest of an edge list, found by the solver that [`fastest_for`]
/// chooses.
///
/// # Errors
/// When the run is cancelled or the system refuses the memory.
pub fn forest_of_edges<K: Key>(
    edges: Edges<'_, K>,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    forest_with(edges, None, run)
}

/// [`forest_of_edges`], where a part of the answer is known. A set has edges by their positions in
/// `edges`. If the bound does not hold, the answer is wrong.
///
/// Edges that the forest includes are united without a sort. Of edges that it is within, the others
/// are not read.
///
/// # Errors
/// When the run is cancelled or the system refuses the memory.
///
/// # Panics
/// If the set is one of fewer edges.
pub fn forest_within_bound<K: Key>(
    edges: Edges<'_, K>,
    bound: ForestBound<'_>,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    forest_with(edges, Some(bound), run)
}

fn forest_with<K: Key>(
    edges: Edges<'_, K>,
    bound: Option<ForestBound<'_>>,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    // These two are not generic, so other crates do not compile the solvers again.
    match (edges.with_keys(), edges.with_keys()) {
        (Some(edges), _) => forest_of_narrow(edges, bound, run),
        (_, Some(edges)) => forest_of_wide(edges, bound, run),
        _ => unreachable!("keys have 32 or 64 bits"),
    }
}

fn forest_of_narrow(
    edges: Edges<'_, u32>,
    bound: Option<ForestBound<'_>>,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    fastest_forest(edges, bound, run)
}

fn forest_of_wide(
    edges: Edges<'_, u64>,
    bound: Option<ForestBound<'_>>,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    fastest_forest(edges, bound, run)
}

fn fastest_forest<K: Key>(
    edges: Edges<'_, K>,
    bound: Option<ForestBound<'_>>,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    if edges.len() < SMALL || edges.vertices() >= MANY {
        // A bound changes the time only, which is short.
        kruskal_of_edges(edges, run)
    } else if let Some(bound) = bound {
        threads::fast_within_bound(edges, bound, run)
    } else {
        threads::fast_of_edges(edges, run)
    }
}

/// [`forest_of_edges`], for a graph.
///
/// # Errors
/// When the run is cancelled or the system refuses the memory.
pub fn forest<W: Weight>(
    graph: &Graph<W>,
    order: Order,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    forest_of_edges(graph.edge_list().edges(order), run)
}

/// The edges of the canonical forest, found by Prim's algorithm with a binary heap.
///
/// # Errors
/// When the run is cancelled or the system refuses the memory.
pub fn prim<W: Weight>(
    graph: &Graph<W>,
    order: Order,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let problem = Problem::new(graph, order, &sequential::PrimBinary::INFO);
    Algorithm::solve(&sequential::PrimBinary, problem, run)
}
