//! The edges between points: the Gabriel graph.
//!
//! Two points are joined if no third point is in the circle whose diameter they are. If a third
//! point is in the circle, both its distances are shorter, so the edge is the heaviest of a
//! triangle and in no minimum spanning tree (cycle property). So the graph contains a minimum
//! spanning tree of all distances, with few of the edges (Gabriel and Sokal 1969).
//!
//! Time O(n² log n) for sorting the points by distance, and usually O(1) points for each pair.

use kostra_core::Vertex;

/// The edges of the Gabriel graph of `places`, by their ends, the lower one first.
pub fn gabriel(places: &[[f64; 2]]) -> Vec<(Vertex, Vertex)> {
    let square = |a: usize, b: usize| {
        let [dx, dy] = [0, 1].map(|axis| places[a][axis] - places[b][axis]);
        dx * dx + dy * dy
    };
    let mut ends = Vec::new();
    for a in 0..places.len() {
        let mut others: Vec<usize> = (0..places.len()).filter(|&other| other != a).collect();
        others.sort_by(|&b, &c| square(a, b).total_cmp(&square(a, c)));
        for (index, &b) in others.iter().enumerate().filter(|&(_, &b)| a < b) {
            let diameter = square(a, b);
            // A point in the circle is nearer to `a` than `b` is. Points at the place of an end are
            // not between the ends.
            let between = others[..index].iter().any(|&c| {
                let [to_a, to_b] = [square(a, c), square(b, c)];
                to_a < diameter && to_b < diameter && to_a + to_b <= diameter
            });
            if !between {
                ends.push((a as Vertex, b as Vertex));
            }
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use kostra_core::random::RandomStream;
    use kostra_core::{AnyGraph, Order, Run};

    use super::*;

    fn total(places: &[[f64; 2]], ends: &[(u32, u32)]) -> (f64, usize) {
        let length = |&(a, b): &(u32, u32)| {
            let [a, b] = [places[a as usize], places[b as usize]];
            (a[0] - b[0]).hypot(a[1] - b[1])
        };
        let weights: Vec<f64> = ends.iter().map(length).collect();
        let (u, v) = ends.iter().copied().unzip();
        let graph = AnyGraph::from_edges(places.len(), u, v, weights.clone()).unwrap();
        let forest = kostra_cpu::FASTEST_ON_SMALL
            .solve(&graph, Order::Minimum, &mut Run::new())
            .unwrap()
            .forest;
        (forest.ids().iter().map(|&id| weights[id as usize]).sum(), forest.ids().len())
    }

    #[test]
    fn the_graph_contains_a_minimum_spanning_tree_of_all_pairs() {
        for (seed, grid) in [(1, 1 << 53), (2, 12), (3, 4)] {
            let random = RandomStream::new(seed);
            let places: Vec<[f64; 2]> = (0..80)
                .map(|i| [2 * i, 2 * i + 1].map(|at| (random.at(at) % grid) as f64))
                .collect();
            let all: Vec<(u32, u32)> =
                (0..80).flat_map(|a| (a + 1..80).map(move |b| (a, b))).collect();
            let near = gabriel(&places);
            let ((sum, edges), (least, all_edges)) = (total(&places, &near), total(&places, &all));
            assert_eq!(edges, all_edges, "seed {seed}");
            assert!((sum - least).abs() < 1e-9 * least, "{sum} is not {least}, seed {seed}");
            assert!(near.len() < all.len() / 2, "{} edges", near.len());
        }
    }
}
