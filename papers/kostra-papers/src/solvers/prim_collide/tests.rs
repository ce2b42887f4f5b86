//! One thread drives all instances, some steps of one and then some of another, because threads
//! rarely meet on a small graph. To other threads, a step has the effect of one atomic operation.

use kostra_core::{AnyGraph, EdgeId, Order, Solver, with_graph};
use kostra_parallel::with_team;

use super::*;
use kostra_cpu::testing::{CongruentialGenerator, Log, canonical_ids};

/// The vertices of a stage, those that were claimed, and the collisions.
type Counts = [u32; 3];

/// Solves with `instances` instances that advance in random order. Returns the forest, and the
/// counts of each stage.
fn interleaved<K: Key>(
    problem: Problem<'_, K>,
    instances: usize,
    (after_collision, with_transactions): (AfterCollision, bool),
    random: &mut CongruentialGenerator,
) -> (Vec<EdgeId>, Vec<Counts>) {
    let (edges, rows) = (problem.edges(), problem.csr(&mut Run::new()).unwrap());
    let mut tree = tree_list(edges.vertices(), instances).unwrap();
    let mut memory = Memory::new(edges.vertices()).unwrap();
    let mut stages = Vec::new();
    let mut words = vec![0; edges.vertices() as usize];
    let mut transactional = TransactionalMemory::in_words(&mut words, 2).unwrap();
    let (cells, participants) = transactional.participants(instances);
    with_team(1, |team| {
        let mut state = State::new(rows, after_collision, memory.arrays(), team).unwrap();
        state.cells = with_transactions.then_some(cells);
        let mut all = Vec::new();
        for (index, participant) in participants.into_iter().enumerate() {
            let participant = with_transactions.then_some(participant);
            let instance: Result<Instance<'_, K>, _> =
                Instance::new(edges.vertices(), index, &tree, participant);
            all.push(instance.unwrap());
        }
        while state.graph.edges() > 0 {
            let vertices = state.graph.vertices();
            all.iter_mut().for_each(Instance::begin);
            let stage = state.stage(edges, &tree, instances);
            let mut busy: Vec<_> = (0..instances).collect();
            while !busy.is_empty() {
                let turn = random.below(busy.len() as u32) as usize;
                if !stage.grow(&mut all[busy[turn]], 1 + random.below(4) as usize) {
                    busy.swap_remove(turn);
                }
            }
            let sum =
                |count: fn(&Tally) -> u32| -> u32 { all.iter().map(|one| count(&one.tally)).sum() };
            stages.push([vertices, sum(|tally| tally.vertices), sum(|tally| tally.collisions)]);
            state.contract().unwrap();
            let left: u32 = state.sizes[..state.graph.vertices() as usize].iter().sum();
            assert!(left <= edges.vertices());
        }
        drop(all);
        let forest = collect(&mut tree, edges, team).unwrap();
        (forest.into_ids(), stages)
    })
}

fn check_interleaved(after_collision: AfterCollision, check: impl Fn(&[Counts], &str)) {
    let mut random = CongruentialGenerator(3);
    let mut most_stages = 0;
    for round in 0..if cfg!(miri) { 20 } else { 4000 } {
        let graph = random.any_graph();
        let order = [Order::Minimum, Order::Maximum][round % 2];
        let instances = 1 + random.below(6) as usize;
        let (forest, stages) = with_graph!(&graph, graph => {
            let problem = Problem::new(graph, order, &PrimCollide::INFO);
            interleaved(problem, instances, (after_collision, round % 3 == 0), &mut random)
        });
        let what = format!(
            "{order:?}, {instances} instances, stages {stages:?}, graph {round}: {graph:?}"
        );
        assert_eq!(forest, canonical_ids(&graph, order), "{what}");
        check(&stages, &what);
        let collisions = stages.iter().map(|&[.., collisions]| collisions).sum::<u32>();
        assert!(instances > 1 || collisions == 0, "{what}");
        most_stages = most_stages.max(stages.len());
    }
    assert!(cfg!(miri) || most_stages > 2, "too few collisions to learn from");
}

#[test]
fn however_trees_collide_the_forest_is_the_canonical_one() {
    check_interleaved(AfterCollision::Restart, |stages, what| {
        for stage in stages.windows(2) {
            let [[before, claimed, collisions], [after, ..]] = stage else {
                unreachable!("windows of two")
            };
            assert_eq!(before, claimed, "{what}");
            assert!(2 * after <= *collisions && collisions <= before, "{what}");
        }
    });
}

#[test]
fn threads_that_wait_contract_what_they_have_visited() {
    check_interleaved(AfterCollision::Wait, |stages, what| {
        for stage in stages.windows(2) {
            let [[before, claimed, collisions], [after, ..]] = stage else {
                unreachable!("windows of two")
            };
            // Every tree that collided is merged with another tree, and no other tree is left.
            assert!(2 * (before - after) >= *claimed, "{what}");
            assert!((1..=6).contains(collisions), "{what}");
        }
    });
}

/// Solves with a value of `waiting`, compares, and returns what was reported.
fn watched(graph: &AnyGraph, order: Order, threads: usize, waiting: u64) -> Log {
    let mut log = Log::default();
    let run = Run::new().on_threads(threads).observed_by(&mut log);
    let mut run = run.with_option(&PrimCollide::INFO, "waiting", waiting).unwrap();
    let forest = Solver::solve(&PrimCollide, graph, order, &mut run).unwrap().forest;
    assert_eq!(forest.ids(), canonical_ids(graph, order));
    log
}

#[test]
#[cfg_attr(miri, ignore = "a million vertices")]
fn stages_are_few_on_paths_where_all_trees_run_into_each_other() {
    let n = 1_000_000_u32;
    let ruler = |place: u32| place.trailing_zeros() * n + place;
    let ascending: Vec<u32> = (1..n).collect();
    for weights in [ascending, (1..n).map(ruler).collect(), vec![1; n as usize - 1]] {
        let (u, v) = ((0..n - 1).collect(), (1..n).collect());
        let graph = AnyGraph::from_edges(n as usize, u, v, weights).unwrap();
        for order in [Order::Minimum, Order::Maximum] {
            for threads in [1, 2, 8] {
                let log = watched(&graph, order, threads, 0);
                assert!(log.rounds.len() <= 20, "{order:?}, {threads} threads: {:?}", log.rounds);
                assert!(threads > 1 || log.rounds.len() == 1);
            }
        }
    }
}

/// With start vertices in the order of the leaves, a stage would visit a leaf per thread.
#[test]
fn stages_of_threads_that_wait_are_few_on_a_star_in_the_order_of_weights() {
    let n = if cfg!(miri) { 40 } else { 20_000_u32 };
    let graph = AnyGraph::from_edges(
        n as usize,
        vec![0; n as usize - 1],
        (1..n).collect(),
        (1..n).collect::<Vec<_>>(),
    );
    let graph = graph.unwrap();
    for threads in [2, 8] {
        let log = watched(&graph, Order::Minimum, threads, 1);
        let most = 10 * threads * n.ilog2() as usize;
        assert!(log.rounds.len() <= most, "{threads} threads: {} stages", log.rounds.len());
    }
}

#[test]
fn complete_graphs_of_one_weight_are_solved_with_and_without_waiting() {
    let n = if cfg!(miri) { 6 } else { 120_u32 };
    let (u, v): (Vec<_>, Vec<_>) = (0..n).flat_map(|u| (u + 1..n).map(move |v| (v, u))).unzip();
    let weights = vec![0.5_f64; u.len()];
    let complete = AnyGraph::from_edges(n as usize, u, v, weights).unwrap();
    for (threads, waiting) in [(2, 0), (2, 1), (8, 0), (8, 1)] {
        watched(&complete, Order::Maximum, threads, waiting);
    }
}

#[test]
fn transactions_claim_each_vertex_once() {
    let n = if cfg!(miri) { 20 } else { 2000_u32 };
    let graph = AnyGraph::from_edges(
        n as usize,
        vec![0; n as usize - 1],
        (1..n).collect(),
        vec![1; n as usize - 1],
    );
    let graph = graph.unwrap();
    for (threads, waiting) in [(2, 0), (2, 1), (8, 0), (8, 1)] {
        let mut log = Log::default();
        let mut run = Run::new().on_threads(threads).observed_by(&mut log);
        for (name, value) in [("waiting", waiting), ("transactions", 1)] {
            run = run.with_option(&PrimCollide::INFO, name, value).unwrap();
        }
        let forest = Solver::solve(&PrimCollide, &graph, Order::Minimum, &mut run).unwrap().forest;
        assert_eq!(forest.ids(), canonical_ids(&graph, Order::Minimum));
        let committed = log.counters_in_round(0, "transactions committed")[0];
        let name = ["vertices of a thread", "vertices between collisions"][waiting as usize];
        assert!(
            committed >= log.counters_in_round(0, name).iter().sum(),
            "a transaction for each claim"
        );
    }
}

#[test]
fn reports_what_each_thread_has_processed_in_each_stage() {
    let n = if cfg!(miri) { 60 } else { 3000 };
    let mut random = CongruentialGenerator(5);
    let mut draw = |bound| (0..2 * n).map(|_| random.below(bound)).collect::<Vec<_>>();
    let graph = AnyGraph::from_edges(n as usize, draw(n), draw(n), draw(100)).unwrap();
    for (threads, waiting) in [(1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (3, 1)] {
        let log = watched(&graph, Order::Minimum, threads, waiting);
        let name = ["vertices of a thread", "vertices between collisions"][waiting as usize];
        for (stage, &(vertices, _)) in log.rounds.iter().enumerate() {
            let processed = log.counters_in_round(stage, name);
            assert_eq!(processed.len(), instances_for(vertices as u32, threads));
            let sum = processed.iter().sum::<f64>();
            assert!(sum <= vertices as f64 && (waiting == 1 || sum == vertices as f64));
            let (trees, collisions) = (
                log.counters_in_round(stage, "trees")[0],
                log.counters_in_round(stage, "collisions")[0],
            );
            assert!(collisions <= trees && trees <= vertices as f64);
            assert!(waiting == 0 || collisions <= threads as f64);
        }
    }
}

#[test]
fn the_largest_tree_counts_vertices_of_the_given_graph() {
    let n = if cfg!(miri) { 60 } else { 3000_u32 };
    let (u, v) = ((0..n - 1).collect(), (1..n).collect());
    let path = AnyGraph::from_edges(n as usize, u, v, (1..n).collect::<Vec<_>>()).unwrap();
    for (threads, waiting) in [(1, 0), (2, 0), (1, 1), (2, 1), (3, 1)] {
        let log = watched(&path, Order::Minimum, threads, waiting);
        // The last tree that grows takes the whole path, or collides with one that does.
        let last = log.rounds.len() - 1;
        let alone = instances_for(log.rounds[last].0 as u32, threads) == 1;
        let largest = log.counters_in_round(last, "largest tree")[0];
        assert!(largest <= f64::from(n) && (!alone || largest == f64::from(n)), "{largest}");
    }
}
