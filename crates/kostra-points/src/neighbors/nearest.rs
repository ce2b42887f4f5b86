//! The nearest points of one point, so far.

use kostra_core::{OutOfMemory, memory};

/// The first `k` points in the order of (compared distance, index), ascending. Unused places hold
/// infinity.
#[derive(Clone)]
pub(crate) struct Nearest {
    pub(crate) compared: Vec<f64>,
    /// Their indices; the second number is not used.
    pub(crate) points: Vec<(u32, u32)>,
}

impl Nearest {
    /// No points yet. `k` is at least 1.
    pub(crate) fn new(k: usize) -> Result<Self, OutOfMemory> {
        let compared = memory::filled(k, f64::INFINITY)?;
        Ok(Self { compared, points: memory::filled(k, (u32::MAX, 0))? })
    }

    /// Forgets all points.
    pub(crate) fn clear(&mut self) {
        self.compared.fill(f64::INFINITY);
        self.points.fill((u32::MAX, 0));
    }

    /// The compared distance of the last place.
    #[inline(always)]
    pub(crate) fn farthest(&self) -> f64 {
        self.compared[self.compared.len() - 1]
    }

    /// Inserts a point if it is among the first `k`.
    #[inline(always)]
    pub(crate) fn offer(&mut self, compared: f64, point: u32) {
        if compared <= self.farthest() {
            self.insert(compared, (point, 0));
        }
    }

    fn insert(&mut self, compared: f64, point: (u32, u32)) {
        let (distances, points) = (&mut self.compared[..], &mut self.points[..]);
        let mut place = distances.len();
        while place > 0 && (compared, point) < (distances[place - 1], points[place - 1]) {
            if place < distances.len() {
                (distances[place], points[place]) = (distances[place - 1], points[place - 1]);
            }
            place -= 1;
        }
        if place < distances.len() {
            (distances[place], points[place]) = (compared, point);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_points_stay_in_order() {
        let mut nearest = Nearest::new(3).unwrap();
        for (compared, point) in [(2.0, 5), (1.0, 9), (2.0, 4), (1.0, 7), (3.0, 0), (2.0, 3)] {
            nearest.offer(compared, point);
        }
        assert_eq!(nearest.compared, [1.0, 1.0, 2.0]);
        assert_eq!(nearest.points, [(7, 0), (9, 0), (3, 0)]);
    }
}
