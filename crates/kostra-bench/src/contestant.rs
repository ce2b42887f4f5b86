//! Who takes part in a benchmark: Kostra's solvers, and the peers behind the same interface.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use kostra::cuda::fast::on_rows;
use kostra::cuda::{Device, DeviceCsr};
use kostra::{
    AnyGraph, EdgeId, EdgeList, Forest, Graph, Order, Platform, Problem, Representation, Run,
    Solver, SolverInfo, Weight, Workspace,
};

/// One who solves a graph that it already holds, again and again.
pub(crate) trait Contestant {
    /// What it is.
    fn identity(&self) -> &Identity;

    /// Solves once. Everything but the solve is outside the seconds that it returns.
    ///
    /// # Errors
    /// When there is no answer; the contestant is then out.
    fn solve(&mut self) -> Result<Solved>;
}

/// What a contestant says of itself.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// The solver's id or the peer's name.
    pub(crate) name: String,
    /// Whether it is somebody else's.
    pub(crate) peer: bool,
    /// Its version, and that of what it runs in.
    pub(crate) version: String,
    /// Seconds that the form of the graph that it wants took to build.
    pub(crate) build_seconds: f64,
}

/// One timed answer.
#[derive(Clone, Debug)]
pub(crate) struct Solved {
    /// Seconds to solve.
    pub(crate) seconds: f64,
    /// The answer.
    pub(crate) answer: Answer,
}

/// As much of a forest as a contestant can say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// How many edges it has.
    pub(crate) edges: usize,
    /// Its weight, in decimal.
    pub(crate) total: String,
    /// Its edges, where the contestant knows them by id and resolves ties as Kostra does.
    pub(crate) ids: Option<Vec<EdgeId>>,
}

/// A solver of Kostra's.
pub(crate) struct KostraSolver<'a> {
    identity: Identity,
    solver: &'static dyn Solver,
    graph: &'a AnyGraph,
    threads: usize,
    /// Kept from round to round, as by anybody who solves more than once.
    workspace: Workspace,
}

impl<'a> KostraSolver<'a> {
    /// A solver on a graph. `csr_seconds` is what the graph's rows took to build, which are shared
    /// by all solvers.
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
            // Processes that share a device take turns on it, and the first work of a turn waits
            // 0.13 ms.
            Device::open(0)?.wake()?;
        }
        let run = &mut Run::new().on_threads(self.threads).in_workspace(&mut self.workspace);
        let solution = self.solver.solve(self.graph, Order::Minimum, run)?;
        let total = solution.forest.total().to_string();
        let ids = solution.forest.into_ids();
        let answer = Answer { edges: ids.len(), total, ids: info.exact.then_some(ids) };
        // Solvers on a device's rows stand for those whose graph lies there. Others are given a
        // graph in the machine's memory, so transfers are part of their work.
        let resident =
            info.platform == Platform::Cuda && info.representation == Representation::Csr;
        let transfers = if resident { Duration::ZERO } else { solution.upload + solution.download };
        // Kernels are compiled and loaded in the first round, which is the warm-up.
        let time = solution.compile + solution.solve + transfers;
        Ok(Solved { seconds: time.as_secs_f64(), answer })
    }
}

/// The solver that [`ResidentRows`] stands for.
pub(crate) const RESIDENT_ROWS: &str = "cuda-fast-rows";

/// Kostra's solver of rows that lie on a device, and stay there from round to round.
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
    /// When there is no device, or the rows do not fit.
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
