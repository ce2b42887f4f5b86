//! Every method and every number of threads returns the same tree.

use kostra_core::Run;
use kostra_core::random::Stream;
use kostra_points::{Distance, Metric, PointTree, Points, brute_force, kd_tree};

/// Kinds of sets of points.
const KINDS: [&str; 8] =
    ["uniform", "clustered", "collinear", "grid", "duplicated", "near", "huge", "skewed"];

/// `n` rows of a kind.
fn make(kind: &str, n: usize, dimensions: usize, seed: u64) -> Vec<f64> {
    let random = Stream::new(seed);
    let unit = |i: usize| random.unit(i as u64);
    let mut rows = Vec::new();
    for point in 0..n {
        for k in 0..dimensions {
            let i = point * dimensions + k;
            let below = |bound| random.below(i as u64, bound) as f64;
            rows.push(match kind {
                "uniform" => unit(i),
                "clustered" => (point % 7) as f64 * 3.0 + (unit(i) - 0.5).powi(5),
                "collinear" => point as f64 * (k + 1) as f64,
                "grid" => below(4),
                "duplicated" => random.unit((point % 11 * dimensions + k) as u64),
                "near" => 1.0 + below(5) * f64::EPSILON,
                "huge" => (unit(i) - 0.5) * 1e150,
                _ => 2.0_f64.powi(-(below(200) as i32)),
            });
        }
    }
    rows
}

/// The rows as a metric accepts them.
fn suited(metric: Metric, rows: Vec<f64>) -> Vec<f64> {
    match metric {
        Metric::Haversine => {
            rows.chunks(2).flat_map(|row| [row[0] % 90.0, row[1] % 180.0]).collect()
        }
        Metric::Cosine => rows.into_iter().map(|x| if x == 0.0 { 1.0 } else { x }).collect(),
        _ => rows,
    }
}

fn tree_by_brute_force(points: &Points<'_>, distance: Distance) -> PointTree {
    brute_force(points, distance, &mut Run::new()).unwrap()
}

fn check(metric: Metric, kind: &str, n: usize, dimensions: usize) {
    let rows = suited(metric, make(kind, n, dimensions, n as u64));
    let points = Points::new(&rows, dimensions).unwrap();
    for min_samples in [1, 2, 5].into_iter().filter(|&min| min <= n.max(1)) {
        let distance = Distance::mutual_reachability(metric, min_samples);
        let expected = tree_by_brute_force(&points, distance);
        for threads in [1, 2, 8] {
            let run = &mut Run::new().on_threads(threads);
            let found = kd_tree(&points, distance, run).unwrap();
            assert!(
                found == expected,
                "{} {kind} n={n} d={dimensions} min={min_samples} {threads} threads",
                metric.name()
            );
        }
    }
}

#[test]
fn the_k_d_tree_returns_the_tree_of_brute_force() {
    for metric in Metric::ALL {
        for dimensions in 1..=16 {
            if metric == Metric::Haversine && dimensions != 2 {
                continue;
            }
            for kind in KINDS {
                check(metric, kind, 97, dimensions);
            }
        }
        for n in [0, 1, 2, 3, 15, 16, 17, 33] {
            check(metric, "grid", n, 2);
        }
        for kind in KINDS {
            check(metric, kind, 700, 2);
        }
    }
}
