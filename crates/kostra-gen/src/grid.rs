//! Grids: each vertex has up to four neighbors. Each of these edges is kept with probability
//! `keep`.
//!
//! Vertices are numbered by row, and edges ascend by `(u, v)`. The decision to keep an edge depends
//! on its position alone. So the edges of `keep=0.5` are a subset of those of `keep=0.6`. O(rows *
//! cols) time, no scratch memory.

use kostra_core::random::RandomStream;

use crate::allocation;
use crate::parameters::{self, Parameters, SEED};
use crate::random;
use crate::source::{BLOCK_EDGES, BlockSource, EdgeEnds, InBlocks};
use crate::{GeneratorInfo, Made, ParameterInfo, SpecError};

pub(crate) const INFO: GeneratorInfo = GeneratorInfo {
    id: "grid",
    summary: "a grid in which each vertex is joined to its four neighbors",
    parameters: &[
        ParameterInfo { name: "side", default: "1000", meaning: "rows and columns" },
        ParameterInfo { name: "rows", default: "side", meaning: "rows" },
        ParameterInfo { name: "cols", default: "side", meaning: "columns" },
        ParameterInfo { name: "keep", default: "1", meaning: "probability that an edge is kept" },
        parameters::weights("u24"),
        SEED,
    ],
    example: "grid:rows=30,cols=40,keep=0.6",
    make,
};

fn make(parameters: &Parameters<'_>) -> Result<Made, SpecError> {
    let side = parameters.integer("side", 0..=u64::MAX)?;
    let rows = parameters.integer_if_given("rows", 0..=u64::MAX)?.unwrap_or(side);
    let columns = parameters.integer_if_given("cols", 0..=u64::MAX)?.unwrap_or(side);
    let keep = parameters.probability("keep")?;
    let (weights, seed) = (parameters.weights()?, parameters.seed()?);

    let vertices = u128::from(rows) * u128::from(columns);
    let all = vertices.saturating_mul(2).saturating_sub(u128::from(rows) + u128::from(columns));
    allocation::check_size(vertices, if keep == 1.0 { all } else { 0 }, 0)?;
    let grid = Grid { rows, columns, keep, kept: random::stream(seed, "kept") };
    Made::edges(vertices, (weights, seed), InBlocks(grid))
}

struct Grid {
    rows: u64,
    columns: u64,
    keep: f64,
    kept: RandomStream,
}

impl BlockSource for Grid {
    fn blocks(&self) -> usize {
        (self.rows * self.columns).div_ceil(BLOCK_EDGES) as usize
    }

    fn edges(&self) -> Option<u64> {
        let (rows, columns) = (self.rows, self.columns);
        let all = if rows * columns == 0 { 0 } else { 2 * rows * columns - rows - columns };
        (self.keep == 1.0).then_some(all)
    }

    fn fill(&self, block: usize, ends: &mut EdgeEnds) {
        let kept = |edge| self.keep == 1.0 || self.kept.unit(edge) < self.keep;
        let start = block as u64 * BLOCK_EDGES;
        for u in start..(self.rows * self.columns).min(start + BLOCK_EDGES) {
            let (row, column) = (u / self.columns, u % self.columns);
            if column + 1 < self.columns && kept(2 * u) {
                ends.push(u as u32, (u + 1) as u32);
            }
            if row + 1 < self.rows && kept(2 * u + 1) {
                ends.push(u as u32, (u + self.columns) as u32);
            }
        }
    }
}
