//! Trees of a device beside those of the processor.

use super::*;
use crate::testing::device;
use kostra_points::{Coordinate, Distance, Metric};

/// Numbers that look random.
fn numbers(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / (1_u64 << 24) as f64
    }
}

fn compare<T: Coordinate>(coordinates: &[T], dimensions: usize, about: &str) {
    let points = Points::new(coordinates, dimensions).unwrap();
    for min_samples in [1, 2, 5, 40] {
        if min_samples > 1 && min_samples > points.len() as usize {
            continue;
        }
        let distance = Distance { metric: Metric::Euclidean, min_samples };
        let expected = kostra_points::brute_force(&points, distance, &mut Run::new()).unwrap();
        let found = spanning_tree(&points, min_samples, &mut Run::new()).unwrap();
        assert!(found == expected, "{about}, {dimensions} dimensions, min_samples {min_samples}");
    }
}

#[test]
fn the_tree_is_that_of_the_processor_edge_by_edge() {
    if device().is_none() {
        return;
    }
    for dimensions in [1, 2, 3, 4, 5, 9, 16] {
        for len in [0, 1, 2, 3, 31, 32, 33, 1000, 1500] {
            let mut next = numbers(dimensions as u64 * 1000 + len as u64);
            let random: Vec<f64> = (0..len * dimensions).map(|_| next()).collect();
            let narrow: Vec<f32> = random.iter().map(|&x| x as f32).collect();
            let lattice: Vec<f32> = random.iter().map(|&x| (6.0 * x) as i32 as f32).collect();
            let far: Vec<f64> = random.iter().map(|&x| 1e9 + 1e-3 * x * x * x).collect();
            compare(&random, dimensions, "random f64");
            compare(&narrow, dimensions, "random f32");
            compare(&lattice, dimensions, "lattice with duplicates");
            compare(&far, dimensions, "far from the origin");
        }
    }
}

#[test]
fn equal_points_are_a_star_around_the_first() {
    if device().is_none() {
        return;
    }
    let points = vec![0.5_f32; 3 * 100_000];
    let points = Points::new(&points, 3).unwrap();
    let tree = spanning_tree(&points, 1, &mut Run::new()).unwrap();
    assert!(tree.ends.iter().enumerate().all(|(i, ends)| *ends == [0, i as u32 + 1]));
    assert!(tree.distances.iter().all(|&distance| distance == 0.0));
}

#[test]
fn points_that_the_kernels_do_not_take_are_refused() {
    let points = PointAddresses {
        address: 0,
        len: 10,
        dimensions: 3,
        stride: 3,
        coordinates: CoordinateType::F32,
    };
    let words = |points: &PointAddresses, min_samples| {
        check(points, PointDistance::MutualReachability { min_samples }).unwrap_err().to_string()
    };
    assert!(check(&points, PointDistance::Euclidean).is_ok());
    assert!(words(&PointAddresses { dimensions: 17, ..points }, 1).contains("not 17"));
    assert!(words(&PointAddresses { stride: 2, ..points }, 1).contains("2 coordinates apart"));
    assert!(words(&PointAddresses { len: u32::MAX, ..points }, 1).contains("2147483647"));
    assert!(words(&points, 11).contains("from 1 to the number of points, 10"));
    assert!(words(&PointAddresses { len: 1000, ..points }, 130).contains("at most 129"));
}
