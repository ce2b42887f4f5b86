//! Tests every solver, the oracle and the verifier on random graphs.
//!
//! `PROPTEST_CASES` sets the number of graphs per property. `testdata/README.md` describes what to
//! do after a failure.

use kostra_core::{AnyGraph, Order, Platform, Run, with_graph};
use kostra_core::{EdgeId, EdgeList, Vertex, Weight};
use kostra_testkit::matrix::{self, ExactAnswer, ORDERS, solvers_here};
use kostra_testkit::strategies::graphs;
use kostra_testkit::{mutate, oracle};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

/// A configuration with `cases` graphs per property, unless `PROPTEST_CASES` is set.
fn config(cases: u32) -> ProptestConfig {
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() {
        ProptestConfig::default().cases
    } else {
        cases
    };
    let beside_the_test = FileFailurePersistence::WithSource("regressions");
    ProptestConfig {
        failure_persistence: Some(Box::new(beside_the_test)),
        ..ProptestConfig::with_cases(cases)
    }
}

// These properties start about eighty threads per graph, for the multithreaded solvers.
proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn every_solver_returns_the_forest_of_the_definition_on_tiny_graphs(graph in graphs(6, 14)) {
        matrix::check_by_definition(&graph)?;
    }

    #[test]
    fn every_solver_returns_the_forest_of_the_definition(graph in graphs(24, 60)) {
        matrix::check_by_definition(&graph)?;
    }

    #[test]
    fn every_solver_returns_the_forest_of_the_definition_on_larger_graphs(
        graph in graphs(90, 300),
    ) {
        matrix::check_by_definition(&graph)?;
    }

    #[test]
    fn the_forest_does_not_depend_on_vertex_numbers_or_edge_directions(
        (graph, numbers) in graphs(16, 40).prop_flat_map(|graph| {
            let numbers: Vec<Vertex> = (0..graph.vertices()).collect();
            (Just(graph), Just(numbers).prop_shuffle())
        }),
        turned in any::<u64>(),
    ) {
        let renumbered = renumber(&graph, &numbers, turned);
        for order in ORDERS {
            let answer = ExactAnswer::by_definition(&graph, order);
            matrix::check(&renumbered, order, &answer)?;
        }
    }

    #[test]
    fn appended_worse_edges_do_not_change_the_forest(graph in graphs(12, 30)) {
        // Append each edge again with swapped ends: it has the same weight and a higher id.
        let doubled = with_graph!(&graph, graph => double(graph.edge_list()));
        for order in ORDERS {
            matrix::check(&doubled, order, &ExactAnswer::by_definition(&graph, order))?;
        }
    }

    #[test]
    fn repeated_solves_of_a_graph_are_right(graph in graphs(12, 30)) {
        // The first solve builds and keeps the CSR rows. The second solve, in the other order, must
        // not depend on the first order.
        for solver in solvers_here().filter(|solver| solver.info().exact) {
            for order in [Order::Maximum, Order::Minimum, Order::Maximum] {
                let threads = if solver.info().platform == Platform::Sequential { 1 } else { 2 };
                let run = &mut Run::new().on_threads(threads);
                let solution = solver.solve(&graph, order, run).unwrap();
                let ids = solution.forest.into_ids();
                prop_assert_eq!(ids, oracle::canonical_forest(&graph, order), "{}", solver.info().id);
            }
        }
    }
}

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn the_definition_is_the_best_of_all_subsets(graph in graphs(6, 9)) {
        for order in ORDERS {
            let forest = oracle::canonical_forest(&graph, order);
            prop_assert_eq!(&oracle::best_of_all_subsets(&graph, order), &forest);
            let total = oracle::integer_total(&graph, &forest);
            prop_assert_eq!(oracle::best_total_of_all_subsets(&graph, order), total);
        }
    }

    #[test]
    fn the_verifier_accepts_the_forest_and_refuses_every_single_change_of_it(
        graph in graphs(16, 40),
    ) {
        for order in ORDERS {
            let forest = oracle::canonical_forest(&graph, order);
            prop_assert_eq!(mutate::judge(&graph, order, &forest), Ok(()));
            mutate::examine_verifier(&graph, order, &forest).map_err(TestCaseError::fail)?;
        }
    }

    #[test]
    fn the_verifier_accepts_a_set_of_edges_exactly_when_it_is_the_forest(
        graph in graphs(6, 9),
        bits in any::<u16>(),
    ) {
        let every_id = 0..graph.edges() as EdgeId;
        let ids: Vec<EdgeId> = every_id.filter(|id| bits >> id & 1 == 1).collect();
        for order in ORDERS {
            let is_forest = ids == oracle::canonical_forest(&graph, order);
            prop_assert_eq!(mutate::judge(&graph, order, &ids).is_ok(), is_forest, "{:?} {:?}", order, ids);
        }
    }
}

/// The same graph with vertex `v` renumbered to `numbers[v]`, and the ends of edge `i` swapped if
/// bit `i` of `turned` is set.
fn renumber(graph: &AnyGraph, numbers: &[Vertex], turned: u64) -> AnyGraph {
    let renumbered =
        |ends: &[Vertex]| ends.iter().map(|&v| numbers[v as usize]).collect::<Vec<_>>();
    let (mut u, mut v) = (renumbered(graph.u()), renumbered(graph.v()));
    for edge in (0..u.len()).filter(|&edge| turned >> (edge % 64) & 1 == 1) {
        std::mem::swap(&mut u[edge], &mut v[edge]);
    }
    with_graph!(graph, graph => {
        with_ends(graph.edge_list(), u, v, graph.edge_list().weights().to_vec())
    })
}

fn double<W: Weight>(graph: &EdgeList<W>) -> AnyGraph
where
    AnyGraph: From<EdgeList<W>>,
{
    let u = [graph.u(), graph.v()].concat();
    let v = [graph.v(), graph.u()].concat();
    with_ends(graph, u, v, graph.weights().repeat(2))
}

fn with_ends<W: Weight>(
    graph: &EdgeList<W>,
    u: Vec<Vertex>,
    v: Vec<Vertex>,
    weights: Vec<W>,
) -> AnyGraph
where
    AnyGraph: From<EdgeList<W>>,
{
    AnyGraph::from_edges(graph.vertices() as usize, u, v, weights)
        .expect("the ends are vertices of the graph")
}
