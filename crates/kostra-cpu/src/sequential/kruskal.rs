//! Kruskal's algorithm: take the edges in ascending order, and keep each that joins two components.
//!
//! An edge that joins two components is the lightest between one of them and the rest, so it is in
//! the forest (cut property). Any other edge is the heaviest on the cycle that it closes, so it is
//! not in the forest (cycle property).
//!
//! * Source: Sousa 2014, section 3.1.2, Algorithm 2 (after Kruskal 1956, construction A); the
//!   baseline of Shou & He 2024, section 3.1 and Listing 2.
//! * Deviations: ties go to the lower edge id. Integers of key and id are sorted, not edges.
//!   The disjoint sets are linked by index (Rem's algorithm), where Listing 1 of Shou & He
//!   links by rank; they need no array of ranks. The search for an edge's components starts from
//!   ancestors that were read some edges before, so that memory accesses overlap. It stops when one
//!   component is left, which Sousa's text allows and Algorithm 2 does not do.
//! * Time O(m log m) for the sort; scratch 8 bytes per edge (16 with 64-bit weights) and 4 per
//!   vertex.
//! * Input: edge list. Exact. One thread.

use kostra_core::{
    Algorithm, EdgeSet, Edges, Key, OutOfMemory, Platform, Problem, Representation, Run,
    SolveError, SolverInfo, UnionFind, memory,
};

use super::unite;

/// Kruskal's algorithm.
pub(crate) struct Kruskal;

impl Algorithm for Kruskal {
    const INFO: SolverInfo = SolverInfo {
        id: "kruskal",
        title: "Kruskal",
        source: "Sousa 2014, 3.1.2, Algorithm 2; Shou & He 2024, 3.1",
        platform: Platform::Sequential,
        representation: Representation::EdgeList,
        exact: true,
        time: "O(m log m)",
        scratch: "8 bytes per edge (16 with 64-bit weights), 4 per vertex",
        options: &[],
    };

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        kruskal_of_edges(problem.edges(), run)
    }
}

/// The edges of the canonical forest of an edge list, found by Kruskal's algorithm.
///
/// # Errors
/// When the run is cancelled or the system refuses the memory.
pub fn kruskal_of_edges<K: Key>(
    edges: Edges<'_, K>,
    run: &mut Run<'_>,
) -> Result<EdgeSet, SolveError> {
    let ranks = run.phase("sort", |_| {
        let mut ranks = memory::collected(edges.ids().map(|id| edges.rank(id)))?;
        ranks.sort_unstable();
        Ok::<_, OutOfMemory>(ranks)
    })?;

    let mut forest = EdgeSet::try_new(edges.len())?;
    let mut components = UnionFind::try_new(edges.vertices())?;
    run.phase("unite", |run| unite(edges, &ranks, &mut components, &mut forest, run))?;
    if run.report.reports_edges() {
        report::<K>(&ranks, &forest, components.sets() == 1, run);
    }
    Ok(forest)
}

/// Reports the decisions on edges, up to the edge that left one component. They follow from the
/// order and the forest, so the loop over the edges need not report them.
fn report<K: Key>(ranks: &[K::Rank], forest: &EdgeSet, connected: bool, run: &mut Run<'_>) {
    let mut left = forest.len();
    for &rank in ranks {
        let id = K::rank_id(rank);
        let kept = forest.contains(id);
        run.report.edge(id, kept);
        left -= usize::from(kept);
        if connected && kept && left == 0 {
            break;
        }
    }
}
