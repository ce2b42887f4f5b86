//! What the tests of this crate and of `kostra-papers` share: random graphs, forests to compare
//! with, and an observer that //! keeps all reports.

use kostra_core::{AnyGraph, EdgeId, EdgeList, Observer, Order, Round, Run, Solver, Weight};

use crate::FASTEST_ON_SMALL;

/// A linear congruential generator, from its seed.
pub struct CongruentialGenerator(pub u64);

impl CongruentialGenerator {
    /// A number below `bound`.
    pub fn below(&mut self, bound: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(bound)) as u32
    }

    /// `len` numbers below `bound`.
    pub fn list(&mut self, len: u32, bound: u32) -> Vec<u32> {
        (0..len).map(|_| self.below(bound)).collect()
    }

    /// A multigraph of up to 30 vertices and 60 edges, or sometimes 40 times as large, with weights
    /// from `pool`.
    fn graph<W: Weight>(&mut self, pool: &[W]) -> AnyGraph
    where
        AnyGraph: From<EdgeList<W>>,
    {
        let scale = if self.below(100) == 0 { 40 } else { 1 };
        let (vertices, edges) = (1 + self.below(30 * scale), self.below(60 * scale + 1));
        // If only a part of the pool is used, weights are equal. If only a part of the vertices are
        // ends, the other vertices are isolated.
        let (ends, weights) = (1 + self.below(vertices), 1 + self.below(pool.len() as u32));
        let (u, v, w) = (self.list(edges, ends), self.list(edges, ends), self.list(edges, weights));
        AnyGraph::from_edges(vertices as usize, u, v, w.iter().map(|&w| pool[w as usize]).collect())
            .expect("the arrays have equal lengths")
    }

    /// A multigraph with weights of any type, extreme values included.
    pub fn any_graph(&mut self) -> AnyGraph {
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
            _ => self.graph(&[-0.0, 0.0, f64::INFINITY, f64::NEG_INFINITY, 1e-300, 1e300, -7.25]),
        }
    }
}

/// The edge ids of the forest that `solver` finds.
pub fn forest_ids(
    solver: &dyn Solver,
    graph: &AnyGraph,
    order: Order,
    mut run: Run<'_>,
) -> Vec<EdgeId> {
    solver.solve(graph, order, &mut run).expect("the solve succeeds").forest.into_ids()
}

/// The edge ids of the canonical forest, found by Kruskal's algorithm.
pub fn canonical_ids(graph: &AnyGraph, order: Order) -> Vec<EdgeId> {
    forest_ids(FASTEST_ON_SMALL, graph, order, Run::new())
}

/// An observer that keeps the reports of a solver.
#[derive(Default)]
pub struct Log {
    /// The names of the phases, in the order in which the phases start.
    pub phases: Vec<&'static str>,
    /// The components and the edges of each round.
    pub rounds: Vec<(u64, u64)>,
    /// The number of rounds that had begun, the name and the value of each counter.
    counters: Vec<(usize, &'static str, f64)>,
}

impl Observer for Log {
    fn phase_started(&mut self, name: &'static str) {
        self.phases.push(name);
    }
    fn round(&mut self, round: Round) {
        self.rounds.push((round.components, round.edges));
    }
    fn counter(&mut self, name: &'static str, value: f64) {
        self.counters.push((self.rounds.len(), name, value));
    }
}

impl Log {
    /// The values of the counter `name`.
    pub fn counters(&self, name: &str) -> Vec<f64> {
        self.counters.iter().filter(|counter| counter.1 == name).map(|counter| counter.2).collect()
    }

    /// The values of the counter `name` in a round, counted from 0.
    pub fn counters_in_round(&self, round: usize, name: &str) -> Vec<f64> {
        let in_round = self.counters.iter().filter(|counter| counter.0 == round + 1);
        in_round.filter(|counter| counter.1 == name).map(|counter| counter.2).collect()
    }
}
