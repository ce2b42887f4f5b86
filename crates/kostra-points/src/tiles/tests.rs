use kostra_core::random::RandomStream;
use kostra_parallel::{with_observed_team, with_team};

use super::*;
use crate::{Distance, Metric, Points, brute_force, nearest_neighbors, spanning_tree};

const KINDS: [&str; 7] = ["normal", "clustered", "lattice", "copies", "half", "far", "line"];

fn make(kind: &str, n: usize, d: usize) -> Vec<f64> {
    let random = RandomStream::new(n as u64);
    let normal = |i: usize| (0..12).map(|k| random.unit((12 * i + k) as u64)).sum::<f64>() - 6.0;
    let center = |i: usize, spread: f64| {
        let cluster = random.split(1).below((i / d) as u64, 9);
        spread * random.split(2).unit(cluster * d as u64 + (i % d) as u64)
    };
    let coordinate = |i: usize| match kind {
        "normal" => normal(i),
        "clustered" => center(i, 10.0) + normal(i),
        // Many equal distances.
        "lattice" => 1.0 + random.below(i as u64, 3) as f64,
        // Each point about three times.
        "copies" => {
            normal(random.split(3).below((i / d) as u64, n as u64 / 3) as usize * d + i % d)
        }
        // Half of the points are equal but for the sign of zero.
        "half" if (i / d).is_multiple_of(2) => [0.0, -0.0][i % d % 2] + ((i % d) / 2) as f64,
        // The error of 32 bits is larger than the distances in a cluster.
        "far" => center(i, 1e6) + normal(i),
        _ => normal(i / d) * 100.0 + (i % d) as f64,
    };
    (0..n * d).map(coordinate).collect()
}

#[test]
fn trees_and_neighbors_are_those_of_all_exact_distances() {
    let mut suited = 0;
    let metrics = [Metric::Euclidean, Metric::Manhattan, Metric::Chebyshev, Metric::Cosine];
    for (turn, metric) in metrics.into_iter().enumerate() {
        for (kind, (n, d)) in
            KINDS.into_iter().zip([(600, 17), (300, 40)].into_iter().cycle().skip(turn))
        {
            let n = if kind == "normal" { 1100 } else { n };
            let rows = make(kind, n, d);
            let points = Points::new(&rows, d).unwrap();
            let prepared = Prepared::new(&points, metric).unwrap();
            // Of 40 points, lists are found before the tree is.
            for (samples, more) in [(1, 5), (5, 40)] {
                let samples = if d == 17 { samples } else { more };
                let distance = Distance::mutual_reachability(metric, samples);
                let expected = brute_force(&points, distance, &mut Run::new()).unwrap();
                for (threads, is_double) in [(1, false), (3, true)] {
                    let run = &mut Run::new().on_threads(threads);
                    let found = with_observed_team(run, threads, |team, run| {
                        suited += u32::from(suiting(&prepared, samples, team).is_some());
                        let form = with_team(1, |team| Form::new(&prepared, is_double, team));
                        let tiled = Tiled { prepared: &prepared, form };
                        let pairs = pairs_of(&tiled, samples, team, run)?;
                        Ok::<_, PointsError>(pair::tree(&prepared, pairs, team)?)
                    });
                    assert!(found.unwrap() == expected, "{metric:?} {kind} {n} {samples}");
                }
                let run = &mut Run::new().on_threads(2);
                assert!(spanning_tree(&points, distance, run).unwrap() == expected);
            }
            for wanted in [1, 40] {
                let run = &mut Run::new().on_threads(2);
                let mut found = vec![Vec::new(); n];
                with_observed_team(run, 2, |team, run| {
                    let form = with_team(1, |team| Form::new(&prepared, wanted == 1, team));
                    let lists = nearest(&Tiled { prepared: &prepared, form }, wanted, team, run)?;
                    for (point, list) in found.iter_mut().zip(lists.nearest.chunks(wanted)) {
                        *point = list.to_vec();
                    }
                    Ok::<_, PointsError>(())
                })
                .unwrap();
                let reported = nearest_neighbors(&points, metric, wanted, run).unwrap();
                for (point, found) in (0..n as u32).zip(found).step_by(31) {
                    let others = (0..n as u32).filter(|other| *other != point);
                    let mut all: Vec<_> =
                        others.map(|other| (prepared.compared(point, other), other)).collect();
                    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                    assert!(found == all[..wanted], "{metric:?} {kind} {n}: {wanted} of {point}");
                    let indices = &reported.indices[point as usize * wanted..][..wanted];
                    assert!(found.iter().map(|(_, other)| other).eq(indices), "{metric:?} {kind}");
                }
            }
        }
    }
    assert!(suited >= 8, "{suited} sets are compared in tiles when nobody asks");
}

#[test]
fn points_closer_than_the_error_of_32_bits_are_compared_in_64() {
    let forms = |rows: Vec<f64>| {
        let points = Points::new(&rows, 17).unwrap();
        let prepared = Prepared::new(&points, Metric::Euclidean).unwrap();
        with_team(1, |team| Form::suiting(&prepared, team)).map(|form| form.is_double)
    };
    assert_eq!(forms(make("normal", 1100, 17)), Some(false));
    assert_eq!(forms(make("far", 1100, 17)), Some(true));
    assert_eq!(forms(vec![1.0; 1100 * 17]), None, "all points are equal");
}
