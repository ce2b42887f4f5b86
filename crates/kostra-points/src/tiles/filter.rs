//! Lower bounds of compared distances, a tile of pairs at a time.
//!
//! The filter keeps each row in 32 bits, or in 64: the mean of all rows is subtracted, and a power
//! of two scales the longest row to at most 1. With `u = 2^-24` or `2^-53` and the norm `|x|` of a
//! kept row (the sum of squares, the sum of absolutes, or the largest absolute), each of the
//! following differs from the scaled compared distance of `x` and `y` by at most a multiple of
//! `|x| + |y|`:
//!
//! * subtracting the mean and rounding: `4.1 u`, since rounding is relative to each centered
//!   coordinate;
//! * a sum of `d` products or differences, in any order, with or without fused operations:
//!   `d u / (1 - d u)` (Higham 2002, section 3.1);
//! * adding the parts: `8 u`;
//! * in 64 bits, the rounding of the norm, `d u`, and that of the compared distance, which is at
//!   most `2 (|x| + |y|)`: `2 (d + 2) u`. Beside the errors of 32 bits, these are nothing.
//!
//! Together less than `1.01 (d + 16) u` in 32 bits and `1.01 (4 d + 20) u` in 64. Numbers that
//! vanish in 32 bits add less than `1e-30`. So `part + low(x) + low(y)` is a lower bound, with
//! `part` as [`Rows::tile`] computes it, where `low(x)` is `|x|` less this error for squares, and
//! minus the error for other norms.

use kostra_core::OutOfMemory;
use kostra_core::random::RandomStream;
use kostra_parallel::{Team, for_each_item};

use super::order::rough;
use super::rows::{BLOCK, Number, Rows, Scale};
use crate::Prepared;

/// The most dimensions for which the error is bounded as stated.
pub(super) const MAX_DIMENSIONS: usize = 1 << 16;
/// Points that lists keep beyond the wanted ones, because lower bounds are not quite in the order
/// of distances.
pub(super) const SPARE: usize = 24;

/// Rows in some order, in blocks of [`BLOCK`].
pub(super) struct Filter {
    rows: Precision,
    pub(super) form: Form,
}

enum Precision {
    Single(Rows<f32>),
    Double(Rows<f64>),
}

/// How points become rows of a filter.
#[derive(Clone)]
pub(super) struct Form {
    scale: Scale,
    /// Products of 64 bits take twice the time, but tell pairs apart whose distances are as small
    /// as the errors of 32 bits.
    pub(super) is_double: bool,
}

/// Lower bounds of a tile: the sum of a value and of what its row and its column add.
pub(super) struct Bounds {
    pub(super) values: Vec<f32>,
    pub(super) row_low: [f32; BLOCK],
    pub(super) column_low: [f32; BLOCK],
    /// Values of 64 bits.
    double: Vec<f64>,
}

impl Bounds {
    pub(super) fn new() -> Self {
        let (values, none) = (vec![0.0; BLOCK * BLOCK], [0.0; BLOCK]);
        Self { values, row_low: none, column_low: none, double: Vec::new() }
    }
}

impl Form {
    /// The precision with which comparing all pairs is fastest; none if this is comparing all
    /// exactly. O(n * d) time.
    pub(super) fn suiting(prepared: &Prepared<'_>, team: &Team<'_>) -> Option<Self> {
        /// The time to compare all pairs exactly, in products of 32 bits.
        const EXACT: f64 = 20.0;
        let scale = Scale::of(prepared, team);
        // Points whose lists are in doubt are compared with all others once more.
        let cost =
            |product: f64, close: &Close| product * (1.0 + close.doubtful) + EXACT * close.pairs;
        let close = Close::of(prepared, &scale, team);
        let (single, double) = (cost(1.0, &close[0]), cost(2.0, &close[1]));
        (single.min(double) < EXACT).then_some(Self { scale, is_double: double < single })
    }

    /// A precision.
    pub(super) fn new(prepared: &Prepared<'_>, is_double: bool, team: &Team<'_>) -> Self {
        Self { scale: Scale::of(prepared, team), is_double }
    }
}

impl Filter {
    /// The rows of points in an order. O(n * d) time, `4 * n * d` bytes, or twice as many.
    pub(super) fn new(
        form: &Form,
        prepared: &Prepared<'_>,
        order: &[u32],
        team: &Team<'_>,
    ) -> Result<Self, OutOfMemory> {
        let scale = &form.scale;
        let rows = match form.is_double {
            false => Precision::Single(Rows::new(prepared, order, scale, team)?),
            true => Precision::Double(Rows::new(prepared, order, scale, team)?),
        };
        Ok(Self { rows, form: form.clone() })
    }

    /// A few of the rows, comparable with those of this filter.
    pub(super) fn selected(&self, positions: &[u32]) -> Self {
        let rows = match &self.rows {
            Precision::Single(rows) => Precision::Single(rows.selected(positions)),
            Precision::Double(rows) => Precision::Double(rows.selected(positions)),
        };
        Self { rows, form: self.form.clone() }
    }

    /// Replaces `bounds` by lower bounds of the distances between a row and others.
    pub(super) fn bounds(&self, row: u32, others: &[u32], bounds: &mut Vec<f32>) {
        let others = others.iter();
        bounds.clear();
        match &self.rows {
            Precision::Single(rows) => bounds.extend(others.map(|other| rows.bound(row, *other))),
            Precision::Double(rows) => {
                bounds.extend(others.map(|other| f32::below(rows.bound(row, *other))));
            }
        }
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        match &self.rows {
            Precision::Single(rows) => rows.len(),
            Precision::Double(rows) => rows.len(),
        }
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
        let scaled = compared * self.form.scale.compared;
        let rounded = scaled as f32;
        if f64::from(rounded) < scaled { rounded.next_up() } else { rounded }
    }

    /// The compared distance of a number in the filter's scale.
    pub(super) fn compared(&self, limit: f32) -> f64 {
        f64::from(limit) / self.form.scale.compared
    }

    /// Lower bounds of the distances between the rows of a block and those of another filter's
    /// block: the sum of `values[i * BLOCK + j]`, `row_low[i]` and `column_low[j]`.
    pub(super) fn tile(&self, block: usize, other: &Self, column: usize, to: &mut Bounds) {
        let (rows, columns) = (self.positions(block), other.positions(column));
        let Bounds { values, row_low, column_low, double } = to;
        // Columns past the end are never near.
        column_low[columns.len()..].fill(f32::INFINITY);
        let (row_low, column_low) = (&mut row_low[..rows.len()], &mut column_low[..columns.len()]);
        match (&self.rows, &other.rows) {
            (Precision::Single(this), Precision::Single(other)) => {
                row_low.copy_from_slice(this.low(rows.clone()));
                column_low.copy_from_slice(other.low(columns.clone()));
                this.tile(rows, other, columns, values);
            }
            (Precision::Double(this), Precision::Double(other)) => {
                row_low.fill(0.0);
                column_low.fill(0.0);
                double.resize(BLOCK * BLOCK, 0.0);
                this.tile(rows.clone(), other, columns.clone(), double);
                let own = this.low(rows);
                let lines = values.chunks_exact_mut(BLOCK).zip(double.chunks_exact(BLOCK));
                for ((values, parts), own) in lines.zip(own) {
                    let added = parts.iter().zip(other.low(columns.clone()));
                    for (value, (part, low)) in values.iter_mut().zip(added) {
                        *value = f32::below(part + low + own);
                    }
                }
            }
            _ => unreachable!("filters that are compared have one form"),
        }
    }
}

/// How many pairs of points are about as near as the error of their bounds.
#[derive(Clone, Copy, Default)]
struct Close {
    /// Of all pairs.
    pairs: f64,
    /// The part of the points that have more such neighbors than a list can spare.
    doubtful: f64,
}

impl Close {
    /// In 32 and in 64 bits, as a sample of pairs shows.
    fn of(prepared: &Prepared<'_>, scale: &Scale, team: &Team<'_>) -> [Self; 2] {
        const POINTS: u64 = 128;
        const OTHERS: u64 = 2048;
        /// Nearer than this number of errors is about as near as the error.
        const MARGIN: f64 = 8.0;
        let (n, d, norm) = (u64::from(prepared.len()), prepared.dimensions(), prepared.norm());
        let errors = [f32::error(d), f64::error(d)].map(|error| 4.0 * MARGIN * error);
        let random = RandomStream::new(n);
        let mut close = [[Self::default(); 2]; POINTS as usize];
        for_each_item(team, close.iter_mut().zip(0..), |(close, at)| {
            let point = random.below(at, n) as u32;
            let row = prepared.row(point);
            let length = rough(norm, row, &scale.mean);
            let others = random.split(at);
            let mut counts = [0; 2];
            for other in (0..OTHERS.min(n)).map(|at| others.below(at, n) as u32) {
                if other != point {
                    let distance = rough(norm, row, prepared.row(other));
                    for (count, error) in counts.iter_mut().zip(errors) {
                        *count += u32::from(distance <= error * length);
                    }
                }
            }
            *close = counts.map(|count| {
                let pairs = f64::from(count) / OTHERS.min(n) as f64;
                let doubtful = f64::from(u8::from(pairs * n as f64 > SPARE as f64));
                Self { pairs, doubtful }
            });
        });
        [0, 1].map(|precision| {
            let mean = |of: fn(&Self) -> f64| {
                close.iter().map(|close| of(&close[precision])).sum::<f64>() / POINTS as f64
            };
            Self { pairs: mean(|close| close.pairs), doubtful: mean(|close| close.doubtful) }
        })
    }
}
