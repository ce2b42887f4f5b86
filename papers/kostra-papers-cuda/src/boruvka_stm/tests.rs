//! The solver under maximum conflict, on a device. Tests are skipped if there is none.

use kostra_core::{
    AnyGraph, EdgeId, Observer, OptionError, Order, Run, Solver, SolverInfo, Vertex,
};
use kostra_cuda::testing::device;

use super::*;

const INFO: &SolverInfo = &BoruvkaStm::INFO;

/// The sum of each counter.
#[derive(Default)]
struct Sums {
    committed: f64,
    exceeded: f64,
}

impl Observer for Sums {
    fn counter(&mut self, name: &'static str, value: f64) {
        match name {
            "transactions committed" => self.committed += value,
            "transactions too long" => self.exceeded += value,
            _ => {}
        }
    }
}

fn graph(vertices: usize, ends: &[(Vertex, Vertex)], weights: Vec<u32>) -> AnyGraph {
    let (u, v): (Vec<_>, Vec<_>) = ends.iter().copied().unzip();
    AnyGraph::from_edges(vertices, u, v, weights).unwrap()
}

/// Solves with transactions of at most `longest` vertices.
fn solve(graph: &AnyGraph, longest: u64) -> (Vec<EdgeId>, Sums) {
    let mut sums = Sums::default();
    let solution = {
        let run = Run::new().observed_by(&mut sums);
        let mut run = run.with_option(INFO, LONGEST_TRANSACTION.name, longest).unwrap();
        Solver::solve(&BoruvkaStm, graph, Order::Minimum, &mut run).unwrap()
    };
    (solution.forest.into_ids(), sums)
}

#[test]
fn all_leaves_of_a_star_merge_with_one_root() {
    let Some(_) = device() else { return };
    // All transactions need the center, so they follow one another.
    const LEAVES: u32 = 100_000;
    let ends: Vec<_> = (1..=LEAVES).map(|leaf| (0, leaf)).collect();
    for weights in [vec![7; ends.len()], (0..LEAVES).collect()] {
        let star = graph(LEAVES as usize + 1, &ends, weights);
        for longest in [2, 3, LONGEST_TRANSACTION.default] {
            let (ids, sums) = solve(&star, longest);
            assert!(ids.iter().copied().eq(0..LEAVES), "{} edges, L = {longest}", ids.len());
            assert_eq!(sums.committed, f64::from(LEAVES), "L = {longest}");
        }
    }
}

#[test]
fn transactions_at_a_complete_graph_of_equal_weights_end() {
    let Some(_) = device() else { return };
    const VERTICES: u32 = 600;
    let ends: Vec<_> = (0..VERTICES).flat_map(|u| (u + 1..VERTICES).map(move |v| (u, v))).collect();
    let complete = graph(VERTICES as usize, &ends, vec![1; ends.len()]);
    let (ids, _) = solve(&complete, LONGEST_TRANSACTION.default);
    assert!(ids.iter().copied().eq(0..VERTICES - 1), "{ids:?}");
}

#[test]
fn two_vertices_with_many_edges_merge_once() {
    let Some(_) = device() else { return };
    let (ids, sums) = solve(&graph(2, &vec![(1, 0); 100_000], vec![3; 100_000]), 2);
    assert_eq!((ids.as_slice(), sums.committed), ([0].as_slice(), 1.0));
}

#[test]
fn transactions_longer_than_l_make_progress() {
    let Some(_) = device() else { return };
    const VERTICES: u32 = 100_000;
    let ends: Vec<_> = (1..VERTICES).map(|v| (v - 1, v)).collect();
    let weights = ends.iter().map(|&(u, _)| u.wrapping_mul(2_654_435_761)).collect();
    let path = graph(VERTICES as usize, &ends, weights);
    let (ids, sums) = solve(&path, 2);
    assert!(ids.iter().copied().eq(0..VERTICES - 1), "{} edges", ids.len());
    assert!(sums.exceeded > 0.0, "no transaction was longer than 2 vertices");
}

#[test]
fn bad_options_are_refused_with_the_range() {
    for (name, value, words) in [
        ("longest-transaction", 0, "longest-transaction must be from 2 to 32, not 0"),
        ("longest-transaction", 1, "longest-transaction must be from 2 to 32, not 1"),
        ("longest-transaction", 33, "longest-transaction must be from 2 to 32, not 33"),
        ("transactions", 2, "transactions must be one of off, on, not 2"),
    ] {
        let error = Run::new().with_option(INFO, name, value).map(drop).unwrap_err();
        assert!(matches!(error, OptionError::Value { .. }), "{error}");
        assert_eq!(error.to_string(), words);
    }
}
