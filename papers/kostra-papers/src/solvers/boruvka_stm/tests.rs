use std::collections::HashMap;
use std::time::Duration;

use kostra_core::{AnyGraph, Observer, Order, Solver, Workspace};
use kostra_cpu::testing::canonical_ids;

use super::*;
use crate::shared::PATIENCE;

/// The sums of the counters over all rounds, the most attempts of a transaction, and the phases.
#[derive(Default)]
struct Log {
    sums: HashMap<&'static str, u64>,
    most_attempts: u64,
    most_passes: u64,
    rounds: u32,
    phases: Vec<&'static str>,
}

impl Observer for Log {
    fn counter(&mut self, name: &'static str, value: f64) {
        let value = value as u64;
        *self.sums.entry(name).or_default() += value;
        match name {
            "most attempts of a transaction" => self.most_attempts = self.most_attempts.max(value),
            "merge passes" => self.most_passes = self.most_passes.max(value),
            _ => {}
        }
    }
    fn round(&mut self, _: kostra_core::Round) {
        self.rounds += 1;
    }
    fn phase_finished(&mut self, name: &'static str, _: Duration) {
        self.phases.push(name);
    }
}

impl Log {
    fn sum(&self, name: &str) -> u64 {
        self.sums.get(name).copied().unwrap_or_default()
    }
}

fn graph(vertices: u32, edges: &[(u32, u32, i32)]) -> AnyGraph {
    let (u, v) = edges.iter().map(|&(u, v, _)| (u, v)).unzip();
    let weights: Vec<_> = edges.iter().map(|&(_, _, weight)| weight).collect();
    AnyGraph::from_edges(vertices as usize, u, v, weights).unwrap()
}

/// Solves on some threads, and checks the forest and the counters.
fn solve(graph: &AnyGraph, threads: usize, longest: u64) -> Log {
    let mut log = Log::default();
    let mut run = Run::new()
        .observed_by(&mut log)
        .on_threads(threads)
        .with_option(&BoruvkaStm::INFO, "longest-transaction", longest)
        .unwrap();
    let found = Solver::solve(&BoruvkaStm, graph, Order::Minimum, &mut run).unwrap().forest;
    assert!(
        found.ids() == canonical_ids(graph, Order::Minimum),
        "another forest on {threads} threads, L = {longest}"
    );
    assert_eq!(log.sum("transactions committed"), found.ids().len() as u64);
    assert!(
        log.sum("transactions started")
            >= log.sum("transactions committed") + log.sum("transactions aborted")
    );
    assert!(log.most_attempts <= u64::from(PATIENCE) + 1, "{} attempts", log.most_attempts);
    let bound = u64::from(graph.vertices().max(1).ilog2()) + 2;
    assert!(log.most_passes <= bound, "{} passes", log.most_passes);
    log
}

#[test]
fn every_variant_returns_the_canonical_forest_in_memory_that_was_used_before() {
    let mut state = 1_u64;
    let mut below = |bound: u32| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % u64::from(bound)) as u32
    };
    let mut workspace = Workspace::new();
    for round in 0..if cfg!(miri) { 1 } else { 50 } {
        // Some graphs have several blocks of vertices, so that threads share them.
        let n = 1 + below(if round % 5 == 0 { 900 } else { 60 });
        let m = 1 + below(3 * n);
        let edges: Vec<_> = (0..m).map(|_| (below(n), below(n), below(9) as i32)).collect();
        let (u, v) = edges.iter().map(|&(u, v, _)| (u, v)).unzip();
        let wide: Vec<_> = edges.iter().map(|&(_, _, w)| f64::from(w) - 4.0).collect();
        for graph in [graph(n, &edges), AnyGraph::from_edges(n as usize, u, v, wide).unwrap()] {
            let expected = canonical_ids(&graph, Order::Minimum);
            for threads in [1, 2, 3, 8] {
                for (transactions, longest) in [(1, 2), (1, 3), (1, 32), (1, 65536), (0, 32)] {
                    let run = Run::new().on_threads(threads).in_workspace(&mut workspace);
                    let mut run = run
                        .with_option(&BoruvkaStm::INFO, "transactions", transactions)
                        .and_then(|run| {
                            run.with_option(&BoruvkaStm::INFO, "longest-transaction", longest)
                        })
                        .unwrap();
                    let found = Solver::solve(&BoruvkaStm, &graph, Order::Minimum, &mut run);
                    assert_eq!(
                        found.unwrap().forest.ids(),
                        expected,
                        "graph {round}, {threads} threads, transactions {transactions}, L {longest}"
                    );
                }
            }
        }
    }
}

/// Graphs where every transaction needs the same vertices. Debug builds have smaller ones.
#[test]
fn maximum_conflict_ends_with_the_canonical_forest() {
    let leaves = if cfg!(miri) {
        50
    } else if cfg!(debug_assertions) {
        50_000
    } else {
        1_000_000
    };
    let star: Vec<_> = (1..=leaves).map(|leaf| (0, leaf, 5)).collect();
    let center_last: Vec<_> = (0..leaves).map(|leaf| (leaf, leaves, leaf as i32)).collect();
    let two_centers: Vec<_> = (2..leaves).flat_map(|v| [(0, v, 1), (v, 1, 1)]).collect();
    let n = if cfg!(miri) { 10 } else { 400 };
    let complete: Vec<_> = (0..n).flat_map(|v| (0..v).map(move |u| (u, v, 7))).collect();
    let parallel: Vec<_> = (0..leaves).map(|i| (i % 2, 1 - i % 2, 3)).collect();
    for (vertices, edges) in [
        (leaves + 1, star),
        (leaves + 1, center_last),
        (leaves, two_centers),
        (n, complete),
        (2, parallel),
    ] {
        let graph = graph(vertices, &edges);
        for (threads, longest) in [(2, 2), (8, 2), (8, 32)] {
            solve(&graph, threads, longest);
        }
    }
}

/// The chain 0 - 1 - 2 is merged first. Then each leaf of vertex 0 needs itself, the parent of its
/// neighbor, and the root: more than L = 2. Flat trees make it two.
#[test]
fn transactions_above_the_limit_merge_in_the_next_pass() {
    let leaves = 100;
    let mut edges = vec![(1, 2, 1), (0, 1, 2)];
    edges.extend((0..leaves).map(|leaf| (0, 3 + leaf, 3)));
    let graph = graph(3 + leaves, &edges);
    let log = solve(&graph, 1, 2);
    assert_eq!(log.sum("transactions too long"), u64::from(leaves));
    assert_eq!((log.rounds, log.sum("merge passes")), (1, 2));
    let log = solve(&graph, 1, 3);
    assert_eq!((log.sum("transactions too long"), log.sum("merge passes")), (0, 1));
    for threads in [2, 3, 8] {
        solve(&graph, threads, 2);
    }
}

#[test]
fn a_limit_below_two_is_refused_with_the_range() {
    for longest in [0, 1] {
        let error = Run::new()
            .with_option(&BoruvkaStm::INFO, "longest-transaction", longest)
            .err()
            .unwrap();
        assert_eq!(
            error.to_string(),
            format!("longest-transaction must be from 2 to 65536, not {longest}")
        );
    }
}

#[test]
fn each_step_of_each_round_is_timed() {
    // Two triangles joined by a heavy edge, a self-loop, and an isolated vertex.
    let edges =
        [(0, 1, 1), (1, 2, 2), (2, 0, 3), (3, 4, 1), (4, 5, 2), (5, 3, 3), (2, 3, 9), (0, 0, -5)];
    let log = solve(&graph(7, &edges), 2, 32);
    let round = ["discover edges", "list", "merge", "flatten", "prune"];
    let expected = [
        &["build", "start threads", "initialize"][..],
        &round,
        &round,
        &["end threads", "free memory", "list the forest"],
    ];
    assert_eq!(log.phases, expected.concat());
    assert_eq!(log.rounds, 2);
    // Each component of a round starts a transaction. Of two with the same choice, one withdraws.
    assert_eq!((log.sum("transactions started"), log.sum("transactions aborted")), (8, 0));
}
