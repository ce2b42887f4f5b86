//! Watts-Strogatz graphs: a ring in which every vertex is joined to its nearest neighbors, and some
//! edges are rewired to random vertices. Few rewired edges make all distances short (a small
//! world), and most neighbors are still neighbors of each other.
//!
//! The definition is that of Watts & Strogatz 1998. Vertex `u` has `reach` edges of its own, to the
//! next `reach` vertices of the ring, and each is rewired with probability `rewire`: its other end
//! becomes a uniformly random vertex that is not a neighbor of `u` in the ring. So the mean degree
//! is `2 reach`, and a rewired edge differs from every edge of the ring.
//!
//! Watts and Strogatz rewire one edge after the other, and forbid repeated edges. Here an edge
//! depends on its id alone, so that parts are generated without the others. About
//! `(rewire * reach)^2` edges of the whole graph repeat another rewired edge, and stay as parallel
//! edges. Watts and Strogatz also allow a neighbor in the ring whose own edge was rewired.
//!
//! Edges ascend by `u`. O(m) time, and only O(m / parts) for a part. No scratch memory.

use kostra_core::random::RandomStream;

use crate::parameters::{self, Parameters, SEED};
use crate::random;
use crate::source::ById;
use crate::{GeneratorInfo, Made, ParameterInfo, SpecError};

pub(crate) const INFO: GeneratorInfo = GeneratorInfo {
    id: "watts-strogatz",
    summary: "a ring of near neighbors with rewired edges (Watts-Strogatz), a small world",
    parameters: &[
        ParameterInfo { name: "n", default: "1M", meaning: "vertices" },
        ParameterInfo {
            name: "reach",
            default: "4, or less if n is below 9",
            meaning: "neighbors on each side in the ring, below half of n",
        },
        ParameterInfo {
            name: "rewire",
            default: "0.1",
            meaning: "probability that an edge gets a random end",
        },
        parameters::weights("u24"),
        SEED,
    ],
    example: "watts-strogatz:n=1000,reach=3",
    make,
};

/// The default of `reach`.
const REACH: u64 = 4;

fn make(parameters: &Parameters<'_>) -> Result<Made, SpecError> {
    let vertices = parameters.vertices("n", 0)?;
    // Beyond half of the ring, an edge would repeat an edge of the other side.
    let most = vertices.saturating_sub(1) / 2;
    let reach = parameters.integer_if_given("reach", 0..=most)?.unwrap_or(REACH.min(most));
    let rewire = parameters.probability("rewire")?;
    let (weights, seed) = parameters.weights_and_seed()?;

    let ring = Ring::new(vertices, reach, rewire, seed);
    let edges = vertices.saturating_mul(reach);
    let ring = ById { edges, edge: move |id| ring.edge(id) };
    Made::edges(vertices.into(), (weights, seed), ring)
}

struct Ring {
    vertices: u64,
    reach: u64,
    rewire: f64,
    rewired: RandomStream,
    ends: RandomStream,
}

impl Ring {
    fn new(vertices: u64, reach: u64, rewire: f64, seed: u64) -> Self {
        let stream = |purpose| random::stream(seed, purpose);
        Self { vertices, reach, rewire, rewired: stream("rewired"), ends: stream("ends") }
    }

    /// The edge with an id.
    #[inline]
    fn edge(&self, id: u64) -> (u32, u32) {
        let (u, step) = (id / self.reach, id % self.reach + 1);
        // The vertices that are neither `u` nor a neighbor in the ring; none if it is complete.
        let others = self.vertices - 1 - 2 * self.reach;
        let is_rewired = others > 0 && self.rewired.unit(id) < self.rewire;
        let ahead = if is_rewired { self.reach + 1 + self.ends.below(id, others) } else { step };
        (u as u32, ((u + ahead) % self.vertices) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How far ahead each edge leads around the ring.
    fn steps(ring: &Ring) -> Vec<u64> {
        let ahead = |id| {
            let (u, v) = ring.edge(id);
            (u64::from(v) + ring.vertices - u64::from(u)) % ring.vertices
        };
        (0..ring.vertices * ring.reach).map(ahead).collect()
    }

    #[test]
    fn the_share_of_rewired_edges_is_the_probability() {
        for (rewire, expected) in [(0.0, 0.0), (0.1, 4e4), (0.7, 28e4), (1.0, 4e5)] {
            let ring = Ring::new(100_000, 4, rewire, 2);
            let far = steps(&ring).iter().filter(|&&step| step > 4).count() as f64;
            // Four standard deviations.
            let bound = 4.0 * (expected * (1.0 - rewire)).sqrt();
            assert!((far - expected).abs() <= bound, "{rewire}: {far}");
        }
    }

    #[test]
    fn a_rewired_edge_reaches_every_vertex_beyond_the_neighbors_equally_often() {
        let mut count = [0_u32; 20];
        for seed in 0..500 {
            for step in steps(&Ring::new(20, 3, 1.0, seed)) {
                count[step as usize] += 1;
            }
        }
        // 13 vertices beyond, and 30,000 edges: four standard deviations.
        assert!(count[..4].iter().chain(&count[17..]).all(|&count| count == 0), "{count:?}");
        assert!(count[4..17].iter().all(|count| count.abs_diff(2308) < 185), "{count:?}");
    }

    #[test]
    fn a_ring_without_rewiring_has_equal_degrees() {
        let ring = Ring::new(50, 7, 0.0, 1);
        let mut degrees = [0; 50];
        for (u, v) in (0..350).map(|id| ring.edge(id)) {
            degrees[u as usize] += 1;
            degrees[v as usize] += 1;
        }
        assert_eq!(degrees, [14; 50]);
    }

    #[test]
    fn degrees_vary_only_by_the_ends_that_others_rewire() {
        let ring = Ring::new(20_000, 5, 0.5, 9);
        let mut degrees = vec![0_u32; 20_000];
        for (u, v) in (0..100_000).map(|id| ring.edge(id)) {
            degrees[u as usize] += 1;
            degrees[v as usize] += 1;
        }
        // Five edges of its own, and of others on average five: half of them from neighbors in the
        // ring (binomial), and half rewired (Poisson), together with variance 3.75.
        assert!(degrees.iter().all(|&degree| degree >= 5));
        let squares = |degree: &u32| (f64::from(*degree) - 10.0).powi(2);
        let variance = degrees.iter().map(squares).sum::<f64>() / 20_000.0;
        // The fourth moment of the normal distribution gives a deviation of 0.0375.
        assert!((variance - 3.75).abs() < 0.2, "{variance}");
    }

    /// The number of triangles, without those that only parallel edges make.
    fn triangles(ring: &Ring) -> usize {
        let mut later = vec![Vec::new(); ring.vertices as usize];
        for (u, v) in (0..ring.vertices * ring.reach).map(|id| ring.edge(id)) {
            later[u.min(v) as usize].push(u.max(v));
        }
        for neighbors in &mut later {
            neighbors.sort_unstable();
            neighbors.dedup();
        }
        let common = |u: &Vec<u32>, v: &Vec<u32>| u.iter().filter(|end| v.contains(end)).count();
        let of_vertex = |own: &Vec<u32>| -> usize {
            own.iter().map(|&neighbor| common(own, &later[neighbor as usize])).sum()
        };
        later.iter().map(of_vertex).sum()
    }

    #[test]
    fn the_clustering_coefficient_falls_with_the_cube_of_the_edges_that_stay() {
        // Barrat & Weigt 2000: a triangle of the ring stays if its three edges stay. So the mean
        // number of edges between the neighbors of a vertex, divided by all pairs of 2k neighbors,
        // is C(0) (1 - beta)^3 with C(0) = 3 (k - 1) / (2 (2k - 1)), up to O(1 / n).
        let (n, k) = (100_000, 5.0);
        for beta in [0.0, 0.05, 0.1, 0.3, 0.5, 0.8, 1.0_f64] {
            let triangles = triangles(&Ring::new(n, 5, beta, 3)) as f64;
            let coefficient = 3.0 * triangles / (n as f64 * k * (2.0 * k - 1.0));
            let stays = 1.0 - beta;
            let expected = 3.0 * (k - 1.0) / (2.0 * (2.0 * k - 1.0)) * stays.powi(3);
            // Each of the 10 n triangles of the ring shares an edge with at most 21 others. Five
            // deviations, and up to 300 triangles with rewired edges, as in a random graph.
            let variance = stays.powi(3) * (1.0 - stays.powi(3)) + 21.0 * stays.powi(5) * beta;
            let bound = 5.0 * (10.0 * n as f64 * variance).sqrt() + 300.0;
            let bound = 3.0 * bound / (n as f64 * k * (2.0 * k - 1.0));
            assert!((coefficient - expected).abs() <= bound, "{beta}: {coefficient} {expected}");
            assert!(beta != 0.0 || triangles == 10.0 * n as f64);
        }
    }

    #[test]
    fn a_complete_ring_keeps_its_edges() {
        let ring = Ring::new(7, 3, 1.0, 1);
        assert!(steps(&ring).iter().all(|&step| step <= 3));
    }
}
