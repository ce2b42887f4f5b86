//! Where results go: standard output, or a file that appears whole or not at all.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use kostra::io::{FORMATS, Format, Outgoing, Output, WriteError, write_atomically, write_graph};

/// Prints to standard output. That nobody reads it any more is no error.
///
/// # Errors
/// When standard output cannot be written, as on a full disk or when it is closed.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    Ok(write_lines(&Output::Stdout, |to| to.write_all(text.as_bytes()))?)
}

/// Prints something to standard error that was asked for, such as a report. That nobody reads it is
/// no error.
///
/// # Errors
/// When standard error cannot be written.
pub(crate) fn print_aside(text: &str) -> anyhow::Result<()> {
    Ok(write_lines(&Output::Stderr, |to| to.write_all(text.as_bytes()))?)
}

/// Prints a report: to standard output, or to standard error where the forest itself goes to
/// standard output.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn report(text: &str, forest: Option<&Output>) -> anyhow::Result<()> {
    if forest.is_some_and(Output::is_stdout) { print_aside(text) } else { print(text) }
}

/// Prints to standard error, where nobody needs to listen.
pub(crate) fn tell(text: &str) {
    let _ = print_aside(text);
}

/// Lets something print to standard output by means of the standard library, which says nothing
/// when it is closed.
///
/// # Errors
/// As [`print`].
pub(crate) fn printing(print: impl FnOnce() -> io::Result<()>) -> anyhow::Result<()> {
    Output::Stdout.check()?;
    unless_gone(print()).context("standard output")
}

/// What came of writing; that nobody reads it any more is no error.
fn unless_gone(result: io::Result<()>) -> io::Result<()> {
    result.or_else(
        |cause| if cause.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(cause) },
    )
}

/// The output that a user means: `-` is standard output.
pub(crate) fn of_path(path: &Path) -> Output {
    if path == Path::new("-") { Output::Stdout } else { Output::Path(path.to_path_buf()) }
}

/// The format of a graph to be written: as asked, or else by the file's extension.
///
/// # Errors
/// When neither says.
pub(crate) fn format_of(output: &Output, asked: Option<Format>) -> anyhow::Result<Format> {
    if let Some(format) = asked {
        return Ok(format);
    }
    let writable = || FORMATS.iter().copied().filter(|format| format.is_writable());
    let ids = || writable().map(Format::id).collect::<Vec<_>>().join(", ");
    let Output::Path(path) = output else {
        anyhow::bail!(
            "standard output has no extension to tell the format by; say --to with one of {}",
            ids()
        );
    };
    let extension = extension(path).unwrap_or_default();
    writable().find(|format| format.info().extensions.contains(&&*extension)).with_context(|| {
        let path = path.display();
        format!(
            "{path}: no format is written to files of this extension; say --to with one of {}",
            ids()
        )
    })
}

/// A file's extension, one of compression aside, in lower case: `gr` of `roads.GR.gz`.
pub(crate) fn extension(path: &Path) -> Option<String> {
    let extension = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
    match extension(path)?.as_str() {
        "gz" | "zst" | "xz" | "bz2" => extension(Path::new(path.file_stem()?)),
        _ => extension(path),
    }
}

/// Writes lines of text: to a file whole or not at all. That nobody reads standard output any more
/// is no error.
///
/// # Errors
/// As [`write_atomically`].
pub(crate) fn write_lines(
    output: &Output,
    lines: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), WriteError> {
    unless_unread(output, write_atomically(output, lines))
}

/// Writes a graph: to a file whole or not at all. That nobody reads standard output any more is no
/// error.
///
/// # Errors
/// As [`write_graph`].
pub(crate) fn write(
    output: &Output,
    format: Format,
    graph: Outgoing<'_>,
) -> Result<(), WriteError> {
    unless_unread(output, write_graph(output, format, graph))
}

/// Pipes that the user names must take everything; the standard streams may end in `head`.
fn unless_unread(output: &Output, result: Result<(), WriteError>) -> Result<(), WriteError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_extension_is_found_below_that_of_a_compression() {
        let extension = |path| extension(Path::new(path));
        assert_eq!(extension("a/roads.GR.gz").as_deref(), Some("gr"));
        assert_eq!(extension("roads.kst").as_deref(), Some("kst"));
        assert_eq!(extension("roads.gz"), None);
        assert_eq!(extension("roads"), None);
    }

    #[test]
    fn a_format_that_nothing_tells_is_asked_for() {
        let format = |path: &str, asked| format_of(&of_path(Path::new(path)), asked);
        assert_eq!(format("a.mtx", None).unwrap(), Format::MATRIX_MARKET);
        assert_eq!(format("a.mtx", Some(Format::KST)).unwrap(), Format::KST);
        assert!(format("a.txt", None).unwrap_err().to_string().contains("--to"));
        assert!(format("-", None).unwrap_err().to_string().contains("--to"));
        assert!(format("a.osm.pbf", None).is_err());
    }
}
