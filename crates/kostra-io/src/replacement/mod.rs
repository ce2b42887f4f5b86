//! A file that takes its name, and the place of an old file, in one step when it is complete.
//!
//! On Linux the content is written into a file without a name (`O_TMPFILE`), which disappears with
//! the process, whatever ends the process. Where the system or the file system has no such files,
//! and where other processes must open the file, it is called `.kostra-*.tmp` until it is complete.
//! The names of these files are kept in a list, so that a process that ends early can [remove
//! them](abandon_unfinished).

#[cfg(test)]
mod tests;

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use tempfile::NamedTempFile;

/// The future content of a file. Dropping it before [`Replacement::commit`] leaves everything as it
/// was.
///
/// A symbolic link keeps its place: the file that it leads to is replaced. A file that exists must
/// be writable. The new file gets its permissions, and its owner and group as far as this process
/// may set them. A file that does not exist gets the permissions of any new file.
///
/// # Several processes
/// Several processes, such as the ranks of an MPI job, write one file together in these steps:
///
/// 1. One process calls [`Replacement::create_named`] and sends [`Replacement::name`] to the
///    others.
/// 2. Each other process calls [`ReplacementPart::open`] with that name.
/// 3. Each process writes its range of bytes, and calls [`File::sync_all`] on its own file.
/// 4. When all processes have reported success, the first one calls [`Replacement::commit`]. If one
///    has failed, the first one drops the replacement instead.
///
/// A process that aborts the job calls [`abandon_unfinished`] first: any of them can remove the
/// file.
#[derive(Debug)]
pub struct Replacement {
    target: PathBuf,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// A file that has no name yet.
    #[cfg(target_os = "linux")]
    Unnamed(File),
    /// A file with a temporary name.
    Named(NamedTempFile, Unfinished),
}

impl Replacement {
    /// An empty file that is to replace `path`, without a name where the system has such files.
    ///
    /// # Errors
    /// When the folder does not exist or cannot be written to, or `path` exists and is no regular
    /// file or may not be written to.
    pub fn create(path: &Path) -> io::Result<Self> {
        let target = follow_links(path)?;
        let old = writable(&target)?;
        let content = match unnamed_in(folder_of(&target), old.is_some()) {
            Some(content) => content,
            None => named_in(folder_of(&target), old.is_some())?,
        };
        Self { target, content }.inheriting(old.as_ref())
    }

    /// The same with a temporary name in the same folder, by which other processes can open it.
    ///
    /// # Errors
    /// As [`Replacement::create`].
    pub fn create_named(path: &Path) -> io::Result<Self> {
        let target = follow_links(path)?;
        let old = writable(&target)?;
        let content = named_in(folder_of(&target), old.is_some())?;
        Self { target, content }.inheriting(old.as_ref())
    }

    fn inheriting(mut self, old: Option<&Metadata>) -> io::Result<Self> {
        if let Some(old) = old {
            inherit(self.file(), old)?;
        }
        Ok(self)
    }

    /// The file to write to.
    pub fn file(&mut self) -> &mut File {
        match &mut self.content {
            #[cfg(target_os = "linux")]
            Content::Unnamed(file) => file,
            Content::Named(file, _) => file.as_file_mut(),
        }
    }

    /// The temporary name, an absolute path, if the file has one.
    pub fn name(&self) -> Option<&Path> {
        match &self.content {
            #[cfg(target_os = "linux")]
            Content::Unnamed(_) => None,
            Content::Named(file, _) => Some(file.path()),
        }
    }

    /// Stores the content durably, then gives it the file's name.
    ///
    /// # Errors
    /// When the content cannot be stored or the name cannot be given. The old file is still there
    /// then.
    pub fn commit(self) -> io::Result<()> {
        let Self { target, content } = self;
        match content {
            #[cfg(target_os = "linux")]
            Content::Unnamed(file) => {
                file.sync_all()?;
                let _names = lock();
                link(&file, &target)
            }
            Content::Named(file, _unfinished) => {
                file.as_file().sync_all()?;
                let _names = lock();
                file.persist(&target).map(drop).map_err(|failed| failed.error)
            }
        }
    }
}

/// The file of another process's [named replacement](Replacement::create_named), open for writing a
/// part of it. Dropping it does not remove the file.
#[derive(Debug)]
pub struct ReplacementPart {
    file: File,
    _unfinished: Unfinished,
}

impl ReplacementPart {
    /// Opens the file by its temporary name.
    ///
    /// # Errors
    /// When it cannot be opened, as on a machine that does not share the folder.
    pub fn open(name: &Path) -> io::Result<Self> {
        let mut names = lock();
        let file = OpenOptions::new().write(true).open(name)?;
        Ok(Self { file, _unfinished: Unfinished::enlist(name, &mut names) })
    }

    /// The file to write to.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }
}

/// The temporary names that this process must remove if it ends early. Names are given and taken
/// under this lock.
static NAMES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn lock() -> MutexGuard<'static, Vec<PathBuf>> {
    NAMES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of all replacements that are not complete. Call it right before the
/// process ends by other means than the return of `main`: a replacement that is committed after
/// this call waits forever.
///
/// It waits up to a second for a replacement that is being named by another thread. It does not
/// wait longer, because the caller may itself have interrupted that thread.
pub fn abandon_unfinished() {
    const TRIES: u32 = 1000;
    for _ in 0..TRIES {
        let names = match NAMES.try_lock() {
            Ok(names) => names,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
        };
        names.iter().for_each(|name| drop(fs::remove_file(name)));
        std::mem::forget(names); // the lock stays taken, so no file gets a name any more
        return;
    }
}

/// A name in the list, until it is dropped.
#[derive(Debug)]
struct Unfinished(PathBuf);

impl Unfinished {
    fn enlist(name: &Path, names: &mut Vec<PathBuf>) -> Self {
        names.push(name.to_path_buf());
        Self(name.to_path_buf())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut names = lock();
        if let Some(index) = names.iter().position(|name| *name == self.0) {
            names.swap_remove(index);
        }
    }
}

/// The file that a path means, which need not exist.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    const MOST: usize = 40; // the limit of Linux
    let mut target = path.to_path_buf();
    for _ in 0..MOST {
        match fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(target),
        }
    }
    Err(io::Error::other("there are too many symbolic links on the way"))
}

fn folder_of(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The old file, if there is one. A rename also replaces a file that is read-only, so this asks for
/// permission.
fn writable(target: &Path) -> io::Result<Option<Metadata>> {
    match fs::metadata(target) {
        Ok(old) if old.is_file() || old.is_dir() => {
            OpenOptions::new().write(true).open(target).map(|_| Some(old))
        }
        Ok(_) => Err(io::Error::new(io::ErrorKind::InvalidInput, "this is not a regular file")),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
            fs::metadata(folder_of(target))?;
            Ok(None)
        }
        Err(cause) => Err(cause),
    }
}

/// The permissions of a new file, less those that the umask takes. Nobody else reads a file whose
/// permissions follow.
#[cfg(unix)]
fn first_mode(permissions_follow: bool) -> u32 {
    if permissions_follow { 0o600 } else { 0o666 }
}

/// A file without a name; none where the system has no such files, or no way to name them later.
#[cfg(target_os = "linux")]
fn unnamed_in(folder: &Path, permissions_follow: bool) -> Option<Content> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(first_mode(permissions_follow));
    let file = File::from(rustix::fs::open(folder, flags, mode).ok()?);
    fs::symlink_metadata(path_of(&file)).ok()?;
    Some(Content::Unnamed(file))
}

#[cfg(not(target_os = "linux"))]
fn unnamed_in(_: &Path, _: bool) -> Option<Content> {
    None
}

/// The path under which the system shows an open file.
#[cfg(target_os = "linux")]
fn path_of(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Names a file that has no name. A new file gets its name in one step. An old file can only be
/// replaced by a file that has a name, so there are two steps then, of one system call each. A
/// process that is killed between the two leaves a temporary name behind.
#[cfg(target_os = "linux")]
fn link(file: &File, target: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD};
    let path = path_of(file);
    let link =
        |name: &Path| Ok(rustix::fs::linkat(CWD, &path, CWD, name, AtFlags::SYMLINK_FOLLOW)?);
    match link(target) {
        Err(cause) if io::Error::kind(&cause) == io::ErrorKind::AlreadyExists => {}
        result => return result,
    }
    let temporary = builder().make_in(folder_of(target), link).map_err(plain)?;
    temporary.into_temp_path().persist(target).map_err(|failed| failed.error)
}

fn named_in(folder: &Path, permissions_follow: bool) -> io::Result<Content> {
    let mut builder = builder();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(first_mode(permissions_follow)));
    }
    let mut names = lock();
    let file = builder.tempfile_in(folder).map_err(plain)?;
    let unfinished = Unfinished::enlist(file.path(), &mut names);
    Ok(Content::Named(file, unfinished))
}

fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kostra-").suffix(".tmp");
    builder
}

/// The kind of an error without the name of the temporary file, which says nothing to the user.
fn plain(cause: io::Error) -> io::Error {
    cause.kind().into()
}

/// Gives a file the owner, the group and the permissions of the old one, as far as this process
/// may.
#[cfg(unix)]
fn inherit(file: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let owners = |metadata: &Metadata| (metadata.uid(), metadata.gid());
    if owners(&file.metadata()?) != owners(old)
        && fchown(file, Some(old.uid()), Some(old.gid())).is_err()
    {
        // Only root may change the owner, but a member of the group may keep the group.
        let _ = fchown(file, None, Some(old.gid()));
    }
    // Set-user-id and set-group-id never pass to another owner.
    let kept = if owners(&file.metadata()?) == owners(old) { 0o7777 } else { 0o777 };
    file.set_permissions(fs::Permissions::from_mode(old.mode() & kept))
}

#[cfg(not(unix))]
fn inherit(file: &File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}
