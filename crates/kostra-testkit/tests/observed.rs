//! What holds for every solver when somebody watches.

use std::time::Duration;

use kostra::{Observer, Order, Platform, Round, Run, SolveError, Solver};
use kostra_testkit::matrix::{Answer, ORDERS, solvers_here};
use kostra_testkit::strategies::graphs;
use kostra_testkit::suite::{self, Case};
use proptest::prelude::*;

/// Phases of a solve that are no part of its last round.
const AFTER_ROUNDS: [&str; 3] = ["end threads", "free memory", "list the forest"];

/// Keeps account of what it is told, and gives up after `patience` questions.
#[derive(Default)]
struct Witness {
    open: Vec<&'static str>,
    rounds: u32,
    rounds_are_over: bool,
    faults: Vec<String>,
    patience: Option<u32>,
    asked: std::cell::Cell<u32>,
}

impl Observer for Witness {
    fn phase_started(&mut self, name: &'static str) {
        if self.rounds > 0 && !self.rounds_are_over && AFTER_ROUNDS.contains(&name) {
            self.faults.push(format!("phase {name} counts for the last round"));
        }
        self.open.push(name);
    }

    fn phase_finished(&mut self, name: &'static str, _: Duration) {
        if self.open.pop() != Some(name) {
            self.faults.push(format!("phase {name} ends before an inner one, or without a start"));
        }
    }

    fn round(&mut self, round: Round) {
        if round.index != self.rounds {
            self.faults.push(format!("round {} comes as number {}", round.index, self.rounds));
        }
        if self.rounds_are_over {
            self.faults.push(format!("round {} comes after the end of the rounds", round.index));
        }
        self.rounds += 1;
    }

    fn rounds_finished(&mut self) {
        self.rounds_are_over = true;
        if !self.open.is_empty() {
            self.faults.push(format!("the rounds end inside of phases {:?}", self.open));
        }
    }

    fn counter(&mut self, name: &'static str, value: f64) {
        if !value.is_finite() {
            self.faults.push(format!("counter {name} is {value}"));
        }
    }

    fn progress(&mut self, done: u64, total: u64) {
        if done > total {
            self.faults.push(format!("{done} of {total} steps are done"));
        }
    }

    fn cancelled(&self) -> bool {
        self.asked.set(self.asked.get() + 1);
        self.patience.is_some_and(|patience| self.asked.get() > patience)
    }
}

/// Solves a case while somebody watches.
fn watch(solver: &dyn Solver, case: &Case, order: Order, threads: usize) {
    let mut witness = Witness::default();
    let run = &mut Run::new().on_threads(threads).observed_by(&mut witness);
    let forest = solver.solve(&case.graph, order, run).map(|solution| solution.forest.into_ids());
    let about =
        format!("{} on {} in {order:?} with {threads} threads", solver.info().id, case.name);
    assert_eq!(forest.as_ref(), Ok(&case.answer(order).forest), "{about}");
    assert!(witness.faults.is_empty(), "{about}: {:?}", witness.faults);
    assert!(witness.open.is_empty(), "{about}: phases {:?} never end", witness.open);
    assert!(witness.rounds_are_over, "{about}: the rounds never end");
}

#[test]
fn watching_a_solver_changes_nothing_and_its_reports_are_in_order() {
    for case in suite::load().unwrap_or_else(|error| panic!("{error}")) {
        for solver in solvers_here().filter(|solver| solver.info().exact) {
            for order in ORDERS {
                watch(solver, &case, order, 1);
                if solver.info().platform == Platform::Threads {
                    watch(solver, &case, order, 2);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(300)
    })]

    #[test]
    fn a_solver_that_is_cancelled_returns_no_forest_or_the_right_one(
        graph in graphs(30, 80),
        patience in 0..4_u32,
    ) {
        let right = Answer::by_definition(&graph, Order::Minimum).forest;
        for solver in solvers_here().filter(|solver| solver.info().exact) {
            let mut witness = Witness { patience: Some(patience), ..Witness::default() };
            let run = &mut Run::new().observed_by(&mut witness);
            let solution = solver.solve(&graph, Order::Minimum, run);
            let forest = solution.map(|solution| solution.forest.into_ids());
            if witness.asked.get() > patience {
                prop_assert_eq!(forest, Err(SolveError::Cancelled), "{}", solver.info().id);
            } else {
                prop_assert_eq!(forest.as_ref(), Ok(&right), "{}", solver.info().id);
            }
            // What a cancelled solve leaves behind, such as rows half built, is not in the way of
            // the next one.
            let again = solver.solve(&graph, Order::Minimum, &mut Run::new());
            prop_assert_eq!(again.map(|solution| solution.forest.into_ids()), Ok(right.clone()), "{}", solver.info().id);
        }
    }
}
