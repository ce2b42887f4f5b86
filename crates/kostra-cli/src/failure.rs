//! How errors are printed: one line with the error and its place, and sometimes a line with a hint.
//! Clap prints errors in the arguments, in several lines.

use std::any::Any;
use std::error::Error;
use std::io::Write;
use std::num::ParseIntError;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use kostra_io::{ReadError, ReadErrorKind};
use kostra_parallel::lock;

use crate::input::GENERATED;
use crate::{output, remedy};

/// The exit code if the command line, the input or the output is at fault.
pub(crate) const EXIT_CODE: u8 = 2;

/// Options that people look for, and how to get what they want without them.
const ABSENT: [(&[&str], &str); 4] = [
    (
        &["--include", "--force", "--require", "--must"],
        "to get a spanning tree with some edges for sure, give them lower weights than all others \
         (with --maximum: higher ones) in the input",
    ),
    (
        &["--exclude", "--forbid", "--without"],
        "to get a spanning tree without some edges, remove them from the input",
    ),
    (
        &["--terminals", "--terminal", "--steiner"],
        "a tree that joins only some vertices is a Steiner tree, which kostra does not find; its \
         trees join all vertices",
    ),
    (
        &["--root", "--start", "--start-vertex"],
        "the forest does not depend on a start vertex; in Python, Forest.parents(root=...) directs \
         its edges",
    ),
];

/// Prints an error in the arguments, or the help text that the user asked for. Returns the exit
/// code.
pub(crate) fn show_usage(mut usage: clap::Error) -> u8 {
    // Its own words are "invalid digit found in string".
    if usage.source().is_some_and(<dyn Error + 'static>::is::<ParseIntError>) {
        let tip = "pass a whole number, 0 or more".into();
        usage.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    usage = explained(usage);
    if usage.use_stderr() {
        let _ = usage.print(); // no stream is left for an error about standard error
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

/// Adds a tip to an error about an option that does not exist.
fn explained(mut usage: clap::Error) -> clap::Error {
    if let Some(ContextValue::String(name)) = usage.get(ContextKind::InvalidArg)
        && usage.kind() == ErrorKind::UnknownArgument
        && let Some((_, tip)) = ABSENT.iter().find(|(names, _)| names.contains(&&**name))
    {
        usage.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![(*tip).into()]));
    }
    usage
}

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
    fn options_that_people_look_for_have_a_way_out() {
        for (names, tip) in ABSENT {
            for name in names {
                let line = ["kostra", "solve", "a.gr", name];
                let definition = crate::commands::definition();
                let usage = definition.try_get_matches_from(line).unwrap_err();
                assert!(explained(usage).to_string().contains(&tip[..20]), "{name}");
            }
        }
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let message = message(&anyhow::anyhow!("the name \u{1b}[2J is\u{7} wrong"));
        assert_eq!(message, "kostra: the name \\u{1b}[2J is\\u{7} wrong\n");
    }
}
