//! `prim-union`: local forests in the parts of a partition, and an exact solver on their union with
//! the edges that cross parts.
//!
//! Every part has an instance of Prim's algorithm, which finds the forest of the part and ignores
//! the edges that cross parts. The instances share nothing, so they run in parallel without
//! collisions. A solver then finds the forest of the union: all edges of the local forests and all
//! edges that cross parts.
//!
//! Why the result is the canonical forest: an edge inside a part that is not in the part's local
//! forest is the heaviest edge of a cycle, namely with the path in that forest between its ends. So
//! it is not in the canonical forest (cycle property), and dropping it changes nothing. The last
//! stage returns the canonical forest of the edges that are left, with the same ids in the same
//! order.
//!
//! With `components`, Sousa's identification of connected components: a tree stops where the
//! lightest edge that leaves it leads to another part or to a tree of its part that has stopped.
//! All edges that it has chosen are in the forest (cut property). The components that they connect
//! are contracted, and the last stage solves the graph between the components.
//!
//! * Source: Sousa 2014, section 4.3.2 and `prim_omp_union` in chapter 5. The union follows Loncar,
//!   Skrbic and Balaz 2013.
//! * Phases, for the time breakdown of Sousa's Figure 5.3: partition, local forests, union, last
//!   stage.
//! * Time O((n + m) log n) work, and the work of the last stage. Scratch: 12 bytes per vertex for
//!   the parts, 12 per vertex in parts that grow and 16 per vertex beside their trees (20 and 32
//!   with 64-bit weights), one bit per edge, 16 bytes per edge of the union (20), and the last
//!   stage's.
//! * Input: CSR. Exact. Threads.
//!
//! Deviations:
//!
//! * Sousa's parts come from METIS. Here they come from the caller, from Kostra's partitioner, or
//!   from a quick cut.
//! * Instances start at the lowest vertex of a part that is not reached, not at a random one, and
//!   again if a part is not connected.
//! * A thread that has finished a part takes the next, so there may be more parts than threads.
//! * The heap is binary; Sousa's `prim_seq` has a pairing heap of Boost.
//! * Sousa does not name the solver of the last stage. By default it is Kruskal's algorithm, which
//!   he names for the identification of components. `last-stage` chooses another.
//! * The edge of a collision is chosen. Sousa does not say so. It is the lightest edge that leaves
//!   its tree.

use kostra_core::{
    Algorithm, EdgeSet, Edges, Key, OptionValues, Platform, Problem, Representation, Run,
    SolveError, SolverInfo, SolverOption,
};
use kostra_parallel::{SharedEdgeSet, Team, with_observed_team};

use super::cut::{CUT, PARTS, Parts};
use super::grow::{Field, LocalForest};
use super::last_stage::{LAST_STAGE, Undecided};
use super::report;
use super::trees::StoppingTrees;

/// Prim's algorithm in parts, with a union.
pub(crate) struct PrimUnion;

/// The option for the identification of connected components.
const COMPONENTS: SolverOption = SolverOption {
    name: "components",
    about: "whether trees stop at the boundary of their part, and are contracted",
    default: 0,
    values: OptionValues::Switch,
};

impl Algorithm for PrimUnion {
    const INFO: SolverInfo = SolverInfo {
        id: "prim-union",
        title: "Prim in the parts of a partition, with a union",
        source: "Sousa 2014, 4.3.2",
        platform: Platform::Threads,
        representation: Representation::Csr,
        exact: true,
        time: "O((n + m) log n) and the last stage",
        scratch: "40 bytes per vertex (64 with 64-bit weights), 24 per edge of the union (36)",
        options: &[PARTS, CUT, COMPONENTS, LAST_STAGE],
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
            let chosen = SharedEdgeSet::new(graph.edges())?;
            let field = Field { graph, parts: &parts, chosen: &chosen };
            if run.request.option(&COMPONENTS) == 0 {
                run.phase("local forests", |run| field.grow_all::<LocalForest<K>>(team, run))?;
                unite(problem.edges(), &parts, chosen, team, run)
            } else {
                run.phase("local trees", |run| field.grow_all::<StoppingTrees<K>>(team, run))?;
                contract(problem.edges(), &parts, chosen, team, run)
            }
        })
    }
}

/// Finishes the forest on the union of the local forests and the edges that cross parts.
fn unite<K: Key>(
    edges: Edges<'_, K>,
    parts: &Parts<'_>,
    local: SharedEdgeSet,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let (crossing, union) = run.phase("union", |_| {
        let crossing = parts.for_each_crossing(edges, team, |id| _ = local.insert(id));
        Undecided::new(edges, local, team).map(|union| (crossing, union))
    })?;
    report(parts, crossing, run);
    run.report.progress(parts.count(), parts.count())?;
    let mut forest = EdgeSet::try_new(edges.len())?;
    union.solve(edges, &mut forest, run)?;
    Ok(forest)
}

/// Finishes the forest on the graph between the components of the chosen edges.
fn contract<K: Key>(
    edges: Edges<'_, K>,
    parts: &Parts<'_>,
    chosen: SharedEdgeSet,
    team: &Team<'_>,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let mut forest = chosen.into_edge_set();
    let (crossing, rest) = run.phase("contract", |_| {
        let crossing = parts.for_each_crossing(edges, team, |_| ());
        Undecided::contracted(edges, &forest, |_| true, team).map(|rest| (crossing, rest))
    })?;
    report(parts, crossing, run);
    run.report.counter("components", f64::from(edges.vertices()) - forest.len() as f64);
    run.report.progress(parts.count(), parts.count())?;
    rest.solve(edges, &mut forest, run)?;
    Ok(forest)
}
