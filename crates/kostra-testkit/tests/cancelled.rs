//! Tests cancellation of the multithreaded solvers: a cancelled solve ends soon, its threads end,
//! and the next solve with the same workspace is correct.
//!
//! This file contains one test only. So the test has its own process, and all new threads in it
//! belong to the solvers.

use std::cell::Cell;
use std::time::{Duration, Instant};

use kostra::solvers;
use kostra_core::{AnyGraph, Observer, Order, Platform, Round, Run, SolveError, Solver, Workspace};
use kostra_gen::generate;
use kostra_testkit::matrix::ExactAnswer;

/// The number of reports that a cancelled solver may still make, to close its open phases.
const MOST_REPORTS_AFTER: u32 = 8;

const THREADS: usize = 3;

/// An observer that cancels at the cancellation check number `patience`, and counts later reports.
struct Canceller {
    patience: u32,
    checks: Cell<u32>,
    /// The number of threads of the process at the last check.
    threads: Cell<Option<usize>>,
    reports_after: u32,
}

impl Canceller {
    fn at_check(patience: u32) -> Self {
        Self { patience, checks: 0.into(), threads: None.into(), reports_after: 0 }
    }

    fn note_report(&mut self) {
        self.reports_after += u32::from(self.checks.get() >= self.patience);
    }
}

impl Observer for Canceller {
    fn phase_started(&mut self, _: &'static str) {
        self.note_report();
    }

    fn phase_finished(&mut self, _: &'static str, _: Duration) {
        self.note_report();
    }

    fn round(&mut self, _: Round) {
        self.note_report();
    }

    fn counter(&mut self, _: &'static str, _: f64) {
        self.note_report();
    }

    fn progress(&mut self, _: u64, _: u64) {
        self.note_report();
    }

    fn cancelled(&self) -> bool {
        self.checks.set(self.checks.get() + 1);
        self.threads.set(threads_of_this_process());
        self.checks.get() >= self.patience
    }
}

/// The number of threads of this process; none if the system does not list them.
fn threads_of_this_process() -> Option<usize> {
    Some(std::fs::read_dir("/proc/self/task").ok()?.count())
}

/// Waits until the process has at most `most` threads, because the system lists a finished thread a
/// little longer.
fn wait_for_threads(most: usize, about: &str) {
    let start = Instant::now();
    while let Some(threads) = threads_of_this_process().filter(|threads| *threads > most) {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "{about}: {threads} threads instead of {most}"
        );
        std::thread::sleep(Duration::from_micros(100));
    }
}

/// Cancels a solver at each of its cancellation checks, or at a selection if there are many.
fn cancel_everywhere(
    solver: &dyn Solver,
    graph: &AnyGraph,
    right: &ExactAnswer,
    workspace: &mut Workspace,
) {
    let before = threads_of_this_process();
    if before.is_none() {
        println!("threads are not counted, because this system does not list them");
    }
    let mut solve = |patience: u32, about: &str| {
        let mut canceller = Canceller::at_check(patience);
        let run = Run::new().on_threads(THREADS).in_workspace(workspace);
        let solution = solver.solve(graph, Order::Minimum, &mut run.observed_by(&mut canceller));
        if let Some(before) = before {
            wait_for_threads(before, about);
            let during = canceller.threads.get().unwrap_or(before + 1);
            assert!(during > before, "{about}: the solver started no threads");
        }
        (solution.map(|solution| solution.forest.into_ids()), canceller)
    };
    let (forest, observer) = solve(u32::MAX, solver.info().id);
    assert_eq!(forest.as_ref(), Ok(&right.forest), "{}", solver.info().id);
    let checks = observer.checks.get();
    // The first checks, the last check, and checks at growing distances between them.
    let mut patience = 1;
    while patience <= checks {
        let about = format!("{} cancelled at check {patience} of about {checks}", solver.info().id);
        let (forest, canceller) = solve(patience, &about);
        // The number of sweeps and strides varies slightly between runs.
        if canceller.checks.get() < patience {
            assert_eq!(forest.as_ref(), Ok(&right.forest), "{about}");
        } else {
            assert_eq!(forest, Err(SolveError::Cancelled), "{about}");
            assert_eq!(canceller.checks.get(), patience, "{about}: the solver checked again");
            let reports = canceller.reports_after;
            assert!(
                reports <= MOST_REPORTS_AFTER,
                "{about}: {reports} reports after the cancellation"
            );
        }
        let (forest, _) = solve(u32::MAX, &about);
        assert_eq!(forest.as_ref(), Ok(&right.forest), "{about}: the next solve");
        let step = 1.max(patience / 2);
        patience = if patience < checks { (patience + step).min(checks) } else { checks + 1 };
    }
}

#[test]
fn a_cancelled_solver_ends_soon_and_leaves_no_threads_and_a_usable_workspace() {
    // The graphs are sparse and dense, so that `fast` uses both of its methods. One has many
    // rounds, one has 64-bit weights. The solves share a workspace, so each finds buffers of
    // another solve with another size and type.
    let mut workspace = Workspace::new();
    for spec in [
        "gnm:n=20000,m=33000",
        "gnm:n=4000,m=50000,weights=i64",
        "grid:side=100,weights=small",
        "path:n=20000",
    ] {
        let graph = generate(spec).unwrap_or_else(|error| panic!("{spec}: {error}")).graph;
        let right = ExactAnswer::verified(&graph, Order::Minimum)
            .unwrap_or_else(|fault| panic!("{spec}: {fault}"));
        for solver in solvers()
            .filter(|solver| solver.info().platform == Platform::Threads && solver.info().exact)
        {
            let start = Instant::now();
            cancel_everywhere(solver, &graph, &right, &mut workspace);
            println!("{} on {spec}: {:.2} s", solver.info().id, start.elapsed().as_secs_f64());
        }
    }
}
