//! Checkpoints: the forest so far in a file beside the output, which `--resume` continues.
//!
//! A checkpoint is only valid for the input and the task that it was written for. Two checks ensure
//! this: an identity of lines such as `size: 7 bytes` is compared at the start, and the checksum of
//! the edges so far when they have been read again. Options of the reader are not compared: as long
//! as they lead to the same edges, they do not matter.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context;
use kostra::io::{Checkpoint, FileVersion, Input, LockFile, Output};
use kostra_core::Order;

use super::super::plan::Plan;
use super::engine::Settings;
use super::intake::Before;
use super::sink::AnySink;
use crate::input::Source;
use crate::report::thousands;

/// Where and how often checkpoints are written.
#[derive(Debug)]
pub(in crate::commands::solve) struct Checkpoints {
    path: PathBuf,
    every: Duration,
    /// The input and the task, one line each.
    identity: String,
    /// Why other solves with this checkpoint are not refused, or else the lock that refuses them.
    lock: Result<LockFile, String>,
}

impl Checkpoints {
    /// Checkpoints beside the output, every so many seconds. None if the output is no plain file.
    ///
    /// # Errors
    /// When another solve writes these checkpoints.
    pub(super) fn beside(plan: &Plan, seconds: u64) -> anyhow::Result<Option<Self>> {
        let output = plan.output.as_ref().map(|destination| &destination.output);
        let Some(Output::Path(path)) = output.filter(|output| output.is_plain_file()) else {
            return Ok(None);
        };
        let mut name = path.clone().into_os_string();
        name.push(".checkpoint");
        let every = Duration::from_secs(seconds);
        let lock = lock(&name)?;
        Ok(Some(Self { path: name.into(), every, identity: identity(plan), lock }))
    }

    /// A note if other solves with this checkpoint are not refused.
    pub(super) fn note_on_lock(&self) -> Option<String> {
        self.lock.as_ref().err().cloned()
    }

    /// Refuses a file that this solve would replace: the checkpoint of an interrupted solve, or a
    /// file that is no checkpoint.
    ///
    /// # Errors
    /// When there is such a file.
    pub(super) fn refuse_loss(&self) -> anyhow::Result<()> {
        let path = self.path.display();
        let Ok(metadata) = std::fs::symlink_metadata(&self.path) else { return Ok(()) };
        if !metadata.is_file() || !Checkpoint::is_at(&self.path) {
            anyhow::bail!(
                "{path}: this is no checkpoint of kostra, and a checkpoint would replace it; remove \
                 it, or name another file with `--output`"
            );
        }
        anyhow::bail!(
            "{path}: an interrupted solve left this checkpoint; pass `--resume` to continue the \
             solve, or remove the file to solve from the start"
        );
    }

    /// Removes the checkpoint after the forest was written.
    pub(super) fn remove(&self) -> anyhow::Result<()> {
        match std::fs::remove_file(&self.path) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
                Err(cause).with_context(|| self.path.display().to_string())
            }
            _ => Ok(()),
        }
    }
}

/// Keeps other solves from writing this checkpoint until this solve ends, or says why it cannot:
/// not all file systems have locks.
///
/// # Errors
/// When another solve writes the checkpoint.
fn lock(checkpoint: &OsStr) -> anyhow::Result<Result<LockFile, String>> {
    let mut name = checkpoint.to_owned();
    name.push(".lock");
    let path = Path::new(&name).display();
    match LockFile::take(Path::new(&name)) {
        Ok(Some(lock)) => Ok(Ok(lock)),
        Ok(None) => anyhow::bail!(
            "{path}: another solve is writing this output; wait for its end, or name another file \
             with `--output`"
        ),
        Err(cause) => Ok(Err(format!(
            "{path} could not be locked, so another solve with this output would not have been \
             refused: {cause}"
        ))),
    }
}

/// The input and the task, one line each.
fn identity(plan: &Plan) -> String {
    let mut lines = Vec::new();
    match &plan.input.source {
        Source::File(Input::Path(path)) => {
            let whole = std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
            lines.push(format!("input: {}", whole.display()));
            // A missing file is reported by the reader.
            if let Ok(version) = FileVersion::at(path) {
                lines.push(format!("size: {} bytes", version.length()));
                lines.push(format!("last change: {}", since_1970(version.modified())));
            }
        }
        source @ (Source::File(Input::Stdin) | Source::Generator(_)) => {
            lines.push(format!("input: {source}"));
        }
    }
    let kind = match plan.order {
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

/// The sink of a checkpoint and the edges that it covers, if there is a checkpoint; and a note.
///
/// # Errors
/// When the checkpoint is damaged, or of another input or task.
pub(super) fn load(
    checkpoints: &Checkpoints,
    settings: &Settings,
) -> anyhow::Result<(Option<(AnySink, Before)>, String)> {
    let path = &checkpoints.path;
    if !path.exists() {
        let note = format!("there is no checkpoint {}; solved from the start", path.display());
        return Ok((None, note));
    }
    let checkpoint = Checkpoint::open(path)?;
    let facts = checkpoint.facts();
    if let Some((there, here)) = difference(&facts.identity, &checkpoints.identity) {
        anyhow::bail!(
            "{}: the checkpoint belongs to another solve ({there}; now {here}); {FROM_THE_START}",
            path.display()
        );
    }
    let before = Before { edges: facts.taken, checksum: facts.seen };
    let note = format!("resumed after {} edges", thousands(facts.taken));
    let sink = AnySink::saved(checkpoint, settings)?;
    Ok((Some((sink, before)), note))
}

/// What to do about a checkpoint from which a solve cannot continue.
const FROM_THE_START: &str = "to solve from the start, omit `--resume` and remove the checkpoint";

/// The first lines that differ.
fn difference<'a>(there: &'a str, here: &'a str) -> Option<(&'a str, &'a str)> {
    if there == here {
        return None;
    }
    let pairs = there.lines().zip(here.lines());
    Some(pairs.into_iter().find(|(there, here)| there != here).unwrap_or(("fewer facts", "more")))
}

/// The error for an input whose first `edges` edges are not those of the checkpoint.
pub(super) fn other_edges(edges: u64) -> anyhow::Error {
    anyhow::anyhow!(
        "the first {} edges of the input are not those that the checkpoint covers; {FROM_THE_START}",
        thousands(edges)
    )
}

/// Writes checkpoints during a solve.
pub(super) struct Saver<'a> {
    checkpoints: &'a Checkpoints,
    last: Instant,
    failure: Option<String>,
}

impl<'a> Saver<'a> {
    pub(super) fn new(checkpoints: &'a Checkpoints) -> Self {
        Self { checkpoints, last: Instant::now(), failure: None }
    }

    /// Writes a checkpoint if the last one is old enough. A failure does not end the solve: the
    /// disk may have room when the forest is complete.
    pub(super) fn save_if_due(&mut self, sink: &mut AnySink, checksum: u64) {
        let Checkpoints { path, every, identity, .. } = self.checkpoints;
        if self.last.elapsed() < *every {
            return;
        }
        let saved = sink.save(path, (identity, checksum));
        self.failure = saved.err().map(|error| note(path, &error));
        self.last = Instant::now();
    }

    /// A note if the last checkpoint could not be written.
    pub(super) fn into_note(self) -> Option<String> {
        self.failure
    }
}

fn note(path: &Path, error: &anyhow::Error) -> String {
    format!("the checkpoint {} could not be written: {error:#}", path.display())
}
