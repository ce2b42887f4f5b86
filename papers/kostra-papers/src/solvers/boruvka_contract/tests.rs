use kostra_core::{AnyGraph, EdgeId, Order, Weight, Workspace};

use super::*;
use kostra_cpu::testing::{Log, canonical_ids, forest_ids};

fn graph<W: Weight>(vertices: usize, ends: &[(u32, u32)], weights: Vec<W>) -> AnyGraph
where
    AnyGraph: From<kostra_core::EdgeList<W>>,
{
    let (u, v) = ends.iter().copied().unzip();
    AnyGraph::from_edges(vertices, u, v, weights).unwrap()
}

fn solve(graph: &AnyGraph, threads: usize) -> (Vec<EdgeId>, Log) {
    let mut log = Log::default();
    let run = Run::new().on_threads(threads).observed_by(&mut log);
    (forest_ids(&BoruvkaContract, graph, Order::Minimum, run), log)
}

#[test]
fn colors_settle_in_logarithmically_many_sweeps_along_a_chain() {
    let n = if cfg!(miri) { 1 << 6 } else { 1_u32 << 17 };
    let path: Vec<_> = (0..n - 1).map(|u| (u, u + 1)).collect();
    for (weights, what) in
        [((0..n - 1).collect::<Vec<_>>(), "up"), ((0..n - 1).rev().collect(), "down")]
    {
        let path = graph(n as usize, &path, weights);
        for threads in [1, 2, 3] {
            let (forest, log) = solve(&path, threads);
            assert_eq!(forest.len(), n as usize - 1);
            assert_eq!(log.rounds, [(n.into(), u64::from(n) - 1)]);
            let sweeps = log.counters("color sweeps");
            assert!(sweeps[0] <= f64::from(n.ilog2() + 2), "{sweeps:?} {what}, {threads} threads");
        }
    }
}

/// Weights like the marks of a ruler make vertices merge in pairs: the most rounds that there can
/// be.
#[test]
fn vertices_halve_at_least() {
    let n = 1_u32 << 10;
    let path: Vec<_> = (1..n).map(|v| (v - 1, v)).collect();
    let ruler = (1..n).map(u32::trailing_zeros).collect();
    let (forest, log) = solve(&graph(n as usize, &path, ruler), 2);
    assert_eq!(forest.len(), n as usize - 1);
    let vertices: Vec<_> = log.rounds.iter().map(|round| round.0).collect();
    assert!(vertices.windows(2).all(|pair| 2 * pair[1] <= pair[0]), "{vertices:?}");
}

#[test]
fn a_vertex_without_edges_drops_out_when_it_is_seen() {
    // A triangle, which is one vertex after a round; four vertices in line, which take two;
    // vertices 7 and 8 alone.
    let ends = [(0, 1), (1, 2), (2, 0), (3, 4), (5, 6), (4, 5), (8, 8)];
    let (forest, log) = solve(&graph(9, &ends, vec![1, 2, 3, 1, 1, 5, -9]), 2);
    assert_eq!(forest, [0, 1, 3, 4, 5]);
    assert_eq!(log.rounds, [(9, 6), (3, 1)]);
}

#[test]
fn parallel_edges_stay_and_have_one_mirror_image() {
    // Two pairs, each joined by three edges of one weight, and joined with each other by two.
    let ends = [(1, 0), (0, 1), (0, 1), (2, 3), (3, 2), (2, 3), (0, 2), (3, 1)];
    for threads in [1, 2] {
        let (forest, log) = solve(&graph(4, &ends, vec![1_i64, 1, 1, 1, 1, 1, 2, 2]), threads);
        assert_eq!(forest, [0, 3, 6]);
        assert_eq!(log.rounds, [(4, 8), (2, 2)]);
    }
}

#[test]
fn a_round_reports_every_kernel_and_the_edges_of_every_thread() {
    let n = 1 << 10;
    let star: Vec<_> = (1..n).map(|leaf| (0, leaf)).collect();
    let (_, log) = solve(&graph(n as usize, &star, (1..n).collect()), 3);
    assert_eq!(
        log.phases,
        [
            "build",
            "start threads",
            "find minimum edge per vertex",
            "remove mirrored edges",
            "initialize colors",
            "propagate colors",
            "create new vertex ids",
            "count new edges",
            "assign edge segments",
            "insert new edges",
            "end threads",
            "free memory",
            "list the forest",
        ]
    );
    let edges = log.counters("edges of a thread");
    assert_eq!((edges.len(), edges.iter().sum::<f64>()), (3, 2.0 * f64::from(n - 1)));
    // The thread with the hub has half of all entries, half more than the average of a third.
    assert!(log.counters("load imbalance in percent")[0] >= 50.0, "{edges:?}");
}

/// The schedule is the source's unless an option says otherwise: a thread gets what is left,
/// divided by the number of threads, down to a single vertex.
#[test]
fn the_least_share_is_one_vertex_by_default() {
    assert_eq!(Run::new().request.option(&LEAST_SHARE), 1);
    let path: Vec<_> = (1..100).map(|v| (v - 1, v)).collect();
    let graph = graph(100, &path, (1..100).collect());
    for share in [1, 64, 1000] {
        let run = Run::new()
            .on_threads(3)
            .with_option(&BoruvkaContract::INFO, "least-share", share)
            .unwrap();
        let ids = forest_ids(&BoruvkaContract, &graph, Order::Minimum, run);
        assert_eq!(ids, (0..99).collect::<Vec<_>>());
    }
}

#[test]
fn what_is_left_in_a_workspace_does_no_harm() {
    let mut workspace = Workspace::new();
    workspace.words(1 << 16).unwrap().fill(u64::MAX / 3);
    for vertices in [30_u32, 90, 10, 60] {
        let ends: Vec<_> =
            (0..3 * vertices).map(|i| (i * i % vertices, i * 7 % vertices)).collect();
        let weights: Vec<_> = (0..3 * vertices).map(|i| i * 31 % 64).collect();
        let wide = weights.iter().map(|&weight| f64::from(weight)).collect();
        for graph in [
            graph(vertices as usize, &ends, weights.clone()),
            graph(vertices as usize, &ends, wide),
        ] {
            let expected = canonical_ids(&graph, Order::Maximum);
            for threads in [1, 2] {
                let run = Run::new().on_threads(threads).in_workspace(&mut workspace);
                let ids = forest_ids(&BoruvkaContract, &graph, Order::Maximum, run);
                assert_eq!(ids, expected, "{vertices} vertices, {threads} threads");
            }
        }
    }
}

#[test]
fn more_entries_than_places_are_refused_before_rows_are_built() {
    assert!(BoruvkaContract.admit(1, i32::MAX as usize).is_ok());
    let refused = BoruvkaContract.admit(1, 1 << 31).unwrap_err().to_string();
    assert_eq!(
        refused,
        "boruvka-contract would take places in rows beyond 32 bits on this graph; \
         choose a solver that works on the edge list"
    );
}

fn with_options(graph: &AnyGraph, threads: usize, options: &[(&str, u64)]) -> (Vec<EdgeId>, Log) {
    let mut log = Log::default();
    let mut run = Run::new().on_threads(threads).observed_by(&mut log);
    for &(name, value) in options {
        run = run.with_option(&BoruvkaContract::INFO, name, value).unwrap();
    }
    (forest_ids(&BoruvkaContract, graph, Order::Minimum, run), log)
}

/// The hub of a star has half of all entries. By edges, every thread reads a share of its row.
#[test]
fn threads_have_equal_numbers_of_entries_by_edges() {
    let n = 1 << 10;
    let star: Vec<_> = (1..n).rev().map(|leaf| (0, leaf)).collect();
    let star = graph(n as usize, &star, (1..n).map(|weight| weight % 7).collect());
    for threads in [1, 2, 3, 7] {
        let (forest, log) = with_options(&star, threads, &[("schedule", 1)]);
        assert_eq!(forest, canonical_ids(&star, Order::Minimum));
        let edges = log.counters("edges of a thread");
        assert_eq!(edges.len(), threads);
        let most = f64::from(2 * (n - 1)) / threads as f64 + 1.0;
        assert!(edges.iter().all(|&edges| edges <= most), "{edges:?}");
    }
}

/// Two groups of vertices that are one vertex each after a round, with many edges between them, and
/// a third one: without parallel edges three edges are left.
#[test]
fn of_parallel_edges_the_lightest_stays() {
    let mut random = kostra_cpu::testing::CongruentialGenerator(5);
    let mut ends: Vec<_> = (0..30_u32).filter(|v| v % 10 > 0).map(|v| (v - 1, v)).collect();
    let light = ends.len();
    for _ in 0..400 {
        ends.push((random.below(10), 10 + random.below(10)));
        ends.push((10 + random.below(10), 20 + random.below(10)));
        ends.push((20 + random.below(10), random.below(10)));
    }
    let edges = ends.len() as u64;
    let weight = |edge: usize| if edge < light { 1 } else { 2 + edge as u32 % 5 };
    let narrow: Vec<_> = (0..ends.len()).map(weight).collect();
    let wide: Vec<_> = narrow.iter().map(|&weight| f64::from(weight)).collect();
    for graph in [graph(30, &ends, narrow), graph(30, &ends, wide)] {
        for (threads, schedule) in [(1, 0), (2, 1), (3, 0)] {
            let options = [("parallel-edges", 1), ("schedule", schedule)];
            let (forest, log) = with_options(&graph, threads, &options);
            assert_eq!(forest, canonical_ids(&graph, Order::Minimum));
            // The lightest edges of a path of equal weights are all of its edges.
            assert_eq!(log.rounds, [(30, edges), (3, 3)]);
        }
    }
}
