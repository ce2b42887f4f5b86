//! Whole partitions on a device. The tests are skipped if there is none.

use kostra_core::Observer;
use kostra_partition::{PartitionError, Preset, Rows, Statistics, limit};

use super::*;
use crate::testing::device;

fn generated(spec: &str) -> WeightedGraph {
    WeightedGraph::of_unit_weights(&kostra_gen::generate(spec).unwrap().graph).unwrap()
}

fn into(parts: u32, matching: Matching) -> DevicePartitionOptions {
    DevicePartitionOptions {
        partition: Options { parts, ..Options::default() },
        matching,
        ..Default::default()
    }
}

/// Partitions a graph, and checks that no part exceeds the limit or is empty. Returns the cut.
fn checked(graph: &WeightedGraph, options: &DevicePartitionOptions) -> i64 {
    let answer = partition(graph, options, &mut Run::new()).unwrap();
    let statistics = Statistics::count(graph, &answer).unwrap();
    let most = limit(graph, options.partition.parts, options.partition.imbalance);
    assert!(statistics.part_sizes.iter().all(|&size| size > 0), "empty part: {statistics:?}");
    assert!(
        statistics.part_weights.iter().all(|&weight| weight <= most),
        "a part exceeds {most}: {statistics:?}"
    );
    statistics.edge_cut
}

#[test]
fn every_kind_of_graph_gets_a_balanced_partition_without_empty_parts() {
    let Some(_) = device() else { return };
    let specs = [
        "grid:rows=100,cols=100",
        "gnm:n=9000,m=30000",
        "rmat:scale=13,edgefactor=8",
        "star:n=9000",
        "path:n=9000",
        "complete:n=300",
        "islands:n=9000,tiny=900",
        "empty:n=9000",
    ];
    for spec in specs {
        let graph = generated(spec);
        for parts in [1, 2, 7, 40, graph.vertices()] {
            for matching in [Matching::Transactions, Matching::Handshake] {
                checked(&graph, &into(parts, matching));
            }
        }
    }
}

/// The cut on each level, in each cycle.
#[derive(Default)]
struct Cuts(Vec<Vec<f64>>);

impl Observer for Cuts {
    fn counter(&mut self, name: &'static str, value: f64) {
        match (name, self.0.last_mut()) {
            ("levels", _) => self.0.push(Vec::new()),
            ("cut", Some(cuts)) => cuts.push(value),
            _ => {}
        }
    }
}

#[test]
fn a_further_cycle_starts_from_the_partition_and_never_raises_its_cut() {
    let Some(_) = device() else { return };
    for spec in ["grid:rows=200,cols=190", "road:n=30000", "rmat:scale=13,edgefactor=8"] {
        for matching in Matching::ALL {
            let (graph, mut cuts) = (generated(spec), Cuts::default());
            let mut options = into(8, matching);
            options.partition.preset = Preset::Eco;
            partition(&graph, &options, &mut Run::new().observed_by(&mut cuts)).unwrap();
            assert!(cuts.0.len() > 1 && cuts.0.iter().all(|cuts| cuts.len() > 1), "{spec}");
            for pair in cuts.0.windows(2) {
                let found = pair[0].last().unwrap();
                let later = pair[1].iter().fold(0.0, |most: f64, &cut| most.max(cut));
                assert!(later <= *found, "{spec}, {matching:?}: {cuts:?}", cuts = cuts.0);
            }
        }
    }
}

#[test]
fn the_way_of_the_source_gives_balanced_partitions_too() {
    let Some(_) = device() else { return };
    for spec in ["grid:rows=100,cols=100", "gnm:n=9000,m=30000", "road:n=20000", "empty:n=9000"] {
        let graph = generated(spec);
        for parts in [2, 7, 40] {
            let options = Options { parts, ..Options::default() };
            checked(&graph, &DevicePartitionOptions::manoochehri(options));
            let row_sort = RowSort::Quick;
            checked(
                &graph,
                &DevicePartitionOptions { row_sort, ..into(parts, Matching::default()) },
            );
        }
    }
}

#[test]
fn vertices_of_different_weights_keep_the_limit() {
    let Some(_) = device() else { return };
    let graph = generated("road:n=20000");
    let weights: Vec<i64> = (0..i64::from(graph.vertices())).map(|v| v * 7919 % 101).collect();
    let rows = Rows {
        offsets: graph.offsets(),
        neighbors: graph.neighbors(),
        edge_weights: Some(graph.edge_weights()),
        vertex_weights: Some(&weights),
    };
    checked(&WeightedGraph::from_rows(rows).unwrap(), &into(9, Matching::Transactions));
}

#[test]
fn wrong_options_are_refused_without_a_device() {
    let graph = generated("path:n=5");
    let refused = |parts| {
        let options = into(parts, Matching::default());
        match partition(&graph, &options, &mut Run::new()) {
            Err(DevicePartitionError::Partition(error)) => error,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(refused(0), PartitionError::NoParts);
    let expected = PartitionError::MorePartsThanVertices { parts: 6, vertices: 5 };
    assert_eq!(refused(6), expected);
}
