//! Refinement by synchronous passes with an afterburner (Jet: Gilbert et al. 2024).
//!
//! The refinement of Manoochehri 2017, section 4.2.3, moves vertices from one queue per thread, and
//! avoids harmful simultaneous moves by alternating the direction of the moves. Its result depends
//! on the number of threads. Jet solves the same problem synchronously. In a pass, every boundary
//! vertex chooses the part to which its edges have the greatest weight, even if the move raises the
//! cut by a share of the vertex's connection to its own part: the temperature. The afterburner then
//! computes each gain again, under the assumption that the better candidates have moved, and drops
//! the candidates whose gain is negative. So two adjacent vertices do not swap their parts. The
//! rest moves at once. A vertex that has moved rests for one pass.
//!
//! Passes may exceed the limit of part weights; a balancing pass follows. The best balanced
//! partition is kept.
//!
//! The threads find candidates and filter them; one thread carries the moves out, in the order of
//! the vertices. O(n + m + k) per pass.

use kostra_core::Vertex;
use kostra_core::random::Stream;
use kostra_parallel::Team;

use super::balance::rebalance;
use super::state::State;
use crate::rating::Rating;
use crate::team::{BLOCK, map_blocks};

/// How long to search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// The share of the connection to its own part that a vertex may lose by a move.
    pub(crate) temperature: f64,
    /// The number of passes without a better partition that ends the refinement.
    pub(crate) patience: u32,
}

/// An improvement of the cut below this share does not prolong the search.
const WORTHWHILE: f64 = 0.001;
/// The number of candidates that a thread filters at once.
const CANDIDATES: usize = 1 << 9;

/// A vertex that may move.
#[derive(Clone, Copy)]
struct Candidate {
    vertex: Vertex,
    target: u32,
    gain: i64,
}

/// Lowers the cut, and the overload if there is any.
pub(crate) fn refine(state: &mut State<'_>, effort: Effort, stream: Stream, team: &Team<'_>) {
    if state.count() < 2 {
        return;
    }
    let mut pass = Pass::new(state.parts.len());
    let mut best = (state.overload(), state.cut());
    state.keep();
    let (mut stale, mut number) = (0, 0);
    while stale < effort.patience {
        number += 1;
        if state.overload() == 0 {
            pass.run(state, effort.temperature, number, team);
        } else {
            rebalance(state, stream.split(number.into()), team);
        }
        stale += 1;
        let now = (state.overload(), state.cut());
        if now < best {
            let is_worthwhile =
                now.0 < best.0 || now.1 as f64 <= best.1 as f64 * (1.0 - WORTHWHILE);
            if is_worthwhile {
                stale = 0;
            }
            best = now;
            state.keep();
        }
    }
    state.undo();
}

/// The memory of passes.
struct Pass {
    /// The target of each candidate of the current pass; [`NO_TARGET`] for other vertices.
    targets: Vec<u32>,
    gains: Vec<i64>,
    /// The number of the last pass in which a vertex moved.
    moved: Vec<u32>,
}

const NO_TARGET: u32 = u32::MAX;

impl Pass {
    fn new(vertices: usize) -> Self {
        let (targets, gains) = (vec![NO_TARGET; vertices], vec![0; vertices]);
        Self { targets, gains, moved: vec![0; vertices] }
    }

    /// Runs pass `number`, counted from 1.
    fn run(&mut self, state: &mut State<'_>, temperature: f64, number: u32, team: &Team<'_>) {
        let candidates: Vec<Candidate> = {
            let state = &*state;
            let rests = |v: Vertex| number > 1 && self.moved[v as usize] == number - 1;
            let found = map_blocks(
                team,
                (state.parts.len(), BLOCK),
                || Rating::new(state.count()),
                |rating, range| {
                    let vertices = range.start as Vertex..range.end as Vertex;
                    vertices
                        .filter(|&v| state.is_boundary(v) && !rests(v))
                        .filter_map(|v| candidate(state, v, temperature, rating))
                        .collect::<Vec<_>>()
                },
            );
            found.into_iter().flatten().collect()
        };
        for candidate in &candidates {
            self.targets[candidate.vertex as usize] = candidate.target;
            self.gains[candidate.vertex as usize] = candidate.gain;
        }
        let moves: Vec<Vec<Candidate>> = map_blocks(
            team,
            (candidates.len(), CANDIDATES),
            || (),
            |(), range| {
                let kept = candidates[range].iter().copied();
                kept.filter(|&candidate| self.afterburner(state, candidate) >= 0).collect()
            },
        );
        candidates.iter().for_each(|one| self.targets[one.vertex as usize] = NO_TARGET);
        for Candidate { vertex, target, .. } in moves.into_iter().flatten() {
            state.shift(vertex, target);
            self.moved[vertex as usize] = number;
        }
    }

    /// The gain of a move if all better candidates have moved. Equal gains are ordered by vertex.
    fn afterburner(&self, state: &State<'_>, candidate: Candidate) -> i64 {
        let Candidate { vertex: v, target, gain } = candidate;
        let own = state.part(v);
        let mut result = 0;
        for (u, weight) in state.graph.row(v) {
            let is_first = |u: Vertex| (self.gains[u as usize], v) > (gain, u);
            let moves = self.targets[u as usize] != NO_TARGET && is_first(u);
            let part = if moves { self.targets[u as usize] } else { state.part(u) };
            if part == target {
                result += weight;
            } else if part == own {
                result -= weight;
            }
        }
        result
    }
}

/// The best move of a boundary vertex, if it does not lose too much. Ties go to the lower part.
fn candidate(
    state: &State<'_>,
    vertex: Vertex,
    temperature: f64,
    rating: &mut Rating,
) -> Option<Candidate> {
    for (u, weight) in state.graph.row(vertex) {
        rating.add(state.part(u), weight);
    }
    let own = state.part(vertex);
    let inside = rating.sum(own);
    let others = rating.drain().filter(|&(part, _)| part != own);
    let (target, outside) = others.max_by_key(|&(part, sum)| (sum, std::cmp::Reverse(part)))?;
    let gain = outside - inside;
    let tolerated = gain >= 0 || ((-gain) as f64) < (temperature * inside as f64).floor();
    tolerated.then_some(Candidate { vertex, target, gain })
}
