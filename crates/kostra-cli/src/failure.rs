//! What a user sees when something goes wrong: one line that says what and where, and sometimes a
//! line with a hint. Faults in the arguments are shown by clap, in several lines.

use std::any::Any;
use std::io::Write;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Mutex, PoisonError};

use kostra::io::{ReadError, ReadErrorKind};

use crate::input::GENERATED;
use crate::output;

/// The exit code when the command line, the input or the output is at fault.
pub(crate) const EXIT_CODE: u8 = 2;

/// Prints what the arguments should have been, or the help that they asked for.
pub(crate) fn show_usage(usage: &clap::Error) -> u8 {
    if usage.use_stderr() {
        let _ = usage.print(); // nothing is left to be done when standard error is closed
        return EXIT_CODE;
    }
    match output::printing(|| usage.print()) {
        Ok(()) => 0,
        Err(error) => {
            explain(&error);
            EXIT_CODE
        }
    }
}

/// Prints an error and what may help.
pub(crate) fn explain(error: &anyhow::Error) {
    // Nothing is left to be done when standard error is closed.
    let _ = write!(std::io::stderr(), "{}", message(error));
}

fn message(error: &anyhow::Error) -> String {
    let mut lines = format!("kostra: {}\n", sentence(error));
    if let Some(hint) = hint(error) {
        lines += &format!("hint: {hint}\n");
    }
    lines
}

/// An error and its causes in one line.
pub(crate) fn sentence(error: &anyhow::Error) -> String {
    without_error_number(&format!("{error:#}"))
}

/// The system's words end with a number that means nothing to a person: `(os error 2)`.
fn without_error_number(message: &str) -> String {
    let Some((before, rest)) = message.split_once(" (os error ") else { return message.to_owned() };
    let after = rest.split_once(')').map_or("", |(_, after)| after);
    format!("{before}{after}")
}

fn hint(error: &anyhow::Error) -> Option<String> {
    let ReadError { input, kind, .. } = error.downcast_ref::<ReadError>()?;
    match kind {
        ReadErrorKind::Io(cause) if cause.kind() == std::io::ErrorKind::NotFound => {
            let (name, _) = input.split_once(':').unwrap_or((input, ""));
            let known = kostra::generate::generators().iter().any(|generator| generator.id == name);
            known.then(|| format!("generated graphs are called {GENERATED}{input}"))
        }
        // Some formats find it while they parse, others when the graph is made; the words are the
        // same.
        kind => kind
            .to_string()
            .contains("(NaN)")
            .then(|| "--nan skip leaves such edges out".to_owned()),
    }
}

/// Runs the program. A panic becomes an error, which says that the fault is Kostra's.
pub(crate) fn guard<T>(program: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    static PLACE: Mutex<String> = Mutex::new(String::new());
    panic::set_hook(Box::new(|panic| {
        let mut place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
        *place = panic.location().map(ToString::to_string).unwrap_or_default();
    }));
    panic::catch_unwind(AssertUnwindSafe(program)).unwrap_or_else(|payload| {
        let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
        let words = words(payload.as_ref());
        Err(anyhow::anyhow!("a fault in Kostra itself, please report it: {words} (at {place})"))
    })
}

fn words(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no words")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_error_numbers_are_left_out() {
        assert_eq!(without_error_number("a.gr: No such file (os error 2)"), "a.gr: No such file");
        assert_eq!(without_error_number("a (os error 2): b"), "a: b");
        assert_eq!(without_error_number("plain"), "plain");
    }

    #[test]
    fn a_panic_becomes_an_error() {
        let error = guard(|| -> anyhow::Result<()> { panic!("the {} broke", "axle") }).unwrap_err();
        let message = message(&error);
        assert!(message.contains("report it: the axle broke (at "), "{message}");
        assert_eq!(message.lines().count(), 1);
    }
}
