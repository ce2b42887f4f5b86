//! The file of a log: one process has it locked, and a complete file replaces it in one step.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::LogError;

/// How a file is opened.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// It has a log.
    Continue,
    /// It is empty, or does not exist yet.
    Create,
}

/// Opens a file and locks it.
pub(super) fn open(path: &Path, purpose: Purpose) -> Result<File, LogError> {
    let failed = |error| LogError::File { path: path.into(), error };
    let is_new = purpose == Purpose::Create;
    loop {
        // Before opening, because reading a pipe would wait.
        match path.metadata() {
            Ok(metadata) if !metadata.is_file() => {
                return Err(LogError::NoFile { path: path.into() });
            }
            Err(error) if !is_new || error.kind() != io::ErrorKind::NotFound => {
                return Err(failed(error));
            }
            _ => {}
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(is_new).truncate(false);
        let file = options.open(path).map_err(failed)?;
        if is_new && file.metadata().map_err(failed)?.len() > 0 {
            return Err(failed(io::ErrorKind::AlreadyExists.into()));
        }
        if !lock(&file).map_err(failed)? {
            return Err(LogError::InUse { path: path.into() });
        }
        // Its process may have replaced the file since it was opened.
        if is_at(&file, path).map_err(failed)? {
            return Ok(file);
        }
    }
}

/// A locked file that will replace another one in the same folder. Dropping it removes it.
pub(super) struct Successor {
    file: Option<File>,
    /// The name until then.
    name: PathBuf,
    target: PathBuf,
}

impl Successor {
    /// An empty file with the permissions of `old`, the locked file at `path`. Links at `path`
    /// stay.
    pub(super) fn of(old: &File, path: &Path) -> io::Result<Self> {
        let target = path.canonicalize()?;
        let mut name = OsString::from(".kostra-");
        name.push(target.file_name().unwrap_or_default());
        name.push(".tmp");
        let name = target.with_file_name(name);
        // The lock on the old file is for this name, too. A killed process left the file.
        match fs::remove_file(&name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&name)?;
        let successor = Self { file: Some(file), name, target };
        let file = successor.file();
        file.set_permissions(old.metadata()?.permissions())?;
        lock(file)?;
        Ok(successor)
    }

    pub(super) fn file(&self) -> &File {
        self.file.as_ref().expect("the file is taken at the end only")
    }

    /// Replaces the old file, when the content is on the disk.
    pub(super) fn replace(mut self, old: &File) -> io::Result<File> {
        self.file().sync_all()?;
        if !is_at(old, &self.target)? {
            return Err(io::Error::other("the log was moved or replaced"));
        }
        fs::rename(&self.name, &self.target)?;
        Ok(self.file.take().expect("the file is taken once"))
    }
}

impl Drop for Successor {
    fn drop(&mut self) {
        if self.file.is_some() {
            // The next successor removes what stays.
            let _ = fs::remove_file(&self.name);
        }
    }
}

/// Waits until the name of a file is on the disk.
#[cfg(unix)]
pub(super) fn sync_name(path: &Path) -> io::Result<()> {
    let path = path.canonicalize()?;
    File::open(path.parent().unwrap_or(&path))?.sync_all()
}

/// Other systems do not open folders.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the function has one signature on all systems")]
pub(super) fn sync_name(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Locks a file for as long as it is open; whether no other process has locked it. Only Unix has
/// such locks. `kostra-io` has the same function. `File::try_lock` of Rust 1.89 can replace both.
#[cfg(unix)]
fn lock(file: &File) -> io::Result<bool> {
    use rustix::fs::{FlockOperation, flock};
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
        result => Ok(result.map(|()| true)?),
    }
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the function has one signature on all systems")]
fn lock(_: &File) -> io::Result<bool> {
    Ok(true)
}

/// Whether the path leads to the file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let place = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match fs::metadata(path) {
        Ok(metadata) => Ok(place(metadata) == place(file.metadata()?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the function has one signature on all systems")]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}
