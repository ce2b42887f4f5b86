//! Windows against correlations by their definition, and Kruskal's algorithm.

use kostra_core::random::RandomStream;

use super::*;

/// Random walks, so that correlations are far from 0.
fn walks(times: usize, series: usize, seed: u64) -> Vec<f64> {
    let random = RandomStream::new(seed);
    let mut table = vec![0.0; times * series];
    for time in 0..times {
        for column in 0..series {
            let place = (time * series + column) as u64;
            let step = random.at(place) as f64 / u64::MAX as f64 - 0.5;
            let before = if time == 0 { 50.0 } else { table[(time - 1) * series + column] };
            table[time * series + column] = before + step;
        }
    }
    table
}

/// The correlation by its definition, with the means subtracted first.
fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (a, b) = (mean(x), mean(y));
    let product = |f: &dyn Fn(f64, f64) -> f64| -> f64 {
        x.iter().zip(y).map(|(&x, &y)| f(x - a, y - b)).sum()
    };
    product(&|x, y| x * y) / (product(&|x, _| x * x) * product(&|_, y| y * y)).sqrt()
}

/// The tree of a window by Kruskal's algorithm.
fn searched(table: &[f64], series: usize, start: usize, windows: Windows) -> Vec<([u32; 2], f64)> {
    let column = |k: usize| -> Vec<f64> {
        (start..start + windows.length).map(|time| table[time * series + k]).collect()
    };
    let columns: Vec<_> = (0..series).map(column).collect();
    let mut pairs = Vec::new();
    for low in 0..series {
        for high in low + 1..series {
            let r = correlation(&columns[low], &columns[high]);
            let r = if windows.distance == CorrelationDistance::Signed { r } else { r.abs() };
            pairs.push(((2.0 * (1.0 - r).max(0.0)).sqrt(), [low as u32, high as u32]));
        }
    }
    pairs.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let mut labels: Vec<u32> = (0..series as u32).collect();
    pairs.retain(|&(_, [low, high])| {
        let (one, other) = (labels[low as usize], labels[high as usize]);
        labels.iter_mut().filter(|label| **label == other).for_each(|label| *label = one);
        one != other
    });
    pairs.into_iter().map(|(distance, pair)| (pair, distance)).collect()
}

fn solved(table: &[f64], series: usize, windows: Windows, threads: usize) -> WindowTrees {
    let points = Points::new(table, series).unwrap();
    rolling_trees(&points, windows, &mut Run::new().on_threads(threads)).unwrap()
}

fn check(table: &[f64], series: usize, windows: Windows) {
    let trees = solved(table, series, windows, 1);
    let times = table.len() / series;
    assert_eq!(trees.windows, (times - windows.length) / windows.step + 1);
    let distances = trees.distances.chunks(series - 1);
    for (window, (ends, distances)) in trees.trees().zip(distances).enumerate() {
        let expected = searched(table, series, window * windows.step, windows);
        for (k, (pair, distance)) in expected.into_iter().enumerate() {
            assert_eq!(ends[k], pair, "window {window}");
            // The error of the correlation; that of a distance near 0 is its square root.
            let error = distances[k] * distances[k] - distance * distance;
            assert!(error.abs() < 2e-10, "window {window}");
        }
    }
    assert_eq!(solved(table, series, windows, 3), trees);
}

#[test]
fn each_window_has_the_tree_of_its_correlations() {
    for (length, step) in [(10, 1), (10, 3), (10, 9), (30, 40), (2, 1)] {
        for distance in [CorrelationDistance::Signed, CorrelationDistance::Absolute] {
            // Two times have correlations of 1 and -1 only, so all pairs tie.
            let series = if length == 2 { 2 } else { 9 };
            check(&walks(400, series, length as u64), series, Windows { length, step, distance });
        }
    }
}

#[test]
fn a_value_that_is_far_greater_than_others_leaves_no_error_behind() {
    let mut table = walks(300, 5, 3);
    table[57 * 5 + 2] = 1e9;
    table[200 * 5] = -1e12;
    let distance = CorrelationDistance::Signed;
    check(&table, 5, Windows { length: 20, step: 1, distance });
}

#[test]
fn equal_distances_give_the_lowest_series() {
    let row = [1.0, 2.0, 3.0, 4.0];
    let table: Vec<f64> = [1.0, 5.0, 2.0, 0.0].iter().flat_map(|x| row.map(|k| k * x)).collect();
    let windows = Windows { length: 4, step: 1, distance: CorrelationDistance::Signed };
    let trees = solved(&table, 4, windows, 1);
    assert_eq!(trees.ends, [[0, 1], [0, 2], [0, 3]]);
    assert_eq!((trees.degrees(), trees.survivors()), (vec![3, 1, 1, 1], vec![0]));
}

#[test]
fn survivors_are_the_edges_that_the_window_before_has_too() {
    let trees = WindowTrees {
        series: 3,
        windows: 3,
        ends: vec![[0, 1], [1, 2], [1, 2], [0, 1], [0, 2], [1, 2]],
        distances: vec![0.0; 6],
    };
    assert_eq!(trees.survivors(), [0, 2, 1]);
    assert_eq!(trees.degrees(), [1, 2, 1, 1, 2, 1, 1, 1, 2]);
}

#[test]
fn impossible_windows_and_constant_series_are_refused() {
    let mut table = walks(300, 4, 5);
    let distance = CorrelationDistance::Signed;
    let refused = |table: &[f64], length, step, threads| {
        let points = Points::new(table, 4).unwrap();
        let windows = Windows { length, step, distance };
        rolling_trees(&points, windows, &mut Run::new().on_threads(threads)).unwrap_err()
    };
    for (length, step) in [(1, 1), (301, 1), (5, 0)] {
        let error = refused(&table, length, step, 1);
        assert_eq!(error, PointsError::Windows { length, step, times: 300 });
    }
    for time in 0..12 {
        table[(130 + time) * 4 + 2] = 7.0;
        table[(250 + time) * 4 + 1] = 7.0;
    }
    for threads in [1, 3] {
        let error = refused(&table, 11, 1, threads);
        assert_eq!(error, PointsError::ConstantSeries { series: 2, start: 130, end: 141 });
    }
    check(&table, 4, Windows { length: 13, step: 1, distance });
}
