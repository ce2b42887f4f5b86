//! Each edge of symmetric rows once, found by all threads in two passes over the entries.
//!
//! The idea: in symmetric rows, the entries that name a later vertex than their row and those that
//! name an earlier one are the two copies of the same edges. So the edges are the entries that name
//! no earlier vertex, in the order of the file, and the other entries serve only as a check. The
//! first pass counts the kept entries of each block and compares the two multisets by their
//! [fingerprints](super::fingerprint). The second pass writes the kept entries of each block to
//! their places.
//!
//! Both passes read the entries in blocks and in order, so they run at the speed of the memory. No
//! row needs to be sorted. Linear time; besides the edges, a few megabytes per thread.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use bytemuck::Zeroable;
use kostra_core::Vertex;
use kostra_core::memory::{self, OutOfMemory};
use kostra_parallel::{Team, into_item, lock, with_team};

use super::EdgeColumns;
use super::fingerprint::{Fingerprint, Points};

/// The number of entries of a block: neighbors and weights stay in the cache of a core.
pub(crate) const BLOCK_ENTRIES: usize = 1 << 16;

/// The entries of all rows, of which threads read blocks.
pub(crate) trait RowEntries: Sync {
    type Weight: Copy + Default + Into<i64> + Send + Sync + Zeroable;
    /// What a thread needs to read blocks.
    type Scratch: Default;

    /// Whether the entries have weights.
    fn weighted(&self) -> bool;

    /// The neighbors and weights of a range of entries; no weights if there are none. `None` if
    /// they cannot be read or a neighbor is no vertex.
    fn block<'s>(
        &'s self,
        entries: Range<usize>,
        scratch: &'s mut Self::Scratch,
    ) -> Option<(&'s [Vertex], &'s [Self::Weight])>;
}

/// Which entries are edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Those that name no earlier vertex; the others must be their copies.
    Symmetric,
    /// All of them.
    All,
}

/// How the work is divided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Division {
    pub(crate) threads: usize,
    /// The number of entries per block.
    pub(crate) block: usize,
}

impl Division {
    /// Blocks of the usual size.
    pub(crate) fn among(threads: usize) -> Self {
        Self { threads, block: BLOCK_ENTRIES }
    }
}

/// The edges of rows. `offsets` has the start of each row among the entries, and the end of the
/// last. `None` if the entries cannot be read or the rows are not symmetric.
///
/// # Errors
/// When the system does not grant the memory.
pub(crate) fn edges<E: RowEntries>(
    offsets: &[usize],
    entries: &E,
    keep: Keep,
    division: Division,
) -> Result<Option<EdgeColumns<E::Weight>>, OutOfMemory> {
    let total = offsets.last().copied().unwrap_or_default();
    let blocks = total.div_ceil(division.block);
    let rows = Rows { offsets, entries, keep, block: division.block, total };
    with_team(division.threads.min(blocks), |team| {
        let Some(kept) = rows.survey_all(team, blocks) else { return Ok(None) };
        let edges = kept.iter().sum();
        let mut columns = EdgeColumns {
            u: memory::zeros(edges)?,
            v: memory::zeros(edges)?,
            weights: memory::zeros(if entries.weighted() { edges } else { 0 })?,
        };
        let complete = rows.write_all(team, &mut columns, &kept);
        Ok(complete.then_some(columns))
    })
}

struct Rows<'a, E> {
    offsets: &'a [usize],
    entries: &'a E,
    keep: Keep,
    /// The number of entries per block.
    block: usize,
    /// The number of all entries.
    total: usize,
}

impl<E: RowEntries> Rows<'_, E> {
    /// The number of kept entries of each block. `None` if the rows are not symmetric.
    fn survey_all(&self, team: &Team<'_>, blocks: usize) -> Option<Vec<usize>> {
        let kept: Vec<AtomicUsize> = (0..blocks).map(|_| AtomicUsize::new(0)).collect();
        let whole = Mutex::new(Some(Survey::EMPTY));
        let points = Points::draw();
        each_block(team, blocks, |scratch, block| {
            let survey = self.survey(block, &points, scratch);
            kept[block].store(survey.map_or(0, |survey| survey.kept), Ordering::Relaxed);
            let mut whole = lock(&whole);
            *whole = whole.and_then(|whole| Some(whole.and(survey?)));
            whole.is_some()
        });
        let whole = into_item(whole)?;
        let is_symmetric = self.keep == Keep::All || whole.forward == whole.backward;
        is_symmetric.then(|| kept.into_iter().map(AtomicUsize::into_inner).collect())
    }

    fn survey(&self, block: usize, points: &Points, scratch: &mut E::Scratch) -> Option<Survey> {
        let range = self.range(block);
        let (neighbors, weights) = self.entries.block(range.clone(), scratch)?;
        let mut survey = Survey::EMPTY;
        if self.keep == Keep::All {
            survey.kept = neighbors.len();
            return Some(survey);
        }
        for (row, entries) in self.rows_in(range) {
            let factors = points.row(row);
            for entry in entries {
                let to = *neighbors.get(entry)?;
                // No weights at all, and every entry weighs the same.
                let weight = weights.get(entry).copied().unwrap_or_default();
                survey.kept += usize::from(to >= row);
                if to > row {
                    factors.multiply(&mut survey.forward, 0, to, weight);
                } else if to < row {
                    factors.multiply(&mut survey.backward, 1, to, weight);
                }
            }
        }
        Some(survey)
    }

    /// Writes the kept entries of all blocks. Returns false if the entries have changed since they
    /// were counted.
    fn write_all(
        &self,
        team: &Team<'_>,
        columns: &mut EdgeColumns<E::Weight>,
        kept: &[usize],
    ) -> bool {
        let outputs = divide(columns, kept);
        let complete = AtomicBool::new(true);
        each_block(team, outputs.len(), |scratch, block| {
            let written = self.write(block, &mut lock(&outputs[block]), scratch);
            if !written {
                complete.store(false, Ordering::Relaxed);
            }
            written
        });
        complete.into_inner()
    }

    fn write(
        &self,
        block: usize,
        output: &mut Output<'_, E::Weight>,
        scratch: &mut E::Scratch,
    ) -> bool {
        let range = self.range(block);
        let Some((neighbors, weights)) = self.entries.block(range.clone(), scratch) else {
            return false;
        };
        let mut edge = 0;
        for (row, entries) in self.rows_in(range) {
            let first = edge;
            for entry in entries {
                let to = neighbors.get(entry).copied().unwrap_or_default();
                // Without a branch: an entry that is not kept is overwritten by the next one.
                if let Some(place) = output.v.get_mut(edge) {
                    *place = to;
                }
                if let (Some(place), Some(&weight)) =
                    (output.weights.get_mut(edge), weights.get(entry))
                {
                    *place = weight;
                }
                edge += usize::from(to >= row || self.keep == Keep::All);
            }
            if let Some(places) = output.u.get_mut(first..edge) {
                places.fill(row);
            }
        }
        edge == output.u.len()
    }

    /// The entries of a block.
    fn range(&self, block: usize) -> Range<usize> {
        block * self.block..self.total.min((block + 1) * self.block)
    }

    /// The rows with entries in a range, and the positions of these entries in the range.
    fn rows_in(&self, range: Range<usize>) -> impl Iterator<Item = (Vertex, Range<usize>)> + '_ {
        let first = self.offsets.partition_point(|&start| start <= range.start).saturating_sub(1);
        let bounds = self.offsets.windows(2).enumerate().skip(first);
        bounds.take_while(move |(_, bounds)| bounds[0] < range.end).map(move |(row, bounds)| {
            let (start, end) = (bounds[0].max(range.start), bounds[1].min(range.end));
            (row as Vertex, start - range.start..end - range.start)
        })
    }
}

/// What a thread learns from a block.
#[derive(Clone, Copy)]
struct Survey {
    /// The number of kept entries.
    kept: usize,
    /// The entries that name a later vertex than their row.
    forward: Fingerprint,
    /// The entries that name an earlier vertex.
    backward: Fingerprint,
}

impl Survey {
    const EMPTY: Self = Self { kept: 0, forward: Fingerprint::EMPTY, backward: Fingerprint::EMPTY };

    fn and(self, other: Self) -> Self {
        Self {
            kept: self.kept + other.kept,
            forward: self.forward.and(other.forward),
            backward: self.backward.and(other.backward),
        }
    }
}

/// The places of the kept entries of a block.
struct Output<'a, W> {
    u: &'a mut [Vertex],
    v: &'a mut [Vertex],
    weights: &'a mut [W],
}

/// Divides the columns among the blocks.
fn divide<'a, W>(columns: &'a mut EdgeColumns<W>, kept: &[usize]) -> Vec<Mutex<Output<'a, W>>> {
    let mut u = &mut columns.u[..];
    let mut v = &mut columns.v[..];
    let mut weights = &mut columns.weights[..];
    kept.iter()
        .map(|&kept| {
            let weighted = if weights.is_empty() { 0 } else { kept };
            Mutex::new(Output {
                u: u.split_off_mut(..kept).unwrap_or_default(),
                v: v.split_off_mut(..kept).unwrap_or_default(),
                weights: weights.split_off_mut(..weighted).unwrap_or_default(),
            })
        })
        .collect()
}

/// Calls `step` for each block, with memory that the thread keeps from block to block, until a step
/// returns false.
fn each_block<S: Default>(
    team: &Team<'_>,
    blocks: usize,
    step: impl Fn(&mut S, usize) -> bool + Sync,
) {
    let next = AtomicUsize::new(0);
    team.on_available(|_| {
        let mut scratch = S::default();
        loop {
            let block = next.fetch_add(1, Ordering::Relaxed);
            if block >= blocks {
                break;
            }
            if !step(&mut scratch, block) {
                next.store(blocks, Ordering::Relaxed);
            }
        }
    });
}
