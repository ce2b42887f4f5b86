//! `prim-boundary`: local forests in the parts of a partition. Only their edges at boundary
//! vertices are reconsidered. Approximate.
//!
//! A boundary vertex has an edge that crosses parts. The local forests are those of `prim-union`.
//! Their edges without a boundary vertex are kept. The last stage contracts the components of the
//! kept edges. It then chooses from the edges that cross parts and from the local forests' edges at
//! boundary vertices.
//!
//! What the result is: a spanning forest, because the kept edges and the candidates together
//! connect what the graph connects, and the last stage finds a forest of all candidates. It need
//! not be minimal. A kept edge may be the heaviest of a cycle through other parts; Sousa's Figure
//! 4.4 shows such a cycle. The result is the lightest spanning forest that contains all kept edges
//! and otherwise edges of the union. It depends on the parts, and not on the number of threads. On
//! one part it is the canonical forest.
//!
//! * Source: Sousa 2014, section 4.3.2, boundary marked vertices, and `prim_omp_bmv` in chapter 5.
//! * Phases: partition, local forests, mark, contract, last stage.
//! * Time and scratch as for `prim-union`, and 8 bytes per vertex for the contraction. The last
//!   stage has fewer edges.
//! * Input: CSR. Approximate. Threads.
//!
//! Deviations, besides those of `prim-union` for parts, instances and heap:
//!
//! * Sousa does not say how the edges at boundary vertices are processed. Here a solver for the
//!   last stage chooses from them, so that the result has no cycle.
//! * By default there are [`DEFAULT_PARTS`] parts, and not one per thread. Otherwise the result
//!   would depend on the number of threads.

use kostra_core::{
    Algorithm, EdgeId, EdgeSet, Edges, Key, OptionValues, Platform, Problem, Representation, Run,
    SolveError, SolverInfo, SolverOption,
};
use kostra_parallel::{SharedEdgeSet, Team, with_observed_team};

use super::cut::{CUT, MOST_PARTS, Parts};
use super::grow::{Field, LocalForest};
use super::last_stage::{EDGES, LAST_STAGE, Undecided};
use super::report;

/// Prim's algorithm in parts, with marked boundary vertices.
pub(crate) struct PrimBoundary;

/// The default number of parts: enough for the threads of a small machine.
const DEFAULT_PARTS: u64 = 8;

/// The option that names the number of parts.
const PARTS: SolverOption = SolverOption {
    name: "parts",
    about: "number of parts; 0: one per thread, so the result depends on the threads",
    default: DEFAULT_PARTS,
    values: OptionValues::Number { lowest: 0, highest: MOST_PARTS },
};

impl Algorithm for PrimBoundary {
    const INFO: SolverInfo = SolverInfo {
        id: "prim-boundary",
        title: "Prim in the parts of a partition, with marked boundary vertices (approximate)",
        source: "Sousa 2014, 4.3.2",
        platform: Platform::Threads,
        representation: Representation::Csr,
        exact: false,
        time: "O((n + m) log n) and the last stage",
        scratch: "40 bytes per vertex (64 with 64-bit weights), 24 per edge of the last stage (36)",
        options: &[PARTS, CUT, LAST_STAGE],
    };

    const USES_PARTITION: bool = true;

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let graph = problem.csr(run)?;
        with_observed_team(run, run.request.threads(), |team, run| {
            let parts = Parts::find(graph, &PARTS, run)?;
            let local = SharedEdgeSet::new(graph.edges())?;
            let field = Field { graph, parts: &parts, chosen: &local };
            run.phase("local forests", |run| field.grow_all::<LocalForest<K>>(team, run))?;
            finish(problem.edges(), &parts, &local.into_edge_set(), team, run)
        })
    }
}

/// Keeps the local edges without a boundary vertex, and finishes the forest with the others and the
/// edges that cross parts.
fn finish<K: Key>(
    edges: Edges<'_, K>,
    parts: &Parts<'_>,
    local: &EdgeSet,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let candidates = SharedEdgeSet::new(edges.len())?;
    let kept = SharedEdgeSet::new(edges.len())?;
    // A set of vertices.
    let boundary = SharedEdgeSet::new(edges.vertices() as usize)?;
    let (crossing, boundary) = run.phase("mark", |_| {
        let crossing = parts.for_each_crossing(edges, team, |id| {
            let (u, v) = edges.ends(id);
            candidates.insert(id);
            boundary.insert(u);
            boundary.insert(v);
        });
        let boundary = boundary.into_edge_set();
        team.for_each(edges.len(), EDGES, |id| {
            let id = id as EdgeId;
            if local.contains(id) {
                let (u, v) = edges.ends(id);
                let is_marked = boundary.contains(u) || boundary.contains(v);
                if is_marked { &candidates } else { &kept }.insert(id);
            }
        });
        (crossing, boundary.len())
    });
    report(parts, crossing, run);
    run.report.counter("boundary vertices", boundary as f64);
    let (candidates, mut forest) = (candidates.into_edge_set(), kept.into_edge_set());
    let rest = run.phase("contract", |_| {
        Undecided::contracted(edges, &forest, |id| candidates.contains(id), team)
    })?;
    run.report.progress(parts.count(), parts.count())?;
    rest.solve(edges, &mut forest, run)?;
    Ok(forest)
}
