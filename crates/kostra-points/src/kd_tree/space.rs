//! What all rounds read: the tree, core distances, and the nearest neighbors of each point.

use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use kostra_core::{Run, memory};
use kostra_parallel::{Schedule, Team};

use super::build::Tree;
use super::nearest::LeafNeighbors;
use crate::blocks::LANES;
use crate::canonical::{Accumulate, larger};
use crate::wide::{Work, wide};
use crate::{PointsError, Prepared};

/// Leaves that a thread takes at a time.
pub(super) const LEAVES: usize = 64;

/// The neighbors of a point that are kept with a mutual reachability distance, at most.
const MOST_KEPT: usize = 32;

/// The tree and the first neighbors of each point.
pub(super) struct Space<A, const D: usize> {
    pub(super) tree: Tree<D>,
    /// The core distances of each leaf; empty for a metric itself.
    pub(super) core: Vec<[f64; LANES]>,
    /// The number of neighbors that are kept for each point.
    pub(super) kept: usize,
    /// The positions of the neighbors of each position, in the order of (reach, index).
    neighbors: Vec<u32>,
    /// One bit for each lane of a leaf: points outside the list of neighbors may be as near as the
    /// core distance. Empty for a metric itself.
    open: Vec<u16>,
    norm: PhantomData<A>,
}

/// Calls `step` with the number of a chunk of [`LEAVES`] leaves and the chunk, on any thread.
pub(super) fn for_each_chunk<T: Send>(
    team: &Team<'_>,
    leaves: &mut [T],
    step: impl Fn(usize, &mut [T]) + Sync,
) {
    let chunks: Vec<_> = leaves.chunks_mut(LEAVES).map(Mutex::new).collect();
    team.for_each(chunks.len(), Schedule::Dynamic(1), |chunk| {
        step(chunk, &mut chunks[chunk].lock().unwrap_or_else(PoisonError::into_inner));
    });
}

impl<A: Accumulate, const D: usize> Space<A, D> {
    /// Builds the tree, finds the neighbors, and computes core distances if `min_samples` is above
    /// 1. There are at least two points.
    pub(super) fn new(
        prepared: &Prepared<'_>,
        min_samples: usize,
        team: &Team<'_>,
        run: &mut Run<'_>,
    ) -> Result<Self, PointsError> {
        let tree = run.phase("build tree", |_| Tree::new(prepared, team))?;
        run.phase("nearest neighbors", |run| {
            let mut space = Self {
                tree,
                core: Vec::new(),
                kept: 0,
                neighbors: Vec::new(),
                open: Vec::new(),
                norm: PhantomData,
            };
            if min_samples > 1 {
                space.find_core(min_samples, team, run)?;
            } else {
                space.find_neighbors(team, run)?;
            }
            Ok(space)
        })
    }

    /// The compared distance of two positions, or their mutual reachability.
    #[inline(always)]
    pub(super) fn reach(&self, u: u32, v: u32) -> f64 {
        let distance = self.tree.compared::<A>(u, v);
        if self.core.is_empty() {
            return distance;
        }
        larger(distance, larger(self.core_of(u), self.core_of(v)))
    }

    #[inline(always)]
    fn core_of(&self, position: u32) -> f64 {
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

    /// A lower bound of the reach of points outside the list of neighbors.
    #[inline(always)]
    pub(super) fn reach_outside(&self, position: u32) -> f64 {
        if self.core.is_empty() {
            let last = self.neighbors[(position as usize + 1) * self.kept - 1];
            return self.tree.compared::<A>(position, last);
        }
        let core = self.core_of(position);
        if self.is_open(position) { core } else { core.next_up() }
    }

    fn is_open(&self, position: u32) -> bool {
        self.open[position as usize / LANES] >> (position as usize % LANES) & 1 == 1
    }

    /// Finds some neighbors of each point.
    fn find_neighbors(&mut self, team: &Team<'_>, run: &mut Run<'_>) -> Result<(), PointsError> {
        let kept = kept_neighbors(D).min(self.tree.len as usize - 1);
        self.kept = kept;
        self.neighbors = memory::zeros(self.tree.leaves.len() * LANES * kept)?;
        let mut leaves: Vec<_> = self.neighbors.chunks_mut(LANES * kept).collect();
        let store = |_: usize, lane: usize, found: Found<'_>, output: &mut &mut [u32]| {
            for (slot, &(_, position)) in output[lane * kept..].iter_mut().zip(found.1) {
                *slot = position;
            }
        };
        let output = Output { leaves: &mut leaves, store };
        for_each_leaf::<A, _, _, D>(&self.tree, kept, output, team, run)
    }

    /// Finds core distances, and the neighbors inside them.
    fn find_core(
        &mut self,
        min_samples: usize,
        team: &Team<'_>,
        run: &mut Run<'_>,
    ) -> Result<(), PointsError> {
        struct Leaf<'a> {
            core: &'a mut [f64; LANES],
            open: &'a mut u16,
            neighbors: &'a mut [u32],
        }
        let inside = min_samples - 1;
        // One more shows whether others are as near as the last.
        let searched = min_samples.min(self.tree.len as usize - 1);
        let kept = inside.min(MOST_KEPT);
        self.kept = kept;
        let leaves = self.tree.leaves.len();
        self.core = memory::filled(leaves, [f64::INFINITY; LANES])?;
        self.open = memory::zeros(leaves)?;
        self.neighbors = memory::zeros(leaves * LANES * kept)?;
        let mut outputs: Vec<_> = self
            .core
            .iter_mut()
            .zip(&mut self.open)
            .zip(self.neighbors.chunks_mut(LANES * kept))
            .map(|((core, open), neighbors)| Leaf { core, open, neighbors })
            .collect();
        let store = |_: usize, lane: usize, found: Found<'_>, output: &mut Leaf<'_>| {
            let core = found.0[inside - 1];
            output.core[lane] = core;
            let is_open = inside > kept || found.0.get(inside) == Some(&core);
            *output.open |= u16::from(is_open) << lane;
            for (slot, &(_, position)) in
                output.neighbors[lane * kept..][..kept].iter_mut().zip(found.1)
            {
                *slot = position;
            }
        };
        let output = Output { leaves: &mut outputs, store };
        for_each_leaf::<A, _, _, D>(&self.tree, searched, output, team, run)?;
        drop(outputs);
        self.tree.set_core(&self.core);
        self.sort_neighbors(team);
        Ok(())
    }

    /// Sorts the neighbors of each point by reach.
    fn sort_neighbors(&mut self, team: &Team<'_>) {
        let kept = self.kept;
        let mut neighbors = std::mem::take(&mut self.neighbors);
        let mut leaves: Vec<_> = neighbors.chunks_mut(LANES * kept).collect();
        let space = &*self;
        for_each_chunk(team, &mut leaves, |chunk, leaves| {
            for (leaf, lists) in (chunk * LEAVES..).zip(leaves) {
                for lane in 0..space.tree.lanes(leaf) {
                    let position = (leaf * LANES + lane) as u32;
                    // Inside the core distance, only the other point's core distance matters.
                    let key = |other: &u32| {
                        let core = larger(space.core_of(position), space.core_of(*other));
                        (core.to_bits(), space.tree.id(*other))
                    };
                    lists[lane * kept..][..kept].sort_unstable_by_key(key);
                }
            }
        });
        self.neighbors = neighbors;
    }
}

/// The number of neighbors that the first search finds. More make the first search slower, and
/// later rounds faster. Measured on the sets of docs/performance/points.md.
pub(super) const fn kept_neighbors(dimensions: usize) -> usize {
    if dimensions < 3 { 3 } else { 5 }
}

/// The compared distances of the neighbors of a point, and their indices and positions.
pub(crate) type Found<'a> = (&'a [f64], &'a [(u32, u32)]);

/// The outputs of a search for neighbors: one for each leaf, and what stores the neighbors of a
/// point, given its leaf, its lane, and the output of the leaf.
pub(super) struct Output<'a, T, F> {
    pub(super) leaves: &'a mut [T],
    pub(super) store: F,
}

/// Finds the `k` nearest neighbors of all points.
pub(super) fn for_each_leaf<A: Accumulate, T: Send, F, const D: usize>(
    tree: &Tree<D>,
    k: usize,
    output: Output<'_, T, F>,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<(), PointsError>
where
    F: Fn(usize, usize, Found<'_>, &mut T) + Sync,
{
    /// Chunks between two reports of progress: a million points.
    const REPORTED: usize = 1 << 10;
    let store = &output.store;
    let scratch = (0..team.threads())
        .map(|_| LeafNeighbors::new(k).map(Mutex::new))
        .collect::<Result<Vec<_>, _>>()?;
    for (part, leaves) in output.leaves.chunks_mut(REPORTED * LEAVES).enumerate() {
        let start = part * REPORTED * LEAVES;
        run.progress(start, tree.leaves.len()).map_err(|_| PointsError::Cancelled)?;
        let chunks: Vec<_> = leaves.chunks_mut(LEAVES).map(Mutex::new).collect();
        team.distribute(chunks.len(), Schedule::Dynamic(1), |thread, range| {
            let mut neighbors = scratch[thread].lock().unwrap_or_else(PoisonError::into_inner);
            for chunk in range {
                let mut outputs = chunks[chunk].lock().unwrap_or_else(PoisonError::into_inner);
                let first_leaf = start + chunk * LEAVES;
                for (leaf, output) in (first_leaf..).zip(outputs.iter_mut()) {
                    // The search is the same for every output, so it is compiled once.
                    let neighbors = &mut *neighbors;
                    wide(Search::<A, D> { tree, leaf, neighbors, norm: PhantomData });
                    for lane in 0..tree.lanes(leaf) {
                        store(leaf, lane, neighbors.of(lane), output);
                    }
                }
            }
        });
    }
    Ok(())
}

/// The search for the neighbors of a leaf.
struct Search<'a, A, const D: usize> {
    tree: &'a Tree<D>,
    leaf: usize,
    neighbors: &'a mut LeafNeighbors,
    norm: PhantomData<A>,
}

impl<A: Accumulate, const D: usize> Work for Search<'_, A, D> {
    type Output = ();
    const EVERYWHERE: bool = super::is_everywhere(D);

    #[inline(always)]
    fn run(self) {
        self.neighbors.find::<A, D>(self.tree, self.leaf);
    }
}
