//! Tori in two and three dimensions: grids whose opposite sides are joined, so that all vertices
//! have the same degree.
//!
//! The meshes and tori of the experiments of Bader & Cong 2006 ("Fast shared-memory algorithms for
//! computing the minimum spanning forest of sparse graphs") are of this kind: with `keep=0.6` in
//! two dimensions and `keep=0.4` in three, they are its 2D60 and 3D40 with joined sides.
//!
//! Vertices are numbered by layer, row and column. A vertex has its edges to the next column, row
//! and layer, counted around the end, in this order. A dimension of size 2 has one edge between
//! its two places, and a dimension of size 1 has none. Whether an edge is kept depends on its
//! position alone. O(n) time, no scratch memory.

use kostra_core::random::RandomStream;

use crate::parameters::{self, Parameters, SEED};
use crate::source::{BLOCK_EDGES, BlockSource, EdgeEnds, InBlocks};
use crate::{GeneratorInfo, Made, ParameterInfo, SpecError, random};

pub(crate) const INFO: GeneratorInfo = GeneratorInfo {
    id: "torus",
    summary: "a grid in two or three dimensions with joined sides",
    parameters: &[
        ParameterInfo { name: "rows", default: "1000", meaning: "rows, at least 1" },
        ParameterInfo { name: "cols", default: "1000", meaning: "columns, at least 1" },
        ParameterInfo {
            name: "layers",
            default: "1",
            meaning: "layers, at least 1; more than 1 make three dimensions",
        },
        ParameterInfo { name: "keep", default: "1", meaning: "probability that an edge is kept" },
        parameters::weights("u24"),
        SEED,
    ],
    example: "torus:rows=10,cols=12,layers=8,keep=0.4",
    make,
};

fn make(parameters: &Parameters<'_>) -> Result<Made, SpecError> {
    let size = |name| parameters.vertices(name, 1);
    let sizes = [size("cols")?, size("rows")?, size("layers")?];
    let keep = parameters.probability("keep")?;
    let (weights, seed) = parameters.weights_and_seed()?;
    let vertices = sizes.iter().map(|&size| u128::from(size)).product();
    parameters::check_vertices(vertices)?;
    let torus =
        Torus { sizes, vertices: vertices as u64, keep, kept: random::stream(seed, "kept") };
    Made::edges(vertices, (weights, seed), InBlocks(torus))
}

struct Torus {
    /// Columns, rows and layers.
    sizes: [u64; 3],
    vertices: u64,
    keep: f64,
    kept: RandomStream,
}

impl BlockSource for Torus {
    fn blocks(&self) -> usize {
        self.vertices.div_ceil(BLOCK_EDGES) as usize
    }

    fn edges(&self) -> Option<u64> {
        let of_dimension = |&size: &u64| match size {
            1 => 0,
            2 => self.vertices / 2,
            _ => self.vertices,
        };
        (self.keep == 1.0).then(|| self.sizes.iter().map(of_dimension).sum())
    }

    fn fill(&self, block: usize, ends: &mut EdgeEnds) {
        let start = block as u64 * BLOCK_EDGES;
        for u in start..self.vertices.min(start + BLOCK_EDGES) {
            let (mut rest, mut step) = (u, 1);
            for (dimension, &size) in (0..).zip(&self.sizes) {
                let place = rest % size;
                rest /= size;
                // The second place of two has no edge: it is the edge of the first.
                let has_edge = size > 2 || (size == 2 && place == 0);
                if has_edge && (self.keep == 1.0 || self.kept.unit(3 * u + dimension) < self.keep) {
                    let v = if place + 1 < size { u + step } else { u - place * step };
                    ends.push(u as u32, v as u32);
                }
                step *= size;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::generate;

    #[test]
    fn all_vertices_have_the_same_degree_and_edges_are_simple() {
        for (spec, degree) in [
            ("torus:rows=7,cols=9", 4),
            ("torus:rows=3,cols=4,layers=5", 6),
            ("torus:rows=2,cols=5", 3),
            ("torus:rows=1,cols=5", 2),
            ("torus:rows=2,cols=2,layers=2", 3),
        ] {
            let graph = generate(spec).unwrap().graph;
            let mut degrees = vec![0; graph.vertices() as usize];
            let mut pairs = Vec::new();
            for (&u, &v) in graph.u().iter().zip(graph.v()) {
                degrees[u as usize] += 1;
                degrees[v as usize] += 1;
                pairs.push((u.min(v), u.max(v)));
            }
            assert!(degrees.iter().all(|&found| found == degree), "{spec}: {degrees:?}");
            pairs.sort_unstable();
            pairs.dedup();
            assert_eq!(pairs.len(), graph.edges(), "{spec}");
        }
    }

    #[test]
    fn the_share_of_kept_edges_is_the_probability() {
        let edges = generate("torus:rows=40,cols=50,layers=30,keep=0.4").unwrap().graph.edges();
        // 180,000 edges: four standard deviations are 831.
        assert!(edges.abs_diff(72_000) < 831, "{edges}");
    }
}
