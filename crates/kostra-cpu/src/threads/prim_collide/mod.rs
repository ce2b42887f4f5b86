//! Several instances of Prim's algorithm at once, each growing trees of its own, which stop where
//! they collide.
//!
//! A thread starts a tree at a vertex that is in no tree yet, and grows it as Prim's algorithm
//! does: it chooses the lightest edge that leaves the tree, and claims the vertex at the other end
//! by a compare-exchange. Where another tree has claimed that vertex before, the two trees collide:
//! the tree that came second stops, and its thread starts another tree elsewhere. When all vertices
//! are in trees, trees that collided are contracted into one vertex, and the next stage goes on
//! with the graph between the new vertices. An instance on every vertex is Borůvka's algorithm; one
//! instance alone is Prim's.
//!
//! Why the edges are right: only its own thread adds to a tree, so at each choice the tree is a
//! fixed set of vertices, and the chosen edge is the first in the order `(weight key, edge id)` of
//! all that leave the set. By the cut property it is in the one minimum spanning forest, whatever
//! the other threads do, and whether its far end is free or taken; so the edge of a collision is
//! chosen like any other. After it the tree must stop. The next edge in its heap is the second that
//! leaves the set, about which the cut property says nothing: a path through the other tree may be
//! lighter. The first edge that leaves the union of both is not known to the thread, for the other
//! tree is still growing. All chosen edges are in one forest, so they close no cycle, and an edge
//! that two trees choose counts once. So the forest does not depend on which thread gets which
//! vertex.
//!
//! Why there are at most log2 n stages: every tree of a stage, even one of a single vertex, ends
//! either complete, with no edge leaving it, and is not in the next stage; or in a collision, which
//! merges it with another tree. So each new vertex is made of at least two old ones. As in
//! Borůvka's algorithm, the collisions form a forest, except for pairs that chose the same edge:
//! the heaviest edge of a longer cycle would not have been first for either tree at its ends.
//! Within a stage each vertex is claimed once and each edge is looked at from both ends. Emptying a
//! heap at a collision costs O(1), so trees may collide as often as there are vertices: on a path
//! with ascending weights every tree that starts behind another one collides at its first edge.
//!
//! * Source: Sousa 2014, section 4.3.1 and `tm_mst_pt` in chapter 5, which follow Kang and Bader
//!   2009 without stealing, and Bader and Cong 2004, who restart and contract. The adjacency list
//!   of a stage is that of section 4.2. What a tree does at a collision is nearer to Nobari 2012,
//!   Algorithm 2 (Partial Prim), than to Sousa: a tree may choose an edge to a vertex of any other
//!   tree, hooks onto that tree, stops, and its thread starts elsewhere at once.
//! * Reports for each stage the number of trees and of collisions, the size of the largest tree,
//!   and the number of vertices that each thread has processed, in the order of threads.
//! * O((n + m) log n) work per stage, at most log2 n stages. Scratch 44 bytes per edge, 20 per
//!   vertex, and 4 per vertex and thread. The heaps take 16 bytes (32 with 64-bit weights) for each
//!   vertex next to a tree.
//! * Input: edge list. Exact. Threads.
//!
//! Deviations from Sousa 2014:
//!
//! * A compare-exchange claims vertices; Kang and Bader use transactions, Bader and Cong color the
//!   neighbors.
//! * In `tm_mst_pt` a thread that collides waits until all others have stopped. Here it waits only
//!   when no vertex is left to start from, because waiting would end a stage after one collision of
//!   each thread.
//! * The lock-free list holds the graph between trees, not the tree; the forest is a set with one
//!   bit an edge.
//! * Bader and Cong run one iteration of Borůvka's algorithm on the contracted graph. Here every
//!   stage runs instances of Prim's algorithm, fewer when the graph is small, at the end one.
//! * Graphs may be disconnected: a thread whose tree is complete starts the next tree.
//!
//! Deviations from Nobari 2012, Algorithm 2:
//!
//! * Nobari bounds the size of a tree by gamma. Here a tree grows until it collides or is complete.
//! * Partial Prim searches the edges of all vertices of the tree for each choice. Here a heap holds
//!   the lightest edge to each vertex beside the tree.
//! * Nobari removes parallel edges when trees are contracted. Here they stay, as in Sousa 2014,
//!   4.4.

mod contract;
mod grow;

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};

use kostra_core::{
    Algorithm, EdgeSet, Edges, Key, OutOfMemory, Platform, Problem, Representation, Run,
    SolveError, SolverInfo, Vertex, Weight,
};

use contract::{Links, Memory, Trees};
use grow::{Instance, Stage, Starts, Tally};
use kostra_parallel::AdjacencyList;
use kostra_parallel::SharedEdgeSet;
use kostra_parallel::Team;
use kostra_parallel::with_observed_team;

/// Several instances of Prim's algorithm with collisions.
pub(crate) struct PrimCollide;

/// No tree: an unvisited vertex is in no tree, and a complete tree has collided with none.
const NONE: Vertex = Vertex::MAX;

/// The number of vertices per instance: fewer do not pay for a thread.
const VERTICES_AN_INSTANCE: usize = 8;

impl Algorithm for PrimCollide {
    const INFO: SolverInfo = SolverInfo {
        id: "prim-collide",
        title: "Prim, several instances that collide",
        source: "Sousa 2014, 4.2 and 4.3.1; Nobari 2012, Algorithm 2",
        platform: Platform::Threads,
        representation: Representation::EdgeList,
        exact: true,
        time: "O((n + m) log n) per stage, at most log n stages",
        scratch: "44 bytes per edge, 20 per vertex, 4 per vertex and thread, 16 per vertex in a heap (32 with 64-bit weights)",
        options: &[],
    };

    fn solve<W: Weight>(
        &self,
        problem: Problem<'_, W>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let edges = problem.edges();
        let forest = SharedEdgeSet::new(edges.len())?;
        with_observed_team(run, run.threads(), |team, run| solve(edges, team, &forest, run))?;
        Ok(forest.into_edge_set())
    }
}

/// The error for refused memory. It gives the memory of all parts together if every vertex is a
/// neighbor of one tree.
fn refusal<W: Weight>(edges: Edges<'_, W>, threads: usize) -> SolveError {
    let instances = instances_for(edges.vertices(), threads);
    let in_heap = size_of::<(<W::Key as Key>::Rank, Vertex)>();
    let at_vertices = (edges.vertices() as usize).saturating_mul(20 + 4 * instances + in_heap);
    SolveError::OutOfMemory {
        solver: PrimCollide::INFO.id,
        bytes: edges.len().saturating_mul(44).saturating_add(at_vertices),
    }
}

fn solve<W: Weight>(
    edges: Edges<'_, W>,
    team: &Team<'_>,
    forest: &SharedEdgeSet,
    run: &mut Run<'_>,
) -> Result<(), SolveError> {
    let refused = |_: OutOfMemory| refusal(edges, team.threads());
    let mut memory = Memory::new(edges.vertices()).map_err(refused)?;
    let search = run.phase("list", |_| Search::new(edges, team, memory.trees(), forest));
    let mut search = search.map_err(refused)?;
    let instances: Result<Vec<Mutex<Instance<W::Key>>>, _> =
        (0..instances_for(edges.vertices(), team.threads()))
            .map(|index| Instance::new(edges.vertices(), index).map(Mutex::new))
            .collect();
    let instances = instances.map_err(refused)?;
    while search.links.len() > 0 {
        run.round(search.vertices as usize, search.links.len())?;
        let instances = &instances[..instances_for(search.vertices, team.threads())];
        let stage = run.phase("list", |_| search.stage(instances.len()));
        run.phase("grow", |run| stage.grow_all(instances, team, run))?;
        report(instances, run);
        run.phase("contract", |_| search.contract());
    }
    run.finish_rounds();
    Ok(())
}

/// The number of instances that grow trees on a graph with `vertices` vertices.
fn instances_for(vertices: u32, threads: usize) -> usize {
    (vertices as usize / VERTICES_AN_INSTANCE).clamp(1, threads)
}

fn report<K: Key>(instances: &[Mutex<Instance<K>>], run: &mut Run<'_>) {
    let tallies: Vec<Tally> =
        instances.iter().map(|instance| std::mem::take(&mut lock(instance).tally)).collect();
    run.counter("trees", tallies.iter().map(|tally| f64::from(tally.trees)).sum());
    run.counter("collisions", tallies.iter().map(|tally| f64::from(tally.collisions)).sum());
    run.counter(
        "largest tree",
        tallies.iter().map(|tally| f64::from(tally.largest)).fold(0.0, f64::max),
    );
    for tally in &tallies {
        run.counter("vertices of a thread", f64::from(tally.vertices));
    }
}

/// Locks an item that one thread at a time uses, so no thread waits. The lock gives each step
/// exclusive access.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state between stages.
struct Search<'a, W: Weight> {
    edges: Edges<'a, W>,
    team: &'a Team<'a>,
    /// The number of vertices of the stage's graph.
    vertices: u32,
    /// The edges of that graph.
    links: Links,
    /// The edges by vertex.
    graph: AdjacencyList,
    trees: Trees<'a>,
    forest: &'a SharedEdgeSet,
}

impl<'a, W: Weight> Search<'a, W> {
    fn new(
        edges: Edges<'a, W>,
        team: &'a Team<'a>,
        trees: Trees<'a>,
        forest: &'a SharedEdgeSet,
    ) -> Result<Self, OutOfMemory> {
        let vertices = edges.vertices();
        let mut links = Links::build(edges, team)?;
        let graph = AdjacencyList::new(vertices, 2 * links.len())?;
        Ok(Self { edges, team, vertices, links, graph, trees, forest })
    }

    /// Builds the adjacency list of the stage, and marks all vertices as unvisited.
    fn stage(&mut self, instances: usize) -> Stage<'_, W> {
        self.graph.clear(self.vertices);
        self.links.insert_into(&self.graph, self.team);
        self.trees.forget(self.vertices, self.team);
        Stage {
            edges: self.edges,
            graph: self.graph.rows(),
            trees: self.trees,
            forest: self.forest,
            starts: Starts::new(self.vertices, instances),
            refused: AtomicBool::new(false),
        }
    }

    /// Contracts trees that collided into the vertices of the next stage.
    fn contract(&mut self) {
        self.trees.merge(self.vertices, self.team);
        let left = self.trees.number(self.vertices, self.team);
        self.links.contract(self.trees, self.team);
        self.vertices = left;
    }
}

#[cfg(test)]
mod tests;
