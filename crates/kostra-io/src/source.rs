//! Inputs: a file, standard input or memory, with progress.

use std::fmt::{self, Display};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::fault::Fault;
use crate::file_version::FileInUse;
use crate::{ReadError, ReadErrorKind};
use kostra_core::shown;

/// Where a graph is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file.
    Path(PathBuf),
    /// Standard input.
    Stdin,
}

impl Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => shown(path).fmt(f),
            Self::Stdin => f.write_str("standard input"),
        }
    }
}

/// The progress of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The number of bytes read, before decompression.
    pub bytes: u64,
    /// The number of bytes of the input, if it is known.
    pub of: Option<u64>,
}

/// The bytes of an input, before decompression.
pub(crate) struct RawInput<'a> {
    pub(crate) reader: Box<dyn Read + Send + 'a>,
    /// The number of bytes, if it is known.
    pub(crate) size: Option<u64>,
    /// The input as a regular file, for a format that maps it into memory or reads any part of it.
    pub(crate) file: Option<File>,
    /// Called with the number of bytes read.
    pub(crate) progress: &'a (dyn Fn(Progress) + Sync),
}

/// Reads an input with `body`, unless it is a file that changes meanwhile. Every read calls
/// `progress`.
pub(crate) fn read<T>(
    input: &Input,
    progress: &(dyn Fn(Progress) + Sync),
    body: impl FnOnce(RawInput<'_>) -> Result<T, Fault>,
) -> Result<T, ReadError> {
    let read = open(input, progress).and_then(|(source, in_use)| {
        let result = body(source);
        match in_use {
            Some(file) => file.checked(result),
            None => result,
        }
    });
    read.map_err(|fault| fault.in_input(input.to_string()))
}

/// Opens an input, and returns the file whose version the caller checks after reading. Every read
/// calls `progress`.
pub(crate) fn open<'a>(
    input: &Input,
    progress: &'a (dyn Fn(Progress) + Sync),
) -> Result<(RawInput<'a>, Option<FileInUse>), Fault> {
    let Input::Path(path) = input else {
        let reader = Watched { inner: io::stdin(), bytes: 0, of: None, progress };
        let in_use = redirected().map(FileInUse::open).transpose().map_err(ReadErrorKind::Io)?;
        let source = RawInput { reader: Box::new(reader), size: None, file: None, progress };
        return Ok((source, in_use));
    };
    let file = File::open(path).map_err(ReadErrorKind::Io)?;
    let metadata = file.metadata().map_err(ReadErrorKind::Io)?;
    if metadata.is_dir() {
        return Err(ReadErrorKind::malformed("this is a directory; name a file in it").into());
    }
    let regular = metadata.is_file();
    let size = regular.then_some(metadata.len());
    let again = || regular.then(|| file.try_clone()).transpose();
    let copies = again().and_then(|copy| Ok((copy, again()?.map(FileInUse::open).transpose()?)));
    let (copy, in_use) = copies.map_err(ReadErrorKind::Io)?;
    let reader = Watched { inner: file, bytes: 0, of: size, progress };
    Ok((RawInput { reader: Box::new(reader), size, file: copy, progress }, in_use))
}

/// Standard input, if it is a regular file.
#[cfg(unix)]
fn redirected() -> Option<File> {
    use std::os::fd::AsFd;
    let file = File::from(io::stdin().as_fd().try_clone_to_owned().ok()?);
    file.metadata().is_ok_and(|metadata| metadata.is_file()).then_some(file)
}

/// Elsewhere standard input is read in order.
#[cfg(not(unix))]
fn redirected() -> Option<File> {
    None
}

/// Standard input, if it is a regular file that nobody has read from.
pub(crate) fn stdin_file() -> Option<File> {
    let mut file = redirected()?;
    (file.stream_position().ok()? == 0).then_some(file)
}

/// A source in memory.
pub(crate) fn from_bytes(bytes: &[u8]) -> RawInput<'_> {
    let size = Some(bytes.len() as u64);
    RawInput { reader: Box::new(bytes), size, file: None, progress: &|_| {} }
}

/// A range of a regular file.
pub(crate) fn from_range(path: &Path, range: Range<u64>) -> Result<RawInput<'static>, Fault> {
    let mut file = File::open(path).map_err(ReadErrorKind::Io)?;
    file.seek(SeekFrom::Start(range.start)).map_err(ReadErrorKind::Io)?;
    let size = Some(range.end - range.start);
    let inner = file.take(range.end - range.start);
    let reader = Watched { inner, bytes: 0, of: size, progress: &|_| {} };
    Ok(RawInput { reader: Box::new(reader), size, file: None, progress: &|_| {} })
}

/// Counts bytes, retries reads that a signal interrupts, and marks errors of the system for
/// [`from_io`].
struct Watched<'a, R> {
    inner: R,
    bytes: u64,
    of: Option<u64>,
    progress: &'a (dyn Fn(Progress) + Sync),
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.inner.read(buffer) {
                Ok(count) => {
                    self.bytes += count as u64;
                    (self.progress)(Progress { bytes: self.bytes, of: self.of });
                    return Ok(count);
                }
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                Err(cause) => return Err(io::Error::new(cause.kind(), ReadErrorKind::Io(cause))),
            }
        }
    }
}

/// The fault behind a failed read: the [`ReadErrorKind`] inside `error`, if it contains one.
pub(crate) fn from_io(error: io::Error) -> ReadErrorKind {
    match error.downcast::<ReadErrorKind>() {
        Ok(kind) => kind,
        Err(error) => ReadErrorKind::Io(error),
    }
}
