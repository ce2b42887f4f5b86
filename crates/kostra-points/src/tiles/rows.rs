//! Rows of numbers in 32 or 64 bits, and lower bounds of the distances between them.
#![allow(unsafe_code, reason = "the matrix product takes pointers")]

use std::ops::{Add, Mul, Range, Sub};

use kostra_core::{OutOfMemory, memory};
use kostra_parallel::{Team, for_each_item};

use crate::wide::{Work, wide};
use crate::{Norm, Prepared};

/// The rows of a block. Two blocks and their tile fit into the second cache for usual dimensions.
pub(super) const BLOCK: usize = 256;
/// How coordinates become those of the filter.
#[derive(Clone)]
pub(super) struct Scale {
    pub(super) mean: Vec<f64>,
    /// The factor of coordinates, a power of two.
    factor: f64,
    /// The factor of compared distances.
    pub(super) compared: f64,
}

impl Scale {
    /// O(n * d) time. It does not depend on the number of threads: each sums up the same parts.
    pub(super) fn of(prepared: &Prepared<'_>, team: &Team<'_>) -> Self {
        const ROWS: usize = 1 << 12;
        let (d, n) = (prepared.dimensions(), f64::from(prepared.len()));
        let parts = || prepared.rows().chunks(ROWS * d);
        let mut means = vec![vec![0.0; d]; parts().len()];
        for_each_item(team, parts().zip(&mut means), |(rows, mean)| {
            for row in rows.chunks_exact(d) {
                mean.iter_mut().zip(row).for_each(|(mean, x)| *mean += x / n);
            }
        });
        let mut mean = vec![0.0; d];
        for part in means {
            mean.iter_mut().zip(part).for_each(|(mean, part)| *mean += part);
        }
        let mut largest = vec![0.0; parts().len()];
        for_each_item(team, parts().zip(&mut largest), |(rows, largest)| {
            let norms = rows.chunks_exact(d).map(|row| prepared.norm().compared(row, &mean));
            *largest = norms.fold(0.0, f64::max);
        });
        let largest = largest.into_iter().fold(0.0, f64::max);
        let is_squared = prepared.norm() == Norm::Squares;
        let length = if is_squared { largest.sqrt() } else { largest };
        // One more than needed, for the rounding of the norm.
        let factor = if length > 0.0 { (-length.log2().ceil() - 1.0).exp2() } else { 1.0 };
        let compared = if is_squared { factor * factor } else { factor };
        Self { mean, factor, compared }
    }

    /// Sets a row of the filter to that of a point.
    fn set<T: Number>(&self, to: &mut [T], row: &[f64]) {
        for ((to, x), mean) in to.iter_mut().zip(row).zip(&self.mean) {
            *to = T::rounded((x - mean) * self.factor);
        }
    }
}

/// A number of a filter.
pub(super) trait Number:
    Copy + Send + Sync + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    const ZERO: Self;
    const MINUS_TWO: Self;
    fn zeros(count: usize) -> Result<Vec<Self>, OutOfMemory>;
    fn abs(self) -> Self;
    /// The nearest number.
    fn rounded(value: f64) -> Self;
    /// A number that is not above, and hardly below.
    fn below(value: f64) -> Self;
    fn to_f64(self) -> f64;
    /// The error of a lower bound, relative to the sum of the norms of two rows of `d` numbers.
    fn error(d: usize) -> f64;
    /// Sets `tile[i * BLOCK + j]` to the product of row `i` of `a` and row `j` of `b`, times -2.
    fn products(a: &[Self], b: &[Self], d: usize, tile: &mut [Self]);
}

/// `$product` is the matrix product, and `$factor` times `d` plus `$more` units the error.
macro_rules! number {
    ($type:ty, $product:path, $below:expr, $unit:expr, $factor:expr, $more:expr) => {
        impl Number for $type {
            const ZERO: Self = 0.0;
            const MINUS_TWO: Self = -2.0;

            fn zeros(count: usize) -> Result<Vec<Self>, OutOfMemory> {
                memory::zeros(count)
            }

            #[inline(always)]
            fn abs(self) -> Self {
                self.abs()
            }

            fn rounded(value: f64) -> Self {
                value as Self
            }

            #[inline(always)]
            fn below(value: f64) -> Self {
                $below(value)
            }

            #[inline(always)]
            fn to_f64(self) -> f64 {
                self.into()
            }

            fn error(d: usize) -> f64 {
                1.01 * ($factor * d as f64 + $more) * $unit
            }

            fn products(a: &[Self], b: &[Self], d: usize, tile: &mut [Self]) {
                let (m, n) = (a.len() / d, b.len() / d);
                assert!(n <= BLOCK && tile.len() >= m * BLOCK);
                let (rows, one, row) = (d as isize, 1, BLOCK as isize);
                let (a, b, tile) = (a.as_ptr(), b.as_ptr(), tile.as_mut_ptr());
                // SAFETY: `a` has m rows of d numbers, `b` has n, and `tile` m rows of BLOCK.
                unsafe {
                    $product(m, d, n, -2.0, a, rows, one, b, one, rows, 0.0, tile, row, one);
                }
            }
        }
    };
}

number!(f32, matrixmultiply::sgemm, below, 2.0_f64.powi(-24), 1.0, 16.0);
number!(f64, matrixmultiply::dgemm, std::convert::identity, 2.0_f64.powi(-53), 4.0, 20.0);

/// Not above a number, and lower by at most four units in the last place. Vector instructions can
/// do it, unlike `next_down`.
#[inline(always)]
fn below(value: f64) -> f32 {
    (value - value.abs() * 2.0_f64.powi(-23)) as f32
}

/// Rows in some order.
pub(super) struct Rows<T> {
    values: Vec<T>,
    /// What a row adds to the lower bound of each of its pairs.
    low: Vec<T>,
    d: usize,
    norm: Norm,
}

impl<T: Number> Rows<T> {
    /// O(n * d) time.
    pub(super) fn new(
        prepared: &Prepared<'_>,
        order: &[u32],
        scale: &Scale,
        team: &Team<'_>,
    ) -> Result<Self, OutOfMemory> {
        let (d, norm, error) =
            (prepared.dimensions(), prepared.norm(), T::error(prepared.dimensions()));
        let (mut values, mut low) = (T::zeros(order.len() * d)?, T::zeros(order.len())?);
        let blocks = values.chunks_mut(BLOCK * d).zip(low.chunks_mut(BLOCK));
        for_each_item(team, blocks.zip(order.chunks(BLOCK)), |((rows, low), points)| {
            for ((row, low), &point) in rows.chunks_exact_mut(d).zip(low).zip(points) {
                scale.set(row, prepared.row(point));
                let values = row.iter().map(|x| x.to_f64());
                *low = T::below(
                    match norm {
                        Norm::Squares => values.map(|x| x * x).sum::<f64>() * (1.0 - error),
                        Norm::Absolutes => -values.map(f64::abs).sum::<f64>() * error,
                        Norm::Largest => -values.map(f64::abs).fold(0.0, f64::max) * error,
                    } - 1e-30,
                );
            }
        });
        Ok(Self { values, low, d, norm })
    }

    /// A few of the rows.
    pub(super) fn selected(&self, positions: &[u32]) -> Self {
        let mut values = Vec::with_capacity(positions.len() * self.d);
        for &position in positions {
            values.extend_from_slice(self.row(position));
        }
        let low = positions.iter().map(|position| self.low[*position as usize]).collect();
        Self { values, low, d: self.d, norm: self.norm }
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.low.len()
    }

    /// What some rows add to lower bounds.
    pub(super) fn low(&self, positions: Range<usize>) -> &[T] {
        &self.low[positions]
    }

    fn row(&self, position: u32) -> &[T] {
        &self.values[position as usize * self.d..][..self.d]
    }

    fn rows(&self, positions: Range<usize>) -> &[T] {
        &self.values[positions.start * self.d..positions.end * self.d]
    }

    /// A lower bound of the distance between two rows.
    #[inline(always)]
    pub(super) fn bound(&self, row: u32, other: u32) -> T {
        let (a, b) = (self.row(row), self.row(other));
        let part = match self.norm {
            Norm::Squares => {
                T::MINUS_TWO * wide(Sum { a, b, term: |x: T, y: T| x * y, join: |x, y| x + y })
            }
            Norm::Absolutes => {
                wide(Sum { a, b, term: |x: T, y: T| (x - y).abs(), join: |x, y| x + y })
            }
            Norm::Largest => wide(Sum { a, b, term: |x: T, y: T| (x - y).abs(), join: larger }),
        };
        part + self.low[other as usize] + self.low[row as usize]
    }

    /// For each of some rows and each of another's, what makes a lower bound of their distance
    /// together with their `low`: `tile[i * BLOCK + j]`.
    pub(super) fn tile(
        &self,
        rows: Range<usize>,
        other: &Self,
        columns: Range<usize>,
        tile: &mut [T],
    ) {
        let (d, tile) = (self.d, &mut tile[..rows.len() * BLOCK]);
        let (a, b) = (self.rows(rows), other.rows(columns));
        match self.norm {
            Norm::Squares => T::products(a, b, d, tile),
            Norm::Absolutes => {
                wide(Differences { a, b, d, tile, add: |sum: T, x: T| sum + x.abs() });
            }
            Norm::Largest => {
                wide(Differences { a, b, d, tile, add: |sum: T, x: T| larger(x.abs(), sum) });
            }
        }
    }
}

#[inline(always)]
fn larger<T: Number>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

/// The terms of two rows, joined.
struct Sum<'a, T, F, J> {
    a: &'a [T],
    b: &'a [T],
    term: F,
    /// Adds a term, which is not negative for the largest one, to a sum.
    join: J,
}

impl<T: Number, F: Fn(T, T) -> T, J: Fn(T, T) -> T> Work for Sum<'_, T, F, J> {
    type Output = T;

    #[inline(always)]
    fn run(self) -> T {
        const LANES: usize = 32;
        let Self { a, b, term, join } = self;
        let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
        let mut lanes = [T::ZERO; LANES];
        for (a, b) in a.iter().zip(b) {
            for ((lane, &a), &b) in lanes.iter_mut().zip(a).zip(b) {
                *lane = join(*lane, term(a, b));
            }
        }
        let rest = a_rest.iter().zip(b_rest).map(|(&a, &b)| term(a, b));
        rest.chain(lanes).fold(T::ZERO, &join)
    }
}

/// Distances of the rows of `a` and `b` by their differences.
struct Differences<'a, T, F> {
    a: &'a [T],
    b: &'a [T],
    d: usize,
    tile: &'a mut [T],
    /// Adds a difference to a sum, and a sum, which is not negative, to another.
    add: F,
}

impl<T: Number, F: Fn(T, T) -> T> Work for Differences<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        const LANES: usize = 16;
        let Self { a, b, d, tile, add } = self;
        for (x, sums) in a.chunks_exact(d).zip(tile.chunks_exact_mut(BLOCK)) {
            for (y, sum) in b.chunks_exact(d).zip(sums) {
                let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
                let mut lanes = [T::ZERO; LANES];
                for (x, y) in x.iter().zip(y) {
                    for ((lane, &x), &y) in lanes.iter_mut().zip(x).zip(y) {
                        *lane = add(*lane, x - y);
                    }
                }
                let rest = x_rest.iter().zip(y_rest).map(|(&x, &y)| x - y);
                *sum = rest.chain(lanes).fold(T::ZERO, &add);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_32_bits_are_not_above() {
        for value in [0.0, 1.0, -1.0, 1.0 + 1e-9, -1.0 - 1e-9, 0.1, -0.1, 1e-30, -1e30] {
            let low = f64::from(below(value));
            assert!(low <= value && value - low <= 4e-7 * value.abs(), "{value}: {low}");
        }
    }
}
