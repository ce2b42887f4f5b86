//! The last stage: another solver finds the forest of the edges that the parts leave undecided.

use std::sync::Mutex;

use kostra_core::{
    EdgeId, EdgeSet, Edges, Key, OptionValues, OutOfMemory, Run, SolveError, SolverOption, Vertex,
    memory,
};
use kostra_parallel::{Schedule, SharedEdgeSet, Team, edge_ids, lock};

use crate::shared::SharedUnionFind;

/// The option that names the solver of the last stage. Sousa names Kruskal's and Borůvka's
/// algorithms for it.
pub(super) const LAST_STAGE: SolverOption = SolverOption {
    name: "last-stage",
    about: "solver of the last stage",
    default: 0,
    values: OptionValues::Choice(&["kruskal", "auto"]),
};

/// The number of edges per block of a loop: enough to amortize the distribution.
const BLOCK: usize = 1 << 12;

/// The schedule of a loop over edges.
pub(super) const EDGES: Schedule = Schedule::Dynamic(BLOCK);

/// The undecided edges as a graph of their own, with all vertices of the whole graph.
pub(super) struct Undecided<K: Key> {
    u: Vec<Vertex>,
    v: Vec<Vertex>,
    weights: Vec<K>,
    /// The id of each edge in the whole graph, ascending, so that ties are resolved as there.
    ids: Vec<EdgeId>,
}

impl<K: Key> Undecided<K> {
    /// The edges of a set.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub(super) fn new(
        edges: Edges<'_, K>,
        undecided: SharedEdgeSet,
        team: &Team<'_>,
    ) -> Result<Self, OutOfMemory> {
        Self::with_ends(edges, undecided, team, |vertex| vertex)
    }

    /// The candidates that join different components of the edges `decided`, with their ends
    /// replaced by the representatives of these components. `decided` contains no cycle.
    ///
    /// # Errors
    /// When the system refuses the memory.
    pub(super) fn contracted(
        edges: Edges<'_, K>,
        decided: &EdgeSet,
        is_candidate: impl Fn(EdgeId) -> bool + Sync,
        team: &Team<'_>,
    ) -> Result<Self, OutOfMemory> {
        let mut words: Vec<u64> = memory::zeros(edges.vertices() as usize)?;
        let sets = SharedUnionFind::in_words(&mut words, true);
        team.for_each(edges.vertices() as usize, EDGES, |vertex| sets.make_set(vertex as Vertex));
        team.for_each(edges.len(), EDGES, |id| {
            if decided.contains(id as EdgeId) {
                let (u, v) = edges.ends(id as EdgeId);
                sets.join(u, v);
            }
        });
        let undecided = SharedEdgeSet::new(edges.len())?;
        team.for_each(edges.len(), EDGES, |id| {
            let (u, v) = edges.ends(id as EdgeId);
            if is_candidate(id as EdgeId) && sets.find(u) != sets.find(v) {
                undecided.insert(id as EdgeId);
            }
        });
        Self::with_ends(edges, undecided, team, |vertex| sets.find(vertex))
    }

    fn with_ends(
        edges: Edges<'_, K>,
        undecided: SharedEdgeSet,
        team: &Team<'_>,
        end: impl Fn(Vertex) -> Vertex + Sync,
    ) -> Result<Self, OutOfMemory> {
        let ids = edge_ids(undecided.into_edge_set(), team.threads())?;
        let mut u: Vec<Vertex> = memory::zeros(ids.len())?;
        let mut v: Vec<Vertex> = memory::zeros(ids.len())?;
        let mut weights: Vec<K> = memory::zeros(ids.len())?;
        let blocks: Vec<_> = ids
            .chunks(BLOCK)
            .zip(u.chunks_mut(BLOCK))
            .zip(v.chunks_mut(BLOCK).zip(weights.chunks_mut(BLOCK)))
            .map(Mutex::new)
            .collect();
        team.for_each(blocks.len(), Schedule::Dynamic(1), |block| {
            let ((ids, us), (vs, weights)) = &mut *lock(&blocks[block]);
            for (index, &id) in ids.iter().enumerate() {
                let ends = edges.ends(id);
                (us[index], vs[index]) = (end(ends.0), end(ends.1));
                weights[index] = edges.weights()[id as usize];
            }
        });
        drop(blocks);
        Ok(Self { u, v, weights, ids })
    }

    /// Adds the canonical forest of these edges to `forest`, found by the solver that the option
    /// names.
    ///
    /// # Errors
    /// As for that solver.
    pub(super) fn solve(
        self,
        edges: Edges<'_, K>,
        forest: &mut EdgeSet,
        run: &mut Run<'_>,
    ) -> Result<(), SolveError> {
        run.report.counter("edges of the last stage", self.ids.len() as f64);
        let Self { u, v, weights, ids } = self;
        let undecided = Edges::of_checked(edges.vertices(), (&u, &v), &weights, edges.encoding());
        let found =
            run.solver_phase("last stage", |run| match run.request.option(&LAST_STAGE) {
                0 => kostra_cpu::kruskal_of_edges(undecided, run),
                _ => kostra_cpu::forest_of_edges(undecided, run),
            })?;
        for index in found.try_into_ids()? {
            forest.insert(ids[index as usize]);
        }
        Ok(())
    }
}
