//! Refinement by workers, each with a queue of its boundary vertices.
//!
//! Source: Manoochehri 2017, section 4.2.3, after LaSalle & Karypis 2013. A worker takes the vertex
//! with the greatest estimated gain out of its queue, and moves it to the part with room to which
//! the vertex has the heaviest connection. The moves are pending, and messages about them are in
//! buffers for the owners of the neighbors. After a fixed number of moves the workers meet at
//! barriers:
//!
//! 1. They tell each other the weights that their moves add to each part.
//! 2. Each one commits its moves, or reverts those to parts that would become too heavy.
//! 3. Each one reads the messages about the committed moves of the others.
//!
//! In a pass, vertices first move to parts of higher numbers, and then to parts of lower numbers.
//! So two neighbors do not swap their parts.
//!
//! Workers share no memory between barriers. So the result depends on the number of workers, but
//! not on the threads that do their work.
//!
//! O(n + m) for the links, and O(degree log n) for a move. Memory: 40 bytes per vertex, and 16 for
//! each part next to a boundary vertex.

use kostra_core::random::RandomStream;
use kostra_parallel::{Team, for_each_item};

use super::state::State;
use super::worker::{Direction, Setting, Worker};
use crate::team::{Shares, map_items};

/// The most passes on a graph of many vertices.
const PASSES: usize = 8;
/// The most passes on a graph of few vertices, where a pass takes little time (section 4.1.3).
const MORE_PASSES: usize = 16;
/// A graph of this number of vertices has many.
const MANY: usize = 1 << 16;

/// Lowers the cut. No part exceeds the limit that does not exceed it before.
pub(crate) fn refine_by_queues<'a>(
    state: State<'a>,
    workers: usize,
    stream: RandomStream,
    team: &Team<'_>,
) -> State<'a> {
    let n = state.parts.len();
    let shares = Shares::new(n, workers);
    let setting = Setting { graph: state.graph, shares, limit: state.limit, stream };
    let workers = map_items(team, 0..shares.count(), |worker| {
        Worker::new(setting, worker, &state.parts, &state.weights)
    });
    let mut refinement = Refinement { workers, weights: state.weights.clone(), team };
    let passes = if n < MANY { MORE_PASSES } else { PASSES };
    for _ in 0..passes {
        let moves = [Direction::Up, Direction::Down].map(|way| refinement.run(way));
        if moves == [0, 0] {
            break;
        }
    }
    let parts = refinement.workers.into_iter().flat_map(|worker| worker.parts).collect();
    let refined = state.with_parts(parts, team);
    // Moves at the same time can raise the cut.
    if refined.cut() < state.cut() { refined } else { state }
}

/// The workers at a barrier.
struct Refinement<'a, 't> {
    workers: Vec<Worker<'a>>,
    /// The weight of each part.
    weights: Vec<i64>,
    team: &'t Team<'t>,
}

impl Refinement<'_, '_> {
    /// Moves vertices in one direction until all queues are empty. Returns the number of moves.
    fn run(&mut self, direction: Direction) -> usize {
        for_each_item(self.team, self.workers.iter_mut(), Worker::fill_queue);
        let mut moves = 0;
        while self.workers.iter().any(|worker| !worker.is_done()) {
            let workers = self.workers.iter_mut();
            let inflows = map_items(self.team, workers, |worker| worker.choose_moves(direction));
            moves += self.commit(&inflows);
            self.exchange();
        }
        moves
    }

    /// Commits the pending moves, and returns their number. `inflows` has the weight by which each
    /// worker's moves increase each part.
    fn commit(&mut self, inflows: &[Vec<i64>]) -> usize {
        let mut sum = self.weights.clone();
        let before = inflows.iter().map(|inflow| {
            let before = sum.clone();
            sum.iter_mut().zip(inflow).for_each(|(sum, weight)| *sum += weight);
            before
        });
        let workers = self.workers.iter_mut().zip(before);
        let done = map_items(self.team, workers, |(worker, before)| worker.commit(before));
        for (_, change) in &done {
            self.weights.iter_mut().zip(change).for_each(|(weight, change)| *weight += change);
        }
        done.iter().map(|(moves, _)| moves).sum()
    }

    /// Delivers the messages about committed moves, and the new weights of the parts.
    fn exchange(&mut self) {
        let take = |worker: &mut Worker<'_>| {
            let empty = worker.outbox.iter().map(|_| Vec::new()).collect();
            std::mem::replace(&mut worker.outbox, empty)
        };
        let boxes: Vec<_> = self.workers.iter_mut().map(take).collect();
        let weights = &self.weights;
        for_each_item(self.team, self.workers.iter_mut().enumerate(), |(owner, worker)| {
            worker.weights.copy_from_slice(weights);
            boxes.iter().for_each(|of_sender| worker.receive(&of_sender[owner]));
        });
    }
}

#[cfg(test)]
mod tests {
    use kostra_parallel::with_team;

    use super::*;
    use crate::{WeightedGraph, limit};

    fn generated(spec: &str) -> WeightedGraph {
        WeightedGraph::of_unit_weights(&kostra_gen::generate(spec).unwrap().graph).unwrap()
    }

    /// Refines a random partition into parts of the same size.
    fn refined(graph: &WeightedGraph, k: u32, workers: usize, threads: usize) -> (State<'_>, i64) {
        let stream = RandomStream::new(3);
        let mut parts: Vec<u32> = (0..graph.vertices()).map(|v| v % k).collect();
        stream.shuffle(&mut parts);
        let state = State::new(graph, parts, (k, limit(graph, k, 0.03)));
        let before = state.cut();
        (with_team(threads, |team| refine_by_queues(state, workers, stream, team)), before)
    }

    #[test]
    fn the_cut_falls_within_the_limit_on_any_number_of_threads() {
        for spec in ["grid:rows=60,cols=60", "gnm:n=4000,m=9000", "rmat:scale=11,edgefactor=8"] {
            let graph = generated(spec);
            for (k, workers) in [(2, 1), (2, 8), (9, 8)] {
                let (state, before) = refined(&graph, k, workers, 1);
                assert_eq!(state.overload(), 0);
                assert!(state.cut() < before * 9 / 10, "{spec}: {} of {before}", state.cut());
                let other = refined(&graph, k, workers, 3).0;
                assert_eq!((&state.parts, state.cut()), (&other.parts, other.cut()));
                // The figures of the workers are those of the parts.
                let fresh = State::new(&graph, state.parts.clone(), (k, state.limit));
                assert_eq!((fresh.cut(), &fresh.weights), (state.cut(), &state.weights));
            }
        }
    }

    #[test]
    fn a_part_that_is_nearly_full_takes_no_more_than_it_has_room_for() {
        // All vertices have neighbors in part 1, which has room for three of 600.
        let pairs = (0..600).flat_map(|v| (0..3).map(move |leaf| (v, 600 + 3 * v + leaf)));
        let (u, v): (Vec<u32>, Vec<u32>) = pairs.unzip();
        let graph = WeightedGraph::from_edges(2400, &u, &v, None).unwrap();
        let parts: Vec<u32> = (0..2400).map(|v| u32::from(v >= 600)).collect();
        let state = State::new(&graph, parts, (2, 1803));
        let stream = RandomStream::new(0);
        let state = with_team(2, |team| refine_by_queues(state, 8, stream, team));
        assert_eq!(state.overload(), 0);
        assert!(state.cut() < 1800);
    }
}
