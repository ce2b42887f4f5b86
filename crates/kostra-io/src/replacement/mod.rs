//! Files that replace an old file in one step when they are complete.
//!
//! On Linux the content is written to a file without a name (`O_TMPFILE`), which disappears if the
//! process ends early. If the file system has no such files, or other processes must open the file,
//! its name is `.kostra-*.tmp` until it is complete. A list of these names lets a process that ends
//! early [remove them](abandon_unfinished).

#[cfg(test)]
mod tests;

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::time::Duration;

use tempfile::NamedTempFile;

use crate::file_version::check_regular;

/// The future content of a file. Dropping it before [`Replacement::commit`] changes nothing.
///
/// A symbolic link stays: the file that it leads to is replaced. An existing file must be writable.
/// The new file gets its permissions, and its owner and group as far as this process may set them.
/// If there is no file, the new one gets default permissions.
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
/// A process that aborts the job calls [`abandon_unfinished`] first: every process can remove the
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
    Named(NamedTempFile, UnfinishedName),
}

impl Replacement {
    /// Creates an empty file that will replace `path`, without a name if the system supports it.
    ///
    /// # Errors
    /// When the folder does not exist or cannot be written to, or `path` exists and is not a
    /// regular file or not writable.
    pub fn create(path: &Path) -> io::Result<Self> {
        let target = follow_links(path)?;
        let old = writable(&target)?;
        let content = match unnamed_in(folder_of(&target), old.is_some()) {
            Some(content) => content,
            None => named_in(folder_of(&target), old.is_some())?,
        };
        Self { target, content }.inheriting(old.as_ref())
    }

    /// Creates an empty file that will replace `path`, a file of this program, with the permissions
    /// of the file `model`, if there is one. A link at `path` is refused, and not followed later.
    ///
    /// # Errors
    /// As [`Replacement::create`].
    pub fn create_like(path: &Path, model: Option<&Path>) -> io::Result<Self> {
        check_regular(fs::symlink_metadata(path).ok())?;
        let model = model_of(model);
        let content = match unnamed_in(folder_of(path), model.is_some()) {
            Some(content) => content,
            None => named_in(folder_of(path), model.is_some())?,
        };
        Self { target: path.to_path_buf(), content }.inheriting(model.as_ref())
    }

    /// Creates an empty file that will replace `path`, with a temporary name in the same folder, by
    /// which other processes can open it.
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

    /// Stores the content durably, then gives it the name of the file.
    ///
    /// # Errors
    /// When the content cannot be stored or renamed. Then the old file is unchanged.
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

/// A [named replacement](Replacement::create_named) of another process, opened to write a part of
/// it. Dropping it does not remove the file.
#[derive(Debug)]
pub struct ReplacementPart {
    file: File,
    _unfinished: UnfinishedName,
}

impl ReplacementPart {
    /// Opens the file by its temporary name.
    ///
    /// # Errors
    /// When the file cannot be opened, for example on a machine that does not share the folder.
    pub fn open(name: &Path) -> io::Result<Self> {
        let mut names = lock();
        let file = OpenOptions::new().write(true).open(name)?;
        Ok(Self { file, _unfinished: UnfinishedName::enlist(name, &mut names) })
    }

    /// The file to write to.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }
}

/// The temporary names that this process must remove if it ends early. Files are named and renamed
/// under this lock.
static NAMES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn lock() -> MutexGuard<'static, Vec<PathBuf>> {
    kostra_parallel::lock(&NAMES)
}

/// Removes the temporary files of all incomplete replacements. Call it right before the process
/// ends other than by the return of `main`: a commit after this call waits forever.
///
/// It waits up to a second for a replacement that another thread is naming. It does not wait
/// longer, because the caller may have interrupted that thread.
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

/// A name in the list; dropping it removes the name from the list.
#[derive(Debug)]
pub(crate) struct UnfinishedName(PathBuf);

impl UnfinishedName {
    /// Enlists a file.
    pub(crate) fn new(name: &Path) -> Self {
        Self::enlist(name, &mut lock())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    fn enlist(name: &Path, names: &mut Vec<PathBuf>) -> Self {
        names.push(name.to_path_buf());
        Self(name.to_path_buf())
    }
}

impl Drop for UnfinishedName {
    fn drop(&mut self) {
        let mut names = lock();
        if let Some(index) = names.iter().position(|name| *name == self.0) {
            names.swap_remove(index);
        }
    }
}

/// The path after following symbolic links; there may be no file.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    const MOST: usize = 40; // the limit of Linux
    let mut target = path.to_path_buf();
    for _ in 0..MOST {
        match fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(target),
        }
    }
    Err(io::Error::other("the path has too many symbolic links"))
}

fn folder_of(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The metadata of the old file, if there is one. A rename would also replace a read-only file, so
/// this checks that the file is writable.
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

/// The permissions of a new file before the umask. A file that gets the permissions of an old one
/// later is private until then.
#[cfg(unix)]
fn first_mode(permissions_follow: bool) -> u32 {
    if permissions_follow { 0o600 } else { 0o666 }
}

/// A file without a name; `None` if the system does not support such files, or cannot name them
/// later.
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

/// Names a file that has no name. If there is no old file, this is one system call. An old file can
/// only be replaced by a file with a name, which takes two system calls; a process that is killed
/// between them leaves a temporary file.
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
    let unfinished = UnfinishedName::enlist(file.path(), &mut names);
    Ok(Content::Named(file, unfinished))
}

fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kostra-").suffix(".tmp");
    builder
}

/// The kind of an error, without the name of the temporary file, which the user does not know.
fn plain(cause: io::Error) -> io::Error {
    cause.kind().into()
}

/// The file whose owner, group and permissions a new file gets.
pub(crate) fn model_of(model: Option<&Path>) -> Option<Metadata> {
    model.and_then(|model| fs::metadata(model).ok()).filter(Metadata::is_file)
}

/// Sets the permissions with which a file is created.
#[cfg(unix)]
pub(crate) fn set_first_mode(options: &mut OpenOptions, permissions_follow: bool) {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(first_mode(permissions_follow));
}

#[cfg(not(unix))]
pub(crate) fn set_first_mode(_: &mut OpenOptions, _permissions_follow: bool) {}

/// Gives a file the owner, group and permissions of the old one, as far as this process may.
#[cfg(unix)]
pub(crate) fn inherit(file: &File, old: &Metadata) -> io::Result<()> {
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
pub(crate) fn inherit(file: &File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}
