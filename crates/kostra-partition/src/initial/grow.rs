//! Greedy graph growing: a region grows from a random vertex, by the vertex that raises the cut
//! least.
//!
//! Source: Manoochehri 2017, section 4.1.2, after Karypis & Kumar 1998. If the region has no
//! neighbors left, it goes on at another random vertex, so disconnected graphs need no special
//! treatment.

use std::collections::BinaryHeap;

use kostra_core::Vertex;
use kostra_core::random::RandomStream;

use super::Goal;
use crate::WeightedGraph;
use crate::two_way::TwoWay;

/// Grows the second side up to its intended weight. All other vertices are on the first side.
pub(super) fn grow<'a>(graph: &'a WeightedGraph, goal: Goal, stream: RandomStream) -> TwoWay<'a> {
    let n = graph.vertices();
    let mut state = TwoWay::new(graph, vec![0; n as usize], goal.limits);
    let mut seeds: Vec<Vertex> = (0..n).collect();
    stream.shuffle(&mut seeds);
    let mut front = BinaryHeap::new();
    let mut next_seed = seeds.into_iter();
    while state.weight(1) < goal.second {
        let v = match front.pop() {
            Some((gain, _, v)) if state.side(v) == 0 && state.gain(v) == gain => v,
            Some(_) => continue,
            None => match next_seed.find(|&v| state.side(v) == 0) {
                Some(v) => v,
                None => break,
            },
        };
        // A vertex that overshoots by more than what is missing stays on the first side.
        let missing = goal.second - state.weight(1);
        if graph.weight(v) > missing.saturating_mul(2) {
            continue;
        }
        state.flip(v);
        for (u, _) in graph.row(v) {
            if state.side(u) == 0 {
                front.push((state.gain(u), stream.at(u.into()), u));
            }
        }
    }
    state
}
