//! What holds for the solvers on threads when somebody has had enough: they end soon, their threads
//! are gone, and nothing that they leave behind is in the way of the next solve.
//!
//! The one test here is alone in its process, so that whatever threads come and go are the
//! solvers'.

use std::cell::Cell;
use std::time::{Duration, Instant};

use kostra::generate::generate;
use kostra::{
    AnyGraph, Observer, Order, Platform, Round, Run, SolveError, Solver, Workspace, solvers,
};
use kostra_testkit::matrix::Answer;

/// How many reports, of whatever kind, a solver may still make when it was told to stop: to close
/// the phases that are open.
const LAST_WORDS: u32 = 8;

const THREADS: usize = 3;

/// Gives up at a certain question, and keeps account of what comes after that.
struct Quitter {
    patience: u32,
    questions: Cell<u32>,
    /// How many threads the process had at the last question.
    threads: Cell<Option<usize>>,
    reports_after: u32,
}

impl Quitter {
    fn at_question(patience: u32) -> Self {
        Self { patience, questions: 0.into(), threads: None.into(), reports_after: 0 }
    }

    fn note_report(&mut self) {
        self.reports_after += u32::from(self.questions.get() >= self.patience);
    }
}

impl Observer for Quitter {
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
        self.questions.set(self.questions.get() + 1);
        self.threads.set(threads_of_this_process());
        self.questions.get() >= self.patience
    }
}

/// How many threads there are, where the system lists them.
fn threads_of_this_process() -> Option<usize> {
    Some(std::fs::read_dir("/proc/self/task").ok()?.count())
}

/// Waits until there are no more threads than so many: one that has done its work is listed a
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

/// Cancels a solver at every question that it asks, or at a choice of them if they are many.
fn cancel_everywhere(
    solver: &dyn Solver,
    graph: &AnyGraph,
    right: &Answer,
    workspace: &mut Workspace,
) {
    let before = threads_of_this_process();
    if before.is_none() {
        println!("no threads are counted: this system does not list them");
    }
    let mut solve = |patience: u32, about: &str| {
        let mut quitter = Quitter::at_question(patience);
        let run = Run::new().on_threads(THREADS).in_workspace(workspace);
        let solution = solver.solve(graph, Order::Minimum, &mut run.observed_by(&mut quitter));
        if let Some(before) = before {
            wait_for_threads(before, about);
            let during = quitter.threads.get().unwrap_or(before + 1);
            assert!(during > before, "{about}: no threads were started, so this shows nothing");
        }
        (solution.map(|solution| solution.forest.into_ids()), quitter)
    };
    let (forest, witness) = solve(u32::MAX, solver.info().id);
    assert_eq!(forest.as_ref(), Ok(&right.forest), "{}", solver.info().id);
    let questions = witness.questions.get();
    // Each of the first, and the last; of those between, fewer and fewer.
    let mut patience = 1;
    while patience <= questions {
        let about =
            format!("{} cancelled at question {patience} of about {questions}", solver.info().id);
        let (forest, quitter) = solve(patience, &about);
        // How many sweeps or strides there are is up to chance, by a few.
        if quitter.questions.get() < patience {
            assert_eq!(forest.as_ref(), Ok(&right.forest), "{about}");
        } else {
            assert_eq!(forest, Err(SolveError::Cancelled), "{about}");
            assert_eq!(quitter.questions.get(), patience, "{about}: it has asked again");
            let reports = quitter.reports_after;
            assert!(reports <= LAST_WORDS, "{about}: {reports} reports after that");
        }
        let (forest, _) = solve(u32::MAX, &about);
        assert_eq!(forest.as_ref(), Ok(&right.forest), "{about}: the next solve");
        let step = 1.max(patience / 6);
        patience =
            if patience < questions { (patience + step).min(questions) } else { questions + 1 };
    }
}

#[test]
fn a_solver_that_is_cancelled_ends_soon_and_leaves_no_threads_and_a_usable_workspace() {
    // Sparse and dense, so that `fast` goes either of its ways; many rounds; 64-bit weights beside
    // the others. In the shared workspace each solve finds what another one has left, of another
    // size and kind.
    let mut workspace = Workspace::new();
    for spec in [
        "gnm:n=60000,m=100000",
        "gnm:n=8000,m=100000,weights=i64",
        "grid:side=200,weights=small",
        "path:n=50000",
    ] {
        let graph = generate(spec).unwrap_or_else(|error| panic!("{spec}: {error}")).graph;
        let right = Answer::verified(&graph, Order::Minimum)
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
