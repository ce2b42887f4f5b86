//! The layout of a road network: junctions row by row, in blocks of rows.
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
//! # How threads share the work
//! All that a junction adds depends on its position alone. So the first pass counts the vertices of
//! blocks of rows, which gives the ids of each block. The second pass creates the blocks. A block
//! computes the ids and places of the row above it once more. Scratch memory: a row of
//! junctions per thread, and one wave of blocks.

use std::slice::IterMut;
use std::sync::Mutex;

use kostra_core::Vertex;
use kostra_core::random::RandomStream;
use kostra_parallel::{Team, for_each_item};

use super::Site;
use crate::random;
use crate::source::EdgeEnds;

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
/// The junctions of a block, at least, and its rows: a block also computes the row above it.
const JUNCTIONS_PER_BLOCK: u64 = 1 << 14;
const LEAST_ROWS: u64 = 4;
/// The blocks that each thread counts at a time.
const BLOCKS_PER_THREAD: usize = 4;
/// The number of vertices per junction, which gives the width of a square lattice.
const VERTICES_PER_JUNCTION: f64 = 1.525;

/// Consecutive rows of junctions, which a thread lays out without the others.
#[derive(Clone, Copy)]
pub(super) struct Block {
    rows: (u64, u64),
    first_vertex: Vertex,
}

/// The blocks of a network, and the number of its edges.
#[derive(Default)]
pub(super) struct Blocks {
    pub(super) blocks: Vec<Block>,
    pub(super) edges: u64,
}

impl Blocks {
    /// Divides the places of all vertices among the blocks.
    pub(super) fn divide<'a>(
        &self,
        mut places: &'a mut [Site],
    ) -> Vec<Mutex<Option<&'a mut [Site]>>> {
        let ends = self.blocks.iter().skip(1).map(|next| next.first_vertex as usize);
        let (mut start, mut divided) = (0, Vec::new());
        for end in ends.chain([places.len()]) {
            divided.push(Mutex::new(places.split_off_mut(..end - start)));
            start = end;
        }
        divided
    }
}

/// A finished junction.
#[derive(Clone, Copy, Default)]
struct Junction {
    id: Vertex,
    place: Site,
}

/// The roads from a junction to earlier junctions, and the one that is in the tree.
#[derive(Clone, Copy)]
struct Roads {
    up: bool,
    left: bool,
    tree_is_up: bool,
}

pub(super) struct RoadPlan {
    pub(super) vertices: u32,
    width: u64,
    roads: RandomStream,
    jitter: RandomStream,
    chains: RandomStream,
    dead_ends: RandomStream,
}

impl RoadPlan {
    pub(super) fn new(vertices: u32, seed: u64) -> Self {
        Self {
            vertices,
            width: ((f64::from(vertices) / VERTICES_PER_JUNCTION).sqrt() as u64).max(1),
            roads: random::stream(seed, "roads"),
            jitter: random::stream(seed, "jitter"),
            chains: random::stream(seed, "chains"),
            dead_ends: random::stream(seed, "dead ends"),
        }
    }

    /// Divides the network into blocks, from the numbers of vertices along and beside the roads.
    pub(super) fn blocks(&self, team: &Team<'_>) -> Blocks {
        let rows = JUNCTIONS_PER_BLOCK.div_ceil(self.width).max(LEAST_ROWS);
        let mut found = Blocks::default();
        let mut sizes = vec![(0, 0); BLOCKS_PER_THREAD * team.threads()];
        let (mut vertices, mut row) = (0, 0);
        while vertices < u64::from(self.vertices) {
            for_each_item(team, (row..).step_by(rows as usize).zip(&mut sizes), |(row, size)| {
                *size = self.size((row, row + rows));
            });
            for &(more, second_roads) in &sizes {
                if vertices < u64::from(self.vertices) {
                    let first_vertex = vertices as Vertex;
                    found.blocks.push(Block { rows: (row, row + rows), first_vertex });
                    // A vertex has an edge to an earlier one, and second roads close cycles.
                    found.edges += more - u64::from(row == 0) + second_roads;
                    (vertices, row) = (vertices + more, row + rows);
                }
            }
        }
        // The last block may end early, so its edges are counted by creating them.
        if let Some(&last) = found.blocks.last() {
            let (size, second_roads) = self.size(last.rows);
            found.edges -= size - u64::from(last.rows.0 == 0) + second_roads;
            let mut ends = EdgeEnds::default();
            self.lay_out(last, &mut [], &mut ends);
            found.edges += ends.len() as u64;
        }
        found
    }

    /// The number of vertices and of second roads of some rows.
    fn size(&self, (start, end): (u64, u64)) -> (u64, u64) {
        let (mut vertices, mut second_roads) = (0, 0);
        for (row, column) in (start..end).flat_map(|row| (0..self.width).map(move |at| (row, at))) {
            let roads = self.roads(row, column);
            vertices += u64::from(self.vertices_of_junction(row, column));
            second_roads += u64::from(roads.up && roads.left);
        }
        (vertices, second_roads)
    }

    /// The number of vertices that [`junction`](Self::junction) creates.
    fn vertices_of_junction(&self, row: u64, column: u64) -> u32 {
        let roads = self.roads(row, column);
        let index = row * self.width + column;
        let first = if index == 0 { 0 } else { self.chain(2 * index) };
        let second = if roads.up && roads.left { self.chain(2 * index + 1) } else { 0 };
        first + 1 + second + u32::from(self.dead_end(row, column, roads).is_some())
    }

    /// The junctions of the row above a block.
    fn above(&self, block: Block) -> Vec<Junction> {
        let mut junctions = vec![Junction::default(); self.width as usize];
        let Some(row) = block.rows.0.checked_sub(1) else { return junctions };
        let mut id = block.first_vertex;
        for (column, junction) in junctions.iter_mut().enumerate().rev() {
            let column = column as u64;
            id -= self.vertices_of_junction(row, column);
            let index = row * self.width + column;
            let along = if index == 0 { 0 } else { self.chain(2 * index) };
            *junction = Junction { id: id + along, place: self.place(row, column) };
        }
        junctions
    }

    /// Creates the junctions of a block in order, each with its roads and dead end, until the
    /// network has enough vertices. Keeps the places for which there is room.
    ///
    /// Each vertex has an edge to an earlier vertex, so the network is connected wherever it ends.
    pub(super) fn lay_out(&self, block: Block, places: &mut [Site], ends: &mut EdgeEnds) {
        let (next, end) = (block.first_vertex, self.vertices);
        let mut work = Work { places: places.iter_mut(), ends, next, end };
        // The junction last laid out in each column.
        let mut latest = self.above(block);
        for row in block.rows.0..block.rows.1 {
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
        work: &mut Work<'_>,
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

    fn place(&self, row: u64, column: u64) -> Site {
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
struct Work<'a> {
    places: IterMut<'a, Site>,
    ends: &'a mut EdgeEnds,
    next: Vertex,
    end: Vertex,
}

impl Work<'_> {
    /// A new vertex; none when the network has enough.
    fn vertex(&mut self, place: Site) -> Option<Vertex> {
        let id = (self.next < self.end).then_some(self.next)?;
        self.next += 1;
        if let Some(to) = self.places.next() {
            *to = place;
        }
        Some(id)
    }

    /// An edge, after both of its ends.
    fn edge(&mut self, u: Vertex, v: Vertex) {
        self.ends.push(u, v);
    }

    /// Adds evenly spaced vertices on the straight line from a junction to a point. Returns the
    /// last vertex, or the junction.
    fn chain(&mut self, from: Junction, to: Site, vertices: u32) -> Option<Vertex> {
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
