//! The time that a search may take.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kostra_core::Run;

/// The number of checks from one look at the clock and the observer to the next.
const CHECKS: u32 = 64;

/// When a search ends. Threads share it.
#[derive(Debug)]
pub(super) struct Budget {
    end: Option<Instant>,
    is_over: AtomicBool,
}

impl Budget {
    pub(super) fn new(limit: Option<Duration>) -> Self {
        let end = limit.and_then(|limit| Instant::now().checked_add(limit));
        Self { end, is_over: AtomicBool::new(false) }
    }

    /// Whether the time is over, or the run was cancelled.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Ends the search.
    pub(super) fn stop(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// A check for the thread that has the run, which reports what is done of a number of rounds.
    pub(super) fn checks<'a>(
        &'a self,
        run: &'a mut Run<'_>,
        (done, of): (u32, u32),
    ) -> impl FnMut() -> bool + 'a {
        let mut own = self.own_checks();
        let mut calls = 0_u32;
        move || {
            calls += 1;
            if calls.is_multiple_of(CHECKS)
                && run.report.progress(done as usize, of as usize).is_err()
            {
                self.stop();
            }
            own()
        }
    }

    /// A check for any thread.
    pub(super) fn own_checks(&self) -> impl FnMut() -> bool + '_ {
        let mut calls = 0_u32;
        move || {
            calls += 1;
            if calls % CHECKS == 1 && self.end.is_some_and(|end| Instant::now() >= end) {
                self.stop();
            }
            self.is_over()
        }
    }
}
