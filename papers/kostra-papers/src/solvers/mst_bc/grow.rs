//! One stage: instances of Prim's algorithm that color the neighbors of their trees.

use std::iter::Sum;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use kostra_core::{Algorithm, Key, OutOfMemory, Run, SolveError, Vertex};
use kostra_cpu::heap::{BinaryHeap, Heap};
use kostra_parallel::{SharedEdgeSet, Team, lock};

use super::super::stage_graph::{Entry, StageGraph};
use super::MstBc;
use crate::shared::SharedTrees;

/// The number of steps (scanned edges) after which instances pause and report to the observer.
const STRIDE: usize = 1 << 20;

/// Runs of Prim's algorithm, one after another, on one thread. It can pause after any step.
pub(super) struct Instance<K: Key> {
    /// The start vertices that are left.
    starts: Range<Vertex>,
    /// The tree that is growing, by its color: the start vertex.
    tree: Option<Vertex>,
    /// The neighbors of the tree, each with the lightest edge from the tree.
    fringe: BinaryHeap<K>,
    pub(super) tally: Tally,
}

/// The counts of an instance in a stage.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    /// The trees with at least one vertex.
    pub(super) trees: u32,
    pub(super) conflicts: u32,
    /// The vertices in trees.
    pub(super) vertices: u32,
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), |sum, tally| Self {
            trees: sum.trees + tally.trees,
            conflicts: sum.conflicts + tally.conflicts,
            vertices: sum.vertices + tally.vertices,
        })
    }
}

impl<K: Key> Instance<K> {
    /// An instance for graphs with `vertices` vertices, if the system grants the memory.
    pub(super) fn new(vertices: u32) -> Result<Self, OutOfMemory> {
        let fringe = BinaryHeap::new(vertices)?;
        Ok(Self { starts: 0..0, tree: None, fringe, tally: Tally::default() })
    }

    /// Prepares for the next stage.
    pub(super) fn begin(&mut self, starts: Range<Vertex>) {
        self.starts = starts;
        self.tally = Tally::default();
    }
}

/// A graph on which trees grow, until every vertex has a color.
pub(super) struct Stage<'a> {
    pub(super) graph: &'a StageGraph,
    pub(super) colors: SharedTrees<'a>,
    pub(super) tree_of: &'a [AtomicU32],
    pub(super) forest: &'a SharedEdgeSet,
    /// Whether the system refused memory to a heap. Its tree is then incomplete.
    pub(super) refused: AtomicBool,
}

impl Stage<'_> {
    /// Grows all trees. `chosen` edges of a forest on `all` vertices are known before.
    pub(super) fn grow_all<K: Key>(
        &self,
        instances: &[Mutex<Instance<K>>],
        team: &Team<'_>,
        run: &mut Run<'_>,
        (chosen, all): (usize, usize),
    ) -> Result<(), SolveError> {
        let unfinished = AtomicBool::new(true);
        while unfinished.swap(false, Relaxed) {
            team.on_all(|thread| {
                if let Some(instance) = instances.get(thread)
                    && self.grow(&mut lock(instance), STRIDE)
                {
                    unfinished.store(true, Relaxed);
                }
            });
            if self.refused.load(Relaxed) {
                let bytes = instances.len() * size_of::<(K::Rank, Vertex)>() * all;
                return Err(SolveError::OutOfMemory { solver: MstBc::INFO.id, bytes });
            }
            run.report.progress(chosen, all)?;
        }
        Ok(())
    }

    /// Grows trees for at least `steps` steps; whether there may be more work.
    pub(super) fn grow<K: Key>(&self, instance: &mut Instance<K>, steps: usize) -> bool {
        let mut left = steps;
        while left > 0 {
            left -= 1;
            if let Some(color) = instance.tree {
                let Some((rank, vertex)) = instance.fringe.first() else {
                    instance.tree = None; // the tree spans a component
                    continue;
                };
                instance.fringe.delete_min();
                left = left.saturating_sub(self.graph.row(vertex).len());
                if self.visit(instance, color, vertex) {
                    self.forest.insert(K::rank_id(rank));
                }
                continue;
            }
            let Some(start) = instance.starts.next() else { return false };
            if self.colors.claim(start, start).is_ok() {
                instance.tree = Some(start);
                left = left.saturating_sub(self.graph.row(start).len());
                if self.visit(instance, start, start) {
                    instance.tally.trees += 1;
                }
            }
        }
        true
    }

    /// Colors the neighbors of a vertex. If all have the tree's color, the vertex joins the tree.
    /// Otherwise the tree ends. Returns whether the vertex has joined.
    fn visit<K: Key>(&self, instance: &mut Instance<K>, color: Vertex, vertex: Vertex) -> bool {
        let row = self.graph.row(vertex);
        let mut neighbors = row.iter().map(Entry::to);
        let is_free = |to| match self.colors.claim(to, color) {
            Ok(()) => true,
            Err(other) => other == color,
        };
        if !neighbors.all(is_free) {
            instance.tally.conflicts += 1;
            instance.tree = None;
            instance.fringe.clear();
            return false;
        }
        self.tree_of[vertex as usize].store(color, Relaxed);
        instance.tally.vertices += 1;
        for entry in row {
            let to = entry.to();
            // Only this instance writes the trees of vertices with its color.
            if self.tree_of[to as usize].load(Relaxed) == color {
                continue;
            }
            let (key, id) = entry.rank();
            let rank = K::from_u64(key).rank(id);
            match instance.fringe.rank_of(to) {
                None => {
                    if instance.fringe.insert(to, rank).is_err() {
                        self.refused.store(true, Relaxed);
                    }
                }
                Some(known) if rank < known => instance.fringe.decrease(to, rank),
                Some(_) => {}
            }
        }
        true
    }
}
