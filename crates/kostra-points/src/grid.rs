//! Grids of pixels or voxels as graphs.

use std::ops::Range;

use kostra_core::{EdgeList, GraphError, MAX_EDGES, MAX_VERTICES, Vertex, Weight, memory};
use thiserror::Error;

/// Which cells of a grid are neighbors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connectivity {
    /// The cells that share a side, or in three dimensions a face: 4 or 6.
    Faces,
    /// The cells that share at least a corner: 8 or 26.
    Corners,
}

/// A grid of up to three dimensions. Cells are numbered from 0 in the order of an array: the last
/// dimension changes fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    shape: [usize; 3],
    offsets: &'static [[isize; 3]],
    edges: usize,
}

/// The reason why an array is not a grid.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum GridError {
    /// There are more cells or edges than a graph can have.
    #[error(
        "a grid of {shape:?} cells has more than {MAX_VERTICES} cells or edges; use a part of it"
    )]
    TooLarge {
        /// The number of cells in each dimension.
        shape: [usize; 3],
    },
    /// There are more or fewer values than cells.
    #[error("{values} values are not {channels} for each of {cells} cells")]
    Length {
        /// The number of values.
        values: usize,
        /// The number of values of a cell.
        channels: usize,
        /// The number of cells.
        cells: usize,
    },
    /// A value is not a number.
    #[error(
        "the value at {place:?}, counted from 0, is NaN (not a number); replace it by a number"
    )]
    Nan {
        /// The row and the column of the first such cell; for a volume, the layer before them.
        place: Vec<usize>,
    },
    /// The edges are not a graph.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The system refuses memory.
    #[error(transparent)]
    Memory(#[from] kostra_core::OutOfMemory),
}

/// The neighbors of a cell that have higher numbers, in ascending order.
const FACES: [[isize; 3]; 3] = [[0, 0, 1], [0, 1, 0], [1, 0, 0]];
const CORNERS: [[isize; 3]; 13] = [
    [0, 0, 1],
    [0, 1, -1],
    [0, 1, 0],
    [0, 1, 1],
    [1, -1, -1],
    [1, -1, 0],
    [1, -1, 1],
    [1, 0, -1],
    [1, 0, 0],
    [1, 0, 1],
    [1, 1, -1],
    [1, 1, 0],
    [1, 1, 1],
];

/// A type of the values of cells: `f32` or `f64`. Weights have the same type.
pub trait Value: Weight {
    /// The value that is nearest to a float.
    fn rounded(value: f64) -> Self;
}

impl Value for f32 {
    fn rounded(value: f64) -> Self {
        value as Self
    }
}

impl Value for f64 {
    fn rounded(value: f64) -> Self {
        value
    }
}

impl Grid {
    /// A grid with these numbers of cells. For two dimensions, the first number is 1.
    ///
    /// # Errors
    /// When a graph cannot have as many cells or edges.
    pub fn new(shape: [usize; 3], connectivity: Connectivity) -> Result<Self, GridError> {
        let offsets: &[[isize; 3]] = match connectivity {
            Connectivity::Faces => &FACES,
            Connectivity::Corners => &CORNERS,
        };
        let product = |sizes: [usize; 3]| {
            // Without this, a dimension of no cell would hide an overflow of the others.
            if sizes.contains(&0) {
                return Some(0);
            }
            sizes.into_iter().try_fold(1_usize, usize::checked_mul)
        };
        let cells = product(shape).filter(|&cells| cells <= MAX_VERTICES);
        let edges = offsets.iter().try_fold(0_usize, |sum, offset| {
            let pairs =
                [0, 1, 2].map(|axis| shape[axis].saturating_sub(offset[axis].unsigned_abs()));
            sum.checked_add(product(pairs)?)
        });
        match (cells, edges) {
            (Some(_), Some(edges)) if edges <= MAX_EDGES => Ok(Self { shape, offsets, edges }),
            _ => Err(GridError::TooLarge { shape }),
        }
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.shape.iter().product()
    }

    /// The number of pairs of neighbors.
    pub fn edges(&self) -> usize {
        self.edges
    }

    /// The number of rows: runs of cells whose other dimensions are the same.
    pub fn rows(&self) -> usize {
        self.shape[0] * self.shape[1]
    }

    /// The number of cells in a row.
    pub fn row_len(&self) -> usize {
        self.shape[2]
    }

    /// Calls `visit` with each cell of some rows, in ascending order, and with the steps to its
    /// neighbors: the differences of their numbers to its own, ascending.
    ///
    /// ```
    /// use kostra_points::grid::{Connectivity, Grid};
    ///
    /// let grid = Grid::new([1, 2, 3], Connectivity::Faces)?;
    /// let mut found = Vec::new();
    /// grid.for_each_cell_in_rows(1..2, |cell, steps| found.push((cell, steps.to_vec())));
    /// assert_eq!(found, [(3, vec![-3, 1]), (4, vec![-3, -1, 1]), (5, vec![-3, -1])]);
    /// # Ok::<(), kostra_points::grid::GridError>(())
    /// ```
    ///
    /// # Panics
    /// When there is no such row.
    #[inline]
    pub fn for_each_cell_in_rows(
        &self,
        rows: Range<usize>,
        mut visit: impl FnMut(usize, &[isize]),
    ) {
        assert!(rows.end <= self.rows(), "the grid has the rows");
        let [depth, height, width] = self.shape;
        for row in rows {
            let [inner, first, last, only] =
                self.steps([row / height, row % height], [depth, height]);
            for x in 0..width {
                let steps = match (x == 0, x + 1 == width) {
                    (false, false) => &inner,
                    (true, false) => &first,
                    (false, true) => &last,
                    (true, true) => &only,
                };
                visit(row * width + x, steps);
            }
        }
    }

    /// The steps to the neighbors of the cells of a row: of those inside, of the first one, of the
    /// last one, and of one that is both.
    fn steps(&self, row: [usize; 2], rows: [usize; 2]) -> [Vec<isize>; 4] {
        let width = self.shape[2] as isize;
        let height = self.shape[1] as isize;
        let opposite = self.offsets.iter().map(|offset| offset.map(|step| -step)).rev();
        let all = opposite.chain(self.offsets.iter().copied());
        let inside = |step: &[isize; 3]| {
            [0, 1].iter().all(|&axis| {
                row[axis].checked_add_signed(step[axis]).is_some_and(|at| at < rows[axis])
            })
        };
        let steps: Vec<_> = all.filter(inside).collect();
        let those = |kept: fn(isize) -> bool| {
            let kept = steps.iter().filter(|step| kept(step[2]));
            kept.map(|&[dz, dy, dx]| (dz * height + dy) * width + dx).collect()
        };
        [those(|_| true), those(|dx| dx >= 0), those(|dx| dx <= 0), those(|dx| dx == 0)]
    }

    /// Calls `visit` for each pair of neighbors, the lower one first, in ascending order. This is
    /// the order of the edge ids.
    fn for_each(&self, mut visit: impl FnMut(usize, usize)) {
        let [depth, height, width] = self.shape;
        let place = |at: usize, by: isize, size: usize| {
            at.checked_add_signed(by).filter(|&place| place < size)
        };
        for z in 0..depth {
            for y in 0..height {
                // Which offsets stay inside depends on the column only at its ends.
                for x in 0..width {
                    let cell = (z * height + y) * width + x;
                    for &[dz, dy, dx] in self.offsets {
                        let inside =
                            (place(z, dz, depth), place(y, dy, height), place(x, dx, width));
                        if let (Some(z), Some(y), Some(x)) = inside {
                            visit(cell, (z * height + y) * width + x);
                        }
                    }
                }
            }
        }
    }

    /// The two ends of each edge.
    ///
    /// # Errors
    /// When the system does not grant the memory.
    pub fn ends(&self) -> Result<[Vec<Vertex>; 2], GridError> {
        let mut u = memory::with_capacity(self.edges)?;
        let mut v = memory::with_capacity(self.edges)?;
        self.for_each(|low, high| {
            u.push(low as Vertex);
            v.push(high as Vertex);
        });
        Ok([u, v])
    }

    /// The graph of the grid, with the difference of the values of two cells as the weight of their
    /// edge. `values` contains `channels` values for each cell, such as red, green and blue. The
    /// difference of several values is their Euclidean distance.
    ///
    /// ```
    /// use kostra_points::grid::{Connectivity, Grid};
    ///
    /// let grid = Grid::new([1, 2, 2], Connectivity::Corners)?;
    /// let graph = grid.differences(&[1.0, 5.0, 2.0, 9.0], 1)?;
    /// assert_eq!((graph.u(), graph.v()), (&[0, 0, 0, 1, 1, 2][..], &[1, 2, 3, 2, 3, 3][..]));
    /// assert_eq!(graph.weights(), [4.0, 1.0, 8.0, 3.0, 4.0, 7.0]);
    /// # Ok::<(), kostra_points::grid::GridError>(())
    /// ```
    ///
    /// # Errors
    /// When there are not `channels` values per cell, a value is NaN, or the system does not grant
    /// the memory.
    pub fn differences<T: Value>(
        &self,
        values: &[T],
        channels: usize,
    ) -> Result<EdgeList<T>, GridError> {
        self.check(values, channels)?;
        let [u, v] = self.ends()?;
        let mut weights = memory::with_capacity(self.edges)?;
        for (&u, &v) in u.iter().zip(&v) {
            weights.push(difference(values, channels, u as usize, v as usize));
        }
        Ok(EdgeList::new(self.cells(), u, v, weights)?)
    }

    /// The graph of the grid, with the higher one of the values of two cells as the weight of their
    /// edge: the height at which water passes from one to the other.
    ///
    /// # Errors
    /// As [`differences`](Self::differences).
    pub fn higher_values<T: Value>(&self, values: &[T]) -> Result<EdgeList<T>, GridError> {
        self.check(values, 1)?;
        let [u, v] = self.ends()?;
        let higher = |(&u, &v): (&Vertex, &Vertex)| {
            let (one, other) = (values[u as usize], values[v as usize]);
            if one > other { one } else { other }
        };
        let mut weights = memory::with_capacity(self.edges)?;
        weights.extend(u.iter().zip(&v).map(higher));
        Ok(EdgeList::of_checked(self.cells() as u32, u, v, weights))
    }

    /// Checks values: `channels` for each cell, none of them NaN. O(n).
    ///
    /// # Errors
    /// When there are more or fewer, or a value is NaN.
    pub fn check<T: Value>(&self, values: &[T], channels: usize) -> Result<(), GridError> {
        let cells = self.cells();
        if channels == 0 || cells.checked_mul(channels) != Some(values.len()) {
            return Err(GridError::Length { values: values.len(), channels, cells });
        }
        match values.iter().position(|value| value.is_nan()) {
            Some(at) => {
                let [depth, height, width] = self.shape;
                let cell = at / channels;
                let place = [cell / width / height, cell / width % height, cell % width];
                Err(GridError::Nan { place: place[usize::from(depth == 1)..].to_vec() })
            }
            None => Ok(()),
        }
    }
}

/// The difference of two cells with `channels` values each: their Euclidean distance.
///
/// # Panics
/// When there is no such cell.
#[inline]
pub fn difference<T: Value>(values: &[T], channels: usize, one: usize, other: usize) -> T {
    // The difference of an infinite value to itself is zero.
    let of = |a: T, b: T| if a == b { 0.0 } else { (a.to_f64() - b.to_f64()).abs() };
    if channels == 1 {
        return T::rounded(of(values[one], values[other]));
    }
    let cell = |at: usize| &values[at * channels..][..channels];
    let differences = cell(one).iter().zip(cell(other)).map(|(&a, &b)| of(a, b));
    T::rounded(differences.map(|difference| difference * difference).sum::<f64>().sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_are_those_of_the_definition_in_ascending_order() {
        for shape in [[1, 1, 1], [1, 3, 4], [2, 3, 4], [3, 1, 2], [1, 0, 5], [4, 4, 1]] {
            for connectivity in [Connectivity::Faces, Connectivity::Corners] {
                let grid = Grid::new(shape, connectivity).unwrap();
                let place = |cell: usize| {
                    [cell / (shape[1] * shape[2]), cell / shape[2] % shape[1], cell % shape[2]]
                };
                let mut expected = Vec::new();
                for low in 0..grid.cells() {
                    for high in low + 1..grid.cells() {
                        let steps =
                            [0, 1, 2].map(|axis| place(low)[axis].abs_diff(place(high)[axis]));
                        let near = match connectivity {
                            Connectivity::Faces => steps.iter().sum::<usize>() == 1,
                            Connectivity::Corners => steps.iter().all(|&step| step <= 1),
                        };
                        expected.extend(near.then_some((low as u32, high as u32)));
                    }
                }
                let [u, v] = grid.ends().unwrap();
                assert_eq!(u.into_iter().zip(v).collect::<Vec<_>>(), expected, "{shape:?}");
                assert_eq!(grid.edges(), expected.len());
                let mut by_steps = Vec::new();
                grid.for_each_cell_in_rows(0..grid.rows(), |cell, steps| {
                    assert!(steps.is_sorted());
                    let neighbors =
                        steps.iter().map(|&step| cell.checked_add_signed(step).unwrap());
                    by_steps.extend(neighbors.map(|neighbor| (cell as u32, neighbor as u32)));
                });
                let mut both: Vec<_> =
                    expected.iter().flat_map(|&(u, v)| [(u, v), (v, u)]).collect();
                both.sort_unstable();
                assert_eq!(by_steps, both, "{shape:?}");
            }
        }
    }

    #[test]
    fn the_difference_of_colors_is_their_euclidean_distance() {
        let grid = Grid::new([1, 1, 3], Connectivity::Faces).unwrap();
        let graph = grid.differences(&[0.0_f32, 0.0, 3.0, 4.0, 3.0, 4.0], 2).unwrap();
        assert_eq!(graph.weights(), [5.0, 0.0]);
    }

    #[test]
    fn arrays_that_do_not_fit_are_refused() {
        let grid = Grid::new([1, 2, 2], Connectivity::Faces).unwrap();
        let error =
            |values: &[f64], channels| grid.differences(values, channels).unwrap_err().to_string();
        assert!(error(&[0.0; 5], 1).contains("5 values are not 1 for each of 4 cells"));
        assert!(error(&[], 0).contains("0 values are not 0"));
        assert!(error(&[0.0, 0.0, f64::NAN, 0.0], 1).contains("at [1, 0], counted from 0, is NaN"));
        let volume = Grid::new([2, 2, 3], Connectivity::Faces).unwrap();
        let mut values = [0.0; 24];
        values[2 * 10] = f64::NAN;
        let error = volume.differences(&values, 2).unwrap_err();
        assert_eq!(error, GridError::Nan { place: vec![1, 1, 1] });
        for shape in [[1, 1 << 17, 1 << 17], [usize::MAX, 2, 1], [1, 1 << 16, 1 << 15]] {
            let grid = Grid::new(shape, Connectivity::Corners);
            assert_eq!(grid, Err(GridError::TooLarge { shape }));
        }
        let infinite = grid.differences(&[f64::INFINITY; 4], 1).unwrap();
        assert_eq!(infinite.weights(), [0.0; 4]);
    }
}
