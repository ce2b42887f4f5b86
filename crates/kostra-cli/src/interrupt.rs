//! Ctrl-C: the process ends at once, and leaves no unfinished file behind.
//!
//! An unfinished file may have a temporary name, which a process that just ends leaves behind. So a
//! thread waits for the signals, and removes such names before it says so and ends the process. A
//! second signal that comes after the removal ends the process at once.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The exit code of a process that a signal has ended. Shells use it for Ctrl-C; here it stands for
/// every handled signal.
const EXIT_CODE: i32 = 130;

/// Set once temporary names are removed: the next signal ends the process at once.
static ENDING: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Makes Ctrl-C, and a request to terminate, end the process in order; and a limit on the size of
/// files an error of writing.
///
/// Without a handler the system's own ends the process just as well, if less tidily: so failures
/// are no errors.
#[cfg(unix)]
pub(crate) fn install() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::{flag, iterator::Signals};
    // With any handler in place, a write beyond the limit fails instead of ending the process.
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    let mut signals = vec![SIGINT, SIGTERM];
    if !hangups_are_ignored() {
        signals.push(SIGHUP);
    }
    let (hand_over, receive) = std::sync::mpsc::channel::<Signals>();
    let wait = move || {
        if receive.recv().is_ok_and(|mut signals| signals.forever().next().is_some()) {
            end();
        }
    };
    // The thread comes first: handlers that no thread listens to would swallow the signals.
    if std::thread::Builder::new().name("signals".to_owned()).spawn(wait).is_err() {
        return;
    }
    // The first handlers are those that tell the thread, so that no signal falls between the two
    // kinds.
    let Ok(listening) = Signals::new(&signals) else { return };
    let ending = ENDING.get_or_init(Arc::default);
    for signal in signals {
        let _ = flag::register_conditional_shutdown(signal, EXIT_CODE, Arc::clone(ending));
    }
    let _ = hand_over.send(listening);
}

/// The same where there are no signals.
#[cfg(not(unix))]
pub(crate) fn install() {
    let _ = ctrlc::set_handler(end);
}

fn end() {
    kostra::io::abandon_unfinished();
    // What follows may wait for a terminal that has stopped.
    if let Some(ending) = ENDING.get() {
        ending.store(true, Ordering::Relaxed);
    }
    let mut stderr = io::stderr();
    let clear = if stderr.is_terminal() { "\r\x1b[K" } else { "" };
    let _ = writeln!(stderr, "{clear}kostra: interrupted");
    std::process::exit(EXIT_CODE);
}

/// Whether whoever started the process wants it to outlive its terminal, as `nohup` does. A handler
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
