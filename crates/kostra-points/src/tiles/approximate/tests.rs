use kostra_core::Run;
use kostra_core::random::RandomStream;
use kostra_parallel::with_observed_team;

use super::*;
use crate::{Metric, brute_force};

/// Points in clusters of unequal sizes, or of one normal distribution.
fn make(kind: &str, n: usize, d: usize) -> Vec<f64> {
    let random = RandomStream::new(7);
    let normal = |i: usize| (0..12).map(|k| random.unit((12 * i + k) as u64)).sum::<f64>() - 6.0;
    let center = |i: usize| {
        let point = (i / d) as u64;
        let cluster = random.split(1).below(point, 1 + random.split(2).below(point, 40));
        20.0 * random.split(3).unit(cluster * d as u64 + (i % d) as u64)
    };
    (0..n * d).map(|i| if kind == "clusters" { center(i) + normal(i) } else { normal(i) }).collect()
}

fn find(
    prepared: &Prepared<'_>,
    samples: usize,
    effort: Effort,
    threads: usize,
) -> ApproximateTree {
    let run = &mut Run::new().on_threads(threads);
    with_observed_team(run, threads, |team, run| from_near(prepared, samples, effort, team, run))
        .unwrap()
}

#[test]
fn the_minimum_is_in_the_stated_interval_at_least_as_often_as_stated() {
    // Bad trees and few samples, so that errors are large and bounds are wrong at times.
    let effort = |seed| Effort {
        near: near::Effort { neighbors: 16, trees: 1, rounds: 0, part: 16, seed },
        samples: 40,
    };
    const SEEDS: u64 = 40;
    let (n, d) = (700, 20);
    for (kind, metric, samples) in [
        ("clusters", Metric::Euclidean, 5),
        ("normal", Metric::Manhattan, 1),
        ("clusters", Metric::Cosine, 1),
    ] {
        let rows = make(kind, n, d);
        let points = Points::new(&rows, d).unwrap();
        let prepared = Prepared::new(&points, metric).unwrap();
        let distance = Distance::mutual_reachability(metric, samples);
        let exact = brute_force(&points, distance, &mut Run::new()).unwrap();
        let exact: f64 = exact.distances.iter().sum();
        let mut missed = 0;
        for seed in 0..SEEDS {
            let ApproximateTree { tree, error } = find(&prepared, samples, effort(seed), 2);
            assert_eq!(tree.ends.len(), n - 1);
            assert!(error.length >= exact * (1.0 - 1e-12), "{kind} {metric:?}: too short");
            assert!(error.length > exact * 1.002, "{kind}: the search is too good for a test");
            missed += u32::from(error.least > exact);
        }
        // 3 are expected; 9 or more have a probability below 0.003.
        assert!(missed < 9, "{kind} {metric:?} {samples}: {missed} of {SEEDS} bounds are wrong");
    }
}

#[test]
fn trees_do_not_depend_on_the_number_of_threads() {
    let (n, d) = (5000, 24);
    for (kind, seed, samples) in [("clusters", 1, 1), ("normal", 2, 5)] {
        let rows = make(kind, n, d);
        let points = Points::new(&rows, d).unwrap();
        let distance = Distance::mutual_reachability(Metric::Euclidean, samples);
        let on = |threads| {
            let run = &mut Run::new().on_threads(threads);
            approximate_tree(&points, distance, seed, run).unwrap()
        };
        let one = on(1);
        assert!(on(3) == one, "{kind} {samples}");
        assert!(one.error.recall > 0.9, "{kind}: recall {}", one.error.recall);
        assert!(one.error.least < one.error.length);
    }
}

#[test]
fn few_points_and_few_dimensions_have_the_exact_tree() {
    for (n, d) in [(600, 30), (5000, 3)] {
        let rows = make("clusters", n, d);
        let points = Points::new(&rows, d).unwrap();
        let found = approximate_tree(&points, Metric::Euclidean, 0, &mut Run::new()).unwrap();
        assert!(found.tree == spanning_tree(&points, Metric::Euclidean, &mut Run::new()).unwrap());
        assert_eq!((found.error.relative(), found.error.confidence), (0.0, 1.0));
    }
}

#[test]
fn neighbors_at_one_distance_stand_for_each_other() {
    let (n, d, different) = (5000, 24, 40);
    let few = make("normal", different, d);
    let rows: Vec<f64> = few.iter().copied().cycle().take(n * d).collect();
    let points = Points::new(&rows, d).unwrap();
    let found = approximate_tree(&points, Metric::Euclidean, 0, &mut Run::new()).unwrap();
    assert_eq!(found.error.recall, 1.0);
}
