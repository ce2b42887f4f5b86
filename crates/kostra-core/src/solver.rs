//! The interface of solvers.
//!
//! To add a solver, write one file with a struct that implements [`Algorithm`], and add the struct
//! to the table of its platform. [`Solver`] is the object-safe form; every algorithm implements it.

use std::time::Duration;

use crate::graph::LazyRows;
use crate::steps::solve_graph;
use crate::{
    AnyGraph, CsrView, EdgeId, EdgeSet, Edges, Forest, Graph, Key, Order, OutOfMemory, Run,
    RunRequest, SolveError, SolverInfo, Weight,
};

/// The input of an [`Algorithm`]: a graph with an order on its edges, and with weights as bits.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a, K: Key> {
    edges: Edges<'a, K>,
    rows: &'a LazyRows<K>,
    solver: &'static SolverInfo,
}

impl<'a, K: Key> Problem<'a, K> {
    /// The problem of finding the minimum or maximum spanning forest of `graph` with `solver`.
    pub fn new<W: Weight<Key = K>>(
        graph: &'a Graph<W>,
        order: Order,
        solver: &'static SolverInfo,
    ) -> Self {
        Self { edges: graph.edge_list().edges(order), rows: graph.lazy_rows(), solver }
    }

    /// The edge list.
    pub fn edges(&self) -> Edges<'a, K> {
        self.edges
    }

    /// The order on the edges: minimum or maximum spanning forest.
    pub fn order(&self) -> Order {
        self.edges.order()
    }

    /// The rows. They exist already if the solver's [`SolverInfo::representation`] is CSR.
    ///
    /// # Errors
    /// As [`Graph::csr`].
    pub fn csr(&self, run: &mut Run<'_>) -> Result<CsrView<'a, K>, SolveError> {
        Ok(CsrView { csr: self.rows.get(self.edges, self.solver.id, run)?, edges: self.edges })
    }
}

/// A solver for graphs of every weight type, as its author writes it. It sees the bits of weights,
/// of 32 or 64 bits, and compares their keys.
pub trait Algorithm: Send + Sync + 'static {
    /// The solver's description.
    const INFO: SolverInfo;

    /// Whether the solver works on the parts of [`RunRequest::parts`](crate::RunRequest::parts) if the run has them. Other solvers
    /// refuse a run with a partition.
    const USES_PARTITION: bool = false;

    /// Whether the solver runs on all of [`RunRequest::devices`](crate::RunRequest::devices). Other solvers for devices refuse a run
    /// with more than one.
    const USES_DEVICES: bool = false;

    /// Decides from the size of a graph whether the solver suits it, before any work. The default
    /// accepts every graph.
    ///
    /// # Errors
    /// [`SolveError::Unsuitable`] when the cost would be out of proportion.
    fn admit(&self, _vertices: u32, _edges: usize) -> Result<(), SolveError> {
        Ok(())
    }

    /// [`admit`](Self::admit) of a run, with the numbers of vertices and edges. For solvers with an
    /// option to solve graphs that they do not suit.
    ///
    /// # Errors
    /// As `admit`.
    fn admit_run(
        &self,
        (vertices, edges): (u32, usize),
        _request: &RunRequest<'_>,
    ) -> Result<(), SolveError> {
        self.admit(vertices, edges)
    }

    /// Finds the edges of a spanning forest: of the canonical forest if `INFO.exact`.
    ///
    /// # Errors
    /// When the run is cancelled, the system refuses memory, or the solver does not suit the graph.
    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError>;

    /// Lists the edges in ascending order. Solvers with threads may list them on their threads.
    ///
    /// # Errors
    /// When the system refuses the memory.
    fn list(&self, forest: EdgeSet, _run: &Run<'_>) -> Result<Vec<EdgeId>, OutOfMemory> {
        forest.try_into_ids()
    }
}

/// A forest, and the times to find it.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The forest.
    pub forest: Forest,
    /// The time to build the representation; zero if the graph already had it.
    pub build: Duration,
    /// The time to compile and load the device's kernels. It is long only if they are not compiled
    /// yet, and zero for solvers on the CPU.
    pub compile: Duration,
    /// The time to allocate memory on the device and to copy the graph to it; zero for solvers on
    /// the CPU.
    pub upload: Duration,
    /// The time to solve.
    pub solve: Duration,
    /// The time to copy the answer from the device; zero for solvers on the CPU.
    pub download: Duration,
}

/// A solver as a trait object: the entries of registries.
pub trait Solver: Send + Sync {
    /// The solver's description.
    fn info(&self) -> &'static SolverInfo;

    /// Whether the solver works on the parts of [`RunRequest::parts`](crate::RunRequest::parts) if the run has them.
    fn uses_partition(&self) -> bool;

    /// Whether the solver runs on all of [`RunRequest::devices`](crate::RunRequest::devices).
    fn uses_devices(&self) -> bool;

    /// Builds the representation that the solver needs, and solves. Times both separately.
    ///
    /// # Errors
    /// When the run is cancelled, the system refuses memory, or the solver does not suit the graph.
    fn solve(
        &self,
        graph: &AnyGraph,
        order: Order,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError>;
}

impl<A: Algorithm> Solver for A {
    fn info(&self) -> &'static SolverInfo {
        &A::INFO
    }

    fn uses_partition(&self) -> bool {
        A::USES_PARTITION
    }

    fn uses_devices(&self) -> bool {
        A::USES_DEVICES
    }

    fn solve(
        &self,
        graph: &AnyGraph,
        order: Order,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        solve_graph(self, graph, order, run)
    }
}
