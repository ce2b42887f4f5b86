//! Coarsening against a naive contraction on the host. The tests are skipped if there is no device.

use std::collections::HashSet;

use kostra_core::Observer;
use kostra_partition::{Partition, Rows, Statistics, WeightedGraph};

use super::*;
use crate::buffers::{download, upload};
use crate::testing::device;

/// Graphs of every kind, small and with rows that are longer than a sorted tile.
const SPECS: [&str; 12] = [
    "grid:rows=150,cols=140",
    "gnm:n=20000,m=80000",
    "gnm:n=300,m=30000",
    "rmat:scale=13,edgefactor=12",
    "star:n=5000",
    "path:n=10000",
    "cycle:n=3001",
    "complete:n=150",
    "caterpillar:n=3000",
    "islands:n=3000,tiny=300",
    "road:n=5000",
    "empty:n=5000",
];

/// A generated graph with parallel edges merged. Vertex v has weight `weight(v)`.
fn generated(spec: &str, weight: impl Fn(u32) -> i64) -> WeightedGraph {
    let graph = WeightedGraph::of_unit_weights(&kostra_gen::generate(spec).unwrap().graph).unwrap();
    let weights: Vec<i64> = (0..graph.vertices()).map(weight).collect();
    with_weights(&graph, &weights)
}

fn with_weights(graph: &WeightedGraph, vertex_weights: &[i64]) -> WeightedGraph {
    let rows = Rows {
        offsets: graph.offsets(),
        neighbors: graph.neighbors(),
        edge_weights: Some(graph.edge_weights()),
        vertex_weights: Some(vertex_weights),
    };
    WeightedGraph::from_rows(rows).unwrap()
}

const PARTS: u32 = 4;

/// The part of each vertex of a graph: three vertices in a row have the same part, so that every
/// kind of graph has edges inside parts.
fn scattered_parts(vertices: u32) -> Vec<u32> {
    (0..vertices).map(|v| v / 3 % PARTS).collect()
}

/// All vertices in one part.
fn one_part(device: &Device, vertices: u32) -> CudaSlice<u32> {
    device.filled(vertices as usize, 0).unwrap()
}

/// Weights from 0 to 6, without a pattern.
fn scattered(v: u32) -> i64 {
    i64::from(v.wrapping_mul(2_654_435_761) >> 28) % 7
}

fn aim(graph: &WeightedGraph, matching: Matching) -> Aim {
    const VERTICES: u32 = 40;
    let mean = graph.total_weight() as u32 / VERTICES;
    let greatest_weight = (mean + mean / 2).max(2);
    Aim { parts: PARTS, vertices: VERTICES, greatest_weight, matching, seed: 7 }
}

/// The sum of each counter of transactions.
#[derive(Default)]
struct Sums {
    started: f64,
    ended: f64,
}

impl Observer for Sums {
    fn counter(&mut self, name: &'static str, value: f64) {
        match name {
            "transactions started" => self.started += value,
            "transactions committed" | "transactions aborted" | "transactions too late" => {
                self.ended += value;
            }
            _ => {}
        }
    }
}

/// The mates of the vertices of a graph.
fn mates(
    (device, kernels): (&Device, &Kernels),
    (graph, parts): (&DeviceGraph, &CudaSlice<u32>),
    aim: &Aim,
) -> Vec<Vertex> {
    let lists = (graph.vertices + aim.parts) as usize;
    let mut scan = Scan::new(device, kernels.scan.clone(), lists, TileSums::OnDevice).unwrap();
    let mut sums = Sums::default();
    let run = &mut Run::new().observed_by(&mut sums);
    let mut clock = StepClock::new(device, run).unwrap();
    let matcher = Matcher::new(device, &kernels.matching, (graph, parts), aim).unwrap();
    let matches = download(device, &matcher.run(3, &mut scan, &mut clock, run).unwrap()).unwrap();
    assert_eq!(sums.started, sums.ended, "each attempt ends in one way");
    assert_eq!(sums.started > 0.0, aim.matching != Matching::Handshake && graph.entries > 0);
    // The tracking entry is in the lower half of the word.
    assert!(matches.iter().all(|word| *word as u32 == 0x7FFF_FFFF), "a mark has stayed");
    matches.into_iter().map(|word| (word >> 32) as Vertex).collect()
}

#[test]
fn matched_vertices_are_light_pairs_of_neighbors_or_have_a_common_neighbor() {
    let Some(device) = device() else { return };
    let kernels = Kernels::load(&device, RowSort::Merge).unwrap();
    let cases = SPECS.into_iter().flat_map(|spec| Matching::ALL.map(|way| (spec, way)));
    let cases = cases.flat_map(|case| [(case, true), (case, false)]);
    for ((spec, matching), one) in cases {
        let graph = generated(spec, |v| 1 + scattered(v));
        let aim = Aim { greatest_weight: 9, ..aim(&graph, matching) };
        let on_device = DeviceGraph::upload(&device, &graph, 1).unwrap();
        let n = graph.vertices();
        let parts = if one { vec![0; n as usize] } else { scattered_parts(n) };
        let uploaded = upload(&device, &parts).unwrap();
        let mates = mates((&device, &kernels), (&on_device, &uploaded), &aim);
        let part = |v: Vertex| parts[v as usize];
        // Neighbors in the same part.
        let neighbors = |v: Vertex| {
            graph.row(v).map(|(u, _)| u).filter(|&u| part(u) == part(v)).collect::<HashSet<_>>()
        };
        for (v, &mate) in (0..graph.vertices()).zip(&mates) {
            assert_eq!(mates[mate as usize], v, "{spec}, {matching:?}");
            if mate == v {
                continue;
            }
            assert_eq!(part(v), part(mate), "{spec}, {matching:?}");
            assert!(graph.weight(v) + graph.weight(mate) <= 9, "{spec}, {matching:?}");
            let (own, others) = (neighbors(v), neighbors(mate));
            let are_near = own.contains(&mate)
                || !own.is_disjoint(&others)
                || own.is_empty() && others.is_empty();
            assert!(are_near, "{spec}, {matching:?}: {v} and {mate}");
        }
    }
}

#[test]
fn more_than_half_of_the_vertices_of_unit_weight_are_matched() {
    let Some(device) = device() else { return };
    let kernels = Kernels::load(&device, RowSort::Merge).unwrap();
    for (spec, matching) in both_matchings() {
        let graph = generated(spec, |_| 1);
        let on_device = DeviceGraph::upload(&device, &graph, 1).unwrap();
        let parts = one_part(&device, graph.vertices());
        let mates = mates((&device, &kernels), (&on_device, &parts), &aim(&graph, matching));
        let alone = (0..graph.vertices()).zip(&mates).filter(|&(v, &mate)| v == mate).count();
        let percent = alone * 100 / mates.len();
        assert!(percent <= 45, "{spec}, {matching:?}: {percent} % are alone");
    }
}

fn both_matchings() -> impl Iterator<Item = (&'static str, Matching)> {
    SPECS
        .into_iter()
        .flat_map(|spec| [Matching::Transactions, Matching::Handshake].map(|way| (spec, way)))
}

/// The contraction by a sort of all edges.
fn contracted(graph: &WeightedGraph, map: &[Vertex], vertices: u32) -> WeightedGraph {
    let edges = (0..graph.vertices())
        .flat_map(|u| graph.row(u).map(move |(v, weight)| (u, v, weight)))
        .filter(|(u, v, _)| u < v);
    let (mut u, mut v, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for (from, to, weight) in edges {
        u.push(map[from as usize]);
        v.push(map[to as usize]);
        weights.push(weight);
    }
    let coarse = WeightedGraph::from_edges(vertices, &u, &v, Some(&weights)).unwrap();
    let mut vertex_weights = vec![0; vertices as usize];
    for (v, &coarse) in (0..graph.vertices()).zip(map) {
        vertex_weights[coarse as usize] += graph.weight(v);
    }
    with_weights(&coarse, &vertex_weights)
}

/// The levels of a graph without parts.
fn coarsened((device, kernels): (&Device, &Kernels), graph: &DeviceGraph, aim: Aim) -> Vec<Level> {
    let parts = one_part(device, graph.vertices);
    kernels.coarsen(device, graph, parts, aim, &mut Run::new()).unwrap().0
}

#[test]
fn each_level_is_the_contraction_of_the_graph_above_and_keeps_the_weight() {
    let Some(device) = device() else { return };
    for (spec, matching, row_sort) in both_matchings()
        .flat_map(|(spec, matching)| RowSort::ALL.map(|row_sort| (spec, matching, row_sort)))
    {
        let kernels = Kernels::load(&device, row_sort).unwrap();
        let graph = generated(spec, scattered);
        let on_device = DeviceGraph::upload(&device, &graph, 2).unwrap();
        let aim = aim(&graph, matching);
        let levels = coarsened((&device, &kernels), &on_device, aim);
        assert!(!levels.is_empty(), "{spec}, {matching:?}");
        let mut finer = graph;
        for level in &levels {
            let map = download(&device, &level.map).unwrap();
            let coarse = level.graph.download(&device).unwrap();
            // `download` would merge parallel edges and drop self-loops.
            assert_eq!(coarse.neighbors().len(), level.graph.entries as usize, "{spec}");
            assert!(coarse == contracted(&finer, &map, level.graph.vertices), "{spec}");
            assert_eq!(coarse.total_weight(), finer.total_weight(), "{spec}");
            assert!(coarse.vertices() >= finer.vertices().div_ceil(2), "{spec}");
            finer = coarse;
        }
    }
}

#[test]
fn a_projected_partition_has_the_cut_of_the_coarse_one() {
    let Some(device) = device() else { return };
    let kernels = Kernels::load(&device, RowSort::Merge).unwrap();
    for (spec, matching) in both_matchings() {
        let graph = generated(spec, |_| 1);
        let on_device = DeviceGraph::upload(&device, &graph, 2).unwrap();
        let aim = aim(&graph, matching);
        let levels = coarsened((&device, &kernels), &on_device, aim);
        let coarsest = levels.last().unwrap().graph.download(&device).unwrap();
        let parts: Vec<u32> = (0..coarsest.vertices()).map(|v| v % 5).collect();
        let mut projected = upload(&device, &parts).unwrap();
        for level in levels.iter().rev() {
            projected = kernels.project(&device, level, &projected).unwrap();
        }
        let statistics = |graph: &WeightedGraph, parts: Vec<u32>| {
            let partition = Partition::new(parts, 5).unwrap();
            let statistics = Statistics::count(graph, &partition).unwrap();
            (statistics.edge_cut, statistics.part_weights)
        };
        let projected = download(&device, &projected).unwrap();
        assert_eq!(statistics(&graph, projected), statistics(&coarsest, parts), "{spec}");
    }
}

#[test]
fn parts_are_kept_apart_down_to_the_coarsest_graph() {
    let Some(device) = device() else { return };
    let kernels = Kernels::load(&device, RowSort::Merge).unwrap();
    for (spec, matching) in both_matchings() {
        let graph = generated(spec, scattered);
        let on_device = DeviceGraph::upload(&device, &graph, 2).unwrap();
        let parts = scattered_parts(graph.vertices());
        let uploaded = upload(&device, &parts).unwrap();
        let (aim, run) = (aim(&graph, matching), &mut Run::new());
        let (levels, coarsest) = kernels.coarsen(&device, &on_device, uploaded, aim, run).unwrap();
        assert!(!levels.is_empty(), "{spec}, {matching:?}");
        let mut projected = coarsest;
        for level in levels.iter().rev() {
            projected = kernels.project(&device, level, &projected).unwrap();
        }
        assert!(download(&device, &projected).unwrap() == parts, "{spec}, {matching:?}");
    }
}

#[test]
fn stars_and_graphs_without_edges_shrink_to_half_on_each_level() {
    let Some(device) = device() else { return };
    let kernels = Kernels::load(&device, RowSort::Merge).unwrap();
    for spec in ["star:n=200000", "empty:n=200000"] {
        let graph = generated(spec, |_| 1);
        let on_device = DeviceGraph::upload(&device, &graph, 2).unwrap();
        let aim = Aim { vertices: 2000, greatest_weight: 150, ..aim(&graph, Matching::default()) };
        let levels = coarsened((&device, &kernels), &on_device, aim);
        assert_eq!(levels.len(), 7, "{spec}");
    }
}

#[test]
fn handshakes_without_followers_do_not_depend_on_timing() {
    let Some(device) = device() else { return };
    let kernels = Kernels::load(&device, RowSort::Merge).unwrap();
    let graph = generated("grid:rows=300,cols=300", |_| 1);
    let on_device = DeviceGraph::upload(&device, &graph, 1).unwrap();
    let aim = aim(&graph, Matching::Handshake);
    let parts = one_part(&device, graph.vertices());
    let first = mates((&device, &kernels), (&on_device, &parts), &aim);
    for _ in 0..3 {
        assert!(mates((&device, &kernels), (&on_device, &parts), &aim) == first);
    }
}

#[test]
fn heavy_edges_are_matched_once_and_some_pair_has_a_heaviest_edge() {
    let Some(device) = device() else { return };
    let kernels = Kernels::load(&device, RowSort::Merge).unwrap();
    // A path whose edges grow: each vertex has the next one as its candidate.
    let n: u32 = 10_000;
    let (u, v): (Vec<_>, Vec<_>) = (1..n).map(|v| (v - 1, v)).unzip();
    let weights: Vec<_> = (1..i64::from(n)).collect();
    let graph = WeightedGraph::from_edges(n, &u, &v, Some(&weights)).unwrap();
    let on_device = DeviceGraph::upload(&device, &graph, 1).unwrap();
    let aim = aim(&graph, Matching::HeavyEdge);
    let parts = one_part(&device, n);
    let mates = mates((&device, &kernels), (&on_device, &parts), &aim);
    // A vertex stays alone only if its candidate has another mate.
    for (v, &mate) in (0..n - 1).zip(&mates) {
        assert!(mate != v || mates[v as usize + 1] != v + 1, "{v} and its candidate are alone");
    }
}

#[test]
fn different_levels_and_seeds_break_ties_differently() {
    let graph = generated("path:n=100", |_| 1);
    let seeds: HashSet<u32> = [0, 1, 1 << 40]
        .into_iter()
        .flat_map(|seed| [0, 1, 2].map(|level| (seed, level)))
        .map(|(seed, level)| Aim { seed, ..aim(&graph, Matching::default()) }.seed_of(level))
        .collect();
    assert_eq!(seeds.len(), 9);
}
