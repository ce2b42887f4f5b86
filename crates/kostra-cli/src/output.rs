//! Where results go: to standard output, or to a file that appears whole or not at all.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use kostra_io::{
    Format, Outgoing, Output, StreamHeader, TakeEdges, WriteError, write_atomically, write_graph,
};

/// Prints to standard output. A reader that has closed its end of the pipe is no error.
///
/// # Errors
/// When standard output cannot be written, because the disk is full or the stream is closed.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    Ok(write_lines(&Output::Stdout, |to| to.write_all(text.as_bytes()))?)
}

/// Prints something that the user asked for, such as a report, to standard error. A reader that has
/// closed its end of the pipe is no error.
///
/// # Errors
/// When standard error cannot be written.
fn print_aside(text: &str) -> anyhow::Result<()> {
    Ok(write_lines(&Output::Stderr, |to| to.write_all(text.as_bytes()))?)
}

/// Prints a report to standard output, or to standard error if the forest goes to standard output.
///
/// # Errors
/// When the stream cannot be written.
pub(crate) fn report(text: &str, forest: Option<&Output>) -> anyhow::Result<()> {
    if forest.is_some_and(Output::is_stdout) { print_aside(text) } else { print(text) }
}

/// Prints a message to standard error and ignores failures.
pub(crate) fn tell(text: &str) {
    let _ = print_aside(text);
}

/// Prints warnings to standard error and ignores failures.
pub(crate) fn warn(warnings: &[String]) {
    warnings.iter().for_each(|warning| tell(&format!("warning: {warning}\n")));
}

/// Prints a warning as [`warn`] does, and returns it, because reports list it as a note.
pub(crate) fn warned(warning: String) -> String {
    warn(std::slice::from_ref(&warning));
    warning
}

/// Runs a function that prints to standard output with the standard library, which ignores a closed
/// stream.
///
/// # Errors
/// As [`print`].
pub(crate) fn printing(print: impl FnOnce() -> io::Result<()>) -> anyhow::Result<()> {
    Output::Stdout.check()?;
    ignore_closed_pipe(print()).context("standard output")
}

/// Turns a closed pipe into success.
fn ignore_closed_pipe(result: io::Result<()>) -> io::Result<()> {
    result.or_else(
        |cause| if cause.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(cause) },
    )
}

/// The output that the user typed; `-` is standard output.
pub(crate) fn parse_path(path: &Path) -> Output {
    if path == Path::new("-") { Output::Stdout } else { Output::Path(path.to_path_buf()) }
}

/// Writes lines of text. A file appears whole or not at all. A reader of a standard stream may
/// close its end.
///
/// # Errors
/// As [`write_atomically`].
pub(crate) fn write_lines(
    output: &Output,
    lines: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), WriteError> {
    allow_early_end(output, write_atomically(output, lines))
}

/// Writes a graph. A file appears whole or not at all. A reader of a standard stream may close its
/// end.
///
/// # Errors
/// As [`write_graph`].
pub(crate) fn write(
    output: &Output,
    format: Format,
    graph: Outgoing<'_>,
) -> Result<(), WriteError> {
    allow_early_end(output, write_graph(output, format, graph))
}

/// Writes a graph that is not in memory. A file appears whole or not at all. A reader of a standard
/// stream may close its end.
///
/// # Errors
/// As [`kostra_io::write_stream`].
pub(crate) fn write_stream(
    output: &Output,
    format: Format,
    header: &StreamHeader,
    generate: impl FnOnce(TakeEdges<'_>) -> io::Result<()>,
) -> Result<(), WriteError> {
    allow_early_end(output, kostra_io::write_stream(output, format, header, generate))
}

/// Turns a closed pipe into success, for the standard streams only, because they may end in `head`.
/// A pipe that the user names must take everything.
pub(crate) fn allow_early_end(
    output: &Output,
    result: Result<(), WriteError>,
) -> Result<(), WriteError> {
    match result {
        Err(WriteError::Io { cause, .. })
            if cause.kind() == io::ErrorKind::BrokenPipe
                && (*output == Output::Stderr || output.is_stdout()) =>
        {
            Ok(())
        }
        result => result,
    }
}
