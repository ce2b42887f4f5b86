//! Processors that do not sleep while something is timed.

use std::hint;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, JoinHandle};

use crate::process;

/// Keeps all processors that the process may use from sleeping, until it is dropped.
///
/// A processor that has nothing to do sleeps, and may take a millisecond to wake up, above all a virtual machine's, which
/// its host gives to others meanwhile: then it is the host that is timed. So on each processor a thread does nothing, in
/// the class that the system runs only where nobody else wants to run, and whoever wakes up takes its place at once.
/// Where there is no such class (other systems than Linux) processors sleep as they like.
pub(crate) struct Awake {
    is_over: Arc<AtomicBool>,
    idlers: Vec<JoinHandle<()>>,
}

impl Awake {
    pub(crate) fn keep() -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let idlers = process::allowed().into_iter().map(|processor| {
            let is_over = Arc::clone(&is_over);
            thread::spawn(move || {
                if process::pin(&[processor]).is_ok() && process::stand_back() {
                    while !is_over.load(Relaxed) {
                        hint::spin_loop();
                    }
                }
            })
        });
        Self { idlers: idlers.collect(), is_over }
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        self.is_over.store(true, Relaxed);
        for idler in self.idlers.drain(..) {
            let _ = idler.join(); // it has nothing to tell
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_an_idler_on_each_processor_until_it_is_over() {
        let awake = Awake::keep();
        assert_eq!(awake.idlers.len(), process::allowed().len());
        let is_over = Arc::downgrade(&awake.is_over);
        drop(awake);
        assert!(is_over.upgrade().is_none());
    }
}
