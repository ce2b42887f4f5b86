//! Balls around the points of blocks.

use kostra_core::{OutOfMemory, memory};
use kostra_parallel::{Team, for_each_item};

use super::rows::BLOCK;
use crate::canonical::larger;
use crate::wide::{Work, wide};
use crate::{Norm, Prepared};

/// A ball around the points of each block, to skip pairs of blocks that are far from each other.
pub(super) struct Balls {
    centers: Vec<f64>,
    radii: Vec<f64>,
    norm: Norm,
}

impl Balls {
    /// O(n * d) time.
    pub(super) fn new(
        prepared: &Prepared<'_>,
        order: &[u32],
        team: &Team<'_>,
    ) -> Result<Self, OutOfMemory> {
        let (d, norm, blocks) =
            (prepared.dimensions(), prepared.norm(), order.len().div_ceil(BLOCK));
        let (mut centers, mut radii) = (memory::zeros(blocks * d)?, memory::zeros(blocks)?);
        let places = centers.chunks_exact_mut(d).zip(&mut radii).zip(order.chunks(BLOCK));
        for_each_item(team, places, |((center, radius), points)| {
            for &point in points {
                for (center, x) in center.iter_mut().zip(prepared.row(point)) {
                    *center += x / points.len() as f64;
                }
            }
            for &point in points {
                *radius = larger(*radius, length(norm, rough(norm, center, prepared.row(point))));
            }
        });
        Ok(Self { centers, radii, norm })
    }

    /// A lower bound of the compared distances between the points of two blocks.
    pub(super) fn between(&self, a: usize, b: usize) -> f64 {
        let d = self.centers.len() / self.radii.len();
        let center = |block: usize| &self.centers[block * d..][..d];
        let distance = length(self.norm, rough(self.norm, center(a), center(b)));
        compared_gap(self.norm, distance, self.radii[a] + self.radii[b])
    }
}

/// A lower bound of compared distances, given the distance of two centers less the radii around
/// them.
pub(super) fn compared_gap(norm: Norm, distance: f64, radii: f64) -> f64 {
    /// Far more than what rounding changes.
    const SLACK: f64 = 1e-9;
    let gap = distance * (1.0 - SLACK) - radii * (1.0 + SLACK);
    match norm {
        _ if gap <= 0.0 => 0.0,
        Norm::Squares => gap * gap * (1.0 - SLACK),
        Norm::Absolutes | Norm::Largest => gap,
    }
}

/// The distance of a compared distance: the triangle inequality holds for it.
pub(super) fn length(norm: Norm, compared: f64) -> f64 {
    if norm == Norm::Squares { compared.sqrt() } else { compared }
}

/// The compared distance of two rows, but for the order of additions.
pub(super) fn rough(norm: Norm, x: &[f64], y: &[f64]) -> f64 {
    match norm {
        Norm::Squares => wide(Rough { x, y, add: |sum, x: f64| sum + x * x, join: |a, b| a + b }),
        Norm::Absolutes => {
            wide(Rough { x, y, add: |sum, x: f64| sum + x.abs(), join: |a, b| a + b })
        }
        Norm::Largest => {
            wide(Rough { x, y, add: |sum, x: f64| larger(x.abs(), sum), join: larger })
        }
    }
}

struct Rough<'a, A, J> {
    x: &'a [f64],
    y: &'a [f64],
    add: A,
    join: J,
}

impl<A: Fn(f64, f64) -> f64, J: Fn(f64, f64) -> f64> Work for Rough<'_, A, J> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        const LANES: usize = 16;
        let ((x, x_rest), (y, y_rest)) = (self.x.as_chunks::<LANES>(), self.y.as_chunks::<LANES>());
        let mut lanes = [0.0; LANES];
        for (x, y) in x.iter().zip(y) {
            for ((lane, x), y) in lanes.iter_mut().zip(x).zip(y) {
                *lane = (self.add)(*lane, x - y);
            }
        }
        let rest = x_rest.iter().zip(y_rest).fold(0.0, |sum, (x, y)| (self.add)(sum, x - y));
        lanes.into_iter().fold(rest, self.join)
    }
}
