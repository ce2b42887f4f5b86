//! The generic contracting Borůvka algorithm: every vertex chooses its lightest edge, the vertices that these join
//! become one, and the rows of the smaller graph are built anew, until it has no edges.
//!
//! A vertex's lightest edge is in the forest (cut property), and under the strict order of ranks the chosen edges
//! close no cycle but pairs of vertices that chose the same edge: its mirror images. One image is removed, at the
//! lower vertex, which becomes the root of its component; all others lead there, and take its colour. New vertices
//! are numbered in the order of their roots, which keeps neighbours near each other.
//!
//! * Source: Sousa 2014, section 4.4, Algorithms 5 and 7 to 13, and appendix B. The kernels, which are the phases that
//!   a run reports, and the arrays have the names that they have there.
//! * A thread works on whole vertices, dealt out guided, so a vertex of high degree is a single thread's. No kernel
//!   needs more of another thread than an atomic addition. Every step ends at a barrier.
//! * Time O((n + m) log n): vertices with edges at least halve in a round. Colours settle in at most log2 n + 2 sweeps,
//!   since a sweep at least doubles how far every vertex has looked ahead, so long chains cost no more.
//! * Scratch: two contracted graphs, which take turns, at their largest. What is not filled is not touched.
//! * Wants rows. Exact. Parallel edges stay in the rows, as in the source.
//!
//! What differs from the source: ties go to the lower edge id, not the lower neighbour, so the forest is the canonical
//! one and parallel edges have one mirror image; a vertex without edges gets no new id, so forests are found, and the
//! loop ends when no edges are left; an edge that is contracted keeps its rank beside it in one integer; a vertex
//! removes its own mirrored edge only, so that who removes what is not up to chance.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use kostra_core::{
    Algorithm, Csr, EdgeId, EdgeSet, Edges, Key, Platform, Problem, Representation, Run, SolveError,
    SolverInfo, Vertex, Weight,
};

use super::atomic::{atomic_u32, atomic_u64};
use super::scan::exclusive_prefix_sum;
use super::team::{Schedule, Team, with_team};

/// The generic contracting Borůvka algorithm.
pub(crate) struct BoruvkaContract;

/// How the source deals out vertices; fewer than this many are not worth an atomic operation.
const GUIDED: Schedule = Schedule::Guided(64);

/// The null edge.
const NONE: u32 = u32::MAX;

impl Algorithm for BoruvkaContract {
    const INFO: SolverInfo = SolverInfo {
        id: "boruvka-contract",
        title: "Borůvka with contraction",
        source: "Sousa 2014, 4.4, Algorithms 5 and 7 to 13",
        platform: Platform::Threads,
        representation: Representation::Csr,
        exact: true,
        time: "O((n + m) log n)",
        scratch: "48 bytes an edge (64 with 64-bit weights), 17 a vertex",
        options: &[],
    };

    fn admit(&self, _vertices: u32, edges: usize) -> Result<(), SolveError> {
        if edges <= NONE as usize / 2 {
            return Ok(());
        }
        Err(SolveError::Unsuitable {
            solver: Self::INFO.id,
            cost: "places in rows beyond 32 bits".to_owned(),
            advice: "choose a solver that works on the edge list",
        })
    }

    fn solve<W: Weight>(&self, problem: Problem<'_, W>, run: &mut Run<'_>) -> Result<EdgeSet, SolveError> {
        let graph = Given { rows: problem.csr().rows(), edges: problem.edges() };
        let layout = Layout::of::<W::Key>(graph.vertices(), graph.neighbours().len());
        let mut workspace = run.take_workspace();
        let memory = workspace
            .words(layout.bytes)
            .ok_or(SolveError::OutOfMemory { solver: Self::INFO.id, bytes: layout.bytes })?;
        let mut forest = vec![0_u64; graph.edges.len().div_ceil(64)];
        with_team(run.threads(), |team| contract(&graph, team, layout.split(memory), &mut forest, run))?;
        Ok(EdgeSet::from_words(forest))
    }
}

/// Algorithm 5.
fn contract<W: Weight>(
    graph: &Given<'_, W>,
    team: &Team<'_>,
    (vertices, mut next, mut spare): (Vertices<'_>, Buffers<'_>, Buffers<'_>),
    forest: &mut [u64],
    run: &mut Run<'_>,
) -> Result<(), SolveError> {
    let mut rounds = Rounds { team, vertices, forest: atomic_u64(forest), all: graph.vertices() };
    if graph.neighbours().is_empty() {
        return Ok(());
    }
    let mut size = rounds.round(graph, &mut next, run)?;
    while size.entries > 0 {
        let (now, then) = (&next, &mut spare);
        size = rounds.round(&now.rows::<W::Key>(size), then, run)?;
        std::mem::swap(&mut next, &mut spare);
    }
    Ok(())
}

/// An edge's place in the strict total order: for 32-bit keys in the first number, key above id, with the second 0;
/// for 64-bit keys the key and the id.
type Rank = (u64, EdgeId);

/// After the rank of every edge, since no edge has this id.
const NO_RANK: Rank = (u64::MAX, EdgeId::MAX);

/// The rows of a graph.
trait Rows: Sync {
    /// How many vertices there are.
    fn vertices(&self) -> usize;
    /// Where the row of a vertex starts; of the vertex past the last, where all rows end.
    fn first_edge(&self, vertex: usize) -> usize;
    /// The other ends of all entries.
    fn neighbours(&self) -> &[Vertex];
    /// The ranks of some entries.
    fn ranks(&self, entries: Range<usize>) -> impl Iterator<Item = Rank>;
    /// The edge of an entry.
    fn id(&self, entry: usize) -> EdgeId;

    /// The entries of a vertex.
    #[inline]
    fn row(&self, vertex: usize) -> Range<usize> {
        self.first_edge(vertex)..self.first_edge(vertex + 1)
    }
}

/// The graph that was given.
struct Given<'a, W: Weight> {
    rows: &'a Csr<W>,
    edges: Edges<'a, W>,
}

impl<W: Weight> Rows for Given<'_, W> {
    fn vertices(&self) -> usize {
        self.edges.vertices() as usize
    }

    #[inline]
    fn first_edge(&self, vertex: usize) -> usize {
        self.rows.offsets()[vertex]
    }

    #[inline]
    fn neighbours(&self) -> &[Vertex] {
        self.rows.neighbours()
    }

    #[inline]
    fn ranks(&self, entries: Range<usize>) -> impl Iterator<Item = Rank> {
        let (ids, weights) = (&self.rows.ids()[entries.clone()], &self.rows.weights()[entries]);
        ids.iter().zip(weights).map(|(&id, &weight)| {
            let key = self.edges.key_of(weight).to_u64();
            if W::Key::BITS == 32 { (key << 32 | u64::from(id), 0) } else { (key, id) }
        })
    }

    #[inline]
    fn id(&self, entry: usize) -> EdgeId {
        self.rows.ids()[entry]
    }
}

/// A contracted graph, as it is read.
struct Contracted<'a, K: Key> {
    first_edge: &'a [u32],
    neighbours: &'a [Vertex],
    ranks: &'a [u64],
    /// Empty where the rank's first number holds the id.
    ids: &'a [EdgeId],
    key: PhantomData<K>,
}

impl<K: Key> Rows for Contracted<'_, K> {
    fn vertices(&self) -> usize {
        self.first_edge.len() - 1
    }

    #[inline]
    fn first_edge(&self, vertex: usize) -> usize {
        self.first_edge[vertex] as usize
    }

    #[inline]
    fn neighbours(&self) -> &[Vertex] {
        self.neighbours
    }

    #[inline]
    fn ranks(&self, entries: Range<usize>) -> impl Iterator<Item = Rank> {
        let ids = if K::BITS == 32 { &[] } else { &self.ids[entries.clone()] };
        let rank = move |(i, &rank)| if K::BITS == 32 { (rank, 0) } else { (rank, ids[i]) };
        self.ranks[entries].iter().enumerate().map(rank)
    }

    #[inline]
    fn id(&self, entry: usize) -> EdgeId {
        if K::BITS == 32 { self.ranks[entry] as EdgeId } else { self.ids[entry] }
    }
}

/// How large a contracted graph is.
#[derive(Clone, Copy)]
struct Size {
    vertices: usize,
    /// Twice the number of edges.
    entries: usize,
}

/// Memory for a contracted graph.
struct Buffers<'a> {
    first_edge: &'a mut [u32],
    neighbours: &'a mut [Vertex],
    ranks: &'a mut [u64],
    ids: &'a mut [EdgeId],
}

impl Buffers<'_> {
    fn rows<K: Key>(&self, Size { vertices, entries }: Size) -> Contracted<'_, K> {
        Contracted {
            first_edge: &self.first_edge[..=vertices],
            neighbours: &self.neighbours[..entries],
            ranks: &self.ranks[..entries],
            ids: &self.ids[..entries.min(self.ids.len())],
            key: PhantomData,
        }
    }
}

/// What is kept for each vertex in a round.
struct Vertices<'a> {
    /// The entry of the chosen edge, or none.
    vertex_minedge: &'a mut [u32],
    color: &'a mut [Vertex],
    /// The flag of a root, then its number in the contracted graph.
    new_vertex: &'a mut [u32],
    /// Where the next edge of a new vertex goes.
    next_edge: &'a mut [u32],
}

/// How scratch memory is shared out.
#[derive(Clone, Copy)]
struct Layout {
    vertices: usize,
    entries: usize,
    /// How many entries have an id of their own.
    ids: usize,
    bytes: usize,
}

impl Layout {
    fn of<K: Key>(vertices: usize, entries: usize) -> Self {
        let ids = if K::BITS == 32 { 0 } else { entries };
        let [vertices_64, entries_64, ids_64] = [vertices, entries, ids].map(|count| count as u64);
        // None of the three is beyond 2^32.
        let halves =
            3 * vertices_64 + 2 * (vertices_64 / 2) + vertices_64 / 4 + 2 + 2 * (entries_64 + ids_64);
        let bytes = usize::try_from(16 * entries_64 + 4 * halves).unwrap_or(usize::MAX);
        Self { vertices, entries, ids, bytes }
    }

    /// A round's vertices, and the two graphs: the first contraction has at most half of the vertices, for each
    /// component has two or more, and the second half of those.
    fn split(self, memory: &mut [u64]) -> (Vertices<'_>, Buffers<'_>, Buffers<'_>) {
        let (ranks, memory) = memory.split_at_mut(self.entries);
        let (other_ranks, memory) = memory.split_at_mut(self.entries);
        let mut rest: &mut [u32] = bytemuck::cast_slice_mut(memory);
        let mut take = |count| rest.split_off_mut(..count).unwrap_or_default();
        let next = Buffers {
            first_edge: take(self.vertices / 2 + 1),
            neighbours: take(self.entries),
            ranks,
            ids: take(self.ids),
        };
        let spare = Buffers {
            first_edge: take(self.vertices / 4 + 1),
            neighbours: take(self.entries),
            ranks: other_ranks,
            ids: take(self.ids),
        };
        let vertices = Vertices {
            vertex_minedge: take(self.vertices),
            color: take(self.vertices),
            new_vertex: take(self.vertices),
            next_edge: take(self.vertices / 2),
        };
        (vertices, next, spare)
    }
}

/// What is kept from round to round.
struct Rounds<'a, 't> {
    team: &'a Team<'t>,
    vertices: Vertices<'a>,
    /// A bit for each edge.
    forest: &'a [AtomicU64],
    /// How many vertices the given graph has.
    all: usize,
}

impl Rounds<'_, '_> {
    /// Chooses edges of a graph that has some, and builds the graph that is left when they are contracted.
    fn round(
        &mut self,
        graph: &impl Rows,
        next: &mut Buffers<'_>,
        run: &mut Run<'_>,
    ) -> Result<Size, SolveError> {
        let (merged, all) = (self.all - graph.vertices(), self.all);
        run.round(graph.vertices(), graph.neighbours().len() / 2)?;
        let edges = run.phase("find minimum edge per vertex", |_| self.find_minimum_edges(graph));
        report_load(&edges, run);
        run.progress(merged, all)?;
        run.phase("remove mirrored edges", |_| self.remove_mirrored_edges(graph));
        run.progress(merged, all)?;
        run.phase("initialize colors", |_| self.initialize_colors(graph));
        let sweeps = run.phase("propagate colors", |run| self.propagate_colors(graph.vertices(), run))?;
        run.counter("color sweeps", f64::from(sweeps));
        let vertices = run.phase("create new vertex ids", |_| self.create_new_vertex_ids(graph));
        run.progress(merged, all)?;
        run.phase("count new edges", |_| self.count_new_edges(graph, &mut next.first_edge[..=vertices]));
        run.progress(merged, all)?;
        let entries = run
            .phase("assign edge segments", |_| self.assign_edge_segments(&mut next.first_edge[..=vertices]));
        run.progress(merged, all)?;
        run.phase("insert new edges", |_| self.insert_new_edges(graph, next));
        Ok(Size { vertices, entries })
    }

    /// Algorithm 7. Returns how many edges each thread has looked at.
    fn find_minimum_edges(&mut self, graph: &impl Rows) -> Vec<AtomicU64> {
        let vertex_minedge = atomic_u32(&mut self.vertices.vertex_minedge[..graph.vertices()]);
        let edges: Vec<_> = (0..self.team.threads()).map(|_| AtomicU64::new(0)).collect();
        self.team.deal(graph.vertices(), GUIDED, |thread, range| {
            let looked_at = graph.first_edge(range.end) - graph.first_edge(range.start);
            edges[thread].fetch_add(looked_at as u64, Relaxed);
            for vertex in range {
                let (mut min, mut min_edge) = (NO_RANK, NONE);
                let row = graph.row(vertex);
                for (entry, rank) in row.clone().zip(graph.ranks(row)) {
                    if rank < min {
                        (min, min_edge) = (rank, entry as u32);
                    }
                }
                vertex_minedge[vertex].store(min_edge, Relaxed);
            }
        });
        edges
    }

    /// Algorithm 8. The edges that remain are marked as the forest's.
    fn remove_mirrored_edges(&mut self, graph: &impl Rows) {
        let vertex_minedge = atomic_u32(&mut self.vertices.vertex_minedge[..graph.vertices()]);
        let neighbours = graph.neighbours();
        self.team.deal(graph.vertices(), GUIDED, |_, range| {
            for vertex in range {
                let edge = vertex_minedge[vertex].load(Relaxed);
                if edge == NONE {
                    continue;
                }
                let succ = neighbours[edge as usize] as usize;
                // Of a pair with one edge the lower vertex removes it, so the other's is still there to be seen; a
                // successor that has none any more has removed an edge that it had in common with somebody else.
                let mirrored = vertex < succ && {
                    let succ_edge = vertex_minedge[succ].load(Relaxed);
                    succ_edge != NONE && neighbours[succ_edge as usize] as usize == vertex
                };
                if mirrored {
                    vertex_minedge[vertex].store(NONE, Relaxed);
                } else {
                    let id = graph.id(edge as usize);
                    self.forest[id as usize / 64].fetch_or(1 << (id % 64), Relaxed);
                }
            }
        });
    }

    /// Algorithm 9.
    fn initialize_colors(&mut self, graph: &impl Rows) {
        let vertex_minedge = &self.vertices.vertex_minedge[..graph.vertices()];
        let color = atomic_u32(&mut self.vertices.color[..graph.vertices()]);
        let neighbours = graph.neighbours();
        self.team.deal(graph.vertices(), GUIDED, |_, range| {
            for vertex in range {
                let edge = vertex_minedge[vertex];
                let own = if edge == NONE { vertex as Vertex } else { neighbours[edge as usize] };
                color[vertex].store(own, Relaxed);
            }
        });
    }

    /// Algorithm 10, until nothing changes. Returns how many sweeps that took, the last, idle one included.
    ///
    /// A colour that another thread changes meanwhile leads nearer to the root than the one before: both will do.
    fn propagate_colors(&mut self, vertices: usize, run: &mut Run<'_>) -> Result<u32, SolveError> {
        let color = atomic_u32(&mut self.vertices.color[..vertices]);
        for sweep in 1.. {
            let changed = AtomicBool::new(false);
            self.team.deal(vertices, GUIDED, |_, range| {
                let mut change = false;
                for vertex in range {
                    let succ = color[vertex].load(Relaxed);
                    let succ_succ = color[succ as usize].load(Relaxed);
                    if succ != succ_succ {
                        color[vertex].store(succ_succ, Relaxed);
                        change = true;
                    }
                }
                if change {
                    changed.store(true, Relaxed);
                }
            });
            run.progress(self.all - vertices, self.all)?;
            if !changed.into_inner() {
                return Ok(sweep);
            }
        }
        Ok(0)
    }

    /// Algorithm 11 and the prefix sum. Returns how many vertices the contracted graph has.
    fn create_new_vertex_ids(&mut self, graph: &impl Rows) -> usize {
        let color = &self.vertices.color[..graph.vertices()];
        let flag = atomic_u32(&mut self.vertices.new_vertex[..graph.vertices()]);
        self.team.deal(graph.vertices(), GUIDED, |_, range| {
            for vertex in range {
                // A vertex without edges is done, and no other has its colour.
                let root = color[vertex] as usize == vertex && !graph.row(vertex).is_empty();
                flag[vertex].store(root.into(), Relaxed);
            }
        });
        exclusive_prefix_sum(self.team, flag) as usize
    }

    /// Algorithm 12.
    fn count_new_edges(&self, graph: &impl Rows, outdegree: &mut [u32]) {
        let (color, new_vertex) = (&*self.vertices.color, &*self.vertices.new_vertex);
        let outdegree = atomic_u32(outdegree);
        self.team.deal(outdegree.len(), GUIDED, |_, range| {
            for degree in &outdegree[range] {
                degree.store(0, Relaxed);
            }
        });
        self.team.deal(graph.vertices(), GUIDED, |_, range| {
            for vertex in range {
                let my_color = color[vertex];
                let row = &graph.neighbours()[graph.row(vertex)];
                let new_edges = row.iter().filter(|&&w| color[w as usize] != my_color).count();
                if new_edges > 0 {
                    let supervertex = new_vertex[my_color as usize] as usize;
                    outdegree[supervertex].fetch_add(new_edges as u32, Relaxed);
                }
            }
        });
    }

    /// Turns degrees into the starts of rows. Returns where the last row ends.
    fn assign_edge_segments(&mut self, first_edge: &mut [u32]) -> usize {
        let entries = exclusive_prefix_sum(self.team, atomic_u32(first_edge)) as usize;
        let next_edge = atomic_u32(&mut self.vertices.next_edge[..first_edge.len() - 1]);
        self.team.deal(next_edge.len(), GUIDED, |_, range| {
            for vertex in range {
                next_edge[vertex].store(first_edge[vertex], Relaxed);
            }
        });
        entries
    }

    /// Algorithm 13.
    fn insert_new_edges(&mut self, graph: &impl Rows, next: &mut Buffers<'_>) {
        let (color, new_vertex) = (&*self.vertices.color, &*self.vertices.new_vertex);
        let next_edge = atomic_u32(self.vertices.next_edge);
        let (neighbours, ranks) = (atomic_u32(next.neighbours), atomic_u64(next.ranks));
        let ids = atomic_u32(next.ids);
        self.team.deal(graph.vertices(), GUIDED, |_, range| {
            for vertex in range {
                let my_color = color[vertex];
                let row = graph.row(vertex);
                for (&w, (rank, id)) in graph.neighbours()[row.clone()].iter().zip(graph.ranks(row)) {
                    let other_color = color[w as usize];
                    if other_color == my_color {
                        continue;
                    }
                    let supervertex = new_vertex[my_color as usize] as usize;
                    let entry = next_edge[supervertex].fetch_add(1, Relaxed) as usize;
                    neighbours[entry].store(new_vertex[other_color as usize], Relaxed);
                    ranks[entry].store(rank, Relaxed);
                    if !ids.is_empty() {
                        ids[entry].store(id, Relaxed);
                    }
                }
            }
        });
    }
}

/// Reports the edges of each thread, and by how much the busiest had more than the average: the load imbalance.
fn report_load(edges: &[AtomicU64], run: &mut Run<'_>) {
    let edges = || edges.iter().map(|edges| edges.load(Relaxed) as f64);
    edges().for_each(|edges| run.counter("edges of a thread", edges));
    let average = edges().sum::<f64>() / edges().count() as f64;
    let imbalance = edges().fold(0.0, f64::max) / average - 1.0;
    run.counter("load imbalance in percent", 100.0 * imbalance);
}

#[cfg(test)]
mod tests {
    use kostra_core::{AnyGraph, Observer, Order, Round, Solver, Workspace};

    use super::*;
    use crate::FASTEST_ON_SMALL;

    #[derive(Default)]
    struct Log {
        phases: Vec<&'static str>,
        rounds: Vec<(u64, u64)>,
        counters: Vec<(&'static str, f64)>,
    }

    impl Observer for Log {
        fn phase_started(&mut self, name: &'static str) {
            self.phases.push(name);
        }
        fn round(&mut self, round: Round) {
            self.rounds.push((round.components, round.edges));
        }
        fn counter(&mut self, name: &'static str, value: f64) {
            self.counters.push((name, value));
        }
    }

    impl Log {
        fn counters(&self, name: &str) -> Vec<f64> {
            self.counters.iter().filter(|(counter, _)| *counter == name).map(|(_, value)| *value).collect()
        }
    }

    fn graph<W: Weight>(vertices: usize, ends: &[(u32, u32)], weights: Vec<W>) -> AnyGraph
    where
        AnyGraph: From<kostra_core::EdgeList<W>>,
    {
        let (u, v) = ends.iter().copied().unzip();
        AnyGraph::from_edges(vertices, u, v, weights).unwrap()
    }

    fn solve(graph: &AnyGraph, threads: usize) -> (Vec<EdgeId>, Log) {
        let mut log = Log::default();
        let mut run = Run::new().on_threads(threads).observed_by(&mut log);
        let solution = Solver::solve(&BoruvkaContract, graph, Order::Minimum, &mut run).unwrap();
        (solution.forest.into_ids(), log)
    }

    #[test]
    fn colors_settle_in_logarithmically_many_sweeps_along_a_chain() {
        let n = if cfg!(miri) { 1 << 6 } else { 1_u32 << 17 };
        let path: Vec<_> = (0..n - 1).map(|u| (u, u + 1)).collect();
        for (weights, what) in [((0..n - 1).collect::<Vec<_>>(), "up"), ((0..n - 1).rev().collect(), "down")]
        {
            let path = graph(n as usize, &path, weights);
            for threads in [1, 2, 3] {
                let (forest, log) = solve(&path, threads);
                assert_eq!(forest.len(), n as usize - 1);
                assert_eq!(log.rounds, [(n.into(), u64::from(n) - 1)]);
                let sweeps = log.counters("color sweeps");
                assert!(sweeps[0] <= f64::from(n.ilog2() + 2), "{sweeps:?} {what}, {threads} threads");
            }
        }
    }

    /// Weights like the marks of a ruler make vertices merge in pairs: the most rounds that there can be.
    #[test]
    fn vertices_halve_at_least() {
        let n = 1_u32 << 10;
        let path: Vec<_> = (1..n).map(|v| (v - 1, v)).collect();
        let ruler = (1..n).map(u32::trailing_zeros).collect();
        let (forest, log) = solve(&graph(n as usize, &path, ruler), 2);
        assert_eq!(forest.len(), n as usize - 1);
        let vertices: Vec<_> = log.rounds.iter().map(|round| round.0).collect();
        assert!(vertices.windows(2).all(|pair| 2 * pair[1] <= pair[0]), "{vertices:?}");
    }

    #[test]
    fn a_vertex_without_edges_drops_out_when_it_is_seen() {
        // A triangle, which is one vertex after a round; four vertices in line, which take two; vertices 7 and 8 alone.
        let ends = [(0, 1), (1, 2), (2, 0), (3, 4), (5, 6), (4, 5), (8, 8)];
        let (forest, log) = solve(&graph(9, &ends, vec![1, 2, 3, 1, 1, 5, -9]), 2);
        assert_eq!(forest, [0, 1, 3, 4, 5]);
        assert_eq!(log.rounds, [(9, 6), (3, 1)]);
    }

    #[test]
    fn parallel_edges_stay_and_have_one_mirror_image() {
        // Two pairs, each joined by three edges of one weight, and joined with each other by two.
        let ends = [(1, 0), (0, 1), (0, 1), (2, 3), (3, 2), (2, 3), (0, 2), (3, 1)];
        for threads in [1, 2] {
            let (forest, log) = solve(&graph(4, &ends, vec![1_i64, 1, 1, 1, 1, 1, 2, 2]), threads);
            assert_eq!(forest, [0, 3, 6]);
            assert_eq!(log.rounds, [(4, 8), (2, 2)]);
        }
    }

    #[test]
    fn a_round_reports_every_kernel_and_the_edges_of_every_thread() {
        let n = 1 << 10;
        let star: Vec<_> = (1..n).map(|leaf| (0, leaf)).collect();
        let (_, log) = solve(&graph(n as usize, &star, (1..n).collect()), 3);
        assert_eq!(
            log.phases,
            [
                "build",
                "find minimum edge per vertex",
                "remove mirrored edges",
                "initialize colors",
                "propagate colors",
                "create new vertex ids",
                "count new edges",
                "assign edge segments",
                "insert new edges",
            ]
        );
        let edges = log.counters("edges of a thread");
        assert_eq!((edges.len(), edges.iter().sum::<f64>()), (3, 2.0 * f64::from(n - 1)));
        // Who has the hub has half of all entries, which is half more than a third.
        assert!(log.counters("load imbalance in percent")[0] >= 50.0, "{edges:?}");
    }

    #[test]
    fn what_is_left_in_a_workspace_does_no_harm() {
        let mut workspace = Workspace::new();
        workspace.words(1 << 16).unwrap().fill(u64::MAX / 3);
        for vertices in [30_u32, 90, 10, 60] {
            let ends: Vec<_> = (0..3 * vertices).map(|i| (i * i % vertices, i * 7 % vertices)).collect();
            let weights: Vec<_> = (0..3 * vertices).map(|i| i * 31 % 64).collect();
            let wide = weights.iter().map(|&weight| f64::from(weight)).collect();
            for graph in
                [graph(vertices as usize, &ends, weights.clone()), graph(vertices as usize, &ends, wide)]
            {
                let expected =
                    FASTEST_ON_SMALL.solve(&graph, Order::Maximum, &mut Run::new()).unwrap().forest;
                for threads in [1, 2] {
                    let mut run = Run::new().on_threads(threads).in_workspace(&mut workspace);
                    let solution = Solver::solve(&BoruvkaContract, &graph, Order::Maximum, &mut run).unwrap();
                    assert_eq!(
                        solution.forest.ids(),
                        expected.ids(),
                        "{vertices} vertices, {threads} threads"
                    );
                }
            }
        }
    }

    #[test]
    fn more_entries_than_places_are_refused_before_rows_are_built() {
        assert!(BoruvkaContract.admit(1, i32::MAX as usize).is_ok());
        let refused = BoruvkaContract.admit(1, 1 << 31).unwrap_err().to_string();
        assert_eq!(
            refused,
            "boruvka-contract would take places in rows beyond 32 bits on this graph; \
             choose a solver that works on the edge list"
        );
    }
}
