//! Prim's algorithm as two plain loops: for each vertex that joins the tree, look at every vertex
//! for the next.
//!
//! The lightest edge that leaves the tree is in the forest (cut property). It is found by a scan
//! over an array with the lightest known edge to each vertex beside the tree. The scan suits graphs
//! in which most vertices are neighbors. Large sparse graphs are refused.
//!
//! * Source: Sousa 2014, section 3.1.3, Algorithm 3; Biagiotti, CPU implementation (the naive
//!   version, O(n²)).
//! * Deviations: Algorithm 3 does not say how the lightest edge is found; the array is that of
//!   Algorithm 4. Start vertices and the order of edges are as in `prim.rs`. Biagiotti gives no
//!   pseudo-code.
//! * Time O(n² + m); scratch 9 bytes per vertex (17 with 64-bit weights).
//! * Input: CSR. Exact. One thread. Refuses graphs with more than [`SMALL`] vertices in which n² >
//!   [`SPARSE`] m, that is, whose scans take more than 64 steps for each edge, unless the option
//!   `any-size` is on: Biagiotti's road networks have 264,346 to 3.6 million vertices.

use kostra_core::{
    Algorithm, BitSet, EdgeSet, Key, OptionValues, Platform, Problem, Representation, Run,
    RunRequest, SolveError, SolverInfo, SolverOption, memory,
};

use super::Pace;
use super::prim::report_excluded;
use crate::no_edge;

/// The number of vertices up to which no graph is refused: its scans take a fraction of a second.
const SMALL: u32 = 16_384;
/// The number of steps per edge above which a larger graph is refused.
const SPARSE: u64 = 64;

const ANY_SIZE: SolverOption = SolverOption {
    name: "any-size",
    about: "whether large sparse graphs are solved, which a heap solves faster",
    default: 0,
    values: OptionValues::Switch,
};

/// How many vertices are scanned in one go, with nothing but the comparison in the loop.
const CHUNK: usize = 4096;

/// Prim's algorithm by scanning.
pub(crate) struct PrimDense;

impl Algorithm for PrimDense {
    const INFO: SolverInfo = SolverInfo {
        id: "prim-dense",
        title: "Prim by scanning, for dense graphs",
        source: "Sousa 2014, 3.1.3, Algorithm 3; Biagiotti, CPU implementation",
        platform: Platform::Sequential,
        representation: Representation::Csr,
        exact: true,
        time: "O(n^2 + m)",
        scratch: "9 bytes per vertex (17 with 64-bit weights)",
        options: &[ANY_SIZE],
    };

    fn admit(&self, vertices: u32, edges: usize) -> Result<(), SolveError> {
        let steps = u64::from(vertices).pow(2);
        if vertices <= SMALL || steps <= SPARSE.saturating_mul(edges as u64) {
            return Ok(());
        }
        Err(SolveError::Unsuitable {
            solver: Self::INFO.id,
            cost: format!(
                "{steps:.1e} steps (the square of {vertices} vertices, with {edges} edges)"
            ),
            advice: "prim-binary finds the same forest in O((n + m) log n)",
        })
    }

    fn admit_run(&self, size: (u32, usize), request: &RunRequest<'_>) -> Result<(), SolveError> {
        if request.option(&ANY_SIZE) == 1 { Ok(()) } else { self.admit(size.0, size.1) }
    }

    fn solve<K: Key>(
        &self,
        problem: Problem<'_, K>,
        run: &mut Run<'_>,
    ) -> Result<EdgeSet, SolveError> {
        run.phase("grow", |run| grow(problem, run))
    }
}

fn grow<K: Key>(problem: Problem<'_, K>, run: &mut Run<'_>) -> Result<EdgeSet, SolveError> {
    let (graph, edges) = (problem.csr(run)?, problem.edges());
    let vertices = graph.vertices();
    let mut forest = EdgeSet::try_new(edges.len())?;
    let mut in_tree = memory::filled(vertices as usize, false)?;
    // The lightest edge from the tree to each vertex beside it; no edge for those inside it or not
    // reached yet.
    let none = no_edge::<K>();
    let mut nearest = memory::filled(vertices as usize, none)?;
    // The vertices of the tree, only if decisions are reported.
    let mut joined =
        BitSet::try_new(if run.report.reports_edges() { vertices as usize } else { 0 })?;
    let mut beside = 0_u32;
    let mut reached = 0;
    let mut pace = Pace::new();

    for start in 0..vertices {
        pace.step(run, reached, vertices)?;
        if in_tree[start as usize] {
            continue;
        }
        run.report.start_tree(start);
        let mut vertex = start;
        loop {
            in_tree[vertex as usize] = true;
            reached += 1;
            if run.report.reports_edges() {
                joined.insert(vertex);
                report_excluded(graph, vertex, &joined, &forest, run);
            }
            for arc in graph.arcs(vertex) {
                pace.step(run, reached, vertices)?;
                if !in_tree[arc.to as usize] {
                    let nearest = &mut nearest[arc.to as usize];
                    beside += u32::from(*nearest == none);
                    *nearest = arc.key.rank(arc.id).min(*nearest);
                }
            }
            // Without this count every isolated vertex would cost a scan that finds nothing.
            if beside == 0 {
                break;
            }
            let mut lightest = none;
            for part in nearest.chunks(CHUNK) {
                pace.steps(part.len() as u32, run, reached, vertices)?;
                lightest = part.iter().copied().fold(lightest, Ord::min);
            }
            let id = K::rank_id(lightest);
            forest.insert(id);
            run.report.edge(id, true);
            let (u, v) = edges.ends(id);
            vertex = if in_tree[u as usize] { v } else { u };
            nearest[vertex as usize] = none;
            beside -= 1;
        }
    }
    Ok(forest)
}

#[cfg(test)]
mod tests {
    use kostra_core::{AnyGraph, Observer, Order, Solver};

    use super::*;
    use crate::testing::forest_ids;

    #[test]
    fn only_graphs_that_are_both_large_and_sparse_are_refused() {
        assert_eq!(PrimDense.admit(0, 0), Ok(()));
        assert_eq!(PrimDense.admit(SMALL, 0), Ok(()));
        assert_eq!(PrimDense.admit(1 << 17, 1 << 28), Ok(()));
        assert!(PrimDense.admit(1 << 17, (1 << 28) - 1).is_err());
        assert!(PrimDense.admit(u32::MAX, u32::MAX as usize).is_err());
    }

    struct NothingStarts;

    impl Observer for NothingStarts {
        fn phase_started(&mut self, name: &'static str) {
            panic!("{name} has started");
        }
    }

    #[test]
    fn a_refusal_comes_before_any_work_and_says_what_to_use_instead() {
        let graph = AnyGraph::from_edges(1_000_000, vec![0, 1], vec![1, 2], vec![1, 1]).unwrap();
        let mut observer = NothingStarts;
        let mut run = Run::new().observed_by(&mut observer);
        let refusal = Solver::solve(&PrimDense, &graph, Order::Minimum, &mut run).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "prim-dense would take 1.0e12 steps (the square of 1000000 vertices, with 2 edges) on this graph; \
             prim-binary finds the same forest in O((n + m) log n)"
        );
    }

    #[test]
    fn a_large_sparse_graph_is_solved_if_the_option_asks_for_it() {
        if cfg!(miri) {
            return;
        }
        let n = SMALL + 2_000;
        let (u, v): (Vec<u32>, Vec<u32>) = (1..n).map(|v| (v / 3, v)).unzip();
        let weights: Vec<u32> = (1..n).map(|v| v.wrapping_mul(2_654_435_761)).collect();
        let graph = AnyGraph::from_edges(n as usize, u, v, weights).unwrap();
        let solve = |run: &mut Run<'_>| Solver::solve(&PrimDense, &graph, Order::Minimum, run);
        assert!(solve(&mut Run::new()).is_err());
        let mut run = Run::new().with_option(&PrimDense::INFO, "any-size", 1).unwrap();
        let solution = solve(&mut run).unwrap();
        assert_eq!(solution.forest.into_ids().len(), n as usize - 1, "a tree is its forest");
    }

    #[test]
    fn a_complete_graph_grows_its_path_of_light_edges() {
        let n = if cfg!(miri) { 20 } else { 600 };
        let pairs = || (0..n).flat_map(|u| (u + 1..n).map(move |v| (u, v)));
        let (u, v): (Vec<u32>, Vec<u32>) = pairs().unzip();
        let weights: Vec<f64> = pairs().map(|(u, v)| f64::from(v - u)).collect();
        let neighbors: Vec<u32> =
            (0..).zip(pairs()).filter(|(_, (u, v))| v - u == 1).map(|(id, _)| id).collect();
        let graph = AnyGraph::from_edges(n as usize, u, v, weights).unwrap();
        assert_eq!(forest_ids(&PrimDense, &graph, Order::Minimum, Run::new()), neighbors);
    }
}
