//! Borůvka's algorithm: every component hooks onto its lightest outgoing edge, all in one round,
//! until no edge leaves any component.
//!
//! A component's lightest outgoing edge is in the forest (cut property). Hooking all components at
//! once closes no cycle: the last edge of such a cycle, in the strict order of ranks, would have
//! been the lightest for neither of the components that it joins. Components with outgoing edges at
//! least halve in a round.
//!
//! * Source: Sousa 2014, section 3.1.1, Algorithm 1 (after Borůvka 1926), with disjoint sets, as
//!   the text proposes.
//! * Deviations: ties go to the lower edge id, so weights may be equal. Edges inside a component
//!   are dropped after each round, so later rounds pass over fewer edges. The disjoint sets are
//!   linked by index (Rem's algorithm), not by rank.
//! * Time O((n + m) log n); scratch 4 bytes per edge and 12 per vertex (20 with 64-bit weights).
//! * Input: edge list. Exact. One thread.

use kostra_core::{
    Algorithm, EdgeId, EdgeSet, Edges, Key, OutOfMemory, Platform, Problem, Representation, Run,
    SolveError, SolverInfo, UnionFind, memory,
};

use super::Pace;
use crate::no_edge;

/// Borůvka's algorithm.
pub(crate) struct Boruvka;

impl Algorithm for Boruvka {
    const INFO: SolverInfo = SolverInfo {
        id: "boruvka",
        title: "Borůvka",
        source: "Sousa 2014, 3.1.1, Algorithm 1",
        platform: Platform::Sequential,
        representation: Representation::EdgeList,
        exact: true,
        time: "O((n + m) log n)",
        scratch: "4 bytes per edge, 12 per vertex (20 with 64-bit weights)",
        options: &[],
    };

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        let edges = problem.edges();
        let mut rounds = Rounds::new(edges)?;
        run.phase("filter", |run| rounds.filter(run))?;
        while !rounds.alive.is_empty() {
            run.report.round(rounds.components.sets() as usize, rounds.alive.len())?;
            run.phase("hook", |run| rounds.hook(run))?;
            run.phase("filter", |run| rounds.filter(run))?;
        }
        Ok(rounds.forest)
    }
}

/// The state between rounds.
struct Rounds<'a, K: Key> {
    edges: Edges<'a, K>,
    components: UnionFind,
    /// The edges that may still join two components, ascending.
    alive: Vec<EdgeId>,
    /// The lightest outgoing edge of each component, stored at its representative; no edge at other
    /// vertices.
    lightest: Vec<K::Rank>,
    forest: EdgeSet,
    pace: Pace,
}

impl<'a, K: Key> Rounds<'a, K> {
    fn new(edges: Edges<'a, K>) -> Result<Self, OutOfMemory> {
        Ok(Self {
            edges,
            components: UnionFind::try_new(edges.vertices())?,
            alive: memory::collected(edges.ids())?,
            lightest: memory::filled(edges.vertices() as usize, no_edge::<K>())?,
            forest: EdgeSet::try_new(edges.len())?,
            pace: Pace::new(),
        })
    }

    /// Drops the edges inside components, and finds the lightest of the others at each component.
    /// One pass does both, because both need the representatives of an edge's ends, which take most
    /// of the time.
    fn filter(&mut self, run: &mut Run<'_>) -> Result<(), SolveError> {
        if run.report.reports_edges() {
            self.report_excluded(run);
        }
        let mut kept = 0;
        for index in 0..self.alive.len() {
            self.pace.step(run, self.forest.len() as u32, self.edges.vertices())?;
            let id = self.alive[index];
            let (u, v) = self.edges.ends(id);
            let (u, v) = (self.components.find(u), self.components.find(v));
            if u == v {
                continue;
            }
            let rank = self.edges.rank(id);
            for component in [u, v] {
                let lightest = &mut self.lightest[component as usize];
                if rank < *lightest {
                    *lightest = rank;
                }
            }
            self.alive[kept] = id;
            kept += 1;
        }
        self.alive.truncate(kept);
        Ok(())
    }

    /// Reports the edges that [`filter`](Self::filter) will drop because they would close a cycle.
    /// It is a pass of its own, so that `filter` takes no longer when nothing is reported.
    #[cold]
    fn report_excluded(&mut self, run: &mut Run<'_>) {
        for &id in &self.alive {
            let (u, v) = self.edges.ends(id);
            if self.components.find(u) == self.components.find(v) && !self.forest.contains(id) {
                run.report.edge(id, false);
            }
        }
    }

    /// Merges every component with the component at the other end of its lightest edge.
    fn hook(&mut self, run: &mut Run<'_>) -> Result<(), SolveError> {
        let none = no_edge::<K>();
        for lightest in &mut self.lightest {
            self.pace.step(run, self.forest.len() as u32, self.edges.vertices())?;
            let rank = std::mem::replace(lightest, none);
            if rank == none {
                continue;
            }
            let id = K::rank_id(rank);
            let (u, v) = self.edges.ends(id);
            // Two components may have chosen the same edge. The second is already merged.
            if self.components.union(u, v) {
                self.forest.insert(id);
                run.report.edge(id, true);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use kostra_core::{AnyGraph, Order};

    use super::*;
    use crate::testing::{Log, forest_ids};

    fn rounds(vertices: u32, u: Vec<u32>, v: Vec<u32>, weights: Vec<i32>) -> Vec<(u64, u64)> {
        let graph = AnyGraph::from_edges(vertices as usize, u, v, weights).unwrap();
        let mut log = Log::default();
        forest_ids(&Boruvka, &graph, Order::Minimum, Run::new().observed_by(&mut log));
        log.rounds
    }

    #[test]
    fn ascending_weights_along_a_path_hook_in_one_round() {
        let n = 1000;
        let path = rounds(n, (0..n - 1).collect(), (1..n).collect(), (0..n as i32 - 1).collect());
        assert_eq!(path, [(1000, 999)]);
    }

    #[test]
    fn a_round_reports_the_edges_between_components_only() {
        // Two triangles joined by a heavy edge, a self-loop, and an isolated vertex.
        let (u, v) = (vec![0, 1, 2, 3, 4, 5, 2, 0], vec![1, 2, 0, 4, 5, 3, 3, 0]);
        assert_eq!(rounds(7, u, v, vec![1, 2, 3, 1, 2, 3, 9, -5]), [(7, 7), (3, 1)]);
    }

    /// Weights like the marks of a ruler make components merge in pairs: the most rounds that there
    /// can be.
    #[test]
    fn components_halve_at_least() {
        let n = 1 << 10;
        let ruler = (1..n)
            .map(|place: u32| place.trailing_zeros() as i32 * n as i32 + place as i32)
            .collect();
        let components: Vec<u64> = rounds(n, (0..n - 1).collect(), (1..n).collect(), ruler)
            .iter()
            .map(|round| round.0)
            .collect();
        assert!(components.len() <= 10, "{components:?}");
        assert!(components.windows(2).all(|pair| 2 * pair[1] <= pair[0]), "{components:?}");
    }
}
