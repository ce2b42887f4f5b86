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
//!   4, names of the vertices, only in the first frame: c lengths, u32; c texts, UTF-8
//! ```
//!
//! A commit appends one frame and waits until it is on the disk. So only the last frame can be
//! incomplete after a crash, and nothing that was committed is in it. If the head of a frame
//! follows anywhere behind a wrong frame, also at another offset than its own, the log is damaged.
//!
//! The checksums find damage, not a forgery, because everybody can compute them. A log has no
//! forest that could be wrong: the forest is computed from the updates when the log is opened.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use kostra_core::{EdgeId, Order, Vertex, Weight, WeightType};
use xxhash_rust::xxh3::Xxh3;

use crate::edge_table::Membership;
use crate::{AnyDynamicForest, DynamicForest, LogError, with_dynamic_forest};

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
    /// `names` are those of all vertices, if they have any.
    ///
    /// # Errors
    /// When the file exists or cannot be written.
    pub fn create(
        path: &Path,
        forest: &AnyDynamicForest,
        names: Option<&[String]>,
    ) -> Result<Self, LogError> {
        let new = OpenOptions::new().read(true).write(true).create_new(true).open(path);
        let file = new.map_err(|error| LogError::File { path: path.into(), error })?;
        let mut log = Self::of(file, path)?;
        let weights = forest.weight_type().code();
        let (order, vertices) =
            with_dynamic_forest!(forest, forest => (forest.order(), forest.vertices()));
        let mut header = MAGIC.to_vec();
        for number in [VERSION, weights, u32::from(order == Order::Maximum), vertices] {
            header.extend(number.to_ne_bytes());
        }
        header.extend(checksum(0, &header).to_ne_bytes());
        log.write(&header)?;
        if let Some(names) = names {
            log.add(&[NAMES, names.len() as u32]);
            names.iter().for_each(|name| log.add(&[name.len() as u32]));
            names.iter().for_each(|name| log.add(name.as_bytes()));
        }
        with_dynamic_forest!(forest, forest => log.append_state(forest));
        log.commit()?;
        Ok(log)
    }

    /// Opens a log, and makes its forest. Takes the time of the updates.
    ///
    /// # Errors
    /// When the file is no log, is damaged, or is in use.
    pub fn open(path: &Path) -> Result<OpenedLog, LogError> {
        let failed = |error| LogError::File { path: path.into(), error };
        // Before opening, because reading a pipe would wait.
        if !path.metadata().map_err(failed)?.is_file() {
            return Err(LogError::NoFile { path: path.into() });
        }
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(failed)?;
        let mut log = Self::of(file, path)?;
        let length = log.file.metadata().map_err(failed)?.len();
        let mut forest = log.read_header(length)?;
        log.end = HEADER;
        let vertices = with_dynamic_forest!(&forest, forest => forest.vertices()) as usize;
        let (mut names, mut is_first) = (None, true);
        while let Some(updates) = log.next_frame(length)? {
            let mut updates = updates.as_slice();
            if is_first && updates.first_chunk() == Some(&NAMES.to_ne_bytes()) {
                let found = read_names(&mut updates).filter(|names| names.len() == vertices);
                names = Some(found.ok_or_else(|| log.damaged())?);
            }
            is_first = false;
            with_dynamic_forest!(&mut forest, forest => log.replay(forest, updates))?;
        }
        let dropped = length - log.end;
        log.file.set_len(log.end).map_err(failed)?;
        log.file.seek(SeekFrom::Start(log.end)).map_err(failed)?;
        Ok(OpenedLog { forest, names, log, dropped })
    }

    fn of(file: File, path: &Path) -> Result<Self, LogError> {
        if !lock(&file).map_err(|error| LogError::File { path: path.into(), error })? {
            return Err(LogError::InUse { path: path.into() });
        }
        let frame = vec![0; FRAME_HEAD];
        Ok(Self { file, path: path.into(), end: 0, frame, behind: false })
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

    fn add<T: bytemuck::Pod>(&mut self, values: &[T]) {
        self.frame.extend_from_slice(bytemuck::cast_slice(values));
    }

    /// Writes the appended updates and waits until they are on the disk. They are in the log from
    /// then on, and after an error they are not.
    ///
    /// # Errors
    /// When the file cannot be written, or an earlier commit failed.
    pub fn commit(&mut self) -> Result<(), LogError> {
        if self.behind {
            return Err(LogError::Behind { path: self.path.clone() });
        }
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

    /// Appends all edges that were ever inserted, and deletes the absent ones.
    fn append_state<W: Weight>(&mut self, forest: &DynamicForest<W>) {
        let edges = &forest.table.edges;
        let [u, v]: [Vec<Vertex>; 2] =
            [0, 1].map(|end| edges.iter().map(|edge| edge.ends[end]).collect());
        let weights: Vec<W> = edges.iter().map(|edge| edge.weight).collect();
        self.insert(&u, &v, &weights);
        let absent = |id: &EdgeId| forest.table.get(*id).state == Membership::Absent;
        let ids: Vec<EdgeId> = (0..edges.len() as EdgeId).filter(absent).collect();
        self.delete(&ids);
    }

    /// Reads the header, and makes its forest without edges.
    fn read_header(&mut self, length: u64) -> Result<AnyDynamicForest, LogError> {
        let other = || LogError::Other { path: self.path.clone() };
        let mut header = [0; HEADER as usize];
        if length < HEADER {
            return Err(other());
        }
        self.file
            .read_exact(&mut header)
            .map_err(|error| LogError::File { path: self.path.clone(), error })?;
        let (fields, sum) = header.split_at(HEADER as usize - CHECKSUM);
        let number = |place: usize| u32_at(fields, 8 + 4 * place);
        let (Some(weights), true) = (
            WeightType::from_code(number(1)),
            fields[..8] == MAGIC && number(0) == VERSION && checksum(0, fields) == u64_at(sum, 0),
        ) else {
            return Err(other());
        };
        let order = match number(2) {
            0 => Order::Minimum,
            1 => Order::Maximum,
            _ => return Err(other()),
        };
        AnyDynamicForest::new(number(3) as usize, weights, order)
            .map_err(|error| LogError::Update { path: self.path.clone(), error })
    }

    /// The updates of the next frame; none if no complete frame follows.
    fn next_frame(&mut self, length: u64) -> Result<Option<Vec<u8>>, LogError> {
        let failed = |error| LogError::File { path: self.path.clone(), error };
        let rest = length - self.end;
        let mut head = [0; FRAME_HEAD];
        if rest < head.len() as u64 {
            return Ok(None);
        }
        self.file.seek(SeekFrom::Start(self.end)).map_err(failed)?;
        self.file.read_exact(&mut head).map_err(failed)?;
        let Some(size) = read_head(&head).and_then(|[offset, size]| {
            let fits = size <= rest.saturating_sub((FRAME_HEAD + CHECKSUM) as u64);
            (offset == self.end && fits).then_some(size)
        }) else {
            return self.torn(length);
        };
        let mut updates = Vec::new();
        updates
            .try_reserve_exact(size as usize + CHECKSUM)
            .map_err(|_| failed(io::ErrorKind::OutOfMemory.into()))?;
        let bytes = size + CHECKSUM as u64;
        (&mut self.file).take(bytes).read_to_end(&mut updates).map_err(failed)?;
        let sum = u64_at(&updates, size as usize);
        updates.truncate(size as usize);
        if sum == checksum(self.end, &updates) {
            self.end += (FRAME_HEAD + CHECKSUM) as u64 + size;
            return Ok(Some(updates));
        }
        self.torn(length)
    }

    /// At a frame that is not complete: nothing if no frame follows, so that it is the last one.
    fn torn(&mut self, length: u64) -> Result<Option<Vec<u8>>, LogError> {
        let failed = |error| LogError::File { path: self.path.clone(), error };
        let mut rest = Vec::new();
        self.file.seek(SeekFrom::Start(self.end)).map_err(failed)?;
        (&mut self.file).take(length - self.end).read_to_end(&mut rest).map_err(failed)?;
        let is_head = |head: &[u8]| {
            head.first_chunk().and_then(read_head).is_some_and(|[_, size]| size < length)
        };
        // Its own head is at the start.
        let follows = rest.windows(FRAME_HEAD).skip(1).any(is_head);
        if follows { Err(self.damaged()) } else { Ok(None) }
    }

    fn damaged(&self) -> LogError {
        LogError::Damaged { path: self.path.clone(), offset: self.end }
    }

    /// Applies the updates of a frame.
    fn replay<W: Weight>(
        &self,
        forest: &mut DynamicForest<W>,
        mut updates: &[u8],
    ) -> Result<(), LogError> {
        while !updates.is_empty() {
            let (kind, count) = match updates.split_at_checked(8) {
                Some((head, rest)) => {
                    updates = rest;
                    (u32_at(head, 0), u32_at(head, 4))
                }
                None => return Err(self.damaged()),
            };
            let mut numbers = || -> Result<Vec<u32>, LogError> {
                values(&mut updates, count).ok_or_else(|| self.damaged())
            };
            let applied = match kind {
                INSERT => {
                    let (u, v) = (numbers()?, numbers()?);
                    let weights: Vec<W> =
                        values(&mut updates, count).ok_or_else(|| self.damaged())?;
                    forest.insert(&u, &v, &weights).map(|_| ())
                }
                DELETE => forest.delete(&numbers()?),
                REWEIGHT => {
                    let ids = numbers()?;
                    let weights: Vec<W> =
                        values(&mut updates, count).ok_or_else(|| self.damaged())?;
                    forest.reweight(&ids, &weights)
                }
                EXPIRE => forest.expire(count).map(|_| ()),
                _ => return Err(self.damaged()),
            };
            applied.map_err(|error| LogError::Update { path: self.path.clone(), error })?;
        }
        Ok(())
    }
}

/// The names at the start of the first frame; nothing if they are not complete.
fn read_names(updates: &mut &[u8]) -> Option<Vec<String>> {
    let head: Vec<u32> = values(updates, 2)?;
    let lengths: Vec<u32> = values(updates, head[1])?;
    let name = |length| String::from_utf8(values(updates, length)?).ok();
    lengths.into_iter().map(name).collect()
}

/// The first `count` values of `bytes`, which are removed; nothing if there are fewer.
fn values<T: bytemuck::Pod>(bytes: &mut &[u8], count: u32) -> Option<Vec<T>> {
    let (taken, rest) = bytes.split_at_checked(count as usize * size_of::<T>())?;
    *bytes = rest;
    Some(bytemuck::pod_collect_to_vec(taken))
}

/// The offset of the frame with this head, and the bytes of its updates; nothing if the head is
/// damaged.
fn read_head(head: &[u8; FRAME_HEAD]) -> Option<[u64; 2]> {
    let (checked, sum) = head.split_at(CHECKED);
    (checksum(0, checked) == u64_at(sum, 0)).then(|| [u64_at(checked, 0), u64_at(checked, 8)])
}

pub(crate) fn checksum(offset: u64, bytes: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(&offset.to_ne_bytes());
    hash.update(bytes);
    hash.digest()
}

fn u32_at(bytes: &[u8], place: usize) -> u32 {
    bytemuck::pod_read_unaligned(&bytes[place..place + 4])
}

fn u64_at(bytes: &[u8], place: usize) -> u64 {
    bytemuck::pod_read_unaligned(&bytes[place..place + 8])
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
