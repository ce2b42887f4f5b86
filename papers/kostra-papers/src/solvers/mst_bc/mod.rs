//! MST-BC, the algorithm of Bader and Cong between Prim's and Borůvka's: several instances of
//! Prim's algorithm, which color the neighbors of their trees and stop at foreign colors.
//!
//! An instance starts a tree at a vertex without a color. It takes the neighbor with the lightest
//! edge into its tree only if it can give its own color to all neighbors of that vertex. So all
//! neighbors of a tree have its color, and no other instance reaches them. If a neighbor has
//! another color, the trees are in conflict: the tree ends, and the instance starts another one at
//! once. When every vertex has a color, one iteration of Borůvka's algorithm chooses the lightest
//! edge of each tree and of each vertex in no tree. The components that all chosen edges make are
//! contracted, and the next stage goes on with the smaller graph. With one instance this is Prim's
//! algorithm, and with an instance per vertex Borůvka's.
//!
//! Why the edges are right: an instance chooses the lightest edge that leaves its tree, since the
//! heap has all neighbors of the tree (cut property). A vertex in a tree has the tree's color,
//! which never changes, so trees are disjoint, and a conflict chooses no edge. Borůvka's iteration
//! chooses the lightest edge that leaves each component. All of them are in one forest, since ranks
//! are a strict order.
//!
//! Stages: Borůvka's iteration merges each vertex that has an edge with another one, so vertices
//! with edges at least halve, and there are at most log2 n stages.
//!
//! * Source: Bader & Cong 2004, as Nobari 2012, sections 2 and 6.4, and Sousa 2014, sections 3.2.1
//!   and 4.3.1, describe it.
//! * Reports for each stage the trees, the conflicts, the vertices in trees, and the reduction rate
//!   of Nobari 2012, section 6.4: by how many percent the stage reduces the vertices.
//! * Time O((n + m) log n) per stage. Scratch 64 bytes per edge, 40 per vertex, and 4 for each
//!   vertex and thread, with heaps of 16 bytes (32 with 64-bit weights) for each vertex beside a
//!   tree.
//! * Input: CSR. Exact. Threads.
//!
//! Deviations from the descriptions:
//!
//! * A vertex gets its color by a compare-exchange. They say only that coloring needs no locks.
//! * The start vertices of an instance are a range of the stage's vertices, in ascending order. No
//!   description says how they are chosen.
//! * Components are unified as in Nobari 2012 ([`StageGraph`]), without the removal of parallel
//!   edges.
//! * A stage uses one thread for every 8 vertices at most, at the end one.

mod grow;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

use kostra_core::{
    Algorithm, EdgeId, EdgeSet, Edges, Key, OutOfMemory, Platform, Problem, Representation, Run,
    SolveError, SolverInfo, Vertex, memory,
};
use kostra_parallel::{Schedule, SharedEdgeSet, Team, atomic_u32, lock, with_observed_team};

use super::stage_graph::{StageGraph, admit};
use crate::shared::{LightestEdges, SharedTrees};
use grow::{Instance, Stage, Tally};

/// MST-BC.
pub(crate) struct MstBc;

/// The number of vertices per instance: fewer do not pay for a thread.
const VERTICES_AN_INSTANCE: usize = 8;

/// The number of vertices per block of a loop over vertices.
const BLOCK: Schedule = Schedule::Dynamic(1 << 10);

/// A vertex in no tree.
const NONE: Vertex = Vertex::MAX;

impl Algorithm for MstBc {
    const INFO: SolverInfo = SolverInfo {
        id: "mst-bc",
        title: "Prim, several instances that color their neighbors",
        source: "Bader & Cong 2004, after Nobari 2012 and Sousa 2014, 4.3.1",
        platform: Platform::Threads,
        representation: Representation::Csr,
        exact: true,
        time: "O((n + m) log n) per stage, at most log n stages",
        scratch: "64 bytes per edge, 40 per vertex, 4 per vertex and thread, 16 per vertex beside a tree (32 with 64-bit weights)",
        options: &[],
    };

    fn admit(&self, _vertices: u32, edges: usize) -> Result<(), SolveError> {
        admit(edges, Self::INFO.id)
    }

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let (rows, vertices) = (problem.csr(run)?, problem.edges().vertices());
        let forest = SharedEdgeSet::new(problem.edges().len())?;
        let mut memory = Memory::new::<K>(vertices)?;
        with_observed_team(run, run.request.threads(), |team, run| {
            let graph = run.phase("list", |_| StageGraph::build(rows, team))?;
            let instances: Result<Vec<_>, OutOfMemory> = (0..instances_for(vertices, team))
                .map(|_| Instance::new(vertices).map(Mutex::new))
                .collect();
            let mut state = State::new(problem.edges(), graph, &forest, &mut memory);
            state.solve(&instances?, team, run)
        })?;
        Ok(forest.into_edge_set())
    }
}

/// The number of instances that grow trees on a graph with `vertices` vertices.
fn instances_for(vertices: u32, team: &Team<'_>) -> usize {
    (vertices as usize / VERTICES_AN_INSTANCE).clamp(1, team.threads())
}

/// The memory of [`State`].
struct Memory {
    successor: Vec<u32>,
    touched: Vec<u32>,
    tree_of: Vec<u32>,
    lightest: Vec<u64>,
}

impl Memory {
    fn new<K: Key>(vertices: u32) -> Result<Self, OutOfMemory> {
        let array = || memory::zeros(vertices as usize);
        let lightest = memory::zeros(LightestEdges::<K>::words(vertices as usize))?;
        Ok(Self { successor: array()?, touched: array()?, tree_of: array()?, lightest })
    }
}

/// The state between stages.
struct State<'a, K: Key> {
    graph: StageGraph,
    /// While trees grow, the colors: vertices with one color are claimed for one tree.
    trees: SharedTrees<'a>,
    /// The tree of each vertex, by its start vertex, or none.
    tree_of: &'a [AtomicU32],
    /// The lightest edge of each tree and of each other vertex.
    lightest: LightestEdges<'a, K>,
    forest: &'a SharedEdgeSet,
    /// The number of vertices of the given graph.
    all: usize,
}

impl<'a, K: Key> State<'a, K> {
    fn new(
        edges: Edges<'a, K>,
        graph: StageGraph,
        forest: &'a SharedEdgeSet,
        memory: &'a mut Memory,
    ) -> Self {
        let Memory { successor, touched, tree_of, lightest } = memory;
        Self {
            graph,
            trees: SharedTrees::in_memory(successor, touched),
            tree_of: atomic_u32(tree_of),
            lightest: LightestEdges::in_words(edges, lightest),
            forest,
            all: edges.vertices() as usize,
        }
    }

    fn solve(
        &mut self,
        instances: &[Mutex<Instance<K>>],
        team: &Team<'_>,
        run: &mut Run<'_>,
    ) -> Result<(), SolveError> {
        let mut chosen = 0;
        while self.graph.edges() > 0 {
            let vertices = self.graph.vertices();
            run.report.round(vertices as usize, self.graph.edges())?;
            let instances = &instances[..instances_for(vertices, team)];
            let stage = run.phase("initialize", |_| self.stage(instances, team));
            run.phase("grow", |run| stage.grow_all(instances, team, run, (chosen, self.all)))?;
            let tally = instances.iter().map(|instance| lock(instance).tally).sum::<Tally>();
            let edges = run.phase("choose minimum edges", |_| self.choose_minimum_edges(team));
            let edges = edges + (tally.vertices - tally.trees) as usize;
            run.report.counter("trees", f64::from(tally.trees));
            run.report.counter("conflicts", f64::from(tally.conflicts));
            run.report.counter("vertices in trees", f64::from(tally.vertices));
            let rate = 100.0 * edges as f64 / f64::from(vertices);
            run.report.counter("reduction rate in percent", rate);
            chosen += edges;
            run.report.progress(chosen, self.all)?;
            run.phase("contract", |_| {
                self.graph.number(self.trees, team);
                self.graph.relabel(self.trees, team)
            })?;
            run.report.progress(chosen, self.all)?;
        }
        run.report.finish_rounds();
        Ok(())
    }

    /// Removes all colors and trees, and divides the start vertices among the instances.
    fn stage<'s>(&'s self, instances: &[Mutex<Instance<K>>], team: &Team<'_>) -> Stage<'s> {
        let vertices = self.graph.vertices();
        self.trees.forget(vertices, team);
        team.for_each(vertices as usize, BLOCK, |vertex| self.tree_of[vertex].store(NONE, Relaxed));
        let bound =
            |index: usize| (u64::from(vertices) * index as u64 / instances.len() as u64) as Vertex;
        for (index, instance) in instances.iter().enumerate() {
            lock(instance).begin(bound(index)..bound(index + 1));
        }
        Stage {
            graph: &self.graph,
            colors: self.trees,
            tree_of: self.tree_of,
            forest: self.forest,
            refused: false.into(),
        }
    }

    /// The tree of a vertex, or the vertex itself if it is in none.
    fn component(&self, vertex: Vertex) -> Vertex {
        match self.tree_of[vertex as usize].load(Relaxed) {
            NONE => vertex,
            tree => tree,
        }
    }

    /// The edges of a vertex that leave its component: the other component, the key and the id.
    fn leaving(&self, vertex: Vertex) -> impl Iterator<Item = (Vertex, K, EdgeId)> {
        let own = self.component(vertex);
        let row = self.graph.row(vertex).iter().map(move |entry| {
            let (key, id) = entry.rank();
            (self.component(entry.to()), K::from_u64(key), id)
        });
        row.filter(move |&(other, ..)| other != own)
    }

    /// One iteration of Borůvka's algorithm on trees and single vertices. Afterwards the trees are
    /// unified. Returns the number of edges that it adds to the forest.
    fn choose_minimum_edges(&self, team: &Team<'_>) -> usize {
        let vertices = self.graph.vertices();
        let each = |step: &(dyn Fn(Vertex) + Sync)| {
            team.for_each(vertices as usize, BLOCK, |vertex| step(vertex as Vertex));
        };
        self.trees.forget(vertices, team);
        each(&|vertex| {
            self.lightest.clear(vertex);
            // Succeeds, since each vertex is claimed once.
            let _unclaimed = self.trees.claim(vertex, self.component(vertex));
        });
        each(&|vertex| {
            let own = self.component(vertex);
            self.leaving(vertex).for_each(|(_, key, id)| self.lightest.write_min(own, key, id));
        });
        let touches = AtomicUsize::new(0);
        each(&|vertex| {
            let own = self.component(vertex);
            match self.lightest.get(own) {
                None if own == vertex => self.trees.end(own),
                None => {}
                // One vertex of the component has the edge.
                Some(lightest) => {
                    let chosen = self.leaving(vertex).find(|&(_, _, id)| id == lightest);
                    if let Some((other, ..)) = chosen {
                        self.forest.insert(lightest);
                        self.trees.touch(own, other);
                        touches.fetch_add(1, Relaxed);
                    }
                }
            }
        });
        touches.into_inner() - self.trees.unify(vertices, team)
    }
}

#[cfg(test)]
mod tests;
