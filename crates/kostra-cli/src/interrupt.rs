//! Ctrl-C ends the process at once and leaves no unfinished file behind.
//!
//! An unfinished file may have a temporary name. A thread waits for signals. It removes such files,
//! prints a message and ends the process. A second signal after the removal ends the process at
//! once. A search that has an answer at any time can take the first signal as a request to end; see
//! [`SoftInterrupt`].

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The exit code after any handled signal. Shells use the same code for Ctrl-C.
const EXIT_CODE: i32 = 130;

/// Becomes true when the temporary files are removed. The next signal then ends the process at
/// once.
static ENDING: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Whether a search wants the next signal.
static WANTED: AtomicBool = AtomicBool::new(false);
/// Whether the search got a signal.
static ASKED: AtomicBool = AtomicBool::new(false);

/// While it lives, the first signal does not end the process.
pub(crate) struct SoftInterrupt(());

impl SoftInterrupt {
    pub(crate) fn start() -> Self {
        WANTED.store(true, Ordering::Relaxed);
        Self(())
    }

    /// Whether there was a signal.
    pub(crate) fn is_asked(&self) -> bool {
        ASKED.load(Ordering::Relaxed)
    }
}

impl Drop for SoftInterrupt {
    fn drop(&mut self) {
        WANTED.store(false, Ordering::Relaxed);
    }
}

/// Installs handlers: Ctrl-C and requests to terminate clean up before the process ends, and a
/// limit on file sizes becomes a write error.
///
/// Failures are ignored, because without a handler the signal still ends the process.
#[cfg(unix)]
pub(crate) fn install() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::{flag, iterator::Signals};
    // With a handler, a write beyond the limit fails and does not end the process.
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    let mut signals = vec![SIGINT, SIGTERM];
    if !hangups_are_ignored() {
        signals.push(SIGHUP);
    }
    let (hand_over, receive) = std::sync::mpsc::channel::<Signals>();
    let wait = move || {
        if let Ok(mut signals) = receive.recv() {
            signals.forever().for_each(|_| on_signal());
        }
    };
    // The thread must exist before the handlers. Handlers without a thread would swallow signals.
    if std::thread::Builder::new().name("signals".to_owned()).spawn(wait).is_err() {
        return;
    }
    // The handlers that notify the thread are installed first, so that no signal is lost.
    let Ok(listening) = Signals::new(&signals) else { return };
    let ending = ENDING.get_or_init(Arc::default);
    for signal in signals {
        let _ = flag::register_conditional_shutdown(signal, EXIT_CODE, Arc::clone(ending));
    }
    let _ = hand_over.send(listening);
}

/// Installs a handler for Ctrl-C on systems without signals.
#[cfg(not(unix))]
pub(crate) fn install() {
    let _ = ctrlc::set_handler(on_signal);
}

fn on_signal() {
    if WANTED.swap(false, Ordering::Relaxed) {
        ASKED.store(true, Ordering::Relaxed);
    } else {
        end();
    }
}

fn end() -> ! {
    kostra_io::abandon_unfinished();
    // Printing can block if the terminal has stopped.
    if let Some(ending) = ENDING.get() {
        ending.store(true, Ordering::Relaxed);
    }
    let mut stderr = io::stderr();
    let clear = if stderr.is_terminal() { "\r\x1b[K" } else { "" };
    let _ = writeln!(stderr, "{clear}kostra: interrupted");
    std::process::exit(EXIT_CODE);
}

/// Whether the process was started so that it outlives its terminal, as `nohup` does. A handler
/// would undo that.
#[cfg(unix)]
fn hangups_are_ignored() -> bool {
    const HANGUP: u64 = 1; // the lowest bit is signal 1
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & HANGUP != 0)
}
