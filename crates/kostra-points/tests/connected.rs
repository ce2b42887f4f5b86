//! Trees of chosen pairs of points.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use kostra_core::UnionFind;
use kostra_core::random::RandomStream;
use kostra_points::{
    Distance, Metric, PointTree, Points, Prepared, Run, connected_tree, core_distances,
    spanning_tree,
};

/// Points on a coarse grid: many distances are equal.
fn rows(seed: u64, n: u64, width: u64) -> Vec<f64> {
    let random = RandomStream::new(seed);
    (0..n * width).map(|at| 1.0 + random.below(at, 12) as f64 / 2.0).collect()
}

/// A pair in `part` of all pairs, in either order, and some pairs twice.
fn some_pairs(seed: u64, n: u32, part: u64) -> Vec<[u32; 2]> {
    let random = RandomStream::new(seed);
    let all = (0..n).flat_map(|u| (0..n).map(move |v| [u, v]));
    all.filter(|&[u, v]| random.below(u64::from(u * n + v), part) == 0).collect()
}

fn solve(points: &Points<'_>, distance: Distance, pairs: &[[u32; 2]]) -> PointTree {
    connected_tree(points, distance, pairs, &mut Run::new().on_threads(2)).unwrap()
}

/// The forest by the definition: Kruskal's algorithm on reported distances. Distances by other
/// operations may differ in the last bits.
fn expected(points: &Points<'_>, distance: Distance, pairs: &[[u32; 2]]) -> Vec<f64> {
    let prepared = Prepared::new(points, distance.metric).unwrap();
    let cores = core_distances(points, distance, &mut Run::new()).unwrap();
    let reach = |[u, v]: [u32; 2]| {
        let apart = prepared.reported(prepared.compared(u, v)) / distance.alpha;
        apart.max(cores[u as usize]).max(cores[v as usize])
    };
    let mut edges: Vec<_> = pairs.iter().map(|&pair| (reach(pair), pair)).collect();
    edges.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let mut sets = UnionFind::new(points.len());
    edges.retain(|&(_, [u, v])| sets.union(u, v));
    edges.into_iter().map(|edge| edge.0).collect()
}

#[test]
fn only_chosen_pairs_are_joined_at_the_distances_of_all_points() {
    for (seed, width) in [(1, 2), (2, 3), (3, 18)] {
        let rows = rows(seed, 60, width);
        let points = Points::new(&rows, width as usize).unwrap();
        for metric in [Metric::Euclidean, Metric::Manhattan, Metric::Cosine] {
            for (samples, alpha) in [(1, 1.0), (4, 1.0), (4, 1.5)] {
                let distance = Distance::mutual_reachability(metric, samples).divided_by(alpha);
                for part in [3, 30, 200] {
                    let pairs = some_pairs(seed, 60, part);
                    let tree = solve(&points, distance, &pairs);
                    let lengths = expected(&points, distance, &pairs);
                    assert_eq!(tree.distances.len(), lengths.len());
                    for (found, right) in tree.distances.iter().zip(lengths) {
                        assert!((found - right).abs() <= 1e-14 * right, "{found} {right}");
                    }
                    let is_chosen =
                        |&[u, v]: &[u32; 2]| pairs.contains(&[u, v]) || pairs.contains(&[v, u]);
                    assert!(tree.ends.iter().all(is_chosen));
                    let mut other: Vec<_> = pairs.iter().map(|&[u, v]| [v, u]).collect();
                    other.reverse();
                    assert_eq!(solve(&points, distance, &other), tree);
                }
                let all = some_pairs(seed, 60, 1);
                let whole = spanning_tree(&points, distance, &mut Run::new()).unwrap();
                assert_eq!(solve(&points, distance, &all), whole);
            }
        }
    }
}

#[test]
fn pairs_of_points_that_do_not_exist_are_refused() {
    let points = Points::new(&[0.0, 1.0], 1).unwrap();
    let refused = connected_tree(&points, Metric::Euclidean, &[[0, 2]], &mut Run::new());
    assert!(refused.unwrap_err().to_string().contains("there is no point 2"));
    assert_eq!(solve(&points, Metric::Euclidean.into(), &[[1, 1]]).ends.len(), 0);
}
