//! Distances that are divided, while core distances are not.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use kostra_core::UnionFind;
use kostra_core::random::RandomStream;
use kostra_points::cluster::{FeatureRows, features_core_distances, features_tree};
use kostra_points::{
    Distance, Metric, Points, Prepared, Run, brute_force, core_distances, kd_tree, spanning_tree,
};

/// Some values are equal, and some points.
fn rows(n: u64, width: usize) -> Vec<f64> {
    let random = RandomStream::new(n);
    let value = |at: u64| match random.below(at / width as u64, 4) {
        0 => random.split(1).below(at, 4) as f64 + 1.0,
        1 => (at % width as u64) as f64 + 1.0,
        _ => random.unit(at) * 8.0,
    };
    (0..n * width as u64).map(value).collect()
}

/// The ends of the tree by Kruskal's algorithm on all pairs, and their distances by the definition.
fn expected(points: &Points<'_>, distance: Distance) -> (Vec<[u32; 2]>, Vec<f64>) {
    let Distance { metric, min_samples, alpha } = distance;
    let prepared = Prepared::new(points, metric).unwrap();
    let n = points.len();
    let compared: Vec<Vec<f64>> =
        (0..n).map(|u| (0..n).map(|v| prepared.compared(u, v)).collect()).collect();
    let core = |u: u32| {
        let mut row = compared[u as usize].clone();
        row.sort_by(f64::total_cmp);
        row[min_samples - 1]
    };
    let cores: Vec<_> = (0..n).map(core).collect();
    let scaled = |core: f64| match metric {
        Metric::Euclidean => core * alpha * alpha,
        _ => core * alpha,
    };
    let mut pairs = Vec::new();
    for u in 0..n {
        for v in u + 1..n {
            let ends = [u, v].map(|end| scaled(cores[end as usize]));
            pairs.push((compared[u as usize][v as usize].max(ends[0]).max(ends[1]), u, v));
        }
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut sets = UnionFind::new(n);
    pairs.retain(|&(_, u, v)| sets.union(u, v));
    let reach = |&(_, u, v): &(f64, u32, u32)| {
        let core = |end: u32| prepared.reported(cores[end as usize]);
        let apart = prepared.reported(compared[u as usize][v as usize]);
        (apart / alpha).max(core(u)).max(core(v))
    };
    (pairs.iter().map(|pair| [pair.1, pair.2]).collect(), pairs.iter().map(reach).collect())
}

#[test]
fn all_methods_give_the_tree_of_divided_distances() {
    for (n, width) in [(2, 2), (90, 2), (150, 1), (60, 5), (1100, 17), (50, 20)] {
        let rows = rows(n, width);
        let points = Points::new(&rows, width).unwrap();
        for metric in [Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev, Metric::Cosine] {
            for alpha in [0.3, 1.0, 1.5, 40.0] {
                for min_samples in [1, 2, 5, 20] {
                    if min_samples > n as usize || n > 1000 && (min_samples != 5 || alpha != 1.5) {
                        continue;
                    }
                    let distance = Distance::mutual_reachability(metric, min_samples);
                    let distance = distance.divided_by(alpha);
                    let run = &mut Run::new().on_threads(2);
                    let tree = spanning_tree(&points, distance, run).unwrap();
                    let (ends, lengths) = expected(&points, distance);
                    assert_eq!(tree.ends, ends, "{n} {width} {alpha} {min_samples} {metric:?}");
                    for (found, right) in tree.distances.iter().zip(lengths) {
                        assert!((found - right).abs() <= 1e-14 * right + 1e-300);
                    }
                    assert_eq!(brute_force(&points, distance, run).unwrap(), tree);
                    if width <= 16 {
                        assert_eq!(kd_tree(&points, distance, run).unwrap(), tree);
                    }
                }
            }
        }
    }
}

#[test]
fn sparse_rows_have_the_tree_of_dense_ones() {
    let rows = rows(70, 6);
    let points = Points::new(&rows, 6).unwrap();
    let starts: Vec<_> = (0..71).map(|row| 6 * row).collect();
    let columns: Vec<_> = (0..70).flat_map(|_| 0..6).collect();
    let sparse = FeatureRows { starts: &starts, columns: &columns, values: &rows, weights: &[] };
    for metric in [Metric::Euclidean, Metric::Cosine] {
        for alpha in [0.7, 1.3] {
            let distance = Distance::mutual_reachability(metric, 4).divided_by(alpha);
            let run = &mut Run::new();
            let tree = spanning_tree(&points, distance, run).unwrap();
            assert_eq!(features_tree(sparse, distance, run).unwrap(), tree);
            let cores = core_distances(&points, distance, run).unwrap();
            assert_eq!(features_core_distances(sparse, distance, run).unwrap(), cores);
        }
    }
}

#[test]
fn numbers_that_divide_no_distance_are_refused() {
    let error = |rows: &[f64], metric, alpha| {
        let points = Points::new(rows, 2).unwrap();
        let distance = Distance::mutual_reachability(metric, 2).divided_by(alpha);
        spanning_tree(&points, distance, &mut Run::new()).unwrap_err().to_string()
    };
    for alpha in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-12] {
        assert!(error(&[0.0, 1.0, 2.0, 3.0], Metric::Euclidean, alpha).contains("2^-30 to 2^30"));
    }
    assert!(error(&[0.0, 1.0, 2.0, 3.0], Metric::Haversine, 2.0).contains("pass 1 for angles"));
    let wide = [1e150, 0.0, -1e150, 0.0];
    assert!(error(&wide, Metric::Euclidean, 1e8).contains("divide all coordinates"));
}
