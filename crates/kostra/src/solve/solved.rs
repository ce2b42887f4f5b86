//! What a solve returns.

use std::fmt;
use std::time::Duration;

use kostra_core::{SolveError, SolverInfo};

use crate::Forest;

/// A forest, and how it was found. The forest is a [`Forest`], or one without its graph.
#[derive(Clone, Debug)]
pub struct Solved<F = Forest> {
    /// The forest.
    pub forest: F,
    /// The solver that found it.
    pub solver: &'static SolverInfo,
    /// The number of threads of the solver. The system may refuse some of them.
    pub threads: usize,
    /// Why the processor's solver took over; none if the first solver found the forest.
    pub fallback: Option<Fallback>,
    /// The time to build the representation; zero if the graph already had it.
    pub build: Duration,
    /// The time to compile and load the device's kernels; zero for solvers on the processor.
    pub compile: Duration,
    /// The time to copy the graph to the device; zero for solvers on the processor.
    pub upload: Duration,
    /// The time to solve.
    pub solve: Duration,
    /// The time to copy the answer from the device; zero for solvers on the processor.
    pub download: Duration,
}

impl<F> Solved<F> {
    pub(super) fn map<G>(self, change: impl FnOnce(F) -> G) -> Solved<G> {
        let Self { forest, solver, threads, fallback, build, compile, upload, solve, download } =
            self;
        let forest = change(forest);
        Solved { forest, solver, threads, fallback, build, compile, upload, solve, download }
    }
}

/// The reason why the processor's solver took over. It is displayed as a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fallback {
    /// The solver that failed.
    pub solver: &'static SolverInfo,
    /// How it failed.
    pub error: SolveError,
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { solver, error } = self;
        write!(f, "{} failed ({error}); solved on the processor instead", solver.id)
    }
}
