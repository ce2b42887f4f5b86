//! Clusters do not depend on the order of the points, whatever distances are equal.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::cmp::Ordering;

use kostra_core::Run;
use kostra_core::random::RandomStream;
use kostra_points::cluster::{Clustering, CondensedTree, Hierarchy, Method, Selection, Ties};
use kostra_points::{Distance, Metric, PointTree, Points, spanning_tree};

/// Few values, so that many points and distances are equal.
fn rows(seed: u64, n: usize, dimensions: usize) -> Vec<f64> {
    let random = RandomStream::new(seed);
    let values = 2 + seed % 9;
    (0..(n * dimensions) as u64).map(|i| 1.0 + random.below(i, values) as f64).collect()
}

fn permutation(seed: u64, n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    RandomStream::new(seed).shuffle(&mut order);
    order
}

fn condensed(rows: &[f64], dimensions: usize, distance: Distance, least: u32) -> CondensedTree {
    let points = Points::new(rows, dimensions).unwrap();
    let tree = spanning_tree(&points, distance, &mut Run::new()).unwrap();
    let row = |point: u32| &rows[point as usize * dimensions..][..dimensions];
    let by_coordinates = |a: &u32, b: &u32| -> Ordering { row(*a).partial_cmp(row(*b)).unwrap() };
    let condensed = Hierarchy::new(tree).unwrap().condensed(least, Ties::Together).unwrap();
    condensed.numbered_by(&by_coordinates).unwrap()
}

fn selections() -> impl Iterator<Item = Selection> {
    [Method::ExcessOfMass, Method::Leaf].into_iter().flat_map(|method| {
        [(0.0, false), (1.0, false), (0.0, true)].into_iter().map(
            move |(epsilon, allow_single_cluster)| Selection {
                method,
                epsilon,
                allow_single_cluster,
                ..Selection::default()
            },
        )
    })
}

#[test]
fn a_permutation_of_the_points_permutes_the_clusters() {
    for seed in 0..120 {
        for metric in Metric::ALL {
            let dimensions = if metric == Metric::Haversine { 2 } else { 1 + seed as usize % 3 };
            let (n, least) = (4 + (seed as usize * 7) % 40, 2 + seed as u32 % 4);
            let first = rows(seed, n, dimensions);
            let order = permutation(seed + 1000, n);
            let row = |&point: &usize| &first[point * dimensions..][..dimensions];
            let second: Vec<f64> = order.iter().flat_map(row).copied().collect();
            let samples = (1 + seed as usize % 6).min(n);
            let distance = Distance::mutual_reachability(metric, samples);
            let one = condensed(&first, dimensions, distance, least);
            let other = condensed(&second, dimensions, distance, least);
            let name = format!("seed {seed}, {}", metric.name());
            assert_eq!(one.clusters(), other.clusters(), "{name}");
            let scores = [one.outlier_scores().unwrap(), other.outlier_scores().unwrap()];
            for selection in selections() {
                let found = one.select(selection).unwrap();
                let permuted = other.select(selection).unwrap();
                for (place, &point) in order.iter().enumerate() {
                    assert_eq!(found.labels[point], permuted.labels[place], "{name}");
                    assert_eq!(found.probabilities[point], permuted.probabilities[place], "{name}");
                    assert_eq!(scores[0][point], scores[1][place], "{name}");
                }
                for (a, b) in (0..n).flat_map(|a| (0..a).map(move |b| (a, b))) {
                    assert!(row(&a) != row(&b) || found.labels[a] == found.labels[b], "{name}");
                }
            }
        }
    }
}

#[test]
#[ignore = "slow"]
fn slow_a_permutation_of_a_million_points_permutes_their_clusters() {
    const N: usize = 1_000_000;
    let random = RandomStream::new(5);
    // Half of the points are on a grid, so that many distances are equal.
    let value = |i: u64| match i / 2 % 2 {
        0 => random.below(i, 1000) as f64,
        _ => 1000.0 * random.unit(i),
    };
    let first: Vec<f64> = (0..2 * N as u64).map(value).collect();
    let order = permutation(6, N);
    let row = |&point: &usize| &first[2 * point..][..2];
    let second: Vec<f64> = order.iter().flat_map(row).copied().collect();
    let distance = Distance::mutual_reachability(Metric::Euclidean, 5);
    let [one, other] = [&first, &second].map(|rows| condensed(rows, 2, distance, 15));
    assert!(one.clusters() == other.clusters());
    let [found, permuted] = [one, other].map(|tree| tree.select(Selection::default()).unwrap());
    assert!(found.labels.iter().max() > Some(&1000), "few clusters");
    for (place, &point) in order.iter().enumerate() {
        assert_eq!(found.labels[point], permuted.labels[place], "point {point}");
        assert_eq!(found.probabilities[point], permuted.probabilities[place], "point {point}");
    }
}

/// A cluster of the definition: its points, its part of the stability, and its parts.
struct Naive {
    members: Vec<u32>,
    stability: f64,
    parts: Vec<Naive>,
}

/// The components of some points that edges below a distance connect.
fn components(members: &[u32], tree: &PointTree, below: f64) -> Vec<Vec<u32>> {
    let mut components: Vec<Vec<u32>> = members.iter().map(|&point| vec![point]).collect();
    for (&[u, v], _) in tree.ends.iter().zip(&tree.distances).filter(|&(_, &d)| d < below) {
        let find = |point| components.iter().position(|other| other.contains(&point));
        if let (Some(a), Some(b)) = (find(u), find(v)) {
            let joined = components.swap_remove(a.max(b));
            components[a.min(b)].extend(joined);
        }
    }
    components
}

/// The cluster of some points that begins at the distance `birth`, by the definition.
fn naive(mut members: Vec<u32>, birth: f64, tree: &PointTree, least: usize) -> Naive {
    let mut cluster = Naive { members: members.clone(), stability: 0.0, parts: Vec::new() };
    let density = |distance: f64| if distance > 0.0 { 1.0 / distance } else { f64::INFINITY };
    loop {
        // The largest distance inside; no edge connects components.
        let inside = |&(ends, _): &(&[u32; 2], &f64)| ends.iter().all(|end| members.contains(end));
        let distances = tree.ends.iter().zip(&tree.distances).filter(inside).map(|(_, &d)| d);
        let is_apart = components(&members, tree, f64::INFINITY).len() > 1;
        let distance = if is_apart { f64::INFINITY } else { distances.fold(0.0, f64::max) };
        let mut parts = components(&members, tree, distance);
        parts.retain(|part| part.len() >= least);
        let leaving = match &parts[..] {
            [part] => members.len() - part.len(),
            _ => members.len(),
        };
        if distance < birth {
            cluster.stability += (density(distance) - density(birth)) * leaving as f64;
        }
        if parts.len() == 1 {
            members = parts.remove(0);
            continue;
        }
        let parts = parts.into_iter().map(|part| naive(part, distance, tree, least));
        cluster.parts = parts.collect();
        return cluster;
    }
}

/// The clusters with the largest excess of mass, and their excess.
fn best(cluster: Naive) -> (Vec<Vec<u32>>, f64) {
    let (mut chosen, mut below) = (Vec::new(), 0.0);
    for part in cluster.parts {
        let (clusters, excess) = best(part);
        chosen.extend(clusters);
        below += excess;
    }
    if below > cluster.stability {
        (chosen, below)
    } else {
        (vec![cluster.members], cluster.stability)
    }
}

fn sorted(mut clusters: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    clusters.iter_mut().for_each(|cluster| cluster.sort_unstable());
    clusters.sort_unstable();
    clusters
}

fn members(clustering: &Clustering) -> Vec<Vec<u32>> {
    let mut clusters = vec![Vec::new(); clustering.clusters.len()];
    for (point, &label) in (0..).zip(&clustering.labels) {
        if let Ok(label) = usize::try_from(label) {
            clusters[label].push(point);
        }
    }
    sorted(clusters)
}

#[test]
fn clusters_are_those_of_the_definition_also_in_forests() {
    for seed in 0..400 {
        let (n, least) = (3 + (seed as usize * 5) % 30, 2 + seed as u32 % 4);
        let coordinates = rows(seed, n, 1 + seed as usize % 2);
        let points = Points::new(&coordinates, 1 + seed as usize % 2).unwrap();
        let distance = Distance::mutual_reachability(Metric::Euclidean, (1 + n % 4).min(n));
        let mut tree = spanning_tree(&points, distance, &mut Run::new()).unwrap();
        // Without its longest edges, the tree is a forest.
        let edges = tree.ends.len() - (seed as usize % 4).min(tree.ends.len());
        tree.ends.truncate(edges);
        tree.distances.truncate(edges);
        let root = naive((0..n as u32).collect(), f64::INFINITY, &tree, least as usize);
        let mut expected: Vec<_> = root.parts.into_iter().flat_map(|part| best(part).0).collect();
        let condensed = Hierarchy::new(tree).unwrap().condensed(least, Ties::Together).unwrap();
        let found = condensed.select(Selection::default()).unwrap();
        expected = sorted(expected);
        assert_eq!(members(&found), expected, "seed {seed}");
    }
}

#[test]
fn no_cluster_contains_points_of_two_components() {
    // Paths of these sizes, one after the other.
    for (sizes, least, labels) in [
        (&[1, 1, 1, 1, 1][..], 2, vec![-1; 5]),
        (&[2, 2, 2, 6], 5, [vec![-1; 6], vec![-1; 6]].concat()),
        (&[6, 1, 7], 5, [vec![1; 6], vec![-1], vec![0; 7]].concat()),
        (
            &[6, 2, 7, 2, 8],
            5,
            [vec![2; 6], vec![-1; 2], vec![1; 7], vec![-1; 2], vec![0; 8]].concat(),
        ),
    ] {
        let (mut ends, mut start) = (Vec::new(), 0);
        for size in sizes {
            ends.extend((start..start + size - 1).map(|point| [point, point + 1]));
            start += size;
        }
        let tree = PointTree { len: start, distances: vec![1.0; ends.len()], ends };
        for ties in [Ties::Together, Ties::OneByOne] {
            let condensed = Hierarchy::new(tree.clone()).unwrap().condensed(least, ties).unwrap();
            let found = condensed.select(Selection::default()).unwrap().labels;
            let noise = |labels: &[i32]| labels.iter().map(|&label| label < 0).collect::<Vec<_>>();
            assert_eq!(noise(&found), noise(&labels), "{sizes:?}");
            if ties == Ties::Together {
                assert_eq!(found, labels, "{sizes:?}");
            }
        }
    }
}
