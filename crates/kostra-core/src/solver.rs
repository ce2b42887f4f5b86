//! What a solver is, what it says of itself, and how it is run.
//!
//! To add a solver, write one file with a struct that implements [`Algorithm`], and add the struct
//! to its platform's list. [`Solver`] is the same thing behind a pointer; every algorithm is one.

use std::time::{Duration, Instant};

use thiserror::Error;

use crate::run::DeviceTimes;
use crate::{
    AnyGraph, CsrView, EdgeId, EdgeSet, Edges, Forest, Graph, Order, OutOfMemory, Run, Weight,
    with_graph,
};

/// Where a solver runs.
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
    /// A word for tables.
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
    /// Rows, which are built and paid for where they are not there yet.
    Csr,
}

impl Representation {
    /// A word for tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EdgeList => "edge list",
            Self::Csr => "CSR",
        }
    }
}

/// A solver's description of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverInfo {
    /// The name that users type, such as `"prim-binary"`.
    pub id: &'static str,
    /// The name that people say, such as `"Prim with a binary heap"`.
    pub title: &'static str,
    /// The document, and the place in it, that the solver follows.
    pub source: &'static str,
    /// Where it runs.
    pub platform: Platform,
    /// What it works on.
    pub representation: Representation,
    /// Whether it returns the canonical forest, always.
    pub exact: bool,
    /// Time, such as `"O(m log m)"`.
    pub time: &'static str,
    /// Memory beyond the graph and the answer, such as `"8 bytes an edge, 4 a vertex"`.
    pub scratch: &'static str,
    /// What may be set, beside the number of threads.
    pub options: &'static [SolverOption],
}

/// A parameter of a solver that a [`Run`] may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolverOption {
    /// The name that users type.
    pub name: &'static str,
    /// What it means, in a few words.
    pub about: &'static str,
    /// The value unless it is set: the source's, where the source gives one.
    pub default: u64,
    /// The lowest value that makes sense.
    pub lowest: u64,
    /// The highest value that makes sense; with a lowest of 0, 1 means off and on.
    pub highest: u64,
}

/// Why an option could not be set.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum OptionError {
    /// The solver has no option of that name.
    #[error("{solver} has no option '{name}'; {known}")]
    Unknown {
        /// The solver's id.
        solver: &'static str,
        /// The name.
        name: String,
        /// The options that there are.
        known: String,
    },
    /// The value makes no sense.
    #[error("{name} must be from {lowest} to {highest}, not {value}", name = option.name, lowest = option.lowest, highest = option.highest)]
    OutOfRange {
        /// The option.
        option: SolverOption,
        /// The value.
        value: u64,
    },
}

/// Why a solver gave no answer.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
pub enum SolveError {
    /// The observer asked it to stop.
    #[error("cancelled")]
    Cancelled,
    /// The solver's cost would be out of all proportion.
    #[error("{solver} would take {cost} on this graph; {advice}")]
    Unsuitable {
        /// The solver's id.
        solver: &'static str,
        /// The cost, such as `"10^12 steps"`.
        cost: String,
        /// What to do instead.
        advice: &'static str,
    },
    /// The system does not grant the memory that the solver needs.
    #[error(
        "{solver} needs {bytes} bytes of memory for this graph, which the system does not grant"
    )]
    OutOfMemory {
        /// The solver's id.
        solver: &'static str,
        /// How many bytes it asked for: all beyond the graph and the answer, or those of one array.
        bytes: usize,
    },
    /// The device has too little memory free. Nothing was begun, unless somebody else took memory
    /// in the meantime.
    #[error("this graph needs {bytes} bytes of the device's memory, of which {free} are free")]
    DeviceMemory {
        /// How many bytes were asked for: for the graph, the solver and the answer.
        bytes: usize,
        /// How many of them there were.
        free: usize,
    },
    /// The solver runs on a device that this machine does not have, or that cannot be used.
    #[error("no {device}: {reason}")]
    NoDevice {
        /// The kind of device, such as `"CUDA device"`.
        device: &'static str,
        /// Why there is none.
        reason: String,
    },
    /// The device failed in the middle. Solvers on the processor are not touched by it.
    #[error("{what}")]
    Device {
        /// What failed, and how.
        what: String,
    },
}

/// What stands for the solver in a refusal that no solver's name has been put on yet.
const SOME_SOLVER: &str = "the solver";

impl From<OutOfMemory> for SolveError {
    /// A solver has asked for an array: one [`Solver`] that is run puts its name on the error.
    fn from(OutOfMemory { bytes }: OutOfMemory) -> Self {
        Self::OutOfMemory { solver: SOME_SOLVER, bytes }
    }
}

impl SolveError {
    /// The same error, with a solver's id on a refusal of memory that has none.
    pub fn of(self, solver: &'static str) -> Self {
        match self {
            Self::OutOfMemory { solver: SOME_SOLVER, bytes } => Self::OutOfMemory { solver, bytes },
            error => error,
        }
    }
}

/// A graph with an order on its edges, put to a solver: what an [`Algorithm`] solves.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a, W: Weight> {
    graph: &'a Graph<W>,
    order: Order,
    solver: &'static SolverInfo,
}

impl<'a, W: Weight> Problem<'a, W> {
    /// The problem of finding this graph's minimum or maximum spanning forest, as it is put to this
    /// solver.
    pub fn new(graph: &'a Graph<W>, order: Order, solver: &'static SolverInfo) -> Self {
        Self { graph, order, solver }
    }

    /// The edge list.
    pub fn edges(&self) -> Edges<'a, W> {
        self.graph.edge_list().edges(self.order)
    }

    /// Whether the minimum or the maximum spanning forest is wanted.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The rows; built here if the solver did not state that it wants them.
    ///
    /// # Errors
    /// When they are built, and the run is cancelled or the memory not granted.
    pub fn csr(&self, run: &mut Run<'_>) -> Result<CsrView<'a, W>, SolveError> {
        Ok(CsrView { csr: self.graph.csr(self.solver.id, run)?, edges: self.edges() })
    }
}

/// An algorithm for every weight type: what the author of a solver writes.
pub trait Algorithm: Send + Sync + 'static {
    /// What the solver says of itself.
    const INFO: SolverInfo;

    /// Decides from the size of a graph whether the solver is for it, before anything is built or
    /// solved.
    ///
    /// # Errors
    /// [`SolveError::Unsuitable`] when the cost would be out of all proportion. Solvers refuse
    /// nothing by default.
    fn admit(&self, _vertices: u32, _edges: usize) -> Result<(), SolveError> {
        Ok(())
    }

    /// Finds the edges of the spanning forest; where `INFO.exact`, of the canonical one.
    ///
    /// # Errors
    /// When the run is cancelled, the memory not granted, or the solver is not for such a graph.
    fn solve<W: Weight>(
        &self,
        problem: Problem<'_, W>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError>;

    /// Lists what was found, ascending. Solvers that have threads may share that among them.
    ///
    /// # Errors
    /// When the system does not grant the memory.
    fn list(&self, forest: EdgeSet, _run: &Run<'_>) -> Result<Vec<EdgeId>, OutOfMemory> {
        forest.try_into_ids()
    }
}

/// A forest, and what it took.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The forest.
    pub forest: Forest,
    /// Time to build the representation that the solver wants; zero when it was there.
    pub build: Duration,
    /// Time to compile and load the device's kernels, which takes long only where they are not
    /// compiled yet; zero where the solver runs on the processor.
    pub compile: Duration,
    /// Time to allocate memory on the device that solves, and to copy the graph there; zero where
    /// the solver runs on the processor.
    pub upload: Duration,
    /// Time to solve.
    pub solve: Duration,
    /// Time to copy the answer back from the device.
    pub download: Duration,
}

/// A solver whose type is forgotten: what registries hold and users choose from.
pub trait Solver: Send + Sync {
    /// What the solver says of itself.
    fn info(&self) -> &'static SolverInfo;

    /// Builds what the solver wants, solves, and times the two apart.
    ///
    /// # Errors
    /// When the run is cancelled, the memory not granted, or the solver is not for such a graph.
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

    fn solve(
        &self,
        graph: &AnyGraph,
        order: Order,
        run: &mut Run<'_>,
    ) -> Result<Solution, SolveError> {
        with_graph!(graph, graph => solve_typed(self, Problem::new(graph, order, &A::INFO), run))
            .map_err(|error| error.of(A::INFO.id))
    }
}

fn solve_typed<A: Algorithm, W: Weight>(
    algorithm: &A,
    problem: Problem<'_, W>,
    run: &mut Run<'_>,
) -> Result<Solution, SolveError> {
    algorithm.admit(problem.edges().vertices(), problem.edges().len())?;
    let start = Instant::now();
    if A::INFO.representation == Representation::Csr {
        run.phase("build", |run| problem.csr(run).map(drop))?;
    }
    run.take_device_times(); // what a solve that failed has left
    let built = Instant::now();
    let set = algorithm.solve(problem, run)?;
    run.finish_rounds();
    let solved = Instant::now();
    let ids = run.phase("list the forest", |run| algorithm.list(set, run))?;
    let DeviceTimes { compile, upload, mut download } = run.take_device_times();
    let mut solve = (solved - built).saturating_sub(compile + upload + download);
    // Of a device the answer is fetched as a set, and listing its members is the last part of
    // fetching it.
    let last = if A::INFO.platform == Platform::Cuda { &mut download } else { &mut solve };
    *last += solved.elapsed();
    let forest = Forest::new(problem.edges(), ids);
    Ok(Solution { forest, build: built - start, compile, upload, solve, download })
}
