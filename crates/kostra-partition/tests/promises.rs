//! What every partition promises: it covers each vertex once, keeps the balance, has no empty part,
//! and does not depend on the number of threads.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use kostra_core::{Run, Vertex};
use kostra_partition::{
    MatchBy, MulticoreOptions, Options, Partition, PartitionError, Preset, Rows, Sectioning,
    Statistics, WeightedGraph, limit, partition, partition_coarsest, partition_multicore,
};
use proptest::prelude::*;

fn generated(spec: &str) -> WeightedGraph {
    let graph = kostra_gen::generate(spec).unwrap().graph;
    WeightedGraph::of_unit_weights(&graph).unwrap()
}

fn from_pairs(vertices: u32, pairs: &[(Vertex, Vertex)]) -> WeightedGraph {
    let (u, v): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
    WeightedGraph::from_edges(vertices, &u, &v, None).unwrap()
}

fn with_vertex_weights(graph: &WeightedGraph, weights: &[i64]) -> WeightedGraph {
    let rows = Rows {
        offsets: graph.offsets(),
        neighbors: graph.neighbors(),
        edge_weights: Some(graph.edge_weights()),
        vertex_weights: Some(weights),
    };
    WeightedGraph::from_rows(rows).unwrap()
}

/// The cut by another way of counting than that of `Statistics`: edge by edge.
fn cut(graph: &WeightedGraph, partition: &Partition) -> i64 {
    let edges = (0..graph.vertices()).flat_map(|u| graph.row(u).map(move |(v, w)| (u, v, w)));
    edges
        .filter(|&(u, v, _)| u < v && partition.part(u) != partition.part(v))
        .map(|(_, _, weight)| weight)
        .sum()
}

/// Partitions a graph and checks all promises.
fn checked(graph: &WeightedGraph, options: Options) -> Partition {
    let answer = partition(graph, &options, &mut Run::new()).unwrap();
    check(graph, &options, &answer);
    answer
}

/// Checks that a partition keeps all promises.
fn check(graph: &WeightedGraph, options: &Options, answer: &Partition) {
    assert_eq!(answer.vertices(), graph.vertices());
    assert_eq!(answer.count(), options.parts);
    let statistics = Statistics::count(graph, answer).unwrap();
    assert_eq!(statistics.edge_cut, cut(graph, answer));
    let most = limit(graph, options.parts, options.imbalance);
    assert!(statistics.part_sizes.iter().all(|&size| size > 0), "empty part: {statistics:?}");
    assert!(
        statistics.part_weights.iter().all(|&weight| weight <= most),
        "a part exceeds {most}: {statistics:?}"
    );
}

/// All ways of the partitioner with workers.
fn multicore_ways(partition: Options) -> impl Iterator<Item = MulticoreOptions> {
    let ways = MatchBy::ALL.into_iter().flat_map(|by| Sectioning::ALL.map(|other| (by, other)));
    let ways = ways.flat_map(|way| [1, 9].map(|workers| (way, workers)));
    ways.map(move |((match_by, sectioning), workers)| MulticoreOptions {
        partition,
        workers,
        match_by,
        sectioning,
    })
}

/// Partitions a graph by workers, and checks all promises.
fn checked_multicore(graph: &WeightedGraph, options: &MulticoreOptions) -> Partition {
    let answer = partition_multicore(graph, options, &mut Run::new()).unwrap();
    check(graph, &options.partition, &answer);
    answer
}

fn into(parts: u32) -> Options {
    Options { parts, ..Options::default() }
}

#[test]
fn the_coarsest_graph_of_a_large_graph_is_partitioned_more_often_for_a_lower_cut() {
    let graph = generated("grid:rows=30,cols=30");
    let cut_of = |entries: usize| -> i64 {
        let seeds = (0..6).map(|seed| Options { seed, ..into(8) });
        let cuts = seeds.map(|options| {
            let run = &mut Run::new();
            cut(&graph, &partition_coarsest((&graph, entries), &options, run).unwrap())
        });
        cuts.sum()
    };
    let few = cut_of(graph.neighbors().len());
    assert!(cut_of(usize::MAX) < few, "{few}");
    let refused = partition_coarsest((&graph, 0), &into(0), &mut Run::new());
    assert_eq!(refused.unwrap_err(), PartitionError::NoParts);
}

#[test]
fn every_kind_of_graph_gets_a_balanced_partition_without_empty_parts() {
    let specs = [
        "grid:rows=60,cols=60",
        "gnm:n=2000,m=8000",
        "rmat:scale=11,edgefactor=10",
        "star:n=3000",
        "path:n=5000",
        "cycle:n=3000",
        "complete:n=200",
        "caterpillar:n=3000",
        "islands:n=3000,tiny=300",
        "road:n=5000",
        "empty:n=500",
    ];
    for spec in specs {
        let graph = generated(spec);
        for parts in [1, 3, 8, 37] {
            for preset in Preset::ALL {
                checked(&graph, Options { preset, ..into(parts) });
            }
        }
    }
}

#[test]
fn workers_partition_every_kind_of_graph_within_the_limit() {
    let specs = [
        "grid:rows=60,cols=60",
        "gnm:n=1000,m=3000",
        "rmat:scale=10,edgefactor=6",
        "star:n=2500",
        "complete:n=70",
        "islands:n=2000,tiny=200",
        "road:n=5000",
        "empty:n=500",
    ];
    for spec in specs {
        let graph = generated(spec);
        for parts in [1, 3, 17] {
            for options in multicore_ways(into(parts)) {
                checked_multicore(&graph, &options);
            }
        }
    }
}

#[test]
fn threads_do_not_change_the_partition_of_workers() {
    for spec in ["grid:rows=100,cols=100", "rmat:scale=12,edgefactor=8"] {
        let graph = generated(spec);
        for options in multicore_ways(Options { seed: 5, ..into(9) }) {
            let with = |threads| {
                let partition = Options { threads, ..options.partition };
                checked_multicore(&graph, &MulticoreOptions { partition, ..options })
            };
            let one = with(1);
            for threads in [2, 7] {
                assert_eq!(one, with(threads), "{spec} with {threads} threads");
            }
        }
    }
}

#[test]
fn workers_cut_a_grid_nearly_along_a_line() {
    let graph = generated("grid:rows=64,cols=64");
    for partition in [into(2), into(4)] {
        let most = if partition.parts == 2 { 102 } else { 205 }; // 1.6 times one line or two
        for options in multicore_ways(partition) {
            let cut = cut(&graph, &checked_multicore(&graph, &options));
            assert!(cut <= most, "{cut} with {options:?}");
        }
    }
}

fn check_threads(spec: &str) {
    let graph = generated(spec);
    for preset in Preset::ALL {
        let with = |threads| checked(&graph, Options { preset, threads, seed: 5, ..into(9) });
        let one = with(1);
        for threads in [2, 7] {
            assert_eq!(one, with(threads), "{spec} with {threads} threads");
        }
    }
}

#[test]
fn the_number_of_threads_does_not_change_the_partition() {
    check_threads("rmat:scale=13,edgefactor=8");
}

#[test]
fn threads_do_not_change_the_partition_of_a_graph_with_locality() {
    check_threads("grid:rows=100,cols=100");
    check_threads("road:n=12000");
}

#[test]
fn a_seed_gives_the_same_partition_again_and_another_seed_may_not() {
    let graph = generated("gnm:n=3000,m=9000");
    let with = |seed| checked(&graph, Options { seed, ..into(4) });
    assert_eq!(with(1), with(1));
    assert_ne!(with(1), with(2));
}

#[test]
fn a_grid_is_cut_nearly_along_a_line() {
    let graph = generated("grid:rows=64,cols=64");
    let cut = |parts| cut(&graph, &checked(&graph, into(parts)));
    assert!(cut(2) <= 84, "{}", cut(2)); // a straight line cuts 64 edges
    assert!(cut(4) <= 160, "{}", cut(4)); // two straight lines cut 128 edges
}

#[test]
fn a_graph_with_hubs_is_cut_no_worse_than_blocks_of_descending_degree() {
    let graph = generated("rmat:scale=13,edgefactor=16");
    let mut order: Vec<Vertex> = (0..graph.vertices()).collect();
    order.sort_by_key(|&v| std::cmp::Reverse(graph.degree(v)));
    for count in [2, 8, 64] {
        let mut parts = vec![0; order.len()];
        let block = order.len().div_ceil(count as usize);
        order.chunks(block).zip(0..).for_each(|(block, part)| {
            block.iter().for_each(|&v| parts[v as usize] = part);
        });
        let blocks = Partition::new(parts, count).unwrap();
        let answer = checked(&graph, into(count));
        assert!(cut(&graph, &answer) <= cut(&graph, &blocks), "{count} parts");
    }
}

#[test]
fn separate_components_of_equal_size_are_not_cut() {
    // Four cliques of 20 vertices.
    let pairs: Vec<_> = (0..80)
        .flat_map(|u| (u + 1..80).map(move |v| (u, v)))
        .filter(|(u, v)| u % 4 == v % 4)
        .collect();
    let graph = from_pairs(80, &pairs);
    for parts in [2, 4] {
        assert_eq!(cut(&graph, &checked(&graph, into(parts))), 0);
    }
}

#[test]
fn as_many_parts_as_vertices_are_allowed_and_more_are_refused() {
    let graph = generated("gnm:n=50,m=100");
    for parts in [25, 40, 49, 50] {
        checked(&graph, into(parts));
    }
    let refused = |parts| partition(&graph, &into(parts), &mut Run::new()).unwrap_err();
    assert_eq!(refused(51), PartitionError::MorePartsThanVertices { parts: 51, vertices: 50 });
    assert_eq!(refused(0), PartitionError::NoParts);
    let options = MulticoreOptions { partition: into(51), ..Default::default() };
    let by_workers = partition_multicore(&graph, &options, &mut Run::new());
    assert_eq!(by_workers.unwrap_err(), refused(51));
    for parts in [25, 49, 50] {
        checked_multicore(&graph, &MulticoreOptions { partition: into(parts), ..options });
    }
    let none = from_pairs(0, &[]);
    assert_eq!(
        partition(&none, &into(1), &mut Run::new()),
        Err(PartitionError::MorePartsThanVertices { parts: 1, vertices: 0 })
    );
}

#[test]
fn an_imbalance_that_is_no_tolerance_is_refused() {
    let graph = generated("path:n=10");
    for imbalance in [-0.01, f64::NAN, f64::INFINITY] {
        let options = Options { imbalance, ..into(2) };
        assert!(matches!(
            partition(&graph, &options, &mut Run::new()),
            Err(PartitionError::Imbalance { .. })
        ));
    }
    checked(&graph, Options { imbalance: 0.0, ..into(3) });
    checked(&graph, Options { imbalance: 1e300, ..into(3) });
}

#[test]
fn heavy_vertices_and_vertices_without_weight_keep_the_limit() {
    let grid = generated("grid:rows=30,cols=30");
    let heavy: Vec<i64> = (0..900).map(|v| if v % 100 == 0 { 500 } else { v % 5 }).collect();
    for weights in [heavy, vec![0; 900], (0..900).map(|v| i64::from(v == 7)).collect()] {
        let graph = with_vertex_weights(&grid, &weights);
        for parts in [2, 5, 12, 300] {
            checked(&graph, into(parts));
        }
    }
}

#[test]
fn rows_that_are_no_graph_are_refused_with_the_culprit() {
    let rows = |offsets, neighbors, edge_weights, vertex_weights| {
        WeightedGraph::from_rows(Rows { offsets, neighbors, edge_weights, vertex_weights })
    };
    let message = |rows: Result<WeightedGraph, PartitionError>| rows.unwrap_err().to_string();
    let faults = [
        (message(rows(&[], &[], None, None)), "offsets has 0 values"),
        (message(rows(&[1, 1], &[0], None, None)), "row of vertex 0"),
        (message(rows(&[0, 1, 0], &[1], None, None)), "row of vertex 2"),
        (message(rows(&[0, 1, 2], &[1], None, None)), "neighbors has 1 values, but 2"),
        (message(rows(&[0, 1, 2], &[1, 2], None, None)), "names vertex 2"),
        (message(rows(&[0, 1, 1], &[1], None, None)), "those of vertex 0 differ"),
        (message(rows(&[0, 1, 2], &[1, 0], Some(&[1, 2]), None)), "those of vertex 0 differ"),
        (message(rows(&[0, 1, 2], &[1, 0], Some(&[1, -2]), None)), "edge 1 0 has weight -2"),
        (message(rows(&[0, 1, 2], &[1, 0], Some(&[1]), None)), "edge weights has 1 values"),
        (message(rows(&[0, 1, 2], &[1, 0], None, Some(&[1]))), "vertex weights has 1 values"),
        (message(rows(&[0, 1, 2], &[1, 0], None, Some(&[1, -1]))), "vertex 1 has weight -1"),
        (message(rows(&[0, 0], &[], None, Some(&[i64::MAX]))), "all vertices exceeds"),
        (
            message(WeightedGraph::from_edges(2, &[0, 0], &[1, 1], Some(&[i64::MAX / 4, 1]))),
            "all edges exceeds",
        ),
    ];
    for (message, expected) in faults {
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn self_loops_vanish_and_parallel_edges_add_up() {
    let graph =
        WeightedGraph::from_edges(3, &[0, 1, 0, 2, 1], &[1, 0, 0, 1, 2], Some(&[1, 2, 9, 4, 5]));
    let graph = graph.unwrap();
    assert_eq!((graph.edges(), graph.offsets()), (2, &[0, 1, 3, 4][..]));
    assert!(graph.row(1).eq([(0, 3), (2, 9)]));
    let rows = Rows {
        offsets: &[0, 3, 5],
        neighbors: &[1, 0, 1, 0, 0],
        edge_weights: Some(&[1, 5, 2, 2, 1]),
        vertex_weights: None,
    };
    assert!(WeightedGraph::from_rows(rows).unwrap().row(0).eq([(1, 3)]));
}

#[test]
fn a_cancelled_run_ends() {
    struct Impatient;
    impl kostra_core::Observer for Impatient {
        fn cancelled(&self) -> bool {
            true
        }
    }
    let graph = generated("grid:rows=20,cols=20");
    let mut observer = Impatient;
    let mut run = Run::new().observed_by(&mut observer);
    assert_eq!(partition(&graph, &into(2), &mut run), Err(PartitionError::Cancelled));
    let options = MulticoreOptions { partition: into(2), ..Default::default() };
    assert_eq!(partition_multicore(&graph, &options, &mut run), Err(PartitionError::Cancelled));
}

/// A random multigraph with weights, and a number of parts that it has.
fn any_graph() -> impl Strategy<Value = (WeightedGraph, u32)> {
    (1_u32..60).prop_flat_map(|n| {
        let edges = prop::collection::vec((0..n, 0..n, 0_i64..20), 0..200);
        let weights = prop::collection::vec(0_i64..12, n as usize);
        (edges, weights, 1..=n).prop_map(move |(edges, weights, parts)| {
            let u: Vec<_> = edges.iter().map(|edge| edge.0).collect();
            let v: Vec<_> = edges.iter().map(|edge| edge.1).collect();
            let edge_weights: Vec<_> = edges.iter().map(|edge| edge.2).collect();
            let graph = WeightedGraph::from_edges(n, &u, &v, Some(&edge_weights)).unwrap();
            (with_vertex_weights(&graph, &weights), parts)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_graphs_keep_all_promises((graph, parts) in any_graph(), seed: u64, eco: bool) {
        let preset = if eco { Preset::Eco } else { Preset::Fast };
        let options = Options { preset, seed, ..into(parts) };
        let one = checked(&graph, options);
        prop_assert_eq!(one, checked(&graph, Options { threads: 3, ..options }));
        for options in multicore_ways(options) {
            checked_multicore(&graph, &options);
        }
    }
}

/// A graph of unconnected stars, cliques, paths and isolated vertices with weights, and a number of
/// parts. The graph has several blocks of the threads.
fn any_pieces() -> impl Strategy<Value = (WeightedGraph, u32)> {
    let piece = (0..4_u32, 1_u32..3000);
    let parts = prop_oneof![1_u32..10, 10_u32..200];
    (prop::collection::vec(piece, 3..9), 0_i64..6, parts).prop_map(|(pieces, most, parts)| {
        let (mut pairs, mut vertices) = (Vec::new(), 4096);
        for (shape, size) in pieces {
            let first: u32 = vertices;
            match shape {
                0 => pairs.extend((1..size).map(|leaf| (first, first + leaf))),
                1 => pairs.extend((1..size).map(|next| (first + next - 1, first + next))),
                2 => {
                    let size = size % 60;
                    pairs.extend(
                        (0..size).flat_map(|v| (0..v).map(move |u| (first + u, first + v))),
                    );
                }
                _ => (),
            }
            vertices += size;
        }
        let weights: Vec<_> = (0..i64::from(vertices)).map(|v| 1 + v * v % (1 + most)).collect();
        (with_vertex_weights(&from_pairs(vertices, &pairs), &weights), parts)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn unconnected_pieces_keep_all_promises_on_any_number_of_threads(
        (graph, parts) in any_pieces(),
        seed: u64,
    ) {
        let options = Options { seed, ..into(parts) };
        let one = checked(&graph, options);
        for threads in [2, 7] {
            prop_assert_eq!(&one, &checked(&graph, Options { threads, ..options }));
        }
    }
}
