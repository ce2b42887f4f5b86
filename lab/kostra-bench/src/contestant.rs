//! The contestants of a benchmark: Kostra's solvers and the peers, with a common interface.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use kostra_core::{
    AnyGraph, EdgeId, EdgeList, Forest, Graph, Order, Platform, Problem, Representation, Run,
    SolverInfo, Weight, Workspace,
};
use kostra_cuda::fast::on_rows;
use kostra_cuda::{Device, DeviceCsr};
use serde::Deserialize;

use crate::observed::{Observed, Recorder};
use crate::sweep::Entrant;

/// Solves a graph that it already holds, any number of times.
pub(crate) trait Contestant {
    /// The contestant's name and version.
    fn identity(&self) -> &Identity;

    /// Solves once. The returned seconds include the solve only.
    ///
    /// # Errors
    /// If there is no answer. The contestant then takes no further turns.
    fn solve(&mut self) -> Result<TimedAnswer>;

    /// Solves once with an observer; none if the contestant cannot be observed.
    ///
    /// # Errors
    /// If there is no answer.
    fn observe(&mut self) -> Result<Option<(Observed, AnswerProperties)>> {
        Ok(None)
    }
}

/// A contestant's description of itself.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// The solver's id or the peer's name.
    pub(crate) name: String,
    /// The solver's options that are set, by name.
    pub(crate) settings: BTreeMap<String, u64>,
    /// Whether it is a peer, a solver of another project.
    pub(crate) peer: bool,
    /// Its version, and the version of the environment that runs it.
    pub(crate) version: String,
    /// The seconds that building its graph format took.
    pub(crate) build_seconds: f64,
}

/// One timed answer.
#[derive(Clone, Debug)]
pub(crate) struct TimedAnswer {
    /// The seconds of the solve.
    pub(crate) seconds: f64,
    /// The answer.
    pub(crate) answer: AnswerProperties,
}

/// The properties of a forest that a contestant reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AnswerProperties {
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
    entrant: Entrant,
    graph: &'a AnyGraph,
    threads: usize,
    timed: Timed,
    /// Kept between rounds, as in a program that solves more than once.
    workspace: Workspace,
}

/// What the time of a solver on a device includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Timed {
    /// The transfers to and from the device, unless the solver works on rows. Solvers of rows
    /// represent callers whose graph is already in device memory. All other solvers get a graph in
    /// host memory.
    FromHost,
    /// The transfer to the device, as in a paper that finds the other one negligible.
    WithUpload,
    /// No transfers, as in papers whose graphs are in device memory.
    OnDevice,
}

impl<'a> KostraSolver<'a> {
    /// Creates a contestant from a solver and a graph. `csr_seconds` is the time of building the
    /// graph's CSR rows, which all solvers share.
    pub(crate) fn new(
        entrant: Entrant,
        graph: &'a AnyGraph,
        threads: usize,
        timed: Timed,
        csr_seconds: f64,
    ) -> Self {
        let info = entrant.solver.info();
        let identity = Identity {
            name: info.id.to_owned(),
            settings: entrant.settings.iter().cloned().collect(),
            peer: false,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build_seconds: if info.representation == Representation::Csr {
                csr_seconds
            } else {
                0.0
            },
        };
        Self { identity, entrant, graph, threads, timed, workspace: Workspace::new() }
    }

    fn run(&mut self, recorder: Option<&mut Recorder>) -> Result<TimedAnswer> {
        let info = self.entrant.solver.info();
        if info.platform == Platform::Cuda {
            // Processes that share a device take turns, and the first kernel of a turn waits 0.13
            // ms.
            Device::open(0)?.wake()?;
        }
        let mut run = Run::new().on_threads(self.threads).in_workspace(&mut self.workspace);
        if self.entrant.solver.uses_devices() {
            run = run.on_devices(&(0..Device::count()?).collect::<Vec<_>>());
        }
        for (name, value) in &self.entrant.settings {
            run = run.with_option(info, name, *value)?;
        }
        if let Some(recorder) = recorder {
            run = run.observed_by(recorder);
        }
        let solution = self.entrant.solver.solve(self.graph, Order::Minimum, &mut run)?;
        let resident =
            info.platform == Platform::Cuda && info.representation == Representation::Csr;
        let transfers = match self.timed {
            Timed::WithUpload => solution.upload,
            Timed::FromHost if !resident => solution.upload + solution.download,
            Timed::FromHost | Timed::OnDevice => Duration::ZERO,
        };
        // Kernels are compiled in the warm-up. That is no part of the solve: a solver that takes a
        // millisecond would seem slow, and get no further turn.
        let time = solution.solve + transfers;
        Ok(TimedAnswer { seconds: time.as_secs_f64(), answer: answer(solution.forest, info.exact) })
    }
}

impl Contestant for KostraSolver<'_> {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn solve(&mut self) -> Result<TimedAnswer> {
        self.run(None)
    }

    fn observe(&mut self) -> Result<Option<(Observed, AnswerProperties)>> {
        observed(|recorder| self.run(Some(recorder)))
    }
}

/// Observes one solve.
fn observed(
    solve: impl FnOnce(&mut Recorder) -> Result<TimedAnswer>,
) -> Result<Option<(Observed, AnswerProperties)>> {
    let mut recorder = Recorder::new();
    let TimedAnswer { seconds, answer } = solve(&mut recorder)?;
    Ok(Some((recorder.finish(seconds), answer)))
}

/// The properties of a forest, without its ids if the solver is not exact.
fn answer(forest: Forest, exact: bool) -> AnswerProperties {
    let total = forest.total().to_string();
    let ids = forest.into_ids();
    AnswerProperties { edges: ids.len(), total, ids: exact.then_some(ids) }
}

/// The id of the solver that [`ResidentRows`] runs.
pub(crate) const RESIDENT_ROWS: &str = "cuda-fast-rows";

/// Kostra's solver of rows in device memory. The rows stay there between rounds.
pub(crate) struct ResidentRows<'a, W: Weight> {
    identity: Identity,
    device: Arc<Device>,
    rows: DeviceCsr<W::Key>,
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
            settings: BTreeMap::new(),
            peer: false,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build_seconds: start.elapsed().as_secs_f64(),
        };
        Ok(Self { identity, device, rows, edges: graph.edge_list(), threads })
    }
}

impl<W: Weight> ResidentRows<'_, W> {
    fn run(&mut self, recorder: Option<&mut Recorder>) -> Result<TimedAnswer> {
        self.device.wake()?; // as above
        let mut run = Run::new().on_threads(self.threads);
        if let Some(recorder) = recorder {
            run = run.observed_by(recorder);
        }
        let start = Instant::now();
        let set = on_rows(&self.device, &self.rows, &mut run)?;
        let time = start.elapsed() - run.take_device_times().download;
        let forest = Forest::new(self.edges.edges(Order::Minimum), set.into_ids());
        Ok(TimedAnswer { seconds: time.as_secs_f64(), answer: answer(forest, true) })
    }
}

impl<W: Weight> Contestant for ResidentRows<'_, W> {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn solve(&mut self) -> Result<TimedAnswer> {
        self.run(None)
    }

    fn observe(&mut self) -> Result<Option<(Observed, AnswerProperties)>> {
        observed(|recorder| self.run(Some(recorder)))
    }
}
