//! The nearest neighbors of each point, and core distances. All rounds read them.

use std::sync::Mutex;

use kostra_core::{OutOfMemory, Run, memory};
use kostra_parallel::{Schedule, Team, for_each_item, lock};

use super::candidates::Candidates;
use super::nearest::LeafNeighbors;
use super::passes::Passes;
use super::shape::Shape;
use crate::blocks::LANES;
use crate::canonical::larger;
use crate::samples::{NeighborList, neighbors_inside};
use crate::{PointsError, Prepared};

/// Leaves that a thread takes at a time.
pub(super) const LEAVES: usize = 64;

/// The neighbors of a point that are kept with a mutual reachability distance, at most.
const MOST_KEPT: usize = 32;

/// What core distances count.
#[derive(Clone, Copy)]
pub(super) struct Samples<'a> {
    /// The points: their weights count, and they scale core distances.
    pub(super) prepared: &'a Prepared<'a>,
    pub(super) min_samples: usize,
}

/// The first neighbors of each point.
pub(super) struct Lists {
    /// The core distances of each leaf; empty for a metric itself.
    pub(super) core: Vec<[f64; LANES]>,
    /// The number of neighbors that are kept for each point.
    kept: usize,
    /// The positions of the neighbors of each position, in the order of (reach, index).
    neighbors: Vec<u32>,
    /// One bit for each lane of a leaf: points outside the list of neighbors may be as near as the
    /// core distance. Empty for a metric itself.
    open: Vec<u16>,
}

/// Calls `step` with the number of a chunk of [`LEAVES`] leaves and the chunk, on any thread.
pub(super) fn for_each_chunk<T: Send>(
    team: &Team<'_>,
    leaves: &mut [T],
    step: impl Fn(usize, &mut [T]) + Sync,
) {
    for_each_item(team, leaves.chunks_mut(LEAVES).enumerate(), |(chunk, leaves)| {
        step(chunk, leaves);
    });
}

impl Lists {
    /// Finds the neighbors of at least two points, and core distances if `min_samples` is above 1.
    /// Makes the first neighbor of each point its candidate.
    pub(super) fn new(
        passes: &mut dyn Passes,
        samples: Samples<'_>,
        team: &Team<'_>,
        run: &mut Run<'_>,
    ) -> Result<(Self, Vec<Candidates>), PointsError> {
        if samples.min_samples > 1 {
            let mut lists = Self::with_core(passes, samples, team, run)?;
            passes.set_core(&lists.core);
            lists.sort(passes.shape(), team);
            let mut candidates = memory::filled(passes.shape().leaves(), Candidates::UNKNOWN)?;
            for_each_chunk(team, &mut candidates, |chunk, candidates| {
                passes.start(&lists, chunk * LEAVES, candidates);
            });
            Ok((lists, candidates))
        } else {
            Self::nearest(passes, team, run)
        }
    }

    /// No neighbors, and the scaled core distance of each point; none for a metric itself.
    pub(super) fn without_neighbors(shape: &Shape, of_points: &[f64]) -> Result<Self, OutOfMemory> {
        let leaves = if of_points.is_empty() { 0 } else { shape.leaves() };
        let mut core = memory::filled(leaves, [f64::INFINITY; LANES])?;
        for (leaf, core) in core.iter_mut().enumerate() {
            for (lane, core) in core.iter_mut().enumerate().take(shape.lanes(leaf)) {
                *core = of_points[shape.ids[leaf][lane] as usize];
            }
        }
        // No point is in a list, so all others may be as near as the core distance.
        Ok(Self { core, kept: 0, neighbors: Vec::new(), open: memory::filled(leaves, u16::MAX)? })
    }

    fn empty(leaves: usize, kept: usize) -> Result<Self, OutOfMemory> {
        let neighbors = memory::zeros(leaves * LANES * kept)?;
        Ok(Self { core: Vec::new(), kept, neighbors, open: Vec::new() })
    }

    /// Finds some neighbors of each point.
    fn nearest(
        passes: &dyn Passes,
        team: &Team<'_>,
        run: &mut Run<'_>,
    ) -> Result<(Self, Vec<Candidates>), PointsError> {
        let shape = passes.shape();
        let kept = kept_neighbors(passes.dimensions()).min(shape.len as usize - 1);
        let mut lists = Self::empty(shape.leaves(), kept)?;
        let mut candidates = memory::filled(shape.leaves(), Candidates::UNKNOWN)?;
        let neighbors = lists.neighbors.chunks_mut(LANES * kept);
        let outputs: Vec<_> = neighbors.zip(&mut candidates).map(Mutex::new).collect();
        let store = |leaf: usize, found: &LeafNeighbors| {
            let mut output = lock(&outputs[leaf]);
            let (neighbors, candidates) = &mut *output;
            for (lane, list) in neighbors.chunks_mut(kept).take(shape.lanes(leaf)).enumerate() {
                let (compared, _) = found.of(lane);
                store_positions(list, found.of(lane));
                candidates.set_first(lane, compared[0], list[0]);
            }
        };
        for_each_leaf(passes, kept, &store, team, run)?;
        drop(outputs);
        Ok((lists, candidates))
    }

    /// Finds core distances, and the neighbors inside them, which are not sorted yet.
    fn with_core(
        passes: &dyn Passes,
        Samples { prepared, min_samples }: Samples<'_>,
        team: &Team<'_>,
        run: &mut Run<'_>,
    ) -> Result<Self, PointsError> {
        let shape = passes.shape();
        let inside = min_samples - 1;
        // One more shows whether others are as near as the last.
        let searched = min_samples.min(shape.len as usize - 1);
        let kept = inside.min(MOST_KEPT).min(searched);
        let mut lists = Self::empty(shape.leaves(), kept)?;
        lists.core = memory::filled(shape.leaves(), [f64::INFINITY; LANES])?;
        lists.open = memory::zeros(shape.leaves())?;
        let neighbors = lists.neighbors.chunks_mut(LANES * kept);
        let outputs: Vec<_> =
            lists.core.iter_mut().zip(&mut lists.open).zip(neighbors).map(Mutex::new).collect();
        let store = |leaf: usize, found: &LeafNeighbors| {
            let mut output = lock(&outputs[leaf]);
            let ((core, open), neighbors) = &mut *output;
            for (lane, list) in neighbors.chunks_mut(kept).take(shape.lanes(leaf)).enumerate() {
                let (compared, points) = found.of(lane);
                let others = points.iter().map(|&(id, _)| id);
                let inside =
                    neighbors_inside(shape.ids[leaf][lane], others, inside, prepared.weights());
                let last = inside.checked_sub(1).map_or(0.0, |last| compared[last]);
                core[lane] = prepared.scaled_core(last);
                // A scaled core distance may contain others, or not all of the list.
                let is_open =
                    inside > kept || compared.get(inside) == Some(&last) || prepared.is_scaled();
                **open |= u16::from(is_open) << lane;
                store_positions(list, found.of(lane));
                // The others are not inside the core distance.
                let (first, others) = list.split_at_mut(inside.clamp(1, kept));
                others.fill(first[0]);
            }
        };
        for_each_leaf(passes, searched, &store, team, run)?;
        drop(outputs);
        Ok(lists)
    }

    /// Sorts the neighbors of each point by reach.
    fn sort(&mut self, shape: &Shape, team: &Team<'_>) {
        let kept = self.kept;
        let mut neighbors = std::mem::take(&mut self.neighbors);
        let mut leaves: Vec<_> = neighbors.chunks_mut(LANES * kept).collect();
        for_each_chunk(team, &mut leaves, |chunk, leaves| {
            for (leaf, lists) in (chunk * LEAVES..).zip(leaves) {
                for lane in 0..shape.lanes(leaf) {
                    let position = (leaf * LANES + lane) as u32;
                    // Inside the core distance, only the other point's core distance matters.
                    let key = |other: &u32| {
                        let core = larger(self.core_of(position), self.core_of(*other));
                        (core.to_bits(), shape.id(*other))
                    };
                    lists[lane * kept..][..kept].sort_unstable_by_key(key);
                }
            }
        });
        self.neighbors = neighbors;
    }

    #[inline(always)]
    pub(super) fn core_of(&self, position: u32) -> f64 {
        self.core[position as usize / LANES][position as usize % LANES]
    }

    /// The neighbors of a position that are kept.
    #[inline(always)]
    pub(super) fn neighbors(&self, position: u32) -> &[u32] {
        &self.neighbors[position as usize * self.kept..][..self.kept]
    }

    /// Whether the neighbor of a position at this reach is before all points outside the list.
    #[inline(always)]
    pub(super) fn is_first(&self, position: u32, reach: f64) -> bool {
        self.core.is_empty() || reach == self.core_of(position) && !self.is_open(position)
    }

    pub(super) fn is_open(&self, position: u32) -> bool {
        self.open[position as usize / LANES] >> (position as usize % LANES) & 1 == 1
    }
}

/// Stores the positions of the neighbors of a point.
fn store_positions(list: &mut [u32], (_, points): NeighborList<'_>) {
    for (slot, &(_, position)) in list.iter_mut().zip(points) {
        *slot = position;
    }
}

/// The number of neighbors that the first search finds. More make the first search slower, and
/// later rounds faster. Measured on the sets of docs/performance/log.md.
pub(super) const fn kept_neighbors(dimensions: usize) -> usize {
    if dimensions < 3 { 5 } else { 6 }
}

/// Finds the `k` nearest neighbors of all points. Calls `store` with each leaf and the neighbors of
/// its points, on any thread.
pub(super) fn for_each_leaf(
    passes: &dyn Passes,
    k: usize,
    store: &(dyn Fn(usize, &LeafNeighbors) + Sync),
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<(), PointsError> {
    /// Leaves between two reports of progress: a million points.
    const REPORTED: usize = 1 << 16;
    let scratch = (0..team.threads())
        .map(|_| LeafNeighbors::new(k).map(Mutex::new))
        .collect::<Result<Vec<_>, _>>()?;
    let leaves = passes.shape().leaves();
    for start in (0..leaves).step_by(REPORTED) {
        run.report.progress(start, leaves).map_err(|_| PointsError::Cancelled)?;
        let part = REPORTED.min(leaves - start);
        team.distribute(part, Schedule::Dynamic(LEAVES), |thread, range| {
            let mut neighbors = lock(&scratch[thread]);
            for leaf in start + range.start..start + range.end {
                passes.find(leaf, &mut neighbors);
                store(leaf, &neighbors);
            }
        });
    }
    Ok(())
}
