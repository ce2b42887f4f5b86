//! Checkpoints: the forest so far in a file, from which an interrupted solve continues.
//!
//! A checkpoint is only valid for the input and the task that it was written for. Two checks ensure
//! this: an identity of lines such as `size: 7 bytes` is compared at the start, and the checksum of
//! the edges so far when they have been read again. Options of the reader are not compared: as long
//! as they lead to the same edges, they do not matter.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use std::{fs, io};

use kostra_core::{Order, shown};
use kostra_io::{Checkpoint, FileVersion, Input, LockFile, WriteError};

use super::error::{CheckpointFault, ExternalError};
use super::reader::Source;
use super::sink::{AnySink, Settings};

/// Where and how often the forest so far is saved, and whether to continue from there.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    path: PathBuf,
    model: Option<PathBuf>,
    every: Duration,
    resume: bool,
}

impl Checkpoints {
    /// Saves the forest so far to this file every five minutes. Refuses a checkpoint that another
    /// solve has left there. A lock beside the file, with the extension `.lock`, keeps other solves
    /// from writing it.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        let every = Duration::from_secs(300);
        Self { path: path.into(), model: None, every, resume: false }
    }

    /// Gives the checkpoint the permissions of this file, if it exists: that of the forest.
    pub fn with_permissions_of(self, model: impl Into<PathBuf>) -> Self {
        Self { model: Some(model.into()), ..self }
    }

    /// Sets the time between two checkpoints. With 0, the forest is saved after each block.
    pub fn every(self, every: Duration) -> Self {
        Self { every, ..self }
    }

    /// Continues from the checkpoint if there is one. The input is read again up to the place of
    /// the checkpoint, but not solved again.
    pub fn resume(self, resume: bool) -> Self {
        Self { resume, ..self }
    }
}

/// The checkpoint of a solve, which other solves cannot write while this exists.
#[derive(Debug)]
pub struct CheckpointFile {
    options: Checkpoints,
    /// The input and the task, one line each.
    identity: String,
    /// Why other solves with this checkpoint are not refused, or else the lock that refuses them.
    lock: Result<LockFile, String>,
    last: Instant,
    /// Why the last checkpoint could not be written.
    failure: Option<String>,
}

/// The edges that a checkpoint covers.
#[derive(Clone, Copy)]
pub(super) struct Before {
    pub(super) edges: u64,
    pub(super) checksum: u64,
}

impl CheckpointFile {
    /// Locks the checkpoint, and refuses to lose the file that is there.
    ///
    /// # Errors
    /// When another solve writes the checkpoint, or, unless it is resumed, when there is a file.
    pub(super) fn open(
        options: Checkpoints,
        source: Source<'_>,
        order: Order,
    ) -> Result<Self, ExternalError> {
        let lock = lock(&options)?;
        if !options.resume {
            refuse_loss(&options.path)?;
        }
        let identity = identity(source, order);
        Ok(Self { options, identity, lock, last: Instant::now(), failure: None })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.options.path
    }

    /// Removes the file, for the time when the forest is safe.
    ///
    /// # Errors
    /// When the file cannot be removed.
    pub fn remove(self) -> Result<(), WriteError> {
        match fs::remove_file(self.path()) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
                Err(WriteError::Io { output: shown(self.path()), cause })
            }
            _ => Ok(()),
        }
    }

    /// The sink of the checkpoint and the edges that it covers, if there is a checkpoint to resume.
    ///
    /// # Errors
    /// When the checkpoint is damaged, or of another input or task.
    pub(super) fn load(
        &self,
        settings: &Settings,
    ) -> Result<Option<(AnySink, Before)>, ExternalError> {
        let path = self.path();
        if !self.options.resume || fs::symlink_metadata(path).is_err() {
            return Ok(None);
        }
        let checkpoint = Checkpoint::open(path)?;
        let facts = checkpoint.facts();
        if let Some((there, here)) = difference(&facts.identity, &self.identity) {
            let (there, here) = (there.to_owned(), here.to_owned());
            return Err(ExternalError::checkpoint(
                path,
                CheckpointFault::OtherSolve { there, here },
            ));
        }
        let before = Before { edges: facts.taken, checksum: facts.seen };
        let none = || ExternalError::checkpoint(path, CheckpointFault::NoForest);
        Ok(Some((AnySink::saved(checkpoint, settings)?.ok_or_else(none)?, before)))
    }

    /// Saves the forest so far if the last checkpoint is old enough. A failure does not end the
    /// solve: the disk may have room when the forest is complete.
    pub(super) fn save_if_due(&mut self, sink: &mut AnySink, checksum: u64) {
        if self.last.elapsed() < self.options.every {
            return;
        }
        let paths = (self.path(), self.options.model.as_deref());
        let saved = sink.save(paths, (&self.identity, checksum));
        self.failure = saved.err().map(|error| {
            format!("the checkpoint {} could not be written: {error}", shown(self.path()))
        });
        self.last = Instant::now();
    }

    /// Notes if the last checkpoint could not be written, and if other solves with this checkpoint
    /// are not refused.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        self.failure.iter().chain(self.lock.as_ref().err()).cloned()
    }
}

/// Keeps other solves from writing this checkpoint until this solve ends, or says why it cannot:
/// not all file systems have locks.
///
/// # Errors
/// When another solve writes the checkpoint.
fn lock(checkpoint: &Checkpoints) -> Result<Result<LockFile, String>, ExternalError> {
    let mut path = checkpoint.path.as_os_str().to_owned();
    path.push(".lock");
    match LockFile::take(Path::new(&path), checkpoint.model.as_deref()) {
        Ok(Some(lock)) => Ok(Ok(lock)),
        Ok(None) => Err(ExternalError::checkpoint(path, CheckpointFault::InUse)),
        Err(cause) => Ok(Err(format!(
            "{} could not be locked, so another solve with this output would not have been \
             refused: {cause}",
            shown(Path::new(&path))
        ))),
    }
}

/// Refuses a file that this solve would replace: the checkpoint of an interrupted solve, or a file
/// that is no checkpoint.
fn refuse_loss(path: &Path) -> Result<(), ExternalError> {
    let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(()) };
    let is_checkpoint = metadata.is_file() && Checkpoint::is_at(path);
    let fault =
        if is_checkpoint { CheckpointFault::Interrupted } else { CheckpointFault::OtherFile };
    Err(ExternalError::checkpoint(path, fault))
}

/// The input and the task, one line each.
fn identity(source: Source<'_>, order: Order) -> String {
    let mut lines = Vec::new();
    match source {
        Source::File(Input::Path(path), _) => {
            let whole = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
            lines.push(format!("input: {}", shown(&whole)));
            // A missing file is reported by the reader.
            if let Ok(version) = FileVersion::at(path) {
                lines.push(format!("size: {} bytes", version.length()));
                lines.push(format!("last change: {}", since_1970(version.modified())));
            }
        }
        source => lines.push(format!("input: {source}")),
    }
    let kind = match order {
        Order::Minimum => "minimum",
        Order::Maximum => "maximum",
    };
    lines.push(format!("forest: {kind}"));
    lines.join("\n")
}

fn since_1970(time: SystemTime) -> String {
    let time = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{}.{:09} s after 1970", time.as_secs(), time.subsec_nanos())
}

/// The first lines that differ.
fn difference<'a>(there: &'a str, here: &'a str) -> Option<(&'a str, &'a str)> {
    if there == here {
        return None;
    }
    let pairs = there.lines().zip(here.lines());
    Some(pairs.into_iter().find(|(there, here)| there != here).unwrap_or(("fewer facts", "more")))
}
