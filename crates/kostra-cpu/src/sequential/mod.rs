//! The solvers that run on one thread, one file each.

mod boruvka;
mod filter_kruskal;
mod kruskal;
mod pace;
mod prim;
mod prim_binary;
mod prim_dense;
mod prim_pairing;
mod reverse_delete;
mod unite;

use kostra_core::Solver;

pub(crate) use kruskal::Kruskal;
pub use kruskal::kruskal_of_edges;
use pace::Pace;
pub(crate) use prim_binary::PrimBinary;
use unite::unite;

pub(crate) static SOLVERS: &[&dyn Solver] = &[
    &Kruskal,
    &filter_kruskal::FilterKruskal,
    &boruvka::Boruvka,
    &prim_dense::PrimDense,
    &PrimBinary,
    &prim_pairing::PrimPairing,
    &reverse_delete::ReverseDelete,
];

#[cfg(test)]
mod tests {
    use kostra_core::{
        AnyGraph, EdgeId, Observer, Order, Run, SolveError, Vertex, verify, with_graph,
    };

    use super::*;
    use crate::testing::CongruentialGenerator;

    /// Asserts that all solvers return one forest, which passes the verifier. Returns the solvers
    /// that refuse.
    fn assert_all_agree(graph: &AnyGraph, order: Order, what: &str) -> Vec<&'static str> {
        let solve = |solver: &dyn Solver| {
            solver.solve(graph, order, &mut Run::new()).map(|solution| solution.forest.into_ids())
        };
        let expected = solve(&Kruskal).unwrap();
        with_graph!(graph, graph => verify(graph.edge_list().edges(order), &expected))
            .unwrap_or_else(|violation| panic!("{what}: {violation}"));
        let mut refusing = Vec::new();
        for solver in SOLVERS {
            match solve(*solver) {
                Ok(ids) => assert!(ids == expected, "{} differs on {what}", solver.info().id),
                Err(SolveError::Unsuitable { solver, .. }) => refusing.push(solver),
                Err(error) => panic!("{} on {what}: {error}", solver.info().id),
            }
        }
        refusing
    }

    #[test]
    fn every_solver_returns_the_canonical_forest_of_any_multigraph() {
        let mut random = CongruentialGenerator(1);
        for round in 0..if cfg!(miri) { 20 } else { 5000 } {
            let graph = random.any_graph();
            for order in [Order::Minimum, Order::Maximum] {
                let what = format!("{order:?} of graph {round}: {graph:?}");
                assert!(assert_all_agree(&graph, order, &what).is_empty(), "refused: {what}");
            }
        }
    }

    #[test]
    fn a_graph_without_edges_or_vertices_has_an_empty_forest() {
        for vertices in [0, 1, 5] {
            let graph = AnyGraph::from_edges(vertices, vec![], vec![], Vec::<f32>::new()).unwrap();
            let what = format!("{vertices} vertices without edges");
            assert!(assert_all_agree(&graph, Order::Minimum, &what).is_empty(), "refused: {what}");
        }
    }

    /// On these graphs, a recursive heap overflows the stack, and a repeated scan takes quadratic
    /// time. The solvers that refuse them have tests of their own.
    #[test]
    #[cfg_attr(miri, ignore = "a million vertices")]
    fn long_paths_and_wide_stars_take_seconds() {
        let n = 1_000_000_u32;
        let (low, high) = (0..n - 1, 1..n);
        let shapes: [(&str, Vec<u32>, Vec<u32>); 3] = [
            ("a path", low.clone().collect(), high.clone().collect()),
            ("a path from its end", high.clone().rev().collect(), low.rev().collect()),
            ("a star", vec![n / 2; n as usize - 1], (0..n).filter(|&leaf| leaf != n / 2).collect()),
        ];
        for (shape, u, v) in shapes {
            let graph = AnyGraph::from_edges(n as usize, u, v, (1..n).collect()).unwrap();
            for order in [Order::Minimum, Order::Maximum] {
                assert_all_agree(&graph, order, &format!("{order:?} of {shape}"));
            }
        }
    }

    struct Impatient;

    impl Observer for Impatient {
        fn cancelled(&self) -> bool {
            true
        }
    }

    /// Keeps the decisions on edges, and the first vertices of trees.
    #[derive(Default)]
    struct Decisions(Vec<(EdgeId, bool)>, Vec<Vertex>);

    impl Observer for Decisions {
        fn wants_edges(&self) -> bool {
            true
        }
        fn edge(&mut self, edge: EdgeId, kept: bool) {
            self.0.push((edge, kept));
        }
        fn tree_started(&mut self, vertex: Vertex) {
            self.1.push(vertex);
        }
    }

    #[test]
    fn solvers_report_each_decision_once_and_keep_the_forest() {
        let mut random = CongruentialGenerator(2);
        for round in 0..if cfg!(miri) { 5 } else { 300 } {
            let graph = random.any_graph();
            for solver in SOLVERS {
                let id = solver.info().id;
                if !["kruskal", "boruvka", "prim-binary", "prim-dense", "prim-pairing"]
                    .contains(&id)
                {
                    continue;
                }
                let mut seen = Decisions::default();
                let mut run = Run::new().observed_by(&mut seen);
                let forest = solver.solve(&graph, Order::Minimum, &mut run).unwrap().forest;
                let mut kept: Vec<EdgeId> =
                    seen.0.iter().filter(|(_, kept)| *kept).map(|(edge, _)| *edge).collect();
                kept.sort_unstable();
                assert_eq!(kept, forest.ids(), "{id} on graph {round}: {graph:?}");
                let mut decided: Vec<EdgeId> = seen.0.iter().map(|(edge, _)| *edge).collect();
                decided.sort_unstable();
                assert!(decided.is_sorted_by(|a, b| a < b), "{id} on graph {round}: {graph:?}");
            }
        }
    }

    /// Edge 0 has the lowest rank of all, which also marks the vertices of Prim's tree.
    #[test]
    fn the_lowest_rank_is_not_taken_for_the_mark_of_the_tree() {
        let (u, v, weights) = (vec![1, 0, 0], vec![2, 1, 2], vec![u32::MIN, 1, 5]);
        let graph = AnyGraph::from_edges(3, u, v, weights).unwrap();
        for solver in
            [&PrimBinary as &dyn Solver, &prim_dense::PrimDense, &prim_pairing::PrimPairing]
        {
            let mut seen = Decisions::default();
            let mut run = Run::new().observed_by(&mut seen);
            solver.solve(&graph, Order::Minimum, &mut run).unwrap();
            assert_eq!(seen.0, [(1, true), (0, true), (2, false)]);
            assert_eq!(seen.1, [0]);
        }
    }

    #[test]
    fn a_cancelled_solver_stops() {
        let graph = AnyGraph::from_edges(3, vec![0, 1, 2], vec![1, 2, 0], vec![1, 1, 2]).unwrap();
        for solver in SOLVERS {
            let mut observer = Impatient;
            let result =
                solver.solve(&graph, Order::Minimum, &mut Run::new().observed_by(&mut observer));
            assert_eq!(result.unwrap_err(), SolveError::Cancelled, "{}", solver.info().id);
        }
    }
}
