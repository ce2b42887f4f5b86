//! Rows of 64-bit coordinates, made on threads.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use kostra_core::{OutOfMemory, memory};
use kostra_parallel::{Team, for_each_item};

use super::{Accumulate, Squares, larger};
use crate::PointsError;
use crate::points::Values;

/// The rows that a thread takes at a time: a few hundred kilobytes.
pub(super) fn rows_of_part(dimensions: usize) -> usize {
    ((1 << 16) / dimensions).max(1)
}

/// Coordinates in 64 bits.
pub(super) fn converted(values: Values<'_>, team: &Team<'_>) -> Result<Vec<f64>, OutOfMemory> {
    const PART: usize = 1 << 16;
    let mut rows = memory::zeros(values.len())?;
    for_each_item(team, rows.chunks_mut(PART).zip((0..).step_by(PART)), |(part, start)| {
        values.copy_to(start, part);
    });
    Ok(rows)
}

/// Vectors divided by their lengths.
pub(super) fn directions(
    values: Values<'_>,
    dimensions: usize,
    team: &Team<'_>,
) -> Result<Vec<f64>, PointsError> {
    let mut rows = converted(values, team)?;
    let per_part = rows_of_part(dimensions);
    let first_zero = AtomicUsize::new(usize::MAX);
    let parts = rows.chunks_mut(per_part * dimensions).zip((0..).step_by(per_part));
    for_each_item(team, parts, |(part, first)| {
        let mut vectors = part.chunks_exact_mut(dimensions);
        if let Some(row) = vectors.position(|vector| !divide_by_length(vector)) {
            first_zero.fetch_min(first + row, Relaxed);
        }
    });
    match first_zero.into_inner() {
        usize::MAX => Ok(rows),
        row => Err(PointsError::ZeroVector { row }),
    }
}

/// Divides a vector by its length. False if it has only zeros.
pub(crate) fn divide_by_length(vector: &mut [f64]) -> bool {
    let largest = vector.iter().fold(0.0, |largest, x| larger(largest, x.abs()));
    if largest == 0.0 {
        return false;
    }
    // A power of two, so that the squares neither overflow nor vanish. Exact, except for components
    // that do not change the direction.
    let scale = match largest {
        x if x > 2.0_f64.powi(400) => 2.0_f64.powi(-600),
        x if x < 2.0_f64.powi(-400) => 2.0_f64.powi(600),
        _ => 1.0,
    };
    vector.iter_mut().for_each(|x| *x *= scale);
    let length = vector.iter().copied().fold(0.0, Squares::add).sqrt();
    vector.iter_mut().for_each(|x| *x /= length);
    true
}
