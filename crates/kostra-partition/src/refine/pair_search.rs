//! The search of Fiduccia & Mattheyses 1982 along the border of two parts.
//!
//! The search starts with the border, and learns of other vertices when a neighbor moves. It counts
//! a vertex's connections to the two parts once, and updates them when a neighbor moves. So the
//! work is that of the rows of the border and of the moved vertices' neighbors, not of the parts. A
//! pass moves the vertex with the greatest gain whose move keeps the limit, and no vertex twice. It
//! ends after a number of moves without a new best, and undoes the moves after the best.
//!
//! Memory: 4 bytes per vertex of the graph, and 56 per vertex that the search touches.

use std::collections::BinaryHeap;

use kostra_core::Vertex;
use kostra_core::random::RandomStream;

use super::state::State;

/// The number of moves without a new best that ends a pass, in percent of the border.
const PATIENCE_PERCENT: usize = 10;

/// How long to search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairEffort {
    /// The most rounds over all pairs.
    pub(crate) rounds: u32,
    /// The most passes of a search along a border.
    pub(crate) passes: u32,
    /// The least number of moves without a new best that ends a pass.
    pub(crate) patience: usize,
}

/// Two adjacent parts.
pub(super) struct Border {
    /// The parts, the lower one first.
    pub(super) pair: (u32, u32),
    /// The vertices of each part with a neighbor in the other.
    pub(super) vertices: Vec<Vertex>,
}

/// A vertex that a search knows.
struct Touched {
    vertex: Vertex,
    /// The side, and the side before the search.
    side: u8,
    first: u8,
    /// Whether the vertex has moved in this pass.
    moved: bool,
    /// The weight of the edges to its own side and to the other one.
    inside: i64,
    outside: i64,
}

impl Touched {
    fn gain(&self) -> i64 {
        self.outside - self.inside
    }
}

/// Vertices by gain; a random number breaks ties. The last number is an index into `touched`.
type Queue = BinaryHeap<Entry>;
type Entry = (i64, u32, u32);

/// The memory of a search, which several searches on one graph can use one after the other.
pub(super) struct Search {
    /// One more than the index of each vertex in `touched`; 0 if the vertex is not touched.
    places: Vec<u32>,
    touched: Vec<Touched>,
    queues: [Queue; 2],
    moves: Vec<u32>,
}

/// Two parts: their numbers and weights.
struct Pair<'a> {
    state: &'a State<'a>,
    parts: [u32; 2],
    weights: [i64; 2],
}

impl Search {
    /// Memory for a graph of `vertices` vertices.
    pub(super) fn new(vertices: usize) -> Self {
        Self {
            places: vec![0; vertices],
            touched: Vec::new(),
            queues: Default::default(),
            moves: Vec::new(),
        }
    }

    /// Refines the border between two parts by the passes of `effort`. Neither part exceeds the
    /// limit. Returns the moves. The search starts with the vertices of the border, and
    /// ignores those that have left the two parts.
    pub(super) fn refine(
        &mut self,
        state: &State<'_>,
        Border { pair: (a, b), vertices }: &Border,
        effort: PairEffort,
        stream: RandomStream,
    ) -> Vec<(Vertex, u32)> {
        let parts = [*a, *b];
        let weights = parts.map(|part| state.weights[part as usize]);
        let mut pair = Pair { state, parts, weights };
        for &v in vertices {
            if parts.contains(&state.part(v)) {
                self.touch(&pair, v);
            }
        }
        for _ in 0..effort.passes {
            if !self.pass(&mut pair, effort.patience, stream) {
                break;
            }
        }
        let changed = self.touched.iter().filter(|one| one.side != one.first);
        let moves = changed.map(|one| (one.vertex, pair.parts[usize::from(one.side)])).collect();
        for one in self.touched.drain(..) {
            self.places[one.vertex as usize] = 0;
        }
        moves
    }

    /// Counts the connections of a vertex of the two parts. Returns its index in `touched`.
    fn touch(&mut self, pair: &Pair<'_>, v: Vertex) -> u32 {
        let side = u8::from(pair.state.part(v) == pair.parts[1]);
        let (mut inside, mut outside) = (0, 0);
        for (u, weight) in pair.state.graph.row(v) {
            let other = match self.places[u as usize] {
                0 => match pair.state.part(u) {
                    part if part == pair.parts[0] => 0,
                    part if part == pair.parts[1] => 1,
                    _ => continue,
                },
                place => self.touched[place as usize - 1].side,
            };
            *(if other == side { &mut inside } else { &mut outside }) += weight;
        }
        let (first, moved) = (side, false);
        self.touched.push(Touched { vertex: v, side, first, moved, inside, outside });
        self.places[v as usize] = self.touched.len() as u32;
        self.touched.len() as u32 - 1
    }

    /// One pass; whether it lowered the cut.
    fn pass(&mut self, pair: &mut Pair<'_>, patience: usize, stream: RandomStream) -> bool {
        self.queues.iter_mut().for_each(BinaryHeap::clear);
        self.moves.clear();
        for index in 0..self.touched.len() {
            self.touched[index].moved = false;
            if self.touched[index].outside > 0 {
                self.push(index as u32, stream);
            }
        }
        let border = self.queues[0].len() + self.queues[1].len();
        let patience = patience.max(border * PATIENCE_PERCENT / 100);
        let (mut gain, mut best, mut kept) = (0, 0, 0);
        while self.moves.len() < kept + patience {
            let Some(index) = self.next(pair) else { break };
            gain += self.touched[index as usize].gain();
            self.touched[index as usize].moved = true;
            self.flip(pair, index, Some(stream));
            self.moves.push(index);
            if gain > best {
                (best, kept) = (gain, self.moves.len());
            }
        }
        while self.moves.len() > kept {
            if let Some(index) = self.moves.pop() {
                self.flip(pair, index, None);
            }
        }
        best > 0
    }

    fn push(&mut self, index: u32, stream: RandomStream) {
        let one = &self.touched[index as usize];
        let tie = (stream.at(one.vertex.into()) >> 32) as u32;
        self.queues[usize::from(one.side)].push((one.gain(), tie, index));
    }

    /// Takes the vertex with the greatest gain whose move keeps the limit out of its queue.
    fn next(&mut self, pair: &Pair<'_>) -> Option<u32> {
        let tops = [0, 1].map(|side| self.top(pair, side));
        let side = usize::from(tops[1] > tops[0]);
        tops[side]?;
        self.queues[side].pop().map(|(_, _, index)| index)
    }

    /// The first entry of a side's queue that is not stale and whose move keeps the limit. Drops
    /// the entries before it.
    fn top(&mut self, pair: &Pair<'_>, side: usize) -> Option<Entry> {
        let room = pair.state.limit - pair.weights[1 - side];
        while let Some(&entry) = self.queues[side].peek() {
            let (gain, _, index) = entry;
            let one = &self.touched[index as usize];
            let is_stale = one.moved || usize::from(one.side) != side || one.gain() != gain;
            if !is_stale && pair.state.graph.weight(one.vertex) <= room {
                return Some(entry);
            }
            self.queues[side].pop();
        }
        None
    }

    /// Moves a vertex to the other side. With a stream, also queues the neighbors.
    fn flip(&mut self, pair: &mut Pair<'_>, index: u32, queue: Option<RandomStream>) {
        let one = &mut self.touched[index as usize];
        let (v, from) = (one.vertex, one.side);
        one.side = 1 - from;
        std::mem::swap(&mut one.inside, &mut one.outside);
        let weight = pair.state.graph.weight(v);
        pair.weights[usize::from(from)] -= weight;
        pair.weights[usize::from(1 - from)] += weight;
        for (u, weight) in pair.state.graph.row(v) {
            let neighbor = match self.places[u as usize] {
                0 if pair.parts.contains(&pair.state.part(u)) => self.touch(pair, u),
                0 => continue,
                place => {
                    let other = &mut self.touched[place as usize - 1];
                    let change = if other.side == from { -weight } else { weight };
                    other.inside += change;
                    other.outside -= change;
                    place - 1
                }
            };
            if let Some(stream) = queue
                && !self.touched[neighbor as usize].moved
            {
                self.push(neighbor, stream);
            }
        }
    }
}
