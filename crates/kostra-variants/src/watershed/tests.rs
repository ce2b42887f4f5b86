use kostra_core::random::RandomStream;
use kostra_core::{EdgeId, EdgeList, Run, UnionFind};
use kostra_points::grid::{Connectivity, Grid};

use super::*;

/// The definition of a minimum spanning forest rooted in markers, by Kruskal's algorithm: an edge
/// joins two trees unless both have a marker.
fn by_definition(graph: &EdgeList<f64>, markers: &[u32]) -> Vec<u32> {
    let mut ids: Vec<usize> = (0..graph.len()).collect();
    ids.sort_by(|&a, &b| graph.weights()[a].total_cmp(&graph.weights()[b]).then(a.cmp(&b)));
    let mut sets = UnionFind::new(graph.vertices());
    let mut labels = markers.to_vec();
    for id in ids {
        let (a, b) = (sets.find(graph.u()[id]) as usize, sets.find(graph.v()[id]) as usize);
        if a != b && (labels[a] == 0 || labels[b] == 0) {
            let label = labels[a].max(labels[b]);
            sets.union(a as u32, b as u32);
            labels[a.min(b)] = label;
        }
    }
    (0..graph.vertices()).map(|vertex| labels[sets.find(vertex) as usize]).collect()
}

fn random_markers(seed: u64, vertices: usize) -> Vec<u32> {
    let random = RandomStream::new(seed);
    let mut markers: Vec<u32> = (0..vertices as u64)
        .map(|vertex| random.below(vertex, 30).saturating_sub(26) as u32)
        .collect();
    let place = random.split(1).below(0, vertices as u64) as usize;
    markers[place] = 7;
    markers
}

#[test]
fn regions_of_a_graph_are_those_of_the_definition() {
    for seed in 0..60 {
        let random = RandomStream::new(seed);
        let vertices = 1 + random.below(0, 40) as usize;
        let edges = random.below(1, 90);
        let end = |part: u64| -> Vec<Vertex> {
            (0..edges).map(|e| random.split(part).below(e, vertices as u64) as Vertex).collect()
        };
        let weights: Vec<_> = (0..edges).map(|e| random.split(3).below(e, 6) as f64).collect();
        let graph = EdgeList::new(vertices, end(1), end(2), weights).unwrap();
        let markers = random_markers(seed, vertices);
        let found = watershed_of_graph(&graph, &markers, &mut Run::new()).unwrap();
        assert_eq!(found, by_definition(&graph, &markers), "seed {seed}");
    }
}

#[test]
fn regions_of_a_grid_are_those_of_its_graph_on_any_number_of_threads() {
    let shapes = [[1, 1, 1], [1, 1, 9], [1, 9, 1], [1, 8, 9], [4, 5, 6], [1, 190, 211]];
    for seed in 0..6 {
        for shape in shapes {
            for connectivity in [Connectivity::Faces, Connectivity::Corners] {
                let grid = Grid::new(shape, connectivity).unwrap();
                let random = RandomStream::new(seed);
                let values: Vec<f64> = (0..2 * grid.cells() as u64)
                    .map(|cell| random.below(cell, 3 + 40 * seed) as f64)
                    .collect();
                let single = &values[..grid.cells()];
                let markers = random_markers(seed, grid.cells());
                let cases = [
                    (Relief::Heights, single, 1, grid.higher_values(single).unwrap()),
                    (Relief::Differences, single, 1, grid.differences(single, 1).unwrap()),
                    (Relief::Differences, &values, 2, grid.differences(&values, 2).unwrap()),
                ];
                for (relief, values, channels, graph) in cases {
                    let expected = by_definition(&graph, &markers);
                    for threads in [1, 3] {
                        let mut run = Run::new().on_threads(threads);
                        let field = GridRelief { grid: &grid, values, channels, relief };
                        let found = watershed_of_grid(&field, &markers, &mut run);
                        assert_eq!(found.unwrap(), expected, "{shape:?}, {relief:?}, seed {seed}");
                    }
                }
            }
        }
    }
}

#[test]
fn markers_that_do_not_fit_are_refused() {
    let graph = EdgeList::new(2, vec![0], vec![1], vec![1.0]).unwrap();
    let error = |markers: &[u32]| {
        watershed_of_graph(&graph, markers, &mut Run::new()).unwrap_err().to_string()
    };
    assert!(error(&[1]).contains("1 labels of markers are not one for each of 2 vertices"));
    assert!(error(&[0, 0]).contains("there is no marker"));
    let grid = Grid::new([1, 1, 2], Connectivity::Faces).unwrap();
    let of = |values: &[f64], channels, relief, markers: &[u32]| {
        watershed_of_grid(
            &GridRelief { grid: &grid, values, channels, relief },
            markers,
            &mut Run::new(),
        )
    };
    assert!(of(&[1.0], 1, Relief::Heights, &[1, 0]).is_err());
    assert!(of(&[1.0; 4], 2, Relief::Heights, &[1, 0]).is_err());
    assert!(of(&[1.0, f64::NAN], 1, Relief::Heights, &[1, 0]).is_err());
    assert!(of(&[1.0, 2.0], 1, Relief::Heights, &[1]).is_err());
    let forest: [EdgeId; 1] = [0];
    for areas in [&[1.0][..], &[1.0, -1.0], &[f64::INFINITY, 0.0]] {
        assert!(watershed_hierarchy(&graph, &forest, Regional::Area, areas).is_err());
    }
}

/// Dynamics are how far the meeting of two regions is above the lower minimum of the less deep one,
/// which the elder rule finds in another way.
#[test]
fn dynamics_are_the_persistence_of_minima() {
    for seed in 0..40 {
        let random = RandomStream::new(seed);
        let n = 40_u32;
        let u: Vec<_> = (1..n).map(|v| random.below(u64::from(v), u64::from(v)) as u32).collect();
        let weights: Vec<f64> =
            (1..u64::from(n)).map(|e| random.split(1).below(e, 9) as f64).collect();
        let graph =
            EdgeList::new(n as usize, u.clone(), (1..n).collect::<Vec<_>>(), weights.clone())
                .unwrap();
        let forest: Vec<EdgeId> = (0..n - 1).collect();
        let mut found = watershed_hierarchy(&graph, &forest, Regional::Dynamics, &[]).unwrap();
        // A vertex enters with its lightest edge.
        let mut births = vec![f64::INFINITY; n as usize];
        for ((&u, v), &weight) in u.iter().zip(1..).zip(&weights) {
            for end in [u, v] {
                births[end as usize] = births[end as usize].min(weight);
            }
        }
        let births = crate::Births::Values(&births);
        let pairs =
            crate::persistence_of_graph(&graph, births, Order::Minimum, &mut Run::new()).unwrap();
        let mut expected: Vec<_> = pairs
            .iter()
            .map(crate::PersistencePair::persistence)
            .filter(|p| p.is_finite())
            .collect();
        found.retain(|&weight| weight > 0.0);
        found.sort_by(f64::total_cmp);
        expected.sort_by(f64::total_cmp);
        assert_eq!(found, expected, "seed {seed}");
    }
}

/// Two vertices on each side of a pass, by hand.
#[test]
fn a_plateau_is_no_region_of_its_own() {
    // All edges weigh 1, so the only region is the whole path: nothing is of importance.
    let graph = EdgeList::new(4, vec![0, 1, 2], vec![1, 2, 3], vec![1, 1, 1]).unwrap();
    for attribute in [Regional::Dynamics, Regional::Area, Regional::Volume] {
        let weights = watershed_hierarchy(&graph, &[0, 1, 2], attribute, &[]).unwrap();
        assert_eq!(weights, [0.0; 3], "{attribute:?}");
    }
    let heavy = [5.0, 1.0, 1.0, 2.0];
    let graph = EdgeList::new(4, vec![0, 1, 2], vec![1, 2, 3], vec![1, 3, 1]).unwrap();
    let weights = watershed_hierarchy(&graph, &[0, 1, 2], Regional::Area, &heavy).unwrap();
    assert_eq!(weights, [0.0, 3.0, 0.0]);
}

#[test]
fn the_most_important_regions_remain() {
    let ends = |from: u32| (from..from + 6).collect::<Vec<_>>();
    let path = EdgeList::new(7, ends(0), ends(1), vec![0, 0, 5, 1, 3, 2]).unwrap();
    let forest: Vec<EdgeId> = (0..6).collect();
    let weights = watershed_hierarchy(&path, &forest, Regional::Volume, &[]).unwrap();
    let of = |regions| important_regions(&path, &forest, &weights, regions);
    assert_eq!(of(1).unwrap(), [0; 7]);
    assert_eq!(of(2).unwrap(), [0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(of(3).unwrap(), [0, 0, 0, 1, 1, 2, 2]);
    for regions in [0, 4] {
        assert!(of(regions).unwrap_err().to_string().contains("is from 1 to 3 here"));
    }
}
