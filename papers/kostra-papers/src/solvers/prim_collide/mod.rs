//! Several instances of Prim's algorithm at once, each growing trees of its own, which stop where
//! they collide.
//!
//! A thread starts a tree at a vertex that is in no tree yet, and grows it by Prim's algorithm: it
//! chooses the lightest edge that leaves the tree, and claims the vertex at the other end by a
//! compare-exchange. If another tree has claimed that vertex before, the two trees collide. The
//! tree that came second stops, and its thread waits until the trees of all threads have stopped.
//! Then trees that collided are contracted into one vertex. The next stage goes on with the smaller
//! graph, which contains the unvisited vertices as they are. A tree that spans a component stops
//! without a collision, and its thread starts another tree.
//!
//! With the option `waiting=0` a thread that collided starts another tree at once, and a stage ends
//! when all vertices are in trees. An instance on every vertex is then Borůvka's algorithm. With
//! either value, a single instance is Prim's algorithm.
//!
//! Why the edges are right: only its own thread adds vertices to a tree. So at each choice the tree
//! is a fixed set of vertices, and the chosen edge is the first, in the order
//! `(weight key, edge id)`, of all edges that leave the set. By the cut property it is in the
//! minimum spanning forest, no matter what other threads do, and whether its other end is free or
//! not. So the edge of a collision is chosen like any other. All chosen edges are in one forest, so
//! they close no cycle, and an edge that two trees choose counts once. The forest does not depend
//! on which thread gets which vertex. [`pma`](super::pma) proves that collisions close no cycle
//! except pairs; its touches are the same.
//!
//! Why the tree must stop after a collision: the next edge in its heap is the second that leaves
//! the set. The cut property says nothing about it, because a path through the other tree may be
//! lighter. The thread does not know the first edge that leaves the union of both trees, because
//! the other tree is still growing.
//!
//! Stages: a tree, even one of a single vertex, ends in one of two ways. If no edge leaves it, it
//! is complete, and not in the next stage. Otherwise a collision merges it with another tree. So
//! each new vertex that contains a tree is made of at least two old ones. With `waiting=0` every
//! vertex is in a tree, so there are at most log2 n stages. With waiting, a stage may end after few
//! vertices, if trees start near each other. The start vertices are pseudorandom, so no order of
//! weights makes that happen in every stage. The number of stages that was measured grows with the
//! number of threads and with log n. The worst case is n - 1 stages.
//!
//! * Source: Sousa 2014, sections 4.2 and 4.3.1, and `tm_mst_pt` in section 5.4, which follows Kang
//!   and Bader 2009 without stealing. The chosen edges are in the lock-free adjacency list of
//!   section 4.2, because a vertex may get several fathers.
//! * Reports for each stage the number of trees and of collisions, the vertices of the given graph
//!   in the largest tree, and the vertices of the stage that each thread has claimed, in the order
//!   of threads: "vertices between collisions", as in Figure 5.4, or with `waiting=0`, where a
//!   thread collides more than once, "vertices of a thread".
//! * Time O((n + m) log n) work per stage. Scratch 64 bytes per edge, 108 per vertex, and 4 for
//!   each vertex and thread, with heaps of 16 bytes (32 with 64-bit weights) for each vertex beside
//!   a tree.
//! * Input: CSR. Exact. Threads.
//!
//! Deviations from Sousa 2014:
//!
//! * A compare-exchange claims vertices. Kang and Bader use transactions. With the option
//!   `transactions=1` each claim is a transaction of `kostra_papers::shared::TransactionalMemory`:
//!   it reads the tree of the vertex and writes it if there is none. The heap belongs to one
//!   thread, so it needs no transaction. With stealing, it would.
//! * The source does not say how trees that collided become one vertex. Here it is the unification
//!   of Nobari 2012 ([`StageGraph`]), without its removal of parallel edges.
//! * A thread whose tree is complete starts the next tree, so graphs may be disconnected.
//! * The heap of an instance is binary. The source's Prim uses Boost's pairing heap.
//! * A stage uses one thread for every 8 vertices at most, at the end one.
//! * The list's entries are in one array and hold the edge's id. The end of the solve reads the
//!   forest from the list.

mod grow;
mod starts;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use kostra_core::{
    Algorithm, CsrView, EdgeSet, Edges, Key, OptionValues, OutOfMemory, Platform, Problem,
    Representation, Run, SolveError, SolverInfo, SolverOption, Vertex, memory,
};
use kostra_parallel::{Schedule, SharedEdgeSet, Team, atomic_u32, lock, with_observed_team};

use super::stage_graph::{StageGraph, admit};
use crate::shared::{AdjacencyList, Cells, SharedTrees, TransactionalMemory};
use grow::{Instance, RESERVED, Stage, Tally};
use starts::{AfterCollision, Starts};

/// Several instances of Prim's algorithm with collisions.
pub(crate) struct PrimCollide;

const WAITING: SolverOption = SolverOption {
    name: "waiting",
    about: "a thread whose tree collided waits for the others before it grows another tree",
    default: 1,
    values: OptionValues::Switch,
};

const TRANSACTIONS: SolverOption = SolverOption {
    name: "transactions",
    about: "threads claim vertices in transactions, not by a compare-exchange",
    default: 0,
    values: OptionValues::Switch,
};

/// The cell of a vertex that is in no tree.
const UNVISITED: Vertex = Vertex::MAX;

/// The number of vertices per instance: fewer do not pay for a thread.
const VERTICES_AN_INSTANCE: usize = 8;

/// The number of vertices per block of a loop over vertices.
const BLOCK: Schedule = Schedule::Dynamic(1 << 12);

impl Algorithm for PrimCollide {
    const INFO: SolverInfo = SolverInfo {
        id: "prim-collide",
        title: "Prim, several instances that collide",
        source: "Sousa 2014, 4.2 and 4.3.1",
        platform: Platform::Threads,
        representation: Representation::Csr,
        exact: true,
        time: "O((n + m) log n) per stage; with waiting=0 at most log n stages",
        scratch: "64 bytes per edge, 108 per vertex, 4 per vertex and thread, 16 per vertex beside a tree (32 with 64-bit weights), with transactions 8 more per vertex",
        options: &[WAITING, TRANSACTIONS],
    };

    fn admit(&self, _vertices: u32, edges: usize) -> Result<(), SolveError> {
        admit(edges, Self::INFO.id)
    }

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let rows = problem.csr(run)?;
        with_observed_team(run, run.request.threads(), |team, run| {
            let refused = |_: OutOfMemory| refusal(problem.edges(), team.threads());
            let mut tree = tree_list(rows.vertices(), team.threads()).map_err(refused)?;
            grow_forest(problem.edges(), rows, team, &tree, run)?;
            run.phase("collect the forest", |_| collect(&mut tree, problem.edges(), team))
                .map_err(refused)
        })
    }
}

/// The error for refused memory. It gives the memory of all parts together if every vertex is a
/// neighbor of one tree.
fn refusal<K: Key>(edges: Edges<'_, K>, threads: usize) -> SolveError {
    let instances = instances_for(edges.vertices(), threads);
    let in_heap = size_of::<(K::Rank, Vertex)>();
    let at_vertices = (edges.vertices() as usize).saturating_mul(108 + 4 * instances + in_heap);
    SolveError::OutOfMemory {
        solver: PrimCollide::INFO.id,
        bytes: edges.len().saturating_mul(64).saturating_add(at_vertices),
    }
}

/// The list that holds the tree while it grows. An edge that both trees of a collision choose is in
/// it twice. Each such pair of trees is contracted into a vertex of its own, for which at least one
/// edge of the forest is in the list. So at most 2 (n - 1) edges are inserted, and an instance
/// leaves less than one reservation unused.
fn tree_list(vertices: u32, instances: usize) -> Result<AdjacencyList, OutOfMemory> {
    let edges = 2 * (vertices as usize).saturating_sub(1) + RESERVED * instances;
    AdjacencyList::new(vertices, 2 * edges)
}

/// The edges of the finished tree.
fn collect<K: Key>(
    tree: &mut AdjacencyList,
    edges: Edges<'_, K>,
    team: &Team<'_>,
) -> Result<EdgeSet, OutOfMemory> {
    let (forest, rows) = (SharedEdgeSet::new(edges.len())?, tree.rows());
    team.for_each(edges.vertices() as usize, BLOCK, |vertex| {
        // Each edge is in the lists of both ends.
        let lower_ends = rows.row(vertex as Vertex).filter(|&(to, _)| (vertex as Vertex) < to);
        lower_ends.for_each(|(_, id)| _ = forest.insert(id));
    });
    Ok(forest.into_edge_set())
}

fn grow_forest<K: Key>(
    edges: Edges<'_, K>,
    rows: CsrView<'_, K>,
    team: &Team<'_>,
    tree: &AdjacencyList,
    run: &mut Run<'_>,
) -> Result<(), SolveError> {
    let refused = |_: OutOfMemory| refusal(edges, team.threads());
    let mut memory = Memory::new(edges.vertices()).map_err(refused)?;
    let after_collision = match run.request.option(&WAITING) {
        0 => AfterCollision::Restart,
        _ => AfterCollision::Wait,
    };
    let number = instances_for(edges.vertices(), team.threads());
    let with_transactions = run.request.option(&TRANSACTIONS) == 1;
    let words =
        if with_transactions { TransactionalMemory::words(rows.vertices() as usize) } else { 0 };
    let mut words = memory::zeros(words).map_err(refused)?;
    let mut transactional =
        TransactionalMemory::in_words(&mut words, TransactionalMemory::LOWEST_LIMIT)
            .expect("the lowest limit is in range");
    let (cells, participants) = transactional.participants(number);
    let state = run.phase("list", |_| State::new(rows, after_collision, memory.arrays(), team));
    let mut state = state.map_err(refused)?;
    state.cells = with_transactions.then_some(cells);
    let mut instances = Vec::new();
    for (index, participant) in participants.into_iter().enumerate() {
        let participant = with_transactions.then_some(participant);
        let instance = Instance::new(edges.vertices(), index, tree, participant);
        instances.push(Mutex::new(instance.map_err(refused)?));
    }
    while state.graph.edges() > 0 {
        let vertices = state.graph.vertices();
        run.report.round(vertices as usize, state.graph.edges())?;
        let instances = &instances[..instances_for(vertices, team.threads())];
        instances.iter().for_each(|instance| lock(instance).begin());
        let stage = run.phase("initialize", |_| state.stage(edges, tree, instances.len()));
        run.phase("grow", |run| stage.grow_all(instances, team, run))?;
        report(instances, after_collision, run);
        run.phase("contract", |_| state.contract()).map_err(refused)?;
        run.report.progress(grow::joined(instances), edges.vertices() as usize)?;
    }
    run.report.finish_rounds();
    Ok(())
}

/// The number of instances that grow trees on a graph with `vertices` vertices.
fn instances_for(vertices: u32, threads: usize) -> usize {
    (vertices as usize / VERTICES_AN_INSTANCE).clamp(1, threads)
}

fn report<K: Key>(
    instances: &[Mutex<Instance<'_, K>>],
    after_collision: AfterCollision,
    run: &mut Run<'_>,
) {
    let tallies: Vec<Tally> =
        instances.iter().map(|instance| std::mem::take(&mut lock(instance).tally)).collect();
    run.report.counter("trees", tallies.iter().map(|tally| f64::from(tally.trees)).sum());
    run.report.counter("collisions", tallies.iter().map(|tally| f64::from(tally.collisions)).sum());
    run.report.counter(
        "largest tree",
        tallies.iter().map(|tally| f64::from(tally.largest)).fold(0.0, f64::max),
    );
    let name = match after_collision {
        AfterCollision::Wait => "vertices between collisions",
        AfterCollision::Restart => "vertices of a thread",
    };
    let mut transactions = crate::shared::Tally::default();
    for instance in instances {
        if let Some(participant) = &mut lock(instance).participant {
            transactions += participant.take_tally();
        }
    }
    if transactions.started > 0 {
        run.report.counter("transactions started", transactions.started as f64);
        run.report.counter("transactions committed", transactions.committed as f64);
        run.report.counter("transactions aborted", transactions.aborted() as f64);
    }
    for tally in &tallies {
        run.report.counter(name, f64::from(tally.vertices));
    }
}

/// The memory of [`State`]: four numbers per vertex.
struct Memory([Vec<u32>; 4]);

impl Memory {
    /// The memory for `vertices` vertices, if the system grants it.
    fn new(vertices: u32) -> Result<Self, OutOfMemory> {
        let array = || memory::zeros(vertices as usize);
        Ok(Self([array()?, array()?, array()?, array()?]))
    }

    /// The trees, and the sizes of the vertices in two arrays.
    fn arrays(&mut self) -> Arrays<'_> {
        let [successor, touched, sizes, next_sizes] = &mut self.0;
        Arrays { trees: SharedTrees::in_memory(successor, touched), sizes, next_sizes }
    }
}

/// The trees, and the sizes of the vertices in this stage and in the next one.
struct Arrays<'a> {
    trees: SharedTrees<'a>,
    sizes: &'a mut [u32],
    next_sizes: &'a mut [u32],
}

/// The state between stages.
struct State<'a> {
    graph: StageGraph,
    trees: SharedTrees<'a>,
    /// The number of vertices of the given graph in each vertex, and memory for the next stage's.
    sizes: &'a mut [u32],
    next_sizes: &'a mut [u32],
    /// The tree of each vertex, if transactions claim vertices.
    cells: Option<Cells<'a>>,
    after_collision: AfterCollision,
    stages: u64,
    team: &'a Team<'a>,
}

impl<'a> State<'a> {
    fn new<K: Key>(
        rows: CsrView<'_, K>,
        after_collision: AfterCollision,
        arrays: Arrays<'a>,
        team: &'a Team<'a>,
    ) -> Result<Self, OutOfMemory> {
        let graph = StageGraph::build(rows, team)?;
        let Arrays { trees, sizes, next_sizes } = arrays;
        sizes.fill(1);
        let (cells, stages) = (None, 0);
        Ok(Self { graph, trees, sizes, next_sizes, cells, after_collision, stages, team })
    }

    /// Marks all vertices as unvisited.
    fn stage<'s, 'l, K: Key>(
        &'s mut self,
        edges: Edges<'s, K>,
        tree: &'l AdjacencyList,
        instances: usize,
    ) -> Stage<'s, 'l, K> {
        let vertices = self.graph.vertices();
        self.trees.forget(vertices, self.team);
        if let Some(cells) = self.cells {
            let forget = |vertex| cells.set(vertex as Vertex, UNVISITED);
            self.team.for_each(vertices as usize, BLOCK, forget);
        }
        self.stages += 1;
        Stage {
            edges,
            graph: &self.graph,
            sizes: self.sizes,
            trees: self.trees,
            cells: self.cells,
            tree,
            starts: Starts::new(vertices, instances, self.stages, self.after_collision),
            after_collision: self.after_collision,
            refused: AtomicBool::new(false),
        }
    }

    /// Contracts trees that collided into the vertices of the next stage.
    fn contract(&mut self) -> Result<(), OutOfMemory> {
        let (team, trees, vertices) = (self.team, self.trees, self.graph.vertices());
        if let Some(cells) = self.cells {
            team.for_each(vertices as usize, BLOCK, |vertex| {
                let tree = cells.get(vertex as Vertex);
                if tree != UNVISITED {
                    // The compare-exchange succeeds: no thread has claimed vertices here.
                    let _ = trees.claim(vertex as Vertex, tree);
                }
            });
        }
        trees.unify(vertices, team);
        self.graph.number(trees, team);
        self.next_sizes[..self.graph.next_vertices() as usize].fill(0);
        let next_sizes = atomic_u32(self.next_sizes);
        team.for_each(vertices as usize, BLOCK, |vertex| {
            if let Some(new) = self.graph.new_vertex(trees.root(vertex as Vertex)) {
                next_sizes[new as usize].fetch_add(self.sizes[vertex], Relaxed);
            }
        });
        std::mem::swap(&mut self.sizes, &mut self.next_sizes);
        self.graph.relabel(trees, team)
    }
}

#[cfg(test)]
mod tests;
