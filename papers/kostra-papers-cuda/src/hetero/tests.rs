//! The rounds without a device: several members of threads. `on_device` of `kostra-testkit` runs
//! the solver with devices.

use kostra_core::{Algorithm, AnyGraph, EdgeList, Graph, Order, Problem, Run, Solver, Vertex};
use kostra_cuda::testing::{device, kruskal, random};

use super::HeteroContract;
use super::rounds::forest_by_threads;

fn edge_list(vertices: u32, edges: u32, weights: u32) -> EdgeList<u32> {
    let mut random = random(u64::from(vertices) << 32 | u64::from(edges));
    let mut end = || (0..edges).map(|_| random(vertices)).collect::<Vec<Vertex>>();
    let (u, v) = (end(), end());
    let mut weight = kostra_cuda::testing::random(5);
    let weights: Vec<u32> = (0..edges).map(|_| weight(weights)).collect();
    EdgeList::new(vertices as usize, u, v, weights).unwrap()
}

#[test]
fn several_members_find_the_forest_of_kruskals_algorithm() {
    for (vertices, edges) in [(1, 3), (2, 1), (50, 40), (3000, 9000), (400, 60_000), (9000, 4000)] {
        for weights in [1, 4, u32::MAX] {
            let edges = edge_list(vertices, edges, weights);
            let graph = Graph::from(edges.clone());
            for order in [Order::Minimum, Order::Maximum] {
                let right = kruskal(edges.edges(order));
                let divisions =
                    [(1, Some(100)), (2, Some(50)), (3, Some(0)), (4, None), (5, Some(100))];
                for (members, percent) in divisions {
                    let problem = Problem::new(&graph, order, &HeteroContract::INFO);
                    let run = &mut Run::new().on_threads(2);
                    let found = forest_by_threads(problem, (members, percent), run).unwrap();
                    assert!(found.into_ids() == right, "{members} members, {percent:?} %");
                }
            }
        }
    }
}

#[test]
fn devices_and_threads_find_the_forest_of_kruskals_algorithm() {
    if device().is_none() {
        return;
    }
    let edges = edge_list(200_000, 900_000, u32::MAX);
    let right = kruskal(edges.edges(Order::Minimum));
    let graph = AnyGraph::from(edges);
    for shares in [1, 2, 3] {
        for percent in [None, Some(0), Some(30), Some(100)] {
            let info = &HeteroContract::INFO;
            let mut run = Run::new().on_threads(4);
            run = run.with_option(info, "device-shares", shares).unwrap();
            if let Some(percent) = percent {
                run = run.with_option(info, "threads-percent", percent).unwrap();
            }
            let solution =
                Solver::solve(&HeteroContract, &graph, Order::Minimum, &mut run).unwrap();
            assert!(solution.forest.into_ids() == right, "{shares} shares, {percent:?} %");
        }
    }
}
