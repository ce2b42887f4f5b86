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
use kostra_core::random::RandomStream;
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

/// Lowers the cut, and the overload if there is any.
pub(crate) fn refine(state: &mut State<'_>, effort: Effort, stream: RandomStream, team: &Team<'_>) {
    if state.count() < 2 {
        return;
    }
    let mut pass = Pass::new(state.parts.len());
    let mut best = (state.overload(), state.cut());
    state.keep();
    let (mut stale, mut number) = (0, 0);
    while stale < effort.patience {
        number += 1;
        let earlier = state.moves().len();
        if state.overload() == 0 {
            pass.run(state, effort.temperature, number, team);
        } else {
            rebalance(state, stream.split(number.into()), team);
        }
        pass.forget(state, earlier);
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
    /// The best move of each boundary vertex: its target, [`NONE`], or [`STALE`].
    targets: Vec<u32>,
    /// The gain of the move to the target.
    gains: Vec<i64>,
    /// The number of the last pass in which a vertex moved.
    moved: Vec<u32>,
}

/// Each move of a vertex loses too much.
const NONE: u32 = u32::MAX;
/// The best move is not known, because the vertex or a neighbor has moved. Vertices inside a part
/// are always stale.
const STALE: u32 = u32::MAX - 1;

impl Pass {
    fn new(vertices: usize) -> Self {
        Self { targets: vec![STALE; vertices], gains: vec![0; vertices], moved: vec![0; vertices] }
    }

    /// Forgets the best moves that the moves of the state after the first `earlier` change.
    fn forget(&mut self, state: &State<'_>, earlier: usize) {
        for &(v, _) in &state.moves()[earlier..] {
            self.targets[v as usize] = STALE;
            state.graph.row(v).for_each(|(u, _)| self.targets[u as usize] = STALE);
        }
    }

    /// Whether a vertex has moved in the pass before pass `number`.
    fn rests(&self, v: Vertex, number: u32) -> bool {
        number > 1 && self.moved[v as usize] == number - 1
    }

    /// Runs pass `number`, counted from 1.
    fn run(&mut self, state: &mut State<'_>, temperature: f64, number: u32, team: &Team<'_>) {
        let candidates = self.candidates(state, temperature, number, team);
        let moves: Vec<Vec<Vertex>> = map_blocks(
            team,
            (candidates.len(), CANDIDATES),
            || (),
            |(), range| {
                let kept = candidates[range].iter().copied();
                kept.filter(|&v| self.afterburner(state, v, number) >= 0).collect()
            },
        );
        for v in moves.into_iter().flatten() {
            state.shift(v, self.targets[v as usize]);
            self.moved[v as usize] = number;
        }
    }

    /// The vertices that may move, ascending. Their best moves are in `targets` and `gains`.
    fn candidates(
        &mut self,
        state: &State<'_>,
        temperature: f64,
        number: u32,
        team: &Team<'_>,
    ) -> Vec<Vertex> {
        let known = &*self;
        let found = map_blocks(
            team,
            (state.parts.len(), BLOCK),
            || Rating::new(state.count()),
            |rating, range| {
                let (mut candidates, mut fresh) = (Vec::new(), Vec::new());
                for v in range.start as Vertex..range.end as Vertex {
                    if !state.is_boundary(v) || known.rests(v, number) {
                        continue;
                    }
                    let mut target = known.targets[v as usize];
                    if target == STALE {
                        let best = best_move(state, v, temperature, rating);
                        target = best.0;
                        fresh.push((v, best));
                    }
                    if target != NONE {
                        candidates.push(v);
                    }
                }
                (candidates, fresh)
            },
        );
        let mut all = Vec::new();
        for (candidates, fresh) in found {
            all.extend(candidates);
            for (v, (target, gain)) in fresh {
                self.targets[v as usize] = target;
                self.gains[v as usize] = gain;
            }
        }
        all
    }

    /// The gain of a candidate's move if all better candidates have moved. Equal gains are ordered
    /// by vertex.
    fn afterburner(&self, state: &State<'_>, v: Vertex, number: u32) -> i64 {
        let (own, target, gain) = (state.part(v), self.targets[v as usize], self.gains[v as usize]);
        let mut result = 0;
        for (u, weight) in state.graph.row(v) {
            let their = self.targets[u as usize];
            let moves =
                their < STALE && (self.gains[u as usize], v) > (gain, u) && !self.rests(u, number);
            let part = if moves { their } else { state.part(u) };
            if part == target {
                result += weight;
            } else if part == own {
                result -= weight;
            }
        }
        result
    }
}

/// The best move of a boundary vertex and its gain. The target is [`NONE`] if each move loses too
/// much. Ties go to the lower part.
fn best_move(
    state: &State<'_>,
    vertex: Vertex,
    temperature: f64,
    rating: &mut Rating,
) -> (u32, i64) {
    for (u, weight) in state.graph.row(vertex) {
        rating.add(state.part(u), weight);
    }
    let own = state.part(vertex);
    let inside = rating.sum(own);
    let others = rating.drain().filter(|&(part, _)| part != own);
    let best = others.max_by_key(|&(part, sum)| (sum, std::cmp::Reverse(part)));
    let Some((target, outside)) = best else { return (NONE, 0) };
    let gain = outside - inside;
    let tolerated = gain >= 0 || ((-gain) as f64) < (temperature * inside as f64).floor();
    (if tolerated { target } else { NONE }, gain)
}
