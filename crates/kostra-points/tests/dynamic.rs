//! After each batch, the tree of points that come and go is that of a fresh fit, bit by bit.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::cell::Cell;

use kostra_core::random::RandomStream;
use kostra_core::{Observer, Run};
use kostra_points::cluster::{Hierarchy, Selection, Ties};
use kostra_points::{
    Distance, DynamicPoints, Metric, PointTree, Points, PointsError, spanning_tree,
};

/// Draws numbers, one after another.
struct Draws(RandomStream, u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.1 += 1;
        self.0.below(self.1, bound as u64) as usize
    }

    /// A coordinate. Kinds 0 and 1 have few values, so many points and distances are equal. Kind 2
    /// is in one of two clusters.
    fn coordinate(&mut self, kind: u64) -> f64 {
        match kind {
            0 => 1.0 + self.below(3) as f64,
            1 => 1.0 + self.below(12) as f64,
            2 => 1.0 + self.below(1000) as f64 / 1000.0 + 50.0 * (self.below(2) as f64),
            _ => 1.0 + self.below(1 << 30) as f64 / 1e8,
        }
    }

    fn rows(&mut self, kind: u64, n: usize, dimensions: usize) -> Vec<f64> {
        (0..n * dimensions).map(|_| self.coordinate(kind)).collect()
    }
}

fn fresh(rows: &[f64], dimensions: usize, distance: Distance) -> PointTree {
    spanning_tree(&Points::new(rows, dimensions).unwrap(), distance, &mut Run::new()).unwrap()
}

/// Adds and removes random batches. After each one, everything is checked. Returns how many
/// additions and how many removals did not compute the whole tree again.
fn check_random_updates(seed: u64, distance: Distance) -> [usize; 2] {
    let metric = distance.metric;
    let mut draws = Draws(RandomStream::new(seed), 0);
    let (kind, threads) = (seed % 4, 1 + seed as usize % 3);
    let most_dimensions = if seed % 5 == 4 { 10 } else { 4 };
    let dimensions = if metric == Metric::Haversine { 2 } else { 1 + draws.below(most_dimensions) };
    let run = &mut Run::new().on_threads(threads);
    // Some points always stay, because core distances need them.
    let stay = if distance.min_samples > 1 { distance.min_samples } else { 0 };
    let n = 1 + stay + draws.below(200);
    let first = draws.rows(kind, n, dimensions);
    let mut points =
        DynamicPoints::new(&Points::new(&first, dimensions).unwrap(), distance, run).unwrap();
    let mut present: Vec<(u32, Vec<f64>)> =
        (0..).zip(first.chunks_exact(dimensions).map(<[f64]>::to_vec)).collect();
    let [mut extended, mut joined] = [0; 2];
    for _ in 0..12 {
        if draws.below(3) == 0 {
            let most = if draws.below(2) == 0 { 5 } else { 60 };
            let size = draws.below(1 + (present.len() - stay).min(most));
            let mut ids: Vec<u32> = present.iter().map(|point| point.0).collect();
            draws.0.split(draws.1).shuffle(&mut ids);
            ids.truncate(size);
            points.remove(&ids, run).unwrap();
            joined += usize::from(!points.was_recomputed());
            present.retain(|point| !ids.contains(&point.0));
        } else {
            let most = if draws.below(5) == 0 { 1 + present.len() } else { 6 };
            let size = draws.below(most);
            let rows = draws.rows(kind, size, dimensions);
            let ids = points.add(&Points::new(&rows, dimensions).unwrap(), run).unwrap();
            extended += usize::from(!points.was_recomputed());
            present.extend(ids.zip(rows.chunks_exact(dimensions).map(<[f64]>::to_vec)));
        }
        let rows: Vec<f64> = present.iter().flat_map(|point| point.1.clone()).collect();
        let ids: Vec<u32> = present.iter().map(|point| point.0).collect();
        assert_eq!((points.ids(), points.rows()), (&ids[..], &rows[..]));
        let (found, expected) = (points.tree().unwrap(), fresh(&rows, dimensions, distance));
        assert!(found == expected, "seed {seed}, {distance:?}, {} points", ids.len());
    }
    [extended, joined]
}

#[test]
fn after_each_batch_the_tree_is_that_of_a_fresh_fit() {
    for metric in Metric::ALL {
        let check = |seed| check_random_updates(seed, metric.into());
        let counts: Vec<_> = (0..28).map(check).collect();
        let [extended, joined] = [0, 1].map(|kind| counts.iter().map(|of| of[kind]).sum::<usize>());
        assert!(extended > 120 && joined > 50, "{}: {extended}, {joined}", metric.name());
    }
}

#[test]
fn with_core_distances_too_the_tree_is_that_of_a_fresh_fit() {
    for metric in Metric::ALL {
        for min_samples in [2, 3, 5, 9] {
            let distance = Distance::mutual_reachability(metric, min_samples);
            let check = |seed| check_random_updates(seed, distance);
            let counts: Vec<_> = (0..20).map(check).collect();
            let sum = |kind: usize| counts.iter().map(|of| of[kind]).sum::<usize>();
            assert!(sum(0) > 20 && sum(1) > 10, "{distance:?}: {counts:?}");
        }
    }
    let distance = Distance::mutual_reachability(Metric::Euclidean, 4).divided_by(0.7);
    (0..20).for_each(|seed| _ = check_random_updates(seed, distance));
}

/// Points far apart from all others, between two clusters, and on top of others.
#[test]
fn points_that_change_many_edges_give_the_tree_of_a_fresh_fit() {
    let run = &mut Run::new();
    let mut rows: Vec<f64> =
        (0..400).flat_map(|i| [f64::from(i % 20), f64::from(i / 20)]).collect();
    let mut points =
        DynamicPoints::new(&Points::new(&rows, 2).unwrap(), Metric::Euclidean, run).unwrap();
    let far: Vec<f64> =
        (0..20).flat_map(|i| [1000.0 + f64::from(i % 5), f64::from(i / 5)]).collect();
    let batches: [&[f64]; 6] = [
        &far,
        &[500.0, 10.0],
        &[300.0, 10.0, 700.0, 10.0, 500.0, 10.0],
        &[9.5, 9.5, 9.5, 9.5],
        &[0.0, 0.0, 19.0, 19.0, 1000.0, 0.0],
        &[-1e6, 1e6],
    ];
    for batch in batches {
        points.add(&Points::new(batch, 2).unwrap(), run).unwrap();
        assert!(!points.was_recomputed());
        rows.extend(batch);
        assert!(points.tree().unwrap() == fresh(&rows, 2, Metric::Euclidean.into()));
    }
}

/// Every second point of a grid, in which all distances are equal; the only links between clusters;
/// the center of a star; points at the ends of paths; points on top of others.
#[test]
fn points_whose_removal_changes_many_edges_leave_the_tree_of_a_fresh_fit() {
    let run = &mut Run::new().on_threads(2);
    let grid = |i: u32| [f64::from(i % 30), f64::from(i / 30)];
    let chain = |i: u32| {
        let (place, far) = (f64::from(i), if i % 100 < 50 { 0.0 } else { 1e4 });
        [far + place * 0.25, if i % 50 == 49 { 5.0 } else { (place * 0.7).sin() }]
    };
    let star = |i: u32| {
        let angle = f64::from(i) * 0.02;
        if i == 0 { [0.0, 0.0] } else { [10.0 * angle.cos(), 10.0 * angle.sin()] }
    };
    let doubled = |i: u32| [f64::from(i / 2 % 30), f64::from(i / 60)];
    let sets: [&dyn Fn(u32) -> [f64; 2]; 4] = [&grid, &chain, &star, &doubled];
    let choices: [fn(u32) -> bool; 5] =
        [|i| i % 8 == 3, |i| i % 50 >= 48, |i| i == 0, |i| i < 90, |i| i / 30 % 5 == 1];
    let cases = (0..5).flat_map(|choice| [1, 2, 4].map(|samples| (choice, samples)));
    for (set, of) in sets.iter().enumerate() {
        for (choice, min_samples) in cases.clone() {
            let distance = Distance::mutual_reachability(Metric::Euclidean, min_samples);
            let is_gone = choices[choice];
            let rows: Vec<f64> = (0..600).flat_map(of).collect();
            let first = Points::new(&rows, 2).unwrap();
            let mut points = DynamicPoints::new(&first, distance, run).unwrap();
            let step = |points: &mut DynamicPoints| {
                let case = format!("set {set}, choice {choice}, {min_samples} samples");
                assert!(min_samples > 1 || !points.was_recomputed(), "{case}");
                assert!(points.tree().unwrap() == fresh(points.rows(), 2, distance), "{case}");
            };
            let gone: Vec<u32> = (0..600).filter(|&i| is_gone(i)).collect();
            points.remove(&gone, run).unwrap();
            step(&mut points);
            points.add(&Points::new(&rows[..40], 2).unwrap(), run).unwrap();
            step(&mut points);
            let next: Vec<u32> = points.ids().iter().copied().step_by(7).collect();
            points.remove(&next, run).unwrap();
            step(&mut points);
            points.remove(&[], run).unwrap();
            step(&mut points);
        }
    }
}

/// Single points are added until the base is built again several times.
#[test]
fn a_stream_of_points_gives_the_tree_of_a_fresh_fit() {
    for (kind, min_samples) in [(3, 1), (3, 4), (1, 3)] {
        let distance = Distance::mutual_reachability(Metric::Manhattan, min_samples);
        let mut draws = Draws(RandomStream::new(7), 0);
        let mut rows = draws.rows(kind, 300, 3);
        let run = &mut Run::new();
        let points = Points::new(&rows, 3).unwrap();
        let mut points = DynamicPoints::new(&points, distance, run).unwrap();
        for _ in 0..150 {
            let row = draws.rows(kind, 1, 3);
            points.add(&Points::new(&row, 3).unwrap(), run).unwrap();
            assert!(!points.was_recomputed());
            rows.extend(row);
            assert!(points.tree().unwrap() == fresh(&rows, 3, distance));
        }
    }
}

#[test]
fn many_dimensions_and_many_samples_compute_the_tree_again() {
    let mut draws = Draws(RandomStream::new(8), 0);
    let cases = [
        (2, Distance::mutual_reachability(Metric::Euclidean, 60)),
        (20, Distance::from(Metric::Cosine)),
        (20, Distance::mutual_reachability(Metric::Euclidean, 4)),
    ];
    for (dimensions, distance) in cases {
        let mut rows = draws.rows(1, 100, dimensions);
        let run = &mut Run::new();
        let points = Points::new(&rows, dimensions).unwrap();
        let mut points = DynamicPoints::new(&points, distance, run).unwrap();
        let batch = draws.rows(1, 3, dimensions);
        points.add(&Points::new(&batch, dimensions).unwrap(), run).unwrap();
        assert!(points.was_recomputed());
        rows.extend(batch);
        assert!(points.tree().unwrap() == fresh(&rows, dimensions, distance));
    }
}

/// The labels of the updated tree are those of all points in another order.
#[test]
fn labels_after_an_update_do_not_depend_on_the_order_of_points() {
    let labels = |tree| {
        let condensed = Hierarchy::new(tree).unwrap().condensed(5, Ties::Together).unwrap();
        condensed.select(Selection::default()).unwrap().labels
    };
    for min_samples in [1, 5] {
        let distance = Distance::mutual_reachability(Metric::Euclidean, min_samples);
        let mut draws = Draws(RandomStream::new(9), 0);
        let rows = draws.rows(2, 200, 2);
        let run = &mut Run::new();
        let points = Points::new(&rows[..380], 2).unwrap();
        let mut points = DynamicPoints::new(&points, distance, run).unwrap();
        points.add(&Points::new(&rows[380..], 2).unwrap(), run).unwrap();
        assert!(!points.was_recomputed());
        points.remove(&[3, 80], run).unwrap();
        assert!(!points.was_recomputed());
        let found = labels(points.tree().unwrap());
        assert!(found.iter().max() > Some(&0));
        let reversed: Vec<f64> = points.rows().chunks_exact(2).rev().flatten().copied().collect();
        let mut expected = labels(fresh(&reversed, 2, distance));
        expected.reverse();
        assert_eq!(found, expected);
    }
}

/// Cancels a run after some questions whether to do so.
struct CancelAfter(Cell<usize>);

impl Observer for CancelAfter {
    fn cancelled(&self) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        left == 0
    }
}

#[test]
fn an_update_that_is_cancelled_at_any_moment_changes_nothing() {
    let mut draws = Draws(RandomStream::new(10), 0);
    let rows = draws.rows(3, 400, 2);
    let points = Points::new(&rows, 2).unwrap();
    let mut points = DynamicPoints::new(&points, Metric::Euclidean, &mut Run::new()).unwrap();
    let batches = [draws.rows(3, 30, 2), draws.rows(3, 400, 2)];
    let mut cancelled = 0;
    for batch in &batches {
        let before = points.tree().unwrap();
        for moment in 0.. {
            let mut observer = CancelAfter(Cell::new(moment));
            let mut run = Run::new().observed_by(&mut observer);
            match points.add(&Points::new(batch, 2).unwrap(), &mut run) {
                Ok(_) => break,
                Err(error) => assert_eq!(error, PointsError::Cancelled),
            }
            cancelled += 1;
            assert!(points.tree().unwrap() == before);
        }
    }
    assert!(cancelled >= 4, "{cancelled}");
    let all = [rows, batches.concat()].concat();
    assert!(points.tree().unwrap() == fresh(&all, 2, Metric::Euclidean.into()));
    let before = points.tree().unwrap();
    let ids: Vec<u32> = (0..600).step_by(6).collect();
    for moment in 0.. {
        let mut observer = CancelAfter(Cell::new(moment));
        match points.remove(&ids, &mut Run::new().observed_by(&mut observer)) {
            Ok(()) => break,
            Err(error) => assert_eq!(error, PointsError::Cancelled),
        }
        cancelled += 1;
        assert!(points.tree().unwrap() == before);
    }
    assert!(cancelled >= 7 && !points.was_recomputed(), "{cancelled}");
    assert!(points.tree().unwrap() == fresh(points.rows(), 2, Metric::Euclidean.into()));
}

#[test]
fn all_points_may_go_and_others_come() {
    let run = &mut Run::new();
    let none = Points::new::<f64>(&[], 2).unwrap();
    let mut points = DynamicPoints::new(&none, Metric::Euclidean, run).unwrap();
    assert!(points.is_empty() && points.tree().unwrap().ends.is_empty());
    let rows: Vec<f64> = (0..40).map(f64::from).collect();
    for first in [0, 20, 40] {
        assert_eq!(points.add(&Points::new(&rows, 2).unwrap(), run), Ok(first..first + 20));
        assert!(points.tree().unwrap() == fresh(&rows, 2, Metric::Euclidean.into()));
        assert_eq!(points.add(&none, run), Ok(first + 20..first + 20));
        let ids = points.ids().to_vec();
        points.remove(&ids, run).unwrap();
        assert!(points.is_empty() && points.tree().unwrap().ends.is_empty());
    }
}

#[test]
fn a_refused_update_changes_nothing() {
    let run = &mut Run::new();
    let rows = [0.0, 1.0, 3.0, 7.0];
    let distance = Distance::mutual_reachability(Metric::Euclidean, 3);
    let mut points = DynamicPoints::new(&Points::new(&rows, 1).unwrap(), distance, run).unwrap();
    let before = points.tree().unwrap();
    let wide = Points::new(&[1e300], 1).unwrap();
    assert!(matches!(points.add(&wide, run), Err(PointsError::TooWide { .. })));
    let other = Points::new(&[1.0, 2.0], 2).unwrap();
    assert!(matches!(points.add(&other, run), Err(PointsError::OtherDimensions { .. })));
    let weighted = Points::new(&[1.0], 1).unwrap().weighted(&[2]).unwrap();
    assert_eq!(points.add(&weighted, run), Err(PointsError::DynamicWeights));
    assert_eq!(points.remove(&[1, 4], run), Err(PointsError::NotPresent { id: 4 }));
    assert_eq!(points.remove(&[1, 1], run), Err(PointsError::RepeatedId { id: 1 }));
    assert!(matches!(points.remove(&[1, 2], run), Err(PointsError::MinSamples { .. })));
    assert_eq!((points.tree().unwrap(), points.ids()), (before, &[0, 1, 2, 3][..]));
    assert_eq!(points.add(&Points::new(&[2.0], 1).unwrap(), run), Ok(4..5));
}
