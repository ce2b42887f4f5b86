//! The order of points along a Hilbert curve.
//!
//! The curve visits every cell of a square grid, and each step leads to a neighboring cell. So
//! points with near places on the curve are near each other in the plane (Hilbert 1891).

use kostra_core::{OutOfMemory, Vertex, memory};

/// The bits of a coordinate on the grid: two coordinates give a place of 64 bits.
const BITS: u32 = 32;

/// The indices of `points` in the order of the curve through their bounding box. Points in one cell
/// of the grid are in the order of their indices. A coordinate that is not finite counts as one at
/// the border. O(n log n).
pub(super) fn order(points: &[[f64; 2]]) -> Result<Vec<Vertex>, OutOfMemory> {
    let axes = [0, 1].map(|axis| Axis::around(points.iter().map(|point| point[axis])));
    let mut places = memory::with_capacity(points.len())?;
    places.extend((0..).zip(points).map(|(index, point)| {
        let [x, y] = [0, 1].map(|axis| axes[axis].cell(point[axis]));
        (place(x, y), index)
    }));
    places.sort_unstable();
    memory::collected(places.into_iter().map(|(_, index): (u64, Vertex)| index))
}

/// The cells of the grid along one axis.
struct Axis {
    lowest: f64,
    cells_per_unit: f64,
}

impl Axis {
    fn around(values: impl Iterator<Item = f64>) -> Self {
        let (lowest, highest) = values
            .filter(|value| value.is_finite())
            .fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        // Halves, because the extent of finite values may be infinite.
        let half_extent = highest / 2.0 - lowest / 2.0;
        let cells_per_unit =
            if half_extent > 0.0 { f64::from(u32::MAX) / 2.0 / half_extent } else { 0.0 };
        Self { lowest, cells_per_unit }
    }

    /// The cell of a value. The cast saturates, and maps NaN to 0.
    fn cell(&self, value: f64) -> u32 {
        ((value - self.lowest) * self.cells_per_unit) as u32
    }
}

/// The place on the curve of a cell. Each pair of bits selects a quadrant, whose copy of the curve
/// is turned or mirrored.
fn place(mut x: u32, mut y: u32) -> u64 {
    let mut place = 0;
    for bit in (0..BITS).rev() {
        let (right, upper) = (x >> bit & 1, y >> bit & 1);
        place = place << 2 | u64::from((3 * right) ^ upper);
        if upper == 0 {
            if right == 1 {
                (x, y) = (!x, !y);
            }
            (x, y) = (y, x);
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_cells_of_the_curve_are_neighbors() {
        // A grid of 16 by 16 points. The box maps them to cells of 16 by 16 squares.
        let points: Vec<_> = (0..256).map(|i| [f64::from(i % 16), f64::from(i / 16)]).collect();
        let order = order(&points).unwrap();
        for pair in order.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|index| points[index as usize]);
            assert_eq!((a[0] - b[0]).abs() + (a[1] - b[1]).abs(), 1.0, "{a:?} to {b:?}");
        }
        assert_eq!(points[order[0] as usize], [0.0, 0.0]);
    }

    #[test]
    fn points_in_one_place_keep_their_order_and_strange_numbers_are_placed() {
        assert_eq!(order(&[[1.0, 2.0]; 3]).unwrap(), [0, 1, 2]);
        assert_eq!(order(&[]).unwrap(), [0; 0]);
        let strange = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, 0.0];
        let points: Vec<_> = strange.iter().flat_map(|&x| strange.map(|y| [x, y])).collect();
        let mut order = order(&points).unwrap();
        order.sort_unstable();
        assert!(order.into_iter().eq(0..36));
    }
}
