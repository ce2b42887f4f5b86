//! Tests the reports of every solver to an observer.

use std::time::Duration;

use kostra_core::{Observer, Order, Platform, Round, Run, SolveError, Solver};
use kostra_testkit::matrix::{ExactAnswer, ORDERS, solvers_here};
use kostra_testkit::strategies::graphs;
use kostra_testkit::suite::{self, SuiteCase};
use proptest::prelude::*;

/// The phases that follow the last round of a solve.
const AFTER_ROUNDS: [&str; 3] = ["end threads", "free memory", "list the forest"];

/// An observer that checks all reports, and cancels after `patience` cancellation checks.
#[derive(Default)]
struct CheckingObserver {
    open: Vec<&'static str>,
    rounds: u32,
    rounds_are_over: bool,
    faults: Vec<String>,
    patience: Option<u32>,
    checks: std::cell::Cell<u32>,
}

impl Observer for CheckingObserver {
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
            self.faults
                .push(format!("round {} is reported as number {}", round.index, self.rounds));
        }
        if self.rounds_are_over {
            self.faults
                .push(format!("round {} is reported after the end of the rounds", round.index));
        }
        self.rounds += 1;
    }

    fn rounds_finished(&mut self) {
        self.rounds_are_over = true;
        if !self.open.is_empty() {
            self.faults.push(format!("the rounds end inside phases {:?}", self.open));
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
        self.checks.set(self.checks.get() + 1);
        self.patience.is_some_and(|patience| self.checks.get() > patience)
    }
}

/// Solves a case with an observer.
fn watch(solver: &dyn Solver, case: &SuiteCase, order: Order, threads: usize) {
    let mut observer = CheckingObserver::default();
    let run = &mut Run::new().on_threads(threads).observed_by(&mut observer);
    let forest = solver.solve(&case.graph, order, run).map(|solution| solution.forest.into_ids());
    let about =
        format!("{} on {} in {order:?} with {threads} threads", solver.info().id, case.name);
    assert_eq!(forest.as_ref(), Ok(&case.answer(order).forest), "{about}");
    assert!(observer.faults.is_empty(), "{about}: {:?}", observer.faults);
    assert!(observer.open.is_empty(), "{about}: phases {:?} never end", observer.open);
    assert!(observer.rounds_are_over, "{about}: the rounds never end");
}

#[test]
fn an_observer_does_not_change_the_forest_and_gets_consistent_reports() {
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
    fn a_cancelled_solver_returns_no_forest_or_the_right_forest(
        graph in graphs(30, 80),
        patience in 0..4_u32,
    ) {
        let right = ExactAnswer::by_definition(&graph, Order::Minimum).forest;
        for solver in solvers_here().filter(|solver| solver.info().exact) {
            let mut observer =
                CheckingObserver { patience: Some(patience), ..CheckingObserver::default() };
            let run = &mut Run::new().observed_by(&mut observer);
            let solution = solver.solve(&graph, Order::Minimum, run);
            let forest = solution.map(|solution| solution.forest.into_ids());
            if observer.checks.get() > patience {
                prop_assert_eq!(forest, Err(SolveError::Cancelled), "{}", solver.info().id);
            } else {
                prop_assert_eq!(forest.as_ref(), Ok(&right), "{}", solver.info().id);
            }
            // The remains of a cancelled solve, such as incomplete CSR rows, do not affect the next
            // solve.
            let again = solver.solve(&graph, Order::Minimum, &mut Run::new());
            prop_assert_eq!(again.map(|solution| solution.forest.into_ids()), Ok(right.clone()), "{}", solver.info().id);
        }
    }
}
