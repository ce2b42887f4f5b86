//! The graph of a stage, for solvers that grow trees, unify them, and go on with the smaller graph.
//!
//! The rows hold each edge from both ends. A contraction makes each component of trees one vertex,
//! drops the edges inside components, and the vertices that have no edge left. So the solvers are
//! finished when no entry is left.
//!
//! * Source: Nobari 2012, Algorithm 5 and sections 5.3 and 5.4. There the edges are one list, and a
//!   sort by start vertex makes the rows. Here rows are built by counting, which takes O(n + m).
//! * A row is sorted by one thread; the source sorts the whole list at once.
//! * Memory: 16 bytes per entry of two graphs, the second no larger than the first after its
//!   contraction: at most 64 bytes per edge. 20 bytes per vertex.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use kostra_core::{CsrView, EdgeId, Key, OutOfMemory, SolveError, Vertex, memory};
use kostra_parallel::{Schedule, Team, atomic_u32, exclusive_prefix_sum, lock};

use crate::shared::SharedTrees;

/// The number of vertices per block of a loop over rows.
const BLOCK: Schedule = Schedule::Dynamic(1 << 6);

/// The number of parts per thread into which rows are divided where they change: enough to balance
/// the work, unless a single row is larger than a part.
const PARTS_A_THREAD: usize = 8;

/// The place of an edge in the strict total order: the key of its weight, then its id.
pub(super) type Rank = (u64, EdgeId);

/// Refuses a graph whose entries have no places of 32 bits.
///
/// # Errors
/// [`SolveError::Unsuitable`] for 2^31 edges and more.
pub(super) fn admit(edges: usize, solver: &'static str) -> Result<(), SolveError> {
    if edges <= u32::MAX as usize / 2 {
        return Ok(());
    }
    Err(SolveError::Unsuitable {
        solver,
        cost: "places in rows beyond 32 bits".to_owned(),
        advice: "choose a solver that works on the edge list",
    })
}

/// An edge as seen from one of its ends. Only the thread that has claimed the vertex of a row
/// changes the order of the row, so relaxed accesses suffice.
#[derive(Default)]
pub(super) struct Entry {
    key: AtomicU64,
    to: AtomicU32,
    id: AtomicU32,
}

impl Entry {
    /// The other end.
    #[inline]
    pub(super) fn to(&self) -> Vertex {
        self.to.load(Relaxed)
    }

    /// The edge.
    #[inline]
    pub(super) fn id(&self) -> EdgeId {
        self.id.load(Relaxed)
    }

    /// The place of the edge in the order.
    #[inline]
    pub(super) fn rank(&self) -> Rank {
        (self.key.load(Relaxed), self.id())
    }

    /// Exchanges the contents of two entries.
    pub(super) fn swap(&self, other: &Self) {
        let ((key, id), to) = (self.rank(), self.to());
        self.set(other.rank(), other.to());
        other.set((key, id), to);
    }

    #[inline]
    fn set(&self, (key, id): Rank, to: Vertex) {
        self.key.store(key, Relaxed);
        self.to.store(to, Relaxed);
        self.id.store(id, Relaxed);
    }
}

/// A graph, and the memory for its contraction.
pub(super) struct StageGraph {
    vertices: u32,
    /// The start of each vertex's row, and the end of the last row.
    first: Vec<u32>,
    /// The rows, and unused entries behind them.
    entries: Vec<Entry>,
    /// The rows of the contracted graph, while they are built.
    next_first: Vec<u32>,
    next_entries: Vec<Entry>,
    /// The number of vertices of the contracted graph.
    next_vertices: u32,
    /// The number of entries of each vertex that stay.
    counts: Vec<u32>,
    /// The vertex of the contracted graph for each root, if any edge leaves the root's component.
    numbers: Vec<u32>,
    /// The place of the next entry in each row of the contracted graph.
    cursors: Vec<u32>,
}

impl StageGraph {
    /// The given graph without the vertices of degree 0. Its entries must be fewer than 2^32.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub(super) fn build<K: Key>(
        given: CsrView<'_, K>,
        team: &Team<'_>,
    ) -> Result<Self, OutOfMemory> {
        let n = given.vertices() as usize;
        let array = |values| memory::zeros::<u32>(values);
        let mut graph = Self {
            vertices: given.vertices(),
            first: array(n + 1)?,
            entries: Vec::new(),
            next_first: array(n + 1)?,
            next_entries: Vec::new(),
            next_vertices: 0,
            counts: array(n)?,
            numbers: array(n)?,
            cursors: array(n)?,
        };
        let degree = |_: &Self, vertex| given.arcs(vertex).len() as u32;
        graph.number_by(degree, |vertex| vertex, team);
        graph.place_rows(|vertex| vertex, team)?;
        let (entries, numbers) = (&graph.next_entries, &graph.numbers);
        let first = &graph.next_first;
        team.for_each(n, BLOCK, |vertex| {
            let row = first[numbers[vertex] as usize] as usize;
            for (place, arc) in (row..).zip(given.arcs(vertex as Vertex)) {
                entries[place].set((arc.key.to_u64(), arc.id), numbers[arc.to as usize]);
            }
        });
        graph.advance();
        Ok(graph)
    }

    /// The number of vertices.
    pub(super) fn vertices(&self) -> u32 {
        self.vertices
    }

    /// The number of edges.
    pub(super) fn edges(&self) -> usize {
        self.entries_until(self.vertices) / 2
    }

    /// The entries of a vertex, in the current order.
    #[inline]
    pub(super) fn row(&self, vertex: Vertex) -> &[Entry] {
        &self.entries[self.entries_until(vertex)..self.entries_until(vertex + 1)]
    }

    /// The number of entries of the vertices below `vertex`.
    #[inline]
    fn entries_until(&self, vertex: Vertex) -> usize {
        self.first[vertex as usize] as usize
    }

    /// Sorts each row by rank.
    pub(super) fn sort_rows(&mut self, team: &Team<'_>) {
        self.each_row(team, |_, row| row.sort_unstable_by_key(Entry::rank));
    }

    /// Numbers the components of unified trees that any edge leaves. Afterwards
    /// [`new_vertex`](Self::new_vertex) gives the numbers, until the next stage.
    pub(super) fn number(&mut self, trees: SharedTrees<'_>, team: &Team<'_>) {
        let outgoing = |graph: &Self, vertex| {
            let root = trees.root(vertex);
            graph.row(vertex).iter().filter(|entry| trees.root(entry.to()) != root).count() as u32
        };
        self.number_by(outgoing, |vertex| trees.root(vertex), team);
    }

    /// The vertex of the contracted graph for a root; none if no edge leaves the root's component.
    pub(super) fn new_vertex(&self, root: Vertex) -> Option<Vertex> {
        let number = self.numbers[root as usize];
        let is_last = root + 1 == self.vertices;
        let next = if is_last { self.next_vertices } else { self.numbers[root as usize + 1] };
        (number < next).then_some(number)
    }

    /// The number of vertices after the contraction.
    pub(super) fn next_vertices(&self) -> u32 {
        self.next_vertices
    }

    /// Replaces the graph by the contracted graph, after [`number`](Self::number). Edges inside
    /// components are dropped, and parallel edges stay.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub(super) fn relabel(
        &mut self,
        trees: SharedTrees<'_>,
        team: &Team<'_>,
    ) -> Result<(), OutOfMemory> {
        self.place_rows(|vertex| trees.root(vertex), team)?;
        let mut cursors = std::mem::take(&mut self.cursors);
        cursors[..self.next_vertices as usize]
            .copy_from_slice(&self.next_first[..self.next_vertices as usize]);
        let shared = atomic_u32(&mut cursors);
        team.for_each(self.vertices as usize, BLOCK, |vertex| {
            let (root, outgoing) = (trees.root(vertex as Vertex), self.counts[vertex]);
            if outgoing == 0 {
                return;
            }
            let new = self.numbers[root as usize] as usize;
            let mut place = shared[new].fetch_add(outgoing, Relaxed) as usize;
            for entry in self.row(vertex as Vertex) {
                let other = trees.root(entry.to());
                if other != root {
                    self.next_entries[place].set(entry.rank(), self.numbers[other as usize]);
                    place += 1;
                }
            }
        });
        self.cursors = cursors;
        self.advance();
        Ok(())
    }

    /// Keeps the lightest of parallel edges: sorts each row by the other end and the rank, and
    /// moves the remaining entries together, into the memory of the graph before the contraction.
    /// Returns the number of dropped edges. For a graph that [`relabel`](Self::relabel) has made.
    pub(super) fn remove_parallel_edges(&mut self, team: &Team<'_>) -> usize {
        let before = self.edges();
        let mut counts = std::mem::take(&mut self.counts);
        let shared = atomic_u32(&mut counts);
        self.each_row(team, |vertex, row| {
            row.sort_unstable_by_key(|entry| (entry.to(), entry.rank()));
            let mut kept = 0;
            for at in 0..row.len() {
                if kept == 0 || row[kept - 1].to() != row[at].to() {
                    row[kept].set(row[at].rank(), row[at].to());
                    kept += 1;
                }
            }
            shared[vertex as usize].store(kept as u32, Relaxed);
        });
        let n = self.vertices as usize;
        self.next_first[..n].copy_from_slice(&counts[..n]);
        self.next_first[n] = 0;
        exclusive_prefix_sum(team, atomic_u32(&mut self.next_first[..=n]));
        team.for_each(n, BLOCK, |vertex| {
            let kept = &self.row(vertex as Vertex)[..counts[vertex] as usize];
            let to = &self.next_entries[self.next_first[vertex] as usize..];
            to.iter().zip(kept).for_each(|(to, entry)| to.set(entry.rank(), entry.to()));
        });
        self.counts = counts;
        self.next_vertices = self.vertices;
        self.advance();
        before - self.edges()
    }

    /// Counts the entries of each vertex that stay, and numbers the roots of the vertices that have
    /// any.
    fn number_by(
        &mut self,
        count: impl Fn(&Self, Vertex) -> u32 + Sync,
        root: impl Fn(Vertex) -> Vertex + Sync,
        team: &Team<'_>,
    ) {
        let n = self.vertices as usize;
        let mut counts = std::mem::take(&mut self.counts);
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers[..n].fill(0);
        let (shared, flags) = (atomic_u32(&mut counts), atomic_u32(&mut numbers[..n]));
        team.for_each(n, BLOCK, |vertex| {
            let stay = count(self, vertex as Vertex);
            shared[vertex].store(stay, Relaxed);
            let flag = &flags[root(vertex as Vertex) as usize];
            // The load keeps the flag of a large component in the caches of all threads.
            if stay > 0 && flag.load(Relaxed) == 0 {
                flag.store(1, Relaxed);
            }
        });
        self.next_vertices = exclusive_prefix_sum(team, flags);
        (self.counts, self.numbers) = (counts, numbers);
    }

    /// Finds the starts of the rows of the contracted graph, and the memory for its entries.
    fn place_rows(
        &mut self,
        root: impl Fn(Vertex) -> Vertex + Sync,
        team: &Team<'_>,
    ) -> Result<(), OutOfMemory> {
        let rows = &mut self.next_first[..=self.next_vertices as usize];
        rows.fill(0);
        let rows = atomic_u32(rows);
        team.for_each(self.vertices as usize, BLOCK, |vertex| {
            if self.counts[vertex] > 0 {
                let new = self.numbers[root(vertex as Vertex) as usize];
                rows[new as usize].fetch_add(self.counts[vertex], Relaxed);
            }
        });
        let total = exclusive_prefix_sum(team, rows) as usize;
        let missing = total.saturating_sub(self.next_entries.len());
        memory::reserve_exact(&mut self.next_entries, missing)?;
        self.next_entries.extend(std::iter::repeat_with(Entry::default).take(missing));
        Ok(())
    }

    /// Makes the contracted graph the current one.
    fn advance(&mut self) {
        std::mem::swap(&mut self.first, &mut self.next_first);
        std::mem::swap(&mut self.entries, &mut self.next_entries);
        self.vertices = self.next_vertices;
    }

    /// Calls `step` with every vertex and its row, for writing.
    fn each_row(&mut self, team: &Team<'_>, step: impl Fn(Vertex, &mut [Entry]) + Sync) {
        let parts = self.parts(team.threads() * PARTS_A_THREAD);
        let (first, mut rest) = (&self.first, &mut self.entries[..]);
        let parts: Vec<_> = parts
            .into_iter()
            .map(|part| {
                let entries = first[part.end as usize] - first[part.start as usize];
                let rows = rest.split_off_mut(..entries as usize).unwrap_or_default();
                Mutex::new((part, rows))
            })
            .collect();
        team.for_each(parts.len(), Schedule::Dynamic(1), |part| {
            let (vertices, rows) = &mut *lock(&parts[part]);
            for vertex in vertices.clone() {
                let entries = first[vertex as usize + 1] - first[vertex as usize];
                step(vertex, rows.split_off_mut(..entries as usize).unwrap_or_default());
            }
        });
    }

    /// Divides the vertices into consecutive parts with about equally many entries.
    fn parts(&self, parts: usize) -> Vec<Range<Vertex>> {
        let offsets = &self.first[..=self.vertices as usize];
        let all = self.entries_until(self.vertices);
        let bound = |part| {
            let entries = (all as u64 * part as u64 / parts as u64) as u32;
            offsets.partition_point(|&first| first < entries) as Vertex
        };
        let end = |part| if part + 1 == parts { self.vertices } else { bound(part + 1) };
        (0..parts).map(|part| bound(part)..end(part)).collect()
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::{Algorithm, AnyGraph, Order, Problem, Run};
    use kostra_parallel::with_team;

    use super::super::pma::Pma;
    use super::*;

    type Edge = (Vertex, Vertex, i64);

    /// All entries, as (vertex, other end, id), in the order of vertices and ids.
    fn entries(graph: &StageGraph) -> Vec<(Vertex, Vertex, EdgeId)> {
        let entries = |vertex| graph.row(vertex).iter().map(move |e| (vertex, e.to(), e.id()));
        let mut entries: Vec<_> = (0..graph.vertices()).flat_map(entries).collect();
        entries.sort_unstable_by_key(|&(vertex, _, id)| (vertex, id));
        entries
    }

    /// Builds the stage graph of a graph without vertices of degree 0, unifies vertices that have
    /// equal labels, and calls `check`. The label of a tree is its start vertex.
    fn unified(
        edges: &[Edge],
        labels: &[Vertex],
        threads: usize,
        check: impl FnOnce(&mut StageGraph, SharedTrees<'_>, &Team<'_>),
    ) {
        let (u, v) = edges.iter().map(|&(u, v, _)| (u, v)).unzip();
        let weights: Vec<i64> = edges.iter().map(|edge| edge.2).collect();
        let AnyGraph::I64(graph) = AnyGraph::from_edges(labels.len(), u, v, weights).unwrap()
        else {
            unreachable!("the weights are i64")
        };
        let rows = Problem::new(&graph, Order::Minimum, &Pma::INFO).csr(&mut Run::new()).unwrap();
        let (mut successor, mut touched) = (vec![0; labels.len()], vec![0; labels.len()]);
        let trees = SharedTrees::in_memory(&mut successor, &mut touched);
        with_team(threads, |team| {
            let mut stage = StageGraph::build(rows, team).unwrap();
            assert_eq!(stage.vertices() as usize, labels.len());
            trees.forget(stage.vertices(), team);
            for (vertex, &label) in (0..).zip(labels) {
                trees.claim(vertex, label).unwrap();
                trees.end(label);
            }
            trees.unify(stage.vertices(), team);
            check(&mut stage, trees, team);
        });
    }

    /// A square 0 1 2 3 with a diagonal and parallel edges, and a pair 4 5.
    const EDGES: [Edge; 8] =
        [(0, 1, 5), (1, 2, 3), (2, 3, 4), (3, 0, 4), (1, 3, 9), (0, 1, 5), (4, 5, 1), (5, 4, 0)];

    #[test]
    fn a_contraction_drops_inner_edges_and_finished_components() {
        for threads in [1, 2, 8] {
            unified(&EDGES, &[0, 1, 1, 0, 4, 4], threads, |graph, trees, team| {
                graph.number(trees, team);
                assert_eq!(graph.next_vertices(), 2);
                assert_eq!([0, 1, 4].map(|root| graph.new_vertex(root)), [Some(0), Some(1), None]);
                graph.relabel(trees, team).unwrap();
                let ids = [0, 2, 4, 5];
                let expected = ids.map(|id| (0, 1, id)).into_iter();
                let expected: Vec<_> = expected.chain(ids.map(|id| (1, 0, id))).collect();
                assert_eq!((graph.edges(), entries(graph)), (4, expected));
            });
        }
    }

    #[test]
    fn of_parallel_edges_the_first_in_the_order_is_kept() {
        for threads in [1, 2, 8] {
            unified(&EDGES, &[0, 1, 2, 2, 4, 5], threads, |graph, trees, team| {
                graph.number(trees, team);
                graph.relabel(trees, team).unwrap();
                // 0 and 1 are joined by edges 0 and 5 of one weight, 1 and 2 by edges 1 and 4, and
                // 4 and 5 by edges 6 and 7.
                assert_eq!(graph.remove_parallel_edges(team), 3);
                let kept = [(0, 1, 0), (0, 2, 3), (1, 0, 0), (1, 2, 1), (2, 1, 1), (2, 0, 3)];
                let kept: Vec<_> = kept.into_iter().chain([(3, 4, 7), (4, 3, 7)]).collect();
                assert_eq!(entries(graph), kept);
                graph.sort_rows(team);
                let row: Vec<_> = graph.row(1).iter().map(Entry::id).collect();
                assert_eq!(row, [1, 0]);
            });
        }
    }

    #[test]
    fn a_contraction_that_leaves_nothing_has_no_vertices() {
        unified(&EDGES, &[0, 0, 0, 0, 4, 4], 2, |graph, trees, team| {
            graph.number(trees, team);
            graph.relabel(trees, team).unwrap();
            assert_eq!((graph.vertices(), graph.edges()), (0, 0));
            assert_eq!(graph.remove_parallel_edges(team), 0);
        });
    }

    #[test]
    fn vertices_of_degree_0_are_dropped_when_the_graph_is_built() {
        let graph =
            AnyGraph::from_edges(7, vec![2, 6, 5], vec![6, 5, 5], vec![1.0, 2.0, 3.0]).unwrap();
        let AnyGraph::F64(graph) = graph else { unreachable!("the weights are f64") };
        let rows = Problem::new(&graph, Order::Maximum, &Pma::INFO).csr(&mut Run::new()).unwrap();
        let stage = with_team(2, |team| StageGraph::build(rows, team).unwrap());
        assert_eq!((stage.vertices(), stage.edges()), (3, 2));
        assert_eq!(entries(&stage), [(0, 2, 0), (1, 2, 1), (2, 0, 0), (2, 1, 1)]);
    }
}
