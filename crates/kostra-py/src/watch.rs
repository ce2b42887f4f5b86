//! Ctrl-C while the engine works: the engine runs on another thread, and this one asks Python for
//! signals every 20 ms.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use kostra::Observer;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

/// How often Python is asked. It has to be entered for that, which other Python threads may delay.
const EVERY: Duration = Duration::from_millis(20);

/// Stops a solver at its next step, once it is said.
#[derive(Clone, Default)]
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    pub(crate) fn say(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Observer for Stop {
    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Runs `work` on another thread while this one waits for signals. If a signal handler raises, this
/// function returns its exception; the thread goes on to the end of `work`, unless the caller stops
/// it, and its result is dropped. Where the system refuses a thread, `work` runs on this one, and
/// signals wait until it is done.
pub(crate) fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = mpsc::channel();
    let work = Arc::new(Mutex::new(Some(work)));
    let take = |work: &Mutex<Option<_>>| work.lock().ok().and_then(|mut work| work.take());
    let shared = Arc::clone(&work);
    let thread = thread::Builder::new().name("kostra".to_owned()).spawn(move || {
        if let Some(work) = take(&shared) {
            let _ = sender.send(work()); // nobody listens after an interrupt
        }
    });
    if let Some(work) = thread.is_err().then(|| take(&work)).flatten() {
        return Ok(py.detach(work));
    }
    // A mutex allows sharing it with the closure that runs without the interpreter.
    let receiver = Mutex::new(receiver);
    loop {
        let received = py.detach(|| match receiver.lock() {
            Ok(receiver) => receiver.recv_timeout(EVERY),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        });
        match received {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyMemoryError::new_err(
                    "the work was given up; most likely there is too little memory",
                ));
            }
        }
    }
}
