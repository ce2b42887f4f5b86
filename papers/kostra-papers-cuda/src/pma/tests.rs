//! Tests on a device. Without one, they are skipped.

use kostra_core::{AnyGraph, EdgeList, Observer, Order, Round, Run, Solver, Vertex};
use kostra_cuda::testing::{device, kruskal};

use super::{INFOS, PmaHybrid, PmaMin, PmaSort};

const SOLVERS: [&dyn Solver; 3] = [&PmaMin, &PmaSort, &PmaHybrid];

/// A graph without weights: the number of vertices, and the ends of the edges.
type Shape = (usize, Vec<(Vertex, Vertex)>);

/// Multiplies by an odd constant, which permutes the integers below 2^32.
fn scatter(number: u32) -> u32 {
    number.wrapping_mul(2_654_435_761).rotate_left(13)
}

/// Compares all three solvers with Kruskal's algorithm, for several sizes of trees, with and
/// without parallel edges.
fn check(about: &str, shape: &Shape, weights: Vec<u32>) {
    let (u, v): (Vec<Vertex>, Vec<Vertex>) = shape.1.iter().copied().unzip();
    let edges = EdgeList::new(shape.0, u, v, weights).unwrap();
    let right = kruskal(edges.edges(Order::Minimum));
    let graph = AnyGraph::from(edges);
    for solver in SOLVERS {
        for gamma in [2, 3, 8, 100] {
            for (removal, cooperative) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let info = solver.info();
                let mut run = Run::new()
                    .with_option(info, "gamma", gamma)
                    .and_then(|run| run.with_option(info, "remove-parallel-edges", removal))
                    .and_then(|run| run.with_option(info, "cooperative-search", cooperative))
                    .unwrap();
                let solution = solver.solve(&graph, Order::Minimum, &mut run).unwrap();
                let id = info.id;
                assert!(
                    solution.forest.into_ids() == right,
                    "{about}: {id}, gamma {gamma}, removal {removal}, together {cooperative}"
                );
            }
        }
    }
}

#[test]
fn a_growing_tree_sees_its_edges_to_the_root_of_a_tree_that_touched_it() {
    // In each triangle, the first vertex touches the tree of the second one while that grows. The
    // second vertex may then only choose the edge of weight 1, not the one of weight 3.
    const TRIANGLES: u32 = 100_000;
    if device().is_none() {
        return;
    }
    let vertex = |triangle: u32, corner: u32| triangle + corner * TRIANGLES;
    let ends = (0..TRIANGLES).flat_map(|triangle| {
        let corner = |corner| vertex(triangle, corner);
        [(corner(0), corner(1)), (corner(0), corner(2)), (corner(1), corner(2))]
    });
    let weights = (0..3 * TRIANGLES).map(|edge| 1 + edge % 3).collect();
    check("triangles", &(3 * TRIANGLES as usize, ends.collect()), weights);
}

/// A star, and two vertices that share all their neighbors, with equal and with random weights.
fn check_hubs(leaves: u32) {
    let star: Vec<_> = (1..=leaves).map(|leaf| (0, leaf)).collect();
    let two: Vec<_> = (2..leaves).flat_map(|leaf| [(0, leaf), (1, leaf)]).collect();
    for (words, ends) in [("star", star), ("two hubs", two)] {
        let shape = (leaves as usize + 1, ends);
        let edges = shape.1.len();
        check(&format!("{words}, equal weights"), &shape, vec![7; edges]);
        let weights = (0..edges as u32).map(scatter).collect();
        check(&format!("{words}, random weights"), &shape, weights);
    }
}

#[test]
fn blocks_search_long_rows_as_threads_do() {
    if device().is_none() {
        return;
    }
    // Average degrees of 1000 and more, from many vertices to two with 200,000 edges.
    for (vertices, edges) in [(2, 200_000), (3, 5_000), (40, 40_000), (400, 300_000)] {
        check_rows(vertices, edges);
    }
}

/// Random multigraphs with few and with many different weights.
fn check_rows(vertices: u32, edges: u32) {
    let end = |number| scatter(number) % vertices;
    let shape = (vertices as usize, (0..edges).map(|edge| (end(edge), end(!edge))).collect());
    let ties = (0..edges).map(|edge| scatter(edge) % 5).collect();
    check(&format!("{vertices} vertices, ties"), &shape, ties);
    let weights = (0..edges).map(|edge| scatter(edge ^ 77)).collect();
    check(&format!("{vertices} vertices"), &shape, weights);
}

#[test]
fn vertices_that_all_threads_want_are_claimed_once() {
    if device().is_some() {
        check_hubs(30_000);
    }
}

#[test]
fn rows_of_any_length_are_sorted_and_parallel_edges_removed() {
    if device().is_some() {
        for vertices in [2, 30, 1000, 50_000] {
            check_rows(vertices, 200_000);
        }
    }
}

/// The two tests above in a size that compute-sanitizer ends in a minute.
#[test]
fn small_graphs_pass_through_all_kernels() {
    if device().is_some() {
        check_hubs(700);
        check_rows(30, 2000);
        check_rows(900, 2000);
    }
}

/// The rounds of a solve, and the values of its counters.
#[derive(Default)]
struct Log {
    rounds: Vec<Round>,
    counters: Vec<(&'static str, f64)>,
}

impl Observer for Log {
    fn round(&mut self, round: Round) {
        self.rounds.push(round);
    }

    fn counter(&mut self, name: &'static str, value: f64) {
        self.counters.push((name, value));
    }
}

#[test]
fn the_reported_reduction_is_that_of_the_vertices() {
    // A cycle: every vertex is in the next graph until one component is left.
    const N: u32 = 10_000;
    if device().is_none() {
        return;
    }
    let v = (0..N).map(|vertex| (vertex + 1) % N).collect();
    let weights: Vec<_> = (0..N).map(scatter).collect();
    let graph = AnyGraph::from_edges(N as usize, (0..N).collect(), v, weights).unwrap();
    for (solver, info) in SOLVERS.iter().zip(INFOS) {
        let mut log = Log::default();
        let mut run = Run::new().with_option(info, "gamma", 4).unwrap().observed_by(&mut log);
        solver.solve(&graph, Order::Minimum, &mut run).unwrap();
        let counters =
            |name: &'static str| log.counters.iter().filter(move |(counter, _)| *counter == name);
        let left: Vec<_> = log
            .rounds
            .iter()
            .zip(counters("reduction %"))
            .map(|(round, (_, percent))| round.components as f64 * (1.0 - percent / 100.0))
            .collect();
        assert!(log.rounds.len() >= 2 && left.len() == log.rounds.len(), "{}", info.id);
        for (left, next) in left.iter().zip(&log.rounds[1..]) {
            assert!((left - next.components as f64).abs() < 1e-3, "{left}, {next:?}");
        }
        assert!((left[left.len() - 1] - 1.0).abs() < 1e-3, "{left:?}");
        for ((_, with), (_, without)) in
            counters("reduction %").zip(counters("reduction % without touches"))
        {
            assert!(without <= with && *without >= 0.0, "{without} {with}");
        }
    }
}
