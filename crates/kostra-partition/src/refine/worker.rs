//! A worker of the refinement by queues: the vertices that it owns, and the messages that it sends.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use kostra_core::Vertex;
use kostra_core::random::RandomStream;

use super::balance::ascending;
use crate::WeightedGraph;
use crate::team::Shares;

/// The most moves of a worker between two barriers. With more, workers choose moves that others
/// have made worse; with fewer, they meet more often.
const PENDING: usize = 32;

/// The parts to which a vertex may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// Those of higher numbers.
    Up,
    /// Those of lower numbers.
    Down,
}

/// What does not change while workers refine.
#[derive(Clone, Copy)]
pub(super) struct Setting<'a> {
    pub(super) graph: &'a WeightedGraph,
    pub(super) shares: Shares,
    /// The greatest weight of a part.
    pub(super) limit: i64,
    /// Random numbers that order vertices of equal gain.
    pub(super) stream: RandomStream,
}

/// A message to the owner of a vertex: a neighbor moves.
pub(super) struct Update {
    vertex: Vertex,
    /// The weight of the edge to the neighbor.
    weight: i64,
    from: u32,
    to: u32,
    /// The index of the sender's move.
    index: usize,
}

/// A vertex that moves, unless its target has no room.
struct Move {
    vertex: Vertex,
    from: u32,
    to: u32,
}

/// The weights of a vertex's edges to parts.
#[derive(Clone, Default)]
struct Links {
    /// To its own part.
    inside: i64,
    /// To other parts, none of them 0.
    outside: Vec<(u32, i64)>,
}

impl Links {
    /// Adds a weight to that of a part other than the own one.
    fn add_outside(&mut self, part: u32, weight: i64) {
        match self.outside.iter().position(|&(other, _)| other == part) {
            None if weight != 0 => self.outside.push((part, weight)),
            None => (),
            Some(index) => {
                self.outside[index].1 += weight;
                if self.outside[index].1 == 0 {
                    self.outside.swap_remove(index);
                }
            }
        }
    }

    /// The own part becomes another one.
    fn change_part(&mut self, from: u32, to: u32) {
        let index = self.outside.iter().position(|&(part, _)| part == to);
        let inside = index.map_or(0, |index| self.outside.swap_remove(index).1);
        let left = std::mem::replace(&mut self.inside, inside);
        self.add_outside(from, left);
    }

    /// The estimated gain: the weight to other parts divided by the square root of their number,
    /// less the weight to the own part. None if there are no other parts.
    fn priority(&self) -> Option<i64> {
        let sum: i64 = self.outside.iter().map(|&(_, weight)| weight).sum();
        let parts = self.outside.len() as f64;
        (parts > 0.0).then(|| ascending(sum as f64 / parts.sqrt() - self.inside as f64))
    }
}

/// A worker, and what it knows of its vertices.
pub(super) struct Worker<'a> {
    setting: Setting<'a>,
    /// Its lowest vertex.
    first: Vertex,
    /// The part of each of its vertices, with the pending moves.
    pub(super) parts: Vec<u32>,
    links: Vec<Links>,
    /// Whether a vertex has tried to move in this pass.
    moved: Vec<bool>,
    /// Its vertices by priority. Entries of older priorities are stale.
    queue: BinaryHeap<(i64, u64, Vertex)>,
    /// The weights of all parts, with the pending moves of this worker alone.
    pub(super) weights: Vec<i64>,
    pending: Vec<Move>,
    /// The messages of the pending moves, by the worker that owns the vertex.
    pub(super) outbox: Vec<Vec<Update>>,
}

impl<'a> Worker<'a> {
    /// A worker with the links of its vertices. `parts` has the part of each vertex of the graph.
    pub(super) fn new(setting: Setting<'a>, worker: usize, parts: &[u32], weights: &[i64]) -> Self {
        let range = setting.shares.range(worker);
        let links = |v: Vertex| {
            let mut links = Links::default();
            for (u, weight) in setting.graph.row(v) {
                if parts[u as usize] == parts[v as usize] {
                    links.inside += weight;
                } else {
                    links.add_outside(parts[u as usize], weight);
                }
            }
            links
        };
        Self {
            setting,
            first: range.start as Vertex,
            parts: parts[range.clone()].to_vec(),
            links: (range.start as Vertex..range.end as Vertex).map(links).collect(),
            moved: vec![false; range.len()],
            queue: BinaryHeap::new(),
            weights: weights.to_vec(),
            pending: Vec::new(),
            outbox: setting.shares.buffers(),
        }
    }

    /// Begins a pass: all boundary vertices are in the queue.
    pub(super) fn fill_queue(&mut self) {
        self.moved.fill(false);
        (0..self.parts.len()).for_each(|index| self.enqueue(index));
    }

    /// Whether no vertex is left to move.
    pub(super) fn is_done(&self) -> bool {
        self.queue.is_empty()
    }

    /// Takes vertices out of the queue, and moves those whose gain is positive, until the number of
    /// moves is reached. The moves are pending. Returns their weights by target.
    pub(super) fn choose_moves(&mut self, direction: Direction) -> Vec<i64> {
        let mut inflow = vec![0; self.weights.len()];
        while self.pending.len() < PENDING {
            let Some((priority, _, vertex)) = self.queue.pop() else { break };
            let index = (vertex - self.first) as usize;
            if self.moved[index] || self.links[index].priority() != Some(priority) {
                continue;
            }
            if let Some(to) = self.target(index, direction) {
                let one = Move { vertex, from: self.parts[index], to };
                inflow[to as usize] += self.setting.graph.weight(vertex);
                self.moved[index] = true;
                self.carry_out(&one);
                self.send(&one, self.pending.len());
                self.pending.push(one);
            }
        }
        inflow
    }

    /// The part with room to which the vertex has the greatest weight, if the move lowers the cut,
    /// or improves the balance at the same cut.
    fn target(&self, index: usize, direction: Direction) -> Option<u32> {
        let (own, weight) = (self.parts[index], self.weight(index));
        let room = |part: u32| self.setting.limit - self.weights[part as usize];
        let is_eligible = |&&(part, _): &&(u32, i64)| {
            let is_ahead = match direction {
                Direction::Up => part > own,
                Direction::Down => part < own,
            };
            is_ahead && weight <= room(part)
        };
        let links = &self.links[index];
        let eligible = links.outside.iter().filter(is_eligible);
        let &(to, outside) = eligible.max_by_key(|&&(part, sum)| (sum, Reverse(part)))?;
        let balances = self.weights[to as usize] + weight < self.weights[own as usize];
        (outside > links.inside || outside == links.inside && balances).then_some(to)
    }

    /// Commits the pending moves whose target has room, and reverts the others. `before` has the
    /// weights of all parts with the pending moves of the workers before this one. Returns the
    /// number of committed moves, and the weight that each part gains.
    pub(super) fn commit(&mut self, mut before: Vec<i64>) -> (usize, Vec<i64>) {
        let mut change = vec![0; before.len()];
        let pending = std::mem::take(&mut self.pending);
        let mut reverted = vec![false; pending.len()];
        for (one, reverted) in pending.iter().zip(&mut reverted) {
            let weight = self.setting.graph.weight(one.vertex);
            let (from, to) = (one.from as usize, one.to as usize);
            if before[to] + weight > self.setting.limit {
                *reverted = true;
                self.carry_out(&Move { vertex: one.vertex, from: one.to, to: one.from });
            } else {
                before[to] += weight;
                before[from] -= weight;
                change[to] += weight;
                change[from] -= weight;
            }
        }
        for updates in &mut self.outbox {
            updates.retain(|update| !reverted[update.index]);
        }
        (reverted.iter().filter(|&&reverted| !reverted).count(), change)
    }

    /// Receives the committed moves of another worker.
    pub(super) fn receive(&mut self, updates: &[Update]) {
        for update in updates {
            self.relink((update.vertex - self.first) as usize, update);
        }
    }

    /// Changes the part of a vertex, and the links of its neighbors that this worker owns.
    fn carry_out(&mut self, one: &Move) {
        let &Move { vertex, from, to } = one;
        let index = (vertex - self.first) as usize;
        self.parts[index] = to;
        self.links[index].change_part(from, to);
        let own_weight = self.weight(index);
        self.weights[from as usize] -= own_weight;
        self.weights[to as usize] += own_weight;
        let (graph, own) = (self.setting.graph, self.own());
        for (u, weight) in graph.row(vertex).filter(|(u, _)| own.contains(u)) {
            let update = Update { vertex: u, weight, from, to, index: 0 };
            self.relink((u - self.first) as usize, &update);
        }
    }

    /// Writes the messages of a move.
    fn send(&mut self, one: &Move, index: usize) {
        let &Move { vertex, from, to } = one;
        let (Setting { graph, shares, .. }, own) = (self.setting, self.own());
        for (u, weight) in graph.row(vertex).filter(|(u, _)| !own.contains(u)) {
            self.outbox[shares.owner(u)].push(Update { vertex: u, weight, from, to, index });
        }
    }

    /// Updates the links of a vertex whose neighbor moves.
    fn relink(&mut self, index: usize, update: &Update) {
        let (own, links) = (self.parts[index], &mut self.links[index]);
        for (part, weight) in [(update.from, -update.weight), (update.to, update.weight)] {
            if part == own {
                links.inside += weight;
            } else {
                links.add_outside(part, weight);
            }
        }
        if !self.moved[index] {
            self.enqueue(index);
        }
    }

    fn enqueue(&mut self, index: usize) {
        let vertex = self.first + index as Vertex;
        if let Some(priority) = self.links[index].priority() {
            self.queue.push((priority, self.setting.stream.at(vertex.into()), vertex));
        }
    }

    /// The vertices that this worker owns.
    fn own(&self) -> Range<Vertex> {
        self.first..self.first + self.parts.len() as Vertex
    }

    fn weight(&self, index: usize) -> i64 {
        self.setting.graph.weight(self.first + index as Vertex)
    }
}
