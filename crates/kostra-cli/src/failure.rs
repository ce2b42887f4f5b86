//! How errors are printed: one line with the error and its place, and sometimes a line with a hint.
//! The module `usage` prints errors in the arguments.

use std::any::Any;
use std::io::Write;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;

use kostra_io::{ReadError, ReadErrorKind};
use kostra_parallel::lock;

use crate::input::GENERATED;
use crate::remedy;

/// The exit code if the command line, the input or the output is at fault.
pub(crate) const EXIT_CODE: u8 = 2;

/// Prints an error and a hint.
pub(crate) fn explain(error: &anyhow::Error) {
    // No stream is left for an error about standard error.
    let _ = write!(std::io::stderr(), "{}", message(error));
}

fn message(error: &anyhow::Error) -> String {
    let mut lines = format!("kostra: {}\n", sentence(error));
    if let Some(hint) = hint(error) {
        lines += &format!("hint: {hint}\n");
    }
    without_control(&lines)
}

/// A text for a terminal, in which the words of a file must not move the cursor.
fn without_control(lines: &str) -> String {
    let escaped = |c: char| match c {
        '\n' | '\t' => c.to_string(),
        c if c.is_control() => c.escape_default().to_string(),
        c => c.to_string(),
    };
    lines.chars().map(escaped).collect()
}

/// An error and its causes in one line.
pub(crate) fn sentence(error: &anyhow::Error) -> String {
    let causes = error.chain().map(|cause| match cause.downcast_ref::<ReadError>() {
        Some(error) => error.spelled(remedy::spell),
        None => cause.to_string(),
    });
    without_error_number(&causes.collect::<Vec<_>>().join(": "))
}

/// Removes the number at the end of a system error, such as `(os error 2)`.
fn without_error_number(message: &str) -> String {
    let Some((before, rest)) = message.split_once(" (os error ") else { return message.to_owned() };
    let after = rest.split_once(')').map_or("", |(_, after)| after);
    format!("{before}{after}")
}

fn hint(error: &anyhow::Error) -> Option<String> {
    #[cfg(not(feature = "mpi"))]
    if error
        .downcast_ref::<kostra::UnknownSolver>()
        .is_some_and(|unknown| unknown.id().contains("mpi"))
    {
        return Some(
            "this build has no algorithms for MPI; `cargo build --release -p kostra-cli --features \
             mpi` builds them"
                .to_owned(),
        );
    }
    let ReadError { input, kind, .. } = error.downcast_ref::<ReadError>()?;
    match kind {
        ReadErrorKind::Io(cause) if cause.kind() == std::io::ErrorKind::NotFound => {
            let (name, _) = input.split_once(':').unwrap_or((input, ""));
            let known = kostra_gen::generators().iter().any(|generator| generator.id == name);
            known.then(|| format!("to solve a generated graph, write {GENERATED}{input}"))
        }
        // A reader reports NaN in one of several errors. All of them contain the word.
        kind => {
            let message = kind.message().spelled(remedy::spell);
            let is_nan = message.contains("weight") && message.contains("NaN");
            (is_nan && !message.contains("--nan"))
                .then(|| "`--nan skip` skips edges whose weight is NaN".to_owned())
        }
    }
}

/// Runs the program. A panic becomes an error that calls itself internal.
pub(crate) fn guard<T>(program: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    static PLACE: Mutex<String> = Mutex::new(String::new());
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        if cfg!(panic = "abort") {
            end(panic.payload(), &place);
        }
        *lock(&PLACE) = place;
    }));
    panic::catch_unwind(AssertUnwindSafe(program)).unwrap_or_else(|payload| {
        let place = lock(&PLACE);
        Err(internal(payload.as_ref(), &place))
    })
}

/// Ends a program that cannot unwind.
fn end(payload: &(dyn Any + Send), place: &str) -> ! {
    let damage = kostra_io::damage_behind_panic();
    explain(&damage.map_or_else(|| internal(payload, place), anyhow::Error::msg));
    std::process::exit(EXIT_CODE.into())
}

fn internal(payload: &(dyn Any + Send), place: &str) -> anyhow::Error {
    let message = panic_message(payload);
    anyhow::anyhow!("internal error, please report it: {message} (at {place})")
}

fn panic_message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_error_numbers_are_removed() {
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

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let message = message(&anyhow::anyhow!("the name \u{1b}[2J is\u{7} wrong"));
        assert_eq!(message, "kostra: the name \\u{1b}[2J is\\u{7} wrong\n");
    }
}
