//! How often a solver reports to its observer: at the first step, then every 2^20 steps.

use kostra_core::{Run, SolveError};

/// Counts steps, so that a solver can report and be cancelled inside a long loop.
pub(super) struct Pace {
    until_report: u32,
}

impl Pace {
    const STRIDE: u32 = 1 << 20;

    pub(super) fn new() -> Self {
        Self { until_report: 1 }
    }

    /// Counts a step. Every 2^20 steps, reports that `done` of `total` is done.
    #[inline]
    pub(super) fn step(
        &mut self,
        run: &mut Run<'_>,
        done: u32,
        total: u32,
    ) -> Result<(), SolveError> {
        self.steps(1, run, done, total)
    }

    /// Counts several steps at once.
    #[inline]
    pub(super) fn steps(
        &mut self,
        steps: u32,
        run: &mut Run<'_>,
        done: u32,
        total: u32,
    ) -> Result<(), SolveError> {
        if self.until_report > steps {
            self.until_report -= steps;
            Ok(())
        } else {
            self.report(run, done, total)
        }
    }

    #[cold]
    fn report(&mut self, run: &mut Run<'_>, done: u32, total: u32) -> Result<(), SolveError> {
        self.until_report = Self::STRIDE;
        run.report.progress(done as usize, total as usize)
    }
}
