//! **The canonical distance**: the one definition by which all methods, any number of threads, and
//! devices compare pairs of points.
//!
//! 1. *Preparation.* Coordinates are converted to `f64`, which is exact. Haversine points become
//!    points of the unit sphere in three dimensions (see `sphere`), and cosine vectors are divided
//!    by their lengths. The result is a row of `f64` for each point, and a [`Norm`].
//! 2. *The compared distance* of two rows `x` and `y` is computed over the dimensions in ascending
//!    order, from 0: `sum + (x - y) * (x - y)` for [`Norm::Squares`], `sum + |x - y|` for
//!    [`Norm::Absolutes`], `max(sum, |x - y|)` for [`Norm::Largest`]. Every operation is rounded to
//!    `f64` separately: a fused multiply-add would give another result.
//! 3. *Mutual reachability.* The compared distance is the largest of both core distances and the
//!    compared distance of the rows. A core distance is itself a compared distance.
//!    If distances are divided by `alpha`, core distances are multiplied by it instead, those of
//!    squares by its square, and reported distances are divided by it at the end.
//! 4. *The order.* Pairs are ordered by (compared distance, lower index, higher index). The order
//!    is strict, so the spanning tree is unique.
//! 5. *The reported distance* is a monotone function of the compared one: its square root for
//!    Euclidean, the same number for Manhattan and Chebyshev, `2 r asin(sqrt(c) / 2)` for haversine
//!    (`c` is the squared chord, `r` the radius of the Earth), and `c / 2` for cosine. Compared
//!    distances that differ in the last bits may be reported as equal.
//!
//! Why this arithmetic: rounding is monotone. So the compared distance of a point and the nearest
//! point of a box, computed by the same operations, is never above the compared distance of the
//! point and any point in the box. Bounds of a search tree need no tolerance.

mod rows;
mod sphere;

use std::borrow::Cow;

use kostra_core::{OutOfMemory, memory};
use kostra_parallel::{Team, for_each_item, with_team};

use crate::metric::LARGEST_ALPHA;
use crate::points::Values;
use crate::{Distance, EARTH_RADIUS, Metric, Points, PointsError};

pub(crate) use rows::divide_by_length;
use rows::{converted, directions, rows_of_part};

/// How differences of coordinates are combined to a compared distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norm {
    /// The sum of squared differences.
    Squares,
    /// The sum of absolute differences.
    Absolutes,
    /// The largest absolute difference.
    Largest,
}

impl Norm {
    /// The compared distance of two rows of equal length. O(d).
    pub fn compared(self, x: &[f64], y: &[f64]) -> f64 {
        let differences = x.iter().zip(y).map(|(x, y)| x - y);
        match self {
            Self::Squares => differences.fold(0.0, Squares::add),
            Self::Absolutes => differences.fold(0.0, Absolutes::add),
            Self::Largest => differences.fold(0.0, Largest::add),
        }
    }
}

/// A [`Norm`] as a type, for inner loops.
pub(crate) trait Accumulate: Copy + Send + Sync + 'static {
    /// Adds the difference of one dimension.
    fn add(sum: f64, difference: f64) -> f64;
}

/// [`Norm::Squares`].
#[derive(Clone, Copy)]
pub(crate) struct Squares;
/// [`Norm::Absolutes`].
#[derive(Clone, Copy)]
pub(crate) struct Absolutes;
/// [`Norm::Largest`].
#[derive(Clone, Copy)]
pub(crate) struct Largest;

impl Accumulate for Squares {
    #[inline(always)]
    fn add(sum: f64, difference: f64) -> f64 {
        sum + difference * difference
    }
}

impl Accumulate for Absolutes {
    #[inline(always)]
    fn add(sum: f64, difference: f64) -> f64 {
        sum + difference.abs()
    }
}

impl Accumulate for Largest {
    #[inline(always)]
    fn add(sum: f64, difference: f64) -> f64 {
        larger(sum, difference.abs())
    }
}

/// The larger of two numbers that are not NaN: one instruction, unlike `f64::max`.
#[inline(always)]
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The smaller of two numbers; the second one if the first is NaN. One instruction.
#[inline(always)]
pub(crate) fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// Points whose distances can be compared: rows of 64-bit coordinates, and a [`Norm`]. The source
/// of this module defines compared distances and their order.
#[derive(Clone, Debug)]
pub struct Prepared<'a> {
    rows: Cow<'a, [f64]>,
    len: u32,
    dimensions: usize,
    metric: Metric,
    /// How many points each point counts as; empty for one each.
    weights: Cow<'a, [u32]>,
    /// What reported distances are divided by.
    alpha: f64,
}

impl<'a> Prepared<'a> {
    /// Prepares points for a metric. O(n * d). Memory: `8 * n * d` bytes, except for 64-bit
    /// coordinates that need no change.
    ///
    /// # Errors
    /// When the metric does not accept the points (see [`Metric`]), when a distance may overflow or
    /// all squared distances vanish, or when the system refuses the memory.
    pub fn new(points: &Points<'a>, metric: Metric) -> Result<Self, PointsError> {
        Self::by(points, metric.into(), 1)
    }

    /// Prepares points on threads for a distance, whose core distances
    /// [`scaled_core`](Self::scaled_core) gives.
    pub(crate) fn by(
        points: &Points<'a>,
        distance: Distance,
        threads: usize,
    ) -> Result<Self, PointsError> {
        /// Values for which starting threads is worth the time.
        const MANY: usize = 1 << 22;
        let Distance { metric, alpha, .. } = distance;
        distance.check_alpha()?;
        let values = points.len() as usize * points.dimensions();
        with_team(if values < MANY { 1 } else { threads }, |team| {
            let prepared = Self { alpha, ..Self::of_any_range(points, metric, team)? };
            prepared.check_extent(&prepared.extent(team))?;
            Ok(prepared)
        })
    }

    /// [`by`](Self::by) for points and a distance that were checked.
    pub(crate) fn by_any_range(
        points: &Points<'a>,
        distance: Distance,
    ) -> Result<Self, PointsError> {
        let Distance { metric, alpha, .. } = distance;
        with_team(1, |team| Ok(Self { alpha, ..Self::of_any_range(points, metric, team)? }))
    }

    /// New points, to be compared with these. Distances that overflow are infinite.
    pub(crate) fn others<'b>(&self, points: &Points<'b>) -> Result<Prepared<'b>, PointsError> {
        let others = with_team(1, |team| Prepared::of_any_range(points, self.metric, team))?;
        if others.dimensions != self.dimensions {
            let (new, fitted) = (others.dimensions, self.dimensions);
            return Err(PointsError::OtherDimensions { new, fitted });
        }
        Ok(others)
    }

    fn of_any_range(
        points: &Points<'a>,
        metric: Metric,
        team: &Team<'_>,
    ) -> Result<Self, PointsError> {
        let (len, dimensions) = (points.len(), points.dimensions());
        let geometry = metric.without_unit();
        if geometry == Metric::Haversine && dimensions != 2 {
            return Err(PointsError::NotGeographic { dimensions });
        }
        let rows = match (geometry, points.values()) {
            (Metric::Haversine, values) if geometry == metric => {
                Cow::Owned(sphere::embedded(values, len)?)
            }
            (Metric::Haversine, values) => Cow::Owned(sphere::embedded_radians(values, len)?),
            (Metric::Cosine, values) => Cow::Owned(directions(values, dimensions, team)?),
            (_, Values::F64(values)) => Cow::Borrowed(values),
            (_, values) => Cow::Owned(converted(values, team)?),
        };
        let dimensions = if geometry == Metric::Haversine { 3 } else { dimensions };
        let weights = Cow::Borrowed(points.weights());
        Ok(Self { rows, len, dimensions, metric, weights, alpha: 1.0 })
    }

    /// Some of the points.
    pub(crate) fn selected(
        &self,
        points: impl ExactSizeIterator<Item = u32>,
    ) -> Result<Prepared<'static>, OutOfMemory> {
        let (len, dimensions) = (points.len() as u32, self.dimensions);
        let (metric, alpha) = (self.metric, self.alpha);
        let mut rows = memory::with_capacity(points.len() * dimensions)?;
        let mut weights =
            memory::with_capacity(if self.weights.is_empty() { 0 } else { points.len() })?;
        points.for_each(|point| {
            rows.extend_from_slice(self.row(point));
            weights.extend(self.weights.get(point as usize));
        });
        let (rows, weights) = (Cow::Owned(rows), Cow::Owned(weights));
        Ok(Prepared { rows, len, dimensions, metric, weights, alpha })
    }

    /// The same points with other weights, one for each.
    pub(crate) fn weighted(self, weights: Vec<u32>) -> Self {
        Self { weights: Cow::Owned(weights), ..self }
    }

    /// How many points each point counts as; empty for one each.
    pub(crate) fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// The prepared coordinates, row by row.
    pub fn rows(&self) -> &[f64] {
        &self.rows
    }

    /// The prepared coordinates of a point.
    pub fn row(&self, point: u32) -> &[f64] {
        &self.rows[point as usize * self.dimensions..][..self.dimensions]
    }

    /// The number of points.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of coordinates of a row: 3 for haversine.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The metric that the points are prepared for.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The norm by which rows are compared.
    pub fn norm(&self) -> Norm {
        match self.metric {
            Metric::Manhattan => Norm::Absolutes,
            Metric::Chebyshev => Norm::Largest,
            // The other ones compare chords.
            _ => Norm::Squares,
        }
    }

    /// The compared distance of two points. O(d).
    pub fn compared(&self, u: u32, v: u32) -> f64 {
        self.norm().compared(self.row(u), self.row(v))
    }

    /// The distance that is reported for a compared distance.
    pub fn reported(&self, compared: f64) -> f64 {
        Distance::from(self.metric).divided_by(self.alpha).reported(compared)
    }

    /// Whether distances are divided.
    pub(crate) fn is_scaled(&self) -> bool {
        self.alpha != 1.0
    }

    /// A compared core distance, multiplied by what distances are divided by.
    pub(crate) fn scaled_core(&self, compared: f64) -> f64 {
        Distance::from(self.metric).divided_by(self.alpha).scaled_core(compared)
    }

    /// The core distance that is reported for a compared distance: it is not divided.
    pub(crate) fn reported_core(&self, compared: f64) -> f64 {
        self.reported(self.scaled_core(compared))
    }

    /// The extent of the points.
    fn extent(&self, team: &Team<'_>) -> Extent {
        let d = self.dimensions;
        let parts = self.rows.chunks(rows_of_part(d) * d);
        let mut extents = vec![Extent::default(); parts.len()];
        for_each_item(team, parts.zip(&mut extents), |(rows, extent)| extent.contain(rows, d));
        let mut whole = Extent::default();
        for Extent { low, high } in &extents {
            whole.contain(low, d);
            whole.contain(high, d);
        }
        whole
    }

    /// Refuses points whose compared distances overflow, or all vanish although the points differ.
    pub(crate) fn check_extent(&self, extent: &Extent) -> Result<(), PointsError> {
        /// The least square of the diagonal: far above the squares that lose bits, below 2^-1022.
        const LEAST_SQUARE: f64 = 1e-280;
        let Extent { low, high } = extent;
        let diagonal = self.norm().compared(high, low);
        if !(diagonal.is_finite() && self.scaled_core(diagonal).is_finite()) {
            // 2^513 times the square root of the dimensions: squares and their sum stay below
            // 2^1024.
            let roots = (self.dimensions as f64).sqrt().log2().ceil() as i32;
            let more = if self.is_scaled() { 2 * LARGEST_ALPHA.log2() as i32 } else { 0 };
            return Err(PointsError::TooWide { divisor: 2.0_f64.powi(515 + roots + more) });
        }
        let differ = low.iter().zip(high).any(|(low, high)| low < high);
        if self.norm() == Norm::Squares && differ && diagonal < LEAST_SQUARE {
            return Err(PointsError::TooNarrow { factor: 2.0_f64.powi(512) });
        }
        Ok(())
    }
}

/// The least and the largest coordinate of each dimension; nothing without points.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extent {
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Extent {
    /// Extends to further rows.
    pub(crate) fn contain(&mut self, rows: &[f64], dimensions: usize) {
        if self.low.is_empty() {
            let Some(first) = rows.get(..dimensions) else { return };
            (self.low, self.high) = (first.to_vec(), first.to_vec());
        }
        for row in rows.chunks_exact(dimensions) {
            for ((low, high), &x) in self.low.iter_mut().zip(&mut self.high).zip(row) {
                *low = low.min(x);
                *high = larger(*high, x);
            }
        }
    }
}

impl Distance {
    /// The distance that is reported for a compared distance.
    pub(crate) fn reported(self, compared: f64) -> f64 {
        let angle = || 2.0 * (compared.sqrt() / 2.0).min(1.0).asin();
        let distance = match self.metric {
            Metric::Euclidean => compared.sqrt(),
            Metric::Manhattan | Metric::Chebyshev => compared,
            Metric::Haversine => EARTH_RADIUS * angle(),
            Metric::HaversineRadians => angle(),
            Metric::Cosine => compared / 2.0,
            Metric::Arccos => angle() / std::f64::consts::PI,
        };
        distance / self.alpha
    }

    /// Refuses a number by which distances cannot be divided.
    pub(crate) fn check_alpha(self) -> Result<(), PointsError> {
        let Self { metric, alpha, .. } = self;
        let is_usual = (LARGEST_ALPHA.recip()..=LARGEST_ALPHA).contains(&alpha);
        match is_usual && (alpha == 1.0 || metric.scales()) {
            true => Ok(()),
            false => Err(PointsError::Alpha { alpha, metric }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    fn distance(metric: Metric, points: &[f64], dimensions: usize) -> f64 {
        let points = Points::new(points, dimensions).unwrap();
        let prepared = Prepared::new(&points, metric).unwrap();
        prepared.reported(prepared.compared(0, 1))
    }

    fn refused(metric: Metric, points: &[f64], dimensions: usize) -> String {
        let points = Points::new(points, dimensions).unwrap();
        Prepared::new(&points, metric).unwrap_err().to_string()
    }

    #[test]
    fn each_metric_is_what_its_name_says() {
        let points = [1.0, 2.0, 4.0, 6.0];
        assert_eq!(distance(Metric::Euclidean, &points, 2), 5.0);
        assert_eq!(distance(Metric::Manhattan, &points, 2), 7.0);
        assert_eq!(distance(Metric::Chebyshev, &points, 2), 4.0);
        assert!((distance(Metric::Cosine, &[1.0, 0.0, 0.0, 3.0], 2) - 1.0).abs() < 1e-15);
        assert!((distance(Metric::Cosine, &[1e300, 0.0, -1e-320, 0.0], 2) - 2.0).abs() < 1e-15);
        // From the equator to a pole.
        let quarter = distance(Metric::Haversine, &[0.0, 17.0, 90.0, -3.0], 2);
        assert!((quarter / EARTH_RADIUS - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
        for (points, angle) in [
            ([0.0, 0.3, 0.0, 0.5], 0.2),
            ([0.0, 0.1, 0.0, 0.3 + 2.0 * PI], 0.2),
            ([1.0, 0.0, f64::from(std::f32::consts::FRAC_PI_2), 4.0], PI / 2.0 - 1.0),
        ] {
            assert!((distance(Metric::HaversineRadians, &points, 2) - angle).abs() < 1e-7);
        }
        for angle in [0.0_f64, 0.5, 1.0, PI] {
            let points = [2.0, 0.0, 3.0 * angle.cos(), 3.0 * angle.sin()];
            assert!((distance(Metric::Arccos, &points, 2) - angle / PI).abs() < 1e-8);
        }
    }

    #[test]
    fn haversine_is_right_from_millimeters_to_half_the_earth() {
        // The chord of opposite points hardly changes with the angle.
        let cases = [(1e-8, 1e-8), (1e-3, 1e-8), (1.0, 1e-8), (90.0, 1e-8), (179.0, 1e-6)];
        for (degrees, tolerance) in cases.into_iter().chain([(180.0, 0.2)]) {
            for from in [-180.0, -33.0, 0.0] {
                let measured = distance(Metric::Haversine, &[0.0, from, 0.0, from + degrees], 2);
                let expected = ((from + degrees) - from).to_radians() * EARTH_RADIUS;
                assert!((measured - expected).abs() < tolerance, "{degrees}: {measured}");
            }
        }
    }

    #[test]
    fn points_that_a_metric_does_not_accept_are_refused() {
        assert!(refused(Metric::Haversine, &[1.0, 2.0, 3.0], 3).contains("not 3"));
        let far = [1.0, 2.0, 1.6, 3.0];
        assert!(refused(Metric::HaversineRadians, &far, 2).contains("row 1 has latitude 91.6"));
        assert!(
            refused(Metric::Haversine, &[1.0, 2.0, 91.0, 3.0], 2).contains("row 1 has latitude")
        );
        assert!(refused(Metric::Haversine, &[1.0, -190.0], 2).contains("row 0 has longitude -190"));
        assert!(
            refused(Metric::Cosine, &[1.0, 0.0, 0.0, -0.0], 2).contains("row 1 has only zeros")
        );
    }

    #[test]
    fn distances_that_overflow_or_vanish_are_refused_with_a_factor() {
        let (wide, narrow) = ([-1e300, 1e300], [1e-200, 3e-200]);
        assert!(refused(Metric::Euclidean, &wide, 1).contains("divide all coordinates by"));
        assert!(refused(Metric::Euclidean, &narrow, 1).contains("multiply all coordinates by"));
        assert!(refused(Metric::Chebyshev, &[-1.7e308, 1.7e308], 1).contains("divide"));
        assert_eq!(distance(Metric::Manhattan, &wide, 1), 2e300);
        assert_eq!(distance(Metric::Euclidean, &[1e300, 1e300], 1), 0.0);
        let divided = [-f64::MAX, f64::MAX].map(|x| x / 2.0_f64.powi(515));
        assert!(distance(Metric::Euclidean, &divided, 1).is_finite());
    }
}
