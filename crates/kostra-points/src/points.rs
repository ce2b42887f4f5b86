//! The input: points as rows of coordinates.

use crate::{PointsError, WeightsError};

/// The most points of a set: 2^32 - 2, so that a point's index and the number of points are `u32`,
/// and one index is free.
pub const MAX_POINTS: usize = u32::MAX as usize - 1;

/// A type of coordinates: `f32` or `f64`.
pub trait Coordinate: Copy + Into<f64> + sealed::Sealed {
    /// Marks the type of the values.
    fn values(values: &[Self]) -> Values<'_>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

impl Coordinate for f32 {
    fn values(values: &[Self]) -> Values<'_> {
        Values::F32(values)
    }
}

impl Coordinate for f64 {
    fn values(values: &[Self]) -> Values<'_> {
        Values::F64(values)
    }
}

/// Coordinates of either type.
#[derive(Clone, Copy, Debug)]
pub enum Values<'a> {
    /// 32-bit coordinates.
    F32(&'a [f32]),
    /// 64-bit coordinates.
    F64(&'a [f64]),
}

impl Values<'_> {
    /// The number of coordinates.
    pub(crate) fn len(self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
        }
    }

    /// Converts the coordinates from `start` to `start + output.len()`. Exact.
    pub(crate) fn copy_to(self, start: usize, output: &mut [f64]) {
        let end = start + output.len();
        match self {
            Self::F32(values) => {
                output
                    .iter_mut()
                    .zip(&values[start..end])
                    .for_each(|(to, &from)| *to = from.into());
            }
            Self::F64(values) => output.copy_from_slice(&values[start..end]),
        }
    }
}

/// The position of the first number that is not finite.
fn first_infinite<T: Coordinate>(coordinates: &[T]) -> Option<usize> {
    /// Numbers that are checked without a branch in between.
    const PART: usize = 1 << 10;
    let is_finite = |value: T| value.into().is_finite();
    let are_finite = |part: &[T]| part.iter().fold(true, |all, &value| all & is_finite(value));
    let start = PART * coordinates.chunks(PART).position(|part| !are_finite(part))?;
    coordinates[start..].iter().position(|&value| !is_finite(value)).map(|at| start + at)
}

/// A checked view of `n` points of `d` dimensions: `n * d` finite coordinates, row by row.
///
/// Duplicates of a point are ordinary points. A set may be empty.
#[derive(Clone, Copy, Debug)]
pub struct Points<'a> {
    values: Values<'a>,
    dimensions: usize,
    len: u32,
    /// Empty if each point counts once.
    weights: &'a [u32],
}

impl<'a> Points<'a> {
    /// Checks an array of coordinates, row by row. O(n * d).
    ///
    /// ```
    /// let rows = [[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]];
    /// let points = kostra_points::Points::new(rows.as_flattened(), 2)?;
    /// assert_eq!(points.len(), 3);
    /// # Ok::<(), kostra_points::PointsError>(())
    /// ```
    ///
    /// # Errors
    /// When `dimensions` is 0, the array is not a whole number of rows, there are more than
    /// [`MAX_POINTS`] points, or a coordinate is NaN or infinite.
    pub fn new<T: Coordinate>(
        coordinates: &'a [T],
        dimensions: usize,
    ) -> Result<Self, PointsError> {
        if dimensions == 0 {
            return Err(PointsError::NoDimensions);
        }
        let values = coordinates.len();
        if !values.is_multiple_of(dimensions) {
            return Err(PointsError::Ragged { values, dimensions });
        }
        let points = values / dimensions;
        if points > MAX_POINTS {
            return Err(PointsError::TooManyPoints { points });
        }
        if let Some(position) = first_infinite(coordinates) {
            return Err(PointsError::NotFinite {
                row: position / dimensions,
                column: position % dimensions,
                value: coordinates[position].into(),
            });
        }
        let values = T::values(coordinates);
        Ok(Self { values, dimensions, len: points as u32, weights: &[] })
    }

    /// Rows of coordinates that were checked.
    pub(crate) fn of_checked(rows: &'a [f64], dimensions: usize) -> Self {
        let len = (rows.len() / dimensions) as u32;
        Self { values: Values::F64(rows), dimensions, len, weights: &[] }
    }

    /// The same points, but point `i` counts as `weights[i]` points at its place. With an empty
    /// slice, each counts as one. Core distances count them. So a tree of mutual reachability
    /// distances is that of the repeated points, without the edges between the copies of a point,
    /// which are as long as its core distance. Neighbors are points, whatever they count as.
    ///
    /// # Errors
    /// When there is not one weight per point, a weight is 0, or their sum is above [`MAX_POINTS`].
    pub fn weighted(self, weights: &'a [u32]) -> Result<Self, PointsError> {
        check_weights(weights, self.len as usize)?;
        Ok(Self { weights, ..self })
    }

    /// How many points each point counts as. Empty if each counts once.
    pub fn weights(&self) -> &'a [u32] {
        self.weights
    }

    /// The number of points.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of coordinates of a point.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Refuses numbers of samples that define no core distance. An empty set accepts any number
    /// from 1.
    pub(crate) fn check_min_samples(&self, min_samples: usize) -> Result<(), PointsError> {
        check_min_samples(min_samples, self.len as usize, self.weights)
    }

    /// The coordinates, row by row.
    pub fn values(&self) -> Values<'a> {
        self.values
    }
}

/// Refuses weights of points that have no meaning. An empty slice is one each.
///
/// # Errors
/// When there is not one weight per point, a weight is 0, or their sum is above [`MAX_POINTS`].
pub fn check_weights(weights: &[u32], points: usize) -> Result<(), WeightsError> {
    if weights.is_empty() {
        return Ok(());
    }
    if weights.len() != points {
        return Err(WeightsError::Lengths { points, weights: weights.len() });
    }
    if let Some(row) = weights.iter().position(|&weight| weight == 0) {
        return Err(WeightsError::Zero { row });
    }
    match weights.iter().map(|&weight| u64::from(weight)).sum() {
        sum if sum > MAX_POINTS as u64 => Err(WeightsError::Sum { sum }),
        _ => Ok(()),
    }
}

/// Refuses numbers of samples that define no core distance of points with these weights. No points
/// accept any number from 1.
pub(crate) fn check_min_samples(
    min_samples: usize,
    points: usize,
    weights: &[u32],
) -> Result<(), PointsError> {
    let weight = weights.iter().map(|&weight| weight as usize).sum();
    let points = if weights.is_empty() { points } else { weight };
    if min_samples == 0 || (points > 0 && min_samples > points) {
        return Err(PointsError::MinSamples { min_samples, points });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_no_points_are_refused_with_their_position() {
        let refused = |coordinates: &[f64], dimensions| {
            Points::new(coordinates, dimensions).unwrap_err().to_string()
        };
        assert!(refused(&[1.0], 0).contains("at least 1 coordinate"));
        assert!(refused(&[1.0, 2.0, 3.0], 2).contains("3 coordinates are not rows of 2"));
        assert!(refused(&[1.0, 2.0, 3.0, f64::NAN], 2).contains("row 1, column 1"));
        assert!(refused(&[1.0, 2.0, f64::INFINITY], 3).contains("row 0, column 2"));
        let error = Points::new(&[0.0, f32::NEG_INFINITY], 1).unwrap_err();
        assert!(error.to_string().contains("row 1, column 0 (counted from 0) is -inf"));
    }

    #[test]
    fn an_empty_set_is_a_set() {
        let points = Points::new::<f32>(&[], 3).unwrap();
        assert_eq!((points.len(), points.is_empty(), points.dimensions()), (0, true, 3));
    }
}
