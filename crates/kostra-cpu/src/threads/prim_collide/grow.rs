//! One stage: instances of Prim's algorithm that grow trees concurrently.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use kostra_core::{Edges, Key, OutOfMemory, Run, SolveError, Vertex, Weight};

use super::contract::Trees;
use super::{NONE, lock, refusal};
use crate::heap::BinaryHeap;
use crate::heap::Heap;
use kostra_parallel::Rows;
use kostra_parallel::SharedEdgeSet;
use kostra_parallel::Team;

/// The number of steps (scanned edges) after which instances pause and report to the observer.
const STRIDE: usize = 1 << 20;

/// Runs of Prim's algorithm, one after another, on one thread. It can pause after any step.
pub(super) struct Instance<K: Key> {
    /// The tree that is growing.
    tree: Option<Vertex>,
    /// The neighbors of the tree, each with the lightest edge from the tree.
    fringe: BinaryHeap<K>,
    /// The number of vertices of the tree.
    size: u32,
    /// The range of vertices with which it begins each stage, and the range that it takes starts
    /// from now.
    own_stretch: usize,
    stretch: usize,
    /// The number of edges that it added to the forest in all stages.
    chosen: usize,
    pub(super) tally: Tally,
}

/// The counts of an instance in a stage.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) vertices: u32,
    pub(super) trees: u32,
    pub(super) collisions: u32,
    pub(super) largest: u32,
}

impl<K: Key> Instance<K> {
    /// An instance for graphs with `vertices` vertices, if the system grants the memory.
    pub(super) fn new(vertices: u32, own_stretch: usize) -> Result<Self, OutOfMemory> {
        Ok(Self {
            tree: None,
            fringe: BinaryHeap::new(vertices)?,
            size: 0,
            own_stretch,
            stretch: own_stretch,
            chosen: 0,
            tally: Tally::default(),
        })
    }
}

/// The vertices to start from: one range per instance. An instance that has finished its range
/// takes vertices of the others.
pub(super) struct Starts {
    /// The next vertex of each range, and the end.
    stretches: Vec<(AtomicUsize, usize)>,
}

impl Starts {
    pub(super) fn new(vertices: u32, instances: usize) -> Self {
        let bound = |index| vertices as usize * index / instances;
        Self {
            stretches: (0..instances)
                .map(|index| (AtomicUsize::new(bound(index)), bound(index + 1)))
                .collect(),
        }
    }

    /// The next vertex that was not taken yet, from this range or the next range that has one.
    pub(super) fn next(&self, stretch: &mut usize) -> Option<Vertex> {
        for _ in 0..self.stretches.len() {
            let (next, end) = &self.stretches[*stretch];
            // The load keeps the counter near its end.
            if next.load(Relaxed) < *end {
                let vertex = next.fetch_add(1, Relaxed);
                if vertex < *end {
                    return Some(vertex as Vertex);
                }
            }
            *stretch = (*stretch + 1) % self.stretches.len();
        }
        None
    }
}

/// A graph on which trees grow until every vertex is in a tree.
pub(super) struct Stage<'a, W: Weight> {
    pub(super) edges: Edges<'a, W>,
    pub(super) graph: Rows<'a>,
    pub(super) trees: Trees<'a>,
    pub(super) forest: &'a SharedEdgeSet,
    pub(super) starts: Starts,
    /// Whether the system refused memory to a heap. Its tree is then incomplete.
    pub(super) refused: AtomicBool,
}

impl<W: Weight> Stage<'_, W> {
    pub(super) fn grow_all(
        &self,
        instances: &[Mutex<Instance<W::Key>>],
        team: &Team<'_>,
        run: &mut Run<'_>,
    ) -> Result<(), SolveError> {
        loop {
            let unfinished = AtomicBool::new(false);
            team.on_all(|thread| {
                if let Some(instance) = instances.get(thread)
                    && self.grow(&mut lock(instance), STRIDE)
                {
                    unfinished.store(true, Relaxed);
                }
            });
            if self.refused.load(Relaxed) {
                return Err(refusal(self.edges, team.threads()));
            }
            let chosen = instances.iter().map(|instance| lock(instance).chosen).sum();
            run.progress(chosen, self.edges.vertices() as usize)?;
            if !unfinished.load(Relaxed) {
                return Ok(());
            }
        }
    }

    /// Grows trees for at least `steps` steps; whether there may be more work.
    pub(super) fn grow(&self, instance: &mut Instance<W::Key>, steps: usize) -> bool {
        let mut left = steps;
        while left > 0 {
            let Some(tree) = instance.tree else {
                let Some(start) = self.starts.next(&mut instance.stretch) else {
                    instance.stretch = instance.own_stretch;
                    return false;
                };
                left -= 1;
                if self.trees.claim(start, start).is_ok() {
                    instance.tree = Some(start);
                    left = left.saturating_sub(self.visit(instance, start, start));
                }
                continue;
            };
            left -= 1;
            let Some((rank, vertex)) = instance.fringe.first() else {
                self.stop(instance, tree, NONE); // no edge leaves the tree: it spans a component
                continue;
            };
            instance.chosen += usize::from(self.forest.insert(W::Key::rank_id(rank)));
            match self.trees.claim(vertex, tree) {
                Ok(()) => {
                    instance.fringe.delete_min();
                    left = left.saturating_sub(self.visit(instance, tree, vertex));
                }
                Err(other) => {
                    instance.tally.collisions += 1;
                    self.stop(instance, tree, other);
                }
            }
        }
        true
    }

    /// Scans the edges of a vertex that is new to the tree. Returns their number.
    fn visit(&self, instance: &mut Instance<W::Key>, tree: Vertex, vertex: Vertex) -> usize {
        instance.size += 1;
        let mut edges = 0;
        for (to, id) in self.graph.row(vertex) {
            edges += 1;
            // The vertices of other trees stay: an edge to one of them may be the lightest.
            if self.trees.owner(to) == tree {
                continue;
            }
            let rank = self.edges.rank(id);
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
        edges
    }

    fn stop(&self, instance: &mut Instance<W::Key>, tree: Vertex, other: Vertex) {
        self.trees.hook(tree, other);
        instance.fringe.clear();
        instance.tree = None;
        let size = std::mem::take(&mut instance.size);
        let tally = &mut instance.tally;
        tally.vertices += size;
        tally.trees += 1;
        tally.largest = tally.largest.max(size);
    }
}
