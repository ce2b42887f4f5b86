//! Partial Prim (Algorithm 2): processors that grow trees up to a size.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use kostra_core::{OutOfMemory, Run, SolveError, Vertex, memory};
use kostra_parallel::{SharedEdgeSet, Team, lock};

use super::super::stage_graph::{Entry, StageGraph};
use crate::shared::SharedTrees;

/// The number of steps (entries that a search looks at) after which workers pause and the leader
/// reports to the observer.
const STRIDE: usize = 1 << 20;

/// How the lightest edge that leaves a tree is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// Algorithm 3: rows in any order.
    Min,
    /// Algorithm 4: rows in the order of edges.
    Sort,
}

/// A thread that does the work of processors, one after another. It can pause after any step.
pub(super) struct Worker {
    /// The start vertices that the current processor has left.
    partition: Range<Vertex>,
    /// The tree that is growing.
    tree: Option<Vertex>,
    /// The vertices of the tree (Q) that an edge may leave.
    queue: Vec<Member>,
    /// The number of vertices of the tree.
    size: u32,
    /// The number of vertices that joined trees of other vertices, in all iterations. Each gives an
    /// edge of the forest that no other claim gives.
    joined: usize,
    pub(super) tally: Tally,
}

/// A vertex of the tree.
struct Member {
    vertex: Vertex,
    /// The place in the row where the search continues. MinPMA: past the end before the first
    /// search, then the first place. SortPMA: the cursor `Last`.
    last: u32,
}

/// Before the first search of a row in MinPMA.
const UNSEARCHED: u32 = u32::MAX;

/// The counts of a worker in an iteration.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) trees: u32,
    pub(super) touches: u32,
    pub(super) largest: u32,
    /// The entries that searches looked at.
    pub(super) looked_at: u64,
}

impl Worker {
    /// A worker for trees of up to `gamma` vertices, if the system grants the memory.
    pub(super) fn new(gamma: u32) -> Result<Self, OutOfMemory> {
        Ok(Self {
            partition: 0..0,
            tree: None,
            queue: memory::with_capacity(gamma as usize)?,
            size: 0,
            joined: 0,
            tally: Tally::default(),
        })
    }

    /// Gives the worker a single start vertex, in place of its partition.
    #[cfg(test)]
    pub(super) fn start_at(&mut self, vertex: Vertex) {
        self.partition = vertex..vertex + 1;
    }

    fn stop(&mut self) {
        self.tally.trees += 1;
        self.tally.largest = self.tally.largest.max(self.size);
        self.tree = None;
        self.queue.clear();
        self.size = 0;
    }
}

/// The number of vertices that joined trees of other vertices so far.
pub(super) fn joined(workers: &[Mutex<Worker>]) -> usize {
    workers.iter().map(|worker| lock(worker).joined).sum()
}

/// One iteration of Algorithm 1, until every vertex is in a tree.
pub(super) struct Iteration<'a> {
    pub(super) graph: &'a StageGraph,
    pub(super) trees: SharedTrees<'a>,
    pub(super) forest: &'a SharedEdgeSet,
    pub(super) gamma: u32,
    pub(super) search: Search,
    /// The next processor that no worker has taken.
    pub(super) next: AtomicUsize,
}

impl Iteration<'_> {
    /// Lets all processors finish.
    pub(super) fn grow_all(
        &self,
        workers: &[Mutex<Worker>],
        team: &Team<'_>,
        run: &mut Run<'_>,
        all: usize,
    ) -> Result<(), SolveError> {
        let unfinished = AtomicBool::new(true);
        while unfinished.swap(false, Relaxed) {
            team.on_all(|thread| {
                if self.grow(&mut lock(&workers[thread]), STRIDE) {
                    unfinished.store(true, Relaxed);
                }
            });
            run.report.progress(joined(workers), all)?;
        }
        Ok(())
    }

    /// Grows trees for at least `steps` steps; whether there may be more work.
    pub(super) fn grow(&self, worker: &mut Worker, steps: usize) -> bool {
        let mut left = steps;
        while left > 0 {
            left -= 1;
            if let Some(tree) = worker.tree {
                left = left.saturating_sub(self.extend(worker, tree));
            } else {
                let Some(start) = self.next_start(worker) else { return false };
                if self.trees.claim(start, start).is_ok() {
                    worker.tree = Some(start);
                    self.join(worker, start);
                }
            }
        }
        true
    }

    /// The next vertex of the worker's processor, or the first vertex of another processor.
    fn next_start(&self, worker: &mut Worker) -> Option<Vertex> {
        let vertices = u64::from(self.graph.vertices());
        let processors = vertices.div_ceil(u64::from(self.gamma));
        loop {
            if let Some(vertex) = worker.partition.next() {
                return Some(vertex);
            }
            let processor = self.next.fetch_add(1, Relaxed) as u64;
            if processor >= processors {
                return None;
            }
            let bound = |processor| (vertices * processor / processors) as Vertex;
            worker.partition = bound(processor)..bound(processor + 1);
        }
    }

    /// Lines 6 to 16 of Algorithm 2, once. Returns the number of entries that the search looked at.
    fn extend(&self, worker: &mut Worker, tree: Vertex) -> usize {
        if worker.size == self.gamma {
            self.trees.end(tree);
            worker.stop();
            return 0;
        }
        let (lightest, looked_at) = self.lightest(&mut worker.queue, tree);
        worker.tally.looked_at += looked_at as u64;
        let Some(edge) = lightest else {
            self.trees.end(tree);
            worker.stop();
            return looked_at;
        };
        self.forest.insert(edge.id());
        match self.trees.claim(edge.to(), tree) {
            Ok(()) => {
                worker.joined += 1;
                self.join(worker, edge.to());
            }
            Err(other) => {
                self.trees.touch(tree, other);
                worker.tally.touches += 1;
                worker.stop();
            }
        }
        looked_at
    }

    fn join(&self, worker: &mut Worker, vertex: Vertex) {
        worker.size += 1;
        let last = match self.search {
            Search::Min => UNSEARCHED,
            Search::Sort => 0,
        };
        worker.queue.push(Member { vertex, last });
    }

    /// The lightest edge that leaves the tree, and the number of entries that were looked at.
    /// Vertices that no edge leaves are dropped from the queue, because the tree only grows.
    fn lightest(&self, queue: &mut Vec<Member>, tree: Vertex) -> (Option<&Entry>, usize) {
        let (mut lightest, mut looked_at): (Option<&Entry>, _) = (None, 0);
        queue.retain_mut(|member| {
            let row = self.graph.row(member.vertex);
            let found = match self.search {
                Search::Min => self.bring_lightest_to_front(member, row, tree, &mut looked_at),
                Search::Sort => self.advance_cursor(member, row, tree, &mut looked_at),
            };
            if let Some(edge) = found
                && lightest.is_none_or(|lightest| edge.rank() < lightest.rank())
            {
                lightest = Some(edge);
            }
            found.is_some()
        });
        (lightest, looked_at)
    }

    /// The lightest edge that leaves the tree at one vertex (lines 3 to 6 of Algorithm 3, and 5.4).
    fn bring_lightest_to_front<'g>(
        &self,
        member: &mut Member,
        row: &'g [Entry],
        tree: Vertex,
        looked_at: &mut usize,
    ) -> Option<&'g Entry> {
        let leaves = |entry: &&Entry| !self.trees.is_in(entry.to(), tree);
        let front = row.first()?;
        if member.last != UNSEARCHED {
            *looked_at += 1;
            if leaves(&front) {
                return Some(front);
            }
        }
        member.last = 0;
        *looked_at += row.len();
        let lightest = row.iter().filter(leaves).min_by_key(|entry| entry.rank())?;
        front.swap(lightest);
        Some(front)
    }

    /// The lightest edge that leaves the tree at one vertex (lines 3 to 9 of Algorithm 4).
    fn advance_cursor<'g>(
        &self,
        member: &mut Member,
        row: &'g [Entry],
        tree: Vertex,
        looked_at: &mut usize,
    ) -> Option<&'g Entry> {
        let left = &row[member.last as usize..];
        let inside = left.iter().take_while(|entry| self.trees.is_in(entry.to(), tree)).count();
        member.last += inside as u32;
        *looked_at += inside + 1;
        left.get(inside)
    }
}
