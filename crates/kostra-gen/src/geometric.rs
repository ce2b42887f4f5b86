//! Random geometric graphs: random points of the unit square or the unit cube, with an edge between
//! two points if their distance is at most the radius (Gilbert 1961; Penrose 2003, "Random
//! Geometric Graphs").
//!
//! Space is divided into cells whose side is at least the radius, so the neighbors of a point are
//! in its cell and the cells around it. Points are numbered by cell, row by row. So neighbors have
//! close ids, and a thread generates the edges of a range of points without the others. Edges
//! ascend by `(u, v)`. A point in the middle has the mean degree `n` times the area or volume of
//! its surroundings; points at a side have fewer neighbors.
//!
//! Expected time: O(n + m); one thread sorts the points. Scratch memory: 8 bytes per dimension and
//! vertex, and 4 bytes per cell.

use std::ops::Range;

use kostra_core::random::RandomStream;

use crate::allocation::{self, array, zeros};
use crate::parameters::{self, Parameters, SEED};
use crate::source::{BlockSource, EdgeEnds, InBlocks};
use crate::{GeneratorInfo, Made, ParameterInfo, SpecError, random, real};

const PARAMETERS: &[ParameterInfo] = &[
    ParameterInfo { name: "n", default: "1M", meaning: "vertices" },
    ParameterInfo {
        name: "radius",
        default: "that of a mean degree of 8 away from the sides",
        meaning: "greatest distance of neighbors, from 0 to 1; the sides have length 1",
    },
    parameters::weights("u24"),
    SEED,
];

pub(crate) const PLANE: GeneratorInfo = GeneratorInfo {
    id: "geometric2d",
    summary: "random points of a square, with edges up to a distance",
    parameters: PARAMETERS,
    example: "geometric2d:n=1000,radius=0.06",
    make: make::<2>,
};

pub(crate) const SPACE: GeneratorInfo = GeneratorInfo {
    id: "geometric3d",
    summary: "random points of a cube, with edges up to a distance",
    parameters: PARAMETERS,
    example: "geometric3d:n=1000,radius=0.13",
    make: make::<3>,
};

/// The mean degree by default.
const DEGREE: f64 = 8.0;
/// The points of a block.
const BLOCK: usize = 1 << 12;

fn make<const D: usize>(parameters: &Parameters<'_>) -> Result<Made, SpecError> {
    let vertices = parameters.vertices("n", 0)?;
    let given = parameters.real_if_given("radius", 0.0..=1.0)?;
    let radius = given.unwrap_or_else(|| default_radius::<D>(vertices));
    let (weights, seed) = parameters.weights_and_seed()?;
    // Far more edges than ids are refused before the points are drawn.
    let degree = volume::<D>() * radius.powi(D as i32) * vertices as f64;
    let corner = f64::from(1_u32 << D);
    parameters::check_expected_edges(degree * vertices as f64 / 2.0 / corner)?;
    let bytes = u128::from(vertices) * size_of::<[f64; D]>() as u128;
    allocation::check_size(vertices.into(), 0, bytes)?;
    let points = Points::<D>::new(vertices as usize, radius, seed)?;
    Made::edges(vertices.into(), (weights, seed), InBlocks(points))
}

/// The area of the unit circle or the volume of the unit ball.
fn volume<const D: usize>() -> f64 {
    use std::f64::consts::PI;
    if D == 2 { PI } else { 4.0 / 3.0 * PI }
}

fn default_radius<const D: usize>(vertices: u64) -> f64 {
    let share = DEGREE / volume::<D>() / vertices.max(1) as f64;
    let radius = if D == 2 { share.sqrt() } else { real::pow(share, 1.0 / 3.0) };
    radius.min(1.0)
}

struct Points<const D: usize> {
    radius: f64,
    /// The cells along each axis.
    side: usize,
    /// The first point of each cell, and the number of points.
    starts: Vec<u32>,
    places: Vec<[f64; D]>,
}

impl<const D: usize> Points<D> {
    fn new(vertices: usize, radius: f64, seed: u64) -> Result<Self, SpecError> {
        // Not more cells than points, so that the cells take little memory.
        let most = if D == 2 {
            (vertices as f64).sqrt()
        } else {
            real::pow(vertices.max(1) as f64, 1.0 / 3.0)
        };
        let side = (1.0 / radius.max(f64::MIN_POSITIVE)).min(most).max(1.0) as usize;
        let mut points =
            Self { radius, side, starts: zeros(side.pow(D as u32) + 1)?, places: array(vertices)? };
        points.places.resize(vertices, [0.0; D]);
        let stream = random::stream(seed, "points");
        for point in 0..vertices {
            let cell = points.cell(place(stream, point));
            points.starts[cell] += 1;
        }
        let mut end = 0;
        for start in &mut points.starts {
            end += std::mem::replace(start, end);
        }
        // The starts are cursors while the cells fill; afterwards they are the ends.
        for point in 0..vertices {
            let place = place(stream, point);
            let cell = points.cell(place);
            points.places[points.starts[cell] as usize] = place;
            points.starts[cell] += 1;
        }
        points.starts.rotate_right(1);
        points.starts[0] = 0;
        Ok(points)
    }

    /// The cells of a place along the axes; the last axis is that of rows.
    fn cells(&self, place: [f64; D]) -> [usize; D] {
        place.map(|axis| ((axis * self.side as f64) as usize).min(self.side - 1))
    }

    fn cell(&self, place: [f64; D]) -> usize {
        self.cells(place).iter().rev().fold(0, |cell, &axis| cell * self.side + axis)
    }

    /// Calls `visit` with the points of each run of cells that may hold neighbors. The cells that
    /// differ along the first axis follow each other.
    fn around(&self, place: [f64; D], mut visit: impl FnMut(Range<usize>)) {
        let cells = self.cells(place);
        let near = |axis: usize| axis.saturating_sub(1)..=(axis + 1).min(self.side - 1);
        let layers = if D == 3 { near(cells[D - 1]) } else { 0..=0 };
        for layer in layers {
            for row in near(cells[1]) {
                let first = (layer * self.side + row) * self.side;
                let ends = near(cells[0]);
                let points = [first + ends.start(), first + ends.end() + 1];
                let [start, end] = points.map(|cell| self.starts[cell] as usize);
                visit(start..end);
            }
        }
    }
}

fn place<const D: usize>(stream: RandomStream, point: usize) -> [f64; D] {
    std::array::from_fn(|axis| stream.unit((D * point + axis) as u64))
}

impl<const D: usize> BlockSource for Points<D> {
    fn blocks(&self) -> usize {
        self.places.len().div_ceil(BLOCK)
    }

    fn edges(&self) -> Option<u64> {
        None
    }

    fn fill(&self, block: usize, ends: &mut EdgeEnds) {
        let square = self.radius * self.radius;
        let start = block * BLOCK;
        for u in start..self.places.len().min(start + BLOCK) {
            let place = self.places[u];
            // The runs of cells ascend, and so do the points in them.
            self.around(place, |points| {
                for v in points.start.max(u + 1)..points.end {
                    let other = self.places[v];
                    let apart: f64 = (0..D).map(|axis| (place[axis] - other[axis]).powi(2)).sum();
                    if apart <= square {
                        ends.push(u as u32, v as u32);
                    }
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges<const D: usize>(points: &Points<D>) -> Vec<(u32, u32)> {
        let mut ends = EdgeEnds::default();
        (0..points.blocks()).for_each(|block| points.fill(block, &mut ends));
        ends.u.into_iter().zip(ends.v).collect()
    }

    fn assert_all_near_pairs<const D: usize>(radius: f64) {
        let points = Points::<D>::new(300, radius, 5).unwrap();
        let near = |&(u, v): &(usize, usize)| {
            let axis = |axis| points.places[u][axis] - points.places[v][axis];
            (0..D).map(|at| axis(at) * axis(at)).sum::<f64>() <= radius * radius
        };
        let pairs = (0..300).flat_map(|u| (u + 1..300).map(move |v| (u, v)));
        let expected: Vec<_> = pairs.filter(near).map(|(u, v)| (u as u32, v as u32)).collect();
        assert_eq!(edges(&points), expected, "{D} dimensions, radius {radius}");
    }

    #[test]
    fn exactly_the_near_pairs_are_edges() {
        for radius in [0.0, 0.03, 0.1, 0.34, 0.5, 0.9, 1.0] {
            assert_all_near_pairs::<2>(radius);
            assert_all_near_pairs::<3>(radius);
        }
    }

    #[test]
    fn the_number_of_edges_is_the_expected_one() {
        // The probability that two random points of the unit square are at most r apart is
        // pi r^2 - 8/3 r^3 + r^4/2; of the unit cube: 4/3 pi r^3 - 3/2 pi r^4 + 8/5 r^5 - r^6/6
        // (Philip 2007 and the literature there).
        use std::f64::consts::PI;
        let n = 20_000.0_f64;
        let pairs = n * (n - 1.0) / 2.0;
        let r: f64 = 0.02;
        let square = PI * r.powi(2) - 8.0 / 3.0 * r.powi(3) + r.powi(4) / 2.0;
        let found = edges(&Points::<2>::new(20_000, r, 3).unwrap()).len() as f64;
        // About 247,000 edges. Their deviation is about the root of m (1 + 2 * degree * the
        // relative variance of degrees at the sides), below 700.
        assert!((found - pairs * square).abs() < 2800.0, "{found} {}", pairs * square);
        let r: f64 = 0.05;
        let cube =
            4.0 / 3.0 * PI * r.powi(3) - 1.5 * PI * r.powi(4) + 1.6 * r.powi(5) - r.powi(6) / 6.0;
        let found = edges(&Points::<3>::new(20_000, r, 3).unwrap()).len() as f64;
        // About 99,000 edges, deviation below 450.
        assert!((found - pairs * cube).abs() < 1800.0, "{found} {}", pairs * cube);
    }

    #[test]
    fn clustering_is_that_of_the_plane() {
        // The clustering coefficient of the plane is 1 - 3 sqrt(3) / (4 pi) = 0.5865 (Dall &
        // Christensen 2002); the sides change it little at this radius.
        let points = Points::<2>::new(20_000, 0.02, 7).unwrap();
        let mut rows = vec![Vec::new(); 20_000];
        for (u, v) in edges(&points) {
            rows[u as usize].push(v);
            rows[v as usize].push(u);
        }
        let (mut closed, mut triples) = (0_u64, 0_u64);
        for row in &mut rows {
            row.sort_unstable();
        }
        for row in &rows {
            for (at, &one) in row.iter().enumerate() {
                let others = row[at + 1..].iter();
                closed +=
                    others.filter(|v| rows[one as usize].binary_search(v).is_ok()).count() as u64;
                triples += (row.len() - at - 1) as u64;
            }
        }
        let clustering = closed as f64 / triples as f64;
        assert!((clustering - 0.5865).abs() < 0.01, "{clustering}");
    }
}
