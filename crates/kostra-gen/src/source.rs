//! Edges that threads generate block by block.
//!
//! A source is a sequence of blocks. The edges of a block depend on the spec and the number of the
//! block alone, never on a thread. The threads of a team fill a wave of blocks, then the leader
//! passes the wave on in order. So the number of threads changes no edge, and a graph can go to a
//! file without being held in memory. Scratch memory: one wave, about a megabyte per thread.

use std::io;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use kostra_core::Vertex;
use kostra_parallel::{Schedule, Team, lock};

use crate::SpecError;
use crate::share::Share;

/// The ends of consecutive edges.
#[derive(Clone, Debug, Default)]
pub(crate) struct EdgeEnds {
    pub(crate) u: Vec<Vertex>,
    pub(crate) v: Vec<Vertex>,
}

impl EdgeEnds {
    /// Adds an edge.
    #[inline]
    pub(crate) fn push(&mut self, u: Vertex, v: Vertex) {
        self.u.push(u);
        self.v.push(v);
    }

    /// The number of edges.
    pub(crate) fn len(&self) -> usize {
        self.u.len()
    }

    pub(crate) fn clear(&mut self) {
        self.u.clear();
        self.v.clear();
    }

    /// The edge at a position.
    pub(crate) fn at(&self, position: usize) -> (Vertex, Vertex) {
        (self.u[position], self.v[position])
    }
}

/// The reason why a source stops early.
#[derive(Debug)]
pub(crate) enum StopReason {
    /// The graph cannot be made.
    Spec(SpecError),
    /// The receiver of the edges failed.
    Write(io::Error),
}

impl From<SpecError> for StopReason {
    fn from(error: SpecError) -> Self {
        Self::Spec(error)
    }
}

/// Receives consecutive blocks of edges.
pub(crate) type Emit<'a> = &'a mut dyn FnMut(&[EdgeEnds]) -> Result<(), StopReason>;

/// The edges of a graph in order.
pub(crate) trait EdgeSource: Sync {
    /// The number of edges, if it is known before they are generated.
    fn edges(&self) -> Option<u64>;

    /// A bound of the number of edges, if one is known.
    fn at_most(&self) -> Option<u64> {
        self.edges()
    }

    /// Generates all edges. A part of the graph needs the edges with ids in `ids` only; a source
    /// may leave out others before the first of them, and returns the id of its first edge.
    fn run(&self, run: &SourceRun<'_>, ids: Range<u64>, emit: Emit<'_>) -> Result<(), StopReason>;

    /// The id of the first edge that [`run`](Self::run) generates for these ids.
    fn first(&self, _ids: &Range<u64>) -> u64 {
        0
    }

    /// The source as drawn edges, which are divided into parts by rows.
    fn drawn(&self) -> Option<&dyn Drawn> {
        None
    }
}

/// Edges by index, in ascending `(u, v)` once they are sorted.
pub(crate) trait Drawn: Sync {
    /// The edges of a part of the graph, with the id of the first one.
    fn part(&self, run: &SourceRun<'_>, share: Share<'_>) -> Result<(EdgeEnds, u64), StopReason>;
}

/// What a source needs to run.
pub(crate) struct SourceRun<'a> {
    pub(crate) team: &'a Team<'a>,
    /// The bytes that a source may take for edges that it has to sort.
    pub(crate) scratch: u64,
    pub(crate) meter: &'a Meter<'a>,
}

/// Counts finished steps for the progress bar.
pub(crate) struct Meter<'a> {
    done: AtomicU64,
    total: AtomicU64,
    report: &'a (dyn Fn(u64, u64) + Sync),
}

impl<'a> Meter<'a> {
    pub(crate) fn new(report: &'a (dyn Fn(u64, u64) + Sync)) -> Self {
        Self { done: AtomicU64::new(0), total: AtomicU64::new(0), report }
    }

    /// Announces more steps.
    pub(crate) fn expect(&self, steps: u64) {
        self.total.fetch_add(steps, Ordering::Relaxed);
    }

    /// Reports finished steps.
    pub(crate) fn advance(&self, steps: u64) {
        let done = self.done.fetch_add(steps, Ordering::Relaxed) + steps;
        (self.report)(done, self.total.load(Ordering::Relaxed).max(done));
    }
}

/// The number of blocks of a wave for each thread: enough to even out blocks of different cost.
const BLOCKS_PER_THREAD: usize = 4;

/// Fills blocks in waves and passes them on in order. Each thread has a state of its own.
pub(crate) fn in_waves<S: Default + Send>(
    run: &SourceRun<'_>,
    blocks: Range<usize>,
    fill: impl Fn(usize, &mut S, &mut EdgeEnds) + Sync,
    emit: Emit<'_>,
) -> Result<(), StopReason> {
    let wave = BLOCKS_PER_THREAD * run.team.threads();
    let slots: Vec<_> = (0..wave).map(|_| Mutex::new(EdgeEnds::default())).collect();
    let states: Vec<_> = (0..run.team.threads()).map(|_| Mutex::new(S::default())).collect();
    let mut filled: Vec<EdgeEnds> = Vec::new();
    for start in blocks.clone().step_by(wave) {
        let count = wave.min(blocks.end - start);
        run.team.distribute(count, Schedule::Dynamic(1), |thread, range| {
            let mut state = lock(&states[thread]);
            for slot in range {
                let mut ends = lock(&slots[slot]);
                ends.clear();
                fill(start + slot, &mut state, &mut ends);
            }
        });
        filled.extend(slots[..count].iter().map(|slot| std::mem::take(&mut *lock(slot))));
        emit(&filled)?;
        // The memory of the blocks serves the next wave.
        for (slot, ends) in slots.iter().zip(filled.drain(..)) {
            *lock(slot) = ends;
        }
    }
    Ok(())
}

/// Blocks of edges that are each generated without the others.
pub(crate) trait BlockSource: Sync {
    /// The number of blocks.
    fn blocks(&self) -> usize;
    /// The number of edges of all blocks, if it is known.
    fn edges(&self) -> Option<u64>;
    /// Adds the edges of a block.
    fn fill(&self, block: usize, ends: &mut EdgeEnds);
}

/// A source of [`BlockSource`].
pub(crate) struct InBlocks<B>(pub(crate) B);

impl<B: BlockSource> EdgeSource for InBlocks<B> {
    fn edges(&self) -> Option<u64> {
        self.0.edges()
    }

    fn run(&self, run: &SourceRun<'_>, _ids: Range<u64>, emit: Emit<'_>) -> Result<(), StopReason> {
        let blocks = self.0.blocks();
        run.meter.expect(blocks as u64);
        let fill = |block: usize, (): &mut (), ends: &mut EdgeEnds| self.0.fill(block, ends);
        in_waves(run, 0..blocks, fill, &mut |wave| {
            emit(wave)?;
            run.meter.advance(wave.len() as u64);
            Ok(())
        })
    }
}

/// Edges that their ids alone determine.
pub(crate) struct ById<F> {
    pub(crate) edges: u64,
    pub(crate) edge: F,
}

/// The edges of a block: enough to hide the cost of a wave.
pub(crate) const BLOCK_EDGES: u64 = 1 << 15;

impl<F: Fn(u64) -> (Vertex, Vertex) + Sync> EdgeSource for ById<F> {
    fn edges(&self) -> Option<u64> {
        Some(self.edges)
    }

    fn first(&self, ids: &Range<u64>) -> u64 {
        ids.start
    }

    fn run(&self, run: &SourceRun<'_>, ids: Range<u64>, emit: Emit<'_>) -> Result<(), StopReason> {
        let blocks = (ids.end - ids.start).div_ceil(BLOCK_EDGES) as usize;
        run.meter.expect(blocks as u64);
        let fill = |block: usize, (): &mut (), ends: &mut EdgeEnds| {
            let start = ids.start + block as u64 * BLOCK_EDGES;
            for id in start..ids.end.min(start + BLOCK_EDGES) {
                let (u, v) = (self.edge)(id);
                ends.push(u, v);
            }
        };
        in_waves(run, 0..blocks, fill, &mut |wave| {
            emit(wave)?;
            run.meter.advance(wave.len() as u64);
            Ok(())
        })
    }
}
