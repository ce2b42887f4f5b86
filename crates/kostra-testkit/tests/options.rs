//! Tests the solvers for threads with all values of their options, and the solvers that use a
//! partition with partitions of the caller.

use kostra::solvers;
use kostra_core::{AnyGraph, EdgeId, Order, Platform, Run, Solver, VertexParts};
use kostra_gen::generate;
use kostra_testkit::matrix::{ExactAnswer, ORDERS, check_settings, thread_counts};
use kostra_testkit::multigraphs::Random;
use kostra_testkit::oracle;
use kostra_testkit::strategies::graphs;
use kostra_testkit::suite;
use kostra_testkit::variants::covering_variants;
use proptest::prelude::*;

fn solvers_with_options() -> impl Iterator<Item = &'static dyn Solver> {
    let on_threads = |solver: &&dyn Solver| solver.info().platform == Platform::Threads;
    solvers().filter(on_threads).filter(|solver| !solver.info().options.is_empty())
}

/// How often each kind of graph is solved with every option value, in other combinations.
const COMBINATIONS: usize = 3;

/// Solves with every value of every option. The random numbers decide which values are combined,
/// and the number of threads of each combination.
fn check(graph: &AnyGraph, order: Order, answer: &ExactAnswer, about: &str, random: &mut Random) {
    for solver in solvers_with_options() {
        let info = solver.info();
        let threads = thread_counts(info.platform);
        let settings: Vec<_> = covering_variants(info, random)
            .into_iter()
            .map(|variant| (threads[random.below(threads.len() as u32) as usize], variant))
            .collect();
        let tally = check_settings(solver, graph, order, answer, settings.into_iter())
            .unwrap_or_else(|fault| panic!("{about}: {fault}"));
        assert!(tally.refused.is_empty(), "{about}: {:?}", tally.refused);
    }
}

#[test]
fn every_option_value_gives_the_forest_of_every_case() {
    let cases = suite::load().unwrap_or_else(|error| panic!("{error}"));
    let random = &mut Random(1);
    for case in &cases {
        for order in ORDERS {
            check(&case.graph, order, case.answer(order), &case.name, random);
        }
    }
}

#[test]
fn every_option_value_gives_the_forest_of_each_kind_of_graph() {
    let specs = [
        "road:n=2000",
        "grid:side=40,weights=small",
        "gnm:n=1000,m=4000,weights=f64",
        "rmat:scale=9,edgefactor=8,weights=f32",
        "star:n=2000,weights=equal",
        "path:n=2000,weights=index",
        "islands:n=500,tiny=300,size=5",
        "multigraph:n=300,m=3000,weights=small",
        "complete:n=80,weights=equal",
        "empty:n=100",
    ];
    let random = &mut Random(2);
    for spec in specs {
        let graph = generate(spec).unwrap_or_else(|error| panic!("{spec}: {error}")).graph;
        for order in ORDERS {
            let answer = ExactAnswer::verified(&graph, order)
                .unwrap_or_else(|fault| panic!("{spec}: {fault}"));
            for _ in 0..COMBINATIONS {
                check(&graph, order, &answer, spec, random);
            }
        }
    }
}

/// The forest of a solver on given parts.
fn forest_on_parts(
    solver: &dyn Solver,
    graph: &AnyGraph,
    parts: VertexParts<'_>,
    threads: usize,
) -> Vec<EdgeId> {
    let run = &mut Run::new().on_threads(threads).on_parts(parts);
    solver.solve(graph, Order::Minimum, run).expect("the partition suits").forest.into_ids()
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(300)
    })]

    #[test]
    fn any_partition_gives_the_forest_and_one_part_is_exact(
        graph in graphs(40, 100),
        seeds in prop::collection::vec(any::<u32>(), 40),
        count in 1..8_u32,
    ) {
        let n = graph.vertices();
        let count = count.min(n.max(1));
        let parts: Vec<u32> = (0..n as usize).map(|vertex| seeds[vertex] % count).collect();
        let right = ExactAnswer::by_definition(&graph, Order::Minimum).forest;
        for solver in solvers().filter(|solver| solver.uses_partition()) {
            let several = VertexParts::new(&parts, count).unwrap();
            let whole = vec![0; n as usize];
            let one = VertexParts::new(&whole, 1).unwrap();
            let found = forest_on_parts(solver, &graph, several, 1);
            if solver.info().exact {
                prop_assert_eq!(&found, &right, "{} on {:?}", solver.info().id, parts);
            } else {
                prop_assert!(oracle::is_spanning_forest(&graph, &found));
                let again = forest_on_parts(solver, &graph, several, 3);
                prop_assert_eq!(&found, &again, "the threads change the forest");
            }
            let found = forest_on_parts(solver, &graph, one, 2);
            prop_assert_eq!(&found, &right, "{} on one part", solver.info().id);
        }
    }
}

#[test]
fn solvers_that_use_a_partition_are_known() {
    let ids: Vec<_> =
        solvers().filter(|solver| solver.uses_partition()).map(|solver| solver.info().id).collect();
    assert_eq!(ids, ["prim-union", "prim-boundary"]);
}
