//! A file that records every update, so that a forest outlives its process.
//!
//! ```text
//! magic: 8B "KOSLOG", then in the byte order of the machine:
//! version 1, u32; weight type, u32; maximum 0 or 1, u32; vertices, u32;
//! XXH3 of the bytes before, u64
//! frames: offset of the frame in the file, u64; bytes of its updates k, u64; XXH3 of both, u64;
//!         k bytes of updates; XXH3 of the frame's offset and these bytes, u64
//! update: kind, u32; count c, u32; then by kind
//!   0, insert: c first ends, u32; c second ends, u32; c weights
//!   1, delete: c ids, u32
//!   2, reweight: c ids, u32; c weights
//!   3, expire: nothing; edges with ids below c
//!   4, names of vertices, from the lowest without one on: c lengths, u32; c texts, UTF-8
//!   5, add vertices: nothing; c vertices
//!   6, state, only while no edge was inserted: the next id, u32; c ids of the present edges,
//!      ascending, u32; c first ends, u32; c second ends, u32; c weights
//! ```
//!
//! After each frame, either all vertices have names or none has. A log starts with a state, and so
//! does a compacted log: the ids between those of present edges take no space.
//!
//! A commit appends one frame and waits until it is on the disk. So only the last frame can be
//! incomplete after a crash, and nothing that was committed is in it. If the head of a frame
//! follows anywhere behind a wrong frame, also at another offset than its own, the log is damaged.
//!
//! A log is created and compacted as a whole: a complete file replaces the former one in one step.
//! So after a crash there is the former file or the new one. A process that creates a log first
//! makes an empty file and locks it, and then replaces this file. An empty file counts as none.
//!
//! The checksums find damage, not a forgery, because everybody can compute them. A log has no
//! forest that could be wrong: the forest is computed from the updates when the log is opened.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use kostra_core::{EdgeId, Order, Vertex, Weight};
use xxhash_rust::xxh3::Xxh3;

use self::file::{Purpose, Successor};
use crate::{AnyDynamicForest, DynamicForest, LogError, Update, UpdateBatch, with_dynamic_forest};

mod file;
mod replay;
#[cfg(test)]
mod tests;

const MAGIC: [u8; 8] = *b"\x8bKOSLOG\n";
const VERSION: u32 = 1;
const HEADER: u64 = 32;
const FRAME_HEAD: usize = 24;
/// The bytes of a frame's head before its checksum.
const CHECKED: usize = FRAME_HEAD - CHECKSUM;
const CHECKSUM: usize = 8;
const INSERT: u32 = 0;
const DELETE: u32 = 1;
const REWEIGHT: u32 = 2;
const EXPIRE: u32 = 3;
const NAMES: u32 = 4;
const VERTICES: u32 = 5;
const STATE: u32 = 6;

/// An open log, to which the updates of a forest are appended. The caller applies each update to
/// the forest, then appends and commits it.
pub struct UpdateLog {
    file: File,
    path: PathBuf,
    /// The end of the committed frames.
    end: u64,
    /// The updates that are not yet committed, with room for the head of their frame.
    frame: Vec<u8>,
    behind: bool,
}

/// A log that was opened, and the forest that its updates make.
pub struct OpenedLog {
    /// The forest.
    pub forest: AnyDynamicForest,
    /// The names of the vertices, if the log has them.
    pub names: Option<Vec<String>>,
    /// The log, for further updates.
    pub log: UpdateLog,
    /// The bytes of an incomplete last frame, which was dropped. It was never committed.
    pub dropped: u64,
}

impl UpdateLog {
    /// Creates a log that starts with the present state of a forest. The ids of its edges stay.
    /// `names` are those of all vertices, if they have any. An empty file is replaced.
    ///
    /// # Errors
    /// When the file exists and is not empty, or cannot be written.
    pub fn create(
        path: &Path,
        forest: &AnyDynamicForest,
        names: Option<&[String]>,
    ) -> Result<Self, LogError> {
        let mut log = Self::of(file::open(path, Purpose::Create)?, path);
        log.compact(forest, names)?;
        Ok(log)
    }

    /// Opens a log, and makes its forest. Takes the time of the updates.
    ///
    /// # Errors
    /// When the file is no log, is damaged, or is in use.
    pub fn open(path: &Path) -> Result<OpenedLog, LogError> {
        let failed = |error| LogError::File { path: path.into(), error };
        let mut log = Self::of(file::open(path, Purpose::Continue)?, path);
        let length = log.file.metadata().map_err(failed)?.len();
        let (forest, names) = log.replay(length)?;
        let dropped = length - log.end;
        log.file.set_len(log.end).map_err(failed)?;
        log.file.seek(SeekFrom::Start(log.end)).map_err(failed)?;
        Ok(OpenedLog { forest, names, log, dropped })
    }

    fn of(file: File, path: &Path) -> Self {
        Self { file, path: path.into(), end: 0, frame: vec![0; FRAME_HEAD], behind: false }
    }

    /// Replaces the whole log by the present state of its forest, in one step. The ids of edges
    /// stay, and are not used again. `names` are those of all vertices, if they have any. Appended
    /// updates count as committed. Takes the time of writing the present edges.
    ///
    /// # Errors
    /// When the file cannot be written, or an earlier commit failed. The log is as it was then.
    pub fn compact(
        &mut self,
        forest: &AnyDynamicForest,
        names: Option<&[String]>,
    ) -> Result<(), LogError> {
        self.check_not_behind()?;
        let failed = |error| LogError::File { path: self.path.clone(), error };
        let successor = Successor::of(&self.file, &self.path).map_err(failed)?;
        let file = successor.file().try_clone().map_err(failed)?;
        let mut log = Self::of(file, &self.path);
        log.write_state(forest, names)?;
        log.file = successor.replace(&self.file).map_err(failed)?;
        // Later updates are in the new file, which a crash may undo until its name is on the disk.
        let named = file::sync_name(&self.path).map_err(failed);
        log.behind = named.is_err();
        *self = log;
        named
    }

    /// Writes the header, and the first frame.
    fn write_state(
        &mut self,
        forest: &AnyDynamicForest,
        names: Option<&[String]>,
    ) -> Result<(), LogError> {
        let weights = forest.weight_type().code();
        let (order, vertices) =
            with_dynamic_forest!(forest, forest => (forest.order(), forest.vertices()));
        let mut header = MAGIC.to_vec();
        for number in [VERSION, weights, u32::from(order == Order::Maximum), vertices] {
            header.extend(number.to_ne_bytes());
        }
        header.extend(checksum(0, &header).to_ne_bytes());
        self.write(&header)?;
        names.iter().for_each(|names| self.add_names(names));
        with_dynamic_forest!(forest, forest => self.add_edges(forest));
        self.commit()
    }

    /// Appends [`DynamicForest::insert`] to the next frame.
    pub fn insert<W: Weight>(&mut self, u: &[Vertex], v: &[Vertex], weights: &[W]) {
        self.add(&[INSERT, u.len() as u32]);
        self.add(u);
        self.add(v);
        self.add(weights);
    }

    /// Appends [`DynamicForest::delete`] to the next frame.
    pub fn delete(&mut self, ids: &[EdgeId]) {
        self.add(&[DELETE, ids.len() as u32]);
        self.add(ids);
    }

    /// Appends [`DynamicForest::reweight`] to the next frame.
    pub fn reweight<W: Weight>(&mut self, ids: &[EdgeId], weights: &[W]) {
        self.add(&[REWEIGHT, ids.len() as u32]);
        self.add(ids);
        self.add(weights);
    }

    /// Appends [`DynamicForest::expire`] to the next frame.
    pub fn expire(&mut self, before: EdgeId) {
        self.add(&[EXPIRE, before]);
    }

    /// Appends [`DynamicForest::apply`] to the next frame.
    pub fn apply<W: Weight>(&mut self, batch: &UpdateBatch<'_, W>) {
        let UpdateBatch { expire, delete, reweight, insert } = *batch;
        if expire > 0 {
            self.expire(expire);
        }
        self.delete(delete);
        self.reweight(reweight.0, reweight.1);
        self.insert(insert.0, insert.1, insert.2);
    }

    /// Appends [`DynamicForest::apply_sequence`] to the next frame.
    pub fn apply_sequence<W: Weight>(&mut self, updates: &[Update<W>]) {
        for update in updates {
            match *update {
                Update::Insert([u, v], weight) => self.insert(&[u], &[v], &[weight]),
                Update::Delete(id) => self.delete(&[id]),
                Update::Reweight(id, weight) => self.reweight(&[id], &[weight]),
            }
        }
    }

    /// Appends [`DynamicForest::add_vertices`] to the next frame. `names` are those of the new
    /// vertices, if vertices have any.
    pub fn add_vertices(&mut self, count: usize, names: Option<&[String]>) {
        self.add(&[VERTICES, count as u32]);
        names.iter().for_each(|names| self.add_names(names));
    }

    fn add_names(&mut self, names: &[String]) {
        self.add(&[NAMES, names.len() as u32]);
        names.iter().for_each(|name| self.add(&[name.len() as u32]));
        names.iter().for_each(|name| self.add(name.as_bytes()));
    }

    /// Appends the present edges and the next id.
    fn add_edges<W: Weight>(&mut self, forest: &DynamicForest<W>) {
        let ids = forest.present_ids();
        let edges = || ids.iter().map(|&id| forest.table.get(id));
        self.add(&[STATE, ids.len() as u32, forest.table.next_id() as u32]);
        self.add(&ids);
        edges().for_each(|edge| self.add(&edge.ends[..1]));
        edges().for_each(|edge| self.add(&edge.ends[1..]));
        edges().for_each(|edge| self.add(&[edge.weight]));
    }

    fn add<T: bytemuck::Pod>(&mut self, values: &[T]) {
        self.frame.extend_from_slice(bytemuck::cast_slice(values));
    }

    /// Writes the appended updates and waits until they are on the disk. They are in the log from
    /// then on, and after an error they are not.
    ///
    /// # Errors
    /// When the file cannot be written, or an earlier commit failed.
    pub fn commit(&mut self) -> Result<(), LogError> {
        self.check_not_behind()?;
        let size = (self.frame.len() - FRAME_HEAD) as u64;
        if size == 0 {
            return Ok(());
        }
        let sum = checksum(self.end, &self.frame[FRAME_HEAD..]);
        self.frame[..8].copy_from_slice(&self.end.to_ne_bytes());
        self.frame[8..CHECKED].copy_from_slice(&size.to_ne_bytes());
        let head_sum = checksum(0, &self.frame[..CHECKED]);
        self.frame[CHECKED..FRAME_HEAD].copy_from_slice(&head_sum.to_ne_bytes());
        self.frame.extend(sum.to_ne_bytes());
        let frame = std::mem::take(&mut self.frame);
        let written = self.write(&frame);
        self.frame = frame;
        self.frame.truncate(FRAME_HEAD);
        self.behind = written.is_err();
        written
    }

    /// Writes at the end, and waits for the disk.
    fn write(&mut self, bytes: &[u8]) -> Result<(), LogError> {
        let written = self.file.write_all(bytes).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // What was written of the frame is dropped now or, if that fails, by the next opening.
            let _ = self.file.set_len(self.end);
            return Err(LogError::File { path: self.path.clone(), error });
        }
        self.end += bytes.len() as u64;
        Ok(())
    }

    fn check_not_behind(&self) -> Result<(), LogError> {
        if self.behind { Err(LogError::Behind { path: self.path.clone() }) } else { Ok(()) }
    }
}

fn checksum(offset: u64, bytes: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(&offset.to_ne_bytes());
    hash.update(bytes);
    hash.digest()
}
