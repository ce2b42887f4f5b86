//! Questions without an answer are refused with a sentence that says what to do.

use kostra_core::{Observer, Run};
use kostra_points::{
    Distance, Metric, PointTree, Points, PointsError, brute_force, core_distances, kd_tree,
    nearest_neighbors, spanning_tree,
};

type Method = fn(&Points<'_>, Distance, &mut Run<'_>) -> Result<PointTree, PointsError>;

const METHODS: [Method; 3] = [brute_force, kd_tree, spanning_tree];

#[test]
fn core_distances_of_no_or_too_many_samples_are_refused() {
    let points = Points::new(&[1.0, 2.0, 3.0], 1).unwrap();
    for min_samples in [0, 4] {
        let distance = Distance::mutual_reachability(Metric::Euclidean, min_samples);
        let expected = PointsError::MinSamples { min_samples, points: 3 };
        for method in METHODS {
            assert_eq!(method(&points, distance, &mut Run::new()), Err(expected.clone()));
        }
        assert_eq!(core_distances(&points, distance, &mut Run::new()), Err(expected));
    }
}

#[test]
fn more_neighbors_than_other_points_are_refused() {
    let points = Points::new(&[1.0, 2.0, 3.0], 1).unwrap();
    let error = nearest_neighbors(&points, Metric::Euclidean, 3, &mut Run::new()).unwrap_err();
    assert!(error.to_string().contains("a point has 2 others; request fewer"), "{error}");
}

#[test]
fn a_k_d_tree_of_too_many_dimensions_is_refused_and_brute_force_is_not() {
    let rows = [0.5; 3 * 17];
    let points = Points::new(&rows, 17).unwrap();
    let error = kd_tree(&points, Metric::Euclidean, &mut Run::new()).unwrap_err();
    assert!(error.to_string().contains("use brute force"), "{error}");
    let tree = spanning_tree(&points, Metric::Euclidean, &mut Run::new()).unwrap();
    assert_eq!((tree.ends, tree.distances), (vec![[0, 1], [0, 2]], vec![0.0; 2]));
}

#[test]
fn an_empty_set_and_a_single_point_have_an_empty_tree() {
    for n in [0, 1] {
        for metric in Metric::ALL {
            let rows = [1.0; 2];
            let points = Points::new(&rows[..2 * n], 2).unwrap();
            let expected = PointTree { len: n as u32, ..PointTree::default() };
            for method in METHODS {
                assert_eq!(method(&points, metric.into(), &mut Run::new()).unwrap(), expected);
            }
            let neighbors = nearest_neighbors(&points, metric, 0, &mut Run::new()).unwrap();
            assert!(neighbors.indices.is_empty());
        }
    }
}

#[test]
fn a_cancelled_run_ends_with_that_error() {
    struct Impatient;
    impl Observer for Impatient {
        fn cancelled(&self) -> bool {
            true
        }
    }
    let rows: Vec<f64> = (0..3000).map(f64::from).collect();
    let points = Points::new(&rows, 1).unwrap();
    for method in METHODS {
        let mut observer = Impatient;
        let mut run = Run::new().observed_by(&mut observer);
        let result = method(&points, Metric::Euclidean.into(), &mut run);
        assert_eq!(result, Err(PointsError::Cancelled));
    }
}
