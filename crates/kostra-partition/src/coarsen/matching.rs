//! Heavy-edge matching in two steps, and two-hop matching where it stalls.
//!
//! Source: Manoochehri 2017, section 4.2.1, after LaSalle & Karypis 2013. The first step writes for
//! each vertex its best unmatched neighbor to `matches`; the second step, the correction, undoes
//! entries that are not symmetric. The source's threads match greedily, and read entries that other
//! threads are writing, so its matching depends on timing. Here a round reads the matching of the
//! round before it, and rounds repeat until few vertices are matched. The edges have a strict total
//! order (rating, then a random number of the edge), so each round matches at least all edges that
//! precede their adjacent edges, and the matching depends on the seed alone.
//!
//! The rating of an edge is its squared weight divided by the product of the weights of its ends
//! (Holtgrewe, Sanders & Schulz 2010): it prefers heavy edges between light vertices.
//!
//! O(n + m) per round; 8 bytes per vertex.

use kostra_core::Vertex;
use kostra_parallel::Team;

use super::Grouping;
use crate::team::for_each_block;

/// The most rounds. Each round matches a constant share of the edges' ends in expectation.
const ROUNDS: u32 = 8;
/// A round that matches less than this share of the vertices, in percent, is the last.
const LAST_PERCENT: usize = 2;
/// Two-hop matching follows if more than this share of the vertices, in percent, is unmatched.
const STALLED_PERCENT: usize = 25;

/// Labels each vertex with the lower vertex of its pair.
pub(super) fn labels(grouping: &Grouping<'_>, team: &Team<'_>) -> Vec<u32> {
    let n = grouping.graph.vertices();
    let mut matches: Vec<Vertex> = (0..n).collect();
    let mut proposals = matches.clone();
    let mut unmatched = n as usize;
    for _ in 0..ROUNDS {
        // Step 1: each unmatched vertex writes its best unmatched neighbor.
        for_each_block(team, &mut proposals, |first, block| {
            for (proposal, v) in block.iter_mut().zip(first as Vertex..) {
                let old = matches[v as usize];
                *proposal = if old == v { best(grouping, &matches, v).unwrap_or(v) } else { old };
            }
        });
        // Step 2: the correction undoes entries that are not symmetric.
        for_each_block(team, &mut matches, |first, block| {
            for (mate, v) in block.iter_mut().zip(first as Vertex..) {
                let proposal = proposals[v as usize];
                *mate = if proposals[proposal as usize] == v { proposal } else { v };
            }
        });
        let left = (0..n).filter(|&v| matches[v as usize] == v).count();
        let new = unmatched - left;
        unmatched = left;
        if new * 100 < n as usize * LAST_PERCENT {
            break;
        }
    }
    let mut labels: Vec<u32> = (0..n).map(|v| v.min(matches[v as usize])).collect();
    if unmatched * 100 > n as usize * STALLED_PERCENT {
        let alone = (0..n).filter(|&v| matches[v as usize] == v);
        let keyed = alone.map(|v| (favorite(grouping, v), v)).collect();
        grouping.join_by_favorite(keyed, 2, &mut labels);
    }
    labels
}

/// The unmatched neighbor at the first edge in the order of edges.
fn best(grouping: &Grouping<'_>, matches: &[Vertex], v: Vertex) -> Option<Vertex> {
    let graph = grouping.graph;
    let room = grouping.aim.greatest_weight - graph.weight(v);
    let mut best: Option<(f64, u64, Vertex)> = None;
    for (u, weight) in graph.row(v) {
        if matches[u as usize] != u || graph.weight(u) > room || !grouping.may_join(u, v) {
            continue;
        }
        // The weight of v is a factor of the ratings of all its edges, so the order of the edges
        // is that of the symmetric rating only if it is included.
        let ends = (graph.weight(u).max(1) as f64) * (graph.weight(v).max(1) as f64);
        let rating = (weight as f64) * (weight as f64) / ends;
        let tie = grouping.stream.at(u64::from(u.min(v)) << 32 | u64::from(u.max(v)));
        if best.is_none_or(|(most, other, _)| rating.total_cmp(&most).then(tie.cmp(&other)).is_gt())
        {
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
