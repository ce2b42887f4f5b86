//! Graphs as files: the counterpart of [`read`](crate::read()).

use std::io;

use crate::Replacement;
use crate::WriteError;
use crate::formats;
use crate::interface::{Format, Outgoing, StreamHeader, StreamWriter, TakeEdges, Writer};
use crate::output::{Output, write_atomically};
use crate::text_writer::TextWriter;

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

/// Whether [`write_stream`] writes this format to this output. `.kst` needs a file without
/// compression, because its header is written last.
pub fn is_streamed(output: &Output, format: Format) -> bool {
    match format.info().write_stream {
        None => false,
        Some(StreamWriter::Lines(_)) => true,
        Some(StreamWriter::File(_)) => output.is_plain_file(),
    }
}

/// Writes a graph that is not in memory, as [`write_atomically`] writes bytes. `generate` passes
/// all edges in order to the function that it receives. The output is the same as that of
/// [`write_graph`].
///
/// # Errors
/// When the format and the output are not [streamed](is_streamed). When `generate` fails, the
/// edges are not as many as announced, or the output cannot be written.
pub fn write_stream(
    output: &Output,
    format: Format,
    header: &StreamHeader,
    generate: impl FnOnce(TakeEdges<'_>) -> io::Result<()>,
) -> Result<(), WriteError> {
    match (&format.info().write_stream, output) {
        (Some(StreamWriter::Lines(text)), _) => write_atomically(output, |to| {
            let mut lines = TextWriter::new(to);
            (text.first)(&mut lines, header.vertices.into(), header.edges)?;
            generate(&mut |blocks| {
                blocks.iter().try_for_each(|block| (text.lines)(&mut lines, block))
            })?;
            lines.finish()
        }),
        (Some(StreamWriter::File(sink)), Output::Path(path)) if output.is_plain_file() => {
            let write = || {
                let mut replacement = Replacement::create(path)?;
                let mut sink = sink(replacement.file(), header)?;
                generate(&mut |blocks| blocks.iter().try_for_each(|block| sink.add(block)))?;
                sink.finish()?;
                replacement.commit()
            };
            write().map_err(|cause| WriteError::Io { output: output.to_string(), cause })
        }
        _ => Err(WriteError::Unrepresentable {
            output: output.to_string(),
            reason: format!("{format} needs the whole graph"),
        }),
    }
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
