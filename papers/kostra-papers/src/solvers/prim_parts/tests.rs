//! The parts, options and shapes that the tests of all solvers do not reach.

use std::time::Duration;

use kostra_core::{
    AnyGraph, EdgeId, Observer, Order, PartsError, Run, SolveError, Solver, VertexParts, with_graph,
};

use super::{PrimBoundary, PrimUnion};
use kostra_cpu::FASTEST_ON_SMALL;
use kostra_cpu::testing::{CongruentialGenerator, canonical_ids};

/// The forest of a solver with given parts and options.
fn forest(
    solver: &dyn Solver,
    graph: &AnyGraph,
    order: Order,
    parts: VertexParts<'_>,
    options: &[(&str, u64)],
) -> Vec<EdgeId> {
    let mut run = Run::new().on_threads(2).on_parts(parts);
    for (name, value) in options {
        run = run.with_option(solver.info(), name, *value).unwrap();
    }
    solver.solve(graph, order, &mut run).unwrap().forest.into_ids()
}

fn random_parts(vertices: u32, random: &mut CongruentialGenerator) -> (Vec<u32>, u32) {
    let count = 1 + random.below(vertices.max(1));
    ((0..vertices).map(|_| random.below(count)).collect(), count)
}

#[test]
fn any_parts_give_the_canonical_forest() {
    let mut random = CongruentialGenerator(11);
    for round in 0..if cfg!(miri) { 10 } else { 2000 } {
        let graph = random.any_graph();
        let order = [Order::Minimum, Order::Maximum][round % 2];
        let (parts, count) = random_parts(graph.vertices(), &mut random);
        for components in [0, 1] {
            for last_stage in [0, 1] {
                let options = [("components", components), ("last-stage", last_stage)];
                let found = forest(
                    &PrimUnion,
                    &graph,
                    order,
                    VertexParts::new(&parts, count).unwrap(),
                    &options,
                );
                let what = format!("{order:?}, {options:?}, parts {parts:?} of {graph:?}");
                assert_eq!(found, canonical_ids(&graph, order), "{what}");
            }
        }
    }
}

/// What `prim-boundary` promises, computed by its definition: Kruskal's algorithm that takes the
/// kept edges first, then the candidates.
fn boundary_forest(graph: &AnyGraph, order: Order, parts: &[u32]) -> Vec<EdgeId> {
    let (u, v) = (graph.u(), graph.v());
    let crosses = |id: EdgeId| parts[u[id as usize] as usize] != parts[v[id as usize] as usize];
    let all = || 0..graph.edges() as EdgeId;
    let mut is_boundary = vec![false; graph.vertices() as usize];
    for id in all().filter(|&id| crosses(id)) {
        is_boundary[u[id as usize] as usize] = true;
        is_boundary[v[id as usize] as usize] = true;
    }
    let in_order = |ids: &mut Vec<EdgeId>| {
        with_graph!(graph, graph => {
            let edges = graph.edge_list().edges(order);
            ids.sort_by_key(|&id| edges.rank(id));
        });
    };
    let grow = |ids: &[EdgeId], forest: &mut Vec<EdgeId>| {
        let mut sets = kostra_core::UnionFind::new(graph.vertices());
        forest.iter().for_each(|&id| _ = sets.union(u[id as usize], v[id as usize]));
        forest.extend(ids.iter().filter(|&&id| sets.union(u[id as usize], v[id as usize])));
    };
    let mut inside: Vec<_> = all().filter(|&id| !crosses(id)).collect();
    in_order(&mut inside);
    let mut local = Vec::new();
    grow(&inside, &mut local);
    let marked =
        |&id: &EdgeId| is_boundary[u[id as usize] as usize] || is_boundary[v[id as usize] as usize];
    let (at_boundary, mut forest): (Vec<_>, Vec<_>) = local.into_iter().partition(marked);
    let mut candidates = [at_boundary, all().filter(|&id| crosses(id)).collect()].concat();
    in_order(&mut candidates);
    grow(&candidates, &mut forest);
    forest.sort_unstable();
    forest
}

/// A cycle with some chords, in two or three ranges. Unlike random parts, these have vertices that
/// are not boundary vertices.
fn cycle_in_ranges(random: &mut CongruentialGenerator) -> (AnyGraph, (Vec<u32>, u32)) {
    let (n, count) = (8 + random.below(16), 2 + random.below(2));
    let chords: Vec<_> = (0..random.below(4)).map(|_| [random.below(n), random.below(n)]).collect();
    let u: Vec<_> = (0..n).chain(chords.iter().map(|chord| chord[0])).collect();
    let v: Vec<_> =
        (0..n).map(|u| (u + 1) % n).chain(chords.iter().map(|chord| chord[1])).collect();
    let weights: Vec<_> = u.iter().map(|_| random.below(20)).collect();
    let graph = AnyGraph::from_edges(n as usize, u, v, weights).unwrap();
    (graph, ((0..n).map(|vertex| vertex * count / n).collect(), count))
}

#[test]
fn only_edges_at_boundary_vertices_are_reconsidered() {
    let mut random = CongruentialGenerator(12);
    let mut heavier = 0;
    for round in 0..if cfg!(miri) { 10 } else { 2000 } {
        let (graph, (parts, count)) = if round % 4 < 2 {
            cycle_in_ranges(&mut random)
        } else {
            let graph = random.any_graph();
            let parts = random_parts(graph.vertices(), &mut random);
            (graph, parts)
        };
        let order = [Order::Minimum, Order::Maximum][round % 2];
        let right = boundary_forest(&graph, order, &parts);
        for last_stage in [0, 1] {
            let options = [("last-stage", last_stage)];
            let found = forest(
                &PrimBoundary,
                &graph,
                order,
                VertexParts::new(&parts, count).unwrap(),
                &options,
            );
            assert_eq!(found, right, "{order:?}, parts {parts:?} of {graph:?}");
        }
        heavier += usize::from(right != canonical_ids(&graph, order));
    }
    assert!(cfg!(miri) || heavier > 10, "only {heavier} forests were not canonical");
}

#[test]
fn an_interior_edge_of_a_cycle_through_another_part_is_not_removed() {
    // A cycle through two parts. Its heaviest edge, 1 to 2, joins two interior vertices.
    let (u, v) = (vec![0, 1, 2, 3, 4], vec![1, 2, 3, 4, 0]);
    let graph = AnyGraph::from_edges(5, u, v, vec![1, 9, 1, 2, 2]).unwrap();
    let parts = VertexParts::new(&[0, 0, 0, 0, 1], 2).unwrap();
    assert_eq!(forest(&PrimBoundary, &graph, Order::Minimum, parts, &[]), [0, 1, 2, 3]);
    assert_eq!(forest(&PrimUnion, &graph, Order::Minimum, parts, &[]), [0, 2, 3, 4]);
}

#[test]
fn a_partition_of_another_graph_is_refused() {
    let graph = AnyGraph::from_edges(3, vec![0, 1], vec![1, 2], vec![1, 2]).unwrap();
    for solver in [&PrimUnion as &dyn Solver, &PrimBoundary] {
        let mut run = Run::new().on_parts(VertexParts::new(&[0, 1], 2).unwrap());
        let error = solver.solve(&graph, Order::Minimum, &mut run).unwrap_err();
        let wrong = PartsError::WrongLength { parts: 2, vertices: 3 };
        assert_eq!(error, SolveError::Parts(wrong));
    }
    let mut run = Run::new().on_parts(VertexParts::new(&[0, 1, 1], 2).unwrap());
    let error = FASTEST_ON_SMALL.solve(&graph, Order::Minimum, &mut run).unwrap_err();
    assert_eq!(error, SolveError::Parts(PartsError::NotUsed { solver: "kruskal" }));
}

#[derive(Default)]
struct Log {
    phases: Vec<&'static str>,
    counters: Vec<(&'static str, f64)>,
}

impl Observer for Log {
    fn phase_finished(&mut self, name: &'static str, _: Duration) {
        self.phases.push(name);
    }
    fn counter(&mut self, name: &'static str, value: f64) {
        self.counters.push((name, value));
    }
}

#[test]
fn the_phases_give_the_time_breakdown() {
    let graph = AnyGraph::from_edges(4, vec![0, 1, 2], vec![1, 2, 3], vec![1, 1, 1]).unwrap();
    let mut log = Log::default();
    let parts = VertexParts::new(&[0, 0, 1, 1], 2).unwrap();
    let mut run = Run::new().on_parts(parts).observed_by(&mut log);
    Solver::solve(&PrimUnion, &graph, Order::Minimum, &mut run).unwrap();
    log.phases.retain(|phase| !["sort", "unite"].contains(phase));
    let expected =
        ["build", "partition", "local forests", "union", "last stage", "list the forest"];
    assert_eq!(log.phases, expected);
    let counters = [
        ("parts", 2.0),
        ("vertices of the largest part", 2.0),
        ("edges that cross parts", 1.0),
        ("edges of the last stage", 3.0),
    ];
    assert_eq!(log.counters, counters);
}
