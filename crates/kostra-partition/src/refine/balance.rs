//! Balance: moves out of parts that exceed the limit.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use kostra_core::Vertex;
use kostra_core::random::RandomStream;
use kostra_parallel::Team;

use super::state::State;
use crate::rating::Rating;
use crate::team::{BLOCK, map_blocks};

/// The most balancing passes in a row. A pass relieves every part unless the other parts are
/// nearly full.
const PASSES: u64 = 8;

/// Moves vertices out of each overloaded part until it is within the limit, those first that lose
/// the least cut per weight. Moves only to parts with room.
///
/// The threads rate the vertices of overloaded parts, and one thread moves them in the order of
/// their ratings. O(n + m + c log n) for `c` moves.
pub(crate) fn rebalance(state: &mut State<'_>, stream: RandomStream, team: &Team<'_>) {
    let rated = {
        let state = &*state;
        let excess: Vec<i64> = state.weights.iter().map(|weight| weight - state.limit).collect();
        let excess = |v: Vertex| excess[state.part(v) as usize];
        // A vertex much heavier than the excess would leave a gap.
        let is_suitable = |v: Vertex| {
            let weight = state.graph.weight(v);
            excess(v) > 0 && weight > 0 && weight < excess(v).saturating_mul(2)
        };
        let rated = |rating: &mut Rating, v: Vertex| {
            Reverse((ascending(loss_per_weight(state, v, rating)), stream.at(v.into()), v))
        };
        map_blocks(
            team,
            (state.parts.len(), BLOCK),
            || Rating::new(state.count()),
            |rating, range| {
                let vertices =
                    (range.start as Vertex..range.end as Vertex).filter(|&v| is_suitable(v));
                vertices.map(|v| rated(rating, v)).collect::<Vec<_>>()
            },
        )
    };
    let mut queue: BinaryHeap<_> = rated.concat().into();
    let mut rating = Rating::new(state.count());
    let mut lightest = Lightest::default();
    let mut overloaded = state.weights.iter().filter(|&&weight| weight > state.limit).count();
    while overloaded > 0 {
        let Some(Reverse((_, _, v))) = queue.pop() else { break };
        let own = state.part(v) as usize;
        if state.weights[own] <= state.limit {
            continue;
        }
        if let Some((target, _)) = best_with_room(state, v, &mut rating) {
            state.shift(v, target);
        } else if let Some(target) = lightest.with_room(state, v) {
            state.shift(v, target);
        }
        overloaded -= usize::from(state.weights[own] <= state.limit);
    }
}

/// An integer for each number, in the order of the numbers.
pub(super) fn ascending(number: f64) -> i64 {
    let bits = number.to_bits() as i64;
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

/// The increase of the cut for each unit of weight if the vertex leaves its part.
fn loss_per_weight(state: &State<'_>, v: Vertex, rating: &mut Rating) -> f64 {
    let own = state.part(v);
    let (inside, outside) = if state.is_boundary(v) {
        state.graph.row(v).for_each(|(u, weight)| rating.add(state.part(u), weight));
        let inside = rating.sum(own);
        let others = rating.drain().filter(|&(part, _)| part != own && state.fits(v, part));
        (inside, others.map(|(_, sum)| sum).max().unwrap_or(0))
    } else {
        (state.graph.row(v).map(|(_, weight)| weight).sum(), 0)
    };
    let (loss, weight) = ((inside - outside) as f64, state.graph.weight(v).max(1) as f64);
    // A gain is worth more for a heavy vertex, a loss for a light one.
    if loss > 0.0 { loss / weight } else { loss * weight }
}

/// The part with room to which a vertex has the heaviest connection, and that weight.
fn best_with_room(state: &State<'_>, v: Vertex, rating: &mut Rating) -> Option<(u32, i64)> {
    for (u, weight) in state.graph.row(v) {
        rating.add(state.part(u), weight);
    }
    let own = state.part(v);
    let others = rating.drain().filter(|&(part, _)| part != own && state.fits(v, part));
    others.max_by_key(|&(part, sum)| (sum, Reverse(part)))
}

/// Parts with room, found by a scan that starts where the last one ended.
#[derive(Default)]
struct Lightest {
    next: usize,
}

impl Lightest {
    /// The next part in turn with room for a vertex. Amortized O(1) while parts have room.
    fn with_room(&mut self, state: &State<'_>, v: Vertex) -> Option<u32> {
        let count = state.count();
        let found = (0..count)
            .map(|step| (self.next + step) % count)
            .find(|&part| part as u32 != state.part(v) && state.fits(v, part as u32))?;
        self.next = found;
        Some(found as u32)
    }
}

/// Brings every part within the limit, and gives every part a vertex. Both are always possible if
/// there are at least as many vertices as parts; see [`limit`](crate::limit).
pub(crate) fn enforce(state: &mut State<'_>, stream: RandomStream, team: &Team<'_>) {
    for pass in 0..PASSES {
        if state.overload() == 0 {
            break;
        }
        rebalance(state, stream.split(pass), team);
    }
    if state.overload() > 0 {
        pack(state);
    }
    fill_empty_parts(state);
    state.keep();
}

/// Distributes all vertices anew, heavy ones first, each to the lightest part (Graham 1969). The
/// last resort: it keeps the limit, and ignores the cut.
fn pack(state: &mut State<'_>) {
    let mut order: Vec<Vertex> = (0..state.graph.vertices()).collect();
    order.sort_by_key(|&v| Reverse(state.graph.weight(v)));
    let mut parts: BinaryHeap<_> =
        (0..state.count() as u32).map(|part| Reverse((0_i64, part))).collect();
    for v in order {
        let Some(Reverse((weight, part))) = parts.pop() else { return };
        parts.push(Reverse((weight + state.graph.weight(v), part)));
        state.shift(v, part);
    }
}

/// Moves a vertex into each empty part, from parts with several vertices.
fn fill_empty_parts(state: &mut State<'_>) {
    let mut sizes = vec![0_u32; state.count()];
    state.parts.iter().for_each(|&part| sizes[part as usize] += 1);
    let mut empty = (0..state.count()).filter(|&part| sizes[part] == 0).collect::<Vec<_>>();
    if empty.is_empty() {
        return;
    }
    let inside = |state: &State<'_>, v: Vertex| -> i64 {
        let own = state.part(v);
        state.graph.row(v).filter(|&(u, _)| state.part(u) == own).map(|(_, weight)| weight).sum()
    };
    let mut order: Vec<(i64, Vertex)> =
        (0..state.graph.vertices()).map(|v| (inside(state, v), v)).collect();
    order.sort_unstable();
    for (_, v) in order {
        let own = state.part(v) as usize;
        if sizes[own] < 2 {
            continue;
        }
        let Some(part) = empty.pop() else { break };
        sizes[own] -= 1;
        sizes[part] += 1;
        state.shift(v, part as u32);
    }
}
