//! Outputs. A regular file is replaced as a whole or not at all.

use std::fmt::Display;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use kostra_core::shown;

#[cfg(not(feature = "zstd"))]
use crate::compression::{Compression, missing};
#[cfg(unix)]
use crate::descriptor::{STDERR, STDOUT, duplicate, number};
use crate::{Replacement, WriteError};
#[cfg(not(unix))]
use descriptor::{STDERR, STDOUT, duplicate, number};

/// The number of bytes that are collected before they are written or compressed.
const BUFFER_BYTES: usize = 1 << 18;

/// The destination of a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// A file. It is compressed if its name ends in `.gz` or `.zst`.
    Path(PathBuf),
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

impl Output {
    /// Whether this is the standard output of the process, for example as the path `/dev/stdout`.
    pub fn is_stdout(&self) -> bool {
        matches!(self.route(), Route::Descriptor(STDOUT))
    }

    /// Whether writing creates or replaces a regular file, as [`Replacement`](crate::Replacement)
    /// does.
    pub fn is_replaced(&self) -> bool {
        matches!(self.route(), Route::Replaced(_))
    }

    /// Whether this is a file or pipe that standard output is redirected to, although
    /// [`Output::is_stdout`] is false. Then each of the two would overwrite or interrupt the other.
    pub fn shares_stdout(&self) -> bool {
        match self {
            #[cfg(unix)]
            Self::Path(path) => !self.is_stdout() && crate::descriptor::shares_stdout(path),
            _ => false,
        }
    }

    /// Finds errors that can be found before any work.
    ///
    /// # Errors
    /// When the extension names a compression that Kostra does not write, or the path leads to a
    /// descriptor that is not open for writing.
    pub fn check(&self) -> Result<(), WriteError> {
        Packing::by_extension(self)?;
        let Route::Descriptor(number) = self.route() else { return Ok(()) };
        duplicate(number)
            .map(drop)
            .map_err(|cause| WriteError::Io { output: self.to_string(), cause })
    }

    /// Whether this is an uncompressed regular file, or does not exist yet. Several processes can
    /// write such a file together with a [`Replacement`].
    pub fn is_plain_file(&self) -> bool {
        matches!(self.route(), Route::Replaced(_))
            && matches!(Packing::by_extension(self), Ok(Packing::Plain))
    }

    fn route(&self) -> Route<'_> {
        match self {
            Self::Stdout => Route::Descriptor(STDOUT),
            Self::Stderr => Route::Descriptor(STDERR),
            Self::Path(path) => match number(path) {
                Some(number) => Route::Descriptor(number),
                None if is_special(path) => Route::Special(path),
                None => Route::Replaced(path),
            },
        }
    }
}

impl Display for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Path(path) => shown(path).fmt(f),
            Self::Stdout => f.write_str("standard output"),
            Self::Stderr => f.write_str("standard error"),
        }
    }
}

/// How an output is written.
enum Route<'a> {
    /// A file, pipe or device that is open already.
    Descriptor(i32),
    /// A device, a pipe or a socket, which is opened and written to.
    Special(&'a Path),
    /// A regular file, or a path at which there is no file: it is replaced.
    Replaced(&'a Path),
}

/// Whether a path leads to a device, pipe or socket. A folder is a separate error.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// Replaces the module `descriptor` on systems other than Unix.
#[cfg(not(unix))]
mod descriptor {
    use std::io::{self, Write};
    use std::path::Path;

    pub(super) const STDOUT: i32 = 1;
    pub(super) const STDERR: i32 = 2;

    pub(super) fn number(_: &Path) -> Option<i32> {
        None
    }

    pub(super) fn duplicate(number: i32) -> io::Result<Box<dyn Write>> {
        Ok(if number == STDOUT { Box::new(io::stdout()) } else { Box::new(io::stderr()) })
    }
}

/// Replaces a file as a whole or not at all, with a [`Replacement`].
///
/// A device, a pipe or a socket is written to directly. A path that leads to an open file of this
/// process, such as `/dev/stdout` or `/dev/fd/3`, denotes that open file: writing continues at its
/// offset. If the name ends in `.gz` or `.zst`, the output of `write` is compressed; `.xz` and
/// `.bz2` are refused. Writes are buffered.
///
/// # Errors
/// When the output cannot be created or written, or `write` fails. A closed pipe is a
/// [`WriteError::Io`] with [`io::ErrorKind::BrokenPipe`].
pub fn write_atomically(
    output: &Output,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), WriteError> {
    let packing = Packing::by_extension(output)?;
    let result = match output.route() {
        Route::Descriptor(number) => {
            duplicate(number).and_then(|mut open| packing.pack(&mut open, write))
        }
        Route::Special(path) => OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|mut special| packing.pack(&mut special, write)),
        Route::Replaced(path) => Replacement::create(path).and_then(|mut replacement| {
            packing.pack(replacement.file(), write)?;
            replacement.commit()
        }),
    };
    result.map_err(|cause| WriteError::Io { output: output.to_string(), cause })
}

/// A file's extension in lower case, without the extension of a compression: `gr` for
/// `roads.GR.gz`.
pub fn extension(path: &Path) -> Option<String> {
    let extension = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
    match extension(path)?.as_str() {
        "gz" | "zst" | "xz" | "bz2" => extension(Path::new(path.file_stem()?)),
        _ => extension(path),
    }
}

/// The compression of an output. It follows from the name, so that name and content agree.
#[derive(Clone, Copy)]
enum Packing {
    Plain,
    Gzip,
    #[cfg(feature = "zstd")]
    Zstd,
}

impl Packing {
    fn by_extension(output: &Output) -> Result<Self, WriteError> {
        let Output::Path(path) = output else { return Ok(Self::Plain) };
        let extension =
            path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "gz" => Ok(Self::Gzip),
            #[cfg(feature = "zstd")]
            "zst" => Ok(Self::Zstd),
            #[cfg(not(feature = "zstd"))]
            "zst" => Err(WriteError::Unrepresentable {
                output: output.to_string(),
                reason: missing(Compression::Zstd),
            }),
            "xz" | "bz2" => Err(WriteError::Unrepresentable {
                output: output.to_string(),
                reason: format!(
                    "Kostra reads .{extension}, but does not write it; use .zst or .gz"
                ),
            }),
            _ => Ok(Self::Plain),
        }
    }

    fn pack(
        self,
        to: &mut dyn Write,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut to = BufWriter::with_capacity(BUFFER_BYTES, to);
        match self {
            Self::Plain => write(&mut to)?,
            Self::Gzip => {
                let encoder = GzEncoder::new(&mut to, flate2::Compression::default());
                let mut encoder = BufWriter::with_capacity(BUFFER_BYTES, encoder);
                write(&mut encoder)?;
                encoder.into_inner()?.finish()?;
            }
            #[cfg(feature = "zstd")]
            Self::Zstd => {
                let mut encoder = zstd::Encoder::new(&mut to, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                encoder.include_checksum(true)?; // so that a reader notices damage
                let mut encoder = BufWriter::with_capacity(BUFFER_BYTES, encoder);
                write(&mut encoder)?;
                encoder.into_inner().map_err(io::IntoInnerError::into_error)?.finish()?;
            }
        }
        to.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Read;

    use super::*;

    fn write_text(path: &Path, text: &str) -> Result<(), WriteError> {
        write_atomically(&Output::Path(path.to_path_buf()), |to| to.write_all(text.as_bytes()))
    }

    #[test]
    fn an_extension_is_found_before_that_of_a_compression() {
        let extension = |path| extension(Path::new(path));
        assert_eq!(extension("a/roads.GR.gz").as_deref(), Some("gr"));
        assert_eq!(extension("roads.kst").as_deref(), Some("kst"));
        assert_eq!(extension("roads.gz"), None);
        assert_eq!(extension("roads"), None);
    }

    fn names_in(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("forest");
        write_text(&path, "old").unwrap();
        let result = write_atomically(&Output::Path(path.clone()), |to| {
            to.write_all(&[b'x'; 1 << 20])?;
            Err(io::Error::other("no more"))
        });
        assert_eq!(result.unwrap_err().to_string(), format!("{}: no more", path.display()));
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names_in(folder.path()), ["forest"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error_with_the_path() {
        let error = write_text(Path::new("/dev/full"), "text").unwrap_err();
        assert_eq!(error.to_string(), "/dev/full: No space left on device (os error 28)");
        write_text(Path::new("/dev/null"), "text").unwrap();
        assert!(is_special(Path::new("/dev/null")), "it is still a device");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_among_devices_is_replaced_like_others() {
        let Ok(folder) = tempfile::tempdir_in("/dev/shm") else {
            println!("skipped: /dev/shm cannot be written to");
            return;
        };
        let path = folder.path().join("forest");
        write_text(&path, "a long old text").unwrap();
        write_text(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    fn outputs_know_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let file = Output::Path(folder.path().join("forest"));
        assert!(file.is_replaced() && !file.is_stdout() && !file.shares_stdout());
        assert!(
            Output::Stdout.is_stdout()
                && !Output::Stdout.is_replaced()
                && !Output::Stdout.shares_stdout()
        );
        assert!(!Output::Stderr.is_stdout());
        #[cfg(unix)]
        for path in ["/dev/stdout", "/dev/fd/1"] {
            assert!(Output::Path(path.into()).is_stdout(), "{path}");
        }
        assert!(Output::Path("forest.txt.bz2".into()).check().is_err());
    }

    #[test]
    fn folders_that_are_missing_or_in_the_way_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(write_text(folder.path(), "text"), Err(WriteError::Io { .. })));
        let missing = folder.path().join("missing/file");
        let error = write_text(&missing, "text").unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("{}: No such file or directory (os error 2)", missing.display())
        );
    }

    #[test]
    fn the_name_decides_the_compression() {
        let folder = tempfile::tempdir().unwrap();
        let text = "a 1 2 3\n".repeat(100_000);
        let path = folder.path().join("roads.gr.gz");
        write_text(&path, &text).unwrap();
        let mut read = String::new();
        flate2::read::GzDecoder::new(File::open(&path).unwrap()).read_to_string(&mut read).unwrap();
        assert!(read == text);
        let path = folder.path().join("roads.gr.zst");
        write_text(&path, &text).unwrap();
        assert!(zstd::decode_all(File::open(&path).unwrap()).unwrap() == text.as_bytes());
        let error = write_text(&folder.path().join("roads.gr.xz"), &text).unwrap_err().to_string();
        assert!(
            error
                .ends_with("roads.gr.xz: Kostra reads .xz, but does not write it; use .zst or .gz"),
            "{error}"
        );
        assert_eq!(names_in(folder.path()), ["roads.gr.gz", "roads.gr.zst"]);
    }
}
