//! The sums of a window, and the tree that follows from them.

use std::ops::Range;

use kostra_core::memory;

use super::{CorrelationDistance, Windows};
use crate::PointsError;

/// Sums start anew when the variance of a series is less than its greatest one in the block by this
/// factor, because errors are relative to the greatest.
const GREATEST_FALL: f64 = 1024.0;
/// Rows of the matrix of sums that are updated together, so that they stay in a cache.
const BAND: usize = 32;

/// The sums of a window, and the tree of the series.
pub(super) struct Sums<'a> {
    /// The table, row by row.
    values: &'a [f64],
    series: usize,
    windows: Windows,
    /// The value that is subtracted from each series.
    centers: Vec<f64>,
    /// The sum of each series.
    sums: Vec<f64>,
    /// The sum of the products of each pair, row by row.
    products: Vec<f64>,
    /// The greatest sum of squares of each series since the sums started.
    greatest: Vec<f64>,
    /// The last time at which each series differs from the time before.
    changed: Vec<usize>,
    /// The reciprocal of the standard deviation of each series, times a constant.
    scales: Vec<f64>,
}

impl<'a> Sums<'a> {
    pub(super) fn new(
        values: &'a [f64],
        series: usize,
        windows: Windows,
    ) -> Result<Self, PointsError> {
        Ok(Self {
            values,
            series,
            windows,
            centers: memory::zeros(series)?,
            sums: memory::zeros(series)?,
            products: memory::zeros(series * series)?,
            greatest: memory::zeros(series)?,
            changed: memory::zeros(series)?,
            scales: memory::zeros(series)?,
        })
    }

    /// Writes the trees of a range of windows.
    pub(super) fn trees(
        &mut self,
        range: Range<usize>,
        ends: &mut [[u32; 2]],
        distances: &mut [f64],
    ) -> Result<(), PointsError> {
        let edges = self.series - 1;
        for (window, place) in range.zip(0..) {
            let start = window * self.windows.step;
            if place == 0 || self.windows.step >= self.windows.length / 2 {
                self.start(start)?;
            } else {
                for time in start - self.windows.step..start {
                    self.replace(time, time + self.windows.length);
                }
            }
            if !self.find_scales(start)? {
                self.start(start)?;
                self.find_scales(start)?;
            }
            let part = place * edges..(place + 1) * edges;
            self.tree(&mut ends[part.clone()], &mut distances[part])?;
        }
        Ok(())
    }

    fn row(&self, time: usize) -> &'a [f64] {
        &self.values[time * self.series..(time + 1) * self.series]
    }

    /// Starts the sums at a window.
    fn start(&mut self, start: usize) -> Result<(), PointsError> {
        let (series, length) = (self.series, self.windows.length);
        self.centers.fill(0.0);
        self.changed.fill(start);
        for time in start..start + length {
            let row = self.row(time);
            for (center, value) in self.centers.iter_mut().zip(row) {
                *center += value / length as f64;
            }
            if time > start {
                self.note_changes(time);
            }
        }
        // The centered rows of the window, so that each band reads them once from a cache.
        let mut centered = memory::zeros(length * series)?;
        for (row, time) in centered.chunks_mut(series).zip(start..) {
            let values = self.row(time).iter().zip(&self.centers);
            row.iter_mut().zip(values).for_each(|(to, (value, center))| *to = value - center);
        }
        self.sums.fill(0.0);
        for row in centered.chunks(series) {
            self.sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
        self.products.fill(0.0);
        for (band, products) in self.products.chunks_mut(BAND * series).enumerate() {
            for row in centered.chunks(series) {
                for (products, first) in products.chunks_mut(series).zip(&row[band * BAND..]) {
                    products.iter_mut().zip(row).for_each(|(sum, second)| *sum += first * second);
                }
            }
        }
        self.greatest.fill(0.0);
        Ok(())
    }

    /// Replaces the values at a time that leaves the window by those at the time that enters it.
    fn replace(&mut self, leaving: usize, entering: usize) {
        self.note_changes(entering);
        let centered = |time| -> Vec<f64> {
            let values = self.row(time).iter().zip(&self.centers);
            values.map(|(value, center)| value - center).collect()
        };
        let (old, new) = (centered(leaving), centered(entering));
        for ((sum, old), new) in self.sums.iter_mut().zip(&old).zip(&new) {
            *sum += new - old;
        }
        let rows = self.products.chunks_mut(self.series);
        for ((products, &first_old), &first_new) in rows.zip(&old).zip(&new) {
            for ((sum, old), new) in products.iter_mut().zip(&old).zip(&new) {
                *sum += first_new * new - first_old * old;
            }
        }
    }

    fn note_changes(&mut self, time: usize) {
        let rows = self.row(time).iter().zip(self.row(time - 1));
        for (changed, (value, before)) in self.changed.iter_mut().zip(rows) {
            if value != before {
                *changed = time;
            }
        }
    }

    /// Computes the scales; whether the sums are precise enough.
    fn find_scales(&mut self, start: usize) -> Result<bool, PointsError> {
        let constant = |series| PointsError::ConstantSeries {
            series,
            start,
            end: start + self.windows.length,
        };
        if let Some(series) = self.changed.iter().position(|&changed| changed <= start) {
            return Err(constant(series));
        }
        let mut precise = true;
        for series in 0..self.series {
            let (sum, square) = (self.sums[series], self.products[series * (self.series + 1)]);
            let variance = square - sum * (sum / self.windows.length as f64);
            let is_start = self.greatest[series] == 0.0;
            self.greatest[series] = self.greatest[series].max(square);
            precise &= is_start || variance * GREATEST_FALL >= self.greatest[series];
            self.scales[series] = variance.sqrt().recip();
            // The values differ by less than their precision allows to measure.
            if is_start && !(variance > 0.0 && self.scales[series].is_finite()) {
                return Err(constant(series));
            }
        }
        Ok(precise)
    }

    /// Half the square of the distance of two series. Exchanging them changes no bit.
    fn half_square(&self, first: usize, second: usize) -> f64 {
        let means = self.sums[first] * self.sums[second] / self.windows.length as f64;
        let covariance = self.products[first * self.series + second] - means;
        let correlation = covariance * (self.scales[first] * self.scales[second]);
        let near = match self.windows.distance {
            CorrelationDistance::Signed => correlation,
            CorrelationDistance::Absolute => correlation.abs(),
        };
        (1.0 - near).max(0.0)
    }

    /// Prim's algorithm on all pairs.
    fn tree(&self, ends: &mut [[u32; 2]], distances: &mut [f64]) -> Result<(), PointsError> {
        let farthest = (f64::INFINITY, [u32::MAX; 2]);
        let mut outside: Vec<u32> = memory::collected(1..self.series as u32)?;
        let mut nearest = memory::filled(outside.len(), farthest)?;
        let mut edges = memory::with_capacity(outside.len())?;
        let mut joined = 0_u32;
        while !outside.is_empty() {
            let mut best = (farthest, 0);
            for (place, (&other, nearest)) in outside.iter().zip(&mut nearest).enumerate() {
                let pair = [joined.min(other), joined.max(other)];
                let pair = (self.half_square(joined as usize, other as usize), pair);
                if pair < *nearest {
                    *nearest = pair;
                }
                if *nearest < best.0 {
                    best = (*nearest, place);
                }
            }
            joined = outside.swap_remove(best.1);
            edges.push(nearest.swap_remove(best.1));
        }
        edges.sort_unstable_by(|a: &(f64, [u32; 2]), b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for ((end, distance), (half_square, pair)) in ends.iter_mut().zip(distances).zip(edges) {
            (*end, *distance) = (pair, (2.0 * half_square).sqrt());
        }
        Ok(())
    }
}
