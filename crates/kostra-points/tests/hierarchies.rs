//! Every number of threads builds the same hierarchy.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use kostra_core::Run;
use kostra_core::random::Stream;
use kostra_core::tree::{Helpers, MergeTree};
use kostra_parallel::{Schedule, Team, with_team};
use kostra_points::cluster::Hierarchy;
use kostra_points::{Metric, PointTree, Points, spanning_tree};

/// Several batches.
const POINTS: u32 = 100_000;

/// A team whose threads help, for trees of any size.
struct Others<'a>(&'a Team<'a>);

impl Helpers for Others<'_> {
    fn threads(&self) -> usize {
        self.0.threads()
    }

    fn for_each(&self, steps: usize, step: &(dyn Fn(usize) + Sync)) {
        self.0.for_each(steps, Schedule::Dynamic(1), step);
    }
}

fn check(name: &str, tree: &PointTree) {
    let expected = MergeTree::in_order(tree.len, &tree.ends).unwrap();
    for threads in [2, 3, 8] {
        let found = with_team(threads, |team| {
            MergeTree::in_order_with(tree.len, &tree.ends, &Others(team)).unwrap()
        });
        assert!(found.children() == expected.children(), "{name}, {threads}");
        for merges in [tree.ends.len() / 2, tree.ends.len()] {
            assert!(found.clusters(merges).unwrap() == expected.clusters(merges).unwrap());
        }
        assert!(found.merges().unwrap().eq(expected.merges().unwrap()), "{name}, {threads}");
    }
}

#[test]
fn threads_build_the_hierarchy_of_one_thread() {
    let random = Stream::new(1);
    let below = |v: u32| random.below(v.into(), v.into()) as u32;
    let shapes: [(&str, &dyn Fn(u32) -> [u32; 2]); 4] = [
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
    let random = Stream::new(2);
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

#[test]
fn large_hierarchies_use_threads_and_do_not_change() {
    // More than the least number of edges for which threads start.
    let len = (1 << 19) + 2;
    let ends: Vec<_> = (1..len).map(|v| [v / 2, v]).collect();
    let tree = PointTree { len, distances: vec![1.0; ends.len()], ends };
    let one = Hierarchy::new(tree.clone()).unwrap();
    let two = Hierarchy::on_threads(tree, 2).unwrap();
    assert!(one.merges().children() == two.merges().children());
}
