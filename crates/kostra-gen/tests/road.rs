//! What `road` promises: real degrees, one piece, no crossings, lengths that are distances.

use kostra_core::{AnyGraph, Coordinates, UnionFind};
use kostra_gen::generate;

/// A road network with its places and lengths.
struct Roads {
    places: Vec<[f64; 2]>,
    edges: Vec<(u32, u32)>,
    lengths: Vec<u32>,
}

fn roads(spec: &str) -> Roads {
    let Ok(made) = generate(spec) else { panic!("{spec} is refused") };
    let Some(Coordinates::Planar(places)) = made.coordinates else { panic!("no places") };
    let AnyGraph::U32(graph) = made.graph else { panic!("no lengths") };
    let list = graph.edge_list();
    assert_eq!(list.vertices() as usize, places.len());
    let edges = list.u().iter().copied().zip(list.v().iter().copied()).collect();
    Roads { places, edges, lengths: list.weights().to_vec() }
}

/// Shares of vertices with the degrees 1, 2, 3, 4, and 5 or more.
fn degree_shares(roads: &Roads) -> [f64; 5] {
    let mut degrees = vec![0_usize; roads.places.len()];
    for &(u, v) in &roads.edges {
        degrees[u as usize] += 1;
        degrees[v as usize] += 1;
    }
    let mut shares = [0.0; 5];
    for degree in degrees {
        shares[degree.clamp(1, 5) - 1] += 1.0 / roads.places.len() as f64;
    }
    shares
}

fn distance(a: [f64; 5], b: [f64; 5]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0
}

const NEW_YORK: [f64; 5] = [0.1557, 0.1527, 0.4711, 0.2156, 0.0049];
const BAY: [f64; 5] = [0.2276, 0.2030, 0.4394, 0.1281, 0.0019];
const COLORADO: [f64; 5] = [0.1895, 0.3371, 0.3659, 0.1066, 0.0010];

#[test]
fn degrees_are_those_of_real_road_networks() {
    for seed in 1..4 {
        let roads = roads(&format!("road:n=200k,seed={seed}"));
        let mean_degree = 2.0 * roads.edges.len() as f64 / roads.places.len() as f64;
        assert!((2.51..2.56).contains(&mean_degree), "{mean_degree}");
        let shares = degree_shares(&roads);
        let mean =
            std::array::from_fn(|degree| (NEW_YORK[degree] + BAY[degree] + COLORADO[degree]) / 3.0);
        assert!(distance(shares, mean) < 0.01, "{shares:?}");
        assert!(distance(shares, NEW_YORK) < 0.125, "{shares:?}");
        assert!(distance(shares, BAY) < 0.06, "{shares:?}");
        assert!(distance(shares, COLORADO) < 0.115, "{shares:?}");
    }
}

#[test]
fn a_network_of_any_size_is_in_one_piece_and_has_that_size() {
    for vertices in (0..300).chain([5000]) {
        let roads = roads(&format!("road:n={vertices},seed={vertices}"));
        assert_eq!(roads.places.len(), vertices);
        let mut components = UnionFind::new(vertices as u32);
        for &(u, v) in &roads.edges {
            components.union(u, v);
        }
        assert_eq!(components.sets() as usize, vertices.min(1), "{vertices} vertices");
    }
}

#[test]
fn no_two_roads_cross() {
    for seed in 1..4 {
        let Roads { places, edges, .. } = roads(&format!("road:n=2500,seed={seed}"));
        let ends = |(u, v): (u32, u32)| (places[u as usize], places[v as usize]);
        // Which side of the line from a to b the point c is on.
        let side = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| {
            (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        };
        for (index, &first) in edges.iter().enumerate() {
            for &second in &edges[..index] {
                let shared = [first.0, first.1]
                    .iter()
                    .filter(|end| [second.0, second.1].contains(end))
                    .count();
                assert!(shared < 2, "{first:?} is there twice");
                let ((a, b), (c, d)) = (ends(first), ends(second));
                if shared == 0 {
                    let apart =
                        side(a, b, c) * side(a, b, d) > 0.0 || side(c, d, a) * side(c, d, b) > 0.0;
                    // Pieces of one chain lie on one line; there, boxes that do not meet keep them
                    // apart.
                    let boxes_apart = (0..2).any(|axis| {
                        a[axis].max(b[axis]) < c[axis].min(d[axis])
                            || c[axis].max(d[axis]) < a[axis].min(b[axis])
                    });
                    assert!(apart || boxes_apart, "{first:?} crosses {second:?}");
                } else {
                    // Two roads at a junction part in different directions.
                    let at =
                        if first.0 == second.0 || first.0 == second.1 { first.0 } else { first.1 };
                    let away = |(u, v): (u32, u32)| {
                        let to = places[(if u == at { v } else { u }) as usize];
                        let from = places[at as usize];
                        [to[0] - from[0], to[1] - from[1]]
                    };
                    let ([ax, ay], [bx, by]) = (away(first), away(second));
                    let (cross, dot) = (ax * by - ay * bx, ax * bx + ay * by);
                    assert!(
                        cross.abs() > 1e-6 * dot.abs() || dot < 0.0,
                        "{first:?} covers {second:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn weights_are_the_distances_between_the_ends() {
    let Roads { places, edges, lengths } = roads("road:n=20k");
    for (&(u, v), length) in edges.iter().zip(lengths) {
        let ([ux, uy], [vx, vy]) = (places[u as usize], places[v as usize]);
        assert_eq!(
            f64::from(length),
            ((ux - vx).powi(2) + (uy - vy).powi(2)).sqrt().round().max(1.0)
        );
    }
}

#[test]
fn neighbors_have_near_ids() {
    let Roads { places, edges, .. } = roads("road:n=100k");
    assert!(edges.windows(2).all(|pair| pair[0].1 <= pair[1].1), "ascending by the higher end");
    let mut gaps: Vec<u32> = edges.iter().map(|(u, v)| v - u).collect();
    gaps.sort_unstable();
    assert!(gaps[gaps.len() / 2] <= 4);
    assert!(f64::from(gaps[gaps.len() - 1]) < 2.0 * (places.len() as f64).sqrt());
}
