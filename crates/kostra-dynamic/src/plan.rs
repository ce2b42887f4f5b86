//! Edge by edge or as a whole: which way takes a batch the least time.
//!
//! A batch that is solved as a whole leaves no trees, and making them takes longer than many
//! solves. So trees are made when they would have saved as much time as making them takes (ski
//! rental, Karlin, Manasse, Rudolph & Sleator 1988). Whatever follows, both together take at most
//! twice the time of the better way.
//!
//! Times are in nanoseconds, from the examples `batches` and `incremental` on a uniform graph of a
//! million vertices and four million edges. Only their proportions matter. Trees change on one
//! thread, and a solve uses all threads. So with more threads, trees are worth their time later.

use kostra_core::{OutOfMemory, Weight};

use crate::DynamicForest;
use crate::trees::Trees;

/// Stitching an edge into a growing tree.
const STITCH: u64 = if cfg!(test) { 2 } else { 230 };
/// Changing an edge of trees that can change.
const CHANGE: u64 = if cfg!(test) { 4 } else { 7000 };
/// A search for a replacement of this many steps takes as long as changing one edge.
const SEARCH_STEPS: u64 = 100;
/// Starting a solve.
const START: u64 = if cfg!(test) { 4 } else { 12_000 };
/// Making a growing tree, per vertex.
const GROW: u64 = if cfg!(test) { 2 } else { 60 };
/// Making trees that can change, per vertex and edge.
const MAKE: u64 = if cfg!(test) { 3 } else { 115 };
/// The part of a solve that does not depend on the number of threads, and the part that the threads
/// divide among them, per vertex and edge.
const SOLVE: [u64; 2] = if cfg!(test) { [1, 0] } else { [3, 17] };
/// A solver uses one more thread for each of this many edges.
const EDGES_PER_THREAD: usize = 1 << 14;

/// The edges of a batch.
#[derive(Clone, Copy, Default)]
pub(crate) struct Batch {
    /// Edges of the forest that are deleted or become worse.
    pub(crate) lost: usize,
    /// Edges that are new, or outside the forest and become better.
    pub(crate) gained: usize,
    /// Further edges, which trees that can change must know of.
    pub(crate) others: usize,
}

/// What was saved and spent so far.
pub(crate) struct Plan {
    /// The threads of a solve.
    threads: usize,
    growing: Savings,
    changing: Savings,
    /// The number of searches for replacements so far, and of their steps.
    pub(crate) searches: usize,
    pub(crate) search_steps: usize,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            threads: kostra_core::default_threads(),
            growing: Savings::default(),
            changing: Savings::default(),
            searches: 0,
            search_steps: 0,
        }
    }
}

/// The time that trees would have saved since the last batch for which they were not worth it.
#[derive(Default)]
struct Savings(u64);

impl Savings {
    /// Counts a batch that takes the time `without` or `with` trees.
    fn count(&mut self, without: u64, with: u64) {
        self.0 = if with < without { self.0 + (without - with) } else { 0 };
    }

    /// Whether trees are worth the time `make`. Then the savings start again.
    fn pay(&mut self, make: u64) -> bool {
        let pays = self.0 >= make;
        if pays {
            self.0 = 0;
        }
        pays
    }
}

impl<W: Weight> DynamicForest<W> {
    /// Whether a batch is to be solved as a whole. If not, the trees that it needs are there.
    pub(crate) fn is_whole(&mut self, batch: Batch) -> Result<bool, OutOfMemory> {
        let solve = self.solve_time(batch);
        match self.trees {
            Trees::Changing(_) => return Ok(self.is_slow(batch)),
            Trees::Growing(_) if batch.lost == 0 => {
                return Ok(STITCH * batch.gained as u64 > solve);
            }
            Trees::None | Trees::Growing(_) => {}
        }
        let vertices = u64::from(self.vertices);
        let change = self.change_time(batch);
        self.plan.changing.count(solve, change);
        if batch.lost > 0 {
            self.plan.growing.0 = 0;
            let pays = self.plan.changing.pay(MAKE * (vertices + self.present as u64));
            if pays {
                self.changing()?;
            }
            return Ok(!pays);
        }
        self.plan.growing.count(solve, STITCH * batch.gained as u64);
        let pays = self.plan.growing.pay(GROW * vertices);
        if pays {
            self.grow()?;
        }
        Ok(!pays)
    }

    /// Counts that a growing tree was made, which trees that can change would have saved.
    pub(crate) fn has_grown(&mut self) {
        self.plan.changing.0 += GROW * u64::from(self.vertices);
    }

    /// Whether trees that can change take longer for a batch than a solve.
    pub(crate) fn is_slow(&self, batch: Batch) -> bool {
        self.change_time(batch) > self.solve_time(batch)
    }

    /// The time of a fresh solve, which is about the most that the solve of a batch takes.
    fn solve_time(&self, batch: Batch) -> u64 {
        let edges = self.present + batch.gained;
        let threads = self.plan.threads.min(1 + edges / EDGES_PER_THREAD) as u64;
        let [alone, shared] = SOLVE;
        START + (alone + shared / threads) * (u64::from(self.vertices) + edges as u64)
    }

    /// The time with trees that can change, if searches for replacements take as long as so far.
    fn change_time(&self, batch: Batch) -> u64 {
        let Batch { lost, gained, others } = batch;
        let steps = (lost as u64).saturating_mul(self.plan.search_steps as u64);
        let searches = steps.checked_div(self.plan.searches as u64).unwrap_or(0) / SEARCH_STEPS;
        ((lost + gained + others) as u64).saturating_add(searches).saturating_mul(CHANGE)
    }
}
