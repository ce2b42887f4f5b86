//! Processors that do not sleep while something is timed.

use std::io;
use std::process::{Child, Command, Stdio};
use std::{env, hint, thread};

use crate::process;

/// The command by which this program is started again as the one that idles.
pub(crate) const COMMAND: &str = "stay-awake";

/// Keeps all processors that the process may use from sleeping, until it is dropped.
///
/// A processor that has nothing to do sleeps, and may take a millisecond to wake up, above all a virtual machine's, which
/// its host gives to others meanwhile: then it is the host that is timed. So on each processor a thread does nothing, in
/// the class that the system runs only where nobody else wants to run, and whoever wakes up takes its place at once.
/// Where there is no such class (other systems than Linux) processors sleep as they like.
///
/// The threads are another process's. If they were of this one, every piece of memory that a solver gives back would have to
/// be taken from the view of all processors that they run on, and the solver would wait for that.
pub(crate) struct Awake {
    idlers: Option<Child>,
}

impl Awake {
    pub(crate) fn keep() -> Self {
        let start = |program| Command::new(program).arg(COMMAND).stdin(Stdio::piped()).spawn();
        // Without them figures are worse, not wrong.
        Self { idlers: env::current_exe().and_then(start).ok() }
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        if let Some(mut idlers) = self.idlers.take() {
            let _ = idlers.wait(); // ends the input first; there is nothing to tell
        }
    }
}

/// What the process of the idlers does, until its input ends: also when the one that has started it is killed.
pub(crate) fn idle() -> io::Result<()> {
    for processor in process::allowed() {
        thread::spawn(move || {
            if process::pin(&[processor]).is_ok() && process::stand_back() {
                loop {
                    hint::spin_loop();
                }
            }
        });
    }
    io::copy(&mut io::stdin(), &mut io::sink()).map(drop)
}
