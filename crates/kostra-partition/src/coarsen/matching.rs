//! Heavy-edge matching in blocks and rounds, and two-hop matching where it stalls.
//!
//! Source: Manoochehri 2017, section 4.2.1, after LaSalle & Karypis 2013: each thread matches its
//! vertices greedily and writes to `matches`, and a second step, the correction, undoes entries
//! that are not symmetric. The source's threads read entries that other threads are writing, so its
//! matching depends on timing. Here the greedy step is confined to fixed blocks of vertices, which
//! threads share: a vertex whose best neighbor is in another block waits. Then rounds of proposals
//! and corrections match the vertices that wait. A round reads the matching of the round before it.
//! The edges have a strict total order (rating, then a random number of the edge), so each round
//! matches at least all edges that precede their adjacent edges. The matching depends on the seed
//! alone.
//!
//! The rating of an edge is its squared weight divided by the product of the weights of its ends
//! (Holtgrewe, Sanders & Schulz 2010): it prefers heavy edges between light vertices.
//!
//! O(n + m) for the greedy step and per round; 12 bytes per vertex.

use kostra_core::Vertex;
use kostra_parallel::Team;

use super::Grouping;
use crate::team::{BLOCK, for_each_chunk, map_blocks};

/// The most rounds. Each round matches a constant share of the edges' ends in expectation.
const ROUNDS: u32 = 8;
/// A round that matches less than this share of the vertices, in percent, is the last.
const LAST_PERCENT: usize = 2;
/// Two-hop matching follows if more than this share of the vertices, in percent, is unmatched.
const STALLED_PERCENT: usize = 25;
/// The number of blocks of a large graph: enough work for many threads, and few edges between
/// blocks if the numbers of the vertices have locality.
const BLOCKS: usize = 32;
/// Vertices of this degree and above are matched after the others. Vertices of low degree come
/// first, because they lose their last unmatched neighbor soonest.
const HIGH_DEGREE: usize = 8;

/// Labels each vertex with the lower vertex of its pair.
pub(super) fn labels(grouping: &Grouping<'_>, team: &Team<'_>) -> Vec<u32> {
    let n = grouping.graph.vertices();
    let mut matches: Vec<Vertex> = (0..n).collect();
    let block = (n as usize / BLOCKS).max(BLOCK);
    for_each_chunk(team, &mut matches, block, |first, block| match_block(grouping, first, block));
    let mut open: Vec<Vertex> = (0..n).filter(|&v| matches[v as usize] == v).collect();
    match_in_rounds(grouping, &mut matches, &mut open, team);
    let mut labels: Vec<u32> = (0..n).map(|v| v.min(matches[v as usize])).collect();
    if open.len() * 100 > n as usize * STALLED_PERCENT {
        let keyed = open.into_iter().map(|v| (favorite(grouping, v), v)).collect();
        grouping.join_by_favorite(keyed, 2, &mut labels);
    }
    labels
}

/// Matches the vertices of a block greedily. `block` has the entries of `matches` from vertex
/// `first` on. Vertices of other blocks count as unmatched.
fn match_block(grouping: &Grouping<'_>, first: usize, block: &mut [Vertex]) {
    let graph = grouping.graph;
    let class = |index: usize| graph.degree((first + index) as Vertex).min(HIGH_DEGREE);
    let mut starts = [0; HIGH_DEGREE + 2];
    (0..block.len()).for_each(|index| starts[class(index) + 1] += 1);
    (0..=HIGH_DEGREE).for_each(|class| starts[class + 1] += starts[class]);
    let mut order = vec![0_u32; block.len()];
    for index in 0..block.len() {
        let place = &mut starts[class(index)];
        order[*place] = index as u32;
        *place += 1;
    }
    for index in order {
        let v = first as Vertex + index;
        if block[index as usize] != v {
            continue;
        }
        let is_free = |u: Vertex| match block.get((u as usize).wrapping_sub(first)) {
            Some(&mate) => mate == u,
            None => true,
        };
        let Some(u) = best(grouping, is_free, v) else { continue };
        if let Some(mate) = block.get_mut((u as usize).wrapping_sub(first)) {
            *mate = v;
            block[index as usize] = u;
        }
    }
}

/// Matches the vertices in `open` by proposals, and leaves the unmatched ones there.
fn match_in_rounds(
    grouping: &Grouping<'_>,
    matches: &mut [Vertex],
    open: &mut Vec<Vertex>,
    team: &Team<'_>,
) {
    let mut proposals: Vec<Vertex> = matches.to_vec();
    for _ in 0..ROUNDS {
        // Step 1: each unmatched vertex writes its best unmatched neighbor.
        let found = map_blocks(
            team,
            (open.len(), BLOCK),
            || (),
            |(), range| {
                let is_free = |u: Vertex| matches[u as usize] == u;
                let best = |&v: &Vertex| best(grouping, is_free, v).unwrap_or(v);
                open[range].iter().map(best).collect::<Vec<_>>()
            },
        );
        for (&v, target) in open.iter().zip(found.into_iter().flatten()) {
            proposals[v as usize] = target;
        }
        // Step 2: the correction drops proposals that are not symmetric.
        for &v in open.iter() {
            let target = proposals[v as usize];
            if proposals[target as usize] == v {
                matches[v as usize] = target;
            }
        }
        let before = open.len();
        open.retain(|&v| matches[v as usize] == v);
        if (before - open.len()) * 100 < matches.len() * LAST_PERCENT {
            break;
        }
    }
}

/// The unmatched neighbor at the first edge in the order of edges.
fn best(grouping: &Grouping<'_>, is_free: impl Fn(Vertex) -> bool, v: Vertex) -> Option<Vertex> {
    let graph = grouping.graph;
    let room = grouping.aim.greatest_weight - graph.weight(v);
    let own = graph.weight(v).max(1) as f64;
    let mut best: Option<(f64, u64, Vertex)> = None;
    for (u, weight) in graph.row(v) {
        if !is_free(u) || graph.weight(u) > room || !grouping.may_join(u, v) {
            continue;
        }
        // The weight of v is a factor of the ratings of all its edges, so the order of the edges
        // is that of the symmetric rating only if it is included.
        let ends = (graph.weight(u).max(1) as f64) * own;
        let rating = (weight as f64) * (weight as f64) / ends;
        if best.is_some_and(|(most, _, _)| rating < most) {
            continue;
        }
        let tie = grouping.stream.at(u64::from(u.min(v)) << 32 | u64::from(u.max(v)));
        if best.is_none_or(|(most, other, _)| rating > most || tie > other) {
            best = Some((rating, tie, u));
        }
    }
    best.map(|(_, _, u)| u)
}

/// The neighbor at the heaviest edge, matched or not; the lowest one on ties.
fn favorite(grouping: &Grouping<'_>, v: Vertex) -> Option<Vertex> {
    let key = |&(u, weight): &(Vertex, i64)| (weight, std::cmp::Reverse(u));
    grouping.graph.row(v).max_by_key(key).map(|(u, _)| u)
}
