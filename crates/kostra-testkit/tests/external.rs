//! The sinks for graphs that do not fit into memory as solvers of the matrix: tiny buffers and
//! blocks, on all cases and on random graphs. One sink is on threads, and one on a device.

use kostra::cuda::external::{ForestSink as DeviceSink, Limits as DeviceLimits};
use kostra::cuda::{self, Device};
use kostra::external::{ForestSink, Limits};
use kostra_core::{
    Algorithm, EdgeList, EdgeSet, Edges, Key, Order, Platform, Problem, Representation, Run,
    SolveError, SolverInfo, Weight, WeightType,
};
use kostra_testkit::matrix::{Answer, ORDERS, can_run, check_solver};
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

/// Evaluates a call of a generic function for the type of the weights.
macro_rules! of_type {
    ($edges:expr, $function:ident($($argument:expr),*)) => {
        match $edges.encoding().weight_type() {
            WeightType::I32 => Self::$function::<i32, K>($($argument),*),
            WeightType::U32 => Self::$function::<u32, K>($($argument),*),
            WeightType::I64 => Self::$function::<i64, K>($($argument),*),
            WeightType::U64 => Self::$function::<u64, K>($($argument),*),
            WeightType::F32 => Self::$function::<f32, K>($($argument),*),
            WeightType::F64 => Self::$function::<f64, K>($($argument),*),
        }
    };
}

/// The parts of at most `size` edges, with the number of edges before each.
fn blocks<W: Weight, K: Key>(
    edges: Edges<'_, K>,
    size: usize,
) -> impl Iterator<Item = (u64, EdgeList<W>)> {
    let weights: &[W] = bytemuck::cast_slice(edges.weights());
    (0..edges.len()).step_by(size).map(move |start| {
        let range = start..edges.len().min(start + size);
        let [u, v] = [edges.u(), edges.v()].map(|ends| ends[range.clone()].to_vec());
        let block = EdgeList::of_checked(edges.vertices(), u, v, weights[range].to_vec());
        (start as u64, block)
    })
}

fn set_of(ids: Vec<u64>, edges: usize) -> EdgeSet {
    let mut set = EdgeSet::new(edges);
    for id in ids {
        set.insert(id as u32);
    }
    set
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
        of_type!(edges, in_blocks(edges, run.threads()))
    }
}

impl<const BUFFER: usize, const BLOCK: usize> External<BUFFER, BLOCK> {
    fn in_blocks<W: Weight, K: Key>(
        edges: Edges<'_, K>,
        threads: usize,
    ) -> Result<EdgeSet, SolveError> {
        let limits = Limits::with_buffer(BUFFER);
        let mut sink = ForestSink::<W>::new(edges.vertices(), edges.order(), limits, threads)?;
        for (first, block) in blocks(edges, BLOCK) {
            sink.add(first, &block)?;
        }
        let (forest, _) = sink.finish()?;
        Ok(set_of(forest.ids, edges.len()))
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
        of_type!(edges, in_blocks(edges, &Device::open(run.device())?))
    }
}

impl<const BUFFER: usize, const BLOCK: usize> OnDevice<BUFFER, BLOCK> {
    fn in_blocks<W: Weight, K: Key>(
        edges: Edges<'_, K>,
        device: &std::sync::Arc<Device>,
    ) -> Result<EdgeSet, SolveError> {
        cuda::fast::admit(edges.vertices(), edges.len())?;
        let limits = DeviceLimits::with_buffer(edges.vertices(), BUFFER);
        let mut sink = DeviceSink::<W>::new(device, edges.vertices(), edges.order(), (limits, 2))?;
        for (first, block) in blocks(edges, BLOCK) {
            sink.add(first, &block)?;
        }
        Ok(set_of(sink.forest()?.ids, edges.len()))
    }
}

fn check(
    graph: &kostra_core::AnyGraph,
    order: Order,
    answer: &Answer,
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
            check(&graph, order, &Answer::by_definition(&graph, order))?;
        }
    }
}
