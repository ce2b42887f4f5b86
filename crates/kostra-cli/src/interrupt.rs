//! Ctrl-C: the process ends at once, unless it is writing a file, which is never left half-written.
//!
//! A file is written under a temporary name, which a process that just ended would leave behind. So the writer holds
//! a lock while there is such a file, and looks now and then whether it should give up; the handler takes the lock
//! before it ends the process.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The exit code of a process that Ctrl-C ended, by the custom of shells.
const EXIT_CODE: i32 = 130;

static WRITING: Mutex<()> = Mutex::new(());
static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Makes Ctrl-C, and a request to terminate, end the process in order.
///
/// Without a handler the system's own ends the process just as well, if less tidily: so failures are no errors.
#[cfg(unix)]
pub(crate) fn install() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = vec![SIGINT, SIGTERM];
    if !hangups_are_ignored() {
        signals.push(SIGHUP);
    }
    if let Ok(mut signals) = signal_hook::iterator::Signals::new(signals) {
        let wait = move || {
            if signals.forever().next().is_some() {
                end();
            }
        };
        let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(wait);
    }
}

/// The same where there are no signals.
#[cfg(not(unix))]
pub(crate) fn install() {
    let _ = ctrlc::set_handler(end);
}

fn end() {
    REQUESTED.store(true, Ordering::Relaxed);
    #[cfg(feature = "mpi")]
    kostra_mpi::abandon_output();
    let _writing = writing();
    let mut stderr = io::stderr();
    let clear = if stderr.is_terminal() { "\r\x1b[K" } else { "" };
    let _ = writeln!(stderr, "{clear}kostra: interrupted");
    std::process::exit(EXIT_CODE);
}

/// Whether whoever started the process wants it to outlive its terminal, as `nohup` does. A handler would undo that.
#[cfg(unix)]
fn hangups_are_ignored() -> bool {
    const HANGUP: u64 = 1; // the lowest bit is signal 1
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & HANGUP != 0)
}

/// Does something that Ctrl-C must not cut short; the process ends right after it instead.
pub(crate) fn shielded<T>(work: impl FnOnce() -> T) -> T {
    let guard = writing();
    let result = work();
    drop(guard);
    while requested() {
        // The handler has what it waited for, and ends the process now.
        std::thread::park();
    }
    result
}

fn writing() -> MutexGuard<'static, ()> {
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// A writer that fails as soon as somebody wants the process to end.
pub(crate) struct Interruptible<W>(pub(crate) W);

impl<W: Write> Write for Interruptible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if requested() {
            // Not `ErrorKind::Interrupted`: that one asks the caller to try again.
            return Err(io::Error::other("interrupted"));
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
