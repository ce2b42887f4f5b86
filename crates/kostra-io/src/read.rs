//! Reading a graph: open, decompress, recognize, parse.

use std::io::{self, Read};

use crate::compression::Stream;
use crate::fault::Fault;
use crate::file_version::FileInUse;
use crate::formats::sheet;
use crate::head::Head;
use crate::interface::{Format, Loaded, ReadOptions};
use crate::message::{Remedy, message};
use crate::recognition::choose_format;
use crate::source::{self, Input, Progress, RawInput};
use crate::text_kinds::{Recognized, with_article};
use crate::{ReadError, ReadErrorKind, text_fold};

/// Reads a graph.
///
/// `progress` is called after every read of up to a few hundred kilobytes, possibly from another
/// thread. A `.kst` file that is mapped into memory reports its first bytes only.
///
/// DIMACS, edge lists and Matrix Market are read in one pass. Besides the graph they need a few
/// blocks of 256 KiB per thread, and edge lists with names also the table of names. METIS, ECL and
/// GAP files store rows. Except for regular ECL and GAP files, rows are kept until all edges are
/// known; the modules of these formats state the memory. An OpenStreetMap file is read twice or
/// kept in memory.
///
/// # Errors
/// When the input cannot be opened or read, is in no known format, or breaks the rules of its
/// format. When the graph does not fit into 32-bit ids or the memory of this machine. When the file
/// changes while it is read.
pub fn read(
    input: &Input,
    options: &ReadOptions,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Loaded, ReadError> {
    source::read(input, progress, |source| load(source, &input.to_string(), options))
}

/// Reads a graph from memory, as [`read`] does from the file `name`; errors name it.
///
/// # Errors
/// As [`read`].
pub fn read_bytes(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Loaded, ReadError> {
    load(source::from_bytes(bytes), name, options).map_err(|fault| fault.in_input(name))
}

/// Reads a graph from a stream, as [`read`] does from the file `name`; errors name it.
///
/// # Errors
/// As [`read`].
pub fn read_stream<'a>(
    name: &str,
    reader: impl Read + Send + 'a,
    options: &ReadOptions,
) -> Result<Loaded, ReadError> {
    let source = RawInput { reader: Box::new(reader), size: None, file: None, progress: &|_| {} };
    load(source, name, options).map_err(|fault| fault.in_input(name))
}

/// Opens a text that is not a graph, such as a list of edge ids, and decompresses it as [`read`]
/// does.
///
/// # Errors
/// When the input cannot be opened, or its compressed stream is damaged at the start. Errors of
/// later reads contain a [`ReadErrorKind`]. At the end, the error may be that the file has changed.
pub fn open_text(input: &Input) -> Result<Box<dyn Read + Send>, ReadError> {
    let unwatched: &'static (dyn Fn(Progress) + Sync) = &|_| {};
    let text = source::open(input, unwatched)
        .and_then(|(source, in_use)| Ok(TextOfFile { stream: Stream::new(source)?, in_use }));
    Ok(Box::new(text.map_err(|fault| fault.in_input(input.to_string()))?))
}

/// A stream that checks at its end that the file has not changed.
struct TextOfFile<'a> {
    stream: Stream<'a>,
    in_use: Option<FileInUse>,
}

impl Read for TextOfFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(buffer)?;
        if let Some(file) = self.in_use.as_ref().filter(|_| count == 0 && !buffer.is_empty()) {
            file.check().map_err(io::Error::other)?;
        }
        Ok(count)
    }
}

fn load(source: RawInput<'_>, name: &str, options: &ReadOptions) -> Result<Loaded, Fault> {
    let stream = Stream::with_threads(source, options.thread_count())?;
    if stream.head().is_empty() {
        return Err(ReadErrorKind::Empty.into());
    }
    if sheet::is_sheet(&Head::new(stream.head(), stream.head_is_whole())) {
        return load_sheet(stream, options);
    }
    load_stream(stream, name, options)
}

/// Reads a sheet of a workbook as the text that it is saved as.
fn load_sheet(mut stream: Stream<'_>, options: &ReadOptions) -> Result<Loaded, Fault> {
    /// The name of the text, by which it is no METIS file.
    const CSV: &str = "sheet.csv";
    if options.columns.delimiter.is_some() {
        let sentence = " does not apply to a spreadsheet; omit it";
        return Err(ReadErrorKind::question(message![Remedy::option("delimiter"), sentence]).into());
    }
    let compression = stream.compression;
    let sheet = sheet::read_sheet(&mut stream, options.sheet.as_deref())?;
    let format = options.format.filter(|&format| format != Format::SHEET);
    let options = ReadOptions { format, sheet: None, ..options.clone() };
    let text = Stream::new(source::from_bytes(sheet.csv.as_bytes()))?;
    let mut loaded = load_stream(text, CSV, &options).map_err(|fault| sheet.fault(fault))?;
    loaded.parsed.notes.insert(0, sheet.note().into());
    let evidence = format!("its parts; the sheet is {}", with_article(loaded.format));
    Ok(Loaded { format: Format::SHEET, evidence, compression, ..loaded })
}

fn load_stream(mut stream: Stream<'_>, name: &str, options: &ReadOptions) -> Result<Loaded, Fault> {
    let compression = stream.compression;
    let Recognized { format, evidence } = choose_format(&mut stream, name, options)?;
    let mut parsed = (format.info().read)(stream, options)?;
    if let Some(warning) = parsed.names.as_deref().and_then(text_fold::alike) {
        parsed.notes.push(warning.clone());
        parsed.warnings.push(warning);
    }
    let is_of_rows =
        [Format::MATRIX, Format::ADJACENCY, Format::TABLE, Format::WRITTEN].contains(&format);
    if is_of_rows && options.format.is_none() {
        parsed
            .notes
            .insert(0, format!("the input is read as {}: {evidence}", with_article(format)).into());
    }
    Ok(Loaded { parsed, format, evidence, compression })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::path::Path;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    fn error(path: &Path) -> String {
        let options = ReadOptions::default();
        read(&Input::Path(path.to_path_buf()), &options, &|_| {}).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_file_with_something_in_it_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graph");
        let name = path.display();
        assert!(error(&path).starts_with(&format!("{name}: No such file or directory")));
        fs::create_dir(&path).unwrap();
        assert_eq!(error(&path), format!("{name}: this is a directory; name a file in it"));
        fs::remove_dir(&path).unwrap();
        fs::write(&path, "").unwrap();
        assert_eq!(error(&path), format!("{name}: the input is empty"));
        let encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        fs::write(&path, encoder.finish().unwrap()).unwrap();
        assert_eq!(error(&path), format!("{name}: the input is empty"));
    }

    #[test]
    fn a_cut_stream_is_an_error_with_the_name_of_the_input() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        let lines: String = (0..100_000).map(|u| format!("{u} {}\n", u * 7919 % 100_003)).collect();
        encoder.write_all(lines.as_bytes()).unwrap();
        let packed = encoder.finish().unwrap();
        let graph = read_bytes("x", &packed, &ReadOptions::default()).unwrap();
        assert_eq!(
            (graph.parsed.graph.edges(), graph.compression),
            (100_000, crate::Compression::Gzip)
        );
        let error = read_bytes("x", &packed[..packed.len() - 9], &ReadOptions::default())
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("x: the gzip stream is damaged or cut short: "), "{error}");
    }

    #[test]
    fn progress_ends_at_the_size_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graph");
        let lines = "0 1 5\n".repeat(200_000);
        fs::write(&path, &lines).unwrap();
        let (bytes, calls) = (AtomicU64::new(0), AtomicU64::new(0));
        let watch = |progress: Progress| {
            assert_eq!(progress.of, Some(lines.len() as u64));
            let before = bytes.swap(progress.bytes, Ordering::Relaxed);
            assert!(before <= progress.bytes);
            calls.fetch_add(1, Ordering::Relaxed);
        };
        let loaded = read(&Input::Path(path), &ReadOptions::default(), &watch).unwrap();
        assert_eq!(loaded.parsed.graph.edges(), 200_000);
        assert_eq!(bytes.into_inner(), lines.len() as u64);
        assert!((4..100).contains(&calls.into_inner()));
    }

    #[test]
    fn the_format_may_be_named() {
        let options = ReadOptions { format: Some(Format::EDGE_LIST), ..ReadOptions::default() };
        let metis = "4 6\n2 3 4\n1 3 4\n1 2 4\n1 2 3\n";
        let error = read_bytes("x", metis.as_bytes(), &options).unwrap_err().to_string();
        assert!(error.contains("but the number of edges is 4"), "{error}");
        let options = ReadOptions { format: Some(Format::DIMACS), ..ReadOptions::default() };
        assert!(read_bytes("x", metis.as_bytes(), &options).is_err());
    }
}
