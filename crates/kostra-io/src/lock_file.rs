//! Files by which processes that would disturb each other exclude each other.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use crate::file_version::open_itself;
use crate::replacement::{UnfinishedName, inherit, model_of, set_first_mode};

/// An empty file that this process has locked. Dropping it removes the file, and so does
/// [`abandon_unfinished`](crate::abandon_unfinished). The lock also ends with the process; a file
/// that a killed process left is taken over.
#[derive(Debug)]
pub struct LockFile {
    /// The lock lasts as long as this is open.
    _file: File,
    name: UnfinishedName,
}

impl LockFile {
    /// Creates and locks the file; none if another process has locked it. The file has the
    /// permissions of the file `model`, if there is one. Only Unix has locks: elsewhere the file is
    /// always granted.
    ///
    /// # Errors
    /// When the file cannot be created or locked, or is a link, another special file, or not empty,
    /// and so not a file of this kind.
    pub fn take(path: &Path, model: Option<&Path>) -> io::Result<Option<Self>> {
        let model = model_of(model);
        loop {
            let mut options = OpenOptions::new();
            set_first_mode(&mut options, model.is_some());
            let file = open_itself(path, options.create(true).truncate(false).write(true))?;
            if file.metadata()?.len() > 0 {
                return Err(io::Error::other("this is not a lock of kostra"));
            }
            if !lock(&file)? {
                return Ok(None);
            }
            // The file may have been removed after it was opened.
            if is_at(&file, path)? {
                if let Some(model) = &model {
                    inherit(&file, model)?;
                }
                return Ok(Some(Self { _file: file, name: UnfinishedName::new(path) }));
            }
        }
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // Before the lock ends, so that nobody loses a file that they have locked.
        let _ = fs::remove_file(self.name.path());
    }
}

/// Locks a file; whether no other process has locked it. `kostra-dynamic`, which depends on no
/// crate with files, has the same function. `File::try_lock` of Rust 1.89 can replace both.
#[cfg(unix)]
fn lock(file: &File) -> io::Result<bool> {
    use rustix::fs::{FlockOperation, flock};
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Err(rustix::io::Errno::WOULDBLOCK) => Ok(false),
        result => Ok(result.map(|()| true)?),
    }
}

#[cfg(not(unix))]
fn lock(_file: &File) -> io::Result<bool> {
    Ok(true)
}

/// Whether the path leads to the file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use crate::file_version::place;
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(place(&metadata) == place(&file.metadata()?)),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(cause) => Err(cause),
    }
}

#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_locked_once_and_removed_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = LockFile::take(&path, None).unwrap().unwrap();
        assert!(path.exists() && LockFile::take(&path, None).unwrap().is_none());
        drop(first);
        assert!(!path.exists());
        fs::write(&path, "").unwrap(); // a killed process left it
        drop(LockFile::take(&path, None).unwrap().unwrap());
        assert!(!path.exists());
    }

    #[test]
    fn the_file_has_the_permissions_of_its_model() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let [path, model] = ["lock", "forest"].map(|name| folder.path().join(name));
        fs::write(&model, "").unwrap();
        for mode in [0o600, 0o640] {
            fs::set_permissions(&model, PermissionsExt::from_mode(mode)).unwrap();
            let _lock = LockFile::take(&path, Some(&model)).unwrap().unwrap();
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, mode);
        }
    }

    #[test]
    fn a_file_with_content_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        fs::write(&path, "mine").unwrap();
        assert!(LockFile::take(&path, None).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    }

    #[test]
    fn links_and_pipes_are_refused_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let [link, target, pipe] = ["link", "target", "pipe"].map(|name| folder.path().join(name));
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|status| status.success()));
        assert!(LockFile::take(&link, None).is_err() && LockFile::take(&pipe, None).is_err());
        assert!(!target.exists());
        // A pipe that somebody reads opens at once.
        let _reader = File::options().read(true).write(true).open(&pipe).unwrap();
        assert!(LockFile::take(&pipe, None).is_err());
    }

    #[test]
    fn many_threads_that_take_turns_never_hold_the_file_at_once() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let (holders, turns) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..2000 {
                        if let Some(taken) = LockFile::take(&path, None).unwrap() {
                            assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                            turns.fetch_add(1, Ordering::Relaxed);
                            holders.fetch_sub(1, Ordering::SeqCst);
                            drop(taken);
                        }
                    }
                });
            }
        });
        assert!(turns.into_inner() > 0 && !path.exists());
    }
}
