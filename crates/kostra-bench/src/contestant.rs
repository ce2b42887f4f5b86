//! The contestants of a benchmark: Kostra's solvers and the peers, with a common interface.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use kostra::cuda::fast::on_rows;
use kostra::cuda::{Device, DeviceCsr};
use kostra::{
    AnyGraph, EdgeId, EdgeList, Forest, Graph, Order, Platform, Problem, Representation, Run,
    Solver, SolverInfo, Weight, Workspace,
};

/// Solves a graph that it already holds, any number of times.
pub(crate) trait Contestant {
    /// The contestant's name and version.
    fn identity(&self) -> &Identity;

    /// Solves once. The returned seconds include the solve only.
    ///
    /// # Errors
    /// If there is no answer. The contestant then takes no further turns.
    fn solve(&mut self) -> Result<Solved>;
}

/// A contestant's description of itself.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// The solver's id or the peer's name.
    pub(crate) name: String,
    /// Whether it is a peer, a solver of another project.
    pub(crate) peer: bool,
    /// Its version, and the version of the environment that runs it.
    pub(crate) version: String,
    /// The seconds that building its graph format took.
    pub(crate) build_seconds: f64,
}

/// One timed answer.
#[derive(Clone, Debug)]
pub(crate) struct Solved {
    /// The seconds of the solve.
    pub(crate) seconds: f64,
    /// The answer.
    pub(crate) answer: Answer,
}

/// The properties of a forest that a contestant reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The number of edges.
    pub(crate) edges: usize,
    /// The total weight, in decimal.
    pub(crate) total: String,
    /// The edge ids, if the contestant knows them and resolves ties as Kostra does.
    pub(crate) ids: Option<Vec<EdgeId>>,
}

/// One of Kostra's solvers.
pub(crate) struct KostraSolver<'a> {
    identity: Identity,
    solver: &'static dyn Solver,
    graph: &'a AnyGraph,
    threads: usize,
    /// Kept between rounds, as in a program that solves more than once.
    workspace: Workspace,
}

impl<'a> KostraSolver<'a> {
    /// Creates a contestant from a solver and a graph. `csr_seconds` is the time of building the
    /// graph's CSR rows, which all solvers share.
    pub(crate) fn new(
        solver: &'static dyn Solver,
        graph: &'a AnyGraph,
        threads: usize,
        csr_seconds: f64,
    ) -> Self {
        let info = solver.info();
        let identity = Identity {
            name: info.id.to_owned(),
            peer: false,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build_seconds: if info.representation == Representation::Csr {
                csr_seconds
            } else {
                0.0
            },
        };
        Self { identity, solver, graph, threads, workspace: Workspace::new() }
    }
}

impl Contestant for KostraSolver<'_> {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn solve(&mut self) -> Result<Solved> {
        let info = self.solver.info();
        if info.platform == Platform::Cuda {
            // Processes that share a device take turns, and the first kernel of a turn waits 0.13
            // ms.
            Device::open(0)?.wake()?;
        }
        let run = &mut Run::new().on_threads(self.threads).in_workspace(&mut self.workspace);
        let solution = self.solver.solve(self.graph, Order::Minimum, run)?;
        let total = solution.forest.total().to_string();
        let ids = solution.forest.into_ids();
        let answer = Answer { edges: ids.len(), total, ids: info.exact.then_some(ids) };
        // Solvers of device rows represent callers whose graph is already in device memory. All
        // other solvers get a graph in host memory, so their time includes the transfers.
        let resident =
            info.platform == Platform::Cuda && info.representation == Representation::Csr;
        let transfers = if resident { Duration::ZERO } else { solution.upload + solution.download };
        // The first round, the warm-up, compiles and loads the kernels.
        let time = solution.compile + solution.solve + transfers;
        Ok(Solved { seconds: time.as_secs_f64(), answer })
    }
}

/// The id of the solver that [`ResidentRows`] runs.
pub(crate) const RESIDENT_ROWS: &str = "cuda-fast-rows";

/// Kostra's solver of rows in device memory. The rows stay there between rounds.
pub(crate) struct ResidentRows<'a, W: Weight> {
    identity: Identity,
    device: Arc<Device>,
    rows: DeviceCsr<W>,
    edges: &'a EdgeList<W>,
    threads: usize,
}

impl<'a, W: Weight> ResidentRows<'a, W> {
    /// Copies the rows of a graph to the device.
    ///
    /// # Errors
    /// If there is no device, or the rows do not fit into its memory.
    pub(crate) fn new(
        graph: &'a Graph<W>,
        info: &'static SolverInfo,
        threads: usize,
    ) -> Result<Self> {
        let start = Instant::now();
        let device = Device::open(0)?;
        let problem = Problem::new(graph, Order::Minimum, info);
        let rows = DeviceCsr::upload(&device, problem.csr(&mut Run::new())?, threads)?;
        let identity = Identity {
            name: RESIDENT_ROWS.to_owned(),
            peer: false,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build_seconds: start.elapsed().as_secs_f64(),
        };
        Ok(Self { identity, device, rows, edges: graph.edge_list(), threads })
    }
}

impl<W: Weight> Contestant for ResidentRows<'_, W> {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn solve(&mut self) -> Result<Solved> {
        self.device.wake()?; // as above
        let run = &mut Run::new().on_threads(self.threads);
        let start = Instant::now();
        let set = on_rows(&self.device, &self.rows, run)?;
        let time = start.elapsed() - run.take_device_times().download;
        let forest = Forest::new(self.edges.edges(Order::Minimum), set.into_ids());
        let total = forest.total().to_string();
        let ids = forest.into_ids();
        Ok(Solved {
            seconds: time.as_secs_f64(),
            answer: Answer { edges: ids.len(), total, ids: Some(ids) },
        })
    }
}
