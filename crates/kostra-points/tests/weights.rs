//! Points that count as several have the clusters of the repeated points.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use kostra_core::random::RandomStream;
use kostra_points::cluster::{
    BitMetric, BitRows, CondensedTree, Copies, Distances, FeatureRows, Fitted, Hierarchy,
    Selection, Ties, bits_core_distances, bits_tree, features_core_distances, features_tree,
    pairwise_tree,
};
use kostra_points::{
    Distance, Metric, PointTree, Points, Run, brute_force, core_distances, kd_tree, spanning_tree,
};

/// Rows of numbers, and how many points each counts as.
struct Rows {
    values: Vec<f64>,
    width: usize,
    weights: Vec<u32>,
}

impl Rows {
    /// Groups on a coarse grid, so that many distances and some rows are equal. One row in ten
    /// counts as many points.
    fn random(seed: u64, n: u64, width: usize) -> Self {
        let random = RandomStream::new(seed);
        let value = |at: u64| {
            let row = at / width as u64;
            let center = random.split(2).below(row, 4) as f64 * 6.0;
            center + random.below(at, 5) as f64 / 2.0 + 1.0
        };
        let weight = |row| match random.split(3).below(row, 10) {
            0 => 3 + random.split(4).below(row, 12) as u32,
            few => 1 + few as u32 % 3,
        };
        Self {
            values: (0..n * width as u64).map(value).collect(),
            width,
            weights: (0..n).map(weight).collect(),
        }
    }

    /// The row of each repeated point.
    fn origins(&self) -> Vec<usize> {
        let rows = self.weights.iter().enumerate();
        rows.flat_map(|(row, &weight)| (0..weight).map(move |_| row)).collect()
    }

    fn repeated(&self) -> Vec<f64> {
        let row = |row: usize| &self.values[row * self.width..][..self.width];
        self.origins().into_iter().flat_map(row).copied().collect()
    }

    fn weighted(&self) -> Points<'_> {
        Points::new(&self.values, self.width).unwrap().weighted(&self.weights).unwrap()
    }
}

/// Checks that the clusters by a tree of rows are those by the tree of repeated points.
fn check(rows: &Rows, tree: PointTree, cores: &[f64], repeated: PointTree) {
    let copies = Copies { weights: &rows.weights, cores };
    let (tree, repeated) = (Hierarchy::new(tree).unwrap(), Hierarchy::new(repeated).unwrap());
    for size in [2, 5, 9, 30] {
        let found = tree.condensed_with_copies(size, copies).unwrap();
        let right = repeated.condensed(size, Ties::Together).unwrap();
        check_equal(rows, &found, &right);
        let persistence = 0.05;
        let (found, right) = (found.simplified(persistence), right.simplified(persistence));
        check_equal(rows, &found.unwrap(), &right.unwrap());
    }
}

fn check_equal(rows: &Rows, found: &CondensedTree, right: &CondensedTree) {
    assert_eq!(found.clusters(), right.clusters());
    let [labels, expected] = [found, right].map(|tree| tree.select(Selection::default()).unwrap());
    for (copy, row) in rows.origins().into_iter().enumerate() {
        assert_eq!(found.homes()[row], right.homes()[copy], "row {row}");
        assert_eq!(found.departures()[row], right.departures()[copy], "row {row}");
        assert_eq!(labels.labels[row], expected.labels[copy]);
        assert_eq!(labels.probabilities[row], expected.probabilities[copy]);
    }
}

#[test]
fn clusters_of_weighted_points_are_those_of_repeated_points() {
    // The last ones compare tiles, and all pairs.
    let shapes = [(1, 2), (3, 1), (60, 2), (150, 3), (90, 6), (80, 16), (1100, 17), (70, 20)];
    for (seed, (n, width)) in (0..).zip(shapes) {
        let rows = Rows::random(seed, n, width);
        let repeated = rows.repeated();
        let repeated = Points::new(&repeated, width).unwrap();
        for metric in Metric::ALL {
            let is_compared_in_tiles = [Metric::Euclidean, Metric::Cosine].contains(&metric);
            if metric == Metric::Haversine && width != 2 || n > 1000 && !is_compared_in_tiles {
                continue;
            }
            for min_samples in [1, 2, 5, 12, 40] {
                if min_samples > repeated.len() as usize || n > 1000 && min_samples != 5 {
                    continue;
                }
                let distance = Distance::mutual_reachability(metric, min_samples);
                let run = &mut Run::new().on_threads(2);
                let tree = spanning_tree(&rows.weighted(), distance, run).unwrap();
                let cores = core_distances(&rows.weighted(), distance, run).unwrap();
                let right = core_distances(&repeated, distance, run).unwrap();
                let origins = rows.origins();
                assert!(origins.iter().zip(&right).all(|(&row, core)| cores[row] == *core));
                assert_eq!(brute_force(&rows.weighted(), distance, run).unwrap(), tree);
                check(&rows, tree, &cores, spanning_tree(&repeated, distance, run).unwrap());
            }
        }
    }
}

#[test]
fn weights_of_points_at_few_places_are_added() {
    let mut rows = Rows::random(9, 300, 2);
    rows.values.iter_mut().for_each(|value| *value = (*value / 8.0).round());
    for min_samples in [2, 7, 60, 400] {
        let distance = Distance::mutual_reachability(Metric::Euclidean, min_samples);
        let run = &mut Run::new();
        let found = kd_tree(&rows.weighted(), distance, run).unwrap();
        assert_eq!(found, brute_force(&rows.weighted(), distance, run).unwrap());
    }
}

#[test]
fn new_points_join_the_clusters_of_repeated_points() {
    for (seed, width) in [(3, 2), (4, 18)] {
        let rows = Rows::random(seed, 120, width);
        let repeated = rows.repeated();
        let repeated = Points::new(&repeated, width).unwrap();
        let new = Rows::random(seed + 10, 200, width);
        let new = Points::new(&new.values, width).unwrap();
        for min_samples in [1, 2, 6, 30] {
            let distance = Distance::mutual_reachability(Metric::Euclidean, min_samples);
            let run = &mut Run::new().on_threads(2);
            let cores = core_distances(&rows.weighted(), distance, run).unwrap();
            let tree = spanning_tree(&rows.weighted(), distance, run).unwrap();
            let copies = Copies { weights: &rows.weights, cores: &cores };
            let tree = Hierarchy::new(tree).unwrap().condensed_with_copies(8, copies).unwrap();
            let other = spanning_tree(&repeated, distance, run).unwrap();
            let other = Hierarchy::new(other).unwrap().condensed(8, Ties::Together).unwrap();
            let trees = [(rows.weighted(), tree), (repeated, other)];
            let [found, right] = trees.map(|(points, tree)| {
                let tree = Arc::new(tree);
                let chosen = tree.select(Selection::default()).unwrap();
                let run = &mut Run::new();
                Fitted::with_cores(&points, distance, tree, &chosen, run).unwrap()
            });
            assert_eq!(found.predict(&new, run).unwrap(), right.predict(&new, run).unwrap());
            let [mine, theirs] =
                [&found, &right].map(|of| of.approximate_predict(&new, &mut Run::new()).unwrap());
            assert_eq!(mine.distances, theirs.distances);
            assert_eq!(mine.nearest, theirs.nearest);
            assert_eq!(mine.clusters, theirs.clusters);
            assert_eq!(found.memberships_of(&new, run), right.memberships_of(&new, run));
            let all = right.memberships(run).unwrap();
            let clusters = right.clusters();
            let own = found.memberships(run).unwrap();
            for (copy, row) in rows.origins().into_iter().enumerate() {
                assert_eq!(own[row * clusters..][..clusters], all[copy * clusters..][..clusters]);
            }
        }
    }
}

/// Columns of the tests of other kinds of rows.
const WIDTH: usize = 9;
const SAMPLES: [usize; 3] = [2, 5, 20];

/// The arrays of compressed rows.
type Compressed = (Vec<usize>, Vec<u32>, Vec<f64>);

/// The values above a limit.
fn compressed(values: &[f64], limit: f64) -> Compressed {
    let (mut starts, mut columns, mut kept) = (vec![0], Vec::new(), Vec::new());
    for row in values.chunks(WIDTH) {
        for (column, &value) in row.iter().enumerate().filter(|(_, value)| **value > limit) {
            columns.push(column as u32);
            kept.push(value);
        }
        starts.push(kept.len());
    }
    (starts, columns, kept)
}

fn feature_rows<'a>(rows: &'a Compressed, weights: &'a [u32]) -> FeatureRows<'a> {
    let (starts, columns, values) = rows;
    FeatureRows { starts, columns, values, weights }
}

/// The distances of all pairs of rows.
fn square<T>(rows: &[T], distance: impl Fn(&T, &T) -> f64) -> Vec<f64> {
    rows.iter().flat_map(|a| rows.iter().map(|b| distance(a, b)).collect::<Vec<_>>()).collect()
}

#[test]
fn sparse_rows_count_as_several() {
    const LIMIT: f64 = 4.0;
    let rows = Rows::random(5, 70, WIDTH);
    let [mine, theirs] = [&rows.values, &rows.repeated()].map(|values| compressed(values, LIMIT));
    let zeroed = |&value: &f64| if value > LIMIT { value } else { 0.0 };
    let dense: Vec<_> = rows.values.iter().map(zeroed).collect();
    let dense = Points::new(&dense, WIDTH).unwrap().weighted(&rows.weights).unwrap();
    for min_samples in SAMPLES {
        let run = &mut Run::new().on_threads(2);
        let distance = Distance::mutual_reachability(Metric::Euclidean, min_samples);
        let cores = core_distances(&dense, distance, run).unwrap();
        let counted = feature_rows(&mine, &rows.weights);
        let tree = features_tree(counted, distance, run).unwrap();
        assert_eq!(tree, spanning_tree(&dense, distance, run).unwrap());
        let found = features_core_distances(counted, distance, run).unwrap();
        assert_eq!(found, cores);
        let repeated = feature_rows(&theirs, &[]);
        let repeated = features_tree(repeated, distance, run).unwrap();
        check(&rows, tree, &cores, repeated);
    }
}

#[test]
fn rows_of_distances_count_as_several() {
    let rows = Rows::random(6, 70, WIDTH);
    let [mine, theirs] = [&rows.values, &rows.repeated()].map(|values| {
        let rows: Vec<_> = values.chunks(WIDTH).collect();
        square(&rows, |a, b| a.iter().zip(*b).map(|(a, b)| (a - b).abs()).sum())
    });
    let [mine, theirs] = [Distances::Square(&mine), Distances::Square(&theirs)];
    for min_samples in SAMPLES {
        let cores = mine.cores(min_samples, &rows.weights).unwrap();
        let right = theirs.cores(min_samples, &[]).unwrap();
        assert!(rows.origins().iter().zip(&right).all(|(&row, core)| cores[row] == *core));
        let tree = pairwise_tree(mine, Some(&cores)).unwrap();
        check(&rows, tree, &cores, pairwise_tree(theirs, Some(&right)).unwrap());
    }
}

#[test]
fn rows_of_bits_count_as_several() {
    let rows = Rows::random(7, 70, WIDTH);
    let [mine, theirs] = [&rows.values, &rows.repeated()].map(|values| -> Vec<u64> {
        let bit = |value: &f64| u64::from((*value as u64).is_multiple_of(3));
        let word = |row: &[f64]| row.iter().fold(1, |word, value| word << 1 | bit(value));
        values.chunks(WIDTH).map(word).collect()
    });
    let distances = square(&mine, |a, b| {
        let [both, any] = [(a & b).count_ones(), (a | b).count_ones()].map(f64::from);
        (any - both) / any
    });
    let bits = WIDTH as u32 + 1;
    for min_samples in SAMPLES {
        let run = &mut Run::new();
        let counted = BitRows { words: &mine, bits, weights: &rows.weights };
        let cores = bits_core_distances(counted, BitMetric::Jaccard, min_samples, run).unwrap();
        let right = Distances::Square(&distances).cores(min_samples, &rows.weights).unwrap();
        assert_eq!(cores, right);
        let tree = bits_tree(counted, BitMetric::Jaccard, min_samples, run).unwrap();
        let repeated = BitRows { words: &theirs, bits, weights: &[] };
        let repeated = bits_tree(repeated, BitMetric::Jaccard, min_samples, run).unwrap();
        check(&rows, tree, &cores, repeated);
    }
}

#[test]
fn weights_without_a_meaning_are_refused() {
    let points = || Points::new(&[0.0, 1.0, 3.0], 1).unwrap();
    let error = |weights: &[u32]| points().weighted(weights).unwrap_err().to_string();
    assert!(error(&[1, 2]).contains("3 points but 2 weights"));
    assert!(error(&[1, 0, 1]).contains("row 1 has weight 0"));
    assert!(error(&[u32::MAX, 1, 1]).contains("4294967297"));
    assert!(points().weighted(&[]).unwrap().weights().is_empty());
    let distance = Distance::mutual_reachability(Metric::Euclidean, 5);
    let four = points().weighted(&[2, 1, 1]).unwrap();
    let error = spanning_tree(&four, distance, &mut Run::new()).unwrap_err().to_string();
    assert!(error.contains("the number of points, 4"), "{error}");
    let tree = spanning_tree(&points(), Metric::Euclidean, &mut Run::new()).unwrap();
    let hierarchy = Hierarchy::new(tree).unwrap();
    for (weights, cores) in
        [(vec![], vec![0.0; 3]), (vec![1; 3], vec![0.0; 2]), (vec![0; 3], vec![0.0; 3])]
    {
        let copies = Copies { weights: &weights, cores: &cores };
        assert!(hierarchy.condensed_with_copies(2, copies).is_err());
    }
}
