//! Clusters by size-constrained label propagation, for graphs on which matching stalls.
//!
//! Source: Meyerhenke, Sanders & Schulz 2014; the order by degree and the joining of vertices that
//! stay alone follow Gottesbüren et al. 2021 (KaMinPar). Each vertex starts in a cluster of its own
//! and moves to the cluster to which its edges have the greatest weight, if the cluster stays
//! within the weight limit.
//!
//! The vertices are divided into batches, by degree and at random. The threads find the moves of a
//! batch from the clusters before it, and one thread carries the moves out in a fixed order. So
//! the result depends on the seed alone (Gottesbüren & Hamann 2022). A move to a cluster that has
//! become empty is dropped, so two vertices cannot swap their clusters.
//!
//! O(n + m) per round; 24 bytes per vertex, and 8 per vertex and thread.

use kostra_core::Vertex;
use kostra_parallel::Team;

use super::Grouping;
use crate::rating::Rating;
use crate::team::map_blocks;

/// The number of rounds of label propagation.
const ROUNDS: u64 = 3;
/// The number of batches of the vertices of one degree class. With more batches, moves see more of
/// the others; with fewer, threads meet less often.
const BATCHES: u64 = 16;
/// A graph with fewer vertices moves one vertex at a time, on one thread.
const SMALL: u32 = 1 << 12;
/// The number of vertices that a thread takes at once.
const BLOCK: usize = 1 << 9;
/// A level that shrinks the graph by this factor is enough.
const ENOUGH_SHRINK: u32 = 4;

/// Labels each vertex with its cluster.
pub(super) fn labels(grouping: &Grouping<'_>, team: &Team<'_>) -> Vec<u32> {
    let graph = grouping.graph;
    let n = graph.vertices();
    let mut labels: Vec<u32> = (0..n).collect();
    let mut weights = graph.vertex_weights().to_vec();
    let mut sizes = vec![1_u32; n as usize];
    let mut clusters = n;
    let mut rating = Rating::new(n as usize);
    'rounds: for round in 0..ROUNDS {
        let mut moved = 0_usize;
        for batch in batches(grouping, round) {
            let moves: Vec<Vec<(Vertex, u32)>> = if batch.len() < BLOCK {
                vec![moves(grouping, (&labels, &weights), &mut rating, &batch)]
            } else {
                map_blocks(
                    team,
                    (batch.len(), BLOCK),
                    || Rating::new(n as usize),
                    |rating, range| moves(grouping, (&labels, &weights), rating, &batch[range]),
                )
            };
            for (v, target) in moves.into_iter().flatten() {
                let (weight, own) = (graph.weight(v), labels[v as usize]);
                let joined = weights[target as usize] + weight;
                if sizes[target as usize] == 0 || joined > grouping.aim.greatest_weight {
                    continue;
                }
                weights[target as usize] = joined;
                weights[own as usize] -= weight;
                sizes[target as usize] += 1;
                sizes[own as usize] -= 1;
                labels[v as usize] = target;
                moved += 1;
                clusters -= u32::from(sizes[own as usize] == 0);
            }
            if clusters <= n / ENOUGH_SHRINK || clusters <= grouping.aim.vertices {
                break 'rounds;
            }
        }
        if moved < n as usize / 100 {
            break;
        }
    }
    if clusters > n / 2 {
        join_lonely(grouping, &mut labels);
    }
    labels
}

/// The vertices in the order of their moves: low degrees first, in batches.
fn batches(grouping: &Grouping<'_>, round: u64) -> Vec<Vec<Vertex>> {
    let graph = grouping.graph;
    let stream = grouping.stream.split(round);
    let class = |v: Vertex| usize::BITS - graph.degree(v).leading_zeros();
    if graph.vertices() <= SMALL {
        let mut order: Vec<Vertex> = (0..graph.vertices()).collect();
        order.sort_unstable_by_key(|&v| (class(v), stream.at(v.into())));
        return order.into_iter().map(|v| vec![v]).collect();
    }
    let mut batches = vec![Vec::new(); (usize::BITS as usize + 1) * BATCHES as usize];
    for v in 0..graph.vertices() {
        let batch = u64::from(class(v)) * BATCHES + stream.below(v.into(), BATCHES);
        batches[batch as usize].push(v);
    }
    batches.retain(|batch| !batch.is_empty());
    batches
}

/// The moves of some vertices, each to its best cluster.
fn moves(
    grouping: &Grouping<'_>,
    (labels, weights): (&[u32], &[i64]),
    rating: &mut Rating,
    batch: &[Vertex],
) -> Vec<(Vertex, u32)> {
    let graph = grouping.graph;
    let mut moves = Vec::new();
    for &v in batch {
        let own = labels[v as usize];
        for (u, weight) in graph.row(v) {
            if grouping.may_join(u, v) {
                rating.add(labels[u as usize], weight);
            }
        }
        let room = grouping.aim.greatest_weight - graph.weight(v);
        let mut best = (rating.sum(own), 0, own);
        for (label, sum) in rating.drain() {
            if label != own && sum >= best.0 && sum > 0 && weights[label as usize] <= room {
                let tie = grouping.stream.at(u64::from(v) << 32 | u64::from(label));
                best = best.max((sum, tie, label));
            }
        }
        if best.2 != own {
            moves.push((v, best.2));
        }
    }
    moves
}

/// Joins vertices that stayed alone and have the same favorite neighbor or no neighbor.
fn join_lonely(grouping: &Grouping<'_>, labels: &mut [u32]) {
    let n = grouping.graph.vertices();
    let mut sizes = vec![0_u32; n as usize];
    labels.iter().for_each(|&label| sizes[label as usize] += 1);
    let alone = (0..n).filter(|&v| sizes[labels[v as usize] as usize] == 1);
    grouping.join_by_favorite(alone.collect(), u32::MAX, labels);
}
