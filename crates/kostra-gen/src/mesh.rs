//! Triangulated meshes: a grid of squares, each divided into two triangles by a random diagonal.
//!
//! The mesh is planar, and all its inner faces are triangles, as in the finite-element meshes and
//! the Delaunay triangulations among the inputs of Shou & He 2024. Each square has either diagonal
//! with probability 1/2. So an inner vertex has four edges of the grid, and each of its four
//! squares adds a diagonal with probability 1/2: its degree is 4 + B(4, 1/2), with mean 6 and
//! variance 1. A Delaunay triangulation of random points also has mean degree 6, with variance 1.78
//! (Hilhorst 2008).
//!
//! Vertices are numbered by row. A vertex has its edges to the next column, to the next row, and
//! the diagonal of the square to its lower right. O(n) time, no scratch memory.

use kostra_core::random::RandomStream;

use crate::parameters::{self, Parameters, SEED};
use crate::source::{BLOCK_EDGES, BlockSource, EdgeEnds, InBlocks};
use crate::{GeneratorInfo, Made, ParameterInfo, SpecError, random};

pub(crate) const INFO: GeneratorInfo = GeneratorInfo {
    id: "mesh",
    summary: "a planar mesh of triangles: a grid of squares with random diagonals",
    parameters: &[
        ParameterInfo { name: "rows", default: "1000", meaning: "rows, at least 1" },
        ParameterInfo { name: "cols", default: "1000", meaning: "columns, at least 1" },
        parameters::weights("u24"),
        SEED,
    ],
    example: "mesh:rows=30,cols=40",
    make,
};

fn make(parameters: &Parameters<'_>) -> Result<Made, SpecError> {
    let (rows, columns) = (parameters.vertices("rows", 1)?, parameters.vertices("cols", 1)?);
    let (weights, seed) = parameters.weights_and_seed()?;
    let vertices = u128::from(rows) * u128::from(columns);
    parameters::check_vertices(vertices)?;
    let mesh = Mesh { rows, columns, diagonals: random::stream(seed, "diagonals") };
    Made::edges(vertices, (weights, seed), InBlocks(mesh))
}

struct Mesh {
    rows: u64,
    columns: u64,
    diagonals: RandomStream,
}

impl BlockSource for Mesh {
    fn blocks(&self) -> usize {
        (self.rows * self.columns).div_ceil(BLOCK_EDGES) as usize
    }

    fn edges(&self) -> Option<u64> {
        let (rows, columns) = (self.rows, self.columns);
        Some(rows * (columns - 1) + columns * (rows - 1) + (rows - 1) * (columns - 1))
    }

    fn fill(&self, block: usize, ends: &mut EdgeEnds) {
        let start = block as u64 * BLOCK_EDGES;
        for u in start..(self.rows * self.columns).min(start + BLOCK_EDGES) {
            let has_right = u % self.columns + 1 < self.columns;
            let below = u + self.columns;
            if has_right {
                ends.push(u as u32, u as u32 + 1);
            }
            if below < self.rows * self.columns {
                ends.push(u as u32, below as u32);
                if has_right && self.diagonals.at(u) >> 63 == 0 {
                    ends.push(u as u32, below as u32 + 1);
                } else if has_right {
                    ends.push(u as u32 + 1, below as u32);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::generate;

    #[test]
    fn inner_degrees_are_four_and_a_binomial_number_of_diagonals() {
        let (rows, columns) = (300, 400);
        let graph = generate(&format!("mesh:rows={rows},cols={columns}")).unwrap().graph;
        let mut degrees = vec![0_usize; rows * columns];
        for (&u, &v) in graph.u().iter().zip(graph.v()) {
            degrees[u as usize] += 1;
            degrees[v as usize] += 1;
        }
        let mut count = [0_usize; 9];
        for row in 1..rows - 1 {
            for column in 1..columns - 1 {
                count[degrees[row * columns + column]] += 1;
            }
        }
        let inner = ((rows - 2) * (columns - 2)) as f64;
        assert_eq!(count[..4], [0; 4]);
        for (degree, share) in (4..).zip([1.0, 4.0, 6.0, 4.0, 1.0]) {
            // A diagonal counts at four vertices, so degrees of neighbors depend on each other:
            // four standard deviations with twice the variance.
            let expected = inner * share / 16.0;
            let bound = 4.0 * (2.0 * expected).sqrt();
            assert!((count[degree] as f64 - expected).abs() < bound, "{degree}: {count:?}");
        }
    }

    #[test]
    fn all_inner_faces_are_triangles() {
        // Euler: edges = vertices + faces - 1 without the outer face.
        let graph = generate("mesh:rows=13,cols=17").unwrap().graph;
        assert_eq!(graph.edges(), 13 * 17 + 2 * 12 * 16 - 1);
    }
}
