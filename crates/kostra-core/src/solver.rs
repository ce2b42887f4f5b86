//! The interface of solvers.
//!
//! To add a solver, write one file with a struct that implements [`Algorithm`], and add the struct
//! to the table of its platform. [`Solver`] is the object-safe form; every algorithm implements it.

use std::time::Duration;

use thiserror::Error;

use crate::graph::LazyRows;
use crate::steps::solve_graph;
use crate::{
    AnyGraph, CsrView, EdgeId, EdgeSet, Edges, Forest, Graph, Key, Order, OutOfMemory, PartsError,
    RequestError, Run, Weight,
};

/// The kind of machine that a solver runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// One thread.
    Sequential,
    /// The threads of one machine.
    Threads,
    /// A CUDA device.
    Cuda,
    /// The ranks of an MPI job.
    Mpi,
}

impl Platform {
    /// The name for tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sequential => "one thread",
            Self::Threads => "threads",
            Self::Cuda => "CUDA device",
            Self::Mpi => "MPI ranks",
        }
    }
}

/// The form of the graph that a solver works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Representation {
    /// The edge list as it is.
    EdgeList,
    /// Compressed sparse rows, which are built from the edge list if the graph has none yet.
    Csr,
}

impl Representation {
    /// The name for tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EdgeList => "edge list",
            Self::Csr => "CSR",
        }
    }
}

/// The description of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverInfo {
    /// The id that users type, such as `"prim-binary"`.
    pub id: &'static str,
    /// The title, such as `"Prim with a binary heap"`.
    pub title: &'static str,
    /// The document and section that the solver follows.
    pub source: &'static str,
    /// The platform that it runs on.
    pub platform: Platform,
    /// The representation of the graph that it needs.
    pub representation: Representation,
    /// Whether it always returns the canonical forest.
    pub exact: bool,
    /// The time, such as `"O(m log m)"`.
    pub time: &'static str,
    /// The memory beyond the graph and the answer, such as `"8 bytes per edge, 4 per vertex"`.
    pub scratch: &'static str,
    /// The options, apart from the number of threads.
    pub options: &'static [SolverOption],
}

/// An option of a solver, which a [`Run`] can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverOption {
    /// The name that users type.
    pub name: &'static str,
    /// The meaning in a few words.
    pub about: &'static str,
    /// The default value: the source's value if the source gives one.
    pub default: u64,
    /// The lowest allowed value.
    pub lowest: u64,
    /// The highest allowed value. An option from 0 to 1 means off and on.
    pub highest: u64,
}

/// The reason why a solver returned no forest.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum SolveError {
    /// The observer cancelled the run.
    #[error("cancelled")]
    Cancelled,
    /// The solver's cost on this graph would be out of proportion.
    #[error("{solver} would take {cost} on this graph; {advice}")]
    Unsuitable {
        /// The solver's id.
        solver: &'static str,
        /// The cost, such as `"10^12 steps"`.
        cost: String,
        /// The advice: a better solver.
        advice: &'static str,
    },
    /// The system refuses the memory that the solver needs.
    #[error(
        "{solver} needs {bytes} bytes of memory for this graph, which the system does not grant"
    )]
    OutOfMemory {
        /// The solver's id.
        solver: &'static str,
        /// The requested bytes: all memory beyond the graph and the answer, or the size of one
        /// array.
        bytes: usize,
    },
    /// The device has too little free memory. The solve was not started, unless another process
    /// allocated memory in the meantime.
    #[error("this graph needs {bytes} bytes of the device's memory, and {free} bytes are free")]
    DeviceMemory {
        /// The requested bytes for the graph, the solver and the answer.
        bytes: usize,
        /// The free bytes.
        free: usize,
    },
    /// The solver needs a device that this machine does not have or cannot use.
    #[error("no {device}: {reason}")]
    NoDevice {
        /// The kind of device, such as `"CUDA device"`.
        device: &'static str,
        /// The reason.
        reason: String,
    },
    /// The solver, the device, the threads or the options do not fit together.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The partition of the run cannot be used.
    #[error(transparent)]
    Parts(#[from] PartsError),
    /// The device failed during the solve. Solvers on the CPU still work.
    #[error("{what}")]
    Device {
        /// The failure.
        what: String,
    },
}

/// The solver's id in an [`OutOfMemory`] error before [`Solver::solve`] sets it.
const SOME_SOLVER: &str = "the solver";

impl From<OutOfMemory> for SolveError {
    /// The error of a solver whose id [`Solver::solve`] adds.
    fn from(OutOfMemory { bytes }: OutOfMemory) -> Self {
        Self::OutOfMemory { solver: SOME_SOLVER, bytes }
    }
}

impl SolveError {
    /// Adds the solver's id to a memory error that has none.
    pub fn with_solver(self, solver: &'static str) -> Self {
        match self {
            Self::OutOfMemory { solver: SOME_SOLVER, bytes } => Self::OutOfMemory { solver, bytes },
            error => error,
        }
    }
}

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

    /// Whether the solver works on the parts of [`Run::parts`] if the run has them. Other solvers
    /// refuse a run with a partition.
    const USES_PARTITION: bool = false;

    /// Whether the solver runs on all of [`Run::devices`]. Other solvers for devices refuse a run
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

    /// Whether the solver works on the parts of [`Run::parts`] if the run has them.
    fn uses_partition(&self) -> bool;

    /// Whether the solver runs on all of [`Run::devices`].
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
