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
use kostra_parallel::Team;

use super::Grouping;
use crate::team::{BLOCK, for_each_chunk};

/// Vertices with the same favorite are joined if more than this share of the vertices, in percent,
/// is alone.
const STALLED_PERCENT: usize = 25;

/// Labels each vertex with a vertex of its cluster. A cluster weighs at most `share` times the mean
/// weight of a vertex.
pub(super) fn labels(grouping: &Grouping<'_>, share: i64, team: &Team<'_>) -> Vec<u32> {
    let n = grouping.graph.vertices();
    let mut clusters = Clusters::new(grouping, share);
    let favorites = favorites(grouping, clusters.greatest, team);
    let favorite = |v: Vertex| favorites[v as usize];
    for v in 0..n {
        if favorite(v) > v && favorite(favorite(v)) == v {
            clusters.join(v, favorite(v));
        }
    }
    for v in 0..n {
        if favorite(v) != v && clusters.alone[v as usize] {
            clusters.join(v, favorite(v));
        }
    }
    let open: Vec<Vertex> = (0..n).filter(|&v| clusters.alone[v as usize]).collect();
    let Clusters { mut labels, .. } = clusters;
    if open.len() * 100 > n as usize * STALLED_PERCENT {
        grouping.join_by_favorite(open, 2, &mut labels);
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
    fn new(grouping: &Grouping<'_>, share: i64) -> Self {
        let graph = grouping.graph;
        let n = graph.vertices();
        let greatest = graph.total_weight().saturating_mul(share) / i64::from(n.max(1));
        Self {
            labels: (0..n).collect(),
            weights: graph.vertex_weights().to_vec(),
            alone: vec![true; n as usize],
            greatest: grouping.aim.greatest_weight.min(greatest.max(share)),
        }
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
