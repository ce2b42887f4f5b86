//! The run of a solver: threads, options, scratch memory, and the observer that serves progress
//! bars, traces, benchmark tables and cancellation.

use std::time::Duration;

use crate::clock::Instant;
use crate::{EdgeId, OptionError, SolveError, SolverInfo, SolverOption, VertexParts, Workspace};

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
    /// `kruskal`, `boruvka`, `prim-binary` and `prim-pairing`, in the order of their decisions; by
    /// no other solver. Each edge is reported at most once. `kruskal` stops when one component is
    /// left.
    fn edge(&mut self, _edge: EdgeId, _kept: bool) {}
    /// Whether the solver should stop. Called at every round and every report of progress. Between
    /// two calls a solver may sort or scan all edges once.
    fn cancelled(&self) -> bool {
        false
    }
}

/// The times of a device for other work than solving.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceTimes {
    /// The time to compile kernels that are not compiled yet, and to load them.
    pub compile: Duration,
    /// The time to allocate memory on the device and to copy the graph to it.
    pub upload: Duration,
    /// The time to copy the answer from the device.
    pub download: Duration,
}

/// The parameters of one solve: observer, number of threads, options and scratch memory. Without an
/// observer, a report costs one branch.
#[derive(Default)]
pub struct Run<'a> {
    observer: Option<&'a mut dyn Observer>,
    /// Whether the observer wants to know the solver's decisions on edges.
    reports_edges: bool,
    threads: Option<usize>,
    /// Empty if the caller names none.
    devices: Vec<usize>,
    device_times: DeviceTimes,
    settings: Vec<(&'static str, u64)>,
    parts: Option<VertexParts<'a>>,
    workspace: Option<&'a mut Workspace>,
    rounds: u32,
    /// Whether another solver runs as a step of this run. Its rounds are not reported.
    is_step: bool,
}

impl<'a> Run<'a> {
    /// A run without an observer, on one thread.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the observer.
    pub fn observed_by(mut self, observer: &'a mut dyn Observer) -> Self {
        self.reports_edges = observer.wants_edges();
        self.observer = Some(observer);
        self
    }

    /// Sets the number of threads, at least 1.
    pub fn on_threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads.max(1));
        self
    }

    /// The number of threads that a solver may use.
    pub fn threads(&self) -> usize {
        self.threads.unwrap_or(1)
    }

    /// Runs `step` with another number of threads, for example with the threads of other ranks.
    pub fn with_threads<T>(&mut self, threads: usize, step: impl FnOnce(&mut Self) -> T) -> T {
        let own = self.threads.replace(threads.max(1));
        let result = step(self);
        self.threads = own;
        result
    }

    /// Sets the device, counted from 0, for solvers that run on a device.
    pub fn on_device(self, ordinal: usize) -> Self {
        self.on_devices(&[ordinal])
    }

    /// Sets the devices, counted from 0, for solvers that run on
    /// [several devices](crate::Solver::uses_devices). Other solvers for devices refuse a run with
    /// more than one.
    pub fn on_devices(mut self, ordinals: &[usize]) -> Self {
        ordinals.clone_into(&mut self.devices);
        self
    }

    /// The device for solvers that run on one device; 0 by default.
    pub fn device(&self) -> usize {
        self.devices.first().copied().unwrap_or_default()
    }

    /// The device that the caller has named. For solvers that run on a device only if they are told
    /// to.
    pub fn chosen_device(&self) -> Option<usize> {
        self.devices.first().copied()
    }

    /// The devices for solvers that run on several, in the caller's order; device 0 by default.
    pub fn devices(&self) -> &[usize] {
        if self.devices.is_empty() { &[0] } else { &self.devices }
    }

    /// Sets an option of a solver.
    ///
    /// # Errors
    /// When the solver has no such option, or the value is out of its range.
    pub fn with_option(
        mut self,
        solver: &SolverInfo,
        name: &str,
        value: u64,
    ) -> Result<Self, OptionError> {
        let Some(option) = solver.options.iter().find(|option| option.name == name) else {
            let names: Vec<_> = solver.options.iter().map(|option| option.name).collect();
            let known = if names.is_empty() {
                "it has none".to_owned()
            } else {
                format!("there are: {}", names.join(", "))
            };
            return Err(OptionError::Unknown { solver: solver.id, name: name.to_owned(), known });
        };
        if !(option.lowest..=option.highest).contains(&value) {
            return Err(OptionError::OutOfRange { option: *option, value });
        }
        self.settings.retain(|(set, _)| *set != option.name);
        self.settings.push((option.name, value));
        Ok(self)
    }

    /// The value of an option, or its default.
    pub fn option(&self, option: &SolverOption) -> u64 {
        self.chosen_option(option).unwrap_or(option.default)
    }

    /// The value that the caller has set for an option. For options whose default depends on the
    /// graph.
    pub fn chosen_option(&self, option: &SolverOption) -> Option<u64> {
        self.settings.iter().find(|(name, _)| *name == option.name).map(|(_, value)| *value)
    }

    /// Sets the part of each vertex, for a solver that
    /// [uses a partition](crate::Solver::uses_partition).
    pub fn on_parts(mut self, parts: VertexParts<'a>) -> Self {
        self.parts = Some(parts);
        self
    }

    /// The part of each vertex, if the caller has set a partition.
    pub fn parts(&self) -> Option<VertexParts<'a>> {
        self.parts
    }

    /// Sets a workspace, whose memory is kept between solves.
    pub fn in_workspace(mut self, workspace: &'a mut Workspace) -> Self {
        self.workspace = Some(workspace);
        self
    }

    /// Takes the workspace out of the run; a new one if none was set.
    pub fn take_workspace(&mut self) -> Scratch<'a> {
        match self.workspace.take() {
            Some(workspace) => Scratch::Borrowed(workspace),
            None => Scratch::Own(Workspace::default()),
        }
    }

    /// Runs a step of the solver as a named phase.
    pub fn phase<T>(&mut self, name: &'static str, step: impl FnOnce(&mut Self) -> T) -> T {
        let Some(observer) = &mut self.observer else { return step(self) };
        observer.phase_started(name);
        let start = Instant::now();
        let result = step(self);
        let elapsed = start.elapsed();
        if let Some(observer) = &mut self.observer {
            observer.phase_finished(name, elapsed);
        }
        result
    }

    /// Runs another solver as a named phase of this one. Its phases are reported inside the phase.
    /// Its rounds are not reported, because they are not rounds of this solver.
    pub fn solver_phase<T>(&mut self, name: &'static str, solve: impl FnOnce(&mut Self) -> T) -> T {
        self.phase(name, |run| {
            let was_step = std::mem::replace(&mut run.is_step, true);
            let result = solve(run);
            run.is_step = was_step;
            result
        })
    }

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

    /// Runs the phase "compile", which compiles and loads kernels. [`Solution`](crate::Solution)
    /// reports its time separately.
    pub fn compile<T>(&mut self, step: impl FnOnce(&mut Self) -> T) -> T {
        let (result, elapsed) = self.timed_phase("compile", step);
        self.device_times.compile += elapsed;
        result
    }

    /// Runs the phase "upload", which allocates memory on the device and copies data to it. Its
    /// time is reported separately. The copies must be complete when `step` returns.
    pub fn upload<T>(&mut self, step: impl FnOnce(&mut Self) -> T) -> T {
        let (result, elapsed) = self.timed_phase("upload", step);
        self.device_times.upload += elapsed;
        result
    }

    /// Runs the phase "download", which copies data from the device. Its time is reported
    /// separately. The caller must wait for the device first. Finishes the rounds.
    pub fn download<T>(&mut self, step: impl FnOnce(&mut Self) -> T) -> T {
        self.finish_rounds();
        let (result, elapsed) = self.timed_phase("download", step);
        self.device_times.download += elapsed;
        result
    }

    fn timed_phase<T>(
        &mut self,
        name: &'static str,
        step: impl FnOnce(&mut Self) -> T,
    ) -> (T, Duration) {
        let start = Instant::now();
        let result = self.phase(name, step);
        (result, start.elapsed())
    }

    /// The times of the device since the last call.
    pub fn take_device_times(&mut self) -> DeviceTimes {
        std::mem::take(&mut self.device_times)
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
        self.reports_edges && !self.is_step
    }

    /// Reports that an edge is kept in the forest or excluded from it.
    #[inline]
    pub fn edge(&mut self, edge: EdgeId, kept: bool) {
        if self.reports_edges {
            self.report_edge(edge, kept);
        }
    }

    #[cold]
    fn report_edge(&mut self, edge: EdgeId, kept: bool) {
        if let Some(observer) = self.observer.as_mut().filter(|_| !self.is_step) {
            observer.edge(edge, kept);
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

/// The workspace of one solve: the caller's or its own.
pub enum Scratch<'a> {
    /// The caller's workspace, which is kept for the next solve.
    Borrowed(&'a mut Workspace),
    /// A workspace for this solve only.
    Own(Workspace),
}

impl std::ops::Deref for Scratch<'_> {
    type Target = Workspace;

    fn deref(&self) -> &Workspace {
        match self {
            Self::Borrowed(workspace) => workspace,
            Self::Own(workspace) => workspace,
        }
    }
}

impl std::ops::DerefMut for Scratch<'_> {
    fn deref_mut(&mut self) -> &mut Workspace {
        match self {
            Self::Borrowed(workspace) => workspace,
            Self::Own(workspace) => workspace,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Log {
        lines: Vec<String>,
        enough: bool,
    }

    impl Observer for Log {
        fn phase_started(&mut self, name: &'static str) {
            self.lines.push(format!("+{name}"));
        }
        fn phase_finished(&mut self, name: &'static str, _: Duration) {
            self.lines.push(format!("-{name}"));
        }
        fn round(&mut self, round: Round) {
            self.lines.push(format!("{} {} {}", round.index, round.components, round.edges));
        }
        fn rounds_finished(&mut self) {
            self.lines.push("no more rounds".to_owned());
        }
        fn counter(&mut self, name: &'static str, value: f64) {
            self.lines.push(format!("{name}={value}"));
        }
        fn threads_refused(&mut self, refused: usize, wanted: usize) {
            self.lines.push(format!("{refused} of {wanted} refused"));
        }
        fn cancelled(&self) -> bool {
            self.enough
        }
    }

    #[test]
    fn the_observer_sees_everything_in_order() {
        let mut log = Log::default();
        let mut run = Run::new().observed_by(&mut log).on_threads(0);
        assert_eq!(run.threads(), 1);
        let answer = run.phase("sort", |run| {
            run.counter("light", 3.0);
            run.threads_refused(0, 4);
            run.threads_refused(2, 4);
            run.phase_took("scan", Duration::ZERO);
            run.round(5, 7).and_then(|()| run.round(2, 1)).map(|()| 42)
        });
        run.finish_rounds();
        assert!(run.is_observed() && !Run::new().is_observed());
        assert_eq!(answer, Ok(42));
        let expected = [
            "+sort",
            "light=3",
            "2 of 4 refused",
            "+scan",
            "-scan",
            "0 5 7",
            "1 2 1",
            "-sort",
            "no more rounds",
        ];
        assert_eq!(log.lines, expected);
    }

    #[test]
    fn a_download_is_in_no_round() {
        let mut log = Log::default();
        let mut run = Run::new().observed_by(&mut log);
        run.round(5, 7).unwrap();
        run.download(|_| ());
        assert_eq!(log.lines, ["0 5 7", "no more rounds", "+download", "-download"]);
    }

    #[test]
    fn a_solver_inside_a_phase_reports_phases_and_no_rounds() {
        let mut log = Log::default();
        let mut run = Run::new().observed_by(&mut log);
        run.solver_phase("last stage", |run| {
            run.round(5, 7).unwrap();
            run.phase("sort", |_| ());
            run.finish_rounds();
        });
        run.round(3, 2).unwrap();
        assert_eq!(log.lines, ["+last stage", "+sort", "-sort", "-last stage", "0 3 2"]);
        let mut log = Log { enough: true, ..Log::default() };
        let mut run = Run::new().observed_by(&mut log);
        let result = run.solver_phase("last stage", |run| run.round(5, 7));
        assert_eq!(result, Err(SolveError::Cancelled));
    }

    #[test]
    fn a_run_has_device_0_unless_the_caller_names_others() {
        assert_eq!((Run::new().device(), Run::new().devices()), (0, &[0][..]));
        assert_eq!(
            (Run::new().chosen_device(), Run::new().on_device(3).chosen_device()),
            (None, Some(3))
        );
        let run = Run::new().on_devices(&[2, 1]);
        assert_eq!((run.device(), run.devices()), (2, &[2, 1][..]));
        assert_eq!(run.on_device(3).devices(), [3]);
    }

    #[test]
    fn a_cancelled_run_says_so() {
        let mut log = Log { enough: true, ..Log::default() };
        let mut run = Run::new().observed_by(&mut log);
        assert_eq!(run.progress(1, 2), Err(SolveError::Cancelled));
        assert_eq!(run.round(1, 2), Err(SolveError::Cancelled));
        assert_eq!(Run::new().progress(1, 2), Ok(()));
    }
}
