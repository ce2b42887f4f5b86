//! Which pairs of a tile may matter.

use std::ops::Range;

use super::filter::{Bounds, Filter};
use super::rows::BLOCK;
use crate::blocks::{LANES, Lanes};
use crate::wide::{Work, wide};

/// Lower bounds of the distances between the rows of two blocks.
pub(super) struct Tile {
    bounds: Bounds,
    rows: usize,
    columns: usize,
}

/// A pair of a tile that may matter.
#[derive(Clone, Copy)]
pub(super) struct Hit {
    pub(super) row: u16,
    pub(super) column: u16,
    /// The lower bound of the distance.
    pub(super) low: f32,
}

impl Hit {
    /// After every hit.
    pub(super) const NONE: Self = Self { row: 0, column: 0, low: f32::INFINITY };
}

impl Tile {
    pub(super) fn new() -> Self {
        Self { bounds: Bounds::new(), rows: 0, columns: 0 }
    }

    /// Computes the tile of a block of rows and a block of columns. Pairs of equal filters and
    /// blocks appear once, with the column after the row.
    pub(super) fn compute(&mut self, rows: (&Filter, usize), columns: (&Filter, usize)) {
        rows.0.tile(rows.1, columns.0, columns.1, &mut self.bounds);
        (self.rows, self.columns) =
            (rows.0.positions(rows.1).len(), columns.0.positions(columns.1).len());
        let values = &mut self.bounds.values;
        if std::ptr::eq(rows.0, columns.0) && rows.1 == columns.1 {
            for (row, values) in values.chunks_exact_mut(BLOCK).enumerate() {
                values[..=row].fill(f32::INFINITY);
            }
        }
        // The product leaves what was there before.
        for values in values.chunks_exact_mut(BLOCK).take(self.rows) {
            values[self.columns..].fill(f32::INFINITY);
        }
    }

    /// The pairs of some rows whose lower bound is at most the limit of the row or that of the
    /// column. Returns the pair with the lowest bound.
    pub(super) fn within(
        &self,
        rows: Range<usize>,
        row_limits: &[f32; BLOCK],
        column_limits: &[f32; BLOCK],
        hits: &mut Vec<Hit>,
    ) -> Hit {
        let rows = rows.start..rows.end.min(self.rows);
        wide(Within { tile: self, rows, row_limits, column_limits, hits })
    }

    /// Some lower bounds of a row of the tile.
    #[inline(always)]
    pub(super) fn sums(&self, row: usize, chunk: usize) -> [f32; LANES] {
        let Bounds { values, row_low, column_low, .. } = &self.bounds;
        let (start, own) = (row * BLOCK + chunk * LANES, row_low[row]);
        let values = &values[start..][..LANES];
        let low = &column_low[chunk * LANES..][..LANES];
        std::array::from_fn(|lane| values[lane] + low[lane] + own)
    }

    #[inline(always)]
    fn hit(&self, row: usize, column: usize) -> Hit {
        let Bounds { values, row_low, column_low, .. } = &self.bounds;
        let low = values[row * BLOCK + column] + column_low[column] + row_low[row];
        Hit { row: row as u16, column: column as u16, low }
    }
}

struct Within<'a> {
    tile: &'a Tile,
    rows: Range<usize>,
    row_limits: &'a [f32; BLOCK],
    column_limits: &'a [f32; BLOCK],
    hits: &'a mut Vec<Hit>,
}

impl Work for Within<'_> {
    type Output = Hit;

    #[inline(always)]
    fn run(self) -> Hit {
        let mut lowest = Hit::NONE;
        for row in self.rows {
            let limit = self.row_limits[row];
            let mut least = [f32::INFINITY; LANES];
            for chunk in 0..self.tile.columns.div_ceil(LANES) {
                let sums = self.tile.sums(row, chunk);
                let limits = &self.column_limits[chunk * LANES..][..LANES];
                for (least, sum) in least.iter_mut().zip(sums) {
                    *least = if sum < *least { sum } else { *least };
                }
                let within =
                    Lanes::that(|lane| (sums[lane] <= limit) | (sums[lane] <= limits[lane]));
                let hits = within.map(|lane| self.tile.hit(row, chunk * LANES + lane));
                self.hits.extend(hits.filter(|hit| hit.low < f32::INFINITY));
            }
            let least = least.into_iter().fold(f32::INFINITY, f32::min);
            if least < lowest.low {
                let columns = (0..self.tile.columns).map(|column| self.tile.hit(row, column));
                lowest = columns.fold(lowest, |a, b| if b.low < a.low { b } else { a });
            }
        }
        lowest
    }
}
