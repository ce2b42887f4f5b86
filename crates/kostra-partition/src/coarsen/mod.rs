//! Coarsening: a sequence of smaller graphs, each the contraction of the one before it.
//!
//! Source: Manoochehri 2017, sections 4.1.1 and 4.2.1. A level groups vertices, and contraction
//! makes each group one vertex of the next graph. Groups are clusters along heavy edges. On graphs
//! with hubs and stars, they are clusters of label propagation. The source's own groups are the
//! pairs of a matching.

mod clustering;
mod contract;
mod heavy_edges;
mod matching;

use kostra_core::Vertex;
use kostra_core::random::RandomStream;
use kostra_parallel::Team;

use crate::options::MatchBy;
use crate::{PartitionError, WeightedGraph};

pub(crate) use contract::contract;

/// One step of coarsening.
pub(crate) struct Level {
    /// The contracted graph.
    pub(crate) graph: WeightedGraph,
    /// The vertex of `graph` that contains each vertex of the finer graph.
    pub(crate) map: Vec<Vertex>,
    /// The part of each vertex of `graph`, if parts are kept apart.
    pub(crate) parts: Option<Vec<u32>>,
}

/// How vertices are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    /// Small clusters along heavy edges.
    HeavyEdges {
        /// The greatest weight of a cluster, as a multiple of the mean weight of a vertex. With
        /// greater clusters there are fewer levels, but the cut of sparse graphs is higher.
        share: i64,
    },
    /// Clusters of size-constrained label propagation.
    Clusters,
    /// The pairs of the matching that a number of workers find.
    Matching { by: MatchBy, workers: usize },
}

/// What coarsening aims at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aim {
    /// Coarsening ends at a graph of at most this number of vertices.
    pub(crate) vertices: u32,
    /// The greatest weight of a coarse vertex.
    pub(crate) greatest_weight: i64,
    /// How vertices are grouped.
    pub(crate) scheme: Scheme,
}

/// Coarsening ends when a level keeps more than this share of the vertices, in percent.
const STALLED_PERCENT: u64 = 95;

/// Coarsens until the aim is reached, or a level hardly shrinks the graph. The finest level is the
/// first. Vertices of different `parts` are kept apart.
pub(crate) fn coarsen(
    graph: &WeightedGraph,
    aim: Aim,
    parts: Option<&[u32]>,
    stream: RandomStream,
    team: &Team<'_>,
) -> Result<Vec<Level>, PartitionError> {
    let mut levels: Vec<Level> = Vec::new();
    loop {
        let (finer, parts) = match levels.last() {
            None => (graph, parts),
            Some(level) => (&level.graph, level.parts.as_deref()),
        };
        if finer.vertices() <= aim.vertices {
            return Ok(levels);
        }
        let grouping =
            Grouping { graph: finer, aim, parts, stream: stream.split(levels.len() as u64) };
        let labels = match aim.scheme {
            Scheme::HeavyEdges { share } => heavy_edges::labels(&grouping, share, team),
            Scheme::Clusters => clustering::labels(&grouping, team),
            Scheme::Matching { by, workers } => matching::labels(&grouping, (by, workers), team),
        };
        let (coarse, map) = contract(finer, &labels, team)?;
        if u64::from(coarse.vertices()) * 100 > u64::from(finer.vertices()) * STALLED_PERCENT {
            return Ok(levels);
        }
        let parts = parts.map(|parts| {
            let mut coarse_parts = vec![0; coarse.vertices() as usize];
            map.iter().zip(parts).for_each(|(&vertex, &part)| coarse_parts[vertex as usize] = part);
            coarse_parts
        });
        levels.push(Level { graph: coarse, map, parts });
    }
}

/// The input of a grouping. Its result labels each vertex with a vertex; equal labels form a group.
struct Grouping<'a> {
    graph: &'a WeightedGraph,
    aim: Aim,
    parts: Option<&'a [u32]>,
    stream: RandomStream,
}

impl Grouping<'_> {
    /// Whether two vertices are in the same part, so that they may be in one group.
    #[inline]
    fn may_join(&self, u: Vertex, v: Vertex) -> bool {
        self.parts.is_none_or(|parts| parts[u as usize] == parts[v as usize])
    }

    /// The greatest weight of a cluster, which is `share` times the mean weight of a vertex, unless
    /// the aim is lower.
    fn greatest(&self, share: i64) -> i64 {
        let mean = self.graph.total_weight().saturating_mul(share)
            / i64::from(self.graph.vertices().max(1));
        self.aim.greatest_weight.min(mean.max(share))
    }

    /// Groups vertices that are alone and have the same favorite, in the order of their numbers,
    /// up to the greatest weight. Vertices without neighbors have the favorite `None`. This is
    /// two-hop matching (LaSalle et al. 2015): the favorite is a common neighbor.
    ///
    /// `open` lists the vertices. Their favorite is the label of the neighbor at the heaviest edge,
    /// the lowest neighbor on ties.
    fn join_by_favorite(&self, open: Vec<Vertex>, most: u32, labels: &mut [u32]) {
        let key = |&(u, weight): &(Vertex, i64)| (weight, std::cmp::Reverse(u));
        let heaviest = |v| self.graph.row(v).max_by_key(key).map(|(u, _)| u);
        let favorite = |v| heaviest(v).map(|u| labels[u as usize]);
        let mut keyed: Vec<(Option<u32>, Vertex)> =
            open.into_iter().map(|v| (favorite(v), v)).collect();
        let part = |v: Vertex| self.parts.map(|parts| parts[v as usize]);
        keyed.sort_unstable_by_key(|&(favorite, v)| (favorite, part(v), v));
        let mut group: Option<(Option<u32>, Vertex, i64, u32)> = None;
        for (favorite, v) in keyed {
            let weight = self.graph.weight(v);
            group = match group {
                Some((key, leader, sum, count))
                    if key == favorite
                        && count < most
                        && sum + weight <= self.aim.greatest_weight
                        && self.may_join(leader, v) =>
                {
                    labels[v as usize] = labels[leader as usize];
                    Some((key, leader, sum + weight, count + 1))
                }
                _ => Some((favorite, v, weight, 1)),
            };
        }
    }
}
