//! One thread drives all instances, some steps of one and then some of another, because threads
//! rarely meet on a small graph. To other threads, a step has the effect of one atomic operation.

use kostra_core::{AnyGraph, EdgeId, Order, Solver, with_graph};
use kostra_parallel::with_team;

use super::*;
use kostra_cpu::testing::{CongruentialGenerator, Log, canonical_ids};

/// Solves with `number` instances that advance in random order. Returns the forest, the vertices of
/// each stage, and the conflicts.
fn interleaved<K: Key>(
    problem: Problem<'_, K>,
    number: usize,
    random: &mut CongruentialGenerator,
) -> (Vec<EdgeId>, Vec<u32>, u32) {
    let (edges, rows) = (problem.edges(), problem.csr(&mut Run::new()).unwrap());
    let forest = SharedEdgeSet::new(edges.len()).unwrap();
    let mut memory = Memory::new::<K>(edges.vertices()).unwrap();
    let (mut stages, mut conflicts) = (Vec::new(), 0);
    with_team(1, |team| {
        let graph = StageGraph::build(rows, team).unwrap();
        let mut state = State::new(edges, graph, &forest, &mut memory);
        let instances: Vec<_> =
            (0..number).map(|_| Mutex::new(Instance::new(edges.vertices()).unwrap())).collect();
        while state.graph.edges() > 0 {
            stages.push(state.graph.vertices());
            let stage = state.stage(&instances, team);
            let mut busy: Vec<_> = (0..number).collect();
            while !busy.is_empty() {
                let turn = random.below(busy.len() as u32) as usize;
                let steps = 1 + random.below(4) as usize;
                if !stage.grow(&mut lock(&instances[busy[turn]]), steps) {
                    busy.swap_remove(turn);
                }
            }
            conflicts += instances.iter().map(|one| lock(one).tally.conflicts).sum::<u32>();
            state.choose_minimum_edges(team);
            state.graph.number(state.trees, team);
            state.graph.relabel(state.trees, team).unwrap();
        }
    });
    (forest.into_edge_set().into_ids(), stages, conflicts)
}

#[test]
fn however_trees_meet_the_forest_is_the_canonical_one() {
    let mut random = CongruentialGenerator(9);
    let (mut most_stages, mut all_conflicts) = (0, 0);
    for round in 0..if cfg!(miri) { 20 } else { 3000 } {
        let graph = random.any_graph();
        let order = [Order::Minimum, Order::Maximum][round % 2];
        let number = 1 + random.below(6) as usize;
        let (forest, stages, conflicts) = with_graph!(&graph, graph => {
            let problem = Problem::new(graph, order, &MstBc::INFO);
            interleaved(problem, number, &mut random)
        });
        let what = format!("{order:?}, {number} instances, {stages:?}, graph {round}: {graph:?}");
        assert_eq!(forest, canonical_ids(&graph, order), "{what}");
        assert!(stages.windows(2).all(|pair| 2 * pair[1] <= pair[0]), "{what}");
        // With one instance this is Prim's algorithm.
        assert!(number > 1 || (conflicts == 0 && stages.len() <= 1), "{what}");
        most_stages = most_stages.max(stages.len());
        all_conflicts += conflicts;
    }
    assert!(cfg!(miri) || most_stages > 2, "too few conflicts to learn from");
    assert!(all_conflicts > 0);
}

#[test]
fn a_stage_reports_what_it_has_unified() {
    let n = 1_u32 << 10;
    let path: (Vec<_>, Vec<_>) = (1..n).map(|v| (v - 1, v)).unzip();
    let weights: Vec<u32> = (1..n).map(|v| v * 7919 % 1009).collect();
    let graph = AnyGraph::from_edges(n as usize, path.0, path.1, weights).unwrap();
    for threads in [1, 3] {
        let mut log = Log::default();
        let mut run = Run::new().on_threads(threads).observed_by(&mut log);
        let forest = Solver::solve(&MstBc, &graph, Order::Minimum, &mut run).unwrap().forest;
        assert_eq!(forest.ids(), canonical_ids(&graph, Order::Minimum));
        let rates = log.counters("reduction rate in percent");
        let mut vertices = f64::from(n);
        for (stage, rate) in log.rounds.iter().zip(&rates) {
            assert_eq!(stage.0 as f64, vertices);
            assert!(*rate >= 50.0, "{rates:?}");
            vertices -= (rate * vertices / 100.0).round();
        }
        assert_eq!(vertices, 1.0, "a path has one component");
        assert!(threads > 1 || rates.len() == 1, "{rates:?}");
    }
}
