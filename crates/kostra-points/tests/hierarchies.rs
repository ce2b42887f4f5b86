//! Every number of threads builds the same hierarchy.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use kostra_core::Run;
use kostra_core::random::RandomStream;
use kostra_points::cluster::Hierarchy;
use kostra_points::{Metric, PointTree, Points, spanning_tree};

/// More than the least number of points for which threads start, and several batches.
const POINTS: u32 = 600_000;

/// The name of a tree, and the edge from each vertex.
type Shape<'a> = (&'a str, &'a dyn Fn(u32) -> [u32; 2]);

fn check(name: &str, tree: &PointTree) {
    let expected = Hierarchy::new(tree.clone()).unwrap();
    for threads in [2, 7] {
        let found = Hierarchy::on_threads(tree.clone(), threads).unwrap();
        assert!(found.merges().children() == expected.merges().children(), "{name}, {threads}");
        assert!(found.linkage().unwrap() == expected.linkage().unwrap(), "{name}, {threads}");
        let half = tree.ends.len() / 2;
        let cut = |hierarchy: &Hierarchy| hierarchy.merges().clusters(half).unwrap();
        assert!(cut(&found) == cut(&expected), "{name}, {threads}");
    }
}

#[test]
fn threads_build_the_hierarchy_of_one_thread() {
    let random = RandomStream::new(1);
    let below = |v: u32| random.below(v.into(), v.into()) as u32;
    let shapes: [Shape<'_>; 4] = [
        ("path", &|v| [v - 1, v]),
        ("star", &|v| [0, v]),
        ("random recursive tree", &|v| [below(v), v]),
        ("binary tree", &|v| [v / 2, v]),
    ];
    for (name, shape) in shapes {
        let mut ends: Vec<_> = (1..POINTS).map(shape).collect();
        let tree = |ends: &[[u32; 2]]| PointTree {
            len: POINTS,
            ends: ends.to_vec(),
            distances: (0..ends.len()).map(|edge| (edge / 3) as f64).collect(),
        };
        check(name, &tree(&ends));
        ends.sort_by_cached_key(|pair| random.split(1).at(pair[1].into()));
        check(name, &tree(&ends));
        // Two components.
        ends.remove(ends.len() / 2);
        check(name, &tree(&ends));
    }
}

#[test]
fn threads_build_the_hierarchy_of_points() {
    let random = RandomStream::new(2);
    // Half of the points are on a grid, so that many distances are equal.
    let coordinate = |i: u32| match i % 4 {
        0 | 1 => random.below(i.into(), 300) as f64,
        _ => 300.0 * random.unit(i.into()),
    };
    let rows: Vec<f64> = (0..2 * POINTS).map(coordinate).collect();
    let points = Points::new(&rows, 2).unwrap();
    let run = &mut Run::new().on_threads(2);
    check("points", &spanning_tree(&points, Metric::Euclidean, run).unwrap());
}
