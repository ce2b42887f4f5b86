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

/// Compares both plans with the processor.
fn compare<T: Coordinate>(coordinates: &[T], dimensions: usize, metric: Metric, about: &str) {
    let points = Points::new(coordinates, dimensions).unwrap();
    for min_samples in [1, 2, 5, 40] {
        if min_samples > 1 && min_samples > points.len() as usize {
            continue;
        }
        let distance = Distance::mutual_reachability(metric, min_samples);
        let about = format!("{about}, {dimensions} dimensions, {}, {min_samples}", metric.name());
        let expected = kostra_points::brute_force(&points, distance, &mut Run::new()).unwrap();
        let found = spanning_tree(&points, distance, &mut Run::new()).unwrap();
        assert!(found == expected, "{about}");
        let found = brute_force(&points, distance, &mut Run::new()).unwrap();
        assert!(found == expected, "{about}, all pairs");
        // One device in two parts has all copies of two.
        let devices = if Device::count().unwrap() > 1 { [0, 1] } else { [0, 0] };
        let found = brute_force(&points, distance, &mut Run::new().on_devices(&devices)).unwrap();
        assert!(found == expected, "{about}, all pairs, two devices");
    }
}

#[test]
fn the_tree_is_that_of_the_processor_edge_by_edge() {
    if device().is_none() {
        return;
    }
    for dimensions in [1, 2, 3, 4, 5, 9, 16, 17, 33, 64, 100, 300] {
        for len in [0, 1, 2, 3, 31, 32, 33, 1000, 1500] {
            let mut next = numbers(dimensions as u64 * 1000 + len as u64);
            let random: Vec<f64> = (0..len * dimensions).map(|_| next()).collect();
            let narrow: Vec<f32> = random.iter().map(|&x| x as f32).collect();
            let lattice: Vec<f32> = random.iter().map(|&x| (6.0 * x) as i32 as f32).collect();
            let far: Vec<f64> = random.iter().map(|&x| 1e9 + 1e-3 * x * x * x).collect();
            compare(&random, dimensions, Metric::Euclidean, "random f64");
            compare(&narrow, dimensions, Metric::Euclidean, "random f32");
            compare(&lattice, dimensions, Metric::Euclidean, "lattice with duplicates");
            compare(&far, dimensions, Metric::Euclidean, "far from the origin");
            let directions: Vec<f64> = random.iter().map(|&x| 1e-3 + x).collect();
            compare(&directions, dimensions, Metric::Cosine, "directions f64");
            let narrow: Vec<f32> = directions.iter().map(|&x| x as f32).collect();
            compare(&narrow, dimensions, Metric::Cosine, "directions f32");
        }
    }
}

#[test]
fn points_of_several_panels_and_many_dimensions_have_the_tree_of_the_processor() {
    if device().is_none() {
        return;
    }
    for (len, dimensions) in [(5000, 20), (2000, 384), (1500, 1000)] {
        let mut next = numbers(len as u64);
        let clustered: Vec<f32> = (0..len * dimensions)
            .map(|i| ((i / dimensions % 7) as f64 + 0.1 * next()) as f32)
            .collect();
        compare(&clustered, dimensions, Metric::Euclidean, "clusters");
        compare(&clustered, dimensions, Metric::Cosine, "clusters");
    }
}

#[test]
fn clusters_in_tiles_have_the_tree_of_the_processor() {
    if device().is_none() {
        return;
    }
    for (len, dimensions) in [(2048, 17), (3001, 33), (4000, 64), (2500, 65), (3000, 130)] {
        let mut next = numbers((len + dimensions) as u64);
        // Neighbors in the input are in different clusters.
        let mut near = |width: f64, steps: f64| -> Vec<f64> {
            let clustered = (0..len * dimensions).map(|i| {
                let cluster = i / dimensions * 7919 % 5;
                let center = (cluster * (1 + i % dimensions) % 11) as f64;
                1.0 + center + width * (next() * steps).floor() / steps
            });
            clustered.collect()
        };
        let narrow = |wide: Vec<f64>| wide.iter().map(|&x| x as f32).collect::<Vec<_>>();
        let (spread, lattice, equal) = (near(0.01, 1e9), near(0.01, 2.0), near(0.0, 1.0));
        compare(&spread, dimensions, Metric::Euclidean, "clusters f64");
        compare(&spread, dimensions, Metric::Cosine, "clusters f64");
        compare(&narrow(lattice), dimensions, Metric::Euclidean, "clusters with equal distances");
        compare(&narrow(equal), dimensions, Metric::Euclidean, "five points, many times");
        compare(&narrow(spread), dimensions, Metric::Cosine, "clusters f32");
    }
}

#[test]
fn equal_points_are_a_star_around_the_first() {
    if device().is_none() {
        return;
    }
    let points = vec![0.5_f32; 3 * 100_000];
    let points = Points::new(&points, 3).unwrap();
    let mut run = Run::new();
    let in_tree = spanning_tree(&points, Metric::Euclidean, &mut run).unwrap();
    let all_pairs = brute_force(&points, Metric::Euclidean, &mut run).unwrap();
    for tree in [in_tree, all_pairs] {
        assert!(tree.ends.iter().enumerate().all(|(i, ends)| *ends == [0, i as u32 + 1]));
        assert!(tree.distances.iter().all(|&distance| distance == 0.0));
    }
}

#[test]
fn a_vector_of_zeros_has_no_direction() {
    if device().is_none() {
        return;
    }
    let points = Points::new(&[1.0, 2.0, 0.0, -0.0, 3.0, 1.0], 2).unwrap();
    let error = spanning_tree(&points, Metric::Cosine, &mut Run::new()).unwrap_err();
    assert!(error.to_string().contains("row 1 has only zeros"), "{error}");
}

#[test]
fn points_that_the_kernels_do_not_take_are_refused() {
    let points = PointAddresses {
        address: 0,
        len: 10,
        dimensions: 3,
        stride: 3,
        coordinates: ElementType::F32,
    };
    let words = |points: &PointAddresses, metric, min_samples| {
        let distance = PointDistance::Metric(Distance::mutual_reachability(metric, min_samples));
        check(points, distance).unwrap_err().to_string()
    };
    let euclidean = Metric::Euclidean;
    assert!(check(&points, PointDistance::Metric(euclidean.into())).is_ok());
    assert!(check(&points, PointDistance::Metric(Metric::Cosine.into())).is_ok());
    assert!(words(&points, Metric::Haversine, 1).contains("not haversine"));
    assert!(
        words(&PointAddresses { dimensions: 2049, ..points }, euclidean, 1).contains("not 2049")
    );
    let overlapping = PointAddresses { stride: 2, ..points };
    assert!(words(&overlapping, euclidean, 1).contains("2 coordinates apart"));
    let integers = PointAddresses { coordinates: ElementType::I32, ..points };
    assert!(words(&integers, euclidean, 1).contains("not i32"));
    let many = PointAddresses { len: u32::MAX, ..points };
    assert!(words(&many, euclidean, 1).contains("2147483647"));
    assert!(words(&points, euclidean, 11).contains("from 1 to the number of points, 10"));
    let enough = PointAddresses { len: 1000, ..points };
    assert!(words(&enough, euclidean, 130).contains("at most 129"));
}

#[test]
fn few_dimensions_use_a_tree_and_many_compare_all_pairs() {
    let plan = |len, dimensions, metric| {
        let coordinates = ElementType::F32;
        let points =
            PointAddresses { address: 0, len, dimensions, stride: dimensions, coordinates };
        SearchMethod::of(&points, metric)
    };
    assert_eq!(plan(10, 3, Metric::Euclidean), SearchMethod::Tree);
    assert_eq!(plan(10, 8, Metric::Euclidean), SearchMethod::Tree);
    assert_eq!(plan(100_000, 9, Metric::Euclidean), SearchMethod::AllPairs);
    assert_eq!(plan(1_000_000, 9, Metric::Euclidean), SearchMethod::Tree);
    assert_eq!(plan(1_000_000, 32, Metric::Euclidean), SearchMethod::AllPairs);
    assert_eq!(plan(10, 3, Metric::Cosine), SearchMethod::AllPairs);
}
