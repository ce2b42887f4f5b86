//! Every method and every number of threads returns the same tree and the same neighbors.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use kostra_core::Run;
use kostra_core::random::RandomStream;
use kostra_points::{
    Distance, Metric, Neighbors, Points, Prepared, brute_force, core_distances, kd_tree,
    nearest_neighbors, neighbors_tree, spanning_tree,
};
use proptest::prelude::*;

/// Kinds of sets of points.
const KINDS: [&str; 8] =
    ["uniform", "clustered", "collinear", "grid", "duplicated", "near", "huge", "skewed"];

/// `n` rows of a kind.
fn make(kind: &str, n: usize, dimensions: usize) -> Vec<f64> {
    let random = RandomStream::new(n as u64);
    let unit = |i: usize| random.unit(i as u64);
    let coordinate = |i: usize| {
        let (point, k) = (i / dimensions, i % dimensions);
        let below = |bound| random.below(i as u64, bound) as f64;
        match kind {
            "uniform" => unit(i),
            "clustered" => (point % 7) as f64 * 3.0 + (unit(i) - 0.5).powi(5),
            "collinear" => point as f64 * (k + 1) as f64,
            // Most distances are equal to many others.
            "grid" => below(4),
            "duplicated" => unit(point % 11 * dimensions + k),
            "near" => 1.0 + below(5) * f64::EPSILON,
            "huge" => (unit(i) - 0.5) * 1e150,
            // Squared differences of the smallest coordinates vanish beside the largest.
            _ => 2.0_f64.powi(-(below(200) as i32)),
        }
    };
    (0..n * dimensions).map(coordinate).collect()
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

fn check(metric: Metric, rows: &[f64], dimensions: usize, threads: &[usize]) {
    let points = Points::new(rows, dimensions).unwrap();
    for min_samples in [1, 4].into_iter().filter(|&min| min <= points.len().max(1) as usize) {
        let distance = Distance::mutual_reachability(metric, min_samples);
        let expected = brute_force(&points, distance, &mut Run::new()).unwrap();
        for &threads in threads {
            let run = &mut Run::new().on_threads(threads);
            let found = kd_tree(&points, distance, run).unwrap();
            let name = metric.name();
            assert!(
                found == expected,
                "{name}, {points:?}, {min_samples} samples, {threads} threads"
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
                check(metric, &suited(metric, make(kind, 70, dimensions)), dimensions, &[1]);
            }
        }
        for n in [0, 1, 2, 3, 15, 16, 17, 33] {
            check(metric, &suited(metric, make("grid", n, 2)), 2, &[1, 2]);
        }
    }
}

#[test]
fn any_number_of_threads_returns_the_same_tree() {
    for kind in KINDS {
        for metric in [Metric::Euclidean, Metric::Haversine] {
            check(metric, &suited(metric, make(kind, 900, 2)), 2, &[1, 2, 8]);
        }
    }
    let points = make("grid", 300, 20);
    let points = Points::new(&points, 20).unwrap();
    let tree = |threads| {
        brute_force(&points, Metric::Manhattan, &mut Run::new().on_threads(threads)).unwrap()
    };
    assert_eq!((tree(1), tree(1)), (tree(2), tree(8)));
}

#[test]
fn points_of_32_and_64_bits_have_the_same_tree() {
    let narrow: Vec<f32> = make("uniform", 200, 3).into_iter().map(|x| x as f32).collect();
    let wide: Vec<f64> = narrow.iter().map(|&x| x.into()).collect();
    let (narrow, wide) = (Points::new(&narrow, 3).unwrap(), Points::new(&wide, 3).unwrap());
    for metric in [Metric::Euclidean, Metric::Cosine] {
        let tree = kd_tree(&narrow, metric, &mut Run::new()).unwrap();
        assert_eq!(tree, kd_tree(&wide, metric, &mut Run::new()).unwrap());
    }
}

/// The neighbors by sorting all other points.
fn sorted_neighbors(points: &Points<'_>, metric: Metric, k: usize) -> Neighbors {
    let prepared = Prepared::new(points, metric).unwrap();
    let mut neighbors = Neighbors { per_point: k, ..Neighbors::default() };
    for point in 0..points.len() {
        let mut others: Vec<_> = (0..points.len()).filter(|other| *other != point).collect();
        others.sort_by(|a, b| {
            prepared.compared(point, *a).total_cmp(&prepared.compared(point, *b)).then(a.cmp(b))
        });
        for &other in &others[..k] {
            neighbors.indices.push(other);
            neighbors.distances.push(prepared.reported(prepared.compared(point, other)));
        }
    }
    neighbors
}

#[test]
fn neighbors_are_the_first_of_all_other_points() {
    for metric in Metric::ALL {
        for (dimensions, n, k) in [(2, 150, 1), (2, 90, 7), (2, 18, 17), (5, 80, 4), (20, 50, 5)] {
            if metric == Metric::Haversine && dimensions != 2 {
                continue;
            }
            for kind in KINDS {
                let rows = suited(metric, make(kind, n, dimensions));
                let points = Points::new(&rows, dimensions).unwrap();
                let run = &mut Run::new().on_threads(2);
                let found = nearest_neighbors(&points, metric, k, run).unwrap();
                assert_eq!(found, sorted_neighbors(&points, metric, k), "{kind} {dimensions}");
                let core = Distance::mutual_reachability(metric, k + 1);
                let core = core_distances(&points, core, run).unwrap();
                let last: Vec<_> = found.distances.chunks(k).map(|row| row[k - 1]).collect();
                assert_eq!(core, last);
            }
        }
    }
}

#[test]
fn points_of_few_places_have_the_tree_and_neighbors_of_brute_force() {
    let random = RandomStream::new(7);
    // Squared differences of the last two coordinates vanish.
    let values = [0.0, 1.0, 2.0, 5.0, 5.0 + f64::EPSILON, 1e-200, 2e-200];
    for (places, alone, far) in [(1, 0, 0), (2, 0, 0), (7, 40, 0), (3, 3, 30), (49, 20, 0)] {
        let coordinate = |i: u64| {
            let (point, k) = (i / 2, i % 2);
            match random.below(point, 300) {
                x if x < alone => random.unit(i),
                x if x < alone + far => 1e6 + k as f64,
                x => values[((x % places) / 7_u64.pow(k as u32) % 7) as usize],
            }
        };
        let rows: Vec<f64> = (0..600).map(coordinate).collect();
        let points = Points::new(&rows, 2).unwrap();
        for metric in [Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev] {
            for samples in [1, 2, 3, 20, 70, 120, 299, 300] {
                let distance = Distance::mutual_reachability(metric, samples);
                let expected = brute_force(&points, distance, &mut Run::new()).unwrap();
                let found = kd_tree(&points, distance, &mut Run::new().on_threads(2)).unwrap();
                assert!(found == expected, "{places} places, {metric:?}, {samples} samples");
            }
            for k in [1, 2, 30, 64, 130, 299] {
                let found = nearest_neighbors(&points, metric, k, &mut Run::new()).unwrap();
                assert!(found == sorted_neighbors(&points, metric, k), "{places} places, {k}");
            }
        }
    }
}

#[test]
fn equal_points_take_no_longer_than_random_ones() {
    let random = RandomStream::new(1);
    let seconds = |coordinate: &dyn Fn(u64) -> f64| {
        let rows: Vec<f64> = (0..40_000).map(coordinate).collect();
        let points = Points::new(&rows, 2).unwrap();
        let distance = Distance::mutual_reachability(Metric::Euclidean, 100);
        let start = std::time::Instant::now();
        kd_tree(&points, distance, &mut Run::new()).unwrap();
        core_distances(&points, distance, &mut Run::new()).unwrap();
        start.elapsed().as_secs_f64()
    };
    let (all, equal) = (seconds(&|i| random.unit(i)), seconds(&|_| 1.0));
    assert!(equal < 2.0 * all, "{equal} s instead of {all} s");
    let two = seconds(&|i| (i / 2 % 2) as f64);
    assert!(two < 2.0 * all, "{two} s instead of {all} s");
}

/// The tree of nearest neighbors by its definition: Kruskal's algorithm on the edges of neighbors,
/// and then on all pairs.
fn joined_neighbors(points: &Points<'_>, metric: Metric, k: usize) -> Vec<[u32; 2]> {
    let prepared = Prepared::new(points, metric).unwrap();
    let n = points.len();
    let graph = sorted_neighbors(points, metric, k);
    let is_neighbor = |u: u32, v: u32| graph.indices[u as usize * k..][..k].contains(&v);
    let mut pairs: Vec<_> = (0..n).flat_map(|u| (u + 1..n).map(move |v| [u, v])).collect();
    pairs.sort_by(|a, b| {
        let compared = |pair: &[u32; 2]| prepared.compared(pair[0], pair[1]);
        compared(a).total_cmp(&compared(b)).then(a.cmp(b))
    });
    let (mut component, mut found): (Vec<u32>, _) = ((0..n).collect(), Vec::new());
    for first in [true, false] {
        for (at, &[u, v]) in pairs.iter().enumerate() {
            let (a, b) = (component[u as usize], component[v as usize]);
            if a != b && (!first || is_neighbor(u, v) || is_neighbor(v, u)) {
                component.iter_mut().filter(|of| **of == b).for_each(|of| *of = a);
                found.push(at);
            }
        }
    }
    found.sort_unstable();
    found.into_iter().map(|at| pairs[at]).collect()
}

#[test]
fn components_of_neighbors_are_joined_by_the_shortest_links() {
    let mut differ = 0;
    for metric in Metric::ALL {
        for (dimensions, n, k) in [(2, 90, 1), (2, 90, 2), (2, 60, 5), (2, 2, 1), (20, 40, 2)] {
            if metric == Metric::Haversine && dimensions != 2 {
                continue;
            }
            for kind in KINDS {
                let rows = suited(metric, make(kind, n, dimensions));
                let points = Points::new(&rows, dimensions).unwrap();
                let expected = joined_neighbors(&points, metric, k);
                for threads in [1, 2] {
                    let run = &mut Run::new().on_threads(threads);
                    let found = neighbors_tree(&points, metric, k, run).unwrap();
                    assert_eq!(found.ends, expected, "{kind}, {dimensions}, {k}");
                    let prepared = Prepared::new(&points, metric).unwrap();
                    for ([u, v], distance) in found.ends.iter().zip(&found.distances) {
                        assert_eq!(*distance, prepared.reported(prepared.compared(*u, *v)));
                    }
                    let tree = spanning_tree(&points, metric, run).unwrap();
                    differ += u32::from(found != tree);
                    assert_eq!(neighbors_tree(&points, metric, 0, run).unwrap(), tree);
                    assert_eq!(neighbors_tree(&points, metric, n - 1, run).unwrap(), tree);
                }
            }
        }
    }
    assert!(differ > 0, "some trees of neighbors are longer");
    let none = Points::new::<f64>(&[], 2).unwrap();
    let tree = neighbors_tree(&none, Metric::Euclidean, 3, &mut Run::new()).unwrap();
    assert!(tree.ends.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn random_sets_with_many_ties_have_one_tree(
        dimensions in 1_usize..5,
        values in prop::collection::vec(-3_i8..4, 0..160),
        metric in prop::sample::select(vec![
            Metric::Euclidean,
            Metric::Manhattan,
            Metric::Chebyshev,
        ]),
    ) {
        let whole = values.len() / dimensions * dimensions;
        let rows: Vec<f64> = values[..whole].iter().map(|&x| x.into()).collect();
        check(metric, &rows, dimensions, &[1, 2]);
    }
}
