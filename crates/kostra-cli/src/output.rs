//! Where results go: standard output, or a file that appears whole or not at all.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use kostra::io::{Format, Outgoing, Output, WriteError, write_atomically, write_graph};

use crate::interrupt::{self, Interruptible};

/// Prints to standard output. That nobody reads it any more is no error.
///
/// # Errors
/// When standard output cannot be written, as on a full disk.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    write_all(&mut io::stdout(), text).context("standard output")
}

/// Prints to standard error, where nobody needs to listen.
pub(crate) fn tell(text: &str) {
    let _ = write_all(&mut io::stderr(), text);
}

fn write_all(to: &mut impl Write, text: &str) -> io::Result<()> {
    unless_closed(to.write_all(text.as_bytes()).and_then(|()| to.flush()))
}

/// What came of writing; that nobody reads it any more is no error.
///
/// # Errors
/// All others.
pub(crate) fn unless_closed(result: io::Result<()>) -> io::Result<()> {
    result.or_else(|cause| if cause.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(cause) })
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
    let writable = || Format::ALL.into_iter().filter(|format| format.is_writable());
    let ids = || writable().map(Format::id).collect::<Vec<_>>().join(", ");
    let Output::Path(path) = output else {
        anyhow::bail!(
            "standard output has no extension to tell the format by; say --to with one of {}",
            ids()
        );
    };
    let extension = extension(path).unwrap_or_default();
    writable().find(|format| format.id() == extension).with_context(|| {
        let path = path.display();
        format!("{path}: no format is written to files of this extension; say --to with one of {}", ids())
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

/// Writes lines of text: to a file whole or not at all, also when Ctrl-C comes between.
///
/// # Errors
/// As [`write_atomically`].
pub(crate) fn write_lines(
    output: &Output,
    lines: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), WriteError> {
    shielded(output, || write_atomically(output, |to| lines(&mut Interruptible(to))))
}

/// Writes a graph: to a file whole or not at all, also when Ctrl-C comes between.
///
/// # Errors
/// As [`write_graph`].
pub(crate) fn write(output: &Output, format: Format, graph: Outgoing<'_>) -> Result<(), WriteError> {
    shielded(output, || write_graph(output, format, graph))
}

fn shielded(output: &Output, write: impl FnOnce() -> Result<(), WriteError>) -> Result<(), WriteError> {
    // A file under a temporary name wants shielding; a pipe may block for as long as its reader likes.
    let file = matches!(output, Output::Path(path) if path.metadata().map_or(true, |it| it.is_file()));
    let result = if file { interrupt::shielded(write) } else { write() };
    match result {
        Err(WriteError::Io { cause, .. }) if cause.kind() == io::ErrorKind::BrokenPipe => Ok(()),
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
        assert_eq!(format("a.mtx", None).unwrap(), Format::MatrixMarket);
        assert_eq!(format("a.mtx", Some(Format::Kst)).unwrap(), Format::Kst);
        assert!(format("a.txt", None).unwrap_err().to_string().contains("--to"));
        assert!(format("-", None).unwrap_err().to_string().contains("--to"));
        assert!(format("a.osm.pbf", None).is_err());
    }
}
