//! Which file a path or a handle leads to, and whether the file has changed.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::ReadErrorKind;
use crate::fault::Fault;

/// Distinguishes a file from the other files of its machine, and from itself before a change.
#[derive(Clone, Copy, Debug)]
pub struct FileVersion {
    place: [u64; 2],
    length: u64,
    modified: SystemTime,
    status: Option<Status>,
}

/// What Unix keeps besides the modification time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Status {
    /// When the file, its times, owner, mode, name or links last changed. No program sets it.
    changed: SystemTime,
    links: u64,
}

impl FileVersion {
    /// The version of the file at `path`.
    ///
    /// # Errors
    /// When the system does not describe the file.
    pub fn at(path: &Path) -> io::Result<Self> {
        Self::new(&fs::metadata(path)?)
    }

    /// The version of an open file. A new file that is renamed over it changes nothing.
    pub(crate) fn of_open(file: &File) -> io::Result<Self> {
        Self::new(&file.metadata()?)
    }

    /// The version of an open file that is about to be read.
    ///
    /// The system rounds times down to its clock tick. So this function waits until a file that was
    /// written to just now is a tick old: every later write gives another time. A system whose tick
    /// is longer and a server with another clock are not detected, and neither is a writer that
    /// sets the modification time back where the system keeps no [`Status`].
    pub(crate) fn before_reading(file: &File) -> io::Result<Self> {
        let version = Self::of_open(file)?;
        let last = version.status.map_or(version.modified, |status| status.changed);
        match last.max(version.modified).elapsed() {
            Ok(age) if age < CLOCK_TICK => {
                thread::sleep(CLOCK_TICK - age);
                Self::of_open(file)
            }
            _ => Ok(version),
        }
    }

    fn new(metadata: &Metadata) -> io::Result<Self> {
        let (length, modified) = (metadata.len(), metadata.modified()?);
        Ok(Self { place: place(metadata), length, modified, status: status(metadata) })
    }

    /// Whether this file is the one of `earlier`, and was not written to since.
    ///
    /// A link that is made or removed changes the status too, and a file that is renamed over this
    /// one removes a link. So another number of links explains another time of the status.
    pub fn is_unchanged_since(&self, earlier: &Self) -> bool {
        let same_status = match (self.status, earlier.status) {
            (Some(now), Some(then)) => now == then || now.links != then.links,
            _ => true,
        };
        let content = |version: &Self| (version.place, version.length, version.modified);
        content(self) == content(earlier) && same_status
    }

    /// The length in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// When the file was last written to.
    pub fn modified(&self) -> SystemTime {
        self.modified
    }

    /// The device and the inode, which only one file of a machine has. Zeros where the system has
    /// no such numbers: there, only the length and the modification time are compared.
    pub fn place(&self) -> [u64; 2] {
        self.place
    }
}

/// The longest tick of the clock that Linux stores with files: 100 ticks per second.
const CLOCK_TICK: Duration = Duration::from_millis(10);

/// A file while it is read, with its version before that.
#[derive(Debug)]
pub(crate) struct FileInUse {
    version: FileVersion,
    place: FilePlace,
}

/// How the reader gets at a file.
#[derive(Debug)]
enum FilePlace {
    /// By one handle: another file of the same path changes nothing.
    Open(File),
    /// By opening the path several times.
    Path(PathBuf),
}

impl FileInUse {
    /// A file that is read through this handle or copies of it.
    pub(crate) fn open(file: File) -> io::Result<Self> {
        let version = FileVersion::before_reading(&file)?;
        Ok(Self { version, place: FilePlace::Open(file) })
    }

    /// A file that is opened several times.
    pub(crate) fn at(path: &Path) -> io::Result<Self> {
        let version = FileVersion::before_reading(&File::open(path)?)?;
        Ok(Self { version, place: FilePlace::Path(path.to_path_buf()) })
    }

    /// The version before the file was read.
    pub(crate) fn version(&self) -> FileVersion {
        self.version
    }

    /// Checks that the file still has this version.
    ///
    /// # Errors
    /// [`ReadErrorKind::Changed`] if it has not; [`ReadErrorKind::Io`] if the system cannot tell.
    pub(crate) fn check(&self) -> Result<(), ReadErrorKind> {
        let now = match &self.place {
            FilePlace::Open(file) => FileVersion::of_open(file),
            FilePlace::Path(path) => FileVersion::at(path),
        };
        if now.map_err(ReadErrorKind::Io)?.is_unchanged_since(&self.version) {
            Ok(())
        } else {
            Err(ReadErrorKind::Changed)
        }
    }

    /// What was read from the file, unless the file has changed: then neither the result nor a
    /// fault of the content is one of the file.
    pub(crate) fn checked<T>(&self, result: Result<T, Fault>) -> Result<T, Fault> {
        let is_of_content = |kind: &ReadErrorKind| match kind {
            ReadErrorKind::Io(cause) => cause.kind() == io::ErrorKind::UnexpectedEof,
            ReadErrorKind::OutOfMemory { .. } => false,
            _ => true,
        };
        match result {
            Err(fault) if !is_of_content(&fault.kind) => Err(fault),
            result => self.check().map_err(Fault::from).and(result),
        }
    }
}

/// Opens a regular file that belongs to this program: not what a link leads to, and without waiting
/// for the other end of a pipe.
///
/// # Errors
/// When the path leads to anything else.
pub(crate) fn open_itself(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    }
    check_regular(fs::symlink_metadata(path).ok())?;
    let file = options.open(path)?;
    check_regular(file.metadata().map(Some)?)?;
    Ok(file)
}

/// Refuses what is no regular file; nothing is fine.
pub(crate) fn check_regular(metadata: Option<Metadata>) -> io::Result<()> {
    if metadata.is_none_or(|metadata| metadata.is_file()) {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "this is not a regular file"))
}

/// Whether two paths lead to one file, also through links, or are equal.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    let canonical = |path: &Path| fs::canonicalize(path).ok();
    if a == b || canonical(a).is_some_and(|path| canonical(b) == Some(path)) {
        return true;
    }
    let place = |path: &Path| fs::metadata(path).ok().map(|metadata| place(&metadata));
    place(a).is_some_and(|found| found != NO_PLACE && place(b) == Some(found))
}

/// The place of a file where the system has no such numbers.
const NO_PLACE: [u64; 2] = [0; 2];

#[cfg(unix)]
pub(crate) fn place(metadata: &Metadata) -> [u64; 2] {
    use std::os::unix::fs::MetadataExt;
    [metadata.dev(), metadata.ino()]
}

#[cfg(not(unix))]
fn place(_: &Metadata) -> [u64; 2] {
    NO_PLACE
}

#[cfg(unix)]
fn status(metadata: &Metadata) -> Option<Status> {
    use std::os::unix::fs::MetadataExt;
    // Times before 1970, which a damaged file system may hold, count as 1970.
    let seconds = u64::try_from(metadata.ctime()).unwrap_or(0);
    let nanoseconds = u32::try_from(metadata.ctime_nsec()).unwrap_or(0).min(999_999_999);
    let since_1970 = Duration::new(seconds, nanoseconds);
    let changed = SystemTime::UNIX_EPOCH.checked_add(since_1970)?;
    Some(Status { changed, links: metadata.nlink() })
}

#[cfg(not(unix))]
fn status(_: &Metadata) -> Option<Status> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(path: &Path, change: impl FnOnce(&File)) -> bool {
        let file = File::options().read(true).write(true).open(path).unwrap();
        let before = FileVersion::before_reading(&file).unwrap();
        change(&file);
        !FileVersion::of_open(&file).unwrap().is_unchanged_since(&before)
    }

    #[test]
    fn a_file_that_is_written_to_or_replaced_has_another_version() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("graph"), folder.path().join("other"));
        fs::write(&path, "1 2").unwrap();
        assert_eq!(FileVersion::at(&path).unwrap().length(), 3);
        assert!(!changed(&path, |_| ()));
        assert!(changed(&path, |_| fs::write(&path, "1 3").unwrap()));
        assert!(changed(&path, |file| file.set_len(1).unwrap()));
        let first = FileVersion::at(&path).unwrap();
        assert!(changed(&path, |file| file.set_modified(SystemTime::UNIX_EPOCH).unwrap()));
        fs::write(&other, "1").unwrap();
        File::options().write(true).open(&other).unwrap().set_modified(first.modified).unwrap();
        fs::rename(&other, &path).unwrap();
        if cfg!(unix) {
            assert!(!FileVersion::at(&path).unwrap().is_unchanged_since(&first));
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_file_whose_time_is_set_back_has_changed_but_not_one_that_gets_or_loses_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("graph"), folder.path().join("other"));
        fs::write(&path, "1 2").unwrap();
        let time = FileVersion::at(&path).unwrap().modified;
        assert!(changed(&path, |file| {
            fs::write(&path, "1 3").unwrap();
            file.set_modified(time).unwrap();
        }));
        assert!(!changed(&path, |_| fs::hard_link(&path, &other).unwrap()));
        fs::remove_file(&other).unwrap();
        assert!(!changed(&path, |_| {
            fs::write(&other, "1 4").unwrap();
            fs::rename(&other, &path).unwrap();
        }));
    }
}
