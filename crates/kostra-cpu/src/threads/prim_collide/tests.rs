//! Chance rarely has threads meet on a small graph. So here one thread drives all instances, some
//! steps of one and then some of another; a step begins and ends with what is a single atomic
//! operation to the other threads.

use kostra_core::{AnyGraph, EdgeId, Order, with_graph};
use kostra_parallel::with_team;

use super::*;
use crate::testing::{Log, Random, canonical_ids, forest_ids};

/// Solves with `instances` instances that advance in random order. Returns the forest, and for each
/// stage its size and the number of collisions.
fn interleaved<W: Weight>(
    edges: Edges<'_, W>,
    instances: usize,
    random: &mut Random,
) -> (Vec<EdgeId>, Vec<(u32, u32)>) {
    let forest = SharedEdgeSet::new(edges.len()).unwrap();
    let mut memory = Memory::new(edges.vertices()).unwrap();
    let mut stages = Vec::new();
    with_team(1, |team| {
        let mut search = Search::new(edges, team, memory.trees(), &forest).unwrap();
        let mut all: Vec<Instance<W::Key>> =
            (0..instances).map(|index| Instance::new(edges.vertices(), index).unwrap()).collect();
        while search.links.len() > 0 {
            let vertices = search.vertices;
            let stage = search.stage(instances);
            let mut busy: Vec<_> = (0..instances).collect();
            while !busy.is_empty() {
                let turn = random.below(busy.len() as u32) as usize;
                if !stage.grow(&mut all[busy[turn]], 1 + random.below(4) as usize) {
                    busy.swap_remove(turn);
                }
            }
            let tallies: Vec<Tally> =
                all.iter_mut().map(|one| std::mem::take(&mut one.tally)).collect();
            assert_eq!(tallies.iter().map(|tally| tally.vertices).sum::<u32>(), vertices);
            stages.push((vertices, tallies.iter().map(|tally| tally.collisions).sum()));
            search.contract();
        }
    });
    (forest.into_edge_set().into_ids(), stages)
}

#[test]
fn however_trees_collide_the_forest_is_the_canonical_one() {
    let mut random = Random(3);
    let mut most_stages = 0;
    for round in 0..if cfg!(miri) { 20 } else { 4000 } {
        let graph = random.any_graph();
        let order = [Order::Minimum, Order::Maximum][round % 2];
        let instances = 1 + random.below(6) as usize;
        let (forest, stages) = with_graph!(&graph, graph => {
            let edges = graph.edge_list().edges(order);
            interleaved(edges, instances, &mut random)
        });
        let what = format!(
            "{order:?}, {instances} instances, stages {stages:?}, graph {round}: {graph:?}"
        );
        assert_eq!(forest, canonical_ids(&graph, order), "{what}");
        for stage in stages.windows(2) {
            let [(before, collisions), (after, _)] = stage else { unreachable!("windows of two") };
            assert!(2 * after <= *collisions && collisions <= before, "{what}");
        }
        assert!(instances > 1 || stages.iter().all(|(_, collisions)| *collisions == 0), "{what}");
        most_stages = most_stages.max(stages.len());
    }
    assert!(cfg!(miri) || most_stages > 2, "too few collisions to learn from");
}

#[test]
fn starts_are_dealt_once_each_to_whoever_asks() {
    for (vertices, instances) in [(0, 1), (1, 3), (10, 3), (100, 7)] {
        let starts = Starts::new(vertices, instances);
        let mut dealt = Vec::new();
        let mut stretch = instances - 1;
        dealt.extend(std::iter::from_fn(|| starts.next(&mut stretch)));
        dealt.sort_unstable();
        assert_eq!(dealt, (0..vertices).collect::<Vec<_>>());
        assert_eq!(starts.next(&mut 0), None);
    }
}

/// Solves, compares, and returns the reports.
fn log_of(graph: &AnyGraph, order: Order, threads: usize) -> Log {
    let mut log = Log::default();
    let run = Run::new().on_threads(threads).observed_by(&mut log);
    assert_eq!(forest_ids(&PrimCollide, graph, order, run), canonical_ids(graph, order));
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
                let log = log_of(&graph, order, threads);
                assert!(log.rounds.len() <= 20, "{order:?}, {threads} threads: {:?}", log.rounds);
                assert!(threads > 1 || log.rounds.len() == 1);
            }
        }
    }
}

#[test]
fn reports_what_each_thread_has_processed_in_each_stage() {
    let n = if cfg!(miri) { 60 } else { 3000 };
    let mut random = Random(5);
    let mut draw = |bound| random.list(2 * n, bound);
    let graph = AnyGraph::from_edges(n as usize, draw(n), draw(n), draw(100)).unwrap();
    for threads in [1, 2, 3] {
        let log = log_of(&graph, Order::Minimum, threads);
        for (stage, &(vertices, _)) in log.rounds.iter().enumerate() {
            let processed = log.counters_in_round(stage, "vertices of a thread");
            assert_eq!(processed.len(), instances_for(vertices as u32, threads));
            assert_eq!(processed.iter().sum::<f64>(), vertices as f64);
            let [trees, collisions, largest] = ["trees", "collisions", "largest tree"]
                .map(|name| log.counters_in_round(stage, name)[0]);
            assert!(collisions <= trees && trees <= vertices as f64);
            assert!(largest * trees >= vertices as f64 && largest <= vertices as f64);
        }
    }
}
