//! Clusters along heavy edges: a matching, and vertices that join the cluster of their favorite.
//!
//! Source: Manoochehri 2017, section 4.2.1, after LaSalle & Karypis 2013: each vertex chooses the
//! neighbor at its heaviest edge, and a second step, the correction, keeps the choices that are
//! symmetric. The source's threads read choices that other threads are writing, so its matching
//! depends on timing. Here all choices are made first. Then symmetric choices become pairs. A
//! matching alone needs many rounds and levels, so each vertex that is left joins the cluster of
//! its favorite while the cluster is light enough (heavy-edge coarsening: Gilbert et al. 2021). One
//! thread joins clusters in the order of the vertices, so the result depends on the seed alone.
//!
//! The rating of an edge is its squared weight divided by the product of the weights of its ends
//! (Holtgrewe, Sanders & Schulz 2010): it prefers heavy edges between light vertices. Ties are
//! broken by a random number of the edge. So the edges have a strict order that is the same from
//! both ends, and favorites form no cycles of three or more vertices.
//!
//! The threads read each row once: O(n + m). One thread joins: O(n). Memory: 21 bytes per vertex.

use kostra_core::Vertex;
use kostra_parallel::{Team, for_each_item};

use super::Grouping;
use crate::team::{BLOCK, for_each_chunk};

/// Vertices with the same favorite are joined if more than this share of the vertices, in percent,
/// is alone.
const STALLED_PERCENT: usize = 25;

/// Labels each vertex with a vertex of its cluster. A cluster weighs at most `share` times the mean
/// weight of a vertex.
pub(super) fn labels(grouping: &Grouping<'_>, share: i64, team: &Team<'_>) -> Vec<u32> {
    let n = grouping.graph.vertices();
    let greatest = grouping.greatest(share);
    let favorites = favorites(grouping, greatest, team);
    let mut clusters = Clusters::pairs(grouping, greatest, &favorites, team);
    for (v, &favorite) in (0..n).zip(&favorites) {
        if favorite != v && clusters.alone[v as usize] {
            clusters.join(v, favorite);
        }
    }
    let Clusters { mut labels, alone, .. } = clusters;
    let is_alone = |&v: &Vertex| alone[v as usize];
    if alone.iter().filter(|&&alone| alone).count() * 100 > n as usize * STALLED_PERCENT {
        grouping.join_by_favorite((0..n).filter(is_alone).collect(), 2, &mut labels);
    }
    labels
}

/// Clusters that grow by single vertices.
struct Clusters {
    labels: Vec<u32>,
    /// The weight of the cluster of each label.
    weights: Vec<i64>,
    /// Whether a vertex is a cluster of its own.
    alone: Vec<bool>,
    /// The greatest weight of a cluster.
    greatest: i64,
}

impl Clusters {
    /// The pairs of vertices that are each other's favorites. The label of a pair is its higher
    /// vertex.
    fn pairs(
        grouping: &Grouping<'_>,
        greatest: i64,
        favorites: &[Vertex],
        team: &Team<'_>,
    ) -> Self {
        let graph = grouping.graph;
        let n = graph.vertices() as usize;
        let (mut labels, mut weights, mut alone) = (vec![0; n], vec![0; n], vec![false; n]);
        let chunks = labels.chunks_mut(BLOCK).zip(weights.chunks_mut(BLOCK));
        let chunks = chunks.zip(alone.chunks_mut(BLOCK));
        for_each_item(team, chunks.enumerate(), |(index, ((labels, weights), alone))| {
            let first = (index * BLOCK) as Vertex;
            for (offset, v) in (first..first + labels.len() as Vertex).enumerate() {
                let favorite = favorites[v as usize];
                let is_pair = favorite != v && favorites[favorite as usize] == v;
                labels[offset] = if is_pair { v.max(favorite) } else { v };
                let partner = if is_pair && favorite < v { graph.weight(favorite) } else { 0 };
                weights[offset] = graph.weight(v) + partner;
                alone[offset] = !is_pair;
            }
        });
        Self { labels, weights, alone, greatest }
    }

    /// Joins a vertex that is alone to the cluster of another, unless it becomes too heavy.
    fn join(&mut self, v: Vertex, to: Vertex) {
        let label = self.labels[to as usize];
        let sum = self.weights[label as usize] + self.weights[v as usize];
        if sum <= self.greatest {
            self.weights[label as usize] = sum;
            self.labels[v as usize] = label;
            self.alone[v as usize] = false;
            self.alone[to as usize] = false;
        }
    }
}

/// The neighbor at the first edge of each vertex in the order of edges, if both together are not
/// heavier than `greatest`; otherwise the vertex itself.
fn favorites(grouping: &Grouping<'_>, greatest: i64, team: &Team<'_>) -> Vec<Vertex> {
    let weights = grouping.graph.vertex_weights();
    let inverse: Vec<f32> = weights.iter().map(|&weight| 1.0 / weight.max(1) as f32).collect();
    let mut favorites: Vec<Vertex> = vec![0; weights.len()];
    for_each_chunk(team, &mut favorites, BLOCK, |first, chunk| {
        for (v, favorite) in (first as Vertex..).zip(chunk) {
            *favorite = best(grouping, &inverse, greatest, v);
        }
    });
    favorites
}

/// The favorite of a vertex. `inverse` has the inverse weight of each vertex.
fn best(grouping: &Grouping<'_>, inverse: &[f32], greatest: i64, v: Vertex) -> Vertex {
    let graph = grouping.graph;
    let (room, own) = (greatest - graph.weight(v), inverse[v as usize]);
    let mut best: (f32, u64, Vertex) = (0.0, 0, v);
    for (u, weight) in graph.row(v) {
        // The product is computed in an order that gives the same rating from both ends.
        let rating = (weight as f32) * (weight as f32) * (inverse[u as usize] * own);
        if rating < best.0 || graph.weight(u) > room || !grouping.may_join(u, v) {
            continue;
        }
        let tie = grouping.stream.edge(u, v);
        if rating > best.0 || tie > best.1 {
            best = (rating, tie, u);
        }
    }
    best.2
}
