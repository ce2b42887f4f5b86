//! All pairs, one point at a time: Prim's algorithm without a graph (Prim 1957).
//!
//! * **Idea**: each point outside the tree knows its nearest point inside. In each step the nearest
//!   outer point joins the tree, and all outer points compare themselves with it.
//! * **Why correct**: the pair that joins is the first in the canonical order between the tree and
//!   the other points, so it is in the minimum spanning tree.
//! * **Time** O(n^2 * d), memory O(n * d). The outer points are divided among the threads.
//! * **Use**: any number of dimensions; the tests compare all other methods with it.

use std::marker::PhantomData;
use std::sync::Mutex;

use kostra_core::{Run, memory};
use kostra_parallel::{Schedule, Team, into_item, lock, with_observed_team};

use crate::blocks::{LANES, PointBlocks, compared};
use crate::canonical::{Absolutes, Accumulate, Largest, Norm, Squares, larger};
use crate::neighbors::brute_force_core;
use crate::pair::{self, Pair};
use crate::wide::{Work, wide};
use crate::{Distance, PointTree, Points, PointsError, Prepared};

/// The canonical minimum spanning tree of points, by comparing all pairs.
///
/// O(n^2 * d) time on the threads of `run`; memory for two copies of the points.
///
/// # Errors
/// When the metric does not accept the points, `min_samples` is 0 or above the number of points,
/// the observer cancels the run, or the system refuses memory.
pub fn brute_force(
    points: &Points<'_>,
    distance: impl Into<Distance>,
    run: &mut Run<'_>,
) -> Result<PointTree, PointsError> {
    let distance = distance.into();
    let min_samples = distance.min_samples;
    let prepared = Prepared::by(points, distance, run.request.threads())?;
    points.check_min_samples(min_samples)?;
    with_observed_team(run, run.request.threads(), |team, run| {
        let pairs = pairs_of(&prepared, min_samples, team, run)?;
        Ok(pair::tree(&prepared, pairs, team)?)
    })
}

/// The pairs of the tree, in any order.
pub(crate) fn pairs_of(
    prepared: &Prepared<'_>,
    min_samples: usize,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<Vec<Pair>, PointsError> {
    let core = brute_force_core(prepared, min_samples, team, run)?;
    run.phase("compare all pairs", |run| match prepared.norm() {
        Norm::Squares => Prim::<Squares>::new(prepared, core)?.solve(team, run),
        Norm::Absolutes => Prim::<Absolutes>::new(prepared, core)?.solve(team, run),
        Norm::Largest => Prim::<Largest>::new(prepared, core)?.solve(team, run),
    })
}

/// The points outside the tree, densely in blocks.
struct Prim<'a, A> {
    prepared: &'a Prepared<'a>,
    /// The core distance of each point; empty for a metric itself.
    core: Vec<f64>,
    coordinates: PointBlocks,
    blocks: Vec<Block>,
    outside: usize,
    norm: PhantomData<A>,
}

/// Some points outside the tree.
#[derive(Clone, Copy)]
struct Block {
    /// The compared distance to the nearest point of the tree.
    nearest: [f64; LANES],
    /// The nearest point of the tree; of several the lowest.
    inner: [u32; LANES],
    /// The points.
    outer: [u32; LANES],
    /// The core distances of the points; 0 for a metric itself.
    core: [f64; LANES],
}

/// A point that has joined the tree.
#[derive(Clone, Copy)]
struct Joined<'a> {
    point: u32,
    row: &'a [f64],
    core: f64,
}

impl<'a, A: Accumulate> Prim<'a, A> {
    /// All points are outside, without a nearest point.
    fn new(prepared: &'a Prepared<'a>, core: Vec<f64>) -> Result<Self, PointsError> {
        let n = prepared.len();
        let mut coordinates = PointBlocks::zeros(n as usize, prepared.dimensions())?;
        let empty = Block {
            nearest: [f64::INFINITY; LANES],
            inner: [u32::MAX; LANES],
            outer: [u32::MAX; LANES],
            core: [0.0; LANES],
        };
        let mut blocks = memory::filled((n as usize).div_ceil(LANES), empty)?;
        for point in 0..n {
            let at = point as usize;
            coordinates.set(at, prepared.row(point));
            blocks[at / LANES].outer[at % LANES] = point;
            blocks[at / LANES].core[at % LANES] = core.get(at).copied().unwrap_or(0.0);
        }
        let outside = n as usize;
        Ok(Self { prepared, core, coordinates, blocks, outside, norm: PhantomData })
    }

    fn solve(mut self, team: &Team<'_>, run: &mut Run<'_>) -> Result<Vec<Pair>, PointsError> {
        /// Steps between two reports of progress.
        const STEPS: usize = 1 << 10;
        let n = self.outside;
        let mut pairs = memory::with_capacity(n.saturating_sub(1))?;
        if n == 0 {
            return Ok(pairs);
        }
        let mut joined = self.remove(n - 1);
        while self.outside > 0 {
            if self.outside.is_multiple_of(STEPS) {
                run.report.progress(n - self.outside, n).map_err(|_| PointsError::Cancelled)?;
            }
            let (pair, at) = self.compare_with(joined, team);
            pairs.push(pair);
            joined = self.remove(at);
        }
        Ok(pairs)
    }

    /// Removes a point from those outside the tree. The last one takes its place.
    fn remove(&mut self, at: usize) -> u32 {
        let last = self.outside - 1;
        self.outside = last;
        let removed = self.blocks[at / LANES].outer[at % LANES];
        let from = self.blocks[last / LANES];
        let (lane, to) = (last % LANES, &mut self.blocks[at / LANES]);
        to.nearest[at % LANES] = from.nearest[lane];
        to.inner[at % LANES] = from.inner[lane];
        to.outer[at % LANES] = from.outer[lane];
        to.core[at % LANES] = from.core[lane];
        self.coordinates.set(at, self.prepared.row(from.outer[lane]));
        removed
    }

    /// Compares all points outside with a new point of the tree. Returns the first pair between
    /// the tree and the others, and the place of its outer point.
    fn compare_with(&mut self, point: u32, team: &Team<'_>) -> (Pair, usize) {
        /// Coordinates that are compared while another thread would wake up.
        const COORDINATES: usize = 1 << 14;
        let row = self.prepared.row(point);
        let core = self.core.get(point as usize).copied().unwrap_or(0.0);
        let joined = Joined { point, row, core };
        let (coordinates, outside) = (&self.coordinates, self.outside);
        let used = &mut self.blocks[..outside.div_ceil(LANES)];
        let per_call = (COORDINATES / (LANES * row.len())).max(1);
        let first = Mutex::new((Pair::NONE, 0));
        let parts: Vec<_> = used.chunks_mut(per_call).map(Mutex::new).collect();
        team.for_each(parts.len(), Schedule::Dynamic(1), |part| {
            let blocks = &mut **lock(&parts[part]);
            let start = part * per_call;
            let step = Step::<A> { joined, coordinates, blocks, start, outside, norm: PhantomData };
            let found = wide(step);
            let mut first = lock(&first);
            if found.0.is_before(&first.0) {
                *first = found;
            }
        });
        into_item(first)
    }
}

/// The comparison of consecutive blocks with a point.
struct Step<'a, A> {
    joined: Joined<'a>,
    coordinates: &'a PointBlocks,
    blocks: &'a mut [Block],
    /// The number of the first block.
    start: usize,
    outside: usize,
    norm: PhantomData<A>,
}

impl<A: Accumulate> Work for Step<'_, A> {
    type Output = (Pair, usize);

    #[inline(always)]
    fn run(self) -> (Pair, usize) {
        let (mut first, mut place) = (Pair::NONE, 0);
        let Joined { point, row, core } = self.joined;
        for (block, number) in self.blocks.iter_mut().zip(self.start..) {
            let distances = compared::<A>(row, self.coordinates.block(number));
            let lanes = (self.outside - number * LANES).min(LANES);
            for (lane, &distance) in distances.iter().enumerate().take(lanes) {
                let reach = larger(distance, larger(core, block.core[lane]));
                let nearest = block.nearest[lane];
                // Of two pairs with the same outer point and distance, the first has the lower
                // inner point.
                if reach < nearest || (reach == nearest && point < block.inner[lane]) {
                    (block.nearest[lane], block.inner[lane]) = (reach, point);
                }
                if block.nearest[lane] <= first.compared {
                    let pair = Pair::new(block.nearest[lane], block.inner[lane], block.outer[lane]);
                    if pair.is_before(&first) {
                        (first, place) = (pair, number * LANES + lane);
                    }
                }
            }
        }
        (first, place)
    }
}
