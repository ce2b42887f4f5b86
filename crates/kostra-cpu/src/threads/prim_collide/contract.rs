//! Contracts trees that collided into the vertices of the next stage.
//!
//! The start vertex identifies a tree. A tree hooks onto the tree that it collided with. The hooks
//! form trees of trees, in which two trees hook onto each other. One of the two becomes the root.
//! Pointer jumping leads every hook to its root, the roots are numbered, and the edges between
//! different roots are kept.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use kostra_core::{EdgeId, Edges, OutOfMemory, Vertex, Weight, memory};

use super::{NONE, lock};
use kostra_parallel::AdjacencyList;
use kostra_parallel::atomic_u32;
use kostra_parallel::exclusive_prefix_sum;
use kostra_parallel::{Schedule, Team};

/// The number of vertices per block of a loop: enough to amortize the distribution.
const BLOCK: Schedule = Schedule::Dynamic(1 << 12);

/// The memory of [`Trees`].
pub(super) struct Memory([Vec<u32>; 3]);

impl Memory {
    /// The memory for `vertices` vertices, if the system grants it.
    pub(super) fn new(vertices: u32) -> Result<Self, OutOfMemory> {
        let array = || memory::zeros(vertices as usize);
        Ok(Self([array()?, array()?, array()?]))
    }

    pub(super) fn trees(&mut self) -> Trees<'_> {
        let [owners, hooks, numbers] = &mut self.0;
        Trees { owners: atomic_u32(owners), hooks: atomic_u32(hooks), numbers: atomic_u32(numbers) }
    }
}

/// The tree of each vertex, and the result of each tree.
#[derive(Clone, Copy)]
pub(super) struct Trees<'a> {
    /// The tree of each vertex; `NONE` for an unvisited vertex.
    owners: &'a [AtomicU32],
    /// The tree that each tree collided with; `NONE` if it is complete. Meaningless for a vertex
    /// that started no tree.
    hooks: &'a [AtomicU32],
    /// The vertex of the next stage for each root, after the roots are numbered.
    numbers: &'a [AtomicU32],
}

impl Trees<'_> {
    /// Marks the vertices below `vertices` as unvisited.
    pub(super) fn forget(self, vertices: u32, team: &Team<'_>) {
        each(vertices, team, |vertex| self.owners[vertex as usize].store(NONE, Relaxed));
    }

    /// Claims a vertex for a tree; or returns the tree that it belongs to.
    pub(super) fn claim(self, vertex: Vertex, tree: Vertex) -> Result<(), Vertex> {
        self.owners[vertex as usize].compare_exchange(NONE, tree, Relaxed, Relaxed).map(|_| ())
    }

    /// The tree of a vertex, or `NONE`.
    #[inline]
    pub(super) fn owner(self, vertex: Vertex) -> Vertex {
        self.owners[vertex as usize].load(Relaxed)
    }

    /// Sets the result of a tree.
    pub(super) fn hook(self, tree: Vertex, other: Vertex) {
        self.hooks[tree as usize].store(other, Relaxed);
    }

    /// Leads the hook of every tree that collided to the root of its connected trees.
    pub(super) fn merge(self, vertices: u32, team: &Team<'_>) {
        each(vertices, team, |tree| {
            let Some(hook) = self.collided(tree) else { return };
            // Of two trees that hook onto each other, the lower becomes the root. If the other tree
            // reads the hook later, it no longer leads back, which is harmless.
            if tree < hook && self.hooks[hook as usize].load(Relaxed) == tree {
                self.hook(tree, tree);
            }
        });
        // Depths at least halve in each pass. A hook that another thread has advanced only leads
        // further.
        let changed = AtomicBool::new(true);
        while changed.swap(false, Relaxed) {
            each(vertices, team, |tree| {
                let Some(hook) = self.collided(tree) else { return };
                let further = self.hooks[hook as usize].load(Relaxed);
                if further != hook {
                    self.hook(tree, further);
                    changed.store(true, Relaxed);
                }
            });
        }
    }

    /// Numbers the roots after [`merge`](Self::merge) in ascending order. Returns their number.
    pub(super) fn number(self, vertices: u32, team: &Team<'_>) -> u32 {
        each(vertices, team, |tree| {
            let root = self.collided(tree) == Some(tree);
            self.numbers[tree as usize].store(root.into(), Relaxed);
        });
        exclusive_prefix_sum(team, &self.numbers[..vertices as usize])
    }

    /// The hook of the tree that started at a vertex, if one did and collided.
    fn collided(self, tree: Vertex) -> Option<Vertex> {
        let hook = self.hooks[tree as usize].load(Relaxed);
        (self.owner(tree) == tree && hook != NONE).then_some(hook)
    }

    /// The root of a vertex's tree; `NONE` if the tree is complete.
    fn root(self, vertex: Vertex) -> Vertex {
        self.hooks[self.owner(vertex) as usize].load(Relaxed)
    }
}

fn each(vertices: u32, team: &Team<'_>, step: impl Fn(Vertex) + Sync) {
    team.for_each(vertices as usize, BLOCK, |vertex| step(vertex as Vertex));
}

/// The edges between different vertices of a stage, one part per thread.
pub(super) struct Links {
    shares: Vec<Mutex<Vec<Link>>>,
}

/// An edge with its ends in the graph of the stage, and its id in the whole graph.
struct Link {
    u: Vertex,
    v: Vertex,
    id: EdgeId,
}

impl Links {
    /// The edges of the whole graph except self-loops, if the system grants the memory.
    pub(super) fn build<W: Weight>(
        edges: Edges<'_, W>,
        team: &Team<'_>,
    ) -> Result<Self, OutOfMemory> {
        let bound = |index| (edges.len() * index / team.threads()) as EdgeId;
        let ids_of = |thread| bound(thread)..bound(thread + 1);
        let mut shares = Vec::new();
        for thread in 0..team.threads() {
            shares.push(Mutex::new(memory::with_capacity(ids_of(thread).len())?));
        }
        team.on_all(|thread| {
            let ids = ids_of(thread);
            lock(&shares[thread]).extend(
                ids.map(|id| (id, edges.ends(id)))
                    .filter(|(_, (u, v))| u != v)
                    .map(|(id, (u, v))| Link { u, v, id }),
            );
        });
        Ok(Self { shares })
    }

    /// The number of edges.
    pub(super) fn len(&mut self) -> usize {
        let share = |share: &mut Mutex<Vec<Link>>| {
            share.get_mut().unwrap_or_else(PoisonError::into_inner).len()
        };
        self.shares.iter_mut().map(share).sum()
    }

    /// Inserts every edge into an adjacency list.
    pub(super) fn insert_into(&self, graph: &AdjacencyList, team: &Team<'_>) {
        team.on_all(|thread| {
            let share = lock(&self.shares[thread]);
            let mut writer = graph.writer(2 * share.len());
            for link in share.iter() {
                writer.insert_edge(link.u, link.v, link.id);
            }
        });
    }

    /// Drops the edges inside merged trees, and relabels the others with the numbers of their
    /// roots.
    pub(super) fn contract(&self, trees: Trees<'_>, team: &Team<'_>) {
        team.on_all(|thread| {
            lock(&self.shares[thread]).retain_mut(|link| {
                // If one end is in a complete tree, both ends are. So no root below is NONE.
                let (u, v) = (trees.root(link.u), trees.root(link.v));
                if u != v {
                    link.u = trees.numbers[u as usize].load(Relaxed);
                    link.v = trees.numbers[v as usize].load(Relaxed);
                }
                u != v
            });
        });
    }
}
