//! Reports of a solver: the observer that serves progress bars, traces, benchmark tables and
//! cancellation, and the reporter through which a solver reaches it.

use std::time::Duration;

use crate::{EdgeId, SolveError, Vertex};

/// The state of a solver at the start of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// The round, counted from 0.
    pub index: u32,
    /// The number of remaining components. Whether finished components count depends on the
    /// solver's source.
    pub components: u64,
    /// The number of remaining edges.
    pub edges: u64,
}

/// Receives the reports of a solver. The default methods do nothing.
pub trait Observer {
    /// A phase begins. Phases may nest.
    fn phase_started(&mut self, _name: &'static str) {}
    /// The innermost open phase ends.
    fn phase_finished(&mut self, _name: &'static str, _elapsed: Duration) {}
    /// A round begins, and the previous round ends.
    fn round(&mut self, _round: Round) {}
    /// The last round ends. Later work, such as ending threads and listing the forest, belongs to
    /// no round. Called at least once after the last round, also by solvers without rounds.
    fn rounds_finished(&mut self) {}
    /// The solver reports a figure of its own, such as one that its source document reports.
    fn counter(&mut self, _name: &'static str, _value: f64) {}
    /// Of the `wanted` threads of a step, `refused` threads did not start, because the system
    /// refused them. The solver continues with the others.
    fn threads_refused(&mut self, _refused: usize, _wanted: usize) {}
    /// The solver has finished `done` of `total` units of work, which may take different times.
    fn progress(&mut self, _done: u64, _total: u64) {}
    /// The solver failed, and another one starts from the beginning. Earlier reports, such as those
    /// of rounds, belong to the solver that failed.
    fn solver_failed(&mut self, _error: &SolveError) {}
    /// Whether [`edge`](Self::edge) is called. Asked once, before the solve.
    fn wants_edges(&self) -> bool {
        false
    }
    /// The solver adds an edge to the forest (`kept`) or excludes it for good. Reported by
    /// `kruskal`, `boruvka`, `prim-binary`, `prim-dense` and `prim-pairing`, in the order of their
    /// decisions; by no other solver. Each edge is reported at most once. `kruskal` stops when one
    /// component is left.
    fn edge(&mut self, _edge: EdgeId, _kept: bool) {}
    /// A tree starts to grow from this vertex. Reported by the solvers of Prim's algorithm that
    /// report edges.
    fn tree_started(&mut self, _vertex: Vertex) {}
    /// Whether the solver should stop. Called at every round and every report of progress. Between
    /// two calls a solver may sort or scan all edges once.
    fn cancelled(&self) -> bool {
        false
    }
}

/// Passes a solver's reports on to the observer, if there is one. Without an observer, a report
/// costs one branch.
#[derive(Default)]
pub struct Reporter<'a> {
    pub(crate) observer: Option<&'a mut dyn Observer>,
    /// Whether the observer wants to know the solver's decisions on edges.
    pub(crate) wants_edges: bool,
    rounds: u32,
    /// Whether another solver runs as a step of the run. Its rounds are not reported.
    pub(crate) is_step: bool,
}

impl Reporter<'_> {
    /// Whether the run has an observer. Costly measurements should depend on it.
    pub fn is_observed(&self) -> bool {
        self.observer.is_some()
    }

    /// Reports a finished phase whose time was taken by another clock, such as a device's.
    pub fn phase_took(&mut self, name: &'static str, elapsed: Duration) {
        if let Some(observer) = &mut self.observer {
            observer.phase_started(name);
            observer.phase_finished(name, elapsed);
        }
    }

    /// Reports a new round.
    ///
    /// # Errors
    /// [`SolveError::Cancelled`] when the observer cancels the run.
    pub fn round(&mut self, components: usize, edges: usize) -> Result<(), SolveError> {
        if self.is_step {
            return self.go_on();
        }
        let index = self.rounds;
        self.rounds += 1;
        let Some(observer) = &mut self.observer else { return Ok(()) };
        observer.round(Round { index, components: components as u64, edges: edges as u64 });
        self.go_on()
    }

    /// Reports that the last round is over.
    pub fn finish_rounds(&mut self) {
        if let Some(observer) = self.observer.as_mut().filter(|_| !self.is_step) {
            observer.rounds_finished();
        }
    }

    /// Whether [`edge`](Self::edge) reports anything. A loop that would look for decisions only to
    /// report them should ask first.
    pub fn reports_edges(&self) -> bool {
        self.wants_edges && !self.is_step
    }

    /// Reports that an edge is kept in the forest or excluded from it.
    #[inline]
    pub fn edge(&mut self, edge: EdgeId, kept: bool) {
        if self.wants_edges {
            self.report_edge(edge, kept);
        }
    }

    #[cold]
    fn report_edge(&mut self, edge: EdgeId, kept: bool) {
        if let Some(observer) = self.observer.as_mut().filter(|_| !self.is_step) {
            observer.edge(edge, kept);
        }
    }

    /// Reports the first vertex of a tree.
    pub fn start_tree(&mut self, vertex: Vertex) {
        if let (true, Some(observer)) = (self.reports_edges(), self.observer.as_mut()) {
            observer.tree_started(vertex);
        }
    }

    /// Reports a figure of the solver's own.
    pub fn counter(&mut self, name: &'static str, value: f64) {
        if let Some(observer) = &mut self.observer {
            observer.counter(name, value);
        }
    }

    /// Reports how many of the `wanted` threads the system refused, if any.
    pub fn threads_refused(&mut self, refused: usize, wanted: usize) {
        if let Some(observer) = self.observer.as_mut().filter(|_| refused > 0) {
            observer.threads_refused(refused, wanted);
        }
    }

    /// Reports steps done. Call it every few million steps at most.
    ///
    /// # Errors
    /// [`SolveError::Cancelled`] when the observer cancels the run.
    pub fn progress(&mut self, done: usize, total: usize) -> Result<(), SolveError> {
        let Some(observer) = &mut self.observer else { return Ok(()) };
        observer.progress(done as u64, total as u64);
        self.go_on()
    }

    fn go_on(&self) -> Result<(), SolveError> {
        match &self.observer {
            Some(observer) if observer.cancelled() => Err(SolveError::Cancelled),
            _ => Ok(()),
        }
    }
}
