//! Refinement on a device, compared with recounts on the host. Tests are skipped without a device.

use std::sync::Arc;

use kostra_core::Vertex;
use kostra_partition::{Rows, WeightedGraph};

use super::state::Direction;
use super::*;
use crate::buffers::{download, upload};
use crate::partition::RowSort;
use crate::testing::device;

const METHODS: [MoveMethod; 3] = MoveMethod::ALL;

/// A device with the kernels.
struct Fixture {
    device: Arc<Device>,
    kernels: Kernels,
}

impl Fixture {
    fn new() -> Option<Self> {
        Self::sorting(RowSort::Merge)
    }

    fn sorting(row_sort: RowSort) -> Option<Self> {
        let device = device()?;
        let kernels = Kernels::load(&device, row_sort).unwrap();
        Some(Self { device, kernels })
    }

    fn refine(
        &self,
        graph: &WeightedGraph,
        parts: &[u32],
        (shape, effort): (PartitionShape, Effort),
        run: &mut Run<'_>,
    ) -> (Vec<u32>, RefinedPartition) {
        let device = &*self.device;
        let graph = DeviceGraph::upload(device, graph, 1).unwrap();
        let mut parts = upload(device, parts).unwrap();
        let mut clock = StepClock::new(device, run).unwrap();
        let divided =
            Divided { device, kernels: &self.kernels, graph: &graph, parts: &mut parts, shape };
        let outcome = refine(divided, effort, &mut clock, run);
        (download(device, &parts).unwrap(), outcome.unwrap())
    }

    /// Refines, and checks the promises.
    fn check(
        &self,
        graph: &WeightedGraph,
        parts: &[u32],
        (shape, effort): (PartitionShape, Effort),
    ) -> RefinedPartition {
        let before = recount(graph, parts, shape);
        let (after, outcome) = self.refine(graph, parts, (shape, effort), &mut Run::new());
        let words = format!("{} vertices, {shape:?}, {effort:?}", graph.vertices());
        assert!(after.iter().all(|&part| part < shape.parts), "{words}");
        assert_eq!(recount(graph, &after, shape), outcome, "{words}");
        assert!(outcome.rank() <= before.rank(), "{words}: {before:?} became {outcome:?}");
        outcome
    }
}

fn effort(method: MoveMethod) -> Effort {
    Effort { method, finest: true, patience: Effort::PATIENCE, seed: 1 }
}

/// The figures of a partition.
fn recount(graph: &WeightedGraph, parts: &[u32], shape: PartitionShape) -> RefinedPartition {
    let mut weights = vec![0; shape.parts as usize];
    let mut doubled = 0;
    for v in 0..graph.vertices() {
        let own = parts[v as usize];
        weights[own as usize] += graph.weight(v) as u64;
        doubled += graph
            .row(v)
            .filter(|&(u, _)| parts[u as usize] != own)
            .map(|(_, weight)| weight as u64)
            .sum::<u64>();
    }
    RefinedPartition {
        cut: doubled / 2,
        overload: weights.iter().map(|weight| weight.saturating_sub(shape.limit.into())).sum(),
        empty: weights.iter().filter(|&&weight| weight == 0).count() as u32,
    }
}

/// The numbers of a linear congruential generator (Knuth's MMIX).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((u128::from(self.0) * u128::from(end)) >> 64) as u32
    }
}

fn unweighted(vertices: u32, ends: &[(Vertex, Vertex)]) -> WeightedGraph {
    weighted(vertices, ends, None)
}

fn weighted(vertices: u32, ends: &[(Vertex, Vertex)], weights: Option<&[i64]>) -> WeightedGraph {
    let (u, v): (Vec<_>, Vec<_>) = ends.iter().copied().unzip();
    WeightedGraph::from_edges(vertices, &u, &v, weights).unwrap()
}

/// A random graph with random weights, whose vertex 0 has many neighbors.
fn random(vertices: u32, edges: u32, seed: u64) -> WeightedGraph {
    let mut random = Random(seed);
    let mut ends: Vec<_> =
        (0..edges).map(|_| (random.below(vertices), random.below(vertices))).collect();
    ends.extend((1..vertices).step_by(2).map(|v| (0, v)));
    let weights: Vec<_> = ends.iter().map(|_| i64::from(1 + random.below(20))).collect();
    let graph = weighted(vertices, &ends, Some(&weights));
    let vertex_weights: Vec<_> = (0..vertices).map(|_| i64::from(1 + random.below(5))).collect();
    WeightedGraph::from_rows(Rows {
        offsets: graph.offsets(),
        neighbors: graph.neighbors(),
        edge_weights: Some(graph.edge_weights()),
        vertex_weights: Some(&vertex_weights),
    })
    .unwrap()
}

fn grid(rows: u32, columns: u32) -> WeightedGraph {
    let vertex = |row, column| row * columns + column;
    let across =
        (0..rows).flat_map(|r| (1..columns).map(move |c| (vertex(r, c - 1), vertex(r, c))));
    let down = (1..rows).flat_map(|r| (0..columns).map(move |c| (vertex(r - 1, c), vertex(r, c))));
    unweighted(rows * columns, &across.chain(down).collect::<Vec<_>>())
}

fn complete(vertices: u32) -> WeightedGraph {
    let ends: Vec<_> = (0..vertices).flat_map(|u| (0..u).map(move |v| (u, v))).collect();
    unweighted(vertices, &ends)
}

fn star(leaves: u32) -> WeightedGraph {
    unweighted(leaves + 1, &(1..=leaves).map(|leaf| (0, leaf)).collect::<Vec<_>>())
}

/// A partition within the limit, and its shape: each vertex goes to a random part, or to the
/// lightest one if that is full.
fn start(graph: &WeightedGraph, count: u32, seed: u64) -> (Vec<u32>, PartitionShape) {
    let weights = || (0..graph.vertices()).map(|v| graph.weight(v));
    let (sum, greatest) = (weights().sum::<i64>(), weights().max().unwrap_or_default());
    let limit = sum / i64::from(count) * 103 / 100 + greatest;
    let mut random = Random(seed);
    let mut loads = vec![0; count as usize];
    let parts = weights().map(|weight| {
        let mut part = random.below(count) as usize;
        if loads[part] + weight > limit {
            part = (0..loads.len()).min_by_key(|&part| loads[part]).unwrap();
        }
        loads[part] += weight;
        part as u32
    });
    (parts.collect(), PartitionShape { parts: count, limit: limit as u32 })
}

/// The best part of a vertex and the connection to it, and the connection to the own part.
fn naive_best(
    graph: &WeightedGraph,
    parts: &[u32],
    v: Vertex,
    is_allowed: impl Fn(u32, u32) -> bool,
) -> (u64, u32) {
    let own = parts[v as usize];
    let mut sums = std::collections::BTreeMap::<u32, u32>::new();
    for (u, weight) in graph.row(v) {
        *sums.entry(parts[u as usize]).or_default() += weight as u32;
    }
    let inside = sums.remove(&own).unwrap_or_default();
    let best = sums
        .iter()
        .filter(|&(&part, _)| is_allowed(own, part))
        .map(|(&part, &sum)| u64::from(sum) << 32 | u64::from(!part))
        .max();
    (best.unwrap_or_default(), inside)
}

#[test]
fn gains_equal_a_naive_recount() {
    let Some(Fixture { device, kernels }) = Fixture::new() else { return };
    for (host_graph, count) in [
        (random(3000, 20_000, 1), 2),
        (random(3000, 20_000, 2), 8),
        (random(3000, 20_000, 3), 1500),
        (star(5000), 700),
        (complete(200), 64),
    ] {
        let (host_parts, shape) = start(&host_graph, count, 5);
        let device_graph = DeviceGraph::upload(&device, &host_graph, 1).unwrap();
        for method in METHODS {
            let mut parts = upload(&device, &host_parts).unwrap();
            let (device, kernels, graph) = (&device, &kernels, &device_graph);
            let divided = Divided { device, kernels, graph, parts: &mut parts, shape };
            let mut state = State::new(divided, method).unwrap();
            state.connect().unwrap();
            assert_eq!(state.outcome().unwrap(), recount(&host_graph, &host_parts, shape));
            for direction in [
                Direction::Any,
                Direction::Upward,
                Direction::Downward,
                Direction::Bit(1, false),
                Direction::Bit(0, true),
            ] {
                state.choose(u64::MAX / 2, direction).unwrap();
                let best = download(device, &state.best).unwrap();
                let inside = download(device, &state.inside).unwrap();
                for v in 0..host_graph.vertices() {
                    let is_allowed = |from: u32, to: u32| match direction {
                        Direction::Any => true,
                        Direction::Upward => from < to,
                        Direction::Downward => from > to,
                        Direction::Bit(bit, value) => {
                            (from >> bit & 1 == 1) == value && (to >> bit & 1 == 1) != value
                        }
                    };
                    let expected = naive_best(&host_graph, &host_parts, v, is_allowed);
                    let found = (best[v as usize], inside[v as usize]);
                    assert_eq!(found, expected, "{v}, {method:?}, {direction:?}");
                }
            }
        }
    }
}

#[test]
fn parts_without_room_are_not_chosen() {
    let Some(Fixture { device, kernels }) = Fixture::new() else { return };
    // Vertex 0 is connected to the parts 1 and 2, and part 1 is full.
    let graph = weighted(4, &[(0, 1), (0, 2), (0, 3)], Some(&[3, 3, 4]));
    let graph = DeviceGraph::upload(&device, &graph, 1).unwrap();
    for (limit, expected) in [(3, (6_u64, 1_u32)), (2, (4, 2))] {
        let mut parts = upload(&device, &[0, 1, 1, 2]).unwrap();
        let shape = PartitionShape { parts: 3, limit };
        let (device, kernels, graph) = (&device, &kernels, &graph);
        let divided = Divided { device, kernels, graph, parts: &mut parts, shape };
        let mut state = State::new(divided, MoveMethod::Jet).unwrap();
        state.connect().unwrap();
        state.choose(limit.into(), Direction::Any).unwrap();
        let best = download(device, &state.best).unwrap()[0];
        assert_eq!((best >> 32, !(best as u32)), expected);
    }
}

#[test]
fn neither_the_overload_nor_the_cut_rises() {
    let Some(fixture) = Fixture::new() else { return };
    let graphs = [
        grid(60, 50),
        grid(1, 3000),
        star(3000),
        complete(150),
        random(2000, 8000, 4),
        random(5000, 3000, 5),
        unweighted(500, &[(3, 4), (7, 9)]),
    ];
    for graph in &graphs {
        for count in [1, 2, 3, 8, 64] {
            let (parts, shape) = start(graph, count, count.into());
            for method in METHODS {
                for finest in [true, false] {
                    let effort = Effort { finest, ..effort(method) };
                    let outcome = fixture.check(graph, &parts, (shape, effort));
                    assert_eq!(outcome.overload, 0, "{shape:?}, {effort:?}");
                }
            }
        }
    }
}

#[test]
fn a_random_partition_of_a_grid_becomes_much_better() {
    let Some(fixture) = Fixture::new() else { return };
    let graph = grid(100, 100);
    for (count, most) in [(2, 0.5), (8, 0.5), (64, 0.6)] {
        let (parts, shape) = start(&graph, count, 1);
        let before = recount(&graph, &parts, shape).cut as f64;
        for method in METHODS {
            let after = fixture.check(&graph, &parts, (shape, effort(method))).cut as f64;
            println!("k = {count}, {method:?}: {before} to {after}");
            assert!(after < most * before, "k = {count}, {method:?}: {before} to {after}");
        }
    }
}

#[test]
fn an_overloaded_part_is_brought_within_the_limit() {
    let Some(fixture) = Fixture::new() else { return };
    for graph in [grid(40, 40), random(3000, 9000, 6), star(1000), unweighted(1000, &[(1, 2)])] {
        for count in [2, 8, 64] {
            let (_, shape) = start(&graph, count, 1);
            let parts = vec![count - 1; graph.vertices() as usize];
            for method in METHODS {
                let outcome = fixture.check(&graph, &parts, (shape, effort(method)));
                assert_eq!(outcome.overload, 0, "{shape:?}, {method:?}");
            }
        }
    }
}

#[test]
fn two_adjacent_vertices_do_not_swap_their_parts() {
    let Some(fixture) = Fixture::new() else { return };
    // Both ends of the heavy edge gain by a move, but not if both move.
    let graph = weighted(4, &[(0, 1), (1, 2), (2, 3)], Some(&[1, 10, 1]));
    for method in METHODS {
        for shape in [PartitionShape { parts: 2, limit: 3 }, PartitionShape { parts: 5, limit: 3 }]
        {
            let outcome = fixture.check(&graph, &[0, 0, 1, 1], (shape, effort(method)));
            assert_eq!(outcome.cut, 1, "{method:?}");
        }
    }
}

/// The sum of each counter of transactions.
#[derive(Default)]
struct Sums {
    started: f64,
    committed: f64,
    aborted: f64,
    given_up: f64,
    too_long: f64,
}

impl kostra_core::Observer for Sums {
    fn counter(&mut self, name: &'static str, value: f64) {
        match name {
            "transactions started" => self.started += value,
            "transactions committed" => self.committed += value,
            "transactions aborted" => self.aborted += value,
            "transactions outdated" | "transactions without room" => self.given_up += value,
            "transactions too long" => self.too_long += value,
            _ => {}
        }
    }
}

#[test]
fn transactions_at_a_complete_graph_make_progress() {
    let Some(fixture) = Fixture::new() else { return };
    // Each vertex gains by a move to any other part, and conflicts with all others.
    for (vertices, count) in [(24, 8), (600, 8), (600, 3)] {
        let graph = complete(vertices);
        let parts: Vec<_> = (0..vertices).map(|v| v % count).collect();
        let shape = PartitionShape { parts: count, limit: 2 * vertices / count };
        let before = recount(&graph, &parts, shape);
        let mut sums = Sums::default();
        let mut run = Run::new().observed_by(&mut sums);
        let request = (shape, effort(MoveMethod::Transactions));
        let (after, outcome) = fixture.refine(&graph, &parts, request, &mut run);
        assert_eq!(recount(&graph, &after, shape), outcome);
        assert!(outcome.rank() < before.rank(), "{before:?}, {outcome:?}");
        assert!(sums.committed > 0.0);
        assert!(sums.started >= sums.committed + sums.aborted + sums.given_up);
        println!(
            "{vertices} vertices, k = {count}: {} started, {} committed, {} aborted, {} too long",
            sums.started, sums.committed, sums.aborted, sums.too_long
        );
    }
}

#[test]
fn adjacent_candidates_that_conflict_do_not_both_move() {
    let Some(fixture) = Fixture::new() else { return };
    // A path of vertices. Each vertex wants to follow its neighbor to the next part.
    const VERTICES: u32 = 30_000;
    let ends: Vec<_> = (1..VERTICES).map(|v| (v - 1, v)).collect();
    let weights: Vec<_> = (1..i64::from(VERTICES)).collect();
    let graph = weighted(VERTICES, &ends, Some(&weights));
    let parts: Vec<_> = (0..VERTICES).map(|v| v % 16).collect();
    let shape = PartitionShape { parts: 16, limit: VERTICES / 8 };
    let before = recount(&graph, &parts, shape);
    let after = fixture.check(&graph, &parts, (shape, effort(MoveMethod::Transactions)));
    assert!(after.cut < before.cut / 10 * 7, "{before:?}, {after:?}");
}

#[test]
fn rows_sorted_by_scans_keep_the_promises() {
    let Some(fixture) = Fixture::sorting(RowSort::Quick) else { return };
    for graph in [grid(60, 50), star(3000), complete(150), random(2000, 8000, 4)] {
        for count in [2, 8, 64] {
            let (parts, shape) = start(&graph, count, count.into());
            for method in [MoveMethod::Transactions, MoveMethod::Invalidation] {
                fixture.check(&graph, &parts, (shape, effort(method)));
            }
        }
    }
}

#[test]
fn adjacent_candidates_whose_gains_are_invalidated_do_not_both_move() {
    let Some(fixture) = Fixture::new() else { return };
    // Two vertices of different parts that would exchange their places, many times.
    const PAIRS: u32 = 10_000;
    let ends: Vec<_> = (0..PAIRS).map(|pair| (2 * pair, 2 * pair + 1)).collect();
    let graph = unweighted(2 * PAIRS, &ends);
    let parts: Vec<_> = (0..2 * PAIRS).map(|v| v % 2).collect();
    let shape = PartitionShape { parts: 2, limit: PAIRS + PAIRS / 2 };
    let after = fixture.check(&graph, &parts, (shape, effort(MoveMethod::Invalidation)));
    assert_eq!(after.cut, 0);
}

#[test]
fn an_empty_graph_and_one_part_are_allowed() {
    let Some(fixture) = Fixture::new() else { return };
    for method in METHODS {
        let shape = PartitionShape { parts: 3, limit: 0 };
        let outcome = fixture.check(&unweighted(0, &[]), &[], (shape, effort(method)));
        assert_eq!(outcome, RefinedPartition { cut: 0, overload: 0, empty: 3 });
    }
}
