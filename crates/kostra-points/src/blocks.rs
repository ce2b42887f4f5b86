//! Coordinates in blocks of points, dimension by dimension, for vector instructions.

use kostra_core::{OutOfMemory, memory};

use crate::canonical::Accumulate;

/// The number of points of a block. 16 sums fill four of the sixteen registers of AVX2.
pub(crate) const LANES: usize = 16;

/// Points in blocks of [`LANES`]: coordinate `k` of the point in lane `l` of block `b` is at
/// `(b * dimensions + k) * LANES + l`.
pub(crate) struct Blocks {
    values: Vec<f64>,
    dimensions: usize,
}

impl Blocks {
    /// `points` rows of zeros.
    pub(crate) fn zeros(points: usize, dimensions: usize) -> Result<Self, OutOfMemory> {
        let values = memory::zeros(points.div_ceil(LANES) * LANES * dimensions)?;
        Ok(Self { values, dimensions })
    }

    /// The coordinates of a block.
    #[inline(always)]
    pub(crate) fn block(&self, block: usize) -> &[f64] {
        let size = self.dimensions * LANES;
        &self.values[block * size..][..size]
    }

    /// Sets the coordinates of a point.
    pub(crate) fn set(&mut self, point: usize, row: &[f64]) {
        let start = point / LANES * self.dimensions * LANES + point % LANES;
        for (slot, &x) in self.values[start..].iter_mut().step_by(LANES).zip(row) {
            *slot = x;
        }
    }
}

/// The compared distances of a row and the points of a block.
#[inline(always)]
pub(crate) fn compared<A: Accumulate>(row: &[f64], block: &[f64]) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    for (&x, column) in row.iter().zip(block.as_chunks::<LANES>().0) {
        for (sum, &y) in sums.iter_mut().zip(column) {
            *sum = A::add(*sum, x - y);
        }
    }
    sums
}
