//! Road networks: planar and connected, with dead ends, chains of vertices of degree 2, and few
//! junctions with more than four roads. Weights are lengths.
//!
//! # How it is laid out
//! The junctions are the points of a square lattice, each moved by up to [`JITTER`] of the spacing.
//! Each junction has a road to the junction above it or to its left, with equal probability. With
//! probability [`SECOND_ROAD`] it also has a road to the other one. The first roads form a spanning
//! tree, so the network is connected, although each junction decides alone. The second roads close
//! cycles. Some roads have vertices along them ([`CHAINED`]), and some junctions have a dead end
//! ([`DEAD_END_AT_TWO`] and so on).
//!
//! # Why it is planar
//! With a jitter below a quarter, a road between neighbors stays in the strip of its row or column.
//! So two roads can meet only at a common junction, where the horizontal road is flatter than 45
//! degrees and the vertical road is steeper. Vertices along a road are on its straight line. A dead
//! end leaves its junction at exactly 45 degrees into a cell that no other dead end enters, and
//! ends before the far sides of the cell.
//!
//! # How close it is
//! The constants are fitted to the mean of three networks of the 9th DIMACS implementation
//! challenge. The table shows the shares of vertices by degree, and the total variation distance to
//! this generator (half the sum of the differences):
//!
//! | network | vertices | mean degree | 1 | 2 | 3 | 4 | 5 and more | distance |
//! |---|--:|--:|--:|--:|--:|--:|--:|--:|
//! | this generator | 1,000,000 | 2.54 | .193 | .230 | .425 | .149 | .003 | |
//! | USA-road-d.NY | 264,346 | 2.76 | .156 | .153 | .471 | .216 | .005 | .115 |
//! | USA-road-d.BAY | 321,270 | 2.47 | .228 | .203 | .439 | .128 | .002 | .049 |
//! | USA-road-d.COL | 435,666 | 2.39 | .190 | .337 | .366 | .107 | .001 | .107 |
//! | the mean of the three | | 2.54 | .191 | .231 | .425 | .150 | .003 | .002 |
//!
//! The real networks differ as much from each other: the distance of NY and COL is .22. Vertices
//! are numbered along the rows of the lattice. So most neighbors have close ids, and the others
//! differ by about one row, as in those files.
//!
//! O(n) time in two passes; the first counts edges. Scratch memory: two rows of junctions. Edges
//! ascend by their higher end, which is the second one.

use kostra_core::random::Stream;
use kostra_core::{AnyGraph, Coordinates, Vertex};

use crate::allocation::{self, array};
use crate::builder::{self, Builder};
use crate::parameters::{Parameters, SEED};
use crate::random;
use crate::weights::Weights;
use crate::{Generated, GeneratorInfo, Made, ParameterInfo, SpecError};

pub(crate) const INFO: GeneratorInfo = GeneratorInfo {
    id: "road",
    summary: "a planar road network in one piece, with coordinates, lengths as weights",
    parameters: &[
        ParameterInfo { name: "n", default: "1M", meaning: "vertices" },
        ParameterInfo {
            name: "weights",
            default: "length",
            meaning: "length (decimeters), or u24, small, equal, index, i32, i64, u64, f32 or f64",
        },
        SEED,
    ],
    example: "road:n=10000,seed=7",
    make,
};

/// The spacing of the lattice, in decimeters.
const SPACING: f64 = 1200.0;
/// The greatest distance of a junction from its lattice point along either axis, in spacings; below
/// a quarter.
const JITTER: f64 = 0.2;
/// The probability of a junction's second road, which is not in the spanning tree.
const SECOND_ROAD: f64 = 0.41;
/// Probability that a road has vertices along it: one, and with probability a half each time one
/// more.
const CHAINED: f64 = 0.1;
/// Probability of a dead end at a junction with two roads.
const DEAD_END_AT_TWO: f64 = 0.75;
/// Probability of a dead end at a junction with three roads.
const DEAD_END_AT_THREE: f64 = 0.06;
/// Probability of a dead end at a junction with four roads.
const DEAD_END_AT_FOUR: f64 = 0.02;
/// The length of a dead end along either axis, in spacings: the least length, and the range above
/// it.
const DEAD_END_REACH: (f64, f64) = (0.1, 0.15);
/// The number of vertices per junction, which gives the width of a square lattice.
const VERTICES_PER_JUNCTION: f64 = 1.525;

fn make(parameters: &Parameters<'_>) -> Result<Made, SpecError> {
    let vertices = parameters.vertices("n", 0)?;
    let chosen = parameters.weights_or("length")?;
    // Lengths take as much room as other 32-bit weights.
    let weights = chosen.unwrap_or(Weights::U24);
    let seed = parameters.seed()?;

    // Refused by its least size, a tree, before its edges are counted.
    let least = vertices.saturating_sub(1);
    let place_bytes = size_of::<[f64; 2]>() as u128 * u128::from(vertices);
    let edge_bytes = (builder::ENDS + weights.bytes()) as u128;
    allocation::check_size(
        vertices.into(),
        least.into(),
        place_bytes + edge_bytes * u128::from(least),
    )?;
    let plan = Plan::new(vertices as u32, seed);
    let mut count = Count::default();
    plan.lay_out(&mut count);

    let mut network = Network {
        places: array(vertices as usize)?,
        edges: Builder::new(vertices.into(), count.edges.into(), weights, parameters.share())?,
    };
    plan.lay_out(&mut network);
    let Network { places, edges } = network;
    let (graph, first) = if chosen.is_none() {
        let (u, v, first) = edges.into_ends();
        let mut lengths = array(u.len())?;
        lengths.extend(
            u.iter().zip(&v).map(|(&u, &v)| length(places[u as usize], places[v as usize])),
        );
        (AnyGraph::from_edges(vertices as usize, u, v, lengths)?, first)
    } else {
        edges.finish_graph(weights, seed)?
    };
    let coordinates = Some(Coordinates::Planar(places));
    Ok(Made::Held(Box::new(Generated { graph, coordinates, first })))
}

/// The distance between two points in whole units, at least one.
fn length([x, y]: [f64; 2], [to_x, to_y]: [f64; 2]) -> u32 {
    let (dx, dy) = (to_x - x, to_y - y);
    ((dx * dx + dy * dy).sqrt().round() as u32).max(1)
}

/// Receives the vertices of a network in ascending id, and each edge after both of its ends.
trait Surveyor {
    fn vertex(&mut self, place: [f64; 2]);
    fn edge(&mut self, u: Vertex, v: Vertex);
}

/// Counts the edges, which gives the size of the arrays.
#[derive(Default)]
struct Count {
    edges: u64,
}

impl Surveyor for Count {
    fn vertex(&mut self, _: [f64; 2]) {}
    fn edge(&mut self, _: Vertex, _: Vertex) {
        self.edges += 1;
    }
}

struct Network {
    places: Vec<[f64; 2]>,
    edges: Builder,
}

impl Surveyor for Network {
    fn vertex(&mut self, place: [f64; 2]) {
        self.places.push(place);
    }
    fn edge(&mut self, u: Vertex, v: Vertex) {
        self.edges.edge(u, v);
    }
}

/// A finished junction.
#[derive(Clone, Copy, Default)]
struct Junction {
    id: Vertex,
    place: [f64; 2],
}

/// The roads from a junction to earlier junctions, and the one that is in the tree.
#[derive(Clone, Copy)]
struct Roads {
    up: bool,
    left: bool,
    tree_is_up: bool,
}

struct Plan {
    vertices: u32,
    width: u64,
    roads: Stream,
    jitter: Stream,
    chains: Stream,
    dead_ends: Stream,
}

impl Plan {
    fn new(vertices: u32, seed: u64) -> Self {
        Self {
            vertices,
            width: ((f64::from(vertices) / VERTICES_PER_JUNCTION).sqrt() as u64).max(1),
            roads: random::stream(seed, "roads"),
            jitter: random::stream(seed, "jitter"),
            chains: random::stream(seed, "chains"),
            dead_ends: random::stream(seed, "dead ends"),
        }
    }

    /// Creates the junctions in order, each with its roads and dead end, until the network has
    /// enough vertices.
    ///
    /// Each vertex has an edge to an earlier vertex, so the network is connected wherever it ends.
    fn lay_out(&self, surveyor: &mut impl Surveyor) {
        let mut work = Work { surveyor, next: 0, end: self.vertices };
        // The junction last laid out in each column.
        let mut latest = vec![Junction::default(); self.width as usize];
        for row in 0.. {
            for column in 0..self.width {
                if self.junction(&mut work, &mut latest, row, column).is_none() {
                    return;
                }
            }
        }
    }

    /// Creates a junction: the road of the tree, the junction, the second road and the dead end.
    /// None when the network has enough vertices.
    fn junction(
        &self,
        work: &mut Work<'_, impl Surveyor>,
        latest: &mut [Junction],
        row: u64,
        column: u64,
    ) -> Option<()> {
        let index = row * self.width + column;
        let at = column as usize;
        let roads = self.roads(row, column);
        let place = self.place(row, column);
        let (up, left) = (latest[at], latest[at.saturating_sub(1)]);
        let (first, second) = if roads.tree_is_up { (up, left) } else { (left, up) };

        let id = if index == 0 {
            work.vertex(place)?
        } else {
            let end = work.chain(first, place, self.chain(2 * index))?;
            let id = work.vertex(place)?;
            work.edge(end, id);
            id
        };
        latest[at] = Junction { id, place };
        if roads.up && roads.left {
            let end = work.chain(latest[at], second.place, self.chain(2 * index + 1))?;
            work.edge(second.id, end);
        }
        if let Some(reach) = self.dead_end(row, column, roads) {
            let end = work.vertex([place[0] + reach, place[1] + reach])?;
            work.edge(id, end);
        }
        Some(())
    }

    /// The roads from a junction to earlier ones.
    fn roads(&self, row: u64, column: u64) -> Roads {
        let index = row * self.width + column;
        if row == 0 || column == 0 {
            return Roads { up: row > 0, left: column > 0, tree_is_up: row > 0 };
        }
        let number = self.roads.at(index);
        let tree_is_up = number >> 63 == 1;
        let second = happens(number, SECOND_ROAD);
        Roads { up: tree_is_up || second, left: !tree_is_up || second, tree_is_up }
    }

    fn place(&self, row: u64, column: u64) -> [f64; 2] {
        let number = self.jitter.at(row * self.width + column);
        let moved = |lattice: u64, random: u64| {
            let unit = (random & u64::from(u32::MAX)) as f64 / (1_u64 << 32) as f64;
            (lattice as f64 + (2.0 * unit - 1.0) * JITTER) * SPACING
        };
        [moved(column, number), moved(row, number >> 32)]
    }

    /// The number of vertices along a road.
    fn chain(&self, road: u64) -> u32 {
        let number = self.chains.at(road);
        if happens(number, CHAINED) { 1 + (number >> 32).trailing_zeros().min(31) } else { 0 }
    }

    /// The length of a junction's dead end along either axis, if it has one.
    fn dead_end(&self, row: u64, column: u64, roads: Roads) -> Option<f64> {
        let from_right = column + 1 < self.width && self.roads(row, column + 1).left;
        let from_below = self.roads(row + 1, column).up;
        let degree =
            [roads.up, roads.left, from_right, from_below].into_iter().filter(|&road| road).count();
        let probability = match degree {
            2 => DEAD_END_AT_TWO,
            3 => DEAD_END_AT_THREE,
            4 => DEAD_END_AT_FOUR,
            _ => return None,
        };
        let number = self.dead_ends.at(row * self.width + column);
        let (least, more) = DEAD_END_REACH;
        let unit = (number >> 32) as f64 / (1_u64 << 32) as f64;
        happens(number, probability).then_some((least + more * unit) * SPACING)
    }
}

/// Whether an event of a given probability occurs, decided by the lower half of a random number.
fn happens(number: u64, probability: f64) -> bool {
    ((number & u64::from(u32::MAX)) as f64) < probability * (1_u64 << 32) as f64
}

/// The state of the layout: the next vertex id and the limit.
struct Work<'a, S> {
    surveyor: &'a mut S,
    next: Vertex,
    end: Vertex,
}

impl<S: Surveyor> Work<'_, S> {
    /// A new vertex; none when the network has enough.
    fn vertex(&mut self, place: [f64; 2]) -> Option<Vertex> {
        let id = (self.next < self.end).then_some(self.next)?;
        self.next += 1;
        self.surveyor.vertex(place);
        Some(id)
    }

    fn edge(&mut self, u: Vertex, v: Vertex) {
        self.surveyor.edge(u, v);
    }

    /// Adds evenly spaced vertices on the straight line from a junction to a point. Returns the
    /// last vertex, or the junction.
    fn chain(&mut self, from: Junction, to: [f64; 2], vertices: u32) -> Option<Vertex> {
        let mut last = from.id;
        for step in 1..=vertices {
            let share = f64::from(step) / f64::from(vertices + 1);
            let along = |axis: usize| from.place[axis] + (to[axis] - from.place[axis]) * share;
            let next = self.vertex([along(0), along(1)])?;
            self.edge(last, next);
            last = next;
        }
        Some(last)
    }
}
