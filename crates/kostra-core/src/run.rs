//! The run of a solver: its phases, and the times of a device. What the solver may use is the
//! [`RunRequest`], and what it reports goes to the [`Reporter`].

use std::time::Duration;

use crate::clock::Instant;
use crate::{
    Observer, OptionError, OptionValue, Reporter, RunRequest, SolverInfo, VertexParts, Workspace,
};

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

/// The run of a solver: its request, its reports, and its phases with their times.
#[derive(Default)]
pub struct Run<'a> {
    /// What the solver may use.
    pub request: RunRequest<'a>,
    /// What receives the solver's reports.
    pub report: Reporter<'a>,
    device_times: DeviceTimes,
}

impl<'a> Run<'a> {
    /// A run without an observer, on one thread.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the observer.
    pub fn observed_by(mut self, observer: &'a mut dyn Observer) -> Self {
        self.report.wants_edges = observer.wants_edges();
        self.report.observer = Some(observer);
        self
    }

    /// Sets the number of threads, at least 1.
    pub fn on_threads(mut self, threads: usize) -> Self {
        self.request.threads = Some(threads.max(1));
        self
    }

    /// Runs `step` with another number of threads, for example with the threads of other ranks.
    pub fn with_threads<T>(&mut self, threads: usize, step: impl FnOnce(&mut Self) -> T) -> T {
        let own = self.request.threads.replace(threads.max(1));
        let result = step(self);
        self.request.threads = own;
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
        ordinals.clone_into(&mut self.request.devices);
        self
    }

    /// Sets an option of a solver.
    ///
    /// # Errors
    /// When the solver has no such option, or the option does not have the value.
    pub fn with_option(
        mut self,
        solver: &SolverInfo,
        name: &str,
        value: impl Into<OptionValue>,
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
        let value = option.number(value.into())?;
        self.request.settings.retain(|(set, _)| *set != option.name);
        self.request.settings.push((option.name, value));
        Ok(self)
    }

    /// Sets the part of each vertex, for a solver that
    /// [uses a partition](crate::Solver::uses_partition).
    pub fn on_parts(mut self, parts: VertexParts<'a>) -> Self {
        self.request.parts = Some(parts);
        self
    }

    /// Sets a workspace, whose memory is kept between solves.
    pub fn in_workspace(mut self, workspace: &'a mut Workspace) -> Self {
        self.request.workspace = Some(workspace);
        self
    }

    /// Runs a step of the solver as a named phase.
    pub fn phase<T>(&mut self, name: &'static str, step: impl FnOnce(&mut Self) -> T) -> T {
        let Some(observer) = &mut self.report.observer else { return step(self) };
        observer.phase_started(name);
        let start = Instant::now();
        let result = step(self);
        let elapsed = start.elapsed();
        if let Some(observer) = &mut self.report.observer {
            observer.phase_finished(name, elapsed);
        }
        result
    }

    /// Runs another solver as a named phase of this one. Its phases are reported inside the phase.
    /// Its rounds are not reported, because they are not rounds of this solver.
    pub fn solver_phase<T>(&mut self, name: &'static str, solve: impl FnOnce(&mut Self) -> T) -> T {
        self.phase(name, |run| {
            let was_step = std::mem::replace(&mut run.report.is_step, true);
            let result = solve(run);
            run.report.is_step = was_step;
            result
        })
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
        self.report.finish_rounds();
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Round, SolveError};

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
        assert_eq!(run.request.threads(), 1);
        let answer = run.phase("sort", |run| {
            run.report.counter("light", 3.0);
            run.report.threads_refused(0, 4);
            run.report.threads_refused(2, 4);
            run.report.phase_took("scan", Duration::ZERO);
            run.report.round(5, 7).and_then(|()| run.report.round(2, 1)).map(|()| 42)
        });
        run.report.finish_rounds();
        assert!(run.report.is_observed() && !Run::new().report.is_observed());
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
        run.report.round(5, 7).unwrap();
        run.download(|_| ());
        assert_eq!(log.lines, ["0 5 7", "no more rounds", "+download", "-download"]);
    }

    #[test]
    fn a_solver_inside_a_phase_reports_phases_and_no_rounds() {
        let mut log = Log::default();
        let mut run = Run::new().observed_by(&mut log);
        run.solver_phase("last stage", |run| {
            run.report.round(5, 7).unwrap();
            run.phase("sort", |_| ());
            run.report.finish_rounds();
        });
        run.report.round(3, 2).unwrap();
        assert_eq!(log.lines, ["+last stage", "+sort", "-sort", "-last stage", "0 3 2"]);
        let mut log = Log { enough: true, ..Log::default() };
        let mut run = Run::new().observed_by(&mut log);
        let result = run.solver_phase("last stage", |run| run.report.round(5, 7));
        assert_eq!(result, Err(SolveError::Cancelled));
    }

    #[test]
    fn a_run_has_device_0_unless_the_caller_names_others() {
        assert_eq!((Run::new().request.device(), Run::new().request.devices()), (0, &[0][..]));
        assert_eq!(
            (Run::new().request.chosen_device(), Run::new().on_device(3).request.chosen_device()),
            (None, Some(3))
        );
        let run = Run::new().on_devices(&[2, 1]);
        assert_eq!((run.request.device(), run.request.devices()), (2, &[2, 1][..]));
        assert_eq!(run.on_device(3).request.devices(), [3]);
    }

    #[test]
    fn a_cancelled_run_says_so() {
        let mut log = Log { enough: true, ..Log::default() };
        let mut run = Run::new().observed_by(&mut log);
        assert_eq!(run.report.progress(1, 2), Err(SolveError::Cancelled));
        assert_eq!(run.report.round(1, 2), Err(SolveError::Cancelled));
        assert_eq!(Run::new().report.progress(1, 2), Ok(()));
    }
}
