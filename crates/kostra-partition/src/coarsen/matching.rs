//! Pairs of a matching that several workers find, each for its own vertices.
//!
//! Source: Manoochehri 2017, sections 4.1.1 and 4.2.1, after LaSalle & Karypis 2013. All workers
//! read and write one array of mates without locks. A worker visits its vertices at random, and
//! matches each with an unmatched neighbor: the one at the heaviest edge, or a random one. A later
//! write of another worker may overwrite a mate. So a second step, the correction, leaves each
//! vertex alone whose mate has another mate.
//!
//! In the source, writes are seen at once, so the matching depends on timing. Here other workers
//! see them at the next barrier, after a batch of vertices, and the last worker's write stays. So
//! the result depends on the seed and the number of workers alone.
//!
//! O(n + m). Memory: 12 bytes per vertex, and a bit per vertex and worker.

use kostra_core::{BitSet, Vertex};
use kostra_parallel::{Team, for_each_item};

use super::Grouping;
use crate::options::MatchBy;
use crate::team::{BLOCK, Shares, for_each_chunk};

/// The number of batches of a worker. With more, fewer mates are overwritten; with fewer, workers
/// meet less often.
const BATCHES: usize = 32;
/// The least number of vertices of a batch.
const LEAST_BATCH: usize = 16;
/// The mate of a vertex that has none.
const UNMATCHED: Vertex = Vertex::MAX;

/// A worker: the vertices that it owns, and what it has written.
struct Matcher {
    /// Its vertices in the order of its visits.
    order: Vec<Vertex>,
    visited: usize,
    /// The vertices that it has matched.
    matched: BitSet,
    /// The mates that it has written since the last barrier, by the owner of the vertex.
    written: Vec<Vec<(Vertex, Vertex)>>,
}

/// Labels each vertex with the lower vertex of its pair, or with itself.
pub(super) fn labels(
    grouping: &Grouping<'_>,
    (by, workers): (MatchBy, usize),
    team: &Team<'_>,
) -> Vec<u32> {
    let n = grouping.graph.vertices() as usize;
    let shares = Shares::new(n, workers);
    let mut mates = vec![UNMATCHED; n];
    let matcher = |worker: usize| Matcher::new(grouping, shares, worker);
    let mut matchers: Vec<Matcher> = (0..shares.count()).map(matcher).collect();
    while matchers.iter().any(|one| one.visited < one.order.len()) {
        for_each_item(team, matchers.iter_mut(), |one| {
            one.match_batch(grouping, (by, shares), &mates);
        });
        // The barrier: each worker stores what all have written to its vertices.
        let take = |one: &mut Matcher| std::mem::replace(&mut one.written, shares.buffers());
        let written: Vec<_> = matchers.iter_mut().map(take).collect();
        for_each_item(team, shares.chunks(&mut mates).enumerate(), |(owner, mates)| {
            let first = shares.range(owner).start;
            for &(v, mate) in written.iter().flat_map(|of_worker| &of_worker[owner]) {
                mates[v as usize - first] = mate;
            }
        });
    }
    corrected(&mates, team)
}

/// The lower vertex of each symmetric pair, and otherwise the vertex itself.
fn corrected(mates: &[Vertex], team: &Team<'_>) -> Vec<u32> {
    let mut labels = vec![0; mates.len()];
    for_each_chunk(team, &mut labels, BLOCK, |first, chunk| {
        for (v, label) in (first as Vertex..).zip(chunk) {
            let mate = mates[v as usize];
            let is_pair = mate != UNMATCHED && mates[mate as usize] == v;
            *label = if is_pair { v.min(mate) } else { v };
        }
    });
    labels
}

impl Matcher {
    fn new(grouping: &Grouping<'_>, shares: Shares, worker: usize) -> Self {
        let range = shares.range(worker);
        let mut order: Vec<Vertex> = (range.start as Vertex..range.end as Vertex).collect();
        grouping.stream.split(worker as u64).shuffle(&mut order);
        let matched = BitSet::new(grouping.graph.vertices() as usize);
        Self { order, visited: 0, matched, written: shares.buffers() }
    }

    /// Matches the next batch of vertices. `mates` has the state at the last barrier.
    fn match_batch(
        &mut self,
        grouping: &Grouping<'_>,
        (by, shares): (MatchBy, Shares),
        mates: &[Vertex],
    ) {
        let length = self.order.len().div_ceil(BATCHES).max(LEAST_BATCH);
        let end = self.order.len().min(self.visited + length);
        for index in std::mem::replace(&mut self.visited, end)..end {
            let v = self.order[index];
            if !self.is_free(mates, v) {
                continue;
            }
            let free = |&(u, _): &(Vertex, i64)| self.is_free(mates, u) && may_pair(grouping, u, v);
            let key = |&(u, weight): &(Vertex, i64)| {
                let tie = grouping.stream.at(u64::from(v) << 32 | u64::from(u));
                match by {
                    MatchBy::HeavyEdge => (weight, tie),
                    MatchBy::Random => (0, tie),
                }
            };
            if let Some((u, _)) = grouping.graph.row(v).filter(free).max_by_key(key) {
                for (one, other) in [(v, u), (u, v)] {
                    self.matched.insert(one);
                    self.written[shares.owner(one)].push((one, other));
                }
            }
        }
    }

    /// Whether a vertex has no mate, as far as this worker sees.
    fn is_free(&self, mates: &[Vertex], v: Vertex) -> bool {
        mates[v as usize] == UNMATCHED && !self.matched.contains(v)
    }
}

/// Whether two vertices are in one part, and together not too heavy.
fn may_pair(grouping: &Grouping<'_>, u: Vertex, v: Vertex) -> bool {
    let weight = grouping.graph.weight(u) + grouping.graph.weight(v);
    weight <= grouping.aim.greatest_weight && grouping.may_join(u, v)
}

#[cfg(test)]
mod tests {
    use kostra_core::random::RandomStream;
    use kostra_parallel::with_team;

    use super::*;
    use crate::WeightedGraph;
    use crate::coarsen::{Aim, Scheme};

    fn generated(spec: &str) -> WeightedGraph {
        WeightedGraph::of_unit_weights(&kostra_gen::generate(spec).unwrap().graph).unwrap()
    }

    fn labels_of(
        graph: &WeightedGraph,
        by: MatchBy,
        workers: usize,
        greatest_weight: i64,
    ) -> Vec<u32> {
        let scheme = Scheme::Matching { by, workers };
        let aim = Aim { vertices: 1, greatest_weight, scheme };
        let grouping = Grouping { graph, aim, parts: None, stream: RandomStream::new(7) };
        let of_threads =
            |threads| with_team(threads, |team| labels(&grouping, (by, workers), team));
        let one = of_threads(1);
        assert_eq!(one, of_threads(3));
        one
    }

    fn sizes(labels: &[u32]) -> Vec<usize> {
        let mut sizes = vec![0; labels.len()];
        labels.iter().for_each(|&label| sizes[label as usize] += 1);
        sizes
    }

    #[test]
    fn pairs_are_adjacent_and_few_vertices_with_a_free_neighbor_stay_alone() {
        let graph = generated("grid:rows=80,cols=80");
        for by in MatchBy::ALL {
            for workers in [1, 8] {
                let labels = labels_of(&graph, by, workers, 2);
                let sizes = sizes(&labels);
                assert!(sizes.iter().all(|&size| size <= 2));
                for (v, &label) in labels.iter().enumerate() {
                    assert!(label as usize == v || graph.row(label).any(|(u, _)| u as usize == v));
                }
                let alone = |v: Vertex| sizes[labels[v as usize] as usize] == 1;
                let open = (0..6400).filter(|&v| alone(v) && graph.row(v).any(|(u, _)| alone(u)));
                // One worker finds a maximal matching. Of several, some mates are overwritten.
                let most = if workers == 1 { 0 } else { 6400 / 20 };
                assert!(open.count() <= most, "{by:?} with {workers} workers");
            }
        }
    }

    #[test]
    fn a_heavy_edge_is_preferred_and_a_random_one_is_not() {
        // A cycle of light and heavy edges in turn.
        let n = 1000;
        let (u, v): (Vec<u32>, Vec<u32>) = (0..n).map(|v| (v, (v + 1) % n)).unzip();
        let weights: Vec<i64> = (0..i64::from(n)).map(|edge| 1 + 9 * (edge % 2)).collect();
        let graph = WeightedGraph::from_edges(n, &u, &v, Some(&weights)).unwrap();
        let heavy = |by| {
            let labels = labels_of(&graph, by, 1, 2);
            let is_pair = |&v: &usize| labels[v] == labels[(v + 1) % 1000];
            (1..1000).step_by(2).filter(is_pair).count()
        };
        assert_eq!(heavy(MatchBy::HeavyEdge), 500);
        assert!(heavy(MatchBy::Random) < 350);
    }

    #[test]
    fn no_pair_is_heavier_than_the_aim() {
        let graph = generated("path:n=100");
        assert!(labels_of(&graph, MatchBy::HeavyEdge, 2, 1).into_iter().eq(0..100));
    }
}
