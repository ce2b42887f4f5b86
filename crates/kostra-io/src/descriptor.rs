//! Open descriptors, such as standard output, and the paths that lead to them.
#![allow(unsafe_code, reason = "an inherited descriptor is known by its number only")]

use std::fs::{self, File};
use std::io;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{OFlags, fcntl_getfl};
use rustix::io::{FdFlags, fcntl_dupfd_cloexec, fcntl_getfd};

use crate::file_version::place;

/// The number of standard output.
pub(crate) const STDOUT: i32 = 1;
/// The number of standard error.
pub(crate) const STDERR: i32 = 2;

/// Another handle to an open file that this process inherited; both share one offset.
///
/// # Errors
/// When the descriptor is not open for writing, or this program itself opened it.
pub(crate) fn duplicate(number: i32) -> io::Result<File> {
    let not_open = || io::Error::other("it is not open for writing");
    if number < 0 {
        return Err(not_open());
    }
    // SAFETY: the descriptor is only handed to system calls, which fail if it is not open.
    let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
    let is_writable =
        fcntl_getfl(descriptor).is_ok_and(|flags| flags.intersects(OFlags::WRONLY | OFlags::RDWR));
    // Descriptors that this program opens are closed on exec; inherited ones are not.
    let is_inherited = fcntl_getfd(descriptor).is_ok_and(|flags| !flags.contains(FdFlags::CLOEXEC));
    if !is_writable || !is_inherited {
        return Err(not_open());
    }
    Ok(File::from(fcntl_dupfd_cloexec(descriptor, 0)?))
}

/// The number of the descriptor that a path leads to: 1 for `/dev/stdout`, 3 for `/dev/fd/3` or
/// `/proc/self/fd/3`.
pub(crate) fn number(path: &Path) -> Option<i32> {
    const MOST_LINKS: usize = 40; // the limit of Linux
    let own = fs::canonicalize("/proc/self/fd");
    let is_own = |folder: &Path| {
        folder == Path::new("/dev/fd")
            || matches!((&own, fs::canonicalize(folder)), (Ok(own), Ok(folder)) if *own == folder)
    };
    let mut path: PathBuf = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let folder = path.parent()?.to_path_buf();
        let name = path.file_name()?.to_str().unwrap_or_default();
        if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) && is_own(&folder) {
            return name.parse().ok();
        }
        path = folder.join(fs::read_link(&path).ok()?);
    }
    None
}

/// Whether a path leads to the file, pipe or socket that is standard output. Devices do not count:
/// two writers to a terminal do not overwrite each other.
pub(crate) fn shares_stdout(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let (Ok(ours), Ok(theirs)) =
        (duplicate(STDOUT).and_then(|file| file.metadata()), fs::metadata(path))
    else {
        return false;
    };
    let kind = ours.file_type();
    let is_device = kind.is_char_device() || kind.is_block_device();
    !is_device && place(&ours) == place(&theirs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_descriptors_are_told_from_others() {
        for (path, expected) in [
            ("/dev/stdout", Some(1)),
            ("/dev/stderr", Some(2)),
            ("/dev/fd/7", Some(7)),
            ("/dev/null", None),
        ] {
            assert_eq!(number(Path::new(path)), expected, "{path}");
        }
        for path in
            ["", "-", "1", "/", "/dev/fd/x", "/dev/fd/99999999999", "/proc/self/fd", "forest"]
        {
            assert_eq!(number(Path::new(path)), None, "{path}");
        }
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/dev/fd/5", folder.path().join("link")).unwrap();
        assert_eq!(number(&folder.path().join("link")), Some(5));
        fs::write(folder.path().join("1"), "").unwrap();
        assert_eq!(number(&folder.path().join("1")), None);
    }

    #[test]
    fn only_what_this_process_was_started_with_is_duplicated() {
        use std::os::fd::AsRawFd;
        let folder = tempfile::tempdir().unwrap();
        let own = File::create(folder.path().join("own")).unwrap();
        for number in [own.as_raw_fd(), -1, i32::MAX] {
            let error = duplicate(number).unwrap_err();
            assert_eq!(error.to_string(), "it is not open for writing", "{number}");
        }
    }
}
