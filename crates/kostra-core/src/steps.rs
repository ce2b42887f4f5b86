//! The steps of a solve around [`Algorithm::solve`], which build rows, list the forest and take
//! times.

use crate::clock::Instant;
use crate::run::DeviceTimes;
use crate::{
    Algorithm, AnyGraph, EdgeId, EdgeSet, Forest, Key, Order, OutOfMemory, PartsError, Platform,
    Problem, Representation, RequestError, Run, RunRequest, Solution, SolveError, SolverInfo,
    with_graph,
};

/// What differs between algorithms, as a trait object for keys of one type. So the steps around
/// [`Algorithm::solve`] are compiled once, not for each algorithm.
pub(crate) trait SolveSteps<K: Key> {
    fn info(&self) -> &'static SolverInfo;
    fn uses_partition(&self) -> bool;
    fn uses_devices(&self) -> bool;
    fn admit(&self, size: (u32, usize), request: &RunRequest<'_>) -> Result<(), SolveError>;
    fn solve(&self, problem: Problem<'_, K>, run: &mut Run<'_>) -> Result<EdgeSet, SolveError>;
    fn list(&self, forest: EdgeSet, run: &Run<'_>) -> Result<Vec<EdgeId>, OutOfMemory>;
}

impl<A: Algorithm, K: Key> SolveSteps<K> for A {
    fn info(&self) -> &'static SolverInfo {
        &A::INFO
    }

    fn uses_partition(&self) -> bool {
        A::USES_PARTITION
    }

    fn uses_devices(&self) -> bool {
        A::USES_DEVICES
    }

    fn admit(&self, size: (u32, usize), request: &RunRequest<'_>) -> Result<(), SolveError> {
        self.admit_run(size, request)
    }

    fn solve(&self, problem: Problem<'_, K>, run: &mut Run<'_>) -> Result<EdgeSet, SolveError> {
        Algorithm::solve(self, problem, run)
    }

    fn list(&self, forest: EdgeSet, run: &Run<'_>) -> Result<Vec<EdgeId>, OutOfMemory> {
        Algorithm::list(self, forest, run)
    }
}

/// The steps of an algorithm for keys of both types.
pub(crate) trait AllSteps: SolveSteps<u32> + SolveSteps<u64> {}

impl<A: Algorithm> AllSteps for A {}

/// Solves a graph of any weight type: [`crate::Solver::solve`] of an algorithm.
pub(crate) fn solve_graph(
    algorithm: &dyn AllSteps,
    graph: &AnyGraph,
    order: Order,
    run: &mut Run<'_>,
) -> Result<Solution, SolveError> {
    let info = SolveSteps::<u32>::info(algorithm);
    with_graph!(graph, graph => solve_with(Problem::new(graph, order, info), algorithm, run))
        .map_err(|error| error.with_solver(info.id))
}

fn solve_with<K: Key>(
    problem: Problem<'_, K>,
    algorithm: &dyn SolveSteps<K>,
    run: &mut Run<'_>,
) -> Result<Solution, SolveError> {
    let info = algorithm.info();
    let size = (problem.edges().vertices(), problem.edges().len());
    algorithm.admit(size, &run.request)?;
    if let Some(parts) = run.request.parts() {
        if !algorithm.uses_partition() {
            return Err(PartsError::NotUsed { solver: info.id }.into());
        }
        parts.check(problem.edges().vertices())?;
    }
    let devices = run.request.devices().len();
    if devices > 1 && info.platform == Platform::Cuda && !algorithm.uses_devices() {
        return Err(RequestError::OneDevice { solver: info.id, devices }.into());
    }
    let start = Instant::now();
    if info.representation == Representation::Csr {
        run.phase("build", |run| problem.csr(run).map(drop))?;
    }
    run.take_device_times(); // discards the times of a solve that failed
    let built = Instant::now();
    let set = algorithm.solve(problem, run)?;
    run.report.finish_rounds();
    let solved = Instant::now();
    let ids = run.phase("list the forest", |run| algorithm.list(set, run))?;
    let DeviceTimes { compile, upload, mut download } = run.take_device_times();
    let mut solve = (solved - built).saturating_sub(compile + upload + download);
    // A device returns the forest as a set, so listing its members is the last part of the
    // download.
    let last = if info.platform == Platform::Cuda { &mut download } else { &mut solve };
    *last += solved.elapsed();
    let forest = Forest::new(problem.edges(), ids);
    Ok(Solution { forest, build: built - start, compile, upload, solve, download })
}
