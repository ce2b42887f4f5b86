//! One stage: instances of Prim's algorithm that grow trees concurrently.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use kostra_core::{Edges, Key, OutOfMemory, Run, SolveError, Vertex};
use kostra_cpu::heap::{BinaryHeap, Heap};
use kostra_parallel::{Team, lock};

use super::super::stage_graph::StageGraph;
use super::starts::{AfterCollision, Search, Starts};
use super::{UNVISITED, refusal};
use crate::shared::{AdjacencyList, Cells, ListWriter, Participant, SharedTrees};

/// The number of steps (scanned edges) after which instances pause and report to the observer.
const STRIDE: usize = 1 << 20;

/// The number of edges for which an instance reserves entries of the list at a time.
pub(super) const RESERVED: usize = 64;

/// Runs of Prim's algorithm, one after another, on one thread. It can pause after any step.
pub(super) struct Instance<'a, K: Key> {
    /// The tree that is growing.
    tree: Option<Vertex>,
    /// Whether it waits for the other instances, because its tree has collided.
    waits: bool,
    /// The neighbors of the tree, each with the lightest edge from the tree.
    fringe: BinaryHeap<K>,
    /// The number of vertices of the given graph in the tree.
    size: u32,
    search: Search,
    /// Inserts into the list that holds the tree, and the number of edges for which it has entries.
    writer: ListWriter<'a>,
    reserved: usize,
    /// Runs the transactions that claim vertices, if there are any.
    pub(super) participant: Option<Participant<'a>>,
    /// The number of vertices that joined trees of other vertices, in all stages. Each gives an
    /// edge of the forest that no other claim gives.
    joined: usize,
    pub(super) tally: Tally,
}

/// The counts of an instance in a stage.
#[derive(Default)]
pub(super) struct Tally {
    /// The vertices of the stage's graph that it claimed.
    pub(super) vertices: u32,
    pub(super) trees: u32,
    pub(super) collisions: u32,
    /// The vertices of the given graph in its largest tree.
    pub(super) largest: u32,
}

impl<'a, K: Key> Instance<'a, K> {
    /// The instance with the number `index`, for graphs with `vertices` vertices, if the system
    /// grants the memory.
    pub(super) fn new(
        vertices: u32,
        index: usize,
        tree: &'a AdjacencyList,
        participant: Option<Participant<'a>>,
    ) -> Result<Self, OutOfMemory> {
        Ok(Self {
            tree: None,
            waits: false,
            fringe: BinaryHeap::new(vertices)?,
            size: 0,
            search: Search::new(index),
            writer: tree.writer(0),
            reserved: 0,
            participant,
            joined: 0,
            tally: Tally::default(),
        })
    }

    /// Prepares for the next stage.
    pub(super) fn begin(&mut self) {
        self.waits = false;
        self.search.begin();
        self.tally = Tally::default();
    }
}

/// A graph on which trees grow, until all instances wait or every vertex is in a tree.
pub(super) struct Stage<'a, 'l, K: Key> {
    pub(super) edges: Edges<'a, K>,
    pub(super) graph: &'a StageGraph,
    /// The number of vertices of the given graph in each vertex.
    pub(super) sizes: &'a [u32],
    pub(super) trees: SharedTrees<'a>,
    /// The tree of each vertex, if transactions claim vertices. The trees then learn it when the
    /// stage ends.
    pub(super) cells: Option<Cells<'a>>,
    /// Holds the minimum spanning forest, as far as it is known.
    pub(super) tree: &'l AdjacencyList,
    pub(super) starts: Starts,
    pub(super) after_collision: AfterCollision,
    /// Whether the system refused memory to a heap. Its tree is then incomplete.
    pub(super) refused: AtomicBool,
}

impl<'l, K: Key> Stage<'_, 'l, K> {
    pub(super) fn grow_all(
        &self,
        instances: &[Mutex<Instance<'l, K>>],
        team: &Team<'_>,
        run: &mut Run<'_>,
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
                return Err(refusal(self.edges, team.threads()));
            }
            run.report.progress(joined(instances), self.edges.vertices() as usize)?;
        }
        Ok(())
    }

    /// Grows trees for at least `steps` steps; whether there may be more work.
    pub(super) fn grow(&self, instance: &mut Instance<'l, K>, steps: usize) -> bool {
        let mut left = steps;
        while left > 0 && !instance.waits {
            left -= 1;
            if let Some(tree) = instance.tree {
                left = left.saturating_sub(self.extend(instance, tree));
                continue;
            }
            let Some(start) = self.starts.next(&mut instance.search) else { return false };
            if self.claim(instance, start, start).is_ok() {
                instance.tree = Some(start);
                left = left.saturating_sub(self.visit(instance, start, start));
            }
        }
        !instance.waits
    }

    /// Chooses the lightest edge that leaves the tree. Returns the number of scanned edges.
    fn extend(&self, instance: &mut Instance<'l, K>, tree: Vertex) -> usize {
        let Some((rank, vertex)) = instance.fringe.first() else {
            self.trees.end(tree); // no edge leaves the tree: it spans a component
            Self::stop(instance);
            return 0;
        };
        self.insert_edge(instance, rank);
        match self.claim(instance, vertex, tree) {
            Ok(()) => {
                instance.joined += 1;
                instance.fringe.delete_min();
                self.visit(instance, tree, vertex)
            }
            Err(other) => {
                self.trees.touch(tree, other);
                instance.tally.collisions += 1;
                instance.waits = self.after_collision == AfterCollision::Wait;
                Self::stop(instance);
                0
            }
        }
    }

    /// Claims a vertex for a tree; or returns the tree of the vertex.
    fn claim(
        &self,
        instance: &mut Instance<'l, K>,
        vertex: Vertex,
        tree: Vertex,
    ) -> Result<(), Vertex> {
        let Some(participant) = &mut instance.participant else {
            return self.trees.claim(vertex, tree);
        };
        let owner = participant.run(|transaction| {
            let owner = transaction.read(vertex)?;
            if owner == UNVISITED {
                transaction.write(vertex, tree)?;
            }
            Ok(owner)
        });
        match owner.expect("a transaction of one cell is below the limit") {
            UNVISITED => Ok(()),
            other => Err(other),
        }
    }

    fn is_in(&self, vertex: Vertex, tree: Vertex) -> bool {
        match self.cells {
            Some(cells) => cells.get(vertex) == tree,
            None => self.trees.is_in(vertex, tree),
        }
    }

    /// Inserts an edge of the forest into the list, between its ends in the given graph.
    fn insert_edge(&self, instance: &mut Instance<'l, K>, rank: K::Rank) {
        if instance.reserved == 0 {
            instance.writer = self.tree.writer(2 * RESERVED);
            instance.reserved = RESERVED;
        }
        instance.reserved -= 1;
        let id = K::rank_id(rank);
        let (u, v) = self.edges.ends(id);
        instance.writer.insert_edge(u, v, id);
    }

    /// Scans the edges of a vertex that is new to the tree. Returns their number.
    fn visit(&self, instance: &mut Instance<'l, K>, tree: Vertex, vertex: Vertex) -> usize {
        instance.size += self.sizes[vertex as usize];
        instance.tally.vertices += 1;
        let row = self.graph.row(vertex);
        for entry in row {
            let to = entry.to();
            // The vertices of other trees stay: an edge to one of them may be the lightest.
            if self.is_in(to, tree) {
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
        row.len()
    }

    fn stop(instance: &mut Instance<'l, K>) {
        instance.fringe.clear();
        instance.tree = None;
        let size = std::mem::take(&mut instance.size);
        instance.tally.trees += 1;
        instance.tally.largest = instance.tally.largest.max(size);
    }
}

/// The number of vertices that joined trees of other vertices so far.
pub(super) fn joined<K: Key>(instances: &[Mutex<Instance<'_, K>>]) -> usize {
    instances.iter().map(|instance| lock(instance).joined).sum()
}
