//! Grids: each vertex has up to four neighbors. Each of these edges is kept with probability
//! `keep`.
//!
//! Vertices are numbered by row, and edges ascend by `(u, v)`. The decision to keep an edge depends
//! on its position alone. So the edges of `keep=0.5` are a subset of those of `keep=0.6`. O(rows *
//! cols) time, no scratch memory.

use kostra_core::random::Stream;

use crate::builder::Builder;
use crate::parameters::{self, Parameters, SEED};
use crate::random;
use crate::{Generated, GeneratorInfo, ParameterInfo, SpecError};

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

fn make(parameters: &Parameters<'_>) -> Result<Generated, SpecError> {
    let side = parameters.integer("side", 0..=u64::MAX)?;
    let rows = parameters.integer_if_given("rows", 0..=u64::MAX)?.unwrap_or(side);
    let columns = parameters.integer_if_given("cols", 0..=u64::MAX)?.unwrap_or(side);
    let keep = parameters.probability("keep")?;
    let (weights, seed) = (parameters.weights()?, parameters.seed()?);

    let vertices = u128::from(rows) * u128::from(columns);
    let all = vertices.saturating_mul(2).saturating_sub(u128::from(rows) + u128::from(columns));
    // Refused by its vertices before its edges are counted one by one.
    Builder::new(vertices, 0, weights, parameters.share())?;
    if vertices == 0 {
        return Builder::new(0, 0, weights, parameters.share())?.finish(weights, seed);
    }
    let grid = Grid { rows, columns, keep, kept: random::stream(seed, "kept") };
    let edges = if keep == 1.0 {
        all
    } else {
        let mut count = 0_u128;
        grid.each_edge(|_, _| count += 1);
        count
    };
    let mut builder = Builder::new(vertices, edges, weights, parameters.share())?;
    grid.each_edge(|u, v| builder.edge(u, v));
    builder.finish(weights, seed)
}

struct Grid {
    rows: u64,
    columns: u64,
    keep: f64,
    kept: Stream,
}

impl Grid {
    /// Visits the kept edges in order.
    fn each_edge(&self, mut visit: impl FnMut(u32, u32)) {
        let kept = |edge| self.keep == 1.0 || self.kept.unit(edge) < self.keep;
        for row in 0..self.rows {
            for column in 0..self.columns {
                let u = row * self.columns + column;
                if column + 1 < self.columns && kept(2 * u) {
                    visit(u as u32, (u + 1) as u32);
                }
                if row + 1 < self.rows && kept(2 * u + 1) {
                    visit(u as u32, (u + self.columns) as u32);
                }
            }
        }
    }
}
