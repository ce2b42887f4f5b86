//! The sinks for graphs that do not fit into memory as solvers of the matrix: tiny buffers and
//! blocks, on all cases and on random graphs. One sink is on threads, and one on a device.

use kostra::external::{Limits, Sink};
use kostra_core::{
    Algorithm, EdgeSet, Edges, ForestSink, Key, Order, Platform, Problem, Representation, Run,
    SolveError, SolverInfo,
};
use kostra_cuda::external::{Limits as DeviceLimits, Sink as DeviceSink};
use kostra_cuda::{self as cuda, Device};
use kostra_testkit::matrix::{ExactAnswer, ORDERS, can_run, check_solver};
use kostra_testkit::strategies::graphs;
use kostra_testkit::suite;
use proptest::prelude::*;

const INFO: SolverInfo = SolverInfo {
    id: "external",
    title: "a sink that receives the edges in blocks",
    source: "this project",
    platform: Platform::Threads,
    representation: Representation::EdgeList,
    exact: true,
    time: "O(m log n)",
    scratch: "not counted",
    options: &[],
};

/// Passes the edges to a sink in blocks of `size` edges.
fn solve<K: Key>(
    mut sink: Box<dyn ForestSink<K>>,
    edges: Edges<'_, K>,
    size: usize,
) -> Result<EdgeSet, SolveError> {
    for start in (0..edges.len()).step_by(size) {
        sink.add(start as u64, edges.range(start..edges.len().min(start + size)))?;
    }
    let mut set = EdgeSet::new(edges.len());
    for id in sink.finish()?.forest.ids {
        set.insert(id as u32);
    }
    Ok(set)
}

/// A solver that passes blocks of `BLOCK` edges to a sink with a buffer of `BUFFER` edges.
struct External<const BUFFER: usize, const BLOCK: usize>;

impl<const BUFFER: usize, const BLOCK: usize> Algorithm for External<BUFFER, BLOCK> {
    const INFO: SolverInfo = INFO;

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let edges = problem.edges();
        let (limits, threads) = (Limits::with_buffer(BUFFER), run.request.threads());
        let sink = Sink::new(edges.vertices(), edges.encoding(), limits, threads)?;
        solve(Box::new(sink), edges, BLOCK)
    }
}

/// As [`External`], on a device.
struct OnDevice<const BUFFER: usize, const BLOCK: usize>;

impl<const BUFFER: usize, const BLOCK: usize> Algorithm for OnDevice<BUFFER, BLOCK> {
    const INFO: SolverInfo = SolverInfo { id: "cuda-external", platform: Platform::Cuda, ..INFO };

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let edges = problem.edges();
        let device = Device::open(run.request.device())?;
        cuda::fast::admit(edges.vertices(), edges.len())?;
        let limits = DeviceLimits::with_buffer(edges.vertices(), BUFFER);
        let encoding = edges.encoding();
        let sink = DeviceSink::new(&device, edges.vertices(), encoding, (limits, 2))?;
        solve(Box::new(sink), edges, BLOCK)
    }
}

fn check(
    graph: &kostra_core::AnyGraph,
    order: Order,
    answer: &ExactAnswer,
) -> Result<(), TestCaseError> {
    check_solver(&External::<1, 1>, graph, order, answer)?;
    check_solver(&External::<5, 3>, graph, order, answer)?;
    check_solver(&External::<40, 1000>, graph, order, answer)?;
    if can_run(&OnDevice::<1, 1>) {
        check_solver(&OnDevice::<1, 1>, graph, order, answer)?;
        check_solver(&OnDevice::<5, 3>, graph, order, answer)?;
        check_solver(&OnDevice::<40, 1000>, graph, order, answer)?;
    }
    Ok(())
}

#[test]
fn the_sinks_solve_every_case() {
    for case in suite::load().unwrap() {
        for order in ORDERS {
            let checked = check(&case.graph, order, case.answer(order));
            assert!(checked.is_ok(), "{}: {checked:?}", case.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(150)
    })]

    #[test]
    fn the_sinks_return_the_forest_of_the_definition(graph in graphs(24, 60)) {
        for order in ORDERS {
            check(&graph, order, &ExactAnswer::by_definition(&graph, order))?;
        }
    }
}
