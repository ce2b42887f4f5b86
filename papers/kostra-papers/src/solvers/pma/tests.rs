//! One thread drives several workers, some steps of one and then some of another, because threads
//! rarely meet on a small graph. To other threads, a step has the effect of one atomic operation.

use kostra_core::{AnyGraph, EdgeId, Order, Solver, Vertex, with_graph};
use kostra_parallel::with_team;

use super::*;
use kostra_cpu::testing::{CongruentialGenerator, Log, canonical_ids};

fn random_options(random: &mut CongruentialGenerator) -> Options {
    let mut search = || [Search::Min, Search::Sort][random.below(2) as usize];
    let (first, later) = (search(), search());
    let gamma = [2, 3, 5, 1000][random.below(4) as usize];
    let remove_parallel_edges = random.below(2) == 0;
    Options { first, later, gamma, remove_parallel_edges, cooperative_search: false }
}

/// The vertices, trees, touches and mutual touches of an iteration.
type Counts = [usize; 4];

/// Solves with `workers` workers that advance in random order. Returns the forest and the counts
/// of each iteration.
fn interleaved<K: Key>(
    problem: Problem<'_, K>,
    workers: usize,
    options: Options,
    random: &mut CongruentialGenerator,
) -> (Vec<EdgeId>, Vec<Counts>) {
    let vertices = problem.edges().vertices() as usize;
    let forest = SharedEdgeSet::new(problem.edges().len()).unwrap();
    let (mut successor, mut touched) = (vec![0; vertices], vec![0; vertices]);
    let trees = SharedTrees::in_memory(&mut successor, &mut touched);
    let mut iterations = Vec::new();
    with_team(1, |team| {
        let graph = StageGraph::build(problem.csr(&mut Run::new()).unwrap(), team).unwrap();
        let mut state = State { graph, trees, forest: &forest, team, options, all: vertices };
        let mut workers = self::workers(workers, options.gamma).unwrap();
        let mut search = options.first;
        while state.graph.edges() > 0 {
            let before = state.graph.vertices() as usize;
            let iteration = state.begin(search, &mut Run::new());
            let mut busy: Vec<_> = (0..workers.len()).collect();
            while !busy.is_empty() {
                let turn = random.below(busy.len() as u32) as usize;
                let worker = workers[busy[turn]].get_mut().unwrap();
                if !iteration.grow(worker, 1 + random.below(4) as usize) {
                    busy.swap_remove(turn);
                }
            }
            let sum = |count: fn(&Tally) -> u32| {
                workers.iter().map(|worker| count(&lock(worker).tally) as usize).sum()
            };
            let (grown, touches) = (sum(|tally| tally.trees), sum(|tally| tally.touches));
            let mut log = Log::default();
            state.unify(&workers, &mut Run::new().observed_by(&mut log)).unwrap();
            let mutual = log.counters("mutual touches")[0] as usize;
            iterations.push([before, grown, touches, mutual]);
            search = options.later;
        }
    });
    (forest.into_edge_set().into_ids(), iterations)
}

#[test]
fn however_trees_touch_the_forest_is_the_canonical_one() {
    let mut random = CongruentialGenerator(11);
    let (mut most_iterations, mut mutual_touches) = (0, 0);
    for round in 0..if cfg!(miri) { 20 } else { 6000 } {
        let graph = random.any_graph();
        let order = [Order::Minimum, Order::Maximum][round % 2];
        let (workers, options) = (1 + random.below(6) as usize, random_options(&mut random));
        let (forest, iterations) = with_graph!(&graph, graph => {
            interleaved(Problem::new(graph, order, &Pma::INFO), workers, options, &mut random)
        });
        let what = format!("{order:?}, {workers} workers, {options:?}, {iterations:?}: {graph:?}");
        assert_eq!(forest, canonical_ids(&graph, order), "{what}");
        for pair in iterations.windows(2) {
            let [[before, trees, touches, mutual], [after, ..]] = pair else {
                unreachable!("windows of two")
            };
            assert!(2 * after <= *before && trees - (touches - mutual) >= *after, "{what}");
        }
        most_iterations = most_iterations.max(iterations.len());
        mutual_touches += iterations.iter().map(|counts| counts[3]).sum::<usize>();
    }
    assert!(cfg!(miri) || most_iterations > 3, "too few touches to learn from");
    assert!(cfg!(miri) || mutual_touches > 1000, "too few mutual touches to learn from");
}

/// The tree from 2 touches the tree from 0 by its start vertex, while that tree still grows. If the
/// touch made vertex 2 look like a vertex of the tree from 0, that tree would choose edge 2.
#[test]
fn a_tree_that_was_touched_still_chooses_the_edge_to_the_other_start_vertex() {
    let graph = AnyGraph::from_edges(3, vec![0, 2, 0], vec![2, 1, 1], vec![6, 7, 8]).unwrap();
    let AnyGraph::I32(graph) = &graph else { unreachable!("the weights are i32") };
    for search in [Search::Min, Search::Sort] {
        let (mut successor, mut touched) = ([0; 3], [0; 3]);
        let trees = SharedTrees::in_memory(&mut successor, &mut touched);
        let forest = SharedEdgeSet::new(3).unwrap();
        with_team(1, |team| {
            let rows = Problem::new(graph, Order::Minimum, &Pma::INFO).csr(&mut Run::new());
            let stage = StageGraph::build(rows.unwrap(), team).unwrap();
            let options = Options {
                first: search,
                later: search,
                gamma: 3,
                remove_parallel_edges: true,
                cooperative_search: false,
            };
            let mut state = State { graph: stage, trees, forest: &forest, team, options, all: 3 };
            let workers = workers(2, 3).unwrap();
            let iteration = state.begin(search, &mut Run::new());
            let grow = |worker: usize, start: Option<Vertex>| {
                let mut worker = lock(&workers[worker]);
                if let Some(start) = start {
                    worker.start_at(start);
                }
                iteration.grow(&mut worker, 1);
            };
            grow(0, Some(0));
            grow(1, Some(2));
            grow(1, None); // chooses edge 0 and touches
            grow(0, None); // chooses edge 0 as well
            assert_eq!(lock(&workers[1]).tally.touches, 1);
            assert_eq!(lock(&workers[0]).tally.touches, 1);
            assert_eq!(trees.unify(3, team), 1);
        });
        assert_eq!(forest.into_edge_set().into_ids(), [0], "{search:?}");
    }
}

/// Solves with options, compares, and returns what was reported.
fn watched(graph: &AnyGraph, threads: usize, settings: &[(&str, u64)]) -> Log {
    let mut log = Log::default();
    let mut run = Run::new().on_threads(threads).observed_by(&mut log);
    for (name, value) in settings {
        run = run.with_option(&Pma::INFO, name, *value).unwrap();
    }
    let forest = Solver::solve(&Pma, graph, Order::Minimum, &mut run).unwrap().forest;
    assert_eq!(forest.ids(), canonical_ids(graph, Order::Minimum), "{threads}, {settings:?}");
    log
}

/// Runs every variant, with and without removal, on 2 and 8 threads.
fn in_all_variants(graph: &AnyGraph, check: impl Fn(&Log)) {
    for (variant, remove) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)] {
        for gamma in [2, 3, 8, 1 << 10] {
            let settings =
                [("variant", variant), ("gamma", gamma), ("remove-parallel-edges", remove)];
            for threads in [2, 8] {
                check(&watched(graph, threads, &settings));
            }
        }
    }
}

#[test]
fn stars_on_which_all_trees_want_the_hub_are_solved() {
    let n = if cfg!(miri) { 20 } else { 3000_u32 };
    for hub in [0, n / 2, n - 1] {
        let leaves: Vec<_> = (0..n).filter(|&vertex| vertex != hub).collect();
        let hubs = vec![hub; leaves.len()];
        for weights in [vec![1; leaves.len()], leaves.clone()] {
            let star =
                AnyGraph::from_edges(n as usize, hubs.clone(), leaves.clone(), weights).unwrap();
            in_all_variants(&star, |log| assert!(log.rounds.len() <= n.ilog2() as usize + 1));
        }
    }
}

#[test]
fn complete_graphs_of_one_weight_are_solved() {
    let n = if cfg!(miri) { 6 } else { 120_u32 };
    let (u, v): (Vec<_>, Vec<_>) = (0..n).flat_map(|u| (u + 1..n).map(move |v| (v, u))).unzip();
    let weights = vec![0.5_f64; u.len()];
    let complete = AnyGraph::from_edges(n as usize, u, v, weights).unwrap();
    in_all_variants(&complete, |log| assert!(log.rounds.len() <= n.ilog2() as usize + 1));
}

#[test]
fn two_vertices_with_many_parallel_edges_are_solved() {
    let m = if cfg!(miri) { 10 } else { 1000 };
    let (u, v) = ((0..m).map(|edge| edge % 2).collect(), (0..m).map(|edge| 1 - edge % 2).collect());
    let graph = AnyGraph::from_edges(2, u, v, vec![7_u64; m as usize]).unwrap();
    in_all_variants(&graph, |log| assert_eq!(log.rounds.len(), 1));
}

#[test]
fn graphs_without_edges_between_two_vertices_have_no_iterations() {
    for (vertices, loops) in [(0, 0), (5, 0), (3, 2)] {
        let ends = || vec![1; loops];
        let graph = AnyGraph::from_edges(vertices, ends(), ends(), vec![1.0_f32; loops]).unwrap();
        assert!(watched(&graph, 2, &[]).rounds.is_empty());
    }
}

#[test]
fn an_iteration_reports_its_steps_and_counts() {
    // A path with ascending weights, and gamma 4 on one thread: every second tree touches.
    let n = 64_u32;
    let (u, v) = ((0..n - 1).collect(), (1..n).collect());
    let path = AnyGraph::from_edges(n as usize, u, v, (1..n).collect::<Vec<_>>()).unwrap();
    let log = watched(&path, 1, &[("gamma", 4)]);
    let iteration = ["initialize", "partial prim", "find roots", "number", "relabel"];
    assert!(log.phases.windows(5).any(|phases| phases == iteration), "{:?}", log.phases);
    assert!(log.phases.contains(&"sort rows") || log.rounds.len() == 1);
    assert_eq!(log.rounds[0], (64, 63));
    let told = |name| log.counters_in_round(0, name)[0];
    assert_eq!((told("largest tree"), told("mutual touches")), (4.0, 0.0));
    // The first tree takes vertices 0 to 3. Each later tree chooses the edge to the vertex before
    // its start vertex, and touches at once.
    assert_eq!((told("trees"), told("touches")), (61.0, 60.0));
    assert_eq!(told("reduction rate in percent"), 100.0 * (1.0 - 1.0 / 64.0));
    assert_eq!(told("parallel edges"), 0.0);
}

#[test]
fn gamma_below_2_is_refused_with_the_range() {
    let refused = Run::new().with_option(&Pma::INFO, "gamma", 1).err().unwrap();
    assert_eq!(refused.to_string(), "gamma must be from 2 to 1024, not 1");
}

/// Two groups of vertices that become one vertex each, with many edges between them. The threads
/// search those two rows together, if there are more threads than processors.
#[test]
fn threads_search_the_rows_of_the_last_vertices_together() {
    let mut random = CongruentialGenerator(11);
    let n = 40;
    let mut ends: Vec<(Vertex, Vertex)> =
        (1..n).filter(|v| v % 20 > 0).map(|v| (v - 1, v)).collect();
    let light = ends.len();
    let between = if cfg!(miri) { 200 } else { 40_000 };
    ends.extend((0..between).map(|_| (random.below(20), 20 + random.below(20))));
    let weights = (0..ends.len()).map(|edge| if edge < light { 1 } else { 5 + edge as u32 % 3 });
    let (u, v) = ends.iter().copied().unzip();
    let graph = AnyGraph::from_edges(n as usize, u, v, weights.collect()).unwrap();
    for (threads, together) in [(1, false), (2, true), (3, true)] {
        let mut log = Log::default();
        let mut run = Run::new().on_threads(threads).observed_by(&mut log);
        for (name, value) in
            [("cooperative-search", 1), ("remove-parallel-edges", 0), ("gamma", 1 << 10)]
        {
            run = run.with_option(&Pma::INFO, name, value).unwrap();
        }
        let forest = Solver::solve(&Pma, &graph, Order::Minimum, &mut run).unwrap().forest;
        assert_eq!(forest.ids(), canonical_ids(&graph, Order::Minimum));
        assert_eq!(log.phases.contains(&"search together"), together, "{threads} threads");
        let looked_at = log.counters("entries looked at");
        assert!(!together || *looked_at.last().unwrap() == 2.0 * between as f64, "{looked_at:?}");
    }
}
