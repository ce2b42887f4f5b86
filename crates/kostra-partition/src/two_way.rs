//! Two sides and their refinement by moves of single vertices (Fiduccia & Mattheyses 1982).
//!
//! Source: Manoochehri 2017, section 4.1.2. A pass moves the vertex with the greatest gain, and no
//! vertex twice. If a side exceeds its limit, the vertex is one of that side. A pass goes through
//! worse bisections to better ones, ends after a number of moves without a new best, and undoes the
//! moves after the best bisection.
//!
//! Queues are binary heaps with stale entries, so a pass takes O(m log m).

use std::collections::BinaryHeap;

use kostra_core::Vertex;
use kostra_core::random::RandomStream;

use crate::WeightedGraph;

/// The most passes.
const PASSES: u64 = 8;
/// The least number of moves without a new best that ends a pass.
const PATIENCE: usize = 60;
/// The number of moves without a new best that ends a pass, in percent of the vertices.
const PATIENCE_PERCENT: usize = 2;

/// Two sides of a graph, with the gain of each move.
pub(crate) struct TwoWay<'a> {
    graph: &'a WeightedGraph,
    sides: Vec<u8>,
    /// The decrease of the cut if the vertex changes its side.
    gains: Vec<i64>,
    weights: [i64; 2],
    limits: [i64; 2],
    cut: i64,
}

impl<'a> TwoWay<'a> {
    /// The sides of each vertex, and the limits of their weights. O(n + m).
    pub(crate) fn new(graph: &'a WeightedGraph, sides: Vec<u8>, limits: [i64; 2]) -> Self {
        let (mut weights, mut doubled_cut) = ([0; 2], 0);
        let mut gains = Vec::with_capacity(sides.len());
        for v in 0..graph.vertices() {
            let side = sides[v as usize];
            weights[usize::from(side)] += graph.weight(v);
            let (mut gain, mut cut) = (0, 0);
            for (u, weight) in graph.row(v) {
                let crosses = sides[u as usize] != side;
                gain += if crosses { weight } else { -weight };
                cut += if crosses { weight } else { 0 };
            }
            gains.push(gain);
            doubled_cut += cut;
        }
        Self { graph, sides, gains, weights, limits, cut: doubled_cut / 2 }
    }

    /// The side of a vertex, 0 or 1.
    pub(crate) fn side(&self, v: Vertex) -> u8 {
        self.sides[v as usize]
    }

    /// The decrease of the cut if the vertex changes its side.
    pub(crate) fn gain(&self, v: Vertex) -> i64 {
        self.gains[v as usize]
    }

    /// The weight of a side.
    pub(crate) fn weight(&self, side: usize) -> i64 {
        self.weights[side]
    }

    /// The weight of all edges between the sides.
    pub(crate) fn cut(&self) -> i64 {
        self.cut
    }

    /// The side of each vertex.
    pub(crate) fn into_sides(self) -> Vec<u8> {
        self.sides
    }

    /// The weight above the limits.
    pub(crate) fn overload(&self) -> i64 {
        (0..2).map(|side| (self.weights[side] - self.limits[side]).max(0)).sum()
    }

    /// Moves a vertex to the other side.
    pub(crate) fn flip(&mut self, v: Vertex) {
        let from = usize::from(self.sides[v as usize]);
        let weight = self.graph.weight(v);
        self.weights[from] -= weight;
        self.weights[1 - from] += weight;
        self.sides[v as usize] = 1 - from as u8;
        self.cut -= self.gains[v as usize];
        self.gains[v as usize] = -self.gains[v as usize];
        for (u, weight) in self.graph.row(v) {
            let is_left = usize::from(self.sides[u as usize]) == from;
            self.gains[u as usize] += if is_left { 2 * weight } else { -2 * weight };
        }
    }

    /// Runs passes until one finds no better bisection.
    pub(crate) fn refine(&mut self, stream: RandomStream) {
        for pass in 0..PASSES {
            if !self.pass(stream.split(pass)) {
                break;
            }
        }
    }

    /// One pass; whether it found a better bisection.
    fn pass(&mut self, stream: RandomStream) -> bool {
        let n = self.sides.len();
        let patience = PATIENCE.max(n * PATIENCE_PERCENT / 100);
        let start = (self.overload(), self.cut);
        let mut queues = [BinaryHeap::new(), BinaryHeap::new()];
        let overloaded = start.0 > 0;
        for v in 0..n as Vertex {
            if overloaded || self.is_boundary(v) {
                queues[usize::from(self.side(v))].push((self.gain(v), stream.at(v.into()), v));
            }
        }
        let mut moved = vec![false; n];
        let (mut best, mut kept, mut moves) = (start, 0, Vec::new());
        while moves.len() < kept + patience {
            let Some(v) = self.next(&mut queues, &moved) else { break };
            moved[v as usize] = true;
            self.flip(v);
            moves.push(v);
            for (u, _) in self.graph.row(v).filter(|&(u, _)| !moved[u as usize]) {
                let entry = (self.gain(u), stream.at(u.into()), u);
                queues[usize::from(self.side(u))].push(entry);
            }
            let now = (self.overload(), self.cut);
            if now < best {
                (best, kept) = (now, moves.len());
            }
        }
        moves[kept..].iter().rev().for_each(|&v| self.flip(v));
        best < start
    }

    fn is_boundary(&self, v: Vertex) -> bool {
        self.graph.row(v).any(|(u, _)| self.side(u) != self.side(v))
    }

    /// Takes the vertex to move next out of its queue: the one with the greatest gain that fits.
    fn next(&self, queues: &mut [Queue; 2], moved: &[bool]) -> Option<Vertex> {
        let overloaded = (0..2).find(|&side| self.weights[side] > self.limits[side]);
        let mut tops = [None; 2];
        for side in 0..2 {
            if overloaded.is_some_and(|heavy| heavy != side) {
                continue;
            }
            let room = match overloaded {
                // The move may overload the other side, but not by as much as it relieves this one.
                Some(heavy) => {
                    self.limits[1 - side] - self.weights[1 - side]
                        + (self.weights[heavy] - self.limits[heavy] - 1).max(0)
                }
                None => self.limits[1 - side] - self.weights[1 - side],
            };
            while let Some(&(gain, _, v)) = queues[side].peek() {
                let is_stale =
                    moved[v as usize] || usize::from(self.side(v)) != side || self.gain(v) != gain;
                if !is_stale && self.graph.weight(v) <= room {
                    tops[side] = queues[side].peek().copied();
                    break;
                }
                queues[side].pop();
            }
        }
        let side = usize::from(tops[1] > tops[0]);
        tops[side]?;
        queues[side].pop().map(|(_, _, v)| v)
    }
}

/// Vertices with their gains and a random number to break ties.
type Queue = BinaryHeap<(i64, u64, Vertex)>;

#[cfg(test)]
mod tests {
    use super::*;

    /// Two cliques of four vertices, joined by one edge.
    fn barbell() -> WeightedGraph {
        let pairs = (0..4).flat_map(|u| (u + 1..4).flat_map(move |v| [(u, v), (u + 4, v + 4)]));
        let (mut u, mut v): (Vec<_>, Vec<_>) = pairs.unzip();
        u.push(0);
        v.push(4);
        WeightedGraph::from_edges(8, &u, &v, None).unwrap()
    }

    #[test]
    fn refinement_separates_two_cliques() {
        let graph = barbell();
        let mut state = TwoWay::new(&graph, vec![0, 1, 0, 1, 0, 1, 0, 1], [5, 5]);
        state.refine(RandomStream::new(0));
        assert_eq!(state.cut(), 1);
        assert_eq!(TwoWay::new(&graph, state.into_sides(), [4, 4]).cut(), 1);
    }

    #[test]
    fn an_overloaded_side_is_relieved() {
        let graph = barbell();
        let mut state = TwoWay::new(&graph, vec![0; 8], [4, 4]);
        state.refine(RandomStream::new(0));
        assert_eq!((state.overload(), state.weight(0)), (0, 4));
    }
}
