//! Ctrl-C during a long call: the engine runs on another thread, and the calling thread checks for
//! signals every 20 ms.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use kostra_core::Observer;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

/// The interval between two checks. A check must acquire the interpreter, which other Python
/// threads may delay.
const INTERVAL: Duration = Duration::from_millis(20);

/// A flag that cancels a solver at its next step.
#[derive(Clone, Default)]
pub(crate) struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    pub(crate) fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Observer for CancelFlag {
    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Runs `work` on another thread while this thread checks for signals. If a signal handler raises,
/// this function returns its exception. The other thread continues to the end of `work`, unless the
/// caller cancels it, and its result is dropped. If the system refuses a thread, `work` runs on
/// this thread, and signals wait until it is done.
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
            let _ = sender.send(work()); // an interrupted caller has dropped the receiver
        }
    });
    if let Some(work) = thread.is_err().then(|| take(&work)).flatten() {
        return Ok(py.detach(work));
    }
    // The mutex makes the receiver `Sync`, which the closure without the interpreter requires.
    let receiver = Mutex::new(receiver);
    loop {
        let received = py.detach(|| match receiver.lock() {
            Ok(receiver) => receiver.recv_timeout(INTERVAL),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        });
        match received {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyMemoryError::new_err(
                    "the call failed unexpectedly; the most likely reason is too little memory",
                ));
            }
        }
    }
}
