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

use kostra_core::{
    EdgeId, EdgeSet, Edges, Key, Run, SolveError, Solver, UnionFind, Weight, prefetch,
};

pub(crate) use kruskal::Kruskal;
use pace::Pace;

use unite::unite;

pub(crate) const SOLVERS: &[&dyn Solver] = &[
    &Kruskal,
    &filter_kruskal::FilterKruskal,
    &boruvka::Boruvka,
    &prim_dense::PrimDense,
    &prim_binary::PrimBinary,
    &prim_pairing::PrimPairing,
    &reverse_delete::ReverseDelete,
];

/// A rank above the rank of every edge: no graph has an edge with this id.
fn no_edge<K: Key>() -> K::Rank {
    K::MAX.rank(EdgeId::MAX)
}

/// Takes edges in ascending rank, and adds each edge that joins two components to `forest`.
fn unite_ranks<W: Weight>(
    edges: Edges<'_, W>,
    ranks: &[<W::Key as Key>::Rank],
    components: &mut UnionFind,
    forest: &mut EdgeSet,
    run: &mut Run<'_>,
) -> Result<(), SolveError> {
    let id = |index: usize| W::Key::rank_id(ranks[index]);
    let prefetch = |index| {
        prefetch(edges.u(), id(index) as usize);
        prefetch(edges.v(), id(index) as usize);
    };
    let keep = |index| _ = forest.insert(id(index));
    unite(ranks.len(), prefetch, |index| edges.ends(id(index)), components, keep, run)
}

#[cfg(test)]
pub(crate) mod tests {
    use kostra_core::{
        AnyGraph, EdgeList, Observer, Order, Run, SolveError, Weight, verify, with_graph,
    };

    use super::*;

    /// A small linear congruential generator.
    pub(crate) struct Random(pub(crate) u64);

    impl Random {
        pub(crate) fn below(&mut self, bound: u32) -> u32 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 33) % u64::from(bound)) as u32
        }

        /// A graph of up to 30 vertices and 60 edges, now and then 40 times as large, with all that
        /// a multigraph may have, weighted from a pool.
        fn graph<W: Weight>(&mut self, pool: &[W]) -> AnyGraph
        where
            AnyGraph: From<EdgeList<W>>,
        {
            let scale = if self.below(100) == 0 { 40 } else { 1 };
            let (vertices, edges) = (1 + self.below(30 * scale), self.below(60 * scale + 1));
            // A pool cut short makes ties; ends drawn from a part of the vertices leave the rest
            // isolated.
            let (ends, weights) = (1 + self.below(vertices), 1 + self.below(pool.len() as u32));
            let mut draw = |bound: u32| (0..edges).map(|_| self.below(bound)).collect::<Vec<_>>();
            let (u, v, w) = (draw(ends), draw(ends), draw(weights));
            AnyGraph::from_edges(
                vertices as usize,
                u,
                v,
                w.iter().map(|&w| pool[w as usize]).collect(),
            )
            .unwrap()
        }

        pub(crate) fn any_graph(&mut self) -> AnyGraph {
            match self.below(6) {
                0 => self.graph(&[0, 1, -1, i32::MAX, i32::MIN, 7, 8, 9]),
                1 => self.graph(&[0, 1, u32::MAX, 2, 3, 4]),
                2 => self.graph(&[0, -1, i64::MAX, i64::MIN, 1 << 40, 5]),
                3 => self.graph(&[0, u64::MAX, 1 << 63, 1, 2]),
                4 => self.graph(&[
                    0.0,
                    -0.0,
                    f32::INFINITY,
                    f32::NEG_INFINITY,
                    f32::MIN_POSITIVE,
                    -1.5,
                    2.5,
                ]),
                _ => {
                    self.graph(&[-0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY, 1e-300, 1e300, -7.25])
                }
            }
        }
    }

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
        let mut random = Random(1);
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

    /// Shapes on which a careless heap overflows the stack, or a careless scan turns quadratic.
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
                let refusing = assert_all_agree(&graph, order, &format!("{order:?} of {shape}"));
                assert_eq!(refusing, ["prim-dense", "reverse-delete"]);
            }
        }
    }

    struct Impatient;

    impl Observer for Impatient {
        fn cancelled(&self) -> bool {
            true
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
