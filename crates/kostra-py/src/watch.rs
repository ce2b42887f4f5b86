//! Ctrl-C while the engine works: Python is asked for signals now and then, and the solver stops at the next step.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use kostra::Observer;
use pyo3::prelude::*;

/// How often Python is asked. It has to be entered for that, which other Python threads may delay.
const EVERY: Duration = Duration::from_millis(20);

/// Stops a solver when Python has a signal whose handler raises, as that of Ctrl-C does.
pub(crate) struct Signals {
    asked: Cell<Instant>,
    raised: RefCell<Option<PyErr>>,
}

impl Signals {
    pub(crate) fn new() -> Self {
        Self { asked: Cell::new(Instant::now()), raised: RefCell::new(None) }
    }

    /// What the handler raised, if it did.
    pub(crate) fn into_raised(self) -> Option<PyErr> {
        self.raised.into_inner()
    }
}

impl Observer for Signals {
    fn cancelled(&self) -> bool {
        if self.asked.get().elapsed() < EVERY {
            return false;
        }
        let raised = Python::attach(|py| py.check_signals().err());
        self.asked.set(Instant::now());
        let stop = raised.is_some();
        *self.raised.borrow_mut() = raised;
        stop
    }
}
