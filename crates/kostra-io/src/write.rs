//! Graphs as files: the counterpart of [`read`](crate::read()).

use std::io;

use crate::WriteError;
use crate::formats;
use crate::interface::{Format, Outgoing, Writer};
use crate::output::{Output, write_atomically};

/// Writes a graph in a format, as [`write_atomically`] writes bytes.
///
/// # Errors
/// When Kostra does not write the format, or the format cannot hold the graph; both are found
/// before the output is touched. When the output cannot be written, or the file that the graph
/// borrows from has changed.
pub fn write_graph(
    output: &Output,
    format: Format,
    outgoing: Outgoing<'_>,
) -> Result<(), WriteError> {
    let unrepresentable =
        |reason| WriteError::Unrepresentable { output: output.to_string(), reason };
    let write = writer(format, outgoing).map_err(unrepresentable)?;
    write_atomically(output, |to| {
        write(to)?;
        outgoing.mapped.map_or(Ok(()), |file| file.check().map_err(io::Error::other))
    })
}

/// Returns a graph as the bytes of a file.
///
/// # Errors
/// When Kostra does not write the format, or the format cannot hold the graph.
pub fn write_bytes(format: Format, outgoing: Outgoing<'_>) -> Result<Vec<u8>, WriteError> {
    let output = || "memory".to_owned();
    let writer = writer(format, outgoing)
        .map_err(|reason| WriteError::Unrepresentable { output: output(), reason })?;
    let mut bytes = Vec::new();
    writer(&mut bytes).map_err(|cause| WriteError::Io { output: output(), cause })?;
    Ok(bytes)
}

/// The writer of a graph, or one sentence that says why there is none.
fn writer(format: Format, outgoing: Outgoing<'_>) -> Result<Writer<'_>, String> {
    match format.info().write {
        Some(write) => write(outgoing),
        None => Err(format!(
            "Kostra reads {format}, but does not write it; write one of {}",
            formats::ids(Format::is_writable)
        )),
    }
}
