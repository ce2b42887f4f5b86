//! Lower bounds of compared distances, a tile of pairs at a time.
//!
//! The filter keeps each row in 32 bits: the mean of all rows is subtracted, and a power of two
//! scales the longest row to at most 1. With `u = 2^-24` and the norm `|x|` of a kept row (the sum
//! of squares, the sum of absolutes, or the largest absolute), each of the following differs from
//! the scaled compared distance of `x` and `y` by at most a multiple of `|x| + |y|`:
//!
//! * subtracting the mean and rounding to 32 bits: `4.1 u`, since rounding is relative to each
//!   centered coordinate;
//! * a sum of `d` products or differences, in any order, with or without fused operations:
//!   `d u / (1 - d u)` (Higham 2002, section 3.1);
//! * adding the parts in 32 bits: `8 u`, and the compared distance's own rounding in 64 bits.
//!
//! Together less than `1.01 (d + 16) u`. Numbers that vanish in 32 bits add less than `1e-30`. So
//! `part + low(x) + low(y)` is a lower bound, with `part` as [`Filter::tile`] computes it, where
//! `low(x)` is `|x|` less this error for squares, and minus the error for other norms.
#![allow(unsafe_code, reason = "the matrix product takes pointers")]

use kostra_core::{OutOfMemory, memory};
use kostra_parallel::{Team, for_each_item};

use crate::wide::{Work, wide};
use crate::{Norm, Prepared};

/// The rows of a block. Two blocks and their tile fit into the second cache for usual dimensions.
pub(super) const BLOCK: usize = 256;
/// The most dimensions for which the error is bounded as stated.
pub(super) const MAX_DIMENSIONS: usize = 1 << 16;

/// Rows of 32 bits in some order, in blocks of [`BLOCK`].
pub(super) struct Filter {
    rows: Vec<f32>,
    /// What a row adds to the lower bound of each of its pairs.
    pub(super) low: Vec<f32>,
    dimensions: usize,
    norm: Norm,
    scale: Scale,
}

/// How coordinates become those of the filter.
#[derive(Clone)]
struct Scale {
    mean: Vec<f64>,
    /// The factor of coordinates, a power of two.
    factor: f64,
    /// The factor of compared distances.
    compared: f64,
    /// The error relative to the norms of two rows.
    error: f64,
}

impl Scale {
    fn of(prepared: &Prepared<'_>) -> Self {
        let (d, n) = (prepared.dimensions(), f64::from(prepared.len()));
        let mut mean = vec![0.0; d];
        for row in prepared.rows().chunks_exact(d) {
            mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += x / n);
        }
        let norms = prepared.rows().chunks_exact(d).map(|row| prepared.norm().compared(row, &mean));
        let largest = norms.fold(0.0, f64::max);
        let is_squared = prepared.norm() == Norm::Squares;
        let length = if is_squared { largest.sqrt() } else { largest };
        // One more than needed, for the rounding of the norm.
        let factor = if length > 0.0 { (-length.log2().ceil() - 1.0).exp2() } else { 1.0 };
        let compared = if is_squared { factor * factor } else { factor };
        let error = 1.01 * (d as f64 + 16.0) * 2.0_f64.powi(-24);
        Self { mean, factor, compared, error }
    }
}

impl Filter {
    /// The rows of points in an order. O(n * d) time, `4 * n * d` bytes.
    pub(super) fn new(
        prepared: &Prepared<'_>,
        order: &[u32],
        team: &Team<'_>,
    ) -> Result<Self, OutOfMemory> {
        Self::scaled(Scale::of(prepared), prepared, order, team)
    }

    /// The rows of other points, comparable with those of this filter.
    pub(super) fn with(
        &self,
        prepared: &Prepared<'_>,
        order: &[u32],
        team: &Team<'_>,
    ) -> Result<Self, OutOfMemory> {
        Self::scaled(self.scale.clone(), prepared, order, team)
    }

    fn scaled(
        scale: Scale,
        prepared: &Prepared<'_>,
        order: &[u32],
        team: &Team<'_>,
    ) -> Result<Self, OutOfMemory> {
        let (d, norm) = (prepared.dimensions(), prepared.norm());
        let mut rows = memory::zeros(order.len() * d)?;
        let mut low = memory::zeros(order.len())?;
        let blocks = rows.chunks_mut(BLOCK * d).zip(low.chunks_mut(BLOCK));
        for_each_item(team, blocks.zip(order.chunks(BLOCK)), |((rows, low), points)| {
            for ((row, low), &point) in rows.chunks_exact_mut(d).zip(low).zip(points) {
                for ((to, x), mean) in row.iter_mut().zip(prepared.row(point)).zip(&scale.mean) {
                    *to = ((x - mean) * scale.factor) as f32;
                }
                let values = row.iter().map(|&x| f64::from(x));
                *low = below(
                    match norm {
                        Norm::Squares => values.map(|x| x * x).sum::<f64>() * (1.0 - scale.error),
                        Norm::Absolutes => -values.map(f64::abs).sum::<f64>() * scale.error,
                        Norm::Largest => -values.map(f64::abs).fold(0.0, f64::max) * scale.error,
                    } - 1e-30,
                );
            }
        });
        Ok(Self { rows, low, dimensions: d, norm, scale })
    }

    /// A few of the rows, comparable with those of this filter.
    pub(super) fn selected(&self, positions: &[u32]) -> Self {
        let d = self.dimensions;
        let mut rows = Vec::with_capacity(positions.len() * d);
        for &position in positions {
            rows.extend_from_slice(&self.rows[position as usize * d..][..d]);
        }
        let low = positions.iter().map(|position| self.low[*position as usize]).collect();
        Self { rows, low, dimensions: d, norm: self.norm, scale: self.scale.clone() }
    }

    /// Replaces `bounds` by lower bounds of the distances between a row and others.
    pub(super) fn bounds(&self, row: u32, others: &[u32], bounds: &mut Vec<f32>) {
        let d = self.dimensions;
        let low = |position: u32| self.low[position as usize];
        let row_of = |position: u32| &self.rows[position as usize * d..][..d];
        let one = row_of(row);
        bounds.clear();
        bounds.extend(others.iter().map(|&other| {
            let (a, b) = (one, row_of(other));
            let part = match self.norm {
                Norm::Squares => {
                    -2.0 * wide(Sum { a, b, term: |x: f32, y: f32| x * y, join: plus })
                }
                Norm::Absolutes => {
                    wide(Sum { a, b, term: |x: f32, y: f32| (x - y).abs(), join: plus })
                }
                Norm::Largest => {
                    wide(Sum { a, b, term: |x: f32, y: f32| (x - y).abs(), join: f32::max })
                }
            };
            part + low(other) + low(row)
        }));
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.low.len()
    }

    /// The number of blocks.
    pub(super) fn blocks(&self) -> usize {
        self.len().div_ceil(BLOCK)
    }

    /// The positions of a block's rows.
    pub(super) fn positions(&self, block: usize) -> std::ops::Range<usize> {
        block * BLOCK..self.len().min((block + 1) * BLOCK)
    }

    /// A compared distance in the filter's scale, rounded up: no lower bound of a pair that is not
    /// farther exceeds it.
    pub(super) fn limit(&self, compared: f64) -> f32 {
        let scaled = compared * self.scale.compared;
        let rounded = scaled as f32;
        if f64::from(rounded) < scaled { rounded.next_up() } else { rounded }
    }

    /// The compared distance of a number in the filter's scale.
    pub(super) fn compared(&self, limit: f32) -> f64 {
        f64::from(limit) / self.scale.compared
    }

    /// The largest difference between a lower bound and its compared distance, for pairs of a row
    /// with rows of the same norm.
    pub(super) fn error_of(&self, position: usize) -> f64 {
        let low = f64::from(self.low[position]);
        let norm = if self.norm == Norm::Squares { low } else { -low / self.scale.error };
        4.0 * norm * self.scale.error / self.scale.compared
    }

    /// For each row of a block and each row of another filter's block, what makes a lower bound of
    /// their distance together with their `low`: `tile[i * BLOCK + j]`.
    pub(super) fn tile(&self, block: usize, other: &Self, column: usize, tile: &mut [f32]) {
        let d = self.dimensions;
        let (rows, columns) = (self.positions(block), other.positions(column));
        let (m, n) = (rows.len(), columns.len());
        let a = &self.rows[rows.start * d..rows.end * d];
        let b = &other.rows[columns.start * d..columns.end * d];
        let tile = &mut tile[..m * BLOCK];
        match self.norm {
            // SAFETY: `a` has m rows of d numbers, `b` has n, and `tile` has m rows of BLOCK >= n.
            Norm::Squares => unsafe {
                let (rows, one, row) = (d as isize, 1, BLOCK as isize);
                let (a, b, tile) = (a.as_ptr(), b.as_ptr(), tile.as_mut_ptr());
                matrixmultiply::sgemm(
                    m, d, n, -2.0, a, rows, one, b, one, rows, 0.0, tile, row, one,
                );
            },
            Norm::Absolutes => {
                wide(Differences { a, b, d, tile, add: |sum: f32, x: f32| sum + x.abs() });
            }
            Norm::Largest => {
                wide(Differences { a, b, d, tile, add: |sum: f32, x: f32| x.abs().max(sum) });
            }
        }
    }
}

/// The largest 32-bit number that is not above.
fn below(value: f64) -> f32 {
    let rounded = value as f32;
    if f64::from(rounded) > value { rounded.next_down() } else { rounded }
}

fn plus(a: f32, b: f32) -> f32 {
    a + b
}

/// The terms of two rows, joined.
struct Sum<'a, T, J> {
    a: &'a [f32],
    b: &'a [f32],
    term: T,
    /// Adds a term, which is not negative for the largest one, to a sum.
    join: J,
}

impl<T: Fn(f32, f32) -> f32, J: Fn(f32, f32) -> f32> Work for Sum<'_, T, J> {
    type Output = f32;

    #[inline(always)]
    fn run(self) -> f32 {
        const LANES: usize = 32;
        let Self { a, b, term, join } = self;
        let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
        let mut lanes = [0.0; LANES];
        for (a, b) in a.iter().zip(b) {
            for ((lane, &a), &b) in lanes.iter_mut().zip(a).zip(b) {
                *lane = join(*lane, term(a, b));
            }
        }
        let rest = a_rest.iter().zip(b_rest).map(|(&a, &b)| term(a, b));
        rest.chain(lanes).fold(0.0, &join)
    }
}

/// Distances of the rows of `a` and `b` by their differences.
struct Differences<'a, F> {
    a: &'a [f32],
    b: &'a [f32],
    d: usize,
    tile: &'a mut [f32],
    /// Adds a difference to a sum, and a sum, which is not negative, to another.
    add: F,
}

impl<F: Fn(f32, f32) -> f32> Work for Differences<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        const LANES: usize = 16;
        let Self { a, b, d, tile, add } = self;
        for (x, sums) in a.chunks_exact(d).zip(tile.chunks_exact_mut(BLOCK)) {
            for (y, sum) in b.chunks_exact(d).zip(sums) {
                let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
                let mut lanes = [0.0; LANES];
                for (x, y) in x.iter().zip(y) {
                    for ((lane, x), y) in lanes.iter_mut().zip(x).zip(y) {
                        *lane = add(*lane, x - y);
                    }
                }
                let rest = x_rest.iter().zip(y_rest).map(|(x, y)| x - y);
                *sum = rest.chain(lanes).fold(0.0, &add);
            }
        }
    }
}
