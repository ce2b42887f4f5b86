//! The sink for graphs that do not fit into memory as a solver of the matrix: tiny buffers and
//! blocks, on all cases and on random graphs.

use kostra::external::{ForestSink, Limits};
use kostra_core::{
    Algorithm, EdgeList, EdgeSet, Edges, Key, Order, Platform, Problem, Representation, Run,
    SolveError, SolverInfo, Weight, WeightType,
};
use kostra_testkit::matrix::{Answer, ORDERS, check_solver};
use kostra_testkit::strategies::graphs;
use kostra_testkit::suite;
use proptest::prelude::*;

/// A solver that passes blocks of `BLOCK` edges to a sink with a buffer of `BUFFER` edges.
struct External<const BUFFER: usize, const BLOCK: usize>;

impl<const BUFFER: usize, const BLOCK: usize> Algorithm for External<BUFFER, BLOCK> {
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

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let edges = problem.edges();
        let solve = match edges.encoding().weight_type() {
            WeightType::I32 => Self::in_blocks::<i32, K>,
            WeightType::U32 => Self::in_blocks::<u32, K>,
            WeightType::I64 => Self::in_blocks::<i64, K>,
            WeightType::U64 => Self::in_blocks::<u64, K>,
            WeightType::F32 => Self::in_blocks::<f32, K>,
            WeightType::F64 => Self::in_blocks::<f64, K>,
        };
        solve(edges, run.threads())
    }
}

impl<const BUFFER: usize, const BLOCK: usize> External<BUFFER, BLOCK> {
    fn in_blocks<W: Weight, K: Key>(
        edges: Edges<'_, K>,
        threads: usize,
    ) -> Result<EdgeSet, SolveError> {
        let weights: &[W] = bytemuck::cast_slice(edges.weights());
        let limits = Limits::with_buffer(BUFFER);
        let mut sink = ForestSink::new(edges.vertices(), edges.order(), limits, threads)?;
        for start in (0..edges.len()).step_by(BLOCK) {
            let range = start..edges.len().min(start + BLOCK);
            let [u, v] = [edges.u(), edges.v()].map(|ends| ends[range.clone()].to_vec());
            let block = EdgeList::of_checked(edges.vertices(), u, v, weights[range].to_vec());
            sink.add(start as u64, &block)?;
        }
        let (forest, _) = sink.finish()?;
        let mut set = EdgeSet::new(edges.len());
        for id in forest.ids {
            set.insert(id as u32);
        }
        Ok(set)
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
    Ok(())
}

#[test]
fn the_sink_solves_every_case() {
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
    fn the_sink_returns_the_forest_of_the_definition(graph in graphs(24, 60)) {
        for order in ORDERS {
            check(&graph, order, &Answer::by_definition(&graph, order))?;
        }
    }
}
