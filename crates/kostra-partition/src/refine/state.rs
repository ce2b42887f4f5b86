//! A partition while it is refined.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use kostra_core::Vertex;
use kostra_parallel::{Team, with_team};

use crate::WeightedGraph;
use crate::team::{BLOCK, for_each_chunk};

/// The parts of a graph's vertices, with figures that each move updates.
pub(crate) struct State<'a> {
    pub(crate) graph: &'a WeightedGraph,
    pub(crate) parts: Vec<u32>,
    /// The weight of each part.
    pub(crate) weights: Vec<i64>,
    /// The most weight of a part.
    pub(crate) limit: i64,
    /// The number of neighbors of each vertex that are in other parts.
    foreign: Vec<u32>,
    cut: i64,
    /// The moves since the last [`keep`](Self::keep): the vertex, and the part that it left.
    journal: Vec<(Vertex, u32)>,
}

impl<'a> State<'a> {
    /// The state of a partition into `count` parts. O(n + m + k).
    pub(crate) fn new(graph: &'a WeightedGraph, parts: Vec<u32>, shape: (u32, i64)) -> Self {
        let mut state = Self::uncounted(graph, parts, shape);
        with_team(1, |team| state.count_foreign(|_| false, team));
        state
    }

    /// The state of the partition of a finer graph. `map` has the vertex of this state's graph for
    /// each vertex of `finer`. O(n + k), and the rows of the vertices in boundary vertices.
    pub(crate) fn projected<'b>(
        &self,
        finer: &'b WeightedGraph,
        map: &[Vertex],
        team: &Team<'_>,
    ) -> State<'b> {
        let mut parts = vec![0; map.len()];
        for_each_chunk(team, &mut parts, BLOCK, |first, chunk| {
            for (part, &v) in chunk.iter_mut().zip(&map[first..]) {
                *part = self.part(v);
            }
        });
        let shape = (self.count() as u32, self.limit);
        let is_inner = |v: Vertex| !self.is_boundary(map[v as usize]);
        let mut state = State::uncounted(finer, parts, shape);
        state.count_foreign(is_inner, team);
        state
    }

    /// The state of another partition of the graph into the same number of parts. O(n + m + k).
    pub(crate) fn with_parts(&self, parts: Vec<u32>, team: &Team<'_>) -> Self {
        let mut state = Self::uncounted(self.graph, parts, (self.count() as u32, self.limit));
        state.count_foreign(|_| false, team);
        state
    }

    /// The weights of the parts, without the edges between them.
    fn uncounted(graph: &'a WeightedGraph, parts: Vec<u32>, (count, limit): (u32, i64)) -> Self {
        let mut weights = vec![0; count as usize];
        for (&part, &weight) in parts.iter().zip(graph.vertex_weights()) {
            weights[part as usize] += weight;
        }
        let (foreign, journal) = (vec![0; parts.len()], Vec::new());
        Self { graph, parts, weights, limit, foreign, cut: 0, journal }
    }

    /// Counts neighbors in other parts and the cut. No vertex for which `is_inner` holds has such a
    /// neighbor.
    fn count_foreign(&mut self, is_inner: impl Fn(Vertex) -> bool + Sync, team: &Team<'_>) {
        let (graph, parts) = (self.graph, &self.parts);
        let doubled_cut = AtomicI64::new(0);
        for_each_chunk(team, &mut self.foreign, BLOCK, |first, chunk| {
            let mut cut = 0;
            for (v, others) in (first as Vertex..).zip(chunk).filter(|&(v, _)| !is_inner(v)) {
                let own = parts[v as usize];
                for (_, weight) in graph.row(v).filter(|&(u, _)| parts[u as usize] != own) {
                    *others += 1;
                    cut += weight;
                }
            }
            doubled_cut.fetch_add(cut, Relaxed);
        });
        self.cut = doubled_cut.into_inner() / 2;
    }

    /// The number of parts.
    pub(crate) fn count(&self) -> usize {
        self.weights.len()
    }

    /// The weight of all edges between different parts.
    pub(crate) fn cut(&self) -> i64 {
        self.cut
    }

    /// The part of a vertex.
    #[inline]
    pub(crate) fn part(&self, v: Vertex) -> u32 {
        self.parts[v as usize]
    }

    /// Whether a vertex has a neighbor in another part.
    #[inline]
    pub(crate) fn is_boundary(&self, v: Vertex) -> bool {
        self.foreign[v as usize] > 0
    }

    /// The weight above the limits of all parts.
    pub(crate) fn overload(&self) -> i64 {
        self.weights.iter().map(|weight| (weight - self.limit).max(0)).sum()
    }

    /// Whether a part has room for a vertex.
    #[inline]
    pub(crate) fn fits(&self, v: Vertex, part: u32) -> bool {
        self.weights[part as usize] + self.graph.weight(v) <= self.limit
    }

    /// Moves a vertex to another part. O(degree).
    pub(crate) fn shift(&mut self, v: Vertex, to: u32) {
        let from = self.part(v);
        self.journal.push((v, from));
        self.shift_unrecorded(v, to);
    }

    fn shift_unrecorded(&mut self, v: Vertex, to: u32) {
        let from = std::mem::replace(&mut self.parts[v as usize], to);
        let weight = self.graph.weight(v);
        self.weights[from as usize] -= weight;
        self.weights[to as usize] += weight;
        let mut foreign = 0;
        for (u, weight) in self.graph.row(v) {
            let part = self.parts[u as usize];
            if part == from {
                self.foreign[u as usize] += 1;
                self.cut += weight;
            } else if part == to {
                self.foreign[u as usize] -= 1;
                self.cut -= weight;
            }
            foreign += u32::from(part != to);
        }
        self.foreign[v as usize] = foreign;
    }

    /// The moves since the last [`keep`](Self::keep): the vertex, and the part that it left.
    pub(crate) fn moves(&self) -> &[(Vertex, u32)] {
        &self.journal
    }

    /// Keeps all moves: [`undo`](Self::undo) returns to this partition.
    pub(crate) fn keep(&mut self) {
        self.journal.clear();
    }

    /// Undoes the moves since the last [`keep`](Self::keep).
    pub(crate) fn undo(&mut self) {
        while let Some((v, part)) = self.journal.pop() {
            self.shift_unrecorded(v, part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_update_all_figures_and_can_be_undone() {
        let (u, v) = ([0, 1, 2, 3, 0], [1, 2, 3, 0, 2]);
        let graph = WeightedGraph::from_edges(4, &u, &v, Some(&[1, 2, 3, 4, 10])).unwrap();
        let mut state = State::new(&graph, vec![0, 0, 1, 2], (3, 2));
        let start = (state.parts.clone(), state.weights.clone(), state.foreign.clone(), state.cut);
        for (v, to) in [(2, 0), (3, 0), (0, 1)] {
            state.shift(v, to);
            let fresh = State::new(&graph, state.parts.clone(), (3, 2));
            assert_eq!((state.cut, &state.foreign), (fresh.cut, &fresh.foreign));
            assert_eq!((&state.weights, state.overload()), (&fresh.weights, fresh.overload()));
        }
        state.undo();
        assert_eq!((state.parts, state.weights, state.foreign, state.cut), start);
    }
}
