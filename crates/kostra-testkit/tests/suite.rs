//! Tests every solver, both oracles and the verifier on every case of `testdata/`.

use kostra_core::{AnyGraph, Order, Run, Solver, with_graph};
use kostra_testkit::matrix::{self, ORDERS, solvers_here};
use kostra_testkit::mutate::{self, RefusedForests};
use kostra_testkit::oracle;
use kostra_testkit::suite::{self, SuiteCase};

/// Checks all cases and reports all failures, not only the first.
fn for_each_case(check: impl Fn(&SuiteCase) -> Result<(), String>) {
    let cases = suite::load().unwrap_or_else(|error| panic!("{error}"));
    let failures: Vec<_> = cases
        .iter()
        .filter_map(|case| check(case).err().map(|fault| format!("{}: {fault}", case.name)))
        .collect();
    let (failed, all) = (failures.len(), cases.len());
    assert!(failures.is_empty(), "{failed} of {all} cases failed:\n{}", failures.join("\n"));
}

fn expect_equal<T: PartialEq + std::fmt::Debug>(
    what: &str,
    found: &T,
    right: &T,
) -> Result<(), String> {
    if found == right { Ok(()) } else { Err(format!("{what}: {found:?} instead of {right:?}")) }
}

#[test]
fn every_solver_finds_the_forest_of_every_case() {
    for_each_case(|case| {
        for order in ORDERS {
            let tally = matrix::check(&case.graph, order, case.answer(order))
                .map_err(|fault| fault.to_string())?;
            expect_equal("refusals of a small graph", &tally.refused, &vec![])?;
        }
        Ok(())
    });
}

#[test]
fn both_oracles_find_the_forest_of_every_case() {
    for_each_case(|case| {
        for order in ORDERS {
            let found = oracle::canonical_forest(&case.graph, order);
            expect_equal(&format!("{order:?}"), &found, &case.answer(order).forest)?;
            if case.graph.edges() <= oracle::MAX_SUBSET_EDGES {
                let best = oracle::best_of_all_subsets(&case.graph, order);
                expect_equal(&format!("{order:?}, best of all subsets"), &best, &found)?;
                let total = oracle::integer_total(&case.graph, &found);
                let best = oracle::best_total_of_all_subsets(&case.graph, order);
                expect_equal(&format!("{order:?}, best total of all subsets"), &best, &total)?;
            }
        }
        Ok(())
    });
}

#[test]
fn the_components_of_every_case_agree_with_the_definition() {
    for_each_case(|case| {
        let labels = oracle::labels(&case.graph);
        expect_equal(
            "components",
            &oracle::components(&case.graph),
            &case.answer(Order::Minimum).components,
        )?;
        if let Some(stated) = &case.labels {
            expect_equal("stated labels", stated, &labels)?;
        }
        for solver in exact_solvers() {
            for order in ORDERS {
                let found = labels_by(solver, &case.graph, order)?;
                expect_equal(
                    &format!("labels of {} in {order:?}", solver.info().id),
                    &found,
                    &labels,
                )?;
            }
        }
        Ok(())
    });
}

fn exact_solvers() -> impl Iterator<Item = &'static dyn Solver> {
    solvers_here().filter(|solver| solver.info().exact)
}

fn labels_by(solver: &dyn Solver, graph: &AnyGraph, order: Order) -> Result<Vec<u32>, String> {
    let solution =
        solver.solve(graph, order, &mut Run::new()).map_err(|error| error.to_string())?;
    Ok(
        with_graph!(graph, graph => solution.forest.labels(graph.edge_list().edges(order)).expect("memory").as_slice().to_vec()),
    )
}

#[test]
fn the_verifier_accepts_the_forest_of_every_case() {
    for_each_case(|case| {
        for order in ORDERS {
            let verdict = mutate::judge(&case.graph, order, &case.answer(order).forest);
            verdict.map_err(|violation| format!("{order:?}: {violation}"))?;
        }
        Ok(())
    });
}

#[test]
fn the_verifier_reports_the_fault_of_every_wrong_forest() {
    let refused = std::cell::Cell::new(RefusedForests::default());
    for_each_case(|case| {
        for order in ORDERS {
            let more = mutate::examine_verifier(&case.graph, order, &case.answer(order).forest)?;
            refused.set(refused.get() + more);
        }
        Ok(())
    });
    let refused = refused.get();
    println!("{refused:?}");
    let RefusedForests { dropped, added, swapped, swapped_with_a_tie, lists } = refused;
    for count in [dropped, added, swapped, swapped_with_a_tie, lists] {
        assert!(count > 100, "too few wrong forests of a kind: {refused:?}");
    }
}
