//! Reads a log, and applies its updates.

use std::io::{self, Read, Seek, SeekFrom};

use kostra_core::{EdgeId, Order, Weight, WeightType, check_edges};

use super::{
    CHECKED, CHECKSUM, DELETE, EXPIRE, FRAME_HEAD, HEADER, INSERT, MAGIC, NAMES, REWEIGHT, STATE,
    UpdateLog, VERSION, VERTICES, checksum,
};
use crate::edge_table::EdgeEntry;
use crate::{AnyDynamicForest, DynamicForest, LogError, UpdateError, with_dynamic_forest};

/// The names of vertices, if they have any.
type Names = Option<Vec<String>>;

/// The reason why an update of a frame is not applied.
enum Refusal {
    /// It is not complete, or makes no sense at its place.
    Malformed,
    Update(UpdateError),
}

impl From<UpdateError> for Refusal {
    fn from(error: UpdateError) -> Self {
        Self::Update(error)
    }
}

impl UpdateLog {
    /// The forest and the names that the updates make. `end` is behind the last complete frame
    /// then.
    pub(super) fn replay(&mut self, length: u64) -> Result<(AnyDynamicForest, Names), LogError> {
        let (mut forest, mut names) = (self.read_header(length)?, None);
        self.end = HEADER;
        loop {
            let offset = self.end;
            let Some(updates) = self.next_frame(length)? else { return Ok((forest, names)) };
            with_dynamic_forest!(&mut forest, forest => apply(forest, &mut names, &updates))
                .map_err(|refusal| match refusal {
                    Refusal::Malformed => LogError::Damaged { path: self.path.clone(), offset },
                    Refusal::Update(error) => LogError::Update { path: self.path.clone(), error },
                })?;
        }
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
}

/// Applies the updates of a frame.
fn apply<W: Weight>(
    forest: &mut DynamicForest<W>,
    names: &mut Names,
    mut updates: &[u8],
) -> Result<(), Refusal> {
    let updates = &mut updates;
    while !updates.is_empty() {
        let head: Vec<u32> = values(updates, 2)?;
        let (kind, count) = (head[0], head[1]);
        match kind {
            INSERT => {
                let (u, v) = (values(updates, count)?, values(updates, count)?);
                forest.insert(&u, &v, &values::<W>(updates, count)?)?;
            }
            DELETE => forest.delete(&values(updates, count)?)?,
            REWEIGHT => {
                let ids: Vec<EdgeId> = values(updates, count)?;
                forest.reweight(&ids, &values::<W>(updates, count)?)?;
            }
            EXPIRE => {
                forest.expire(count)?;
            }
            NAMES => names.get_or_insert_default().extend(read_names(updates, count)?),
            VERTICES => {
                forest.add_vertices(count as usize)?;
            }
            STATE => restore(forest, updates, count)?,
            _ => return Err(Refusal::Malformed),
        }
    }
    let is_complete = |names: &Vec<String>| names.len() == forest.vertices() as usize;
    if names.as_ref().is_none_or(is_complete) { Ok(()) } else { Err(Refusal::Malformed) }
}

/// Gives the present edges of a state to a forest.
fn restore<W: Weight>(
    forest: &mut DynamicForest<W>,
    updates: &mut &[u8],
    count: u32,
) -> Result<(), Refusal> {
    let next = values::<EdgeId>(updates, 1)?[0];
    let (ids, u, v): (Vec<EdgeId>, Vec<u32>, Vec<u32>) =
        (values(updates, count)?, values(updates, count)?, values(updates, count)?);
    let weights: Vec<W> = values(updates, count)?;
    let ascend = ids.windows(2).all(|pair| pair[0] < pair[1]);
    if forest.table.next_id() > 0 || !ascend || ids.last().is_some_and(|&last| last >= next) {
        return Err(Refusal::Malformed);
    }
    check_edges(forest.vertices() as usize, &u, &v, &weights).map_err(UpdateError::from)?;
    let ends = u.into_iter().zip(v).map(|(u, v)| [u, v]);
    let edges = ends.zip(weights).map(|(ends, weight)| EdgeEntry::new(ends, weight));
    Ok(forest.restore(&ids.into_iter().zip(edges).collect::<Vec<_>>(), next)?)
}

fn read_names(updates: &mut &[u8], count: u32) -> Result<Vec<String>, Refusal> {
    let lengths: Vec<u32> = values(updates, count)?;
    let name = |length| String::from_utf8(values(updates, length)?).map_err(|_| Refusal::Malformed);
    lengths.into_iter().map(name).collect()
}

/// The first `count` values of `bytes`, which are removed.
fn values<T: bytemuck::Pod>(bytes: &mut &[u8], count: u32) -> Result<Vec<T>, Refusal> {
    let taken = bytes.split_off(..count as usize * size_of::<T>()).ok_or(Refusal::Malformed)?;
    Ok(bytemuck::pod_collect_to_vec(taken))
}

/// The offset of the frame with this head, and the bytes of its updates; nothing if the head is
/// damaged.
fn read_head(head: &[u8; FRAME_HEAD]) -> Option<[u64; 2]> {
    let (checked, sum) = head.split_at(CHECKED);
    (checksum(0, checked) == u64_at(sum, 0)).then(|| [u64_at(checked, 0), u64_at(checked, 8)])
}

fn u32_at(bytes: &[u8], place: usize) -> u32 {
    bytemuck::pod_read_unaligned(&bytes[place..place + 4])
}

fn u64_at(bytes: &[u8], place: usize) -> u64 {
    bytemuck::pod_read_unaligned(&bytes[place..place + 8])
}
